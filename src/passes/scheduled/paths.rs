//! Paths of vectors between all pairs, balanced by multiplicative weights, then chosen again one by one.
//!
//! Input: chips up to symmetry, and a seed. Output: a path for every pair with a canonical source. Each round
//! finds shortest paths by lengths of the lanes, and then lengthens loaded lanes. The paths that a pair has
//! had are its candidates. At the end each pair in turn takes the candidate whose lanes are least loaded,
//! until nothing changes. Source of the weights: Young 1995, Garg and Konemann 1998. The certificate of the
//! load is the flow of the analysis, not this. All quantities are integers. Cost: rounds x canonical sources
//! x channels.

use super::graph::LaneGraph;
use fabc_base::ids::{Id, NodeId};
use fabc_base::random::Stream;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The path of a vector, as lanes from a canonical source on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct LanePath {
    /// The canonical chip at which it starts.
    pub(super) source: NodeId,
    /// The chip at which it ends.
    pub(super) destination: NodeId,
    /// The lanes that it crosses, each from the router that the one before led to.
    pub(super) lanes: Vec<u32>,
}

/// Length of a path to a router that is not reached.
const UNREACHED: u64 = u64::MAX;
/// Length of a lane without load.
pub(super) const UNIT: u64 = 1 << 24;
/// The most loaded lane grows by one part in `GROWTH` each round.
const GROWTH: u64 = 12;
/// Limit on relaxations of all rounds together.
const WORK: u64 = 1_500_000_000;
/// Limit on the rounds of searches.
const ROUNDS: u64 = 96;
/// Candidate paths kept for a pair.
const CANDIDATES: usize = 8;
/// Limit on choices of all sweeps at the end together.
const SWEEP_WORK: usize = 400_000;
/// Lower limit on sweeps, whatever their work.
const LEAST_SWEEPS: usize = 16;
/// Upper limit on the number of sweeps.
const SWEEPS: usize = 200;

/// The channels of every router, in the form that searches walk.
pub(super) struct SearchNet {
    pub(super) starts: Vec<u32>,
    /// (target router, lane) of each channel.
    pub(super) out: Vec<(u32, u32)>,
}

impl SearchNet {
    pub(super) fn new(graph: &LaneGraph<'_>) -> Self {
        let (mut starts, mut out) = (vec![0], Vec::new());
        for node in graph.scene.topology.nodes() {
            out.extend(
                graph
                    .lanes_of(graph.symmetry.class(node))
                    .map(|lane| (graph.target_of(node, lane).0, lane as u32)),
            );
            starts.push(out.len() as u32);
        }
        Self { starts, out }
    }

    /// `[router]`: (previous router, lane) of the shortest path from a source.
    pub(super) fn shortest_tree(&self, source: NodeId, lengths: &[u64]) -> Vec<(u32, u32)> {
        self.shortest_tree_and_lengths(source, lengths).0
    }

    /// The same, and the lengths of the paths.
    pub(super) fn shortest_tree_and_lengths(
        &self,
        source: NodeId,
        lengths: &[u64],
    ) -> (Vec<(u32, u32)>, Vec<u64>) {
        let nodes = self.starts.len() - 1;
        let (mut lengths_to, mut arrivals) = (vec![UNREACHED; nodes], vec![(u32::MAX, u32::MAX); nodes]);
        let mut open = BinaryHeap::from([Reverse((0u64, source.0))]);
        lengths_to[source.index()] = 0;
        while let Some(Reverse((length, node))) = open.pop() {
            if length > lengths_to[node as usize] {
                continue;
            }
            for &(to, lane) in
                &self.out[self.starts[node as usize] as usize..self.starts[node as usize + 1] as usize]
            {
                let longer = length + lengths[lane as usize];
                if longer < lengths_to[to as usize] {
                    lengths_to[to as usize] = longer;
                    arrivals[to as usize] = (node, lane);
                    open.push(Reverse((longer, to)));
                }
            }
        }
        (arrivals, lengths_to)
    }
}

/// Paths for all pairs of a canonical source and another chip, sorted by source and destination.
pub(super) fn balanced_paths(graph: &LaneGraph<'_>, seed: u64) -> Vec<LanePath> {
    let net = SearchNet::new(graph);
    let sources: Vec<NodeId> = graph.chips.iter().copied().filter(|&chip| graph.takes_part(chip)).collect();
    let pairs: Vec<(NodeId, NodeId)> = sources
        .iter()
        .flat_map(|&from| graph.participants.iter().filter(move |&&to| to != from).map(move |&to| (from, to)))
        .collect();
    let destinations = graph.participants.len() - 1;
    let round_work = (sources.len() * net.out.len()) as u64;
    let rounds = (WORK / round_work.max(1)).clamp(4, ROUNDS);
    let mut lengths = vec![UNIT; graph.lanes.len()];
    let mut candidates_of_pair: Vec<Vec<Vec<u32>>> = vec![Vec::new(); pairs.len()];
    for _ in 0..rounds {
        let trees: Vec<Vec<(u32, u32)>> =
            sources.par_iter().map(|&source| net.shortest_tree(source, &lengths)).collect();
        let mut loads = vec![0u64; lengths.len()];
        for ((pair, candidates), &(source, destination)) in
            candidates_of_pair.iter_mut().enumerate().zip(&pairs)
        {
            let arrivals = &trees[pair / destinations];
            let mut path = Vec::new();
            let mut node = destination.0;
            while node != source.0 {
                let (before, lane) = arrivals[node as usize];
                loads[lane as usize] += 1;
                path.push(lane);
                node = before;
            }
            path.reverse();
            if candidates.len() < CANDIDATES && !candidates.contains(&path) {
                candidates.push(path);
            }
        }
        let busiest = loads.iter().copied().max().unwrap_or(1).max(1);
        for (length, load) in lengths.iter_mut().zip(&loads) {
            *length += (*length / GROWTH) * load / busiest;
        }
        // Only the ratios of lengths count.
        if lengths.iter().any(|&length| length > UNIT << 24) {
            lengths.iter_mut().for_each(|length| *length = (*length >> 8).max(1));
        }
    }
    let chosen = choose_candidates(&candidates_of_pair, graph.lanes.len(), seed);
    let mut paths = Vec::with_capacity(pairs.len());
    for (((source, destination), mut candidates), chosen) in
        pairs.into_iter().zip(candidates_of_pair).zip(chosen)
    {
        paths.push(LanePath { source, destination, lanes: candidates.swap_remove(chosen) });
    }
    paths
}

/// `[pair]`: the candidate that it takes, so that the highest loads are low. Of all sweeps the result with
/// the lowest highest load counts, and then the one with the fewest lanes at that load.
fn choose_candidates(candidates_of_pair: &[Vec<Vec<u32>>], lanes: usize, seed: u64) -> Vec<usize> {
    let mut stream = Stream::new(seed, 0);
    let mut chosen: Vec<usize> =
        candidates_of_pair.iter().map(|candidates| stream.below(candidates.len())).collect();
    let mut loads = vec![0u64; lanes];
    for (candidates, &chosen) in candidates_of_pair.iter().zip(&chosen) {
        candidates[chosen].iter().for_each(|&lane| loads[lane as usize] += 1);
    }
    let mut order: Vec<u32> = (0..candidates_of_pair.len() as u32)
        .filter(|&pair| candidates_of_pair[pair as usize].len() > 1)
        .collect();
    let sweeps = (SWEEP_WORK / order.len().max(1)).clamp(LEAST_SWEEPS, SWEEPS);
    let mut best: Option<((u64, usize), Vec<usize>)> = None;
    for sweep in 0..sweeps {
        // The price gets steeper in every sweep. In the end one more unit on a busy lane outweighs all other
        // lanes.
        let highest_load = loads.iter().copied().max().unwrap_or(0) + 1;
        let steepest = u64::BITS - highest_load.leading_zeros();
        let price: Vec<u128> = (0..=highest_load + 1)
            .map(|load| lane_price(load, highest_load, (3 + sweep as u32).min(steepest)))
            .collect();
        stream.shuffle(&mut order);
        for &pair in &order {
            let candidates = &candidates_of_pair[pair as usize];
            let choice = &mut chosen[pair as usize];
            candidates[*choice].iter().for_each(|&lane| loads[lane as usize] -= 1);
            let cost = |path: &Vec<u32>| {
                let price_of =
                    |&lane: &u32| price[((loads[lane as usize] + 1) as usize).min(price.len() - 1)];
                path.iter().map(price_of).sum::<u128>()
            };
            // Ties are broken at random. A change that seems to gain nothing makes room elsewhere.
            let first = stream.below(candidates.len());
            let position = |index: usize| (index + candidates.len() - first) % candidates.len();
            *choice = (0..candidates.len())
                .min_by_key(|&index| (cost(&candidates[index]), position(index)))
                .unwrap_or(*choice);
            candidates[*choice].iter().for_each(|&lane| loads[lane as usize] += 1);
        }
        let highest_load = loads.iter().copied().max().unwrap_or(0);
        let state = (highest_load, loads.iter().filter(|&&load| load == highest_load).count());
        if best.as_ref().is_none_or(|(best_state, _)| state < *best_state) {
            best = Some((state, chosen.clone()));
        }
    }
    best.map_or(chosen, |(_, chosen)| chosen)
}

/// The price of a lane with load `load`: its share of `highest_load`, squared `squarings` times.
fn lane_price(load: u64, highest_load: u64, squarings: u32) -> u128 {
    const ONE: u128 = 1 << 60;
    let mut power = u128::from(load) * ONE / u128::from(highest_load.max(1));
    for _ in 0..squarings {
        power = power * power / ONE;
    }
    power.max(1)
}
