//! Who is next to whom, without links and ports: what searches from every router look at.

use super::Scene;
use fabc_base::ids::{Id, NodeId};

/// The routers that lit channels lead to from every router, in port order, parallel ones as often: four bytes
/// a channel, so that the graphs of large networks stay in the caches.
#[derive(Clone, Debug)]
pub struct Neighbors {
    /// `[router]`: where its neighbors start in `heads`; one more at the end.
    starts: Vec<u32>,
    heads: Vec<u32>,
}

impl Neighbors {
    /// Along the channels.
    pub fn out_of(scene: &Scene<'_>) -> Self {
        Self::new(scene, |node| {
            scene.channels_from(node).map(|channel| scene.topology.target(channel).node.0)
        })
    }
    /// Against the channels.
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
    /// Routers.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }
    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
    /// Those of a router.
    pub fn of(&self, router: u32) -> &[u32] {
        &self.heads[self.starts[router as usize] as usize..self.starts[router as usize + 1] as usize]
    }
    /// A breadth-first search: `search` then holds what it found.
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
            for &to in self.of(router) {
                if hops[to as usize] == Breadth::APART {
                    hops[to as usize] = farther;
                    order.push(to);
                }
            }
        }
    }
}

/// What a breadth-first search found; its memory serves the next one.
#[derive(Clone, Default, Debug)]
pub struct Breadth {
    /// `[router]`: hops from the source; [`Breadth::APART`] where there is no way.
    pub hops: Vec<u32>,
    /// The routers that are reached, nearest first, the source before all.
    pub order: Vec<u32>,
}

impl Breadth {
    /// No way leads there.
    pub const APART: u32 = u32::MAX;
}
