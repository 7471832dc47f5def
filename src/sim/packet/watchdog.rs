//! When nothing moves any more: which queues wait for each other.

use super::super::errors::SimError;
use super::super::layout::NONE;
use super::super::waiting::{Waiting, circle, deadlock};
use super::Run;

impl Run<'_> {
    /// The circle of queues that wait for room in each other. It is found from the first input queue whose
    /// first packet competes: nothing is sent any more, so what that packet lacks is room.
    pub(super) fn circle(&self, at: &str) -> SimError {
        let layout = &self.of.layout;
        let waits = |queue: &u32| {
            layout.is_input(*queue) && self.candidates[*queue as usize / 64] >> (queue % 64) & 1 == 1
        };
        let first = (0..layout.queues() as u32).find(waits);
        let circle: Vec<Waiting> = circle(first, |queue| self.waited_for(queue))
            .into_iter()
            .map(|queue| self.waiting(queue))
            .collect();
        deadlock(self.of, at, self.last_move, &circle)
    }

    /// The last virtual channel that the first packet of a queue may take, that of its table: the one that
    /// can be part of a circle.
    fn waited_for(&self, queue: u32) -> Option<u32> {
        let (setting, layout) = (&self.of.setting, &self.of.layout);
        let front = &self.queues[queue as usize];
        let first =
            layout.ends.get(front.out as usize).map(|ends| ends.queue).filter(|&first| first != NONE)?;
        let classes = u32::from(setting.classes);
        let next = first + u32::from(setting.general) + u32::from(front.vc) * classes + classes - 1;
        (self.queues[next as usize].head != NONE).then_some(next)
    }

    /// The channel and virtual channel of a queue, and whose packet is first in it.
    fn waiting(&self, queue: u32) -> Waiting {
        let channel = self.of.layout.gate[queue as usize];
        let packet = &self.packets[self.queues[queue as usize].head];
        Waiting {
            channel,
            vc: queue - self.of.layout.ends[channel as usize].queue,
            from: packet.generator / self.of.setting.ports().unwrap_or(1),
            to: packet.to,
        }
    }
}
