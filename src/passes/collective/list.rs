//! List scheduling of messages: slot by slot every channel sends one of the chunks that wait for it; one that
//! is several lanes wide as many.
//!
//! It sends the chunk that serves the most critical channel still ahead of it: one that has much to send and
//! little of it at hand, so that the channels that bound the time are kept fed. Chunks on their last hop feed
//! nobody and come last. Parts of a message wait together and go in order. Channels decide by what was so at
//! the start of the slot, each alone. Cost: waiting messages, times the hops ahead of them, for every slot.

use super::tabled::Tabled;
use fabc_base::random::Keyed;
use rayon::prelude::*;
use std::collections::VecDeque;

/// What is preferred.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Rule {
    /// What serves the most critical channel.
    Critical,
    /// What has most hops left.
    Farthest,
}

/// How messages are cut and how they travel.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cutting {
    /// Parts of a message.
    pub(super) chunks: u32,
    /// Slots that a chunk is on its way beyond the one in which it is sent.
    pub(super) latency: u32,
}

/// When every chunk makes every hop.
pub(super) struct Timed {
    /// `[hop * chunks + part]`
    pub(super) times: Vec<u32>,
    /// Slots until the last one is sent.
    pub(super) slots: u32,
    /// Channels that were looked at.
    pub(super) work: u64,
}

/// Parts of a message that wait for a channel.
#[derive(Clone, Copy)]
struct Waiting {
    hop: u32,
    /// The first hop of the next message.
    end: u32,
    parts: u32,
    tie: u32,
    key: i64,
}

/// What a channel class still has to do.
#[derive(Clone, Copy, Default)]
struct Charge {
    /// Chunks that it has yet to send.
    left: i64,
    /// Those of them that wait.
    waiting: i64,
}

/// A message that is on its last hop.
const LAST: i64 = i64::MIN;
/// Keys are in thousandths of a chunk.
const UNIT: i64 = 1000;
/// What a hop left is worth.
const HOP: i64 = 10;
/// Channels looked at beyond which keys are not worked out anew in every slot.
const EAGER: u64 = 1 << 33;
/// Classes to a task.
const TASK: usize = 64;

/// Schedules all messages; ties by their numbers in `ties`.
pub(super) fn timed(tabled: &Tabled, cutting: Cutting, rule: Rule, ties: Keyed) -> Timed {
    let Cutting { chunks, latency } = cutting;
    let mut charges: Vec<Charge> = tabled
        .loads
        .iter()
        .map(|&load| Charge { left: i64::from(load) * i64::from(chunks), waiting: 0 })
        .collect();
    let mut queues: Vec<Vec<Waiting>> = vec![Vec::new(); tabled.loads.len()];
    // `[hop]`: where its message ends, its place in the queue, parts that were sent.
    let mut end = vec![0u32; tabled.hops.len()];
    tabled.starts.windows(2).for_each(|ends| end[ends[0] as usize..ends[1] as usize].fill(ends[1]));
    let mut place = vec![u32::MAX; tabled.hops.len()];
    let mut sent = vec![0u32; tabled.hops.len()];
    let mut tie = vec![0u32; tabled.hops.len()];
    for (ends, &(source, destination)) in tabled.starts.windows(2).zip(&tabled.pairs) {
        tie[ends[0] as usize..ends[1] as usize].fill((ties.at(source.0, destination.0) >> 32) as u32);
    }
    let mut timed = Timed { times: vec![0; tabled.hops.len() * chunks as usize], slots: 0, work: 0 };
    let mut left = timed.times.len();
    // By slot from now on: (hop, parts) that come to where it starts.
    let mut coming: VecDeque<Vec<(u32, u32)>> = vec![Vec::new(); latency as usize + 2].into();
    coming[0] = tabled.starts.windows(2).map(|ends| (ends[0], chunks)).collect();
    let estimate = tabled.hops.len() as u64 * tabled.least_slots(chunks);
    let most_lanes = tabled.lanes.iter().copied().max().unwrap_or(1);
    let refresh = 1 + estimate / EAGER;
    while left > 0 {
        let arrived = coming.pop_front().unwrap_or_default();
        coming.push_back(Vec::new());
        for &(hop, parts) in &arrived {
            charges[tabled.hops[hop as usize] as usize].waiting += i64::from(parts);
        }
        for (hop, parts) in arrived {
            let queue = &mut queues[tabled.hops[hop as usize] as usize];
            match queue.get_mut(place[hop as usize] as usize) {
                Some(waiting) => waiting.parts += parts,
                None => {
                    place[hop as usize] = queue.len() as u32;
                    let mut waiting =
                        Waiting { hop, end: end[hop as usize], parts, tie: tie[hop as usize], key: 0 };
                    waiting.key = key(&waiting, &tabled.hops, &charges, rule);
                    queue.push(waiting);
                }
            }
        }
        let fresh = u64::from(timed.slots).is_multiple_of(refresh);
        // A channel of several lanes chooses as often.
        for lane in 0..most_lanes {
            let charged = &charges;
            let choose = |(queue, &lanes): (&mut Vec<Waiting>, &u32)| {
                if lane >= lanes {
                    return (None, 0);
                }
                let mut looked = 0;
                if fresh && lane == 0 && queue.len() > 1 {
                    for waiting in queue.iter_mut() {
                        looked += u64::from(waiting.end - waiting.hop);
                        waiting.key = key(waiting, &tabled.hops, charged, rule);
                    }
                }
                let best = queue
                    .iter()
                    .enumerate()
                    .max_by_key(|(_, waiting)| (waiting.key, waiting.tie, waiting.hop));
                (best.map(|(at, _)| at), looked)
            };
            let chosen: Vec<(Option<usize>, u64)> =
                queues.par_iter_mut().zip(&tabled.lanes).with_min_len(TASK).map(choose).collect();
            for (class, (at, looked)) in chosen.into_iter().enumerate() {
                timed.work += looked;
                let Some(at) = at else { continue };
                let (queue, charge) = (&mut queues[class], &mut charges[class]);
                let waiting = &mut queue[at];
                let hop = waiting.hop as usize;
                timed.times[hop * chunks as usize + sent[hop] as usize] = timed.slots;
                sent[hop] += 1;
                (charge.left, charge.waiting, left) = (charge.left - 1, charge.waiting - 1, left - 1);
                if waiting.hop + 1 < waiting.end {
                    // What is sent now is there `latency + 1` slots later, and this slot is off the queue.
                    coming[latency as usize].push((waiting.hop + 1, 1));
                }
                waiting.parts -= 1;
                if waiting.parts == 0 {
                    place[hop] = u32::MAX;
                    queue.swap_remove(at);
                    if let Some(moved) = queue.get(at) {
                        place[moved.hop as usize] = at as u32;
                    }
                }
            }
        }
        timed.slots += 1;
    }
    timed
}

fn key(waiting: &Waiting, hops: &[u32], charges: &[Charge], rule: Rule) -> i64 {
    let ahead = &hops[waiting.hop as usize + 1..waiting.end as usize];
    if ahead.is_empty() {
        return LAST;
    }
    let far = HOP * ahead.len() as i64;
    if rule == Rule::Farthest {
        return far;
    }
    let lack = |(&class, away): (&u32, i64)| {
        let charge = charges[class as usize];
        UNIT * charge.left - UNIT * charge.waiting / away
    };
    ahead.iter().zip(1..).map(lack).max().unwrap_or(0) + far
}
