//! Packets that choose their paths.
//!
//! With ports, a packet chooses when it first competes: after all events of the cycle, and before any grant.
//! So the queues that it looks at do not depend on the order of packets. Where hosts are not limited, every
//! packet competes from its birth on, and chooses then.

use super::super::choice::{PacketPath, PathChoice};
use super::super::routing::PathSelection;
use super::super::supply::Newborn;
use super::{PacketRun, WholePacket};

impl PacketRun<'_> {
    /// Adds a newborn packet that chooses its path. `limited` is the queue of its port.
    pub(super) fn born_to_choose(
        &mut self,
        choice: &PathChoice,
        newborn: Newborn,
        mut packet: WholePacket,
        limited: Option<u32>,
        now: u32,
    ) {
        let ports = self.prepared.setting.ports().unwrap_or(1);
        let router = self.prepared.endpoints.router[(packet.generator / ports) as usize];
        let mut path = self.undecided_path(choice, &packet, newborn.number);
        let mut queue = limited;
        if limited.is_none() {
            (path, packet.out) = self.choose_path(choice, router, &packet, path);
            queue = Some(self.source_queue(router, packet.out));
        }
        let place = self.insert(packet, newborn.message);
        self.paths.resize(self.packets.places(), path);
        self.paths[place as usize] = path;
        if let Some(queue) = queue {
            self.join(queue, place, now);
        }
    }

    /// The queue at a router in which packets without ports wait for an output.
    pub(super) fn source_queue(&self, router: u32, out: u32) -> u32 {
        let layout = &self.prepared.layout;
        let outputs = &layout.outgoing[router as usize * layout.ports..][..layout.ports];
        let port = outputs.iter().position(|&channel| channel == out).map_or(0, |port| port as u32);
        layout.source_queue[router as usize] + port * u32::from(self.prepared.setting.table_vcs)
    }

    /// The path of a newborn packet before a decision. `number` counts the packets of its port.
    fn undecided_path(&mut self, choice: &PathChoice, packet: &WholePacket, number: u32) -> PacketPath {
        let (selection, ports) = (choice.selection(), self.prepared.setting.ports().unwrap_or(1));
        let path = self.streams.undecided(selection, packet.generator, ports, packet.to, number);
        if selection != PathSelection::Spray {
            return path;
        }
        let input = self.prepared.layout.channels + packet.generator as usize;
        let turn = self.turns[input];
        self.turns[input] = turn.wrapping_add(1);
        path.in_turn(turn)
    }

    /// Lets the packets choose their paths that are first at their ports for the first time.
    pub(super) fn choose_paths(&mut self, now: u32) {
        let Some(choice) = &self.prepared.choice else { return };
        let mut undecided = std::mem::take(&mut self.undecided);
        for queue in undecided.drain(..) {
            let place = self.queues[queue as usize].head;
            let router = self.prepared.layout.router_of(queue);
            let (path, out) =
                self.choose_path(choice, router, &self.packets[place], self.paths[place as usize]);
            self.paths[place as usize] = path;
            self.packets[place].out = out;
            self.compete(queue, now);
        }
        self.undecided = undecided;
    }

    /// The path of a packet from its source, and its first channel.
    pub(super) fn choose_path(
        &self,
        choice: &PathChoice,
        router: u32,
        packet: &WholePacket,
        undecided: PacketPath,
    ) -> (PacketPath, u32) {
        let target = self.prepared.endpoints.router[packet.to as usize];
        let mut path = choice.start(router, target, undecided, |channel| self.booked(channel));
        let out =
            choice.next(router, target, &mut path, 0).expect("a way leads to every router with endpoints");
        (path, out)
    }

    /// The flits that are booked in the queues behind a channel.
    fn booked(&self, channel: u32) -> u32 {
        self.rooms[channel as usize].booked * self.prepared.setting.packet
    }
}
