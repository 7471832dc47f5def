//! Fields of `report.json`: each has a meaning, which `fabc explain` and the book show.

use fabc::emit::{ReportField, report_fields};
use serde_json::Value;
use std::fmt::Write;

/// Objects whose keys are names of faults, metrics, work or algorithms.
const NAMED: [&str; 4] = ["scenarios", "worst", "passes[].counters", "collectives[].curve[].times_ns"];

/// Every field of a report has a meaning.
pub(crate) fn refuse_unexplained(place: &str, value: &Value, path: &str) {
    match value {
        Value::Object(fields) => {
            for (name, value) in fields {
                let is_name = NAMED.contains(&path);
                let name = if is_name { "*" } else { name };
                let path = if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
                let is_known = report_fields().iter().any(|field| field.path == path);
                assert!(is_known || is_name, "{place}: `{path}` has no meaning");
                refuse_unexplained(place, value, &path);
            }
        }
        Value::Array(values) => {
            values.iter().for_each(|value| refuse_unexplained(place, value, &format!("{path}[]")));
        }
        _ => (),
    }
}

/// The meaning of a field as the page shows it. A metric has that of the language before its unit.
fn page_meaning(field: &ReportField) -> String {
    let meanings = if field.is_metric() { fabc::lsp::explain_word(&field.name()) } else { Vec::new() };
    match meanings.iter().find(|meaning| meaning.kind == "metric") {
        Some(metric) => format!("{}. {}", metric.meaning, field.meaning),
        None => field.meaning.clone(),
    }
}

/// Run `UPDATE_DOCS=1 cargo test --test it report_fields` to write the page.
#[test]
fn the_page_of_fields_is_up_to_date() {
    const PAGE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report_fields.md");
    let mut page = "\
# Fields of report.json

Every field of [`report.json`](artifacts.md#reportjson) with its meaning. `[]` is any entry of a list, and
`*` any name. `fabc explain tables.entries_mean` prints one of them, and the last name alone is enough. The
page is written from the schema of the report (`fabc schema report`).

| field | meaning |
|---|---|
"
    .to_owned();
    for field in report_fields() {
        writeln!(page, "| `{}` | {} |", field.path, page_meaning(field).replace('|', "\\|")).unwrap();
    }
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(PAGE, &page).unwrap();
    }
    let written = std::fs::read_to_string(PAGE).unwrap_or_default();
    assert_eq!(written, page, "UPDATE_DOCS=1 cargo test --test it report_fields writes {PAGE}");
}
