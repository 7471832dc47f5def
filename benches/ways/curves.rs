//! Figures 9 and 10 of the PolarStar paper: latency over load of its eight networks, by shortest paths and by
//! UGAL.
//!
//! As there, packets have 4 flits, links and routers take a cycle, and a port has 128 flits. Loads are shares
//! of what the port of a host carries. The paper has 4 virtual channels, and paths of up to six hops over
//! another router. Here a hop is a virtual channel. So UGAL runs with 4 of them, which most of these paths
//! are too long for, and with 6.
//!
//! Loads ascend until a run is not stable. Then the bracket is halved until it is narrow, so that few
//! overloaded runs are simulated. With `quick` runs are short and loads few. Prints a table per traffic, and
//! writes points and pictures below `target/figures`.

use crate::net::{NETWORKS, Wired, going, shortest};
use fabc::progress::Silent;
use fabc::sim::{PacketRouting, Point, Rate, SimulationParameters, Traffic, simulate};
use rayon::prelude::*;
use std::fmt::Write;

/// A figure, and its traffics.
pub(crate) const FIGURES: [(&str, &[Traffic]); 2] = [
    ("figure9", &[Traffic::Permutation, Traffic::BitShuffle, Traffic::BitReverse, Traffic::Uniform]),
    ("figure10", &[Traffic::Adversarial]),
];

/// How long and how closely is looked.
struct Care {
    /// Cycles before anything is counted, and as many that are.
    cycles: u32,
    /// Ascending, in millionths: finer where the bounds of permutations are.
    loads: &'static [u64],
    /// A bracket is narrow enough where it is so many millionths wide, or so many percent of its lower end.
    narrow: (u64, u64),
}

const WHOLE: Care = Care {
    cycles: 1500,
    loads: &[
        10_000, 20_000, 40_000, 60_000, 80_000, 100_000, 150_000, 200_000, 300_000, 400_000, 500_000,
        600_000, 700_000, 800_000, 900_000, 1_000_000,
    ],
    narrow: (2_000, 2),
};

const QUICK: Care = Care {
    cycles: 400,
    loads: &[10_000, 50_000, 100_000, 200_000, 350_000, 500_000, 700_000, 850_000, 1_000_000],
    narrow: (2_000, 5),
};

/// Latencies that a picture shows.
const SLOWEST: f64 = 120.0;

const COLORS: [&str; 8] =
    ["#2563eb", "#0891b2", "#7c3aed", "#059669", "#dc2626", "#d97706", "#db2777", "#6b7280"];

/// Latency over load of one network under one traffic.
struct Curve {
    bound: f64,
    /// By load: whether it is stable, the mean latency, and the accepted load.
    points: Vec<(Rate, bool, f64, f64)>,
}

impl Curve {
    /// The largest load that is stable, and the least one that is not.
    fn bracket(&self) -> [Option<Rate>; 2] {
        let loads = |stable| self.points.iter().filter(move |point| point.1 == stable).map(|point| point.0);
        [loads(true).max(), loads(false).min()]
    }
}

/// Whether UGAL, and virtual channels.
const KINDS: [(bool, u32); 3] = [(false, 4), (true, 4), (true, 6)];

/// The curves of all kinds of a network, where it has such traffic.
type Kinds = [Option<Curve>; KINDS.len()];

/// Runs and prints one figure.
pub(crate) fn figure(name: &str, traffics: &[Traffic], quick: bool) {
    let care = if quick { &QUICK } else { &WHOLE };
    let curves: Vec<Vec<Kinds>> = traffics.iter().map(|&traffic| table(name, traffic, care)).collect();
    let mut csv = String::from("traffic,network,routing,vcs,load,stable,mean_latency,accepted\n");
    for (traffic, networks) in traffics.iter().zip(&curves) {
        for ((title, ..), kinds) in NETWORKS.iter().zip(networks) {
            for ((ugal, vcs), curve) in KINDS.iter().zip(kinds) {
                let routing = if *ugal { "ugal" } else { "shortest" };
                for (load, stable, latency, accepted) in curve.iter().flat_map(|curve| &curve.points) {
                    let _ = writeln!(
                        csv,
                        "{},{title},{routing},{vcs},{load},{stable},{latency:.3},{accepted:.4}",
                        traffic.name()
                    );
                }
            }
        }
    }
    let folder = std::path::Path::new("target/figures");
    std::fs::create_dir_all(folder).expect("a directory that can be written");
    std::fs::write(folder.join(format!("polarstar_{name}.csv")), csv).expect("a file that can be written");
    std::fs::write(folder.join(format!("polarstar_{name}.svg")), picture(traffics, &curves))
        .expect("a file that can be written");
}

/// Runs all networks under one traffic, and prints what they bear.
fn table(name: &str, traffic: Traffic, care: &Care) -> Vec<Kinds> {
    let jobs: Vec<_> = NETWORKS.iter().flat_map(|network| KINDS.map(|kind| (network, kind))).collect();
    let run = |&(&(_, topology, hosts), (ugal, vcs)): &(&(&str, &str, u32), (bool, u32))| {
        let routing = if ugal { PacketRouting::Ugal } else { shortest(topology) };
        curve(&Wired::new(topology, hosts, vcs, 128 / vcs), going(traffic, routing, care.cycles), care)
    };
    let mut curves = jobs.par_iter().map(run).collect::<Vec<_>>().into_iter();
    let rows: Vec<Kinds> = NETWORKS.iter().map(|_| KINDS.map(|_| curves.next().flatten())).collect();
    println!("{name}, {}:\n", traffic.name());
    println!(
        "| network | static bound | shortest: stable up to | of the bound | UGAL, 4 VCs | 6 VCs | over shortest | latency at 0.01 |"
    );
    println!("|---|---|---|---|---|---|---|---|");
    for ((title, ..), kinds) in NETWORKS.iter().zip(&rows) {
        let [Some(short), four, six] = kinds else { continue };
        let bracket = |curve: Option<&Curve>| {
            let Some(curve) = curve else { return "-".to_owned() };
            let [stable, unstable] = curve
                .bracket()
                .map(|end| end.map_or_else(|| "-".to_owned(), |rate| format!("{:.3}", rate.as_f64())));
            format!("{stable} .. {unstable}")
        };
        let [least, most] = [Some(short), six.as_ref()]
            .map(|curve| curve.and_then(|curve| curve.bracket()[0]).map_or(0.0, Rate::as_f64));
        println!(
            "| {title} | {:.4} | {} | {:.2} | {} | {} | {:.2} | {:.1}, {:.1} |",
            short.bound,
            bracket(Some(short)),
            least / short.bound,
            bracket(four.as_ref()),
            bracket(six.as_ref()),
            most / least,
            short.points[0].2,
            six.as_ref().map_or(0.0, |six| six.points[0].2)
        );
    }
    println!();
    rows
}

/// One network under one traffic. There is none where the network has none of the kind.
fn curve(net: &Wired, parameters: SimulationParameters, care: &Care) -> Option<Curve> {
    let ready = net.prepared(parameters).ok()?;
    let mut points: Vec<(Rate, bool, f64, f64)> = Vec::new();
    let run = |load: u64| {
        let report = simulate(&ready, &[Rate::millionths(load)], &[1], false, &Silent).expect("it moves");
        let point: &Point = &report.points[0];
        let latency = point.delays.map_or(0.0, |delays| delays.mean().as_f64());
        let accepted = point.accepted(&report.setting, report.load.senders).as_f64();
        (point.rate, point.is_stable(&report.setting), latency, accepted)
    };
    let (mut stable, mut unstable) = (0, None);
    for &load in care.loads {
        points.push(run(load));
        if !points.last().is_some_and(|point| point.1) {
            unstable = Some(load);
            break;
        }
        stable = load;
    }
    while let Some(above) =
        unstable.filter(|above| above - stable > care.narrow.0.max(stable * care.narrow.1 / 100))
    {
        let load = stable.midpoint(above);
        points.push(run(load));
        if points.last().is_some_and(|point| point.1) { stable = load } else { unstable = Some(load) }
    }
    points.sort_unstable_by_key(|point| point.0);
    Some(Curve { bound: ready.load().bound.as_f64(), points })
}

/// A panel per traffic: latency over load, shortest ways in full and UGAL in broken lines, with 4 virtual
/// channels in dots.
fn picture(traffics: &[Traffic], of: &[Vec<Kinds>]) -> String {
    const WIDE: f64 = 300.0;
    let width = traffics.len() as f64 * (WIDE + 60.0) + 20.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"400\" font-family=\"sans-serif\" font-size=\"11\">\
         <rect width=\"{width:.0}\" height=\"400\" fill=\"#fff\"/>"
    );
    for (k, ((name, ..), color)) in NETWORKS.iter().zip(COLORS).enumerate() {
        let (x, y) = (50 + 80 * (k % 4), 366 + 16 * (k / 4));
        let _ = write!(out, "<text x=\"{x}\" y=\"{y}\" fill=\"{color}\">{name}</text>");
    }
    for (at, traffic) in traffics.iter().enumerate() {
        let x_start = 50.0 + (WIDE + 60.0) * at as f64;
        let place =
            |load: f64, latency: f64| (x_start + WIDE * load, 330.0 - 290.0 * (latency / SLOWEST).min(1.0));
        let _ = write!(out, "<text x=\"{x_start:.0}\" y=\"24\">{}</text>", traffic.name());
        for tick in 0..=4 {
            let (x, y) = place(f64::from(tick) / 4.0, SLOWEST * f64::from(tick) / 4.0);
            let _ = write!(
                out,
                "<text x=\"{:.0}\" y=\"{y:.0}\">{:.0}</text>",
                x_start - 28.0,
                SLOWEST * f64::from(tick) / 4.0
            );
            let _ = write!(out, "<text x=\"{x:.0}\" y=\"346\">{:.2}</text>", f64::from(tick) / 4.0);
            let _ = write!(out, "<path d=\"M{x_start:.0} {y:.0}h{WIDE}\" stroke=\"#e5e7eb\"/>");
        }
        for (network, color) in COLORS.iter().enumerate() {
            for (curve, dash) in
                of[at][network].iter().zip(["", " stroke-dasharray=\"1 3\"", " stroke-dasharray=\"4 3\""])
            {
                let Some(curve) = curve else { continue };
                let mut path = String::new();
                for (load, _, latency, _) in &curve.points {
                    let (x, y) = place(load.as_f64(), *latency);
                    let _ = write!(path, "{}{x:.1} {y:.1}", if path.is_empty() { 'M' } else { 'L' });
                }
                let _ = write!(out, "<path d=\"{path}\" fill=\"none\" stroke=\"{color}\"{dash}/>");
            }
        }
    }
    out + "</svg>\n"
}
