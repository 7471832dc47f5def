//! Rounds of large networks: some trees at a time, in parallel, all at the same prices.
//!
//! A tree moves a small part of all loads, so that trees of one batch need not see each other; which trees
//! make a batch is fixed, so that the routes are the same on any number of threads. Only without a symmetry:
//! then a tree uses no channel twice, and need not see what it loads itself either.

use super::{Price, Search, Tree, Ways};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::NextHops;
use rayon::prelude::*;

/// Trees that are laid at the same prices.
const BATCH: usize = 32;
/// Trees by channels from which on they are laid in batches.
const LARGE: usize = 1 << 28;

/// What one thread needs to lay a tree.
#[derive(Default)]
struct Scratch {
    cost: Vec<f64>,
    weight: Vec<u64>,
    passes: Vec<bool>,
    /// The channels that lead nearer, by the place of their router in the order of the tree.
    channels: Vec<u32>,
    starts: Vec<u32>,
}

/// A tree that was laid: its output ports, and what it puts on channels.
struct Laid {
    ports: Vec<u16>,
    loads: Vec<(u32, u64)>,
}

impl Search<'_> {
    /// Whether rounds are made in batches.
    pub(super) fn is_large(&self) -> bool {
        self.topology.symmetry().is_trivial() && self.trees.len() * self.heads.len() >= LARGE
    }

    /// As [`Search::round`], batch by batch.
    pub(super) fn batches(&mut self, width: f64) {
        for start in (0..self.trees.len()).step_by(BATCH) {
            let batch = start..(start + BATCH).min(self.trees.len());
            batch.clone().for_each(|at| self.account(at, false));
            let mean = self.load.iter().sum::<u64>() as f64 / self.lit.max(1) as f64;
            let price = Price { most: self.busiest() as f64, rise: 1.0 / (width * mean).max(0.5) };
            let search = &*self;
            // Most trees put a single route on a channel, which does not raise its price.
            let prices: Vec<f64> =
                (0..self.heads.len()).into_par_iter().map(|channel| search.dear(channel, 0, price)).collect();
            let lay = |scratch: &mut Scratch, tree: &Tree| search.laid(tree, price, &prices, scratch);
            let laid: Vec<Laid> =
                self.trees[batch.clone()].par_iter().map_init(Scratch::default, lay).collect();
            for (at, Laid { ports, loads }) in batch.zip(laid) {
                self.trees[at].ports = ports;
                loads
                    .iter()
                    .for_each(|&(channel, more)| self.load[self.classes[channel as usize] as usize] += more);
            }
        }
    }

    /// What a channel costs with so much more load.
    fn dear(&self, channel: usize, more: u64, price: Price) -> f64 {
        self.slowness[channel] as f64 * price.of(self.load[self.classes[channel] as usize] + more)
    }

    /// The next hops of a tree at loads that are the others' alone.
    fn laid(&self, tree: &Tree, price: Price, prices: &[f64], scratch: &mut Scratch) -> Laid {
        let Search { topology, demand, starts, heads, local, outputs, slowness, .. } = self;
        let ways = Ways { starts, heads, local, distance: &tree.distance, by_local: &tree.by_local };
        let nodes = topology.node_count();
        let Scratch { cost, weight, passes, channels, starts: firsts } = scratch;
        cost.resize(nodes, 0.0);
        weight.clear();
        weight.resize(nodes, 0);
        passes.clear();
        passes.resize(nodes, false);
        channels.clear();
        firsts.clear();
        cost[tree.destination.index()] = 0.0;
        for &node in &tree.order[1..] {
            firsts.push(channels.len() as u32);
            let mut least = f64::INFINITY;
            for channel in ways.nearer(node as usize) {
                channels.push(channel as u32);
                least = least.min(prices[channel] + cost[heads[channel] as usize]);
            }
            cost[node as usize] = least;
        }
        firsts.push(channels.len() as u32);
        let mut laid = Laid { ports: vec![NextHops::NONE; nodes], loads: Vec::with_capacity(nodes) };
        for (place, &node) in tree.order[1..].iter().enumerate().rev() {
            let (from, node) = (NodeId(node), node as usize);
            if topology.is_endpoint(from) {
                weight[node] += u64::from(demand.weight(from, tree.destination));
            } else if !passes[node] {
                continue;
            }
            // Equal ones in turn, so that destinations spread from the start.
            let degree = (starts[node + 1] - starts[node]) as usize;
            let onward = &channels[firsts[place] as usize..firsts[place + 1] as usize];
            let chosen = onward.iter().map(|&channel| {
                let channel = channel as usize;
                let more = weight[node] * slowness[channel] / 2;
                let dear = if more == 0 { prices[channel] } else { self.dear(channel, more, price) };
                (dear + cost[heads[channel] as usize], (channel + tree.destination.index()) % degree, channel)
            });
            let chosen = chosen.min_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
            let (.., channel) = chosen.expect("a router that is reached has a nearer neighbor");
            let head = heads[channel] as usize;
            laid.ports[node] = outputs[channel];
            laid.loads.push((channel as u32, weight[node] * slowness[channel]));
            weight[head] += weight[node];
            passes[head] = true;
        }
        laid
    }
}
