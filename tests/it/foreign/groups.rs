//! Next-hop groups of anybody: tables of fabc with the numbers of their reports, known answers, and damage.

use super::{Built, build, convicted, judge, unreadable};
use crate::support::spec_text::SpecText;
use fabc::check::{ForeignTables, NextHopVerdict, PathOrder, Rejected};
use miette::Diagnostic;
use serde_json::{Value, json};

/// A load, as (numerator, denominator) in lowest terms.
fn load(judged: &ForeignTables) -> (u64, u64) {
    let (mut divisor, mut rest) = (judged.max_channel_load, judged.shares);
    while rest > 0 {
        (divisor, rest) = (rest, divisor % rest);
    }
    (judged.max_channel_load / divisor, judged.shares / divisor)
}

fn permutation(verdict: &NextHopVerdict) -> (u64, u64) {
    let found = verdict.permutation.as_ref().unwrap();
    (found.load, found.parts)
}

/// Builds a network of four hosts a leaf with `faults = 1 link`.
fn build_faults(topology: &str) -> Built {
    let router =
        "router { radix = 64; hosts = 2; vcs = 1; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }";
    let routing = "budget { vcs = 1; faults = 1 link; } routing = spray;";
    let text = SpecText::network(&super::setting_text(topology)).with(router).with(routing).text();
    Built::from_text(&text)
}

#[test]
fn groups_that_were_built_have_the_numbers_of_their_reports() {
    for (topology, routing) in [
        ("leaf_spine { leaves = 4; spines = 2; over = wire; }", "spray"),
        ("leaf_spine { leaves = 5; spines = 3; parallel = 2; over = wire; }", "spray"),
        ("fat_tree { k = 4; over = wire; }", "ecmp { flows = 4; }"),
        ("clos { down = 3 x 2; up = 2 x 3; parallel = 1 x 2; over = wire; }", "spray"),
        ("fat_tree { levels = 3; arity = 2; }", "spray"),
        ("graph \"tiers.graphml\"", "ecmp"),
    ] {
        let built = build(2, 1, topology, routing);
        let judged = judge(&built.files["tables/nominal.json"], built.topology())
            .unwrap_or_else(|error| panic!("{topology}: {error:?}"));
        let next_hops = judged.next_hops.as_ref().unwrap();
        assert!(matches!(next_hops.order, PathOrder::UpThenDown { .. }), "{topology}: {next_hops:?}");
        assert_eq!((next_hops.unlike, &next_hops.first_unlike), (0, &None), "{topology}");
        assert_eq!(next_hops.kind, routing.split(' ').next().unwrap(), "{topology}");
        built.assert_judged_as_reported(&judged, topology);
    }
}

#[test]
fn known_answers_of_a_fat_tree_and_its_faults() {
    // Host pairs on the busiest channel: 14 in all, 28 and 24 with a link down. Routes count pairs of edges,
    // which have two hosts each.
    let built = build_faults("fat_tree { k = 4; over = wire; }");
    let mut found = Vec::new();
    for (path, tables) in built.files.iter().filter(|(path, _)| path.starts_with("tables/")) {
        let judged = judge(tables, built.topology()).unwrap();
        let next_hops = judged.next_hops.clone().unwrap();
        assert!(matches!(next_hops.order, PathOrder::UpThenDown { tiers: 3 }));
        found.push((path.contains("nominal"), load(&judged), permutation(&next_hops), next_hops.unlike > 0));
    }
    found.sort_unstable();
    assert_eq!(found.len(), 3, "{found:?}");
    assert_eq!(found[2], (true, (7, 2), (1, 1), false));
    // On the healthy network the groups of a fault are not complete. The loads are those of the fault.
    assert_eq!(found[0], (false, (6, 1), (2, 1), true));
    assert_eq!(found[1], (false, (7, 1), (2, 1), true));
}

/// Three leaves with two hosts each, and two spines: leaves are 0, 1, 2, spines 3, 4. Port k of a leaf leads
/// to spine k, and port k of a spine to leaf k.
fn leaves_and_spines() -> Built {
    build(2, 1, "leaf_spine { leaves = 3; spines = 2; over = wire; }", "spray")
}

/// Group tables, one entry for every pair of a router and a destination. No ports means no entry.
fn spread(routers: u64, destinations: u64, ports: impl Fn(u64, u64) -> Vec<u16>) -> Value {
    let mut groups: Vec<Vec<u16>> = Vec::new();
    let mut lines = Vec::new();
    for router in 0..routers {
        let mut entries = Vec::new();
        for destination in 0..destinations {
            let group = ports(router, destination);
            if group.is_empty() {
                continue;
            }
            let known = groups.iter().position(|other| *other == group);
            let number = known.unwrap_or_else(|| {
                groups.push(group);
                groups.len() - 1
            });
            entries.push(json!([destination, destination, number]));
        }
        lines.push(json!({"node": router, "entries": entries}));
    }
    json!({"format": "fabc.tables/2", "kind": "spray", "vcs": 1, "key": ["dst"], "groups": groups, "routers": lines})
}

/// Complete groups of the three leaves and two spines. A leaf has an entry for itself, too.
fn complete(router: u64, destination: u64) -> Vec<u16> {
    if router < 3 { vec![0, 1] } else { vec![destination as u16] }
}

/// The same with other ports of one router to one destination.
fn with_ports(router: u64, destination: u64, ports: &[u16]) -> String {
    let changed = |at: u64, to: u64| match (at, to) == (router, destination) {
        true => ports.to_vec(),
        false => complete(at, to),
    };
    spread(5, 3, changed).to_string()
}

#[test]
fn fewer_next_hops_are_allowed_and_said() {
    let built = leaves_and_spines();
    let judged = judge(spread(5, 3, complete).to_string(), built.topology()).unwrap();
    assert_eq!((load(&judged), judged.next_hops.unwrap().unlike), ((1, 1), 0));
    let judged = judge(with_ports(0, 2, &[1]), built.topology()).unwrap();
    // Half of 0 -> 1, and all of 0 -> 2.
    assert_eq!((load(&judged), judged.busiest.as_str()), ((3, 2), "leaf[0].port1 -> spine[1]"));
    let next_hops = judged.next_hops.unwrap();
    assert_eq!((next_hops.groups, next_hops.unlike), (12, 1));
    assert_eq!(
        next_hops.first_unlike.unwrap(),
        "leaf[0] sends packets to leaf[2] by port1, but shortest paths leave by port0, port1"
    );
    // Hosts of two leaves send both of their flows to leaf[2], one by half.
    assert_eq!(permutation(&judged_permutation(&built)), (2, 1));
}

/// The verdict on tables in which leaf 0 and leaf 1 send to leaf 2 by one spine.
fn judged_permutation(built: &Built) -> NextHopVerdict {
    let ports = |router: u64, destination: u64| match (router, destination) {
        (0 | 1, 2) => vec![0],
        _ => complete(router, destination),
    };
    judge(spread(5, 3, ports).to_string(), built.topology()).unwrap().next_hops.unwrap()
}

#[test]
fn weights_divide_packets() {
    let built = leaves_and_spines();
    let mut tables = spread(5, 3, complete);
    // Of three packets, two take spine[1].
    tables["weights"] = json!([[1, 2], [], [], []]);
    let judged = judge(tables.to_string(), built.topology()).unwrap();
    assert_eq!((load(&judged), judged.busiest.as_str()), ((4, 3), "leaf[0].port1 -> spine[1]"));
    let next_hops = judged.next_hops.unwrap();
    assert!(next_hops.has_weights && next_hops.unlike == 0);
    // Ports may stand in any order, with their weights.
    tables["groups"][0] = json!([1, 0]);
    tables["weights"][0] = json!([4, 2]);
    assert_eq!(load(&judge(tables.to_string(), built.topology()).unwrap()), (4, 3));
    for (weights, message) in [
        (json!([[1, 2]]), "t.lft:1: it has 1 lists of weights for 4 groups"),
        (json!([[1], [], [], []]), "t.lft:1: `weights[0]` has 1 weights for 2 ports"),
        (json!([[1, 0], [], [], []]), "t.lft:1: port 0 of `groups[0]` has the weight 0: leave the port out"),
    ] {
        tables["weights"] = weights;
        unreadable(tables.to_string(), built.topology(), message);
    }
}

#[test]
fn damaged_groups_are_convicted() {
    let built = leaves_and_spines();
    for (router, destination, ports, code, expected) in [
        (
            0,
            2,
            vec![],
            "FAB0417",
            "t.lft: 1 of 6 ordered pairs do not arrive; from leaf[0] to leaf[2]:\n  leaf[0]\n  at leaf[0]: it has no entry for them",
        ),
        (
            4,
            2,
            vec![],
            "FAB0417",
            "t.lft: 2 of 6 ordered pairs do not arrive; from leaf[0] to leaf[2]:\n  leaf[0] -> spine[1]\n  at spine[1]: it has no entry for them",
        ),
        (
            0,
            2,
            vec![0, 2],
            "FAB0411",
            "t.lft: table of leaf[0]: entry [2,2,1] leaves by port2, which leads to no router",
        ),
        (
            0,
            2,
            vec![7],
            "FAB0411",
            "t.lft: table of leaf[0]: entry [2,2,1] leaves by port 7, which does not exist, there are 3",
        ),
        // Leaf 1 sends them up again: to spine 0 or to spine 1, which has sent them there.
        (
            4,
            2,
            vec![1],
            "FAB0412",
            "t.lft: packets from leaf[0] to leaf[2] loop forever:\n  spine[1].port1 -> leaf[1]\n  leaf[1].port1 -> spine[1]",
        ),
    ] {
        let (found, message) = convicted(with_ports(router, destination, &ports), built.topology());
        assert_eq!((found.as_str(), message.as_str()), (code, expected));
    }
}

#[test]
fn an_endpoint_that_forwards_is_convicted() {
    let built = leaves_and_spines();
    // Leaf 0 sends to leaf 2 by spine 0 only, which sends them to leaf 1, and leaf 1 by spine 1.
    let ports = |router: u64, destination: u64| match (router, destination) {
        (0, 2) => vec![0],
        (1, 2) => vec![1],
        (3, 2) => vec![1],
        _ => complete(router, destination),
    };
    let (code, message) = convicted(spread(5, 3, ports).to_string(), built.topology());
    assert_eq!(code, "FAB0434");
    assert_eq!(
        message,
        "t.lft: leaf[1] has hosts, but it forwards packets from leaf[0] to leaf[2]:\n  leaf[0] -> spine[0] -> leaf[1] -> spine[1] -> leaf[2]"
    );
}

#[test]
fn entries_of_groups_that_make_no_sense() {
    let built = leaves_and_spines();
    for (entries, expected) in [
        (
            json!([[0, 1, 0], [1, 2, 0]]),
            "t.lft: table of leaf[0]: entry [1,2,0] overlaps [0,1,0]: both are for leaf[1]",
        ),
        (json!([[2, 1, 0]]), "t.lft: table of leaf[0]: entry [2,1,0] ends before it begins"),
        (
            json!([[1, 5, 0]]),
            "t.lft: table of leaf[0]: entry [1,5,0] is for a router that does not exist, there are 5",
        ),
        (json!([[1, 2, 4]]), "t.lft: table of leaf[0]: entry [1,2,4] names group 4, but there are 4"),
    ] {
        let mut tables = spread(5, 3, complete);
        tables["routers"][0]["entries"] = entries;
        let (code, message) = convicted(tables.to_string(), built.topology());
        assert_eq!((code.as_str(), message.as_str()), ("FAB0411", expected));
    }
    for (place, value, expected) in [
        ("kind", json!("random"), "t.lft:1: its kind is `random`, but this fabc knows `spray` and `ecmp`"),
        (
            "vcs",
            json!(2),
            "t.lft:1: next-hop groups with 2 virtual channels and the key [\"dst\"] cannot be walked, only those with 1 and [\"dst\"]",
        ),
        ("groups", json!([[0, 1], [0], [], [2]]), "t.lft:1: `groups[2]` has no port"),
        ("groups", json!([[1, 1], [0], [1], [2]]), "t.lft:1: `groups[0]` has port 1 twice"),
        ("routers", json!([{"node": 7, "entries": []}]), "t.lft:1: it lists router 7, but there are only 5"),
        (
            "routers",
            json!([{"node": 1, "entries": []}, {"node": 1, "entries": []}]),
            "t.lft:1: router 1 is listed twice",
        ),
        ("routers", json!([{"node": 1, "entries": [[0, 0]]}]), "t.lft:1: invalid length 2"),
    ] {
        let mut tables = spread(5, 3, complete);
        tables[place] = value;
        unreadable(tables.to_string(), built.topology(), expected);
    }
}

#[test]
fn paths_that_climb_again_need_no_cycle() {
    let built = build(2, 1, "fat_tree { k = 4; over = wire; }", "spray");
    let nominal = built.json("tables/nominal.json");
    let tables: fabc::ir::read::GroupTablesFile = serde_json::from_value(nominal).unwrap();
    let tables = tables.into_tables();
    let shortest = |router: u64, destination: u64| {
        let [router, destination] = [router, destination].map(|id| fabc::ids::NodeId(id as u32));
        tables.group(router, destination).to_vec()
    };
    assert_eq!(load(&judge(spread(20, 8, shortest).to_string(), built.topology()).unwrap()), (7, 2));
    // Packets to edge[0,0] come from core[0,0] to agg[3,0], and go up again to core[1,0], then down.
    let detour = |router: u64, destination: u64| match (router, destination) {
        (16, 0) => vec![3],
        (14, 0) => vec![3],
        (18, 0) => vec![0],
        _ => shortest(router, destination),
    };
    let judged = judge(spread(20, 8, detour).to_string(), built.topology()).unwrap();
    let next_hops = judged.next_hops.unwrap();
    assert_eq!(next_hops.order, PathOrder::Climbs("agg[3,0]".to_owned()));
    // Paths of unequal lengths meet, and no permutation is searched.
    assert_eq!((judged.longest, next_hops.unlike, next_hops.permutation), (6, 2, None));
    // Where two destinations do so the other way round, channels wait for each other.
    let cycle = |router: u64, destination: u64| match (router, destination) {
        (18, 2) => vec![2],
        (12, 2) => vec![2],
        _ => detour(router, destination),
    };
    let (code, message) = convicted(spread(20, 8, cycle).to_string(), built.topology());
    assert_eq!(code, "FAB0413");
    let lines = [
        "t.lft: 4 channels can wait on each other in a cycle:",
        "  agg[2,0].port2 -> core[0,0], held by packets from edge[2,0] to edge[0,0]",
        "  core[0,0].port3 -> agg[3,0], held by packets from edge[1,0] to edge[0,0]",
        "  agg[3,0].port3 -> core[1,0], held by packets from edge[3,0] to edge[1,0]",
        "  core[1,0].port2 -> agg[2,0], held by packets from edge[0,0] to edge[1,0]",
    ];
    assert_eq!(message, lines.join("\n"));
}

#[test]
fn networks_without_tiers_are_walked_for_deadlocks() {
    // Every router has hosts, and two cables to the next one.
    let node = |id: u64| json!({"id": id, "name": format!("r{id}"), "hosts": 1});
    let link = |k: u64| json!({"id": k, "a": [k / 2, k % 2], "b": [k / 2 + 1, 2 + k % 2], "class": "local", "link": "wire"});
    let nodes: Vec<Value> = (0..4).map(node).collect();
    let links: Vec<Value> = (0..6).map(link).collect();
    let topology = |links: &[Value]| {
        json!({"format": "fabc.topology/2", "fabric": "line", "ports": 4, "nodes": nodes, "links": links})
            .to_string()
    };
    let along = |router: u64, destination: u64| match router.cmp(&destination) {
        std::cmp::Ordering::Less => vec![0, 1],
        std::cmp::Ordering::Equal => vec![],
        std::cmp::Ordering::Greater => vec![2, 3],
    };
    let judged = judge(spread(4, 4, along).to_string(), topology(&links)).unwrap();
    // Four routes cross the middle, on two cables.
    assert_eq!((load(&judged), judged.hops / judged.shares, judged.longest), ((2, 1), 20, 3));
    let next_hops = judged.next_hops.unwrap();
    assert_eq!((next_hops.order, next_hops.unlike), (PathOrder::NoTiers, 0));
    // A ring of four, both ways to the opposite router.
    let ring: Vec<Value> = (0..4)
        .map(|k| json!({"id": k, "a": [k, 0], "b": [(k + 1) % 4, 1], "class": "local", "link": "wire"}))
        .collect();
    let around = |router: u64, destination: u64| match (destination + 4 - router) % 4 {
        0 => vec![],
        1 => vec![0],
        2 => vec![0, 1],
        _ => vec![1],
    };
    let (code, message) = convicted(spread(4, 4, around).to_string(), topology(&ring));
    assert_eq!(code, "FAB0413");
    let lines = [
        "t.lft: 4 channels can wait on each other in a cycle:",
        "  r0.port0 -> r1, held by packets from r0 to r2",
        "  r1.port0 -> r2, held by packets from r1 to r3",
        "  r2.port0 -> r3, held by packets from r2 to r0",
        "  r3.port0 -> r0, held by packets from r3 to r1",
    ];
    assert_eq!(message, lines.join("\n"));
}

#[test]
fn every_port_that_goes_astray_is_seen() {
    let built = leaves_and_spines();
    let (mut convictions, mut alike) = (0, 0);
    for (router, destination) in
        (0..5).flat_map(|router| (0..3).map(move |destination| (router, destination)))
    {
        for ports in [vec![0], vec![1], vec![2], vec![0, 1], vec![0, 2], vec![1, 2], vec![0, 1, 2]] {
            match judge(with_ports(router, destination, &ports), built.topology()) {
                Err(Rejected::Convicted(errors)) => {
                    let code = errors[0].code().unwrap().to_string();
                    assert!(["FAB0411", "FAB0412", "FAB0417", "FAB0434"].contains(&code.as_str()), "{code}");
                    convictions += 1;
                }
                judged => {
                    let judged = judged.unwrap();
                    // A leaf may use one spine. Its entry for itself has no meaning.
                    let is_leaf = router < 3 && ports.iter().all(|&port| port < 2);
                    assert!(is_leaf || ports == [destination as u16], "{router} to {destination}");
                    alike += 1;
                    assert_eq!(judged.pairs, 6);
                }
            }
        }
    }
    // 9 entries of leaves allow [0], [1], [0, 1]. Six entries of spines allow one group each.
    assert_eq!((convictions, alike), (15 * 7 - 33, 33));
}
