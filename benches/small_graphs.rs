//! Graphs of degree 4 and 10 to 20 chips: the concurrent flow of the graphs that fabc finds beside that of
//! known families, each by the exact linear program.
//!
//! `cargo bench --bench small_graphs --features cbc [-- SIZES..]` prints the table of `docs/benchmarks.md`, a
//! row as soon as it is known. Every graph has four channels out of and into each chip. Kautz and generalised
//! Kautz graphs are directed: a channel need not have one back. No pair of fibers gives that. All other
//! graphs consist of links.

use fabc::compile::{Stage, compile};
use fabc::ids::{ChannelId, Id};
use fabc::model::Fabric;
use fabc::progress::Silent;
use fabc::solve::{self, FlowProblem, max_concurrent_flow};
use rand_chacha::ChaCha8Rng;
use rand_core::{RngCore, SeedableRng};
use std::collections::BTreeSet;
use std::io::Write;

const DEGREE: usize = 4;
const RANDOM_GRAPHS: usize = 100;
const NODES: u32 = 300;

type Arcs = Vec<(usize, usize)>;

fn main() {
    if !solve::CBC {
        println!("small_graphs needs CBC: cargo bench --bench small_graphs --features cbc");
        return;
    }
    // Cargo passes `--bench`.
    let mut sizes: Vec<usize> = std::env::args().skip(1).filter_map(|size| size.parse().ok()).collect();
    if sizes.is_empty() {
        sizes = vec![10, 12, 14, 15, 16, 18, 20];
    }
    println!(
        "| chips | Kautz | gen. Kautz | Xpander | random | `search` | `relax` | `milp` | bound of `milp` |\n|---|---|---|---|---|---|---|---|---|"
    );
    for nodes in sizes {
        let cell = |flow: Option<f64>| {
            print!(" {} |", flow.map_or("-".to_owned(), |flow| format!("{flow:.5}")));
            std::io::stdout().flush().expect("standard output");
        };
        print!("| {nodes} |");
        cell((nodes == DEGREE * (DEGREE + 1)).then(|| flow(nodes, &kautz())));
        cell(Some(flow(nodes, &generalised_kautz(nodes))));
        cell(nodes.is_multiple_of(DEGREE + 1).then(|| best(nodes, |seed| lift(nodes, seed))));
        cell(Some(best(nodes, |seed| random_regular(nodes, seed))));
        cell(Some(synthesized(nodes, "symmetry = auto; effort = 1;").0));
        cell(Some(synthesized(nodes, "symmetry = none; method = relax; fix = 1;").0));
        let (flow, note) = synthesized(nodes, &format!("symmetry = none; method = milp; nodes = {NODES};"));
        cell(Some(flow));
        println!(" {note} |");
    }
}

/// The exact flow of a graph given by its channels.
fn flow(nodes: usize, arcs: &Arcs) -> f64 {
    let channels = arcs.iter().enumerate().map(|(class, &(from, to))| (from, to, class)).collect();
    max_concurrent_flow(
        &FlowProblem { nodes, sources: (0..nodes).collect(), channels, capacities: Vec::new() },
        |_, _| 1,
    )
    .expect("CBC solves it")
}

fn best(nodes: usize, graph: impl Fn(u64) -> Arcs) -> f64 {
    (0..RANDOM_GRAPHS as u64).map(|seed| flow(nodes, &graph(seed))).fold(0.0, f64::max)
}

fn both_ways(links: impl IntoIterator<Item = (usize, usize)>) -> Arcs {
    links.into_iter().flat_map(|(a, b)| [(a, b), (b, a)]).collect()
}

/// The Kautz graph K(4, 2). Its routers are words ab with a != b over 5 letters, and ab leads to bc (Kautz
/// 1968).
fn kautz() -> Arcs {
    let words: Vec<(usize, usize)> =
        (0..=DEGREE).flat_map(|a| (0..=DEGREE).filter(move |&b| b != a).map(move |b| (a, b))).collect();
    let leads = |from: usize| {
        let words = &words;
        words
            .iter()
            .enumerate()
            .filter(move |(_, word)| word.0 == words[from].1)
            .map(move |(to, _)| (from, to))
    };
    (0..words.len()).flat_map(leads).collect()
}

/// Imase and Itoh 1981: i leads to -(4 i + j) for j = 1..4. A channel to itself is left out.
fn generalised_kautz(nodes: usize) -> Arcs {
    let to = |from: usize, step: usize| (nodes * (DEGREE + 1) - DEGREE * from - step) % nodes;
    (0..nodes)
        .flat_map(|from| (1..=DEGREE).map(move |step| (from, to(from, step))))
        .filter(|(from, to)| from != to)
        .collect()
}

/// A random permutation (Fisher and Yates).
fn shuffled(mut items: Vec<usize>, random: &mut ChaCha8Rng) -> Vec<usize> {
    for at in (1..items.len()).rev() {
        items.swap(at, (random.next_u64() % (at as u64 + 1)) as usize);
    }
    items
}

/// Xpander (Valadarsky et al. 2016): a random lift of the complete graph on 5 chips, a matching for each of
/// its links.
fn lift(nodes: usize, seed: u64) -> Arcs {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let copies = nodes / (DEGREE + 1);
    let mut links = Vec::new();
    for a in 0..=DEGREE {
        for b in a + 1..=DEGREE {
            let matching = shuffled((0..copies).collect(), &mut random);
            links.extend(
                matching.into_iter().enumerate().map(|(from, to)| (a * copies + from, b * copies + to)),
            );
        }
    }
    both_ways(links)
}

/// A random regular graph without parallel links: ports paired at random until all pairs are good.
fn random_regular(nodes: usize, seed: u64) -> Arcs {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    loop {
        let ports = shuffled((0..nodes * DEGREE).map(|port| port / DEGREE).collect(), &mut random);
        let links: BTreeSet<(usize, usize)> = ports
            .chunks(2)
            .map(|pair| (pair[0].min(pair[1]), pair[0].max(pair[1])))
            .filter(|(a, b)| a != b)
            .collect();
        if links.len() == nodes * DEGREE / 2 {
            return both_ways(links);
        }
    }
}

/// The exact flow of what fabc finds with these settings of `synthesize`, and the bound that the pass
/// reports, if any.
fn synthesized(nodes: usize, settings: &str) -> (f64, String) {
    let compiled = compile(pod(nodes, settings), Stage::Analyze, &Silent)
        .unwrap_or_else(|failure| panic!("{nodes} chips, {settings}: {failure:?}"));
    let topology = &compiled.topology;
    let reached =
        |channel: ChannelId| (topology.source(channel).node.index(), topology.target(channel).node.index());
    let arcs = (0..topology.channel_count()).map(|at| reached(ChannelId::new(at))).collect();
    let record = &compiled.passes[0];
    let note = match &*record.stopped_by {
        "optimal" => "proved optimal".to_owned(),
        _ => record
            .notes
            .concat()
            .split("more than ")
            .nth(1)
            .map_or(String::new(), |rest| rest[..7].to_owned()),
    };
    (flow(nodes, &arcs), note)
}

/// Chips without cubes behind one switch without sides.
fn pod(nodes: usize, settings: &str) -> Fabric {
    let text = std::fs::read_to_string("specs/graph_10.fab").expect("the spec is part of the repository");
    let line = |line: &str| match line.trim_start() {
        rest if rest.starts_with("cubes =") => format!("cubes = {nodes};"),
        rest if rest.starts_with("ocs ANY") => {
            line.replace("ports = 40", &format!("ports = {}", nodes * DEGREE))
        }
        rest if rest.starts_with("topology =") => format!("topology = synthesize {{ {settings} }}"),
        _ => line.to_owned(),
    };
    let text = text.lines().map(line).collect::<Vec<_>>().join("\n");
    fabc::lang::read_normal("graph.fab", &|_: &str| Ok(text.clone()))
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}"))
        .0
}
