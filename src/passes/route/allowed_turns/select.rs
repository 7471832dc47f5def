//! Which legal route every pair takes: consistent selection by potential descent.
//!
//! Input: a [`TurnQuotient`], the rank of every symbol, and possibly routes to start from. Output: per
//! canonical destination a forest of states, and through it one route per source. Invariants:
//!
//! - `next` of a state always has a higher rank, so every walk ends at the destination.
//! - Two routes that meet in a state towards the same destination are the same from there on. So tables
//!   keyed by (destination, input port, input VC) never conflict.
//! - No route turns back through the port by which it arrived.
//!
//! Loads count every route as often as its pair's weight in the demand. Pairs without demand have routes
//! that weigh nothing. Large weights are scaled down for the search, so that prices by load stay a short
//! table. The checker measures the true loads.
//!
//! This file holds the state of the selection and its counts. `descent` moves the routes, and `shorten`
//! bounds their detours.

mod descent;
mod shorten;

use super::potential::LoadPotential;
use super::quotient::{DARK, TurnQuotient};
use super::scan::{RankScan, symbol};
use fabc_base::ids::NodeId;
use fabc_ir::DualLengths;
use fabc_model::Demand;
use std::ops::{AddAssign, SubAssign};

/// Marks a state without a continuation.
const NONE: u16 = u16::MAX;
/// Marks the last state of a walk.
const END: u32 = u32::MAX;
/// The lowest bits of a lane, which hold its virtual channel.
const VC_BITS: u32 = 3;
const VC_MASK: u16 = (1 << VC_BITS) - 1;
/// Most routers for which a visit looks again at states that only unmoved routes use. With few routers it
/// occasionally saves a route on the busiest channel. With many it takes time and saves none.
const THOROUGH: usize = 512;
/// The cost of an unreachable state.
const INFINITE: u64 = u64::MAX;

/// The cheapest two continuations at a router, by different ports.
#[derive(Clone, Copy)]
struct CheapestTwo {
    cost: [u64; 2],
    code: [u16; 2],
}

const NOTHING: CheapestTwo = CheapestTwo { cost: [INFINITE; 2], code: [NONE; 2] };

/// Some routes over the same channels.
#[derive(Clone, Copy, Default)]
struct RouteCount {
    routes: u32,
    /// Their sum of weights, which they add to a load.
    weight: u32,
}

impl AddAssign for RouteCount {
    fn add_assign(&mut self, more: Self) {
        self.routes += more.routes;
        self.weight += more.weight;
    }
}

impl SubAssign for RouteCount {
    fn sub_assign(&mut self, less: Self) {
        self.routes -= less.routes;
        self.weight -= less.weight;
    }
}

/// The lower bound on the maximum load above which weights are scaled down to it.
const LARGEST_BOUND: f64 = 16384.0;

/// The aim of a descent.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    /// A lower bound on the maximum load, to measure widths by.
    pub(super) bound: f64,
    /// The load at which nothing remains to gain.
    pub(super) target_load: u32,
}

/// A lit state, as a scan meets it.
#[derive(Clone, Copy)]
struct ScanStep {
    /// The router where its channel starts.
    tail: u32,
    /// The router where its channel leads.
    head: u32,
    lane: u32,
    /// Its output port and VC, as `port * vcs + vc`.
    code: u16,
    /// The first code at `head` that would lead a packet back.
    back: u16,
}

/// The routes under construction, with their loads.
pub(super) struct Selection<'a> {
    pub(super) quotient: &'a TurnQuotient,
    /// The number of states per router.
    width: usize,
    /// The demand and the factor to scale weights by. `None` if all pairs send alike.
    demand: Option<(&'a Demand, f64)>,
    /// The lit states by falling rank.
    steps: Vec<ScanStep>,
    /// Ends of the groups of equal rank in `steps`.
    ends: Vec<u32>,
    /// `[state]`: its lane, which is the channel class and the VC as `class << VC_BITS | vc`.
    lane: Vec<u32>,
    /// `[state]`: the first state at the router that it leads to.
    entrance: Vec<u32>,
    /// `[state]`: the rank of its symbol.
    rank: Vec<u32>,
    /// `[channel class]`: routes to canonical destinations over channels of the class, by weight and
    /// slowness.
    load: Vec<u32>,
    /// `[vc]`: the number of hops on it.
    vc_hops: Vec<u64>,
    /// `[destination class * states + state]`: the continuation, as `port * vcs + vc`.
    pub(super) next: Vec<u16>,
    /// `[destination class * nodes + node]`: the first hop, as `port * vcs + vc`.
    pub(super) first: Vec<u16>,
    /// The potential that sets the prices of a visit.
    pub(super) potential: LoadPotential,
    hop_price: Vec<u64>,
    /// `[node class]`: the price of an entry in its tables.
    pub(super) entry_price: Vec<u64>,
    /// Whether any entry has a price.
    priced: bool,
    /// Whether a visit looks again at states that only unmoved routes use.
    thorough: bool,
    /// Whether equally cheap continuations replace each other.
    restless: bool,
    /// The code at which the next relocation starts.
    turn: usize,
    // Scratch space of one visit.
    count: Vec<RouteCount>,
    pub(super) used: Vec<u32>,
    /// `[state]`: the state that follows, or [`END`].
    onward: Vec<u32>,
    value: Vec<u64>,
    best: Vec<CheapestTwo>,
    /// `[lane]`: prices at the start of the visit.
    price: Vec<u64>,
    open: Vec<u32>,
}

impl<'a> Selection<'a> {
    /// A selection without any routes.
    pub(super) fn new(quotient: &'a TurnQuotient, rank: &[u32]) -> Self {
        let (states, vcs) = (quotient.states(), quotient.vcs);
        let width = quotient.ports * vcs;
        let scan = RankScan::new(quotient, rank);
        let destinations = quotient.symmetry.class_count();
        let lane: Vec<u32> = (0..states)
            .map(|state| ((quotient.channel_class(state / vcs) << VC_BITS) | (state % vcs)) as u32)
            .collect();
        let scan_step = |&state: &u32| {
            let channel = state as usize / vcs;
            ScanStep {
                tail: (channel / quotient.ports) as u32,
                head: quotient.head[channel],
                lane: lane[state as usize],
                code: (state as usize % width) as u16,
                back: quotient.in_port[channel] * vcs as u16,
            }
        };
        Self {
            width,
            steps: scan.states.iter().map(scan_step).collect(),
            ends: scan.group_ends,
            rank: (0..states).map(|state| rank[symbol(quotient, state)]).collect(),
            entrance: (0..states)
                .map(|state| quotient.head[state / vcs].wrapping_mul(width as u32))
                .collect(),
            load: vec![0; quotient.classes()],
            vc_hops: vec![0; vcs],
            next: vec![NONE; destinations * states],
            first: vec![NONE; destinations * quotient.nodes],
            potential: LoadPotential::exponential(1, 1.0, 1),
            hop_price: vec![0; vcs],
            entry_price: vec![0; destinations],
            priced: false,
            thorough: quotient.nodes <= THOROUGH,
            restless: false,
            turn: 0,
            count: vec![RouteCount::default(); states],
            used: Vec::new(),
            onward: vec![END; states],
            value: vec![INFINITE; states],
            best: vec![NOTHING; quotient.nodes],
            price: vec![0; quotient.classes() << VC_BITS],
            open: Vec::new(),
            demand: None,
            lane,
            quotient,
        }
    }

    /// Weighs every route by the demand, before any is chosen. Returns the aim that the lengths allow, in
    /// the units of the selection.
    pub(super) fn weigh(&mut self, demand: &'a Demand, lengths: &DualLengths) -> Aim {
        let bound = (self.quotient.parts / lengths.bound()).max(1.0);
        let factor = if demand.is_uniform() { 1.0 } else { (LARGEST_BOUND / bound).min(1.0) };
        if !demand.is_uniform() {
            self.demand = Some((demand, factor));
        }
        let target_load = match (factor < 1.0, self.quotient.exact) {
            (true, _) => LARGEST_BOUND as u32,
            (false, true) => {
                u32::try_from(lengths.least_load(self.quotient.parts as u64)).unwrap_or(u32::MAX)
            }
            // Rounded loads never tell that nothing remains to gain.
            (false, false) => 0,
        };
        Aim { bound: bound * factor, target_load }
    }
    /// The count of the one route from a source to a canonical destination.
    fn route_count(&self, src: usize, dst: u32) -> RouteCount {
        let weight = match self.demand {
            None => 1,
            Some((demand, factor)) => match demand.weight(NodeId(src as u32), NodeId(dst)) {
                0 => 0,
                weight => ((f64::from(weight) * factor).round() as u32).max(1),
            },
        };
        RouteCount { routes: 1, weight }
    }

    /// Load of the busiest channel.
    pub(super) fn max_load(&self) -> u32 {
        self.load.iter().copied().max().unwrap_or(0)
    }
    /// `[channel class]`: routes to canonical destinations over channels of the class, by weight.
    pub(super) fn loads(&self) -> &[u32] {
        &self.load
    }
    /// Hops of all routes to canonical destinations.
    pub(super) fn hops(&self) -> u64 {
        self.vc_hops.iter().sum()
    }
    /// The share of hops on a VC, in thousandths.
    fn vc_share(&self, vc: usize) -> u64 {
        self.vc_hops[vc] * 1000 / self.hops().max(1)
    }

    /// Adopts one route, unless it runs over a dark channel.
    fn adopt(&mut self, d: usize, src: usize, states: impl Iterator<Item = usize> + Clone) {
        let quotient = self.quotient;
        if states.clone().any(|state| quotient.head[state / quotient.vcs] == DARK) {
            return;
        }
        let counted = self.route_count(src, quotient.symmetry.canonical_node(d).0);
        let mut before = None;
        for state in states {
            let code = (state % self.width) as u16;
            match before {
                None => self.first[d * quotient.nodes + src] = code,
                Some(before) => self.next[d * quotient.states() + before] = code,
            }
            let (class, vc) = split_lane(self.lane[state]);
            self.load[class] += counted.weight * quotient.slowness[class];
            self.vc_hops[vc] += 1;
            before = Some(state);
        }
    }

    /// Recounts all loads from the routes.
    pub(super) fn recount(&mut self) {
        self.load.fill(0);
        self.vc_hops.fill(0);
        for d in 0..self.quotient.symmetry.class_count() {
            self.tally(d, self.quotient.symmetry.canonical_node(d).0);
            for &state in &self.used {
                let (class, vc) = split_lane(self.lane[state as usize]);
                let count = self.count[state as usize];
                self.load[class] += count.weight * self.quotient.slowness[class];
                self.vc_hops[vc] += u64::from(count.routes);
            }
            self.clear_counts();
        }
    }

    /// Counts the routes through every state towards a destination.
    pub(super) fn tally(&mut self, d: usize, dst: u32) {
        let (nodes, states) = (self.quotient.nodes, self.quotient.states());
        let end = dst.wrapping_mul(self.width as u32);
        for src in 0..nodes {
            let code = self.first[d * nodes + src];
            if code == NONE {
                continue;
            }
            let counted = self.route_count(src, dst);
            let mut state = (src * self.width + code as usize) as u32;
            while state != END {
                let index = state as usize;
                if self.count[index].routes == 0 {
                    self.used.push(state);
                    let entrance = self.entrance[index];
                    self.onward[index] = if entrance == end {
                        END
                    } else {
                        entrance + u32::from(self.next[d * states + index])
                    };
                }
                self.count[index] += counted;
                state = self.onward[index];
            }
        }
    }

    pub(super) fn clear_counts(&mut self) {
        for &state in &self.used {
            self.count[state as usize] = RouteCount::default();
        }
        self.used.clear();
    }

    /// Stores how the used states continue.
    fn store(&mut self, d: usize) {
        let next = &mut self.next[d * self.quotient.states()..][..self.quotient.states()];
        for &state in &self.used {
            let index = state as usize;
            if self.onward[index] != END {
                next[index] = (self.onward[index] - self.entrance[index]) as u16;
            }
        }
    }

    /// Adds the weight of routes along a walk if `back`, or takes it away.
    #[inline]
    fn lift(&mut self, mut state: u32, weight: u32, back: bool) {
        while state != END {
            let class = split_lane(self.lane[state as usize]).0;
            let weight = weight * self.quotient.slowness[class];
            let load = &mut self.load[class];
            *load = if back { *load + weight } else { *load - weight };
            state = self.onward[state as usize];
        }
    }

    /// For routes that do not move: lists again the states at the beginning of their walk that no others
    /// use. Does nothing unless `thorough`. Counts rise along a walk.
    #[inline]
    fn unmoved(&mut self, mut state: u32, count: RouteCount) {
        while self.thorough && state != END && self.count[state as usize].routes == count.routes {
            self.used.push(state);
            state = self.onward[state as usize];
        }
    }

    /// Adds routes to the counts along a walk, or takes them away.
    #[inline]
    fn carry(&mut self, mut state: u32, count: RouteCount, add: bool) {
        while state != END {
            let (at, vc) = (state as usize, split_lane(self.lane[state as usize]).1);
            if add {
                self.vc_hops[vc] += u64::from(count.routes);
                // States that lost all routes in this visit are already listed. One more visit does no
                // harm.
                if self.count[at].routes == 0 {
                    self.used.push(state);
                }
                self.count[at] += count;
            } else {
                self.vc_hops[vc] -= u64::from(count.routes);
                self.count[at] -= count;
            }
            state = self.onward[at];
        }
    }

    /// The states of the route from a node to a canonical destination, in order.
    pub(super) fn route(&self, d: usize, src: usize, mut each: impl FnMut(usize)) {
        let quotient = self.quotient;
        let dst = quotient.symmetry.canonical_node(d).0 as usize;
        let (mut node, mut code) = (src, self.first[d * quotient.nodes + src]);
        while node != dst {
            let state = node * self.width + code as usize;
            each(state);
            node = quotient.head[state / quotient.vcs] as usize;
            code = self.next[d * quotient.states() + state];
        }
    }
}

/// The channel class and the VC of a lane.
#[inline]
fn split_lane(lane: u32) -> (usize, usize) {
    ((lane >> VC_BITS) as usize, (lane & u32::from(VC_MASK)) as usize)
}
