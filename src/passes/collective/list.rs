//! List scheduling of messages. In every slot each channel sends one of the chunks that wait for it, or one
//! per lane.
//!
//! It sends the chunk that serves the most critical channel still ahead of it. A channel is critical if it
//! has much to send and little of that waits at it. So the channels that limit the time always have chunks.
//! Chunks on their last hop serve no other channel and come last. Parts of a message wait together and go in
//! order. Each channel decides alone, by the state at the start of the slot. Cost: waiting messages, times
//! the hops ahead of them, for every slot.

use super::message_paths::MessagePaths;
use fabc_base::random::KeyedStream;
use rayon::prelude::*;
use std::collections::VecDeque;

/// Which waiting chunk a channel prefers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Preference {
    /// The one that serves the most critical channel.
    Critical,
    /// The one with the most hops ahead.
    Farthest,
}

/// How messages are cut, and how long chunks are in flight.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cutting {
    /// Number of parts of a message.
    pub(super) chunks: u32,
    /// Slots that a chunk is in flight beyond the slot in which it is sent.
    pub(super) latency: u32,
}

/// The slot in which every chunk makes every hop.
pub(super) struct HopSlots {
    /// `[hop * chunks + part]`: the slot of the part on the hop.
    pub(super) slots_of_hops: Vec<u32>,
    /// Number of slots until the last chunk is sent.
    pub(super) slots: u32,
    /// Number of hops examined, as a measure of work.
    pub(super) work: u64,
}

/// Parts of a message that wait for a channel.
#[derive(Clone, Copy)]
struct WaitingParts {
    hop: u32,
    /// The first hop of the next message.
    message_end: u32,
    parts: u32,
    tie: u32,
    priority: i64,
}

/// Work that remains for a channel class, in chunks.
#[derive(Clone, Copy, Default)]
struct Backlog {
    /// Chunks that it has yet to send.
    unsent: i64,
    /// Those of them that wait at it.
    waiting: i64,
}

/// Priority of a message on its last hop.
const LAST_HOP: i64 = i64::MIN;
/// Priorities are in thousandths of a chunk.
const UNIT: i64 = 1000;
/// Priority of each hop ahead.
const HOP_BONUS: i64 = 10;
/// Hops examined beyond which priorities are not computed anew in every slot.
const REFRESH_WORK: u64 = 1 << 33;
/// Channel classes in a parallel task.
const CLASSES_PER_TASK: usize = 64;

/// Schedules all messages. `ties` breaks ties by the pair of a message.
pub(super) fn schedule_hops(
    message_paths: &MessagePaths,
    cutting: Cutting,
    preference: Preference,
    ties: KeyedStream,
) -> HopSlots {
    let Cutting { chunks, latency } = cutting;
    let mut queues = HopQueues::new(message_paths, chunks, preference, ties);
    let hops = message_paths.hops.len();
    let mut hop_slots = HopSlots { slots_of_hops: vec![0; hops * chunks as usize], slots: 0, work: 0 };
    let mut unsent = hop_slots.slots_of_hops.len();
    // By slot from now on: (hop, parts) that arrive where the hop starts.
    let mut coming: VecDeque<Vec<(u32, u32)>> = vec![Vec::new(); latency as usize + 2].into();
    coming[0] = message_paths.starts.windows(2).map(|bounds| (bounds[0], chunks)).collect();
    let estimate = hops as u64 * message_paths.least_slots(chunks);
    let most_lanes = message_paths.lanes.iter().copied().max().unwrap_or(1);
    let refresh = 1 + estimate / REFRESH_WORK;
    while unsent > 0 {
        let arrived = coming.pop_front().unwrap_or_default();
        coming.push_back(Vec::new());
        queues.add(arrived);
        let is_refreshed = u64::from(hop_slots.slots).is_multiple_of(refresh);
        // A channel of several lanes chooses once per lane.
        for lane in 0..most_lanes {
            let chosen = queues.choose(lane, is_refreshed && lane == 0);
            for (class, (index, examined)) in chosen.into_iter().enumerate() {
                hop_slots.work += examined;
                let Some(index) = index else { continue };
                let SentPart { hop, part, is_last_hop } = queues.send(class, index);
                hop_slots.slots_of_hops[hop as usize * chunks as usize + part as usize] = hop_slots.slots;
                unsent -= 1;
                if !is_last_hop {
                    // A chunk sent now arrives `latency + 1` slots later. The current slot is off the queue
                    // already.
                    coming[latency as usize].push((hop + 1, 1));
                }
            }
        }
        hop_slots.slots += 1;
    }
    hop_slots
}

/// A part of a message that a channel has sent.
struct SentPart {
    hop: u32,
    part: u32,
    is_last_hop: bool,
}

/// The parts that wait for every channel class.
struct HopQueues<'a> {
    message_paths: &'a MessagePaths,
    preference: Preference,
    /// `[channel class]`: the parts that wait for the channel.
    queues: Vec<Vec<WaitingParts>>,
    /// `[channel class]`: the work that the channel has yet to do.
    backlogs: Vec<Backlog>,
    /// `[hop]`: the first hop of the next message.
    message_end: Vec<u32>,
    /// `[hop]`: its place in the queue of its class, `u32::MAX` outside.
    queue_place: Vec<u32>,
    /// `[hop]`: number of parts that were sent.
    sent: Vec<u32>,
    /// `[hop]`: tie of its message.
    tie: Vec<u32>,
}

impl<'a> HopQueues<'a> {
    fn new(message_paths: &'a MessagePaths, chunks: u32, preference: Preference, ties: KeyedStream) -> Self {
        let hops = message_paths.hops.len();
        let (mut message_end, mut tie) = (vec![0u32; hops], vec![0u32; hops]);
        for (bounds, &(source, destination)) in message_paths.starts.windows(2).zip(&message_paths.pairs) {
            let range = bounds[0] as usize..bounds[1] as usize;
            message_end[range.clone()].fill(bounds[1]);
            tie[range].fill((ties.number(source.0, destination.0) >> 32) as u32);
        }
        let backlog = |&load: &u32| Backlog { unsent: i64::from(load) * i64::from(chunks), waiting: 0 };
        Self {
            message_paths,
            preference,
            queues: vec![Vec::new(); message_paths.loads.len()],
            backlogs: message_paths.loads.iter().map(backlog).collect(),
            message_end,
            queue_place: vec![u32::MAX; hops],
            sent: vec![0; hops],
            tie,
        }
    }

    /// Adds parts that have arrived, as (hop, parts), to the queues of their next channels.
    fn add(&mut self, arrived: Vec<(u32, u32)>) {
        let hops = &self.message_paths.hops;
        for &(hop, parts) in &arrived {
            self.backlogs[hops[hop as usize] as usize].waiting += i64::from(parts);
        }
        for (hop, parts) in arrived {
            let queue = &mut self.queues[hops[hop as usize] as usize];
            match queue.get_mut(self.queue_place[hop as usize] as usize) {
                Some(waiting) => waiting.parts += parts,
                None => {
                    self.queue_place[hop as usize] = queue.len() as u32;
                    let mut waiting = WaitingParts {
                        hop,
                        message_end: self.message_end[hop as usize],
                        parts,
                        tie: self.tie[hop as usize],
                        priority: 0,
                    };
                    waiting.priority = priority(&waiting, hops, &self.backlogs, self.preference);
                    queue.push(waiting);
                }
            }
        }
    }

    /// `[channel class]`: the index in its queue of the part to send on a lane, and the number of hops
    /// examined. With `refresh` priorities are computed anew.
    fn choose(&mut self, lane: u32, refresh: bool) -> Vec<(Option<usize>, u64)> {
        let Self { message_paths, preference, queues, backlogs, .. } = self;
        let choose_one = |(queue, &lanes): (&mut Vec<WaitingParts>, &u32)| {
            if lane >= lanes {
                return (None, 0);
            }
            let mut examined = 0;
            if refresh && queue.len() > 1 {
                for waiting in queue.iter_mut() {
                    examined += u64::from(waiting.message_end - waiting.hop);
                    waiting.priority = priority(waiting, &message_paths.hops, backlogs, *preference);
                }
            }
            let best = queue
                .iter()
                .enumerate()
                .max_by_key(|(_, waiting)| (waiting.priority, waiting.tie, waiting.hop));
            (best.map(|(index, _)| index), examined)
        };
        let lanes = &message_paths.lanes;
        queues.par_iter_mut().zip(lanes).with_min_len(CLASSES_PER_TASK).map(choose_one).collect()
    }

    /// Sends one part of the entry at an index of a queue.
    fn send(&mut self, class: usize, index: usize) -> SentPart {
        let (queue, backlog) = (&mut self.queues[class], &mut self.backlogs[class]);
        let waiting = &mut queue[index];
        let hop = waiting.hop;
        let is_last_hop = hop + 1 >= waiting.message_end;
        let part = self.sent[hop as usize];
        self.sent[hop as usize] += 1;
        (backlog.unsent, backlog.waiting) = (backlog.unsent - 1, backlog.waiting - 1);
        waiting.parts -= 1;
        if waiting.parts == 0 {
            self.queue_place[hop as usize] = u32::MAX;
            queue.swap_remove(index);
            if let Some(moved) = queue.get(index) {
                self.queue_place[moved.hop as usize] = index as u32;
            }
        }
        SentPart { hop, part, is_last_hop }
    }
}

fn priority(waiting: &WaitingParts, hops: &[u32], backlogs: &[Backlog], preference: Preference) -> i64 {
    let ahead = &hops[waiting.hop as usize + 1..waiting.message_end as usize];
    if ahead.is_empty() {
        return LAST_HOP;
    }
    let distance = HOP_BONUS * ahead.len() as i64;
    if preference == Preference::Farthest {
        return distance;
    }
    let shortfall = |(&class, hops_away): (&u32, i64)| {
        let backlog = backlogs[class as usize];
        UNIT * backlog.unsent - UNIT * backlog.waiting / hops_away
    };
    ahead.iter().zip(1..).map(shortfall).max().unwrap_or(0) + distance
}
