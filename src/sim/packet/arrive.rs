//! Looks up the next hop of packets that were sent over a channel, at the router where the channel leads.
//!
//! All packets of a cycle are looked up together, after all grants. Each needs another line of the tables, so
//! the processor waits for many of them at a time. No packet competes in the cycle in which it is sent, so
//! nothing depends on this order.

use super::super::layout::{ChannelEnds, NONE};
use super::super::routes::HopInput;
use super::super::routing::PathSelection;
use super::PacketRun;
use super::event::SentPacket;

impl PacketRun<'_> {
    /// Lets what was sent in this cycle join its queue, or arrive.
    pub(super) fn arrive(&mut self, now: u32) {
        let mut sent = std::mem::take(&mut self.sent);
        sent.iter().for_each(|sent| self.look_up(sent, now));
        sent.drain(..).for_each(|sent| self.come(&sent, now));
        self.sent = sent;
    }

    /// Looks up what a packet wants at the next router: nothing where it leaves the network.
    fn look_up(&mut self, sent: &SentPacket, now: u32) {
        let (prepared, setting) = (self.prepared, &self.prepared.setting);
        let ChannelEnds { to: router, in_port, router: latency, packet: cycles, .. } =
            prepared.layout.ends[sent.channel as usize];
        let packet = &mut self.packets[sent.place];
        let mut target = prepared.endpoints.router[packet.to as usize];
        packet.ready = now + sent.ahead + latency;
        if let Some(choice) = &prepared.choice {
            let path = &mut self.paths[sent.place as usize];
            if self.hands_on {
                target = path.end_of_leg(target);
            }
            if choice.selection() == PathSelection::Spray && router != target {
                let turn = &mut self.turns[sent.channel as usize];
                *path = path.in_turn(*turn);
                *turn = turn.wrapping_add(1);
            }
            // A relay takes the packet from the network, and hands it on when it is whole.
            let next = match self.hands_on && router == target {
                true => None,
                false => choice.next(router, target, path, packet.hops),
            };
            let vc = if choice.selection().has_groups() { 0 } else { packet.hops as u8 };
            (packet.out, packet.vc) = (next.unwrap_or(NONE), vc);
        } else if router == target {
            packet.out = NONE;
        } else {
            let came = HopInput { port: in_port, vc: packet.vc };
            let (port, vc) = prepared
                .routes
                .next(router, target, Some(came))
                .expect("every route that is taken was walked");
            packet.out =
                prepared.layout.outgoing[router as usize * prepared.layout.ports + usize::from(port)];
            packet.vc = vc;
        }
        if self.unlike {
            // A faster channel takes the packet as late as its flits come in time, without a gap.
            let next = prepared.layout.ends.get(packet.out as usize);
            let leaves = next.map_or(setting.host_cycles, |ends| ends.packet);
            if !packet.marks.is_ack() {
                packet.ready += cycles.saturating_sub(leaves);
            }
        }
    }

    fn come(&mut self, sent: &SentPacket, now: u32) {
        let setting = &self.prepared.setting;
        let packet = self.packets[sent.place];
        if packet.out != NONE {
            return self.join(sent.queue, sent.place, now);
        }
        if setting.ports().is_none() {
            self.packets[sent.place].out = sent.queue;
            let cycles =
                self.channel_cycles(&packet, self.prepared.layout.ends[sent.channel as usize].packet);
            return self.deliver_in(sent.ahead + cycles - 1, sent.place, now);
        }
        // The host takes it without a decision of the router.
        let out = self.ejection(&packet);
        let leaves = &mut self.packets[sent.place];
        let latency = self.prepared.layout.ends[sent.channel as usize].router;
        (leaves.out, leaves.ready) = (out, packet.ready - latency);
        self.join(sent.queue, sent.place, now);
    }
}
