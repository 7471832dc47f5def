//! `cargo bench --bench figures [-- figure5 | figure7 | figure8 | figure10 ..]` simulates figures of the TONS
//! paper. A number behind them, as in `cargo bench --bench figures -- figure5 1024`, is the most chips of a
//! pod. `512..1024` sets the fewest as well. Figure 7 is of 256 chips, and with a number from 1024 on also of
//! 1024. Figure 5 at the latencies of TPUs takes hours of a processor from 1024 chips on. `quick` searches in
//! shorter runs: 40 times the latency of a packet alone, in place of 100 times from 256 chips on. `unit` sets
//! links of one cycle and routers of three. Prints tables, and writes each as CSV and as a picture below
//! `target/figures`.

use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::ir::{Scene, surviving_scene};
use fabc::progress::Silent;
use fabc::sim::{
    LaneChoice, MessageOrder, Rate, SimReport, SimulationParameters, Traffic, TrafficDetails, prepare,
    simulate,
};
use rayon::prelude::*;
use std::fmt::Write;

/// Chips, the torus of that size, the twisted torus where the paper has one, and a ratio. The ratio is that
/// of the printed flows of TONS and the torus (Appendix C of the paper).
const SIZES: [(u32, &str, Option<&str>, f64); 13] = [
    (128, "torus_4x4x8", Some("twisted_4x4x8"), 1.80),
    (192, "torus_4x4x12", None, 2.54),
    (256, "torus_4x8x8", Some("twisted_4x8x8"), 1.63),
    (384, "torus_4x8x12", None, 2.26),
    (512, "torus_8x8x8", None, 1.41),
    (768, "torus_8x8x12", None, 1.95),
    (1024, "torus_8x8x16", Some("twisted_8x8x16"), 2.44),
    (1536, "torus_8x12x16", None, 2.37),
    (2048, "torus_8x16x16", Some("twisted_8x16x16"), 2.29),
    (3072, "torus_12x16x16", None, 2.09),
    (4096, "torus_16x16x16", None, 2.05),
    (6144, "torus_16x16x24", None, 2.77),
    (8192, "torus_16x16x32", Some("twisted_16x16x32"), 3.93),
];

/// Links of one cycle and routers of three.
const UNIT: [(&str, &str); 3] = [
    ("latency = 50 cycles", "latency = 1 cycles"),
    ("latency = 25 cycles; }\ncube", "latency = 3 cycles; }\ncube"),
    ("latency = 25 cycles", "latency = 1 cycles"),
];

/// The printed mean of the paper over all sizes: over the best torus of each.
const PRINTED: f64 = 2.07;

/// Hops on the first virtual channel of dimension order in tori, as other tables of the same kind have them.
const FIRST_VC: [(&str, f64); 4] =
    [("torus_4x4x8", 0.594), ("torus_4x8x8", 0.575), ("torus_8x8x8", 0.5625), ("torus_8x8x16", 0.547)];

/// How figure 5 is searched.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Runs {
    /// At the latencies of TPUs, as long as such runs take.
    Whole,
    /// The same in shorter runs.
    Quick,
    /// With links of a cycle and routers of three.
    Unit,
}

impl Runs {
    fn name(self) -> &'static str {
        match self {
            Runs::Whole => "whole",
            Runs::Quick => "quick",
            Runs::Unit => "unit",
        }
    }
}

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let (least, most) = wanted.iter().find_map(|argument| sizes(argument)).unwrap_or((0, u32::MAX));
    let how = [Runs::Quick, Runs::Unit]
        .into_iter()
        .find(|how| wanted.iter().any(|argument| argument == how.name()))
        .unwrap_or(Runs::Whole);
    let figures: Vec<&String> =
        wanted.iter().filter(|argument| sizes(argument).is_none() && *argument != how.name()).collect();
    let chosen = |name: &str| figures.is_empty() || figures.iter().any(|part| name == part.as_str());
    if chosen("figure5") {
        figure5(least, most, how);
    }
    if chosen("figure7") {
        for (order, window) in [
            (MessageOrder::Turns, Some(WINDOW)),
            (MessageOrder::Turns, None),
            (MessageOrder::Shift, Some(WINDOW)),
            (MessageOrder::Shift, None),
        ] {
            figure7(256, order, window);
        }
        if most != u32::MAX && most >= 1024 {
            figure7(1024, MessageOrder::Turns, Some(WINDOW));
        }
    }
    if chosen("figure8") {
        figure8();
    }
    if chosen("figure10") {
        figure10(most);
    }
}

/// `MOST` or `LEAST..MOST` chips.
fn sizes(argument: &str) -> Option<(u32, u32)> {
    let (least, most) = argument.split_once("..").unwrap_or(("0", argument));
    Some((least.parse().ok()?, most.parse().ok()?))
}

/// Saturation of tori and synthesized pods at the latencies of TPUs, and what their static bounds say.
fn figure5(least: u32, most: u32, how: Runs) {
    let saturation = |path: &str, changes: &[(&str, &str)]| saturation(path, changes, how);
    let mut table = Table::new(
        "figure5",
        &[
            "chips",
            "PT, DOR",
            "PT, allowed turns",
            "PDTT, allowed turns",
            "synthesized",
            "over PT + DOR",
            "over the best",
            "the same of the bounds",
            "paper: flows over PT",
        ],
    );
    let (mut over_order, mut over_best, mut of_bounds) = (Vec::new(), Vec::new(), Vec::new());
    for (chips, torus, twisted, flows) in SIZES.into_iter().filter(|size| (least..=most).contains(&size.0)) {
        let order = saturation(&format!("specs/paper/{torus}.fab"), &[]);
        let turns = saturation(
            &format!("specs/paper/{torus}.fab"),
            &[("routing = dimension_order", "routing = allowed_turns")],
        );
        let twisted = twisted.map(|twisted| saturation(&format!("specs/paper/{twisted}.fab"), &[]));
        let synthesized = saturation(&format!("specs/scale/cubes_{}.fab", chips / 64), &[]);
        // The ratios of the saturation rates, and of the bounds.
        let over = [0, 1].map(|of| {
            synthesized[of] / turns[of].max(order[of]).max(twisted.map_or(0.0, |twisted| twisted[of]))
        });
        over_order.push(synthesized[0] / order[0]);
        over_best.push(over[0]);
        of_bounds.push(over[1]);
        let digits = |[found, bound]: [f64; 2]| format!("{found:.4} ({bound:.4})");
        table.row(&[
            chips.to_string(),
            digits(order),
            digits(turns),
            twisted.map_or_else(|| "-".to_owned(), digits),
            digits(synthesized),
            format!("{:.2}", synthesized[0] / order[0]),
            format!("{:.2}", over[0]),
            format!("{:.2}", over[1]),
            format!("{flows:.2}"),
        ]);
    }
    table.end();
    println!(
        "Geometric means: {:.3} over PT + DOR, {:.3} over the best torus of the size, {:.3} of the bounds (paper: {PRINTED} over all 13).\n",
        mean(&over_order),
        mean(&over_best),
        mean(&of_bounds)
    );
}

/// Packets of a chip under way at most: wider and narrower ones carry less of long exchanges.
const WINDOW: u32 = 384;

/// Throughput of all to all, by the bytes that every pair sends, at the latencies of TPUs.
fn figure7(chips: u32, order: MessageOrder, window: Option<u32>) {
    let (_, _, twisted, _) = SIZES.into_iter().find(|size| size.0 == chips).expect("a size of the paper");
    let twisted = format!("specs/paper/{}.fab", twisted.expect("a twisted torus of this size"));
    let fabrics = [built(&twisted, &[]), built(&format!("specs/scale/cubes_{}.fab", chips / 64), &[])];
    let (printed, flows) = if chips == 256 { (9, 7.7) } else { (47, 46.9) };
    let name = match (chips, order, window) {
        (256, MessageOrder::Shift, Some(_)) => "figure7_shift_window",
        (256, MessageOrder::Shift, None) => "figure7_shift",
        (256, _, Some(_)) => "figure7_window",
        (256, _, None) => "figure7",
        _ => "figure7_1024",
    };
    let limit = window.map_or_else(|| "no window".to_owned(), |window| format!("window {window}"));
    println!("{chips} chips, order {}, {limit}:\n", order.name());
    let heads = [
        "bytes per pair",
        "PDTT, TB/s",
        "synthesized, TB/s",
        "gain, TB/s",
        "PDTT, of its bound",
        "synthesized, of its bound",
        "ratio",
    ];
    let mut table = Table::new(name, &heads);
    for kib in [1u64, 2, 4, 8, 16, 64] {
        let details =
            TrafficDetails { bytes: Some(kib << 10), order: Some(order), ..TrafficDetails::default() };
        let parameters = SimulationParameters {
            traffic: Traffic::AllToAll,
            details,
            injection: 25,
            lanes: Some(LaneChoice::General(2)),
            window,
            ..SimulationParameters::default()
        };
        let reached: Vec<[f64; 2]> =
            fabrics.par_iter().map(|compiled| reached(compiled, &parameters)).collect();
        let [twisted, own] = [reached[0], reached[1]];
        let digits = |value: f64| format!("{value:.3}");
        table.row(&[
            format!("{kib} KiB"),
            digits(twisted[0]),
            digits(own[0]),
            format!("{:.2}", own[0] - twisted[0]),
            digits(twisted[1]),
            digits(own[1]),
            digits(own[0] / twisted[0]),
        ]);
    }
    table.end();
    // The share of every pair of a channel, times all pairs.
    let [twisted, own] = [0, 1].map(|at: usize| {
        let (pairs, compiled) = (f64::from(chips) * f64::from(chips - 1), &fabrics[at]);
        let walk = compiled.scenarios[0].metrics.routed.as_ref().expect("it was walked");
        pairs / walk.max_channel_load() as f64 * CHANNEL
    });
    println!(
        "Plateaus by the loads of the tables: {twisted:.1} and {own:.1} TB/s, {:.1} more. Paper: +{printed} TB/s printed; {flows} by its flows.\n",
        own - twisted
    );
}

/// TB/s of a channel of TPUs.
const CHANNEL: f64 = 0.128;

/// Traffic that ends, on the healthy fabric: TB/s of all chips together, and the share of the lower bound.
fn reached(compiled: &CompiledFabric, parameters: &SimulationParameters) -> [f64; 2] {
    let report = run_all(compiled, parameters, &[], false);
    let (volume, run) = (report.volume.expect("it ends"), &report.completions[0]);
    let flits = volume.per_cycle(run, compiled.fabric.router.flit_bytes.into()).as_f64();
    [flits * CHANNEL, volume.share(run).as_f64()]
}

/// Every dark switch of 256 chips, with tables of its own, at unit latencies.
fn figure8() {
    let compiled = built("specs/pod_256.fab", &UNIT);
    let mut table = Table::new("figure8", &["scenario", "static bound", "saturation", "share"]);
    let mut shares: Vec<(f64, f64)> = Vec::new();
    for of in &compiled.scenarios {
        let tables = of.routed.as_ref().expect("it has tables").tables.unpacked();
        let cross_connects = compiled.pod.as_ref().map(|pod| &pod.cross_connects);
        let scene = surviving_scene(&of.scenario.fault, &compiled.topology, cross_connects);
        let prepared = prepare(&compiled.fabric, &scene, &tables, &unit_of()).expect("it can be simulated");
        let report = simulate(&prepared, &[], &[1], true, &Silent).expect("it moves");
        let (bound, stable) = (report.load.bound.as_f64(), lowest(&report).as_f64());
        shares.push((stable, stable / bound));
        table.row(&[
            of.scenario.name.clone(),
            format!("{bound:.4}"),
            format!("{stable:.4}"),
            format!("{:.3}", stable / bound),
        ]);
    }
    table.end();
    let lowest_of = |of: &dyn Fn(&(f64, f64)) -> f64| shares.iter().map(of).fold(f64::INFINITY, f64::min);
    println!("Lowest saturation {:.4}, lowest share {:.3}.\n", lowest_of(&|of| of.0), lowest_of(&|of| of.1));
}

/// Hops per virtual channel, in tables and in motion.
fn figure10(most: u32) {
    let mut table =
        Table::new("figure10", &["tables", "hops on VC 0 in the tables", "in motion", "elsewhere"]);
    let turned = [
        ("torus_4x4x8, allowed turns", "specs/paper/torus_4x4x8.fab"),
        ("cubes_2", "specs/scale/cubes_2.fab"),
    ];
    let order = FIRST_VC
        .iter()
        .map(|(name, share)| (format!("{name}, DOR"), format!("specs/paper/{name}.fab"), *share, true));
    let turned = turned.iter().map(|(name, path)| ((*name).to_owned(), (*path).to_owned(), 0.5, false));
    for (name, path, elsewhere, of_order) in order.chain(turned) {
        let change =
            if of_order { ("", "") } else { ("routing = dimension_order", "routing = allowed_turns") };
        let compiled = built(&path, &[change]);
        if compiled.topology.node_count() as u32 > most {
            continue;
        }
        let walk = compiled.scenarios[0].metrics.routed.as_ref().expect("it was walked");
        let in_tables = walk.vc_hops[0] as f64 / walk.total_hops() as f64;
        let parameters =
            SimulationParameters { lanes: Some(LaneChoice::General(0)), ..SimulationParameters::default() };
        let report = run(&compiled, &parameters, &["0.3"]);
        let point = &report.points[0];
        let moving = point.vcs[0].hops as f64 / point.hops as f64;
        table.row(&[name, format!("{in_tables:.4}"), format!("{moving:.4}"), format!("{elsewhere:.4}")]);
    }
    table.end();
}

/// The lower end of the interval, with the cycles that TPUs take from birth to router, and the static bound.
/// It is printed at once, since the next one may take long.
fn saturation(path: &str, changes: &[(&str, &str)], how: Runs) -> [f64; 2] {
    let unit: &[(&str, &str)] = if how == Runs::Unit { &UNIT } else { &[] };
    let compiled = built(path, &[changes, unit].concat());
    let mut parameters =
        if how == Runs::Unit { unit_of() } else { SimulationParameters { injection: 25, ..unit_of() } };
    if how == Runs::Quick && compiled.topology.node_count() >= 256 {
        let tables = compiled.scenarios[0].routed.as_ref().expect("it has tables").tables.unpacked();
        let usual = prepare(&compiled.fabric, &Scene::healthy(&compiled.topology), &tables, &parameters)
            .expect("it can be simulated");
        let cycles = (usual.setting().measure * 2 / 5).max(8000).next_multiple_of(1000);
        (parameters.warmup, parameters.measure) = (Some(cycles), Some(cycles));
    }
    let report = run(&compiled, &parameters, &[]);
    let [found, bound] = [lowest(&report).as_f64(), report.load.bound.as_f64()];
    let changed = if changes.is_empty() { "" } else { ", changed" };
    eprintln!("{path}{changed}: {found:.6} of {bound:.6} ({} cycles to warm up)", report.setting.warmup);
    [found, bound]
}

fn lowest(report: &SimReport) -> Rate {
    report.saturations.iter().map(|found| found.at_least()).min().expect("it was searched")
}

/// As CNSim was run: general virtual channels beside those of the tables.
fn unit_of() -> SimulationParameters {
    SimulationParameters { lanes: Some(LaneChoice::General(2)), ..SimulationParameters::default() }
}

/// Compiles a spec without its requires. Without changes, it has all its faults.
fn built(path: &str, changes: &[(&str, &str)]) -> CompiledFabric {
    let read = |path: &str| {
        let text = std::fs::read_to_string(path).map_err(|error| error.to_string())?;
        Ok(changes
            .iter()
            .filter(|(from, _)| !from.is_empty())
            .fold(text, |text, (from, to)| text.replace(from, to)))
    };
    let mut fabric =
        fabc::lang::read_normal(path, &read).unwrap_or_else(|(failure, _)| panic!("{path}: {failure:?}")).0;
    fabric.requires.clear();
    compile(fabric, Stage::Emit, &Silent).unwrap_or_else(|failure| panic!("{path}: {failure:?}"))
}

/// Runs rates on the healthy fabric, or without any the search.
fn run(compiled: &CompiledFabric, parameters: &SimulationParameters, rates: &[&str]) -> SimReport {
    run_all(compiled, parameters, rates, rates.is_empty())
}

fn run_all(
    compiled: &CompiledFabric,
    parameters: &SimulationParameters,
    rates: &[&str],
    search: bool,
) -> SimReport {
    let tables = compiled.scenarios[0].routed.as_ref().expect("it has tables").tables.unpacked();
    let prepared = prepare(&compiled.fabric, &Scene::healthy(&compiled.topology), &tables, parameters)
        .expect("it can be simulated");
    let rates: Vec<Rate> = rates.iter().map(|rate| Rate::parse(rate).expect("a rate")).collect();
    simulate(&prepared, &rates, &[1], search, &Silent).expect("it moves")
}

fn mean(ratios: &[f64]) -> f64 {
    libm::exp(ratios.iter().map(|&ratio| libm::log(ratio)).sum::<f64>() / ratios.len() as f64)
}

/// A table that is printed line by line, and kept as CSV and as bars.
struct Table {
    name: &'static str,
    heads: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl Table {
    fn new(name: &'static str, heads: &[&str]) -> Self {
        println!("| {} |\n|{}", heads.join(" | "), "---|".repeat(heads.len()));
        Self { name, heads: heads.iter().map(|head| (*head).to_owned()).collect(), rows: Vec::new() }
    }

    fn row(&mut self, cells: &[String]) {
        println!("| {} |", cells.join(" | "));
        self.rows.push(cells.to_vec());
    }

    fn end(&self) {
        println!();
        let line = |cells: &[String]| {
            cells.iter().map(|cell| format!("\"{cell}\"")).collect::<Vec<_>>().join(",") + "\n"
        };
        let csv = line(&self.heads) + &self.rows.iter().map(|row| line(row)).collect::<String>();
        let folder = std::path::Path::new("target/figures");
        std::fs::create_dir_all(folder).expect("a directory that can be written");
        std::fs::write(folder.join(format!("{}.csv", self.name)), csv).expect("a file that can be written");
        std::fs::write(folder.join(format!("{}.svg", self.name)), self.bars())
            .expect("a file that can be written");
    }

    /// The first numbers of every row as bars, those of a row side by side.
    fn bars(&self) -> String {
        const COLORS: [&str; 4] = ["#9ca3af", "#d97706", "#059669", "#2563eb"];
        let number = |cell: &String| cell.split(' ').next().and_then(|number| number.parse::<f64>().ok());
        let largest = self
            .rows
            .iter()
            .flat_map(|row| row[1..].iter().take(COLORS.len()))
            .filter_map(number)
            .fold(0.1, f64::max);
        let group = 900.0 / self.rows.len().max(1) as f64;
        let mut out = String::from(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"1000\" height=\"420\" font-family=\"sans-serif\" font-size=\"11\">\
             <rect width=\"1000\" height=\"420\" fill=\"#fff\"/>",
        );
        for (k, row) in self.rows.iter().enumerate() {
            let x_start = 60.0 + group * k as f64;
            let bars = row[1..].iter().take(COLORS.len()).zip(COLORS).enumerate();
            for (at, (cell, color)) in
                bars.filter_map(|(at, (cell, color))| Some((at, (number(cell)?, color))))
            {
                let (x, height) = (x_start + group * 0.2 * at as f64, 320.0 * cell / largest);
                let (y, width) = (360.0 - height, (group * 0.18).max(0.5));
                let _ = write!(
                    out,
                    "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{width:.1}\" height=\"{height:.1}\" fill=\"{color}\"><title>{} {}: {cell}</title></rect>",
                    row[0],
                    self.heads[at + 1]
                );
            }
            if self.rows.len() <= 16 {
                let _ = write!(out, "<text x=\"{x_start:.1}\" y=\"376\">{}</text>", row[0]);
            }
        }
        for (k, (head, color)) in self.heads[1..].iter().zip(COLORS).enumerate() {
            let x = 60 + 200 * k;
            let _ = write!(
                out,
                "<rect x=\"{x}\" y=\"12\" width=\"10\" height=\"10\" fill=\"{color}\"/><text x=\"{}\" y=\"21\">{head}</text>",
                x + 16
            );
        }
        for tick in 0..=4 {
            let (value, y) = (largest * f64::from(tick) / 4.0, 360.0 - 320.0 * f64::from(tick) / 4.0);
            let _ = write!(
                out,
                "<text x=\"8\" y=\"{y:.1}\">{value:.2}</text><path d=\"M52 {y:.1}H990\" stroke=\"#e5e7eb\"/>"
            );
        }
        out + "</svg>\n"
    }
}
