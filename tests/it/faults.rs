//! Faults of single links and chips: which are compiled, what is served, and that the images of a fault need
//! no tables of their own.

use crate::support::spec_text;
use fabc::check;
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::emit;
use fabc::ids::{Id, NodeId};
use fabc::ir::{
    FaultSymmetry, ForwardingTables, Fraction, Image, Scenario, ScenarioFault, TableEntry, Walk,
    surviving_scene,
};
use fabc::model::Metric;
use fabc::progress::Silent;
use fabc::syntax::print_spec;
use spec_text::SpecText;
use std::collections::{BTreeMap, BTreeSet};

/// Two cubes of 2 x 2 x 2 behind twelve switches.
fn text(faults: &str, routing: &str) -> String {
    let pod = SpecText::pod([2, 2, 2], 2).with("topology = torus 2 x 2 x 4;");
    pod.with(&format!("budget {{ vcs = 2; faults = {faults}; }} {routing}")).text()
}

/// Compiled as far as a stage, and the normalized spec.
fn compiled(text: &str, last: Stage) -> (CompiledFabric, String) {
    let loader = |_: &str| Ok(text.to_owned());
    let (fabric, spec, _) =
        fabc::lang::read_normal("test.fab", &loader).unwrap_or_else(|(failure, _)| panic!("{failure:?}"));
    (compile(fabric, last, &Silent).unwrap_or_else(|failure| panic!("{failure:?}")), print_spec(&spec))
}

/// Compiles a pod up to the analysis, without routes.
fn analyzed(faults: &str) -> CompiledFabric {
    compiled(&text(faults, "routing = up_down;"), Stage::Analyze).0
}

fn built(faults: &str, routing: &str, tables: &str) -> (CompiledFabric, BTreeMap<String, Vec<u8>>) {
    let (compiled, spec) = compiled(&text(faults, routing), Stage::Emit);
    let (option, binary) = emit::BINARY_TABLES;
    // A manifest names what is not the default.
    let options: Vec<_> =
        (tables == binary).then(|| (option.to_owned(), binary.to_owned())).into_iter().collect();
    let files = emit::artifacts(&compiled, &spec, &options)
        .into_iter()
        .map(|artifact| (artifact.path, artifact.bytes))
        .collect();
    (compiled, files)
}

fn convictions(compiled: &CompiledFabric, files: &BTreeMap<String, Vec<u8>>) -> String {
    let errors = check::verify_directory(files, &compiled.fabric).err().unwrap_or_default();
    errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The node that a symmetry of cubes takes a node to.
fn carried_node(image: &Image, chips: u32, node: NodeId) -> NodeId {
    let FaultSymmetry::Blocks(cubes) = &image.symmetry else { panic!("pods have symmetries of cubes") };
    NodeId(cubes[(node.0 / chips) as usize].0 * chips + node.0 % chips)
}

/// The image of a fault.
fn moved(compiled: &CompiledFabric, scenario: &Scenario, image: &Image) -> Scenario {
    let chips = compiled.expect_pod().0.chips_per_cube();
    let to = |node| carried_node(image, chips, node);
    let fault = match &scenario.fault {
        ScenarioFault::Link(link) => {
            let end = compiled.topology.links()[*link].a;
            ScenarioFault::Link(
                compiled
                    .topology
                    .outgoing(to(end.node), end.port)
                    .map(|channel| compiled.topology.link_of(channel))
                    .unwrap(),
            )
        }
        ScenarioFault::Router(chip) => ScenarioFault::Router(to(*chip)),
        other => panic!("{other:?} has no images"),
    };
    Scenario { name: image.scenario.clone(), fault, images: Vec::new() }
}

/// Tables and ranks (per router) with every router and destination carried along.
fn carried(
    compiled: &CompiledFabric,
    tables: &ForwardingTables,
    ranks: &[u32],
    image: &Image,
) -> (ForwardingTables, Vec<u32>) {
    let chips = compiled.expect_pod().0.chips_per_cube();
    let to = |node| carried_node(image, chips, node);
    let row = compiled.topology.ports() * usize::from(tables.vcs);
    let (mut routers, mut carried) = (vec![Vec::new(); tables.routers.len()], vec![0; ranks.len()]);
    for (node, entries) in compiled.topology.nodes().zip(&tables.routers) {
        let position = to(node).index();
        routers[position] = entries.iter().map(|entry| TableEntry { dst: to(entry.dst), ..*entry }).collect();
        routers[position].sort_unstable();
        carried[position * row..(position + 1) * row]
            .copy_from_slice(&ranks[node.index() * row..(node.index() + 1) * row]);
    }
    (ForwardingTables { routers, scenario: image.scenario.clone(), ..tables.clone() }, carried)
}

fn every_image_is_served(compiled: &CompiledFabric) -> usize {
    let mut served = 0;
    for scenario in &compiled.scenarios[1..] {
        let routed = scenario.routed.as_ref().unwrap();
        for image in &scenario.scenario.images {
            let Scenario { fault, .. } = moved(compiled, &scenario.scenario, image);
            let (tables, ranks) = carried(compiled, &routed.tables.unpacked(), routed.proof.ranks(), image);
            let scene =
                surviving_scene(&fault, &compiled.topology, Some(&compiled.expect_pod().1.cross_connects));
            let (walk, _) = check::judge_tables(&compiled.fabric, &scene, &tables, &ranks).unwrap();
            assert_eq!(walk.max_channel_load(), scenario.metrics.routed.as_ref().unwrap().max_channel_load());
            served += 1;
        }
    }
    served
}

#[test]
fn one_link_of_every_orbit_is_compiled_and_serves_its_images() {
    for routing in ["routing = allowed_turns;", "routing = up_down;"] {
        let (compiled, files) = built("1 link", routing, "json");
        assert_eq!(convictions(&compiled, &files), "");
        assert_eq!(compiled.topology.symmetry().order(), 2);
        // 24 copper links and 24 fibers. An orbit has two links, or one that swaps its ends.
        let faults: Vec<&Scenario> =
            compiled.scenarios[1..].iter().map(|scenario| &scenario.scenario).collect();
        let names: BTreeSet<&str> = faults
            .iter()
            .flat_map(|fault| {
                fault.images.iter().map(|image| image.scenario.as_str()).chain([fault.name.as_str()])
            })
            .collect();
        assert_eq!(names.len(), 48);
        assert_eq!(faults[0].name, "cube0[0,0,0].+x");
        assert!(files.contains_key("tables/fault-cube0_0_0_0.+x.json"));
        assert_eq!(every_image_is_served(&compiled), 48 - faults.len());
        for scenario in &compiled.scenarios[1..] {
            assert_eq!(scenario.metrics.channels, 94, "{}", scenario.scenario.name);
            assert_eq!(scenario.metrics.routed.as_ref().unwrap().route_hops.iter().sum::<u64>(), 16 * 15);
        }
    }
}

#[test]
fn a_dead_chip_is_left_out_and_all_others_are_served() {
    for routing in ["routing = allowed_turns;", "routing = up_down;"] {
        let (compiled, files) = built("1 chip", routing, "json");
        assert_eq!(convictions(&compiled, &files), "");
        assert_eq!(compiled.scenarios.len(), 1 + 8);
        assert_eq!(every_image_is_served(&compiled), 8);
        let fault = &compiled.scenarios[1];
        assert_eq!(
            (fault.scenario.name.as_str(), fault.metrics.routers, fault.metrics.channels),
            ("cube0[0,0,0]", 15, 96 - 12)
        );
        let walk = fault.metrics.routed.as_ref().unwrap();
        assert_eq!(walk.route_hops.iter().sum::<u64>(), 15 * 14);
        assert!(fault.metrics.value(Metric::LoadRatio).unwrap() >= Fraction::integer(1u8));
        assert!(
            fault.routed.as_ref().unwrap().tables.unpacked().routers[0].is_empty(),
            "a dead chip has no tables"
        );
    }
}

#[test]
fn a_dead_chip_takes_its_share_of_a_weighted_demand_with_it() {
    // Groups of four: each of the other three in the group of the dead chip sends 4 less, everyone else 1
    // less.
    let demand = "demand { all_to_all over groups of 4 weight 3; all_to_all weight 1; }";
    for key in ["", "{ key = dst; }"] {
        let semicolon = if key.is_empty() { ";" } else { "" };
        let (compiled, files) =
            built("1 chip", &format!("{demand} routing = allowed_turns {key}{semicolon}"), "binary");
        assert_eq!(convictions(&compiled, &files), "");
        assert!(files.contains_key("tables/fault-cube0_0_0_0.bin"));
        // The report has the cost of the short key.
        assert_eq!(
            compiled
                .passes
                .iter()
                .any(|pass| pass.notes.iter().any(|note| note.contains("keyed by destination alone"))),
            !key.is_empty()
        );
        assert_eq!(every_image_is_served(&compiled), 8);
        for fault in &compiled.scenarios[1..] {
            assert_eq!(compiled.fabric.demand.sent_most(None), 3 * 4 + 12);
            assert_eq!(fault.metrics.sent_per_host, Fraction::integer(3u64 * 4 + 12 - 1));
            let (low, high) = (fault.metrics.flow_low, fault.metrics.flow_high.expect("chips send"));
            assert!(!low.is_zero() && low <= high, "{}: [{low:?}, {high:?}]", fault.scenario.name);
        }
    }
}

#[test]
fn the_list_of_faults_is_found_again_by_other_means() {
    for faults in ["0 ocs", "1 ocs", "2 ocs", "1 link", "1 chip"] {
        let compiled = analyzed(faults);
        let (fabric, topology) = (&compiled.fabric, &compiled.topology);
        let scenarios = Scenario::tolerated(fabric, topology);
        check::verify_faults(fabric, topology, &scenarios).unwrap();
        let convicted = |kind: &str, change: &dyn Fn(&mut Vec<Scenario>)| {
            let mut changed = scenarios.clone();
            change(&mut changed);
            assert!(check::verify_faults(fabric, topology, &changed).is_err(), "{faults}: {kind}");
        };
        convicted("one too few", &|scenarios| drop(scenarios.pop()));
        convicted("one too many", &|scenarios| scenarios.push(scenarios[0].clone()));
        convicted("the healthy pod under another name", &|scenarios| scenarios[0].name.push('!'));
        if scenarios.len() == 1 {
            continue;
        }
        convicted("out of order", &|scenarios| scenarios.swap(1, 2));
        convicted("one twice", &|scenarios| scenarios[2] = scenarios[1].clone());
        convicted("renamed", &|scenarios| scenarios[1].name = scenarios[1].name.replacen('0', "1", 1));
        convicted("something else fails", &|scenarios| scenarios[1].fault = scenarios[2].fault.clone());
        if let Some(index) = (1..scenarios.len()).find(|&index| !scenarios[index].images.is_empty()) {
            convicted("an image too few", &|scenarios| drop(scenarios[index].images.pop()));
            convicted("an image under another name", &|scenarios| {
                scenarios[index].images[0].scenario.push('!')
            });
            convicted("an image elsewhere", &|scenarios| match &mut scenarios[index].images[0].symmetry {
                FaultSymmetry::Blocks(blocks) => blocks.reverse(),
                FaultSymmetry::Shift(stages) => stages[0].down += 1,
            });
        }
    }
}

#[test]
fn a_fault_that_is_missing_or_renamed_everywhere_is_convicted() {
    for (faults, name, other) in [
        ("1 ocs", "X[0,0]", "X[0,9]"),
        ("1 link", "cube0[0,0,0].+x", "cube1[0,0,0].+x"),
        ("1 chip", "cube0[0,0,0]", "cube1[0,0,0]"),
    ] {
        let (compiled, files) = built(faults, "routing = up_down;", "json");
        assert_eq!(convictions(&compiled, &files), "");
        let stem =
            |name: &str| format!("tables/fault-{}.json", name.replace(['[', ','], "_").replace(']', ""));
        assert!(files.contains_key(&stem(name)), "{faults}");
        // Left out of every file that names it.
        let mut missing = files.clone();
        missing.remove(&stem(name)).unwrap();
        for path in ["certificates.json", "report.json"] {
            missing = without(&missing, path, name);
        }
        assert!(
            convictions(&compiled, &signed(missing)).contains(&format!("{}: is missing", stem(name))),
            "{faults}"
        );
        // Renamed in all of them, and not to one that there is.
        let renamed = files.iter().map(|(path, bytes)| {
            let text = |bytes: &[u8]| {
                String::from_utf8(bytes.to_vec())
                    .unwrap()
                    .replace(&format!("\"{name}\""), &format!("\"{other}\""))
            };
            let path = if *path == stem(name) { stem(other) } else { path.clone() };
            let named = path.starts_with("tables/") || path == "certificates.json" || path == "report.json";
            (path, if named { text(bytes).into_bytes() } else { bytes.clone() })
        });
        let verdicts = convictions(&compiled, &signed(renamed.collect()));
        assert!(verdicts.contains(&format!("{}: is missing", stem(name))), "{faults}: {verdicts}");
        assert!(
            verdicts.contains(&format!("{}: belongs to no scenario", stem(other))),
            "{faults}: {verdicts}"
        );
    }
}

#[test]
fn what_the_routes_carry_is_counted_twice() {
    let (compiled, _) = built("1 link", "routing = up_down;", "json");
    for scenario in &compiled.scenarios {
        let walk = scenario.metrics.routed.as_ref().unwrap();
        let name = &scenario.scenario.name;
        check::verify_walk(name, walk, walk).unwrap();
        let changes: [&dyn Fn(&mut Walk); 6] = [
            &|walk| walk.loads[0] += 1,
            &|walk| walk.load_histogram[0].1 += 1,
            &|walk| walk.vc_hops[0] += 1,
            &|walk| walk.route_hops[1] += 1,
            &|walk| walk.entries_max += 1,
            &|walk| walk.entries_total += 1,
        ];
        for change in changes {
            let mut tampered = walk.clone();
            change(&mut tampered);
            assert!(
                check::verify_walk(name, &tampered, walk).is_err()
                    && check::verify_walk(name, walk, &tampered).is_err()
            );
        }
    }
}

/// A JSON file without whatever is called `name`: fields, and objects of lists that say so in `scenario`.
fn without(files: &BTreeMap<String, Vec<u8>>, path: &str, name: &str) -> BTreeMap<String, Vec<u8>> {
    fn strip(value: &mut serde_json::Value, name: &str) {
        match value {
            serde_json::Value::Object(fields) => {
                fields.remove(name);
                fields.values_mut().for_each(|value| strip(value, name));
            }
            serde_json::Value::Array(list) => {
                list.retain(|value| value.get("scenario").is_none_or(|scenario| scenario != name));
                list.iter_mut().for_each(|value| strip(value, name));
            }
            _ => {}
        }
    }
    let mut files = files.clone();
    let mut value = serde_json::from_slice(&files[path]).unwrap();
    strip(&mut value, name);
    files.insert(path.to_owned(), serde_json::to_vec(&value).unwrap());
    files
}

/// Signs a directory with a manifest that fits.
fn signed(mut files: BTreeMap<String, Vec<u8>>) -> BTreeMap<String, Vec<u8>> {
    let mut manifest: serde_json::Value =
        serde_json::from_slice(&files.remove("manifest.json").unwrap()).unwrap();
    let line = |(path, bytes): (&String, &Vec<u8>)| serde_json::json!({"path": path, "bytes": bytes.len(), "blake3": blake3::hash(bytes).to_hex().to_string()});
    manifest["files"] = files.iter().map(line).collect();
    files.insert("manifest.json".to_owned(), serde_json::to_vec(&manifest).unwrap());
    files
}

#[test]
fn tables_that_name_other_images_or_serve_the_dead_are_convicted() {
    let (compiled, files) = built("1 chip", "routing = up_down;", "json");
    let path = "tables/fault-cube0_0_0_0.json";
    let text = String::from_utf8(files[path].clone()).unwrap();
    for (from, to, verdict) in [
        ("\"cubes\":[1,0]", "\"cubes\":[0,1]", "images"),
        ("\"scenario\":\"cube1[0,0,0]\"", "\"scenario\":\"cube1[1,0,0]\"", "images"),
        // The first router that lives gets a line for the dead one.
        (
            "{\"node\":1,\"entries\":[\n",
            "{\"node\":1,\"entries\":[\n[0,-1,-1,2,0],\n",
            "no route uses the entry for packets to cube0[0,0,0]",
        ),
    ] {
        assert!(text.contains(from), "{from} is not in {}", &text[..600]);
        let mut changed = files.clone();
        changed.insert(path.to_owned(), text.replacen(from, to, 1).into_bytes());
        let verdicts = convictions(&compiled, &changed);
        assert!(verdicts.contains(verdict), "{verdicts}");
    }
}
