//! The delivery of packets at their hosts.

use super::super::layout::ChannelEnds;
use super::super::tally::DeliveredPacket;
use super::event::Event;
use super::{Marks, NONE, PacketRun, WholePacket};

impl PacketRun<'_> {
    /// Delivers a packet whose tail arrives in `ahead` cycles.
    pub(super) fn deliver_in(&mut self, ahead: u32, packet: u32, now: u32) {
        if ahead > 0 {
            return self.wheel.put(now, ahead, Event::Delivered(packet));
        }
        if self.packets[packet].marks.is_ack() {
            return self.wheel.put(now, 1, Event::Delivered(packet));
        }
        // A grant of this cycle frees a send window only in the next one, since routers do not see each
        // other's grants.
        if self.counts_in_flight() && self.was_granted(&self.packets[packet]) {
            match self.acks {
                Some(_) => self.acknowledge(packet, now),
                None => {
                    let [from, to] = [self.endpoint(packet), self.packets[packet].to];
                    self.wheel.put(now, 1, Event::Released { from, to, marked: false });
                }
            }
            self.read_reports(packet, now, true);
        }
        self.arrived(packet, now);
    }

    /// Hands a packet on that a relay has received whole. It waits at the outputs of the relay as if it were
    /// born there in the next cycle.
    fn hand_on(&mut self, place: u32, now: u32) {
        let (prepared, layout) = (self.prepared, &self.prepared.layout);
        let choice = prepared.choice.as_ref().expect("relays belong to tables with groups");
        let packet = self.packets[place];
        let ChannelEnds { to: relay, .. } = layout.ends[layout.gate[packet.out as usize] as usize];
        self.give_back(packet.out, self.grains, now);
        let mut path = self.paths[place as usize].handed_on();
        if let Some(turn) =
            self.turns.get_mut(layout.channels + prepared.endpoints.first[relay as usize] as usize)
        {
            path = path.in_turn(*turn);
            *turn = turn.wrapping_add(1);
        }
        let (path, out) = self.choose_path(choice, relay, &packet, path);
        self.paths[place as usize] = path;
        let handed = &mut self.packets[place];
        (handed.out, handed.vc, handed.marks) = (out, 0, Marks::NONE);
        handed.ready = now + 1 + prepared.setting.injection + layout.latency[relay as usize];
        self.last_move = now;
        self.join(self.source_queue(relay, out), place, now);
    }

    /// The endpoint that sent a packet.
    pub(super) fn endpoint(&self, place: u32) -> u32 {
        self.prepared.setting.endpoint_of(self.packets[place].generator)
    }

    /// Handles a tail that has arrived: its host may have another packet in flight. A relay hands the packet
    /// on.
    pub(super) fn delivered(&mut self, place: u32, now: u32) {
        if self.hands_on && self.paths[place as usize].is_relayed() {
            return self.hand_on(place, now);
        }
        if self.packets[place].marks.is_ack() {
            return self.ack_arrived(place, now);
        }
        if self.counts_in_flight() && self.was_granted(&self.packets[place]) {
            self.acknowledge(place, now);
            self.read_reports(place, now, false);
        }
        self.arrived(place, now);
    }

    /// Counts a packet whose tail has arrived, and removes it.
    fn arrived(&mut self, place: u32, now: u32) {
        let packet = self.packets[place];
        if packet.out != NONE {
            self.give_back(packet.out, self.grains, now);
        }
        let WholePacket { birth, to, waited, hops, .. } = packet;
        let from = self.endpoint(place);
        self.tally.delivered(now, DeliveredPacket { birth, from, to, waited, hops });
        if let Some(supply) = &mut self.supply {
            supply.arrived(place, now);
        }
        self.packets.remove(place);
        self.last_move = now;
    }

    /// Whether a window counts the packets of a source in flight.
    fn counts_in_flight(&self) -> bool {
        self.send_window != NONE || self.backlogs.is_some()
    }

    /// Whether a packet left its source by a queue. With unlimited hosts, a packet that stays at its router
    /// does not.
    fn was_granted(&self, packet: &WholePacket) -> bool {
        packet.hops > 0 || self.prepared.setting.ports().is_some()
    }
}
