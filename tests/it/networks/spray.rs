//! Packets that are sprayed over many paths: loads and worst permutations against known answers, faults with
//! groups that shrink, and the checker.

use super::builds::built;
use crate::support::command::fabc;
use fabc::check;
use fabc::ids::PortId;
use fabc::ir::{
    FaultSymmetry, Fraction, GroupEntry, GroupTables, Permutation, Scenario, ScenarioFault, ScenarioMetrics,
    Scene, surviving_scene,
};
use fabc::model::Metric;
use fabc::passes::tables::shifted_groups;
use std::collections::BTreeSet;

/// A spec of a network with these hosts per router, faults and topology.
fn spec(hosts: u32, faults: &str, topology: &str) -> String {
    spec_with(hosts, &format!("vcs = 1; faults = {faults};"), topology, "")
}

/// A spec with this budget, and with other items beside the topology.
fn spec_with(hosts: u32, budget: &str, topology: &str, items: &str) -> String {
    // Only a floor determines lengths.
    let cable = if items.starts_with("floor") { "per_metre = 5 ns; cost_per_metre = 2;" } else { "" };
    format!(
        "fabric sprayed {{
    clock = 1 GHz;
    link slow {{ bandwidth = 200 Gbps; latency = 30 ns; }}
    link fiber {{ bandwidth = 400 Gbps; latency = 30 ns; {cable} }}
    router {{ radix = 64; hosts = {hosts}; vcs = 2; flit = 256 B; buffer = 128 flits; latency = 100 cycles; }}
    budget {{ {budget} }}
    topology = {topology}
    routing = spray;
    {items}
}}
"
    )
}

fn value(metrics: &ScenarioMetrics, metric: Metric) -> Fraction {
    metrics.value(metric).unwrap_or_else(|| panic!("{} of {}", metric.name(), metrics.scenario))
}

/// Host pairs on the busiest channel, and the worst permutation.
fn answers(metrics: &ScenarioMetrics, hosts: u32) -> [Fraction; 2] {
    let load = value(metrics, Metric::MaxChannelLoad).times(Fraction::integer(hosts * hosts));
    [load, value(metrics, Metric::Permutation)]
}

/// Every number was computed by hand or by an independent program.
#[test]
fn loads_and_permutations_are_the_known_ones() {
    let ratio = |numerator: u32, denominator: u32| Fraction::new(numerator, denominator);
    // Hosts, topology, the nominal answers, and those of a link that is down: its name, load, permutation.
    let cases = [
        (
            2,
            "fat_tree { k = 4; over = fiber; }",
            [ratio(14, 1), ratio(1, 1)],
            vec![
                ("edge[0,0].port0", ratio(28, 1), ratio(2, 1)),
                ("agg[0,0].port2", ratio(24, 1), ratio(2, 1)),
            ],
        ),
        (
            4,
            "fat_tree { k = 8; over = fiber; }",
            [ratio(124, 1), ratio(1, 1)],
            vec![
                ("edge[0,0].port0", ratio(496, 3), ratio(4, 3)),
                ("agg[0,0].port4", ratio(448, 3), ratio(4, 3)),
            ],
        ),
        (
            8,
            "leaf_spine { leaves = 8; spines = 4; over = fiber; }",
            [ratio(112, 1), ratio(2, 1)],
            vec![("leaf[0].port0", ratio(448, 3), ratio(8, 3))],
        ),
        (
            4,
            "leaf_spine { leaves = 8; spines = 4; over = fiber; }",
            [ratio(28, 1), ratio(1, 1)],
            vec![("leaf[7].port3", ratio(112, 3), ratio(4, 3))],
        ),
        // Two cables to each of two spines do as four spines with one, until one of the two is down: half of
        // the packets still come to its spine.
        (
            4,
            "leaf_spine { leaves = 8; spines = 2; parallel = 2; over = fiber; }",
            [ratio(28, 1), ratio(1, 1)],
            vec![("leaf[7].port3", ratio(56, 1), ratio(2, 1))],
        ),
    ];
    for (hosts, topology, nominal, faults) in cases {
        let compiled = built(&spec(hosts, "1 link", topology)).0;
        let metrics = compiled.metrics();
        assert_eq!(answers(&metrics[0], hosts), nominal, "{topology}");
        for (link, load, permutation) in faults {
            let is_served = |scenario: &Scenario| {
                scenario.name == link || scenario.images.iter().any(|image| image.scenario == link)
            };
            let fault = compiled.scenarios.iter().position(|compiled| is_served(&compiled.scenario));
            let fault = &metrics[fault.unwrap_or_else(|| panic!("{topology}: no {link}"))];
            assert_eq!(answers(fault, hosts), [load, permutation], "{topology}: {link}");
        }
    }
}

/// A link of half the bandwidth counts twice.
#[test]
fn loads_count_over_capacity() {
    let over = "leaf_spine { leaves = 4; spines = 2; over = slow; }";
    let equal = built(&spec(2, "0", over)).0.metrics();
    assert_eq!(answers(&equal[0], 2), [Fraction::integer(6u8), Fraction::integer(1u8)]);
    let uneven = "clos { down = 2 x 2; up = 2 x 2; over = [slow, fiber]; }";
    let metrics = built(&spec(2, "0", uneven)).0.metrics();
    // Three other leaves over two links of capacity 1: 3 / 2. Further up a leaf has 2 of them behind 4
    // channels of capacity 2, and two leaves are below.
    assert_eq!(value(&metrics[0], Metric::MaxChannelLoad), Fraction::new(3u8, 2u8));
    assert_eq!(value(&metrics[0], Metric::Permutation), Fraction::integer(1u8));
}

/// A dead spine takes its share along, and a dead leaf its traffic.
#[test]
fn dead_routers_leave_smaller_groups() {
    let metrics =
        built(&spec(4, "1 router", "leaf_spine { leaves = 8; spines = 4; over = fiber; }")).0.metrics();
    // A leaf and a spine stand for the others.
    assert_eq!(metrics.len(), 1 + 2);
    for fault in &metrics[1..] {
        let expected = match fault.scenario.starts_with("spine") {
            true => [Fraction::new(112u8, 3u8), Fraction::new(4u8, 3u8)],
            false => [Fraction::integer(24u8), Fraction::integer(1u8)],
        };
        assert_eq!(answers(fault, 4), expected, "{}", fault.scenario);
    }
}

/// Whatever is changed in a group, the checker convicts it.
#[test]
fn changed_groups_are_convicted() {
    let topology = "clos { down = 2 x 3; up = 2 x 2; parallel = 1 x 2; over = fiber; }";
    let (compiled, _) = built(&spec(2, "0", topology));
    let scene = Scene::healthy(&compiled.topology);
    let tables = &compiled.scenarios[0].sprayed.as_ref().unwrap().tables;
    let judge = |tables: &GroupTables| check::judge_groups(&compiled.fabric, &scene, tables).map(|_| ());
    judge(tables).unwrap();
    for router in 0..tables.routers.len() {
        for entry in 0..tables.routers[router].len() {
            let changed = |change: &dyn Fn(&mut Vec<GroupEntry>)| {
                let mut changed = tables.clone();
                change(&mut changed.routers[router]);
                assert!(judge(&changed).is_err(), "entry {entry} of router {router}");
            };
            changed(&|entries| {
                entries.remove(entry);
            });
            changed(&|entries| entries[entry].group = (entries[entry].group + 1) % 3);
            changed(&|entries| entries[entry].last.0 += 1);
            changed(&|entries| entries.insert(entry, entries[entry]));
        }
    }
    for group in 0..tables.groups.len() {
        let mut fewer = tables.clone();
        fewer.groups[group].pop();
        assert!(judge(&fewer).is_err(), "group {group} without its last member");
        let mut more = tables.clone();
        more.groups[group].push(60);
        assert!(judge(&more).is_err(), "group {group} with a port that is not wired");
    }
    let mut reordered = tables.clone();
    reordered.groups.swap(0, 1);
    assert!(judge(&reordered).is_err());
    let mut unused = tables.clone();
    unused.groups.push(vec![0]);
    assert!(judge(&unused).is_err());
}

/// A worst permutation that claims more or less than there is, or that is none.
#[test]
fn changed_permutations_are_convicted() {
    let topology = "leaf_spine { leaves = 4; spines = 2; over = fiber; }";
    let (compiled, _) = built(&spec(3, "0", topology));
    let scene = Scene::healthy(&compiled.topology);
    let sprayed = compiled.scenarios[0].sprayed.as_ref().unwrap();
    let worst = sprayed.permutation.as_ref().unwrap();
    assert_eq!(worst.value(), Fraction::new(3u8, 2u8));
    let verify = |worst: &Permutation| check::verify_permutation(&scene, &sprayed.tables, worst);
    verify(worst).unwrap();
    let less = Permutation { load: 1, parts: 1, ..worst.clone() };
    let elsewhere = Permutation { channel: (worst.channel.0, worst.channel.1 + 40), ..worst.clone() };
    let fewer = Permutation { flows: worst.flows[1..].to_vec(), ..worst.clone() };
    let mut more = worst.clone();
    more.flows[0].2 += 1;
    for changed in [less, elsewhere, fewer, more] {
        assert!(verify(&changed).is_err(), "{changed:?}");
    }
    // A smaller permutation is one, but not the worst.
    let mut smaller = worst.clone();
    smaller.flows.truncate(1);
    let count = smaller.flows[0].2;
    (smaller.load, smaller.parts) = (count.into(), 2);
    assert_eq!(verify(&smaller).is_err(), count < 3);
}

/// Many paths with every other item that such a network may have. Every directory is verified to the byte.
#[test]
fn sprayed_packets_go_with_every_other_item() {
    let tree = "fat_tree { k = 4; over = fiber; }";
    let uneven = "clos { down = 2 x 3; up = 3 x 2; parallel = 2 x 1; over = [slow, fiber]; }";
    for (budget, topology, items) in [
        (
            "vcs = 2; faults = 1 link;",
            tree,
            "demand { all_to_all over groups of 4 weight 9; all_to_all weight 1; }",
        ),
        ("vcs = 1; faults = 1 router;", uneven, "demand { all_to_all over groups of 2 weight 3; }"),
        ("vcs = 1; faults = 1 link;", tree, "floor { cabinet = 4; } require cable_length <= 1000 m;"),
        ("vcs = 1; table_entries = 4;", tree, "require permutation <= 1; require max_channel_load <= 3.5;"),
        ("vcs = 1; faults = 1 link;", uneven, "require fault.permutation <= 2 * nominal;"),
        ("vcs = 1;", tree, "failures { links <= 20 %; seeds = 3; } require disconnect_share >= 0.01;"),
        ("vcs = 1;", "leaf_spine { leaves = 2; spines = 1; over = slow; }", "require latency_max <= 1 us;"),
    ] {
        let (compiled, files) = built(&spec_with(2, budget, topology, items));
        assert!(compiled.scenarios.iter().all(|scenario| scenario.sprayed.is_some()), "{topology} {items}");
        let tables = String::from_utf8(files["tables/nominal.json"].clone()).unwrap();
        assert!(
            tables.starts_with("{\"format\":\"fabc.tables/2\",\"scenario\":\"nominal\",\"kind\":\"spray\"")
        );
    }
}

/// A shift takes the tables of a fault to those of its image: the kernel proves them there. Together the
/// classes have every cable or switch once.
#[test]
fn tables_of_a_fault_serve_its_images() {
    let tree = "fat_tree { k = 4; over = fiber; }";
    let uneven = "clos { down = 2 x 3; up = 3 x 2; parallel = 2 x 1; over = [slow, fiber]; }";
    let leaves = "leaf_spine { leaves = 3; spines = 2; parallel = 3; over = fiber; }";
    let pods = "demand { all_to_all over groups of 2 weight 9; all_to_all weight 1; }";
    let weights = "demand { all_to_all over groups of 4 weight 2; }";
    // Faults, topology, other items, and the number of classes.
    for (faults, topology, items, classes) in [
        ("1 link", tree, "", 2),
        ("1 router", tree, "", 3),
        ("1 link", uneven, "", 2),
        ("1 router", uneven, "", 3),
        ("1 link", leaves, "", 1),
        ("1 link", tree, pods, 2),
        // Two pods send to each other, so pods may be swapped in pairs only. No shift by 1 does that.
        ("1 link", tree, weights, 8),
        ("1 router", tree, weights, 9),
    ] {
        let (compiled, _) = built(&spec_with(2, &format!("vcs = 1; faults = {faults};"), topology, items));
        let (fabric, topology) = (&compiled.fabric, &compiled.topology);
        let shifts = fabric.clos_shifts().unwrap();
        assert_eq!(compiled.scenarios.len(), 1 + classes, "{faults}, {items}");
        let mut names = BTreeSet::new();
        for fault in &compiled.scenarios[1..] {
            let tables = &fault.sprayed.as_ref().unwrap().tables;
            names.insert(fault.scenario.name.clone());
            for image in &fault.scenario.images {
                assert!(names.insert(image.scenario.clone()), "{} comes twice", image.scenario);
                let FaultSymmetry::Shift(shift) = &image.symmetry else { panic!("a shift") };
                let carried = shifted_groups(tables, &image.scenario, shifts.clos, shift).unwrap();
                let down = match image.scenario.split_once('.') {
                    None => ScenarioFault::Router(topology.find(&image.scenario).unwrap()),
                    Some((router, port)) => {
                        let port = PortId(port.strip_prefix("port").unwrap().parse().unwrap());
                        let channel = topology.outgoing(topology.find(router).unwrap(), port).unwrap();
                        ScenarioFault::Link(topology.link_of(channel))
                    }
                };
                let scene = surviving_scene(&down, topology, None);
                let (walk, _) = check::judge_groups(fabric, &scene, &carried).unwrap().unwrap();
                assert_eq!(walk.load_histogram, fault.metrics.routed.as_ref().unwrap().load_histogram);
            }
        }
        let faults = if faults == "1 link" { topology.links().len() } else { topology.node_count() };
        assert_eq!(names.len(), faults);
    }
}

/// The checker finds the classes again, and refuses shifts that lead elsewhere.
#[test]
fn changed_classes_of_faults_are_convicted() {
    let (compiled, _) = built(&spec(2, "1 link", "leaf_spine { leaves = 3; spines = 2; over = fiber; }"));
    let (fabric, topology) = (&compiled.fabric, &compiled.topology);
    let scenarios = Scenario::tolerated(fabric, topology);
    check::verify_faults(fabric, topology, &scenarios).unwrap();
    let convicted = |change: &dyn Fn(&mut Vec<Scenario>)| {
        let mut changed = scenarios.clone();
        change(&mut changed);
        assert!(check::verify_faults(fabric, topology, &changed).is_err());
    };
    convicted(&|scenarios| drop(scenarios[1].images.pop()));
    convicted(&|scenarios| scenarios[1].images.swap(0, 1));
    convicted(&|scenarios| scenarios[1].images[0].scenario.push('0'));
    convicted(&|scenarios| {
        let FaultSymmetry::Shift(stages) = &mut scenarios[1].images[0].symmetry else { panic!("a shift") };
        stages[0].down += 1;
    });
}

/// Whoever asks for the table of an image sees it under the names of the image.
#[test]
fn the_table_of_an_image_is_printed() {
    let place = tempfile::tempdir().unwrap();
    let text = spec(2, "1 link", "fat_tree { k = 4; over = fiber; }");
    std::fs::write(place.path().join("tree.fab"), text).unwrap();
    fabc(place.path(), &["build", "tree.fab", "-q"], 0);
    let tables = |scenario: &str, router: &str| {
        fabc(place.path(), &["tables", "out/sprayed", "--scenario", scenario, "--router", router], 0).0
    };
    assert_eq!(
        tables("edge[2,1].port0", "edge[2,1]"),
        "router edge[2,1] (node 5), edge[2,1].port0, 2 entries\n\
         destinations                any of\n\
         edge[0,0] to edge[2,0]  ->  port1\n\
         edge[3,0] to edge[3,1]  ->  port1\n"
    );
    // A leaf of another block sends nothing to it by the switch that lost the link.
    let other = tables("edge[2,1].port0", "edge[0,0]");
    assert!(other.contains("edge[2,1]               ->  port1\n"), "{other}");
    let missing =
        fabc(place.path(), &["tables", "out/sprayed", "--scenario", "edge[4,0].port0", "--router", "0"], 2);
    assert!(missing.1.contains("FAB0512"), "{}", missing.1);
}
