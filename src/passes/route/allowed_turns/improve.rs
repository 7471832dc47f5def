//! RankOpt: improves a rank order until (nearly) every pair keeps a near-shortest path.
//!
//! Comes in: near-shortest paths of every canonical source and an order of the symbols. Goes out: a better
//! order. Each round has two halves. First, per source, a dynamic programme over (channel, VC) finds for
//! every destination a near-shortest path that breaks the order as rarely as possible, and counts the paths
//! that do not break it at all. The turns of that path gain weight: the pair's full weight if it has no legal
//! path, the weight over count^1.5 if it has, so that pairs with many alternatives do not pin the order.
//! Second, a local search of the weighted linear ordering problem moves every symbol to its best place among
//! its neighbors. The weight of a pair grows while it is lost and decays otherwise (breakout), and now and
//! then the search returns to the best order.

use super::dag::Dag;
use super::linear::TurnGraph;
use super::quotient::{MEAN_LENGTH, Quotient};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Cost of one broken turn; larger than any sum of extras.
const BREAK: u32 = 1 << 20;
/// Weight of a turn that must stay allowed.
const KEPT: u64 = 1 << 52;
/// The weight of a pair without history.
const UNIT: u32 = 256;
/// Path counts saturate here.
const MANY: u32 = 255;

/// Random extra length of a symbol in a round; without it every round pulls at the same paths and ten times
/// as many pairs are lost at 1024 chips.
const NOISE: u64 = MEAN_LENGTH as u64 / 16;
/// Rounds without progress before the search returns to the best order.
const PATIENCE: u32 = 25;

/// An order of the symbols and what it costs.
#[derive(Clone)]
pub(super) struct Ordered {
    /// `[symbol]`: distinct ranks.
    pub(super) rank: Vec<u32>,
    /// Ordered pairs (with canonical source) without a legal near-shortest path.
    pub(super) lost: u64,
    /// Sum over the other pairs of 1 / (legal paths)^1.5, in 65536ths: how little choice they have.
    pub(super) narrowness: u64,
}

/// What an order is improved for.
#[derive(Clone, Copy)]
pub(super) struct Task<'a> {
    /// The topology.
    pub(super) quotient: &'a Quotient,
    /// Its near-shortest paths.
    pub(super) dags: &'a [Dag],
    /// Its turns.
    pub(super) graph: &'a TurnGraph,
    /// Turns that the start order allows and that stay allowed.
    pub(super) kept: &'a [u32],
}

/// Improves an order for a number of rounds.
pub(super) fn improve(task: Task<'_>, start: Vec<u32>, rounds: u32, rng: &mut ChaCha8Rng, advance: &dyn Fn()) -> Ordered {
    let Task { quotient, dags, graph, kept } = task;
    let discount: Vec<u32> = (0..=MANY).map(|count| (65536.0 / libm::pow(f64::from(count.max(1)), 1.5)) as u32).collect();
    let mut weights: Vec<Vec<u32>> = dags.iter().map(|_| vec![UNIT; quotient.nodes]).collect();
    let mut rank = start;
    let mut best: Option<Ordered> = None;
    let mut stale = 0;
    for round in 0..=rounds {
        let (mut turns, lost, narrowness) = weigh(task, &rank, &mut weights, &discount, round);
        if best.as_ref().is_none_or(|best| (lost, narrowness) < (best.lost, best.narrowness)) {
            best = Some(Ordered { rank: rank.clone(), lost, narrowness });
            stale = 0;
        } else {
            stale += 1;
        }
        if round == rounds {
            break;
        }
        if stale == PATIENCE {
            rank.clone_from(&best.as_ref().expect("set in the first round").rank);
            weights.iter_mut().for_each(|row| row.fill(UNIT));
            stale = 0;
        }
        for &turn in kept {
            // More than all other turns of a symbol can weigh together, so that no single move breaks it.
            turns[turn as usize] = KEPT;
        }
        graph.order(&turns, &mut rank, 15, rng);
        advance();
    }
    best.expect("at least one round")
}

/// Weighs the turns under an order: `[turn]` weights, and the number of lost pairs.
fn weigh(task: Task<'_>, rank: &[u32], weights: &mut [Vec<u32>], discount: &[u32], round: u32) -> (Vec<u64>, u64, u64) {
    let Task { quotient, dags, graph, .. } = task;
    let share = dags.len().div_ceil(8).max(1);
    dags.par_chunks(share)
        .zip(weights.par_chunks_mut(share))
        .map(|(dags, weights)| {
            let mut scratch = Scratch::new(quotient);
            let mut turns = vec![0; graph.turns()];
            let (mut lost, mut narrowness) = (0, 0);
            for (dag, weights) in dags.iter().zip(weights) {
                let (lost_here, narrow_here) = scratch.source(quotient, dag, rank, weights, discount, round, &mut turns);
                lost += lost_here;
                narrowness += narrow_here;
            }
            (turns, lost, narrowness)
        })
        .reduce(
            || (vec![0; graph.turns()], 0, 0),
            |mut left, right| {
                left.0.iter_mut().zip(&right.0).for_each(|(left, right)| *left += right);
                (left.0, left.1 + right.1, left.2 + right.2)
            },
        )
}

/// Arrays of one dynamic programme.
struct Scratch {
    /// `[state]`: broken turns and extras of the best path that ends with it.
    cost: Vec<u32>,
    /// `[state]`: legal paths that end with it.
    count: Vec<u32>,
    /// `[state]`: the state before it, or itself at the source.
    before: Vec<u32>,
    /// `[node]`: where its steps stand in the DAG.
    place: Vec<u32>,
}

/// A state into a node.
#[derive(Clone, Copy)]
struct Arrival {
    rank: u32,
    cost: u32,
    count: u32,
    state: u32,
}

impl Scratch {
    fn new(quotient: &Quotient) -> Self {
        let states = quotient.states();
        Self { cost: vec![0; states], count: vec![0; states], before: vec![0; states], place: vec![0; quotient.nodes] }
    }

    fn arrivals(&self, quotient: &Quotient, dag: &Dag, rank: &[u32], node: usize, into: &mut Vec<Arrival>) {
        into.clear();
        let place = self.place[node] as usize;
        for step in &dag.steps[dag.offsets[place] as usize..dag.offsets[place + 1] as usize] {
            let symbol = quotient.channel_class(step.channel as usize) * quotient.vcs;
            for vc in 0..quotient.vcs {
                let state = step.channel as usize * quotient.vcs + vc;
                into.push(Arrival { rank: rank[symbol + vc], cost: self.cost[state], count: self.count[state], state: state as u32 });
            }
        }
    }

    /// The paths from one source; adds to the turn weights and returns the number of lost destinations and
    /// the narrowness of the others.
    #[expect(clippy::too_many_arguments, reason = "the inner loop of a round")]
    fn source(
        &mut self,
        quotient: &Quotient,
        dag: &Dag,
        rank: &[u32],
        weights: &mut [u32],
        discount: &[u32],
        round: u32,
        turns: &mut [u64],
    ) -> (u64, u64) {
        let vcs = quotient.vcs;
        for (place, &node) in dag.order.iter().enumerate() {
            self.place[node as usize] = place as u32;
        }
        let mut arrivals: Vec<Arrival> = Vec::new();
        let (mut lost, mut narrowness) = (0, 0);
        // By node in order of distance, pull into every state from the arrivals at its tail. The steps are
        // grouped by their head, so the arrivals of a tail are gathered once per step.
        for (place, &node) in dag.order.iter().enumerate() {
            for step in &dag.steps[dag.offsets[place] as usize..dag.offsets[place + 1] as usize] {
                let tail = step.channel as usize / quotient.ports;
                let symbol = quotient.channel_class(step.channel as usize) * vcs;
                let state = step.channel as usize * vcs;
                if tail == dag.source as usize {
                    for vc in 0..vcs {
                        self.cost[state + vc] = step.extra;
                        self.count[state + vc] = 1;
                        self.before[state + vc] = (state + vc) as u32;
                    }
                    continue;
                }
                self.arrivals(quotient, dag, rank, tail, &mut arrivals);
                for vc in 0..vcs {
                    let own = rank[symbol + vc];
                    let (mut cost, mut count, mut before) = (u32::MAX, 0u32, 0);
                    for arrival in &arrivals {
                        let broken = arrival.rank >= own;
                        let here = arrival.cost + if broken { BREAK } else { 0 };
                        if here < cost {
                            (cost, before) = (here, arrival.state);
                        }
                        if !broken {
                            count += arrival.count;
                        }
                    }
                    self.cost[state + vc] = cost + step.extra + jitter((symbol + vc) as u32, round);
                    self.count[state + vc] = count.min(MANY);
                    self.before[state + vc] = before;
                }
            }
            self.arrivals(quotient, dag, rank, node as usize, &mut arrivals);
            let count = arrivals.iter().map(|arrival| arrival.count).sum::<u32>().min(MANY);
            let end = arrivals.iter().min_by_key(|arrival| (arrival.cost, arrival.state)).expect("a path leads to every node");
            let weight = &mut weights[node as usize];
            let gain = if count == 0 {
                lost += 1;
                *weight = (*weight + UNIT / 2).min(UNIT * 64);
                u64::from(*weight) << 16
            } else {
                narrowness += u64::from(discount[count as usize]);
                *weight = (*weight - *weight / 8).max(UNIT);
                u64::from(*weight) * u64::from(discount[count as usize])
            };
            let mut state = end.state;
            loop {
                let before = self.before[state as usize];
                if before == state {
                    break;
                }
                let symbol = quotient.channel_class(before as usize / vcs) * vcs + before as usize % vcs;
                turns[symbol * quotient.ports * vcs + state as usize % (quotient.ports * vcs)] += gain;
                state = before;
            }
        }
        (lost, narrowness)
    }
}

/// The random extra length of a symbol in a round.
#[inline]
fn jitter(symbol: u32, round: u32) -> u32 {
    let mixed = (symbol ^ round.wrapping_mul(0x85eb_ca6b)).wrapping_mul(0x9e37_79b1);
    let mixed = (mixed ^ (mixed >> 15)).wrapping_mul(0x85eb_ca6b);
    ((u64::from(mixed) * NOISE) >> 32) as u32
}
