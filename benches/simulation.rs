//! `cargo bench --bench simulation [-- PART-OF-A-NAME ..]`: what the simulator accepts beside what CNSim does
//! on the same tables, and how fast it is. Prints the tables of `docs/benchmarks.md`.

#![expect(clippy::disallowed_types, reason = "a benchmark looks at the clock; nothing that fabc writes depends on it")]

use fabc::compile::{Stage, compile};
use fabc::ir::Scene;
use fabc::model;
use fabc::progress::Silent;
use fabc::sim::{Parameters, Rate, SimReport, prepare, simulate};
use std::time::Instant;

/// Links of one cycle and routers of three, as CNSim was run with.
const UNIT: [(&str, &str); 3] = [
    ("latency = 50 cycles", "latency = 1 cycles"),
    ("latency = 25 cycles; }\ncube", "latency = 3 cycles; }\ncube"),
    ("latency = 25 cycles", "latency = 1 cycles"),
];

/// Fabrics, and what CNSim accepts of what is offered: unit latencies, packets of 6 flits, 2 general virtual
/// channels and 2 of the tables, 200 flits each (the version that the authors of TONS extended).
const CNSIM: [(&str, &[(&str, f64)]); 4] = [
    ("torus_4x4x8", &[("0.90", 0.8998), ("0.95", 0.9428), ("1.0", 0.9649), ("1.1", 0.9797)]),
    ("pod_128", &[("1.5", 1.4993), ("1.6", 1.5899), ("1.65", 1.6237), ("1.7", 1.6459)]),
    ("torus_4x8x8", &[("0.8", 0.7994), ("0.85", 0.8454), ("0.9", 0.8738), ("0.95", 0.8869)]),
    ("pod_256", &[("1.4", 1.3962), ("1.45", 1.4366), ("1.5", 1.4636)]),
];

/// Fabrics whose saturation is searched, and what a prototype of the same model found: saturation, and its
/// share in the static bound.
const SATURATION: [(&str, f64, f64); 8] = [
    ("torus_4x4x8", 0.965, 0.973),
    ("twisted_4x4x8", 1.596, 0.930),
    ("pod_128", 1.674, 0.949),
    ("torus_4x8x8", 0.890, 0.893),
    ("pod_256", 1.484, 0.925),
    ("torus_8x8x8", 0.839, 0.841),
    ("torus_8x8x16", 0.476, 0.953),
    ("pod_1024", 1.11, 0.896),
];

/// Fabrics whose speed is measured at a load of 0.4.
const SPEED: [&str; 3] = ["torus_4x4x8", "pod_1024", "torus_8x8x16"];

fn main() {
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let chosen = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    println!("| tables | bound | offered | CNSim accepts | fabc accepts | of it | mean latency |");
    println!("|---|---|---|---|---|---|---|");
    for (name, rates) in CNSIM.into_iter().filter(|(name, _)| chosen(name)) {
        let offered: Vec<&str> = rates.iter().map(|(rate, _)| *rate).collect();
        // As long as CNSim was run: near saturation what is accepted grows with the run.
        let as_long = Parameters { warmup: Some(3000), measure: Some(6000), ..Parameters::default() };
        let (report, _) = simulated(name, &offered, as_long);
        for (point, (_, theirs)) in report.points.iter().zip(rates) {
            let accepted = point.accepted(&report.setting, report.load.senders).as_f64();
            let latency = point.delays.map_or(0.0, |delays| delays.mean().as_f64());
            let bound = report.load.bound.as_f64();
            println!(
                "| `{name}` | {bound:.4} | {} | {theirs:.4} | {accepted:.4} | {:.2} % | {latency:.1} |",
                point.rate,
                100.0 * accepted / theirs
            );
        }
    }
    println!();
    println!("| tables | bound | saturation | share | prototype: saturation, share | accepted at 1.1 x bound | s |");
    println!("|---|---|---|---|---|---|---|");
    for (name, theirs, share) in SATURATION.into_iter().filter(|(name, ..)| chosen(name)) {
        let (report, seconds) = simulated(name, &[], Parameters::default());
        let (found, bound) = (&report.saturations[0], report.load.bound.as_f64());
        let stable = found.at_least();
        let unstable = found.unstable.map_or_else(|| "more".to_owned(), |rate| rate.to_string());
        let beyond = found.beyond.accepted(&report.setting, report.load.senders).as_f64();
        let own = stable.as_f64() / bound;
        println!("| `{name}` | {bound:.4} | {stable} .. {unstable} | {own:.3} | {theirs:.3}, {share:.3} | {beyond:.4} | {seconds:.1} |");
    }
    println!();
    println!("| tables | routers | packet hops per second and core | ms per cycle at 0.4 |");
    println!("|---|---|---|---|");
    for name in SPEED.into_iter().filter(|name| chosen(name)) {
        let (report, seconds) =
            simulated(name, &["0.4"], Parameters { warmup: Some(2000), measure: Some(10_000), ..Parameters::default() });
        let point = &report.points[0];
        // Hops are counted in the window only, and as many are made per cycle before and after.
        let hops = point.hops as f64 / f64::from(report.setting.measure) * f64::from(point.cycles);
        println!(
            "| `{name}` | {} | {:.2} million | {:.4} |",
            report.sources.len(),
            hops / seconds / 1e6,
            1e3 * seconds / f64::from(point.cycles)
        );
    }
}

/// Runs rates on the tables of a spec with unit latencies, or without any the search for saturation; the
/// seconds are those of the runs alone.
fn simulated(name: &str, rates: &[&str], parameters: Parameters) -> (SimReport, f64) {
    let read = |path: &str| {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        Ok(UNIT.iter().fold(text, |text, (from, to)| text.replace(from, to)))
    };
    let folders = ["specs", "specs/paper"].map(|folder| format!("{folder}/{name}.fab"));
    let spec = folders.iter().find(|path| std::path::Path::new(path).is_file()).expect("run it from the root of the repository");
    let mut fabric = model::load(spec, &read).unwrap_or_else(|(failure, _)| panic!("{failure:?}")).0;
    // Only the healthy fabric is run.
    fabric.budget.faults = fabc::model::Faults::Ocses(0);
    fabric.requires.clear();
    let compiled = compile(fabric, Stage::Emit, &Silent).expect("it compiles");
    let tables = compiled.scenarios[0].routed.as_ref().expect("it has tables").tables.unpack().expect("packed by fabc");
    let prepared = prepare(&compiled.fabric, &Scene::whole(&compiled.topology), &tables, &parameters).expect("it can be simulated");
    let rates: Vec<Rate> = rates.iter().map(|rate| Rate::parse(rate).expect("a rate")).collect();
    let started = Instant::now();
    let report = simulate(&prepared, &rates, &[1], rates.is_empty(), &Silent).expect("it moves");
    (report, started.elapsed().as_secs_f64())
}
