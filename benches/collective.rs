//! `cargo bench --bench collective [-- PART-OF-A-NAME ..]`: schedules of an all-gather on pods, tori, pods
//! with a dark switch and networks, beside their bounds. Prints the table of `docs/benchmarks.md`; `pod_8192`
//! alone takes minutes to build and is left out unless it is named.

#![expect(clippy::disallowed_types, reason = "a benchmark looks at the clock; nothing that fabc writes depends on it")]

use fabc::compile::{Stage, compile};
use fabc::compiled::Compiled;
use fabc::ir::{Fraction, Scenario, Scene, Schedule};
use fabc::model;
use fabc::passes::collective::{Asked, by_slots, by_steps, multitree, natural_chunks};
use fabc::progress::Silent;
use std::time::Instant;

/// Name, spec, dark switch.
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

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    println!(
        "| fabric | diameter | bound, shard times | MultiTree: epochs, s | slots: k, reached, share, s | steps: k, steps x volume, share, s |"
    );
    println!("|---|---|---|---|---|---|");
    for (name, spec, dark) in ROWS {
        let chosen = if wanted.is_empty() { name != "pod_8192" } else { wanted.iter().any(|part| name.contains(part.as_str())) };
        if chosen {
            row(name, spec, dark);
        }
    }
}

fn built(spec: &str) -> Compiled {
    let read = |path: &str| match path {
        "specs/.fab" => Ok(DUMBBELL.to_owned()),
        "specs/dumbbell.txt" => Ok(DUMBBELL_LINKS.to_owned()),
        _ => std::fs::read_to_string(path).map_err(|error| error.to_string()),
    };
    let fabric = model::load(&format!("specs/{spec}.fab"), &read).unwrap_or_else(|(failure, _)| panic!("{failure:?}")).0;
    compile(fabric, Stage::Synthesize, &Silent).unwrap_or_else(|failure| panic!("{failure:?}"))
}

fn row(name: &str, spec: &str, dark: Option<&str>) {
    let compiled = built(spec);
    let topology = &compiled.topology;
    let scene = match dark {
        None => Scene::whole(topology),
        Some(dark) => {
            let scenarios = Scenario::of_ocses(&compiled.fabric, 1);
            let scenario = scenarios.iter().find(|scenario| scenario.name == dark).expect("a switch of that name");
            Scene::of(&scenario.fault, topology, compiled.pod.as_ref().map(|pod| &pod.cross_connects))
        }
    };
    let tree = if topology.node_count() > 1024 {
        "-".to_owned()
    } else {
        let started = Instant::now();
        let schedule = multitree(&scene, Asked::default()).expect("it is connected");
        let seconds = started.elapsed().as_secs_f64();
        fabc::check::schedule(&scene, &schedule).expect("it gathers");
        format!("{}, {seconds:.2}", volume(&schedule).ceil())
    };
    let natural = natural_chunks(&scene).expect("it is connected");
    let mut ks = vec![natural, 2, 1];
    ks.retain(|&chunks| chunks <= natural);
    ks.dedup();
    let (mut slots, mut steps, mut first) = (Vec::new(), Vec::new(), None);
    for chunks in ks {
        let asked = Asked { chunks: Some(chunks), ..Asked::default() };
        let started = Instant::now();
        let schedule = by_slots(&scene, asked).expect("it is connected");
        let seconds = started.elapsed().as_secs_f64();
        fabc::check::schedule(&scene, &schedule).expect("it gathers");
        slots.push(format!("{chunks}: {}, {seconds:.2}", share(&schedule)));
        let started = Instant::now();
        let found = by_steps(&scene, asked).expect("it is connected");
        let seconds = started.elapsed().as_secs_f64();
        let all: Vec<String> = found
            .iter()
            .map(|schedule| {
                fabc::check::schedule(&scene, schedule).expect("it gathers");
                format!("{} x {}", schedule.rounds().map_or(0, |rounds| rounds.steps()), share(schedule))
            })
            .collect();
        steps.push(format!("{chunks}: {}, {seconds:.2}", all.join("; ")));
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

/// What is reached, and the share of the bound.
fn share(schedule: &Schedule) -> String {
    let reached = volume(schedule);
    format!("{:.3} ({:.1} %)", reached.as_f64(), schedule.bounds[0].volume().over(reached).as_f64() * 100.0)
}
