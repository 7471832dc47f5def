//! Step 4 of a cycle: routers grant their channels.

use super::super::cycles::Routers;
use super::super::layout::NONE;
use super::event::Event;
use super::{Front, Packet, Run};
use crate::model::Arbitration;

impl Run<'_> {
    /// Where a packet stands among those that want what it wants: the oldest first, or the queue that was
    /// served longest ago; a generator gives birth to one packet per cycle at most.
    pub(super) fn order(&self, queue: u32, packet: &Packet) -> u64 {
        match self.of.setting.arbitration {
            Arbitration::Age => u64::from(packet.birth) << 32 | u64::from(packet.generator),
            Arbitration::Rotate => u64::from(self.served[queue as usize]) << 32 | u64::from(queue),
        }
    }

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
            let mut bits = self.candidates[word as usize];
            while bits != 0 {
                let queue = word * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                // What is taken or full now stays so in this cycle.
                let front = &self.fronts[queue as usize];
                if self.may_send(queue, front, now) && self.vc(front).is_some() {
                    ready.push((front.order, queue));
                }
            }
        }
        ready.sort_unstable();
        for (_, queue) in ready.drain(..) {
            let front = self.fronts[queue as usize];
            if self.may_send(queue, &front, now) && self.vc(&front).is_some() {
                self.grant(queue, front, now);
            }
        }
        self.ready = ready;
    }

    /// Whether the output and the input port of the first packet of a queue are free.
    fn may_send(&self, queue: u32, front: &Front, now: u32) -> bool {
        let gate = self.of.layout.gate[queue as usize];
        self.out_until[front.out as usize] <= now + self.stored_ahead && (gate == NONE || self.gate_until[gate as usize] <= now)
    }

    /// The virtual channel that a packet would take: an empty one, or else one with room for all of it; the
    /// general ones first. Ports of hosts have none, and always room.
    fn vc(&self, front: &Front) -> Option<u32> {
        let (setting, layout) = (&self.of.setting, &self.of.layout);
        if front.out as usize >= layout.channels {
            return Some(0);
        }
        let (first, general, classes) = (layout.input_queue[front.out as usize], u32::from(setting.general), u32::from(setting.classes));
        let own = general + u32::from(front.vc) * classes;
        let allowed = || (0..if front.general { general } else { 0 }).chain(own..own + classes);
        let flits = |vc: &u32| self.rooms[(first + vc) as usize].flits;
        allowed().find(|vc| flits(vc) == setting.buffer).or_else(|| allowed().find(|vc| flits(vc) >= setting.packet))
    }

    /// Sends the first packet of a queue.
    fn grant(&mut self, queue: u32, front: Front, now: u32) {
        let (setting, layout) = (&self.of.setting, &self.of.layout);
        let vc = self.vc(&front).expect("whoever is granted a channel has room behind it");
        if !layout.is_input(queue) && self.supply.is_some() {
            self.refill(queue, now);
        }
        let gate = layout.gate[queue as usize];
        // A faster switch moves packets to the output while another one is still leaving by it, but none
        // before its tail is there.
        let start = self.out_until[front.out as usize].max(now);
        let there = self.packets[self.queues[queue as usize].head as usize].ready + setting.packet - setting.router.min(setting.packet);
        let held = setting.packet.div_ceil(setting.speedup).max(there.saturating_sub(now)).min(setting.packet);
        self.candidates[queue as usize / 64] &= !(1 << (queue % 64));
        self.out_until[front.out as usize] = start + setting.packet;
        let full = (start + setting.packet).saturating_sub(now + self.stored_ahead);
        if full > 0 && self.stored_ahead > 0 {
            self.wheel.put(now, full, Event::Wake(layout.router_of[queue as usize]));
        }
        self.served[queue as usize] = now + 1;
        self.last_move = now;
        let place = self.queues[queue as usize].head;
        let packet = &mut self.packets[place as usize];
        let next = std::mem::replace(&mut packet.next, NONE);
        if !layout.is_input(queue) {
            packet.waited = now - packet.ready;
        }
        self.queues[queue as usize].head = next;
        if gate == NONE {
            // Hosts without ports: the next packet of this queue may compete at once, for the same output.
            self.wheel.put(now, setting.packet, Event::Wake(layout.router_of[queue as usize]));
            if next != NONE {
                self.first(queue, self.packets[next as usize].ready, now);
            }
        } else {
            self.gate_until[gate as usize] = now + held;
            self.queues[queue as usize].leaving = true;
            self.wheel.put(now, held, Event::Left(queue));
        }
        if front.out as usize >= layout.channels {
            self.packets[place as usize].out = NONE;
            return self.deliver_in(start - now + setting.packet - 1, place, now);
        }
        let packet = &mut self.packets[place as usize];
        packet.hops += 1;
        packet.escaped = vc >= u32::from(setting.general);
        let into = layout.input_queue[front.out as usize] + vc;
        self.tally.sent(start, front.out as usize, vc as usize, vc < u32::from(setting.general));
        self.change_room(front.out, into, now, |flits, packet| flits - packet);
        self.arrive(place, front.out, into, start - now + layout.latency[front.out as usize], now);
    }
}
