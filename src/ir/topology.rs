//! Who is wired to whom.

use super::Symmetry;
use crate::ids::{ChannelClass, ChannelId, Id, IdVec, LinkId, LinkTypeId, NodeId, PortId};
use fixedbitset::FixedBitSet;

/// One end of a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Endpoint {
    /// The router.
    pub node: NodeId,
    /// Its port.
    pub port: PortId,
}

/// What a link runs over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkKind {
    /// An electrical link inside a cube.
    Copper,
    /// A fibre through an OCS.
    Fiber,
}

/// A link between two ports; `a < b`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The smaller end.
    pub a: Endpoint,
    /// The larger end.
    pub b: Endpoint,
    /// What it runs over.
    pub kind: LinkKind,
    /// Which declared `link` it is.
    pub link_type: LinkTypeId,
}

/// A topology: `ports` ports at every node, links sorted by their ends, and the symmetry that keeps all of it.
///
/// Invariants: no port carries two links; no link joins a node to itself; the graph is connected.
#[derive(Clone, Debug)]
pub struct Topology {
    node_count: usize,
    ports: usize,
    links: IdVec<LinkId, Link>,
    /// `[node * ports + port]`: the channel that leaves through the port.
    outgoing: Vec<Option<ChannelId>>,
    symmetry: Symmetry,
}

impl Topology {
    /// A topology from its links, in any order. Panics where a port is used twice: callers have checked that.
    pub fn new(ports: usize, mut links: Vec<Link>, symmetry: Symmetry) -> Self {
        let node_count = symmetry.node_count();
        for link in &mut links {
            if link.b < link.a {
                std::mem::swap(&mut link.a, &mut link.b);
            }
        }
        links.sort_by_key(|link| (link.a, link.b));
        let links: IdVec<LinkId, Link> = links.into();
        let mut outgoing = vec![None; node_count * ports];
        for (id, link) in links.enumerate() {
            for (end, channel) in [(link.a, id.forward()), (link.b, id.backward())] {
                let slot = &mut outgoing[end.node.index() * ports + end.port.index()];
                assert!(slot.is_none(), "port {end:?} carries two links");
                *slot = Some(channel);
            }
        }
        Self { node_count, ports, links, outgoing, symmetry }
    }

    /// The same links, stored by another symmetry of theirs.
    pub fn with_symmetry(self, symmetry: Symmetry) -> Self {
        Self { symmetry, ..self }
    }

    /// Number of routers.
    pub fn node_count(&self) -> usize {
        self.node_count
    }
    /// Ports per router (6 in a cube pod).
    pub fn ports(&self) -> usize {
        self.ports
    }
    /// All nodes.
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.node_count).map(NodeId::new)
    }
    /// All links, sorted by their ends.
    pub fn links(&self) -> &IdVec<LinkId, Link> {
        &self.links
    }
    /// Number of channels.
    pub fn channel_count(&self) -> usize {
        self.links.len() * 2
    }
    /// Where a channel starts: the router and its output port.
    pub fn source(&self, channel: ChannelId) -> Endpoint {
        let link = &self.links[channel.link()];
        if channel.0.is_multiple_of(2) { link.a } else { link.b }
    }
    /// Where a channel ends: the router and its input port.
    pub fn target(&self, channel: ChannelId) -> Endpoint {
        self.source(channel.reverse())
    }
    /// The channel that leaves a router through a port, unless the port is dark.
    pub fn outgoing(&self, node: NodeId, port: PortId) -> Option<ChannelId> {
        self.outgoing[node.index() * self.ports + port.index()]
    }
    /// All channels that leave a router, in port order.
    pub fn channels_from(&self, node: NodeId) -> impl Iterator<Item = ChannelId> {
        self.outgoing[node.index() * self.ports..][..self.ports].iter().copied().flatten()
    }
    /// The nodes that links with `lit` join to a node, the node itself included.
    pub fn reachable(&self, start: NodeId, lit: impl Fn(LinkId) -> bool) -> FixedBitSet {
        let mut seen = FixedBitSet::with_capacity(self.node_count);
        seen.insert(start.index());
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            for channel in self.channels_from(node).filter(|channel| lit(channel.link())) {
                let to = self.target(channel).node;
                if !seen.put(to.index()) {
                    open.push(to);
                }
            }
        }
        seen
    }
    /// The symmetry of the pod with this topology.
    pub fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }
    /// Whether the symmetry carries lit links onto lit ones.
    pub fn keeps(&self, alive: &IdVec<LinkId, bool>) -> bool {
        // Both ends are asked, because the image of a smaller end can be the larger one.
        self.links.enumerate().all(|(id, link)| {
            [link.a, link.b].into_iter().all(|end| {
                let canonical = self.symmetry.canonical_node(self.symmetry.class(end.node));
                self.outgoing(canonical, end.port).is_some_and(|channel| alive[channel.link()] == alive[id])
            })
        })
    }
    /// The class of a channel under a symmetry of this topology: `class of its source node * ports + output port`.
    pub fn channel_class(&self, symmetry: &Symmetry, channel: ChannelId) -> ChannelClass {
        let source = self.source(channel);
        ChannelClass::new(symmetry.class(source.node) * self.ports + source.port.index())
    }
    /// Number of channel classes under a symmetry (classes of dark ports included, they stay unused).
    pub fn class_count(&self, symmetry: &Symmetry) -> usize {
        symmetry.class_count() * self.ports
    }
}
