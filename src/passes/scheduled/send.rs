//! Messages between chips: every vector by the way on which it ends first.
//!
//! In: messages, chips up to symmetry. Out: the cycle of every vector on every lane of its way. The ways of a
//! message are those that share no channel (`quickest`) and those of searches whose lengths grow with the
//! load. Vectors of all messages come in turn; each takes the way that brings it there first, and its slots
//! on it. A way with more hops than another must save so many slots, of which several are tried; the ways
//! that were taken are also listed anew, the longest rest first. A message alone is dealt to the best number
//! of ways, which is optimal within a slot. Cost: O(vectors x ways x hops).

use super::ground::{Ground, Lane};
use super::job::{Messages, Plan};
use super::list::{Task, Tasks, list};
use super::paths::{Net, UNIT};
use super::quickest::{DISJOINT, Disjoint, LISTED_NODES, Levels, cycles, dealt, disjoint, into};
use super::taken::Taken;
use fabc_base::ids::{Id, NodeId};
use fabc_base::random::Stream;
use fabc_ir::{CollectiveBound, Scene, TimedMessage, TimedSend};
use fabc_model::{MessageWays, SlotPace};
use rayon::prelude::*;

/// Ways that a message may choose from.
const KEPT: usize = 32;
/// Rounds of searches with lengths.
const ROUNDS: u64 = 192;
/// A lane that carries most grows by one part in so many each round: at first, and in the end.
const GROWTH: [u64; 2] = [8, 128];
/// Relaxations that all searches together may take.
const SEARCHED: u64 = 300_000_000;
/// What a hop more must save, in slots, for a way to be taken.
const PRICES: [u64; 12] = [0, 1, 2, 3, 4, 6, 8, 10, 13, 16, 21, 27];
/// Looks at lanes that all tries together may take.
const LOOKS: u64 = 100_000_000;

/// Whether every image of a message is a message.
pub(super) fn is_symmetric(scene: &Scene<'_>, messages: &[TimedMessage]) -> bool {
    let symmetry = scene.topology.symmetry();
    let kept = |element| messages.iter().all(|message| message.image(messages, symmetry, element).is_some());
    (0..symmetry.order()).all(kept)
}

/// A message of a canonical chip, and the lanes of its ways.
struct Load {
    message: TimedMessage,
    ways: Vec<Vec<u32>>,
}

/// When which vectors leave on which ways.
#[derive(Default)]
struct Dealt {
    /// When the last one has come.
    end: u32,
    /// (load, part, way)
    vectors: Vec<(u32, u32, u32)>,
    /// The cycles of their legs, one vector after the other.
    cycles: Vec<u32>,
}

/// Ways of messages, and what bounds them.
struct Known {
    loads: Vec<Load>,
    bounds: Vec<CollectiveBound>,
}

impl Plan<'_> {
    /// The sends of all messages, and what no plan does better.
    pub(super) fn send(&self, messages: Messages<'_>) -> (Vec<TimedSend>, Vec<CollectiveBound>) {
        let Self { ground, job, .. } = self;
        let net = Net::new(ground);
        let Known { loads, bounds } = self.known(&net, messages);
        let turns = turns(&loads, job.seed);
        let looks: u64 = loads
            .iter()
            .map(|load| {
                u64::from(load.message.vectors) * load.ways.iter().map(Vec::len).sum::<usize>() as u64
            })
            .sum();
        let tries = (LOOKS / looks.max(1)).clamp(1, 2 * PRICES.len() as u64) as usize;
        let prices = if messages.all.len() == 1 { 1 } else { tries };
        let one = |at: usize| {
            self.deal(
                &loads,
                &turns,
                PRICES[at % PRICES.len()] * u64::from(self.site.pace.slot),
                at >= PRICES.len(),
            )
        };
        let found: Vec<Dealt> = (0..prices).into_par_iter().map(one).collect();
        let best = found.into_iter().min_by_key(|dealt| dealt.end).unwrap_or_default();
        (self.legs(&loads, &best, messages.all), bounds)
    }

    /// The ways of all messages of canonical chips.
    fn known(&self, net: &Net, messages: Messages<'_>) -> Known {
        let Self { ground, site, .. } = self;
        let (into, most) = (into(net), messages.ways.most().min(DISJOINT));
        let most = if messages.ways == MessageWays::Minimal { 1 } else { most };
        let canonical =
            |message: &&TimedMessage| ground.chips[ground.symmetry.class(message.from)] == message.from;
        let own: Vec<TimedMessage> = messages.all.iter().filter(canonical).copied().collect();
        let one = |message: &TimedMessage| disjoint(net, &into, [message.from, message.to], most);
        let sets: Vec<(Levels, Vec<Disjoint>)> = own.par_iter().map(one).collect();
        let quickest = own.iter().zip(&sets).map(|(message, (first, sets))| {
            let of = |levels| (cycles(net, levels, u64::from(message.vectors), site.pace), levels);
            let further = sets.iter().map(|set| of(&set.levels));
            let (cycles, levels) =
                further.fold(of(first), |one, other| if other.0 > one.0 { other } else { one });
            (cycles + u64::from(message.earliest), message, levels)
        });
        let mut bounds = Vec::new();
        // Of equal ones the first.
        if let Some((cycles, message, levels)) =
            quickest.reduce(|one, other| if other.0 > one.0 { other } else { one })
        {
            let message = messages.all.iter().position(|other| other == message).unwrap_or(0) as u32;
            bounds.push(CollectiveBound::Quickest { message, levels: levels.to_vec(), cycles });
        }
        let alone = messages.all.len() == 1;
        let lanes =
            |way: &Vec<u32>| way.iter().map(|&channel| net.out[channel as usize].1).collect::<Vec<u32>>();
        let mut loads: Vec<Load> = Vec::new();
        for (message, (_, sets)) in own.iter().zip(&sets) {
            // Alone on free channels the best number of ways is known; ways of a limited number are those.
            let at_once =
                |set: &&Disjoint| dealt(set.ways.iter().map(Vec::len), u64::from(message.vectors), site.pace);
            let chosen: Vec<&Disjoint> = match (alone, messages.ways) {
                (true, _) => sets.iter().min_by_key(at_once).into_iter().collect(),
                (false, MessageWays::Any) => sets.iter().collect(),
                (false, _) => sets.last().into_iter().collect(),
            };
            let mut ways: Vec<Vec<u32>> = Vec::new();
            for way in chosen.into_iter().flat_map(|set| &set.ways).map(lanes) {
                if ways.len() < KEPT && !ways.contains(&way) {
                    ways.push(way);
                }
            }
            loads.push(Load { message: *message, ways });
        }
        if !alone {
            bounds.extend(searched(ground, net, &mut loads, messages.ways));
        }
        Known { loads, bounds }
    }

    /// Deals vectors in turn, each to the way that ends first, where a hop more costs so many cycles; then
    /// perhaps lists the ways that were taken anew.
    fn deal(&self, loads: &[Load], turns: &[(u32, u32)], price: u64, anew: bool) -> Dealt {
        let Self { ground, site, job, .. } = self;
        let mut lanes =
            if self.taken.is_empty() { Taken::of(ground.lanes.len()) } else { self.taken.clone() };
        let mut dealt = Dealt { end: job.start, ..Dealt::default() };
        let (mut legs, mut best_legs) = (Vec::new(), Vec::new());
        for &(at, part) in turns {
            let Load { message, ways } = &loads[at as usize];
            let mut best: Option<(u64, u32, u32)> = None;
            for (number, way) in ways.iter().enumerate() {
                let extra = price * way.len() as u64;
                let most = best.map_or(u64::MAX, |(cost, ..)| cost.saturating_sub(extra));
                let Some(end) = walk(&lanes, way, job.start + message.earliest, site.pace, most, &mut legs)
                else {
                    continue;
                };
                best = Some((u64::from(end) + extra, end, number as u32));
                std::mem::swap(&mut legs, &mut best_legs);
            }
            let Some((_, end, way)) = best else { continue };
            for (&lane, &cycle) in ways[way as usize].iter().zip(&best_legs) {
                lanes.take(lane as usize, cycle, site.pace.slot);
            }
            dealt.end = dealt.end.max(end);
            dealt.vectors.push((at, part, way));
            dealt.cycles.extend_from_slice(&best_legs);
        }
        if !anew || loads.iter().any(|load| load.message.earliest > 0) {
            return dealt;
        }
        let mut tasks = Tasks::default();
        for (turn, &(at, _, way)) in dealt.vectors.iter().enumerate() {
            let mut before = None;
            for &lane in &loads[at as usize].ways[way as usize] {
                before = Some((
                    tasks.add(Task { lane, rank: 0, sums: false }, before.map(|(task, _)| task).as_slice()),
                    turn,
                ));
            }
        }
        tasks.rank_by_tail(site.pace);
        let cycles = list(&tasks, ground.ends(), (&self.taken, site.pace), job.start, |task| {
            (tasks.all[task as usize].rank, !task)
        });
        let end = cycles.iter().max().map_or(job.start, |last| last + site.pace.hop);
        if end < dealt.end { Dealt { end, cycles, ..dealt } } else { dealt }
    }

    /// What chips send, by the numbers that vectors have where every chip has been taken home.
    fn legs(&self, loads: &[Load], dealt: &Dealt, all: &[TimedMessage]) -> Vec<TimedSend> {
        let ground = self.ground;
        let mut sends = Vec::with_capacity(dealt.cycles.len());
        let mut cycles = dealt.cycles.iter();
        for &(at, part, way) in &dealt.vectors {
            let Load { message, ways } = &loads[at as usize];
            let mut node = message.from;
            for (&lane, &cycle) in ways[way as usize].iter().zip(&mut cycles) {
                let home = ground.symmetry.inverse(ground.symmetry.element_to(node));
                let image =
                    if home == 0 { Some(message) } else { message.image(all, &ground.symmetry, home) };
                let vector = image.map_or(0, |image| image.first) + u64::from(part);
                let Lane { from, port, .. } = ground.lanes[lane as usize];
                sends.push(TimedSend { cycle, chip: ground.chips[from], port, vector });
                node = ground.leave(node, lane as usize);
            }
        }
        sends
    }
}

/// (load, part): vectors of all messages in turn, so that all are through at the same time.
fn turns(loads: &[Load], seed: u64) -> Vec<(u32, u32)> {
    let mut order: Vec<u32> = (0..loads.len() as u32).collect();
    Stream::new(seed, 3).shuffle(&mut order);
    let mut turns: Vec<(u64, u32, (u32, u32))> = Vec::new();
    for (place, &at) in order.iter().enumerate() {
        let vectors = u64::from(loads[at as usize].message.vectors);
        turns.extend((0..vectors).map(|part| ((part << 32) / vectors, place as u32, (at, part as u32))));
    }
    turns.sort_unstable();
    turns.into_iter().map(|(.., turn)| turn).collect()
}

/// When a vector ends on a way that it starts at some cycle, and in `legs` when it leaves; `None` where that
/// is no sooner than `most`.
fn walk(
    lanes: &Taken,
    way: &[u32],
    from: u32,
    pace: SlotPace,
    most: u64,
    legs: &mut Vec<u32>,
) -> Option<u32> {
    legs.clear();
    let mut now = from;
    for (at, &lane) in way.iter().enumerate() {
        loop {
            now = lanes.free(lane as usize, now, pace);
            // Images of the way itself may cross the lane as well.
            let own = way[..at].iter().zip(&*legs).filter(|(other, _)| **other == lane);
            let near = own
                .map(|(_, &cycle)| cycle)
                .find(|&cycle| now < cycle + pace.slot && cycle < now + pace.slot);
            match near {
                Some(cycle) => now = cycle + pace.slot,
                None => break,
            }
        }
        legs.push(now);
        now += pace.hop;
        if u64::from(now) + (way.len() - 1 - at) as u64 * u64::from(pace.hop) >= most {
            return None;
        }
    }
    Some(now)
}

/// Adds the ways that searches find whose lengths grow with the load; the lengths that prove most.
fn searched(
    ground: &Ground<'_>,
    net: &Net,
    loads: &mut [Load],
    allowed: MessageWays,
) -> Option<CollectiveBound> {
    let mut sources: Vec<NodeId> = loads.iter().map(|load| load.message.from).collect();
    sources.sort_unstable();
    sources.dedup();
    let work = (sources.len() * net.out.len()) as u64;
    let rounds = (SEARCHED / work.max(1)).clamp(8, ROUNDS);
    let mut lengths = vec![UNIT; ground.lanes.len()];
    let mut best: Option<(u128, u128, Vec<u64>)> = None;
    for round in 0..rounds {
        let trees: Vec<_> = sources.par_iter().map(|&source| net.shortest_far(source, &lengths)).collect();
        let (mut carried, mut distance) = (vec![0u64; lengths.len()], 0u128);
        for Load { message, ways } in loads.iter_mut() {
            let (came, far) = &trees[sources.binary_search(&message.from).unwrap_or(0)];
            distance += u128::from(far[message.to.index()]) * u128::from(message.vectors);
            let (mut way, mut at) = (Vec::new(), message.to.0);
            while at != message.from.0 {
                let (before, lane) = came[at as usize];
                carried[lane as usize] += u64::from(message.vectors);
                way.push(lane);
                at = before;
            }
            way.reverse();
            let fits = match allowed {
                MessageWays::Any => ways.len() < KEPT,
                MessageWays::Minimal => {
                    ways.len() < KEPT && ways.first().is_none_or(|first| first.len() == way.len())
                }
                MessageWays::Most(_) => false,
            };
            if fits && !ways.contains(&way) {
                ways.push(way);
            }
        }
        let volume: u128 = lengths.iter().map(|&length| u128::from(length)).sum();
        if best.as_ref().is_none_or(|(over, under, _)| distance * under > over * volume) {
            best = Some((distance, volume, lengths.clone()));
        }
        let most = carried.iter().copied().max().unwrap_or(1).max(1);
        let growth = GROWTH[0] + (GROWTH[1] - GROWTH[0]) * round / rounds;
        for (length, &load) in lengths.iter_mut().zip(&carried) {
            *length += (u128::from(*length / growth) * u128::from(load) / u128::from(most)) as u64;
        }
        if lengths.iter().any(|&length| length > UNIT << 20) {
            lengths.iter_mut().for_each(|length| *length = (*length >> 8).max(1));
        }
    }
    // Ways of fewest hops alone are no matter of lengths.
    let (distance, volume, found) = best.filter(|_| ground.nodes() <= LISTED_NODES)?;
    let topology = ground.scene.topology;
    let mut lengths = vec![0; topology.class_count(&ground.symmetry)];
    for (lane, length) in ground.lanes.iter().zip(found) {
        let channel = topology.outgoing(ground.chips[lane.from], lane.port)?;
        lengths[topology.channel_class(&ground.symmetry, channel).index()] = length;
    }
    let order = ground.symmetry.order() as u128;
    Some(CollectiveBound::Flow { lengths, volume: volume * order, distance: distance * order })
}
