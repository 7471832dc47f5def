//! The [`Scene`] of a topology under a fault, and the one for schedules of vectors.

use super::{CrossConnects, ScenarioFault};
use fabc_model::Plant;
use fabc_topology::{Link, Scene, Topology};

/// The scene under a fault. `cross_connects` say which links run through which switch.
pub fn surviving_scene<'a>(
    fault: &ScenarioFault,
    topology: &'a Topology,
    cross_connects: Option<&CrossConnects>,
) -> Scene<'a> {
    let through = |link, dark: &[_]| {
        let ocs = cross_connects.and_then(|cross_connects| cross_connects.ocs_of[link]);
        ocs.is_some_and(|ocs| dark.contains(&ocs))
    };
    let lit = topology.links().enumerate().map(|(id, link)| match fault {
        ScenarioFault::None => true,
        ScenarioFault::Switches(dark) => !through(id, dark),
        ScenarioFault::Link(link) => *link != id,
        ScenarioFault::Router(dead) => link.a.node != *dead && link.b.node != *dead,
    });
    Scene { topology, lit: lit.collect(), dead: fault.dead().into_iter().collect() }
}

/// The scene for schedules of vectors. Spare routers of a network are those without hosts, and links that
/// touch one are dark.
pub fn schedulable_scene<'a>(plant: &Plant, topology: &'a Topology) -> Scene<'a> {
    if !plant.has_spare() {
        return Scene::healthy(topology);
    }
    let joins_endpoints =
        |link: &Link| topology.is_endpoint(link.a.node) && topology.is_endpoint(link.b.node);
    Scene { topology, lit: topology.links().iter().map(joins_endpoints).collect(), dead: Vec::new() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_base::ids::{BlockId, Id, IdVec, LinkId, LinkTypeId, NodeId, OcsId, PortId};
    use fabc_topology::{End, Link, LinkClass, Symmetry};

    /// A ring of four routers, the `+x` of each to the `-x` of the next, with its rotations.
    fn ring() -> Topology {
        let end = |node: u32, port| End { node: NodeId(node % 4), port: PortId(port) };
        let link = |node| Link {
            a: end(node, 0),
            b: end(node + 1, 1),
            class: LinkClass::Global,
            link_type: LinkTypeId(0),
            simplex: false,
        };
        let rotations = (0..4).map(|by| (0..4).map(|cube| BlockId((cube + by) % 4)).collect()).collect();
        Topology::new(2, (0..4).map(link).collect(), Symmetry::new(1, rotations))
    }

    fn dark(scene: &Scene<'_>) -> Vec<usize> {
        scene.topology.links().ids().filter(|&link| !scene.is_lit(link)).map(Id::index).collect()
    }

    #[test]
    fn the_healthy_topology_is_whole() {
        let topology = ring();
        for scene in [Scene::healthy(&topology), surviving_scene(&ScenarioFault::None, &topology, None)] {
            assert!(dark(&scene).is_empty() && scene.dead.is_empty() && scene.keeps_symmetry());
            assert_eq!((scene.channels().count(), scene.endpoints().count()), (8, 4));
        }
    }

    #[test]
    fn a_dark_link_has_no_channels() {
        let topology = ring();
        let scene = surviving_scene(&ScenarioFault::Link(LinkId(0)), &topology, None);
        assert_eq!((dark(&scene), scene.channels().count(), scene.endpoints().count()), (vec![0], 6, 4));
        let end = topology.links()[LinkId(0)].a;
        assert!(
            topology.outgoing(end.node, end.port).is_some() && scene.outgoing(end.node, end.port).is_none()
        );
        assert_eq!((scene.channels_from(end.node).count(), scene.channels_into(end.node).count()), (1, 1));
        assert!(!scene.keeps_symmetry());
    }

    #[test]
    fn a_dead_router_takes_its_links_along() {
        let topology = ring();
        let scene = surviving_scene(&ScenarioFault::Router(NodeId(2)), &topology, None);
        let around = |&link: &LinkId| {
            [topology.links()[link].a.node, topology.links()[link].b.node].contains(&NodeId(2))
        };
        assert_eq!(dark(&scene), topology.links().ids().filter(around).map(Id::index).collect::<Vec<_>>());
        assert_eq!(scene.endpoints().collect::<Vec<_>>(), [NodeId(0), NodeId(1), NodeId(3)]);
        assert!(!scene.lives(NodeId(2)) && !scene.is_endpoint(NodeId(2)) && !scene.keeps_symmetry());
        // Even where there is none to lose.
        let trivial = ring().with_symmetry(Symmetry::trivial(1, 4));
        assert!(!surviving_scene(&ScenarioFault::Router(NodeId(2)), &trivial, None).keeps_symmetry());
        assert!(surviving_scene(&ScenarioFault::Link(LinkId(0)), &trivial, None).keeps_symmetry());
    }

    #[test]
    fn dark_switches_take_their_links_along() {
        let topology = ring();
        let ocs_of = vec![Some(OcsId(0)), Some(OcsId(1)), None, Some(OcsId(1))].into();
        let cross_connects = CrossConnects { settings: IdVec::filled(Vec::new(), 2), ocs_of };
        let scene = |switches: &[OcsId]| {
            surviving_scene(&ScenarioFault::Switches(switches.to_vec()), &topology, Some(&cross_connects))
        };
        assert_eq!(
            [dark(&scene(&[OcsId(0)])), dark(&scene(&[OcsId(1)])), dark(&scene(&[OcsId(0), OcsId(1)]))],
            [vec![0], vec![1, 3], vec![0, 1, 3]]
        );
        assert!(!scene(&[OcsId(0)]).keeps_symmetry());
    }
}
