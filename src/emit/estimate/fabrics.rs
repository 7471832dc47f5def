//! Several fabrics side by side: text, `fabc.estimates/1`, CSV.

use super::figures::{TimeUnit, exact};
use super::text::Columns;
use super::{csv, json};
use fabc_base::csv::cell;
use fabc_estimate::{Ask, Row, Table};
use serde_json::json;
use std::fmt::Write;

/// The fastest row of an answer, if it has any.
fn fastest(table: &Table, bytes: u64) -> Option<&Row> {
    table
        .rows
        .iter()
        .min_by(|a, b| a.time(bytes as f64).total_ns().total_cmp(&b.time(bytes as f64).total_ns()))
}

/// By every size, the fabrics by the time of their fastest algorithm.
pub fn estimates_text(answers: &[(Ask, Table)], unit: TimeUnit) -> String {
    let mut out = String::new();
    let Some((first, _)) = answers.first() else { return out };
    for &bytes in &first.sizes {
        let _ = writeln!(out, "{} of {} per chip, by fabric", first.question.kind.name(), exact(bytes));
        let mut rows: Vec<_> =
            answers.iter().map(|(asked, table)| (asked, table, fastest(table, bytes))).collect();
        let time = |row: Option<&Row>| row.map_or(f64::INFINITY, |row| row.time(bytes as f64).total_ns());
        rows.sort_by(|a, b| time(a.2).total_cmp(&time(b.2)));
        let heads = ["FABRIC", "chips", "fastest", "steps", "volume"].map(str::to_owned).into_iter();
        let times = ["latency", "volume", "total", "bound"].map(|part| format!("{part} {}", unit.name));
        let heads = heads.chain(times).chain(["busbw".to_owned()]).collect();
        let lines = rows.into_iter().map(|(asked, table, row)| line(asked, table, row, bytes, unit));
        Columns { rows: [heads].into_iter().chain(lines).collect() }.print(&mut out);
        out.push('\n');
    }
    out.push_str("volume in vectors over a channel, steps in hops; busbw in GB/s; one fabric alone shows every algorithm");
    out
}

fn line(asked: &Ask, table: &Table, row: Option<&Row>, bytes: u64, unit: TimeUnit) -> Vec<String> {
    let over = asked.question.over.as_ref().map_or(String::new(), |over| format!(" over {}", over.shape));
    let size = bytes as f64;
    let bound = table.bounds.last().map_or("-".to_owned(), |bound| unit.of(bound.time(size).total_ns()));
    let mut cells = vec![format!("{}{over}", asked.question.shape), table.chips.to_string()];
    match row {
        None => cells.extend(["-", "-", "-", "-", "-", "-", &bound, "-"].map(str::to_owned)),
        Some(row) => {
            let (time, cost) = (row.time(size), row.cost());
            let busbw = size / time.total_ns() * asked.question.bus_factor(table.chips);
            cells.extend([row.name.clone(), cost.steps.to_string(), format!("{:.4}", cost.volume)]);
            cells.extend([time.latency_ns, time.volume_ns, time.total_ns()].map(|ns| unit.of(ns)));
            cells.extend([bound, format!("{busbw:.2}")]);
        }
    }
    cells
}

/// Every answer whole, in the order of the question.
pub fn estimates_json(answers: &[(Ask, Table)]) -> String {
    let all: Vec<_> = answers.iter().map(|(asked, table)| json::document(asked, table)).collect();
    serde_json::to_string_pretty(&json!({"format": "fabc.estimates/1", "estimates": all})).unwrap_or_default()
        + "\n"
}

/// The rows of every answer behind the name of its fabric.
pub fn estimates_csv(answers: &[(Ask, Table)]) -> String {
    let mut out = format!("on,{}\n", csv::HEAD);
    for (asked, table) in answers {
        for row in csv::rows(asked, table).lines() {
            let _ = writeln!(out, "{},{row}", cell(&asked.question.shape.to_string()));
        }
    }
    out
}
