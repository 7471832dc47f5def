//! Shortest paths and disjoint ways between routers with hosts, counted again.
//!
//! In: a topology. Out: how many shortest paths every ordered pair has, from every source, without any
//! symmetry; and the edge connectivity, by blocking flows (Dinic 1970) from the last router with hosts, where
//! the compiler augments from the first. In a simple graph whose routers all have hosts, a cut of fewer links
//! than any router has leaves on either side a router all of whose neighbors are on that side: flows between
//! routers whose neighborhoods cover everything find it.

use fabc_base::ids::{Id, NodeId};
use fabc_ir::{PathCounts, PathsAt, Scene, Topology};
use fabc_kernel::LitGraph;
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Counts shortest paths, link by link; `None` where a number is beyond 64 bits.
pub(super) fn paths(topology: &Topology) -> Option<PathCounts> {
    let graph = LitGraph::new(&Scene::whole(topology));
    let hosts: Vec<usize> =
        topology.nodes().filter(|&node| topology.hosts(node) > 0).map(Id::index).collect();
    let alone = |&source: &usize| from(&graph, &hosts, source);
    let joined = |mut one: BTreeMap<u32, PathsAt>, other: BTreeMap<u32, PathsAt>| {
        other.into_iter().for_each(|(distance, of)| add(&mut one, distance, of));
        Some(one)
    };
    let sums = hosts.par_iter().map(alone).try_reduce(BTreeMap::new, joined)?;
    let farthest = sums.keys().copied().max().unwrap_or(0);
    Some(PathCounts {
        at: (1..=farthest).map(|distance| sums.get(&distance).copied().unwrap_or(NONE)).collect(),
    })
}

/// No pair.
const NONE: PathsAt = PathsAt { pairs: 0, single: 0, paths: 0, fewest: u64::MAX, most: 0 };

/// Adds pairs at a distance.
fn add(sums: &mut BTreeMap<u32, PathsAt>, distance: u32, of: PathsAt) {
    let at = sums.entry(distance).or_insert(NONE);
    at.pairs += of.pairs;
    at.single += of.single;
    at.paths += of.paths;
    (at.fewest, at.most) = (at.fewest.min(of.fewest), at.most.max(of.most));
}

/// Shortest paths from a source to every other router with hosts, by distance.
fn from(graph: &LitGraph, hosts: &[usize], source: usize) -> Option<BTreeMap<u32, PathsAt>> {
    let mut order = Vec::new();
    let hops = graph.hops_from(NodeId::new(source), &mut order);
    // The queue of the search holds the routers by distance: all that lead to one stand before it.
    let mut paths = vec![0u64; hops.len()];
    paths[source] = 1;
    for &node in &order {
        for &(_, to) in graph.from(node as usize) {
            if hops[to as usize] == hops[node as usize] + 1 {
                paths[to as usize] = paths[to as usize].checked_add(paths[node as usize])?;
            }
        }
    }
    let mut sums = BTreeMap::new();
    for &to in hosts.iter().filter(|&&to| to != source) {
        let of = paths[to];
        let pair = PathsAt { pairs: 1, single: u64::from(of == 1), paths: of.into(), fewest: of, most: of };
        add(&mut sums, hops[to], pair);
    }
    Some(sums)
}

/// The fewest channels that lead away from, or to, some router with hosts.
pub(super) fn narrowest(topology: &Topology) -> usize {
    let mut ways = vec![[0usize; 2]; topology.node_count()];
    for link in topology.links().iter() {
        for (out, into) in
            [(link.a, link.b), (link.b, link.a)].into_iter().take(if link.simplex { 1 } else { 2 })
        {
            ways[out.node.index()][0] += 1;
            ways[into.node.index()][1] += 1;
        }
    }
    let with_hosts = topology.nodes().filter(|&node| topology.hosts(node) > 0);
    with_hosts.flat_map(|node| ways[node.index()]).min().unwrap_or(0)
}

/// The fewest links without which some router with hosts does not reach another one.
pub(super) fn edge_connectivity(topology: &Topology) -> u64 {
    let hosts: Vec<NodeId> = topology.nodes().filter(|&node| topology.hosts(node) > 0).collect();
    let hosts = covering(topology, hosts.len()).unwrap_or(hosts);
    let Some((&fixed, others)) = hosts.split_last() else { return 0 };
    let one_way = topology.links().iter().any(|link| link.simplex);
    let least = |&other: &NodeId| {
        let there = Ways::new(topology).between(fixed, other);
        if one_way { there.min(Ways::new(topology).between(other, fixed)) } else { there }
    };
    // Those with the fewest links need not be among the routers that are looked at.
    others.par_iter().map(least).min().unwrap_or(u64::MAX).min(narrowest(topology) as u64)
}

/// From the last router on, all that are not next to one taken before; `None` of what is no simple graph of
/// routers with hosts.
fn covering(topology: &Topology, hosts: usize) -> Option<Vec<NodeId>> {
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
    let mut near = vec![Vec::new(); topology.node_count()];
    for [a, b] in pairs {
        near[a.index()].push(b);
        near[b.index()].push(a);
    }
    let mut free = vec![true; near.len()];
    let mut taken = Vec::new();
    for node in (0..near.len()).rev() {
        if free[node] {
            near[node].iter().for_each(|other| free[other.index()] = false);
            taken.push(NodeId::new(node));
        }
    }
    Some(taken)
}

/// What is left of channels of capacity one, as arcs: 2 c along channel c, 2 c + 1 against it.
struct Ways<'t> {
    topology: &'t Topology,
    left: Vec<bool>,
    level: Vec<u32>,
    /// The next arc of every router that is tried.
    tried: Vec<usize>,
}

impl<'t> Ways<'t> {
    fn new(topology: &'t Topology) -> Self {
        let left = (0..2 * topology.channel_count()).map(|arc| arc.is_multiple_of(2)).collect();
        Self { topology, left, level: Vec::new(), tried: Vec::new() }
    }

    /// The arcs that start at a router.
    fn arcs(&self, node: NodeId) -> impl Iterator<Item = (usize, NodeId)> {
        let along = self
            .topology
            .channels_from(node)
            .map(|channel| (2 * channel.index(), self.topology.target(channel).node));
        let against = self
            .topology
            .channels_into(node)
            .map(|channel| (2 * channel.index() + 1, self.topology.source(channel).node));
        along.chain(against)
    }

    /// The maximum flow.
    fn between(mut self, from: NodeId, to: NodeId) -> u64 {
        let mut flow = 0;
        while self.layers(from, to) {
            self.tried = vec![0; self.topology.node_count()];
            while self.advance(from, to) {
                flow += 1;
            }
        }
        flow
    }

    /// Distances from the source over arcs that are left; whether they reach the target.
    fn layers(&mut self, from: NodeId, to: NodeId) -> bool {
        let mut level = vec![u32::MAX; self.topology.node_count()];
        level[from.index()] = 0;
        let mut layer = vec![from];
        while !layer.is_empty() && level[to.index()] == u32::MAX {
            let mut next = Vec::new();
            for &node in &layer {
                for (arc, reached) in self.arcs(node) {
                    if self.left[arc] && level[reached.index()] == u32::MAX {
                        level[reached.index()] = level[node.index()] + 1;
                        next.push(reached);
                    }
                }
            }
            layer = next;
        }
        self.level = level;
        self.level[to.index()] != u32::MAX
    }

    /// One more way through the layers, found depth first.
    fn advance(&mut self, from: NodeId, to: NodeId) -> bool {
        let mut way: Vec<(usize, NodeId)> = Vec::new();
        loop {
            let at = way.last().map_or(from, |&(_, node)| node);
            if at == to {
                way.iter().for_each(|&(arc, _)| (self.left[arc], self.left[arc ^ 1]) = (false, true));
                return true;
            }
            let skip = self.tried[at.index()];
            let next = self.arcs(at).skip(skip).enumerate().find(|&(_, (arc, node))| {
                self.left[arc] && self.level[node.index()] == self.level[at.index()] + 1
            });
            match next {
                Some((steps, (arc, node))) => {
                    self.tried[at.index()] = skip + steps;
                    way.push((arc, node));
                }
                None => {
                    self.tried[at.index()] = usize::MAX;
                    self.level[at.index()] = u32::MAX;
                    if way.pop().is_none() {
                        return false;
                    }
                }
            }
        }
    }
}
