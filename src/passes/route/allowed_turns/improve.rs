//! RankOpt: improves a rank order until nearly every pair keeps a near-shortest path.
//!
//! Input: near-shortest paths of every canonical source, and an order of the symbols. Output: a better
//! order. Each round has two halves.
//!
//! First, per source, a dynamic program over (channel, VC) finds for every destination a near-shortest path
//! that breaks the order as rarely as possible. It also counts the paths that do not break it at all. The
//! turns of the path found gain weight. The gain is the pair's full weight if it has no legal path.
//! Otherwise it is the weight over count^1.5, so that pairs with many alternatives do not pin the order.
//!
//! Second, a local search of the weighted linear ordering problem moves every symbol to its best place
//! among its neighbors. The weight of a pair grows while it is lost and decays otherwise (breakout). After
//! rounds without progress the search returns to the best order.

use super::dag::{Dag, DagStep};
use super::linear::TurnGraph;
use super::quotient::{MEAN_LENGTH, TurnQuotient};
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// The cost of one broken turn, larger than any sum of extras.
const BREAK: u32 = 1 << 20;
/// Weight of a turn that must stay allowed.
const KEPT: u64 = 1 << 52;
/// The weight of a pair without history.
const UNIT: u32 = 256;
/// The number at which path counts saturate.
const MANY: u32 = 255;

/// The largest random extra length of a symbol in a round. Without it every round pulls at the same paths,
/// and ten times as many pairs are lost at 1024 chips.
const NOISE: u64 = MEAN_LENGTH as u64 / 16;
/// Rounds without progress before the search returns to the best order.
const PATIENCE: u32 = 25;

/// A rank order of the symbols and its quality.
#[derive(Clone)]
pub(super) struct ImprovedOrder {
    /// `[symbol]`: its rank. Ranks are distinct.
    pub(super) rank: Vec<u32>,
    /// Ordered pairs with canonical source that have no legal near-shortest path.
    pub(super) lost: u64,
    /// Sum over the other pairs of 1 / (legal paths)^1.5, in 65536ths. It is large where pairs have little
    /// choice.
    pub(super) narrowness: u64,
}

/// The problem that an order is improved for.
#[derive(Clone, Copy)]
pub(super) struct OrderTask<'a> {
    /// The topology and its symmetry.
    pub(super) quotient: &'a TurnQuotient,
    /// The near-shortest paths of every canonical source.
    pub(super) dags: &'a [Dag],
    /// The turns of the topology.
    pub(super) graph: &'a TurnGraph,
    /// Turns that the start order allows and that stay allowed.
    pub(super) kept: &'a [u32],
}

/// Improves an order for a number of rounds.
pub(super) fn improve(
    task: OrderTask<'_>,
    start: Vec<u32>,
    rounds: u32,
    rng: &mut ChaCha8Rng,
    advance: &dyn Fn(),
) -> ImprovedOrder {
    let OrderTask { quotient, dags, graph, kept } = task;
    let discount: Vec<u32> =
        (0..=MANY).map(|count| (65536.0 / libm::pow(f64::from(count.max(1)), 1.5)) as u32).collect();
    let paths: Vec<Paths<'_>> = dags.par_iter().map(|dag| Paths::new(quotient, dag)).collect();
    let mut weights: Vec<Vec<u32>> = dags.iter().map(|_| vec![UNIT; quotient.nodes]).collect();
    let mut rank = start;
    let mut best: Option<ImprovedOrder> = None;
    let mut stale = 0;
    for round in 0..=rounds {
        let noise = (0..quotient.symbols()).map(|symbol| jitter(symbol as u32, round)).collect();
        let task = OrderRound {
            fan: quotient.ports * quotient.vcs,
            rank: &rank,
            discount: &discount,
            jitter: noise,
        };
        let (mut turns, lost, narrowness) = weigh(&task, &paths, &mut weights, graph.turns());
        if best.as_ref().is_none_or(|best| (lost, narrowness) < (best.lost, best.narrowness)) {
            best = Some(ImprovedOrder { rank: rank.clone(), lost, narrowness });
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
            // This exceeds the weight of all other turns of a symbol together, so that no single move
            // breaks it.
            turns[turn as usize] = KEPT;
        }
        graph.order(&turns, &mut rank, 15, rng);
        advance();
    }
    best.expect("at least one round")
}

/// The near-shortest paths from one source, as the dynamic program walks them. A *slot* is a (step, VC).
/// The slots into a router are adjacent, in the order of the DAG.
struct Paths<'a> {
    dag: &'a Dag,
    vcs: usize,
    /// `[slot]`: the symbol that it uses.
    symbol: Vec<u32>,
    /// Where the steps out of the source, and then out of `dag.order[i]`, start in `out`, with one more at
    /// the end.
    starts: Vec<u32>,
    /// Steps by the router that they leave.
    out: Vec<OutStep>,
}

/// A step, stored with the router that it leaves.
#[derive(Clone, Copy)]
struct OutStep {
    /// Its slot of VC 0.
    slot: u32,
    /// By how much the path over it exceeds the shortest path to its head.
    extra: u32,
}

impl<'a> Paths<'a> {
    fn new(quotient: &TurnQuotient, dag: &'a Dag) -> Self {
        let (vcs, places) = (quotient.vcs, dag.places(quotient.nodes));
        let tail = |step: &DagStep| step.channel as usize / quotient.ports;
        // The source has no place of its own and comes before all others.
        let from = |step: &DagStep| {
            if tail(step) == dag.source as usize { 0 } else { places[tail(step)] as usize + 1 }
        };
        let mut starts = vec![0; dag.order.len() + 2];
        for step in &dag.steps {
            starts[from(step) + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut filled = starts.clone();
        let mut out = vec![OutStep { slot: 0, extra: 0 }; dag.steps.len()];
        let mut symbol = Vec::with_capacity(dag.steps.len() * vcs);
        for (at, step) in dag.steps.iter().enumerate() {
            let place = &mut filled[from(step)];
            out[*place as usize] = OutStep { slot: (at * vcs) as u32, extra: step.extra };
            *place += 1;
            let first = quotient.channel_class(step.channel as usize) * vcs;
            symbol.extend((first..first + vcs).map(|symbol| symbol as u32));
        }
        Self { dag, vcs, symbol, starts, out }
    }

    /// The slots of all steps into `dag.order[place]`.
    fn slots_into(&self, place: usize) -> std::ops::Range<usize> {
        self.dag.offsets[place] as usize * self.vcs..self.dag.offsets[place + 1] as usize * self.vcs
    }
    /// The steps out of the source at 0, and out of `dag.order[place - 1]`.
    fn steps_from(&self, place: usize) -> &[OutStep] {
        &self.out[self.starts[place] as usize..self.starts[place + 1] as usize]
    }
}

/// The order and the discounts of one round.
struct OrderRound<'a> {
    /// The number of turns per symbol.
    fan: usize,
    rank: &'a [u32],
    /// `[legal paths]`: the discount, 65536 / paths^1.5.
    discount: &'a [u32],
    /// `[symbol]`: its random extra length.
    jitter: Vec<u32>,
}

/// Weighs the turns under an order. Returns `[turn]` weights, the number of lost pairs, and the narrowness
/// of the others.
fn weigh(
    round: &OrderRound<'_>,
    paths: &[Paths<'_>],
    weights: &mut [Vec<u32>],
    turns: usize,
) -> (Vec<u64>, u64, u64) {
    let share = paths.len().div_ceil(8).max(1);
    paths
        .par_chunks(share)
        .zip(weights.par_chunks_mut(share))
        .map(|(paths, weights)| {
            let mut slots = Vec::new();
            let mut turns = vec![0; turns];
            let (mut lost, mut narrowness) = (0, 0);
            for (paths, weights) in paths.iter().zip(weights) {
                let (lost_of_source, narrowness_of_source) =
                    round.weigh_source(paths, weights, &mut slots, &mut turns);
                lost += lost_of_source;
                narrowness += narrowness_of_source;
            }
            (turns, lost, narrowness)
        })
        .reduce(
            || (vec![0; turns], 0, 0),
            |mut sum, more| {
                sum.0.iter_mut().zip(&more.0).for_each(|(sum, weight)| *sum += weight);
                (sum.0, sum.1 + more.1, sum.2 + more.2)
            },
        )
}

/// The paths that end with a given slot.
#[derive(Clone, Copy, Default)]
struct PathsByLastSlot {
    rank: u32,
    /// The cost of the best path: its broken turns and extras.
    cost: u32,
    /// The number of paths that break no turn.
    count: u32,
    /// The slot before it on the best path, or itself at the source.
    before: u32,
}

impl OrderRound<'_> {
    /// Finds the paths from one source and adds to the turn weights. Returns the number of lost
    /// destinations and the narrowness of the others.
    fn weigh_source(
        &self,
        paths: &Paths<'_>,
        weights: &mut [u32],
        slots: &mut Vec<PathsByLastSlot>,
        turns: &mut [u64],
    ) -> (u64, u64) {
        slots.resize(slots.len().max(paths.symbol.len()), PathsByLastSlot::default());
        for &OutStep { slot, extra } in paths.steps_from(0) {
            let slots_of_step = slot as usize..slot as usize + paths.vcs;
            for ((before, arrival), &symbol) in
                (slot..).zip(&mut slots[slots_of_step.clone()]).zip(&paths.symbol[slots_of_step])
            {
                *arrival =
                    PathsByLastSlot { rank: self.rank[symbol as usize], cost: extra, count: 1, before };
            }
        }
        let (mut lost, mut narrowness) = (0, 0);
        // All paths to a router come over nearer ones, so they are complete at its turn.
        for (place, &node) in paths.dag.order.iter().enumerate() {
            let into = paths.slots_into(place);
            for &OutStep { slot, extra } in paths.steps_from(place + 1) {
                for out_slot in slot as usize..slot as usize + paths.vcs {
                    let symbol = paths.symbol[out_slot] as usize;
                    let symbol_rank = self.rank[symbol];
                    let (mut cost, mut count, mut before) = (u32::MAX, 0u32, 0);
                    for (from, arrival) in slots[into.clone()].iter().enumerate() {
                        let broken = arrival.rank >= symbol_rank;
                        let new_cost = arrival.cost + if broken { BREAK } else { 0 };
                        if new_cost < cost {
                            (cost, before) = (new_cost, from);
                        }
                        count += if broken { 0 } else { arrival.count };
                    }
                    let cost = cost + extra + self.jitter[symbol];
                    slots[out_slot] = PathsByLastSlot {
                        rank: symbol_rank,
                        cost,
                        count: count.min(MANY),
                        before: (into.start + before) as u32,
                    };
                }
            }
            let arrivals = &slots[into.clone()];
            let count = arrivals.iter().map(|arrival| arrival.count).sum::<u32>().min(MANY);
            // The first of the cheapest.
            let end =
                (0..arrivals.len()).min_by_key(|&at| arrivals[at].cost).expect("a path leads to every node");
            let weight = &mut weights[node as usize];
            let gain = if count == 0 {
                lost += 1;
                *weight = (*weight + UNIT / 2).min(UNIT * 64);
                u64::from(*weight) << 16
            } else {
                narrowness += u64::from(self.discount[count as usize]);
                *weight = (*weight - *weight / 8).max(UNIT);
                u64::from(*weight) * u64::from(self.discount[count as usize])
            };
            let mut slot = into.start + end;
            loop {
                let before = slots[slot].before as usize;
                if before == slot {
                    break;
                }
                turns[paths.symbol[before] as usize * self.fan
                    + (paths.symbol[slot] % self.fan as u32) as usize] += gain;
                slot = before;
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
