//! Reads the metrics of a report for other commands.

use fabc_model::Metric;
use serde_json::Value;

/// The metrics of a `report.json` by name: those of the healthy fabric, then those of the worst fault with
/// the prefix `fault.`. Both are in the order of the reports.
pub(crate) fn reported_metrics(report: &Value) -> Vec<(String, String)> {
    let mut metrics = Vec::new();
    for size in ["nodes", "endpoints", "links", "cubes"] {
        metrics.extend(number(&report[size]).map(|value| (size.to_owned(), value)));
    }
    // Flow is an interval. Its lower end is certified.
    let certified = |value: &Value| number(value).or_else(|| number(&value[0]));
    let places = [&report["metrics"], &report["network"], &report["floor"]];
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
