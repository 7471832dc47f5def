//! Builds with a demand: every number of the report is computed again from the files.

use super::matrix;
use crate::support::fixture::directory::{Files, sign, tamper};
use crate::support::spec_text::SpecText;
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::ids::NodeId;
use fabc::ir::Fraction;
use fabc::model::{Demand, Fabric};
use fabc::progress::Silent;
use fabc::syntax::print_spec;
use fabc::{check, emit};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| error.kind().to_string())
}

/// A build of four cubes of 2 x 2 x 1 with a demand, and its files.
fn built(topology: &str, demand: &str, csv: &str) -> (CompiledFabric, Files) {
    build(&SpecText::pod([2, 2, 1], 4).without("ocs Z").with(topology).with(demand).text(), csv)
}

/// Builds a spec, and checks what it wrote.
fn build(text: &str, csv: &str) -> (CompiledFabric, Files) {
    let loader = |path: &str| match path {
        "test.fab" => Ok(text.to_owned()),
        "demand.csv" => Ok(csv.to_owned()),
        _ => read(path),
    };
    let (fabric, spec, _) =
        fabc::lang::read_normal("test.fab", &loader).unwrap_or_else(|(failure, _)| panic!("{failure:?}"));
    let compiled = compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{failure:?}"));
    let artifacts = emit::artifacts(&compiled, &print_spec(&spec), &[]);
    let files: Files = artifacts.into_iter().map(|artifact| (artifact.path, artifact.bytes)).collect();
    fabc::verify::directory(&files, &compiled.fabric, &print_spec(&spec))
        .unwrap_or_else(|errors| panic!("{errors:#?}"));
    (compiled, files)
}

const SEARCH: &str = "topology = synthesize { symmetry = translation; effort = 1; seed = 1; }";

/// 16 chips: chip s sends (s * 5 + t * 3) mod 4 to chip t, the same from any cube to any other.
fn skewed() -> Demand {
    matrix(16, |s, t| (s * 5 + t * 3) % 4)
}

fn parsed(files: &Files, path: &str) -> Value {
    serde_json::from_slice(&files[path]).unwrap()
}

fn number(value: &Value) -> i64 {
    value.as_i64().unwrap()
}

/// The load of every channel (router, port), from the JSON files alone.
fn recounted(files: &Files, scenario: &str, weight: impl Fn(i64, i64) -> u64) -> BTreeMap<(i64, i64), u64> {
    let topology = parsed(files, "topology.json");
    let nodes = topology["nodes"].as_array().unwrap().len() as i64;
    let mut next = BTreeMap::new();
    for link in topology["links"].as_array().unwrap() {
        let [a, b] = ["a", "b"].map(|end| (number(&link[end][0]), number(&link[end][1])));
        next.extend([(a, b), (b, a)]);
    }
    let tables = parsed(files, &format!("tables/{scenario}.json"));
    // Routers that are not listed are images of those that are.
    let mut tables_of: BTreeMap<i64, BTreeMap<[i64; 3], [i64; 2]>> = BTreeMap::new();
    let mut open = Vec::new();
    for router in tables["routers"].as_array().unwrap() {
        let entry = |entry: &Value| ([0, 1, 2].map(|k| number(&entry[k])), [3, 4].map(|k| number(&entry[k])));
        tables_of.insert(
            number(&router["node"]),
            router["entries"].as_array().unwrap().iter().map(entry).collect(),
        );
        open.push(number(&router["node"]));
    }
    while let Some(router) = open.pop() {
        for generator in topology["symmetry"]["generators"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|_| tables["canonical"] == true)
        {
            let image = |node: i64| number(&generator[node as usize]);
            if !tables_of.contains_key(&image(router)) {
                let moved = tables_of[&router]
                    .iter()
                    .map(|(&[dst, port, vc], &out)| ([image(dst), port, vc], out))
                    .collect();
                tables_of.insert(image(router), moved);
                open.push(image(router));
            }
        }
    }
    let mut loads: BTreeMap<(i64, i64), u64> = BTreeMap::new();
    for (src, dst) in
        (0..nodes).flat_map(|src| (0..nodes).map(move |dst| (src, dst))).filter(|(src, dst)| src != dst)
    {
        let (mut node, mut input) = (src, [-1, -1]);
        while node != dst {
            let [port, vc] = tables_of[&node][&[dst, input[0], input[1]]];
            *loads.entry((node, port)).or_default() += weight(src, dst);
            let end = next[&(node, port)];
            (node, input) = (end.0, [end.1, vc]);
        }
    }
    loads
}

#[test]
fn weighted_loads_are_those_that_the_files_give() {
    let matrix = skewed();
    let weights = |s: i64, t: i64| u64::from(matrix.weight(NodeId(s as u32), NodeId(t as u32)));
    let in_groups = |s: i64, t: i64| if s / 4 == t / 4 { 8 } else { 1 };
    let groups = "demand { all_to_all over groups of 4 weight 7; all_to_all weight 1; }";
    for (demand, weight) in [
        ("demand = matrix \"demand.csv\";", &weights as &dyn Fn(i64, i64) -> u64),
        (groups, &in_groups),
        ("", &|_, _| 1),
    ] {
        let (compiled, files) = built(SEARCH, demand, &matrix.csv());
        let report = parsed(&files, "report.json");
        for scenario in &compiled.scenarios {
            let (name, stem) = (&scenario.scenario.name, scenario.scenario.file_stem());
            let nominal = scenario.scenario.is_nominal();
            let loads = recounted(
                &files,
                &if nominal { "nominal".to_owned() } else { format!("fault-{stem}") },
                weight,
            );
            let metrics = if nominal { &report["metrics"] } else { &report["scenarios"][name] };
            let busiest = *loads.values().max().unwrap();
            assert_eq!(metrics["max_channel_load"].as_u64(), Some(busiest), "{demand} {name}");
            if !nominal {
                // Every route by its weight, over all channels that are lit: as the busiest one counts.
                let mean = loads.values().sum::<u64>() as f64 / scenario.metrics.channels as f64;
                let written = metrics["mean_channel_load"].as_f64().unwrap();
                assert!(
                    (written - mean).abs() <= 5.01e-7,
                    "{demand} {name}: {written}, but the files give {mean}"
                );
            }
            let reached = Fraction::new(1u64, busiest);
            assert!(scenario.metrics.flow_low >= reached && reached <= scenario.metrics.flow_ceiling());
        }
    }
}

#[test]
fn two_flows_on_a_path_add_up_as_by_hand() {
    // A torus of 4 x 4: chip 0 sends 5 to its neighbor in x, which sends it 3. Nothing else.
    let demand = matrix(16, |s, t| match (s, t) {
        (0, 1) => 5,
        (1, 0) => 3,
        _ => 0,
    });
    let (compiled, files) =
        built("topology = torus 4 x 4 x 1;", "demand = matrix \"demand.csv\";", &demand.csv());
    let metrics = &compiled.scenarios[0].metrics;
    // One hop each: 5 on the channel from chip 0 to chip 1, and 3 on its reverse.
    assert_eq!(metrics.demand_hops, 8);
    assert_eq!(metrics.sent_per_host, Fraction::integer(5u64));
    let loads =
        recounted(&files, "nominal", |s, t| u64::from(demand.weight(NodeId(s as u32), NodeId(t as u32))));
    let carried: Vec<u64> = loads.into_values().filter(|&load| load > 0).collect();
    assert_eq!(carried, [5, 3]);
    assert_eq!(parsed(&files, "report.json")["metrics"]["max_channel_load"], json!(5));
    // Four channels leave chip 0, so it can send its 5 units at 4/5 of their rate at most, and does by
    // splitting them.
    let (low, high) = (metrics.flow_low, metrics.flow_ceiling());
    assert!(high == Fraction::new(4u8, 5u8) && low > Fraction::new(799u16, 1000u16), "[{low:?}, {high:?}]");
}

/// One cube of 4 x 4 x 4, wrapped around, where every pair has the same weight.
fn heavy_torus(weight: u32, requires: &str) -> (CompiledFabric, Files) {
    let text = format!(
        "fabric test {{
    use \"specs/parts/tpu_v4.fab\";
    clock = 1 GHz;
    cubes = 1;
    budget {{ vcs = 2; faults = 0; }}
    demand {{ all_to_all weight {weight}; }}
    topology = torus 4 x 4 x 4;
    routing = dimension_order;
    {requires}
}}"
    );
    build(&text, "")
}

#[test]
fn large_weights_do_not_lift_the_least_load() {
    // Where floats err by more than 1e-9 of a route: 1 / (1 / (32 x weight)) is above 32 x weight.
    for weight in [742_166, 743_049, 999_999] {
        let least_weight = 32 * u64::from(weight);
        let requires = format!(
            "require max_channel_load <= {least_weight}; require load_ratio <= 1; require load_ratio >= 1;"
        );
        let (compiled, files) = heavy_torus(weight, &requires);
        let metrics = &compiled.scenarios[0].metrics;
        assert!(1.0 / (1.0 / least_weight as f64) - 1e-9 > least_weight as f64, "{weight} shows nothing");
        assert_eq!(
            (metrics.load_bound(), compiled.flow.dual.least_load(1)),
            (Fraction::integer(least_weight), least_weight)
        );
        assert_eq!(
            metrics.value(fabc::model::Metric::MaxChannelLoad),
            Some(Fraction::integer(least_weight)),
            "dimension order reaches it"
        );
        assert!(
            compiled.requires.iter().all(|outcome| outcome.holds() == Some(true)),
            "{:?}",
            compiled.requires
        );
        assert_eq!(parsed(&files, "report.json")["bounds"]["load"], json!(least_weight));
        for other in [least_weight + 1, least_weight - 1] {
            let changed = tamper(&files, "report.json", |value| value["bounds"]["load"] = json!(other));
            let errors = check::verify_directory(&changed, &compiled.fabric)
                .expect_err("another least load goes unnoticed");
            assert!(errors.iter().any(|error| error.to_string().contains("`bounds.load`")), "{errors:?}");
        }
    }
}

/// All numbers below a value, by their JSON pointers.
fn numbers(value: &Value, place: &str, numbers_found: &mut Vec<String>) {
    match value {
        Value::Object(fields) => {
            fields.iter().for_each(|(key, value)| numbers(value, &format!("{place}/{key}"), numbers_found))
        }
        Value::Array(list) => list
            .iter()
            .enumerate()
            .for_each(|(index, value)| numbers(value, &format!("{place}/{index}"), numbers_found)),
        Value::Number(_) => numbers_found.push(place.to_owned()),
        _ => {}
    }
}

#[test]
fn every_number_of_a_weighted_report_is_recomputed() {
    let (compiled, files) = built(SEARCH, "demand = matrix \"demand.csv\";", &skewed().csv());
    let report = parsed(&files, "report.json");
    let mut places = Vec::new();
    for section in ["nodes", "cubes", "metrics", "bounds", "histograms", "tables", "scenarios", "worst"] {
        numbers(&report[section], &format!("/{section}"), &mut places);
    }
    // So many trees are claimed to exist by connectivity. Fewer than are listed is true as well.
    places.retain(|place| place != "/bounds/trees/at_least");
    assert!(places.len() > 100, "{places:?}");
    for place in &places {
        let flows =
            ["concurrent_flow", "injection", "bandwidth", "distance"].iter().any(|name| place.contains(name));
        for sign in [1.0, -1.0] {
            let changed = tamper(&files, "report.json", |value| {
                let number = value.pointer_mut(place).unwrap();
                // The value changes by a little more than rounding explains.
                *number = match (number.as_i64(), number.as_f64().unwrap()) {
                    (Some(integer), _) => json!(integer + sign as i64),
                    (None, ratio) if flows => json!(ratio * (1.0 + sign * 2e-8)),
                    (None, ratio) => json!(ratio + sign * 1.2e-6),
                };
            });
            let errors = check::verify_directory(&changed, &compiled.fabric).expect_err(place);
            assert!(
                errors.iter().all(|error| error.to_string().starts_with("report.json: `")),
                "{place}: {errors:?}"
            );
        }
    }
    // The mean of routes that are counted without their weights is another number.
    for fault in &compiled.scenarios[1..] {
        let walk = fault.metrics.routed.as_ref().unwrap();
        let unweighted = walk.total_hops() as f64 / fault.metrics.channels as f64;
        let name = &fault.scenario.name;
        let changed = tamper(&files, "report.json", |value| {
            value["scenarios"][name]["mean_channel_load"] = json!(unweighted)
        });
        assert!(check::verify_directory(&changed, &compiled.fabric).is_err(), "{name}: {unweighted}");
    }
}

#[test]
fn a_matrix_of_ones_is_built_like_uniform_demand() {
    let [ones, uniform] = ["demand = matrix \"demand.csv\";", "demand = uniform;"]
        .map(|demand| built(SEARCH, demand, &matrix(16, |_, _| 1).csv()));
    for path in
        ["topology.json", "ocs.json", "certificates.json", "tables/nominal.json", "tables/fault-X_0_0.json"]
    {
        assert!(ones.1[path] == uniform.1[path], "{path} differs");
    }
    // The topology for uniform demand is the same one, so nothing is gained.
    let gain = ones.0.expect_pod().1.uniform.as_ref().unwrap().gain(&ones.0.scenarios[0].metrics);
    let same = Fraction::integer(1u8);
    assert!(gain.0 <= same && same <= gain.1, "{gain:?}");
    assert_eq!(uniform.0.expect_pod().1.uniform, None);
}

#[test]
fn a_changed_gain_or_demand_is_noticed() {
    let (compiled, files) = built(SEARCH, "demand = matrix \"demand.csv\";", &skewed().csv());
    let expect = |files: &Files, fabric: &Fabric, text: &str| {
        let errors: Vec<String> =
            check::verify_directory(files, fabric).expect_err(text).iter().map(ToString::to_string).collect();
        assert!(errors.iter().any(|error| error.contains(text)), "expected `{text}` among {errors:#?}");
    };
    let gain =
        |change: &dyn Fn(&mut Value)| tamper(&files, "report.json", |value| change(&mut value["gain"]));
    let by = |value: &mut Value, factor: f64| *value = json!(value.as_f64().unwrap() * factor);
    for (place, factor, text) in [
        ("/ratio/0", 1.001, "gain.ratio[0]"),
        ("/ratio/0", 0.999, "gain.ratio[0]"),
        ("/ratio/1", 1.001, "gain.ratio[1]"),
        ("/ratio/1", 0.999, "gain.ratio[1]"),
        ("/uniform_topology/0", 0.999, "gain.ratio[1]"),
        ("/uniform_topology/1", 1.001, "gain.ratio[0]"),
        ("/uniform_topology/0", 2.0, "gain.uniform_topology"),
        ("/uniform_topology/0", -1.0, "gain.uniform_topology"),
    ] {
        expect(&gain(&|gain| by(gain.pointer_mut(place).unwrap(), factor)), &compiled.fabric, text);
    }
    expect(&gain(&|gain| drop(gain.as_object_mut().unwrap().remove("ratio"))), &compiled.fabric, "gain");
    expect(&gain(&|gain| gain["ratio"] = json!([1])), &compiled.fabric, "gain");
    expect(&gain(&|gain| gain["more"] = json!(1)), &compiled.fabric, "gain.more");
    expect(
        &tamper(&files, "report.json", |value| drop(value.as_object_mut().unwrap().remove("gain"))),
        &compiled.fabric,
        "gain",
    );

    let input = "inputs/demand.csv";
    let changed = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut files = files.clone();
        change(files.get_mut(input).unwrap());
        sign(&mut files);
        files
    };
    let mismatch = "is not the file that the spec was resolved with";
    expect(
        &changed(&|bytes| bytes[2] = if bytes[2] == b'1' { b'2' } else { b'1' }),
        &compiled.fabric,
        mismatch,
    );
    expect(&changed(&|bytes| bytes.truncate(bytes.len() / 2)), &compiled.fabric, mismatch);
    expect(&changed(&Vec::clear), &compiled.fabric, mismatch);
    let mut missing = files.clone();
    missing.remove(input);
    sign(&mut missing);
    expect(&missing, &compiled.fabric, "inputs/demand.csv: is missing");
    // A demand that was changed together with its copy no longer fits the proofs: the flow is of other
    // weights.
    let demand = matrix(16, |s, t| if (s % 4, t % 4) == (2, 1) { 2 } else { (s * 5 + t * 3) % 4 });
    let mut heavier = files.clone();
    heavier.insert(input.to_owned(), demand.csv().into_bytes());
    sign(&mut heavier);
    expect(&heavier, &Fabric { demand, ..compiled.fabric.clone() }, "of the flow from node 2");
    // One pair alone also breaks the symmetry that topology.json claims.
    let demand = matrix(16, |s, t| if (s, t) == (2, 5) { 4 } else { (s * 5 + t * 3) % 4 });
    heavier.insert(input.to_owned(), demand.csv().into_bytes());
    sign(&mut heavier);
    expect(
        &heavier,
        &Fabric { demand, ..compiled.fabric.clone() },
        "maps pairs of routers to pairs with another demand",
    );
    // Uniform demand has neither a gain nor a file.
    let (uniform, mut files) = built(SEARCH, "", "");
    let boasting = tamper(&files, "report.json", |value| {
        value["gain"] = json!({"uniform_topology": [1, 1], "ratio": [1, 1]})
    });
    expect(&boasting, &uniform.fabric, "gain");
    files.insert(input.to_owned(), skewed().csv().into_bytes());
    sign(&mut files);
    expect(&files, &uniform.fabric, "the spec names no demand matrix");
}
