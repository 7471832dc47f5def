//! Ways of vectors between all pairs: balanced by multiplicative weights, then chosen anew one by one.
//!
//! In: chips up to symmetry, a seed. Out: a way for every pair of a canonical source. Each round finds
//! shortest ways by lengths of the lanes and makes loaded lanes longer; the ways that a pair has had are its
//! candidates, and in the end each pair in turn takes the one whose lanes are least loaded, until nobody
//! changes. Source of the weights: Young 1995, Garg and Konemann 1998; the certificate of the load is the
//! flow of the analysis, not this. All is integers. Cost: rounds x canonical sources x channels.

use super::ground::Ground;
use fabc_base::ids::{Id, NodeId};
use fabc_base::random::Stream;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The way of a vector: its lanes, from a canonical source on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Way {
    /// The canonical chip that it starts at.
    pub(super) source: NodeId,
    /// Where it ends.
    pub(super) destination: NodeId,
    /// Which lanes it crosses, each from where the one before has led.
    pub(super) lanes: Vec<u32>,
}

/// A length that is not reached.
const FAR: u64 = u64::MAX;
/// The length of a lane that carries nothing.
pub(super) const UNIT: u64 = 1 << 24;
/// A lane that carries most grows by one part in so many each round.
const GROWTH: u64 = 12;
/// Relaxations that all rounds together may take.
const WORK: u64 = 1_500_000_000;
/// The most rounds.
const ROUNDS: u64 = 96;
/// Ways of a pair that are kept.
const KEPT: usize = 8;
/// Choices that all sweeps at the end together may take,
const SWEEP_WORK: usize = 400_000;
/// at least so many sweeps,
const LEAST_SWEEPS: usize = 16;
/// and at most so many.
const SWEEPS: usize = 200;

/// Channels of every router as searches walk them.
pub(super) struct Net {
    pub(super) starts: Vec<u32>,
    /// (where it leads, its lane)
    pub(super) out: Vec<(u32, u32)>,
}

impl Net {
    pub(super) fn new(ground: &Ground<'_>) -> Self {
        let (mut starts, mut out) = (vec![0], Vec::new());
        for node in ground.scene.topology.nodes() {
            out.extend(
                ground
                    .lanes_of(ground.symmetry.class(node))
                    .map(|lane| (ground.leave(node, lane).0, lane as u32)),
            );
            starts.push(out.len() as u32);
        }
        Self { starts, out }
    }

    /// `[router]`: from which router, by which lane, the shortest way from a source comes in.
    pub(super) fn shortest(&self, source: NodeId, lengths: &[u64]) -> Vec<(u32, u32)> {
        self.shortest_far(source, lengths).0
    }

    /// The same, and how long the ways are.
    pub(super) fn shortest_far(&self, source: NodeId, lengths: &[u64]) -> (Vec<(u32, u32)>, Vec<u64>) {
        let nodes = self.starts.len() - 1;
        let (mut far, mut came) = (vec![FAR; nodes], vec![(u32::MAX, u32::MAX); nodes]);
        let mut open = BinaryHeap::from([Reverse((0u64, source.0))]);
        far[source.index()] = 0;
        while let Some(Reverse((length, at))) = open.pop() {
            if length > far[at as usize] {
                continue;
            }
            for &(to, lane) in
                &self.out[self.starts[at as usize] as usize..self.starts[at as usize + 1] as usize]
            {
                let longer = length + lengths[lane as usize];
                if longer < far[to as usize] {
                    far[to as usize] = longer;
                    came[to as usize] = (at, lane);
                    open.push(Reverse((longer, to)));
                }
            }
        }
        (came, far)
    }
}

/// Ways for all pairs of a canonical source and another chip; sources and destinations ascend.
pub(super) fn ways(ground: &Ground<'_>, seed: u64) -> Vec<Way> {
    let net = Net::new(ground);
    let sources: Vec<NodeId> = ground.chips.iter().copied().filter(|&chip| ground.lives(chip)).collect();
    let pairs: Vec<(NodeId, NodeId)> = sources
        .iter()
        .flat_map(|&from| ground.living.iter().filter(move |&&to| to != from).map(move |&to| (from, to)))
        .collect();
    let each = ground.living.len() - 1;
    let round_work = (sources.len() * net.out.len()) as u64;
    let rounds = (WORK / round_work.max(1)).clamp(4, ROUNDS);
    let mut lengths = vec![UNIT; ground.lanes.len()];
    let mut found: Vec<Vec<Vec<u32>>> = vec![Vec::new(); pairs.len()];
    for _ in 0..rounds {
        let trees: Vec<Vec<(u32, u32)>> =
            sources.par_iter().map(|&source| net.shortest(source, &lengths)).collect();
        let mut loads = vec![0u64; lengths.len()];
        for ((of, candidates), &(source, destination)) in found.iter_mut().enumerate().zip(&pairs) {
            let came = &trees[of / each];
            let mut way = Vec::new();
            let mut at = destination.0;
            while at != source.0 {
                let (before, lane) = came[at as usize];
                loads[lane as usize] += 1;
                way.push(lane);
                at = before;
            }
            way.reverse();
            if candidates.len() < KEPT && !candidates.contains(&way) {
                candidates.push(way);
            }
        }
        let most = loads.iter().copied().max().unwrap_or(1).max(1);
        for (length, load) in lengths.iter_mut().zip(&loads) {
            *length += (*length / GROWTH) * load / most;
        }
        // Only their ratios count.
        if lengths.iter().any(|&length| length > UNIT << 24) {
            lengths.iter_mut().for_each(|length| *length = (*length >> 8).max(1));
        }
    }
    let taken = chosen(&found, ground.lanes.len(), seed);
    let mut ways = Vec::with_capacity(pairs.len());
    for (((source, destination), mut candidates), taken) in pairs.into_iter().zip(found).zip(taken) {
        ways.push(Way { source, destination, lanes: candidates.swap_remove(taken) });
    }
    ways
}

/// `[pair]`: which of its candidates each takes, so that the most loaded lanes are loaded little; of all
/// sweeps the one after which the busiest lane carries least, and fewest lanes as much.
fn chosen(found: &[Vec<Vec<u32>>], lanes: usize, seed: u64) -> Vec<usize> {
    let mut draw = Stream::new(seed, 0);
    let mut taken: Vec<usize> = found.iter().map(|candidates| draw.below(candidates.len())).collect();
    let mut loads = vec![0u64; lanes];
    for (candidates, &taken) in found.iter().zip(&taken) {
        candidates[taken].iter().for_each(|&lane| loads[lane as usize] += 1);
    }
    let mut order: Vec<u32> =
        (0..found.len() as u32).filter(|&pair| found[pair as usize].len() > 1).collect();
    let sweeps = (SWEEP_WORK / order.len().max(1)).clamp(LEAST_SWEEPS, SWEEPS);
    let mut best: Option<((u64, usize), Vec<usize>)> = None;
    for sweep in 0..sweeps {
        // Steeper and steeper, so that in the end a lane that is loaded by one more outweighs all others.
        let most = loads.iter().copied().max().unwrap_or(0) + 1;
        let steepest = u64::BITS - most.leading_zeros();
        let price: Vec<u128> =
            (0..=most + 1).map(|load| steep(load, most, (3 + sweep as u32).min(steepest))).collect();
        draw.shuffle(&mut order);
        for &pair in &order {
            let candidates = &found[pair as usize];
            let now = &mut taken[pair as usize];
            candidates[*now].iter().for_each(|&lane| loads[lane as usize] -= 1);
            let cost = |way: &Vec<u32>| {
                let of = |&lane: &u32| price[((loads[lane as usize] + 1) as usize).min(price.len() - 1)];
                way.iter().map(of).sum::<u128>()
            };
            // Of equal ones any: what seems to change nothing makes room elsewhere.
            let first = draw.below(candidates.len());
            let turn = |at: usize| (at + candidates.len() - first) % candidates.len();
            *now = (0..candidates.len()).min_by_key(|&at| (cost(&candidates[at]), turn(at))).unwrap_or(*now);
            candidates[*now].iter().for_each(|&lane| loads[lane as usize] += 1);
        }
        let most = loads.iter().copied().max().unwrap_or(0);
        let state = (most, loads.iter().filter(|&&load| load == most).count());
        if best.as_ref().is_none_or(|(least, _)| state < *least) {
            best = Some((state, taken.clone()));
        }
    }
    best.map_or(taken, |(_, taken)| taken)
}

/// The price of a lane of some load where the busiest has `most`: the share of that, squared so many times.
fn steep(load: u64, most: u64, squared: u32) -> u128 {
    const ONE: u128 = 1 << 60;
    let mut power = u128::from(load) * ONE / u128::from(most.max(1));
    for _ in 0..squared {
        power = power * power / ONE;
    }
    power.max(1)
}
