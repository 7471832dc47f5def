//! Table 3 of the PolarStar paper: the networks that it compares, and their loads. Its figures of throughput
//! come from a simulator. Loads bound that from above.

use super::{built, value};
use fabc::compile::Stage;
use fabc::model::Metric;

/// Name in the paper, topology, routing of the second column of loads, hosts of a router, what the paper
/// prints of routers, ports and bisection share.
const TABLE_3: [(&str, &str, &str, u32, &str); 9] = [
    (
        "PS-IQ",
        "polarstar { q = 11; supernode = iq; degree = 3; }",
        "algebraic",
        5,
        "1064, 15; bisection 29.6 % (a METIS cut; the pair split has 13.3 %)",
    ),
    (
        "PS-Pal",
        "polarstar { q = 8; supernode = paley; degree = 6; }",
        "algebraic",
        5,
        "993 (73 x 13 is 949), 15",
    ),
    ("BF", "bundlefly { q = 7; p = 9; }", "minimal", 5, "882, 15"),
    ("HX", "hyperx 9 x 9 x 8", "algebraic", 8, "648, 23"),
    ("DF", "dragonfly { a = 12; h = 6; arrangement = consecutive; }", "algebraic", 6, "876, 17"),
    ("DF palmtree", "dragonfly { a = 12; h = 6; }", "algebraic", 6, "876, 17"),
    ("SF", "spectralfly { rho = 23; q = 13; }", "minimal", 8, "1092, 24"),
    ("MF", "megafly { a = 16; rho = 8; }", "minimal", 8, "1040, 16"),
    ("FT", "fat_tree { levels = 3; arity = 18; }", "up_down", 18, "972, 36"),
];

/// Sizes, distances, bisection, failures, loads and flow. No link has a cost here, so that the cost of a host
/// is told in links and in ports of routers.
pub(super) fn table_3() {
    println!(
        "| network | topology | routers | ports | links | hosts | links per host | router ports per host | diameter | average hops | \
         bisection, links (share) | links failed at the first disconnection | load `minimal` | load by formula or up/down | least load | \
         injection | the paper |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, topology, other, hosts, paper) in TABLE_3 {
        let compiled =
            built(topology, "minimal", hosts, "failures { links <= 5 %; seeds = 100; }", Stage::Emit);
        let network = compiled.network.as_ref().expect("networks are measured");
        let metrics = &compiled.scenarios[0].metrics;
        let share = |links: u64| 100.0 * links as f64 / network.links as f64;
        let bisection = network.bisection.as_ref().map_or("-".to_owned(), |of| {
            format!(
                "{} to {} ({:.1} to {:.1} %)",
                of.at_least(),
                of.at_most,
                share(of.at_least()),
                share(of.at_most)
            )
        });
        let failed =
            network.failures.as_ref().map_or("-".to_owned(), |of| format!("{:.1} %", share(of.median())));
        let formula = match other {
            "minimal" => "-".to_owned(),
            other => {
                format!("{}", value(&built(topology, other, hosts, "", Stage::Emit), Metric::MaxChannelLoad))
            }
        };
        let per_host = |count: u64| count as f64 / network.hosts as f64;
        println!(
            "| {name} | `{topology}` | {} | {} | {} | {} | {:.2} | {:.2} | {} | {:.6} | {bisection} | {failed} | {} | {formula} | {} | \
             {:.4} | {paper} |",
            network.routers,
            compiled.topology.ports(),
            network.links,
            network.hosts,
            per_host(network.links),
            per_host(2 * network.links + network.hosts),
            metrics.diameter,
            metrics.average_hops().as_f64(),
            value(&compiled, Metric::MaxChannelLoad),
            metrics.load_bound().as_f64(),
            value(&compiled, Metric::Injection),
        );
    }
}

/// Networks that `allowed_turns` is let loose on here: some minutes together.
const TURNS: [&str; 6] = [
    "polarstar { q = 4; supernode = iq; degree = 3; }",
    "polarstar { q = 5; supernode = paley; degree = 2; }",
    "polarfly { q = 13; }",
    "slim_fly { q = 5; }",
    "dragonfly { a = 8; h = 4; }",
    "megafly { a = 8; rho = 4; }",
];

/// Loads of the best routing with 2 virtual channels, beside balanced shortest paths.
pub(super) fn turns() {
    println!(
        "| topology | routers | load `minimal` | load `allowed_turns`, 2 VCs | least load | of the least |\n|---|---|---|---|---|---|"
    );
    for topology in TURNS {
        let minimal = value(&built(topology, "minimal", 1, "", Stage::Emit), Metric::MaxChannelLoad);
        let best = built(topology, "allowed_turns", 1, "budget { vcs = 2; }", Stage::Emit);
        let (load, least) =
            (value(&best, Metric::MaxChannelLoad), best.scenarios[0].metrics.load_bound().as_f64());
        println!(
            "| `{topology}` | {} | {minimal} | {load} | {least} | {:.3} |",
            best.topology.node_count(),
            load / least
        );
    }
}
