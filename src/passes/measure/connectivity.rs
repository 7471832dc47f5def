//! Edge connectivity: the fewest links whose loss disconnects two routers with hosts.
//!
//! Input: a connected topology. Output: that number. By Menger's theorem it is the least maximum flow
//! between two of these routers where every channel carries one unit. With simplex links, flows are taken
//! in both directions. Augmenting paths come from breadth-first search (Ford & Fulkerson 1956), at most as
//! many as the least degree.
//!
//! Routers are joined one by one: a flow runs between a new router and all that were joined before, taken
//! as one. A cut of fewer links than every flow so far separates none of the joined ones from each other,
//! so it separates the new one from all of them or from none. A search thus ends at the first joined router
//! that it meets, which is near in a large network.
//!
//! If every router has hosts and no two links join the same two routers, flows between routers of a
//! dominating set are enough. On both sides of a cut of fewer links than the least degree some router has
//! no link across, and so has one of the set (Matula 1987).

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::Topology;
use fixedbitset::FixedBitSet;

/// The fewest channels out of, or into, a router with hosts. Losing them separates that router from the
/// others.
pub fn least_degree(topology: &Topology) -> usize {
    let degree =
        |node: NodeId| topology.channels_from(node).count().min(topology.channels_into(node).count());
    topology.endpoints().map(degree).min().unwrap_or(0)
}

/// The edge connectivity, at most `max_flow`. There must be two routers with hosts.
pub(super) fn edge_connectivity(topology: &Topology, max_flow: usize) -> u64 {
    let endpoints = dominating_set(topology).unwrap_or_else(|| topology.endpoints().collect());
    let directions: &[Direction] =
        if topology.has_simplex() { &[Direction::Out, Direction::In] } else { &[Direction::Out] };
    let mut flows = JoinedFlows::new(topology);
    let mut fewest = max_flow;
    flows.joined.insert(endpoints[0].index());
    for &endpoint in &endpoints[1..] {
        for &direction in directions {
            fewest = flows.maximum_flow(endpoint, direction, fewest);
        }
        flows.joined.insert(endpoint.index());
    }
    fewest as u64
}

/// Routers such that every other one is next to one of them. `None` unless all routers have hosts, links
/// are duplex and no two join the same two routers.
fn dominating_set(topology: &Topology) -> Option<Vec<NodeId>> {
    if topology.has_simplex() || topology.endpoints().count() < topology.node_count() {
        return None;
    }
    let mut next_to: Vec<Option<NodeId>> = vec![None; topology.node_count()];
    let mut covered = vec![false; topology.node_count()];
    let mut chosen = Vec::new();
    for node in topology.nodes() {
        for to in topology.channels_from(node).map(|channel| topology.target(channel).node) {
            if next_to[to.index()].replace(node) == Some(node) {
                return None;
            }
        }
        if !covered[node.index()] {
            covered[node.index()] = true;
            topology
                .channels_from(node)
                .for_each(|channel| covered[topology.target(channel).node.index()] = true);
            chosen.push(node);
        }
    }
    Some(chosen)
}

/// Whether a flow leaves the new router or comes to it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Direction {
    Out,
    In,
}

/// Flows between one router and all routers that are joined.
struct JoinedFlows<'t> {
    topology: &'t Topology,
    joined: FixedBitSet,
    /// The channels that carry a unit.
    used: FixedBitSet,
    /// `[router]`: the channel by which the search reached it, in either direction.
    reached_by: Vec<Option<ChannelId>>,
}

impl<'t> JoinedFlows<'t> {
    fn new(topology: &'t Topology) -> Self {
        Self {
            topology,
            joined: FixedBitSet::with_capacity(topology.node_count()),
            used: FixedBitSet::with_capacity(topology.channel_count()),
            reached_by: vec![None; topology.node_count()],
        }
    }

    /// The maximum flow between a router and the joined ones, or `max_flow` if it is at least that.
    fn maximum_flow(&mut self, router: NodeId, direction: Direction, max_flow: usize) -> usize {
        let mut touched = Vec::new();
        let flow = (0..max_flow).find(|_| !self.augment(router, direction, &mut touched));
        touched.into_iter().for_each(|channel: ChannelId| self.used.set(channel.index(), false));
        flow.unwrap_or(max_flow)
    }

    /// Adds a unit of flow, or returns `false` if no path is left for it. Channels that take a unit join
    /// `touched`.
    fn augment(&mut self, router: NodeId, direction: Direction, touched: &mut Vec<ChannelId>) -> bool {
        let mut queue = vec![router];
        let end = self.search(&mut queue, direction);
        let mut node = end.unwrap_or(router);
        while node != router {
            let Some(channel) = self.reached_by[node.index()] else { break };
            // A path against the direction of flow takes a unit back.
            self.used.toggle(channel.index());
            touched.push(channel);
            let (source, target) = (self.topology.source(channel).node, self.topology.target(channel).node);
            node = if node == target { source } else { target };
        }
        queue.into_iter().for_each(|reached| self.reached_by[reached.index()] = None);
        end.is_some()
    }

    /// Searches from the only router of the queue for the first joined one. The queue keeps the routers that
    /// were reached.
    fn search(&mut self, queue: &mut Vec<NodeId>, direction: Direction) -> Option<NodeId> {
        let router = queue[0];
        let mut next = 0;
        while let Some(&node) = queue.get(next) {
            next += 1;
            let along = self
                .topology
                .channels_from(node)
                .filter(|channel| self.used[channel.index()] == (direction == Direction::In))
                .map(|channel| (channel, self.topology.target(channel).node));
            let against = self
                .topology
                .channels_into(node)
                .filter(|channel| self.used[channel.index()] == (direction == Direction::Out))
                .map(|channel| (channel, self.topology.source(channel).node));
            for (channel, reached) in along.chain(against) {
                if reached != router && self.reached_by[reached.index()].is_none() {
                    self.reached_by[reached.index()] = Some(channel);
                    queue.push(reached);
                    if self.joined.contains(reached.index()) {
                        return Some(reached);
                    }
                }
            }
        }
        None
    }
}
