//! What is left of a topology: which links are lit, and which routers are dead.
//!
//! In: a topology and a fault. Out: the value that analysis, routing and checks are asked about. Channels of
//! a scene are lit channels; routers keep their numbers. Invariant: a dead router has no lit link.

use super::{CrossConnects, Fault, Topology};
use fabc_base::ids::{ChannelId, Id, IdVec, LinkId, NodeId, PortId};
use fabc_model::Plant;

/// A topology, some links of which may be dark and some routers of which may be dead.
#[derive(Clone, Debug)]
pub struct Scene<'a> {
    /// All that was wired.
    pub topology: &'a Topology,
    /// Which links are lit.
    pub lit: IdVec<LinkId, bool>,
    /// The routers that neither send nor receive nor forward, ascending.
    pub dead: Vec<NodeId>,
}

impl<'a> Scene<'a> {
    /// The healthy topology.
    pub fn whole(topology: &'a Topology) -> Self {
        Self { topology, lit: IdVec::filled(true, topology.links().len()), dead: Vec::new() }
    }

    /// What plans of vectors may use: where a network has spare routers, which are those without hosts, no
    /// link that touches one.
    pub fn scheduled(plant: &Plant, topology: &'a Topology) -> Self {
        if !matches!(plant, Plant::Network(network) if network.has_spare()) {
            return Self::whole(topology);
        }
        let both = |link: &super::Link| topology.is_endpoint(link.a.node) && topology.is_endpoint(link.b.node);
        Self { topology, lit: topology.links().iter().map(both).collect(), dead: Vec::new() }
    }

    /// What is lit between some chips alone.
    pub fn within(&self, chips: &[NodeId]) -> Self {
        let mut inside = vec![false; self.topology.node_count()];
        chips.iter().for_each(|chip| inside[chip.index()] = true);
        let links = self.topology.links().enumerate();
        let lit = links.map(|(id, link)| self.lit[id] && inside[link.a.node.index()] && inside[link.b.node.index()]).collect();
        Self { topology: self.topology, lit, dead: self.dead.clone() }
    }

    /// What a fault leaves; `cross_connects` say which links run through which switch.
    pub fn of(fault: &Fault, topology: &'a Topology, cross_connects: Option<&CrossConnects>) -> Self {
        let through = |link, dark: &[_]| {
            let ocs = cross_connects.and_then(|cross_connects| cross_connects.ocs_of[link]);
            ocs.is_some_and(|ocs| dark.contains(&ocs))
        };
        let lit = topology.links().enumerate().map(|(id, link)| match fault {
            Fault::None => true,
            Fault::Switches(dark) => !through(id, dark),
            Fault::Link(link) => *link != id,
            Fault::Router(dead) => link.a.node != *dead && link.b.node != *dead,
        });
        Self { topology, lit: lit.collect(), dead: fault.dead().into_iter().collect() }
    }

    /// Whether a link is lit.
    pub fn is_lit(&self, link: LinkId) -> bool {
        self.lit[link]
    }
    /// The lit links, by id.
    pub fn links(&self) -> impl Iterator<Item = LinkId> {
        self.topology.links().ids().filter(|&link| self.lit[link])
    }
    /// The first lit link that runs one way only.
    pub fn one_way(&self) -> Option<LinkId> {
        self.links().find(|&link| self.topology.links()[link].simplex)
    }
    /// The first lit link, and the first one that carries otherwise.
    pub fn unlike(&self) -> Option<[LinkId; 2]> {
        let first = self.links().next()?;
        let capacity = self.topology.capacity(first);
        Some([first, self.links().find(|&link| self.topology.capacity(link) != capacity)?])
    }
    /// The first router that lives and only forwards.
    pub fn forwarder(&self) -> Option<NodeId> {
        self.topology.nodes().find(|&node| self.lives(node) && !self.is_endpoint(node))
    }
    /// The lit channels, by id.
    pub fn channels(&self) -> impl Iterator<Item = ChannelId> {
        self.links().flat_map(|link| self.topology.channels_of(link))
    }
    /// The lit channels that leave a router, in port order.
    pub fn channels_from(&self, node: NodeId) -> impl Iterator<Item = ChannelId> {
        self.topology.channels_from(node).filter(|channel| self.lit[channel.link()])
    }
    /// The lit channels that lead to a router, by input port.
    pub fn channels_into(&self, node: NodeId) -> impl Iterator<Item = ChannelId> {
        self.topology.channels_into(node).filter(|channel| self.lit[channel.link()])
    }
    /// The lit channel that leaves a router through a port.
    pub fn outgoing(&self, node: NodeId, port: PortId) -> Option<ChannelId> {
        self.topology.outgoing(node, port).filter(|channel| self.lit[channel.link()])
    }
    /// Whether a router is none of the dead ones.
    pub fn lives(&self, node: NodeId) -> bool {
        self.dead.binary_search(&node).is_err()
    }
    /// Whether a router lives, sends and receives.
    pub fn is_endpoint(&self, node: NodeId) -> bool {
        self.lives(node) && self.topology.is_endpoint(node)
    }
    /// The routers that live, send and receive.
    pub fn endpoints(&self) -> impl DoubleEndedIterator<Item = NodeId> {
        self.topology.endpoints().filter(|&node| self.lives(node))
    }
    /// Whether the topology's symmetry carries lit links onto lit ones; a dead router leaves none.
    pub fn keeps_symmetry(&self) -> bool {
        let symmetry = self.topology.symmetry();
        // Both ends are asked, because the image of a smaller end can be the larger one.
        let kept = |(id, link): (LinkId, &super::Link)| {
            let ends = if link.simplex { &[link.a][..] } else { &[link.a, link.b] };
            ends.iter().all(|end| {
                let canonical = symmetry.canonical_node(symmetry.class(end.node));
                self.topology.outgoing(canonical, end.port).is_some_and(|channel| self.lit[channel.link()] == self.lit[id])
            })
        };
        self.dead.is_empty() && self.topology.links().enumerate().all(kept)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{End, Link, LinkClass, Symmetry};
    use fabc_base::ids::{BlockId, Id, LinkTypeId, OcsId};

    /// A ring of four routers, the `+x` of each to the `-x` of the next, with its rotations.
    fn ring() -> Topology {
        let end = |node: u32, port| End { node: NodeId(node % 4), port: PortId(port) };
        let link = |node| Link { a: end(node, 0), b: end(node + 1, 1), class: LinkClass::Global, link_type: LinkTypeId(0), simplex: false };
        let rotations = (0..4).map(|by| (0..4).map(|cube| BlockId((cube + by) % 4)).collect()).collect();
        Topology::new(2, (0..4).map(link).collect(), Symmetry::new(1, rotations))
    }

    fn dark(scene: &Scene<'_>) -> Vec<usize> {
        scene.topology.links().ids().filter(|&link| !scene.is_lit(link)).map(Id::index).collect()
    }

    #[test]
    fn the_healthy_topology_is_whole() {
        let topology = ring();
        for scene in [Scene::whole(&topology), Scene::of(&Fault::None, &topology, None)] {
            assert!(dark(&scene).is_empty() && scene.dead.is_empty() && scene.keeps_symmetry());
            assert_eq!((scene.channels().count(), scene.endpoints().count()), (8, 4));
        }
    }

    #[test]
    fn a_dark_link_has_no_channels() {
        let topology = ring();
        let scene = Scene::of(&Fault::Link(LinkId(0)), &topology, None);
        assert_eq!((dark(&scene), scene.channels().count(), scene.endpoints().count()), (vec![0], 6, 4));
        let end = topology.links()[LinkId(0)].a;
        assert!(topology.outgoing(end.node, end.port).is_some() && scene.outgoing(end.node, end.port).is_none());
        assert_eq!((scene.channels_from(end.node).count(), scene.channels_into(end.node).count()), (1, 1));
        assert!(!scene.keeps_symmetry());
    }

    #[test]
    fn a_dead_router_takes_its_links_along() {
        let topology = ring();
        let scene = Scene::of(&Fault::Router(NodeId(2)), &topology, None);
        let around = |&link: &LinkId| [topology.links()[link].a.node, topology.links()[link].b.node].contains(&NodeId(2));
        assert_eq!(dark(&scene), topology.links().ids().filter(around).map(Id::index).collect::<Vec<_>>());
        assert_eq!(scene.endpoints().collect::<Vec<_>>(), [NodeId(0), NodeId(1), NodeId(3)]);
        assert!(!scene.lives(NodeId(2)) && !scene.is_endpoint(NodeId(2)) && !scene.keeps_symmetry());
        // Even where there is none to lose.
        let trivial = ring().with_symmetry(Symmetry::trivial(1, 4));
        assert!(!Scene::of(&Fault::Router(NodeId(2)), &trivial, None).keeps_symmetry());
        assert!(Scene::of(&Fault::Link(LinkId(0)), &trivial, None).keeps_symmetry());
    }

    #[test]
    fn dark_switches_take_their_links_along() {
        let topology = ring();
        let ocs_of = vec![Some(OcsId(0)), Some(OcsId(1)), None, Some(OcsId(1))].into();
        let cross_connects = CrossConnects { settings: IdVec::filled(Vec::new(), 2), ocs_of };
        let scene = |switches: &[OcsId]| Scene::of(&Fault::Switches(switches.to_vec()), &topology, Some(&cross_connects));
        assert_eq!(
            [dark(&scene(&[OcsId(0)])), dark(&scene(&[OcsId(1)])), dark(&scene(&[OcsId(0), OcsId(1)]))],
            [vec![0], vec![1, 3], vec![0, 1, 3]]
        );
        assert!(!scene(&[OcsId(0)]).keeps_symmetry());
    }
}
