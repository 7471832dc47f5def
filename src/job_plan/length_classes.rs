//! What gathers and sums need of lengths of channels. Channels of length 0 join routers to classes, and a
//! part that a group gathers must come into every class with a chip of the group.

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::Scene;
use fabc_model::Collective;
use petgraph::unionfind::UnionFind;
use std::collections::BTreeSet;

/// Classes of routers, which channels of length 0 join, and the shortest channels between classes.
pub(super) struct LengthClasses {
    /// `[router]`: the number of its class, which is one of its routers.
    class_of: Vec<usize>,
    /// `[class]`: the shortest length into it from another class, and out of it.
    least_into: Vec<u64>,
    least_out: Vec<u64>,
}

impl LengthClasses {
    pub(super) fn new(scene: &Scene<'_>, length: &impl Fn(ChannelId) -> u64) -> Self {
        let topology = scene.topology;
        let ends = |channel| [topology.source(channel).node, topology.target(channel).node];
        let mut joined = UnionFind::new(topology.node_count());
        for channel in scene.channels().filter(|&channel| length(channel) == 0) {
            let [from, to] = ends(channel);
            joined.union(from.index(), to.index());
        }
        let class_of: Vec<usize> = (0..topology.node_count()).map(|node| joined.find_mut(node)).collect();
        let (mut least_into, mut least_out) =
            (vec![u64::MAX; class_of.len()], vec![u64::MAX; class_of.len()]);
        for channel in scene.channels() {
            let [from, to] = ends(channel).map(|node| class_of[node.index()]);
            if from != to {
                least_into[to] = least_into[to].min(length(channel));
                least_out[from] = least_out[from].min(length(channel));
            }
        }
        // A class that no channel reaches needs nothing by this argument.
        for least in least_into.iter_mut().chain(&mut least_out).filter(|least| **least == u64::MAX) {
            *least = 0;
        }
        Self { class_of, least_into, least_out }
    }

    /// The sum of lengths that the parts of a group travel at least, for an operation that copies or adds up.
    pub(super) fn parts(&self, collective: Collective, group: &[NodeId]) -> u128 {
        let class = |chip: &NodeId| self.class_of[chip.index()];
        let classes: BTreeSet<usize> = group.iter().map(class).collect();
        let into = |class: usize| u128::from(self.least_into[class]);
        let out = |class: usize| u128::from(self.least_out[class]);
        // What the part of a chip needs in all classes but its own.
        let elsewhere = |least: &dyn Fn(usize) -> u128| {
            let all: u128 = classes.iter().map(|&class| least(class)).sum();
            group.iter().map(|chip| all - least(class(chip))).sum::<u128>()
        };
        match collective {
            Collective::ReduceScatter => elsewhere(&out),
            Collective::AllReduce => {
                // Every class but the one that first has the sum sends its own part out and takes the sum in.
                let both = |class: usize| into(class) + out(class);
                let all: u128 = classes.iter().map(|&class| both(class)).sum();
                let spared = classes.iter().map(|&class| both(class)).max().unwrap_or(0);
                (all - spared) * group.len() as u128
            }
            _ => elsewhere(&into),
        }
    }
}
