//! When earlier schedules use the channels, and when the channels rest.
//!
//! Input: the cycles of earlier schedules. Output: the first cycle, at or after a given one, in which a lane
//! is free.

use fabc_model::{DESKEW_CYCLES, SlotPace};

/// The cycles in which earlier schedules use the lanes.
#[derive(Clone, Default)]
pub(super) struct BusyCycles {
    /// `[lane]`: busy intervals (first cycle, first cycle after), ascending, with room for a slot between any
    /// two. Empty where nothing was planned before.
    busy_of_lane: Vec<Vec<[u32; 2]>>,
}

impl BusyCycles {
    /// Cycles of `lanes` lanes, all of them free.
    pub(super) fn new(busy_of_lane: usize) -> Self {
        Self { busy_of_lane: vec![Vec::new(); busy_of_lane] }
    }
    /// Whether no earlier schedule exists.
    pub(super) fn is_empty(&self) -> bool {
        self.busy_of_lane.is_empty()
    }
    /// Marks a slot of a lane as busy. The slot must be free.
    pub(super) fn take(&mut self, lane: usize, cycle: u32, slot: u32) {
        let busy = &mut self.busy_of_lane[lane];
        let index = busy.partition_point(|&[from, _]| from < cycle);
        let end = cycle.saturating_add(slot);
        let before = index.checked_sub(1).filter(|&before| cycle.saturating_sub(busy[before][1]) < slot);
        let after = busy.get(index).copied().filter(|[from, _]| from.saturating_sub(end) < slot);
        match (before, after) {
            (Some(before), Some([_, last])) => {
                busy[before][1] = last;
                busy.remove(index);
            }
            (Some(before), None) => busy[before][1] = end.max(busy[before][1]),
            (None, Some(_)) => busy[index][0] = cycle,
            (None, None) => busy.insert(index, [cycle, end]),
        }
    }
    /// The first cycle, at or after `from`, in which a lane is free for a slot.
    pub(super) fn free(&self, lane: usize, from: u32, pace: SlotPace) -> u32 {
        let mut cycle = first_awake_cycle(from, pace);
        let Some(busy) = self.busy_of_lane.get(lane) else { return cycle };
        let mut index = busy.partition_point(|&[_, end]| end <= cycle);
        while let Some(&[_, end]) =
            busy.get(index).filter(|[begin, _]| *begin < cycle.saturating_add(pace.slot))
        {
            // A rest may have passed over some of the busy intervals.
            cycle = if end > cycle { first_awake_cycle(end, pace) } else { cycle };
            index += 1;
        }
        cycle
    }
}

/// The first cycle, at or after `cycle`, in which channels do not rest for a slot.
fn first_awake_cycle(cycle: u32, pace: SlotPace) -> u32 {
    let (every, slot) = (pace.deskew, pace.slot);
    if every == 0 {
        return cycle;
    }
    // The last rest that begins before the slot ends. There is no rest at cycle 0.
    let rest = cycle.saturating_add(slot - 1) / every * every;
    if rest > 0 && cycle < rest.saturating_add(DESKEW_CYCLES) {
        rest.saturating_add(DESKEW_CYCLES)
    } else {
        cycle
    }
}
