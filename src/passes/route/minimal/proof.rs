//! Channel lengths that prove how little shortest routes can load the busiest channel.
//!
//! Input: the history of a search, which says what channels stayed overloaded. Output: lengths, one per
//! channel class, and the two sums that they prove a bound with. Along its shortest routes, a pair covers at
//! least the least length of a path of fewest hops. All pairs together cover the sum over all channels of
//! length x load. So the busiest channel carries at least the sum over all pairs of weight x least length,
//! over the sum over all channels of length x capacity. Any lengths are a proof. Those of `lengths` in the
//! flow's certificate hold for all routes, so that these say more: a path of fewest hops may be long.

use super::TreeBalance;
use super::tree::{NearerChannels, RouteTree};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::DualLengths;
use fixedbitset::FixedBitSet;
use rayon::prelude::*;

/// A proof examines about so many channels in the time of a move.
const CHANNELS_PER_MOVE: u64 = 16;

/// What a search learned about every channel class.
pub(super) struct OverloadHistory {
    /// `[class]`: the weight of its overload, 1 at first.
    weights: Vec<i64>,
    /// `[class]`: the number of steps in which it was overloaded.
    steps: Vec<u64>,
}

impl OverloadHistory {
    pub(super) fn new(classes: usize) -> Self {
        Self { weights: vec![1; classes], steps: vec![0; classes] }
    }
    /// Forgets everything, for another target.
    pub(super) fn restart(&mut self) {
        self.weights.fill(1);
        self.steps.fill(0);
    }
    /// Counts the overloaded classes of a step.
    pub(super) fn note(&mut self, overloaded: &[u32]) {
        overloaded.iter().for_each(|&class| self.steps[class as usize] += 1);
    }
    /// Raises the weights of classes.
    pub(super) fn raise(&mut self, classes: &[u32]) {
        classes.iter().for_each(|&class| self.weights[class as usize] += 1);
    }
    /// The weight of the overload of a class.
    pub(super) fn weight(&self, class: u32) -> i64 {
        self.weights[class as usize]
    }

    /// Lengths that may prove a bound: all classes that were ever overloaded, those that often were, the
    /// number of steps, and the gain in weight. `[class]` each.
    fn candidates(&self) -> [Vec<u64>; 4] {
        let most = self.steps.iter().copied().max().unwrap_or(0);
        let of_steps = |length: &dyn Fn(u64) -> u64| self.steps.iter().map(|&steps| length(steps)).collect();
        [
            of_steps(&|steps| u64::from(steps > 0)),
            of_steps(&|steps| u64::from(2 * steps > most)),
            of_steps(&|steps| steps),
            self.weights.iter().map(|&weight| weight as u64 - 1).collect(),
        ]
    }
}

impl<'a> TreeBalance<'a> {
    /// The channels that may extend a tree.
    pub(super) fn nearer_channels<'t>(&'t self, tree: &'t RouteTree) -> NearerChannels<'t> {
        let TreeBalance { starts, heads, local, .. } = self;
        let RouteTree { distance, by_local, .. } = tree;
        NearerChannels { starts, heads, local, distance, by_local }
    }

    /// The work of a proof, counted in moves that take as long.
    pub(super) fn proof_work(&self) -> u64 {
        (self.trees.len() * self.heads.len()) as u64 / CHANNELS_PER_MOVE
    }

    /// The lengths that prove most of what the history of a search suggests. The routes are all shortest
    /// ones, or those that the balance is `restricted` to.
    pub(super) fn best_proof(&self, history: &OverloadHistory, restricted: bool) -> Option<DualLengths> {
        let none = FixedBitSet::new();
        let nearer = |tree| {
            let channels = self.nearer_channels(tree);
            if restricted { channels } else { NearerChannels { by_local: &none, ..channels } }
        };
        let proofs =
            history.candidates().into_iter().filter_map(|lengths| self.shortest_bound(lengths, nearer));
        let proves_more = |one: &DualLengths, other: &DualLengths| {
            one.distance.saturating_mul(other.volume) > other.distance.saturating_mul(one.volume)
        };
        proofs.reduce(|best, next| if proves_more(&next, &best) { next } else { best })
    }

    /// The bound that lengths prove, where routes take the channels that `nearer` permits. `None` if the
    /// lengths prove nothing.
    fn shortest_bound<'t>(
        &'t self,
        mut lengths: Vec<u64>,
        nearer: impl Fn(&'t RouteTree) -> NearerChannels<'t> + Sync,
    ) -> Option<DualLengths>
    where
        'a: 't,
    {
        let TreeBalance { topology, demand, heads, classes, slowness, trees, .. } = self;
        let parts = topology.capacities().parts();
        // The constraint of a channel counts its load in parts.
        let mut volume = 0u128;
        let mut scaled = vec![false; lengths.len()];
        for channel in 0..heads.len() {
            let class = classes[channel] as usize;
            if !std::mem::replace(&mut scaled[class], true) {
                lengths[class] *= slowness[channel];
            }
            volume += u128::from(lengths[class]) * u128::from(parts / slowness[channel]);
        }
        let of_tree = |cost: &mut Vec<u64>, tree: &'t RouteTree| {
            cost.resize(topology.node_count(), 0);
            cost[tree.destination.index()] = 0;
            let channels = nearer(tree);
            let mut sum = 0u128;
            for &node in tree.order.iter().skip(1) {
                let through =
                    |channel: usize| lengths[classes[channel] as usize] + cost[heads[channel] as usize];
                let least = channels.nearer(node as usize).map(through).min().unwrap_or(0);
                cost[node as usize] = least;
                if topology.is_endpoint(NodeId(node)) {
                    sum += u128::from(least) * u128::from(demand.weight(NodeId(node), tree.destination));
                }
            }
            sum
        };
        let distance: u128 = trees.par_iter().map_init(Vec::new, of_tree).sum();
        let distance = distance * topology.symmetry().order() as u128;
        (volume > 0).then_some(DualLengths { lengths, volume, distance })
    }
}
