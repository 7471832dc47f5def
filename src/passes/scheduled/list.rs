//! List scheduling, event by event: a lane that is free takes the waiting task of the highest rank.
//!
//! In: tasks, each a vector on a lane, and which of them others wait for. Out: the cycle of each. A task is
//! ready a hop after the last one that it waits for, one that sends a sum `reduce` later. Of equal ranks the
//! one with the larger tie goes first. Ranks and ties are known beforehand: the tasks of a lane are put in
//! order once, and what waits is a bit for each place in it. Invariant: what waits for a task leaves the chip
//! to which that one's lane leads, so that chips go on side by side for as long as a hop takes. Cost: O(tasks
//! log tasks).

use super::taken::Taken;
use fabc_model::SlotPace;
use rayon::prelude::*;

/// A vector that crosses a lane.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    /// Which.
    pub(super) lane: u32,
    /// The highest goes first.
    pub(super) rank: u32,
    /// Whether it carries a sum that must be made first.
    pub(super) sums: bool,
}

/// Tasks, every one after those that it waits for.
#[derive(Default)]
pub(super) struct Tasks {
    pub(super) all: Vec<Task>,
    /// (before, after), in the order of those after.
    waits: Vec<[u32; 2]>,
}

impl Tasks {
    /// Adds a task that waits for others, and gives back its number.
    pub(super) fn add(&mut self, task: Task, before: &[u32]) -> u32 {
        let number = self.all.len() as u32;
        self.waits.extend(before.iter().map(|&before| [before, number]));
        self.all.push(task);
        number
    }

    /// The cycles that pass at least until the last of them starts, where ranks are hops that are left: a
    /// lane starts them one by one.
    pub(super) fn least(&self, lanes: usize, pace: SlotPace) -> u32 {
        // `[lane]`: how many, and the fewest hops that are left behind any of them.
        let mut carried = vec![(0u32, u32::MAX); lanes];
        for task in &self.all {
            let (count, left) = &mut carried[task.lane as usize];
            *count += 1;
            *left = (*left).min(task.rank - 1);
        }
        let least = |&(count, left): &(u32, u32)| {
            (count - 1).saturating_mul(pace.slot).saturating_add(left * pace.hop)
        };
        carried.iter().filter(|(count, _)| *count > 0).map(least).max().unwrap_or(0)
    }

    /// Ranks every task by the cycles that must follow its start at least.
    pub(super) fn rank_by_tail(&mut self, pace: SlotPace) {
        self.all.iter_mut().for_each(|task| task.rank = pace.hop);
        // Backwards: what a task waits for is listed after all that waits for it.
        for &[before, after] in self.waits.iter().rev() {
            let Task { rank, sums, .. } = self.all[after as usize];
            let before = &mut self.all[before as usize].rank;
            *before = (*before).max(pace.hop + rank + if sums { pace.reduce } else { 0 });
        }
    }
}

/// Lanes by the chips at their ends.
#[derive(Clone, Copy)]
pub(super) struct Ends<'a> {
    /// `[chip]`: the first lane that leaves it; one more at the end.
    pub(super) starts: &'a [usize],
    /// `[lane]`: the chip that it leads to.
    pub(super) to: &'a [u32],
}

/// Tasks by place: lane by lane, on each in the order in which they go first.
struct Places {
    /// `[place]`: which task.
    tasks: Vec<u32>,
    /// `[lane]`: its first place; one more at the end.
    lanes: Vec<u32>,
    /// `[place]`: where those that wait for it start in `followers`; one more at the end.
    starts: Vec<u32>,
    /// Places.
    followers: Vec<u32>,
    /// `[place]`
    states: Vec<State>,
}

/// What a list knows of a task: all of it in one place, since tasks come up in any order.
#[derive(Clone, Copy)]
struct State {
    /// Of those that leave its chip.
    lane: u32,
    /// Twice how many it still waits for; odd where it sends a sum.
    open: u32,
    /// When the last one started that it waited for.
    since: u32,
}

/// Where runs of so many things each start, one after the other.
pub(super) fn starts(counts: impl Iterator<Item = u32>) -> Vec<u32> {
    let mut starts = vec![0];
    starts.extend(counts.scan(0, |next, count| {
        *next += count;
        Some(*next)
    }));
    starts
}

impl Places {
    fn new(tasks: &Tasks, ends: Ends<'_>, first: impl Fn(u32) -> (u32, u32) + Sync) -> Self {
        let mut counts = vec![0u32; ends.to.len()];
        tasks.all.iter().for_each(|task| counts[task.lane as usize] += 1);
        let lanes = starts(counts.into_iter());
        let mut next = lanes.clone();
        // The highest rank first, then the largest tie, then the task of the lowest number.
        let mut order = vec![(0u64, 0u32); tasks.all.len()];
        for (task, number) in tasks.all.iter().zip(0..) {
            let place = &mut next[task.lane as usize];
            let (rank, tie) = first(number);
            order[*place as usize] = (!(u64::from(rank) << 32 | u64::from(tie)), number);
            *place += 1;
        }
        apart(&mut order, lanes.windows(2).map(|range| (range[1] - range[0]) as usize))
            .par_iter_mut()
            .for_each(|of_lane| of_lane.sort_unstable());
        let mut places = vec![0u32; order.len()];
        let mut states = Vec::with_capacity(order.len());
        for chip in ends.starts.windows(2) {
            for (lane, range) in (0..).zip(lanes[chip[0]..=chip[1]].windows(2)) {
                for place in range[0]..range[1] {
                    let (_, task) = order[place as usize];
                    places[task as usize] = place;
                    states.push(State { lane, open: tasks.all[task as usize].sums.into(), since: 0 });
                }
            }
        }
        let mut counts = vec![0u32; order.len()];
        tasks.waits.iter().for_each(|[before, _]| counts[places[*before as usize] as usize] += 1);
        let starts = starts(counts.into_iter());
        let mut next = starts.clone();
        let mut followers = vec![0u32; tasks.waits.len()];
        for [before, after] in tasks.waits.iter().map(|wait| wait.map(|task| places[task as usize] as usize))
        {
            followers[next[before] as usize] = after as u32;
            next[before] += 1;
            states[after].open += 2;
        }
        Self { tasks: order.into_iter().map(|(_, task)| task).collect(), lanes, starts, followers, states }
    }

    fn followers(&self, place: u32) -> &[u32] {
        &self.followers[self.starts[place as usize] as usize..self.starts[place as usize + 1] as usize]
    }
}

/// Consecutive parts of a list, of so many each.
fn apart<T>(mut list: &mut [T], lengths: impl Iterator<Item = usize>) -> Vec<&mut [T]> {
    let part = |length: usize| {
        let (part, rest) = std::mem::take(&mut list).split_at_mut(length);
        list = rest;
        part
    };
    lengths.map(part).collect()
}

/// What waits on a lane: a bit for every place of it.
struct Waiting {
    /// The place of the first bit.
    first: u32,
    words: Vec<u64>,
    /// Bit per word: it has any.
    some: Vec<u64>,
}

impl Waiting {
    fn new(first: u32, places: u32) -> Self {
        let words = places.div_ceil(u64::BITS);
        Self { first, words: vec![0; words as usize], some: vec![0; words.div_ceil(u64::BITS) as usize] }
    }
    fn put(&mut self, place: u32) {
        let at = place - self.first;
        let word = at / u64::BITS;
        self.words[word as usize] |= 1 << (at % u64::BITS);
        self.some[(word / u64::BITS) as usize] |= 1 << (word % u64::BITS);
    }
    fn is_empty(&self) -> bool {
        self.some.iter().all(|&some| some == 0)
    }
    /// Takes the first of them.
    fn take(&mut self) -> Option<u32> {
        let at = self.some.iter().position(|&some| some != 0)?;
        let some = &mut self.some[at];
        let word = at as u32 * u64::BITS + some.trailing_zeros();
        let bits = &mut self.words[word as usize];
        let place = self.first + word * u64::BITS + bits.trailing_zeros();
        *bits &= *bits - 1;
        if *bits == 0 {
            *some &= *some - 1;
        }
        Some(place)
    }
}

/// A task that has started or that may: the cycle, and its place.
type At = (u32, u32);

/// A lane in a list.
struct Queue {
    waiting: Waiting,
    /// When it is free again.
    free: u32,
    /// What may start later on, by cycle and place.
    coming: Vec<At>,
}

/// The lanes that leave a chip. What they send in a window of time depends on what started before it alone.
struct Chip {
    /// Its first place, and the states from there on.
    first: u32,
    states: Vec<State>,
    /// The lanes that lead to it.
    inputs: Vec<u32>,
    /// Its first lane, and the queues from there on.
    lane: usize,
    queues: Vec<Queue>,
}

/// When what is sent in which order.
struct Clock<'a> {
    places: &'a Places,
    taken: &'a Taken,
    pace: SlotPace,
}

impl Queue {
    /// Starts what may start before `end`; gives back when the next one may at the earliest.
    fn run(&mut self, clock: &Clock<'_>, lane: usize, end: u32, started: &mut Vec<At>) -> Option<u32> {
        self.coming.sort_unstable();
        let mut come = 0;
        loop {
            let ready = match self.coming.get(come) {
                _ if !self.waiting.is_empty() => self.free,
                Some(&(cycle, _)) => self.free.max(cycle),
                None => break,
            };
            let now = clock.taken.free(lane, ready, clock.pace);
            if now >= end {
                self.coming.drain(..come);
                return Some(now);
            }
            while let Some(&(_, place)) = self.coming.get(come).filter(|(cycle, _)| *cycle <= now) {
                self.waiting.put(place);
                come += 1;
            }
            let Some(place) = self.waiting.take() else { break };
            started.push((now, place));
            self.free = now + clock.pace.slot;
        }
        self.coming.drain(..come);
        None
    }
}

impl Chip {
    /// Takes what has come, and starts what may start before `end`, `[own lane]`; gives back when anything
    /// happens next at the earliest.
    fn run(
        &mut self,
        clock: &Clock<'_>,
        before: &[Vec<At>],
        end: u32,
        started: &mut [Vec<At>],
    ) -> Option<u32> {
        let SlotPace { hop, reduce, .. } = clock.pace;
        for &(cycle, place) in self.inputs.iter().flat_map(|&lane| &before[lane as usize]) {
            for &after in clock.places.followers(place) {
                let State { lane, open, since } = &mut self.states[(after - self.first) as usize];
                *open -= 2;
                *since = (*since).max(cycle);
                match *open {
                    0 => self.queues[*lane as usize].coming.push((*since + hop, after)),
                    1 => self.queues[*lane as usize].coming.push((*since + hop + reduce, after)),
                    _ => {}
                }
            }
        }
        let mut next: Option<u32> = None;
        for (at, (queue, started)) in self.queues.iter_mut().zip(started).enumerate() {
            started.clear();
            let later = queue.run(clock, self.lane + at, end, started);
            let leads = started.first().map(|(cycle, _)| cycle + hop);
            next = next.into_iter().chain(later).chain(leads).min();
        }
        next
    }
}

/// `[task]`: the cycle in which it starts, none before `start`. `first` has the rank and the
/// tie of every task.
///
/// Time goes by in windows of a hop: what starts in one comes after it, so that chips do not wait for each
/// other within a window.
pub(super) fn list(
    tasks: &Tasks,
    ends: Ends<'_>,
    (taken, pace): (&Taken, SlotPace),
    start: u32,
    first: impl Fn(u32) -> (u32, u32) + Sync,
) -> Vec<u32> {
    let places = Places::new(tasks, ends, first);
    let clock = Clock { places: &places, taken, pace };
    let lanes = ends.to.len();
    let mut inputs: Vec<Vec<u32>> = vec![Vec::new(); ends.starts.len() - 1];
    (0..).zip(ends.to).for_each(|(lane, &to)| inputs[to as usize].push(lane));
    // `[lane]`: what started in the window before, and in this one.
    let [mut before, mut now] = [(); 2].map(|()| vec![Vec::new(); lanes]);
    let mut chips: Vec<Chip> = Vec::new();
    for (chip, inputs) in ends.starts.windows(2).zip(inputs) {
        let first = places.lanes[chip[0]];
        let queue = |range: &[u32]| {
            let ready = (range[0]..range[1]).filter(|&place| places.states[place as usize].open < 2);
            Queue {
                waiting: Waiting::new(range[0], range[1] - range[0]),
                free: start,
                coming: ready.map(|place| (start, place)).collect(),
            }
        };
        let queues = places.lanes[chip[0]..=chip[1]].windows(2).map(queue).collect();
        let states = places.states[first as usize..places.lanes[chip[1]] as usize].to_vec();
        chips.push(Chip { first, states, inputs, lane: chip[0], queues });
    }
    let mut cycles = vec![u32::MAX; tasks.all.len()];
    let mut window = Some(start);
    while let Some(from) = window {
        let end = from.saturating_add(pace.hop);
        let lengths = ends.starts.windows(2).map(|chip| chip[1] - chip[0]);
        let next = chips
            .par_iter_mut()
            .zip(apart(&mut now, lengths))
            .map(|(chip, started)| chip.run(&clock, &before, end, started))
            .collect::<Vec<_>>();
        for &(cycle, place) in now.iter().flatten() {
            cycles[places.tasks[place as usize] as usize] = cycle;
        }
        std::mem::swap(&mut before, &mut now);
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
    struct Net {
        starts: Vec<usize>,
        to: Vec<u32>,
    }

    impl Net {
        fn new(chips: usize, lanes: usize) -> Self {
            let to = (0..chips * lanes).map(|lane| (lane * 7 + 1) as u32 % chips as u32).collect();
            Self { starts: (0..=chips).map(|chip| chip * lanes).collect(), to }
        }
        fn ends(&self) -> Ends<'_> {
            Ends { starts: &self.starts, to: &self.to }
        }
    }

    /// Tasks of random ranks, each after up to three earlier ones that lead to its chip.
    fn drawn(draw: &mut Stream, count: u32, net: &Net) -> Tasks {
        let mut tasks = Tasks::default();
        for number in 0..count {
            let lane = draw.below(net.to.len());
            let chip = net.starts.partition_point(|&start| start <= lane) as u32 - 1;
            let mut before: Vec<u32> =
                (0..draw.below(4)).map(|_| draw.below(number.max(1) as usize) as u32).collect();
            before.sort_unstable();
            before.dedup();
            before.retain(|&before| {
                before < number && net.to[tasks.all[before as usize].lane as usize] == chip
            });
            let task = Task {
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
        let mut cycles = vec![u32::MAX; tasks.all.len()];
        let mut free = vec![start; lanes];
        let mut now = start;
        while cycles.contains(&u32::MAX) {
            for lane in (0..lanes).filter(|&lane| free[lane] <= now).collect::<Vec<_>>() {
                let ready = |&task: &u32| {
                    let of = &tasks.all[task as usize];
                    let latest = PACE.hop + if of.sums { PACE.reduce } else { 0 };
                    let came = |before: u32| {
                        cycles[before as usize].checked_add(latest).is_some_and(|came| came <= now)
                    };
                    of.lane as usize == lane
                        && cycles[task as usize] == u32::MAX
                        && tasks.waits.iter().filter(|wait| wait[1] == task).all(|wait| came(wait[0]))
                };
                let best = (0..tasks.all.len() as u32)
                    .filter(ready)
                    .max_by_key(|&task| (tasks.all[task as usize].rank, ties(task), std::cmp::Reverse(task)));
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
            let net = Net::new(chips, lanes);
            let tasks = drawn(&mut draw, count, &net);
            let ties = |task: u32| task % 3;
            let cycles = list(&tasks, net.ends(), (&Taken::default(), PACE), 5, |task| {
                (tasks.all[task as usize].rank, ties(task))
            });
            assert_eq!(cycles, slowly(&tasks, net.to.len(), 5, ties), "{count} on {lanes} of {chips}");
        }
    }

    #[test]
    fn many_wait_on_one_lane() {
        // More places than a word of words has bits.
        let mut tasks = Tasks::default();
        for task in 0..5000 {
            tasks.add(Task { lane: 0, rank: task * 7919 % 5000, sums: false }, &[]);
        }
        let cycles = list(&tasks, Net::new(1, 1).ends(), (&Taken::default(), PACE), 0, |task| {
            (tasks.all[task as usize].rank, 0)
        });
        assert!(tasks.all.iter().zip(cycles).all(|(task, cycle)| cycle == (4999 - task.rank) * PACE.slot));
    }

    #[test]
    fn ranks_are_the_longest_rest() {
        let mut draw = Stream::new(2, 0);
        let mut tasks = drawn(&mut draw, 300, &Net::new(1, 4));
        tasks.rank_by_tail(PACE);
        for (number, task) in (0..).zip(&tasks.all) {
            let after =
                tasks.waits.iter().filter(|wait| wait[0] == number).map(|wait| &tasks.all[wait[1] as usize]);
            let rest =
                after.map(|after| after.rank + if after.sums { PACE.reduce } else { 0 }).max().unwrap_or(0);
            assert_eq!(task.rank, PACE.hop + rest, "task {number}");
        }
    }
}
