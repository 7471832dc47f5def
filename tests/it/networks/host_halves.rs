//! The bisection between hosts: known answers, every cut of small networks, and the checker.

use super::builds::built;
use super::wired;
use fabc::check;
use fabc::ids::{Id, NodeId};
use fabc::ir::{Fraction, HostBisection, NetworkMetrics, Topology};
use fabc::model::{Fabric, GraphMetric, Plant};
use fabc::passes::measure;

/// A spec of a network of links of 400 Gbps, with these hosts per router and this routing.
fn spec(hosts: u32, topology: &str, routing: &str) -> String {
    format!(
        "fabric halves {{ clock = 1 GHz; link slow {{ bandwidth = 200 Gbps; latency = 30 ns; }}
        link fiber {{ bandwidth = 400 Gbps; latency = 30 ns; }}
        router {{ radix = 64; hosts = {hosts}; vcs = 4; flit = 256 B; buffer = 128 flits; latency = 9 cycles; }}
        budget {{ vcs = 4; }} topology = {topology} routing = {routing}; }}"
    )
}

/// The lower and the upper end in links, and the lower end in GB/s, of a network that is built and verified.
fn interval(text: &str) -> (u64, u64, Fraction) {
    let (compiled, _) = built(text);
    let network = compiled.network.expect("a network");
    let bandwidth = network.value(GraphMetric::HostBisectionBandwidth).expect("measured");
    let bisection = network.host_bisection.expect("some routers have no hosts");
    (bisection.fewest_links(), bisection.links, bandwidth)
}

/// A fat tree of full radix joins any halves of its hosts by half as many links (Al-Fares 2008). Spines that
/// carry half of the bandwidth of the hosts halve it. A single path per pair has no worst permutation, so
/// only the flow of all pairs bounds it.
#[test]
fn widths_between_hosts_are_the_known_ones() {
    let gigabytes = |bandwidth: u64| Fraction::integer(bandwidth);
    for (hosts, topology, routing, least, most, bandwidth) in [
        (2, "fat_tree { k = 4; over = fiber; }", "spray", 8, 8, 400),
        (4, "fat_tree { k = 8; over = fiber; }", "spray", 64, 64, 3_200),
        (4, "fat_tree { k = 8; over = fiber; }", "minimal", 34, 64, 1_700),
        (4, "leaf_spine { leaves = 8; spines = 2; over = fiber; }", "ecmp", 8, 8, 400),
        (4, "leaf_spine { leaves = 8; spines = 4; over = fiber; }", "ecmp", 16, 16, 800),
    ] {
        let measured = interval(&spec(hosts, topology, routing));
        assert_eq!((measured.0, measured.1), (least, most), "{topology} {routing}");
        assert!(measured.2 >= gigabytes(bandwidth), "{topology} {routing}: {:?}", measured.2);
        if least == most {
            assert_eq!(measured.2, gigabytes(bandwidth), "{topology} {routing}");
        }
    }
}

/// Where every router has hosts, halves of hosts are halves of routers.
#[test]
fn direct_networks_have_one_width() {
    let (compiled, _) = built(&spec(2, "hyperx 4 x 4 { link = fiber; }", "minimal"));
    let network = compiled.network.expect("a network");
    assert!(network.host_bisection.is_none());
    let value = |metric| network.value(metric).expect("measured");
    assert_eq!(value(GraphMetric::HostBisection), value(GraphMetric::Bisection));
    assert_eq!(value(GraphMetric::HostBisectionBandwidth), value(GraphMetric::BisectionBandwidth));
}

/// What is measured of a network without routes.
fn measured(text: &str) -> (Fabric, Topology, NetworkMetrics) {
    let loader = |path: &str| if path == "test.fab" { Ok(text.to_owned()) } else { Err(path.to_owned()) };
    let fabric = fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"))
        .0;
    let topology = wired(&fabric);
    let Plant::Network(network) = &fabric.plant else { panic!("a network") };
    let halves = network.family.facts().halves();
    let (metrics, _) = measure::measure(&topology, network, &fabric.demand, &halves, true);
    (fabric, topology, metrics)
}

/// The least capacity between two halves of the routers with hosts, over all sides of all routers.
fn least_capacity(topology: &Topology) -> u64 {
    let endpoints: Vec<usize> = topology.endpoints().map(Id::index).collect();
    let balanced =
        |sides: &u32| endpoints.iter().filter(|&&node| sides >> node & 1 == 1).count() == endpoints.len() / 2;
    let capacity = |sides: u32| {
        let links = topology.links().ids().filter(|&link| {
            let ends = [topology.links()[link].a.node, topology.links()[link].b.node];
            let [a, b] = ends.map(|node| sides >> node.index() & 1);
            a != b
        });
        links.map(|link| topology.capacity(link)).sum::<u64>()
    };
    (0..1u32 << topology.node_count()).filter(balanced).map(capacity).min().expect("a half")
}

#[test]
fn small_networks_are_cut_as_narrow_as_possible() {
    for topology in [
        "leaf_spine { leaves = 5; spines = 3; over = fiber; }",
        "leaf_spine { leaves = 6; spines = 3; parallel = 2; over = slow; }",
        "clos { down = 3 x 3; up = 2 x 1; parallel = 1 x 2; over = [slow, fiber]; }",
        "clos { down = 2 x 3; up = 2 x 2; parallel = 1 x 1; over = [fiber, slow]; }",
        "fat_tree { k = 4; levels = 2; over = fiber; }",
        "fat_tree { levels = 2; arity = 3; link = fiber; }",
        "megafly { a = 4; rho = 1; local = slow; global = fiber; }",
    ] {
        let (_, topology_of, metrics) = measured(&spec(2, topology, "minimal"));
        let bisection = metrics.host_bisection.expect("some routers have no hosts");
        assert_eq!(bisection.at_most, least_capacity(&topology_of), "{topology}");
        check::verify_host_bisection(&topology_of, &bisection).expect("what was measured");
    }
}

#[test]
fn the_checker_refuses_other_sides() {
    let (_, topology, metrics) = measured(&spec(2, "fat_tree { k = 4; over = fiber; }", "minimal"));
    let honest = metrics.host_bisection.expect("some routers have no hosts");
    let refused = |reason: &str, change: &dyn Fn(&mut HostBisection)| {
        let mut claimed = honest.clone();
        change(&mut claimed);
        let error = check::verify_host_bisection(&topology, &claimed).expect_err(reason);
        assert!(error.to_string().contains(reason), "{reason}: {error}");
    };
    refused("run 8 links with capacity 8", &|claimed| claimed.at_most -= 1);
    refused("run 8 links", &|claimed| claimed.links += 1);
    refused("ascending", &|claimed| claimed.side.swap(0, 1));
    refused("has 3 routers with hosts", &|claimed| _ = claimed.side.remove(0));
    refused("the one with the first router", &|claimed| {
        let side = claimed.side.clone();
        claimed.side = topology.nodes().filter(|node: &NodeId| !side.contains(node)).collect();
    });
}
