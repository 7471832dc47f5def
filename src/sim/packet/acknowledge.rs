//! Acknowledgements of a window: how the source of a packet learns that it has arrived.
//!
//! Free news takes the zero-load time of the way back. News in flits takes the way of the tables in packets
//! of one flit, which compete for channels and book room as others do. They wait at queues of their own at
//! their hosts, so that no full window holds them back, and they are as old as the packet whose arrival they
//! report. News that rides on packets waits for the next one to that source, and leaves in a flit of its own
//! where none comes in time. Every delivered packet reports its arrival exactly once.

use super::super::layout::NONE;
use super::acks::WaitingNews;
use super::event::Event;
use super::{Marks, PacketRun, WholePacket};
use fabc_model::Ack;

impl PacketRun<'_> {
    /// Lets the source of a packet know that it has arrived.
    pub(super) fn acknowledge(&mut self, place: u32, now: u32) {
        let (packet, from) = (self.packets[place], self.endpoint(place));
        let Some(acks) = &mut self.acks else { return self.released(from, packet.to, 1, now) };
        match acks.kind {
            Ack::Free => {
                let ahead = self.prepared.ack_cycles(packet.to, from);
                self.wheel.put(
                    now,
                    ahead,
                    Event::Released { from, to: packet.to, marked: packet.marks.is_marked() },
                );
            }
            Ack::Flit => self.send_ack(packet.to, from, 1, packet.birth, now),
            Ack::Piggyback => {
                if let Some(pair) = acks.wait_for_packet(packet.to, from, now) {
                    self.wheel.put(now, acks.wait, Event::AckDue(pair));
                }
            }
        }
    }

    /// Sends the news that has waited for its time. A packet may have taken it, and later news has a time of
    /// its own.
    pub(super) fn ack_due(&mut self, pair: u32, now: u32) {
        let Some(acks) = &mut self.acks else { return };
        let WaitingNews { from, to, arrivals, since } = acks.pairs[pair as usize];
        if arrivals > 0 && now - since == acks.wait {
            acks.pairs[pair as usize].arrivals = 0;
            self.send_ack(from, to, arrivals, since, now);
        }
    }

    /// Loads a packet that leaves its source with the news for its destination.
    pub(super) fn load_reports(&mut self, place: u32) {
        let Some(acks) = self.acks.as_mut().filter(|acks| acks.kind == Ack::Piggyback) else { return };
        let packet = &self.packets[place];
        let arrivals = acks.take(self.prepared.setting.endpoint_of(packet.generator), packet.to);
        acks.report(place, self.packets.places(), arrivals);
    }

    /// Hands the news on a packet that has arrived to its endpoint: now, or in the next cycle where routers
    /// decide in this one.
    pub(super) fn read_reports(&mut self, place: u32, now: u32, decides: bool) {
        let [from, to] = [self.packets[place].to, self.endpoint(place)];
        let Some(acks) = self.acks.as_mut().filter(|acks| acks.kind == Ack::Piggyback) else { return };
        let arrivals = acks.reports.get_mut(place as usize).map_or(0, std::mem::take);
        match decides {
            true => (0..arrivals)
                .for_each(|_| self.wheel.put(now, 1, Event::Released { from, to, marked: false })),
            false if arrivals > 0 => self.released(from, to, arrivals, now),
            false => {}
        }
    }

    /// Puts a packet of one flit at its host. It competes from the next cycle on.
    fn send_ack(&mut self, from: u32, to: u32, arrivals: u32, birth: u32, now: u32) {
        let (prepared, setting) = (self.prepared, &self.prepared.setting);
        let layout = &prepared.layout;
        let ports = setting.ports().unwrap_or(1);
        let [source, target] = [from, to].map(|endpoint| prepared.endpoints.router[endpoint as usize]);
        let lane = to % ports;
        let mut packet = WholePacket {
            birth,
            generator: from * ports + lane,
            to,
            next: NONE,
            ready: now + 1 + setting.injection,
            out: NONE,
            waited: 0,
            hops: 0,
            vc: 0,
            marks: Marks::ACK,
        };
        let hosts = prepared.endpoints.of_router(source as usize).len() as u32;
        let port_queues = || layout.source_queue[source as usize] + hosts * ports;
        let queue = if source == target {
            packet.out = self.ejection(&packet);
            let port = packet.generator - prepared.endpoints.first[source as usize] * ports;
            setting.ports().map(|_| port_queues() + port)
        } else {
            packet.ready += layout.latency[source as usize];
            let (port, vc) =
                prepared.routes.next(source, target, None).expect("a route leads back to every source");
            packet.out = layout.outgoing[source as usize * layout.ports + usize::from(port)];
            packet.vc = vc;
            Some(match setting.ports() {
                Some(_) => {
                    port_queues() + packet.generator - prepared.endpoints.first[source as usize] * ports
                }
                None => {
                    let vcs = u32::from(setting.table_vcs);
                    let first = layout.source_queue[source as usize] + layout.ports as u32 * vcs;
                    first + u32::from(port) * vcs + u32::from(vc)
                }
            })
        };
        let place = self.packets.insert(packet);
        let places = self.packets.places();
        if let Some(acks) = &mut self.acks {
            acks.report(place, places, arrivals);
            acks.in_flight += 1;
        }
        match queue {
            Some(queue) => self.join(queue, place, now),
            None => self.wheel.put(now, 1 + setting.injection, Event::Delivered(place)),
        }
    }

    /// Handles an acknowledgement that is back at its source.
    pub(super) fn ack_arrived(&mut self, place: u32, now: u32) {
        let packet = self.packets[place];
        if packet.out != NONE && packet.hops > 0 && self.prepared.setting.ports().is_none() {
            self.give_back(packet.out, 1, now);
        }
        let mut arrivals = 0;
        if let Some(acks) = &mut self.acks {
            arrivals = std::mem::take(&mut acks.reports[place as usize]);
            acks.in_flight -= 1;
        }
        let reported = self.endpoint(place);
        self.packets.remove(place);
        self.last_move = now;
        self.released(packet.to, reported, arrivals, now);
    }
}
