//! The certified maximum concurrent flow by multiplicative weights with soft splitting.
//!
//! In: a topology whose lit links connect it. Out: a feasible integer flow (lower end) and integer channel
//! lengths (upper end). Every round routes all demand from the canonical sources over the near-shortest
//! channels of the current prices, splitting over all predecessors of a node with weight exp(-slack / tau),
//! and raises the prices of overloaded classes; tau falls geometrically. Hard shortest paths converge an
//! order of magnitude slower. The lower end is the best mixture of rounds, routed once more in integers.
//! Sources: Garg & Koenemann (multicommodity flow by multiplicative weights); Leighton & Rao (duality); the
//! splitting is our own.

use super::lengths;
use super::mixture;
use super::quotient::{Distance, Incoming, Quotient};
use super::rebalance::{self, SourceFlow};
use fabc_base::limits;
use fabc_base::progress::Progress;
use fabc_ir::{ConcurrentFlow, DualLengths, FlowCertificate, Scene, StopReason, Topology, flow_is_listed};
use fabc_model::Demand;
use rayon::prelude::*;

/// Work of the method.
#[derive(Clone, Copy, Debug)]
pub struct Settings {
    /// Rounds at most.
    pub rounds: u32,
    /// Stop when dual / primal - 1 falls to this many parts per million.
    pub gap_ppm: u32,
    /// Sweeps at most that re-balance the flow where the rounds leave a gap of more than 0.5 %.
    pub sweeps: u32,
    /// Whether a flow is made that proves the lower end.
    pub primal: bool,
}

impl Settings {
    /// The certificate of the healthy fabric: an effort of the search that asks for more gets more, up to six
    /// times as much.
    pub fn certificate(effort: u32) -> Self {
        Self { rounds: 250 * effort.clamp(1, 6), gap_ppm: 100, sweeps: 200, primal: true }
    }
    /// The certificate of a network: few rounds and a wider gap where a round looks at many channels over all
    /// sources, because sweeps gain more than rounds there; of one whose flow is not listed only the upper
    /// end.
    pub fn of_network(topology: &Topology) -> Self {
        let work = topology.symmetry().class_count() * topology.channel_count();
        match work <= QUICK {
            true => Self::certificate(1),
            false if flow_is_listed(topology) => Self { rounds: 30, gap_ppm: 2000, sweeps: 60, primal: true },
            false => Self { rounds: FEW_ROUNDS, gap_ppm: 2000, sweeps: 0, primal: false },
        }
    }
    /// The certificate of a network whose vectors are scheduled and whose spec asks for no flow: it bounds
    /// exchanges between all pairs, if there are some, and stands in the report. Few rounds, unless symmetry
    /// makes them cheap; of a large network only the upper end.
    pub fn of_scheduled(topology: &Topology, exchanges: bool) -> Self {
        let own = Self::of_network(topology);
        let entries = topology.symmetry().class_count() as u64 * topology.channel_count() as u64;
        let large = entries > limits::SCHEDULED_FLOW_ENTRIES;
        match (exchanges && !topology.symmetry().is_trivial(), large) {
            (true, false) => own,
            (true, true) => Self { rounds: EXCHANGE_ROUNDS, gap_ppm: 2000, sweeps: 0, primal: false },
            (false, _) => {
                Self { rounds: own.rounds.min(SCHEDULED_ROUNDS), gap_ppm: 5000, sweeps: 0, primal: !large }
            }
        }
    }
    /// As many of the rounds and sweeps, each of so many channels by sources, as [`WORK`] allows.
    fn within(self, round: u64) -> Self {
        let part = |count: u32| {
            let allowed = u64::from(count) * (WORK / 250) / round.max(1);
            u32::try_from(allowed).unwrap_or(u32::MAX).clamp(FEWEST_ROUNDS.min(count), count.max(1))
        };
        Self { rounds: part(self.rounds), sweeps: part(self.sweeps).min(self.sweeps), ..self }
    }
    /// Enough to tell finalists of the search apart.
    pub const TRIAL: Self = Self { rounds: 80, gap_ppm: 100, sweeps: 0, primal: true };
    /// A dark OCS, from the lengths of the healthy fabric.
    pub const FAULT: Self = Self { rounds: 40, gap_ppm: 100, sweeps: 0, primal: true };
    /// A dark link or a dead router: little changes, and every router is a source of its own.
    pub const LOCAL: Self = Self { rounds: 8, gap_ppm: 100, sweeps: 0, primal: true };
}

/// Channels looked at in a round over all sources, up to which a network gets the certificate of a pod: about
/// 50 ms on one core. Measured on a PolarStar of 1064 routers (17 million): 30 rounds and 5 sweeps reach 0.2
/// % in a fifth of the time that 250 rounds and 32 sweeps took to 0.01 %.
const QUICK: usize = 1 << 22;
/// Channels looked at in all rounds, by sources: what every 250 rounds may cost, and the fewest rounds
/// however large the network.
const WORK: u64 = 1 << 35;
const FEWEST_ROUNDS: u32 = 24;
/// Rounds where only the upper end is looked for: one, from what the structure suggests, to see which
/// channels are full. Later ones swing too far to gain anything unless they are many.
const FEW_ROUNDS: u32 = 1;
/// Rounds of a scheduled network where they bound nothing, and of a large one where they bound an exchange.
const SCHEDULED_ROUNDS: u32 = 8;
const EXCHANGE_ROUNDS: u32 = 24;

/// A gap that the rounds alone do not leave unless few channels decide, or few pairs: dual / primal - 1 in
/// parts per million.
const WIDE_PPM: u32 = 5000;
/// Mean price of a class in integer units; the slack table has `SLACK_REACH * tau` entries.
const UNIT: f64 = 4096.0;
const SLACK_REACH: f64 = 14.0;
const LONGEST: f64 = 4.0e6;
const TAU_START: f64 = 0.3;
const TAU_END: f64 = 0.01;
/// Starting price beside a cut, relative to the cut.
const BESIDE_CUT: f64 = 0.05;
const KAPPA: f64 = 2.2;
/// Momentum of the prices; 0.5 leaves a gap ten times larger after the same rounds (measured at 128..1024
/// chips).
const MOMENTUM: f64 = 0.9;
/// Prices swing where a cut decides: once a round's busiest channel is this many times as far above the
/// target as that of the running mean, the steps shrink by DAMPING a round; otherwise they grow again. Closes
/// the gap of cube pods with two open dimensions from 4.5 % to 0.02 %.
const SWING: f64 = 5.0;
const LEAST_SWING: f64 = 0.002;
const DAMPING: f64 = 0.9;
const RECOVERY: f64 = 1.05;
const LEAST_STEP: f64 = 0.05;
/// An exponent of a change of price above the first is no step any more; the largest one becomes the second.
const STEEPEST: f64 = 30.0;
const CALM: f64 = 2.0;
/// Integer units that the pairs of largest weight send in the certificate, about, and the fewest that a pair
/// of weight 1 sends: shares of rounds are whole units.
const DEMAND: u64 = 1 << 22;
const LEAST_UNITS: u64 = 1 << 12;
/// Integer parts of the flow of a unit of weight when shares are taken from a re-balanced flow.
const SHARE: f64 = 16_777_216.0;

/// What the prices start from.
#[derive(Clone, Copy, Debug)]
pub enum Start<'a> {
    /// The tightest of the lengths that the structure of the topology makes plausible, one per channel class
    /// each.
    Seeds(&'a [Vec<u32>]),
    /// The lengths of another scenario of the same topology.
    Lengths(&'a DualLengths),
}

/// One round's prices and what they led to.
struct Round {
    prices: Vec<u32>,
    tau: f64,
    loads: Vec<f64>,
}

/// The certified interval of the maximum concurrent flow: every ordered pair at lambda times its weight,
/// capacities in units.
///
/// The scene and `demand` must keep the symmetry, and the lit links must connect all nodes. `start` are the
/// lengths of another scenario of the same topology (such as the healthy fabric), if there are any.
pub fn concurrent(
    scene: &Scene<'_>,
    demand: &Demand,
    start: Start<'_>,
    settings: Settings,
    progress: &dyn Progress,
) -> ConcurrentFlow {
    let quotient = Quotient::new(scene, demand);
    let settings = settings.within(quotient.sources.len() as u64 * quotient.incoming.len() as u64);
    progress.begin("flow", u64::from(settings.rounds));
    let (mut dual, rounds, mut stopped_by, window) = descend(&quotient, settings, start, progress);
    if !settings.primal {
        progress.end();
        return ConcurrentFlow { dual, primal: None, rounds, sweeps: 0, stopped_by };
    }
    let mut primal = certify(&quotient, &window);
    let within = |primal: &FlowCertificate, dual: &DualLengths, ppm: u32| {
        primal.value() * (1.0 + f64::from(ppm) * 1e-6) >= dual.bound()
    };
    let mut sweeps = 0;
    if settings.sweeps > 0 && !within(&primal, &dual, WIDE_PPM) {
        let mut flows = flows_of(&quotient, flattest(&window));
        (dual, sweeps) = rebalance::rebalance(
            &quotient,
            &mut flows,
            dual,
            settings.sweeps,
            f64::from(settings.gap_ppm) * 1e-6,
        );
        primal = Some(certify_flows(&quotient, &flows))
            .filter(|found| found.value() > primal.value())
            .unwrap_or(primal);
        if within(&primal, &dual, settings.gap_ppm) {
            stopped_by = StopReason::Gap;
        }
    }
    progress.end();
    if dual.upper_end().is_some_and(|upper| primal.lower_end() >= upper) {
        stopped_by = StopReason::Optimal;
    }
    ConcurrentFlow { dual, primal: Some(primal), rounds, sweeps, stopped_by }
}

/// Only the upper end, starting from the lengths of another scenario of the same topology.
pub fn price(scene: &Scene<'_>, demand: &Demand, start: &DualLengths, settings: Settings) -> DualLengths {
    let quotient = Quotient::new(scene, demand);
    if demand.total() == 0 {
        // Nobody sends: nothing bounds the rate, whatever the lengths. They still price routes.
        return lengths::bound(&quotient, &vec![1; quotient.classes]);
    }
    let settings = settings.within(quotient.sources.len() as u64 * quotient.incoming.len() as u64);
    descend(&quotient, settings, Start::Lengths(start), &fabc_base::progress::Silent).0
}

fn descend(
    quotient: &Quotient,
    settings: Settings,
    start: Start<'_>,
    progress: &dyn Progress,
) -> (DualLengths, u32, StopReason, Vec<Round>) {
    let lit: Vec<usize> = (0..quotient.classes).filter(|&class| quotient.lit(class)).collect();
    let (parts, capacity) =
        (quotient.parts as f64, lit.iter().map(|&class| quotient.capacity[class] as f64).sum::<f64>());
    // Given lengths have won against the known families already, on almost the same links.
    let mut best = match start {
        Start::Lengths(start) => {
            let lengths: Vec<u32> = start.lengths.iter().map(|&length| length as u32).collect();
            lengths::bound(quotient, &lengths)
        }
        Start::Seeds(seeds) => lengths::tightest(quotient, seeds),
    };
    // A length of 0 cannot grow by factors: channels beside the cut that decides start at a small part of it.
    let floor = best.lengths.iter().copied().max().unwrap_or(1).max(1) as f64 * BESIDE_CUT;
    let mut prices: Vec<f64> = best.lengths.iter().map(|&length| (length as f64).max(floor)).collect();
    let mut velocity = vec![0.0; quotient.classes];
    let mut history: Vec<Round> = Vec::new();
    let mut mean: Vec<f64> = Vec::new();
    let mut best_primal = 0.0f64;
    let mut done = 0;
    let mut step = 1.0f64;
    let mut stopped_by = StopReason::Budget;
    let tau_start: f64 = if matches!(start, Start::Lengths(_)) { 0.02 } else { TAU_START };
    for round in 0..settings.rounds {
        let progressed = f64::from(round) / f64::from(settings.rounds.max(2) - 1);
        let tau = tau_start * libm::pow(TAU_END / tau_start, progressed);
        // Normalize to mean UNIT over lit classes and round to integers.
        let scale = UNIT * lit.len() as f64 / lit.iter().map(|&class| prices[class]).sum::<f64>();
        let mut integer = vec![0u32; quotient.classes];
        for &class in &lit {
            prices[class] *= scale;
            integer[class] = prices[class].round().clamp(1.0, LONGEST) as u32;
        }
        let (loads, distance) = split(quotient, &integer, tau * UNIT);
        let dual = lengths::from_distance(quotient, &integer, distance);
        if lengths::tighter(&dual, &best) {
            best = dual;
        }
        // What a channel should bear: the mean load, or the least that the busiest channel must bear if that
        // is more (a cut decides).
        let average =
            lit.iter().map(|&class| loads[class] * quotient.capacity[class] as f64).sum::<f64>() / capacity;
        let target = average.max(parts / best.bound());
        for &class in &lit {
            velocity[class] = MOMENTUM * velocity[class] + (loads[class] / target - 1.0);
        }
        // Where few pairs send, a channel may bear thousands of times the mean: then all steps are as much
        // shorter.
        let largest = KAPPA * step * tau * lit.iter().map(|&class| velocity[class]).fold(0.0, f64::max);
        let shorter = if largest > STEEPEST { CALM / largest } else { 1.0 };
        for &class in &lit {
            prices[class] *= libm::exp(KAPPA * step * tau * velocity[class] * shorter);
        }
        if mean.is_empty() {
            mean.clone_from(&loads);
        }
        for &class in &lit {
            mean[class] += 0.15 * (loads[class] - mean[class]);
        }
        let (swing, settled) = (busiest(&loads) / target - 1.0, busiest(&mean) / target - 1.0);
        step = if swing > SWING * settled.max(LEAST_SWING) {
            (step * DAMPING).max(LEAST_STEP)
        } else {
            (step * RECOVERY).min(1.0)
        };
        best_primal = best_primal.max(parts / busiest(&loads)).max(parts / busiest(&mean));
        history.push(Round { prices: integer, tau, loads });
        done = round + 1;
        progress.advance();
        if best_primal * (1.0 + f64::from(settings.gap_ppm) * 1e-6) >= best.bound() {
            stopped_by = StopReason::Gap;
            break;
        }
    }
    if let Some(cut) =
        lengths::best_cut(quotient, &history.iter().map(|round| &round.loads[..]).collect::<Vec<_>>())
        && lengths::tighter(&cut, &best)
    {
        best = cut;
    }
    (best, done, stopped_by, history)
}

fn busiest(loads: &[f64]) -> f64 {
    loads.iter().copied().fold(0.0, f64::max)
}

/// exp(-slack / tau) in integers, by integer slack.
fn slack_weights(tau: f64) -> Vec<u32> {
    (0..(SLACK_REACH * tau).max(1.0) as usize + 1)
        .map(|slack| (libm::exp(-(slack as f64) / tau) * 1048576.0).round().max(1.0) as u32)
        .collect()
}

/// Sources that one task takes; part of the summation order, so it must not depend on the number of threads.
const SOURCES_PER_TASK: usize = 4;
/// Tasks whose loads are there at once.
const TASKS: usize = 64;

/// Loads per class, in parts, when every pair sends its weight over the soft shortest paths, and the weighted
/// sum of shortest lengths over all ordered pairs.
fn split(quotient: &Quotient, prices: &[u32], tau: f64) -> (Vec<f64>, u128) {
    let weights = slack_weights(tau);
    let longest = prices.iter().copied().max().unwrap_or(0);
    let task = |scratch: &mut Distance, sources: &[u32]| {
        let mut loads = vec![0.0; quotient.classes];
        let mut total = 0u128;
        let mut amount = vec![0.0f64; quotient.nodes];
        for &source in sources {
            scratch.run(quotient, source as usize, prices, longest);
            let weights_from = quotient.weights_from(source);
            total += lengths::weighted(&scratch.distance, &weights_from);
            amount.iter_mut().zip(&weights_from).for_each(|(amount, &weight)| *amount = f64::from(weight));
            match quotient.circle_into() {
                Some(circle) => {
                    pour(scratch, prices, &weights, &mut amount, &mut loads, |node| circle.around(node))
                }
                None => {
                    pour(scratch, prices, &weights, &mut amount, &mut loads, |node| quotient.feeding(node))
                }
            }
        }
        (loads, total)
    };
    let mut loads = vec![0.0; quotient.classes];
    let mut total = 0;
    for sources in quotient.sources.chunks(SOURCES_PER_TASK * TASKS) {
        let parts: Vec<(Vec<f64>, u128)> =
            sources.par_chunks(SOURCES_PER_TASK).map_init(Distance::default, task).collect();
        for (part, distance) in parts {
            loads.iter_mut().zip(part).for_each(|(load, part)| *load += part);
            total += distance;
        }
    }
    loads.iter_mut().zip(&quotient.slowness).for_each(|(load, &slowness)| *load *= slowness as f64);
    if quotient.mirrored {
        // A flow and its reverse carry the same symmetric demand, so their mean does too: both directions of
        // a link bear the mean load.
        loads = (0..quotient.classes)
            .map(|class| 0.5 * (loads[class] + loads[quotient.reverse[class] as usize]))
            .collect();
    }
    (loads, total * quotient.order as u128)
}

/// Sends what the nodes take, `amount`, back over the soft shortest paths to the source, and adds it to the
/// loads; `feeding` tells where the channels into a node start, and their class.
fn pour<I: Iterator<Item = (u32, u32)>>(
    Distance { distance, order, .. }: &Distance,
    prices: &[u32],
    weights: &[u32],
    amount: &mut [f64],
    loads: &mut [f64],
    feeding: impl Fn(u32) -> I,
) {
    let mut ways: Vec<(u32, u32, u32)> = Vec::new();
    for &node in order[1..].iter().rev() {
        let here = distance[node as usize];
        let mut sum = 0u64;
        ways.clear();
        for (from, class) in feeding(node) {
            let share = share_of(weights, distance[from as usize], prices[class as usize], here);
            if share > 0 {
                sum += u64::from(share);
                ways.push((share, from, class));
            }
        }
        let unit = amount[node as usize] / sum as f64;
        for &(share, from, class) in &ways {
            let part = unit * f64::from(share);
            loads[class as usize] += part;
            amount[from as usize] += part;
        }
    }
}

/// Weight of a predecessor: it must be strictly nearer, so that splitting follows no cycle.
fn share_of(weights: &[u32], from: u32, length: u32, here: u32) -> u32 {
    if from >= here {
        return 0;
    }
    weights.get((from + length - here) as usize).copied().unwrap_or(0)
}

/// The round whose busiest channel carries least.
fn flattest(history: &[Round]) -> &Round {
    history.iter().min_by(|a, b| busiest(&a.loads).total_cmp(&busiest(&b.loads))).expect("there is a round")
}

/// The flow of every source in one round, for weights as they are.
fn flows_of(quotient: &Quotient, round: &Round) -> Vec<SourceFlow> {
    let weights = slack_weights(round.tau * UNIT);
    let units = units(quotient);
    let flow_of = |&source: &u32| {
        let mut flow = vec![0u64; quotient.channels];
        let mut scratch = Distance::default();
        split_integer(quotient, source, round, &weights, units, &mut scratch, &mut flow);
        let flow = quotient
            .incoming
            .iter()
            .map(|channel| flow[channel.channel as usize] as f64 / units as f64)
            .collect();
        SourceFlow { order: scratch.order, flow }
    };
    quotient.sources.par_iter().map(flow_of).collect()
}

/// Integer units per weight of a pair.
fn units(quotient: &Quotient) -> u64 {
    (DEMAND / u64::from(quotient.demand.largest())).max(LEAST_UNITS)
}

/// The best mixture of rounds as an integer flow.
fn certify(quotient: &Quotient, history: &[Round]) -> FlowCertificate {
    let loads: Vec<&[f64]> = history.iter().map(|round| &round.loads[..]).collect();
    let parts = mixture::best(&loads, units(quotient));
    let rounds: Vec<(&Round, u64)> = history.iter().zip(parts).filter(|(_, part)| *part > 0).collect();
    let weights: Vec<Vec<u32>> = rounds.iter().map(|(round, _)| slack_weights(round.tau * UNIT)).collect();
    let flows: Vec<Vec<u64>> = quotient
        .sources
        .par_iter()
        .map(|&source| {
            let mut flow = vec![0u64; quotient.channels];
            let mut scratch = Distance::default();
            for (&(round, part), weights) in rounds.iter().zip(&weights) {
                split_integer(quotient, source, round, weights, part, &mut scratch, &mut flow);
            }
            flow
        })
        .collect();
    certificate(quotient, rounds.iter().map(|(_, part)| part).sum(), flows)
}

/// Re-balanced flows in integers.
fn certify_flows(quotient: &Quotient, flows: &[SourceFlow]) -> FlowCertificate {
    let units = units(quotient);
    let integer = |(source_flow, &source): (&SourceFlow, &u32)| {
        let mut flow = vec![0u64; quotient.channels];
        // Rounded up: a node that passes units on always has a channel that they came by.
        let share = |_: usize, index: usize| (source_flow.flow[index] * SHARE).ceil() as u64;
        distribute(quotient, source, &source_flow.order, units, share, &mut flow);
        flow
    };
    certificate(quotient, units, flows.par_iter().zip(&quotient.sources).map(integer).collect())
}

/// The certificate of flows that send `demand` units per weight.
fn certificate(quotient: &Quotient, demand: u64, flows: Vec<Vec<u64>>) -> FlowCertificate {
    let mut loads = vec![0u64; quotient.classes];
    for flow in &flows {
        for channel in &quotient.incoming {
            loads[channel.class as usize] +=
                flow[channel.channel as usize] * quotient.slowness[channel.class as usize];
        }
    }
    let back = |class: usize| if quotient.mirrored { loads[quotient.reverse[class] as usize] } else { 0 };
    let busiest = (0..quotient.classes).map(|class| loads[class] + back(class)).max().unwrap_or(0);
    FlowCertificate { demand, mirrored: quotient.mirrored, busiest, parts: quotient.parts, flows }
}

/// As [`split`], one source that sends `units` per weight, in integer units.
fn split_integer(
    quotient: &Quotient,
    source: u32,
    round: &Round,
    weights: &[u32],
    units: u64,
    scratch: &mut Distance,
    flow: &mut [u64],
) {
    scratch.run(quotient, source as usize, &round.prices, round.prices.iter().copied().max().unwrap_or(0));
    let Distance { order, distance, .. } = &*scratch;
    let share = |node: usize, index: usize| {
        let Incoming { from, class, .. } = quotient.incoming[index];
        u64::from(share_of(weights, distance[from as usize], round.prices[class as usize], distance[node]))
    };
    distribute(quotient, source, order, units, share, flow);
}

/// Adds the flow of a source that sends `units` per weight: every node takes its units from the channels into
/// it by `share(node, channel)`.
///
/// `order` lists all nodes, the source first; shares are 0 on channels against it. Units are conserved
/// exactly at every node.
fn distribute(
    quotient: &Quotient,
    source: u32,
    order: &[u32],
    units: u64,
    share: impl Fn(usize, usize) -> u64,
    flow: &mut [u64],
) {
    let mut amount: Vec<u64> =
        quotient.weights_from(source).into_iter().map(|weight| u64::from(weight) * units).collect();
    for &node in order[1..].iter().rev() {
        let into = quotient.range_of(node as usize);
        let sum: u64 = into.clone().map(|index| share(node as usize, index)).sum();
        let (mut upto, mut given) = (0u128, 0u64);
        for index in into.filter(|_| sum > 0) {
            let channel = quotient.incoming[index];
            upto += u128::from(share(node as usize, index));
            // Cumulative rounding: the parts add up to the amount.
            let target = (u128::from(amount[node as usize]) * upto / u128::from(sum)) as u64;
            flow[channel.channel as usize] += target - given;
            amount[channel.from as usize] += target - given;
            given = target;
        }
    }
}
