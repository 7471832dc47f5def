//! The delivery of packets at their hosts.

use super::event::Event;
use super::{NONE, PacketRun, WholePacket};

impl PacketRun<'_> {
    /// Delivers a packet whose tail arrives in `ahead` cycles.
    pub(super) fn deliver_in(&mut self, ahead: u32, packet: u32, now: u32) {
        if ahead > 0 {
            return self.wheel.put(now, ahead, Event::Delivered(packet));
        }
        // A grant of this cycle frees a send window only in the next one, since routers do not see each
        // other's grants.
        if self.window != NONE && self.was_granted(&self.packets[packet]) {
            self.wheel.put(now, 1, Event::Released(self.endpoint(packet)));
        }
        self.arrived(packet, now);
    }

    /// The endpoint that sent a packet.
    fn endpoint(&self, place: u32) -> u32 {
        self.packets[place].generator / self.prepared.setting.ports().unwrap_or(1)
    }

    /// Handles a tail that has arrived: its host may have another packet in flight.
    pub(super) fn delivered(&mut self, place: u32, now: u32) {
        if self.window != NONE && self.was_granted(&self.packets[place]) {
            self.released(self.endpoint(place), now);
        }
        self.arrived(place, now);
    }

    /// Notes that a packet of an endpoint is no longer in flight.
    pub(super) fn released(&mut self, endpoint: u32, now: u32) {
        let under_way = &mut self.under_way[endpoint as usize];
        *under_way -= 1;
        if *under_way + 1 == self.window {
            self.touch(self.prepared.endpoints.router[endpoint as usize], now);
        }
    }

    /// Counts a packet whose tail has arrived, and removes it.
    fn arrived(&mut self, place: u32, now: u32) {
        let packet = self.packets[place];
        if packet.out != NONE {
            self.give_back(packet.out, now);
        }
        let endpoint = self.endpoint(place);
        self.tally.delivered(now, packet.birth, endpoint, packet.waited, packet.hops);
        self.packets.remove(place);
        self.last_move = now;
    }

    /// Whether a packet left its source by a queue. With unlimited hosts, a packet that stays at its router
    /// does not.
    fn was_granted(&self, packet: &WholePacket) -> bool {
        packet.hops > 0 || self.prepared.setting.ports().is_some()
    }
}
