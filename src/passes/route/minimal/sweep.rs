//! Sweeps: routers of a tree move one by one, with all routes through them, to the path that is cheapest up
//! to the destination.
//!
//! Input: trees with the loads of their routes. Output: the same trees with other next hops, and their
//! loads. Unlike a rebuilt tree, a moved router sees the load that its routes add all the way.

use super::TreeBalance;
use super::tree::{LoadPrice, NearerChannels, RouteTree};
use fabc_base::ids::{Id, NodeId};
use fabc_ir::NextHops;

/// The paths of a tree, as a moving router sees them.
struct TreePaths<'a> {
    nearer_channels: NearerChannels<'a>,
    by_port: &'a [u32],
    classes: &'a [u32],
    slowness: &'a [u64],
    price: LoadPrice,
    ports_per_router: usize,
    destination: usize,
}

impl TreePaths<'_> {
    /// The price of a channel at half of the load that moves to it.
    fn cost(&self, channel: usize, load: &[u64], moved: u64) -> f64 {
        self.slowness[channel] as f64
            * self.price.at_load(load[self.classes[channel] as usize] + moved * self.slowness[channel] / 2)
    }

    /// The channel by which the tree continues at a router. Where no route has passed so far, it is the
    /// cheapest one.
    fn next_channel(&self, node: usize, ports: &[u16], load: &[u64], moved: u64) -> usize {
        match ports[node] {
            NextHops::NONE => {
                let cheapest = self
                    .nearer_channels
                    .nearer(node)
                    .map(|channel| (self.cost(channel, load, moved), channel))
                    .min_by(|a, b| a.0.total_cmp(&b.0));
                cheapest.expect("a router that is reached has a nearer neighbor").1
            }
            port => self.by_port[node * self.ports_per_router + usize::from(port)] as usize,
        }
    }

    /// The cost of the path to the destination that starts with a channel.
    fn path_cost(&self, first: usize, ports: &[u16], load: &[u64], moved: u64) -> f64 {
        let (mut channel, mut sum) = (first, 0.0);
        loop {
            sum += self.cost(channel, load, moved);
            let head = self.nearer_channels.heads[channel] as usize;
            if head == self.destination {
                return sum;
            }
            channel = self.next_channel(head, ports, load, moved);
        }
    }
}

impl TreeBalance<'_> {
    /// Moves every router of a tree, with all routes through it, to the path to the destination that is
    /// cheapest at the current loads. Prices rise by a factor of e over `width` times the busiest load.
    pub(super) fn move_routers(&mut self, tree_index: usize, width: f64) {
        self.weigh(tree_index);
        let busiest = self.busiest() as f64;
        let price = LoadPrice { busiest, rise: 1.0 / (width * busiest).max(0.5) };
        let TreeBalance {
            topology,
            starts,
            heads,
            outputs,
            local,
            by_port,
            classes,
            slowness,
            trees,
            load,
            weight,
            ..
        } = self;
        let RouteTree { destination, ports, order, distance, by_local } = &mut trees[tree_index];
        let (ports_per_router, destination) = (topology.ports(), destination.index());
        let (heads, by_port, classes, slowness) = (&**heads, &**by_port, &**classes, &**slowness);
        let nearer_channels = NearerChannels { starts, heads, local, distance, by_local };
        let paths =
            TreePaths { nearer_channels, by_port, classes, slowness, price, ports_per_router, destination };
        for &node in order.iter().skip(1).rev() {
            let (node, moved) = (node as usize, weight[node as usize]);
            if ports[node] == NextHops::NONE || moved == 0 {
                continue;
            }
            let old = by_port[node * ports_per_router + usize::from(ports[node])] as usize;
            let mut channel = old;
            loop {
                load[classes[channel] as usize] -= moved * slowness[channel];
                let head = heads[channel] as usize;
                if head == destination {
                    break;
                }
                weight[head] -= moved;
                channel = paths.next_channel(head, ports, load, moved);
            }
            let mut best = (paths.path_cost(old, ports, load, moved), old);
            for candidate in nearer_channels.nearer(node).filter(|&candidate| candidate != old) {
                let sum = paths.path_cost(candidate, ports, load, moved);
                if sum < best.0 {
                    best = (sum, candidate);
                }
            }
            ports[node] = outputs[best.1];
            channel = best.1;
            loop {
                load[classes[channel] as usize] += moved * slowness[channel];
                let head = heads[channel] as usize;
                if head == destination {
                    break;
                }
                weight[head] += moved;
                channel = paths.next_channel(head, ports, load, moved);
                ports[head] = outputs[channel];
            }
        }
        self.remove_unused_hops(tree_index);
    }

    /// Removes the next hops that no route uses, because tables have no entries for them.
    pub(super) fn remove_unused_hops(&mut self, tree_index: usize) {
        let TreeBalance { topology, heads, by_port, trees, passes, .. } = self;
        let RouteTree { ports, order, .. } = &mut trees[tree_index];
        passes.fill(false);
        for &node in order.iter().skip(1).rev() {
            let node = node as usize;
            if topology.is_endpoint(NodeId::new(node)) || passes[node] {
                let channel = by_port[node * topology.ports() + usize::from(ports[node])] as usize;
                passes[heads[channel] as usize] = true;
            } else {
                ports[node] = NextHops::NONE;
            }
        }
    }
}
