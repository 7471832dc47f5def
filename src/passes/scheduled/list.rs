//! List scheduling, event by event: a lane that is free takes the waiting task of the highest rank.
//!
//! In: tasks, each a vector on a lane, and which of them others wait for. Out: the cycle of each. A task is
//! ready a hop after the last one that it waits for, one that sends a sum `reduce` later. Of equal ranks the
//! one with the larger tie goes first. Ranks and ties are known beforehand: the tasks of a lane are put in
//! order once, and what waits is a bit for each place in it. Cost: O(tasks log tasks).

use crate::model::{DESKEW_CYCLES, SlotPace};
use std::collections::BTreeMap;

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
        let least = |&(count, left): &(u32, u32)| (count - 1).saturating_mul(pace.slot).saturating_add(left * pace.hop);
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

/// When lanes are taken by what was planned before.
#[derive(Clone, Default)]
pub(super) struct Taken {
    /// `[lane]`: from which cycle on until before which one it is busy, ascending, with room for a slot
    /// between any two; empty where nothing was planned before.
    lanes: Vec<Vec<[u32; 2]>>,
}

impl Taken {
    /// Of so many lanes, none of which is taken.
    pub(super) fn of(lanes: usize) -> Self {
        Self { lanes: vec![Vec::new(); lanes] }
    }
    /// Whether nothing was planned before.
    pub(super) fn is_empty(&self) -> bool {
        self.lanes.is_empty()
    }
    /// Takes a slot that is free.
    pub(super) fn take(&mut self, lane: usize, cycle: u32, slot: u32) {
        let busy = &mut self.lanes[lane];
        let at = busy.partition_point(|&[from, _]| from < cycle);
        let end = cycle.saturating_add(slot);
        let before = at.checked_sub(1).filter(|&before| cycle.saturating_sub(busy[before][1]) < slot);
        let after = busy.get(at).copied().filter(|[from, _]| from.saturating_sub(end) < slot);
        match (before, after) {
            (Some(before), Some([_, last])) => {
                busy[before][1] = last;
                busy.remove(at);
            }
            (Some(before), None) => busy[before][1] = end.max(busy[before][1]),
            (None, Some(_)) => busy[at][0] = cycle,
            (None, None) => busy.insert(at, [cycle, end]),
        }
    }
    /// The first cycle from one on in which a lane is free.
    pub(super) fn free(&self, lane: usize, from: u32, pace: SlotPace) -> u32 {
        let mut cycle = awake(from, pace);
        let Some(busy) = self.lanes.get(lane) else { return cycle };
        let mut at = busy.partition_point(|&[_, end]| end <= cycle);
        while let Some(&[_, end]) = busy.get(at).filter(|[begin, _]| *begin < cycle.saturating_add(pace.slot)) {
            // After a rest some of them are over.
            cycle = if end > cycle { awake(end, pace) } else { cycle };
            at += 1;
        }
        cycle
    }
}

/// The first cycle from one on in which channels do not rest for a slot.
fn awake(cycle: u32, pace: SlotPace) -> u32 {
    let (every, slot) = (pace.deskew, pace.slot);
    if every == 0 {
        return cycle;
    }
    // The last rest that begins before the slot ends; there is none at the start.
    let rest = cycle.saturating_add(slot - 1) / every * every;
    if rest > 0 && cycle < rest.saturating_add(DESKEW_CYCLES) { rest.saturating_add(DESKEW_CYCLES) } else { cycle }
}

/// What happens when, by cycle.
pub(super) struct Calendar<T> {
    /// What comes in a cycle, and which lanes are free again in it.
    days: BTreeMap<u32, Day<T>>,
    /// Lists that are used again.
    spare: Vec<Day<T>>,
}

/// What comes in a cycle, and which lanes are free again in it.
pub(super) struct Day<T> {
    pub(super) came: Vec<T>,
    pub(super) free: Vec<u32>,
}

impl<T> Default for Day<T> {
    fn default() -> Self {
        Self { came: Vec::new(), free: Vec::new() }
    }
}

impl<T> Calendar<T> {
    pub(super) fn new() -> Self {
        Self { days: BTreeMap::new(), spare: Vec::new() }
    }
    fn at(&mut self, cycle: u32) -> &mut Day<T> {
        let spare = &mut self.spare;
        self.days.entry(cycle).or_insert_with(|| spare.pop().unwrap_or_default())
    }
    /// Some things come.
    pub(super) fn come(&mut self, cycle: u32, what: impl IntoIterator<Item = T>) {
        let mut what = what.into_iter().peekable();
        if what.peek().is_some() {
            self.at(cycle).came.extend(what);
        }
    }
    /// Some lanes are free again.
    pub(super) fn free(&mut self, cycle: u32, lanes: impl IntoIterator<Item = u32>) {
        let mut lanes = lanes.into_iter().peekable();
        if lanes.peek().is_some() {
            self.at(cycle).free.extend(lanes);
        }
    }
    /// The first cycle in which anything happens, and what.
    pub(super) fn next(&mut self) -> Option<(u32, Day<T>)> {
        self.days.pop_first()
    }
    /// Gives back what [`Calendar::next`] gave.
    pub(super) fn done(&mut self, mut day: Day<T>) {
        day.came.clear();
        day.free.clear();
        self.spare.push(day);
    }
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
    lane: u32,
    /// Twice how many it still waits for; odd where it sends a sum.
    open: u32,
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
    fn new(tasks: &Tasks, lanes: usize, ties: impl Fn(u32) -> u32) -> Self {
        let mut counts = vec![0u32; lanes];
        tasks.all.iter().for_each(|task| counts[task.lane as usize] += 1);
        let lanes = starts(counts.into_iter());
        let mut next = lanes.clone();
        // The highest rank first, then the largest tie, then the first task.
        let mut order = vec![(0u64, 0u32); tasks.all.len()];
        for (task, number) in tasks.all.iter().zip(0..) {
            let place = &mut next[task.lane as usize];
            order[*place as usize] = (!(u64::from(task.rank) << 32 | u64::from(ties(number))), number);
            *place += 1;
        }
        let mut states = Vec::with_capacity(order.len());
        for (lane, range) in (0..).zip(lanes.windows(2)) {
            order[range[0] as usize..range[1] as usize].sort_unstable();
            states.extend((range[0]..range[1]).map(|_| State { lane, open: 0 }));
        }
        let mut places = vec![0u32; order.len()];
        for ((_, task), place) in order.iter().zip(0..) {
            places[*task as usize] = place;
            states[place as usize].open = tasks.all[*task as usize].sums.into();
        }
        let mut counts = vec![0u32; order.len()];
        tasks.waits.iter().for_each(|[before, _]| counts[places[*before as usize] as usize] += 1);
        let starts = starts(counts.into_iter());
        let mut next = starts.clone();
        let mut followers = vec![0u32; tasks.waits.len()];
        for [before, after] in tasks.waits.iter().map(|wait| wait.map(|task| places[task as usize] as usize)) {
            followers[next[before] as usize] = after as u32;
            next[before] += 1;
            states[after].open += 2;
        }
        Self { tasks: order.into_iter().map(|(_, task)| task).collect(), lanes, starts, followers, states }
    }
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

/// `[task]`: the cycle in which it starts, none before `start`. `ties` has a number for every task.
pub(super) fn list(tasks: &Tasks, lanes: usize, taken: &Taken, pace: SlotPace, start: u32, ties: impl Fn(u32) -> u32) -> Vec<u32> {
    let Places { tasks: order, lanes: firsts, starts, followers, mut states } = Places::new(tasks, lanes, ties);
    let mut cycles = vec![u32::MAX; order.len()];
    let mut waiting: Vec<Waiting> = firsts.windows(2).map(|range| Waiting::new(range[0], range[1] - range[0])).collect();
    // `[lane]`: when it is free again, and whether the calendar says so.
    let mut lane_free = vec![(start, false); lanes];
    // Places and their lanes.
    let mut calendar: Calendar<(u32, u32)> = Calendar::new();
    calendar.come(start, (0..).zip(&states).filter(|(_, state)| state.open < 2).map(|(place, state)| (place, state.lane)));
    // What the sends of a cycle lead to: whom they free, and who is ready, at once or after a sum.
    let (mut freed, mut next, mut summed) = (Vec::new(), Vec::new(), Vec::new());
    // Within a cycle the order does not matter: lanes choose when all that is ready waits.
    while let Some((now, mut day)) = calendar.next() {
        for &(place, lane) in &day.came {
            waiting[lane as usize].put(place);
            let (free, known) = &mut lane_free[lane as usize];
            if !*known {
                *known = true;
                match now.max(*free) {
                    at if at == now => day.free.push(lane),
                    at => calendar.free(at, [lane]),
                }
            }
        }
        for &which in &day.free {
            let lane = which as usize;
            let free = taken.free(lane, now, pace);
            if free > now {
                calendar.free(free, [which]);
                continue;
            }
            let Some(place) = waiting[lane].take() else { continue };
            let place = place as usize;
            cycles[order[place] as usize] = now;
            for &after in &followers[starts[place] as usize..starts[place + 1] as usize] {
                // The last one that it waits for is the last that starts.
                let State { lane, open } = &mut states[after as usize];
                *open -= 2;
                match *open {
                    0 => next.push((after, *lane)),
                    1 => summed.push((after, *lane)),
                    _ => {}
                }
            }
            lane_free[lane] = (now + pace.slot, !waiting[lane].is_empty());
            if lane_free[lane].1 {
                freed.push(which);
            }
        }
        calendar.done(day);
        calendar.free(now + pace.slot, freed.drain(..));
        calendar.come(now + pace.hop, next.drain(..));
        calendar.come(now + pace.hop + pace.reduce, summed.drain(..));
    }
    cycles
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Stream;

    const PACE: SlotPace = SlotPace { vector_bytes: 320, slot: 3, hop: 7, reduce: 2, deskew: 0 };

    /// Tasks of random ranks on few lanes, each after up to three earlier ones.
    fn drawn(draw: &mut Stream, count: u32, lanes: usize) -> Tasks {
        let mut tasks = Tasks::default();
        for number in 0..count {
            let mut before: Vec<u32> = (0..draw.below(4)).map(|_| draw.below(number.max(1) as usize) as u32).collect();
            before.sort_unstable();
            before.dedup();
            before.retain(|&before| before < number);
            let task = Task { lane: draw.below(lanes) as u32, rank: draw.below(5) as u32, sums: !before.is_empty() && draw.below(2) == 0 };
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
                    let came = |before: u32| cycles[before as usize].checked_add(latest).is_some_and(|came| came <= now);
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
        for (count, lanes) in [(1, 1), (40, 3), (200, 2), (300, 7)] {
            let tasks = drawn(&mut draw, count, lanes);
            let ties = |task: u32| task % 3;
            assert_eq!(list(&tasks, lanes, &Taken::default(), PACE, 5, ties), slowly(&tasks, lanes, 5, ties), "{count} on {lanes}");
        }
    }

    #[test]
    fn many_wait_on_one_lane() {
        // More places than a word of words has bits.
        let mut tasks = Tasks::default();
        for task in 0..5000 {
            tasks.add(Task { lane: 0, rank: task * 7919 % 5000, sums: false }, &[]);
        }
        let cycles = list(&tasks, 1, &Taken::default(), PACE, 0, |_| 0);
        assert!(tasks.all.iter().zip(cycles).all(|(task, cycle)| cycle == (4999 - task.rank) * PACE.slot));
    }

    #[test]
    fn ranks_are_the_longest_rest() {
        let mut draw = Stream::new(2, 0);
        let mut tasks = drawn(&mut draw, 300, 4);
        tasks.rank_by_tail(PACE);
        for (number, task) in (0..).zip(&tasks.all) {
            let after = tasks.waits.iter().filter(|wait| wait[0] == number).map(|wait| &tasks.all[wait[1] as usize]);
            let rest = after.map(|after| after.rank + if after.sums { PACE.reduce } else { 0 }).max().unwrap_or(0);
            assert_eq!(task.rank, PACE.hop + rest, "task {number}");
        }
    }
}
