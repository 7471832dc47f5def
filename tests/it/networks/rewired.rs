//! A changed wiring is an error, and so are hosts and names that are not those of the family.

use super::samples::samples;
use super::{GLOBAL, LOCAL, conviction, dragonfly, fabric, kautz, roomy, wired};
use fabc::check;
use fabc::ids::{Id, LinkId, NodeId, PortId};
use fabc::ir::{End, Link, LinkClass, RouterNames, Symmetry, Topology};
use fabc::model::{Arcs, Arrangement};

/// The same topology with other links. `ports` as before or more.
fn rewired(topology: &Topology, links: Vec<Link>, ports: usize) -> Topology {
    let hosts = topology.nodes().map(|node| topology.hosts(node)).collect();
    Topology::new(ports, links, topology.symmetry().to_trivial())
        .with_hosts(hosts)
        .named(topology.names().clone())
        .with_capacities(topology.capacities().clone())
}

#[test]
fn a_link_that_is_missing_is_seen() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        for dropped in topology.links().ids() {
            let links = topology
                .links()
                .enumerate()
                .filter(|&(id, _)| id != dropped)
                .map(|(_, &link)| link)
                .collect();
            conviction(&fabric, &rewired(&topology, links, topology.ports()));
        }
    }
}

#[test]
fn a_link_that_ends_elsewhere_is_seen() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        let (ports, simplex) = (topology.ports(), topology.has_simplex());
        // All of a small network, some of a larger one.
        let (of_links, of_nodes) = (1 + topology.links().len() / 40, 1 + topology.node_count() / 40);
        for moved in topology.links().ids().step_by(of_links) {
            for node in
                topology.nodes().step_by(of_nodes).filter(|&node| node != topology.links()[moved].a.node)
            {
                let mut links = topology.links().as_slice().to_vec();
                let link = &mut links[moved.index()];
                if node == link.b.node {
                    continue;
                }
                // The first port that is free there, one more than there are if need be.
                let taken = |port: &PortId| {
                    let is_here = |end: End| end == End { node, port: *port };
                    topology.links().iter().any(|link| is_here(link.b) || !simplex && is_here(link.a))
                };
                let port = (0..=ports).map(PortId::new).find(|port| !taken(port)).expect("one more is free");
                link.b = End { node, port };
                conviction(&fabric, &rewired(&topology, links, ports.max(port.index() + 1)));
            }
        }
    }
}

#[test]
fn two_ports_that_changed_places_are_seen() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        let nodes = topology
            .nodes()
            .flat_map(|node| topology.channels_from(node).zip(topology.channels_from(node).skip(1)));
        for (first, second) in nodes {
            let mut links = topology.links().as_slice().to_vec();
            let sources = [first, second].map(|channel| topology.source(channel));
            for (channel, port) in [(first, sources[1].port), (second, sources[0].port)] {
                let link = &mut links[topology.link_of(channel).index()];
                if channel == topology.forward(topology.link_of(channel)) {
                    link.a.port = port
                } else {
                    link.b.port = port
                }
            }
            let message = conviction(&fabric, &rewired(&topology, links, topology.ports()));
            assert!(message.contains("port") || message.contains("missing"), "{message}");
        }
    }
}

#[test]
fn parallel_links_that_are_exchanged_at_one_end_alone_are_seen() {
    // Two links between every two groups. Those of groups 0 and 1 exchange their ports at one end.
    let fabric = roomy(dragonfly(4, 2, 5, Arrangement::Palmtree));
    let topology = wired(&fabric);
    let between: Vec<LinkId> = topology
        .links()
        .enumerate()
        .filter(|(_, link)| link.a.node < NodeId(4) && (NodeId(4)..NodeId(8)).contains(&link.b.node))
        .map(|(id, _)| id)
        .collect();
    let &[one, other] = between.as_slice() else { panic!("two links: {between:?}") };
    let mut links = topology.links().as_slice().to_vec();
    (links[one.index()].b, links[other.index()].b) = (links[other.index()].b, links[one.index()].b);
    conviction(&fabric, &rewired(&topology, links, topology.ports()));
}

#[test]
fn a_link_of_the_wrong_class_or_type_is_seen() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        for changed in topology.links().ids() {
            let mut links = topology.links().as_slice().to_vec();
            let link = &mut links[changed.index()];
            link.class = if link.class == LinkClass::Local { LinkClass::Global } else { LinkClass::Local };
            conviction(&fabric, &rewired(&topology, links, topology.ports()));
            let mut links = topology.links().as_slice().to_vec();
            let link = &mut links[changed.index()];
            link.link_type = if link.link_type == LOCAL { GLOBAL } else { LOCAL };
            let message = conviction(&fabric, &rewired(&topology, links, topology.ports()));
            assert!(message.contains('`'), "{message}");
        }
    }
}

#[test]
fn one_channel_is_not_two() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        for changed in topology.links().ids() {
            let mut links = topology.links().as_slice().to_vec();
            let link = &mut links[changed.index()];
            let ports = if link.simplex {
                // The channel back needs ports that no link has. It starts and ends beyond all others.
                (link.a.port, link.b.port) = (PortId::new(topology.ports()), PortId::new(topology.ports()));
                topology.ports() + 1
            } else {
                topology.ports()
            };
            link.simplex = !link.simplex;
            let message = conviction(&fabric, &rewired(&topology, links, ports));
            assert!(message.contains("must be"), "{message}");
        }
    }
}

#[test]
fn an_arc_that_runs_the_other_way_is_seen() {
    let fabric = roomy(kautz(2, 3, Arcs::Simplex));
    let topology = wired(&fabric);
    for turned in topology.links().ids() {
        let mut links = topology.links().as_slice().to_vec();
        let link = &mut links[turned.index()];
        let beyond = PortId::new(topology.ports());
        (link.a, link.b) = (End { node: link.b.node, port: beyond }, End { node: link.a.node, port: beyond });
        conviction(&fabric, &rewired(&topology, links, topology.ports() + 1));
    }
}

#[test]
fn hosts_and_names_are_those_of_the_family() {
    for family in samples() {
        let fabric = fabric(family, 3, 4096);
        let topology = wired(&fabric);
        check::verify_wiring(&fabric, &topology, None).expect("the topology as wired");
        for node in topology.nodes() {
            let mut hosts: Vec<u16> = topology.nodes().map(|node| topology.hosts(node)).collect();
            assert!([0, 3].contains(&hosts[node.index()]));
            hosts[node.index()] = if hosts[node.index()] == 0 { 3 } else { 2 };
            assert!(conviction(&fabric, &topology.clone().with_hosts(hosts)).contains("hosts"));
        }
        assert!(
            conviction(&fabric, &topology.clone().named(RouterNames::Cubes([1, 1, 1]))).contains("names")
        );
        assert!(
            conviction(
                &fabric,
                &topology.clone().with_symmetry(Symmetry::trivial(topology.node_count() as u32, 1))
            )
            .contains("blocks")
        );
    }
}

#[test]
fn more_routers_than_there_are_names_are_seen() {
    for fabric in samples().into_iter().map(roomy) {
        let topology = wired(&fabric);
        let routers = topology.node_count() as u32 + 1;
        let links = topology.links().as_slice().to_vec();
        let more = Topology::new(topology.ports(), links, Symmetry::trivial(1, routers))
            .named(topology.names().clone());
        assert!(conviction(&fabric, &more).contains("routers, but"));
    }
}
