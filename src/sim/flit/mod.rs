//! The flit model: wormholes through input-queued routers.
//!
//! A packet passes a router flit by flit. Its head requests a virtual channel of the output (`allocate`). The
//! packet holds that until its tail has passed the switch. A flit needs a credit, which is room for one flit
//! in the next queue, and one of the few passes of the switch per cycle. Behind the switch, flits wait for
//! the channel in order, and nothing stops them any more. So when a flit passes the switch, the cycle of its
//! arrival is known, and it waits in a wheel until then.
//!
//! In a cycle, flits and credits arrive first. Then hosts hand one flit each to their routers. Then all
//! routers with work allocate virtual channels and the switch (`step`). A router sees only its own lanes,
//! outputs and credits, and what it sends arrives in a later cycle. Hence the order of visits has no effect.

mod allocate;
mod lanes;
mod ports;
mod step;
mod watchdog;

use super::backlog::Backlogs;
use super::choice::{PacketPath, PathStreams};
use super::cycles::Routers;
use super::errors::SimError;
use super::layout::{NONE, low_bits};
use super::prepare::Prepared;
use super::routing::PathSelection;
use super::slab::Slab;
use super::supply::{Newborn, Supply};
use super::tally::{Census, DeliveredPacket, RunTally};
use super::traffic::EndpointMessage;
use super::wheel::Wheel;
use allocate::{ChannelTurn, Grant, Separable, Turn, Wish};
use fabc_model::{Arbitration, Credits};
use lanes::InputLanes;
use ports::RouterPorts;

/// A packet in flight: 24 bytes.
#[derive(Clone, Copy)]
struct FlitPacket {
    birth: u32,
    generator: u32,
    /// The endpoint that it goes to.
    to: u32,
    /// The next packet at its source.
    next: u32,
    /// Cycles between the first chance to leave its source and leaving.
    waited: u32,
    hops: u16,
    /// Its virtual channel of the tables on the channel over which its head was sent.
    vc: u8,
    /// Whether it has left the general virtual channels for good.
    escaped: bool,
}

/// A port of a host, on the side of the host.
#[derive(Clone, Copy)]
struct HostSource {
    /// The first and the last packet that wait to be handed over.
    head: u32,
    tail: u32,
    /// The lane into which the first of them goes, or [`NONE`] before its head has gone.
    lane: u32,
    /// Flits of the first packet that have not gone.
    left: u32,
}

/// The room behind a virtual channel of an output.
#[derive(Clone, Copy)]
struct OutputRoom {
    /// The lane whose packet holds the virtual channel.
    holder: u32,
    /// The number of flits that there is room for.
    credits: u32,
    /// The cycle of the last change.
    since: u32,
}

/// A packet between these endpoints that is no longer in flight.
#[derive(Clone, Copy)]
struct ReleasedPair {
    from: u32,
    to: u32,
}

/// A flit that comes to the input of a router.
#[derive(Clone, Copy)]
struct FlitArrival {
    lane: u32,
    packet: u32,
}

/// A flit that leaves the network.
#[derive(Clone, Copy)]
struct Ejection {
    /// The lane of the output by which it leaves.
    lane: u32,
    packet: u32,
    tail: bool,
}

/// One run of the flit model.
pub(super) struct FlitRun<'a> {
    prepared: &'a Prepared<'a>,
    ports: RouterPorts,
    packets: Slab<FlitPacket>,
    sources: Vec<HostSource>,
    /// Bit per generator: packets wait at its source.
    waiting: Vec<u64>,
    /// `[endpoint]`: its packets in flight. Used only with a send window.
    under_way: Vec<u32>,
    /// The windows of a control.
    backlogs: Option<Backlogs>,
    /// The news of arrivals on its way to their sources. Used only with a control.
    released: Wheel<ReleasedPair>,
    lanes: InputLanes,
    /// `[lane]`: the port of its router by which its first packet has to leave.
    output: Vec<u32>,
    /// `[lane]`: the virtual channels of that port that its first packet may take.
    allowed: Vec<u64>,
    /// Bit per lane: its first packet requests a virtual channel.
    asking: Vec<u64>,
    /// Bit per lane: its first packet has a flit here, a virtual channel and a credit.
    ready: Vec<u64>,
    /// Bit per lane: it got its virtual channel in this cycle.
    fresh: Vec<u64>,
    /// Bit per router: some of its lanes request or are ready.
    busy: Vec<u64>,
    /// `[lane of an output]`: the room behind it.
    rooms: Vec<OutputRoom>,
    /// `[port]`: whose turn it is at the switch.
    turns: Vec<Turn>,
    /// `[lane]`: whose turn it is for a virtual channel.
    channel_turns: Vec<ChannelTurn>,
    /// `[lane]`: the age of its first packet, the oldest with the lowest number. Empty where packets take
    /// turns.
    ages: Vec<u64>,
    /// Lanes whose first packet has not looked up the tables.
    heads: Vec<u32>,
    allocator: Separable,
    wishes: Vec<Wish>,
    grants: Vec<Grant>,
    passes: Vec<u32>,
    arrivals: Wheel<FlitArrival>,
    /// Credits that come back, as lanes of outputs.
    credits: Wheel<u32>,
    ejections: Wheel<Ejection>,
    ejected: u64,
    /// Masks of all virtual channels, of the general ones, and of those of the first one of the tables.
    every: u64,
    general: u64,
    class: u64,
    speedup: u32,
    /// `[packet]`: its path. Empty where packets follow tables.
    paths: Vec<PacketPath>,
    streams: PathStreams,
    /// `[port]`: the turn of its input among the members of a group. Empty unless packets take them in turn.
    group_turns: Vec<u32>,
    /// `[channel]`: the port by which it leaves its router. Empty where packets follow tables.
    port_of_channel: Vec<u16>,
    tally: RunTally,
    last_move: u32,
    /// The messages of traffic that ends, with a lane per port of a host.
    supply: Option<Supply<'a>>,
}

/// The cycles behind the switch that the rings hold. More is possible, but rare.
const BEHIND: u32 = 16;

impl<'a> Routers<'a> for FlitRun<'a> {
    fn happens(&mut self, now: u32) {
        let credits = self.credits.take(now);
        credits.iter().for_each(|&lane| self.credit(lane, now));
        self.credits.happened(credits);
        let arrivals = self.arrivals.take(now);
        arrivals.iter().for_each(|flit| self.store(flit.lane, flit.packet, now));
        self.arrivals.happened(arrivals);
        let ejections = self.ejections.take(now);
        ejections.iter().for_each(|&flit| self.eject(flit, now));
        self.ejections.happened(ejections);
        self.release(now);
    }

    fn birth(&mut self, packet: Newborn, now: u32) {
        let source = self.prepared.setting.endpoint_of(packet.generator);
        let admitted = match &mut self.backlogs {
            Some(backlogs) => backlogs.offer(source, packet, now),
            None => Some(packet),
        };
        if let Some(packet) = admitted {
            self.born(packet);
        }
    }

    fn decides(&mut self, now: u32) {
        self.hand_over(now);
        self.look_up();
        self.work(now);
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
        self.supply.as_ref().map_or(NONE, |supply| supply.generator(message))
    }

    fn is_idle(&self, lane: u32) -> bool {
        self.sources[lane as usize].head == NONE
    }

    fn stuck(&self, at: &str) -> SimError {
        self.wait_cycle(at)
    }

    fn counted(mut self, cycles: u32) -> (RunTally, Census) {
        let vcs = self.prepared.setting.vcs();
        for port in 0..self.ports.ports.len() {
            let ports::RouterPort { channel, moved, .. } = self.ports.ports[port];
            if channel != NONE {
                self.tally.moved(channel as usize, moved);
                let first = (port as u32) << self.ports.shift;
                (first..first + vcs).for_each(|lane| self.booked(lane, cycles));
            }
        }
        let waiting = self.backlogs.as_ref().map_or(0, Backlogs::waiting);
        let at_sources: u64 = self.sources.iter().map(|source| self.flits_at(source)).sum();
        let on_the_way = self.arrivals.pending().count() + self.ejections.pending().count();
        let census = Census {
            packets: waiting + self.packets.taken(),
            flits: waiting * u64::from(self.prepared.setting.packet)
                + at_sources
                + self.lanes.flits()
                + on_the_way as u64,
            flits_delivered: self.ejected,
        };
        (self.tally, census)
    }
}

impl<'a> FlitRun<'a> {
    pub(super) fn new(prepared: &'a Prepared<'a>, seed: u64) -> Self {
        let (setting, layout) = (&prepared.setting, &prepared.layout);
        let hosts = setting.ports().unwrap_or(1);
        let (endpoints, generators) =
            (prepared.endpoints.count() as usize, prepared.endpoints.count() * hosts);
        let ports = RouterPorts::new(prepared, setting.credits == Credits::Link);
        let lanes = ports.lanes();
        let farthest = layout.ends.iter().map(|ends| ends.latency).max().unwrap_or(0);
        let source = HostSource { head: NONE, tail: NONE, lane: NONE, left: 0 };
        let streams = PathStreams::new(seed);
        let takes_turns = setting.selection == PathSelection::Spray;
        let inputs = if takes_turns { ports.ports.len() as u32 } else { 0 };
        Self {
            paths: Vec::new(),
            group_turns: (0..inputs).map(|input| streams.first_turn(input)).collect(),
            port_of_channel: if prepared.choice.is_some() { layout.port_of_channel() } else { Vec::new() },
            streams,
            packets: Slab::new(),
            sources: vec![source; generators as usize],
            waiting: vec![0; (generators as usize).div_ceil(64)],
            under_way: vec![0; if setting.window.is_some() { endpoints } else { 0 }],
            backlogs: setting.control.map(|control| Backlogs::new(endpoints, &control, setting.packet)),
            lanes: InputLanes::new(lanes, setting.packet),
            output: vec![0; lanes],
            allowed: vec![0; lanes],
            asking: vec![0; lanes / 64],
            ready: vec![0; lanes / 64],
            fresh: vec![0; lanes / 64],
            busy: vec![0; layout.routers.div_ceil(64)],
            rooms: vec![OutputRoom { holder: NONE, credits: setting.buffer, since: 0 }; lanes],
            turns: vec![Turn::default(); ports.ports.len()],
            channel_turns: vec![ChannelTurn::default(); lanes],
            ages: vec![0; if setting.arbitration == Arbitration::Age { lanes } else { 0 }],
            heads: Vec::new(),
            allocator: Separable::new(ports.max_per_router(), ports.shift),
            wishes: Vec::new(),
            grants: Vec::new(),
            passes: Vec::new(),
            arrivals: Wheel::new(setting.router + setting.stages + farthest + BEHIND),
            credits: Wheel::new(farthest + 1),
            ejections: Wheel::new(setting.router + BEHIND),
            released: Wheel::new(if setting.control.is_some() { prepared.load.patience() } else { 0 }),
            ejected: 0,
            every: low_bits(setting.vcs()),
            general: low_bits(setting.general.into()),
            class: low_bits(setting.classes.into()) << setting.general,
            speedup: setting.speedup,
            tally: RunTally::new(prepared),
            last_move: 0,
            supply: prepared.offer.messages().map(|messages| {
                let leads = vec![setting.injection + setting.stages; endpoints];
                Supply::new(messages, generators as usize, hosts, leads)
            }),
            ports,
            prepared,
        }
    }

    /// Admits packets for which the windows of their sources have room again.
    fn release(&mut self, now: u32) {
        let Some(mut backlogs) = self.backlogs.take() else { return };
        let released = self.released.take(now);
        for &ReleasedPair { from, to } in &released {
            backlogs.release(from, to, 1);
            while let Some(packet) = backlogs.admit(from, now) {
                self.born(packet);
            }
        }
        self.released.happened(released);
        self.backlogs = Some(backlogs);
    }

    /// Adds a newborn packet to its source.
    fn born(&mut self, Newborn { generator, to, birth, number, message }: Newborn) {
        let packet =
            FlitPacket { birth, generator, to, next: NONE, waited: 0, hops: 0, vc: 0, escaped: false };
        let place = self.packets.insert(packet);
        if let Some(supply) = &mut self.supply {
            supply.place(message, place);
        }
        if let Some(choice) = &self.prepared.choice {
            let ports = self.prepared.setting.ports().unwrap_or(1);
            let path = self.streams.undecided(choice.selection(), generator, ports, to, number);
            self.paths.resize(self.packets.places(), path);
            self.paths[place as usize] = path;
        }
        let source = &mut self.sources[generator as usize];
        if source.head == NONE {
            source.head = place;
            self.waiting[generator as usize / 64] |= 1 << (generator % 64);
        } else {
            self.packets[source.tail].next = place;
        }
        source.tail = place;
    }

    /// Step 2: every host hands one flit to its router.
    fn hand_over(&mut self, now: u32) {
        let ports = self.prepared.setting.ports().unwrap_or(1);
        // Ports that share a send window take turns in going first.
        let turns = if self.under_way.is_empty() { 1 } else { ports };
        for turn in 0..turns {
            for word in 0..self.waiting.len() {
                let mut bits = self.waiting[word];
                while bits != 0 {
                    let generator = (word * 64) as u32 + bits.trailing_zeros();
                    bits &= bits - 1;
                    if turns == 1 || generator % ports == (now + turn) % ports {
                        self.hand(generator, now);
                    }
                }
            }
        }
    }

    fn hand(&mut self, generator: u32, now: u32) {
        let setting = &self.prepared.setting;
        let host = setting.endpoint_of(generator);
        let HostSource { head, mut lane, mut left, .. } = self.sources[generator as usize];
        if lane == NONE {
            if self.packets[head].birth + setting.injection + setting.stages > now || self.is_full(host) {
                return;
            }
            // Take the lane with the fewest flits, the first of several. A packet that was begun would keep
            // those behind it from other lanes. Hence there must be room for all of it.
            let first = self.ports.host[generator as usize] << self.ports.shift;
            let emptiest = (first..first + setting.vcs()).min_by_key(|&lane| self.lanes.lane(lane).filled);
            (lane, left) = (emptiest.expect("a port has a virtual channel"), setting.packet);
            if self.lanes.lane(lane).filled + setting.packet.min(setting.buffer) > setting.buffer {
                return;
            }
        }
        if self.lanes.lane(lane).filled == setting.buffer {
            return;
        }
        if left == setting.packet
            && let Some(under_way) = self.under_way.get_mut(host as usize)
        {
            *under_way += 1;
        }
        left -= 1;
        if left == 0 && self.supply.is_some() {
            self.refill(generator, now);
        }
        let next = if left > 0 { head } else { self.packets[head].next };
        let source = &mut self.sources[generator as usize];
        (source.head, source.lane, source.left) = (next, if left > 0 { lane } else { NONE }, left);
        if next == NONE {
            self.waiting[generator as usize / 64] &= !(1 << (generator % 64));
        }
        self.store(lane, head, now);
    }

    /// Whether a host has as many packets in flight as it may.
    fn is_full(&self, host: u32) -> bool {
        self.prepared.setting.window.is_some_and(|window| self.under_way[host as usize] >= window)
    }

    /// Removes a flit that has left the network.
    fn eject(&mut self, flit: Ejection, now: u32) {
        self.ejected += 1;
        self.room_again(flit.lane);
        self.last_move = now;
        if !flit.tail {
            return;
        }
        let packet = &self.packets[flit.packet];
        let endpoint = self.prepared.setting.endpoint_of(packet.generator);
        if self.backlogs.is_some() {
            let released = ReleasedPair { from: endpoint, to: packet.to };
            self.released.put(now, self.prepared.ack_cycles(packet.to, endpoint), released);
        } else if let Some(under_way) = self.under_way.get_mut(endpoint as usize) {
            *under_way -= 1;
        }
        let FlitPacket { birth, to, waited, hops, .. } = *packet;
        self.tally.delivered(now, DeliveredPacket { birth, from: endpoint, to, waited, hops });
        if let Some(supply) = &mut self.supply {
            supply.arrived(flit.packet, now);
        }
        self.packets.remove(flit.packet);
    }

    /// Counts the flits that are booked in the queue of a lane of an output, until now.
    fn booked(&mut self, lane: u32, now: u32) {
        let (room, buffer) = (&mut self.rooms[lane as usize], self.prepared.setting.buffer);
        self.tally.booked(self.ports.vc(lane) as usize, buffer - room.credits, room.since, now);
        room.since = now;
    }

    /// The flits that a source has not handed over.
    fn flits_at(&self, source: &HostSource) -> u64 {
        let mut flits = 0;
        let mut place = source.head;
        while place != NONE {
            flits += u64::from(self.prepared.setting.packet);
            place = self.packets[place].next;
        }
        if source.lane == NONE {
            flits
        } else {
            flits - u64::from(self.prepared.setting.packet - source.left)
        }
    }
}
