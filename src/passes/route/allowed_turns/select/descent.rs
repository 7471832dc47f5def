//! The descent of a selection: routes move, one destination after the other, to where the potential of the
//! loads rises least.
//!
//! Comes in: a [`Selection`], possibly with routes. Goes out: the same with a route for every pair, of little
//! maximum load. Per visit of a destination: a scan of all states by falling rank finds the cheapest legal
//! continuation of every unused state (rank is a topological order, so no queue is needed); then every source
//! and every used state re-chooses its continuation by the exact change of the potential, carrying its whole
//! subtree of routes.

use super::{Aim, INFINITE, NONE, NOTHING, Selection, Share};
use crate::ids::NodeId;
use crate::passes::route::allowed_turns::potential::{ONE, Potential};
use crate::passes::route::allowed_turns::quotient::DARK;

impl Selection<'_> {
    /// Gives every pair its first route: the one of `warm` where that is lit, otherwise the cheapest by
    /// length and by the load so far. Returns a pair that has no legal route.
    ///
    /// `warm(destination class, source)` yields the states of a route; its routes must be consistent and rise
    /// in rank.
    pub(in crate::passes::route::allowed_turns) fn start<W: Fn(usize, usize) -> R, R: Iterator<Item = usize> + Clone>(
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

    /// Anneals the potential's width over some sweeps, tightens towards the bound in some rounds of five
    /// sweeps, then trims detours.
    pub(in crate::passes::route::allowed_turns) fn descend(&mut self, Aim { bound, least }: Aim, sweeps: u32, rounds: u32, widest: f64) {
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

    fn sweep(&mut self) {
        self.sweep_with(ONE * 3 / 1000, if self.restless { 0 } else { ONE * 3 / 1000 });
    }

    /// Visits every destination once: a hop costs `base` plus `tilt` times the share of its VC.
    pub(in crate::passes::route::allowed_turns) fn sweep_with(&mut self, base: u64, tilt: u64) {
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

    /// Moves the routes of `count` that stand at a router (having come by state `via`) to their cheapest
    /// continuation and returns it.
    fn relocate(&mut self, d: usize, dst: u32, node: usize, via: Option<usize>, old: u16, count: Share) -> u16 {
        let quotient = self.quotient;
        let width = quotient.ports * quotient.vcs;
        self.shift(d, dst, node, old, count, false);
        let (above, back) = via.map_or((None, u16::MAX), |via| (Some(self.rank[via]), quotient.in_port[via / quotient.vcs]));
        // Prices were taken before this visit moved anything, and before these routes were lifted; the slack
        // covers both.
        let own = self.value[node * width + old as usize];
        let dearest = own + own / 32 + 4 * self.entry_price[quotient.class[node] as usize];
        let mut chosen = old;
        let mut cheapest = self.cost(d, dst, node, old, count, INFINITE);
        // Routes that cost the same are exchanged while the selection is restless: loads drift until a gap
        // closes.
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

    /// The rise of the potential if `count` routes went this way, or [`INFINITE`] where it is not below
    /// `limit`.
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
}
