//! The exact lower bound of the selection's maximum load: the least over all choices of one allowed path
//! per pair, by integer linear programming.
//!
//! Input: a scene and a rank order. Output: for every pair with a canonical destination, its allowed paths
//! of fewest hops, as channel classes. Also the least load of the busiest channel over all choices among
//! them. Invariant: a path is listed if and only if some choice of VCs makes its rank rise.
//!
//! The program chooses per pair and knows nothing of tables. Consistent routes of fewest hops cannot have
//! less load, but may need more.

use super::order::TurnOrder;
use super::quotient::{DARK, TurnQuotient};
use crate::solve::{PathChoiceProblem, SolveError, least_max_load};
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{DualLengths, Scene};
use std::collections::VecDeque;

/// Most chips of a pod whose paths are worth counting.
pub const MAX_NODES: usize = 256;
/// Most paths that the program takes. The default solver is pure Rust and slow.
pub const MAX_PATHS: usize = if cfg!(feature = "cbc") { 200_000 } else { 2_000 };
/// Most paths for which the default solver is asked for integers too.
const MAX_INTEGERS: usize = if cfg!(feature = "cbc") { 200_000 } else { 200 };

/// For every pair with a canonical destination, its allowed paths of fewest hops. `None` if there are more
/// than `max_paths` in total.
pub fn paths(
    scene: &Scene<'_>,
    prices: &DualLengths,
    order: &TurnOrder,
    max_paths: usize,
) -> Option<PathChoiceProblem> {
    let topology = scene.topology;
    let quotient = TurnQuotient::new(scene, prices, usize::from(order.vcs), !order.symmetric);
    let rank = order.expanded(topology, &quotient.symmetry);
    let slowness_of = |class: usize| {
        let channel = quotient.canonical_channel(class);
        let (node, port) = (NodeId::new(channel / quotient.ports), PortId::new(channel % quotient.ports));
        topology.outgoing(node, port).map_or(1.0, |channel| topology.slowness(channel) as f64)
    };
    let slowness = (0..quotient.classes()).map(slowness_of).collect();
    let mut choice = PathChoiceProblem { slowness, pairs: Vec::new() };
    let mut remaining = max_paths;
    for dst in quotient.symmetry.canonical_nodes() {
        let hops = hops_to(&quotient, dst.0 as usize);
        for src in (0..quotient.nodes).filter(|&src| src != dst.0 as usize) {
            let mut search = PathSearch {
                quotient: &quotient,
                rank: &rank,
                hops: &hops,
                path: Vec::new(),
                paths: Vec::new(),
                remaining,
            };
            let mut within = hops[src];
            // Where no shortest path of a pair is allowed, the order allows one with more hops.
            while search.paths.is_empty() {
                search.extend(src, None, within);
                within += 1;
            }
            remaining = remaining.checked_sub(search.paths.len()).filter(|&remaining| remaining > 0)?;
            choice.pairs.push(search.paths);
        }
    }
    Some(choice)
}

/// The least maximum load, in parts of a unit. It is exact if the integer program was solved, otherwise the
/// bound of its relaxation, rounded up.
///
/// # Errors
/// [`SolveError`] if the solver finds no optimum of the relaxation.
pub fn least_load(choice: &PathChoiceProblem) -> Result<u64, SolveError> {
    let relaxed = least_max_load(choice, false)?;
    let bound = libm::ceil(relaxed - 1e-6) as u64;
    if choice.pairs.iter().map(Vec::len).sum::<usize>() > MAX_INTEGERS {
        return Ok(bound);
    }
    // Where the node limit ends the search for integers, the relaxation still holds.
    Ok(least_max_load(choice, true).map_or(bound, |load| libm::round(load) as u64))
}

/// `[node]`: hops to a destination.
pub(super) fn hops_to(quotient: &TurnQuotient, dst: usize) -> Vec<u32> {
    let mut hops = vec![u32::MAX; quotient.nodes];
    hops[dst] = 0;
    let mut open = VecDeque::from([dst]);
    while let Some(node) = open.pop_front() {
        for channel in node * quotient.ports..(node + 1) * quotient.ports {
            let next = quotient.head[channel];
            if next != DARK && hops[next as usize] == u32::MAX {
                hops[next as usize] = hops[node] + 1;
                open.push_back(next as usize);
            }
        }
    }
    hops
}

/// The search for the allowed paths of one pair.
struct PathSearch<'a> {
    quotient: &'a TurnQuotient,
    rank: &'a [u32],
    hops: &'a [u32],
    path: Vec<usize>,
    paths: Vec<Vec<usize>>,
    /// How many paths may still be listed.
    remaining: usize,
}

impl PathSearch<'_> {
    /// Collects all allowed continuations within some hops. Of the VCs of a channel it takes the lowest
    /// rank above the last one, which leaves most continuations open.
    fn extend(&mut self, node: usize, last: Option<u32>, within: u32) {
        if self.hops[node] == 0 {
            self.paths.push(self.path.clone());
            return;
        }
        for channel in node * self.quotient.ports..(node + 1) * self.quotient.ports {
            let next = self.quotient.head[channel];
            if next == DARK || self.hops[next as usize] + 1 > within || self.paths.len() > self.remaining {
                continue;
            }
            let class = self.quotient.channel_class(channel);
            let ranks = &self.rank[class * self.quotient.vcs..][..self.quotient.vcs];
            if let Some(&rank) = ranks.iter().filter(|&&rank| last.is_none_or(|last| rank > last)).min() {
                self.path.push(class);
                self.extend(next as usize, Some(rank), within - 1);
                self.path.pop();
            }
        }
    }
}
