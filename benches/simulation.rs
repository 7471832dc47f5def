//! `cargo bench --bench simulation [-- PART-OF-A-NAME ..]`: what the simulator accepts beside what CNSim and
//! BookSim do on the same tables, and how fast it is. Prints the tables of `docs/benchmarks.md`. A part is of
//! `flit/torus_4x4x8` or `packet/torus_4x4x8`.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark looks at the clock; nothing that fabc writes depends on it"
)]

use fabc::compile::{Stage, compile};
use fabc::ir::Scene;
use fabc::progress::Silent;
use fabc::sim::{
    HostPorts, LaneChoice, Rate, RouterModel, SimReport, SimulationParameters, prepare, simulate,
};
use std::time::Instant;

/// Links of one cycle and routers of so many.
fn unit(text: &str, router: u32) -> String {
    let links = text.replace("latency = 50 cycles", "latency = 1 cycles");
    let routers =
        links.replace("latency = 25 cycles; }\ncube", &format!("latency = {router} cycles; }}\ncube"));
    routers.replace("latency = 25 cycles", "latency = 1 cycles")
}

/// Cycles of a router, as CNSim and as BookSim was run with.
const OF_CNSIM: u32 = 3;
const OF_BOOKSIM: u32 = 1;

/// Fabrics, and the rates that CNSim accepts of those offered. Latencies are 1 cycle, packets have 6 flits.
/// There are 2 general virtual channels and 2 of the tables, 200 flits each. It is the version that the
/// authors of TONS extended.
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

/// Fabrics, and the rates that BookSim 2 accepts of those offered, in flits per cycle and router, and the
/// mean latency where it is known. Packets and queues are the same, the internal speedup is 2, and a router
/// has two hosts.
type Row = (f64, f64, Option<f64>);
const BOOKSIM: [(&str, &[Row]); 5] = [
    ("torus_4x4x8", &[(0.90, 0.902, Some(64.0)), (1.05, 0.981, None)]),
    ("twisted_4x4x8", &[(1.9, 1.660, None)]),
    ("pod_128", &[(1.6, 1.590, Some(108.0)), (1.7, 1.669, None), (1.9, 1.704, None)]),
    ("torus_4x8x8", &[(1.05, 0.961, None)]),
    ("pod_256", &[(1.7, 1.529, None)]),
];

/// Fabrics whose speed is measured at a load of 0.4.
const SPEED: [&str; 3] = ["torus_4x4x8", "pod_1024", "torus_8x8x16"];

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let chosen = |model: &str, name: &str| {
        let name = format!("{model}/{name}");
        wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()))
    };
    println!("| tables | bound | offered | CNSim accepts | fabc accepts | of it | mean latency |");
    println!("|---|---|---|---|---|---|---|");
    for (name, rates) in CNSIM.into_iter().filter(|(name, _)| chosen("packet", name)) {
        let offered: Vec<Rate> = rates.iter().map(|(rate, _)| Rate::parse(rate).expect("a rate")).collect();
        // As long as CNSim was run: near saturation what is accepted grows with the run.
        let as_long = SimulationParameters {
            warmup: Some(3000),
            measure: Some(6000),
            ..SimulationParameters::default()
        };
        let (report, _) = simulated(name, OF_CNSIM, |_| offered.clone(), as_long);
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
    println!(
        "| tables | bound | saturation | share | prototype: saturation, share | accepted at 1.1 x bound | processor s |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, theirs, share) in SATURATION.into_iter().filter(|(name, ..)| chosen("packet", name)) {
        let (report, seconds) = simulated(name, OF_CNSIM, |_| Vec::new(), SimulationParameters::default());
        let (saturation, bound) = (&report.saturations[0], report.load.bound.as_f64());
        let (low, high) = (saturation.interval.low, saturation.interval.high);
        let mean = saturation.interval.mean.as_f64();
        let beyond = saturation.beyond.accepted(&report.setting, report.load.senders).as_f64();
        let mean_share = mean / bound;
        println!(
            "| `{name}` | {bound:.4} | {mean:.4}, {low} .. {high} | {mean_share:.3} | {theirs:.3}, {share:.3} | {beyond:.4} | {seconds:.1} |"
        );
    }
    println!();
    beside_booksim(&chosen);
    println!();
    println!("| model | tables | routers | hops per second and core | ms per cycle at 0.4 |");
    println!("|---|---|---|---|---|");
    for name in SPEED {
        for (model, router, what) in [
            (RouterModel::Packet, OF_CNSIM, "million packets"),
            (RouterModel::Flit, OF_BOOKSIM, "million flits"),
        ] {
            if chosen(model.name(), name) {
                speed(name, model, router, what);
            }
        }
    }
}

/// BookSim draws destinations among all hosts, so that some packets stay at their router: one in as many as
/// there are routers. Here no packet does. So the rates offered here are those of the other packets alone,
/// and the accepted rates are scaled back.
fn beside_booksim(chosen: &dyn Fn(&str, &str) -> bool) {
    println!(
        "| tables | offered | BookSim accepts | fabc accepts | of it | BookSim: mean latency | fabc: mean latency |"
    );
    println!("|---|---|---|---|---|---|---|");
    for (name, rows) in BOOKSIM.into_iter().filter(|(name, _)| chosen("flit", name)) {
        let offered = |routers: usize| {
            let leaves = (routers as f64 - 1.0) / routers as f64;
            rows.iter().map(|(rate, ..)| Rate::millionths((rate * leaves * 1e6).round() as u64)).collect()
        };
        let parameters = SimulationParameters {
            model: RouterModel::Flit,
            hosts: Some(HostPorts::Ports(2)),
            lanes: Some(LaneChoice::General(2)),
            ..SimulationParameters::default()
        };
        let (report, _) = simulated(name, OF_BOOKSIM, offered, parameters);
        for (point, (rate, theirs, latency)) in report.points.iter().zip(rows) {
            let routers = f64::from(report.load.senders);
            let accepted =
                point.accepted(&report.setting, report.load.senders).as_f64() * routers / (routers - 1.0);
            let mean_delay = point.delays.map_or(0.0, |delays| delays.mean().as_f64());
            let theirs_latency = latency.map_or_else(|| "-".to_owned(), |latency| format!("{latency:.0}"));
            println!(
                "| `{name}` | {rate:.2} | {theirs:.3} | {accepted:.4} | {:.2} % | {theirs_latency} | {mean_delay:.1} |",
                100.0 * accepted / theirs
            );
        }
    }
}

/// How long a cycle takes.
fn speed(name: &str, model: RouterModel, router: u32, what: &str) {
    let parameters = SimulationParameters {
        model,
        warmup: Some(2000),
        measure: Some(10_000),
        ..SimulationParameters::default()
    };
    let (report, seconds) = simulated(name, router, |_| vec![Rate::millionths(400_000)], parameters);
    let point = &report.points[0];
    // Hops are counted in the window only, and as many are made per cycle before and after.
    let counted = match model {
        RouterModel::Packet => point.hops,
        RouterModel::Flit => point.busy.iter().map(|&busy| u64::from(busy)).sum(),
    };
    let hops = counted as f64 / f64::from(report.setting.measure) * f64::from(point.cycles);
    println!(
        "| {} | `{name}` | {} | {:.2} {what} | {:.4} |",
        model.name(),
        report.sources.len(),
        hops / seconds / 1e6,
        1e3 * seconds / f64::from(point.cycles)
    );
}

/// Simulates rates on the tables of a spec, or without rates searches for saturation. Rates may depend on the
/// number of routers. Links take one cycle, routers take `router`. The seconds are those of the runs alone,
/// of all processors together.
fn simulated(
    name: &str,
    router: u32,
    rates: impl Fn(usize) -> Vec<Rate>,
    parameters: SimulationParameters,
) -> (SimReport, f64) {
    let read = |path: &str| {
        std::fs::read_to_string(path).map(|text| unit(&text, router)).map_err(|error| error.to_string())
    };
    let folders = ["specs", "specs/paper"].map(|folder| format!("{folder}/{name}.fab"));
    let spec = folders
        .iter()
        .find(|path| std::path::Path::new(path).is_file())
        .expect("run it from the root of the repository");
    let mut fabric =
        fabc::lang::read_normal(spec, &read).unwrap_or_else(|(failure, _)| panic!("{failure:?}")).0;
    // Only the healthy fabric is run.
    fabric.budget.faults = fabc::model::Faults::Ocses(0);
    fabric.requires.clear();
    let compiled = compile(fabric, Stage::Emit, &Silent).expect("it compiles");
    let tables = compiled.scenarios[0].routed.as_ref().expect("it has tables").tables.unpacked();
    let prepared = prepare(&compiled.fabric, &Scene::healthy(&compiled.topology), &tables, &parameters)
        .expect("it can be simulated");
    let rates = rates(compiled.topology.node_count());
    let started = (Instant::now(), processor_seconds());
    let report = simulate(&prepared, &rates, &[1], rates.is_empty(), &Silent).expect("it moves");
    let processor = started.1.and_then(|before| Some(processor_seconds()? - before));
    (report, processor.unwrap_or_else(|| started.0.elapsed().as_secs_f64()))
}

/// What this process has had of all processors, where Linux tells it: other work on the machine does not
/// count.
fn processor_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let ticks: Vec<f64> = stat
        .rsplit(')')
        .next()?
        .split_whitespace()
        .skip(11)
        .take(2)
        .filter_map(|ticks| ticks.parse().ok())
        .collect();
    // A hundred ticks per second, whatever the kernel counts in.
    Some(ticks.iter().sum::<f64>() / 100.0)
}
