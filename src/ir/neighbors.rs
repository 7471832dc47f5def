//! The neighbors of every router, without links and ports: a compact graph for searches from every router.

use super::Scene;
use fabc_base::ids::{Id, NodeId};

/// The routers that lit channels lead to from every router, in port order, once per parallel channel. It
/// takes four bytes per channel, so the graphs of large networks stay in the caches.
#[derive(Clone, Debug)]
pub struct Neighbors {
    /// `[router]`: where its neighbors start in `heads`, with one more number at the end.
    starts: Vec<u32>,
    heads: Vec<u32>,
}

impl Neighbors {
    /// The neighbors along the channels: where channels from a router lead.
    pub fn out_of(scene: &Scene<'_>) -> Self {
        Self::new(scene, |node| {
            scene.channels_from(node).map(|channel| scene.topology.target(channel).node.0)
        })
    }
    /// The neighbors against the channels: where channels to a router start.
    pub fn into_of(scene: &Scene<'_>) -> Self {
        Self::new(scene, |node| {
            scene.channels_into(node).map(|channel| scene.topology.source(channel).node.0)
        })
    }
    fn new<I: Iterator<Item = u32>>(scene: &Scene<'_>, row: impl Fn(NodeId) -> I) -> Self {
        let (mut starts, mut heads) = (vec![0], Vec::with_capacity(scene.topology.channel_count()));
        for node in scene.topology.nodes() {
            heads.extend(row(node));
            starts.push(heads.len() as u32);
        }
        Self { starts, heads }
    }
    /// Number of routers, dead ones included.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }
    /// Whether there is no router.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// The neighbors of a router.
    pub fn neighbors_of(&self, router: u32) -> &[u32] {
        &self.heads[self.starts[router as usize] as usize..self.starts[router as usize + 1] as usize]
    }
    /// Runs a breadth-first search from `source`. `search` then holds the result.
    pub fn search(&self, source: NodeId, search: &mut Breadth) {
        let Breadth { hops, order } = search;
        hops.clear();
        hops.resize(self.len(), Breadth::APART);
        order.clear();
        hops[source.index()] = 0;
        order.push(source.0);
        let mut next = 0;
        while let Some(&router) = order.get(next) {
            next += 1;
            let farther = hops[router as usize] + 1;
            for &to in self.neighbors_of(router) {
                if hops[to as usize] == Breadth::APART {
                    hops[to as usize] = farther;
                    order.push(to);
                }
            }
        }
    }
}

/// The result of a breadth-first search. The next search reuses its memory.
#[derive(Clone, Default, Debug)]
pub struct Breadth {
    /// `[router]`: hops from the source, [`Breadth::APART`] where no path leads.
    pub hops: Vec<u32>,
    /// The reached routers, nearest first. The source is the first.
    pub order: Vec<u32>,
}

impl Breadth {
    /// The value for a router that no path reaches.
    pub const APART: u32 = u32::MAX;
}
