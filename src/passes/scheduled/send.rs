//! Messages between chips: every vector takes the path on which it arrives first.
//!
//! Input: messages, and chips up to symmetry. Output: the cycle of every vector on every lane of its path.
//! The paths of a message are those that share no channel (`quickest`), and those of searches whose lengths
//! grow with the load. The vectors of all messages take turns. Each takes the path that delivers it first,
//! and its slots on that path.
//!
//! A path with more hops than another must save a number of slots, of which several are tried. The chosen
//! paths are also scheduled anew, the longest remainder first. A message alone is dealt to the best number of
//! paths, which is optimal to within a slot. Cost: O(vectors x paths x hops).

use super::busy::BusyCycles;
use super::graph::{LaneGraph, OutputLane};
use super::job::{MessageSet, VectorPlanner};
use super::list::{LaneTask, Tasks, schedule_tasks};
use super::paths::{SearchNet, UNIT};
use super::quickest::{
    DISJOINT, DisjointPaths, LISTED_NODES, SourceLevels, channels_into, cycles, dealt_cycles, disjoint_paths,
};
use fabc_base::ids::{Id, NodeId};
use fabc_base::random::Stream;
use fabc_ir::{CollectiveBound, Scene, TimedMessage, TimedSend};
use fabc_model::{MessageWays, SlotPace};
use rayon::prelude::*;

/// Limit on the paths that a message may choose from.
const PATHS_LIMIT: usize = 32;
/// Rounds of searches with lengths.
const ROUNDS: u64 = 192;
/// The most loaded lane grows by one part in this number each round: at first, and at the end.
const GROWTH: [u64; 2] = [8, 128];
/// Limit on relaxations of all searches together.
const SEARCH_WORK: u64 = 300_000_000;
/// Slots that a path must save for each further hop. One price per try.
const PRICES: [u64; 12] = [0, 1, 2, 3, 4, 6, 8, 10, 13, 16, 21, 27];
/// Limit on lookups of lanes in all tries together.
const LOOKS_LIMIT: u64 = 100_000_000;

/// Whether every image of a message is a message.
pub(super) fn is_symmetric(scene: &Scene<'_>, messages: &[TimedMessage]) -> bool {
    let symmetry = scene.topology.symmetry();
    let is_kept =
        |element| messages.iter().all(|message| message.image(messages, symmetry, element).is_some());
    (0..symmetry.order()).all(is_kept)
}

/// A message of a canonical chip, and the lanes of its paths.
struct LaneMessage {
    message: TimedMessage,
    paths: Vec<Vec<u32>>,
}

/// The vectors, their paths, and when they leave.
#[derive(Default)]
struct VectorTimes {
    /// When the last vector has arrived.
    end: u32,
    /// (index of the message, part, index of the path) of each vector
    vectors: Vec<(u32, u32, u32)>,
    /// The cycles in which the vectors leave on each lane of their path, one vector after the other.
    cycles: Vec<u32>,
}

/// Messages with their paths, and the bounds on them.
struct BoundedMessages {
    loads: Vec<LaneMessage>,
    bounds: Vec<CollectiveBound>,
}

impl VectorPlanner<'_> {
    /// The sends of all messages, and lower bounds on any schedule.
    pub(super) fn send(&self, messages: MessageSet<'_>) -> (Vec<TimedSend>, Vec<CollectiveBound>) {
        let Self { graph, job, .. } = self;
        let net = SearchNet::new(graph);
        let BoundedMessages { loads, bounds } = self.find_paths(&net, messages);
        let dealing_order = dealing_order(&loads, job.seed);
        let looks: u64 = loads
            .iter()
            .map(|load| {
                u64::from(load.message.vectors) * load.paths.iter().map(Vec::len).sum::<usize>() as u64
            })
            .sum();
        let tries = (LOOKS_LIMIT / looks.max(1)).clamp(1, 2 * PRICES.len() as u64) as usize;
        let prices = if messages.list.len() == 1 { 1 } else { tries };
        let one_try = |try_number: usize| {
            self.deal_vectors(
                &loads,
                &dealing_order,
                PRICES[try_number % PRICES.len()] * u64::from(self.site.pace.slot),
                try_number >= PRICES.len(),
            )
        };
        let results: Vec<VectorTimes> = (0..prices).into_par_iter().map(one_try).collect();
        let best = results.into_iter().min_by_key(|times| times.end).unwrap_or_default();
        (self.timed_sends(&loads, &best, messages.list), bounds)
    }

    /// The paths of all messages of canonical chips.
    fn find_paths(&self, net: &SearchNet, messages: MessageSet<'_>) -> BoundedMessages {
        let Self { graph, site, .. } = self;
        let (channels_into, limit) = (channels_into(net), messages.paths.limit().min(DISJOINT));
        let limit = if messages.paths == MessageWays::Minimal { 1 } else { limit };
        let is_canonical =
            |message: &&TimedMessage| graph.chips[graph.symmetry.class(message.from)] == message.from;
        let canonical_messages: Vec<TimedMessage> =
            messages.list.iter().filter(is_canonical).copied().collect();
        let paths_of =
            |message: &TimedMessage| disjoint_paths(net, &channels_into, message.from, message.to, limit);
        let sets: Vec<(SourceLevels, Vec<DisjointPaths>)> =
            canonical_messages.par_iter().map(paths_of).collect();
        let quickest = canonical_messages.iter().zip(&sets).map(|(message, (distances, sets))| {
            let value_of = |levels| (cycles(net, levels, u64::from(message.vectors), site.pace), levels);
            let other_values = sets.iter().map(|set| value_of(&set.levels));
            let (cycles, levels) = other_values
                .fold(value_of(distances), |best, other| if other.0 > best.0 { other } else { best });
            (cycles + u64::from(message.earliest), message, levels)
        });
        let mut bounds = Vec::new();
        // Of equal bounds the first one counts.
        if let Some((cycles, message, levels)) =
            quickest.reduce(|best, other| if other.0 > best.0 { other } else { best })
        {
            let message = messages.list.iter().position(|other| other == message).unwrap_or(0) as u32;
            bounds.push(CollectiveBound::Quickest { message, levels: levels.to_vec(), cycles });
        }
        let is_single = messages.list.len() == 1;
        let lanes =
            |path: &Vec<u32>| path.iter().map(|&channel| net.out[channel as usize].1).collect::<Vec<u32>>();
        let mut loads: Vec<LaneMessage> = Vec::new();
        for (message, (_, sets)) in canonical_messages.iter().zip(&sets) {
            // For a single message the best number of paths is known. With a limited number of paths the
            // limit is used.
            let least_cycles = |set: &&DisjointPaths| {
                dealt_cycles(set.paths.iter().map(Vec::len), u64::from(message.vectors), site.pace)
            };
            let chosen: Vec<&DisjointPaths> = match (is_single, messages.paths) {
                (true, _) => sets.iter().min_by_key(least_cycles).into_iter().collect(),
                (false, MessageWays::Any) => sets.iter().collect(),
                (false, _) => sets.last().into_iter().collect(),
            };
            let mut paths: Vec<Vec<u32>> = Vec::new();
            for path in chosen.into_iter().flat_map(|set| &set.paths).map(lanes) {
                if paths.len() < PATHS_LIMIT && !paths.contains(&path) {
                    paths.push(path);
                }
            }
            loads.push(LaneMessage { message: *message, paths });
        }
        if !is_single {
            bounds.extend(add_searched_paths(graph, net, &mut loads, messages.paths));
        }
        BoundedMessages { loads, bounds }
    }

    /// Deals vectors in turn, each to the path on which it arrives first. A further hop costs `price` cycles.
    /// With `relist` the tasks of the chosen paths are then scheduled anew.
    fn deal_vectors(
        &self,
        loads: &[LaneMessage],
        dealing_order: &[(u32, u32)],
        price: u64,
        relist: bool,
    ) -> VectorTimes {
        let Self { graph, site, job, .. } = self;
        let mut busy =
            if self.busy.is_empty() { BusyCycles::new(graph.lanes.len()) } else { self.busy.clone() };
        let mut times = VectorTimes { end: job.start, ..VectorTimes::default() };
        let (mut send_cycles, mut best_send_cycles) = (Vec::new(), Vec::new());
        for &(load, part) in dealing_order {
            let LaneMessage { message, paths } = &loads[load as usize];
            let mut best: Option<(u64, u32, u32)> = None;
            for (number, path) in paths.iter().enumerate() {
                let extra = price * path.len() as u64;
                let cost_limit = best.map_or(u64::MAX, |(cost, ..)| cost.saturating_sub(extra));
                let Some(end) = arrival_cycle(
                    &busy,
                    path,
                    job.start + message.earliest,
                    site.pace,
                    cost_limit,
                    &mut send_cycles,
                ) else {
                    continue;
                };
                best = Some((u64::from(end) + extra, end, number as u32));
                std::mem::swap(&mut send_cycles, &mut best_send_cycles);
            }
            let Some((_, end, path)) = best else { continue };
            for (&lane, &cycle) in paths[path as usize].iter().zip(&best_send_cycles) {
                busy.take(lane as usize, cycle, site.pace.slot);
            }
            times.end = times.end.max(end);
            times.vectors.push((load, part, path));
            times.cycles.extend_from_slice(&best_send_cycles);
        }
        if !relist || loads.iter().any(|load| load.message.earliest > 0) {
            return times;
        }
        let mut tasks = Tasks::default();
        for (turn, &(load, _, path)) in times.vectors.iter().enumerate() {
            let mut predecessor = None;
            for &lane in &loads[load as usize].paths[path as usize] {
                predecessor = Some((
                    tasks.add(
                        LaneTask { lane, rank: 0, sums: false },
                        predecessor.map(|(task, _)| task).as_slice(),
                    ),
                    turn,
                ));
            }
        }
        tasks.rank_by_tail(site.pace);
        let cycles = schedule_tasks(&tasks, graph.lane_ends(), &self.busy, site.pace, job.start, |task| {
            (tasks.entries[task as usize].rank, !task)
        });
        let end = cycles.iter().max().map_or(job.start, |last| last + site.pace.hop);
        if end < times.end { VectorTimes { end, cycles, ..times } } else { times }
    }

    /// The sends of all vectors, numbered as at canonical chips.
    fn timed_sends(
        &self,
        loads: &[LaneMessage],
        times: &VectorTimes,
        messages: &[TimedMessage],
    ) -> Vec<TimedSend> {
        let graph = self.graph;
        let mut sends = Vec::with_capacity(times.cycles.len());
        let mut cycles = times.cycles.iter();
        for &(load, part, path) in &times.vectors {
            let LaneMessage { message, paths } = &loads[load as usize];
            let mut node = message.from;
            for (&lane, &cycle) in paths[path as usize].iter().zip(&mut cycles) {
                let to_canonical = graph.symmetry.inverse(graph.symmetry.element_to(node));
                let image = if to_canonical == 0 {
                    Some(message)
                } else {
                    message.image(messages, &graph.symmetry, to_canonical)
                };
                let vector = image.map_or(0, |image| image.first) + u64::from(part);
                let OutputLane { from, port, .. } = graph.lanes[lane as usize];
                sends.push(TimedSend { cycle, chip: graph.chips[from], port, vector });
                node = graph.target_of(node, lane as usize);
            }
        }
        sends
    }
}

/// (load, part): the vectors of all messages in turn, so that all messages end at the same time.
fn dealing_order(loads: &[LaneMessage], seed: u64) -> Vec<(u32, u32)> {
    let mut order: Vec<u32> = (0..loads.len() as u32).collect();
    Stream::new(seed, 3).shuffle(&mut order);
    let mut dealing_order: Vec<(u64, u32, (u32, u32))> = Vec::new();
    for (position, &load) in order.iter().enumerate() {
        let vectors = u64::from(loads[load as usize].message.vectors);
        dealing_order
            .extend((0..vectors).map(|part| ((part << 32) / vectors, position as u32, (load, part as u32))));
    }
    dealing_order.sort_unstable();
    dealing_order.into_iter().map(|(.., turn)| turn).collect()
}

/// When a vector arrives that starts on a path at cycle `from`, with its departures in `send_cycles`. `None`
/// if that is no sooner than `limit`.
fn arrival_cycle(
    lanes: &BusyCycles,
    path: &[u32],
    start: u32,
    pace: SlotPace,
    limit: u64,
    send_cycles: &mut Vec<u32>,
) -> Option<u32> {
    send_cycles.clear();
    let mut cycle_now = start;
    for (index, &lane) in path.iter().enumerate() {
        loop {
            cycle_now = lanes.free(lane as usize, cycle_now, pace);
            // Images of the same vector may cross the lane as well.
            let earlier_crossings =
                path[..index].iter().zip(&*send_cycles).filter(|(other, _)| **other == lane);
            let conflict = earlier_crossings
                .map(|(_, &cycle)| cycle)
                .find(|&cycle| cycle_now < cycle + pace.slot && cycle < cycle_now + pace.slot);
            match conflict {
                Some(cycle) => cycle_now = cycle + pace.slot,
                None => break,
            }
        }
        send_cycles.push(cycle_now);
        cycle_now += pace.hop;
        if u64::from(cycle_now) + (path.len() - 1 - index) as u64 * u64::from(pace.hop) >= limit {
            return None;
        }
    }
    Some(cycle_now)
}

/// Adds the paths of searches whose lengths grow with the load. Returns the bound of the lengths that prove
/// the most.
fn add_searched_paths(
    graph: &LaneGraph<'_>,
    net: &SearchNet,
    loads: &mut [LaneMessage],
    allowed: MessageWays,
) -> Option<CollectiveBound> {
    let mut sources: Vec<NodeId> = loads.iter().map(|load| load.message.from).collect();
    sources.sort_unstable();
    sources.dedup();
    let work = (sources.len() * net.out.len()) as u64;
    let rounds = (SEARCH_WORK / work.max(1)).clamp(8, ROUNDS);
    let mut lengths = vec![UNIT; graph.lanes.len()];
    let mut best: Option<(u128, u128, Vec<u64>)> = None;
    for round in 0..rounds {
        let trees: Vec<_> =
            sources.par_iter().map(|&source| net.shortest_tree_and_lengths(source, &lengths)).collect();
        let (mut carried, mut distance) = (vec![0u64; lengths.len()], 0u128);
        for LaneMessage { message, paths } in loads.iter_mut() {
            let (arrivals, lengths_to) = &trees[sources.binary_search(&message.from).unwrap_or(0)];
            distance += u128::from(lengths_to[message.to.index()]) * u128::from(message.vectors);
            let (mut path, mut node) = (Vec::new(), message.to.0);
            while node != message.from.0 {
                let (previous, lane) = arrivals[node as usize];
                carried[lane as usize] += u64::from(message.vectors);
                path.push(lane);
                node = previous;
            }
            path.reverse();
            let fits = match allowed {
                MessageWays::Any => paths.len() < PATHS_LIMIT,
                MessageWays::Minimal => {
                    paths.len() < PATHS_LIMIT && paths.first().is_none_or(|first| first.len() == path.len())
                }
                MessageWays::Most(_) => false,
            };
            if fits && !paths.contains(&path) {
                paths.push(path);
            }
        }
        let volume: u128 = lengths.iter().map(|&length| u128::from(length)).sum();
        if best
            .as_ref()
            .is_none_or(|(best_distance, best_volume, _)| distance * best_volume > best_distance * volume)
        {
            best = Some((distance, volume, lengths.clone()));
        }
        let busiest = carried.iter().copied().max().unwrap_or(1).max(1);
        let growth = GROWTH[0] + (GROWTH[1] - GROWTH[0]) * round / rounds;
        for (length, &load) in lengths.iter_mut().zip(&carried) {
            *length += (u128::from(*length / growth) * u128::from(load) / u128::from(busiest)) as u64;
        }
        if lengths.iter().any(|&length| length > UNIT << 20) {
            lengths.iter_mut().for_each(|length| *length = (*length >> 8).max(1));
        }
    }
    // The lengths are not used as a bound in large networks.
    let (distance, volume, proven_lengths) = best.filter(|_| graph.nodes() <= LISTED_NODES)?;
    let topology = graph.scene.topology;
    let mut lengths = vec![0; topology.class_count(&graph.symmetry)];
    for (lane, length) in graph.lanes.iter().zip(proven_lengths) {
        let channel = topology.outgoing(graph.chips[lane.from], lane.port)?;
        lengths[topology.channel_class(&graph.symmetry, channel).index()] = length;
    }
    let order = graph.symmetry.order() as u128;
    Some(CollectiveBound::Flow { lengths, volume: volume * order, distance: distance * order })
}
