//! The graph to cut: vertices that represent routers, edges that represent links.

use fabc_base::ids::Id;
use fabc_ir::Topology;
use std::cmp::Ordering;

/// The capacity of the widest link, where capacities are rounded. The search needs no exact ones.
const CAPACITY_STEPS: u64 = 256;

/// A weighted graph. The weight of a vertex is the number of its routers, or of its routers with hosts. That
/// of an edge is the number of links, or their capacity.
pub(super) struct CutGraph {
    /// The edges of vertex v are `edges[starts[v]..starts[v + 1]]`.
    starts: Vec<u32>,
    /// Each edge as (neighbor, links), ascending by neighbor.
    edges: Vec<(u32, u32)>,
    /// `[vertex]`: the number of its routers.
    pub(super) weights: Vec<u32>,
}

impl CutGraph {
    /// The graph of the routers of a topology. Parallel links are one edge.
    pub(super) fn from_topology(topology: &Topology) -> Self {
        let rows = topology.nodes().map(|node| {
            let edges =
                topology.channels_from(node).map(|channel| (topology.target(channel).node.index() as u32, 1));
            edges.collect()
        });
        Self::new(rows, vec![1; topology.node_count()])
    }

    /// The graph whose halves are those of the routers with hosts. Edges have the capacity of their links, in
    /// steps of the widest one so that the sums are small.
    pub(super) fn between_hosts(topology: &Topology) -> Self {
        let widest = topology.links().ids().map(|link| topology.capacity(link)).max().unwrap_or(1);
        let in_steps = |capacity: u64| {
            if widest <= CAPACITY_STEPS { capacity } else { (capacity * CAPACITY_STEPS).div_ceil(widest) }
        };
        let rows = topology.nodes().map(|node| {
            let edge = |channel| {
                let capacity = in_steps(topology.channel_capacity(channel));
                (topology.target(channel).node.index() as u32, capacity as u32)
            };
            topology.channels_from(node).map(edge).collect()
        });
        Self::new(rows, topology.nodes().map(|node| u32::from(topology.is_endpoint(node))).collect())
    }

    /// A graph from the edges of every vertex, in any order and possibly several to one neighbor. Edges
    /// from a vertex to itself are left out.
    pub(super) fn new(rows: impl Iterator<Item = Vec<(u32, u32)>>, weights: Vec<u32>) -> Self {
        let (mut starts, mut edges) = (vec![0], Vec::new());
        for (vertex, mut row) in rows.enumerate() {
            row.sort_unstable();
            for (to, links) in row.into_iter().filter(|&(to, _)| to as usize != vertex) {
                let first = *starts.last().unwrap_or(&0) as usize == edges.len();
                match edges.last_mut() {
                    Some((last, sum)) if !first && *last == to => *sum += links,
                    _ => edges.push((to, links)),
                }
            }
            starts.push(edges.len() as u32);
        }
        Self { starts, edges, weights }
    }

    /// The number of vertices of the graph.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }
    /// The edges of a vertex, as (neighbor, links).
    pub(super) fn edges(&self, vertex: usize) -> &[(u32, u32)] {
        &self.edges[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
    /// The number of links of a vertex.
    pub(super) fn degree(&self, vertex: usize) -> u32 {
        self.edges(vertex).iter().map(|&(_, links)| links).sum()
    }
    /// The number of routers of all vertices.
    pub(super) fn total(&self) -> u32 {
        self.weights.iter().sum()
    }
    /// The number of routers of the heaviest vertex.
    pub(super) fn heaviest(&self) -> u32 {
        self.weights.iter().copied().max().unwrap_or(1)
    }
    /// The number of links between the two sides.
    pub(super) fn cut(&self, sides: &[bool]) -> u64 {
        let across = |vertex: usize| {
            let crossing =
                self.edges(vertex).iter().filter(move |&&(to, _)| sides[to as usize] != sides[vertex]);
            crossing.map(|&(_, links)| u64::from(links)).sum::<u64>()
        };
        (0..self.len()).filter(|&vertex| sides[vertex]).map(across).sum()
    }
    /// The number of routers on the side `true`.
    pub(super) fn weight_of_true(&self, sides: &[bool]) -> u32 {
        self.weights.iter().zip(sides).filter(|(_, side)| **side).map(|(weight, _)| weight).sum()
    }
}

/// The first half of the routers in an order. The smaller id breaks ties.
pub(super) fn first_half(routers: usize, order: impl Fn(usize, usize) -> Ordering) -> Vec<bool> {
    let mut sorted: Vec<usize> = (0..routers).collect();
    sorted.sort_by(|&a, &b| order(a, b));
    let mut sides = vec![false; routers];
    sorted[..routers / 2].iter().for_each(|&router| sides[router] = true);
    sides
}
