//! Small groups: semidirect products of two cyclic groups.

use fabc_base::divisors::greatest_common_divisor;

/// The group of pairs (a, e) with (a, e) (b, f) = (a + twist^e b, e + f): Z_t by Z_k. Its order is t k. A
/// twist of 1 gives the direct product, and k = 1 the cyclic group of order t.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Group {
    /// The order t of the first factor.
    pub(super) t: u32,
    /// The order k of the second factor.
    pub(super) k: u32,
    /// `[e]`: the power twist^e, modulo t.
    powers: Vec<u32>,
}

/// An element of a group.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Element {
    /// The part of the element in Z_t.
    pub(super) a: u32,
    /// The part of the element in Z_k.
    pub(super) e: u32,
}

impl Element {
    /// The identity of every group.
    pub(super) const IDENTITY: Self = Self { a: 0, e: 0 };
}

impl Group {
    /// The group of a twist, if twist^k is 1 modulo t.
    fn new(t: u32, k: u32, twist: u32) -> Option<Self> {
        let mut powers = vec![1 % t];
        for _ in 1..k {
            powers.push(times(*powers.last()?, twist, t));
        }
        (times(*powers.last()?, twist, t) == 1 % t).then_some(Self { t, k, powers })
    }

    /// Number of elements of the group.
    pub(super) fn order(&self) -> u32 {
        self.t * self.k
    }

    /// The shift in Z_t by which an element with the second part `e` moves another one with the first part
    /// `a`.
    pub(super) fn twisted(&self, e: u32, a: u32) -> u32 {
        times(self.powers[e as usize], a, self.t)
    }

    /// The product of two elements.
    pub(super) fn product(&self, first: Element, second: Element) -> Element {
        let a = (first.a + self.twisted(first.e, second.a)) % self.t;
        Element { a, e: (first.e + second.e) % self.k }
    }

    /// The inverse of an element.
    pub(super) fn inverse(&self, element: Element) -> Element {
        let e = (self.k - element.e) % self.k;
        Element { a: self.twisted(e, (self.t - element.a) % self.t), e }
    }

    /// The number of an element among 0 .. order - 1. The identity is 0.
    pub(super) fn number(&self, element: Element) -> u32 {
        element.a * self.k + element.e
    }

    /// The element with a number.
    pub(super) fn element(&self, number: u32) -> Element {
        Element { a: number / self.k, e: number % self.k }
    }

    /// The elements that are their own inverses, without the identity.
    pub(super) fn involutions(&self) -> Vec<Element> {
        let elements = (1..self.order()).map(|number| self.element(number));
        elements.filter(|&element| self.product(element, element) == Element::IDENTITY).collect()
    }

    /// The cyclic group and the semidirect products of an order, one for every subgroup of twists. In these,
    /// different elements of Z_k twist differently: then they are far from commuting, and their graphs have
    /// short distances.
    pub(super) fn of_order(order: u32) -> Vec<Self> {
        let mut groups: Vec<Self> = Self::new(order, 1, 1).into_iter().collect();
        for k in (2..=order / 3).filter(|k| order.is_multiple_of(*k)) {
            let t = order / k;
            let mut seen: Vec<Vec<u32>> = Vec::new();
            for twist in (2..t).filter(|&twist| greatest_common_divisor(twist, t) == 1) {
                let Some(group) = Self::new(t, k, twist) else { continue };
                let mut twists = group.powers.clone();
                twists.sort_unstable();
                twists.dedup();
                if twists.len() == k as usize && !seen.contains(&twists) {
                    seen.push(twists);
                    groups.push(group);
                }
            }
        }
        groups
    }
}

fn times(first: u32, second: u32, modulus: u32) -> u32 {
    (u64::from(first) * u64::from(second) % u64::from(modulus)) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_inverses_and_associate() {
        for group in (2..=24).flat_map(Group::of_order) {
            let elements: Vec<Element> = (0..group.order()).map(|number| group.element(number)).collect();
            for &first in &elements {
                assert_eq!(group.element(group.number(first)), first);
                assert_eq!(group.product(first, group.inverse(first)), Element::IDENTITY);
                assert_eq!(group.product(group.inverse(first), first), Element::IDENTITY);
                for &second in &elements {
                    for &third in &elements {
                        let left = group.product(group.product(first, second), third);
                        assert_eq!(left, group.product(first, group.product(second, third)));
                    }
                }
            }
        }
    }

    /// Beside the cyclic group: the dihedral groups of 6, 8 and 10, Z_7 by Z_3, and three of order 16.
    #[test]
    fn the_groups_of_an_order_are_known() {
        let counts = [6, 8, 10, 21, 16].map(|order| Group::of_order(order).len());
        assert_eq!(counts, [2, 2, 2, 2, 4]);
    }
}
