//! Third-party forwarding tables: small networks by hand, with known answers, and networks that fabc built.

mod groups;
mod lanes;
mod networks;
mod relays;
mod single_channels;

use crate::support::spec_text::SpecText;
use fabc::check::{CheckError, ForeignTables, NamedFile, Rejected, judge_foreign};
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::emit;
use fabc::progress::Silent;
use fabc::verify;
use miette::Diagnostic;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fmt::Write;

fn judge(tables: impl AsRef<[u8]>, topology: impl AsRef<[u8]>) -> Result<ForeignTables, Rejected> {
    judge_foreign(
        NamedFile { name: "t.lft", bytes: tables.as_ref() },
        NamedFile { name: "net", bytes: topology.as_ref() },
        None,
        &verify::worst_permutation,
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
    // The line is open: no switch is behind port 1 of the last one.
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
        // A packet that holds the channel and waits for the next one goes on beyond its end.
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
    // Without the generator the other routers have no entries.
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
    for (entries, reason) in [
        (vec![[7, -1, -1, 0, 0]], "is for a router that does not exist"),
        (vec![[1, -1, 0, 0, 0]], "has an input by which no packet arrives"),
        (vec![[1, -1, -1, 2, 0]], "leaves by a port or VC that does not exist"),
        (vec![[1, -1, -1, 0, 1]], "leaves by a port or VC that does not exist"),
        (vec![[1, -1, -1, 0, 0], [1, -1, -1, 1, 0]], "conflicts with another one"),
    ] {
        let (code, message) = convicted(tables(1, false, &[(0, entries)]), ring(3, json!([])));
        assert_eq!(code, "FAB0411");
        assert!(message.contains(reason), "{message}");
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

/// A network that was built: the artifacts by path, and what they were made of.
struct Built {
    compiled: CompiledFabric,
    files: BTreeMap<String, Vec<u8>>,
}

impl Built {
    /// Builds the spec of a text that needs no other file.
    fn from_text(text: &str) -> Self {
        let read = |_: &str| Ok(text.to_owned());
        let (fabric, ..) =
            fabc::lang::read_normal("net.fab", &read).unwrap_or_else(|error| panic!("{:?}", error.0));
        let compiled = compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|error| panic!("{error:?}"));
        let artifacts = emit::artifacts(&compiled, text, &[]).into_iter();
        let files = artifacts.map(|artifact| (artifact.path, artifact.bytes)).collect();
        Self { compiled, files }
    }

    /// Next-hop groups have the loads, the worst permutation and the hops of the report.
    fn assert_judged_as_reported(&self, judged: &ForeignTables, case: &str) {
        let report = self.json("report.json");
        let stated = report["metrics"]["max_channel_load"].as_f64().unwrap();
        let counted = judged.max_channel_load as f64 / judged.shares as f64;
        assert!((stated - counted).abs() < 1e-6, "{case}: {stated} of {counted}");
        let stated = report["metrics"]["permutation"].as_f64().unwrap();
        let worst = judged.next_hops.as_ref().unwrap().permutation.as_ref().unwrap();
        assert!((stated - worst.load as f64 / worst.parts as f64).abs() < 1e-6, "{case}");
        let hops: Vec<u64> = serde_json::from_value(report["histograms"]["route_hops"].clone()).unwrap();
        assert_eq!(judged.pairs, hops.iter().sum::<u64>(), "{case}");
        let total: u64 = (0..).zip(&hops).map(|(hops, pairs)| hops * pairs).sum();
        assert_eq!(judged.hops, total * judged.shares, "{case}");
        assert_eq!(judged.longest as usize, hops.len() - 1, "{case}");
    }

    fn json(&self, path: &str) -> Value {
        serde_json::from_slice(&self.files[path]).unwrap()
    }
    fn topology(&self) -> &[u8] {
        &self.files["topology.json"]
    }
}

/// A setting, with the sign that ends it unless it is a block.
fn setting_text(setting: &str) -> String {
    if setting.ends_with('}') { setting.to_owned() } else { format!("{setting};") }
}

/// Builds a network from the lines of its spec that matter.
fn build(hosts: u16, vcs: u8, topology: &str, routing: &str) -> Built {
    let router = format!(
        "router {{ radix = 64; hosts = {hosts}; vcs = 4; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }}"
    );
    let routing = format!("budget {{ vcs = {vcs}; }} routing = {}", setting_text(routing));
    let text = SpecText::network(&setting_text(topology)).with(&router).with(&routing).text();
    let star: String = (1..=20).map(|leaf| format!("hub leaf{leaf}\n")).collect();
    let read = |path: &str| match path {
        "net.fab" => Ok(text.clone()),
        "tiers.graphml" => {
            Ok(include_str!("../second_checker/uneven_tiers.graphml").replace("cable", "wire"))
        }
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
