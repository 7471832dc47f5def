//! Describes a deadlock: which queues wait for each other.

use super::super::errors::SimError;
use super::super::layout::NONE;
use super::super::waiting::{WaitingQueue, deadlock, wait_cycle};
use super::PacketRun;

impl PacketRun<'_> {
    /// The cycle of queues that wait for room in each other, found from the first input queue whose first
    /// packet competes. Nothing is sent any more, so that packet lacks room.
    pub(super) fn wait_cycle(&self, at: &str) -> SimError {
        let layout = &self.prepared.layout;
        let waits = |queue: &u32| {
            layout.is_input(*queue) && self.candidates[*queue as usize / 64] >> (queue % 64) & 1 == 1
        };
        let first = (0..layout.queues() as u32).find(waits);
        let wait_cycle: Vec<WaitingQueue> = wait_cycle(first, |queue| self.waited_for(queue))
            .into_iter()
            .map(|queue| self.waiting(queue))
            .collect();
        deadlock(self.prepared, at, self.last_move, &wait_cycle)
    }

    /// The last virtual channel that the first packet of a queue may take, that of its table. Only that one
    /// can be part of a cycle.
    fn waited_for(&self, queue: u32) -> Option<u32> {
        let (setting, layout) = (&self.prepared.setting, &self.prepared.layout);
        let front = &self.queues[queue as usize];
        let first =
            layout.ends.get(front.out as usize).map(|ends| ends.queue).filter(|&first| first != NONE)?;
        let classes = u32::from(setting.classes);
        let next = first + u32::from(setting.general) + u32::from(front.vc) * classes + classes - 1;
        (self.queues[next as usize].head != NONE).then_some(next)
    }

    /// A queue with its channel and virtual channel, and the source and destination of its first packet.
    fn waiting(&self, queue: u32) -> WaitingQueue {
        let channel = self.prepared.layout.gate[queue as usize];
        let packet = &self.packets[self.queues[queue as usize].head];
        WaitingQueue {
            channel,
            vc: queue - self.prepared.layout.ends[channel as usize].queue,
            from: self.prepared.setting.endpoint_of(packet.generator),
            to: packet.to,
        }
    }
}
