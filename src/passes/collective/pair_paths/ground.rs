//! The lit channels of a scene as flat lists, and the cheapest paths over them.

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{ChipGroups, Scene};
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Marks a router that no channel leads to.
const NONE: u32 = u32::MAX;

/// The lit channels of a scene, and its chips.
pub(super) struct PathGround<'a> {
    pub(super) scene: &'a Scene<'a>,
    pub(super) chips: Vec<NodeId>,
    /// Groups of chips that exchange data only among themselves. `None`: all do with all.
    pub(super) groups: Option<ChipGroups>,
    /// `[router]`: channel and target of each lit channel out of it.
    outgoing: Vec<Vec<(ChannelId, NodeId)>>,
    /// `[channel]`: its lanes, 1 for a dark one.
    pub(super) lanes: Vec<u64>,
}

/// The cheapest paths from one router.
#[derive(Clone)]
pub(super) struct CheapestPaths {
    /// `[router]`: the last channel of the cheapest path to it.
    last: Vec<u32>,
    costs: Vec<f64>,
    /// Routers that were reached but not left. Bits of floats that are not negative order them.
    open: BinaryHeap<Reverse<(u64, NodeId)>>,
}

impl<'a> PathGround<'a> {
    pub(super) fn new(scene: &'a Scene<'a>, groups: Option<&ChipGroups>) -> Self {
        let topology = scene.topology;
        let mut outgoing = vec![Vec::new(); topology.node_count()];
        let mut lanes = vec![1; topology.channel_count()];
        for channel in scene.channels() {
            outgoing[topology.source(channel).node.index()].push((channel, topology.target(channel).node));
            lanes[channel.index()] = topology.channel_capacity(channel).max(1);
        }
        Self { scene, chips: scene.endpoints().collect(), groups: groups.cloned(), outgoing, lanes }
    }

    /// Whether two chips, by their places in the list of chips, have data for each other.
    pub(super) fn exchange(&self, from: usize, to: usize) -> bool {
        let group = |groups: &ChipGroups, place: usize| groups.group_of(self.chips[place]);
        // A chip in no group exchanges nothing.
        let are_together =
            |groups: &ChipGroups| group(groups, from).is_some() && group(groups, from) == group(groups, to);
        from != to && self.groups.as_ref().is_none_or(are_together)
    }

    /// Splits the channels of a path into legs, which end at chips.
    pub(super) fn legs(&self, channels: &[ChannelId]) -> Vec<Vec<ChannelId>> {
        let (mut legs, mut leg) = (Vec::new(), Vec::new());
        for &channel in channels {
            leg.push(channel);
            if self.scene.is_endpoint(self.scene.topology.target(channel).node) {
                legs.push(std::mem::take(&mut leg));
            }
        }
        legs
    }
}

impl CheapestPaths {
    pub(super) fn new(ground: &PathGround<'_>) -> Self {
        let nodes = ground.outgoing.len();
        Self { last: vec![NONE; nodes], costs: vec![f64::INFINITY; nodes], open: BinaryHeap::new() }
    }

    /// Searches all cheapest paths from a router. `costs` are those of the channels, and positive.
    pub(super) fn search(&mut self, ground: &PathGround<'_>, costs: &[f64], source: NodeId) {
        self.last.fill(NONE);
        self.costs.fill(f64::INFINITY);
        self.costs[source.index()] = 0.0;
        self.open.push(Reverse((0, source)));
        while let Some(Reverse((bits, node))) = self.open.pop() {
            let cost = f64::from_bits(bits);
            if cost > self.costs[node.index()] {
                continue;
            }
            for &(channel, target) in &ground.outgoing[node.index()] {
                let longer = cost + costs[channel.index()];
                if longer < self.costs[target.index()] {
                    self.costs[target.index()] = longer;
                    self.last[target.index()] = channel.0;
                    self.open.push(Reverse((longer.to_bits(), target)));
                }
            }
        }
    }

    /// The cheapest path to a router that the search has reached.
    pub(super) fn path_to(&self, ground: &PathGround<'_>, destination: NodeId) -> Vec<ChannelId> {
        let mut path = Vec::new();
        let mut node = destination;
        while self.last[node.index()] != NONE {
            let channel = ChannelId(self.last[node.index()]);
            path.push(channel);
            node = ground.scene.topology.source(channel).node;
        }
        path.reverse();
        path
    }
}
