//! Routes for tables keyed by destination alone: one in-tree per destination, whose ranks rise towards the
//! root.
//!
//! Input: a [`TurnQuotient`] and the rank of every symbol. Output: per canonical destination, the output
//! port and VC of every router. Invariant: the state by which a router sends has a smaller rank than the
//! state by which the next router sends, so every walk ends at the destination.
//!
//! Such a tree exists if every source has a legal path: give each router the state of highest rank that
//! still reaches the destination.
//!
//! The descent is as in `select`, but a router moves all routes through it at once. Its new state must lie
//! between those of the routers before it and that of the router after it. So a visit also offers a whole
//! new tree at the current prices.

use super::potential::{LoadPotential, ONE};
use super::quotient::{DARK, MEAN_LENGTH, TurnQuotient};
use super::scan::{RankScan, symbol};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Marks a router without a state.
const NONE: u16 = u16::MAX;

/// The trees under construction, with their loads.
pub(super) struct DestinationTrees<'a> {
    quotient: &'a TurnQuotient,
    scan: RankScan,
    /// `[state]`: its rank in the order.
    rank: Vec<u32>,
    /// `[channel class]`: routes to canonical destinations over channels of the class, weighted by
    /// slowness.
    load: Vec<u32>,
    /// `[vc]`: the number of hops on it.
    vc_hops: Vec<u64>,
    /// `[destination class * nodes + node]`: how the router sends, as `port * vcs + vc`.
    out: Vec<u16>,
    potential: LoadPotential,
}

impl<'a> DestinationTrees<'a> {
    /// Builds a first tree for every destination, by length and by the load so far. The order must leave
    /// every pair a path.
    pub(super) fn new(quotient: &'a TurnQuotient, rank: &[u32]) -> Self {
        let scan = RankScan::new(quotient, rank);
        let destinations = quotient.symmetry.class_count();
        let mut trees = Self {
            rank: (0..quotient.states()).map(|state| scan.rank[symbol(quotient, state)]).collect(),
            scan,
            load: vec![0; quotient.classes()],
            vc_hops: vec![0; quotient.vcs],
            out: vec![NONE; destinations * quotient.nodes],
            potential: LoadPotential::exponential(1, 1.0, 1),
            quotient,
        };
        let expected = ((destinations * quotient.nodes) as f64 * quotient.mean_slowness()) as u64 * 4
            / quotient.classes().max(1) as u64;
        let expected = expected.max(1);
        for d in 0..destinations {
            let prices: Vec<u64> = (0..quotient.classes())
                .map(|class| {
                    u64::from(quotient.length[class])
                        + u64::from(trees.load[class]) * u64::from(MEAN_LENGTH / 16) / expected
                })
                .collect();
            let tree = trees.build_tree(d, &prices);
            trees.out[d * quotient.nodes..][..quotient.nodes].copy_from_slice(&tree);
            trees.account(d, true);
        }
        trees
    }

    /// Load of the busiest channel.
    pub(super) fn max_load(&self) -> u32 {
        self.load.iter().copied().max().unwrap_or(0)
    }

    /// Anneals the potential's width over some sweeps and keeps the trees of the smallest load.
    pub(super) fn descend(&mut self, bound: f64, sweeps: u32) {
        let (widest, narrowest) = ((bound * 0.06).max(3.0), (bound * 0.002).max(0.5));
        let decay = libm::exp(libm::log(narrowest / widest) / f64::from(sweeps.max(2) - 1));
        let mut width = widest;
        let mut best = (self.max_load(), self.out.clone());
        for _ in 0..sweeps {
            let limit = self.max_load();
            self.potential = LoadPotential::exponential(limit, width, limit as usize * 2 + 64);
            for d in 0..self.quotient.symmetry.class_count() {
                self.visit(d);
            }
            if self.max_load() < best.0 {
                best = (self.max_load(), self.out.clone());
            }
            width *= decay;
        }
        self.out = best.1;
        self.load.fill(0);
        self.vc_hops.fill(0);
        (0..self.quotient.symmetry.class_count()).for_each(|d| self.account(d, true));
    }

    /// Offers a new tree, then moves every router in turn.
    fn visit(&mut self, d: usize) {
        let quotient = self.quotient;
        let nodes = quotient.nodes;
        let dst = quotient.symmetry.canonical_node(d).0 as usize;
        let prices: Vec<u64> = self
            .load
            .iter()
            .zip(&quotient.slowness)
            .map(|(&load, &slowness)| self.potential.rise(load, slowness) + ONE / 256)
            .collect();
        let new_tree = self.build_tree(d, &prices);
        let before = self.total();
        self.account(d, false);
        let old = self.out[d * nodes..][..nodes].to_vec();
        self.out[d * nodes..][..nodes].copy_from_slice(&new_tree);
        self.account(d, true);
        if self.total() > before {
            self.account(d, false);
            self.out[d * nodes..][..nodes].copy_from_slice(&old);
            self.account(d, true);
        }
        let mut through = self.routes_through(d);
        let mut order: Vec<usize> = (0..nodes).filter(|&node| node != dst).collect();
        order.sort_unstable_by_key(|&node| (self.rank[self.state(d, node)], node));
        for node in order {
            self.relocate(d, dst, node, &mut through);
        }
    }

    /// The potential of all channels, and a small price for every hop.
    fn total(&self) -> u128 {
        let hops: u64 = self.vc_hops.iter().sum();
        self.load.iter().map(|&load| u128::from(self.potential.rise(0, load))).sum::<u128>()
            + u128::from(hops) * u128::from(ONE / 256)
    }

    fn state(&self, d: usize, node: usize) -> usize {
        node * self.quotient.ports * self.quotient.vcs + self.out[d * self.quotient.nodes + node] as usize
    }
    fn head(&self, state: usize) -> usize {
        self.quotient.head[state / self.quotient.vcs] as usize
    }
    fn slowness(&self, state: usize) -> u32 {
        self.quotient.slowness[self.class(state)]
    }
    fn class(&self, state: usize) -> usize {
        self.quotient.channel_class(state / self.quotient.vcs)
    }

    /// `[node]`: routes towards a destination that pass through a router or start there.
    fn routes_through(&self, d: usize) -> Vec<u32> {
        let dst = self.quotient.symmetry.canonical_node(d).0 as usize;
        let mut order: Vec<usize> = (0..self.quotient.nodes).filter(|&node| node != dst).collect();
        order.sort_unstable_by_key(|&node| (self.rank[self.state(d, node)], node));
        let mut through = vec![1; self.quotient.nodes];
        for node in order {
            through[self.head(self.state(d, node))] += through[node];
        }
        through
    }

    /// Adds or takes away all routes towards a destination.
    fn account(&mut self, d: usize, add: bool) {
        let through = self.routes_through(d);
        let dst = self.quotient.symmetry.canonical_node(d).0 as usize;
        for node in (0..self.quotient.nodes).filter(|&node| node != dst) {
            let state = self.state(d, node);
            let (class, vc) = (self.class(state), state % self.quotient.vcs);
            if add {
                self.load[class] += through[node] * self.slowness(state);
                self.vc_hops[vc] += u64::from(through[node]);
            } else {
                self.load[class] -= through[node] * self.slowness(state);
                self.vc_hops[vc] -= u64::from(through[node]);
            }
        }
    }

    /// Moves a router, with all routes through it, to its cheapest state.
    fn relocate(&mut self, d: usize, dst: usize, node: usize, through: &mut [u32]) {
        let quotient = self.quotient;
        let width = quotient.ports * quotient.vcs;
        let count = through[node];
        self.shift(d, dst, node, count, false, through);
        // The states by which neighbors send to this router bound its new state from below.
        let floor = (0..quotient.ports)
            .map(|port| node * quotient.ports + port)
            .filter(|&channel| quotient.head[channel] != DARK)
            .filter_map(|channel| {
                let neighbor = quotient.head[channel] as usize;
                let sends = self.out[d * quotient.nodes + neighbor] as usize;
                (neighbor != dst && sends / quotient.vcs == quotient.in_port[channel] as usize)
                    .then(|| self.rank[neighbor * width + sends])
            })
            .max();
        let old = self.out[d * quotient.nodes + node];
        let mut chosen = (
            self.cost(d, dst, node * width + old as usize, count, u64::MAX),
            Reverse(self.rank[node * width + old as usize]),
            old,
        );
        for code in (0..width).filter(|&code| code != old as usize) {
            let state = node * width + code;
            if quotient.head[state / quotient.vcs] == DARK
                || floor.is_some_and(|floor| self.rank[state] <= floor)
            {
                continue;
            }
            let next = self.head(state);
            if next != dst && self.rank[self.state(d, next)] <= self.rank[state] {
                continue;
            }
            chosen = chosen.min((
                self.cost(d, dst, state, count, chosen.0),
                Reverse(self.rank[state]),
                code as u16,
            ));
        }
        self.out[d * quotient.nodes + node] = chosen.2;
        self.shift(d, dst, node, count, true, through);
    }

    /// The rise of the potential if `count` routes left by a state, or `u64::MAX` where it exceeds `limit`.
    fn cost(&self, d: usize, dst: usize, mut state: usize, count: u32, limit: u64) -> u64 {
        let mut cost = 0;
        loop {
            cost += self.potential.rise(self.load[self.class(state)], count * self.slowness(state))
                + u64::from(count) * (ONE / 256);
            if cost > limit {
                return u64::MAX;
            }
            let node = self.head(state);
            if node == dst {
                return cost;
            }
            state = self.state(d, node);
        }
    }

    /// Adds or removes `count` routes from a router to the destination.
    fn shift(&mut self, d: usize, dst: usize, mut node: usize, count: u32, add: bool, through: &mut [u32]) {
        while node != dst {
            let state = self.state(d, node);
            let (class, vc) = (self.class(state), state % self.quotient.vcs);
            if add {
                self.load[class] += count * self.slowness(state);
                self.vc_hops[vc] += u64::from(count);
            } else {
                self.load[class] -= count * self.slowness(state);
                self.vc_hops[vc] -= u64::from(count);
            }
            node = self.head(state);
            through[node] = if add { through[node] + count } else { through[node] - count };
        }
    }

    /// Builds a tree at given prices per channel class. Routers take the highest state on a near-cheapest
    /// path, within ever wider tolerances.
    fn build_tree(&self, d: usize, prices: &[u64]) -> Vec<u16> {
        let quotient = self.quotient;
        let dst = quotient.symmetry.canonical_node(d).0 as usize;
        let cheapest = self.distances(dst, prices);
        let mean = prices.iter().sum::<u64>() / prices.len().max(1) as u64 + 1;
        let width = quotient.ports * quotient.vcs;
        let mut out = vec![NONE; quotient.nodes];
        let mut cost = vec![0u64; quotient.nodes];
        let mut unreached = quotient.nodes - 1;
        for tolerance in [0, mean / 8, mean / 2, mean, 2 * mean, 4 * mean, 1 << 60] {
            for &state in &self.scan.states {
                let (state, node) = (state as usize, state as usize / width);
                let next = self.head(state);
                if node == dst || out[node] != NONE || (next != dst && out[next] == NONE) {
                    continue;
                }
                let path_cost = cost[next] + prices[self.class(state)];
                if path_cost > cheapest[node] + tolerance
                    || (next != dst && self.rank[next * width + out[next] as usize] <= self.rank[state])
                {
                    continue;
                }
                (out[node], cost[node]) = ((state % width) as u16, path_cost);
                unreached -= 1;
            }
            if unreached == 0 {
                return out;
            }
        }
        // Some router has no state left above the one before it. Taking the highest states of all always
        // succeeds.
        out.fill(NONE);
        for &state in &self.scan.states {
            let (state, node) = (state as usize, state as usize / width);
            let next = self.head(state);
            let leads = next == dst
                || (out[next] != NONE && self.rank[next * width + out[next] as usize] > self.rank[state]);
            if node != dst && out[node] == NONE && leads {
                out[node] = (state % width) as u16;
            }
        }
        out
    }

    /// `[node]`: the price of the cheapest path to a destination, whatever the ranks.
    fn distances(&self, dst: usize, prices: &[u64]) -> Vec<u64> {
        let quotient = self.quotient;
        let mut cheapest = vec![u64::MAX; quotient.nodes];
        cheapest[dst] = 0;
        let mut open = BinaryHeap::from([Reverse((0, dst))]);
        while let Some(Reverse((reached, node))) = open.pop() {
            if cheapest[node] < reached {
                continue;
            }
            for channel in node * quotient.ports..(node + 1) * quotient.ports {
                if quotient.head[channel] == DARK {
                    continue;
                }
                let neighbor = quotient.head[channel] as usize;
                let back = neighbor * quotient.ports + quotient.in_port[channel] as usize;
                let path_cost = reached + prices[quotient.channel_class(back)];
                if path_cost < cheapest[neighbor] {
                    cheapest[neighbor] = path_cost;
                    open.push(Reverse((path_cost, neighbor)));
                }
            }
        }
        cheapest
    }

    /// Hops of all routes to canonical destinations.
    pub(super) fn hops(&self) -> u64 {
        self.vc_hops.iter().sum()
    }

    /// The states of the route from a node to a canonical destination, in order.
    pub(super) fn route(&self, d: usize, src: usize, mut each: impl FnMut(usize)) {
        let dst = self.quotient.symmetry.canonical_node(d).0 as usize;
        let mut node = src;
        while node != dst {
            let state = self.state(d, node);
            each(state);
            node = self.head(state);
        }
    }
}
