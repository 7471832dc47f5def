//! `cargo bench --bench collective [-- gathers|direct|trees ..] [PART-OF-A-NAME ..]` plans schedules and
//! prints them beside their bounds. The collectives are an all-gather, an all-to-all along the tables and an
//! all-reduce by trees. The fabrics are pods, tori, pods with a dark switch, and networks. Prints the tables
//! of `docs/benchmarks.md`. A spec that takes minutes to build (`pod_8192`, tables of dark switches) is left
//! out unless it is named.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark looks at the clock; nothing that fabc writes depends on it"
)]

use fabc::compile::collectives::{CollectivesRequest, ScenarioCollectives};
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::ir::{
    CollectiveBound, ForwardingTables, Fraction, Scenario, Scene, Schedule, Topology, Transfers,
    surviving_scene,
};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{
    ScheduleRequest, bound_from_flow_proof, by_slots, by_steps, direct, multitree, natural_chunks, trees,
};
use fabc::progress::Silent;
use std::time::Instant;

/// Name and spec of a row, and its dark switch.
const ROWS: [(&str, &str, Option<&str>); 15] = [
    ("pod_128", "pod_128", None),
    ("torus_4x4x8", "torus_4x4x8", None),
    ("twisted_4x4x8", "paper/twisted_4x4x8", None),
    ("pod_256", "pod_256", None),
    ("twisted_4x8x8", "twisted_4x8x8", None),
    ("torus_8x8x8", "paper/torus_8x8x8", None),
    ("pod_1024", "pod_1024", None),
    ("two_faces", "two_faces", None),
    ("small_cubes", "small_cubes", None),
    ("dragonfly_264", "networks/dragonfly_264", None),
    ("dumbbell", "", None),
    ("dark_128", "pod_128", Some("X[0,0]")),
    ("dark_256", "pod_256", Some("X[0,0]")),
    ("dark_1024", "pod_1024", Some("X[0,0]")),
    ("pod_8192", "pod_8192", None),
];

/// Two complete graphs of four routers and a link between them.
const DUMBBELL: &str = "fabric dumbbell { clock = 1 GHz; link wire { bandwidth = 100 Gbps; latency = 10 ns; }
    router { radix = 8; hosts = 1; vcs = 2; } topology = graph \"dumbbell.txt\"; routing = minimal; }";
const DUMBBELL_LINKS: &str = "a b\na c\na d\nb c\nb d\nc d\ne f\ne g\ne h\nf g\nf h\ng h\na e\n";

/// Name, spec, dark switch: an all-to-all needs tables.
const TABLED: [(&str, &str, Option<&str>); 10] = [
    ("pod_128", "pod_128", None),
    ("torus_4x4x8", "torus_4x4x8", None),
    ("twisted_4x4x8", "paper/twisted_4x4x8", None),
    ("pod_256", "pod_256", None),
    ("twisted_4x8x8", "twisted_4x8x8", None),
    ("pod_1024", "pod_1024", None),
    ("small_cubes", "small_cubes", None),
    ("dragonfly_264", "networks/dragonfly_264", None),
    ("dark_128", "pod_128", Some("X[0,0]")),
    ("dark_256", "pod_256", Some("X[0,0]")),
];

/// The tables of this benchmark.
const TABLES: [&str; 3] = ["gathers", "direct", "trees"];

fn main() {
    let arguments: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let (tables, wanted): (Vec<String>, Vec<String>) =
        arguments.into_iter().partition(|argument| TABLES.contains(&argument.as_str()));
    let chosen = |table: &str| tables.is_empty() || tables.iter().any(|named| named == table);
    let named = |name: &str, slow: bool| {
        if wanted.is_empty() { !slow } else { wanted.iter().any(|part| name.contains(part.as_str())) }
    };
    if chosen("gathers") {
        println!(
            "| fabric | diameter | bound, shard times | MultiTree: epochs, s | slots: k, reached, share, s | steps: k, steps x volume, share, s |"
        );
        println!("|---|---|---|---|---|---|");
        ROWS.iter()
            .filter(|(name, ..)| named(name, *name == "pod_8192"))
            .for_each(|(name, spec, dark)| row(name, spec, *dark));
    }
    if chosen("direct") {
        println!(
            "| fabric | flow bound | load of the tables | slots, s | with 4 slots of latency: slots | 4 chunks, 4 slots: slots | 1 MiB, 1 GiB: us (share of the bound), s |"
        );
        println!("|---|---|---|---|---|---|---|");
        TABLED
            .iter()
            .filter(|(name, _, dark)| named(name, dark.is_some()))
            .for_each(|(name, spec, dark)| all_to_all(name, spec, *dark));
    }
    if chosen("trees") {
        println!(
            "| fabric | partition bound, M/b | trees / to a link | share | height | s | 1 MiB, 1 GiB: us (share of the bound), s |"
        );
        println!("|---|---|---|---|---|---|---|");
        ROWS.iter()
            .filter(|(name, ..)| named(name, *name == "pod_8192"))
            .for_each(|(name, spec, dark)| shared(name, spec, *dark));
    }
}

/// A fabric and what of it is dark.
fn scene<'a>(compiled: &'a CompiledFabric, topology: &'a Topology, dark: Option<&str>) -> Scene<'a> {
    let Some(dark) = dark else { return Scene::healthy(topology) };
    let scenarios = Scenario::of_ocses(&compiled.fabric, 1);
    let scenario = scenarios.iter().find(|scenario| scenario.name == dark).expect("a switch of that name");
    surviving_scene(&scenario.fault, topology, compiled.pod.as_ref().map(|pod| &pod.cross_connects))
}

fn all_to_all(name: &str, spec: &str, dark: Option<&str>) {
    let compiled = built(spec, Stage::Emit, dark.is_some());
    let scene = scene(&compiled, &compiled.topology, dark);
    let scenario = compiled
        .scenarios
        .iter()
        .find(|scenario| dark.is_none_or(|dark| scenario.scenario.name == dark))
        .expect("it is built");
    let tables = scenario.routed.as_ref().expect("tables").tables.unpack().expect("as they were packed");
    let slots = |chunks, latency| {
        let started = Instant::now();
        let mut schedule = direct(
            &scene,
            &tables,
            ScheduleRequest { chunks: Some(chunks), latency, ..ScheduleRequest::default() },
        )
        .expect("it delivers");
        let seconds = started.elapsed().as_secs_f64();
        schedule.bounds.extend(bound_from_flow_proof(&scene, &scenario.lengths));
        fabc::check::verify_message_schedule(&scene, &tables, &schedule).expect("it is an all-to-all");
        let Transfers::Sends(sends) = &schedule.transfers else { unreachable!("messages") };
        (sends.slots(), seconds, schedule)
    };
    let (least, seconds, schedule) = slots(1, 0);
    let flow = schedule.bounds.iter().find(|bound| matches!(bound, CollectiveBound::Flow { .. }));
    println!(
        "| `{name}` | {} | {} | **{least}**, {seconds:.2} | {} | {} | {} |",
        flow.map_or_else(|| "-".to_owned(), |flow| format!("{:.2}", flow.volume().as_f64())),
        schedule.bounds[0].volume().ceil(),
        slots(1, 4).0,
        slots(4, 4).0,
        printed_times(
            &compiled,
            &scene,
            Some((&tables, &scenario.lengths.lengths)),
            Collective::AllToAll,
            CollectiveAlgorithm::Direct
        )
    );
}

/// Times as `fabc collective` prints them, and how long all of that took.
fn printed_times(
    compiled: &CompiledFabric,
    scene: &Scene<'_>,
    along: Option<(&ForwardingTables, &Vec<u64>)>,
    collective: Collective,
    algorithm: CollectiveAlgorithm,
) -> String {
    let request = CollectivesRequest {
        collectives: vec![collective],
        sizes: vec![1 << 20, 1 << 30],
        algorithm: Some(algorithm),
        chunks: None,
        root: None,
        groups: None,
        overhead_ps: 0,
        barrier: false,
        seed: 1,
    };
    let started = Instant::now();
    let lengths = along.map_or(&[][..], |(_, lengths)| lengths);
    let mut planned = ScenarioCollectives::new(&compiled.fabric, scene, &request)
        .along(along.map(|(tables, _)| tables), lengths);
    let rows = planned.rows("").expect("it can be planned");
    let time = |row: &fabc::ir::CollectiveRow| {
        let best = row.best();
        format!("{:.3} ({:.1} %)", best.time.total() as f64 / 1e12, row.share(best).as_f64() * 100.0)
    };
    format!(
        "{}, {:.2}",
        rows.iter().map(time).collect::<Vec<_>>().join(", "),
        started.elapsed().as_secs_f64()
    )
}

fn shared(name: &str, spec: &str, dark: Option<&str>) {
    let compiled = built(spec, Stage::Synthesize, dark.is_some());
    let scene = scene(&compiled, &compiled.topology, dark);
    let started = Instant::now();
    let schedule = trees(&scene, ScheduleRequest::default()).expect("it is connected");
    let seconds = started.elapsed().as_secs_f64();
    fabc::check::verify_schedule(&scene, &schedule).expect("it spans");
    let Transfers::Trees(shared) = &schedule.transfers else { unreachable!("trees") };
    println!(
        "| `{name}` | {:.5} | {} / {} = {:.3} | {:.1} % | {} | {seconds:.2} | {} |",
        schedule.bounds[0].volume().as_f64(),
        shared.trees.len(),
        shared.capacity,
        shared.rate().as_f64(),
        shared.rate().times(schedule.bounds[0].volume()).as_f64() * 100.0,
        shared.height(&compiled.topology),
        printed_times(&compiled, &scene, None, Collective::AllReduce, CollectiveAlgorithm::Trees)
    );
}

/// Faults are left out unless they are asked for: each has tables of its own.
fn built(spec: &str, stage: Stage, faults: bool) -> CompiledFabric {
    let read = |path: &str| match path {
        "specs/.fab" => Ok(DUMBBELL.to_owned()),
        "specs/dumbbell.txt" => Ok(DUMBBELL_LINKS.to_owned()),
        _ => {
            let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
            Ok(if faults { text } else { text.replace("faults = 1 ocs", "faults = 0") })
        }
    };
    let fabric = fabc::lang::read_normal(&format!("specs/{spec}.fab"), &read)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}"))
        .0;
    compile(fabric, stage, &Silent).unwrap_or_else(|failure| panic!("{failure:?}"))
}

fn row(name: &str, spec: &str, dark: Option<&str>) {
    let compiled = built(spec, Stage::Synthesize, dark.is_some());
    let topology = &compiled.topology;
    let scene = scene(&compiled, topology, dark);
    let tree = if topology.node_count() > 1024 {
        "-".to_owned()
    } else {
        let started = Instant::now();
        let schedule = multitree(&scene, ScheduleRequest::default()).expect("it is connected");
        let seconds = started.elapsed().as_secs_f64();
        fabc::check::verify_schedule(&scene, &schedule).expect("it gathers");
        format!("{}, {seconds:.2}", volume(&schedule).ceil())
    };
    let natural = natural_chunks(&scene).expect("it is connected");
    let mut ks = vec![natural, 2, 1];
    ks.retain(|&chunks| chunks <= natural);
    ks.dedup();
    let (mut slots, mut steps, mut first) = (Vec::new(), Vec::new(), None);
    for chunks in ks {
        let request = ScheduleRequest { chunks: Some(chunks), ..ScheduleRequest::default() };
        let started = Instant::now();
        let schedule = by_slots(&scene, request).expect("it is connected");
        let seconds = started.elapsed().as_secs_f64();
        fabc::check::verify_schedule(&scene, &schedule).expect("it gathers");
        slots.push(format!("{chunks}: {}, {seconds:.2}", share(&schedule)));
        let started = Instant::now();
        let schedules = by_steps(&scene, request).expect("it is connected");
        let seconds = started.elapsed().as_secs_f64();
        let costs: Vec<String> = schedules
            .iter()
            .map(|schedule| {
                fabc::check::verify_schedule(&scene, schedule).expect("it gathers");
                format!("{} x {}", schedule.rounds().map_or(0, |rounds| rounds.steps()), share(schedule))
            })
            .collect();
        steps.push(format!("{chunks}: {}, {seconds:.2}", costs.join("; ")));
        first.get_or_insert(schedule);
    }
    let bounds = first.map(|schedule| schedule.bounds).unwrap_or_default();
    println!(
        "| `{name}` | {} | {:.3} | {tree} | {} | {} |",
        bounds.iter().map(|bound| bound.hops()).max().unwrap_or(0),
        bounds[0].volume().as_f64(),
        slots.join("<br>"),
        steps.join("<br>")
    );
}

/// Shard times of a gather.
fn volume(schedule: &Schedule) -> Fraction {
    Fraction::new(schedule.rounds().map_or(0, |rounds| rounds.volume()), schedule.chunks)
}

/// The reached value, and its share of the bound.
fn share(schedule: &Schedule) -> String {
    let reached = volume(schedule);
    format!("{:.3} ({:.1} %)", reached.as_f64(), schedule.bounds[0].volume().over(reached).as_f64() * 100.0)
}
