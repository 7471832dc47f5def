//! A network as a scheduler sees it: hosts, and blocks of switches above them.
//!
//! A host is a box of GPUs, or what hangs at a router. The block of a switch is made of the switches of its
//! tier that this tier and those below join, over hosts too. So the leaves at which the NICs of one box stand
//! are one block.

use crate::compiled::CompiledFabric;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{Topology, tiers_above_endpoints};
use fabc_model::{BoxPart, Boxes};

/// The hosts and switches of a network with tiers.
pub(crate) struct HostBlocks<'c> {
    topology: &'c Topology,
    boxes: Option<&'c Boxes>,
    /// `[router]`: its tier. Leaves have tier 0. `None` for the parts of a box.
    tiers: Vec<Option<u32>>,
    /// `[router]`: its first host, which is the box for a part of a box.
    first_hosts: Vec<u32>,
    /// `[box]`: its routers. Empty without boxes.
    parts: Vec<Vec<NodeId>>,
    hosts: u32,
}

/// Switches and hosts that some tiers join.
pub(crate) struct HostBlock {
    /// The switches, those of the lower tiers included, ascending.
    pub(crate) switches: Vec<NodeId>,
    /// The hosts below the switches, ascending.
    pub(crate) hosts: Vec<u32>,
}

impl<'c> HostBlocks<'c> {
    /// # Panics
    /// The network has no tiers. Callers have checked that it has.
    pub(crate) fn new(compiled: &'c CompiledFabric) -> Self {
        let topology = &compiled.topology;
        let boxes = compiled.fabric.boxes();
        let tiers = tiers_above_endpoints(topology).expect("the fabric has tiers");
        let mut blocks = Self {
            topology,
            boxes,
            tiers: Vec::with_capacity(tiers.len()),
            first_hosts: Vec::with_capacity(tiers.len()),
            parts: vec![Vec::new(); boxes.map_or(0, |boxes| boxes.box_count() as usize)],
            hosts: boxes.map_or(0, Boxes::box_count),
        };
        for (router, &tier) in topology.nodes().zip(&tiers) {
            let part = boxes.map(|boxes| boxes.part(router.0).0);
            match part {
                None => {
                    blocks.tiers.push(Some(tier));
                    blocks.first_hosts.push(blocks.hosts);
                    blocks.hosts += u32::from(topology.hosts(router));
                }
                // GPUs have tier 0, and leaves are next to them.
                Some(BoxPart::Outer { .. }) => {
                    blocks.tiers.push(Some(tier - 1));
                    blocks.first_hosts.push(blocks.hosts);
                }
                Some(BoxPart::Gpu { place, .. } | BoxPart::Inner { place, .. }) => {
                    blocks.tiers.push(None);
                    blocks.first_hosts.push(place);
                    blocks.parts[place as usize].push(router);
                }
            }
        }
        blocks
    }

    /// Number of boxes, or of hosts at all routers.
    pub(crate) fn host_count(&self) -> u32 {
        self.hosts
    }

    /// The highest tier of switches.
    pub(crate) fn top(&self) -> u32 {
        self.tiers.iter().flatten().copied().max().unwrap_or(0)
    }

    /// The tier of a switch. `None` for a part of a box.
    pub(crate) fn tier(&self, router: NodeId) -> Option<u32> {
        self.tiers[router.index()]
    }

    /// The box of a part of a box. For another router it is the number of its first host.
    pub(crate) fn first_host(&self, router: NodeId) -> u32 {
        self.first_hosts[router.index()]
    }

    /// The switches of a tier, by number.
    pub(crate) fn switches(&self, tier: u32) -> impl Iterator<Item = NodeId> {
        self.topology.nodes().filter(move |router| self.tiers[router.index()] == Some(tier))
    }

    /// The switches that the tiers up to that of a switch join with it, and the hosts below them.
    pub(crate) fn block(&self, first: NodeId) -> HostBlock {
        let tier = self.tiers[first.index()];
        let mut is_reached = vec![false; self.topology.node_count()];
        is_reached[first.index()] = true;
        let mut reached = vec![first];
        let mut hosts = Vec::new();
        let mut place = 0;
        while let Some(&router) = reached.get(place) {
            place += 1;
            let neighbors =
                self.topology.channels_from(router).map(|channel| self.topology.target(channel).node);
            // What the scheduler gives to a job is a whole box.
            let first_host = self.first_hosts[router.index()];
            let siblings = match self.tiers[router.index()] {
                Some(_) => {
                    let own = if self.boxes.is_some() { 0 } else { u32::from(self.topology.hosts(router)) };
                    hosts.extend(first_host..first_host + own);
                    &[][..]
                }
                None => {
                    hosts.push(first_host);
                    &self.parts[first_host as usize][..]
                }
            };
            for next in neighbors.chain(siblings.iter().copied()) {
                if self.tiers[next.index()] <= tier && !is_reached[next.index()] {
                    is_reached[next.index()] = true;
                    reached.push(next);
                }
            }
        }
        reached.retain(|router| self.tiers[router.index()].is_some());
        reached.sort_unstable();
        hosts.sort_unstable();
        hosts.dedup();
        HostBlock { switches: reached, hosts }
    }
}
