//! The rules of dragonflies and megaflies. Within a group all routers are connected, or every leaf to every
//! spine. Routers of two groups are connected if the arrangement gives each of them a global port to the
//! other's group.

use crate::wiring::rule::FamilyRule;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{LinkClass, Topology};
use fabc_model::{Arrangement, Dragonfly, Megafly};

/// The global links, which run between groups.
struct GlobalLinks {
    /// Number of routers per group with global ports, and number of global ports of each.
    carriers: u32,
    ports: u32,
    groups: u32,
    arrangement: Arrangement,
}

impl GlobalLinks {
    /// Number of links between every two groups.
    fn copies(&self) -> u32 {
        (self.carriers * self.ports).checked_div(self.groups - 1).unwrap_or(0)
    }
    /// Number of links between all groups.
    fn links(&self) -> u64 {
        pairs(self.groups) * u64::from(self.copies())
    }
    /// Number of used global ports of a carrier.
    fn used_ports(&self, carrier: u32) -> u32 {
        let used = self.copies() * (self.groups - 1);
        used.saturating_sub(carrier * self.ports).min(self.ports)
    }
    /// Which of the g - 1 ports of a round through the other groups leads to a group.
    fn slot(&self, group: u32, other: u32) -> u32 {
        let g = self.groups;
        let ahead = if other > group { other - group } else { g - (group - other) };
        match self.arrangement {
            Arrangement::Palmtree => g - ahead - 1,
            Arrangement::Consecutive => other - u32::from(other > group),
            Arrangement::Fold if 2 * ahead < g => 2 * (ahead - 1),
            Arrangement::Fold => 2 * (g - ahead) - 1,
        }
    }
    /// Number of links between two carriers of different groups, each given as (group, carrier).
    fn joined(&self, from: (u32, u32), to: (u32, u32)) -> Option<(u32, LinkClass)> {
        let ((group, carrier), (other, far_carrier)) = (from, to);
        let (h, round) = (self.ports, self.groups - 1);
        let (near_slot, far_slot) = (self.slot(group, other), self.slot(other, group));
        // Rounds whose port to the other group belongs to this router.
        let first = (carrier * h).saturating_sub(near_slot).div_ceil(round);
        let rounds = (first..self.copies()).take_while(|copy| copy * round + near_slot < (carrier + 1) * h);
        let copies = rounds.filter(|copy| (copy * round + far_slot) / h == far_carrier).count() as u32;
        (copies > 0).then_some((copies, LinkClass::Global))
    }
    /// The conviction of a global channel on other ports than those of the arrangement. Carriers have
    /// `before` ports before the global ones. `carrier` maps a router to (group, carrier).
    fn misplaced(
        &self,
        topology: &Topology,
        channel: ChannelId,
        before: u32,
        carrier: impl Fn(u32) -> (u32, u32),
    ) -> Option<String> {
        let (from, to) = (topology.source(channel), topology.target(channel));
        let round = self.groups - 1;
        // The slot of a port among those of the group, and the round that it belongs to.
        let slot_and_round = |node: NodeId, port: usize| {
            let global_port =
                (port as u32).checked_sub(before).filter(|&global_port| global_port < self.ports)?;
            let k = carrier(node.0).1 * self.ports + global_port;
            Some((k % round, k / round))
        };
        let (near, far) =
            (slot_and_round(from.node, from.port.index()), slot_and_round(to.node, to.port.index()));
        let (group, other) = (carrier(from.node.0).0, carrier(to.node.0).0);
        let is_placed = match (near, far) {
            (Some((near, round)), Some((far, far_round))) => {
                near == self.slot(group, other) && far == self.slot(other, group) && round == far_round
            }
            _ => false,
        };
        let violation = || {
            let name = topology.channel_name(channel);
            format!(
                "{name} arrives at port{}, but the arrangement joins these groups at other ports",
                to.port
            )
        };
        (!is_placed).then(violation)
    }
}

fn pairs(n: u32) -> u64 {
    u64::from(n) * u64::from(n.saturating_sub(1)) / 2
}

/// Groups of routers, all of which have global links.
pub(super) struct DragonflyGroups(pub(super) Dragonfly);

impl DragonflyGroups {
    fn place(&self, router: u32) -> (u32, u32) {
        (router / self.0.a, router % self.0.a)
    }
    fn between(&self) -> GlobalLinks {
        GlobalLinks { carriers: self.0.a, ports: self.0.h, groups: self.0.g, arrangement: self.0.arrangement }
    }
}

impl FamilyRule for DragonflyGroups {
    fn routers(&self) -> usize {
        self.0.a as usize * self.0.g as usize
    }

    fn links(&self) -> u64 {
        u64::from(self.0.g) * pairs(self.0.a) + self.between().links()
    }

    fn degree(&self, router: u32) -> u32 {
        self.0.a - 1 + self.between().used_ports(self.place(router).1)
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let (near, far) = (self.place(from), self.place(to));
        match near.0 == far.0 {
            true => (from != to).then_some((1, LinkClass::Local)),
            false => self.between().joined(near, far),
        }
    }

    fn has_hosts(&self, router: u32) -> bool {
        !self.0.spare || self.place(router).0 + 1 < self.0.g
    }

    fn numbers_ports(&self, class: LinkClass) -> bool {
        class == LinkClass::Global
    }

    fn misplaced(&self, topology: &Topology, channel: ChannelId) -> Option<String> {
        self.between().misplaced(topology, channel, self.0.a - 1, |router| self.place(router))
    }
}

/// Groups of leaves and spines. Leaves come first.
pub(super) struct LeavesAndSpines(pub(super) Megafly);

impl LeavesAndSpines {
    fn half(&self) -> u32 {
        self.0.a / 2
    }
    /// (group, whether it is a spine, number among the leaves or spines).
    fn place(&self, router: u32) -> (u32, bool, u32) {
        let (group, member) = (router / self.0.a, router % self.0.a);
        (group, member >= self.half(), member % self.half())
    }
    fn between(&self) -> GlobalLinks {
        let groups = self.half() * self.0.rho + 1;
        GlobalLinks { carriers: self.half(), ports: self.0.rho, groups, arrangement: self.0.arrangement }
    }
}

impl FamilyRule for LeavesAndSpines {
    fn routers(&self) -> usize {
        2 * self.half() as usize * self.between().groups as usize
    }

    fn links(&self) -> u64 {
        u64::from(self.half()).pow(2) * u64::from(self.between().groups) + self.between().links()
    }

    fn degree(&self, router: u32) -> u32 {
        self.half() + if self.place(router).1 { self.0.rho } else { 0 }
    }

    fn joined(&self, from: u32, to: u32) -> Option<(u32, LinkClass)> {
        let ((group, spine, near), (other, far_spine, far)) = (self.place(from), self.place(to));
        match (group == other, spine, far_spine) {
            (true, ..) => (spine != far_spine).then_some((1, LinkClass::Local)),
            (false, true, true) => self.between().joined((group, near), (other, far)),
            _ => None,
        }
    }

    fn has_hosts(&self, router: u32) -> bool {
        !self.place(router).1
    }

    fn numbers_ports(&self, class: LinkClass) -> bool {
        class == LinkClass::Global
    }

    fn misplaced(&self, topology: &Topology, channel: ChannelId) -> Option<String> {
        let place = |router| {
            let (group, _, spine) = self.place(router);
            (group, spine)
        };
        self.between().misplaced(topology, channel, self.half(), place)
    }
}
