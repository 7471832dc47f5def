//! The packet model: whole packets, cut through.
//!
//! A queue has room for whole packets. A packet that is granted a channel holds it, and the input port that
//! it comes from, for as many cycles as it has flits, and books its room in the next queue at once; its head
//! is there after the latency of the link, and competes again as soon as the router has looked at it, whether
//! the tail has left behind it or not. So time passes in events (`wheel`): only routers that an event touches
//! in a cycle decide anything.
//!
//! In a cycle, first everything happens that was to happen in it; then packets are born; then those that are
//! first at their hosts choose their ways, if ways are chosen; then the routers that were touched grant their
//! channels, each by what it alone owns.

mod arrive;
mod event;
mod grant;
mod watchdog;
mod ways;

use super::choice::Way;
use super::cycles::Routers;
use super::errors::SimError;
use super::layout::{NONE, every};
use super::prepare::Prepared;
use super::slab::Slab;
use super::supply::{Newborn, Supply};
use super::tally::{Census, Tally};
use super::traffic::Message;
use super::wheel::Wheel;
use event::{Event, Sent};
use fabc_base::random::Keyed;
use fabc_model::{Arbitration, Credits};

/// The stream that ways are drawn from.
const WAYS: u64 = 2;

/// A packet on its way: 32 bytes, half a line of the cache.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Packet {
    birth: u32,
    generator: u32,
    /// Its destination, an endpoint.
    to: u32,
    /// The one behind it in its queue.
    next: u32,
    /// When it may compete where it is, if it is first by then.
    ready: u32,
    /// The output that it wants; on its last hop the queue whose room it has booked.
    out: u32,
    /// Cycles between the first chance to leave its source and leaving.
    waited: u32,
    hops: u16,
    /// Its virtual channel of the tables on that output.
    vc: u8,
    /// Whether it has left the general virtual channels for good.
    escaped: bool,
}

/// A queue, and what its router has to know of its first packet: 32 bytes.
#[derive(Clone, Copy)]
#[repr(align(32))]
struct Queue {
    head: u32,
    tail: u32,
    /// Who goes first: small numbers.
    order: u64,
    /// The output that its first packet wants.
    out: u32,
    /// Packets that have booked room in it.
    booked: u32,
    /// The cycle in which their number changed last.
    since: u32,
    /// The virtual channel of the tables on that output.
    vc: u8,
    /// Whether its first packet may take a general virtual channel.
    general: bool,
    /// Whether its first packet is just leaving.
    leaving: bool,
}

/// Room in the queues that a channel leads to; bit per virtual channel.
#[derive(Clone, Copy)]
struct Room {
    /// Nothing has booked any.
    empty: u64,
    /// There is room for a packet.
    any: u64,
    /// Packets that have booked room in all of them.
    booked: u32,
}

/// One run.
pub(super) struct Run<'a> {
    of: &'a Prepared<'a>,
    packets: Slab<Packet>,
    /// `[packet]`: what it has decided; nothing where packets go by the tables.
    ways: Vec<Way>,
    draws: Keyed,
    queues: Vec<Queue>,
    /// `[queue]`: the last grant; only where queues go in turn.
    served: Vec<u32>,
    /// Bit per queue: its first packet competes.
    candidates: Vec<u64>,
    /// Bit per queue: what it waits for may have come since its router looked last. Whoever could not be
    /// granted then, and has no news, cannot be now.
    news: Vec<u64>,
    /// `[channel]`
    rooms: Vec<Room>,
    /// Packets that a queue has room for.
    capacity: u32,
    /// The general virtual channels, and those of the first one of the tables.
    lanes: [u64; 2],
    /// `[output]`: free from this cycle on. Channels, then limited ports of hosts.
    out_until: Vec<u32>,
    /// Cycles that a packet takes through the switch.
    pass: u32,
    /// An output takes a packet that leaves by it so many cycles later.
    stored_ahead: u32,
    /// `[input port]`: free from this cycle on.
    gate_until: Vec<u32>,
    /// Whether a router looks with every credit: behind hosts without limit, the next packet of a queue may
    /// be first while its output still takes more, and goes when the router looks again.
    looks_often: bool,
    /// `[generator]`: the cycle from which on its port hands over the next packet; only where routers are
    /// faster than ports.
    handed: Vec<u32>,
    /// `[endpoint]`: packets of it that have left it and have not arrived; only where they are limited.
    under_way: Vec<u32>,
    /// How many there may be.
    window: u32,
    wheel: Wheel<Event>,
    /// `[router]`: the last cycle in which an event touched it.
    stamp: Vec<u32>,
    touched: Vec<u32>,
    /// Queues of hosts whose first packet has still to decide on its way.
    undecided: Vec<u32>,
    ready: Vec<(u64, u32)>,
    /// What was sent over channels in this cycle, and has not asked what comes next.
    sent: Vec<Sent>,
    tally: Tally,
    last_move: u32,
    /// Messages of traffic that ends: a lane per source queue, and one of those that take none.
    supply: Option<Supply<'a>>,
}

impl<'a> Routers<'a> for Run<'a> {
    fn happens(&mut self, now: u32) {
        let events = self.wheel.take(now);
        events.iter().for_each(|&event| self.event(event, now));
        self.wheel.happened(events);
    }

    /// A packet joins a queue of its source.
    fn birth(&mut self, Newborn { generator, to, number, birth }: Newborn, now: u32) {
        let (of, setting) = (self.of, &self.of.setting);
        let ports = setting.ports();
        let endpoint = generator / ports.unwrap_or(1);
        let (here, there) = (of.endpoints.router[endpoint as usize], of.endpoints.router[to as usize]);
        let first_limited = of.layout.source_queue[here as usize];
        let limited =
            ports.map(|ports| first_limited + generator - of.endpoints.first[here as usize] * ports);
        let mut packet = Packet {
            birth,
            generator,
            to,
            next: NONE,
            ready: birth + setting.injection,
            out: NONE,
            waited: 0,
            hops: 0,
            vc: 0,
            escaped: false,
        };
        if limited.is_some() && setting.speedup > 1 {
            // Its flits come one per cycle, however fast the router takes them.
            let handed = &mut self.handed[generator as usize];
            packet.ready = packet.ready.max(*handed);
            *handed = packet.ready + setting.packet;
        }
        if here == there {
            let Some(queue) = limited else {
                let packet = self.packets.insert(packet);
                return self.deliver_in(setting.injection + setting.packet - 1, packet, now);
            };
            packet.out = self.ejection(&packet);
            let packet = self.packets.insert(packet);
            return self.join(queue, packet, now);
        }
        packet.ready += setting.router;
        if let Some(choice) = &of.choice {
            return self.born_to_choose(choice, packet, number, limited, now);
        }
        let (port, vc) = of.routes.next(here, there, None).expect("every route that is taken was walked");
        packet.out = of.layout.outgoing[here as usize * of.layout.ports + usize::from(port)];
        packet.vc = vc;
        let queue =
            limited.unwrap_or(first_limited + u32::from(port) * u32::from(setting.table_vcs) + u32::from(vc));
        let packet = self.packets.insert(packet);
        self.join(queue, packet, now);
    }

    fn decides(&mut self, now: u32) {
        self.decide_ways(now);
        self.decide(now);
        self.arrive(now);
    }

    fn tally(&mut self) -> &mut Tally {
        &mut self.tally
    }

    fn last_move(&mut self) -> &mut u32 {
        &mut self.last_move
    }

    fn supply(&mut self) -> &mut Option<Supply<'a>> {
        &mut self.supply
    }

    fn lane(&self, message: &Message) -> u32 {
        let (of, layout) = (self.of, &self.of.layout);
        let [here, there] = [message.from, message.to].map(|endpoint| of.endpoints.router[endpoint as usize]);
        let first = layout.source_queue[here as usize];
        match (of.setting.ports(), &self.supply) {
            (Some(ports), Some(supply)) => {
                first + supply.generator(message) - of.endpoints.first[here as usize] * ports
            }
            // Nothing is in the way of what stays at its router: a lane without a queue.
            _ if here == there => layout.queues() as u32,
            _ => {
                let (port, vc) =
                    of.routes.next(here, there, None).expect("every route that is taken was walked");
                first + u32::from(port) * u32::from(of.setting.table_vcs) + u32::from(vc)
            }
        }
    }

    fn is_idle(&self, lane: u32) -> bool {
        self.queues.get(lane as usize).is_none_or(|queue| queue.head == NONE)
    }

    fn stuck(&self, at: &str) -> SimError {
        self.circle(at)
    }

    fn counted(mut self, cycles: u32) -> (Tally, Census) {
        let layout = &self.of.layout;
        for first in layout.ends.iter().map(|ends| ends.queue).filter(|&first| first != NONE) {
            for vc in 0..self.of.setting.vcs() {
                let Queue { booked, since, .. } = self.queues[(first + vc) as usize];
                self.tally.booked(vc as usize, booked, since, cycles);
            }
        }
        let in_flight = self.packets.taken();
        let flits = [in_flight, self.tally.delivered_ever()]
            .map(|packets| packets * u64::from(self.of.setting.packet));
        (self.tally, Census { packets: in_flight, flits: flits[0], flits_delivered: flits[1] })
    }
}

impl<'a> Run<'a> {
    pub(super) fn new(of: &'a Prepared<'a>, seed: u64) -> Self {
        let (setting, layout) = (&of.setting, &of.layout);
        let ports = setting.ports().unwrap_or(1);
        let generators = of.endpoints.count() * ports;
        let outputs = layout.channels + generators as usize;
        let farthest = layout.ends.iter().map(|ends| ends.latency).max().unwrap_or(0);
        // As much as a queue holds waits behind a fast switch.
        let stored_ahead = if setting.speedup > 1 { setting.buffer } else { 0 };
        let reach = [
            setting.router + farthest,
            farthest + stored_ahead + 2 * setting.packet,
            setting.turn + setting.packet,
            setting.injection + setting.router,
        ];
        let reach = reach.into_iter().max().unwrap_or(0).max(setting.injection + setting.packet) + 1;
        let lead = setting.injection + setting.router;
        let supply = |messages| Supply::new(messages, layout.queues() + 1, ports, of.endpoints.count(), lead);
        let supply = of.offer.messages().map(supply);
        let queue = Queue {
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
        let all = every(setting.vcs());
        let room = Room { empty: all, any: all, booked: 0 };
        let [general, classes] = [setting.general, setting.classes].map(|count| every(count.into()));
        Self {
            packets: Slab::new(),
            ways: Vec::new(),
            draws: Keyed::new(seed, WAYS),
            queues: vec![queue; layout.queues()],
            served: vec![0; if setting.arbitration == Arbitration::Rotate { layout.queues() } else { 0 }],
            candidates: vec![0; layout.queues() / 64],
            news: vec![0; layout.queues() / 64],
            rooms: vec![room; layout.channels],
            capacity: setting.buffer / setting.packet,
            lanes: [general, classes << setting.general],
            out_until: vec![0; outputs],
            pass: setting.packet.div_ceil(setting.speedup),
            stored_ahead,
            looks_often: stored_ahead > 0 && setting.ports().is_none(),
            gate_until: vec![0; outputs],
            handed: vec![0; generators as usize],
            under_way: vec![0; if setting.window.is_some() { of.endpoints.count() as usize } else { 0 }],
            window: setting.window.unwrap_or(NONE),
            wheel: Wheel::new(reach),
            stamp: vec![u32::MAX; layout.routers],
            touched: Vec::new(),
            undecided: Vec::new(),
            ready: Vec::new(),
            sent: Vec::new(),
            tally: Tally::new(setting, of.endpoints.count() as usize, layout.channels),
            last_move: 0,
            supply,
            of,
        }
    }

    /// Steps 1 and 3 of a cycle: what was to happen in it.
    fn event(&mut self, event: Event, now: u32) {
        match event {
            Event::Eligible(queue) => self.compete(queue, now),
            Event::Left(queue) => self.left(queue, now),
            Event::Credit(queue) => self.room_again(queue, now),
            Event::Delivered(packet) => self.delivered(packet, now),
            Event::Wake(router) => self.touch(router, now),
            Event::Released(endpoint) => self.released(endpoint, now),
        }
    }

    /// The port by which a packet leaves its destination for the host: that by which it came, of the other
    /// end.
    fn ejection(&self, packet: &Packet) -> u32 {
        let ports = self.of.setting.ports().unwrap_or(1);
        self.of.layout.channels as u32 + packet.to * ports + packet.generator % ports
    }

    /// A packet goes to the end of a queue.
    fn join(&mut self, queue: u32, packet: u32, now: u32) {
        let of = &mut self.queues[queue as usize];
        if of.head != NONE {
            self.packets[of.tail].next = packet;
            of.tail = packet;
            return;
        }
        (of.head, of.tail) = (packet, packet);
        if !of.leaving {
            self.first(queue, self.packets[packet].ready, now);
        }
    }

    /// The first packet of a queue competes from a cycle on.
    fn first(&mut self, queue: u32, from: u32, now: u32) {
        if from <= now {
            self.compete(queue, now)
        } else {
            self.wheel.put(now, from - now, Event::Eligible(queue))
        }
    }

    /// The first packet of a queue competes.
    fn compete(&mut self, queue: u32, now: u32) {
        let packet = &self.packets[self.queues[queue as usize].head];
        if packet.out == NONE {
            // It decides when everything has happened that happens in this cycle.
            self.undecided.push(queue);
            return;
        }
        let order = match self.of.setting.arbitration {
            Arbitration::Age => u64::from(packet.birth) << 32 | u64::from(packet.generator),
            Arbitration::Rotate => u64::from(self.served[queue as usize]) << 32 | u64::from(queue),
        };
        let of = &mut self.queues[queue as usize];
        (of.order, of.out, of.vc, of.general) = (order, packet.out, packet.vc, !packet.escaped);
        self.candidates[queue as usize / 64] |= 1 << (queue % 64);
        self.news[queue as usize / 64] |= 1 << (queue % 64);
        self.visit(self.of.layout.router_of(queue), now);
    }

    /// Something is free again that all queues of a router may wait for.
    fn touch(&mut self, router: u32, now: u32) {
        let [first, last] =
            [router, router + 1].map(|router| self.of.layout.first_queue[router as usize] as usize / 64);
        self.news[first..last].fill(u64::MAX);
        self.visit(router, now);
    }

    /// A router decides in this cycle.
    fn visit(&mut self, router: u32, now: u32) {
        if self.stamp[router as usize] != now {
            self.stamp[router as usize] = now;
            self.touched.push(router);
        }
    }

    /// The tail of the packet that was leaving a queue has left: what it held is free, the next one is first.
    fn left(&mut self, queue: u32, now: u32) {
        let is_input = self.of.layout.is_input(queue);
        if is_input {
            self.give_back(queue, now);
        }
        let of = &mut self.queues[queue as usize];
        of.leaving = false;
        if of.head != NONE {
            let turned = if is_input { now + self.of.setting.turn } else { now };
            let from = self.packets[of.head].ready.max(turned);
            self.first(queue, from, now);
        }
        self.touch(self.of.layout.router_of(queue), now);
    }

    /// Room for a packet in an input queue is free.
    fn give_back(&mut self, queue: u32, now: u32) {
        match self.of.setting.credits {
            Credits::AtOnce => self.room_again(queue, now),
            Credits::Link => {
                let channel = self.of.layout.gate[queue as usize];
                self.wheel.put(now, self.of.layout.ends[channel as usize].latency, Event::Credit(queue));
            }
        }
    }

    /// Room in an input queue can be booked again: that is news where there was none for a packet.
    fn room_again(&mut self, queue: u32, now: u32) {
        let channel = self.of.layout.gate[queue as usize];
        if self.book(channel, queue, now, |booked| booked - 1) || self.looks_often {
            self.touch(self.of.layout.ends[channel as usize].from, now);
        }
    }

    /// Changes how many packets have booked room in an input queue; whether there was none left before.
    fn book(&mut self, channel: u32, queue: u32, now: u32, change: impl Fn(u32) -> u32) -> bool {
        let vc = queue - self.of.layout.ends[channel as usize].queue;
        let Queue { booked, since, .. } = &mut self.queues[queue as usize];
        let was_full = *booked == self.capacity;
        self.tally.booked(vc as usize, *booked, *since, now);
        (*booked, *since) = (change(*booked), now);
        let room = &mut self.rooms[channel as usize];
        room.booked = change(room.booked);
        room.empty = room.empty & !(1 << vc) | u64::from(*booked == 0) << vc;
        room.any = room.any & !(1 << vc) | u64::from(*booked < self.capacity) << vc;
        was_full
    }

    /// The tail of a packet arrives in so many cycles.
    fn deliver_in(&mut self, ahead: u32, packet: u32, now: u32) {
        if ahead > 0 {
            return self.wheel.put(now, ahead, Event::Delivered(packet));
        }
        // What is granted in this cycle frees no send window before the next one: routers do not see each
        // other's grants.
        if self.window != NONE && self.was_granted(&self.packets[packet]) {
            self.wheel.put(now, 1, Event::Released(self.endpoint(packet)));
        }
        self.arrived(packet, now);
    }

    /// The endpoint that has sent a packet.
    fn endpoint(&self, place: u32) -> u32 {
        self.packets[place].generator / self.of.setting.ports().unwrap_or(1)
    }

    /// The tail of a packet has arrived, and its host may have another one under way.
    fn delivered(&mut self, place: u32, now: u32) {
        if self.window != NONE && self.was_granted(&self.packets[place]) {
            self.released(self.endpoint(place), now);
        }
        self.arrived(place, now);
    }

    /// A packet of an endpoint is no longer under way.
    fn released(&mut self, endpoint: u32, now: u32) {
        let under_way = &mut self.under_way[endpoint as usize];
        *under_way -= 1;
        if *under_way + 1 == self.window {
            self.touch(self.of.endpoints.router[endpoint as usize], now);
        }
    }

    /// The tail of a packet has arrived.
    fn arrived(&mut self, place: u32, now: u32) {
        let packet = self.packets[place];
        if packet.out != NONE {
            self.give_back(packet.out, now);
        }
        let endpoint = self.endpoint(place);
        self.tally.delivered(now, packet.birth, endpoint, packet.waited, packet.hops);
        self.packets.remove(place);
        self.last_move = now;
    }

    /// Whether a packet left its source by a queue: hosts without limit keep to themselves what stays at
    /// their router.
    fn was_granted(&self, packet: &Packet) -> bool {
        packet.hops > 0 || self.of.setting.ports().is_some()
    }
}
