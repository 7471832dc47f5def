//! A placement found by exchanges: chips swap their ranks as long as a step becomes shorter.
//!
//! Input: a job, a scene with its forwarding tables, and a placement to start from. Output: the best
//! placement that some restarts meet. A restart swaps two ranks, or all ranks of two groups, and keeps what
//! makes the score worse by no more than a threshold, which falls to zero. Work is counted in hops of
//! messages, so that the result is the same on every machine. Source: threshold accepting, Dueck and Scheuer
//! 1990.

mod score;
mod traffic;

use crate::chip_paths::ChipPaths;
use fabc_base::ids::{Id, NodeId};
use fabc_base::random::Stream;
use fabc_ir::Scene;
use fabc_model::Job;
use rayon::prelude::*;
use score::ExchangeScore;
use traffic::JobTraffic;

/// The first threshold of every restart, as a part of the score of the start. Cold restarts improve a good
/// start. Hot ones forget it.
const HEATS: [f64; 4] = [0.01, 0.1, 0.5, 2.0];
/// Hops of messages of a restart for each rank, at effort 1.
const HOPS_OF_RANK: u64 = 1 << 16;
/// The fewest hops of messages of a restart, at effort 1.
const FEWEST_HOPS: u64 = 1 << 22;
/// The hops that an exchange counts for at least.
const LEAST_HOPS: u64 = 64;

/// The work of an exchange search.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExchangeSettings {
    /// How much work is done. Positive.
    pub effort: u32,
    /// Seed of the random streams.
    pub seed: u64,
}

/// Searches for a placement with a shorter step. `start` has the chip of every rank. `unit_bps` is the
/// bandwidth of a lane. Without `paths` there are no messages.
///
/// The score of a phase is a mean of the times of its channels, in which the busiest ones count most.
/// Messages follow the tables. Gathers take the time that [`quick_gather_time`](super::quick_gather_time)
/// estimates.
pub fn exchange_ranks(
    scene: &Scene<'_>,
    paths: Option<&ChipPaths>,
    unit_bps: u64,
    job: &Job,
    start: &[NodeId],
    settings: ExchangeSettings,
) -> Vec<NodeId> {
    let traffic = JobTraffic::new(scene, paths, unit_bps, job, start.len());
    let work = u64::from(settings.effort) * (HOPS_OF_RANK * start.len() as u64).max(FEWEST_HOPS);
    let restart = |number: usize| {
        let mut stream = Stream::new(settings.seed, number as u64);
        (descend(&traffic, start, HEATS[number], work, &mut stream), number)
    };
    let mut best: Vec<_> = (0..HEATS.len()).into_par_iter().map(restart).collect();
    best.sort_by(|((first, _), number), ((second, _), other)| {
        first.total_cmp(second).then(number.cmp(other))
    });
    let ((_, ranks), _) = best.swap_remove(0);
    ranks
}

/// The best score and placement of a restart.
fn descend(
    traffic: &JobTraffic<'_>,
    start: &[NodeId],
    heat: f64,
    work: u64,
    stream: &mut Stream,
) -> (f64, Vec<NodeId>) {
    let mut score = ExchangeScore::new(traffic, start);
    let heat = score.total() * heat;
    let (mut best, mut done) = ((score.total(), start.to_vec()), 0);
    while done < work {
        let moved = random_exchange(&score, traffic, stream);
        let threshold = heat * ((work - done) as f64 / work as f64);
        let before = score.total();
        done += score.exchange(&moved).max(LEAST_HOPS);
        if score.total() > before + threshold {
            score.take_back();
        } else {
            score.keep();
        }
        if score.total() < best.0 {
            best = (score.total(), score.ranks().to_vec());
        }
    }
    best
}

/// A random exchange: some ranks, each with its new chip. It may be empty.
fn random_exchange(
    score: &ExchangeScore<'_>,
    traffic: &JobTraffic<'_>,
    stream: &mut Stream,
) -> Vec<(u32, NodeId)> {
    let ranks = score.ranks();
    match stream.below(4) {
        0 => {
            let lists = &traffic.groups[stream.below(traffic.groups.len())].lists;
            let [first, second] = [0; 2].map(|_| stream.below(lists.len()));
            let swapped = lists[first].iter().zip(&lists[second]);
            swapped.flat_map(|(&first, &second)| swap_of(ranks, first, second)).collect()
        }
        1 => {
            // A rank goes beside another one of its group.
            let lists = &traffic.groups[stream.below(traffic.groups.len())].lists;
            let list = &lists[stream.below(lists.len())];
            let [moving, staying] = [0; 2].map(|_| list[stream.below(list.len())]);
            let beside = &traffic.neighbors[ranks[staying as usize].index()];
            if beside.is_empty() {
                return Vec::new();
            }
            swap_of(ranks, moving, score.rank_of(beside[stream.below(beside.len())]))
        }
        _ => {
            let [first, second] = [0; 2].map(|_| stream.below(ranks.len()) as u32);
            swap_of(ranks, first, second)
        }
    }
}

/// The exchange of two ranks. None if they are the same.
fn swap_of(ranks: &[NodeId], first: u32, second: u32) -> Vec<(u32, NodeId)> {
    if first == second {
        return Vec::new();
    }
    vec![(first, ranks[second as usize]), (second, ranks[first as usize])]
}
