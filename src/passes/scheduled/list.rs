//! List scheduling, event by event: a lane that is free takes the waiting task of the highest rank.
//!
//! In: tasks, each a vector on a lane, and which of them others wait for. Out: the cycle of each. A task is
//! ready a hop after the last one that it waits for, one that sends a sum `reduce` later. Of equal ranks the
//! one with the larger tie goes first. Cost: O(tasks log tasks).

use crate::model::{DESKEW_CYCLES, SlotPace};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

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
    /// (before, after)
    pub(super) waits: Vec<[u32; 2]>,
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

    /// `[task]`: where those that wait for it start in a list of them; and the list.
    fn followers(&self) -> (Vec<u32>, Vec<u32>) {
        let mut starts = vec![0u32; self.all.len() + 1];
        for [before, _] in &self.waits {
            starts[*before as usize + 1] += 1;
        }
        for at in 1..starts.len() {
            starts[at] += starts[at - 1];
        }
        let mut next = starts.clone();
        let mut list = vec![0u32; self.waits.len()];
        for &[before, after] in &self.waits {
            list[next[before as usize] as usize] = after;
            next[before as usize] += 1;
        }
        (starts, list)
    }

    /// Ranks every task by the cycles that must follow its start at least.
    pub(super) fn rank_by_tail(&mut self, pace: SlotPace) {
        let (starts, list) = self.followers();
        for at in (0..self.all.len()).rev() {
            let followers = &list[starts[at] as usize..starts[at + 1] as usize];
            let tail = |&after: &u32| {
                let after = &self.all[after as usize];
                after.rank + if after.sums { pace.reduce } else { 0 }
            };
            self.all[at].rank = pace.hop + followers.iter().map(tail).max().unwrap_or(0);
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

/// What a list knows of a task: all of it in one place, since tasks come up in any order.
#[derive(Clone, Copy)]
struct State {
    rank: u32,
    tie: u32,
    lane: u32,
    /// Twice how many it still waits for; odd where it sends a sum.
    open: u32,
}

/// `[task]`: the cycle in which it starts, none before `start`. `ties` has a number for every task.
pub(super) fn list(tasks: &Tasks, lanes: usize, taken: &Taken, pace: SlotPace, start: u32, ties: impl Fn(u32) -> u32) -> Vec<u32> {
    let (starts, followers) = tasks.followers();
    let state = |(task, number): (&Task, u32)| State { rank: task.rank, tie: ties(number), lane: task.lane, open: task.sums.into() };
    let mut states: Vec<State> = tasks.all.iter().zip(0..).map(state).collect();
    tasks.waits.iter().for_each(|[_, after]| states[*after as usize].open += 2);
    let mut cycles = vec![u32::MAX; tasks.all.len()];
    let mut waiting: Vec<BinaryHeap<(u32, u32, Reverse<u32>)>> = vec![BinaryHeap::new(); lanes];
    // `[lane]`: when it is free again, and whether the calendar says so.
    let mut lane_free = vec![(start, false); lanes];
    let mut calendar: Calendar<u32> = Calendar::new();
    calendar.come(start, (0..).zip(&states).filter(|(_, state)| state.open < 2).map(|(task, _)| task));
    // What the sends of a cycle lead to: whom they free, and who is ready, at once or after a sum.
    let (mut freed, mut next, mut summed) = (Vec::new(), Vec::new(), Vec::new());
    // Within a cycle the order does not matter: lanes choose when all that is ready waits.
    while let Some((now, mut day)) = calendar.next() {
        for &which in &day.came {
            let State { rank, tie, lane, .. } = states[which as usize];
            waiting[lane as usize].push((rank, tie, Reverse(which)));
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
            let Some((.., Reverse(task))) = waiting[lane].pop() else { continue };
            cycles[task as usize] = now;
            for &after in &followers[starts[task as usize] as usize..starts[task as usize + 1] as usize] {
                // The last one that it waits for is the last that starts.
                let open = &mut states[after as usize].open;
                *open -= 2;
                match *open {
                    0 => next.push(after),
                    1 => summed.push(after),
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
