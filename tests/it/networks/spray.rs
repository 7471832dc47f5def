//! Packets that are sprayed over many paths: loads and worst permutations against known answers, faults with
//! groups that shrink, and the checker.

use super::builds::built;
use fabc::check;
use fabc::ir::{Fraction, GroupEntry, GroupTables, Permutation, ScenarioMetrics, Scene};
use fabc::model::Metric;

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
            let fault = metrics.iter().find(|metrics| metrics.scenario == link);
            let fault = fault.unwrap_or_else(|| panic!("{topology}: no {link}"));
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
    assert_eq!(metrics.len(), 1 + 12);
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
