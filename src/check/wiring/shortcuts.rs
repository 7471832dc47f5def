//! The predicate of rings with random shortcuts: the ring is there, shortcuts are simple links of the allowed
//! distances, and whoever lacks some could not have had them. That they are random is no claim that could be
//! checked.
//!
//! Routers that one matching left out could not be joined any more: they were joined already, or too far from
//! each other. So the links that routers lack can be dealt to the matchings in such a way that no two routers
//! which could have been joined, and are not, get the same one. That is a coloring of what is lacking, which
//! is little: it is searched, and where the search ends early, nothing is claimed.

use super::rule::Rule;
use crate::ids::NodeId;
use crate::ir::{LinkClass, Topology};
use crate::model::{Reach, Shortcuts};

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
    let neighbors: Vec<Vec<u32>> =
        topology.nodes().map(|node| topology.channels_from(node).map(|channel| topology.target(channel).node.0).collect()).collect();
    let name = |router: u32| topology.name(NodeId(router));
    for router in 0..ring.routers {
        let next = (router + 1) % ring.routers;
        if !neighbors[router as usize].contains(&next) {
            return Err(format!("{} is not joined to {}, the next one of the ring", name(router), name(next)));
        }
    }
    let passes = shortcuts.degree - 2;
    let lacks = |router: u32| shortcuts.degree.saturating_sub(neighbors[router as usize].len() as u32);
    let short: Vec<u32> = (0..ring.routers).filter(|&router| lacks(router) > 0).collect();
    let joinable = |one: u32, other: u32| ring.allows(one, other) && !neighbors[one as usize].contains(&other);
    for (at, &one) in short.iter().enumerate() {
        for &other in &short[at + 1..] {
            if lacks(one) + lacks(other) > passes && joinable(one, other) {
                return Err(format!("{} and {} lack links that they could have had with each other", name(one), name(other)));
            }
        }
    }
    // Every link that is lacking is one item; those of a router were left out by different matchings.
    let lacking: Vec<u32> = short.iter().flat_map(|&router| (0..lacks(router)).map(move |_| router)).collect();
    let conflicts: Vec<Vec<usize>> = (0..lacking.len())
        .map(|item| (0..item).filter(|&other| lacking[other] == lacking[item] || joinable(lacking[other], lacking[item])).collect())
        .collect();
    let mut steps = STEPS;
    match dealt(&conflicts, passes, &mut Vec::new(), &mut steps) {
        Some(false) => Err(format!("{} links are lacking that {passes} matchings cannot have left out", lacking.len())),
        Some(true) | None => Ok(()),
    }
}

/// Whether the items that are left can be dealt to so many matchings, `conflicts` listing for each those
/// before it that are elsewhere; `None` where no steps are left to tell.
fn dealt(conflicts: &[Vec<usize>], matchings: u32, of: &mut Vec<u32>, steps: &mut usize) -> Option<bool> {
    let Some(apart) = conflicts.get(of.len()) else { return Some(true) };
    *steps = steps.checked_sub(1)?;
    // Matchings that have nothing yet are alike.
    let used = of.iter().max().map_or(0, |&last| last + 1);
    for matching in 0..matchings.min(used + 1) {
        if apart.iter().all(|&other| of[other] != matching) {
            of.push(matching);
            let found = dealt(conflicts, matchings, of, steps);
            of.pop();
            if found != Some(false) {
                return found;
            }
        }
    }
    Some(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether items that conflict pairwise as listed can be dealt.
    fn deals(conflicts: &[&[usize]], matchings: u32) -> Option<bool> {
        let conflicts: Vec<Vec<usize>> = conflicts.iter().map(|of| of.to_vec()).collect();
        dealt(&conflicts, matchings, &mut Vec::new(), &mut STEPS.clone())
    }

    #[test]
    fn what_is_lacking_is_dealt_to_matchings() {
        // Three that exclude each other, and a circle of five.
        let (three, circle): ([&[usize]; 3], [&[usize]; 5]) = ([&[], &[0], &[0, 1]], [&[], &[0], &[1], &[2], &[0, 3]]);
        assert_eq!(
            [deals(&three, 2), deals(&three, 3), deals(&circle, 2), deals(&circle, 3)],
            [Some(false), Some(true), Some(false), Some(true)]
        );
        assert_eq!(deals(&[], 0), Some(true));
        // Nothing is said where no steps are left.
        assert_eq!(dealt(&[Vec::new()], 1, &mut Vec::new(), &mut 0), None);
    }
}
