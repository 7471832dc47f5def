//! Routers, ports and links: which port is wired to which.

use crate::ids::{BlockId, ChannelClass, ChannelId, Id, IdVec, LinkId, LinkTypeId, NodeId, PortId};
use crate::{Capacities, VcCount};
use crate::{RouterNames, Symmetry};
use fixedbitset::FixedBitSet;

/// One end of a link.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct End {
    /// The router at this end.
    pub node: NodeId,
    /// The port of that router, below the topology's number of ports.
    pub port: PortId,
}

/// Whether a link stays inside a block.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LinkClass {
    /// Inside a block: the copper of a cube, or the cables of a group. Every link of a network without
    /// blocks.
    Local,
    /// Between blocks: a fiber through an OCS, or a cable between groups.
    Global,
}

/// A link between two ports. The ends are ordered, `a < b`, except that a simplex link runs from `a` to `b`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Link {
    /// The smaller end, or the source of a simplex link.
    pub a: End,
    /// The larger end, or the target of a simplex link.
    pub b: End,
    /// Whether the link stays inside a block.
    pub class: LinkClass,
    /// The declared `link` of which this is one.
    pub link_type: LinkTypeId,
    /// Whether the link is a single channel, from an output port at `a` to an input port at `b`.
    pub simplex: bool,
}

/// A topology: routers with at most `ports` ports each, links sorted by their ends, and the symmetry that
/// keeps all of it.
///
/// Invariants: no port carries two links. Under simplex links, no output port and no input port does. No link
/// joins a node to itself. The graph is connected.
#[derive(Clone, Debug)]
pub struct Topology {
    ports: usize,
    links: IdVec<LinkId, Link>,
    /// `[link]`: its first channel. Empty where all links are duplex: then it is twice the link.
    first_channels: Vec<ChannelId>,
    /// `[channel]`: its link. Empty where all links are duplex: then it is half the channel.
    channel_links: Vec<LinkId>,
    /// `[node * ports + port]`: the channel that leaves through the port.
    outgoing: Vec<Option<ChannelId>>,
    /// `[node * ports + port]`: the channel that comes in by the port. Empty where all links are duplex,
    /// because it is then the reverse of the outgoing channel.
    incoming: Vec<Option<ChannelId>>,
    /// `[node]`: hosts of the router, 0 for one that only forwards. Empty where every router has one.
    hosts: Vec<u16>,
    symmetry: Symmetry,
    names: RouterNames,
    capacities: Capacities,
    /// `[link]`: length of its cable, in 0.1 m. Empty without a floor.
    lengths: Vec<u32>,
}

impl Topology {
    /// A topology from its links, in any order. Every router has one host, and its number as its name.
    ///
    /// # Panics
    /// A port is used twice. Callers have checked that none is.
    pub fn new(ports: usize, mut links: Vec<Link>, symmetry: Symmetry) -> Self {
        for link in links.iter_mut().filter(|link| !link.simplex) {
            if link.b < link.a {
                std::mem::swap(&mut link.a, &mut link.b);
            }
        }
        links.sort_by_key(|link| (link.a, link.b));
        let links: IdVec<LinkId, Link> = links.into();
        let (mut first_channels, mut channel_links) = (Vec::new(), Vec::new());
        if links.iter().any(|link| link.simplex) {
            for (id, link) in links.enumerate() {
                first_channels.push(ChannelId::new(channel_links.len()));
                channel_links.extend(std::iter::repeat_n(id, if link.simplex { 1 } else { 2 }));
            }
        }
        let mut topology = Self {
            ports,
            links,
            first_channels,
            channel_links,
            outgoing: Vec::new(),
            incoming: Vec::new(),
            hosts: Vec::new(),
            symmetry,
            names: RouterNames::Numbered,
            capacities: Capacities::default(),
            lengths: Vec::new(),
        };
        topology.outgoing = topology.by_port(Self::source);
        if topology.has_simplex() {
            topology.incoming = topology.by_port(Self::target);
        }
        topology
    }

    /// `[node * ports + port]`: the channel whose `end` is this port.
    fn by_port(&self, end: impl Fn(&Self, ChannelId) -> End) -> Vec<Option<ChannelId>> {
        let mut channels = vec![None; self.node_count() * self.ports];
        for channel in self.channels() {
            let end = end(self, channel);
            let slot = &mut channels[end.node.index() * self.ports + end.port.index()];
            assert!(slot.is_none(), "port {end:?} carries two links");
            *slot = Some(channel);
        }
        channels
    }

    /// The same topology with these names.
    pub fn named(self, names: RouterNames) -> Self {
        Self { names, ..self }
    }

    /// The same topology with links of these capacities.
    pub fn with_capacities(self, capacities: Capacities) -> Self {
        Self { capacities, ..self }
    }

    /// The same topology with one cable per link, by link id: its length, in 0.1 m, and its declared link.
    pub fn with_cables(mut self, cables: impl IntoIterator<Item = (u32, LinkTypeId)>) -> Self {
        let (lengths, types): (Vec<u32>, Vec<LinkTypeId>) = cables.into_iter().unzip();
        self.links =
            self.links.iter().zip(types).map(|(link, link_type)| Link { link_type, ..*link }).collect();
        Self { lengths, ..self }
    }

    /// The same topology with `hosts[node]` hosts at each router.
    pub fn with_hosts(self, hosts: Vec<u16>) -> Self {
        Self { hosts: if hosts.iter().all(|&hosts| hosts == 1) { Vec::new() } else { hosts }, ..self }
    }

    /// The same links, stored under another symmetry of theirs.
    pub fn with_symmetry(self, symmetry: Symmetry) -> Self {
        Self { symmetry, ..self }
    }

    /// The same topology with its blocks moved: `to[block]` is the new number of a block. Links keep their
    /// ports.
    pub fn with_moved_blocks(self, to: &[BlockId]) -> Self {
        let size = self.symmetry.block_size() as u32;
        let moved = |end: End| End {
            node: NodeId(to[(end.node.0 / size) as usize].0 * size + end.node.0 % size),
            ..end
        };
        let links =
            self.links.iter().map(|link| Link { a: moved(link.a), b: moved(link.b), ..*link }).collect();
        let Self { names, capacities, ports, .. } = self;
        Self { names, capacities, ..Self::new(ports, links, self.symmetry.with_moved_blocks(to)) }
    }

    /// Number of routers, with or without hosts.
    #[inline]
    pub fn node_count(&self) -> usize {
        self.symmetry.node_count()
    }
    /// The most ports of a router (6 in a pod).
    #[inline]
    pub fn ports(&self) -> usize {
        self.ports
    }
    /// All routers, in the order of their ids.
    #[inline]
    pub fn nodes(&self) -> impl DoubleEndedIterator<Item = NodeId> + ExactSizeIterator + use<> {
        (0..self.node_count()).map(NodeId::new)
    }
    /// All links, sorted by their ends.
    #[inline]
    pub fn links(&self) -> &IdVec<LinkId, Link> {
        &self.links
    }
    /// Number of channels: two per duplex link, one per simplex link.
    #[inline]
    pub fn channel_count(&self) -> usize {
        if self.has_simplex() { self.channel_links.len() } else { self.links.len() * 2 }
    }
    /// Whether some link is simplex.
    #[inline]
    pub fn has_simplex(&self) -> bool {
        !self.channel_links.is_empty()
    }
    /// Hosts of a router, 0 for one that only forwards.
    #[inline]
    pub fn hosts(&self, node: NodeId) -> u16 {
        self.hosts.get(node.index()).copied().unwrap_or(1)
    }
    /// The largest number of hosts at one router.
    pub fn most_hosts(&self) -> u16 {
        self.nodes().map(|node| self.hosts(node)).max().unwrap_or(0)
    }
    /// Whether a router sends and receives, that is, has hosts.
    #[inline]
    pub fn is_endpoint(&self, node: NodeId) -> bool {
        self.hosts(node) > 0
    }
    /// The routers that send and receive, by id.
    pub fn endpoints(&self) -> impl DoubleEndedIterator<Item = NodeId> {
        self.nodes().filter(|&node| self.is_endpoint(node))
    }
    /// The names of routers and ports.
    pub fn names(&self) -> &RouterNames {
        &self.names
    }
    /// The capacities of the declared links.
    pub fn capacities(&self) -> &Capacities {
        &self.capacities
    }
    /// Whether the links are cables on a floor. Then each has a length.
    pub fn has_cables(&self) -> bool {
        !self.lengths.is_empty()
    }
    /// Length of the cable of a link, in 0.1 m. 0 without a floor.
    pub fn length(&self, link: LinkId) -> u32 {
        self.lengths.get(link.index()).copied().unwrap_or(0)
    }
    /// Capacity of the channels of a link, in units.
    #[inline]
    pub fn capacity(&self, link: LinkId) -> u64 {
        self.capacities.capacity(self.links[link].link_type)
    }
    /// Capacity of a channel, in units.
    #[inline]
    pub fn channel_capacity(&self, channel: ChannelId) -> u64 {
        self.capacity(self.link_of(channel))
    }
    /// Parts of a unit of load that a route of weight 1 puts on a channel.
    #[inline]
    pub fn slowness(&self, channel: ChannelId) -> u64 {
        self.capacities.slowness(self.link(channel).link_type)
    }
    /// The name of a router.
    pub fn name(&self, node: NodeId) -> String {
        self.names.node(node)
    }
    /// The router of a name or number, if there is one.
    pub fn find(&self, name: &str) -> Option<NodeId> {
        let numbered = name.parse().ok().map(NodeId).filter(|node| (node.0 as usize) < self.node_count());
        numbered.or_else(|| self.names.find(name, self.node_count()))
    }
    /// A hint about the names that [`Topology::find`] knows: `they are called ..`.
    pub fn names_hint(&self) -> String {
        self.names.range_hint(self.node_count())
    }
    /// `cube0[3,0,0].+x -> cube1[0,0,0]`: a channel as people name it.
    pub fn channel_name(&self, channel: ChannelId) -> String {
        let (from, to) = (self.source(channel), self.target(channel));
        format!("{}.{} -> {}", self.name(from.node), self.names.port(from.port), self.name(to.node))
    }
    /// The channel of a link from its end `a` to its end `b`.
    #[inline]
    pub fn forward(&self, link: LinkId) -> ChannelId {
        if self.has_simplex() { self.first_channels[link.index()] } else { ChannelId::new(2 * link.index()) }
    }
    /// The id of the link that a channel belongs to.
    #[inline]
    pub fn link_of(&self, channel: ChannelId) -> LinkId {
        if self.has_simplex() { self.channel_links[channel.index()] } else { LinkId(channel.0 / 2) }
    }
    /// The link that a channel belongs to.
    #[inline]
    pub fn link(&self, channel: ChannelId) -> &Link {
        &self.links[self.link_of(channel)]
    }
    /// The other direction of a channel's link, unless the link is simplex.
    #[inline]
    pub fn reverse(&self, channel: ChannelId) -> Option<ChannelId> {
        self.channels_of(self.link_of(channel)).find(|&other| other != channel)
    }
    /// A link as people name it: its channel from its end `a`.
    pub fn link_name(&self, link: LinkId) -> String {
        self.channel_name(self.forward(link))
    }
    /// The channels of a link: two, or one if it is simplex.
    #[inline]
    pub fn channels_of(&self, link: LinkId) -> impl Iterator<Item = ChannelId> + use<> {
        let first = self.forward(link).0;
        (first..first + if self.links[link].simplex { 1 } else { 2 }).map(ChannelId)
    }
    /// All channels, in the order of their ids.
    pub fn channels(&self) -> impl Iterator<Item = ChannelId> + use<> {
        (0..self.channel_count()).map(ChannelId::new)
    }
    /// The source and the target of a channel.
    #[inline]
    fn source_and_target(&self, channel: ChannelId) -> (End, End) {
        let (id, link) = (self.link_of(channel), self.link(channel));
        if channel == self.forward(id) { (link.a, link.b) } else { (link.b, link.a) }
    }
    /// Where a channel starts: the router and its output port.
    #[inline]
    pub fn source(&self, channel: ChannelId) -> End {
        self.source_and_target(channel).0
    }
    /// Where a channel ends: the router and its input port.
    #[inline]
    pub fn target(&self, channel: ChannelId) -> End {
        self.source_and_target(channel).1
    }
    /// The channel that leaves a router through a port, unless the port is dark.
    #[inline]
    pub fn outgoing(&self, node: NodeId, port: PortId) -> Option<ChannelId> {
        self.outgoing[node.index() * self.ports + port.index()]
    }
    /// All channels that leave a router, in port order.
    #[inline]
    pub fn channels_from(&self, node: NodeId) -> impl Iterator<Item = ChannelId> {
        self.outgoing[node.index() * self.ports..][..self.ports].iter().copied().flatten()
    }
    /// All channels that lead to a router, by input port.
    #[inline]
    pub fn channels_into(&self, node: NodeId) -> impl Iterator<Item = ChannelId> {
        // With duplex links only, the channel that comes in by a port is the reverse of the one that leaves
        // by it.
        let (ends, other_direction) =
            if self.has_simplex() { (&self.incoming, 0) } else { (&self.outgoing, 1) };
        let channels = ends[node.index() * self.ports..][..self.ports].iter().copied().flatten();
        channels.map(move |channel| ChannelId(channel.0 ^ other_direction))
    }
    /// The nodes that are reachable from a node over links with `lit`, the node itself included. A bit set
    /// over nodes.
    pub fn reachable(&self, start: NodeId, lit: impl Fn(LinkId) -> bool) -> FixedBitSet {
        let mut seen = FixedBitSet::with_capacity(self.node_count());
        seen.insert(start.index());
        let mut open = vec![start];
        while let Some(node) = open.pop() {
            for channel in self.channels_from(node).filter(|&channel| lit(self.link_of(channel))) {
                let to = self.target(channel).node;
                if !seen.put(to.index()) {
                    open.push(to);
                }
            }
        }
        seen
    }
    /// The symmetry of this topology.
    pub fn symmetry(&self) -> &Symmetry {
        &self.symmetry
    }
    /// The class of a channel under a symmetry of this topology:
    /// `class of its source node * ports + output port`.
    #[inline]
    pub fn channel_class(&self, symmetry: &Symmetry, channel: ChannelId) -> ChannelClass {
        let source = self.source(channel);
        ChannelClass::new(symmetry.class(source.node) * self.ports + source.port.index())
    }
    /// Whether a packet increments its count when it crosses a channel.
    pub fn is_counted(&self, channel: ChannelId, count: VcCount) -> bool {
        match count {
            VcCount::Hops => true,
            VcCount::GlobalHops => self.link(channel).class == LinkClass::Global,
        }
    }
    /// Number of channel classes under a symmetry. It includes classes of dark ports, which stay unused.
    #[inline]
    pub fn class_count(&self, symmetry: &Symmetry) -> usize {
        symmetry.class_count() * self.ports
    }
}
