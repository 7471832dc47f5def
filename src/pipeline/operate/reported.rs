//! Reads the metrics of a report for other commands.

use fabc_model::Metric;
use serde_json::Value;

/// The sizes at the head of a report.
pub const SIZES: [&str; 4] = ["nodes", "endpoints", "links", "cubes"];

/// The metrics of a collective that tables show.
pub const COLLECTIVE_COLUMNS: [&str; 3] = ["time", "share", "bandwidth"];

/// The figures of the collectives of a `report.json`, healthy: `NAME.time` in ns, `NAME.share` of the bound,
/// `NAME.bandwidth` in GB/s.
pub fn reported_collectives(report: &Value) -> Vec<(String, String)> {
    let collectives = report["collectives"].as_array().map_or(&[][..], Vec::as_slice);
    let figures = collectives.iter().flat_map(|collective| {
        let name = collective["name"].as_str().unwrap_or_default();
        COLLECTIVE_COLUMNS.into_iter().filter_map(move |metric| {
            let field = if metric == "time" { "time_ns" } else { metric };
            Some((format!("{name}.{metric}"), number(&collective[field])?))
        })
    });
    figures.collect()
}

/// The metrics of a `report.json` by name: those of the healthy fabric, then those of the worst fault with
/// the prefix `fault.`. Both are in the order of the reports.
pub fn reported_metrics(report: &Value) -> Vec<(String, String)> {
    let mut metrics = Vec::new();
    for size in SIZES {
        metrics.extend(number(&report[size]).map(|value| (size.to_owned(), value)));
    }
    // Flow is an interval. Its lower end is certified.
    let certified = |value: &Value| number(value).or_else(|| number(&value[0]));
    let network = &report["network"];
    let places = [
        &report["metrics"],
        network,
        &network["hardware"],
        &report["hardware"],
        &network["floor"],
        &report["floor"],
    ];
    let names: Vec<&str> = Metric::every().map(Metric::name).collect();
    for name in &names {
        let value = places.iter().find_map(|place| certified(&place[*name]));
        if let Some(value) = value.filter(|_| !metrics.iter().any(|(known, _)| known == name)) {
            metrics.push(((*name).to_owned(), value));
        }
    }
    let worst = names
        .iter()
        .filter_map(|name| Some((format!("fault.{name}"), certified(&report["worst"][*name]["value"])?)));
    metrics.extend(worst.collect::<Vec<_>>());
    metrics
}

fn number(value: &Value) -> Option<String> {
    value.as_number().map(ToString::to_string)
}
