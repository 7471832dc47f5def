//! Groups of chips that do a collective at the same time, each among its own chips.

use fabc_base::ids::NodeId;
use std::collections::BTreeMap;

/// The chips of a collective, in groups.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChipGroups {
    /// `[group]`: its chips in the order of their ranks.
    lists: Vec<Vec<NodeId>>,
    group_of: BTreeMap<NodeId, u32>,
}

impl ChipGroups {
    /// Groups with these chips, whether or not they are sound. Of a chip in several groups the last one
    /// counts.
    pub fn new(lists: Vec<Vec<NodeId>>) -> Self {
        let members =
            lists.iter().zip(0u32..).flat_map(|(list, group)| list.iter().map(move |&c| (c, group)));
        Self { group_of: members.collect(), lists }
    }

    /// Groups of `size` consecutive chips. The last one may have fewer.
    pub fn consecutive(chips: impl Iterator<Item = NodeId>, size: usize) -> Self {
        let chips: Vec<NodeId> = chips.collect();
        Self::new(chips.chunks(size.max(1)).map(<[NodeId]>::to_vec).collect())
    }

    /// `[group]`: its chips in the order of their ranks.
    pub fn lists(&self) -> &[Vec<NodeId>] {
        &self.lists
    }

    /// The number of the group of a chip. `None` for a router in no group.
    pub fn group_of(&self, node: NodeId) -> Option<u32> {
        self.group_of.get(&node).copied()
    }

    /// Whether two routers are chips of one group.
    pub fn are_together(&self, first: NodeId, second: NodeId) -> bool {
        let group = self.group_of(first);
        group.is_some() && group == self.group_of(second)
    }

    /// Number of chips of the first group, which is that of all groups in a sound collective.
    pub fn size(&self) -> u64 {
        self.lists.first().map_or(0, |list| list.len() as u64)
    }

    /// The chips of the group of a chip. Empty for a router in no group.
    pub fn members(&self, node: NodeId) -> &[NodeId] {
        self.group_of(node).map_or(&[], |group| &self.lists[group as usize])
    }
}
