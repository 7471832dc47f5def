//! Packets that choose their ways.
//!
//! Behind a port, a packet chooses when it first competes: after everything that happens in the cycle, before
//! anything is granted, so that the queues that it looks at do not depend on who was asked before. Where
//! hosts are not limited, every packet competes from its birth on, and chooses then.

use super::super::choice::{Choice, Way};
use super::{Packet, Run};

impl Run<'_> {
    /// A packet is born that chooses its way; `limited` is the queue of its port.
    pub(super) fn born_to_choose(
        &mut self,
        choice: &Choice,
        mut packet: Packet,
        number: u32,
        limited: Option<u32>,
        now: u32,
    ) {
        let (layout, ports) = (&self.of.layout, self.of.setting.ports().unwrap_or(1));
        let here = self.of.endpoints.router[(packet.generator / ports) as usize];
        let mut way = Way::undecided(self.draws.of(packet.generator, number));
        let mut queue = limited;
        if limited.is_none() {
            (way, packet.out) = self.choose_way(choice, here, &packet, way);
            let outputs = &layout.outgoing[here as usize * layout.ports..][..layout.ports];
            let port =
                outputs.iter().position(|&channel| channel == packet.out).map_or(0, |port| port as u32);
            queue = Some(layout.source_queue[here as usize] + port * u32::from(self.of.setting.table_vcs));
        }
        let place = self.packets.insert(packet);
        self.ways.resize(self.packets.places(), way);
        self.ways[place as usize] = way;
        if let Some(queue) = queue {
            self.join(queue, place, now);
        }
    }

    /// The packets that are first at their ports for the first time choose their ways.
    pub(super) fn decide_ways(&mut self, now: u32) {
        let Some(choice) = &self.of.choice else { return };
        let mut undecided = std::mem::take(&mut self.undecided);
        for queue in undecided.drain(..) {
            let place = self.queues[queue as usize].head;
            let here = self.of.layout.router_of(queue);
            let (way, out) = self.choose_way(choice, here, &self.packets[place], self.ways[place as usize]);
            self.ways[place as usize] = way;
            self.packets[place].out = out;
            self.compete(queue, now);
        }
        self.undecided = undecided;
    }

    /// The way of a packet from its source, and its first channel.
    fn choose_way(&self, choice: &Choice, here: u32, packet: &Packet, undecided: Way) -> (Way, u32) {
        let there = self.of.endpoints.router[packet.to as usize];
        let mut way = choice.start(here, there, undecided, |channel| self.booked(channel));
        let out = choice.next(here, there, &mut way, 0).expect("a way leads to every router with endpoints");
        (way, out)
    }

    /// Flits that are booked in the queues behind a channel.
    fn booked(&self, channel: u32) -> u32 {
        self.rooms[channel as usize].booked * self.of.setting.packet
    }
}
