//! The rule of rings with random shortcuts. The ring must be complete. Shortcuts are simple links of the
//! allowed distances. Routers with too few links must have lacked candidates. Randomness is no claim that
//! could be verified.
//!
//! Two routers that one matching left out could not be connected any more: they were connected already, or
//! too far apart. So the missing links can be dealt to the matchings such that no two routers that could
//! have been connected get the same one. With an even number of routers every matching leaves out an even
//! number. This is a coloring of the missing links, which are few. It is searched, and if the search ends
//! early, nothing is claimed. A single shortcut that was removed is always found if nothing else is missing.

use crate::wiring::rule::FamilyRule;
use fabc_base::ids::NodeId;
use fabc_ir::{LinkClass, Topology};
use fabc_model::{ShortcutReach, Shortcuts};

/// A ring and its permitted shortcuts.
pub(super) struct ShortcutRing {
    routers: u32,
    degree: u32,
    /// The shortcut distance is below half the first number over the second. `None` permits any distance.
    max_reach: Option<(u128, u128)>,
}

impl ShortcutRing {
    pub(super) fn new(shortcuts: &Shortcuts) -> Self {
        let max_reach = match shortcuts.reach {
            ShortcutReach::Within(share) => {
                let (digits, scale) = share.parts();
                Some((digits * u128::from(shortcuts.routers), 10u128.pow(scale)))
            }
            ShortcutReach::Any | ShortcutReach::Normal(_) => None,
        };
        Self { routers: shortcuts.routers, degree: shortcuts.degree, max_reach }
    }

    /// Hops between two routers along the ring.
    fn ring_distance(&self, from: u32, to: u32) -> u32 {
        let forward = (to + self.routers - from) % self.routers;
        forward.min(self.routers - forward)
    }

    fn allows(&self, from: u32, to: u32) -> bool {
        let doubled = 2 * u128::from(self.ring_distance(from, to));
        doubled > 0 && self.max_reach.is_none_or(|(numerator, denominator)| doubled * denominator < numerator)
    }
}

impl FamilyRule for ShortcutRing {
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
        (self.ring_distance(from, to) == 1 || self.allows(from, to)).then_some((1, LinkClass::Local))
    }

    fn has_gaps(&self) -> bool {
        true
    }
}

/// Limit on the steps of the search for a coloring. Easy cases take one step per missing link.
const MAX_STEPS: usize = 1 << 16;

/// Verifies that the ring is complete, and that the matchings can have left out all missing links.
pub(super) fn verify_matched(topology: &Topology, shortcuts: &Shortcuts) -> Result<(), String> {
    let ring = ShortcutRing::new(shortcuts);
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
    let missing_links =
        |router: u32| shortcuts.degree.saturating_sub(neighbors[router as usize].len() as u32);
    let short: Vec<u32> = (0..ring.routers).filter(|&router| missing_links(router) > 0).collect();
    let joinable =
        |first: u32, second: u32| ring.allows(first, second) && !neighbors[first as usize].contains(&second);
    for (index, &first) in short.iter().enumerate() {
        for &second in &short[index + 1..] {
            if missing_links(first) + missing_links(second) > passes && joinable(first, second) {
                return Err(format!(
                    "{} and {} lack links that they could have to each other",
                    name(first),
                    name(second)
                ));
            }
        }
    }
    // Every missing link is one item. Different matchings left out those of one router.
    let missing_items: Vec<u32> =
        short.iter().flat_map(|&router| (0..missing_links(router)).map(move |_| router)).collect();
    let conflicts: Vec<Vec<usize>> = (0..missing_items.len())
        .map(|item| {
            (0..item)
                .filter(|&second| {
                    missing_items[second] == missing_items[item]
                        || joinable(missing_items[second], missing_items[item])
                })
                .collect()
        })
        .collect();
    let mut deal = MatchingDeal {
        left_out: vec![0; passes as usize],
        odd: ring.routers % 2 == 1,
        matching_of: Vec::new(),
        steps: MAX_STEPS,
    };
    match deal.can_deal(&conflicts) {
        Some(false) => Err(format!(
            "{} links are missing, more than {passes} matchings can leave out",
            missing_items.len()
        )),
        Some(true) | None => Ok(()),
    }
}

/// The missing links, dealt to matchings.
struct MatchingDeal {
    /// `[matching]`: number of routers that it left out.
    left_out: Vec<u32>,
    /// Whether the number of routers is odd. Then every matching leaves out an odd number.
    odd: bool,
    /// `[item]`: the matching that it is dealt to.
    matching_of: Vec<usize>,
    /// Number of steps that remain.
    steps: usize,
}

impl MatchingDeal {
    /// Whether the remaining items can be dealt. `conflicts` lists for each item the earlier ones that need
    /// other matchings. `None` if the steps run out.
    fn can_deal(&mut self, conflicts: &[Vec<usize>]) -> Option<bool> {
        let uneven = self.left_out.iter().filter(|&&count| (count % 2 == 1) != self.odd).count();
        let Some(conflicting) = conflicts.get(self.matching_of.len()) else { return Some(uneven == 0) };
        if uneven > conflicts.len() - self.matching_of.len() {
            return Some(false);
        }
        self.steps = self.steps.checked_sub(1)?;
        // Matchings without items are equivalent.
        let used = self.matching_of.iter().max().map_or(0, |&last| last + 1);
        for matching in 0..self.left_out.len().min(used + 1) {
            if conflicting.iter().any(|&other| self.matching_of[other] == matching) {
                continue;
            }
            self.matching_of.push(matching);
            self.left_out[matching] += 1;
            let result = self.can_deal(conflicts);
            self.left_out[matching] -= 1;
            self.matching_of.pop();
            if result != Some(false) {
                return result;
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
        MatchingDeal { left_out: vec![0; matchings], odd, matching_of: Vec::new(), steps }
            .can_deal(&conflicts)
    }

    #[test]
    fn what_is_lacking_is_dealt_to_matchings() {
        // Three that exclude each other, two on two sides, and a cycle of five.
        let three: &[&[usize]] = &[&[], &[0], &[0, 1]];
        let sides: &[&[usize]] = &[&[], &[], &[0, 1], &[0, 1]];
        let cycle: &[&[usize]] = &[&[], &[0], &[1], &[2], &[0, 3]];
        assert_eq!(
            [2, 3].map(|matchings| deals(three, matchings, true, MAX_STEPS)),
            [Some(false), Some(true)]
        );
        assert_eq!(
            [1, 2, 3].map(|matchings| deals(sides, matchings, false, MAX_STEPS)),
            [Some(false), Some(true), Some(true)]
        );
        // A matching has an odd number of them, and no three of a cycle of five are apart: one each.
        assert_eq!(
            [2, 3, 5].map(|matchings| deals(cycle, matchings, true, MAX_STEPS)),
            [Some(false), Some(false), Some(true)]
        );
        // Of an even number of routers a matching leaves out none, or two at least: never these two apart.
        assert_eq!(
            [2, 5].map(|matchings| deals(&[&[], &[0]], matchings, false, MAX_STEPS)),
            [Some(false); 2]
        );
        assert_eq!(deals(&[&[], &[]], 5, false, MAX_STEPS), Some(true));
        assert_eq!(deals(&[], 0, true, MAX_STEPS), Some(true));
        // Nothing is said where no steps are left.
        assert_eq!(deals(&[&[]], 1, true, 0), None);
    }
}
