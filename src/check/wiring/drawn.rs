//! The predicate of networks that are drawn or searched: regular, and without parallel links; of xpanders
//! also a matching between every two meta-nodes. That they are random is no claim that could be checked.

use super::rule::Rule;
use fabc_base::ids::NodeId;
use fabc_ir::{LinkClass, Topology};

/// So many routers of so many links each.
pub(super) struct Regular {
    pub(super) routers: u32,
    pub(super) degree: u32,
    pub(super) simplex: bool,
}

impl Rule for Regular {
    fn routers(&self) -> usize {
        self.routers as usize
    }

    fn links(&self) -> u64 {
        let ends = u64::from(self.routers) * u64::from(self.degree);
        if self.simplex { ends } else { ends / 2 }
    }

    fn degree(&self, _: u32) -> u32 {
        self.degree
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        (from != to).then_some((1, LinkClass::Local))
    }

    fn simplex(&self) -> bool {
        self.simplex
    }
}

/// Every router has one neighbor in each meta-node of `lift` routers but its own.
pub(super) fn matched(topology: &Topology, lift: u32) -> Result<(), String> {
    for node in topology.nodes() {
        let neighbors = topology.channels_from(node).map(|channel| topology.target(channel).node);
        let mut met: Vec<u32> =
            neighbors.map(|NodeId(neighbor)| neighbor / lift).chain([node.0 / lift]).collect();
        met.sort_unstable();
        if let Some(twice) = met.windows(2).find(|pair| pair[0] == pair[1]) {
            return Err(format!(
                "{} has two neighbors in meta-node {}, or one in its own",
                topology.name(node),
                twice[0]
            ));
        }
    }
    Ok(())
}
