//! The tree of routes to one destination, the channels that may extend it, and their prices.

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Breadth, LinkClass, Neighbors, NextHops, Scene};
use fixedbitset::FixedBitSet;

/// The first hop that routes may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum FirstHop {
    /// Any hop of a shortest path.
    Any,
    /// Routes of three or more hops begin with a local hop if one leads nearer.
    Local,
}

/// Fewest hops for which [`FirstHop::Local`] matters.
const LONG: u16 = 3;

/// The routes to one destination.
pub(super) struct RouteTree {
    pub(super) destination: NodeId,
    /// `[node]`: the output port, or [`NextHops::NONE`] where no route passes.
    pub(super) ports: Vec<u16>,
    /// Routers by rising distance, the destination first.
    pub(super) order: Vec<u32>,
    /// `[node]`: hops to the destination.
    pub(super) distance: Vec<u16>,
    /// The routers that must forward by a local link.
    pub(super) by_local: FixedBitSet,
}

impl RouteTree {
    /// The hops from the farthest router.
    pub(super) fn longest(&self) -> usize {
        self.order.last().map_or(0, |&node| usize::from(self.distance[node as usize]))
    }

    /// The tree of one destination, without routes.
    pub(super) fn new(
        scene: &Scene<'_>,
        into: &Neighbors,
        destination: NodeId,
        first_hop: FirstHop,
        search: &mut Breadth,
    ) -> Self {
        let topology = scene.topology;
        into.search(destination, search);
        // No router is farther than 16 bits count, except in rows of more routers than that.
        let distance: Vec<u16> =
            search.hops.iter().map(|&hops| u16::try_from(hops).unwrap_or(u16::MAX)).collect();
        let order = search.order.clone();
        let mut by_local = FixedBitSet::new();
        if first_hop == FirstHop::Local {
            by_local.grow(topology.node_count());
            for &node in order.iter().filter(|&&node| distance[node as usize] >= LONG) {
                let distance_here = distance[node as usize];
                let nearer = |channel: ChannelId| {
                    distance[topology.target(channel).node.index()].checked_add(1) == Some(distance_here)
                };
                let local = |channel: ChannelId| topology.link(channel).class == LinkClass::Local;
                by_local.set(
                    node as usize,
                    scene.channels_from(NodeId(node)).any(|channel| local(channel) && nearer(channel)),
                );
            }
        }
        Self { destination, ports: vec![NextHops::NONE; into.len()], order, distance, by_local }
    }
}

/// The lit channels and the distances to the destination of a tree.
#[derive(Clone, Copy)]
pub(super) struct NearerChannels<'a> {
    pub(super) starts: &'a [u32],
    pub(super) heads: &'a [u32],
    pub(super) local: &'a [bool],
    pub(super) distance: &'a [u16],
    pub(super) by_local: &'a FixedBitSet,
}

impl<'a> NearerChannels<'a> {
    /// The permitted channels from a router to one that is a hop nearer to the destination.
    pub(super) fn nearer(self, node: usize) -> impl Iterator<Item = usize> + 'a {
        let NearerChannels { starts, heads, local, distance, by_local } = self;
        let (channels, distance_here) = (starts[node] as usize..starts[node + 1] as usize, distance[node]);
        let any_channel = !by_local.contains(node);
        channels.filter(move |&channel| {
            distance[heads[channel] as usize].checked_add(1) == Some(distance_here)
                && (any_channel || local[channel])
        })
    }
}

/// The price of a part of load, by the load of a channel.
#[derive(Clone, Copy)]
pub(super) struct LoadPrice {
    /// The load of the busiest channel, whose price is 1.
    pub(super) busiest: f64,
    /// The growth of the price exponent per part of load.
    pub(super) rise: f64,
}

impl LoadPrice {
    /// The price of a part of load on a channel with this load.
    pub(super) fn at_load(self, load: u64) -> f64 {
        libm::exp(((load as f64 - self.busiest) * self.rise).min(300.0))
    }
}
