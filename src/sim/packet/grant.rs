//! Step 4 of a cycle: routers grant their channels.

use super::super::cycles::Routers;
use super::super::layout::NONE;
use super::event::{Event, Sent};
use super::{Queue, Run};

impl Run<'_> {
    /// Every router that was touched grants what it can. None of them sees what another one grants in this
    /// cycle: rooms and outputs are booked by one router alone, and a packet that is on its way competes in a
    /// later cycle.
    pub(super) fn decide(&mut self, now: u32) {
        let mut touched = std::mem::take(&mut self.touched);
        for router in touched.drain(..) {
            self.decide_at(router as usize, now);
        }
        self.touched = touched;
    }

    fn decide_at(&mut self, router: usize, now: u32) {
        let [first, last] = [router, router + 1].map(|router| self.of.layout.first_queue[router] / 64);
        let mut ready = std::mem::take(&mut self.ready);
        for word in first..last {
            let mut bits = self.candidates[word as usize] & std::mem::take(&mut self.news[word as usize]);
            while bits != 0 {
                let queue = word * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                // What is taken or full now stays so in this cycle.
                let of = &self.queues[queue as usize];
                if self.may_send(queue, of, now) && self.vc(of).is_some() {
                    ready.push((of.order, queue));
                }
            }
        }
        ready.sort_unstable();
        for (_, queue) in ready.drain(..) {
            let of = self.queues[queue as usize];
            if self.may_send(queue, &of, now)
                && let Some(vc) = self.vc(&of)
            {
                self.grant(queue, vc, now);
            }
        }
        self.ready = ready;
    }

    /// Whether the output and the input port of the first packet of a queue are free, and its host may have
    /// another one under way.
    fn may_send(&self, queue: u32, of: &Queue, now: u32) -> bool {
        let gate = self.of.layout.gate[queue as usize];
        let free = self.out_until[of.out as usize] <= now + self.stored_ahead
            && (gate == NONE || self.gate_until[gate as usize] <= now);
        free && (self.window == NONE
            || self.of.layout.is_input(queue)
            || self.under_way[self.host(of) as usize] < self.window)
    }

    /// The endpoint that sends the first packet of a queue.
    fn host(&self, of: &Queue) -> u32 {
        self.packets[of.head].generator / self.of.setting.ports().unwrap_or(1)
    }

    /// The virtual channel that the first packet of a queue would take: an empty one, or else one with room
    /// for all of it; the general ones first. Ports of hosts have none, and always room.
    fn vc(&self, of: &Queue) -> Option<u32> {
        let Some(room) = self.rooms.get(of.out as usize) else { return Some(0) };
        let [general, own] = self.lanes;
        let own = own << (of.vc * self.of.setting.classes);
        let allowed = if of.general { general | own } else { own };
        let free = [room.empty & allowed, room.any & allowed].into_iter().find(|free| *free != 0)?;
        Some(free.trailing_zeros())
    }

    /// Sends the first packet of a queue into a virtual channel.
    fn grant(&mut self, queue: u32, vc: u32, now: u32) {
        let (setting, layout) = (&self.of.setting, &self.of.layout);
        let at_source = !layout.is_input(queue);
        if at_source && self.supply.is_some() {
            self.refill(queue, now);
        }
        if at_source && self.window != NONE {
            let host = self.host(&self.queues[queue as usize]);
            self.under_way[host as usize] += 1;
        }
        let gate = layout.gate[queue as usize];
        let Queue { head: place, out, .. } = self.queues[queue as usize];
        let packet = &mut self.packets[place];
        // A faster switch moves packets to the output while another one is still leaving by it, but none
        // before its tail is there.
        let start = self.out_until[out as usize].max(now);
        let there = packet.ready + setting.packet - setting.router.min(setting.packet);
        let held = self.pass.max(there.saturating_sub(now)).min(setting.packet);
        let next = std::mem::replace(&mut packet.next, NONE);
        if at_source {
            packet.waited = now - packet.ready;
        }
        self.candidates[queue as usize / 64] &= !(1 << (queue % 64));
        self.out_until[out as usize] = start + setting.packet;
        let full = (start + setting.packet).saturating_sub(now + self.stored_ahead);
        if full > 0 && self.stored_ahead > 0 {
            self.wheel.put(now, full, Event::Wake(layout.router_of(queue)));
        }
        if let Some(served) = self.served.get_mut(queue as usize) {
            *served = now + 1;
        }
        self.last_move = now;
        self.queues[queue as usize].head = next;
        if gate == NONE {
            // Hosts without ports: the next packet of this queue may compete at once, for the same output.
            self.wheel.put(now, setting.packet, Event::Wake(layout.router_of(queue)));
            if next != NONE {
                self.first(queue, self.packets[next].ready, now);
            }
        } else {
            self.gate_until[gate as usize] = now + held;
            self.queues[queue as usize].leaving = true;
            self.wheel.put(now, held, Event::Left(queue));
        }
        let packet = &mut self.packets[place];
        if out as usize >= layout.channels {
            packet.out = NONE;
            return self.deliver_in(start - now + setting.packet - 1, place, now);
        }
        packet.hops += 1;
        packet.escaped = vc >= u32::from(setting.general);
        let ends = &layout.ends[out as usize];
        let into = ends.queue + vc;
        self.tally.sent(start, out as usize, vc as usize, vc < u32::from(setting.general));
        self.book(out, into, now, |booked| booked + 1);
        self.sent.push(Sent { place, channel: out, queue: into, ahead: start - now + ends.latency });
    }
}
