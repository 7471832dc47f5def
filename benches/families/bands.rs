//! Bisections and random failures of all networks of `tests/data/bisection.csv` and `link_failures.csv`.
//! `tests/it/networks/facts.rs` compares the small ones, too.

use super::{fabric, named, rows};
use fabc::check;
use fabc::ir::NetworkMetrics;
use fabc::model::Plant;
use fabc::passes::{measure, wire};

/// The checked measures of a network, without its flow.
fn measured(topology: &str, more: &str) -> NetworkMetrics {
    let fabric = fabric(topology, "minimal", 1, more);
    let Plant::Network(network) = &fabric.plant else { panic!("a network: {topology}") };
    let wired = wire::wire(&fabric, network);
    let demand = &fabric.demand;
    let halves = network.family.facts().halves();
    let (metrics, _) = measure::measure(&wired, network, demand, &halves, false);
    if let Some(bisection) = &metrics.bisection {
        check::verify_bisection(&wired, demand, bisection)
            .unwrap_or_else(|error| panic!("{topology}: {error}"));
    }
    metrics
}

/// Bisections: the certified interval beside the cuts of METIS and of other code.
pub(super) fn bisection() {
    println!(
        "| radix | network | routers | links | bisection | share | known cut | pair split | METIS | its share | verdict |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|---|");
    // Shares of the largest PolarStars: ours and METIS, by kind.
    let mut shares = [("iq", 0.0, 0.0, 0), ("paley", 0.0, 0.0, 0)];
    for row in rows(include_str!("../../tests/data/bisection.csv")) {
        let star = !row["q"].is_empty();
        let topology = match star {
            true => format!(
                "polarstar {{ q = {}; supernode = {}; degree = {}; }}",
                row["q"], row["kind"], row["dprime"]
            ),
            false => named(row["kind"]).to_owned(),
        };
        let metrics = measured(&topology, "");
        let cut = metrics.bisection.as_ref().expect("measured");
        let number = |column: &str| row[column].parse::<u64>().ok();
        let known = [number("own_cut"), number("pair_split_cut")].into_iter().flatten().min().expect("a cut");
        let share = |links: u64| 100.0 * links as f64 / metrics.links as f64;
        let metis = number("metis_cut").expect("a cut");
        if let Some((_, ours, theirs, count)) =
            shares.iter_mut().find(|(kind, ..)| star && *kind == row["kind"])
        {
            (*ours, *theirs, *count) = (*ours + share(cut.at_most), *theirs + share(metis), *count + 1);
        }
        println!(
            "| {} | `{topology}` | {} | {} | {} to {} | {:.1} to {:.1} % | {} | {} | {metis} | {:.1} % | {} |",
            row["radix"],
            metrics.routers,
            metrics.links,
            cut.at_least(),
            cut.at_most,
            share(cut.at_least()),
            share(cut.at_most),
            row["own_cut"],
            row["pair_split_cut"],
            share(metis),
            match cut.at_most.cmp(&known) {
                std::cmp::Ordering::Less => "narrower",
                std::cmp::Ordering::Equal => "as known",
                std::cmp::Ordering::Greater => "**wider**",
            },
        );
    }
    for (kind, ours, theirs, count) in shares {
        let count = f64::from(count);
        println!(
            "\nmean share of the largest per radix, {kind}: at most {:.1} %, METIS {:.1} %",
            ours / count,
            theirs / count
        );
    }
}

/// Random failures: when networks fall apart, and how distances grow before.
pub(super) fn failures() {
    println!(
        "| network | median share of links failed at the first disconnection | five batches of other code | average hops (diameter) at 0, 20, 40, 60 % | of other code |"
    );
    println!("|---|---|---|---|---|");
    let table = rows(include_str!("../../tests/data/link_failures.csv"));
    for row in table.iter().filter(|row| !row["links"].is_empty()) {
        let metrics = measured(named(row["topology"]), "failures { links <= 60 %; seeds = 100; }");
        let failures = metrics.failures.as_ref().expect("asked for");
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        for percent in [0, 20, 40, 60] {
            let point = failures.curve.iter().flatten().find(|point| point.percent == percent);
            let reach = point.and_then(|point| point.reach);
            ours.push(reach.map_or("apart".to_owned(), |reach| {
                format!("{:.4} ({})", reach.average_hops().as_f64(), reach.diameter)
            }));
            let same = |reference: &&std::collections::BTreeMap<&str, &str>| {
                reference["topology"] == row["topology"] && reference["failed_percent"] == percent.to_string()
            };
            let reference =
                table.iter().find(same).filter(|reference| !reference["avg_hops_mean"].is_empty());
            theirs.push(reference.map_or("apart".to_owned(), |reference| {
                format!(
                    "{} ({} to {})",
                    reference["avg_hops_mean"], reference["diameter_min"], reference["diameter_max"]
                )
            }));
        }
        let median = failures.median() as f64 / metrics.links as f64;
        println!(
            "| {} | {median:.3} | {} | {} | {} |",
            row["topology"],
            row["median_batches"],
            ours.join(", "),
            theirs.join(", ")
        );
    }
}
