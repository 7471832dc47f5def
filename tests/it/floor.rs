//! Cabinets and cables: known lengths and prices, and directories that prove them.
//!
//! Answers stand in `tests/data/floor_answers.csv`: exact where they follow from the grid, bands of 3 % where
//! clusters and places are searched.

use fabc::compile::{Stage, candidates, compile};
use fabc::compiled::CompiledFabric;
use fabc::emit;
use fabc::ir::{FloorMetrics, LinkClass, Placement, Topology};
use fabc::model::{self, FloorMetric, Plant};
use fabc::passes::place;
use fabc::progress::Silent;
use fabc::syntax::print_spec;
use fabc::{check, verify};

fn spec(topology: &str, floor: &str) -> String {
    format!(
        "fabric laid {{ clock = 1 GHz;
        link wire {{ bandwidth = 96 Gbps; latency = 20 ns; cost = 100; cost_per_metre = 2.5; power = 1.5 W; }}
        router {{ radix = 64; hosts = 1; vcs = 8; flit = 32 B; buffer = 64 flits; latency = 100 cycles; }}
        topology = {topology} routing = up_down; floor {{ {floor} }} }}"
    )
}

fn compiled(text: &str, last: Stage) -> CompiledFabric {
    let loader = |path: &str| if path == "test.fab" { Ok(text.to_owned()) } else { Err(path.to_owned()) };
    let (fabric, _, _) = fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"));
    compile(fabric, last, &Silent).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"))
}

/// A topology with the cables of its floor, and their measures, without flow or routes.
fn laid_out(topology: &str, floor: &str) -> (FloorMetrics, Topology) {
    let text = spec(topology, floor);
    let loader = |path: &str| if path == "test.fab" { Ok(text.clone()) } else { Err(path.to_owned()) };
    let (fabric, _, _) = fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"));
    let (Plant::Network(network), Some(floor)) = (&fabric.plant, &fabric.floor) else {
        unreachable!("a network on a floor")
    };
    let topology = candidates(&fabric, network).expect("a draw").swap_remove(0);
    let (placement, _) = place::place(floor, &topology, &network.family);
    let cables = placement.cables(&fabric, floor, &topology);
    let topology = topology
        .with_cables(cables.iter().map(|&(length, link)| (length, link.expect("a link for every length"))));
    let metrics = FloorMetrics::for_placement(&fabric, floor, &placement, &topology);
    assert_eq!(check::verify_floor(&fabric, floor, &topology, None, &placement).expect("as placed"), metrics);
    (metrics, topology)
}

/// A metric of the cables of a topology on a floor.
fn measured(topology: &str, floor: &str, metric: FloorMetric) -> f64 {
    laid_out(topology, floor).0.value(metric).as_f64()
}

fn average(topology: &str, floor: &str) -> f64 {
    measured(topology, floor, FloorMetric::AverageCable)
}

#[test]
fn lengths_by_construction_are_exact() {
    for (topology, floor, expected) in [
        ("torus 16 x 16;", "cabinet = 16;", 3.84375),
        ("torus 16 x 16;", "cabinet = 16; order = serpentine;", 3.61875),
        ("hypercube { dimensions = 8; }", "cabinet = 16;", 4.0125),
        ("hypercube { dimensions = 8; }", "cabinet = 16; order = serpentine;", 4.1625),
        ("folded_hypercube { dimensions = 8; }", "cabinet = 16;", 4.611_111),
        ("hypercube { dimensions = 9; }", "cabinet = 16;", 5.0778),
    ] {
        let length = average(topology, floor);
        assert!((length - expected).abs() < 5e-5, "{topology} {floor}: {length}, not {expected}");
    }
}

#[test]
fn annealing_finds_what_is_known_to_be_best() {
    // A ring of cabinets around 4 x 4 places takes 10 steps along rows and 6 across, 18.6 m in all.
    for (topology, expected) in
        [("torus 16 x 16;", (2.0 + 4.0 + 18.6 / 16.0) / 2.0), ("hypercube { dimensions = 8; }", 4.0125)]
    {
        let length = average(topology, "cabinet = 16; placement = annealed { effort = 1; seed = 1; }");
        assert!((length - expected).abs() < 5e-5, "{topology}: {length}, not {expected}");
    }
}

#[test]
fn clusters_keep_cables_as_short_as_they_should() {
    let floor = "cabinet = 16; clustering = walktrap; placement = annealed;";
    for (topology, most) in [
        ("ring_n { routers = 256; degree = 4; }", 4.27),
        ("ring_n { routers = 256; degree = 8; }", 5.37),
        ("nbr { routers = 256; degree = 8; p = 0.5; }", 4.87),
    ] {
        let length = average(topology, floor);
        assert!(length <= most, "{topology}: {length}, more than {most}");
        let in_order = average(topology, "cabinet = 16;");
        assert!(length < in_order, "{topology}: {length} against {in_order} in order");
    }
}

#[test]
fn prices_powers_and_bundles_add_up() {
    // A line of four routers in two cabinets: two cables of 2 m inside, one of 4.6 m between.
    let floor = "cabinet = 2; install = 30; grid = fixed 1 x 2;";
    for (metric, expected) in [
        (FloorMetric::CableLength, 8.6),
        (FloorMetric::LongestCable, 4.6),
        (FloorMetric::Cost, 3.0 * 130.0 + 2.5 * 8.6),
        (FloorMetric::Power, 4.5),
        (FloorMetric::Bundles, 1.0),
    ] {
        let measure = measured("mesh 4;", floor, metric);
        assert!((measure - expected).abs() < 1e-9, "{metric:?}: {measure}, not {expected}");
    }
    // Every point of a PolarStar is a cabinet: one bundle for every two that are joined.
    let floor = "cabinet = 8; clustering = by_group; bundles = by_group;";
    assert_eq!(
        measured("polarstar { q = 5; supernode = iq; degree = 3; }", floor, FloorMetric::Bundles),
        90.0
    );
}

/// Every link between two points of a PolarStar runs in their bundle. There are q (q + 1)^2 / 2 bundles, as
/// wide as a supernode. For an odd q one cluster holds the quadrics, which are not joined to each other. The
/// q others have q points with 3 (q - 1) / 2 links inside. They have q + 1 links to the quadrics and q - 2 to
/// each other. For an even q one cluster is the nucleus alone. The q - 1 others have q + 1 points with 3 q /
/// 2 links inside, q + 1 links to the quadrics and q to each other.
#[test]
fn bundles_and_clusters_of_polarstars_are_counted() {
    for (topology, size, inner, q) in [
        ("polarstar { q = 11; supernode = iq; degree = 3; }", 8u64, 1644u64, 11u64),
        ("polarstar { q = 8; supernode = paley; degree = 6; }", 13, 0, 8),
        ("polarstar { q = 16; supernode = iq; degree = 7; }", 16, 0, 16),
        ("polarstar { q = 5; supernode = iq; degree = 3; }", 8, 0, 5),
        ("polarstar { q = 4; supernode = iq; degree = 3; }", 8, 0, 4),
        ("polarfly { q = 7; }", 1, 0, 7),
    ] {
        let bundles = if size > 1 { "bundles = by_group;" } else { "" };
        let floor = format!("cabinet = {}; clustering = by_cluster; {bundles}", (q + 1) * size);
        let (placed, topology_of) = laid_out(topology, &floor);
        let links = q * (q + 1) * (q + 1) / 2;
        if size > 1 {
            assert_eq!((placed.bundles, placed.bundled), (links, [links * size, size]), "{topology}");
        }
        if inner > 0 {
            assert_eq!(topology_of.links().len() as u64, links * size + inner);
            assert_eq!((placed.bundles, placed.bundled[0]), (792, 6336));
        }
        let clusters = placed.clusters.expect("of a plane");
        let (count, inside, between) =
            if q % 2 == 1 { (q, 3 * (q - 1) / 2, q - 2) } else { (q - 1, 3 * q / 2, q) };
        // The nucleus of an even q meets every quadric.
        let nucleus = if q % 2 == 1 { 0 } else { q + 1 };
        let expected = (q + 1, count * inside, count * (q + 1) + nucleus, count * (count - 1) / 2 * between);
        assert_eq!(
            (clusters.count, clusters.inside, clusters.to_quadrics, clusters.between),
            expected,
            "{topology}"
        );
        assert_eq!(clusters.inside + clusters.to_quadrics + clusters.between, links, "{topology}");
    }
    // Cabinets of three points: clusters of 6 and of 5 take two each.
    let (placed, _) = laid_out(
        "polarstar { q = 5; supernode = iq; degree = 3; }",
        "cabinet = 24; clustering = by_cluster;",
    );
    assert_eq!(placed.clusters.map(|placed| placed.count), Some(6));
}

#[test]
fn permuted_networks_keep_their_cables() {
    let floor = "cabinet = 16;";
    for base in ["hypercube { dimensions = 8; }", "torus 16 x 16;"] {
        for method in ["partial", "full"] {
            let permuted = format!("permute {{ of = {base} method = {method}; }}");
            let (before, after) = (average(base, floor), average(&permuted, floor));
            assert!((before - after).abs() < 1e-9, "{permuted}: {after}, not {before}");
        }
    }
    let links = |duplicates: &str| {
        let permuted_text =
            format!("permute {{ of = hypercube {{ dimensions = 8; }} duplicates = {duplicates}; }}");
        laid_out(&permuted_text, floor).1.links().len()
    };
    assert_eq!(links("keep"), 1024);
    // Some 36 of 1,024 occur twice.
    assert!((960..1015).contains(&links("drop")), "{}", links("drop"));
}

/// Links exchange ends with links of their kind alone: routers keep as many of each, cabinets too, and hosts
/// stay where they are.
#[test]
fn permuted_links_keep_their_kind() {
    let text = |topology: &str, cabinet: u32| {
        format!(
            "fabric laid {{ clock = 1 GHz;
            link board {{ bandwidth = 96 Gbps; latency = 20 ns; cost = 10; }} link fiber {{ bandwidth = 48 Gbps; latency = 60 ns; cost = 100; }}
            router {{ radix = 64; hosts = 2; vcs = 8; flit = 32 B; buffer = 64 flits; latency = 100 cycles; }}
            topology = {topology} routing = up_down; floor {{ cabinet = {cabinet}; }} }}"
        )
    };
    let classes = "local = board; global = fiber;";
    for (base, cabinet) in [
        (format!("dragonfly {{ a = 4; h = 2; {classes} }}"), 12),
        (format!("polarstar {{ q = 3; supernode = iq; degree = 3; {classes} }}"), 8),
        (format!("bundlefly {{ q = 4; p = 5; {classes} }}"), 16),
        (format!("megafly {{ a = 4; rho = 2; {classes} }}"), 10),
        ("levels { level 4 over board; level 5 joined 2 over fiber { ports = 2; } }".to_owned(), 10),
    ] {
        let before = compiled(&text(&base, cabinet), Stage::Analyze);
        let counted = |compiled: &CompiledFabric| {
            let mut counts = std::collections::BTreeMap::new();
            for link in compiled.topology.links().iter() {
                for end in [link.a, link.b] {
                    *counts
                        .entry((end.node, link.class == LinkClass::Global, link.link_type))
                        .or_insert(0) += 1;
                }
            }
            (counts, compiled.topology.nodes().map(|node| compiled.topology.hosts(node)).collect::<Vec<_>>())
        };
        for method in ["partial", "full"] {
            let text = text(&format!("permute {{ of = {base} method = {method}; }}"), cabinet);
            // Analyzed is checked. Small ones are also verified from their files.
            let small = before.topology.node_count() <= 40 && method == "full";
            let built = if small { verified(&text) } else { compiled(&text, Stage::Analyze) };
            assert_eq!(counted(&built), counted(&before), "{base} {method}");
            let metric =
                |built: &CompiledFabric, metric| built.cables.as_ref().expect("a floor").value(metric);
            for of_all in [FloorMetric::CableLength, FloorMetric::LongestCable, FloorMetric::Cost] {
                assert_eq!(metric(&built, of_all), metric(&before, of_all), "{base} {method}");
            }
            assert!(built.topology.links().iter().ne(before.topology.links().iter()), "{base} {method}");
        }
    }
}

/// Two links between blocks that are as if of each other's declared link: as many of each as there must be,
/// but not at the same routers.
#[test]
fn permuted_links_of_another_kind_are_seen() {
    let text = "fabric laid { clock = 1 GHz;
        link board { bandwidth = 96 Gbps; latency = 20 ns; } link fiber { bandwidth = 96 Gbps; latency = 60 ns; }
        link trunk { bandwidth = 96 Gbps; latency = 90 ns; }
        router { radix = 64; hosts = 2; vcs = 8; flit = 32 B; buffer = 64 flits; latency = 100 cycles; }
        topology = permute { of = levels { level 4 over board; level 5 joined 1 over fiber { ports = 1; } level 3 joined 10 over trunk { ports = 1; } } }
        routing = up_down; floor { cabinet = 60; } }";
    let built = compiled(text, Stage::Analyze);
    let topology = |links| {
        let hosts = built.topology.nodes().map(|node| built.topology.hosts(node)).collect();
        let made = Topology::new(built.topology.ports(), links, built.topology.symmetry().clone())
            .with_hosts(hosts)
            .named(built.topology.names().clone());
        check::verify_wiring(&built.fabric, &made.with_capacities(built.fabric.capacities.clone()), None)
    };
    let links = built.topology.links().as_slice().to_vec();
    assert!(topology(links.clone()).is_ok());
    let [fiber, trunk] =
        [1, 2].map(|built| links.iter().position(|link| link.link_type.0 == built).expect("one of them"));
    let mut changed = links.clone();
    (changed[fiber].link_type, changed[trunk].link_type) = (links[trunk].link_type, links[fiber].link_type);
    let swap_error = topology(changed).expect_err("they were exchanged").to_string();
    assert!(swap_error.contains("than in the base"), "{swap_error}");
    let mut changed = links;
    changed[fiber].link_type = changed[trunk].link_type;
    let error = topology(changed).expect_err("one more, one less").to_string();
    assert!(error.contains("cabinet 0 has 1 global links of `"), "{error}");
}

#[test]
fn duplicates_and_shortfalls_are_told() {
    let note = |topology: &str| {
        let compiled = compiled(&spec(topology, "cabinet = 16;"), Stage::Analyze);
        let note = compiled.passes[0].notes.first().expect("a note").clone();
        (compiled.topology.links().len(), note)
    };
    let (links, kept) = note("permute { of = hypercube { dimensions = 6; } }");
    assert!(links == 192 && kept.ends_with(" of 192 links run beside another one"), "{kept}");
    let (links, dropped) = note("permute { of = hypercube { dimensions = 6; } duplicates = drop; }");
    assert_eq!(dropped, format!("{} of 192 links came twice and were left out", 192 - links));
    assert_eq!(kept.split(' ').next(), dropped.split(' ').next());
    // The checker proves the report of it.
    let (placed, mut files, text) =
        directory(&spec("permute { of = hypercube { dimensions = 5; } }", "cabinet = 8;"));
    let [report, manifest] =
        ["report.json", "manifest.json"].map(|path| String::from_utf8(files[path].clone()).expect("text"));
    let changed = report.replace("\"duplicates\":", "\"duplicates\":1");
    let listed = |text: &str| {
        format!("\"bytes\":{},\"blake3\":\"{}\"", text.len(), blake3::hash(text.as_bytes()).to_hex())
    };
    let signed = manifest.replace(&listed(&report), &listed(&changed));
    assert!(changed != report && signed != manifest);
    files.extend([
        ("report.json".to_owned(), changed.into_bytes()),
        ("manifest.json".to_owned(), signed.into_bytes()),
    ]);
    let errors = verify::directory(&files, &placed.fabric, &text).expect_err("it is let through");
    assert!(errors.iter().any(|error| error.to_string().contains("counters.duplicates")), "{errors:?}");
    // An odd number of routers leaves one out of every matching.
    let (links, short) = note("ring_n { routers = 33; degree = 3; }");
    assert_eq!((links, short.as_str()), (33 + 16, "1 of 33 routers have fewer than 3 links"));
}

/// Compiled, written, and verified from what was written.
fn verified(text: &str) -> CompiledFabric {
    let (placed, files, text) = directory(text);
    verify::directory(&files, &placed.fabric, &text).unwrap_or_else(|errors| panic!("{errors:?}\n{text}"));
    placed
}

/// A directory of a spec, verified, and its files.
fn directory(text: &str) -> (CompiledFabric, check::Files, String) {
    let loader = |path: &str| if path == "test.fab" { Ok(text.to_owned()) } else { Err(path.to_owned()) };
    let (fabric, spec, _) = fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"));
    let compiled =
        compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"));
    let text = print_spec(&spec);
    let files: check::Files = emit::artifacts(&compiled, &text, &[])
        .into_iter()
        .map(|artifact| (artifact.path, artifact.bytes))
        .collect();
    (compiled, files, text)
}

const LAID: &str = "fabric laid { clock = 1 GHz;
    link copper { bandwidth = 96 Gbps; latency = 20 ns; per_metre = 5 ns; cost = 100; }
    link optical { bandwidth = 96 Gbps; latency = 40 ns; per_metre = 5 ns; cost = 200; power = 1 W; }
    router { radix = 64; hosts = 1; vcs = 8; flit = 32 B; buffer = 64 flits; latency = 100 cycles; }
    budget { vcs = 6; }
    topology = ring_n { routers = 36; degree = 5; }
    floor { cabinet = 4; clustering = walktrap; placement = annealed; install = 30; copper <= 5 m; beyond = optical; bundles = by_cabinet; }
    routing = minimal;
    require average_cable <= 8 m; require cost >= 1; require bundles >= 1; require power <= 90 W; require longest_cable <= 15 m; }";

#[test]
fn a_directory_proves_its_floor() {
    let (compiled, files, text) = directory(LAID);
    verify::directory(&files, &compiled.fabric, &text).unwrap_or_else(|errors| panic!("{errors:?}"));
    assert!(compiled.requires.iter().all(|outcome| outcome.holds() == Some(true)), "{:?}", compiled.requires);
    let sheet = String::from_utf8(files["cables.csv"].clone()).expect("text");
    assert_eq!(sheet.lines().count(), compiled.topology.links().len() + 1);
    // Some cables of each kind.
    assert!(sheet.contains(",copper,2.0,,") && sheet.contains(",optical,"), "{sheet}");
    let report = String::from_utf8(files["report.html"].clone()).expect("text");
    assert!(report.contains("<svg class=\"floor\"") && report.contains("id=\"floor\""));
}

const WEIGHED: &str = "fabric laid { clock = 1 GHz;
    link wire { bandwidth = 96 Gbps; latency = 20 ns; per_metre = 5 ns; cost = 100; }
    router { radix = 64; hosts = 1; vcs = 8; flit = 32 B; buffer = 64 flits; latency = 100 cycles; }
    budget { vcs = 6; }
    topology = synthesize { degree = 4; routers = 32; cable = 0.5; }
    floor { cabinet = 4; }
    routing = minimal; }";

/// Heavier cables are shorter and carry less. The graph of the spec's own weight is the one that is built,
/// and what the report says of it is proved.
#[test]
fn flow_against_cable_is_told_for_some_weights() {
    let (compiled, files, text) = directory(WEIGHED);
    verify::directory(&files, &compiled.fabric, &text).unwrap_or_else(|errors| panic!("{errors:?}"));
    let weights: Vec<u32> = compiled.trade_off.iter().map(|placement| placement.weight).collect();
    assert_eq!(weights, [0, 100, 200, 400, 500, 600, 800]);
    let (first, last) = (&compiled.trade_off[0], &compiled.trade_off[6]);
    assert!(first.cable > last.cable && first.flow > last.flow && first.distances < last.distances);
    let chosen = &compiled.trade_off[4];
    assert_eq!(Some(chosen.cable), compiled.cables.as_ref().map(|placement| placement.lengths[0]));
    let report = String::from_utf8(files["report.html"].clone()).expect("text");
    assert!(report.contains("Flow against cable") && report.contains("weight 0.5"));
    let report_text = String::from_utf8(files["report.txt"].clone()).expect("text");
    assert!(report_text.contains("weight of cable") && report_text.contains("0.5 *"), "{report_text}");
    for (weight, key) in [
        (500, "distances"),
        (500, "cable"),
        (500, "concurrent_flow"),
        (800, "concurrent_flow"),
        (100, "distances"),
    ] {
        let mut files = files.clone();
        let before = String::from_utf8(files["report.json"].clone()).expect("text");
        let line = before
            .lines()
            .find(|line| line.starts_with(&format!("{{\"weight\":{weight}")))
            .expect("its line");
        // A flow of more than 1 is more than any. Other numbers are longer by a digit.
        let changed = line.replace(&format!("\"{key}\":"), &format!("\"{key}\":1"));
        files.insert("report.json".to_owned(), before.replace(line, &changed).into_bytes());
        let error_list = verify::directory(&files, &compiled.fabric, &text).expect_err("it is let through");
        assert!(
            error_list.iter().any(|error| error.to_string().contains("network.trade_off")),
            "{error_list:?}"
        );
    }
}

#[test]
fn what_is_changed_on_a_floor_is_seen() {
    let (compiled, files, text) = directory(LAID);
    let tampered = |file: &str, from: &str, to: &str| {
        let mut files = files.clone();
        let before = String::from_utf8(files[file].clone()).expect("text");
        let after = before.replacen(from, to, 1);
        assert_ne!(before, after, "{file}: {from}");
        files.insert(file.to_owned(), after.into_bytes());
        let errors = verify::directory(&files, &compiled.fabric, &text).expect_err("it is let through");
        errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    assert!(tampered("cables.csv", ",copper,2.0,", ",copper,3.0,").contains("cables.csv"));
    tampered("floor.json", "\"row\":0,\"column\":0", "\"row\":0,\"column\":9");
    assert!(
        tampered("topology.json", "\"length\":20", "\"length\":21").contains("its cabinets are 20 apart")
    );
    tampered("report.json", "\"bundles\":", "\"bundles\":1");
    let swapped = {
        let mut floor: serde_json::Value = serde_json::from_slice(&files["floor.json"]).expect("json");
        let first = floor["cabinets"][0]["routers"][0].clone();
        floor["cabinets"][0]["routers"][0] = floor["cabinets"][1]["routers"][0].clone();
        floor["cabinets"][1]["routers"][0] = first;
        let mut files = files.clone();
        files.insert("floor.json".to_owned(), floor.to_string().into_bytes());
        verify::directory(&files, &compiled.fabric, &text)
    };
    swapped.expect_err("two routers changed cabinets");
}

#[test]
fn a_placement_that_is_none_is_convicted() {
    let compiled = compiled(&spec("torus 4 x 4;", "cabinet = 4;"), Stage::Analyze);
    let (fabric, topology) = (&compiled.fabric, &compiled.topology);
    let floor = fabric.floor.as_ref().expect("a floor");
    let good = compiled.placement.clone().expect("placed");
    check::verify_floor(fabric, floor, topology, None, &good).expect("as placed");
    let conviction = |bad: Placement| {
        check::verify_floor(fabric, floor, topology, None, &bad).expect_err("let through").to_string()
    };
    let mut bad = good.clone();
    bad.cabinet_of.swap(0, 4);
    assert!(conviction(bad).contains("router 0 stands in cabinet 1"));
    let mut bad = good.clone();
    bad.place_of[1] = [0, 0];
    assert!(conviction(bad).contains("where another one stands"));
    let mut bad = good.clone();
    bad.place_of.swap(0, 1);
    assert!(conviction(bad).contains("but belongs in"));
    let mut bad = good;
    bad.place_of[3] = [7, 7];
    assert!(conviction(bad).contains("beyond the floor"));
}

#[test]
fn latencies_grow_with_the_metres() {
    let text = |per_metre: &str| LAID.replace("per_metre = 5 ns;", per_metre);
    let latency = |text: &str| {
        compiled(text, Stage::Route).scenarios[0]
            .metrics
            .value(model::Metric::Latency)
            .expect("routed")
            .as_f64()
    };
    let (without, with, twice) =
        (latency(&text("")), latency(&text("per_metre = 5 ns;")), latency(&text("per_metre = 10 ns;")));
    // Some two and a half hops of four to eight metres, 5 ns each.
    assert!(with > without + 20.0 && with < without + 120.0, "{without} {with}");
    assert!(((twice - without) / (with - without) - 2.0).abs() < 0.1, "{without} {with} {twice}");
}

#[test]
fn threads_change_nothing() {
    let bytes = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().expect("a pool");
        pool.install(|| directory(LAID).1)
    };
    assert!(bytes(1) == bytes(3));
}
