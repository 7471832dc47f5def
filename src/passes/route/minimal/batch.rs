//! Rounds of large networks: trees in batches, in parallel, all at the same prices.
//!
//! A tree moves a small part of all loads, so trees of one batch need not see each other. The batches are
//! fixed, so the routes are the same on any number of threads. This works without a symmetry only. Then a
//! tree uses no channel twice, and need not see its own load either.

use super::TreeBalance;
use super::tree::{LoadPrice, NearerChannels, RouteTree};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::NextHops;
use rayon::prelude::*;

/// Number of trees that are built at the same prices.
const BATCH: usize = 32;
/// Trees times channels from which on they are built in batches.
const LARGE: usize = 1 << 28;

/// The scratch space of one thread that builds trees.
#[derive(Default)]
struct Scratch {
    cost: Vec<f64>,
    weight: Vec<u64>,
    passes: Vec<bool>,
    /// The channels that lead nearer, by the place of their router in the order of the tree.
    channels: Vec<u32>,
    starts: Vec<u32>,
}

/// A tree that was built: its output ports, and the load that it adds to channels.
struct BuiltTree {
    ports: Vec<u16>,
    loads: Vec<(u32, u64)>,
}

impl TreeBalance<'_> {
    /// Whether rounds work in batches.
    pub(super) fn is_large(&self) -> bool {
        self.topology.symmetry().is_trivial() && self.trees.len() * self.heads.len() >= LARGE
    }

    /// As [`TreeBalance::round`], batch by batch.
    pub(super) fn round_in_batches(&mut self, width: f64) {
        for start in (0..self.trees.len()).step_by(BATCH) {
            let batch = start..(start + BATCH).min(self.trees.len());
            batch.clone().for_each(|tree_index| self.account(tree_index, false));
            let mean = self.load.iter().sum::<u64>() as f64 / self.lit.max(1) as f64;
            let price = LoadPrice { busiest: self.busiest() as f64, rise: 1.0 / (width * mean).max(0.5) };
            let balance = &*self;
            // Most trees add a single route to a channel, which does not raise its price.
            let prices: Vec<f64> = (0..self.heads.len())
                .into_par_iter()
                .map(|channel| balance.channel_price(channel, 0, price))
                .collect();
            let build =
                |scratch: &mut Scratch, tree: &RouteTree| balance.build_tree(tree, price, &prices, scratch);
            let trees: Vec<BuiltTree> =
                self.trees[batch.clone()].par_iter().map_init(Scratch::default, build).collect();
            for (tree_index, BuiltTree { ports, loads }) in batch.zip(trees) {
                self.trees[tree_index].ports = ports;
                loads
                    .iter()
                    .for_each(|&(channel, more)| self.load[self.classes[channel as usize] as usize] += more);
            }
        }
    }

    /// The price of a channel with so much more load.
    fn channel_price(&self, channel: usize, added: u64, price: LoadPrice) -> f64 {
        self.slowness[channel] as f64 * price.at_load(self.load[self.classes[channel] as usize] + added)
    }

    /// Chooses the next hops of a tree at loads of the other trees only.
    fn build_tree(
        &self,
        tree: &RouteTree,
        price: LoadPrice,
        prices: &[f64],
        scratch: &mut Scratch,
    ) -> BuiltTree {
        let TreeBalance { topology, demand, starts, heads, local, outputs, slowness, .. } = self;
        let nearer_channels =
            NearerChannels { starts, heads, local, distance: &tree.distance, by_local: &tree.by_local };
        let nodes = topology.node_count();
        let Scratch { cost, weight, passes, channels, starts: first_channels } = scratch;
        cost.resize(nodes, 0.0);
        weight.clear();
        weight.resize(nodes, 0);
        passes.clear();
        passes.resize(nodes, false);
        channels.clear();
        first_channels.clear();
        cost[tree.destination.index()] = 0.0;
        for &node in &tree.order[1..] {
            first_channels.push(channels.len() as u32);
            let mut cheapest = f64::INFINITY;
            for channel in nearer_channels.nearer(node as usize) {
                channels.push(channel as u32);
                cheapest = cheapest.min(prices[channel] + cost[heads[channel] as usize]);
            }
            cost[node as usize] = cheapest;
        }
        first_channels.push(channels.len() as u32);
        let mut built = BuiltTree { ports: vec![NextHops::NONE; nodes], loads: Vec::with_capacity(nodes) };
        for (place, &node) in tree.order[1..].iter().enumerate().rev() {
            let (from, node) = (NodeId(node), node as usize);
            if topology.is_endpoint(from) {
                weight[node] += u64::from(demand.weight(from, tree.destination));
            } else if !passes[node] {
                continue;
            }
            // Equally cheap channels take turns, so that destinations spread from the start.
            let degree = (starts[node + 1] - starts[node]) as usize;
            let onward = &channels[first_channels[place] as usize..first_channels[place + 1] as usize];
            let chosen = onward.iter().map(|&channel| {
                let channel = channel as usize;
                let added = weight[node] * slowness[channel] / 2;
                let price =
                    if added == 0 { prices[channel] } else { self.channel_price(channel, added, price) };
                (
                    price + cost[heads[channel] as usize],
                    (channel + tree.destination.index()) % degree,
                    channel,
                )
            });
            let chosen = chosen.min_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
            let (.., channel) = chosen.expect("a router that is reached has a nearer neighbor");
            let head = heads[channel] as usize;
            built.ports[node] = outputs[channel];
            built.loads.push((channel as u32, weight[node] * slowness[channel]));
            weight[head] += weight[node];
            passes[head] = true;
        }
        built
    }
}
