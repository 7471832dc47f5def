//! The predicate of rings with random shortcuts: the ring is there, shortcuts are simple links of the allowed
//! distances, and whoever lacks some could not have had them. That they are random is no claim that could be
//! checked.
//!
//! Routers that one matching left out could not be joined any more: they were joined already, or too far from
//! each other. Two routers that lack more links together than there are matchings lack one of the same.

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

/// The ring is whole, and no two routers lack a link that they could have had with each other.
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
    for (at, &one) in short.iter().enumerate() {
        for &other in &short[at + 1..] {
            let missed_one_together = lacks(one) + lacks(other) > passes;
            if missed_one_together && ring.allows(one, other) && !neighbors[one as usize].contains(&other) {
                return Err(format!("{} and {} lack links that they could have had with each other", name(one), name(other)));
            }
        }
    }
    Ok(())
}
