//! Which legal route every pair takes: consistent selection by potential descent.
//!
//! Comes in: a [`Quotient`], the rank of every symbol, possibly routes to start from. Goes out: per canonical
//! destination a forest of states, and through it one route per source. Invariants: `next` of a state always
//! has a higher rank, so every walk ends at the destination; two routes that meet in a state towards the same
//! destination are the same from there on, so tables keyed by (destination, input port, input VC) never
//! conflict; no route turns back through the port it came in by.
//!
//! Loads count every route as often as its pair's weight in the demand; pairs without demand have routes that
//! weigh nothing. Large weights are scaled down for the search, so that prices by load stay a short table;
//! the checker measures the true loads.
//!
//! Here is what the selection knows and counts; `descent` moves the routes.

mod descent;

use super::potential::Potential;
use super::quotient::{DARK, Quotient};
use super::scan::{RankScan, symbol};
use crate::ids::NodeId;
use crate::ir::DualLengths;
use crate::model::Demand;
use std::ops::{AddAssign, SubAssign};

/// No continuation.
const NONE: u16 = u16::MAX;
/// Not reachable at any price.
const INFINITE: u64 = u64::MAX;

/// The cheapest two continuations at a router, by different ports.
#[derive(Clone, Copy)]
struct Best {
    cost: [u64; 2],
    code: [u16; 2],
}

const NOTHING: Best = Best { cost: [INFINITE; 2], code: [NONE; 2] };

/// Routes that go the same way.
#[derive(Clone, Copy, Default)]
struct Share {
    routes: u32,
    /// What they add to a load.
    weight: u32,
}

impl AddAssign for Share {
    fn add_assign(&mut self, more: Self) {
        self.routes += more.routes;
        self.weight += more.weight;
    }
}

impl SubAssign for Share {
    fn sub_assign(&mut self, less: Self) {
        self.routes -= less.routes;
        self.weight -= less.weight;
    }
}

/// A lower bound on the maximum load above which weights are scaled down to it.
const LARGEST_BOUND: f64 = 16384.0;

/// What a descent aims at.
#[derive(Clone, Copy)]
pub(super) struct Aim {
    /// A lower bound on the maximum load, to measure widths by.
    pub(super) bound: f64,
    /// The load at which nothing is left to gain.
    pub(super) least: u32,
}

/// The routes under construction.
pub(super) struct Selection<'a> {
    pub(super) quotient: &'a Quotient,
    /// What is sent, unless all pairs send alike, and the factor to scale weights by.
    demand: Option<(&'a Demand, f64)>,
    scan: RankScan,
    /// `[state]`: channel class.
    class: Vec<u32>,
    /// `[state]`: rank.
    rank: Vec<u32>,
    /// `[channel class]`: routes to canonical destinations over channels of the class, by weight and
    /// slowness.
    load: Vec<u32>,
    /// `[state]`: slowness of its channel.
    slowness: Vec<u32>,
    /// `[vc]`: hops.
    vc_hops: Vec<u64>,
    /// `[destination class * states + state]`: the continuation, as `port * vcs + vc`.
    pub(super) next: Vec<u16>,
    /// `[destination class * nodes + node]`: the first hop, as `port * vcs + vc`.
    pub(super) first: Vec<u16>,
    /// Prices of a visit.
    pub(super) potential: Potential,
    hop_price: Vec<u64>,
    /// `[node class]`: what an entry costs in its tables.
    pub(super) entry_price: Vec<u64>,
    /// Whether equally cheap continuations replace each other.
    restless: bool,
    /// Where the next relocation starts to look.
    turn: usize,
    // Scratch of one visit.
    count: Vec<Share>,
    pub(super) used: Vec<u32>,
    value: Vec<u64>,
    best: Vec<Best>,
}

impl<'a> Selection<'a> {
    /// No routes yet.
    pub(super) fn new(quotient: &'a Quotient, rank: &[u32]) -> Self {
        let states = quotient.states();
        let scan = RankScan::new(quotient, rank);
        let destinations = quotient.symmetry.class_count();
        Self {
            class: (0..states).map(|state| quotient.channel_class(state / quotient.vcs) as u32).collect(),
            rank: (0..states).map(|state| scan.rank[symbol(quotient, state)]).collect(),
            scan,
            load: vec![0; quotient.classes()],
            slowness: (0..states).map(|state| quotient.slowness[quotient.channel_class(state / quotient.vcs)]).collect(),
            vc_hops: vec![0; quotient.vcs],
            next: vec![NONE; destinations * states],
            first: vec![NONE; destinations * quotient.nodes],
            potential: Potential::exponential(1, 1.0, 1),
            hop_price: vec![0; quotient.vcs],
            entry_price: vec![0; destinations],
            restless: false,
            turn: 0,
            count: vec![Share::default(); states],
            used: Vec::new(),
            value: vec![INFINITE; states],
            best: vec![NOTHING; quotient.nodes],
            demand: None,
            quotient,
        }
    }

    /// Weighs every route by the demand, before any is chosen; returns what the lengths leave to aim at, as
    /// the selection counts.
    pub(super) fn weigh(&mut self, demand: &'a Demand, lengths: &DualLengths) -> Aim {
        let bound = (self.quotient.parts / lengths.bound()).max(1.0);
        let factor = if demand.is_uniform() { 1.0 } else { (LARGEST_BOUND / bound).min(1.0) };
        if !demand.is_uniform() {
            self.demand = Some((demand, factor));
        }
        let least = match (factor < 1.0, self.quotient.exact) {
            (true, _) => LARGEST_BOUND as u32,
            (false, true) => u32::try_from(lengths.least_load(self.quotient.parts as u64)).unwrap_or(u32::MAX),
            // What is counted nearly never tells that nothing is left to gain.
            (false, false) => 0,
        };
        Aim { bound: bound * factor, least }
    }
    /// The route from a source to a canonical destination.
    fn share(&self, src: usize, dst: u32) -> Share {
        let weight = match self.demand {
            None => 1,
            Some((demand, factor)) => match demand.weight(NodeId(src as u32), NodeId(dst)) {
                0 => 0,
                weight => ((f64::from(weight) * factor).round() as u32).max(1),
            },
        };
        Share { routes: 1, weight }
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
    /// Share of hops by VC, in thousandths.
    fn share_of(&self, vc: usize) -> u64 {
        self.vc_hops[vc] * 1000 / self.hops().max(1)
    }

    /// Takes over one route, unless it runs over a dark channel.
    fn adopt(&mut self, d: usize, src: usize, states: impl Iterator<Item = usize> + Clone) {
        let quotient = self.quotient;
        let width = quotient.ports * quotient.vcs;
        if states.clone().any(|state| quotient.head[state / quotient.vcs] == DARK) {
            return;
        }
        let weight = self.share(src, quotient.symmetry.canonical_node(d).0).weight;
        let mut before = None;
        for state in states {
            let code = (state % width) as u16;
            match before {
                None => self.first[d * quotient.nodes + src] = code,
                Some(before) => self.next[d * quotient.states() + before] = code,
            }
            self.load[self.class[state] as usize] += weight * self.slowness[state];
            self.vc_hops[state % quotient.vcs] += 1;
            before = Some(state);
        }
    }

    /// Counts all loads afresh.
    pub(super) fn recount(&mut self) {
        self.load.fill(0);
        self.vc_hops.fill(0);
        for d in 0..self.quotient.symmetry.class_count() {
            self.tally(d, self.quotient.symmetry.canonical_node(d).0);
            for at in 0..self.used.len() {
                let state = self.used[at] as usize;
                self.load[self.class[state] as usize] += self.count[state].weight * self.slowness[state];
                self.vc_hops[state % self.quotient.vcs] += u64::from(self.count[state].routes);
            }
            self.clear_counts();
        }
    }

    /// Counts the routes through every state towards a destination.
    pub(super) fn tally(&mut self, d: usize, dst: u32) {
        let quotient = self.quotient;
        for src in 0..quotient.nodes {
            let mut code = self.first[d * quotient.nodes + src];
            if code != NONE {
                let share = self.share(src, dst);
                let mut node = src;
                loop {
                    let state = (node * quotient.ports) * quotient.vcs + code as usize;
                    if self.count[state].routes == 0 {
                        self.used.push(state as u32);
                    }
                    self.count[state] += share;
                    node = quotient.head[state / quotient.vcs] as usize;
                    if node == dst as usize {
                        break;
                    }
                    code = self.next[d * quotient.states() + state];
                }
            }
        }
    }

    pub(super) fn clear_counts(&mut self) {
        for &state in &self.used {
            self.count[state as usize] = Share::default();
        }
        self.used.clear();
    }

    /// Adds or removes `count` routes along a walk.
    #[inline]
    fn shift(&mut self, d: usize, dst: u32, mut node: usize, mut code: u16, count: Share, add: bool) {
        let quotient = self.quotient;
        loop {
            let state = node * quotient.ports * quotient.vcs + code as usize;
            let load = &mut self.load[self.class[state] as usize];
            let weight = count.weight * self.slowness[state];
            if add {
                *load += weight;
                self.vc_hops[state % quotient.vcs] += u64::from(count.routes);
                if self.count[state].routes == 0 {
                    self.used.push(state as u32);
                }
                self.count[state] += count;
            } else {
                *load -= weight;
                self.vc_hops[state % quotient.vcs] -= u64::from(count.routes);
                self.count[state] -= count;
            }
            node = quotient.head[state / quotient.vcs] as usize;
            if node == dst as usize {
                return;
            }
            code = self.next[d * quotient.states() + state];
        }
    }

    /// The states of the route from a node to a canonical destination, in order.
    pub(super) fn route(&self, d: usize, src: usize, mut each: impl FnMut(usize)) {
        let quotient = self.quotient;
        let dst = quotient.symmetry.canonical_node(d).0 as usize;
        let (mut node, mut code) = (src, self.first[d * quotient.nodes + src]);
        while node != dst {
            let state = node * quotient.ports * quotient.vcs + code as usize;
            each(state);
            node = quotient.head[state / quotient.vcs] as usize;
            code = self.next[d * quotient.states() + state];
        }
    }
}
