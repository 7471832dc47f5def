//! Writes estimates of several fabrics: text, `fabc.estimates/1`, CSV.

use super::figures::{PrintedUnit, exact_size};
use super::text::Columns;
use super::{csv, json};
use fabc_base::csv::cell;
use fabc_estimate::{EstimateRequest, EstimateRow, EstimateTable};
use serde_json::json;
use std::fmt::Write;

/// The fastest row of a table; `None` if it has only bounds.
fn fastest(table: &EstimateTable, bytes: u64) -> Option<&EstimateRow> {
    table
        .rows
        .iter()
        .min_by(|a, b| a.time(bytes as f64).total_ns().total_cmp(&b.time(bytes as f64).total_ns()))
}

/// A table per size for people, with the fabrics by the time of their fastest algorithm.
pub fn estimates_text(answers: &[(EstimateRequest, EstimateTable)], unit: PrintedUnit) -> String {
    let mut out = String::new();
    let Some((first, _)) = answers.first() else { return out };
    for &bytes in &first.sizes {
        let _ = writeln!(out, "{} of {} per chip, by fabric", first.question.kind.name(), exact_size(bytes));
        let mut rows: Vec<_> =
            answers.iter().map(|(request, table)| (request, table, fastest(table, bytes))).collect();
        let time =
            |row: Option<&EstimateRow>| row.map_or(f64::INFINITY, |row| row.time(bytes as f64).total_ns());
        rows.sort_by(|a, b| time(a.2).total_cmp(&time(b.2)));
        let heads = ["FABRIC", "chips", "fastest", "steps", "volume"].map(str::to_owned).into_iter();
        let times = ["latency", "volume", "total", "bound"].map(|part| format!("{part} {}", unit.name));
        let heads = heads.chain(times).chain(["busbw".to_owned()]).collect();
        let lines =
            rows.into_iter().map(|(request, table, row)| fabric_cells(request, table, row, bytes, unit));
        Columns { rows: [heads].into_iter().chain(lines).collect() }.print(&mut out);
        out.push('\n');
    }
    out.push_str("volume in vectors over a channel, steps in hops; busbw in GB/s; one fabric alone shows every algorithm");
    out
}

fn fabric_cells(
    request: &EstimateRequest,
    table: &EstimateTable,
    row: Option<&EstimateRow>,
    bytes: u64,
    unit: PrintedUnit,
) -> Vec<String> {
    let outer =
        request.question.outer.as_ref().map_or(String::new(), |outer| format!(" over {}", outer.shape));
    let size = bytes as f64;
    let bound = table.bounds.last().map_or("-".to_owned(), |bound| unit.format(bound.time(size).total_ns()));
    let mut cells = vec![format!("{}{outer}", request.question.shape), table.chips.to_string()];
    match row {
        None => cells.extend(["-", "-", "-", "-", "-", "-", &bound, "-"].map(str::to_owned)),
        Some(row) => {
            let (time, cost) = (row.time(size), row.cost());
            let busbw = size / time.total_ns() * request.question.bus_factor(table.chips);
            cells.extend([row.name.clone(), cost.steps.to_string(), format!("{:.4}", cost.volume)]);
            cells.extend([time.latency_ns, time.volume_ns, time.total_ns()].map(|ns| unit.format(ns)));
            cells.extend([bound, format!("{busbw:.2}")]);
        }
    }
    cells
}

/// All estimates as JSON (`fabc.estimates/1`), in the order of the request.
pub fn estimates_json(answers: &[(EstimateRequest, EstimateTable)]) -> String {
    let documents: Vec<_> = answers.iter().map(|(request, table)| json::document(request, table)).collect();
    serde_json::to_string_pretty(&json!({"format": "fabc.estimates/1", "estimates": documents}))
        .unwrap_or_default()
        + "\n"
}

/// The rows of all estimates as CSV, with the name of the fabric in the first column.
pub fn estimates_csv(answers: &[(EstimateRequest, EstimateTable)]) -> String {
    let mut out = format!("on,{}\n", csv::HEAD);
    for (request, table) in answers {
        for row in csv::csv_rows(request, table).lines() {
            let _ = writeln!(out, "{},{row}", cell(&request.question.shape.to_string()));
        }
    }
    out
}
