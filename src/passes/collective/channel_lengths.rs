//! Shortest paths by lengths of channels.

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::Scene;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The shortest paths from a router, by lengths of channels.
pub struct ShortestPaths {
    /// `[router]`: the length of its path. `u64::MAX` without one.
    lengths: Vec<u64>,
    /// `[router]`: the last channel of its path.
    last: Vec<Option<ChannelId>>,
}

impl ShortestPaths {
    /// The paths from `source`, where every lit channel has a `length`.
    pub fn new(scene: &Scene<'_>, source: NodeId, length: impl Fn(ChannelId) -> u64) -> Self {
        let topology = scene.topology;
        let nodes = topology.node_count();
        let mut paths = Self { lengths: vec![u64::MAX; nodes], last: vec![None; nodes] };
        paths.lengths[source.index()] = 0;
        let mut open = BinaryHeap::from([Reverse((0u64, source))]);
        while let Some(Reverse((sum, node))) = open.pop() {
            if sum > paths.lengths[node.index()] {
                continue;
            }
            for channel in scene.channels_from(node) {
                let (target, longer) = (topology.target(channel).node, sum.saturating_add(length(channel)));
                if longer < paths.lengths[target.index()] {
                    (paths.lengths[target.index()], paths.last[target.index()]) = (longer, Some(channel));
                    open.push(Reverse((longer, target)));
                }
            }
        }
        paths
    }

    /// The sum of the lengths to some routers. `None` if one of them cannot be reached.
    pub fn total(&self, routers: impl Iterator<Item = NodeId>) -> Option<u128> {
        let length = |router: NodeId| {
            Some(self.lengths[router.index()]).filter(|&length| length < u64::MAX).map(u128::from)
        };
        routers.map(length).sum()
    }

    /// The channels of the path to a router, from its end.
    pub(super) fn channels_to<'a>(
        &'a self,
        scene: &'a Scene<'_>,
        router: NodeId,
    ) -> impl Iterator<Item = ChannelId> + 'a {
        let mut node = router;
        std::iter::from_fn(move || {
            let channel = self.last[node.index()]?;
            node = scene.topology.source(channel).node;
            Some(channel)
        })
    }
}
