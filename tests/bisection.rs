//! The bisection of networks: exact widths, bounds of the literature, and what the checker refuses.

use fabc::check;
use fabc::compile::{Stage, compile};
use fabc::diag::Failure;
use fabc::ids::NodeId;
use fabc::ir::{Bisection, NetworkMetrics};
use fabc::passes::{measure, wire};
use fabc::progress::Silent;
use fabc::{diag::SourceMap, model};

/// A network of this topology.
fn fabric(topology: &str, more: &str) -> model::Fabric {
    let text = format!(
        "fabric net {{ link wire {{ bandwidth = 100 Gbps; latency = 20 ns; }} \
         router {{ radix = 64; hosts = 2; vcs = 8; flit = 64 B; buffer = 64 flits; latency = 20 cycles; }} \
         topology = {topology} {more} }}"
    );
    let read = |_: &str| -> Result<String, String> { Ok(text.clone()) };
    let loaded: Result<(model::Fabric, _, SourceMap), (Failure, SourceMap)> = model::load("net.fab", &read);
    loaded.map(|(fabric, ..)| fabric).unwrap_or_else(|(failure, _)| panic!("{topology}: {failure:?}"))
}

/// A wired network and what is measured of it, checked.
fn measured(topology: &str) -> (model::Fabric, fabc::ir::Topology, NetworkMetrics) {
    let fabric = fabric(topology, "");
    let model::Plant::Network(network) = &fabric.plant else { panic!("a network") };
    let wired = wire::wire(&fabric, network);
    let (metrics, _) = measure::measure(&wired, &fabric.demand, &wire::halves(network));
    if let Some(bisection) = &metrics.bisection {
        check::bisection(&wired, &fabric.demand, bisection).unwrap_or_else(|error| panic!("{topology}: {error}"));
    }
    (fabric, wired, metrics)
}

fn interval(topology: &str) -> (u64, u64) {
    let bisection = measured(topology).2.bisection.expect("measured");
    (bisection.least, bisection.most)
}

#[test]
fn widths_of_the_literature_come_out() {
    // Where both ends meet, the width is proved.
    assert_eq!(interval("torus 2 x 2 x 2 x 2 x 2 x 2 x 2 x 2;"), (128, 128));
    assert_eq!(interval("hyperx 9 x 9 x 8;"), (1296, 1296));
    // A torus of even sides: two rows of links across the longest axis (Leighton 1992).
    assert_eq!(interval("torus 8 x 8 x 8;"), (75, 128));
    assert_eq!(interval("torus 16 x 16;").1, 32);
    // A mesh with an odd side, which no plane halves: 25 + 5 + 1 (networks of 5^3 routers; exact by
    // Leighton).
    assert_eq!(interval("mesh 5 x 5 x 5;").1, 31);
    assert_eq!(interval("mesh 7;"), (1, 1));
    assert_eq!(interval("hyperx 12;"), (36, 36));
}

#[test]
fn known_cuts_are_reached() {
    let cases = [
        ("dragonfly { a = 8; h = 4; }", 165, 272),
        ("dragonfly { a = 8; h = 4; arrangement = consecutive; }", 161, 272),
        ("dragonfly { a = 12; h = 6; arrangement = consecutive; }", 784, 1332),
        ("fat_tree { levels = 3; arity = 18; }", 1671, 2848),
    ];
    for (topology, least, most) in cases {
        let found = interval(topology);
        assert_eq!(found.0, least, "{topology}");
        assert!(found.1 <= most, "{topology}: {found:?}");
    }
}

#[test]
fn links_at_routers_with_hosts_are_counted_apart() {
    let of = measured("fat_tree { levels = 3; arity = 4; }").2;
    let bisection = of.bisection.expect("measured");
    assert_eq!((of.routers, of.hosts, of.links, of.endpoint_links), (48, 32, 128, 64));
    assert!(bisection.at_endpoints <= bisection.most && bisection.at_endpoints > 0);
}

#[test]
fn one_way_links_have_no_halves() {
    assert!(measured("kautz { degree = 2; length = 3; }").2.bisection.is_none());
    assert!(measured("kautz { degree = 2; length = 3; arcs = duplex; }").2.bisection.is_some());
}

#[test]
fn the_checker_refuses_what_is_not_so() {
    let (fabric, topology, metrics) = measured("hyperx 4 x 4;");
    let honest = metrics.bisection.expect("measured");
    let refused = |what: &str, change: &dyn Fn(&mut Bisection)| {
        let mut claimed = honest.clone();
        change(&mut claimed);
        let error = check::bisection(&topology, &fabric.demand, &claimed).expect_err(what);
        assert!(error.to_string().contains(what), "{what}: {error}");
    };
    assert_eq!((honest.least, honest.most), (16, 16));
    refused("above the 16 links", &|claimed| claimed.least = 17);
    refused("number of links across", &|claimed| claimed.most = 15);
    refused("capacity", &|claimed| claimed.capacity += 1);
    refused("demand", &|claimed| claimed.demand -= 1);
    refused("at routers with hosts", &|claimed| claimed.at_endpoints -= 1);
    refused("has 7 routers", &|claimed| claimed.half.truncate(7));
    refused("ascending", &|claimed| claimed.half.swap(0, 1));
    refused("that of router 0", &|claimed| claimed.half = (1..9).map(NodeId).collect());
    // A cut that is wider allows a lower end that is not proved.
    let lifted = |claimed: &mut Bisection| {
        claimed.half = (0..16).step_by(2).map(NodeId).collect();
        (claimed.least, claimed.most, claimed.at_endpoints, claimed.capacity) = (17, 16 + 16, 32, 32);
    };
    let mut claimed = honest.clone();
    lifted(&mut claimed);
    assert!(check::bisection(&topology, &fabric.demand, &claimed).is_err());
}

#[test]
fn cuts_bound_the_flow_and_the_bound_is_certified() {
    // Two complete graphs that two links join.
    let text = "dragonfly { a = 12; h = 1; g = 2; }";
    let compiled = compile(fabric(text, ""), Stage::Analyze, &Silent).expect("compiles");
    let bisection = compiled.network.as_ref().and_then(|network| network.bisection.as_ref()).expect("measured");
    let flow = bisection.flow().expect("all send to all");
    assert!(compiled.scenarios[0].metrics.flow_high <= flow);
}
