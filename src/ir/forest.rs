//! Trees over the chips of a fabric, whose edges are paths through routers that only forward.
//!
//! Only the direction away from the roots is stored, in which chips copy. A reduction runs the same trees
//! towards their roots on the reversed channels, where every copy becomes an addition.

use fabc_base::ids::{ChannelId, NodeId};

/// Trees that together carry the data of every root to all chips.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Forest {
    /// Number of equal parts of what a root has: a shard, or the vector of the only root. The multiplicities
    /// of the trees of each root add up to it.
    pub parts: u32,
    /// The most that all trees together put on a channel.
    pub load: LaneLoad,
    /// The trees, those of one root after those of another.
    pub trees: Vec<ForestTree>,
}

/// A load of channels: `parts` on every `lanes` lanes, a fraction in lowest terms.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LaneLoad {
    /// Number of parts that cross so many lanes.
    pub parts: u64,
    /// The lanes that share the parts. Positive.
    pub lanes: u64,
}

/// A tree that leads from its root to all chips.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForestTree {
    /// The chip whose data the tree carries.
    pub root: NodeId,
    /// Number of parts of the data that the tree carries.
    pub multiplicity: u32,
    /// Its edges. Each starts at the root or at a chip to which an earlier one leads.
    pub sends: Vec<ForestSend>,
}

/// An edge of a tree: what a chip hands on to another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForestSend {
    /// The chip that has the data.
    pub from: NodeId,
    /// The chip that lacks it.
    pub to: NodeId,
    /// The paths that share the data. Their amounts add up to the multiplicity of the tree.
    pub paths: Vec<ForestPath>,
}

/// A path between two chips through routers that only forward.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForestPath {
    /// Number of parts that take the path, positive.
    pub amount: u32,
    /// Its channels in order, at least one.
    pub channels: Vec<ChannelId>,
}

impl Forest {
    /// Edges from the farthest chip to the root of its tree, over all trees.
    pub fn height(&self, nodes: usize) -> u32 {
        self.trees.iter().map(|tree| tree.height(nodes)).max().unwrap_or(0)
    }
}

impl ForestTree {
    /// Edges from the farthest chip to the root. `nodes` is the number of routers of the topology.
    pub fn height(&self, nodes: usize) -> u32 {
        let mut depths = vec![0; nodes];
        let depth = |send: &ForestSend| {
            depths[send.to.0 as usize] = depths[send.from.0 as usize] + 1;
            depths[send.to.0 as usize]
        };
        self.sends.iter().map(depth).max().unwrap_or(0)
    }
}
