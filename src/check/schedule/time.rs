//! How long a schedule takes, and what its bounds come to in time: longest paths through what waits for what.
//!
//! A transfer waits for the one before it on its channel and for what it carries: as a copy for the transfer
//! that brought the chunk, as an addition for everything that is added before. A chunk is there a hop after
//! its last byte has left; the first of a message, which is all that a channel carries in one round, waits
//! for the overhead as well.

use super::bounds::hops_to;
use super::pipeline::Pipeline;
use super::timed::{cycles_at_least, replay};
use super::transfers::{Plan, Transfer};
use super::{Replayed, ScheduleError, messages, wrong};
use crate::CheckError;
use crate::hop_cycles::cycles_over_cable;
use fabc_base::ids::{Id, LinkId, NodeId};
use fabc_ir::{CollectiveBound, ForwardingTables, Order, Rounds, Scene, Schedule, Transfers};
use fabc_kernel::symmetry_of;
use fabc_model::{Collective, CollectiveAlgorithm, DeclaredCollective, Fabric};
use std::collections::{BTreeMap, BTreeSet};

/// Attoseconds of a second and of a picosecond: what times are counted in.
const SECOND: u128 = 1_000_000_000_000_000_000;
const PICOSECOND: u128 = 1_000_000;

/// A schedule in time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScheduleTime {
    /// What it takes.
    pub spent: Spent,
    /// Rounds, slots, or hops and pieces that follow, one after the other.
    pub steps: u64,
    /// Chunk times, one after the other, if hops took no time.
    pub volume: u64,
}

/// How fast everything is; attoseconds. A channel of several lanes carries as many times as much.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Pace {
    /// Of a hop: the router, and the slowest link that is lit.
    pub hop: u128,
    /// The same of each link; `None` where all that are lit are alike.
    pub hops: Option<HopTimes>,
    /// Of a message, before its first byte.
    pub overhead: u128,
    /// Of a channel, or the common unit of all; bit/s.
    pub bandwidth_bps: u64,
    /// Whether all wait for each other after every round.
    pub barrier: bool,
}

/// How long hops take where lit links differ; attoseconds.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HopTimes {
    /// `[link]`: router and link. No schedule is faster than these allow.
    pub exact: Vec<u128>,
    /// `[link]`: of the links that the symmetry of the scene takes it to, the slowest. A schedule says one
    /// thing of all of them.
    pub slowest: Vec<u128>,
}

/// What a schedule takes; attoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spent {
    /// What it would take if hops and messages took no time.
    pub volume: u128,
    /// What hops add to that.
    pub latency: u128,
    /// What messages add to both.
    pub overhead: u128,
}

impl Pace {
    /// The pace of a collective in a scene.
    pub fn of_collective(fabric: &Fabric, scene: &Scene<'_>, declared: &DeclaredCollective) -> Self {
        let hop = |link| {
            cycles_time(
                cycles_over_cable(fabric, scene.topology, link) + u64::from(fabric.router.latency_cycles),
                fabric.clock_hz,
            )
        };
        let slowest = scene
            .links()
            .map(hop)
            .max()
            .unwrap_or_else(|| cycles_time(fabric.router.latency_cycles.into(), fabric.clock_hz));
        let alike = scene.links().all(|link| hop(link) == slowest);
        Self {
            hop: slowest,
            hops: (!alike).then(|| HopTimes::new(scene, hop)),
            overhead: u128::from(declared.overhead_ps) * PICOSECOND,
            bandwidth_bps: fabric.capacities.unit_bps(),
            barrier: declared.barrier,
        }
    }
}

impl Pace {
    /// Of a hop over a link, as schedules take it.
    fn over(&self, link: LinkId) -> u128 {
        self.hops.as_ref().map_or(self.hop, |hops| hops.slowest[link.index()])
    }
    /// The same where hops take no time, and perhaps messages neither.
    fn without_hops(&self) -> Self {
        Self { hop: 0, hops: None, overhead: 0, ..self.clone() }
    }
    fn without_overhead(&self) -> Self {
        Self { overhead: 0, ..self.clone() }
    }
}

impl HopTimes {
    fn new(scene: &Scene<'_>, hop: impl Fn(LinkId) -> u128) -> Self {
        let topology = scene.topology;
        let exact: Vec<u128> = topology.links().ids().map(&hop).collect();
        let mut slowest = exact.clone();
        let symmetry = symmetry_of(scene);
        if symmetry.order() > 1 {
            // Both directions of a link are asked: an image may run the other way.
            let mut of_class = BTreeMap::new();
            let class = |channel| topology.channel_class(&symmetry, channel);
            for channel in scene.channels() {
                let most = of_class.entry(class(channel)).or_insert(0u128);
                *most = exact[topology.link_of(channel).index()].max(*most);
            }
            for channel in scene.channels() {
                let most = of_class.get(&class(channel)).copied().unwrap_or(0);
                let link = &mut slowest[topology.link_of(channel).index()];
                *link = most.max(*link);
            }
        }
        Self { exact, slowest }
    }
}

impl Spent {
    /// All of it.
    pub fn total(self) -> u128 {
        self.volume + self.latency + self.overhead
    }
}

/// How long a schedule that was replayed takes for vectors of so many bytes; what follows tables, with them.
///
/// # Errors
/// Transfers that wait for each other, or messages without their tables.
pub fn schedule_time(
    scene: &Scene<'_>,
    tables: Option<&ForwardingTables>,
    schedule: &Schedule,
    pace: &Pace,
    bytes: u64,
) -> Result<ScheduleTime, CheckError> {
    let paces = [pace.clone(), pace.without_overhead(), pace.without_hops()];
    let pieces = u128::from(schedule.chunks);
    let chips = scene.endpoints().count() as u128;
    let carried =
        |parts: u128| (u128::from(bytes) * 8 * SECOND).div_ceil(u128::from(pace.bandwidth_bps) * parts);
    // With hops and messages, without messages, without both: where places are taken as they come, less may
    // by chance take longer.
    let spent = |[all, without_overhead, volume]: [u128; 3]| {
        let without_overhead = without_overhead.min(all);
        let volume = volume.min(without_overhead);
        Spent { volume, latency: without_overhead - volume, overhead: all - without_overhead }
    };
    match &schedule.transfers {
        Transfers::Rounds(rounds) => {
            let whole = schedule.root.is_some() || schedule.algorithm == CollectiveAlgorithm::Local;
            let widths = rounds.rounds.iter().map(|round| u64::from(round.width)).sum::<u64>();
            let runs = rounds.order.len() as u64;
            let (steps, volume) = (rounds.rounds.len() as u64 * runs, widths * runs);
            let chunk = carried(pieces * if whole { 1 } else { chips });
            Ok(ScheduleTime {
                spent: spent(of_rounds(scene, schedule, rounds, &paces, chunk)?),
                steps,
                volume,
            })
        }
        Transfers::Trees(shared) => {
            let pipeline = Pipeline::new(scene, shared);
            let (count, chunks) = (shared.trees.len() as u128, schedule.chunks);
            let message = carried(count * pieces);
            let takes = |pace: &Pace| match pace.barrier {
                true => pipeline.in_rounds(chunks, (message, pace.overhead), pace.hop),
                false => pipeline.takes(chunks, (message, pace.overhead), |link| pace.over(link)),
            };
            let common = u128::from(scene.topology.capacities().parts());
            let volume = pipeline.takes(chunks, (common, 0), |_| 0).div_ceil(common) as u64;
            Ok(ScheduleTime {
                spent: spent(paces.each_ref().map(takes)),
                steps: pipeline.steps(chunks),
                volume,
            })
        }
        Transfers::Timed(vectors) => Ok(of_vectors(scene, schedule, vectors)?),
        Transfers::Sends(sends) => {
            let tables = tables
                .ok_or_else(|| wrong("messages are timed with the tables that they follow".to_owned()))?;
            let loads = messages::messages(scene, tables, schedule, sends)?;
            let (slots, chunk) = (loads.slots(), carried(chips * pieces));
            let widest = loads.lanes.iter().copied().max().unwrap_or(1);
            let link_of: BTreeMap<usize, LinkId> = scene
                .channels()
                .map(|channel| {
                    (
                        scene.topology.channel_class(&loads.symmetry, channel).index(),
                        scene.topology.link_of(channel),
                    )
                })
                .collect();
            let takes = |pace: &Pace| match pace.barrier {
                // A wide channel has a message for each of its lanes.
                true => (chunk + pace.overhead * u128::from(widest) + pace.hop) * u128::from(slots),
                false => {
                    let hop =
                        |class: u32| link_of.get(&(class as usize)).map_or(pace.hop, |&link| pace.over(link));
                    loads
                        .legs
                        .iter()
                        .map(|leg| delivered(leg, &loads.lanes, (chunk, pace.overhead), &hop))
                        .sum()
                }
            };
            Ok(ScheduleTime { spent: spent(paces.each_ref().map(takes)), steps: slots, volume: slots })
        }
    }
}

/// What a plan of vectors takes from its start on: the slots of the busiest channel, and the rest.
fn of_vectors(
    scene: &Scene<'_>,
    schedule: &Schedule,
    vectors: &fabc_ir::Timed,
) -> Result<ScheduleTime, CheckError> {
    let Replayed { end, busiest } = replay(scene, schedule, vectors)?;
    let steps = end - u64::from(vectors.start);
    let time = |cycles: u64| cycles_time(cycles, vectors.clock_hz);
    let total = time(steps);
    let volume = time(busiest * u64::from(vectors.pace.slot)).min(total);
    Ok(ScheduleTime { spent: Spent { volume, latency: total - volume, overhead: 0 }, steps, volume: busiest })
}

/// Attoseconds of cycles, the last one begun counted whole.
pub(super) fn cycles_time(cycles: u64, clock_hz: u64) -> u128 {
    (u128::from(cycles) * SECOND).div_ceil(u128::from(clock_hz.max(1)))
}

/// When the last message of a list is there: a channel sends what comes next in the order of slots as soon as
/// it is free and the message has come.
fn delivered(
    leg: &messages::Leg,
    lanes: &[u32],
    (chunk, overhead): (u128, u128),
    hop: &dyn Fn(u32) -> u128,
) -> u128 {
    let (mut free, mut there) = (BTreeMap::new(), vec![0u128; leg.count]);
    for &(_, channel, message) in &leg.sends {
        let sent = chunk.div_ceil(u128::from(lanes[channel as usize])) + overhead;
        let since = free.get(&channel).copied().unwrap_or(0u128).max(there[message as usize]);
        free.insert(channel, since + sent);
        there[message as usize] = since + sent + hop(channel);
    }
    there.into_iter().max().unwrap_or(0)
}

/// All of it, without overheads, and without hops as well.
fn of_rounds(
    scene: &Scene<'_>,
    schedule: &Schedule,
    rounds: &Rounds,
    paces: &[Pace; 3],
    chunk: u128,
) -> Result<[u128; 3], CheckError> {
    Ok(if paces[0].barrier {
        let chunks: u128 = rounds.rounds.iter().map(|round| u128::from(round.width)).sum();
        let runs = rounds.order.len() as u128;
        let (moved, steps) = (chunks * runs * chunk, rounds.rounds.len() as u128 * runs);
        paces.each_ref().map(|pace| moved + steps * (pace.hop + pace.overhead))
    } else {
        let waits = Waits::new(&Plan::new(scene, schedule, rounds)?, rounds)?;
        paces.each_ref().map(|pace| waits.longest(chunk, pace))
    })
}

/// What waits for what.
struct Waits {
    /// In an order in which everything comes after what it waits for.
    order: Vec<u32>,
    /// `[transfer]`: the one before it on its channel, and whether it is the first of a message.
    before: Vec<(Option<u32>, bool)>,
    /// `[transfer]`: times the common unit that its channel carries.
    lanes: Vec<u128>,
    /// `[transfer]`: the link that it crosses.
    links: Vec<LinkId>,
    /// `[transfer]`: where those begin whose chunks it waits for.
    starts: Vec<u32>,
    brought: Vec<u32>,
}

impl Waits {
    fn new(plan: &Plan<'_>, rounds: &Rounds) -> Result<Self, CheckError> {
        let topology = plan.scene.topology;
        let symmetry =
            if rounds.canonical { topology.symmetry().clone() } else { topology.symmetry().without() };
        let cells = plan.routers.len() * plan.columns;
        let (mut before, mut lanes, mut links, mut starts, mut brought) =
            (Vec::new(), Vec::new(), Vec::new(), vec![0], Vec::new());
        // `[channel class]`: the last transfer on it, and the round that it was in, of all runs.
        let mut last: Vec<Option<(u32, usize)>> = vec![None; plan.routers.len() * topology.ports()];
        // `[cell]`: by whom the sums came, of the reduction before.
        let mut sums: Vec<Vec<u32>> = vec![Vec::new(); cells];
        let mut at = 0u32;
        for (run, order) in rounds.order.iter().enumerate() {
            let reverse = *order == Order::Reverse;
            // `[cell]`: by whom it comes in this run.
            let mut by: Vec<Vec<u32>> = vec![Vec::new(); cells];
            let mut inverted: Vec<&Transfer>;
            let transfers: &mut dyn Iterator<Item = &Transfer> = if reverse {
                inverted = plan.transfers.iter().collect();
                inverted.reverse();
                &mut inverted.into_iter()
            } else {
                &mut plan.transfers.iter()
            };
            for transfer in transfers {
                let (sender, receiver) =
                    if reverse { (transfer.to, transfer.from) } else { (transfer.from, transfer.to) };
                let end = if reverse {
                    topology.source(transfer.channel)
                } else {
                    topology.target(transfer.channel)
                };
                let channel = symmetry.class(end.node) * topology.ports() + end.port.index();
                let round = run * rounds.rounds.len() + transfer.round as usize;
                let (earlier, first) = match last[channel] {
                    Some((earlier, of)) => (Some(earlier), of != round),
                    None => (None, true),
                };
                last[channel] = Some((at, round));
                before.push((earlier, first));
                lanes.push(u128::from(topology.channel_capacity(transfer.channel)));
                links.push(topology.link_of(transfer.channel));
                let sender = plan.cell(sender);
                // A copy that nobody brought is the sender's own, or the sum that it has.
                let from = if by[sender].is_empty() && !reverse { &sums[sender] } else { &by[sender] };
                brought.extend_from_slice(from);
                starts.push(brought.len() as u32);
                by[plan.cell(receiver)].push(at);
                at += 1;
            }
            sums = by;
        }
        let mut waits = Self { order: Vec::new(), before, lanes, links, starts, brought };
        waits.order = waits.sorted()?;
        Ok(waits)
    }

    fn carried_by(&self, transfer: usize) -> &[u32] {
        &self.brought[self.starts[transfer] as usize..self.starts[transfer + 1] as usize]
    }

    /// Everything after what it waits for.
    fn sorted(&self) -> Result<Vec<u32>, CheckError> {
        let count = self.before.len();
        let needs = |at: usize| self.carried_by(at).iter().copied().chain(self.before[at].0);
        let mut missing: Vec<u32> = (0..count).map(|at| needs(at).count() as u32).collect();
        let mut heads = vec![0u32; count + 1];
        (0..count).flat_map(needs).for_each(|of| heads[of as usize + 1] += 1);
        (0..count).for_each(|at| heads[at + 1] += heads[at]);
        let (mut free, mut waiting) = (heads.clone(), vec![0u32; heads[count] as usize]);
        for at in 0..count {
            for of in needs(at) {
                waiting[free[of as usize] as usize] = at as u32;
                free[of as usize] += 1;
            }
        }
        let mut order: Vec<u32> = (0..count as u32).filter(|&at| missing[at as usize] == 0).collect();
        let mut done = 0;
        while let Some(&next) = order.get(done) {
            done += 1;
            for &after in &waiting[heads[next as usize] as usize..heads[next as usize + 1] as usize] {
                missing[after as usize] -= 1;
                if missing[after as usize] == 0 {
                    order.push(after);
                }
            }
        }
        if order.len() == count {
            Ok(order)
        } else {
            Err(ScheduleError::shape("transfers wait for each other".to_owned()).into())
        }
    }

    /// When the last chunk is there.
    fn longest(&self, chunk: u128, pace: &Pace) -> u128 {
        let arrives = |at: usize, left: u128| left + pace.over(self.links[at]);
        // `[transfer]`: when its last byte has left.
        let mut left = vec![0u128; self.before.len()];
        for &at in &self.order {
            let at = at as usize;
            let (earlier, first) = self.before[at];
            let there = self
                .carried_by(at)
                .iter()
                .map(|&by| arrives(by as usize, left[by as usize]))
                .max()
                .unwrap_or(0);
            let free = earlier.map_or(0, |earlier| left[earlier as usize]);
            left[at] =
                there.max(free) + if first { pace.overhead } else { 0 } + chunk.div_ceil(self.lanes[at]);
        }
        left.into_iter().enumerate().map(|(at, left)| arrives(at, left)).max().unwrap_or(0)
    }
}

/// What no schedule takes less than, by the witnesses of one, attoseconds; and which of them says so.
pub fn bound_time<'a>(
    scene: &Scene<'_>,
    schedule: &'a Schedule,
    pace: &Pace,
    bytes: u64,
) -> Option<(u128, &'a CollectiveBound)> {
    if let Transfers::Timed(vectors) = &schedule.transfers {
        let (cycles, bound) = cycles_at_least(schedule, vectors)?;
        return Some((cycles_time(cycles, vectors.clock_hz), bound));
    }
    let chips = scene.endpoints().count() as u128;
    let vector = u128::from(bytes) * 8 * SECOND / u128::from(pace.bandwidth_bps.max(1));
    // With barriers the farthest way is as many rounds as it has hops, whatever else is in the way.
    let ways = schedule
        .bounds
        .iter()
        .map(|bound| if let CollectiveBound::Latency { distance, .. } = bound { distance + 1 } else { 1 });
    let farthest = ways.max().unwrap_or(1);
    let mut highest: Option<(u128, &CollectiveBound)> = None;
    // What only schedules along the same tables keep to, bounds no others.
    for bound in schedule.bounds.iter().filter(|bound| !matches!(bound, CollectiveBound::Channel { .. })) {
        let (over, under, hops) = match *bound {
            CollectiveBound::Cut { channels, shards, .. } => (u128::from(shards), u128::from(channels), 0),
            CollectiveBound::Latency { channels, shards, distance, .. } => {
                (u128::from(shards), u128::from(channels), distance + 1)
            }
            CollectiveBound::Partition { parts, channels, .. } => {
                (2 * (u128::from(parts) - 1), u128::from(channels), 0)
            }
            CollectiveBound::Flow { volume, distance, .. } => (distance, volume, 0),
            CollectiveBound::Channel { shards, lanes, .. } => (u128::from(shards), u128::from(lanes), 0),
            // Only of plans in cycles.
            CollectiveBound::Quickest { .. } => continue,
        };
        let of_shards = schedule.root.is_none() && !matches!(bound, CollectiveBound::Partition { .. });
        let under = if of_shards { under * chips } else { under };
        let delay = match (bound, &pace.hops) {
            _ if pace.barrier => u128::from(farthest) * (pace.hop + pace.overhead),
            // A chunk that comes late may ride on a message that has begun, so one overhead counts.
            (_, None) => u128::from(hops.max(1)) * pace.hop + pace.overhead,
            (&CollectiveBound::Latency { node, distance, .. }, Some(hops)) => {
                soonest(scene, schedule, (node, distance), &hops.exact) + pace.overhead
            }
            (_, Some(hops)) => {
                scene.links().map(|link| hops.exact[link.index()]).min().unwrap_or(0) + pace.overhead
            }
        };
        let time = vector.saturating_mul(over) / under.max(1) + delay;
        if highest.is_none_or(|(highest, _)| time > highest) {
            highest = Some((time, bound));
        }
    }
    highest
}

/// How soon anything can reach a chip from those that are more than so many hops away, or from the root of a
/// broadcast: the least sum of hops along a path, found by settling the nearest router first.
fn soonest(scene: &Scene<'_>, schedule: &Schedule, (chip, distance): (NodeId, u32), hops: &[u128]) -> u128 {
    let away = hops_to(scene, chip);
    let counts = |node: NodeId| match schedule.root {
        Some(root) if schedule.collective != Collective::Reduce => node == root,
        _ => scene.is_endpoint(node) && away[node.index()] > distance && away[node.index()] != u32::MAX,
    };
    let (mut open, mut settled) = (BTreeSet::from([(0u128, chip)]), BTreeSet::new());
    while let Some((time, node)) = open.pop_first() {
        if counts(node) {
            return time;
        }
        if settled.insert(node) {
            let into = scene.channels_into(node);
            open.extend(into.map(|channel| {
                (time + hops[scene.topology.link_of(channel).index()], scene.topology.source(channel).node)
            }));
        }
    }
    0
}
