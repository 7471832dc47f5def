//! Steps 1 and 4 to 6 of a cycle: the arrivals at a router, and what it sends.

use super::super::choice::PathChoice;
use super::super::layout::NONE;
use super::super::routes::HopInput;
use super::allocate::{Offers, Priority, Wish};
use super::lanes::StoredFlit;
use super::{Ejection, FlitArrival, FlitRun};

fn set(bits: &mut [u64], index: u32) {
    bits[index as usize / 64] |= 1 << (index % 64);
}

fn clear(bits: &mut [u64], index: u32) {
    bits[index as usize / 64] &= !(1 << (index % 64));
}

impl FlitRun<'_> {
    /// Stores a flit that is at an input.
    pub(super) fn store(&mut self, lane: u32, packet: u32, now: u32) {
        self.last_move = now;
        match self.lanes.store(lane, packet) {
            StoredFlit::First => self.heads.push(lane),
            StoredFlit::On => {
                // The head of its packet holds an output already.
                if self.rooms[self.lanes.lane(lane).output as usize].credits > 0 {
                    self.is_ready(lane);
                }
            }
            StoredFlit::Behind => {}
        }
    }

    /// Adds room for one flit behind a lane of a channel.
    pub(super) fn credit(&mut self, lane: u32, now: u32) {
        self.last_move = now;
        self.booked(lane, now);
        self.room_again(lane);
    }

    /// Adds room for one flit behind a lane of an output, also of one to a host.
    pub(super) fn room_again(&mut self, lane: u32) {
        let room = &mut self.rooms[lane as usize];
        room.credits += 1;
        let holder = room.holder;
        if room.credits == 1 && holder != NONE && self.lanes.lane(holder).present > 0 {
            self.is_ready(holder);
        }
    }

    fn is_ready(&mut self, lane: u32) {
        set(&mut self.ready, lane);
        set(&mut self.busy, self.ports.router_of(lane));
    }

    /// Packets that have become the first of their lanes look up the tables. They do so all at once, so that
    /// the processor waits for several entries at a time.
    pub(super) fn look_up(&mut self) {
        let mut heads = std::mem::take(&mut self.heads);
        heads.drain(..).for_each(|lane| self.ask_tables(lane));
        self.heads = heads;
    }

    /// Looks up the tables for the first packet of a lane, and requests a virtual channel.
    fn ask_tables(&mut self, lane: u32) {
        let (prepared, port) = (self.prepared, lane >> self.ports.shift);
        let (layout, setting) = (&prepared.layout, &prepared.setting);
        let router = self.ports.router_of(lane);
        let place = self.lanes.lane(lane).packet;
        let packet = self.packets[place];
        let target = prepared.endpoints.router[packet.to as usize];
        let (output, allowed) = if router == target {
            // To its host, by the same port of that host as the port of the source.
            let hosts = setting.ports().unwrap_or(1);
            let host =
                (packet.to - prepared.endpoints.first[router as usize]) * hosts + packet.generator % hosts;
            (layout.ports as u32 + host, self.every)
        } else if let Some(choice) = &prepared.choice {
            let channel = self.choose(choice, lane, router, target);
            // Through tiers, packets never turn up after a hop down, so no virtual channel is kept for an
            // escape. On other paths, hop k is on virtual channel k.
            let allowed = if choice.selection().has_groups() { self.every } else { 1 << packet.hops };
            (self.port_of_channel[channel as usize].into(), allowed)
        } else if let Some(exit) = self.supply.as_ref().and_then(|supply| supply.exit_of_place(place)) {
            (u32::from(exit.port), self.class | self.general)
        } else {
            let came = (self.ports.of_lane(lane).back != NONE)
                .then(|| HopInput { port: (port - self.ports.first[router as usize]) as u16, vc: packet.vc });
            let (output, vc) =
                prepared.routes.next(router, target, came).expect("every route that is taken was walked");
            self.packets[place].vc = vc;
            let table_vcs = self.class << (vc * setting.classes);
            (output.into(), if packet.escaped { table_vcs } else { table_vcs | self.general })
        };
        if let Some(age) = self.ages.get_mut(lane as usize) {
            *age = u64::from(packet.birth) << 32 | u64::from(packet.generator);
        }
        self.output[lane as usize] = output;
        self.allowed[lane as usize] = allowed;
        set(&mut self.asking, lane);
        set(&mut self.busy, router);
    }

    /// The channel that the first packet of a lane chooses at a router. At its source, it chooses its path.
    fn choose(&mut self, choice: &PathChoice, lane: u32, router: u32, target: u32) -> u32 {
        let place = self.lanes.lane(lane).packet;
        let (hops, mut path) = (self.packets[place].hops, self.paths[place as usize]);
        if let Some(turn) = self.group_turns.get_mut((lane >> self.ports.shift) as usize) {
            path = path.in_turn(*turn);
            *turn = turn.wrapping_add(1);
        }
        if hops == 0 {
            path = choice.start(router, target, path, |channel| self.queued(channel));
        }
        let channel = choice.next(router, target, &mut path, hops).expect("a channel leads on");
        self.paths[place as usize] = path;
        channel
    }

    /// The flits that are booked in the queues behind a channel, or wait for it.
    fn queued(&self, channel: u32) -> u32 {
        let (layout, setting) = (&self.prepared.layout, &self.prepared.setting);
        let from = layout.ends[channel as usize].from as usize;
        let port = self.ports.first[from] + u32::from(self.port_of_channel[channel as usize]);
        let first = (port << self.ports.shift) as usize;
        let rooms = &self.rooms[first..first + setting.vcs() as usize];
        rooms.iter().map(|room| setting.buffer - room.credits).sum()
    }

    /// Steps 4 to 6, for every router with work.
    pub(super) fn work(&mut self, now: u32) {
        for word in 0..self.busy.len() {
            let mut bits = self.busy[word];
            while bits != 0 {
                let router = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                self.work_at(router, now);
            }
        }
    }

    fn work_at(&mut self, router: usize, now: u32) {
        let (ports, shift) = (self.ports.range_of_router(router), self.ports.shift);
        let words = ports.start << shift >> 6..ports.end << shift >> 6;
        let lanes = ports.start << shift..ports.end << shift;
        self.give_channels(router, now);
        for _ in 0..self.speedup {
            if self.ready[words.clone()].iter().all(|ready| *ready == 0) {
                break;
            }
            let offers = Offers {
                ready: &self.ready[words.clone()],
                fresh: &self.fresh[words.clone()],
                output: &self.output[lanes.clone()],
            };
            let first = Priority::by_age(&self.ages, lanes.clone());
            self.allocator.flits(offers, first, &mut self.turns[ports.clone()], &mut self.passes);
            for index in 0..self.passes.len() {
                self.send(lanes.start as u32 + self.passes[index], now);
            }
        }
        self.fresh[words.clone()].fill(0);
        if words.clone().all(|word| self.ready[word] | self.asking[word] == 0) {
            clear(&mut self.busy, router as u32);
        }
    }

    /// Step 4: packets that request get virtual channels.
    fn give_channels(&mut self, router: usize, now: u32) {
        let (ports, shift) = (self.ports.range_of_router(router), self.ports.shift);
        let lanes = ports.start << shift..ports.end << shift;
        self.wishes.clear();
        for word in lanes.start >> 6..lanes.end >> 6 {
            let mut bits = self.asking[word];
            while bits != 0 {
                let lane = word * 64 + bits.trailing_zeros() as usize;
                bits &= bits - 1;
                let output = self.output[lane];
                let free = self.ports.ports[ports.start + output as usize].free & self.allowed[lane];
                if free != 0 {
                    // Take those of the tables only where no general one is free, since whoever takes one
                    // stays in them.
                    let general = free & self.general;
                    let free = if general == 0 { free } else { general };
                    self.wishes.push(Wish { lane: (lane - lanes.start) as u32, output, free });
                }
            }
        }
        if self.wishes.is_empty() {
            return;
        }
        let first = Priority::by_age(&self.ages, lanes.clone());
        self.allocator.packets(&self.wishes, first, &mut self.channel_turns[lanes.clone()], &mut self.grants);
        for grant in &self.grants {
            let lane = lanes.start as u32 + grant.lane;
            let port = ports.start as u32 + grant.output;
            let held = port << shift | grant.vc;
            self.ports.ports[port as usize].free &= !(1 << grant.vc);
            self.rooms[held as usize].holder = lane;
            self.lanes.hold(lane, held);
            clear(&mut self.asking, lane);
            if self.rooms[held as usize].credits > 0 {
                set(&mut self.ready, lane);
                set(&mut self.fresh, lane);
            }
        }
        self.last_move = now;
    }

    /// Step 6: the first flit of a lane passes the switch.
    fn send(&mut self, lane: u32, now: u32) {
        let prepared = self.prepared;
        let first = *self.lanes.lane(lane);
        let input = *self.ports.of_lane(lane);
        let vc = self.ports.vc(first.output);
        let output = &mut self.ports.ports[(first.output >> self.ports.shift) as usize];
        let leaves = (now + prepared.setting.router).max(output.sent + 1);
        output.sent = leaves;
        output.moved += u32::from(self.tally.counts(leaves));
        let output = *output;
        self.last_move = now;
        if output.channel == NONE {
            self.ejections.put(
                now,
                leaves - now,
                Ejection { lane: first.output, packet: first.packet, tail: first.left == 1 },
            );
        } else {
            self.booked(first.output, now);
            self.arrivals.put(
                now,
                leaves - now + output.latency + prepared.setting.stages,
                FlitArrival { lane: output.into | vc, packet: first.packet },
            );
        }
        if input.back != NONE {
            self.credits.put(now, input.credit, input.back | self.ports.vc(lane));
        }
        let room = &mut self.rooms[first.output as usize];
        room.credits -= 1;
        let no_credits = room.credits == 0;
        if first.left == prepared.setting.packet {
            let packet = &mut self.packets[first.packet];
            if input.back == NONE {
                packet.waited = now - packet.birth - prepared.setting.injection - prepared.setting.stages;
            }
            if output.channel != NONE {
                let general = self.general >> vc & 1 == 1;
                packet.hops += 1;
                packet.escaped = !general;
                self.tally.hop(now, vc as usize, general);
            }
        }
        self.lanes.leave(lane);
        if first.left == 1 {
            self.rooms[first.output as usize].holder = NONE;
            self.ports.ports[(first.output >> self.ports.shift) as usize].free |= 1 << vc;
            clear(&mut self.ready, lane);
            if self.lanes.advance(lane) {
                self.heads.push(lane);
            }
        } else if first.present == 1 || no_credits {
            clear(&mut self.ready, lane);
        }
    }
}
