//! Step 4 of a cycle: routers grant their channels.

use super::super::cycles::Routers;
use super::super::layout::NONE;
use super::event::{Event, SentPacket};
use super::{PacketQueue, PacketRun, WholePacket};

impl PacketRun<'_> {
    /// Lets every touched router grant what it can. None of them sees the grants of another one in this
    /// cycle. Rooms and outputs are booked by one router alone, and a packet in flight competes in a later
    /// cycle.
    pub(super) fn decide(&mut self, now: u32) {
        let mut touched = std::mem::take(&mut self.touched);
        for router in touched.drain(..) {
            self.decide_at(router as usize, now);
        }
        self.touched = touched;
    }

    fn decide_at(&mut self, router: usize, now: u32) {
        let [first, last] = [router, router + 1].map(|router| self.prepared.layout.first_queue[router] / 64);
        let mut ready = std::mem::take(&mut self.ready);
        for word in first..last {
            let mut bits = self.candidates[word as usize] & std::mem::take(&mut self.news[word as usize]);
            while bits != 0 {
                let queue = word * 64 + bits.trailing_zeros();
                bits &= bits - 1;
                // What is taken or full now stays so in this cycle.
                let front = &self.queues[queue as usize];
                if self.may_send(queue, front, now) && self.vc(front).is_some() {
                    ready.push((front.order, queue));
                }
            }
        }
        ready.sort_unstable();
        for (_, queue) in ready.drain(..) {
            let front = self.queues[queue as usize];
            if self.may_send(queue, &front, now)
                && let Some(vc) = self.vc(&front)
            {
                self.grant(queue, vc, now);
            }
        }
        self.ready = ready;
    }

    /// Whether the output and the input port of the first packet of a queue are free, and its host may have
    /// another packet in flight.
    fn may_send(&self, queue: u32, front: &PacketQueue, now: u32) -> bool {
        let gate = self.prepared.layout.gate[queue as usize];
        let free = self.out_until[front.out as usize] <= now + self.ahead(front.out)
            && (gate == NONE || self.gate_until[gate as usize] <= now);
        free && (self.send_window == NONE
            || self.prepared.layout.is_input(queue)
            || self.packets[front.head].hops > 0
            || self.under_way[self.endpoint(front.head) as usize] < self.send_window)
    }

    /// The virtual channel that the first packet of a queue would take. An empty one is preferred to one with
    /// room for all of it, and the general ones come first. Ports of hosts have no virtual channels, and
    /// always have room.
    fn vc(&self, front: &PacketQueue) -> Option<u32> {
        let Some(room) = self.rooms.get(front.out as usize) else { return Some(0) };
        let [general, table_vcs] = self.lanes;
        let table_vcs = table_vcs << (front.vc * self.prepared.setting.classes);
        let allowed = if front.general { general | table_vcs } else { table_vcs };
        let free = [room.empty & allowed, room.any & allowed].into_iter().find(|free| *free != 0)?;
        Some(free.trailing_zeros())
    }

    /// An output accepts a packet up to this many cycles before it leaves: as long as it takes to send the
    /// flits that may wait there.
    fn ahead(&self, out: u32) -> u32 {
        if self.unlike && self.stored_ahead > 0 {
            self.stored_ahead * self.output_cycles(out) / self.prepared.setting.packet
        } else {
            self.stored_ahead
        }
    }

    /// The cycles for which a packet holds an output.
    fn output_cycles(&self, out: u32) -> u32 {
        let host = self.prepared.setting.host_cycles;
        self.prepared.layout.ends.get(out as usize).map_or(host, |ends| ends.packet)
    }

    /// The cycles for which a packet passes a faster switch. It takes `through` cycles at the speed of a
    /// channel. No packet passes the switch before its tail is here.
    fn pass(&self, through: u32, queue: u32, place: u32, now: u32) -> u32 {
        let layout = &self.prepared.layout;
        let latency = layout.latency[layout.router_of(queue) as usize];
        let complete = self.packets[place].ready + through - latency.min(through);
        through.div_ceil(self.prepared.setting.speedup).max(complete.saturating_sub(now)).min(through)
    }

    /// The cycles for which a packet holds a channel that a whole one holds for so many.
    pub(super) fn channel_cycles(&self, packet: &WholePacket, cycles: u32) -> u32 {
        if packet.marks.is_ack() { cycles.div_ceil(self.prepared.setting.packet) } else { cycles }
    }

    /// The cycles for which a packet holds its input port, and those for which it holds its output, where
    /// channels differ in speed. It passes the switch at the speed of the faster of the two: a slow output
    /// stores the packet that it sends, and a packet from a slow input waits until the rest comes in time.
    fn unlike_cycles(&self, gate: u32, out: u32) -> (u32, u32) {
        let (ends, host) = (&self.prepared.layout.ends, self.prepared.setting.host_cycles);
        let cycles = self.output_cycles(out);
        match ends.get(gate as usize) {
            Some(input) => (input.packet.min(cycles), cycles),
            None => (host, cycles),
        }
    }

    /// Does what is due when the first packet of a queue leaves its source: the next message is born, and the
    /// packet is in flight from now on, unless a control has admitted it before.
    fn leave_source(&mut self, queue: u32, now: u32) {
        if self.supply.is_some() {
            self.refill(queue, now);
        }
        let place = self.queues[queue as usize].head;
        let first = &self.packets[place];
        if first.hops > 0 || first.marks.is_ack() {
            return;
        }
        if self.send_window != NONE {
            let endpoint = self.endpoint(place);
            self.under_way[endpoint as usize] += 1;
        }
        self.load_reports(place);
    }

    /// Sends the first packet of a queue into a virtual channel.
    fn grant(&mut self, queue: u32, vc: u32, now: u32) {
        let (setting, layout) = (&self.prepared.setting, &self.prepared.layout);
        let at_source = !layout.is_input(queue);
        if at_source {
            self.leave_source(queue, now);
        }
        let is_ack = self.packets[self.queues[queue as usize].head].marks.is_ack();
        let gate = layout.gate[queue as usize];
        let PacketQueue { head: place, out, .. } = self.queues[queue as usize];
        // A faster switch moves packets to the output while another one is still leaving by it.
        let start = self.out_until[out as usize].max(now);
        let (through, cycles) =
            if self.unlike { self.unlike_cycles(gate, out) } else { (setting.packet, setting.packet) };
        let (held, cycles) = match is_ack {
            true => (through.div_ceil(setting.packet), cycles.div_ceil(setting.packet)),
            false if setting.speedup > 1 => (self.pass(through, queue, place, now), cycles),
            false => (through, cycles),
        };
        let packet = &mut self.packets[place];
        let next = std::mem::replace(&mut packet.next, NONE);
        if at_source {
            packet.waited += now - packet.ready;
        }
        self.candidates[queue as usize / 64] &= !(1 << (queue % 64));
        self.out_until[out as usize] = start + cycles;
        let full = (start + cycles).saturating_sub(now + self.ahead(out));
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
            self.wheel.put(now, cycles, Event::Wake(layout.router_of(queue)));
            if next != NONE {
                self.first(queue, self.packets[next].ready, now);
            }
        } else {
            self.gate_until[gate as usize] = now + held;
            self.queues[queue as usize].leaving = true;
            let left = if is_ack && !at_source { Event::AckLeft(queue) } else { Event::Left(queue) };
            self.wheel.put(now, held, left);
            if held != cycles && self.stored_ahead == 0 {
                self.wheel.put(now, cycles, Event::Wake(layout.router_of(queue)));
            }
        }
        let packet = &mut self.packets[place];
        if out as usize >= layout.channels {
            packet.out = NONE;
            return self.deliver_in(start - now + cycles - 1, place, now);
        }
        packet.hops += 1;
        packet.marks = packet.marks.escaped(vc >= u32::from(setting.general));
        let next_ends = &layout.ends[out as usize];
        let into = next_ends.queue + vc;
        match is_ack {
            true => self.tally.ack_sent(start, cycles, out as usize),
            false => {
                self.tally.sent(start, cycles, out as usize, vc as usize, vc < u32::from(setting.general))
            }
        }
        let grains = if is_ack { 1 } else { self.grains };
        if self.queues[into as usize].booked >= self.marked_from {
            let packet = &mut self.packets[place];
            packet.marks = packet.marks.marked();
        }
        self.book(out, into, now, |booked| booked + grains);
        self.sent.push(SentPacket {
            place,
            channel: out,
            queue: into,
            ahead: start - now + next_ends.latency,
        });
    }
}
