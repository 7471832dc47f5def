//! The packet model: whole packets, virtual cut-through.
//!
//! A queue has room for whole packets. A packet that is granted a channel holds it, and its input port, for
//! as many cycles as it has flits, and a slower channel for longer. It books room in the next queue at once.
//! Its head is there after the latency of the link. It competes again as soon as the router has looked at it,
//! even if the tail has not left yet. So time passes in events (`wheel`). Only routers that an event touches
//! in a cycle decide anything.
//!
//! A cycle has four steps. First, all events of the cycle happen. Then packets are born. Then those that are
//! first at their hosts choose their paths, if paths are chosen. Then the touched routers grant their
//! channels, each by what it alone owns.

mod acknowledge;
mod acks;
mod admit;
mod arrive;
mod deliver;
mod event;
mod grant;
mod marks;
mod paths;
mod watchdog;

use super::backlog::Backlogs;
use super::choice::{PacketPath, PathChoice, PathStreams};
use super::cycles::Routers;
use super::errors::SimError;
use super::layout::{NONE, low_bits};
use super::prepare::Prepared;
use super::routing::PathSelection;
use super::slab::Slab;
use super::supply::{Newborn, Supply};
use super::tally::{Census, RunTally};
use super::traffic::EndpointMessage;
use super::wheel::Wheel;
use acks::Acks;
use event::{Event, SentPacket};
use fabc_model::{Arbitration, Credits};
use marks::Marks;

/// A packet in flight: 32 bytes, half a line of the cache.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct WholePacket {
    birth: u32,
    generator: u32,
    /// Its destination, which is an endpoint.
    to: u32,
    /// The next packet in its queue.
    next: u32,
    /// The cycle from which it may compete where it is, if it is first by then.
    ready: u32,
    /// The output that it wants. On its last hop, the queue in which it has booked room.
    out: u32,
    /// Cycles between the first chance to leave its source and leaving.
    waited: u32,
    hops: u16,
    /// Its virtual channel of the tables on that output.
    vc: u8,
    marks: Marks,
}

/// A queue, with the fields of its first packet that its router needs: 32 bytes.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct PacketQueue {
    head: u32,
    tail: u32,
    /// The queue with the smallest number goes first.
    order: u64,
    /// The output that its first packet wants.
    out: u32,
    /// The room that is booked in it, in packets. Where acknowledgements have flits, in flits.
    booked: u32,
    /// The cycle in which this number changed last.
    since: u32,
    /// The virtual channel of the tables on that output.
    vc: u8,
    /// Whether its first packet may take a general virtual channel.
    general: bool,
    /// Whether its first packet is just leaving.
    leaving: bool,
}

/// The room in the queues that a channel leads to, with a bit per virtual channel.
#[derive(Clone, Copy)]
struct ChannelRoom {
    /// The queue is empty: nothing has booked room.
    empty: u64,
    /// The queue has room for a packet.
    any: u64,
    /// Packets that have booked room in all of them.
    booked: u32,
}

/// News of arrivals that waits longer stands beside the ring of events.
const LONGEST_WAIT: u32 = 1 << 12;

/// One run of the packet model.
pub(super) struct PacketRun<'a> {
    prepared: &'a Prepared<'a>,
    packets: Slab<WholePacket>,
    /// `[packet]`: the path that it has chosen. Empty where packets follow the tables.
    paths: Vec<PacketPath>,
    /// `[input]`: its turn among the ports of a group. Channels come first, then ports of hosts. Empty unless
    /// packets take ports in turn.
    turns: Vec<u32>,
    streams: PathStreams,
    queues: Vec<PacketQueue>,
    /// `[queue]`: the cycle of its last grant. Used only where queues take turns.
    served: Vec<u32>,
    /// Bit per queue: its first packet competes.
    candidates: Vec<u64>,
    /// Bit per queue: what it waits for may have come since its router looked last. Without news, a queue
    /// that was not granted then cannot be granted now.
    news: Vec<u64>,
    /// `[channel]`: the room behind it.
    rooms: Vec<ChannelRoom>,
    /// The room of a queue, in packets. Where acknowledgements have flits, in flits.
    capacity: u32,
    /// The room that a packet books, in the same unit.
    grains: u32,
    /// The acknowledgements of a control. `None`: sources know of arrivals at once.
    acks: Option<Acks>,
    /// Masks of the general virtual channels, and of those of the first one of the tables.
    lanes: [u64; 2],
    /// `[output]`: the cycle from which it is free. Channels come first, then limited ports of hosts.
    out_until: Vec<u32>,
    /// The flits that may wait behind the switch for an output.
    stored_ahead: u32,
    /// Whether channels or ports of hosts differ in speed.
    unlike: bool,
    /// Whether endpoints hand packets on as relays.
    hands_on: bool,
    /// `[input port]`: the cycle from which it is free.
    gate_until: Vec<u32>,
    /// Whether a router decides with every credit. At unlimited hosts, the next packet of a queue may be
    /// first while its output still accepts more. It goes when the router decides again.
    looks_often: bool,
    /// `[generator]`: the cycle from which its port hands over the next packet. Used only where routers are
    /// faster than ports.
    handed: Vec<u32>,
    /// `[endpoint]`: its packets in flight. Used only with a send window.
    under_way: Vec<u32>,
    /// The send window: the most packets of an endpoint in flight, or [`NONE`].
    send_window: u32,
    /// The windows of a control.
    backlogs: Option<Backlogs>,
    /// The room that is booked in a queue from which on packets for it are marked. [`NONE`] without marks.
    marked_from: u32,
    wheel: Wheel<Event>,
    /// `[router]`: the last cycle in which an event touched it.
    stamp: Vec<u32>,
    touched: Vec<u32>,
    /// Queues of hosts whose first packet has still to choose its path.
    undecided: Vec<u32>,
    ready: Vec<(u64, u32)>,
    /// Packets that were sent over channels in this cycle, and whose next hop is not looked up yet.
    sent: Vec<SentPacket>,
    tally: RunTally,
    last_move: u32,
    /// The messages of traffic that ends, with a lane per source queue, and one for those that need none.
    supply: Option<Supply<'a>>,
}

impl<'a> Routers<'a> for PacketRun<'a> {
    fn happens(&mut self, now: u32) {
        let events = self.wheel.take(now);
        events.iter().for_each(|&event| self.event(event, now));
        self.wheel.happened(events);
    }

    fn birth(&mut self, packet: Newborn, now: u32) {
        self.offer(packet, now);
    }

    fn decides(&mut self, now: u32) {
        self.choose_paths(now);
        self.decide(now);
        self.arrive(now);
    }

    fn tally(&mut self) -> &mut RunTally {
        &mut self.tally
    }

    fn last_move(&mut self) -> &mut u32 {
        &mut self.last_move
    }

    fn supply(&mut self) -> &mut Option<Supply<'a>> {
        &mut self.supply
    }

    fn lane(&self, message: &EndpointMessage) -> u32 {
        let (prepared, layout) = (self.prepared, &self.prepared.layout);
        let [source_router, target_router] =
            [message.from, message.to].map(|endpoint| prepared.endpoints.router[endpoint as usize]);
        let first = layout.source_queue[source_router as usize];
        match (prepared.setting.ports(), &self.supply) {
            (Some(ports), Some(supply)) => {
                first + supply.generator(message) - prepared.endpoints.first[source_router as usize] * ports
            }
            // A packet that stays at its router waits for nothing: it has a lane without a queue.
            _ if source_router == target_router => layout.queues() as u32,
            _ => {
                let (port, vc) = self.first_hop([source_router, target_router], message.exit);
                first + u32::from(port) * u32::from(prepared.setting.table_vcs) + u32::from(vc)
            }
        }
    }

    fn is_idle(&self, lane: u32) -> bool {
        self.queues.get(lane as usize).is_none_or(|queue| queue.head == NONE)
    }

    fn stuck(&self, at: &str) -> SimError {
        self.wait_cycle(at)
    }

    fn counted(mut self, cycles: u32) -> (RunTally, Census) {
        let layout = &self.prepared.layout;
        for first in layout.ends.iter().map(|ends| ends.queue).filter(|&first| first != NONE) {
            for vc in 0..self.prepared.setting.vcs() {
                let PacketQueue { booked, since, .. } = self.queues[(first + vc) as usize];
                self.tally.booked(vc as usize, booked, since, cycles);
            }
        }
        let waiting = self.backlogs.as_ref().map_or(0, Backlogs::waiting);
        let in_flight = waiting + self.packets.taken() - self.acks.as_ref().map_or(0, |acks| acks.in_flight);
        let flits = [in_flight, self.tally.delivered_ever()]
            .map(|packets| packets * u64::from(self.prepared.setting.packet));
        (self.tally, Census { packets: in_flight, flits: flits[0], flits_delivered: flits[1] })
    }
}

impl<'a> PacketRun<'a> {
    pub(super) fn new(prepared: &'a Prepared<'a>, seed: u64) -> Self {
        let (setting, layout) = (&prepared.setting, &prepared.layout);
        let ports = setting.ports().unwrap_or(1);
        let generators = prepared.endpoints.count() * ports;
        let endpoints = prepared.endpoints.count() as usize;
        let outputs = layout.channels + generators as usize;
        let inputs = if setting.selection == PathSelection::Spray { outputs } else { 0 };
        let streams = PathStreams::new(seed);
        let farthest = layout.ends.iter().map(|ends| ends.latency).max().unwrap_or(0);
        let slowest = layout.slowest_packet().max(setting.host_cycles);
        // Behind a fast switch, as much can wait as a queue holds.
        let stored_ahead = if setting.speedup > 1 { setting.buffer } else { 0 };
        let longest_ahead = stored_ahead.div_ceil(setting.packet) * slowest;
        let reach = [
            setting.router + farthest,
            farthest + longest_ahead + 2 * slowest,
            setting.turn + slowest,
            setting.injection + setting.router + 1,
            setting.control.map_or(0, |control| control.wait.min(LONGEST_WAIT)),
        ];
        let reach = reach.into_iter().max().unwrap_or(0).max(setting.injection + slowest) + 1;
        let lead = |&router: &u32| setting.injection + layout.latency[router as usize];
        let leads = || prepared.endpoints.router.iter().map(lead).collect();
        let supply = |messages| Supply::new(messages, layout.queues() + 1, ports, leads());
        let supply = prepared.offer.messages().map(supply);
        let queue = PacketQueue {
            head: NONE,
            tail: NONE,
            order: 0,
            out: NONE,
            booked: 0,
            since: 0,
            vc: 0,
            general: false,
            leaving: false,
        };
        let every_vc = low_bits(setting.vcs());
        let room = ChannelRoom { empty: every_vc, any: every_vc, booked: 0 };
        let [general, classes] = [setting.general, setting.classes].map(|count| low_bits(count.into()));
        Self {
            packets: Slab::new(),
            paths: Vec::new(),
            turns: (0..inputs as u32).map(|input| streams.first_turn(input)).collect(),
            streams,
            queues: vec![queue; layout.queues()],
            served: vec![0; if setting.arbitration == Arbitration::Rotate { layout.queues() } else { 0 }],
            candidates: vec![0; layout.queues() / 64],
            news: vec![0; layout.queues() / 64],
            rooms: vec![room; layout.channels],
            capacity: setting.buffer / setting.grain(),
            grains: setting.packet / setting.grain(),
            acks: setting.control.map(|control| Acks::new(control.ack, control.wait)),
            lanes: [general, classes << setting.general],
            out_until: vec![0; outputs],
            stored_ahead,
            unlike: setting.has_unlike_links(),
            hands_on: prepared.choice.as_ref().is_some_and(PathChoice::has_relays),
            looks_often: stored_ahead > 0 && setting.ports().is_none(),
            gate_until: vec![0; outputs],
            handed: vec![0; generators as usize],
            under_way: vec![0; if setting.window.is_some() { endpoints } else { 0 }],
            send_window: setting.window.unwrap_or(NONE),
            marked_from: setting
                .control
                .and_then(|control| control.marks)
                .map_or(NONE, |marks| marks.mark.div_ceil(setting.grain())),
            backlogs: setting.control.map(|control| Backlogs::new(endpoints, &control, setting.packet)),
            wheel: Wheel::new(reach),
            stamp: vec![u32::MAX; layout.routers],
            touched: Vec::new(),
            undecided: Vec::new(),
            ready: Vec::new(),
            sent: Vec::new(),
            tally: RunTally::new(prepared),
            last_move: 0,
            supply,
            prepared,
        }
    }

    /// Handles an event of this cycle.
    fn event(&mut self, event: Event, now: u32) {
        match event {
            Event::Eligible(queue) => self.compete(queue, now),
            Event::Left(queue) => self.tail_left(queue, self.grains, now),
            Event::AckLeft(queue) => self.tail_left(queue, 1, now),
            Event::Credit(queue) => self.room_again(queue, self.grains, now),
            Event::AckCredit(queue) => self.room_again(queue, 1, now),
            Event::AckDue(pair) => self.ack_due(pair, now),
            Event::Delivered(packet) => self.delivered(packet, now),
            Event::Wake(router) => self.touch(router, now),
            Event::Released { from, to, marked } => self.answered(from, to, marked, now),
            Event::Paced(endpoint) => self.look_again(endpoint, now),
        }
    }

    /// The port by which a packet leaves the network. At its destination, it is the same port of the host as
    /// at its source.
    fn ejection(&self, packet: &WholePacket) -> u32 {
        let ports = self.prepared.setting.ports().unwrap_or(1);
        self.prepared.layout.channels as u32 + packet.to * ports + packet.generator % ports
    }

    /// Appends a packet to a queue.
    fn join(&mut self, queue: u32, packet: u32, now: u32) {
        let front = &mut self.queues[queue as usize];
        if front.head != NONE {
            self.packets[front.tail].next = packet;
            front.tail = packet;
            return;
        }
        (front.head, front.tail) = (packet, packet);
        if !front.leaving {
            self.first(queue, self.packets[packet].ready, now);
        }
    }

    /// Lets the first packet of a queue compete from the cycle `from` on.
    fn first(&mut self, queue: u32, from: u32, now: u32) {
        if from <= now {
            self.compete(queue, now)
        } else {
            self.wheel.put(now, from - now, Event::Eligible(queue))
        }
    }

    /// Lets the first packet of a queue compete now.
    fn compete(&mut self, queue: u32, now: u32) {
        let packet = &self.packets[self.queues[queue as usize].head];
        if packet.out == NONE {
            // It chooses its path after all events of this cycle.
            self.undecided.push(queue);
            return;
        }
        let order = match self.prepared.setting.arbitration {
            Arbitration::Age => u64::from(packet.birth) << 32 | u64::from(packet.generator),
            Arbitration::Rotate => u64::from(self.served[queue as usize]) << 32 | u64::from(queue),
        };
        let front = &mut self.queues[queue as usize];
        (front.order, front.out, front.vc, front.general) =
            (order, packet.out, packet.vc, !packet.marks.is_escaped());
        self.candidates[queue as usize / 64] |= 1 << (queue % 64);
        self.news[queue as usize / 64] |= 1 << (queue % 64);
        self.visit(self.prepared.layout.router_of(queue), now);
    }

    /// Marks news for all queues of a router: something is free again that they may wait for.
    fn touch(&mut self, router: u32, now: u32) {
        let [first, last] = [router, router + 1]
            .map(|router| self.prepared.layout.first_queue[router as usize] as usize / 64);
        self.news[first..last].fill(u64::MAX);
        self.visit(router, now);
    }

    /// Lets a router decide in this cycle.
    fn visit(&mut self, router: u32, now: u32) {
        if self.stamp[router as usize] != now {
            self.stamp[router as usize] = now;
            self.touched.push(router);
        }
    }

    /// Handles a tail that has left a queue: its room is free, and the next packet is first.
    fn tail_left(&mut self, queue: u32, grains: u32, now: u32) {
        let is_input = self.prepared.layout.is_input(queue);
        if is_input {
            self.give_back(queue, grains, now);
        }
        let front = &mut self.queues[queue as usize];
        front.leaving = false;
        if front.head != NONE {
            let turned = if is_input { now + self.prepared.setting.turn } else { now };
            let from = self.packets[front.head].ready.max(turned);
            self.first(queue, from, now);
        }
        self.touch(self.prepared.layout.router_of(queue), now);
    }

    /// Frees room in an input queue.
    fn give_back(&mut self, queue: u32, grains: u32, now: u32) {
        match self.prepared.setting.credits {
            Credits::AtOnce => self.room_again(queue, grains, now),
            Credits::Link => {
                let channel = self.prepared.layout.gate[queue as usize];
                self.wheel.put(
                    now,
                    self.prepared.layout.ends[channel as usize].latency,
                    if grains == self.grains { Event::Credit(queue) } else { Event::AckCredit(queue) },
                );
            }
        }
    }

    /// Makes room in an input queue available again. That is news where there was no room for a packet.
    fn room_again(&mut self, queue: u32, grains: u32, now: u32) {
        let channel = self.prepared.layout.gate[queue as usize];
        if self.book(channel, queue, now, |booked| booked - grains) || self.looks_often {
            self.touch(self.prepared.layout.ends[channel as usize].from, now);
        }
    }

    /// Changes how much room is booked in an input queue. Returns whether it was full before.
    fn book(&mut self, channel: u32, queue: u32, now: u32, change: impl Fn(u32) -> u32) -> bool {
        let vc = queue - self.prepared.layout.ends[channel as usize].queue;
        let PacketQueue { booked, since, .. } = &mut self.queues[queue as usize];
        let was_full = *booked + self.grains > self.capacity;
        self.tally.booked(vc as usize, *booked, *since, now);
        (*booked, *since) = (change(*booked), now);
        let room = &mut self.rooms[channel as usize];
        room.booked = change(room.booked);
        room.empty = room.empty & !(1 << vc) | u64::from(*booked == 0) << vc;
        room.any = room.any & !(1 << vc) | u64::from(*booked + self.grains <= self.capacity) << vc;
        was_full
    }
}
