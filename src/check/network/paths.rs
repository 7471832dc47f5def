//! Recounts shortest paths and edge-disjoint paths between routers with hosts.
//!
//! Input: a topology. Output: the number of shortest paths of every ordered pair, searched from every source
//! without symmetry, and the edge connectivity. Edge connectivity is found by blocking flows (Dinic 1970)
//! between a router and the set of routers that are connected, starting with the last router with hosts.
//! The compiler augments from the first, path by path. Routers of the set are connected to each other by at
//! least as many paths as the least flow so far. So a smaller cut has all of them on one side.
//!
//! Few flows suffice in a simple graph whose routers all have hosts. A cut with fewer links than every
//! degree leaves on either side a router whose neighbors are all on that side. Hence flows between routers
//! whose neighborhoods cover the graph find it.

use fabc_base::ids::{Id, NodeId};
use fabc_ir::{PathCounts, PathsAt, Scene, Topology};
use fabc_kernel::{LitGraph, Nearest};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Counts shortest paths by distance. `None` if a number exceeds 64 bits.
pub(super) fn count_paths(topology: &Topology) -> Option<PathCounts> {
    let graph = LitGraph::new(&Scene::healthy(topology));
    let hosts: Vec<usize> =
        topology.nodes().filter(|&node| topology.hosts(node) > 0).map(Id::index).collect();
    let from_source =
        |memory: &mut (Nearest, Vec<u64>), &source: &usize| paths_from(&graph, &hosts, source, memory);
    let merge = |mut sums: BTreeMap<u32, PathsAt>, other: BTreeMap<u32, PathsAt>| {
        other.into_iter().for_each(|(distance, pairs)| add_pairs(&mut sums, distance, pairs));
        Some(sums)
    };
    let sums = hosts.par_iter().map_init(Default::default, from_source).try_reduce(BTreeMap::new, merge)?;
    let farthest = sums.keys().copied().max().unwrap_or(0);
    Some(PathCounts {
        by_distance: (1..=farthest)
            .map(|distance| sums.get(&distance).copied().unwrap_or(NO_PAIRS))
            .collect(),
    })
}

/// The counts of no pair.
const NO_PAIRS: PathsAt = PathsAt { pairs: 0, single: 0, paths: 0, fewest: u64::MAX, most: 0 };

/// Adds the counts of pairs at a distance.
fn add_pairs(sums: &mut BTreeMap<u32, PathsAt>, distance: u32, pairs: PathsAt) {
    let layer = sums.entry(distance).or_insert(NO_PAIRS);
    layer.pairs += pairs.pairs;
    layer.single += pairs.single;
    layer.paths += pairs.paths;
    (layer.fewest, layer.most) = (layer.fewest.min(pairs.fewest), layer.most.max(pairs.most));
}

/// Shortest paths from a source to every other router with hosts, by distance. `memory` is used again.
fn paths_from(
    graph: &LitGraph,
    hosts: &[usize],
    source: usize,
    memory: &mut (Nearest, Vec<u64>),
) -> Option<BTreeMap<u32, PathsAt>> {
    let (nearest, paths) = memory;
    graph.search_from(NodeId::new(source), nearest);
    let Nearest { hops, order } = nearest;
    // Routers stand by distance. All predecessors of a router stand before it.
    paths.clear();
    paths.resize(hops.len(), 0);
    paths[source] = 1;
    for &node in order.iter() {
        for &(_, to) in graph.channels_from(node as usize) {
            if hops[to as usize] == hops[node as usize] + 1 {
                paths[to as usize] = paths[to as usize].checked_add(paths[node as usize])?;
            }
        }
    }
    let mut sums = BTreeMap::new();
    for &to in hosts.iter().filter(|&&to| to != source) {
        let path_count = paths[to];
        let pair = PathsAt {
            pairs: 1,
            single: u64::from(path_count == 1),
            paths: path_count.into(),
            fewest: path_count,
            most: path_count,
        };
        add_pairs(&mut sums, hops[to], pair);
    }
    Some(sums)
}

/// The smallest number of channels from, or to, a router with hosts.
pub(super) fn min_degree(topology: &Topology) -> usize {
    let mut degrees = vec![[0usize; 2]; topology.node_count()];
    for link in topology.links().iter() {
        for (source, target) in
            [(link.a, link.b), (link.b, link.a)].into_iter().take(if link.simplex { 1 } else { 2 })
        {
            degrees[source.node.index()][0] += 1;
            degrees[target.node.index()][1] += 1;
        }
    }
    let with_hosts = topology.nodes().filter(|&node| topology.hosts(node) > 0);
    with_hosts.flat_map(|node| degrees[node.index()]).min().unwrap_or(0)
}

/// The smallest number of links whose loss disconnects two routers with hosts.
pub(super) fn edge_connectivity(topology: &Topology) -> u64 {
    let hosts: Vec<NodeId> = topology.nodes().filter(|&node| topology.hosts(node) > 0).collect();
    let hosts = dominating_routers(topology, hosts.len()).unwrap_or(hosts);
    let Some((&first, others)) = hosts.split_last() else { return 0 };
    // The smallest cut may be around a router that no flow starts from.
    let mut least = min_degree(topology) as u64;
    let mut networks = vec![ResidualNetwork::new(topology, Arcs::Along)];
    if topology.links().iter().any(|link| link.simplex) {
        networks.push(ResidualNetwork::new(topology, Arcs::Against));
    }
    for network in &mut networks {
        network.connected[first.index()] = true;
    }
    for &router in others.iter().rev() {
        for network in &mut networks {
            least = network.max_flow(router, least);
            network.connected[router.index()] = true;
        }
    }
    least
}

/// Chooses routers from the last one on, skipping neighbors of chosen ones. `None` unless the network is a
/// simple graph whose routers all have hosts.
fn dominating_routers(topology: &Topology, hosts: usize) -> Option<Vec<NodeId>> {
    let mut pairs: Vec<[NodeId; 2]> = Vec::with_capacity(topology.links().len());
    for link in topology.links().iter() {
        let (a, b) = (link.a.node, link.b.node);
        pairs.push([a.min(b), a.max(b)]);
        if link.simplex || a == b {
            return None;
        }
    }
    pairs.sort_unstable();
    if hosts < topology.node_count() || pairs.windows(2).any(|pair| pair[0] == pair[1]) {
        return None;
    }
    let mut neighbors = vec![Vec::new(); topology.node_count()];
    for [a, b] in pairs {
        neighbors[a.index()].push(b);
        neighbors[b.index()].push(a);
    }
    let mut free = vec![true; neighbors.len()];
    let mut dominating = Vec::new();
    for node in (0..neighbors.len()).rev() {
        if free[node] {
            neighbors[node].iter().for_each(|other| free[other.index()] = false);
            dominating.push(NodeId::new(node));
        }
    }
    Some(dominating)
}

/// The direction in which a residual network is searched from a router.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Arcs {
    /// For flow that leaves the router.
    Along,
    /// For flow that comes to the router.
    Against,
}

/// The residual network of channels of capacity one. Arc 2 c is channel c from end to end, arc 2 c + 1 its
/// flow taken back.
struct ResidualNetwork<'t> {
    topology: &'t Topology,
    direction: Arcs,
    /// `[router]`: whether it belongs to the set that all flows are between.
    connected: Vec<bool>,
    residual: Vec<bool>,
    /// `[router]`: the distance from the router that the flow belongs to, or `u32::MAX`.
    level: Vec<u32>,
    /// `[router]`: the next arc to try.
    next_arc: Vec<usize>,
}

impl<'t> ResidualNetwork<'t> {
    fn new(topology: &'t Topology, direction: Arcs) -> Self {
        Self {
            topology,
            direction,
            connected: vec![false; topology.node_count()],
            residual: (0..2 * topology.channel_count()).map(|arc| arc.is_multiple_of(2)).collect(),
            level: vec![u32::MAX; topology.node_count()],
            next_arc: vec![0; topology.node_count()],
        }
    }

    /// The arcs at a router, each with the router at its other end.
    fn arcs(&self, node: NodeId) -> impl Iterator<Item = (usize, NodeId)> + use<'t> {
        let topology = self.topology;
        let back = usize::from(self.direction == Arcs::Against);
        let along = topology
            .channels_from(node)
            .map(move |channel| (2 * channel.index() + back, topology.target(channel).node));
        let against = topology
            .channels_into(node)
            .map(move |channel| (2 * channel.index() + 1 - back, topology.source(channel).node));
        along.chain(against)
    }

    /// The maximum flow between a router and the connected ones, or `limit` if it is at least that.
    fn max_flow(&mut self, from: NodeId, limit: u64) -> u64 {
        let (mut flow, mut used) = (0, Vec::new());
        while flow < limit {
            let layers = self.build_layers(from);
            let meets_connected = layers.last().is_some_and(|&node| self.connected[node.index()]);
            while meets_connected && flow < limit && self.augment(from, &mut used) {
                flow += 1;
            }
            layers.iter().for_each(|node| self.next_arc[node.index()] = 0);
            layers.iter().for_each(|node| self.level[node.index()] = u32::MAX);
            if !meets_connected {
                break;
            }
        }
        used.into_iter().for_each(|arc: usize| self.residual[arc] = arc.is_multiple_of(2));
        flow
    }

    /// Computes distances over residual arcs up to the first layer with a connected router. Returns the
    /// routers that have a distance, a connected one last if there is one.
    fn build_layers(&mut self, from: NodeId) -> Vec<NodeId> {
        self.level[from.index()] = 0;
        let mut reached = vec![from];
        let mut layer = 0..1;
        while !layer.is_empty() {
            let layer_end = layer.end;
            for index in layer {
                let node = reached[index];
                for (arc, next) in self.arcs(node) {
                    if self.residual[arc] && self.level[next.index()] == u32::MAX {
                        self.level[next.index()] = self.level[node.index()] + 1;
                        reached.push(next);
                    }
                }
            }
            let meets = (layer_end..reached.len()).find(|&index| self.connected[reached[index].index()]);
            if let Some(meets) = meets {
                let last = reached.len() - 1;
                reached.swap(meets, last);
                return reached;
            }
            layer = layer_end..reached.len();
        }
        reached
    }

    /// Augments the flow along one more path through the layers, found depth first.
    fn augment(&mut self, from: NodeId, used: &mut Vec<usize>) -> bool {
        let mut path: Vec<(usize, NodeId)> = Vec::new();
        loop {
            let node_reached = path.last().map_or(from, |&(_, node)| node);
            if self.connected[node_reached.index()] {
                for (arc, _) in path {
                    (self.residual[arc], self.residual[arc ^ 1]) = (false, true);
                    used.extend([arc, arc ^ 1]);
                }
                return true;
            }
            let skip = self.next_arc[node_reached.index()];
            let layer = self.level[node_reached.index()];
            let next = self
                .arcs(node_reached)
                .skip(skip)
                .enumerate()
                .find(|&(_, (arc, node))| self.residual[arc] && self.level[node.index()] == layer + 1);
            match next {
                Some((steps, (arc, node))) => {
                    self.next_arc[node_reached.index()] = skip + steps;
                    path.push((arc, node));
                }
                None => {
                    self.level[node_reached.index()] = u32::MAX;
                    if path.pop().is_none() {
                        return false;
                    }
                }
            }
        }
    }
}
