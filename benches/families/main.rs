//! Families of networks side by side, by fabc's own measure: the tables and figures of the PolarStar paper
//! (Lakhotia and others 2024), and figure 1 of TONS (Green and Thottethodi).
//!
//! `cargo bench --bench families [-- PART ..]` prints the tables of `docs/benchmarks.md`. Each part is a run
//! of minutes at most: `table3`, `turns`, `scale`, `designs`, `bisection`, `failures`, `huge`, `figure1`.
//! Every flow is the lower end of a certified interval, and every bisection is the certified interval. The
//! checker proves every number on the way.

mod bands;
mod figure1;
mod scale;
mod table3;

use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::model::{Fabric, Metric};
use fabc::progress::Silent;
use std::collections::BTreeMap;

/// Every part, and what prints it.
const PARTS: [(&str, fn()); 8] = [
    ("table3", table3::table_3),
    ("turns", table3::turns),
    ("scale", scale::scale),
    ("designs", scale::designs),
    ("bisection", bands::bisection),
    ("failures", bands::failures),
    ("huge", scale::huge),
    ("figure1", figure1::figure_1),
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

/// A network of this topology.
fn fabric(topology: &str, routing: &str, hosts: u32, more: &str) -> Fabric {
    let semicolon = if topology.ends_with('}') { "" } else { ";" };
    let text = format!(
        "fabric family {{ link wire {{ bandwidth = 100 Gbps; latency = 10 ns; }} router {{ radix = 512; hosts = {hosts}; vcs = 8; }}
        topology = {topology}{semicolon} routing = {routing}; {more} }}"
    );
    let loader = |path: &str| if path == "family.fab" { Ok(text.clone()) } else { Err(path.to_owned()) };
    fabc::lang::read_normal("family.fab", &loader)
        .unwrap_or_else(|(failure, _)| panic!("{topology}: {failure:?}"))
        .0
}

/// Compiles a network as far as `last`.
fn built(topology: &str, routing: &str, hosts: u32, more: &str, last: Stage) -> CompiledFabric {
    let fabric = fabric(topology, routing, hosts, more);
    compile(fabric, last, &Silent).unwrap_or_else(|failure| panic!("{topology}: {failure:?}"))
}

fn value(compiled: &CompiledFabric, metric: Metric) -> f64 {
    compiled.scenarios[0].metrics.value(metric).map_or(f64::NAN, |value| value.as_f64())
}

/// The rows of a table of `tests/data`, each by its columns.
fn rows(text: &'static str) -> Vec<BTreeMap<&'static str, &'static str>> {
    let mut lines = text.lines().filter(|line| !line.starts_with('#'));
    let columns: Vec<&str> = lines.next().expect("the columns").split(',').collect();
    lines.map(|line| columns.iter().copied().zip(line.split(',')).collect()).collect()
}

/// A network that those tables call by its name.
fn named(name: &str) -> &'static str {
    match name.trim_end_matches(" endpoint routers") {
        "PS-IQ 1064" => "polarstar { q = 11; supernode = iq; degree = 3; }",
        "PS-Pal 949" => "polarstar { q = 8; supernode = paley; degree = 6; }",
        "bundlefly 882" | "BF 882" => "bundlefly { q = 7; p = 9; }",
        "hyperx 9x9x8" | "HX 648" => "hyperx 9 x 9 x 8",
        "dragonfly 876" | "DF 876" => "dragonfly { a = 12; h = 6; arrangement = consecutive; }",
        "spectralfly 1092" | "SF 1092" => "spectralfly { rho = 23; q = 13; }",
        "megafly 1040" | "MF 1040" => "megafly { a = 16; rho = 8; arrangement = consecutive; }",
        "fat_tree 972" | "FT 972" => "fat_tree { levels = 3; arity = 18; }",
        "polarfly 13" => "polarfly { q = 13; }",
        "slimfly 13" => "slim_fly { q = 13; }",
        "tsp264 palmtree" => "dragonfly { a = 8; h = 4; }",
        "tsp264 consecutive" => "dragonfly { a = 8; h = 4; arrangement = consecutive; }",
        "hypercube-8" => "hypercube { dimensions = 8; }",
        "torus 8x8x8" => "torus 8 x 8 x 8",
        other => panic!("no network `{other}`"),
    }
}
