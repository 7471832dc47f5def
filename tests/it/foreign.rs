//! Forwarding tables of anybody: small networks by hand, with known answers, and networks that were built.

use crate::support::spec_text;
use fabc::check::{CheckError, ForeignTables, LaneFiles, NamedFile, Rejected, foreign_scene, judge_foreign};
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::emit::{self, EmitError};
use fabc::progress::Silent;
use miette::Diagnostic;
use serde_json::{Value, json};
use spec_text::SpecText;
use std::collections::BTreeMap;
use std::fmt::Write;

fn judge(tables: impl AsRef<[u8]>, topology: impl AsRef<[u8]>) -> Result<ForeignTables, Rejected> {
    judge_foreign(
        NamedFile { name: "t.lft", bytes: tables.as_ref() },
        NamedFile { name: "net", bytes: topology.as_ref() },
        None,
    )
}

/// Code and message of the only conviction.
#[track_caller]
fn convicted(tables: impl AsRef<[u8]>, topology: impl AsRef<[u8]>) -> (String, String) {
    match judge(tables, topology) {
        Err(Rejected::Convicted(errors)) => {
            assert_eq!(errors.len(), 1, "{errors:#?}");
            (errors[0].code().unwrap().to_string(), errors[0].to_string())
        }
        other => panic!("{other:?}"),
    }
}

#[track_caller]
fn unreadable(tables: impl AsRef<[u8]>, topology: impl AsRef<[u8]>, message: &str) {
    match judge(tables, topology) {
        Err(Rejected::Unreadable(error)) => {
            assert!(matches!(*error, CheckError::Malformed { .. }));
            assert!(error.to_string().contains(message), "expected `{message}` in `{error}`");
        }
        other => panic!("{other:?}"),
    }
}

/// Switches S0, S1, .. with an adapter at port 3 each. Port 1 of a switch leads to port 2 of the next one.
/// LIDs of adapters count from 1.
fn subnet(switches: usize, closed: bool) -> String {
    let mut out = "# a comment\nvendid=0x2c9\n".to_owned();
    for k in 0..switches {
        let (after, before) = ((k + 1) % switches, (k + switches - 1) % switches);
        writeln!(
            out,
            "switchguid=0x{:x}({:x})\nSwitch\t3 \"S-{:016x}\"\t\t# \"S{k}\" enhanced port 0 lid {} lmc 0",
            k + 16,
            k + 16,
            k + 16,
            k + 101
        )
        .unwrap();
        if closed || after > 0 {
            writeln!(out, "[1]\t\"S-{:016x}\"[2]\t\t# \"S{after}\" lid {} 4xEDR", after + 16, after + 101)
                .unwrap();
        }
        if closed || k > 0 {
            writeln!(out, "[2]\t\"S-{:016x}\"[1]\t\t# \"S{before}\" lid {} 4xEDR", before + 16, before + 101)
                .unwrap();
        }
        writeln!(out, "[3]\t\"H-{k:016x}\"[1]({:x})\t\t# \"chip{k}\" lid {} 4xEDR\n", k + 32, k + 1).unwrap();
        writeln!(out, "caguid=0x{k:x}\nCa\t1 \"H-{k:016x}\"\t\t# \"chip{k}\"").unwrap();
        writeln!(
            out,
            "[1]({:x})\t\"S-{:016x}\"[3]\t\t# lid {} lmc 0 \"S{k}\" lid {} 4xEDR\n",
            k + 32,
            k + 16,
            k + 1,
            k + 101
        )
        .unwrap();
    }
    out
}

/// The dump of tables in which switch `k` sends packets for chip `dst` by `port(k, dst)`. 0 leaves the line
/// out.
fn dump(switches: usize, port: impl Fn(usize, usize) -> usize) -> String {
    let mut out = String::new();
    for k in 0..switches {
        writeln!(
            out,
            "Unicast lids [0-{switches}] of switch Lid {} guid 0x{:016x} ('S{k}'):",
            k + 101,
            k + 16
        )
        .unwrap();
        for dst in (0..switches).filter(|dst| port(k, *dst) > 0) {
            let (lid, guid, port) = (dst + 1, dst + 32, port(k, dst));
            writeln!(out, "0x{lid:04x} {port:03} # Channel Adapter portguid 0x{guid:016x}: 'chip{dst}'")
                .unwrap();
        }
        writeln!(out, "{switches} lids dumped").unwrap();
    }
    out
}

fn along_the_line(k: usize, dst: usize) -> usize {
    match k.cmp(&dst) {
        std::cmp::Ordering::Less => 1,
        std::cmp::Ordering::Greater => 2,
        std::cmp::Ordering::Equal => 3,
    }
}

#[test]
fn a_line_of_three_switches_works() {
    let judged = judge(dump(3, along_the_line), subnet(3, false)).unwrap();
    let ForeignTables {
        routers,
        endpoints,
        channels,
        pairs,
        hops,
        longest,
        max_channel_load,
        vc_hops,
        dependencies,
        ..
    } = judged;
    assert_eq!((routers, endpoints, channels, pairs), (3, 3, 4, 6));
    assert_eq!((hops, longest, max_channel_load, dependencies), (8, 2, 2, 2));
    assert_eq!(vc_hops, [8]);
    assert_eq!(judged.busiest, "S0.[1] -> S1");
}

#[test]
fn other_dialects_are_read() {
    // As ibsim takes it: other ids, no LIDs, and a dump of the diagnostics, whose LIDs are found by the GUIDs
    // of ports.
    let plain: Vec<String> = subnet(3, false)
        .lines()
        .map(|line| line.split('#').next().unwrap().replace("Ca\t", "Hca "))
        .collect();
    let tables = dump(3, along_the_line)
        .replace("switch Lid", "switch DR path slid 0; dlid 0; 0,1 Lid")
        .replace("'):\n", "'):\n  Lid  Out   Destination\n       Port     Info\n")
        .replace(" # ", " : (")
        .replace("lids dumped", "valid lids dumped");
    assert_eq!(judge(&tables, plain.join("\n")).unwrap().hops, 8);
    // Without adapters the switches themselves are the endpoints.
    let bare: Vec<String> = plain
        .iter()
        .filter(|line| !["H-", "caguid", "[1]("].iter().any(|of_adapters| line.contains(of_adapters)))
        .cloned()
        .collect();
    let tables = dump(3, |k, dst| if k == dst { 0 } else { along_the_line(k, dst) });
    let tables = (0..3)
        .fold(tables, |tables, k| tables.replace(&format!("0x{:04x}", k + 1), &format!("0x{:04x}", k + 101)));
    assert_eq!(judge(&tables, bare.join("\n")).unwrap().hops, 8);
}

#[test]
fn a_missing_line_is_shown_with_its_walk() {
    let (code, message) = convicted(
        dump(3, |k, dst| if (k, dst) == (1, 2) { 0 } else { along_the_line(k, dst) }),
        subnet(3, false),
    );
    assert_eq!(code, "FAB0417");
    assert_eq!(
        message,
        "t.lft: 2 of 6 ordered pairs do not arrive; from chip0 to chip2:\n  S0 -> S1\n  at S1: it has no entry for them"
    );
    // The line is open: nobody is behind port 1 of the last switch.
    let (code, message) = convicted(
        dump(3, |k, dst| if (k, dst) == (2, 0) { 1 } else { along_the_line(k, dst) }),
        subnet(3, false),
    );
    assert_eq!(code, "FAB0417");
    assert!(
        message.contains("1 of 6")
            && message.contains("at S2: it sends them to a port that leads to no other router"),
        "{message}"
    );
}

#[test]
fn a_forwarding_loop_is_shown_by_its_channels() {
    let (code, message) = convicted(
        dump(3, |k, dst| if (k, dst) == (1, 2) { 2 } else { along_the_line(k, dst) }),
        subnet(3, false),
    );
    assert_eq!(code, "FAB0412");
    assert_eq!(message, "t.lft: packets from chip0 to chip2 loop forever:\n  S0.[1] -> S1\n  S1.[2] -> S0");
}

#[test]
fn a_ring_in_one_direction_deadlocks() {
    let (code, message) = convicted(dump(5, |k, dst| if k == dst { 3 } else { 1 }), subnet(5, true));
    assert_eq!(code, "FAB0413");
    let lines: Vec<&str> = message.lines().collect();
    assert_eq!(lines[0], "t.lft: 5 channels can wait on each other in a cycle:");
    assert_eq!(lines.len(), 6);
    for k in 0..5 {
        // Whoever holds the channel and waits for the next one goes on beyond its end.
        let channel = format!("  S{k}.[1] -> S{}, held by packets from chip", (k + 1) % 5);
        assert!(lines.iter().any(|line| line.starts_with(&channel)), "{message}");
    }
}

#[test]
fn damaged_files_are_named_by_line() {
    let (tables, topology) = (dump(3, along_the_line), subnet(3, false));
    unreadable(
        tables.replacen("0x0002 001", "0x0002 one", 1),
        &topology,
        "t.lft:3: expected a LID of 0x0001 to 0xbfff and a port of 0 to 3",
    );
    unreadable(
        tables.replacen("0x0002 001", "0x0001 001", 1),
        &topology,
        "t.lft:3: LID 0x0001 has a line already",
    );
    unreadable(
        tables.replacen("0x0000000000000010 ('S0')", "0x99 ('S9')", 1),
        &topology,
        "t.lft:1: neither the GUID nor the description",
    );
    unreadable(tables.replacen("0x0002 001", "two", 1), &topology, "t.lft:3: expected `0x<lid> <port>`");
    unreadable(dump(2, along_the_line), &topology, "there is no table of switch S2");
    unreadable(&tables, topology.replacen("[1]\t\"S-", "[9]\t\"S-", 1), "net:5: ports 9 and 2 of 3 and 3");
    unreadable(
        &tables,
        topology.replacen("\"S-0000000000000011\"[2]", "\"S-77\"[2]", 1),
        "net:5: \"S-77\" has no record of its own",
    );
    unreadable(
        &tables,
        topology.replacen("[2]\t\t# \"S1\"", "[1]\t\t# \"S1\"", 1),
        "does not list this link",
    );
    unreadable(&tables, topology.replacen("Switch\t3", "Switch\tx", 1), "net:4: expected 1 to 254 ports");
    unreadable(&tables, "hello\n", "net:1: expected a record of ibnetdiscover");
    unreadable(&tables, "", "net:1: there is no line `Switch");
    unreadable("{}", &topology, "net:1: expected `fabc.topology/1`");
    unreadable(&tables, "{}", "t.lft:1: expected `fabc.tables/1`");
}

/// A ring of routers with a link from `+` of each to `-` of the next.
fn ring(nodes: usize, generators: Value) -> String {
    let list: Vec<Value> = (0..nodes).map(|id| json!({"id": id, "cube": id, "at": [0, 0, 0]})).collect();
    let links: Vec<Value> = (0..nodes)
        .map(|k| json!({"id": k, "a": [k, 0], "b": [(k + 1) % nodes, 1], "kind": "copper"}))
        .collect();
    json!({"format": "fabc.topology/1", "fabric": "ring", "ports": ["+", "-"], "nodes": list, "links": links, "symmetry": {"generators": generators}})
        .to_string()
}

fn tables(vcs: u8, canonical: bool, routers: &[(usize, Vec<[i64; 5]>)]) -> String {
    let lines: Vec<Value> =
        routers.iter().map(|(node, entries)| json!({"node": node, "entries": entries})).collect();
    json!({"format": "fabc.tables/1", "scenario": "nominal", "vcs": vcs, "canonical": canonical, "key": ["dst", "in_port", "in_vc"], "routers": lines})
        .to_string()
}

/// Everyone goes on by `+`. With two VCs, packets that have passed from the last router to the first are on
/// VC 1.
fn forward(nodes: i64, vcs: i64) -> Vec<(usize, Vec<[i64; 5]>)> {
    let router = |node: i64| {
        let out_vc = |in_vc: i64| if vcs == 2 && node == nodes - 1 { 1 } else { in_vc.max(0) };
        let others = (0..nodes).filter(|dst| *dst != node);
        let entries = others.flat_map(|dst| {
            (-1..vcs).map(move |in_vc| [dst, if in_vc < 0 { -1 } else { 1 }, in_vc, 0, out_vc(in_vc)])
        });
        (node as usize, entries.collect())
    };
    (0..nodes).map(router).collect()
}

#[test]
fn tables_of_fabc_with_a_dateline() {
    let judged = judge(tables(2, false, &forward(4, 2)), ring(4, json!([]))).unwrap();
    assert_eq!((judged.pairs, judged.hops, judged.longest, judged.max_channel_load), (12, 24, 3, 6));
    assert!(judged.vc_hops.iter().all(|hops| *hops > 0), "{:?}", judged.vc_hops);
    let (code, message) = convicted(tables(1, false, &forward(4, 1)), ring(4, json!([])));
    assert_eq!(code, "FAB0413");
    assert!(
        message.starts_with("t.lft: 4 channels")
            && message.contains("cube0[0,0,0].+ -> cube1[0,0,0], held by packets from"),
        "{message}"
    );
}

#[test]
fn canonical_tables_are_carried_by_the_generators() {
    let table_of = |entries: Vec<[i64; 5]>| tables(1, true, &[(0, entries)]);
    // Three routers in a ring, each reaches both others directly.
    let direct = table_of(vec![[1, -1, -1, 0, 0], [2, -1, -1, 1, 0]]);
    let judged = judge(&direct, ring(3, json!([[1, 2, 0]]))).unwrap();
    assert_eq!((judged.pairs, judged.hops, judged.max_channel_load, judged.dependencies), (6, 6, 1, 0));
    // Without the generator nobody says what the other routers do.
    let (code, message) = convicted(&direct, ring(3, json!([])));
    assert_eq!(code, "FAB0417");
    assert!(message.contains("4 of 6 ordered pairs"), "{message}");
    unreadable(&direct, ring(3, json!([[1, 1, 0]])), "is not a permutation");
    // A generator that is no symmetry of the wiring carries entries to where they lead astray.
    let (code, _) = convicted(
        table_of(vec![[1, -1, -1, 0, 0], [2, -1, -1, 0, 0], [3, -1, -1, 1, 0], [2, 1, 0, 0, 0]]),
        ring(4, json!([[1, 0, 3, 2], [3, 2, 1, 0]])),
    );
    assert!(code.starts_with("FAB041"), "{code}");
}

#[test]
fn entries_that_make_no_sense() {
    for (entries, what) in [
        (vec![[7, -1, -1, 0, 0]], "is for a router that does not exist"),
        (vec![[1, -1, 0, 0, 0]], "has an input by which no packet arrives"),
        (vec![[1, -1, -1, 2, 0]], "leaves by a port or VC that does not exist"),
        (vec![[1, -1, -1, 0, 1]], "leaves by a port or VC that does not exist"),
        (vec![[1, -1, -1, 0, 0], [1, -1, -1, 1, 0]], "conflicts with another one"),
    ] {
        let (code, message) = convicted(tables(1, false, &[(0, entries)]), ring(3, json!([])));
        assert_eq!(code, "FAB0411");
        assert!(message.contains(what), "{message}");
    }
    unreadable(tables(1, false, &[(9, vec![])]), ring(3, json!([])), "it lists router 9");
    unreadable(tables(1, false, &[(1, vec![]), (1, vec![])]), ring(3, json!([])), "is listed twice");
    unreadable(
        tables(1, false, &[]).replace("/1", "/7"),
        ring(3, json!([])),
        "this fabc reads `fabc.tables/1`",
    );
    unreadable("{", ring(3, json!([])), "t.lft:1: EOF while parsing");
}

/// A router and a port of it.
type PortOf = (u32, u16);

/// A network of so many routers with these hosts, and links of single channels from port to port.
fn arcs(hosts: &[u16], ports: u16, links: &[(PortOf, PortOf)]) -> Value {
    let nodes: Vec<Value> = hosts
        .iter()
        .enumerate()
        .map(|(id, hosts)| json!({"id": id, "name": format!("r{id}"), "hosts": hosts}))
        .collect();
    let link = |&(a, b)| json!({"a": a, "b": b, "simplex": true});
    let links: Vec<Value> = links.iter().map(link).collect();
    json!({"format": "fabc.topology/2", "ports": ports, "nodes": nodes, "links": links})
}

/// A ring in one direction.
fn ring_of_arcs(routers: u32) -> String {
    let links: Vec<_> = (0..routers).map(|router| ((router, 0), ((router + 1) % routers, 0))).collect();
    arcs(&vec![1; routers as usize], 1, &links).to_string()
}

/// Tables by destination: entries without or with virtual channels.
fn by_destination(vcs: u8, hop: bool, routers: &[(u32, Vec<Vec<i64>>)]) -> String {
    let lines: Vec<Value> =
        routers.iter().map(|(node, entries)| json!({"node": node, "entries": entries})).collect();
    let mut file = json!({"format": "fabc.tables/1", "vcs": vcs, "key": ["dst"], "routers": lines});
    if hop {
        file["vc"] = "hop".into();
    }
    file.to_string()
}

/// Everybody sends everything by port 0.
fn onwards(routers: u32, vcs: u8, hop: bool) -> String {
    let entry = |dst: u32| if hop { vec![i64::from(dst), 0] } else { vec![i64::from(dst), 0, 0] };
    let router = |node: u32| (node, (0..routers).filter(|&dst| dst != node).map(entry).collect());
    by_destination(vcs, hop, &(0..routers).map(router).collect::<Vec<_>>())
}

#[test]
fn a_ring_of_single_channels_by_hops_and_without() {
    let judged = judge(onwards(5, 4, true), ring_of_arcs(5)).unwrap();
    assert_eq!(
        (judged.channels, judged.pairs, judged.hops, judged.longest, judged.max_channel_load),
        (5, 20, 50, 4, 10)
    );
    assert_eq!(judged.vc_hops, [20, 15, 10, 5]);
    assert_eq!(judged.busiest, "r0.port0 -> r1");
    // On one virtual channel the same routes can wait on each other in a cycle.
    let (code, message) = convicted(onwards(5, 1, false), ring_of_arcs(5));
    assert_eq!(code, "FAB0413");
    assert!(
        message.contains("5 channels") && message.contains("r0.port0 -> r1, held by packets from r"),
        "{message}"
    );
    // With fewer virtual channels than hops the last ones cannot be made.
    let (code, message) = convicted(onwards(5, 3, true), ring_of_arcs(5));
    assert_eq!(code, "FAB0417");
    assert_eq!(
        message,
        "t.lft: 5 of 20 ordered pairs do not arrive; from r1 to r0:\n  r1 -> r2 -> r3 -> r4\n  at r4: they have made as many hops as \
         there are virtual channels to count them"
    );
}

/// Four routers in a ring of single channels. Those from 1 to 2 and from 3 to 0 cross between two pairs.
#[test]
fn a_ring_by_what_it_crosses() {
    let mut ring: Value = serde_json::from_str(&ring_of_arcs(4)).unwrap();
    let class = |ring: &mut Value, link: usize, class: &str| ring["links"][link]["class"] = class.into();
    (0..4).for_each(|link| class(&mut ring, link, if link % 2 == 1 { "global" } else { "local" }));
    let tables = |vcs| onwards(4, vcs, true).replace("hop", "global");
    // From 0 and 2 on VC 0 twice, then on VC 1. From 1 and 3 once, then on VC 1 twice.
    let judged = judge(tables(2), ring.to_string()).unwrap();
    assert_eq!((judged.pairs, judged.hops), (12, 24));
    assert_eq!(judged.vc_hops, [2 * (1 + 2 + 2) + 2 * 3, 2 + 2 * (1 + 2)]);
    // Where all cross, every hop counts.
    (0..4).for_each(|link| class(&mut ring, link, "global"));
    assert_eq!(judge(tables(3), ring.to_string()).unwrap().vc_hops, [12, 8, 4]);
    let (code, message) = convicted(tables(2), ring.to_string());
    assert_eq!(code, "FAB0417");
    assert!(
        message
            .contains("they have crossed as many global links as there are virtual channels to count them"),
        "{message}"
    );
    // None at all: a circle on VC 0.
    (0..4).for_each(|link| class(&mut ring, link, "local"));
    assert_eq!(convicted(tables(3), ring.to_string()).0, "FAB0413");
    unreadable(tables(3), ring_of_arcs(4), "need a topology whose links all have a `class`");
}

#[test]
fn only_routers_with_hosts_send_and_their_hosts_weigh() {
    // Two leaves with 4 and 2 hosts, one with 6, behind a hub that only forwards.
    let hub: Vec<_> = (1..4)
        .flat_map(|leaf| [((0, leaf as u16 - 1), (leaf, 0)), ((leaf, 0), (0, leaf as u16 - 1))])
        .collect();
    let topology = arcs(&[0, 4, 2, 6], 3, &hub).to_string();
    let leaf = |node: i64| (node as u32, (1..4).filter(|&dst| dst != node).map(|dst| vec![dst, 0]).collect());
    let tables = |hub: Vec<Vec<i64>>| by_destination(2, true, &[(0, hub), leaf(1), leaf(2), leaf(3)]);
    let good = tables(vec![vec![1, 0], vec![2, 1], vec![3, 2]]);
    let judged = judge(&good, &topology).unwrap();
    assert_eq!((judged.endpoints, judged.pairs, judged.hops, judged.longest), (3, 6, 12, 2));
    // To the third leaf: 3 x (2 + 1).
    assert_eq!(judged.max_channel_load, 9);
    let (code, message) = convicted(tables(vec![vec![1, 0], vec![3, 2]]), &topology);
    assert_eq!(code, "FAB0417");
    assert!(message.contains("2 of 6") && message.contains("at r0: it has no entry for them"), "{message}");
    let (code, message) = convicted(tables(vec![vec![1, 0], vec![2, 0], vec![3, 2]]), &topology);
    assert_eq!(code, "FAB0417");
    assert!(
        message.contains("2 of 6")
            && message.contains("r1 -> r0 -> r1\n  at r1: they have made as many hops"),
        "{message}"
    );
    unreadable(&good, arcs(&[0; 4], 3, &hub).to_string(), "no router has hosts");
}

#[test]
fn ports_count_to_a_thousand() {
    let leaves = 1000_u32;
    let links: Vec<Value> = (1..=leaves).map(|leaf| json!({"a": [0, leaf - 1], "b": [leaf, 0]})).collect();
    let nodes: Vec<Value> = (0..=leaves)
        .map(|id| json!({"id": id, "hosts": u8::from([1, 256, 257, 1000].contains(&id))}))
        .collect();
    let topology =
        json!({"format": "fabc.topology/2", "ports": leaves, "nodes": nodes, "links": links}).to_string();
    // From each of the four leaves with hosts. Ports 255 and 256 must not fold to others.
    let hub = (0, [1, 256, 257, 1000].map(|leaf| vec![leaf, leaf - 1]).to_vec());
    let others = (1..=leaves).map(|leaf| {
        (
            leaf,
            [1, 256, 257, 1000]
                .into_iter()
                .filter(|dst| *dst != i64::from(leaf))
                .map(|dst| vec![dst, 0])
                .collect(),
        )
    });
    let tables = by_destination(2, true, &std::iter::once(hub).chain(others).collect::<Vec<_>>());
    let judged = judge(tables, &topology).unwrap();
    assert_eq!(
        (judged.endpoints, judged.channels, judged.pairs, judged.hops, judged.max_channel_load),
        (4, 2000, 12, 24, 3)
    );
}

#[test]
fn files_of_networks_that_make_no_sense() {
    let good = onwards(3, 2, true);
    let topology = |change: &dyn Fn(&mut Value)| {
        let mut value: Value = serde_json::from_str(&ring_of_arcs(3)).unwrap();
        change(&mut value);
        value.to_string()
    };
    judge(&good, topology(&|_| {})).unwrap();
    unreadable(
        &good,
        topology(&|value| value["format"] = "fabc.topology/3".into()),
        "this fabc reads `fabc.topology/1` and",
    );
    unreadable(&good, topology(&|value| value["ports"] = 0.into()), "0 ports at each of 3 nodes");
    unreadable(
        &good,
        topology(&|value| value["ports"] = 70_000.into()),
        "net:1: invalid value: integer `70000`, expected u16",
    );
    unreadable(
        &good,
        topology(&|value| value["links"][1]["b"] = json!([0, 1])),
        "`links[1]`: [0,1] is not a port of this network",
    );
    unreadable(
        &good,
        topology(&|value| value["links"][1]["b"] = json!([7, 0])),
        "`links[1]`: [7,0] is not a port of this network",
    );
    // Two that leave by one port, two that come in by one.
    unreadable(
        &good,
        topology(&|value| value["links"][1]["a"] = json!([0, 0])),
        "`links[1]`: r0.port0 carries two links",
    );
    unreadable(
        &good,
        topology(&|value| value["links"][2]["b"] = json!([1, 0])),
        "`links[2]`: r1.port0 carries two links",
    );
    // A link of two channels takes outputs and inputs at both ends.
    unreadable(
        &good,
        topology(&|value| value["links"][0]["simplex"] = false.into()),
        "`links[1]`: r1.port0 carries two links",
    );
    unreadable(
        &good,
        topology(&|value| value["symmetry"] = json!({"block": 1, "generators": [[1, 1, 2]]})),
        "is not a permutation",
    );
    unreadable(good.replace("hop", "distance"), ring_of_arcs(3), "and the rule `distance` cannot be walked");
    unreadable(
        good.replace("[1,0]", "[1,0,0]"),
        ring_of_arcs(3),
        "entry 0 of router 0 does not have 2 numbers in range",
    );
    let (code, message) = convicted(good.replace("[1,0]", "[1,1]"), ring_of_arcs(3));
    assert!(
        code == "FAB0411"
            && message.contains("leaves by a port or VC that does not exist, there are 1 ports"),
        "{message}"
    );
}

/// A network that was built: the artifacts by path, and what they were made of.
struct Built {
    compiled: CompiledFabric,
    files: BTreeMap<String, Vec<u8>>,
}

impl Built {
    fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&self.files[path]).unwrap()
    }
    fn topology(&self) -> &[u8] {
        &self.files["topology.json"]
    }
}

/// A setting, with the sign that ends it unless it is a block.
fn ended(setting: &str) -> String {
    if setting.ends_with('}') { setting.to_owned() } else { format!("{setting};") }
}

/// Builds a network from the lines of its spec that matter.
fn build(hosts: u16, vcs: u8, topology: &str, routing: &str) -> Built {
    let router = format!(
        "router {{ radix = 64; hosts = {hosts}; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }}"
    );
    let routing = format!("budget {{ vcs = {vcs}; }} routing = {}", ended(routing));
    let text = SpecText::network(&ended(topology)).with(&router).with(&routing).text();
    let star: String = (1..=20).map(|leaf| format!("hub leaf{leaf}\n")).collect();
    let read = |path: &str| match path {
        "net.fab" => Ok(text.clone()),
        "lab.graphml" => Ok(include_str!("../../specs/networks/lab.graphml").replace("trunk", "wire")),
        _ => Ok(star.clone()),
    };
    let (fabric, ..) = fabc::lang::read_normal("net.fab", &read)
        .unwrap_or_else(|(failure, _)| panic!("{topology}: {failure:?}"));
    let compiled =
        compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{topology}: {failure:?}"));
    let binary = [("tables".to_owned(), "binary".to_owned())];
    let artifacts =
        [&[][..], &binary].into_iter().flat_map(|options| emit::artifacts(&compiled, &text, options));
    let files = artifacts.map(|artifact| (artifact.path, artifact.bytes)).collect();
    Built { compiled, files }
}

fn networks() -> Vec<(&'static str, Built)> {
    vec![
        (
            "dragonfly",
            build(
                2,
                3,
                "dragonfly { a = 4; h = 2; g = 9; arrangement = palmtree; local = wire; global = wire; }",
                "minimal",
            ),
        ),
        (
            "consecutive",
            build(
                2,
                3,
                "dragonfly { a = 4; h = 2; g = 9; arrangement = consecutive; local = wire; global = wire; }",
                "minimal",
            ),
        ),
        ("kautz", build(1, 3, "kautz { degree = 2; length = 3; }", "minimal")),
        ("star", build(1, 2, "graph \"star.txt\"", "minimal")),
        ("fat tree", build(3, 4, "fat_tree { levels = 3; arity = 3; }", "minimal")),
        ("lab", build(2, 3, "graph \"lab.graphml\" { default = wire; }", "minimal")),
        ("torus", build(1, 2, "torus 4 x 5", "dimension_order")),
        ("turns", build(1, 2, "torus 8", "allowed_turns")),
        ("by destination", build(1, 2, "torus 8", "allowed_turns { key = dst; }")),
    ]
}

#[test]
fn networks_that_were_built_have_the_numbers_of_their_reports() {
    for (name, built) in networks() {
        let report = built.json("report.json");
        let numbers = |value: &Value| {
            value.as_array().unwrap().iter().map(|number| number.as_u64().unwrap()).collect::<Vec<_>>()
        };
        let route_hops = numbers(&report["histograms"]["route_hops"]);
        for tables in ["tables/nominal.json", "tables/nominal.bin"] {
            let judged = judge(&built.files[tables], built.topology())
                .unwrap_or_else(|error| panic!("{name}, {tables}: {error:?}"));
            assert_eq!(judged.pairs, route_hops.iter().sum::<u64>(), "{name}");
            assert_eq!(
                judged.hops,
                (0..).zip(&route_hops).map(|(hops, pairs)| hops * pairs).sum::<u64>(),
                "{name}"
            );
            assert_eq!(judged.longest as usize, route_hops.len() - 1, "{name}");
            assert_eq!(
                Some(judged.max_channel_load),
                report["metrics"]["max_channel_load"].as_u64(),
                "{name}"
            );
            assert_eq!(judged.vc_hops, numbers(&report["histograms"]["vc_hops"]), "{name}");
            assert_eq!(judged.routers, report["nodes"].as_u64().unwrap(), "{name}");
        }
    }
}

#[test]
fn damaged_tables_of_networks_are_convicted() {
    for (name, built) in networks() {
        let (tables, ports) = (built.json("tables/nominal.json"), built.compiled.topology.ports() as u64);
        let good = judge(tables.to_string(), built.topology()).unwrap();
        let width = tables["key"].as_array().unwrap().len();
        let router = (0..)
            .find(|&router| !tables["routers"][router]["entries"].as_array().unwrap().is_empty())
            .unwrap();
        let (mut strayed, entries) = (0, tables["routers"][router]["entries"].as_array().unwrap().len());
        // A dozen of them.
        for at in (0..entries).step_by(entries.div_ceil(12)) {
            let mut less = tables.clone();
            less["routers"][router]["entries"].as_array_mut().unwrap().remove(at);
            let (code, message) = convicted(less.to_string(), built.topology());
            assert!(code == "FAB0417" && message.contains("it has no entry for them"), "{name}: {message}");
            for port in (0..ports)
                .filter(|&port| Some(port) != tables["routers"][router]["entries"][at][width].as_u64())
            {
                let mut tampered = tables.clone();
                tampered["routers"][router]["entries"][at][width] = port.into();
                match judge(tampered.to_string(), built.topology()) {
                    Err(Rejected::Convicted(errors)) => {
                        let code = errors[0].code().unwrap().to_string();
                        assert!(["FAB0412", "FAB0413", "FAB0417"].contains(&code.as_str()), "{name}: {code}");
                        strayed += 1;
                    }
                    // A way round, or a parallel link, is a route as well.
                    found => assert_eq!(found.unwrap().pairs, good.pairs, "{name}"),
                }
            }
        }
        assert!(strayed > 0, "{name}: nothing of {entries} entries");
        let mut beyond = tables.clone();
        beyond["routers"][router]["entries"][0][width] = ports.into();
        assert_eq!(convicted(beyond.to_string(), built.topology()).0, "FAB0411", "{name}");
    }
}

#[test]
fn damaged_binary_tables_of_networks_are_seen() {
    let built = build(1, 3, "kautz { degree = 2; length = 3; }", "minimal");
    let good = &built.files["tables/nominal.bin"];
    let end = good.iter().position(|byte| *byte == b'\n').unwrap();
    let head = |from: &str, to: &str| {
        let text = std::str::from_utf8(&good[..end]).unwrap();
        assert!(text.contains(from), "{text}");
        [text.replacen(from, to, 1).as_bytes(), &good[end..]].concat()
    };
    // Both actions lead to one port.
    assert!(
        ["FAB0412", "FAB0417"]
            .contains(&convicted(head("[-1,-1,1,0]", "[-1,-1,0,0]"), built.topology()).0.as_str())
    );
    let (code, message) = convicted(head("[-1,-1,1,0]", "[0,0,1,0]"), built.topology());
    assert!(code == "FAB0411" && message.contains("has an input by which no packet arrives"), "{message}");
    let (code, message) = convicted(head("[-1,-1,1,0]", "[-1,-1,1,2]"), built.topology());
    assert!(code == "FAB0411" && message.contains("the rule of the tables determines the VC"), "{message}");
    unreadable(head("\"vc\":\"hop\"", "\"vc\":\"jump\""), built.topology(), "its key must be");
    unreadable(&good[..good.len() - 1], built.topology(), "it ends too early");
    // The same without the rule: one virtual channel for all hops, and circles.
    assert_eq!(convicted(head("\"vc\":\"hop\",", ""), built.topology()).0, "FAB0413");
}

/// The files of an external format by path, or why there are none.
fn external(built: &Built, name: &str) -> Result<BTreeMap<String, Vec<u8>>, EmitError> {
    let format = emit::FORMATS.iter().find(|format| format.name == name).unwrap();
    let mut files: BTreeMap<String, Vec<u8>> = BTreeMap::new();
    emit::each_chunk(format, &built.compiled, &mut |path, bytes| {
        files.entry(path.to_owned()).or_default().extend(bytes);
        Ok::<(), EmitError>(())
    })?;
    Ok(files)
}

#[test]
fn formats_of_others_hold_a_network_or_say_why_not() {
    for (name, built) in networks() {
        let why = |format: &str| match external(&built, format) {
            Ok(_) => String::new(),
            Err(error) => format!("{} {error}", error.code().unwrap()),
        };
        assert!(
            why("tons_bundle").starts_with("FAB0534 `tons_bundle` cannot hold this network"),
            "{name}: {}",
            why("tons_bundle")
        );
        let one_way = built.compiled.topology.has_simplex();
        let expected = if one_way {
            "FAB0534 `ibnetdiscover` cannot hold this network: its cables run one way"
        } else {
            ""
        };
        assert_eq!(why("ibnetdiscover"), expected, "{name}");
        let lft = why("opensm_lft");
        match name {
            "kautz" => assert!(lft.ends_with("its cables run one way"), "{lft}"),
            "turns" => assert!(lft.is_empty() || lft.starts_with("FAB0517"), "{lft}"),
            _ => assert_eq!(lft, "", "{name}"),
        }
        // Every router, every entry, as the tables have them.
        let csv = external(&built, "tables_csv").unwrap();
        assert_eq!(csv.len(), built.compiled.topology.node_count(), "{name}");
        let text = String::from_utf8(csv.into_values().flatten().collect()).unwrap();
        let any = name != "torus" && name != "turns";
        assert_eq!((text.contains(",any,,"), text.contains(",inject,,")), (any, !any), "{name}");
        let counted = match name {
            "dragonfly" | "consecutive" => [false, true],
            "kautz" | "star" | "lab" => [true, false],
            _ => [false, false],
        };
        assert_eq!([",hop\n", ",global\n"].map(|rule| text.contains(rule)), counted, "{name}");
    }
}

#[test]
fn a_network_as_a_subnet_is_verified_again() {
    // One virtual channel is enough for a star, and for a tree.
    for (name, built) in [
        ("star", build(1, 1, "graph \"star.txt\"", "allowed_turns { key = dst; }")),
        ("lab", build(2, 1, "graph \"lab.graphml\" { default = wire; }", "allowed_turns { key = dst; }")),
        ("fat tree", build(3, 1, "fat_tree { levels = 2; arity = 3; }", "allowed_turns { key = dst; }")),
    ] {
        let topology = &built.compiled.topology;
        let [tables, subnet] = ["opensm_lft", "ibnetdiscover"]
            .map(|format| external(&built, format).unwrap().into_values().next().unwrap());
        let judged = judge(&tables, &subnet).unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let hosts: u64 = topology.nodes().map(|node| u64::from(topology.hosts(node))).sum();
        assert_eq!(
            (judged.routers as usize, judged.endpoints, judged.pairs),
            (topology.node_count(), hosts, hosts * (hosts - 1)),
            "{name}"
        );
        // Every route between two routers is that of so many pairs of their hosts.
        let own_judgement = judge(&built.files["tables/nominal.json"], built.topology()).unwrap();
        assert_eq!(
            (judged.channels, judged.longest),
            (own_judgement.channels, own_judgement.longest),
            "{name}"
        );
        let common = if name == "lab" || name == "star" { 1 } else { 9 };
        assert_eq!(judged.max_channel_load, own_judgement.max_channel_load * common, "{name}");
    }
}

/// The forwarding tables, SL2VL tables, service levels and subnet of a network.
fn laned(built: &Built) -> [String; 4] {
    ["opensm_lft", "opensm_sl2vl", "opensm_path_sl", "ibnetdiscover"].map(|format| {
        let file = external(built, format).unwrap().into_values().next().unwrap();
        String::from_utf8(file).unwrap()
    })
}

fn judge_lanes(
    lft: &str,
    sl2vl: &str,
    path_sl: Option<&str>,
    subnet: &str,
) -> Result<ForeignTables, Rejected> {
    fn file<'t>(name: &'static str, text: &'t str) -> NamedFile<'t> {
        NamedFile { name, bytes: text.as_bytes() }
    }
    let lanes = LaneFiles { sl2vl: file("t.sl2vl", sl2vl), path_sl: path_sl.map(|text| file("t.psl", text)) };
    judge_foreign(file("t.lft", lft), file("net", subnet), Some(lanes))
}

#[test]
fn lanes_of_a_subnet_are_those_of_the_tables() {
    for (name, built) in [
        ("torus", build(1, 2, "torus 5 x 5", "dimension_order")),
        ("dragonfly", build(2, 2, "dragonfly { a = 4; h = 2; }", "minimal")),
        ("ring", build(1, 2, "torus 7", "allowed_turns { key = dst; }")),
    ] {
        let [lft, sl2vl, path_sl, subnet] = laned(&built);
        let judged = judge_lanes(&lft, &sl2vl, Some(&path_sl), &subnet)
            .unwrap_or_else(|error| panic!("{name}: {error:?}"));
        let own_judgement = judge(&built.files["tables/nominal.json"], built.topology()).unwrap();
        // As many hops on every lane as on the virtual channel, for every pair of hosts.
        let pairs = u64::from(built.compiled.topology.hosts(fabc::ids::NodeId(0))).pow(2);
        assert_eq!(
            judged.vc_hops,
            own_judgement.vc_hops.iter().map(|hops| hops * pairs).collect::<Vec<_>>(),
            "{name}"
        );
        assert_eq!(judged.dependencies, own_judgement.dependencies, "{name}");
        // The forwarding tables alone say that they are not enough, and they are not.
        assert!(lft.starts_with("# The routes use ") && lft.contains("and not alone"), "{lft}");
        let Err(Rejected::Convicted(alone)) = judge(&lft, &subnet) else {
            panic!("{name}: one lane is enough")
        };
        assert_eq!(alone[0].code().unwrap().to_string(), "FAB0413", "{name}");
        // Nor are the lanes without the service levels, but in a dragonfly, where the ports tell whether a
        // packet comes from another group.
        assert_eq!(judge_lanes(&lft, &sl2vl, None, &subnet).is_ok(), name == "dragonfly", "{name}");
    }
}

/// Two switches, two adapters on the first, one on the second.
const SUBNET: &str = "Switch 3 \"S-000000000000000a\" # \"a\" base port 0 lid 10\n[1] \"H-0000000000000001\"[1] # \"h1\" lid 1\n\
    [2] \"H-0000000000000002\"[1] # \"h2\" lid 2\n[3] \"S-000000000000000b\"[1] # \"b\" lid 11\n\n\
    Switch 2 \"S-000000000000000b\" # \"b\" base port 0 lid 11\n[1] \"S-000000000000000a\"[3] # \"a\" lid 10\n\
    [2] \"H-0000000000000003\"[1] # \"h3\" lid 3\n\n\
    Ca 1 \"H-0000000000000001\" # \"h1\"\n[1](1) \"S-000000000000000a\"[1] # lid 1 lmc 0 \"a\" lid 10\n\n\
    Ca 1 \"H-0000000000000002\" # \"h2\"\n[1](2) \"S-000000000000000a\"[2] # lid 2 lmc 0 \"a\" lid 10\n\n\
    Ca 1 \"H-0000000000000003\" # \"h3\"\n[1](3) \"S-000000000000000b\"[2] # lid 3 lmc 0 \"b\" lid 11\n";

/// Lanes by input port and lane are laid out for the simulator. Where only the service level tells them
/// apart, they are walked and refused.
#[test]
fn lanes_are_laid_out_where_ports_and_lanes_tell_them() {
    let lft = "Unicast lids [0x0-0x3] of switch Lid 10 guid 0x000000000000000a ('a'):\n0x0001 001\n0x0002 002\n0x0003 003\n3 lids dumped\n\
        Unicast lids [0x0-0x3] of switch Lid 11 guid 0x000000000000000b ('b'):\n0x0001 001\n0x0002 001\n0x0003 002\n3 lids dumped\n";
    // Of service levels 0 and 1. Nobody has another one.
    let line = |ports: &str, lanes: [u8; 2]| {
        format!("{ports} : {} {} 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n", lanes[0], lanes[1])
    };
    let of_a: String = ["1 2", "2 1", "3 1", "3 2", "1 3"].map(|ports| line(ports, [0, 0])).concat();
    let sl2vl = |second: u8| {
        let (told, b) = (line("2 3", [0, second]), line("2 1", [0, 0]) + &line("1 2", [0, 1]));
        format!(
            "Switch 0x000000000000000a \"a\"\n{of_a}{told}Switch 0x000000000000000b \"b\"\n{b}Channel Adapter 0x2\n{}",
            line("0 0", [1, 1])
        )
    };
    let levels = "0x1 2 0\n0x1 3 0\n0x2 1 0\n0x2 3 1\n0x3 1 0\n0x3 2 0\n";
    let file = |name: &'static str, text: &str| (name, text.to_owned());
    let laid_out = |second: u8| {
        let files =
            [file("t.lft", lft), file("net", SUBNET), file("t.sl2vl", &sl2vl(second)), file("t.psl", levels)];
        let [tables, net, sl2vl, path_sl] =
            [0, 1, 2, 3].map(|at| NamedFile { name: files[at].0, bytes: files[at].1.as_bytes() });
        let lanes = LaneFiles { sl2vl, path_sl: Some(path_sl) };
        judge_foreign(tables, net, Some(lanes)).unwrap();
        foreign_scene(tables, net, Some(lanes)).map_err(|error| match error {
            Rejected::Unreadable(error) => error.to_string(),
            Rejected::Convicted(errors) => panic!("{errors:?}"),
        })
    };
    let scene = laid_out(1).unwrap();
    assert_eq!((scene.routers.len(), scene.tables.vcs), (5, 2));
    // Router 1 is b, 4 the adapter of h3: what comes in by port 1 goes on by port 2 on the same lane.
    let towards = |router: usize| scene.tables.routers[router].iter().filter(|entry| entry.dst.0 == 4);
    let of_b: Vec<_> =
        towards(1).map(|entry| (entry.in_port, entry.in_vc, entry.out_port, entry.out_vc)).collect();
    assert_eq!(of_b, [(1, 0, 2, 0), (1, 1, 2, 1)]);
    // The adapter of h2 puts everything on lane 1.
    assert_eq!(
        towards(3).map(|entry| (entry.in_port, entry.out_port, entry.out_vc)).collect::<Vec<_>>(),
        [(-1, 0, 1)]
    );
    let Err(why) = laid_out(0) else { panic!("service levels alone tell the lanes") };
    assert!(
        why.contains("at b, packets for h3 that come in by [1] on lane 0 take different ports or lanes"),
        "{why}"
    );
}

#[test]
fn every_changed_entry_of_a_lane_is_noticed() {
    let [lft, sl2vl, path_sl, subnet] = laned(&build(1, 2, "torus 5", "dimension_order"));
    let good = judge_lanes(&lft, &sl2vl, Some(&path_sl), &subnet).unwrap();
    let lines: Vec<&str> = sl2vl.lines().collect();
    let (mut convicted, mut changed) = (BTreeMap::new(), 0);
    for (at, line) in lines.iter().enumerate().filter(|(_, line)| !line.starts_with('#')) {
        let Some((ports, lanes)) = line.split_once(':') else { continue };
        let lanes: Vec<&str> = lanes.split_whitespace().collect();
        // Ports of links. What leads to a host keeps nobody waiting.
        let used = (0..16).filter(|level| {
            lanes[*level] != "15" && ports.split_whitespace().nth(1) < Some("3") && ports != "0   0   "
        });
        for level in used {
            for lane in ["0", "1", "15"].into_iter().filter(|lane| *lane != lanes[level]) {
                let mut tampered = lanes.clone();
                tampered[level] = lane;
                let line = format!("{ports}: {}", tampered.join(" "));
                let text = [&lines[..at], &[&*line], &lines[at + 1..]].concat().join("\n");
                changed += 1;
                match judge_lanes(&lft, &text, Some(&path_sl), &subnet) {
                    Err(Rejected::Convicted(errors)) => {
                        *convicted.entry(errors[0].code().unwrap().to_string()).or_insert(0) += 1
                    }
                    // Another lane may be free of deadlock too. At port 0, the switch itself, nobody sends.
                    Ok(found) => assert!(found.vc_hops != good.vc_hops || ports.starts_with("0 "), "{line}"),
                    Err(Rejected::Unreadable(error)) => panic!("{error}"),
                }
            }
        }
    }
    assert!(convicted["FAB0417"] > 0 && changed > 40, "{convicted:?} of {changed}");
    // One lane for all closes the circle.
    let one_lane: Vec<String> = lines
        .iter()
        .map(|line| {
            if line.starts_with('#') {
                (*line).to_owned()
            } else {
                line.split_once(':').map_or((*line).to_owned(), |(ports, lanes)| {
                    format!("{ports}:{}", lanes.replace(" 1 ", " 0 "))
                })
            }
        })
        .collect();
    let Err(Rejected::Convicted(errors)) = judge_lanes(&lft, &one_lane.join("\n"), Some(&path_sl), &subnet)
    else {
        panic!("no deadlock")
    };
    assert_eq!(errors[0].code().unwrap().to_string(), "FAB0413");
    // A host that discards what it should send.
    let adapter = sl2vl.rfind("0   0   : 0 ").unwrap();
    let text = format!("{}15{}", &sl2vl[..adapter + 10], &sl2vl[adapter + 11..]);
    let Err(Rejected::Convicted(errors)) = judge_lanes(&lft, &text, Some(&path_sl), &subnet) else {
        panic!("nobody misses them")
    };
    assert!(errors[0].to_string().ends_with("its SL2VL table discards them (VL 15)"), "{}", errors[0]);
}

#[test]
fn damaged_lanes_are_named_by_line() {
    let [lft, sl2vl, path_sl, subnet] = laned(&build(1, 2, "torus 5", "dimension_order"));
    let why = |sl2vl: &str, path_sl: &str| match judge_lanes(&lft, sl2vl, Some(path_sl), &subnet) {
        Err(Rejected::Unreadable(error)) => error.to_string(),
        other => panic!("{other:?}"),
    };
    let entry = sl2vl.lines().find(|line| line.starts_with("0   1   :")).unwrap();
    let first = path_sl.lines().next().unwrap();
    let (guid, rest) = first.split_once(' ').unwrap();
    for (text, says) in [
        (
            sl2vl.replacen(entry, &format!("{entry} 3"), 1),
            "t.sl2vl:7: expected `<in port> <out port> : <16 virtual lanes>`",
        ),
        (sl2vl.replacen(entry, &entry.replacen("15", "16", 1), 1), "t.sl2vl:7: expected"),
        (
            sl2vl.replacen(entry, &format!("{entry}\n{entry}"), 1),
            "t.sl2vl:8: ports 0 and 1 have a line already",
        ),
        (sl2vl.replacen(entry, &entry.replacen("0 ", "9 ", 1), 1), "t.sl2vl:7: expected ports of 0 to 3"),
        (
            sl2vl.replacen("Switch 0xfab0000000010000", "Switch 0x1", 1).replacen(
                "\"router[0]\"",
                "\"s\"",
                1,
            ),
            "t.sl2vl:4: neither the GUID",
        ),
        (
            sl2vl[..sl2vl.find("Switch 0xfab0000000010004").unwrap()].to_owned(),
            "t.sl2vl:1: there are no SL2VL tables of switch ",
        ),
    ] {
        assert!(why(&text, &path_sl).starts_with(says), "{}", why(&text, &path_sl));
    }
    for (text, says) in [
        (path_sl.replacen(first, "", 1), "t.psl:1: no line says the service level of the path from "),
        (path_sl.replacen(first, &format!("{first}\n{first}"), 1), "t.psl:2: the path from "),
        (
            path_sl.replacen(first, &format!("{guid} 2 16"), 1),
            "t.psl:1: expected `0x<GUID of the source> <LID> <SL>`",
        ),
        (
            path_sl.replacen(first, &format!("0x77 {rest}"), 1),
            "t.psl:1: the GUID 0x0000000000000077 is that of no adapter",
        ),
    ] {
        assert!(why(&sl2vl, &text).starts_with(says), "{}", why(&sl2vl, &text));
    }
    // As OpenSM dumps path records.
    let mut dump = String::new();
    for host in 0..5u64 {
        let (node, port) = (0xfab0_0000_0002_0000 + 2 * host, 0xfab0_0000_0002_0001 + 2 * host);
        writeln!(
            dump,
            "Channel Adapter 0x{port:016x}, base LID {}, \"h\", port 1\n# LID  : SL : MTU : RATE",
            host + 1
        )
        .unwrap();
        for line in path_sl.lines().filter(|line| line.starts_with(&format!("0x{node:016x} "))) {
            let words: Vec<&str> = line.split(' ').collect();
            writeln!(dump, "0x{:04X} : {:<2} : 4   : 7   ", words[1].parse::<u32>().unwrap(), words[2])
                .unwrap();
        }
    }
    assert_eq!(
        judge_lanes(&lft, &sl2vl, Some(&dump), &subnet).unwrap(),
        judge_lanes(&lft, &sl2vl, Some(&path_sl), &subnet).unwrap()
    );
}

#[test]
fn a_router_wider_than_a_switch_is_no_subnet() {
    let built = build(60, 1, "hyperx 3", "minimal");
    assert_eq!(external(&built, "ibnetdiscover").map(|files| files.len()), Ok(1));
    let wide = SpecText::network("hyperx 3;")
        .with("router { radix = 1024; hosts = 253; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }")
        .text();
    let (fabric, ..) = fabc::lang::read_normal("net.fab", &|_: &str| Ok(wide.clone()))
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}"));
    let compiled = compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{failure:?}"));
    let built = Built { compiled, files: BTreeMap::new() };
    for format in ["ibnetdiscover", "opensm_lft"] {
        let error = external(&built, format).unwrap_err().to_string();
        assert!(error.contains("than the 254 of a switch"), "{error}");
    }
}
