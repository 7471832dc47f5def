//! A topology in a scenario: which links are lit, and which routers are dead.
//!
//! In: a topology and a fault. Out: the value that analysis, routing and checks work on. The channels of a
//! scene are its lit channels. Routers keep their numbers. Invariant: a dead router has no lit link.

use crate::Topology;
use crate::ids::{ChannelId, Id, IdVec, LinkId, NodeId, PortId};

/// A topology, some links of which may be dark and some routers of which may be dead.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// The whole topology, as it was wired.
    pub topology: &'a Topology,
    /// `[link]`: whether it is lit.
    pub lit: IdVec<LinkId, bool>,
    /// The routers that neither send nor receive nor forward, ascending.
    pub dead: Vec<NodeId>,
}

impl<'a> Scene<'a> {
    /// The scene in which every link is lit and no router is dead.
    pub fn healthy(topology: &'a Topology) -> Self {
        Self { topology, lit: IdVec::filled(true, topology.links().len()), dead: Vec::new() }
    }

    /// The same scene with only the lit links whose two ends are both among `chips`.
    pub fn within(&self, chips: &[NodeId]) -> Self {
        let mut inside = vec![false; self.topology.node_count()];
        chips.iter().for_each(|chip| inside[chip.index()] = true);
        let links = self.topology.links().enumerate();
        let lit = links
            .map(|(id, link)| self.lit[id] && inside[link.a.node.index()] && inside[link.b.node.index()])
            .collect();
        Self { topology: self.topology, lit, dead: self.dead.clone() }
    }

    /// Whether a link is lit.
    #[inline]
    pub fn is_lit(&self, link: LinkId) -> bool {
        self.lit[link]
    }
    /// Whether the link of a channel is lit.
    #[inline]
    pub fn is_channel_lit(&self, channel: ChannelId) -> bool {
        self.lit[self.topology.link_of(channel)]
    }
    /// The lit links, by id.
    pub fn links(&self) -> impl Iterator<Item = LinkId> {
        self.topology.links().ids().filter(|&link| self.lit[link])
    }
    /// The first lit link that is simplex.
    pub fn first_simplex(&self) -> Option<LinkId> {
        self.links().find(|&link| self.topology.links()[link].simplex)
    }
    /// The first lit link, and the first lit link of another capacity. `None` if all capacities are equal.
    pub fn unequal_links(&self) -> Option<[LinkId; 2]> {
        let first = self.links().next()?;
        let capacity = self.topology.capacity(first);
        Some([first, self.links().find(|&link| self.topology.capacity(link) != capacity)?])
    }
    /// The first living router that only forwards.
    pub fn first_forwarder(&self) -> Option<NodeId> {
        self.topology.nodes().find(|&node| self.lives(node) && !self.is_endpoint(node))
    }
    /// The lit channels, by id.
    pub fn channels(&self) -> impl Iterator<Item = ChannelId> {
        self.topology.channels().filter(|&channel| self.is_channel_lit(channel))
    }
    /// The lit channels that leave a router, in port order.
    #[inline]
    pub fn channels_from(&self, node: NodeId) -> impl Iterator<Item = ChannelId> {
        self.topology.channels_from(node).filter(|&channel| self.is_channel_lit(channel))
    }
    /// The lit channels that lead to a router, by input port.
    #[inline]
    pub fn channels_into(&self, node: NodeId) -> impl Iterator<Item = ChannelId> {
        self.topology.channels_into(node).filter(|&channel| self.is_channel_lit(channel))
    }
    /// The lit channel that leaves a router through a port.
    #[inline]
    pub fn outgoing(&self, node: NodeId, port: PortId) -> Option<ChannelId> {
        self.topology.outgoing(node, port).filter(|&channel| self.is_channel_lit(channel))
    }
    /// Whether a router is not dead.
    #[inline]
    pub fn lives(&self, node: NodeId) -> bool {
        self.dead.binary_search(&node).is_err()
    }
    /// Whether a router lives, sends and receives.
    #[inline]
    pub fn is_endpoint(&self, node: NodeId) -> bool {
        self.lives(node) && self.topology.is_endpoint(node)
    }
    /// The routers that live, send and receive.
    pub fn endpoints(&self) -> impl DoubleEndedIterator<Item = NodeId> {
        self.topology.endpoints().filter(|&node| self.lives(node))
    }
    /// Whether the topology's symmetry carries lit links onto lit ones. With a dead router it is false.
    pub fn keeps_symmetry(&self) -> bool {
        let symmetry = self.topology.symmetry();
        // Both ends are checked, because the image of a smaller end can be the larger one.
        let kept = |(id, link): (LinkId, &crate::Link)| {
            let end_routers = if link.simplex { &[link.a][..] } else { &[link.a, link.b] };
            end_routers.iter().all(|end| {
                let canonical = symmetry.canonical_node(symmetry.class(end.node));
                self.topology
                    .outgoing(canonical, end.port)
                    .is_some_and(|channel| self.is_channel_lit(channel) == self.lit[id])
            })
        };
        self.dead.is_empty() && self.topology.links().enumerate().all(kept)
    }
}
