//! Networks that fabc built, in the formats of others.

use super::{Built, build, convicted, judge, unreadable};
use crate::support::spec_text::SpecText;
use fabc::check::Rejected;
use fabc::compile::{Stage, compile};
use fabc::emit::{self, EmitError};
use fabc::progress::Silent;
use miette::Diagnostic;
use serde_json::Value;
use std::collections::BTreeMap;

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
        for index in (0..entries).step_by(entries.div_ceil(12)) {
            let mut less = tables.clone();
            less["routers"][router]["entries"].as_array_mut().unwrap().remove(index);
            let (code, message) = convicted(less.to_string(), built.topology());
            assert!(code == "FAB0417" && message.contains("it has no entry for them"), "{name}: {message}");
            for port in (0..ports)
                .filter(|&port| Some(port) != tables["routers"][router]["entries"][index][width].as_u64())
            {
                let mut tampered = tables.clone();
                tampered["routers"][router]["entries"][index][width] = port.into();
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
    // The same without the rule has one virtual channel for all hops, and cycles.
    assert_eq!(convicted(head("\"vc\":\"hop\",", ""), built.topology()).0, "FAB0413");
}

/// The files of an external format by path, or why there are none.
pub(super) fn external(built: &Built, name: &str) -> Result<BTreeMap<String, Vec<u8>>, EmitError> {
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
