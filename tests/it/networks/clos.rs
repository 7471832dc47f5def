//! Folded Clos networks: their counts against tables of the literature, their names, their routes at the
//! bound, and their faults.

use super::builds::built;
use super::{GLOBAL, LOCAL, degree, listed, roomy, wired};
use fabc::check;
use fabc::ids::NodeId;
use fabc::ir::ScenarioMetrics;
use fabc::model::{Arcs, Clos, ClosForm, ClosStage, Demand, Family, Metric};

/// A folded Clos network. Its stages are, by turns, of the local and the global link.
fn clos_with(form: ClosForm, down: &[u32], up: &[u32], parallel: &[u32]) -> Clos {
    let stage = |place: usize| ClosStage {
        down: down[place],
        up: up[place],
        parallel: parallel[place],
        link: if place.is_multiple_of(2) { LOCAL } else { GLOBAL },
    };
    let stages: Vec<ClosStage> = (0..down.len()).map(stage).collect();
    Clos { form, tier_words: Clos::default_words(stages.len() + 1), stages }
}

pub(super) fn clos(down: &[u32], up: &[u32], parallel: &[u32]) -> Family {
    Family::Clos(clos_with(ClosForm::General, down, up, parallel))
}

fn leaf_spine(leaves: u32, spines: u32, parallel: u32) -> Clos {
    clos_with(ClosForm::LeafSpine, &[leaves], &[spines], &[parallel])
}

fn fat_tree(k: u32, levels: u32) -> Clos {
    let stages = Clos::full_radix(k, levels, LOCAL);
    Clos { form: ClosForm::FatTree { k }, tier_words: Clos::default_words(levels as usize), stages }
}

/// Small ones, with the odd cases among them.
pub(super) fn samples() -> Vec<Family> {
    vec![
        Family::Clos(fat_tree(4, 3)),
        Family::Clos(fat_tree(6, 2)),
        Family::Clos(fat_tree(4, 4)),
        Family::Clos(leaf_spine(5, 3, 1)),
        Family::Clos(leaf_spine(4, 2, 3)),
        clos(&[3, 4], &[2, 1], &[1, 2]),
        clos(&[2, 3, 2], &[1, 2, 3], &[2, 1, 1]),
    ]
}

/// The number of switches of every tier, and of cables between switches.
fn counts(clos: &Clos) -> (Vec<u64>, u64) {
    ((0..clos.tiers()).map(|tier| clos.tier_size(tier)).collect(), clos.cables())
}

/// Fat trees of k ports: Al-Fares and others 2008. SuperPODs: the tables of components of NVIDIA's reference
/// architectures (DGX H100, DGX B300).
#[test]
fn counts_are_those_of_the_literature() {
    for (k, tiers, hosts, cables) in [
        (4, [8, 8, 4], 16, 32),
        (8, [32, 32, 16], 128, 256),
        (36, [648, 648, 324], 11_664, 23_328),
        (48, [1_152, 1_152, 576], 27_648, 55_296),
        (64, [2_048, 2_048, 1_024], 65_536, 131_072),
    ] {
        let tree = fat_tree(k, 3);
        assert_eq!(counts(&tree), (tiers.to_vec(), cables), "k = {k}");
        assert_eq!(tree.tier_size(0) * u64::from(k / 2), hosts, "k = {k}");
    }
    for (k, levels) in [(4, 2), (8, 2), (6, 4), (10, 5)] {
        let (switches, cables) = counts(&fat_tree(k, levels));
        let half = u64::from(k / 2);
        let levels = u64::from(levels);
        assert_eq!(switches.iter().sum::<u64>(), (2 * levels - 1) * half.pow(levels as u32 - 1));
        assert_eq!(cables, 2 * (levels - 1) * half.pow(levels as u32));
    }
    for ([leaves, spines, parallel], hosts_of_leaf, hosts) in [
        ([16, 8, 4], 32, 512),
        ([32, 16, 2], 32, 1_024),
        ([64, 32, 1], 32, 2_048),
        ([8, 4, 18], 72, 576),
        ([16, 8, 9], 72, 1_152),
        ([32, 18, 4], 72, 2_304),
        ([64, 36, 2], 72, 4_608),
        ([144, 72, 1], 72, 10_368),
    ] {
        let unit = leaf_spine(leaves, spines, parallel);
        assert_eq!(counts(&unit), (vec![leaves.into(), spines.into()], hosts));
        assert_eq!(u64::from(leaves) * hosts_of_leaf, hosts);
    }
    for (pods, parallel, tiers, cables) in
        [(4, 16, [128, 128, 64], 4_096), (8, 8, [256, 256, 128], 8_192), (16, 4, [512, 512, 256], 16_384)]
    {
        let unit = clos_with(ClosForm::General, &[32, pods], &[32, pods / 2], &[1, parallel]);
        assert_eq!(counts(&unit), (tiers.to_vec(), 2 * cables), "{pods} pods");
    }
}

#[test]
fn names_show_the_digits() {
    let names = |clos: Clos, ids: &[u32]| -> Vec<String> {
        let topology = wired(&roomy(Family::Clos(clos)));
        ids.iter().map(|&id| topology.name(NodeId(id))).collect()
    };
    let tree = names(fat_tree(8, 3), &[0, 31, 32, 60, 64, 70, 79]);
    assert_eq!(
        tree,
        ["edge[0,0]", "edge[7,3]", "agg[0,0]", "agg[7,0]", "core[0,0]", "core[1,2]", "core[3,3]"]
    );
    assert_eq!(names(leaf_spine(4, 2, 1), &[2, 4]), ["leaf[2]", "spine[0]"]);
    assert_eq!(
        names(fat_tree(4, 4), &[0, 16, 32, 48]),
        ["tier1[0,0,0]", "tier2[0,0,0]", "tier3[0,0,0]", "tier4[0,0,0]"]
    );
}

/// Every switch of a tree of full radix uses all of its ports, below the hosts.
#[test]
fn a_tree_of_full_radix_uses_every_port() {
    let topology = wired(&roomy(Family::Clos(fat_tree(8, 3))));
    for node in topology.nodes() {
        let hosts = if topology.is_endpoint(node) { 4 } else { 0 };
        assert_eq!(degree(&topology, node) + hosts, 8);
    }
}

/// A spec of a network, with as many ports as it needs.
fn spec(topology: &str, routing: &str, budget: &str) -> String {
    format!(
        "fabric net {{ clock = 1 GHz; link cable {{ bandwidth = 100 Gbps; latency = 10 ns; }}
        router {{ radix = 64; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }}
        budget {{ {budget} }} topology = {topology} routing = {routing}; }}"
    )
}

/// The load of the busiest channel and its lower bound, in a scenario.
fn load_and_bound(metrics: &ScenarioMetrics) -> (f64, f64) {
    (metrics.value(Metric::MaxChannelLoad).expect("routed").as_f64(), metrics.load_bound().as_f64())
}

/// Known answers: 31 destinations over 4 links up of a fat tree of 8 ports, 63 over 8 of a k-ary n-tree of
/// arity 8. The other bounds are those of the certified flow.
#[test]
fn routes_over_tiers_are_at_the_bound() {
    for (topology, least) in [
        ("fat_tree { k = 4; }", 4.0),
        ("fat_tree { k = 8; }", 8.0),
        ("fat_tree { k = 16; }", 16.0),
        ("fat_tree { k = 4; levels = 4; }", 8.0),
        ("fat_tree { levels = 3; arity = 8; }", 8.0),
        ("fat_tree { levels = 2; arity = 16; }", 1.0),
        ("leaf_spine { leaves = 8; spines = 4; }", 2.0),
        ("leaf_spine { leaves = 16; spines = 8; }", 2.0),
        ("clos { down = 4 x 6; up = 4 x 4; }", 6.0),
        ("clos { down = 8 x 8; up = 4 x 4; }", 28.0),
    ] {
        for routing in ["minimal", "up_down"] {
            let (compiled, _) = built(&spec(topology, routing, "vcs = 1;"));
            let (load, bound) = load_and_bound(&compiled.scenarios[0].metrics);
            assert_eq!((load, bound.ceil()), (least, least), "{topology} {routing}");
        }
    }
}

/// Where numbers of neighbors do not divide each other, no Latin square is even, and the balance goes on.
#[test]
fn uneven_tiers_are_near_the_bound() {
    for topology in [
        "clos { down = 6 x 5; up = 4 x 3; }",
        "clos { down = 5 x 5; up = 3 x 3; }",
        "clos { down = 12 x 3; up = 8 x 4; }",
        "clos { down = 3 x 4 x 3; up = 2 x 3 x 2; }",
    ] {
        for routing in ["minimal", "up_down"] {
            let (compiled, _) = built(&spec(topology, routing, "vcs = 1;"));
            let (load, bound) = load_and_bound(&compiled.scenarios[0].metrics);
            assert!(load <= bound.ceil() + 1.0, "{topology} {routing}: {load}, bound {bound}");
        }
    }
}

/// One virtual channel does around every fault of a link and of a switch, and every scenario is proved.
#[test]
fn faults_of_tiers_need_one_virtual_channel() {
    for topology in ["fat_tree { k = 4; }", "leaf_spine { leaves = 4; spines = 3; parallel = 2; }"] {
        for faults in ["1 link", "1 router"] {
            for routing in ["minimal", "up_down"] {
                let (compiled, _) = built(&spec(topology, routing, &format!("vcs = 1; faults = {faults};")));
                assert!(compiled.scenarios.len() > 1, "{topology} {routing} {faults}");
                for scenario in &compiled.scenarios {
                    let (load, bound) = load_and_bound(&scenario.metrics);
                    let name = &scenario.scenario.name;
                    assert!(load <= 2.0 * bound.ceil(), "{topology} {routing} {name}: {load}, bound {bound}");
                }
            }
        }
    }
}

/// The fat tree of 4 ports as a file lists it, in any order, with hosts as routers: the same counts, and one
/// virtual channel.
#[test]
fn a_file_with_tiers_is_routed_as_they_are() {
    let (compiled, _) = built(&spec("fat_tree { k = 4; }", "minimal", "vcs = 1;"));
    let tree = &compiled.topology;
    let (switches, hosts) = (tree.node_count() as u32, 16);
    // Switches get other numbers: 7 has no common divisor with 20.
    let renamed = |switch: u32| hosts + switch * 7 % switches;
    let cables = tree.links().iter().map(|link| [renamed(link.a.node.0), renamed(link.b.node.0)]);
    let host_cables = (0..hosts).map(|host| [host, renamed(host / 2)]);
    let links: Vec<[u32; 2]> = cables.chain(host_cables).collect();
    let mut file = listed(hosts + switches, &links, Arcs::Duplex);
    file.routers.iter_mut().skip(hosts as usize).for_each(|router| router.hosts = Some(0));
    let mut fabric = roomy(Family::Listed(file));
    let endpoints = (0..hosts).map(NodeId).collect();
    fabric.demand = Demand::uniform(hosts as usize).among_endpoints((hosts + switches) as usize, endpoints);
    check::verify_wiring(&fabric, &wired(&fabric), None).expect("the links of the file");
    for routing in [fabc::model::RoutingChoice::Minimal, fabc::model::RoutingChoice::UpDown] {
        let mut fabric = fabric.clone();
        fabric.budget.vcs = 1;
        fabric.routing = routing;
        let compiled = fabc::compile::compile(fabric, fabc::compile::Stage::Emit, &fabc::progress::Silent)
            .unwrap_or_else(|failure| panic!("{failure:?}"));
        // 15 other hosts over the one link of a host.
        assert_eq!(load_and_bound(&compiled.scenarios[0].metrics), (15.0, 15.0));
    }
}
