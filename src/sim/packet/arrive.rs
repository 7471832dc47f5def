//! What is sent over a channel asks at the router that the channel leads to what comes next.
//!
//! All of a cycle ask together, when everything is granted: every one asks for another line of the tables, so
//! that the processor waits for many of them at a time and not for one after the other. Nobody competes in
//! the cycle in which he is sent, so that nothing depends on it.

use super::super::layout::{Ends, NONE};
use super::super::routes::Came;
use super::Run;
use super::event::Sent;

impl Run<'_> {
    /// What was sent in this cycle joins its queue, or has arrived.
    pub(super) fn arrive(&mut self, now: u32) {
        let mut sent = std::mem::take(&mut self.sent);
        sent.iter().for_each(|sent| self.look_up(sent, now));
        sent.drain(..).for_each(|sent| self.come(&sent, now));
        self.sent = sent;
    }

    /// What a packet wants at the next router; there is nothing where it leaves the network.
    fn look_up(&mut self, sent: &Sent, now: u32) {
        let (of, setting) = (self.of, &self.of.setting);
        let Ends { to: router, in_port, .. } = of.layout.ends[sent.channel as usize];
        let packet = &mut self.packets[sent.place];
        let there = of.endpoints.router[packet.to as usize];
        packet.ready = now + sent.ahead + setting.router;
        if let Some(choice) = &of.choice {
            let next = choice.next(router, there, &mut self.ways[sent.place as usize], packet.hops);
            (packet.out, packet.vc) = (next.unwrap_or(NONE), packet.hops as u8);
        } else if router == there {
            packet.out = NONE;
        } else {
            let came = Came { port: in_port, vc: packet.vc };
            let (port, vc) =
                of.routes.next(router, there, Some(came)).expect("every route that is taken was walked");
            packet.out = of.layout.outgoing[router as usize * of.layout.ports + usize::from(port)];
            packet.vc = vc;
        }
    }

    fn come(&mut self, sent: &Sent, now: u32) {
        let setting = &self.of.setting;
        let packet = self.packets[sent.place];
        if packet.out != NONE {
            return self.join(sent.queue, sent.place, now);
        }
        if setting.ports().is_none() {
            self.packets[sent.place].out = sent.queue;
            return self.deliver_in(sent.ahead + setting.packet - 1, sent.place, now);
        }
        // The host takes it without a look of the router.
        let out = self.ejection(&packet);
        let leaves = &mut self.packets[sent.place];
        (leaves.out, leaves.ready) = (out, packet.ready - setting.router);
        self.join(sent.queue, sent.place, now);
    }
}
