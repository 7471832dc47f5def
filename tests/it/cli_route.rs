//! `fabc route`: the route of a pair as the tables of a directory say it, in every scenario.

use crate::support::plain::fabc;
use crate::support::spec_text::SpecText;
use serde_json::Value;
use std::path::Path;

/// Builds a spec and returns the place of `out`.
fn built(spec: &SpecText) -> tempfile::TempDir {
    let place = tempfile::tempdir().unwrap();
    std::fs::write(place.path().join("small.fab"), spec.text()).unwrap();
    fabc(place.path(), &["build", "small.fab", "-q"], 0);
    place
}

fn pod() -> SpecText {
    SpecText::pod([2, 2, 2], 2).named("small")
}

fn json(place: &Path, args: &[&str]) -> Value {
    serde_json::from_str(&fabc(place, args, 0).0).unwrap()
}

/// The hops of a pair by `fabc tables`: the router, output port and virtual channel of each.
fn hops_by_tables(place: &Path, pair: [u64; 2], scenario: &str) -> Vec<[u64; 3]> {
    let topology: Value =
        serde_json::from_slice(&std::fs::read(place.join("out/small/topology.json")).unwrap()).unwrap();
    let [mut node, to] = pair;
    let (mut input, mut hops) = ([-1, -1], Vec::new());
    while node != to {
        let router = node.to_string();
        let args = ["tables", "out/small", "--router", &router, "--scenario", scenario, "--json"];
        let table = json(place, &args);
        let entries = table["routers"][0]["entries"].as_array().unwrap();
        let entry = entries
            .iter()
            .map(|entry| entry.as_array().unwrap().iter().map(|n| n.as_i64().unwrap()).collect::<Vec<_>>())
            .find(|entry| entry[0] == to as i64 && entry[1..3] == input)
            .unwrap();
        hops.push([node, entry[3] as u64, entry[4] as u64]);
        let link = topology["links"].as_array().unwrap().iter().find_map(|link| {
            let end = |key: &str| [0, 1].map(|part| link[key][part].as_u64().unwrap());
            let here = [node, entry[3] as u64];
            (end("a") == here).then(|| end("b")).or_else(|| (end("b") == here).then(|| end("a")))
        });
        let [next, port] = link.unwrap();
        (node, input) = (next, [port as i64, entry[4]]);
    }
    hops
}

#[test]
fn routes_are_those_of_the_tables() {
    let place = built(&pod());
    let ports = ["+x", "-x", "+y", "-y", "+z", "-z"];
    for (pair, scenario) in
        [([0, 15], "nominal"), ([3, 12], "X[0,0]"), ([9, 2], "Z[1,1]"), ([1, 8], "Y[0,1]")]
    {
        let [from, to] = pair.map(|node: u64| node.to_string());
        let routes =
            json(place.path(), &["route", "out/small", &from, &to, "--scenario", scenario, "--json"]);
        let route = &routes["scenarios"][0];
        let hops: Vec<[u64; 3]> = route["route"]
            .as_array()
            .unwrap()
            .iter()
            .map(|hop| {
                let (cube, chip) = hop["from"].as_str().unwrap()[4..].split_once('[').unwrap();
                let place: Vec<u64> = chip[..5].split(',').map(|part| part.parse().unwrap()).collect();
                let node = cube.parse::<u64>().unwrap() * 8 + place[0] + 2 * place[1] + 4 * place[2];
                let port = ports.iter().position(|port| hop["out_port"] == **port).unwrap();
                [node, port as u64, hop["vc"].as_u64().unwrap()]
            })
            .collect();
        assert_eq!(hops, hops_by_tables(place.path(), pair, scenario), "{pair:?} in {scenario}");
        assert_eq!(route["hops"], hops.len());
        assert!(route["distance"].as_u64().unwrap() <= hops.len() as u64);
        // Every hop takes 10 cycles of the chip and 10 of the link, at 1 GHz.
        assert_eq!(route["cycles"], serde_json::json!([20 * hops.len(), 20 * hops.len()]));
        let switches = route["route"].as_array().unwrap().iter().filter(|hop| hop["switch"] == scenario);
        assert_eq!(switches.count(), 0, "a route through the dark switch {scenario}");
    }
}

#[test]
fn all_scenarios_are_compared() {
    let place = built(&pod());
    let (text, _) =
        fabc(place.path(), &["route", "out/small", "cube0[0,0,0]", "cube1[1,1,1]", "--scenario", "all"], 0);
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[0], "cube0[0,0,0] -> cube1[1,1,1], 13 scenarios, the slowest first");
    assert_eq!(lines.len(), 2 + 13, "{text}");
    let cycles: Vec<u64> =
        lines[2..].iter().map(|line| line.split_whitespace().nth(3).unwrap().parse().unwrap()).collect();
    assert!(cycles.is_sorted_by(|slower, faster| slower >= faster), "{text}");
    // Of a symmetric fabric, faults that have no tables of their own count as well.
    let faulty = pod().without("budget").with("budget { vcs = 2; faults = 1 chip; }");
    let place = built(&faulty);
    let routes = json(place.path(), &["route", "out/small", "0", "9", "--scenario", "all", "--json"]);
    let names: Vec<&str> =
        routes["scenarios"].as_array().unwrap().iter().map(|one| one["scenario"].as_str().unwrap()).collect();
    assert_eq!((names.len(), routes["dead"].as_array().unwrap().len()), (1 + 16 - 2, 2), "{names:?}");
    assert_eq!(routes["dead"], serde_json::json!(["cube0[0,0,0]", "cube1[1,0,0]"]));
    for route in routes["scenarios"].as_array().unwrap() {
        let dead = route["scenario"].as_str().unwrap();
        let hops = route["route"].as_array().unwrap();
        assert!(hops.iter().all(|hop| hop["from"] != dead && hop["to"] != dead), "through the dead {dead}");
    }
}

#[test]
fn sprayed_packets_take_all_paths() {
    let place = built(
        &SpecText::network("leaf_spine { leaves = 4; spines = 2; }")
            .named("small")
            .without("budget")
            .with("budget { vcs = 1; faults = 0; }")
            .with("routing = spray;"),
    );
    let (text, _) = fabc(place.path(), &["route", "out/small", "leaf[0]", "leaf[3]"], 0);
    let wanted = "\
leaf[0] -> leaf[3], nominal: 2 hops at distance 2, 40 cycles (40.0 ns)
  hop  channel                    VC  link  cycles    ns  share
    1  leaf[0].port0 -> spine[0]   0  wire      20  20.0    0.5
    1  leaf[0].port1 -> spine[1]   0  wire      20  20.0    0.5
    2  spine[0].port3 -> leaf[3]   0  wire      20  20.0    0.5
    2  spine[1].port3 -> leaf[3]   0  wire      20  20.0    0.5
";
    assert_eq!(text, wanted);
    let (_, err) = fabc(place.path(), &["route", "out/small", "leaf[0]", "spine[1]"], 2);
    let message = "\
FAB0577

  × there is no route from `leaf[0]` to `spine[1]`: `spine[1]` has no hosts,
  │ so it neither sends nor receives
  help: name routers with hosts, such as `leaf[0]`
";
    assert!(err.starts_with(message), "{err}");
}

#[test]
fn pairs_without_a_route_are_refused() {
    let place = built(&pod());
    let refused = |args: &[&str]| fabc(place.path(), &[&["route", "out/small"], args].concat(), 2).1;
    let same = "\
FAB0577

  × there is no route from `cube0[0,0,0]` to `cube0[0,0,0]`: it is one router
  help: name two different routers
";
    assert!(refused(&["0", "cube0[0,0,0]"]).starts_with(same));
    let unknown = "\
FAB0511

  × there is no router `cube7[0,0,0]`
  help: routers are `cube0[0,0,0]` to `cube1[1,1,1]`, or 0 to 15
";
    assert!(refused(&["0", "cube7[0,0,0]"]).starts_with(unknown));
    let scenario = "\
FAB0512

  × there are no tables for the scenario `X[9,9]`
  help: `fabc tables out/small` lists the scenarios
";
    assert!(refused(&["0", "1", "--scenario", "X[9,9]"]).starts_with(scenario));
    let (_, err) = fabc(place.path(), &["route", ".", "0", "1"], 2);
    assert!(
        err.starts_with(
            "FAB0510\n\n  × `.` is not a directory that `fabc build` wrote: there is no `spec.fab`\n"
        ),
        "{err}"
    );
}

#[test]
fn a_dead_router_has_no_route() {
    let place = built(&pod().without("budget").with("budget { vcs = 2; faults = 1 chip; }"));
    let args = ["route", "out/small", "0", "1", "--scenario", "cube0[1,0,0]"];
    let message = "\
FAB0577

  × there is no route from `cube0[0,0,0]` to `cube0[1,0,0]`: one of the two is
  │ dead in `cube0[1,0,0]`
  help: leave `--scenario` out, or name one in which both survive
";
    let (_, err) = fabc(place.path(), &args, 2);
    assert!(err.starts_with(message), "{err}");
}
