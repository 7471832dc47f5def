//! Networks built whole: what comes out, and that the directory proves it.

use fabc::compile::{Stage, check_early, compile};
use fabc::compiled::CompiledFabric;
use fabc::emit::{self, EmitError};
use fabc::ids::Id;
use fabc::model::Metric;
use fabc::progress::Silent;
use fabc::solve::{FlowProblem, max_concurrent_flow};
use fabc::syntax::print_spec;
use fabc::{check, verify};
use std::collections::BTreeMap;

/// Compiles a spec given as text, and verifies the directory that it makes. Returns that too.
pub(crate) fn built(text: &str) -> (CompiledFabric, check::Files) {
    let loader = |path: &str| if path == "test.fab" { Ok(text.to_owned()) } else { Err(path.to_owned()) };
    let (fabric, spec, _) = fabc::lang::read_normal("test.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"));
    let compiled =
        compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{failure:?}\n{text}"));
    let text = print_spec(&spec);
    let files = emit::artifacts(&compiled, &text, &[])
        .into_iter()
        .map(|artifact| (artifact.path, artifact.bytes))
        .collect();
    if let Err(errors) = verify::directory(&files, &compiled.fabric, &text) {
        panic!("{}\n{text}", errors.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n"));
    }
    (compiled, files)
}

/// Compiles a spec given as text, and emits it in an external format. Returns the text of every file by path.
pub(crate) fn emitted(format: &str, spec: &str) -> Result<BTreeMap<String, String>, EmitError> {
    let (compiled, _) = built(spec);
    let format = emit::FORMATS.iter().find(|known| known.name == format).expect("a format");
    let mut files = BTreeMap::new();
    emit::each_chunk::<EmitError>(format, &compiled, &mut |path, bytes| {
        let text = std::str::from_utf8(bytes).expect("text");
        files.entry(path.to_owned()).or_insert_with(String::new).push_str(text);
        Ok(())
    })?;
    Ok(files)
}

/// A network of two kinds of links.
fn spec(local: u32, global: u32, router: &str, rest: &str) -> String {
    format!(
        "fabric net {{ clock = 1 GHz; link near {{ bandwidth = {local} Gbps; latency = 10 ns; }} link far {{ bandwidth = {global} Gbps; latency = 20 ns; }}
        router {{ {router} vcs = 8; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }} {rest} }}"
    )
}

fn value(compiled: &CompiledFabric, metric: Metric) -> f64 {
    compiled.scenarios[0].metrics.value(metric).unwrap().as_f64()
}

fn report(files: &check::Files) -> serde_json::Value {
    serde_json::from_slice(&files["report.json"]).unwrap()
}

/// Two routers in each of two groups: a near link in each, a far one between.. the mesh u - v | w - x.
#[test]
fn loads_are_counted_over_capacities() {
    // On a path of four routers the middle link is half as fast again: 200, 300, 200 Gbit/s. That is 2, 3, 2
    // units of 100, and 6 parts each.
    let text = spec(
        200,
        300,
        "radix = 8;",
        "budget { vcs = 3; } topology = dragonfly { a = 2; h = 1; g = 2; local = near; global = far; } routing = minimal;",
    );
    let (compiled, files) = built(&text);
    // a = 2, h = 1, g = 2: two groups with two far links: a ring of four. Every far link bears 2 routes each
    // way, or more where a route turns. Near links as well.
    let report = report(&files);
    let histogram = report["histograms"]["channel_load"].as_array().unwrap();
    let total: f64 = histogram.iter().map(|pair| pair[0].as_f64().unwrap() * pair[1].as_f64().unwrap()).sum();
    // 8 hops between neighbors, 4 pairs with two hops: one near and one far each.
    let [near, far] = [(4.0 + 4.0) / 2.0, (4.0 + 4.0) / 3.0];
    assert!((total - near - far).abs() < 1e-5, "{histogram:?}");
    assert_eq!(value(&compiled, Metric::MaxChannelLoad), 1.0, "two routes over two units");
    assert_eq!(report["metrics"]["max_channel_load"].as_f64(), Some(1.0));
    assert_eq!(compiled.scenarios[0].metrics.channel_bandwidth.as_f64(), 12.5);
}

#[test]
fn a_path_is_as_fast_as_its_slow_link() {
    for (slow, fast) in [(100, 400), (200, 300), (25, 800)] {
        for turned in [false, true] {
            let (local, global) = if turned { (fast, slow) } else { (slow, fast) };
            let text = spec(
                local,
                global,
                "radix = 4;",
                "budget { vcs = 2; faults = 0; } topology = graph \"path.txt\" { default = near; } routing = minimal;",
            );
            let loader = |path: &str| match path {
                "test.fab" => Ok(text.clone()),
                "path.txt" => Ok("a b\nb c far\n".to_owned()),
                other => Err(other.to_owned()),
            };
            let (fabric, _, _) = fabc::lang::read_normal("test.fab", &loader)
                .unwrap_or_else(|(failure, _)| panic!("{failure:?}"));
            let unit = fabric.capacities.unit_bps() as f64 / 1e9;
            let compiled = compile(fabric, Stage::Emit, &Silent).unwrap();
            // Two pairs each way over either link.
            let [flow, load] =
                [Metric::ConcurrentFlow, Metric::MaxChannelLoad].map(|metric| value(&compiled, metric));
            assert!((flow * unit - f64::from(slow) / 2.0).abs() < 1e-6, "{slow} {fast}: {flow}");
            assert!((load / unit - 2.0 / f64::from(slow)).abs() < 1e-9, "{slow} {fast}: {load}");
            assert!(
                (value(&compiled, Metric::Bandwidth) - f64::from(slow) / 8.0).abs() < 1e-6,
                "two destinations each"
            );
            assert_eq!(value(&compiled, Metric::LoadRatio), 1.0);
        }
    }
}

#[test]
fn lp_of_unequal_dragonflies_stands_inside_the_certified_interval() {
    for (local, global) in [(100, 100), (100, 200), (400, 100), (300, 200)] {
        for routing in ["minimal", "allowed_turns"] {
            let topology = "topology = dragonfly { a = 2; h = 1; local = near; global = far; }";
            let text = spec(
                local,
                global,
                "radix = 4; hosts = 2;",
                &format!("budget {{ vcs = 8; faults = 1 link; }} {topology} routing = {routing};"),
            );
            let (compiled, _) = built(&text);
            let topology = &compiled.topology;
            let symmetry = topology.symmetry();
            let class = |channel| topology.channel_class(symmetry, channel).index();
            let mut capacities = vec![1.0; topology.class_count(symmetry)];
            let mut channels = Vec::new();
            for channel in topology.channels() {
                let [from, to] =
                    [topology.source(channel), topology.target(channel)].map(|end| end.node.index());
                channels.push((from, to, class(channel)));
                capacities[class(channel)] = topology.channel_capacity(channel) as f64;
            }
            let sources = symmetry.canonical_nodes().map(Id::index).collect();
            let exact = max_concurrent_flow(
                &FlowProblem { nodes: topology.node_count(), sources, channels, capacities },
                |_, _| 1,
            )
            .unwrap();
            let (low, high) = (compiled.flow.value(), compiled.flow.dual.bound());
            assert!(
                low <= exact + 1e-9 && exact <= high + 1e-9,
                "{local}/{global}: {exact} outside [{low}, {high}]"
            );
            assert!(high / low <= 1.01, "{local}/{global}: [{low}, {high}]");
            assert!(value(&compiled, Metric::LoadRatio) >= 1.0);
        }
    }
}

/// Below a leaf of a fat tree every channel can bear the same, if the trees of routes spread over all spines.
#[test]
fn minimal_routes_spread_over_a_fat_tree() {
    let text = spec(
        100,
        100,
        "radix = 12; hosts = 6;",
        "budget { vcs = 4; } topology = fat_tree { levels = 3; arity = 6; link = near; } routing = minimal;",
    );
    let (compiled, _) = built(&text);
    // 36 leaves: each receives 35 routes over 6 channels, so that no channel can bear fewer than 6 at most.
    let (load, bound) =
        (value(&compiled, Metric::MaxChannelLoad), compiled.scenarios[0].metrics.load_bound().as_f64());
    assert_eq!(bound, 6.0);
    assert!(load <= 8.0, "{load} routes on a channel, {bound} is the least");
}

/// Every fault of a link and of a router, on networks with and without symmetry, duplex and simplex.
#[test]
fn faults_of_networks_are_routed_and_proved() {
    for topology in [
        "dragonfly { a = 3; h = 1; }",
        "dragonfly { a = 3; h = 1; arrangement = consecutive; }",
        "torus 4 x 3",
        "hyperx 3 x 3",
        "kautz { degree = 2; length = 2; }",
        "fat_tree { levels = 2; arity = 3; }",
    ] {
        for faults in ["1 link", "1 router"] {
            for routing in ["minimal", "allowed_turns", "up_down"] {
                if topology.starts_with("kautz") && routing != "minimal" {
                    continue;
                }
                let text = spec(
                    100,
                    100,
                    "radix = 8;",
                    &format!(
                        "budget {{ vcs = 8; faults = {faults}; }} topology = {topology} routing = {routing};"
                    ),
                );
                let text = text.replace("link far { bandwidth = 100 Gbps; latency = 20 ns; }", "");
                let text = if topology.ends_with('}') {
                    text
                } else {
                    text.replace(topology, &format!("{topology};"))
                };
                let (compiled, _) = built(&text);
                let faults: usize = compiled
                    .scenarios
                    .iter()
                    .map(|scenario| scenario.scenario.images.len() + 1)
                    .sum::<usize>()
                    - 1;
                let expected = if text.contains("1 link") {
                    compiled.topology.links().len()
                } else {
                    compiled.topology.node_count()
                };
                assert_eq!(faults, expected, "{text}");
                assert!(compiled.scenarios.iter().all(|scenario| scenario.routed.is_some()));
            }
        }
    }
}

/// More ports than fit a word of bits, than channels fit an array of 64, than (port, VC)s fit a byte.
#[test]
fn wide_routers_lose_no_channel() {
    // Every pair of a complete graph of 70 has a channel of its own.
    let rest = "budget { vcs = 1; } topology = hyperx 70 { link = near; } routing = minimal;";
    let (compiled, _) = built(&spec(100, 100, "radix = 128; hosts = 2;", rest));
    assert_eq!(
        (value(&compiled, Metric::ConcurrentFlow), value(&compiled, Metric::MaxChannelLoad)),
        (1.0, 1.0)
    );
    // Leaves of a star: each sends to all others over its only channel.
    let star: String = (0..150).map(|leaf| format!("hub leaf{leaf}\n")).collect();
    // Each two of three routers are joined by 60 links: 120 ports by 3 virtual channels are 360 outputs.
    let bundles: String = (0..60).map(|_| "a b\nb c\nc a\n").collect();
    for (routing, links, load, flow) in [
        ("minimal", &star, 150.0, 1.0 / 150.0),
        ("up_down", &star, 150.0, 1.0 / 150.0),
        ("minimal", &bundles, 1.0, 60.0),
        ("allowed_turns", &bundles, 1.0, 60.0),
    ] {
        let rest = format!(
            "budget {{ vcs = 3; }} topology = graph \"links.txt\" {{ default = near; }} routing = {routing};"
        );
        let text = spec(100, 100, "radix = 200; hosts = 1;", &rest);
        let loader = |path: &str| match path {
            "test.fab" => Ok(text.clone()),
            "links.txt" => Ok(links.clone()),
            other => Err(other.to_owned()),
        };
        let (fabric, _, _) =
            fabc::lang::read_normal("test.fab", &loader).unwrap_or_else(|(failure, _)| panic!("{failure:?}"));
        let compiled =
            compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{routing}: {failure:?}"));
        assert_eq!(value(&compiled, Metric::MaxChannelLoad), load, "{routing}");
        assert!((value(&compiled, Metric::ConcurrentFlow) / flow - 1.0).abs() < 1e-3, "{routing}");
    }
}

/// A ring of copper alone: nothing ends its lines.
#[test]
fn a_ring_without_ends_is_analyzed() {
    let text = spec(
        100,
        100,
        "radix = 4;",
        "budget { vcs = 2; faults = 1 link; } topology = torus 9 { link = near; } routing = allowed_turns;",
    );
    let (compiled, _) = built(&text);
    // 9 routers: 2 (1 + 2 + 3 + 4) hops from each, over two channels of each.
    let bound = compiled.scenarios[0].metrics.flow_ceiling().as_f64();
    assert!((bound - 0.1).abs() < 1e-9 && value(&compiled, Metric::ConcurrentFlow) > 0.0999, "{bound}");
}

/// A spec that is too large is refused before the work, at its line.
#[test]
fn networks_that_are_too_large_are_refused_by_arithmetic() {
    for (topology, code) in [
        ("torus 256 x 256", "FAB0206"),
        ("hyperx 16 x 32 x 32", "FAB0209"),
        ("kautz { degree = 15; length = 5; link = near; }", "FAB0208"),
    ] {
        let braces = if topology.ends_with('}') {
            topology.to_owned()
        } else {
            format!("{topology} {{ link = near; }}")
        };
        let text = spec(
            100,
            100,
            "radix = 200;",
            &format!("budget {{ vcs = 2; }} topology = {braces} routing = minimal;"),
        );
        let loaded = fabc::lang::read_normal("test.fab", &|_: &str| Ok(text.clone()));
        let failure = match loaded {
            Err((failure, _)) => failure,
            Ok((fabric, ..)) => check_early(&fabric, Stage::Emit).expect_err(topology),
        };
        let codes: Vec<String> = failure
            .diagnostics()
            .iter()
            .filter_map(|diagnostic| Some(diagnostic.code()?.to_string()))
            .collect();
        assert_eq!(codes, [code], "{topology}");
    }
}
