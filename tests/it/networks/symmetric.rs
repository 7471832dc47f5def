//! Searched networks with symmetries: what the checker says of other ports, links and groups.

use crate::support::spec_text::SpecText;
use fabc::check;
use fabc::compile::candidates;
use fabc::ir::{End, Link, Symmetry, Topology};
use fabc::model::{Fabric, Plant};

/// A searched network and its topology.
fn searched(topology: &str) -> (Fabric, Topology) {
    let text = SpecText::network(topology).text();
    let read = |_: &str| Ok(text.clone());
    let (fabric, ..) =
        fabc::lang::read_normal("net.fab", &read).unwrap_or_else(|error| panic!("{:?}", error.0));
    let Plant::Network(network) = &fabric.plant else { panic!("it is a network") };
    let topology = candidates(&fabric, network).expect("a search").swap_remove(0);
    (fabric, topology)
}

/// The topology with other links or another symmetry.
fn with(topology: &Topology, links: Vec<Link>, symmetry: Symmetry) -> Topology {
    Topology::new(topology.ports(), links.into_iter().collect(), symmetry)
        .named(topology.names().clone())
        .with_capacities(topology.capacities().clone())
}

fn verdict(fabric: &Fabric, topology: &Topology) -> Result<(), String> {
    check::verify_wiring(fabric, topology, None).map(drop).map_err(|error| error.to_string())
}

#[test]
fn the_group_travels_with_the_topology() {
    let (fabric, topology) = searched("synthesize { routers = 24; degree = 3; }");
    assert!(topology.symmetry().order() > 1);
    assert_eq!(verdict(&fabric, &topology), Ok(()));
    let (fabric, topology) = searched("synthesize { routers = 24; degree = 3; symmetry = none; }");
    assert_eq!(topology.symmetry().order(), 1);
    assert_eq!(verdict(&fabric, &topology), Ok(()));
    // A prime number of routers has no group with orbits that suit the search.
    let (fabric, topology) = searched("synthesize { routers = 23; degree = 4; }");
    assert_eq!(topology.symmetry().order(), 1);
    assert_eq!(verdict(&fabric, &topology), Ok(()));
}

#[test]
fn other_ports_links_and_groups_are_convicted() {
    let (fabric, topology) = searched("synthesize { routers = 24; degree = 3; }");
    let links: Vec<Link> = topology.links().iter().copied().collect();
    let symmetry = topology.symmetry();
    // Two ports of a router change places.
    for router in [0, 7, 23] {
        let swapped = |end: End| match (end.node.0 == router, end.port.0) {
            (true, port @ 0..2) => End { port: fabc::ids::PortId(1 - port), ..end },
            _ => end,
        };
        let other =
            links.iter().map(|link| Link { a: swapped(link.a), b: swapped(link.b), ..*link }).collect();
        let said = verdict(&fabric, &with(&topology, other, symmetry.clone())).expect_err("other ports");
        assert!(said.contains("its symmetry puts that link at port"), "{said}");
    }
    // Two links exchange their ends, so that degrees and ports stay, and the group does not keep them.
    let mut exchanged = links.clone();
    let other = (1..links.len())
        .find(|&other| {
            let ends = [links[0].a, links[0].b, links[other].a, links[other].b].map(|end| end.node);
            ends.iter().all(|end| ends.iter().filter(|same| *same == end).count() == 1)
        })
        .expect("a link elsewhere");
    (exchanged[0].b, exchanged[other].b) = (links[other].b, links[0].b);
    assert!(verdict(&fabric, &with(&topology, exchanged, symmetry.clone())).is_err());
    // Without a group, the ports of every router would be by neighbor.
    assert!(verdict(&fabric, &with(&topology, links, symmetry.to_trivial())).is_err());
}
