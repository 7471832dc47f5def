//! `cargo bench --bench ways [-- PART-OF-A-NAME ..]` simulates paths that are chosen while packets move. The
//! networks are those of the PolarStar paper (Lakhotia and others 2024, table 3, figures 9 and 10) and the
//! small dragonfly of BookSim. Prints the tables of `docs/benchmarks.md`. Without arguments all takes hours.
//! `bounds` prints static bounds alone. `figures` (or `figure9`, `figure10`) prints latency over load of all
//! networks, with `quick` in short runs.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark looks at the clock; nothing that fabc writes depends on it"
)]

mod curves;
mod net;

use fabc::progress::Silent;
use fabc::sim::{
    HostPorts, PacketRouting, Rate, RoutingSettings, Score, SimulationParameters, Traffic, simulate,
};
use net::{NETWORKS, Wired, going, shortest};
use std::time::Instant;

/// Traffics of the paper, and what it says of both routings.
const TRAFFICS: [Traffic; 5] =
    [Traffic::Uniform, Traffic::Permutation, Traffic::BitShuffle, Traffic::BitReverse, Traffic::Adversarial];

/// Traffics whose static bounds are tabulated.
const BOUNDS: [Traffic; 6] = [
    Traffic::Uniform,
    Traffic::Permutation,
    Traffic::BitShuffle,
    Traffic::BitReverse,
    Traffic::GroupShift,
    Traffic::Adversarial,
];

/// A rate that is offered, and the rate that another simulator accepts of it. There is none where the network
/// is saturated.
type Rates = &'static [(&'static str, Option<f64>)];

/// BookSim's dragonfly (114 routers, 342 hosts): traffic, routing, virtual channels, flits of each, and what
/// BookSim accepts of what is offered with wormhole routers of its own.
const BOOKSIM: [(Traffic, PacketRouting, u32, u32, Rates); 6] = [
    (
        Traffic::Uniform,
        PacketRouting::Family,
        3,
        42,
        &[("0.5", Some(0.504)), ("0.8", Some(0.801)), ("0.95", Some(0.898))],
    ),
    (Traffic::Uniform, PacketRouting::Ugal, 6, 21, &[("0.6", Some(0.604)), ("0.8", Some(0.800))]),
    (Traffic::GroupShift, PacketRouting::Family, 3, 42, &[("0.1", Some(0.0556))]),
    (Traffic::GroupShift, PacketRouting::Ugal, 6, 21, &[("0.15", Some(0.150)), ("0.2", None)]),
    (Traffic::GroupShift, PacketRouting::Ugal, 6, 256, &[("0.3", Some(0.295)), ("0.4", None)]),
    (Traffic::GroupShift, PacketRouting::UgalGlobal, 6, 256, &[("0.3", Some(0.295)), ("0.4", None)]),
];

/// Cycles before anything is counted, and as many that are.
const CYCLES: u32 = 1500;

fn main() {
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    let chosen = |name: &str| wanted.is_empty() || wanted.iter().any(|part| name.contains(part.as_str()));
    if chosen("bounds") {
        bounds();
    }
    let network_asked =
        |figure: &str| wanted.is_empty() || wanted.iter().any(|part| part == figure || part == "figures");
    curves::FIGURES.iter().filter(|(figure, _)| network_asked(figure)).for_each(|(figure, traffics)| {
        curves::figure(figure, traffics, wanted.iter().any(|word| word == "quick"))
    });
    println!(
        "| network | traffic | routing | VCs x flits | ports of a host | static bound | saturation | accepted at 1.1 x bound | s |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    for (name, topology, hosts) in NETWORKS {
        for traffic in TRAFFICS {
            for (routing, vcs) in [
                (shortest(topology), 3),
                (shortest(topology), 4),
                (PacketRouting::Ugal, 4),
                (PacketRouting::Ugal, 6),
            ] {
                for ports in [HostPorts::Ports(1), HostPorts::Unlimited] {
                    let limit = if ports == HostPorts::Unlimited { " unlimited" } else { "" };
                    if chosen(&format!("{name} {} {} {vcs}{limit}", traffic.name(), routing.name())) {
                        saturation(name, topology, hosts, traffic, routing, vcs, ports);
                    }
                }
            }
        }
    }
    println!();
    println!("| traffic | routing | VCs x flits | offered | BookSim accepts | fabc accepts | mean latency |");
    println!("|---|---|---|---|---|---|---|");
    for (traffic, routing, vcs, flits, rates) in BOOKSIM {
        for score in [Score::Product, Score::Booksim] {
            let adaptive = matches!(routing, PacketRouting::Ugal | PacketRouting::UgalGlobal);
            if chosen("booksim") && (adaptive || score == Score::Product) {
                booksim(traffic, routing, vcs, flits, rates, score);
            }
        }
    }
}

fn bounds() {
    let names = BOUNDS.map(|traffic| traffic.name());
    println!("| network | routing | {} |", names.join(" | "));
    println!("|---|---|{}", "---|".repeat(BOUNDS.len()));
    for (name, topology, hosts) in NETWORKS {
        let net = Wired::new(topology, hosts, 8, 32);
        for routing in [PacketRouting::Min, PacketRouting::MinFirst, PacketRouting::Family] {
            let bound_under = |traffic| {
                net.prepared(going(traffic, routing, CYCLES))
                    .map_or("-".to_owned(), |ready| format!("{:.4}", ready.load().bound.as_f64()))
            };
            let cells = BOUNDS.map(bound_under);
            if cells.iter().any(|cell| cell != "-") {
                println!("| {name} | {} | {} |", routing.name(), cells.join(" | "));
            }
        }
    }
    println!();
}

/// The search for saturation on one network, with 128 flits per port.
fn saturation(
    name: &str,
    topology: &str,
    hosts: u32,
    traffic: Traffic,
    routing: PacketRouting,
    vcs: u32,
    ports: HostPorts,
) {
    let net = Wired::new(topology, hosts, vcs, 128 / vcs);
    let started = Instant::now();
    let limit = if ports == HostPorts::Unlimited { "unlimited" } else { "1" };
    let run = format!("| {name} | {} | {} | {vcs} x {} | {limit}", traffic.name(), routing.name(), 128 / vcs);
    let ready =
        match net.prepared(SimulationParameters { hosts: Some(ports), ..going(traffic, routing, CYCLES) }) {
            Ok(ready) => ready,
            Err(error) => return println!("{run} | {error} | | | |"),
        };
    let report = simulate(&ready, &[], &[1], true, &Silent).expect("it moves");
    let (found, bound) = (&report.saturations[0], report.load.bound.as_f64());
    println!(
        "{run} | {bound:.4} | {} .. {} | {:.4} | {:.0} |",
        found.interval.low,
        found.interval.high,
        found.beyond.accepted(&report.setting, report.load.senders).as_f64(),
        started.elapsed().as_secs_f64()
    );
}

fn booksim(traffic: Traffic, routing: PacketRouting, vcs: u32, flits: u32, rates: Rates, score: Score) {
    let net = Wired::new("dragonfly { a = 6; h = 3; }", 3, vcs, flits);
    let adaptive = matches!(routing, PacketRouting::Ugal | PacketRouting::UgalGlobal);
    let choosing = RoutingSettings {
        routing: Some(routing),
        score: adaptive.then_some(score),
        ..RoutingSettings::default()
    };
    let ready = net
        .prepared(SimulationParameters { choosing, ..going(traffic, routing, CYCLES) })
        .expect("it can be simulated");
    let offered: Vec<Rate> = rates.iter().map(|(rate, _)| Rate::parse(rate).expect("a rate")).collect();
    let report = simulate(&ready, &offered, &[1], false, &Silent).expect("it moves");
    for (point, (_, theirs)) in report.points.iter().zip(rates) {
        let accepted = point.accepted(&report.setting, report.load.senders).as_f64();
        let latency = point.delays.map_or(0.0, |delays| delays.mean().as_f64());
        let rule = if adaptive { format!(", {}", score.name()) } else { String::new() };
        let theirs = theirs.map_or_else(|| "saturated".to_owned(), |theirs| theirs.to_string());
        println!(
            "| {} | {}{rule} | {vcs} x {flits} | {} | {theirs} | {accepted:.4} | {latency:.1} |",
            traffic.name(),
            routing.name(),
            point.rate
        );
    }
}
