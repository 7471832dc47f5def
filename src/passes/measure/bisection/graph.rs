//! A graph as it is cut: vertices that stand for routers, edges that stand for links.

use fabc_base::ids::Id;
use fabc_ir::Topology;

/// Vertices with the number of routers that they stand for; of every two joined ones the number of links.
pub(super) struct Graph {
    /// The edges of vertex v stand at `starts[v]..starts[v + 1]`.
    starts: Vec<u32>,
    /// (neighbor, links), by neighbor.
    edges: Vec<(u32, u32)>,
    /// `[vertex]`: routers.
    pub(super) weights: Vec<u32>,
}

impl Graph {
    /// The routers of a topology; parallel links are one edge.
    pub(super) fn of(topology: &Topology) -> Self {
        let rows = topology.nodes().map(|node| {
            let ends =
                topology.channels_from(node).map(|channel| (topology.target(channel).node.index() as u32, 1));
            ends.collect()
        });
        Self::new(rows, vec![1; topology.node_count()])
    }

    /// A graph from the edges of every vertex, in any order and several to one neighbor; those to itself are
    /// left out.
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

    /// Number of vertices.
    pub(super) fn len(&self) -> usize {
        self.weights.len()
    }
    /// (neighbor, links) of a vertex.
    pub(super) fn edges(&self, vertex: usize) -> &[(u32, u32)] {
        &self.edges[self.starts[vertex] as usize..self.starts[vertex + 1] as usize]
    }
    /// Links of a vertex.
    pub(super) fn degree(&self, vertex: usize) -> u32 {
        self.edges(vertex).iter().map(|&(_, links)| links).sum()
    }
    /// Routers of all vertices.
    pub(super) fn total(&self) -> u32 {
        self.weights.iter().sum()
    }
    /// Routers of the heaviest vertex.
    pub(super) fn heaviest(&self) -> u32 {
        self.weights.iter().copied().max().unwrap_or(1)
    }
    /// Links between the two sides.
    pub(super) fn cut(&self, sides: &[bool]) -> u64 {
        let across = |vertex: usize| {
            let far = self.edges(vertex).iter().filter(move |&&(to, _)| sides[to as usize] != sides[vertex]);
            far.map(|&(_, links)| u64::from(links)).sum::<u64>()
        };
        (0..self.len()).filter(|&vertex| sides[vertex]).map(across).sum()
    }
    /// Routers on the side `true`.
    pub(super) fn weight_of(&self, sides: &[bool]) -> u32 {
        self.weights.iter().zip(sides).filter(|(_, side)| **side).map(|(weight, _)| weight).sum()
    }
}
