//! Which legal route every pair takes: consistent selection by potential descent.
//!
//! Comes in: a [`Quotient`], the rank of every symbol, possibly routes to start from. Goes out: per canonical destination a forest of
//! states, and through it one route per source. Invariants: `next` of a state always has a higher rank, so every walk ends at the
//! destination; two routes that meet in a state towards the same destination are the same from there on, so tables keyed by
//! (destination, input port, input VC) never conflict; no route turns back through the port it came in by.
//!
//! Loads count every route as often as its pair's weight in the demand; pairs without demand have routes that weigh nothing. Large weights
//! are scaled down for the search, so that prices by load stay a short table; the checker measures the true loads.
//!
//! Per visit of a destination: a scan of all states by falling rank finds the cheapest legal continuation of every unused state
//! (rank is a topological order, so no queue is needed); then every source and every used state re-chooses its continuation by
//! the exact change of the potential, carrying its whole subtree of routes.

use super::potential::{ONE, Potential};
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
    /// `[channel class]`: routes to canonical destinations over channels of the class, by weight and slowness.
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

    /// Gives every pair its first route: the one of `warm` where that is lit, otherwise the cheapest by length and by the load so far.
    /// Returns a pair that has no legal route.
    ///
    /// `warm(destination class, source)` yields the states of a route; its routes must be consistent and rise in rank.
    pub(super) fn start<W: Fn(usize, usize) -> R, R: Iterator<Item = usize> + Clone>(
        &mut self,
        warm: Option<W>,
    ) -> Result<(), (NodeId, NodeId)> {
        let quotient = self.quotient;
        let destinations = quotient.symmetry.class_count();
        let sent = match self.demand {
            None => (destinations * quotient.nodes) as u64,
            Some((demand, factor)) => (demand.total() as f64 * factor / quotient.symmetry.order() as f64) as u64,
        };
        let expected = (sent as f64 * quotient.mean_slowness()) as u64 * 4 / quotient.classes().max(1) as u64;
        if let Some(warm) = &warm {
            for d in 0..destinations {
                for src in 0..quotient.nodes {
                    self.adopt(d, src, warm(d, src));
                }
            }
        }
        for d in 0..destinations {
            let dst = quotient.symmetry.canonical_node(d);
            self.tally(d, dst.0);
            let prices: Vec<u64> = (0..quotient.classes())
                .map(|class| 64 * u64::from(quotient.length[class]) + u64::from(self.load[class]) * 4096 / expected.max(1))
                .collect();
            self.scan(d, dst, |state, this| prices[this.class[state] as usize] + (state % quotient.vcs) as u64);
            for src in 0..quotient.nodes {
                if src == dst.0 as usize || self.first[d * quotient.nodes + src] != NONE {
                    continue;
                }
                let code = self.best[src].code[0];
                if code == NONE {
                    return Err((NodeId(src as u32), dst));
                }
                self.first[d * quotient.nodes + src] = code;
                self.shift(d, dst.0, src, code, self.share(src, dst.0), true);
            }
            self.clear_counts();
        }
        Ok(())
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

    /// Anneals the potential's width over some sweeps, tightens towards the bound in some rounds of five sweeps, then trims detours.
    pub(super) fn descend(&mut self, Aim { bound, least }: Aim, sweeps: u32, rounds: u32, widest: f64) {
        let narrowest: f64 = (bound * 0.002).max(0.5);
        let start = (self.max_load(), self.first.clone(), self.next.clone());
        self.anneal(None, (bound * widest).max(3.0), narrowest, sweeps);
        let mut best = (self.max_load(), self.first.clone(), self.next.clone());
        if start.0 < best.0 {
            best = start;
        }
        for _ in 0..rounds {
            if best.0 <= least {
                break;
            }
            self.restless = true;
            self.anneal(Some(best.0 - 1), narrowest * 4.0, narrowest, 5);
            self.restless = false;
            if self.max_load() < best.0 {
                best = (self.max_load(), self.first.clone(), self.next.clone());
            }
        }
        if self.max_load() > best.0 {
            (self.first, self.next) = (best.1, best.2);
            self.recount();
        }
        let limit = self.max_load();
        self.potential = Potential::wall(limit, limit as usize * 2 + 64);
        for _ in 0..(sweeps / 10).max(2) {
            self.sweep_with(ONE >> 6, ONE >> 14);
        }
    }

    /// Sweeps with falling width; `limit` is the load to price by, the present maximum if `None`.
    fn anneal(&mut self, limit: Option<u32>, widest: f64, narrowest: f64, sweeps: u32) {
        let decay = libm::exp(libm::log(narrowest / widest) / f64::from(sweeps.max(2) - 1));
        let mut width = widest;
        for _ in 0..sweeps {
            let limit = limit.unwrap_or(self.max_load());
            self.potential = Potential::exponential(limit, width, limit as usize * 2 + 64);
            self.sweep();
            width *= decay;
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

    fn sweep(&mut self) {
        self.sweep_with(ONE * 3 / 1000, if self.restless { 0 } else { ONE * 3 / 1000 });
    }

    /// Visits every destination once: a hop costs `base` plus `tilt` times the share of its VC.
    pub(super) fn sweep_with(&mut self, base: u64, tilt: u64) {
        for d in 0..self.quotient.symmetry.class_count() {
            for vc in 0..self.quotient.vcs {
                self.hop_price[vc] = base + tilt * self.share_of(vc) / 1000;
            }
            self.visit(d);
        }
    }

    /// Re-chooses all continuations towards one destination.
    fn visit(&mut self, d: usize) {
        let quotient = self.quotient;
        let dst = quotient.symmetry.canonical_node(d);
        self.tally(d, dst.0);
        let rise = |(&load, &slowness): (&u32, &u32)| self.potential.rise(load, slowness);
        let prices: Vec<u64> = self.load.iter().zip(&quotient.slowness).map(rise).collect();
        self.scan(d, dst, |state, this| prices[this.class[state] as usize] + this.hop_price[state % quotient.vcs]);
        for src in 0..quotient.nodes {
            if src != dst.0 as usize {
                let old = self.first[d * quotient.nodes + src];
                let new = self.relocate(d, dst.0, src, None, old, self.share(src, dst.0));
                self.first[d * quotient.nodes + src] = new;
            }
        }
        for at in 0..self.used.len() {
            let state = self.used[at] as usize;
            let node = quotient.head[state / quotient.vcs];
            if self.count[state].routes > 0 && node != dst.0 {
                let old = self.next[d * quotient.states() + state];
                let new = self.relocate(d, dst.0, node as usize, Some(state), old, self.count[state]);
                self.next[d * quotient.states() + state] = new;
            }
        }
        self.clear_counts();
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

    /// By falling rank: the value of every state, and the continuation of the unused ones.
    fn scan(&mut self, d: usize, dst: NodeId, price: impl Fn(usize, &Self) -> u64) {
        let quotient = self.quotient;
        let base = d * quotient.states();
        self.best.fill(NOTHING);
        let mut from = 0;
        for group in 0..self.scan.ends.len() {
            let end = self.scan.ends[group] as usize;
            for at in from..end {
                let state = self.scan.states[at] as usize;
                let channel = state / quotient.vcs;
                let node = quotient.head[channel];
                self.value[state] = if node == dst.0 {
                    price(state, self)
                } else if self.count[state].routes > 0 {
                    let next = node as usize * quotient.ports * quotient.vcs + self.next[base + state] as usize;
                    self.value[next] + price(state, self)
                } else {
                    let best = self.best[node as usize];
                    let back = best.code[0] != NONE && best.code[0] as usize / quotient.vcs == quotient.in_port[channel] as usize;
                    self.next[base + state] = best.code[back as usize];
                    match best.cost[back as usize] {
                        INFINITE => INFINITE,
                        cost => cost + price(state, self) + self.entry_price[quotient.class[node as usize] as usize],
                    }
                };
            }
            for at in from..end {
                let state = self.scan.states[at] as usize;
                let (node, code) = (state / (quotient.ports * quotient.vcs), (state % (quotient.ports * quotient.vcs)) as u16);
                let (cost, best) = (self.value[state], &mut self.best[node]);
                if cost == INFINITE || node == dst.0 as usize {
                    continue;
                }
                let same_port = best.code[0] != NONE && best.code[0] as usize / quotient.vcs == code as usize / quotient.vcs;
                if cost < best.cost[0] {
                    if !same_port {
                        (best.cost[1], best.code[1]) = (best.cost[0], best.code[0]);
                    }
                    (best.cost[0], best.code[0]) = (cost, code);
                } else if !same_port && cost < best.cost[1] {
                    (best.cost[1], best.code[1]) = (cost, code);
                }
            }
            from = end;
        }
    }

    /// Moves the routes of `count` that stand at a router (having come by state `via`) to their cheapest continuation and returns it.
    fn relocate(&mut self, d: usize, dst: u32, node: usize, via: Option<usize>, old: u16, count: Share) -> u16 {
        let quotient = self.quotient;
        let width = quotient.ports * quotient.vcs;
        self.shift(d, dst, node, old, count, false);
        let (above, back) = via.map_or((None, u16::MAX), |via| (Some(self.rank[via]), quotient.in_port[via / quotient.vcs]));
        // Prices were taken before this visit moved anything, and before these routes were lifted; the slack covers both.
        let own = self.value[node * width + old as usize];
        let dearest = own + own / 32 + 4 * self.entry_price[quotient.class[node] as usize];
        let mut chosen = old;
        let mut cheapest = self.cost(d, dst, node, old, count, INFINITE);
        // Routes that cost the same are exchanged while the selection is restless: loads drift until a gap closes.
        let slack = u64::from(self.restless);
        self.turn = (self.turn + 1) % width;
        for step in 0..width {
            let code = (step + self.turn) % width;
            let state = node * width + code;
            if code == old as usize
                || quotient.head[state / quotient.vcs] == DARK
                || code / quotient.vcs == back as usize
                || above.is_some_and(|above| self.rank[state] <= above)
                || self.value[state] > dearest
            {
                continue;
            }
            let cost = self.cost(d, dst, node, code as u16, count, cheapest + slack);
            if cost < cheapest + slack {
                (cheapest, chosen) = (cost, code as u16);
            }
        }
        self.shift(d, dst, node, chosen, count, true);
        chosen
    }

    /// The rise of the potential if `count` routes went this way, or [`INFINITE`] where it is not below `limit`.
    #[inline]
    fn cost(&self, d: usize, dst: u32, mut node: usize, mut code: u16, count: Share, limit: u64) -> u64 {
        let quotient = self.quotient;
        let next = &self.next[d * quotient.states()..][..quotient.states()];
        let mut cost = 0;
        loop {
            let state = node * quotient.ports * quotient.vcs + code as usize;
            cost += self.potential.rise(self.load[self.class[state] as usize], count.weight * self.slowness[state])
                + u64::from(count.routes) * self.hop_price[state % quotient.vcs];
            node = quotient.head[state / quotient.vcs] as usize;
            if self.count[state].routes == 0 && node != dst as usize {
                cost += self.entry_price[quotient.class[node] as usize];
            }
            if cost >= limit {
                return INFINITE;
            }
            if node == dst as usize {
                return cost;
            }
            code = next[state];
        }
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
