//! Families of networks side by side: the networks of table 3 of the PolarStar paper (Lakhotia and others
//! 2024), and those of figure 1 of TONS (Green and Thottethodi), by fabc's own measure.
//!
//! `cargo bench --bench families` prints both tables of `docs/benchmarks.md`; `-- figure1` or `-- table3` one
//! of them. Every flow is a certified interval of which the lower end stands here, every bisection the
//! certified interval, every number proved by the checker on the way.

use fabc::compile::{Stage, compile};
use fabc::compiled::Compiled;
use fabc::model::{self, Metric};
use fabc::progress::Silent;

/// Name in the paper, topology, routing of the second column of loads, hosts of a router, what the paper
/// prints of routers, ports and bisection share.
const TABLE_3: [(&str, &str, &str, u32, &str); 9] = [
    ("PS-IQ", "polarstar { q = 11; supernode = iq; degree = 3; }", "algebraic", 5, "1064, 15, 29.6 % (its METIS cut)"),
    ("PS-Pal", "polarstar { q = 8; supernode = paley; degree = 6; }", "algebraic", 5, "993 (73 x 13 is 949), 15"),
    ("BF", "bundlefly { q = 7; p = 9; }", "minimal", 5, "882, 15"),
    ("HX", "hyperx 9 x 9 x 8", "algebraic", 8, "648, 23"),
    ("DF", "dragonfly { a = 12; h = 6; arrangement = consecutive; }", "algebraic", 6, "876, 17"),
    ("DF palmtree", "dragonfly { a = 12; h = 6; }", "algebraic", 6, "876, 17"),
    ("SF", "spectralfly { rho = 23; q = 13; }", "minimal", 8, "1092, 24"),
    ("MF", "megafly { a = 16; rho = 8; }", "minimal", 8, "1040, 16"),
    ("FT", "fat_tree { levels = 3; arity = 18; }", "up_down", 18, "972, 36"),
];

fn main() {
    // Cargo passes `--bench`.
    let wanted: Vec<String> = std::env::args().skip(1).filter(|argument| !argument.starts_with('-')).collect();
    let prints = |table: &str| wanted.is_empty() || wanted.iter().any(|name| name == table);
    if prints("figure1") {
        figure_1();
    }
    if prints("table3") {
        table_3();
    }
}

/// Compiles a network as far as `last`.
fn built(topology: &str, routing: &str, hosts: u32, more: &str, last: Stage) -> Compiled {
    let semicolon = if topology.ends_with('}') { "" } else { ";" };
    let text = format!(
        "fabric family {{ link wire {{ bandwidth = 100 Gbps; latency = 10 ns; }} router {{ radix = 64; hosts = {hosts}; vcs = 8; }}
        topology = {topology}{semicolon} routing = {routing}; {more} }}"
    );
    let loader = |path: &str| if path == "family.fab" { Ok(text.clone()) } else { Err(path.to_owned()) };
    let (fabric, ..) = model::load("family.fab", &loader).unwrap_or_else(|(failure, _)| panic!("{topology}: {failure:?}"));
    compile(fabric, last, &Silent).unwrap_or_else(|failure| panic!("{topology}: {failure:?}"))
}

fn value(compiled: &Compiled, metric: Metric) -> f64 {
    compiled.scenarios[0].metrics.value(metric).map_or(f64::NAN, |value| value.as_f64())
}

/// Injection at the certified lower end, of degree 4 and 10 to 80 routers.
fn figure_1() {
    println!(
        "| routers | arcs | Kautz | gen. Kautz | Xpander | random | synthesized | bound by distance |\n|---|---|---|---|---|---|---|---|"
    );
    for simplex in [true, false] {
        for routers in [10, 20, 30, 40, 50, 60, 70, 80] {
            let reached = |topology: String| {
                let compiled = built(&topology, "minimal", 0, "", Stage::Analyze);
                let metrics = &compiled.scenarios[0].metrics;
                (value(&compiled, Metric::Injection), metrics.injection_at(metrics.distance_bound()).as_f64())
            };
            let cell = |topology: Option<String>| topology.map_or("-".to_owned(), |topology| format!("{:.4}", reached(topology).0));
            let kautz = [(20, 2), (80, 3)].into_iter().find(|(size, _)| simplex && *size == routers);
            let kautz = cell(kautz.map(|(_, length)| format!("kautz {{ degree = 4; length = {length}; }}")));
            let general = cell(simplex.then(|| format!("gen_kautz {{ degree = 4; routers = {routers}; }}")));
            let xpander =
                cell((!simplex).then(|| format!("xpander {{ degree = 4; lift = {}; attempts = 1000; draws = 100; }}", routers / 5)));
            let random = cell((!simplex).then(|| format!("random_regular {{ routers = {routers}; degree = 4; draws = 100; }}")));
            let arcs = if simplex { "simplex" } else { "duplex" };
            let (found, bound) = reached(format!("synthesize {{ routers = {routers}; degree = 4; arcs = {arcs}; }}"));
            println!("| {routers} | {arcs} | {kautz} | {general} | {xpander} | {random} | {found:.4} | {bound:.4} |");
        }
    }
    println!();
}

/// Sizes, distances, bisection, failures, loads and flow of the networks of table 3.
fn table_3() {
    println!(
        "| network | topology | routers | ports | links | diameter | average hops | bisection, links (share) | links failed at the first \
         disconnection | load `minimal` | load by formula or up/down | least load | injection | the paper |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|---|---|---|");
    for (name, topology, other, hosts, paper) in TABLE_3 {
        let compiled = built(topology, "minimal", hosts, "failures { links <= 5 %; seeds = 100; }", Stage::Emit);
        let network = compiled.network.as_ref().expect("networks are measured");
        let metrics = &compiled.scenarios[0].metrics;
        let share = |links: u64| 100.0 * links as f64 / network.links as f64;
        let bisection = network
            .bisection
            .as_ref()
            .map_or("-".to_owned(), |of| format!("{} to {} ({:.1} to {:.1} %)", of.least(), of.most, share(of.least()), share(of.most)));
        let failed = network.failures.as_ref().map_or("-".to_owned(), |of| format!("{:.1} %", share(of.median())));
        let formula = match other {
            "minimal" => "-".to_owned(),
            other => format!("{}", value(&built(topology, other, hosts, "", Stage::Emit), Metric::MaxChannelLoad)),
        };
        println!(
            "| {name} | `{topology}` | {} | {} | {} | {} | {:.6} | {bisection} | {failed} | {} | {formula} | {} | {:.4} | {paper} |",
            network.routers,
            compiled.topology.ports(),
            network.links,
            metrics.diameter,
            metrics.average_hops().as_f64(),
            value(&compiled, Metric::MaxChannelLoad),
            metrics.load_bound().as_f64(),
            value(&compiled, Metric::Injection),
        );
    }
}
