//! Random permutation against random shortcuts, laid out on cabinets: distances, cables and what they cost.
//!
//! `cargo bench --bench floor [-- PART ..]` prints the tables of `docs/benchmarks.md`: `table1`, `cubes`,
//! `reach`, `lengths`, `cost`, `weights`. Distances are divided by N^2, as in the paper. The checker adds up
//! every length again. The paper's numbers stand in brackets. Where it has none, they are those of other
//! code.

#![expect(
    clippy::disallowed_types,
    reason = "a benchmark looks at the clock; nothing that fabc writes depends on it"
)]

use fabc::compile::{Stage, candidates, compile};
use fabc::ids::LinkTypeId;
use fabc::ir::{FloorMetrics, Topology};
use fabc::model::{Fabric, FloorMetric, Plant};
use fabc::passes::place;
use fabc::progress::Silent;
use rayon::prelude::*;
use std::time::Instant;

/// Every part, and what prints it.
const PARTS: [(&str, fn()); 6] = [
    ("table1", table_1),
    ("cubes", cubes),
    ("reach", reach),
    ("lengths", lengths),
    ("cost", cost),
    ("weights", weights),
];

fn main() {
    // Cargo passes `--bench`.
    let wanted: Vec<String> =
        std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    if let Some(unknown) = wanted.iter().find(|wanted| PARTS.iter().all(|(name, _)| name != wanted)) {
        let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
        println!("there is no part `{unknown}`; there are {}", names.join(", "));
        return;
    }
    for (_, print) in
        PARTS.iter().filter(|(name, _)| wanted.is_empty() || wanted.iter().any(|wanted| wanted == name))
    {
        print();
        println!();
    }
}

fn fabric(topology: &str, floor: &str, seed: u64) -> Fabric {
    let topology = topology.replace("SEED", &seed.to_string());
    let text = format!(
        "fabric laid {{ link copper {{ bandwidth = 96 Gbps; latency = 20 ns; cost = 100; }} link optical {{ bandwidth = 96 Gbps; latency = 20 ns; cost = 200; }}
        router {{ radix = 64; hosts = 1; vcs = 8; }} topology = {topology} routing = minimal;
        floor {{ {floor} install = 30; copper <= 10 m; beyond = optical; }} }}"
    );
    let loader = |path: &str| if path == "laid.fab" { Ok(text.clone()) } else { Err(path.to_owned()) };
    fabc::lang::read_normal("laid.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}\n{text}"))
        .0
}

/// The graph alone: without flow and routes, which take longer than all else here.
fn wired(fabric: &Fabric) -> Topology {
    let Plant::Network(network) = &fabric.plant else { unreachable!("networks alone are laid") };
    candidates(fabric, network).expect("a draw").swap_remove(0)
}

/// Diameter, and the sum of distances over N^2.
fn distances(topology: &Topology) -> (u32, f64) {
    let routers = topology.node_count();
    let next: Vec<Vec<u32>> = topology
        .nodes()
        .map(|node| topology.channels_from(node).map(|channel| topology.target(channel).node.0).collect())
        .collect();
    let from = |source: usize| {
        let mut hops = vec![u32::MAX; routers];
        hops[source] = 0;
        let (mut queue, mut at) = (vec![source as u32], 0);
        while let Some(&node) = queue.get(at) {
            at += 1;
            for &to in &next[node as usize] {
                if hops[to as usize] == u32::MAX {
                    hops[to as usize] = hops[node as usize] + 1;
                    queue.push(to);
                }
            }
        }
        (hops[queue[routers - 1] as usize], hops.iter().map(|&hops| u64::from(hops)).sum::<u64>())
    };
    let reaches: Vec<(u32, u64)> = (0..routers).into_par_iter().map(from).collect();
    let sum: u64 = reaches.iter().map(|(_, sum)| sum).sum();
    (reaches.iter().map(|(most, _)| *most).max().unwrap_or(0), sum as f64 / (routers as f64 * routers as f64))
}

/// Measures of the cables, and the seconds that placing took.
fn lay_out(topology: &str, floor: &str, seed: u64) -> (FloorMetrics, f64) {
    let fabric = fabric(topology, floor, seed);
    let Plant::Network(network) = &fabric.plant else { unreachable!("networks alone are laid") };
    let floor_setting = fabric.floor.as_ref().expect("it is written");
    let topology = wired(&fabric);
    let start = Instant::now();
    let (placement, _) = place::place(floor_setting, &topology, &network.family);
    let seconds = start.elapsed().as_secs_f64();
    let cables: Vec<(u32, LinkTypeId)> = placement
        .cables(&fabric, floor_setting, &topology)
        .iter()
        .map(|&(length, link)| (length, link.expect("`beyond` takes all")))
        .collect();
    let topology = topology.with_cables(cables);
    let metrics = FloorMetrics::for_placement(&fabric, floor_setting, &placement, &topology);
    assert_eq!(
        fabc::check::verify_floor(&fabric, floor_setting, &topology, None, &placement).expect("as placed"),
        metrics
    );
    (metrics, seconds)
}

/// Table 1 of the paper: diameter and average distance of tori, of their permutations, and of rings.
fn table_1() {
    println!(
        "| network | routers | diameter | average distance | of 5 seeds | the paper |\n|---|---|---|---|---|---|"
    );
    for (name, topology, routers, paper) in [
        ("TORUS-4", "torus 16 x 16;", 256, "16, 8.00"),
        ("P-TORUS-4", "permute { of = torus 16 x 16; method = partial; seed = SEED; }", 256, "10, 5.59"),
        ("PF-TORUS-4", "permute { of = torus 16 x 16; method = full; seed = SEED; }", 256, "11, 5.96"),
        ("RING-4", "ring_n { routers = 256; degree = 4; seed = SEED; }", 256, "7, 4.38"),
        ("TORUS-6", "torus 16 x 16 x 16;", 4096, "24, 12.00"),
        (
            "P-TORUS-6",
            "permute { of = torus 16 x 16 x 16; method = partial; seed = SEED; }",
            4096,
            "16, 8.41",
        ),
        ("PF-TORUS-6", "permute { of = torus 16 x 16 x 16; method = full; seed = SEED; }", 4096, "17, 8.70"),
        ("RING-6", "ring_n { routers = 4096; degree = 6; seed = SEED; }", 4096, "7, 5.06"),
    ] {
        row(name, topology, routers, paper);
    }
}

/// The same of hypercubes and folded ones, against means of other code.
fn cubes() {
    println!(
        "| network | routers | diameter | average distance | of 5 seeds | other code |\n|---|---|---|---|---|---|"
    );
    for (dimensions, other) in [
        (6, ["3.000", "2.494", "2.611 (cabinets of 4)", "2.431"]),
        (8, ["4.000", "3.065", "3.164", "2.878"]),
        (9, ["4.500", "3.363", "3.459", "3.096"]),
        (10, ["5.000", "3.675", "3.764", "3.298"]),
        (12, ["6.000", "4.374 (paper 8 hops)", "4.443", "3.651 (paper 5 hops)"]),
    ] {
        let routers = 1 << dimensions;
        let permuted = |method: &str| {
            format!(
                "permute {{ of = hypercube {{ dimensions = {dimensions}; }} method = {method}; seed = SEED; }}"
            )
        };
        let ring = format!("ring_n {{ routers = {routers}; degree = {dimensions}; seed = SEED; }}");
        let topologies = [
            format!("hypercube {{ dimensions = {dimensions}; }}"),
            permuted("partial"),
            permuted("full"),
            ring,
        ];
        let names = ["HYPERCUBE", "P-HYPERCUBE", "PF-HYPERCUBE", "RING"];
        for ((name, topology), other) in names.into_iter().zip(topologies).zip(other) {
            row(&format!("{name}-{dimensions}"), &topology, routers, other);
        }
    }
    for (name, topology, routers, other) in [
        ("FHYPERCUBE-8", "folded_hypercube { dimensions = 8; }", 256, "3.270"),
        (
            "P-FHYPERCUBE-8",
            "permute { of = folded_hypercube { dimensions = 8; } method = partial; seed = SEED; }",
            256,
            "2.762",
        ),
        ("RING-9", "ring_n { routers = 256; degree = 9; seed = SEED; }", 256, "2.738"),
        ("FHYPERCUBE-12", "folded_hypercube { dimensions = 12; }", 4096, "5.034"),
        (
            "P-FHYPERCUBE-12",
            "permute { of = folded_hypercube { dimensions = 12; } method = partial; seed = SEED; }",
            4096,
            "3.803",
        ),
        ("RING-13", "ring_n { routers = 4096; degree = 13; seed = SEED; }", 4096, "3.564"),
        ("Nbr(0.5)-6", "nbr { routers = 4096; degree = 6; p = 0.5; seed = SEED; }", 4096, "5.118"),
        ("Nbr(0.5)-12", "nbr { routers = 4096; degree = 12; p = 0.5; seed = SEED; }", 4096, "3.692"),
    ] {
        row(name, topology, routers, other);
    }
}

fn row(name: &str, topology: &str, routers: usize, paper: &str) {
    let seeds = if topology.contains("SEED") { 5 } else { 1 };
    let measures: Vec<(u32, f64)> =
        (1..=seeds).map(|seed| distances(&wired(&fabric(topology, "cabinet = 16;", seed)))).collect();
    let mean = measures.iter().map(|(_, mean)| mean).sum::<f64>() / measures.len() as f64;
    let [low, high] =
        [f64::min, f64::max].map(|pick| measures.iter().map(|(_, mean)| *mean).reduce(pick).unwrap_or(0.0));
    let diameter = measures.iter().map(|(most, _)| f64::from(*most)).sum::<f64>() / measures.len() as f64;
    println!("| {name} | {routers} | {diameter:.1} | {mean:.3} | {low:.3} to {high:.3} | {paper} |");
}

/// Average distance over how far shortcuts reach.
fn reach() {
    println!(
        "| network | routers | diameter | average distance | of 5 seeds | other code |\n|---|---|---|---|---|---|"
    );
    for (degree, near, normal) in [
        (
            4,
            ["11.373", "6.722", "5.419", "4.861", "4.635", "4.450", "4.386"],
            ["4.622", "4.430", "4.398", "4.391", "4.387"],
        ),
        (
            8,
            ["7.058", "4.289", "3.468", "3.150", "3.025", "2.909", "2.883"],
            ["3.000", "2.897", "2.886", "2.884", "2.883"],
        ),
    ] {
        for (p, other) in ["0.1", "0.2", "0.3", "0.4", "0.5", "0.7", "1.0"].into_iter().zip(near) {
            let topology = format!("nbr {{ routers = 256; degree = {degree}; p = {p}; seed = SEED; }}");
            row(&format!("Nbr({p})-{degree}"), &topology, 256, other);
        }
        for (alpha, other) in ["0.3", "0.5", "0.7", "1.0", "2.0"].into_iter().zip(normal) {
            let topology =
                format!("gau {{ routers = 256; degree = {degree}; alpha = {alpha}; seed = SEED; }}");
            row(&format!("Gau({alpha})-{degree}"), &topology, 256, other);
        }
    }
}

/// Average cables at 256 to 8,192 switches, in order and placed.
fn lengths() {
    println!(
        "| network | switches | of a cabinet | in order, m | clustered and placed, m | between cabinets, m | inter-cabinet cables | seconds | known |"
    );
    println!("|---|---|---|---|---|---|---|---|---|");
    let (sequential, walktrap) = ("placement = annealed;", "clustering = walktrap; placement = annealed;");
    for (name, topology, switches, cabinet, how, known) in [
        ("TORUS-4", "torus 16 x 16;", 256, 16, sequential, "3.84375; 3.61875"),
        ("HYPERCUBE-8", "hypercube { dimensions = 8; }", 256, 16, sequential, "4.0125; the same"),
        ("RING-4", "ring_n { routers = 256; degree = 4; }", 256, 16, walktrap, "4.27"),
        ("RING-8", "ring_n { routers = 256; degree = 8; }", 256, 16, walktrap, "5.37"),
        ("Nbr(0.5)-8", "nbr { routers = 256; degree = 8; p = 0.5; }", 256, 16, walktrap, "4.87"),
        ("HYPERCUBE-10", "hypercube { dimensions = 10; }", 1024, 16, sequential, ""),
        ("RING-10", "ring_n { routers = 1024; degree = 10; }", 1024, 16, walktrap, ""),
        ("Nbr(0.5)-10", "nbr { routers = 1024; degree = 10; p = 0.5; }", 1024, 16, walktrap, ""),
        ("TORUS-6", "torus 16 x 16 x 16;", 4096, 16, sequential, "5.0208 in order"),
        ("HYPERCUBE-12", "hypercube { dimensions = 12; }", 4096, 16, sequential, "6.7083 in order"),
        ("RING-12", "ring_n { routers = 4096; degree = 12; }", 4096, 16, walktrap, ""),
        ("Nbr(0.5)-12", "nbr { routers = 4096; degree = 12; p = 0.5; }", 4096, 16, walktrap, ""),
        (
            "HYPERCUBE-13",
            "hypercube { dimensions = 13; }",
            8192,
            16,
            sequential,
            "10.1161 in order; at most 8.6",
        ),
        ("HYPERCUBE-13", "hypercube { dimensions = 13; }", 8192, 32, sequential, "6.3462 in order (paper 7)"),
        (
            "Nbr(0.5)-13",
            "nbr { routers = 8192; degree = 13; p = 0.5; }",
            8192,
            32,
            walktrap,
            "11.35 (paper 11)",
        ),
        ("RING-13", "ring_n { routers = 8192; degree = 13; }", 8192, 32, walktrap, "15.06 (paper 14)"),
    ] {
        let (before, _) = lay_out(topology, &format!("cabinet = {cabinet};"), 1);
        let (after, seconds) = lay_out(topology, &format!("cabinet = {cabinet}; {how}"), 1);
        let average = |metrics: &FloorMetrics| metrics.value(FloorMetric::AverageCable).as_f64();
        let between = after.average_between().map_or(0.0, |mean| mean.as_f64());
        println!(
            "| {name} | {switches} | {cabinet} | {:.4} | {:.4} | {between:.2} | {} | {seconds:.1} | {known} |",
            average(&before),
            average(&after),
            after.between
        );
    }
}

/// Prices of cables: a permuted hypercube against a ring of as many links.
fn cost() {
    println!(
        "| networks | cost of the permuted hypercube | cost of the ring | less | the paper |\n|---|---|---|---|---|"
    );
    for (dimensions, routers) in [(8, 256), (10, 1024), (12, 4096)] {
        let cost_of =
            |topology: String| lay_out(&topology, "cabinet = 16;", 1).0.value(FloorMetric::Cost).as_f64();
        let permuted = cost_of(format!(
            "permute {{ of = hypercube {{ dimensions = {dimensions}; }} method = partial; }}"
        ));
        let ring = cost_of(format!("ring_n {{ routers = {routers}; degree = {dimensions}; }}"));
        let less = 100.0 * (1.0 - permuted / ring);
        println!(
            "| P-HYPERCUBE-{dimensions} and RING-{dimensions} | {permuted:.0} | {ring:.0} | {less:.1} % | up to 27 % |"
        );
    }
    // The whole pipeline agrees with the parts above.
    let text = fabric("ring_n { routers = 64; degree = 5; }", "cabinet = 16;", 1);
    assert!(compile(text, Stage::Analyze, &Silent).is_ok(), "a small one is compiled");
}

/// Flow against cable: the curves of searched graphs.
fn weights() {
    println!(
        "| routers | degree | weight of cable | average distance | flow of a pair | average cable in order, m |\n|---|---|---|---|---|---|"
    );
    for (routers, degree) in [(64, 5), (96, 7), (128, 6)] {
        let text = fabric(
            &format!("synthesize {{ routers = {routers}; degree = {degree}; cable = 0.2; }}"),
            "cabinet = 8;",
            1,
        );
        let compiled = compile(text, Stage::Analyze, &Silent).unwrap_or_else(|failure| panic!("{failure:?}"));
        for point in &compiled.trade_off {
            let hops = point.distances as f64 / (f64::from(routers) * f64::from(routers));
            let mean = point.cable as f64 / compiled.topology.links().len() as f64 / 10.0;
            let weight = f64::from(point.weight) / 1000.0;
            println!(
                "| {routers} | {degree} | {weight} | {hops:.4} | {:.6} | {mean:.4} |",
                point.flow.as_f64()
            );
        }
    }
}
