//! Slim flies: the graphs of McKay, Miller and Siran, of diameter 2.
//!
//! The routers are s q^2 + x q + y with s = 0 or 1, over a field of q = 4 w + 1, 4 w or 4 w - 1 elements.
//! Routers of the same s and x are joined if their y differ by an element of a set that belongs to s. Routers
//! (0, x, y) and (1, m, c) are joined if y = m x + c. Sources: McKay, Miller and Siran 1998; Besta and
//! Hoefler 2014 (Slim Fly). Cost: linear in the links.

use crate::wire::edge::UnnumberedLink;
use fabc_base::algebra::FiniteField;
use fabc_model::Network;

/// The links of a slim fly.
pub(super) fn edges(network: &Network, q: u32) -> Vec<UnnumberedLink> {
    router_pairs(q).into_iter().map(|ends| UnnumberedLink::local(network, ends)).collect()
}

/// The pairs of routers that are joined, the lower one first.
pub(super) fn router_pairs(q: u32) -> Vec<[u32; 2]> {
    let field = FiniteField::new(q);
    let id = |side: u32, column: u32, row: u32| (side * q + column) * q + row;
    let mut router_pairs = Vec::new();
    for (side, exponents) in differences(q).into_iter().enumerate() {
        let mut differs = vec![false; q as usize];
        exponents.into_iter().for_each(|exponent| differs[field.power(exponent) as usize] = true);
        for column in 0..q {
            for row in 0..q {
                let others =
                    (row + 1..q).filter(|&other| differs[field.sum(other, field.negative(row)) as usize]);
                router_pairs.extend(
                    others.map(|other| [id(side as u32, column, row), id(side as u32, column, other)]),
                );
            }
        }
    }
    for x in 0..q {
        for m in 0..q {
            router_pairs.extend((0..q).map(|c| [id(0, x, field.sum(field.product(m, x), c)), id(1, m, c)]));
        }
    }
    router_pairs
}

/// The state that is needed to list neighbors without all links.
pub(super) struct ImplicitSlimFly {
    field: FiniteField,
    /// `[side]`: the differences of rows that are joined.
    differences: [Vec<u32>; 2],
}

impl ImplicitSlimFly {
    pub(super) fn new(q: u32) -> Self {
        let field = FiniteField::new(q);
        let differences = differences(q).map(|exponents| {
            let mut powers: Vec<u32> = exponents.into_iter().map(|exponent| field.power(exponent)).collect();
            powers.sort_unstable();
            powers.dedup();
            powers
        });
        Self { field, differences }
    }
    /// Adds the neighbors of a router.
    pub(super) fn neighbors(&self, router: u32, list: &mut Vec<u32>) {
        let (field, q) = (&self.field, self.field.order());
        let (side, column, row) = (router / (q * q), router / q % q, router % q);
        let rows = self.differences[side as usize].iter().map(|&difference| field.sum(row, difference));
        list.extend(rows.map(|row| (side * q + column) * q + row));
        // y = m x + c.
        list.extend((0..q).map(|other| {
            let product = field.product(column, other);
            let row = field.sum(row, if side == 0 { field.negative(product) } else { product });
            ((1 - side) * q + other) * q + row
        }));
    }
}

/// The differences of rows inside the columns of either side, as exponents of the generator.
fn differences(q: u32) -> [Vec<u32>; 2] {
    let every_second = |from: u32, to: u32| (from..=to).step_by(2);
    match q % 4 {
        // The squares, and the other elements.
        1 => [every_second(0, q - 2).collect(), every_second(1, q - 2).collect()],
        0 => [every_second(0, q - 2).collect(), every_second(1, q - 1).collect()],
        _ => {
            let w = q.div_ceil(4);
            let first = every_second(0, 2 * w - 2).chain(every_second(2 * w - 1, 4 * w - 3));
            [first.collect(), every_second(1, 2 * w - 1).chain(every_second(2 * w, 4 * w - 2)).collect()]
        }
    }
}
