//! Relays for pairs of endpoints that no valid path joins.
//!
//! Input: which endpoints reach which ones. Output: for every other pair, an endpoint to which the source
//! sends instead, and which sends on. The number of relays is the least possible. A relay inside the box of
//! the source comes first (PXN), then one inside the box of the destination. Of equally good relays, a pair
//! takes the one whose legs have the fewest pairs so far, and then the one that hands on the fewest.

use fabc_base::ids::NodeId;
use fabc_ir::Relay;
use fixedbitset::FixedBitSet;
use std::collections::BTreeMap;

/// A pair of endpoints that no valid path joins.
#[derive(Clone, Copy, Debug)]
pub struct PairWithoutPath {
    /// The endpoint at the start of the missing path.
    pub source: NodeId,
    /// The endpoint that is not reached.
    pub destination: NodeId,
}

/// Which endpoints reach which ones. Sets of endpoints count them by place, ascending.
pub(super) struct Reach<'a> {
    pub(super) endpoints: &'a [NodeId],
    /// `[endpoint]`: those to which a valid path leads, with itself.
    pub(super) reached: Vec<FixedBitSet>,
    /// `[endpoint]`: those that the links of its box lead to. It may contain itself.
    pub(super) inside: Vec<FixedBitSet>,
    /// The number of links that join two endpoints, as places. Pairs that no link joins are not listed.
    pub(super) links: BTreeMap<(usize, usize), u64>,
}

/// The pairs that were given relays so far.
struct HandedOn {
    /// `[endpoint * endpoints + endpoint]`: pairs that take this leg, with its own two ends.
    legs: Vec<u32>,
    /// `[endpoint]`: pairs that it hands on.
    relays: Vec<u32>,
}

impl Reach<'_> {
    /// The relays of all pairs that no valid path joins, by source and destination.
    ///
    /// # Errors
    /// A pair that needs more than `most` relays.
    pub(super) fn relays(&self, most: u32) -> Result<Vec<Relay>, PairWithoutPath> {
        let count = self.endpoints.len();
        // `within[k][place]`: the endpoints that at most k relays join to the endpoint.
        let mut within = vec![self.reached.clone()];
        let is_whole = |sets: &[FixedBitSet]| sets.iter().all(|set| set.count_ones(..) == count);
        while !is_whole(&within[within.len() - 1]) && within.len() <= most as usize {
            let nearer = &within[within.len() - 1];
            let wider = |place: usize| {
                let mut wider = nearer[place].clone();
                self.reached[place].ones().for_each(|next| wider.union_with(&nearer[next]));
                wider
            };
            within.push((0..count).map(wider).collect());
        }
        let mut handed = HandedOn { legs: vec![1; count * count], relays: vec![0; count] };
        let mut relays = Vec::new();
        for (place, &source) in self.endpoints.iter().enumerate() {
            for (other, &destination) in self.endpoints.iter().enumerate() {
                let needed = within.iter().position(|sets| sets[other].contains(place));
                let relay = match needed {
                    Some(0) => continue,
                    Some(needed) => self.choose(place, other, &within[needed - 1][other], &mut handed),
                    None => return Err(PairWithoutPath { source, destination }),
                };
                relays.push(Relay { source, destination, relay: self.endpoints[relay] });
            }
        }
        Ok(relays)
    }

    /// The relay of a pair among the endpoints that are nearer to the destination.
    fn choose(&self, from: usize, to: usize, nearer: &FixedBitSet, handed: &mut HandedOn) -> usize {
        let mut candidates = self.reached[from].clone();
        candidates.intersect_with(nearer);
        for box_of in [from, to] {
            let mut inside = candidates.clone();
            inside.intersect_with(&self.inside[box_of]);
            if inside.count_ones(..) > 0 {
                candidates = inside;
                break;
            }
        }
        let count = self.endpoints.len();
        // Pairs over links, in units that keep the order of fractions: links of a pair are few.
        let load = |from: usize, to: usize| {
            let links = self.links.get(&(from, to)).copied().unwrap_or(1);
            (u64::from(handed.legs[from * count + to]) << 32) / links
        };
        let key = |&relay: &usize| (load(from, relay).max(load(relay, to)), handed.relays[relay], relay);
        let relay = candidates.ones().min_by_key(key).expect("a pair with a relay has a candidate");
        handed.legs[from * count + relay] += 1;
        handed.legs[relay * count + to] += 1;
        handed.relays[relay] += 1;
        relay
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sets(rows: &[&[usize]]) -> Vec<FixedBitSet> {
        rows.iter().map(|row| FixedBitSet::from_iter(row.iter().copied().chain([3]))).collect()
    }

    /// Two boxes of two endpoints, and a rail for every number: 0 - 1, 2 - 3, 0 - 2, 1 - 3.
    #[test]
    fn a_relay_in_the_own_box_comes_first() {
        let endpoints: Vec<NodeId> = (0..4).map(NodeId).collect();
        let mut reached = sets(&[&[0, 1, 2], &[0, 1, 3], &[0, 2, 3], &[1, 2, 3]]);
        reached[0].remove(3);
        let mut inside = sets(&[&[0, 1], &[0, 1], &[2, 3], &[2, 3]]);
        inside[..2].iter_mut().for_each(|set| set.remove(3));
        let reach = Reach { endpoints: &endpoints, reached, inside, links: BTreeMap::new() };
        let relays = reach.relays(1).unwrap();
        let listed: Vec<_> = relays.iter().map(|r| (r.source.0, r.destination.0, r.relay.0)).collect();
        assert_eq!(listed, [(0, 3, 1), (1, 2, 0), (2, 1, 3), (3, 0, 2)]);
        assert!(reach.relays(0).is_err());
    }
}
