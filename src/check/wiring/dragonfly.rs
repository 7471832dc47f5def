//! The predicate of dragonflies: routers of a group are joined; routers of two groups are, where their global
//! ports are those that the arrangement gives to each other's group.

use super::rule::Rule;
use crate::ids::{ChannelId, Id, NodeId};
use crate::ir::{LinkClass, Topology};
use crate::model::{Arrangement, Dragonfly};

/// Groups of routers.
pub(super) struct Groups(pub(super) Dragonfly);

impl Groups {
    fn place(&self, router: u32) -> (u32, u32) {
        (router / self.0.a, router % self.0.a)
    }

    /// Links between every two groups.
    fn copies(&self) -> u32 {
        (self.0.a * self.0.h).checked_div(self.0.g - 1).unwrap_or(0)
    }

    /// Which of the g - 1 ports of a round through the other groups leads to a group.
    fn slot(&self, group: u32, other: u32) -> u32 {
        let g = self.0.g;
        let ahead = if other > group { other - group } else { g - (group - other) };
        match self.0.arrangement {
            Arrangement::Palmtree => g - ahead - 1,
            Arrangement::Consecutive => other - u32::from(other > group),
            Arrangement::Fold if 2 * ahead < g => 2 * (ahead - 1),
            Arrangement::Fold => 2 * (g - ahead) - 1,
        }
    }
}

impl Rule for Groups {
    fn routers(&self) -> usize {
        self.0.a as usize * self.0.g as usize
    }

    fn links(&self) -> u64 {
        let pairs = |n: u32| u64::from(n) * u64::from(n.saturating_sub(1)) / 2;
        u64::from(self.0.g) * pairs(self.0.a) + pairs(self.0.g) * u64::from(self.copies())
    }

    fn degree(&self, router: u32) -> u32 {
        let (_, member) = self.place(router);
        let used = self.copies() * (self.0.g - 1);
        self.0.a - 1 + used.saturating_sub(member * self.0.h).min(self.0.h)
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let ((group, member), (other, far_member)) = (self.place(from), self.place(to));
        if group == other {
            return (from != to).then_some((1, LinkClass::Local));
        }
        let (h, round) = (self.0.h, self.0.g - 1);
        let (near, far) = (self.slot(group, other), self.slot(other, group));
        // Rounds whose port to the other group belongs to this router.
        let first = (member * h).saturating_sub(near).div_ceil(round);
        let rounds = (first..self.copies()).take_while(|copy| copy * round + near < (member + 1) * h);
        let copies = rounds.filter(|copy| (copy * round + far) / h == far_member).count() as u32;
        (copies > 0).then_some((copies, LinkClass::Global))
    }

    fn numbers_global_ports(&self) -> bool {
        true
    }

    fn misplaced(&self, topology: &Topology, channel: ChannelId) -> Option<String> {
        let Dragonfly { a, h, g, .. } = self.0;
        let (from, to) = (topology.source(channel), topology.target(channel));
        // The port among those of the group, and the round that it belongs to.
        let of_group = |node: NodeId, port: usize| {
            let own = (port as u32).checked_sub(a - 1).filter(|&own| own < h)?;
            let k = self.place(node.0).1 * h + own;
            Some((k % (g - 1), k / (g - 1)))
        };
        let (near, far) = (of_group(from.node, from.port.index()), of_group(to.node, to.port.index()));
        let (group, other) = (self.place(from.node.0).0, self.place(to.node.0).0);
        let right = match (near, far) {
            (Some((near, round)), Some((far, far_round))) => {
                near == self.slot(group, other) && far == self.slot(other, group) && round == far_round
            }
            _ => false,
        };
        let what = || {
            let name = topology.channel_name(channel);
            format!("{name} arrives at port{}, which is not how the arrangement joins these groups", to.port)
        };
        (!right).then(what)
    }
}
