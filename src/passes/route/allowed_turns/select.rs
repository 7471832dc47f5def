//! Chooses one route per pair under a rank order, so that the busiest channel carries as little as possible.
//!
//! Per canonical destination every state has one successor and every source one first state: routes agree wherever they share (dst, in_port, in_vc) by
//! construction. The sum over channel classes of exp((load - bound) / width) falls move by move while the width anneals: unused states follow a dynamic program in reverse
//! rank order at current prices, sources re-choose their first state, used states re-choose their successor with their whole subtree. Loads are integers and the
//! exponentials are tabulated integers, so moves compare exactly. Source: our own; consistency costs nothing measurable in load.

use super::graph::{DARK, Graph};
use crate::ids::{ChannelId, Id, NodeId, PortId, Vc};
use crate::ir::{Hop, Routes, Symmetry, Topology};

const NONE: u8 = u8::MAX;
const FAR: u64 = u64::MAX / 4;

/// Successors of all states and first states of all sources.
#[derive(Clone, Debug)]
pub struct Selection {
    /// `[destination][state]`: port * vcs + vc of the next hop at the head of the state; `NONE` at the destination and where there is no way.
    next: Vec<Vec<u8>>,
    /// `[destination][node]`: the same for the source's own packets.
    first: Vec<Vec<u8>>,
    ranks: Vec<u32>,
    symmetry: Symmetry,
}

/// Cumulative potential by load: `sum[x]` = sum over 1..=x of exp((i - offset) / width), in integers.
struct Potential {
    sum: Vec<u64>,
}

impl Potential {
    fn new(limit: usize, offset: f64, width: f64) -> Self {
        let mut total = 0u64;
        let mut sum = vec![0];
        for load in 1..=limit + 1 {
            let exponent = ((load as f64 - offset) / width).clamp(-12.0, 9.0);
            // Past the clamp the price still rises, linearly, so that an overload is never free.
            let beyond = ((load as f64 - offset) / width - 9.0).max(0.0);
            total += (libm::exp(exponent) * (1.0 + beyond) * 65536.0) as u64 + 1;
            sum.push(total);
        }
        Self { sum }
    }
    fn rise(&self, load: u32, by: u32) -> u64 {
        let top = self.sum.len() - 1;
        self.sum[(load as usize + by as usize).min(top)] - self.sum[(load as usize).min(top)]
    }
}

struct Work<'a> {
    graph: &'a Graph,
    /// Symbols by falling rank.
    falling: Vec<u32>,
    /// `[class]`: slots of the class.
    slots_of: Vec<Vec<u32>>,
    ranks: &'a [u32],
    loads: Vec<u32>,
    vc_hops: Vec<u64>,
    /// `[vc]`: its share of all hops in 1/256, as of the last destination.
    vc_share: Vec<u64>,
    next: Vec<Vec<u8>>,
    first: Vec<Vec<u8>>,
}

/// Selects routes, starting from those of the healthy pod if they are given (under the same ranks); on failure the first pair (source, destination) that has no rising path at all.
pub(super) fn select(
    graph: &Graph,
    costs: &[u32],
    ranks: &[u32],
    bound: f64,
    sweeps: u32,
    healthy: Option<&Selection>,
) -> Result<Selection, (u32, u32)> {
    let mut falling: Vec<u32> = (0..graph.symbols() as u32).collect();
    falling.sort_by_key(|&symbol| std::cmp::Reverse(ranks[symbol as usize]));
    let mut slots_of = vec![Vec::new(); graph.classes];
    for (slot, &class) in graph.class.iter().enumerate().filter(|&(_, &class)| class != DARK) {
        slots_of[class as usize].push(slot as u32);
    }
    let count = graph.destinations.len();
    let mut work = Work {
        graph,
        falling,
        slots_of,
        ranks,
        loads: vec![0; graph.classes],
        vc_hops: vec![0; graph.vcs],
        vc_share: vec![0; graph.vcs],
        next: vec![vec![NONE; graph.states()]; count],
        first: vec![vec![NONE; graph.nodes]; count],
    };
    let limit = count * graph.nodes;
    // Start: cheapest rising paths, destination by destination, at prices that already feel the load.
    if let Some(healthy) = healthy {
        work.keep(healthy);
    }
    for destination in 0..count {
        let potential = Potential::new(limit.min(8 * bound as usize + 64), bound * (destination + 1) as f64 / count as f64, bound / 8.0);
        let base: Vec<u64> = costs.iter().map(|&cost| u64::from(cost) * 64).collect();
        work.solve(destination, &potential, &base);
        work.route_sources(destination, &potential, &base)?;
    }
    for sweep in 0..sweeps {
        // Kept routes are near their place: no need to shake them up again.
        let start = if healthy.is_some() { 0.6 } else { 0.0 };
        let progressed = start + (1.0 - start) * f64::from(sweep) / f64::from(sweeps.max(2) - 1);
        let width = (bound / 12.0) * libm::pow(6.0 * 12.0 / (10.0 * bound.max(8.0)), progressed);
        let busiest = f64::from(work.loads.iter().copied().max().unwrap_or(0));
        let potential = Potential::new(limit.min(2 * busiest as usize + 64), bound.max(busiest - 4.0 * width), width);
        let scale = potential.rise(bound as u32, 1).min(1 << 20) / 48 + 1;
        let base: Vec<u64> = costs.iter().map(|&cost| (u64::from(cost) * scale) >> 12).collect();
        work.sweep(&potential, &base)?;
    }
    // Trim: the load may not rise above what was reached; below it only the length counts.
    for _ in 0..3 {
        let busiest = work.loads.iter().copied().max().unwrap_or(0);
        let flat =
            Potential { sum: (0..=2 * u64::from(busiest) + 64).map(|load| load.saturating_sub(u64::from(busiest)) * (1 << 34)).collect() };
        let base: Vec<u64> = costs.iter().map(|_| 1 << 10).collect();
        work.sweep(&flat, &base)?;
    }
    Ok(Selection { next: work.next, first: work.first, ranks: ranks.to_vec(), symmetry: graph.symmetry.clone() })
}

impl Work<'_> {
    fn sweep(&mut self, potential: &Potential, base: &[u64]) -> Result<(), (u32, u32)> {
        for destination in 0..self.graph.destinations.len() {
            self.solve(destination, potential, base);
            self.move_subtrees(destination, potential, base);
            self.route_sources(destination, potential, base)?;
        }
        Ok(())
    }

    fn price(&self, state: usize, by: u32, potential: &Potential, base: &[u64]) -> u64 {
        let class = self.graph.class[state / self.graph.vcs] as usize;
        let price = potential.rise(self.loads[class], by) + base[class] * u64::from(by);
        // A slight preference for the emptier VC: 4e-3 of the price per unit of share.
        price + (((price >> 8) * self.vc_share[state % self.graph.vcs]) >> 8)
    }

    fn count_vcs(&mut self) {
        let all = self.vc_hops.iter().sum::<u64>().max(1);
        self.vc_share = self.vc_hops.iter().map(|hops| (hops << 8) / all).collect();
    }

    /// Takes over the routes of the healthy pod that are still lit.
    fn keep(&mut self, healthy: &Selection) {
        let graph = self.graph;
        let width = graph.ports * graph.vcs;
        self.next.clone_from(&healthy.next);
        self.first.clone_from(&healthy.first);
        for destination in 0..graph.destinations.len() {
            for node in 0..graph.nodes {
                let (mut at, mut onward) = (node, self.first[destination][node]);
                while onward != NONE {
                    let state = at * width + usize::from(onward);
                    if graph.target[state / graph.vcs] == DARK {
                        self.first[destination][node] = NONE;
                        break;
                    }
                    at = graph.head(state);
                    onward = self.next[destination][state];
                }
                if self.first[destination][node] != NONE {
                    self.apply(destination, node * width + usize::from(self.first[destination][node]), 1, true);
                }
            }
        }
    }

    /// Successors at current prices of the states that no route uses.
    fn solve(&mut self, destination: usize, potential: &Potential, base: &[u64]) {
        let graph = self.graph;
        let (vcs, width) = (graph.vcs, graph.ports * graph.vcs);
        let goal = graph.destinations[destination] as usize;
        self.count_vcs();
        let used = self.weights(destination);
        let mut to_go = vec![FAR; graph.states()];
        let mut next = std::mem::take(&mut self.next[destination]);
        for &symbol in &self.falling {
            let (class, vc) = (symbol as usize / vcs, symbol as usize % vcs);
            let Some(&any) = self.slots_of[class].first() else { continue };
            let price = self.price(any as usize * vcs + vc, 1, potential, base);
            let rank = self.ranks[symbol as usize];
            for &slot in &self.slots_of[class] {
                let state = slot as usize * vcs + vc;
                let head = graph.target[slot as usize] as usize;
                if head == goal {
                    (to_go[state], next[state]) = (price, NONE);
                    continue;
                }
                if used[state] > 0 {
                    to_go[state] = price + to_go[head * width + usize::from(next[state])];
                    continue;
                }
                let (mut least, mut chosen) = (FAR, NONE);
                for onward in 0..width {
                    let after = head * width + onward;
                    if to_go[after] < least && self.ranks[graph.symbol_or_dark(after)] > rank {
                        (least, chosen) = (to_go[after], onward as u8);
                    }
                }
                (to_go[state], next[state]) = ((price + least).min(FAR), chosen);
            }
        }
        self.next[destination] = next;
    }

    /// `[state]`: how many sources' routes pass through the state.
    fn weights(&self, destination: usize) -> Vec<u32> {
        let graph = self.graph;
        let width = graph.ports * graph.vcs;
        let mut weights = vec![0u32; graph.states()];
        let (next, first) = (&self.next[destination], &self.first[destination]);
        for (node, &first) in first.iter().enumerate() {
            let (mut at, mut onward) = (node, first);
            while onward != NONE {
                let state = at * width + usize::from(onward);
                weights[state] += 1;
                at = graph.head(state);
                onward = next[state];
            }
        }
        weights
    }

    /// Adds `by` routes (or takes them away) along the tree from a state.
    fn apply(&mut self, destination: usize, state: usize, by: u32, add: bool) {
        let graph = self.graph;
        let width = graph.ports * graph.vcs;
        let mut state = state;
        loop {
            let load = &mut self.loads[graph.class[state / graph.vcs] as usize];
            let hops = &mut self.vc_hops[state % graph.vcs];
            if add {
                *load += by;
                *hops += u64::from(by);
            } else {
                *load -= by;
                *hops -= u64::from(by);
            }
            let onward = self.next[destination][state];
            if onward == NONE {
                return;
            }
            state = graph.head(state) * width + usize::from(onward);
        }
    }

    /// Price of `by` routes along the tree from a state; `FAR` if it ends short of the destination.
    fn walk(&self, destination: usize, state: usize, by: u32, limit: u64, potential: &Potential, base: &[u64]) -> u64 {
        let graph = self.graph;
        let width = graph.ports * graph.vcs;
        let (mut state, mut total) = (state, 0u64);
        loop {
            total += self.price(state, by, potential, base);
            if total >= limit {
                return FAR;
            }
            match self.next[destination][state] {
                NONE if graph.head(state) == graph.destinations[destination] as usize => return total,
                NONE => return FAR,
                onward => state = graph.head(state) * width + usize::from(onward),
            }
        }
    }

    /// Every source takes the cheapest first state.
    fn route_sources(&mut self, destination: usize, potential: &Potential, base: &[u64]) -> Result<(), (u32, u32)> {
        let graph = self.graph;
        let width = graph.ports * graph.vcs;
        let goal = graph.destinations[destination] as usize;
        for step in 0..graph.nodes {
            // A fixed stride spreads the sources over the cubes, so that neighbours do not choose one after the other.
            let node = (step * STRIDE) % graph.nodes;
            if node == goal {
                continue;
            }
            let old = self.first[destination][node];
            if old != NONE {
                self.apply(destination, node * width + usize::from(old), 1, false);
            }
            let (mut least, mut chosen) = (FAR, NONE);
            for onward in 0..width {
                let state = node * width + onward;
                if graph.target[state / graph.vcs] == DARK {
                    continue;
                }
                let price = self.walk(destination, state, 1, least, potential, base);
                if price < least {
                    (least, chosen) = (price, onward as u8);
                }
            }
            if chosen == NONE {
                return Err((node as u32, goal as u32));
            }
            self.first[destination][node] = chosen;
            self.apply(destination, node * width + usize::from(chosen), 1, true);
        }
        Ok(())
    }

    /// Every used state takes the cheapest successor for all routes through it.
    fn move_subtrees(&mut self, destination: usize, potential: &Potential, base: &[u64]) {
        let graph = self.graph;
        let (vcs, width) = (graph.vcs, graph.ports * graph.vcs);
        let goal = graph.destinations[destination] as usize;
        let mut weights = self.weights(destination);
        for at in 0..self.falling.len() {
            let symbol = self.falling[at] as usize;
            let (class, vc) = (symbol / vcs, symbol % vcs);
            for at in 0..self.slots_of[class].len() {
                let state = self.slots_of[class][at] as usize * vcs + vc;
                let (weight, head) = (weights[state], graph.head(state));
                if weight == 0 || head == goal {
                    continue;
                }
                let old = head * width + usize::from(self.next[destination][state]);
                self.apply(destination, old, weight, false);
                let (mut least, mut chosen) = (self.walk(destination, old, weight, FAR, potential, base), old);
                for onward in 0..width {
                    let after = head * width + onward;
                    if after == old || graph.target[after / vcs] == DARK || self.ranks[graph.symbol(after)] <= self.ranks[symbol] {
                        continue;
                    }
                    let price = self.walk(destination, after, weight, least, potential, base);
                    if price < least {
                        (least, chosen) = (price, after);
                    }
                }
                self.next[destination][state] = (chosen - head * width) as u8;
                self.apply(destination, chosen, weight, true);
                if chosen != old {
                    self.shift(&mut weights, destination, old, weight, false);
                    self.shift(&mut weights, destination, chosen, weight, true);
                }
            }
        }
    }

    fn shift(&self, weights: &mut [u32], destination: usize, state: usize, by: u32, add: bool) {
        let width = self.graph.ports * self.graph.vcs;
        let mut state = state;
        loop {
            if add {
                weights[state] += by;
            } else {
                weights[state] -= by;
            }
            match self.next[destination][state] {
                NONE => return,
                onward => state = self.graph.head(state) * width + usize::from(onward),
            }
        }
    }
}

/// A prime larger than any useful stride pattern; nodes are visited as multiples of it.
const STRIDE: usize = 1_000_003;

impl Selection {
    /// The order that the routes rise in.
    pub(super) fn ranks(&self) -> &[u32] {
        &self.ranks
    }
    /// The symmetry that the routes keep.
    pub(super) fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }
    /// The routes as paths.
    pub(super) fn routes(&self, topology: &Topology, graph: &Graph) -> Routes {
        let width = graph.ports * graph.vcs;
        let mut offsets = vec![0];
        let mut hops = Vec::new();
        for destination in 0..graph.destinations.len() {
            for node in 0..graph.nodes {
                let (mut at, mut onward) = (node, self.first[destination][node]);
                while onward != NONE {
                    let state = at * width + usize::from(onward);
                    let port = PortId::new(state / graph.vcs % graph.ports);
                    let channel: ChannelId = topology.outgoing(NodeId::new(at), port).expect("routes use lit ports");
                    hops.push(Hop { channel, vc: Vc::new(state % graph.vcs) });
                    at = graph.head(state);
                    onward = self.next[destination][state];
                }
                offsets.push(hops.len() as u32);
            }
        }
        Routes { vcs: graph.vcs as u8, symmetry: graph.symmetry.clone(), offsets, hops, ranks: self.ranks.clone() }
    }
}
