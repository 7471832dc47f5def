//! List scheduling by events: a free lane sends the waiting task with the highest rank.
//!
//! Input: tasks, each a vector on a lane, and the tasks that each waits for. Output: the cycle of each task.
//! A task is ready one hop after the last task that it waits for, and `reduce` cycles later if it sends a
//! sum. Of equal ranks the larger tie goes first.
//!
//! Ranks and ties are known beforehand. So the tasks of a lane are sorted once, and one bit per place marks
//! the waiting ones. Invariant: a task leaves the chip that the lanes of its predecessors lead to. Chips can
//! therefore run in parallel for the time of a hop. Cost: O(tasks log tasks).

use super::busy::BusyCycles;
use fabc_model::SlotPace;
use rayon::prelude::*;

/// A vector that crosses a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct LaneTask {
    pub(super) lane: u32,
    /// The task with the highest rank goes first.
    pub(super) rank: u32,
    /// Whether it sends a sum, which takes time to compute.
    pub(super) sums: bool,
}

/// Tasks, sorted so that each comes after those that it waits for.
#[derive(Default)]
pub(super) struct Tasks {
    pub(super) entries: Vec<LaneTask>,
    /// (predecessor, successor), in the order of successors.
    waits: Vec<[u32; 2]>,
}

impl Tasks {
    /// Adds a task that waits for others, and returns its number.
    pub(super) fn add(&mut self, task: LaneTask, predecessors: &[u32]) -> u32 {
        let number = self.entries.len() as u32;
        self.waits.extend(predecessors.iter().map(|&predecessors| [predecessors, number]));
        self.entries.push(task);
        number
    }

    /// Lower bound on the cycles until the last task starts, if ranks are the hops that remain. A lane starts
    /// its tasks one by one.
    pub(super) fn least_cycles(&self, lanes: usize, pace: SlotPace) -> u32 {
        // `[lane]`: number of tasks, and the fewest hops that remain after any of them.
        let mut carried = vec![(0u32, u32::MAX); lanes];
        for task in &self.entries {
            let (count, hops_left) = &mut carried[task.lane as usize];
            *count += 1;
            *hops_left = (*hops_left).min(task.rank - 1);
        }
        let least_cycles = |&(count, hops_left): &(u32, u32)| {
            (count - 1).saturating_mul(pace.slot).saturating_add(hops_left * pace.hop)
        };
        carried.iter().filter(|(count, _)| *count > 0).map(least_cycles).max().unwrap_or(0)
    }

    /// Ranks every task by the least cycles that follow its start.
    pub(super) fn rank_by_tail(&mut self, pace: SlotPace) {
        self.entries.iter_mut().for_each(|task| task.rank = pace.hop);
        // Backwards, since a task is listed before all that wait for it.
        for &[predecessor, successor] in self.waits.iter().rev() {
            let LaneTask { rank, sums, .. } = self.entries[successor as usize];
            let predecessor = &mut self.entries[predecessor as usize].rank;
            *predecessor = (*predecessor).max(pace.hop + rank + if sums { pace.reduce } else { 0 });
        }
    }
}

/// Lanes by the chips at their ends.
#[derive(Clone, Copy)]
pub(super) struct LaneEnds<'a> {
    /// `[chip]`: the first lane that leaves it, with one more entry at the end.
    pub(super) starts: &'a [usize],
    /// `[lane]`: the chip that it leads to.
    pub(super) to: &'a [u32],
}

/// Tasks by place. Places go lane by lane, and on each lane in the order of preference.
struct TaskPlaces {
    /// `[place]`: number of its task.
    tasks: Vec<u32>,
    /// `[lane]`: its first place, with one more entry at the end.
    lanes: Vec<u32>,
    /// `[place]`: index of its first follower in `followers`, with one more entry at the end.
    starts: Vec<u32>,
    /// The places of tasks that wait for others.
    followers: Vec<u32>,
    states: Vec<TaskState>,
}

/// The state of a task. It is in one place because tasks come up in any order.
#[derive(Clone, Copy)]
struct TaskState {
    /// The lane, counted from the first lane of its chip.
    lane: u32,
    /// Twice the number of tasks that it waits for, plus 1 if it sends a sum.
    unmet_waits: u32,
    /// When the last task that it waited for started.
    last_start: u32,
}

/// Start of each run, for consecutive runs of these lengths, and the end of the last one.
pub(super) fn starts(counts: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0];
    starts.extend(counts.scan(0, |next, count| {
        *next += count;
        Some(*next)
    }));
    starts
}

impl TaskPlaces {
    fn new(tasks: &Tasks, lane_ends: LaneEnds<'_>, rank_and_tie: impl Fn(u32) -> (u32, u32) + Sync) -> Self {
        let mut counts = vec![0u32; lane_ends.to.len()];
        tasks.entries.iter().for_each(|task| counts[task.lane as usize] += 1);
        let lanes = starts(counts.into_iter());
        let mut next = lanes.clone();
        // The highest rank comes first, then the largest tie, then the lowest number.
        let mut order = vec![(0u64, 0u32); tasks.entries.len()];
        for (task, number) in tasks.entries.iter().zip(0..) {
            let place = &mut next[task.lane as usize];
            let (rank, tie) = rank_and_tie(number);
            order[*place as usize] = (!(u64::from(rank) << 32 | u64::from(tie)), number);
            *place += 1;
        }
        split_runs(&mut order, lanes.windows(2).map(|range| (range[1] - range[0]) as usize))
            .par_iter_mut()
            .for_each(|lane_order| lane_order.sort_unstable());
        let mut places = vec![0u32; order.len()];
        let mut states = Vec::with_capacity(order.len());
        for chip in lane_ends.starts.windows(2) {
            for (lane, range) in (0..).zip(lanes[chip[0]..=chip[1]].windows(2)) {
                for place in range[0]..range[1] {
                    let (_, task) = order[place as usize];
                    places[task as usize] = place;
                    states.push(TaskState {
                        lane,
                        unmet_waits: tasks.entries[task as usize].sums.into(),
                        last_start: 0,
                    });
                }
            }
        }
        let mut counts = vec![0u32; order.len()];
        tasks.waits.iter().for_each(|[predecessor, _]| counts[places[*predecessor as usize] as usize] += 1);
        let starts = starts(counts.into_iter());
        let mut next = starts.clone();
        let mut followers = vec![0u32; tasks.waits.len()];
        for [predecessor, successor] in
            tasks.waits.iter().map(|wait| wait.map(|task| places[task as usize] as usize))
        {
            followers[next[predecessor] as usize] = successor as u32;
            next[predecessor] += 1;
            states[successor].unmet_waits += 2;
        }
        Self { tasks: order.into_iter().map(|(_, task)| task).collect(), lanes, starts, followers, states }
    }

    fn followers(&self, place: u32) -> &[u32] {
        &self.followers[self.starts[place as usize] as usize..self.starts[place as usize + 1] as usize]
    }
}

/// Splits a list into consecutive parts of these lengths.
fn split_runs<T>(mut list: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let part = |length: usize| {
        let (part, remaining) = std::mem::take(&mut list).split_at_mut(length);
        list = remaining;
        part
    };
    lengths.map(part).collect()
}

/// The tasks that wait on a lane, with one bit for every place of the lane.
struct WaitingPlaces {
    /// The place of the first bit.
    first: u32,
    words: Vec<u64>,
    /// One bit per word, set if the word has any bit.
    nonzero_words: Vec<u64>,
}

impl WaitingPlaces {
    fn new(first: u32, places: u32) -> Self {
        let words = places.div_ceil(u64::BITS);
        Self {
            first,
            words: vec![0; words as usize],
            nonzero_words: vec![0; words.div_ceil(u64::BITS) as usize],
        }
    }
    fn put(&mut self, place: u32) {
        let bit = place - self.first;
        let word = bit / u64::BITS;
        self.words[word as usize] |= 1 << (bit % u64::BITS);
        self.nonzero_words[(word / u64::BITS) as usize] |= 1 << (word % u64::BITS);
    }
    fn is_empty(&self) -> bool {
        self.nonzero_words.iter().all(|&bits| bits == 0)
    }
    /// Removes the first waiting place and returns it.
    fn take(&mut self) -> Option<u32> {
        let index = self.nonzero_words.iter().position(|&bits| bits != 0)?;
        let nonzero_words = &mut self.nonzero_words[index];
        let word = index as u32 * u64::BITS + nonzero_words.trailing_zeros();
        let bits = &mut self.words[word as usize];
        let place = self.first + word * u64::BITS + bits.trailing_zeros();
        *bits &= *bits - 1;
        if *bits == 0 {
            *nonzero_words &= *nonzero_words - 1;
        }
        Some(place)
    }
}

/// (cycle, place) of a task that has started or may start.
type CyclePlace = (u32, u32);

/// A lane while tasks are scheduled.
struct LaneQueue {
    waiting: WaitingPlaces,
    /// The cycle in which the lane is free again.
    free: u32,
    /// Tasks that may start later.
    coming: Vec<CyclePlace>,
}

/// A chip and the lanes that leave it. What they send in a window of time depends only on what started before
/// the window.
struct ListChip {
    /// Its first place. `states` starts there.
    first: u32,
    states: Vec<TaskState>,
    /// The lanes that lead to it.
    inputs: Vec<u32>,
    /// Its first lane. `queues` starts there.
    lane: usize,
    queues: Vec<LaneQueue>,
}

/// The values that all chips share.
struct ListContext<'a> {
    places: &'a TaskPlaces,
    busy: &'a BusyCycles,
    pace: SlotPace,
}

impl LaneQueue {
    /// Starts tasks before cycle `end`, and returns the earliest cycle in which the next one may start.
    fn send_until(
        &mut self,
        context: &ListContext<'_>,
        lane: usize,
        end: u32,
        started: &mut Vec<CyclePlace>,
    ) -> Option<u32> {
        self.coming.sort_unstable();
        let mut taken_in = 0;
        loop {
            let ready = match self.coming.get(taken_in) {
                _ if !self.waiting.is_empty() => self.free,
                Some(&(cycle, _)) => self.free.max(cycle),
                None => break,
            };
            let cycle_now = context.busy.free(lane, ready, context.pace);
            if cycle_now >= end {
                self.coming.drain(..taken_in);
                return Some(cycle_now);
            }
            while let Some(&(_, place)) = self.coming.get(taken_in).filter(|(cycle, _)| *cycle <= cycle_now) {
                self.waiting.put(place);
                taken_in += 1;
            }
            let Some(place) = self.waiting.take() else { break };
            started.push((cycle_now, place));
            self.free = cycle_now + context.pace.slot;
        }
        self.coming.drain(..taken_in);
        None
    }
}

impl ListChip {
    /// Takes arrivals in, starts tasks before cycle `end`, and returns the earliest cycle of the next event.
    /// `started` is indexed by the lanes of this chip.
    fn send_until(
        &mut self,
        context: &ListContext<'_>,
        earlier: &[Vec<CyclePlace>],
        end: u32,
        started: &mut [Vec<CyclePlace>],
    ) -> Option<u32> {
        let SlotPace { hop, reduce, .. } = context.pace;
        for &(cycle, place) in self.inputs.iter().flat_map(|&lane| &earlier[lane as usize]) {
            for &follower in context.places.followers(place) {
                let TaskState { lane, unmet_waits, last_start } =
                    &mut self.states[(follower - self.first) as usize];
                *unmet_waits -= 2;
                *last_start = (*last_start).max(cycle);
                match *unmet_waits {
                    0 => self.queues[*lane as usize].coming.push((*last_start + hop, follower)),
                    1 => self.queues[*lane as usize].coming.push((*last_start + hop + reduce, follower)),
                    _ => {}
                }
            }
        }
        let mut next: Option<u32> = None;
        for (index, (queue, started)) in self.queues.iter_mut().zip(started).enumerate() {
            started.clear();
            let next_in_queue = queue.send_until(context, self.lane + index, end, started);
            let next_arrival = started.first().map(|(cycle, _)| cycle + hop);
            next = next.into_iter().chain(next_in_queue).chain(next_arrival).min();
        }
        next
    }
}

/// `[task]`: the cycle in which it starts, at the earliest `start`. `rank_and_tie` returns the rank and the
/// tie of a task.
///
/// Time passes in windows of a hop. A vector that starts in a window arrives after it, so chips do not wait
/// for each other within a window.
pub(super) fn schedule_tasks(
    tasks: &Tasks,
    lane_ends: LaneEnds<'_>,
    busy: &BusyCycles,
    pace: SlotPace,
    start: u32,
    rank_and_tie: impl Fn(u32) -> (u32, u32) + Sync,
) -> Vec<u32> {
    let places = TaskPlaces::new(tasks, lane_ends, rank_and_tie);
    let context = ListContext { places: &places, busy, pace };
    let lanes = lane_ends.to.len();
    let mut inputs: Vec<Vec<u32>> = vec![Vec::new(); lane_ends.starts.len() - 1];
    (0..).zip(lane_ends.to).for_each(|(lane, &to)| inputs[to as usize].push(lane));
    // `[lane]`: tasks that started in the window before, and in this one.
    let [mut earlier, mut current] = [(); 2].map(|()| vec![Vec::new(); lanes]);
    let mut chips: Vec<ListChip> = Vec::new();
    for (chip, inputs) in lane_ends.starts.windows(2).zip(inputs) {
        let first = places.lanes[chip[0]];
        let queue = |range: &[u32]| {
            let ready = (range[0]..range[1]).filter(|&place| places.states[place as usize].unmet_waits < 2);
            LaneQueue {
                waiting: WaitingPlaces::new(range[0], range[1] - range[0]),
                free: start,
                coming: ready.map(|place| (start, place)).collect(),
            }
        };
        let queues = places.lanes[chip[0]..=chip[1]].windows(2).map(queue).collect();
        let states = places.states[first as usize..places.lanes[chip[1]] as usize].to_vec();
        chips.push(ListChip { first, states, inputs, lane: chip[0], queues });
    }
    let mut cycles = vec![u32::MAX; tasks.entries.len()];
    let mut window = Some(start);
    while let Some(window_start) = window {
        let end = window_start.saturating_add(pace.hop);
        let lengths = lane_ends.starts.windows(2).map(|chip| chip[1] - chip[0]);
        let next = chips
            .par_iter_mut()
            .zip(split_runs(&mut current, lengths))
            .map(|(chip, started)| chip.send_until(&context, &earlier, end, started))
            .collect::<Vec<_>>();
        for &(cycle, place) in current.iter().flatten() {
            cycles[places.tasks[place as usize] as usize] = cycle;
        }
        std::mem::swap(&mut earlier, &mut current);
        window = next.into_iter().flatten().min().map(|next| next.max(end));
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_base::random::Stream;

    const PACE: SlotPace = SlotPace { vector_bytes: 320, slot: 3, hop: 7, reduce: 2, deskew: 0 };

    /// Chips with as many lanes each, which lead anywhere.
    struct SearchNet {
        starts: Vec<usize>,
        to: Vec<u32>,
    }

    impl SearchNet {
        fn new(chips: usize, lanes: usize) -> Self {
            let to = (0..chips * lanes).map(|lane| (lane * 7 + 1) as u32 % chips as u32).collect();
            Self { starts: (0..=chips).map(|chip| chip * lanes).collect(), to }
        }
        fn ends(&self) -> LaneEnds<'_> {
            LaneEnds { starts: &self.starts, to: &self.to }
        }
    }

    /// Tasks of random ranks, each after up to three earlier ones that lead to its chip.
    fn drawn(draw: &mut Stream, count: u32, net: &SearchNet) -> Tasks {
        let mut tasks = Tasks::default();
        for number in 0..count {
            let lane = draw.below(net.to.len());
            let chip = net.starts.partition_point(|&start| start <= lane) as u32 - 1;
            let mut before: Vec<u32> =
                (0..draw.below(4)).map(|_| draw.below(number.max(1) as usize) as u32).collect();
            before.sort_unstable();
            before.dedup();
            before.retain(|&before| {
                before < number && net.to[tasks.entries[before as usize].lane as usize] == chip
            });
            let task = LaneTask {
                lane: lane as u32,
                rank: draw.below(5) as u32,
                sums: !before.is_empty() && draw.below(2) == 0,
            };
            tasks.add(task, &before);
        }
        tasks
    }

    /// The same cycle by cycle: every lane that is free looks at all tasks.
    fn slowly(tasks: &Tasks, lanes: usize, start: u32, ties: impl Fn(u32) -> u32) -> Vec<u32> {
        let mut cycles = vec![u32::MAX; tasks.entries.len()];
        let mut free = vec![start; lanes];
        let mut now = start;
        while cycles.contains(&u32::MAX) {
            for lane in (0..lanes).filter(|&lane| free[lane] <= now).collect::<Vec<_>>() {
                let ready = |&task: &u32| {
                    let of = &tasks.entries[task as usize];
                    let latest = PACE.hop + if of.sums { PACE.reduce } else { 0 };
                    let came = |before: u32| {
                        cycles[before as usize].checked_add(latest).is_some_and(|came| came <= now)
                    };
                    of.lane as usize == lane
                        && cycles[task as usize] == u32::MAX
                        && tasks.waits.iter().filter(|wait| wait[1] == task).all(|wait| came(wait[0]))
                };
                let best = (0..tasks.entries.len() as u32).filter(ready).max_by_key(|&task| {
                    (tasks.entries[task as usize].rank, ties(task), std::cmp::Reverse(task))
                });
                if let Some(task) = best {
                    (cycles[task as usize], free[lane]) = (now, now + PACE.slot);
                }
            }
            now += 1;
        }
        cycles
    }

    #[test]
    fn lanes_take_the_highest_rank_that_is_ready() {
        let mut draw = Stream::new(1, 0);
        for (count, chips, lanes) in [(1, 1, 1), (40, 1, 3), (200, 1, 2), (300, 3, 2), (300, 5, 3)] {
            let net = SearchNet::new(chips, lanes);
            let tasks = drawn(&mut draw, count, &net);
            let ties = |task: u32| task % 3;
            let cycles = schedule_tasks(&tasks, net.ends(), &BusyCycles::default(), PACE, 5, |task| {
                (tasks.entries[task as usize].rank, ties(task))
            });
            assert_eq!(cycles, slowly(&tasks, net.to.len(), 5, ties), "{count} on {lanes} of {chips}");
        }
    }

    #[test]
    fn many_wait_on_one_lane() {
        // More places than a word of words has bits.
        let mut tasks = Tasks::default();
        for task in 0..5000 {
            tasks.add(LaneTask { lane: 0, rank: task * 7919 % 5000, sums: false }, &[]);
        }
        let cycles =
            schedule_tasks(&tasks, SearchNet::new(1, 1).ends(), &BusyCycles::default(), PACE, 0, |task| {
                (tasks.entries[task as usize].rank, 0)
            });
        assert!(
            tasks.entries.iter().zip(cycles).all(|(task, cycle)| cycle == (4999 - task.rank) * PACE.slot)
        );
    }

    #[test]
    fn ranks_are_the_longest_rest() {
        let mut draw = Stream::new(2, 0);
        let mut tasks = drawn(&mut draw, 300, &SearchNet::new(1, 4));
        tasks.rank_by_tail(PACE);
        for (number, task) in (0..).zip(&tasks.entries) {
            let after = tasks
                .waits
                .iter()
                .filter(|wait| wait[0] == number)
                .map(|wait| &tasks.entries[wait[1] as usize]);
            let rest =
                after.map(|after| after.rank + if after.sums { PACE.reduce } else { 0 }).max().unwrap_or(0);
            assert_eq!(task.rank, PACE.hop + rest, "task {number}");
        }
    }
}
