//! The decision of a packet at its source, and its next hop.

use super::super::layout::NONE;
use super::super::routing::{PathSelection, Ugal};
use super::metric::HopMetric;
use fabc_base::random::{KeyedStream, pick};
use fabc_ir::Relay;
use fabc_model::{MOST_RELAYS, Score};

/// How the packets of a network choose their paths.
pub(in super::super) struct PathChoice {
    pub(super) selection: PathSelection,
    pub(super) metric: HopMetric,
    /// Hops over all links, where the metric leaves some out.
    pub(super) graph: Option<HopMetric>,
    /// The routers with endpoints, in ascending order.
    pub(super) vias: Vec<u32>,
    /// The most hops of a path: the number of virtual channels.
    pub(super) most: u8,
    /// The flits of a packet.
    pub(super) packet: u32,
    /// `[channel]`: the router that it leads to.
    pub(super) to: Vec<u32>,
    /// The pairs of routers that no path joins, with their relays. They are sorted by source and destination.
    pub(super) relays: Vec<Relay>,
}

/// The decision of a packet, and its stream of random numbers.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct PacketPath {
    /// The router that it goes over, or the relay that hands it on. [`NONE`] from there on, or where it takes
    /// a shortest path.
    via: u32,
    /// The turn of its input, where packets take the members of a group in turn.
    turn: u32,
    draws: KeyedStream,
}

impl PacketPath {
    /// The path before a decision: a shortest one.
    pub(in super::super) fn undecided(draws: KeyedStream) -> Self {
        Self { via: NONE, turn: 0, draws }
    }
    /// Whether a relay still has to hand the packet on.
    pub(in super::super) fn is_relayed(self) -> bool {
        self.via != NONE
    }
    /// The router at the end of the current leg of a packet that goes by relays. `target` is its destination.
    pub(in super::super) fn end_of_leg(self, target: u32) -> u32 {
        if self.via == NONE { target } else { self.via }
    }
    /// The same path at its relay, before the next decision.
    pub(in super::super) fn handed_on(self) -> Self {
        Self { via: NONE, ..self }
    }
    /// The same path with the turn of an input.
    pub(in super::super) fn in_turn(self, turn: u32) -> Self {
        Self { turn, ..self }
    }
}

/// The streams of random numbers that paths of one run are drawn from.
pub(in super::super) struct PathStreams {
    draws: KeyedStream,
    first_turns: KeyedStream,
}

/// The stream that paths are drawn from, and that of the first turns.
const PATHS: u64 = 2;
const TURNS: u64 = 3;

impl PathStreams {
    pub(in super::super) fn new(seed: u64) -> Self {
        Self { draws: KeyedStream::new(seed, PATHS), first_turns: KeyedStream::new(seed, TURNS) }
    }

    /// The first turn of an input among the members of a group.
    pub(in super::super) fn first_turn(&self, input: u32) -> u32 {
        (self.first_turns.number(input, 0) >> 32) as u32
    }

    /// The path of a newborn packet before a decision: packet `number` of the port `generator`, where a host
    /// has so many ports. All packets of a flow draw the same numbers, and the flows of a pair take turns.
    /// Without groups, every packet draws a path of its own.
    pub(in super::super) fn undecided(
        &self,
        selection: PathSelection,
        generator: u32,
        ports: u32,
        to: u32,
        number: u32,
    ) -> PacketPath {
        PacketPath::undecided(match selection {
            PathSelection::Ecmp { flows } => {
                self.draws.substream(generator / ports, to).substream(number % flows, 0)
            }
            PathSelection::Spray => self.draws,
            _ => self.draws.substream(generator, number),
        })
    }
}

/// How the loads of chosen paths can be computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum KnownLoad {
    /// Packets take one of the shortest paths.
    Shortest,
    /// Packets go over every router with endpoints equally often.
    Valiant,
    /// Paths depend on queues or on virtual channels.
    Queues,
}

/// The draw of routers to go over. No router has this number.
const VIAS: u32 = u32::MAX;

/// The draws of a router to go over. After them, all routers that are near enough are counted.
const TRIES: u32 = 16;

impl PathChoice {
    /// Hops between routers, and the channels that lead nearer.
    pub(in super::super) fn metric(&self) -> &HopMetric {
        &self.metric
    }
    /// Routers with endpoints: packets go to them, and over them.
    pub(in super::super) fn vias(&self) -> &[u32] {
        &self.vias
    }
    /// The fewest hops of any path.
    pub(in super::super) fn least_hops(&self, from: u32, to: u32) -> u8 {
        self.graph.as_ref().unwrap_or(&self.metric).hops(from, to).unwrap_or(0)
    }
    /// Whether some packets go by relays.
    pub(in super::super) fn has_relays(&self) -> bool {
        !self.relays.is_empty()
    }
    /// The router that receives packets of a pair first and hands them on. `None` where a path joins the two.
    pub(in super::super) fn relay(&self, from: u32, to: u32) -> Option<u32> {
        let key = |relay: &Relay| (relay.source.0, relay.destination.0);
        let place = self.relays.binary_search_by_key(&(from, to), key).ok()?;
        Some(self.relays[place].relay.0)
    }
    /// The legs of the path of a pair. `None` if relays hand its packets on for ever.
    pub(in super::super) fn legs(&self, from: u32, to: u32) -> Option<Vec<(u32, u32)>> {
        let (mut legs, mut from) = (Vec::new(), from);
        while let Some(relay) = self.relay(from, to) {
            if legs.len() >= MOST_RELAYS as usize {
                return None;
            }
            legs.push((from, relay));
            from = relay;
        }
        legs.push((from, to));
        Some(legs)
    }
    /// How the loads of these paths can be computed.
    pub(in super::super) fn known_load(&self) -> KnownLoad {
        let reaches_all = 2 * u32::from(self.metric.reach(&self.vias)) <= u32::from(self.most);
        match self.selection {
            PathSelection::Tables | PathSelection::Shortest(_) => KnownLoad::Shortest,
            PathSelection::Spray | PathSelection::Ecmp { .. } => KnownLoad::Shortest,
            _ if self.vias.len() <= 2 => KnownLoad::Shortest,
            PathSelection::Valiant(_) if reaches_all => KnownLoad::Valiant,
            PathSelection::Valiant(_) | PathSelection::Ugal(_) => KnownLoad::Queues,
        }
    }

    /// Decides the path of a packet between two different routers. `queued` returns the flits that are booked
    /// behind a channel.
    pub(in super::super) fn start(
        &self,
        from: u32,
        to: u32,
        undecided: PacketPath,
        queued: impl Fn(u32) -> u32,
    ) -> PacketPath {
        let (straight, draws) = (undecided, undecided.draws);
        match self.selection {
            PathSelection::Tables | PathSelection::Shortest(_) => straight,
            PathSelection::Spray | PathSelection::Ecmp { .. } => {
                PacketPath { via: self.relay(from, to).unwrap_or(NONE), ..straight }
            }
            PathSelection::Valiant(_) => {
                PacketPath { via: self.via(from, to, draws, 0).unwrap_or(NONE), ..straight }
            }
            PathSelection::Ugal(ugal) => {
                let longer =
                    (0..u32::from(ugal.samples)).filter_map(|sample| self.via(from, to, draws, sample));
                self.better(
                    ugal,
                    from,
                    to,
                    straight,
                    longer.map(|via| PacketPath { via, ..straight }),
                    &queued,
                )
            }
        }
    }

    /// The better path by the queues. Of equal ones, it is the shortest path, then the one drawn first.
    fn better(
        &self,
        ugal: Ugal,
        from: u32,
        to: u32,
        straight: PacketPath,
        longer: impl Iterator<Item = PacketPath>,
        queued: &dyn Fn(u32) -> u32,
    ) -> PacketPath {
        let flits = |path: PacketPath, per_channel: u32| {
            let counted = if ugal.global { usize::MAX } else { 1 };
            self.route(from, to, path)
                .take(counted)
                .map(|channel| u64::from(queued(channel) + per_channel))
                .sum::<u64>()
        };
        let score = |path: PacketPath| match (ugal.score, ugal.global) {
            (Score::Booksim, _) => flits(path, 0),
            (Score::Product, true) => flits(path, self.packet),
            (Score::Product, false) => flits(path, self.packet) * u64::from(self.hops(from, to, path)),
        };
        let bias = u64::from(ugal.bias);
        let straight_score = score(straight);
        let against = |score: u64| match ugal.score {
            Score::Booksim => 2 * score + bias,
            Score::Product => score + bias,
        };
        let scored = longer.map(|path| (against(score(path)), path));
        let best = scored.reduce(|best, next| if next.0 < best.0 { next } else { best });
        best.filter(|&(score, _)| score < straight_score).map_or(straight, |(_, path)| path)
    }

    /// Draws a router to go over, uniformly from those with endpoints that are neither end and that keep the
    /// path within the virtual channels.
    fn via(&self, from: u32, to: u32, draws: KeyedStream, sample: u32) -> Option<u32> {
        let fits = |via: u32| {
            let hops = |a, b| self.metric.hops(a, b).map(u32::from);
            via != from
                && via != to
                && hops(from, via)
                    .zip(hops(via, to))
                    .is_some_and(|(first, second)| first + second <= u32::from(self.most))
        };
        let drawn = |draw: u32| draws.number(VIAS, sample * (TRIES + 1) + draw);
        let tried = (0..TRIES)
            .map(|draw| self.vias[pick(drawn(draw), self.vias.len() as u64) as usize])
            .find(|&via| fits(via));
        tried.or_else(|| {
            let near = self.vias.iter().copied().filter(|&via| fits(via));
            let count = near.clone().count() as u64;
            if count > 0 { near.clone().nth(pick(drawn(TRIES), count) as usize) } else { None }
        })
    }

    /// The number of hops of a path.
    fn hops(&self, from: u32, to: u32, path: PacketPath) -> u32 {
        let hops = |from, to| self.metric.hops(from, to).map_or(0, u32::from);
        if path.via == NONE { hops(from, to) } else { hops(from, path.via) + hops(path.via, to) }
    }

    /// The channels of a path, as far as they lead.
    fn route(&self, from: u32, to: u32, mut path: PacketPath) -> impl Iterator<Item = u32> {
        let (mut router, mut hop) = (from, 0);
        std::iter::from_fn(move || {
            let channel = self.next(router, to, &mut path, hop)?;
            (router, hop) = (self.to[channel as usize], hop + 1);
            Some(channel)
        })
    }

    /// The channel that a packet takes as its hop number `hop`. `None` where it has arrived, or where no
    /// channel leads on.
    pub(in super::super) fn next(
        &self,
        router: u32,
        to: u32,
        path: &mut PacketPath,
        hop: u16,
    ) -> Option<u32> {
        if path.via == router {
            path.via = NONE;
        }
        let target = if path.via == NONE { to } else { path.via };
        if router == target {
            None
        } else if self.selection == PathSelection::Spray {
            self.metric.next_in_turn(router, target, path.turn)
        } else {
            self.metric.next(router, target, path.draws.number(target, hop.into()))
        }
    }
    /// How packets select their paths, with every default filled in.
    pub(in super::super) fn selection(&self) -> PathSelection {
        self.selection
    }
}
