//! The predicate of rings with random shortcuts: the ring is there, shortcuts are simple links of the allowed
//! distances, and whoever lacks some could not have had them. That they are random is no claim that could be
//! checked.
//!
//! Routers that one matching left out could not be joined any more: they were joined already, or too far
//! from each other. So the links that routers lack can be dealt to the matchings in such a way that no two
//! routers which could have been joined, and are not, get the same one; and of an even number of routers
//! every matching leaves out an even number. That is a coloring of what is lacking, which is little: it is
//! searched, and where the search ends early, nothing is claimed. A single shortcut taken away is always
//! found where nothing else is lacking.

use super::rule::Rule;
use fabc_base::ids::NodeId;
use fabc_ir::{LinkClass, Topology};
use fabc_model::{Reach, Shortcuts};

/// A ring and what may cross it.
pub(super) struct Ring {
    routers: u32,
    degree: u32,
    /// Twice the distance of a shortcut is below the first number over the second; any is allowed without.
    below: Option<(u128, u128)>,
}

impl Ring {
    pub(super) fn new(shortcuts: &Shortcuts) -> Self {
        let below = match shortcuts.reach {
            Reach::Within(share) => {
                let (digits, scale) = share.parts();
                Some((digits * u128::from(shortcuts.routers), 10u128.pow(scale)))
            }
            Reach::Any | Reach::Normal(_) => None,
        };
        Self { routers: shortcuts.routers, degree: shortcuts.degree, below }
    }

    /// Hops between two routers along the ring.
    fn around(&self, from: u32, to: u32) -> u32 {
        let forward = (to + self.routers - from) % self.routers;
        forward.min(self.routers - forward)
    }

    fn allows(&self, from: u32, to: u32) -> bool {
        let twice = 2 * u128::from(self.around(from, to));
        twice > 0 && self.below.is_none_or(|(over, under)| twice * under < over)
    }
}

impl Rule for Ring {
    fn routers(&self) -> usize {
        self.routers as usize
    }

    fn links(&self) -> u64 {
        u64::from(self.routers) * u64::from(self.degree) / 2
    }

    fn degree(&self, _: u32) -> u32 {
        self.degree
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        (self.around(from, to) == 1 || self.allows(from, to)).then_some((1, LinkClass::Local))
    }

    fn has_gaps(&self) -> bool {
        true
    }
}

/// Steps of the search for a coloring; it takes as many as there are links lacking where it is easy.
const STEPS: usize = 1 << 16;

/// The ring is whole, and some matchings can have left out all links that routers lack.
pub(super) fn matched(topology: &Topology, shortcuts: &Shortcuts) -> Result<(), String> {
    let ring = Ring::new(shortcuts);
    let neighbors: Vec<Vec<u32>> = topology
        .nodes()
        .map(|node| topology.channels_from(node).map(|channel| topology.target(channel).node.0).collect())
        .collect();
    let name = |router: u32| topology.name(NodeId(router));
    for router in 0..ring.routers {
        let next = (router + 1) % ring.routers;
        if !neighbors[router as usize].contains(&next) {
            return Err(format!(
                "{} is not joined to {}, the next one of the ring",
                name(router),
                name(next)
            ));
        }
    }
    let passes = shortcuts.degree - 2;
    let lacks = |router: u32| shortcuts.degree.saturating_sub(neighbors[router as usize].len() as u32);
    let short: Vec<u32> = (0..ring.routers).filter(|&router| lacks(router) > 0).collect();
    let joinable =
        |one: u32, other: u32| ring.allows(one, other) && !neighbors[one as usize].contains(&other);
    for (at, &one) in short.iter().enumerate() {
        for &other in &short[at + 1..] {
            if lacks(one) + lacks(other) > passes && joinable(one, other) {
                return Err(format!(
                    "{} and {} lack links that they could have had with each other",
                    name(one),
                    name(other)
                ));
            }
        }
    }
    // Every link that is lacking is one item; those of a router were left out by different matchings.
    let lacking: Vec<u32> =
        short.iter().flat_map(|&router| (0..lacks(router)).map(move |_| router)).collect();
    let conflicts: Vec<Vec<usize>> = (0..lacking.len())
        .map(|item| {
            (0..item)
                .filter(|&other| lacking[other] == lacking[item] || joinable(lacking[other], lacking[item]))
                .collect()
        })
        .collect();
    let mut deal =
        Deal { left_out: vec![0; passes as usize], odd: ring.routers % 2 == 1, of: Vec::new(), steps: STEPS };
    match deal.works(&conflicts) {
        Some(false) => {
            Err(format!("{} links are lacking that {passes} matchings cannot have left out", lacking.len()))
        }
        Some(true) | None => Ok(()),
    }
}

/// Items dealt to matchings.
struct Deal {
    /// `[matching]`: how many routers it left out.
    left_out: Vec<u32>,
    /// Whether the number of routers is odd; then as many are left out by every matching.
    odd: bool,
    /// `[item]`: its matching.
    of: Vec<usize>,
    /// Steps that are left.
    steps: usize,
}

impl Deal {
    /// Whether the items that are left can be dealt, `conflicts` listing for each those before it that are
    /// elsewhere; `None` where no steps are left to tell.
    fn works(&mut self, conflicts: &[Vec<usize>]) -> Option<bool> {
        let uneven = self.left_out.iter().filter(|&&count| (count % 2 == 1) != self.odd).count();
        let Some(apart) = conflicts.get(self.of.len()) else { return Some(uneven == 0) };
        if uneven > conflicts.len() - self.of.len() {
            return Some(false);
        }
        self.steps = self.steps.checked_sub(1)?;
        // Matchings that have nothing yet are alike.
        let used = self.of.iter().max().map_or(0, |&last| last + 1);
        for matching in 0..self.left_out.len().min(used + 1) {
            if apart.iter().any(|&other| self.of[other] == matching) {
                continue;
            }
            self.of.push(matching);
            self.left_out[matching] += 1;
            let found = self.works(conflicts);
            self.left_out[matching] -= 1;
            self.of.pop();
            if found != Some(false) {
                return found;
            }
        }
        Some(false)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether items that conflict pairwise as listed can be dealt to so many matchings.
    fn deals(conflicts: &[&[usize]], matchings: usize, odd: bool, steps: usize) -> Option<bool> {
        let conflicts: Vec<Vec<usize>> = conflicts.iter().map(|of| of.to_vec()).collect();
        Deal { left_out: vec![0; matchings], odd, of: Vec::new(), steps }.works(&conflicts)
    }

    #[test]
    fn what_is_lacking_is_dealt_to_matchings() {
        // Three that exclude each other, two on two sides, and a circle of five.
        let three: &[&[usize]] = &[&[], &[0], &[0, 1]];
        let sides: &[&[usize]] = &[&[], &[], &[0, 1], &[0, 1]];
        let circle: &[&[usize]] = &[&[], &[0], &[1], &[2], &[0, 3]];
        assert_eq!([2, 3].map(|matchings| deals(three, matchings, true, STEPS)), [Some(false), Some(true)]);
        assert_eq!(
            [1, 2, 3].map(|matchings| deals(sides, matchings, false, STEPS)),
            [Some(false), Some(true), Some(true)]
        );
        // A matching has an odd number of them, and no three of a circle of five are apart: one each.
        assert_eq!(
            [2, 3, 5].map(|matchings| deals(circle, matchings, true, STEPS)),
            [Some(false), Some(false), Some(true)]
        );
        // Of an even number of routers a matching leaves out none, or two at least: never these two apart.
        assert_eq!([2, 5].map(|matchings| deals(&[&[], &[0]], matchings, false, STEPS)), [Some(false); 2]);
        assert_eq!(deals(&[&[], &[]], 5, false, STEPS), Some(true));
        assert_eq!(deals(&[], 0, true, STEPS), Some(true));
        // Nothing is said where no steps are left.
        assert_eq!(deals(&[&[]], 1, true, 0), None);
    }
}
