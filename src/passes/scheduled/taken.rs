//! When channels are taken by other plans, and when they rest.
//!
//! In: the cycles of what was planned before. Out: the first cycle from one on in which a lane is free.

use fabc_model::{DESKEW_CYCLES, SlotPace};

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
        while let Some(&[_, end]) = busy.get(at).filter(|[begin, _]| *begin < cycle.saturating_add(pace.slot))
        {
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
    if rest > 0 && cycle < rest.saturating_add(DESKEW_CYCLES) {
        rest.saturating_add(DESKEW_CYCLES)
    } else {
        cycle
    }
}
