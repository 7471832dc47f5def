//! Figure 1 of TONS: injection of networks of degree 4 and 10 to 80 routers.

use super::{built, rows, value};
use fabc::compile::Stage;
use fabc::model::Metric;

/// Flows that a search by distances alone reaches.
const FLOORS: [(usize, f64); 4] = [(30, 1.822), (40, 1.673), (60, 1.463), (70, 1.439)];

/// How far apart the ends of a certified interval may be: what is at least as good by its upper end.
const CERTIFIED: f64 = 1.0 - 2e-4;

/// Injection at the certified lower end, of degree 4 and 10 to 80 routers. The exact flow stands in brackets,
/// by the linear program of other code. For random families it is that of another draw.
pub(super) fn figure_1() {
    println!(
        "| routers | arcs | Kautz | gen. Kautz | Xpander | random | distance search | synthesized | its distance bound | Moore's bound | verdict |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    let table = rows(include_str!("../../tests/data/figure1_degree4.csv"));
    for simplex in [true, false] {
        for routers in [10usize, 20, 30, 40, 50, 60, 70, 80] {
            let known = |family: &str, column: &str| -> Option<f64> {
                let directed = if simplex { "1" } else { "0" };
                let row = table.iter().find(|row| {
                    row["n"] == routers.to_string()
                        && row["directed"] == directed
                        && row["family"].starts_with(family)
                });
                row.and_then(|row| row[column].parse().ok())
            };
            let reached = |topology: String| {
                let compiled = built(&topology, "minimal", 0, "", Stage::Analyze);
                let metrics = &compiled.scenarios[0].metrics;
                (
                    value(&compiled, Metric::Injection),
                    metrics.injection_at(metrics.distance_ceiling()).as_f64(),
                )
            };
            let mut best = FLOORS
                .into_iter()
                .find(|(size, _)| simplex && *size == routers)
                .map_or(0.0, |(_, floor)| floor);
            let mut cell = |topology: Option<String>, family: &str| {
                let flow = topology.map(|topology| reached(topology).0);
                best = best.max(flow.unwrap_or(0.0));
                let exact =
                    known(family, "injection").map_or(String::new(), |exact| format!(" [{exact:.4}]"));
                format!("{}{exact}", flow.map_or("-".to_owned(), |flow| format!("{flow:.4}")))
            };
            let length = [(20, 2), (80, 3)]
                .into_iter()
                .find(|(size, _)| simplex && *size == routers)
                .map(|(_, length)| length);
            let kautz =
                cell(length.map(|length| format!("kautz {{ degree = 4; length = {length}; }}")), "kautz");
            let general = cell(
                simplex.then(|| format!("gen_kautz {{ degree = 4; routers = {routers}; }}")),
                "gen_kautz",
            );
            let xpander = (!simplex).then(|| {
                format!("xpander {{ degree = 4; lift = {}; attempts = 1000; draws = 100; }}", routers / 5)
            });
            let xpander = cell(xpander, "xpander");
            let random = (!simplex)
                .then(|| format!("random_regular {{ routers = {routers}; degree = 4; draws = 100; }}"));
            let random = cell(random, if simplex { "random digraph" } else { "jellyfish" });
            let searched = cell(None, "arc-swap search");
            let arcs = if simplex { "simplex" } else { "duplex" };
            let (flow, bound) =
                reached(format!("synthesize {{ routers = {routers}; degree = 4; arcs = {arcs}; }}"));
            let moore = known("moore_bound", "bound_injection").expect("a bound");
            let verdict = if flow > moore * (1.0 + 1e-6) {
                "**above the bound**"
            } else if flow >= best * CERTIFIED {
                "best"
            } else {
                "**below another**"
            };
            println!(
                "| {routers} | {arcs} | {kautz} | {general} | {xpander} | {random} | {searched} | {flow:.4} | {bound:.4} | {moore:.4} | {verdict} |"
            );
        }
    }
}
