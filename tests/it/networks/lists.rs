//! Networks from lists of links.

use super::{GLOBAL, LOCAL, conviction, degree, fabric, histograms, listed, roomy, wired};
use fabc::check;
use fabc::ids::{NodeId, PortId};
use fabc::ir::LinkClass;
use fabc::model::{Arcs, Family};

#[test]
fn a_star_a_wide_router_and_a_ring_are_wired_from_lists() {
    let star = listed(101, &(1..=100).map(|leaf| [leaf, 0]).collect::<Vec<_>>(), Arcs::Duplex);
    let mut hub = star.clone();
    hub.routers[0].hosts = Some(0);
    // The hub forwards alone: it fits 100 ports, where 4 hosts would not.
    let fabric = |family, hosts, radix| fabric(Family::Listed(family), hosts, radix);
    let tight = fabric(hub, 4, 100);
    let topology = wired(&tight);
    check::verify_wiring(&tight, &topology, None).expect("100 ports");
    assert_eq!((topology.ports(), topology.endpoints().count()), (100, 100));
    let [all, endpoints] = histograms(&topology);
    assert_eq!(all, [101, 200, 9_900]);
    assert_eq!(endpoints, [100, 0, 9_900]);
    let full = fabric(star, 4, 100);
    assert!(conviction(&full, &wired(&full)).contains("r0 uses 100 ports + 4 hosts, but a router has 100"));

    let wide =
        fabric(listed(129, &(1..=128).map(|leaf| [0, leaf]).collect::<Vec<_>>(), Arcs::Duplex), 0, 128);
    let topology = wired(&wide);
    check::verify_wiring(&wide, &topology, None).expect("128 ports");
    assert_eq!(topology.target(topology.outgoing(NodeId(0), PortId(127)).expect("a link")).node, NodeId(128));

    let ring: Vec<[u32; 2]> = (0..50).map(|router| [router, (router + 1) % 50]).collect();
    for (arcs, diameter, channels) in [(Arcs::Duplex, 25, 2), (Arcs::Simplex, 49, 1)] {
        let ring = fabric(listed(50, &ring, arcs), 1, 4);
        let topology = wired(&ring);
        check::verify_wiring(&ring, &topology, None).expect("a ring");
        assert_eq!(histograms(&topology)[0].len() - 1, diameter);
        assert!(topology.nodes().all(|node| degree(&topology, node) == channels));
        assert!(topology.links().iter().all(|link| link.class == LinkClass::Local));
    }
}

#[test]
fn a_list_says_ports_types_and_hosts() {
    let mut list = listed(3, &[[0, 1], [1, 0], [1, 2], [2, 0]], Arcs::Duplex);
    list.links[1].ports = [Some(0), Some(5)];
    list.links[2].link = GLOBAL;
    list.links[3].ports = [None, Some(1)];
    list.routers[2].hosts = Some(0);
    let fabric = fabric(Family::Listed(list), 2, 8);
    let topology = wired(&fabric);
    check::verify_wiring(&fabric, &topology, None).expect("as listed");
    let leads = |node: u32, port: u16| {
        let channel = topology.outgoing(NodeId(node), PortId(port)).expect("a link");
        let to = topology.target(channel);
        (to.node.0, to.port.0, topology.link(channel).link_type)
    };
    assert_eq!([leads(0, 0), leads(0, 1), leads(0, 5)], [(1, 1, LOCAL), (2, 0, LOCAL), (1, 0, LOCAL)]);
    assert_eq!(leads(1, 2), (2, 1, GLOBAL));
    assert_eq!(topology.nodes().map(|node| topology.hosts(node)).collect::<Vec<_>>(), [2, 2, 0]);
}

#[test]
fn what_lies_apart_is_seen() {
    let apart = roomy(Family::Listed(listed(4, &[[0, 1], [2, 3]], Arcs::Duplex)));
    assert!(conviction(&apart, &wired(&apart)).contains("no path leads from r0 to r2"));
    // Everything can be reached from r0, and nothing leads back.
    let one_way = roomy(Family::Listed(listed(3, &[[0, 1], [1, 2], [0, 2]], Arcs::Simplex)));
    assert!(conviction(&one_way, &wired(&one_way)).contains("no path leads from r1 to r0"));
}
