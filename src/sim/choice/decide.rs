//! What a packet decides at its source, and where it goes next.

use super::super::layout::NONE;
use super::super::routing::{PathSelection, Ugal};
use super::metric::Metric;
use fabc_base::random::{Keyed, one_of};
use fabc_model::Score;

/// How the packets of a network choose their ways.
pub(in super::super) struct Choice {
    pub(super) selection: PathSelection,
    pub(super) metric: Metric,
    /// Hops over all links, where the metric leaves some out.
    pub(super) graph: Option<Metric>,
    /// Routers with endpoints, ascending.
    pub(super) vias: Vec<u32>,
    /// Hops at most: virtual channels.
    pub(super) most: u8,
    /// Flits of a packet.
    pub(super) packet: u32,
    /// `[channel]`: the router that it leads to.
    pub(super) to: Vec<u32>,
}

/// What a packet has decided, and the numbers that it draws.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct Way {
    /// The router that it goes over; [`NONE`] from there on, or where it goes the shortest way.
    via: u32,
    draws: Keyed,
}

impl Way {
    /// Of a packet that has these numbers, before it has decided: the shortest way.
    pub(in super::super) fn undecided(draws: Keyed) -> Self {
        Self { via: NONE, draws }
    }
}

/// What loads can be told of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in super::super) enum Over {
    /// Shortest ways.
    Shortest,
    /// Every router with endpoints alike.
    Valiant,
    /// What queues or virtual channels allow.
    Queues,
}

/// What routers to go over are drawn by, so that no router has the same number.
const VIAS: u32 = u32::MAX;

/// Draws of a router to go over before those that are near enough are counted.
const TRIES: u32 = 16;

impl Choice {
    /// Hops, and the channels that lead nearer.
    pub(in super::super) fn metric(&self) -> &Metric {
        &self.metric
    }
    /// Routers with endpoints: those that packets go to, and over.
    pub(in super::super) fn vias(&self) -> &[u32] {
        &self.vias
    }
    /// The fewest hops that any way takes.
    pub(in super::super) fn least_hops(&self, from: u32, to: u32) -> u8 {
        self.graph.as_ref().unwrap_or(&self.metric).hops(from, to).unwrap_or(0)
    }
    /// What loads can be told of.
    pub(in super::super) fn over(&self) -> Over {
        let all = 2 * u32::from(self.metric.reach(&self.vias)) <= u32::from(self.most);
        match self.selection {
            PathSelection::Tables | PathSelection::Shortest(_) => Over::Shortest,
            _ if self.vias.len() <= 2 => Over::Shortest,
            PathSelection::Valiant(_) if all => Over::Valiant,
            PathSelection::Valiant(_) | PathSelection::Ugal(_) => Over::Queues,
        }
    }

    /// The way of a packet between two routers that differ. `queued` are the flits that are booked behind a
    /// channel.
    pub(in super::super) fn start(
        &self,
        from: u32,
        to: u32,
        undecided: Way,
        queued: impl Fn(u32) -> u32,
    ) -> Way {
        let (straight, draws) = (undecided, undecided.draws);
        match self.selection {
            PathSelection::Tables | PathSelection::Shortest(_) => straight,
            PathSelection::Valiant(_) => Way { via: self.via(from, to, draws, 0).unwrap_or(NONE), draws },
            PathSelection::Ugal(ugal) => {
                let longer =
                    (0..u32::from(ugal.samples)).filter_map(|sample| self.via(from, to, draws, sample));
                self.better(ugal, from, to, straight, longer.map(|via| Way { via, draws }), &queued)
            }
        }
    }

    /// The better one by the queues: of equals the shortest way, then the one drawn first.
    fn better(
        &self,
        ugal: Ugal,
        from: u32,
        to: u32,
        straight: Way,
        longer: impl Iterator<Item = Way>,
        queued: &dyn Fn(u32) -> u32,
    ) -> Way {
        let flits = |way: Way, per_channel: u32| {
            let counted = if ugal.global { usize::MAX } else { 1 };
            self.route(from, to, way)
                .take(counted)
                .map(|channel| u64::from(queued(channel) + per_channel))
                .sum::<u64>()
        };
        let score = |way: Way| match (ugal.score, ugal.global) {
            (Score::Booksim, _) => flits(way, 0),
            (Score::Product, true) => flits(way, self.packet),
            (Score::Product, false) => flits(way, self.packet) * u64::from(self.hops(from, to, way)),
        };
        let bias = u64::from(ugal.bias);
        let straight_score = score(straight);
        let against = |score: u64| match ugal.score {
            Score::Booksim => 2 * score + bias,
            Score::Product => score + bias,
        };
        let scored = longer.map(|way| (against(score(way)), way));
        let best = scored.reduce(|best, next| if next.0 < best.0 { next } else { best });
        best.filter(|&(score, _)| score < straight_score).map_or(straight, |(_, way)| way)
    }

    /// A router to go over, all alike of those with endpoints that are neither end and keep the way within
    /// the virtual channels.
    fn via(&self, from: u32, to: u32, draws: Keyed, sample: u32) -> Option<u32> {
        let fits = |via: u32| {
            let hops = |a, b| self.metric.hops(a, b).map(u32::from);
            via != from
                && via != to
                && hops(from, via)
                    .zip(hops(via, to))
                    .is_some_and(|(one, two)| one + two <= u32::from(self.most))
        };
        let drawn = |draw: u32| draws.at(VIAS, sample * (TRIES + 1) + draw);
        let tried = (0..TRIES)
            .map(|draw| self.vias[one_of(drawn(draw), self.vias.len() as u64) as usize])
            .find(|&via| fits(via));
        tried.or_else(|| {
            let near = self.vias.iter().copied().filter(|&via| fits(via));
            let count = near.clone().count() as u64;
            if count > 0 { near.clone().nth(one_of(drawn(TRIES), count) as usize) } else { None }
        })
    }

    /// Hops of a way.
    fn hops(&self, from: u32, to: u32, way: Way) -> u32 {
        let hops = |from, to| self.metric.hops(from, to).map_or(0, u32::from);
        if way.via == NONE { hops(from, to) } else { hops(from, way.via) + hops(way.via, to) }
    }

    /// The channels of a way, as far as they lead.
    fn route(&self, from: u32, to: u32, mut way: Way) -> impl Iterator<Item = u32> {
        let (mut at, mut hop) = (from, 0);
        std::iter::from_fn(move || {
            let channel = self.next(at, to, &mut way, hop)?;
            (at, hop) = (self.to[channel as usize], hop + 1);
            Some(channel)
        })
    }

    /// The channel that a packet takes as its hop number `hop`; `None` where it has arrived, or nothing leads
    /// on.
    pub(in super::super) fn next(&self, at: u32, to: u32, way: &mut Way, hop: u16) -> Option<u32> {
        if way.via == at {
            way.via = NONE;
        }
        let target = if way.via == NONE { to } else { way.via };
        if at == target { None } else { self.metric.next(at, target, way.draws.at(target, hop.into())) }
    }
}
