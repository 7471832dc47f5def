//! The metrics of a report, as other commands tell them.

use fabc_model::Metric;
use serde_json::Value;

/// The metrics of a `report.json`: of the healthy fabric, then of the worst fault (`fault.` before the name),
/// each in the order of the reports.
pub(crate) fn metrics(report: &Value) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for size in ["nodes", "endpoints", "links", "cubes"] {
        found.extend(number(&report[size]).map(|value| (size.to_owned(), value)));
    }
    // Flow is an interval: what is certified is its lower end.
    let certified = |value: &Value| number(value).or_else(|| number(&value[0]));
    let places = [&report["metrics"], &report["network"], &report["floor"]];
    let names: Vec<&str> = Metric::every().map(Metric::name).collect();
    for name in &names {
        let value = places.iter().find_map(|place| certified(&place[*name]));
        if let Some(value) = value.filter(|_| !found.iter().any(|(known, _)| known == name)) {
            found.push(((*name).to_owned(), value));
        }
    }
    let worst = names
        .iter()
        .filter_map(|name| Some((format!("fault.{name}"), certified(&report["worst"][*name]["value"])?)));
    found.extend(worst.collect::<Vec<_>>());
    found
}

fn number(value: &Value) -> Option<String> {
    value.as_number().map(ToString::to_string)
}
