//! When nothing moves any more: which queues wait for each other.

use super::super::errors::SimError;
use super::super::layout::NONE;
use super::super::waiting::{Waiting, circle, deadlock};
use super::Run;

impl Run<'_> {
    /// The circle of lanes that wait for each other. It is found from the first one of a channel with flits
    /// in it: no flit is on its way any more, so what its first packet lacks is a virtual channel, or room
    /// behind the one that it holds.
    pub(super) fn circle(&self, at: &str) -> SimError {
        let waits = |lane: &u32| self.channel_into(*lane) != NONE && self.lanes.at(*lane).packet != NONE;
        let first = (0..self.ports.lanes() as u32).find(waits);
        let circle: Vec<Waiting> =
            circle(first, |lane| self.waited_for(lane)).into_iter().map(|lane| self.waiting(lane)).collect();
        deadlock(self.of, at, self.last_move, &circle)
    }

    /// The channel that leads into a lane.
    fn channel_into(&self, lane: u32) -> u32 {
        let back = self.ports.of_lane(lane).back;
        if back == NONE { NONE } else { self.ports.of_lane(back).channel }
    }

    /// The lane behind the virtual channel that the first packet of a lane holds; before it holds one, behind
    /// the last that it may take, that of its table: the one that can be part of a circle. Whoever holds
    /// that one has filled the lane.
    fn waited_for(&self, lane: u32) -> Option<u32> {
        let shift = self.ports.shift;
        let held = self.lanes.at(lane).output;
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
        (into != NONE && self.lanes.at(into | vc).packet != NONE).then_some(into | vc)
    }

    /// The channel and virtual channel of a lane, and whose packet is first in it.
    fn waiting(&self, lane: u32) -> Waiting {
        let packet = &self.packets[self.lanes.at(lane).packet];
        Waiting {
            channel: self.channel_into(lane),
            vc: self.ports.vc(lane),
            from: packet.generator / self.of.setting.ports().unwrap_or(1),
            to: packet.to,
        }
    }
}
