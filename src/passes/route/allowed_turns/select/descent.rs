//! The descent of a selection: routes move, one destination after the other, to where the potential of the
//! loads rises least.
//!
//! Input: a [`Selection`], possibly with routes. Output: the same with a route of low maximum load for
//! every pair.
//!
//! Each visit of a destination has two parts. A scan of all states by falling rank finds the cheapest legal
//! continuation of every unused state. Rank is a topological order, so no queue is needed. Then every
//! source and every used state re-chooses its continuation by the exact change of the potential, and its
//! whole subtree of routes moves along.

use super::{Aim, END, INFINITE, NONE, NOTHING, RouteCount, Selection, VC_BITS, VC_MASK, split_lane};
use crate::route::allowed_turns::potential::{LoadPotential, ONE};
use fabc_base::ids::{Id, NodeId};

impl Selection<'_> {
    /// Gives every pair its first route: the one of `warm` if it is lit, otherwise the cheapest by length
    /// and by the load so far.
    ///
    /// `warm(destination class, source)` yields the states of a route. Its routes must be consistent and
    /// rise in rank.
    ///
    /// # Errors
    /// The first pair that has no legal route.
    pub(in crate::route::allowed_turns) fn start<
        W: Fn(usize, usize) -> R,
        R: Iterator<Item = usize> + Clone,
    >(
        &mut self,
        warm: Option<W>,
    ) -> Result<(), (NodeId, NodeId)> {
        let quotient = self.quotient;
        let destinations = quotient.symmetry.class_count();
        let sent = match self.demand {
            None => (destinations * quotient.nodes) as u64,
            Some((demand, factor)) => {
                (demand.total() as f64 * factor / quotient.symmetry.order() as f64) as u64
            }
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
            for class in 0..quotient.classes() {
                let price = 64 * u64::from(quotient.length[class])
                    + u64::from(self.load[class]) * 4096 / expected.max(1);
                for vc in 0..quotient.vcs {
                    self.price[(class << VC_BITS) | vc] = price + vc as u64;
                }
            }
            self.scan(dst);
            for src in 0..quotient.nodes {
                if src == dst.index() || self.first[d * quotient.nodes + src] != NONE {
                    continue;
                }
                let code = self.best[src].code[0];
                if code == NONE {
                    return Err((NodeId(src as u32), dst));
                }
                self.first[d * quotient.nodes + src] = code;
                let (state, counted) =
                    ((src * self.width) as u32 + u32::from(code), self.route_count(src, dst.0));
                self.lift(state, counted.weight, true);
                self.carry(state, counted, true);
            }
            self.store(d);
            self.clear_counts();
        }
        Ok(())
    }

    /// Anneals the potential's width over some sweeps. Then tightens towards the bound in `rounds` rounds
    /// of five sweeps, and trims detours at the end.
    pub(in crate::route::allowed_turns) fn descend(
        &mut self,
        Aim { bound, target_load }: Aim,
        sweeps: u32,
        rounds: u32,
        widest: f64,
    ) {
        let narrowest: f64 = (bound * 0.002).max(0.5);
        let start = (self.max_load(), self.first.clone(), self.next.clone());
        self.anneal(None, (bound * widest).max(3.0), narrowest, sweeps);
        let mut best = (self.max_load(), self.first.clone(), self.next.clone());
        if start.0 < best.0 {
            best = start;
        }
        for _ in 0..rounds {
            if best.0 <= target_load {
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
        self.potential = LoadPotential::wall(limit, limit as usize * 2 + 64);
        for _ in 0..(sweeps / 10).max(2) {
            self.sweep_with(ONE >> 6, ONE >> 14);
        }
    }

    /// Sweeps with falling width. `limit` is the load to price by, the present maximum if `None`.
    fn anneal(&mut self, limit: Option<u32>, widest: f64, narrowest: f64, sweeps: u32) {
        let decay = libm::exp(libm::log(narrowest / widest) / f64::from(sweeps.max(2) - 1));
        let mut width = widest;
        for _ in 0..sweeps {
            let limit = limit.unwrap_or(self.max_load());
            self.potential = LoadPotential::exponential(limit, width, limit as usize * 2 + 64);
            self.sweep();
            width *= decay;
        }
    }

    fn sweep(&mut self) {
        self.sweep_with(ONE * 3 / 1000, if self.restless { 0 } else { ONE * 3 / 1000 });
    }

    /// Visits every destination once. A hop costs `base` plus `tilt` times the share of its VC.
    pub(in crate::route::allowed_turns) fn sweep_with(&mut self, base: u64, tilt: u64) {
        for d in 0..self.quotient.symmetry.class_count() {
            for vc in 0..self.quotient.vcs {
                self.hop_price[vc] = base + tilt * self.vc_share(vc) / 1000;
            }
            self.visit(d);
        }
    }

    /// Re-chooses all continuations towards one destination.
    pub(super) fn visit(&mut self, d: usize) {
        let quotient = self.quotient;
        let dst = quotient.symmetry.canonical_node(d);
        self.tally(d, dst.0);
        for (class, (&load, &slowness)) in self.load.iter().zip(&quotient.slowness).enumerate() {
            let rise = self.potential.rise(load, slowness);
            for (vc, &hop) in self.hop_price.iter().enumerate() {
                self.price[(class << VC_BITS) | vc] = rise + hop;
            }
        }
        self.priced = self.entry_price.iter().any(|&price| price > 0);
        self.scan(dst);
        for src in 0..quotient.nodes {
            if src != dst.index() {
                let entrance = (src * self.width) as u32;
                let old = entrance + u32::from(self.first[d * quotient.nodes + src]);
                let new = self.relocate(entrance, None, old, self.route_count(src, dst.0));
                self.first[d * quotient.nodes + src] = (new - entrance) as u16;
            }
        }
        for place in 0..self.used.len() {
            let state = self.used[place] as usize;
            let (old, count) = (self.onward[state], self.count[state]);
            if count.routes > 0 && old != END {
                self.onward[state] = self.relocate(self.entrance[state], Some(state), old, count);
            }
        }
        self.store(d);
        self.clear_counts();
    }

    /// Computes by falling rank the value of every state at the present prices, and the continuation of the
    /// unused ones.
    fn scan(&mut self, dst: NodeId) {
        let (width, vcs) = (self.width as u32, self.quotient.vcs as u16);
        let Self { steps, ends, best, value, onward, count, price, entry_price, priced, quotient, .. } = self;
        best.fill(NOTHING);
        let mut from = 0;
        for &end in &*ends {
            let group = &steps[from..end as usize];
            for step in group {
                let state = (step.tail * width) as usize + usize::from(step.code);
                let hop_cost = price[step.lane as usize];
                value[state] = if step.head == dst.0 {
                    onward[state] = END;
                    hop_cost
                } else if count[state].routes > 0 {
                    value[onward[state] as usize] + hop_cost
                } else {
                    let best = &best[step.head as usize];
                    let rank_by_port = usize::from(best.code[0].wrapping_sub(step.back) < vcs);
                    match best.cost[rank_by_port] {
                        INFINITE => INFINITE,
                        cost => {
                            onward[state] = step.head * width + u32::from(best.code[rank_by_port]);
                            let entry = if *priced {
                                entry_price[quotient.class[step.head as usize] as usize]
                            } else {
                                0
                            };
                            cost + hop_cost + entry
                        }
                    }
                };
            }
            for step in group {
                let cost = value[(step.tail * width) as usize + usize::from(step.code)];
                if cost == INFINITE || step.tail == dst.0 {
                    continue;
                }
                let best = &mut best[step.tail as usize];
                let same_port = best.code[0].wrapping_sub(step.code - (step.lane as u16 & VC_MASK)) < vcs;
                if cost < best.cost[0] {
                    if !same_port {
                        (best.cost[1], best.code[1]) = (best.cost[0], best.code[0]);
                    }
                    (best.cost[0], best.code[0]) = (cost, step.code);
                } else if cost < best.cost[1] && !same_port {
                    (best.cost[1], best.code[1]) = (cost, step.code);
                }
            }
            from = end as usize;
        }
    }

    /// Moves the routes of `count` to their cheapest continuation and returns it. They stand at the router
    /// of the first state `entrance`, arrived by state `via`, and continue by state `old`.
    fn relocate(&mut self, entrance: u32, via: Option<usize>, old: u32, count: RouteCount) -> u32 {
        let (width, vcs) = (self.width, self.quotient.vcs);
        let entry = if self.priced {
            self.entry_price[self.quotient.class[entrance as usize / width] as usize]
        } else {
            0
        };
        // Prices were taken before this visit moved anything, and before these routes were lifted. The
        // slack covers both.
        let old_value = self.value[old as usize];
        let dearest = old_value + old_value / 32 + 4 * entry;
        self.turn = if self.turn + 1 == width { 0 } else { self.turn + 1 };
        self.find_open(entrance as usize, old, dearest);
        if let (Some(via), false) = (via, self.open.is_empty()) {
            let (above, back) =
                (self.rank[via], entrance as usize + usize::from(self.quotient.in_port[via / vcs]) * vcs);
            let Self { open, rank, .. } = self;
            open.retain(|&state| {
                rank[state as usize] > above && !(back..back + vcs).contains(&(state as usize))
            });
        }
        if self.open.is_empty() {
            self.unmoved(old, count);
            return old;
        }
        self.lift(old, count.weight, false);
        if self.priced {
            self.carry(old, count, false);
        }
        let mut chosen = old;
        let mut cheapest = self.cost(old, count, INFINITE);
        // While the selection is restless, equally cheap routes replace each other. Loads then drift until
        // a gap closes.
        let slack = u64::from(self.restless);
        for &state in &self.open {
            let cost = self.cost(state, count, cheapest + slack);
            if cost < cheapest + slack {
                (cheapest, chosen) = (cost, state);
            }
        }
        self.lift(chosen, count.weight, true);
        if self.priced {
            self.carry(chosen, count, true);
        } else if chosen != old {
            self.carry(old, count, false);
            self.carry(chosen, count, true);
        } else {
            self.unmoved(old, count);
        }
        chosen
    }

    /// Lists the other states of a router that cost no more than `dearest`, from `turn` on.
    #[inline]
    fn find_open(&mut self, base: usize, old: u32, dearest: u64) {
        let Self { open, value, turn, width, .. } = self;
        open.clear();
        let value = &value[base..base + *width];
        for code in (*turn..*width).chain(0..*turn) {
            if value[code] <= dearest && base + code != old as usize {
                open.push((base + code) as u32);
            }
        }
    }

    /// The rise of the potential if `count` routes took this path, or [`INFINITE`] if it is not below
    /// `limit`.
    #[inline]
    fn cost(&self, mut state: u32, count: RouteCount, limit: u64) -> u64 {
        let mut cost = 0;
        loop {
            let index = state as usize;
            let (class, vc) = split_lane(self.lane[index]);
            cost += self.potential.rise(self.load[class], count.weight * self.quotient.slowness[class])
                + u64::from(count.routes) * self.hop_price[vc];
            state = self.onward[index];
            if self.priced && self.count[index].routes == 0 && state != END {
                cost += self.entry_price[self.quotient.class[state as usize / self.width] as usize];
            }
            if cost >= limit {
                return INFINITE;
            }
            if state == END {
                return cost;
            }
        }
    }
}
