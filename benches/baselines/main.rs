//! Other routings on the same topologies, as a yardstick: `cargo bench --bench baselines [-- PATTERN]` prints
//! a table.
//!
//! Every row is checked here: all pairs are delivered, and the channels (per virtual channel) wait for each
//! other in no cycle. Load is the number of routes over the busiest channel. The bound is the certified one
//! of the topology. Times are wall seconds of the routing alone.

#![expect(clippy::disallowed_types, reason = "a benchmark looks at a clock")]

mod acyclic;
mod graph;
mod layered;
mod nue;
mod wild;

use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::ids::{Id, NodeId};
use fabc::ir::{PackedTables, Scenario, Scene, surviving_scene};
use fabc::progress::Silent;
use graph::{Graph, Paths, Score, judge};
use std::time::Instant;

/// Pods to route: name, cubes, topology.
const PODS: [(&str, u32, &str); 6] = [
    ("torus 4x4x8", 2, "torus 4 x 4 x 8"),
    ("twisted 4x4x8", 2, "twisted_torus 4 x 4 x 8"),
    ("synthesized 128", 2, "synthesize"),
    ("twisted 4x8x8", 4, "twisted_torus 4 x 8 x 8"),
    ("synthesized 256", 4, "synthesize"),
    ("synthesized 1024", 16, "synthesize"),
];

/// Routings of the language. With a priority it is the greedy insertion of turns alone.
const OWN: [&str; 6] = [
    "dimension_order",
    "up_down",
    "allowed_turns",
    "allowed_turns { priority = chosen_paths; }",
    "allowed_turns { priority = all_paths; }",
    "allowed_turns { priority = random; }",
];

/// A spec of 4 x 4 x 4 cubes behind 48 OCSes.
fn build(cubes: u32, topology: &str, routing: &str, budget: &str, last: Stage) -> CompiledFabric {
    let end = if routing.ends_with('}') { "" } else { ";" };
    let text = format!(
        "fabric bench {{ use \"specs/parts/tpu_v4.fab\"; clock = 1.05 GHz; cubes = {cubes}; budget {{ {budget} }} topology = {topology}; routing = {routing}{end} }}"
    );
    let read = |path: &str| match path {
        "bench.fab" => Ok(text.clone()),
        path => std::fs::read_to_string(path).map_err(|error| error.to_string()),
    };
    let (pod, _, _) =
        fabc::lang::read_normal("bench.fab", &read).unwrap_or_else(|(failure, _)| panic!("{failure:?}"));
    compile(pod, last, &Silent).unwrap_or_else(|failure| panic!("{failure:?}"))
}

/// The paths that routers with these tables make.
fn walk(graph: &Graph, tables: &PackedTables) -> Paths {
    let tables = tables.unpack().expect("what was packed comes out");
    let routers: Vec<_> = (0..graph.nodes).map(|node| tables.router(NodeId::new(node))).collect();
    let mut paths = Paths::new();
    for src in 0..graph.nodes {
        for dst in 0..graph.nodes {
            let (mut node, mut input, mut path) = (src, (-1, -1), Vec::new());
            while node != dst {
                let key = (NodeId::new(dst), input.0, input.1);
                let entry_index = routers[node]
                    .binary_search_by_key(&key, |entry| (entry.dst, entry.in_port, entry.in_vc))
                    .expect("an entry");
                let entry = routers[node][entry_index];
                let channel = node * graph.ports + usize::from(entry.out_port);
                path.push((channel as u32, entry.out_vc));
                node = graph.head[channel] as usize;
                input = ((graph.reverse[channel] as usize % graph.ports) as i16, entry.out_vc as i8);
            }
            paths.push(path);
        }
    }
    paths
}

fn row(pod: &str, method: &str, bound: u64, score: Option<Score>, seconds: f64) {
    match score {
        Some(Score { max_load, mean_load, mean_hops, vcs }) => {
            println!(
                "| {pod} | {method} | {vcs} | {max_load} | {bound} | {mean_load:.1} | {mean_hops:.4} | {seconds:.2} |"
            );
        }
        None => println!("| {pod} | {method} | > 64 | - | {bound} | - | - | {seconds:.2} |"),
    }
}

fn timed<T>(work: impl FnOnce() -> T) -> (T, f64) {
    let started = Instant::now();
    let result = work();
    (result, started.elapsed().as_secs_f64())
}

fn healthy(pod: &str, cubes: u32, topology: &str) {
    // The time of fabc is that of a whole build without the analysis.
    let (analysed, analysis) =
        timed(|| build(cubes, topology, "allowed_turns", "vcs = 2; faults = 0;", Stage::Analyze));
    let graph = Graph::new(&Scene::healthy(&analysed.topology));
    let bound = analysed.scenarios[0].metrics.load_bound().floor() as u64;
    let torus = topology.starts_with("torus");
    for routing in OWN.into_iter().filter(|&routing| torus || routing != "dimension_order") {
        let vcs = if routing == "up_down" { "vcs = 1; faults = 0;" } else { "vcs = 2; faults = 0;" };
        let (compiled, seconds) = timed(|| build(cubes, topology, routing, vcs, Stage::Check));
        let tables = &compiled.scenarios[0].routed.as_ref().expect("routed").tables;
        row(
            pod,
            routing,
            bound,
            Some(judge(routing, &graph, &walk(&graph, tables))),
            (seconds - analysis).max(0.0),
        );
    }
    let (paths, seconds) = timed(|| layered::lash(&graph));
    row(pod, "LASH", bound, paths.map(|paths| judge("LASH", &graph, &paths)), seconds);
    let (paths, seconds) = timed(|| layered::dfsssp(&graph));
    row(pod, "DFSSSP", bound, paths.map(|paths| judge("DFSSSP", &graph, &paths)), seconds);
    for vcs in [1, 2, 4, 8] {
        let ((paths, forced), seconds) = timed(|| nue::route(&graph, vcs));
        let method = format!("Nue-like, {vcs} VCs ({forced} destinations by tree)");
        row(pod, &method, bound, Some(judge(&method, &graph, &paths)), seconds);
    }
    if !topology.starts_with("synthesize") {
        let (paths, seconds) = timed(|| wild::route(&graph, &graph));
        row(pod, "wild first", bound, paths.ok().map(|paths| judge("wild first", &graph, &paths)), seconds);
    }
}

/// Wild first against allowed turns, every OCS dark once.
fn faults(pod: &str, cubes: u32, topology: &str) {
    let compiled = build(cubes, topology, "allowed_turns", "vcs = 2; faults = 1 ocs;", Stage::Check);
    let lit = |scenario: &Scenario| {
        Graph::new(&surviving_scene(
            &scenario.fault,
            &compiled.topology,
            Some(&compiled.expect_pod().1.cross_connects),
        ))
    };
    let healthy = lit(&Scenario::nominal());
    let (mut worst, mut sum, mut hops, mut unserved) = ([0u64; 2], [0u64; 2], [0.0f64; 2], Vec::new());
    let mut faults = 0;
    for fault in compiled.scenarios.iter().filter(|fault| !fault.scenario.is_nominal()) {
        let graph = lit(&fault.scenario);
        let tables = &fault.routed.as_ref().expect("routed").tables;
        let wild = match wild::route(&healthy, &graph) {
            Ok(paths) => judge("wild first", &graph, &paths),
            Err(lost) => {
                unserved.push((fault.scenario.name.clone(), lost.len()));
                continue;
            }
        };
        let turns = judge("allowed_turns", &graph, &walk(&graph, tables));
        faults += 1;
        for (k, score) in [wild, turns].into_iter().enumerate() {
            worst[k] = worst[k].max(score.max_load);
            sum[k] += score.max_load;
            hops[k] += score.mean_hops;
        }
    }
    for (k, method) in ["wild first, 3 VCs", "allowed_turns, 2 VCs"].into_iter().enumerate() {
        let (mean, hops) = (sum[k] as f64 / f64::from(faults), hops[k] / f64::from(faults));
        println!("| {pod} | {method} | {faults} | {} | {mean:.1} | {hops:.4} |", worst[k]);
    }
    if let Some((name, pairs)) = unserved.first() {
        println!(
            "wild first leaves pairs without a path in {} faults, for instance {pairs} pairs without {name}",
            unserved.len()
        );
    }
}

fn main() {
    // `cargo bench` passes `--bench`. Any other argument is a part of the name of a pod.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let chosen = |pod: &str| wanted.is_empty() || wanted.iter().any(|part| pod.contains(part.as_str()));
    println!(
        "| pod | routing | VCs | load | bound | mean load | mean hops | seconds |\n|---|---|---|---|---|---|---|---|"
    );
    for (pod, cubes, topology) in PODS.into_iter().filter(|(pod, ..)| chosen(pod)) {
        healthy(pod, cubes, topology);
    }
    println!(
        "\n| pod, one OCS dark | routing | faults | worst load | mean of the worst loads | mean hops |\n|---|---|---|---|---|---|"
    );
    for (pod, cubes, topology) in
        PODS.into_iter().filter(|(pod, _, topology)| chosen(pod) && topology.contains("torus"))
    {
        faults(pod, cubes, topology);
    }
}
