//! The admission of newborn packets to the queues of their source.
//!
//! Under a control, packets wait before the queues until the windows of their source admit them.

use super::super::layout::NONE;
use super::super::supply::Newborn;
use super::super::traffic::MessageExit;
use super::event::Event;
use super::{Marks, PacketRun, WholePacket};

impl PacketRun<'_> {
    /// Admits a newborn packet if the windows of its source have room. Otherwise it waits.
    pub(super) fn offer(&mut self, packet: Newborn, now: u32) {
        let prepared = self.prepared;
        let endpoint = prepared.setting.endpoint_of(packet.generator);
        // Nothing guards packets that need neither a channel nor a port.
        let is_local = || {
            let [from, to] = [endpoint, packet.to].map(|end| prepared.endpoints.router[end as usize]);
            prepared.setting.ports().is_none() && from == to
        };
        let admitted = match &mut self.backlogs {
            Some(backlogs) if !is_local() => backlogs.offer(endpoint, packet, now),
            _ => Some(packet),
        };
        match admitted {
            Some(packet) => self.admit(packet, packet.birth, now),
            None => self.plan_to_look(endpoint, now),
        }
    }

    /// Handles the news of a packet that arrived with or without a mark.
    pub(super) fn answered(&mut self, from: u32, to: u32, marked: bool, now: u32) {
        if let Some(backlogs) = &mut self.backlogs {
            backlogs.answer(from, marked, now);
        }
        self.released(from, to, 1, now);
    }

    /// Lets an endpoint look for a packet that its rate allows.
    pub(super) fn look_again(&mut self, endpoint: u32, now: u32) {
        if let Some(backlogs) = &mut self.backlogs {
            backlogs.looks(endpoint);
        }
        self.admit_waiting(endpoint, now);
    }

    /// Plans when an endpoint looks again, if only its rate keeps a packet back.
    fn plan_to_look(&mut self, endpoint: u32, now: u32) {
        let pause = self.backlogs.as_mut().and_then(|backlogs| backlogs.looks_again_in(endpoint, now));
        if let Some(pause) = pause {
            self.wheel.put(now, pause, Event::Paced(endpoint));
        }
    }

    /// Admits packets of an endpoint as long as its windows and its rate allow it.
    fn admit_waiting(&mut self, endpoint: u32, now: u32) {
        while let Some(packet) = self.backlogs.as_mut().and_then(|backlogs| backlogs.admit(endpoint, now)) {
            self.admit(packet, packet.birth.max(now), now);
        }
        self.plan_to_look(endpoint, now);
    }

    /// Notes that packets between two endpoints are no longer in flight.
    pub(super) fn released(&mut self, from: u32, to: u32, packets: u32, now: u32) {
        let Some(backlogs) = &mut self.backlogs else {
            let under_way = &mut self.under_way[from as usize];
            *under_way -= packets;
            if *under_way + packets == self.send_window {
                self.touch(self.prepared.endpoints.router[from as usize], now);
            }
            return;
        };
        backlogs.release(from, to, packets);
        self.admit_waiting(from, now);
    }

    /// Adds a packet to a queue of its source, or delivers it where that needs no channel. It counts as
    /// admitted in the cycle `admitted`, which for a message may be long ago.
    pub(super) fn admit(&mut self, newborn: Newborn, admitted: u32, now: u32) {
        let Newborn { generator, to, birth, message, .. } = newborn;
        let (prepared, setting) = (self.prepared, &self.prepared.setting);
        let ports = setting.ports();
        let endpoint = setting.endpoint_of(generator);
        let (source_router, target_router) =
            (prepared.endpoints.router[endpoint as usize], prepared.endpoints.router[to as usize]);
        let first_limited = prepared.layout.source_queue[source_router as usize];
        let limited = ports.map(|ports| {
            first_limited + generator - prepared.endpoints.first[source_router as usize] * ports
        });
        let mut packet = WholePacket {
            birth,
            generator,
            to,
            next: NONE,
            ready: admitted + setting.injection,
            out: NONE,
            waited: admitted - birth,
            hops: 0,
            vc: 0,
            marks: Marks::NONE,
        };
        if limited.is_some() && setting.speedup > 1 {
            // Its flits come one per cycle, however fast the router accepts them.
            let handed = &mut self.handed[generator as usize];
            packet.ready = packet.ready.max(*handed);
            *handed = packet.ready + setting.host_cycles;
        }
        if source_router == target_router {
            let Some(queue) = limited else {
                let packet = self.insert(packet, message);
                return self.deliver_in(setting.injection + setting.host_cycles - 1, packet, now);
            };
            packet.out = self.ejection(&packet);
            let packet = self.insert(packet, message);
            return self.join(queue, packet, now);
        }
        packet.ready += prepared.layout.latency[source_router as usize];
        if let Some(choice) = &prepared.choice {
            return self.born_to_choose(choice, newborn, packet, limited, now);
        }
        let exit = self.supply.as_ref().and_then(|supply| supply.exit(message));
        let (port, vc) = self.first_hop([source_router, target_router], exit);
        packet.out =
            prepared.layout.outgoing[source_router as usize * prepared.layout.ports + usize::from(port)];
        packet.vc = vc;
        let queue =
            limited.unwrap_or(first_limited + u32::from(port) * u32::from(setting.table_vcs) + u32::from(vc));
        let packet = self.insert(packet, message);
        self.join(queue, packet, now);
    }

    /// Takes a place for a packet of a message.
    pub(super) fn insert(&mut self, packet: WholePacket, message: u32) -> u32 {
        let place = self.packets.insert(packet);
        if let Some(supply) = &mut self.supply {
            supply.place(message, place);
        }
        place
    }

    /// The output port and the virtual channel of the tables by which a packet leaves its source: those of
    /// its message, or those of the tables.
    pub(super) fn first_hop(&self, ends: [u32; 2], exit: Option<MessageExit>) -> (u16, u8) {
        match exit {
            Some(exit) => (exit.port, 0),
            None => {
                let next = self.prepared.routes.next(ends[0], ends[1], None);
                next.expect("every route that is taken was walked")
            }
        }
    }
}
