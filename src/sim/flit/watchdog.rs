//! Describes a deadlock: which lanes wait for each other.

use super::super::errors::SimError;
use super::super::layout::NONE;
use super::super::waiting::{WaitingQueue, deadlock, wait_cycle};
use super::FlitRun;

impl FlitRun<'_> {
    /// The cycle of lanes that wait for each other, found from the first lane of a channel with flits in it.
    /// No flit is in flight any more. So the first packet of a lane lacks a virtual channel, or room behind
    /// the one that it holds.
    pub(super) fn wait_cycle(&self, at: &str) -> SimError {
        let waits = |lane: &u32| self.channel_into(*lane) != NONE && self.lanes.lane(*lane).packet != NONE;
        let first = (0..self.ports.lanes() as u32).find(waits);
        let wait_cycle: Vec<WaitingQueue> = wait_cycle(first, |lane| self.waited_for(lane))
            .into_iter()
            .map(|lane| self.waiting(lane))
            .collect();
        deadlock(self.prepared, at, self.last_move, &wait_cycle)
    }

    /// The channel that leads into a lane.
    fn channel_into(&self, lane: u32) -> u32 {
        let back = self.ports.of_lane(lane).back;
        if back == NONE { NONE } else { self.ports.of_lane(back).channel }
    }

    /// The lane behind the virtual channel that the first packet of a lane holds. Before it holds one, the
    /// lane behind the last one that it may take, that of its table. Only that one can be part of a cycle.
    /// The packet that holds it has filled the lane.
    fn waited_for(&self, lane: u32) -> Option<u32> {
        let shift = self.ports.shift;
        let held = self.lanes.lane(lane).output;
        let (port, vc) = if held == NONE {
            let router = self.ports.router_of(lane);
            (
                self.ports.first[router as usize] + self.output[lane as usize],
                63 - self.allowed[lane as usize].leading_zeros(),
            )
        } else {
            (held >> shift, self.ports.vc(held))
        };
        let into = self.ports.ports[port as usize].into;
        (into != NONE && self.lanes.lane(into | vc).packet != NONE).then_some(into | vc)
    }

    /// A lane with its channel and virtual channel, and the source and destination of its first packet.
    fn waiting(&self, lane: u32) -> WaitingQueue {
        let packet = &self.packets[self.lanes.lane(lane).packet];
        WaitingQueue {
            channel: self.channel_into(lane),
            vc: self.ports.vc(lane),
            from: self.prepared.setting.endpoint_of(packet.generator),
            to: packet.to,
        }
    }
}
