//! Writes an estimate for people.

use super::figures::{PrintedUnit, approximate_size, exact_size, without_zeros};
use fabc_estimate::{
    Channel, Crossover, EstimateRequest, EstimateRow, EstimateTable, NetworkLevel, crossovers,
};
use std::collections::BTreeSet;
use std::fmt::Write;

/// A table with a left-justified first column and right-justified others.
pub(in super::super) struct Columns {
    /// The rows. The first holds the heads.
    pub(in super::super) rows: Vec<Vec<String>>,
}

impl Columns {
    /// Writes the table. Rows are indented below their heads.
    pub(in super::super) fn print(&self, out: &mut String) {
        let widths: Vec<usize> = (0..self.rows.first().map_or(0, Vec::len))
            .map(|column| {
                self.rows
                    .iter()
                    .filter_map(|row| row.get(column))
                    .map(|cell| cell.chars().count())
                    .max()
                    .unwrap_or(0)
            })
            .collect();
        for (line, row) in self.rows.iter().enumerate() {
            let indent = if line == 0 { "" } else { "  " };
            let first = widths[0] + 2 - indent.len();
            let mut text = format!("{indent}{:first$}", row[0]);
            for (cell, width) in row.iter().zip(&widths).skip(1) {
                let _ = write!(text, "  {cell:>width$}");
            }
            let _ = writeln!(out, "{}", text.trim_end());
        }
    }
}

/// The table of one size, or the curve of several sizes. Then the crossovers and the quantities of the
/// shapes.
pub fn estimate_text(request: &EstimateRequest, table: &EstimateTable, unit: PrintedUnit) -> String {
    let mut out = heading(request, table);
    match request.sizes[..] {
        [bytes] if !request.curve => push_one_size(&mut out, request, table, bytes, unit),
        _ => push_curve(&mut out, request, table, unit),
    }
    push_crossovers(&mut out, table);
    push_shapes(&mut out, request);
    out.trim_end().to_owned()
}

/// The question with every default.
fn heading(request: &EstimateRequest, table: &EstimateTable) -> String {
    let question = &request.question;
    let sizes = match request.sizes[..] {
        [bytes] => exact_size(bytes),
        [first, .., last] => format!("{} to {}", exact_size(first), exact_size(last)),
        [] => String::new(),
    };
    let outer = question.outer.as_ref();
    let groups =
        outer.map_or(String::new(), |outer| format!(", {} groups over {}", outer.shape.chips(), outer.shape));
    let mut out = format!(
        "{} of {sizes} per chip on {}{groups}: {} chips\n",
        question.kind.name(),
        question.shape,
        table.chips
    );
    let inside = if outer.is_some() { " inside" } else { "" };
    let _ = writeln!(out, "  channels{inside}: {}", channel(&question.channel, &question.latencies_ns));
    if let Some(outer) = outer {
        let _ = writeln!(out, "  channels between groups: {}", channel(&outer.channel, &outer.latencies_ns));
    }
    if let Some(ns) = question.switch_ns {
        let _ = writeln!(out, "  the switch adds and copies in {} ns", without_zeros(ns));
    }
    if let Some(ns) = outer.and_then(|outer| outer.switch_ns) {
        let _ = writeln!(out, "  the switch between groups adds and copies in {} ns", without_zeros(ns));
    }
    for (name, value) in [("skew", question.skew), ("oversubscription", request.oversubscription)] {
        if value != 1.0 {
            let _ = writeln!(out, "  {name} {}", without_zeros(value));
        }
    }
    out + "\n"
}

fn channel(channel: &Channel, latencies_ns: &[f64]) -> String {
    let Channel { latency_ns, overhead_ns, bandwidth, derating } = channel;
    let hops = match latencies_ns {
        [] => format!("{} ns a hop", without_zeros(*latency_ns)),
        _ => {
            let by_axis: Vec<String> = latencies_ns.iter().map(|&ns| without_zeros(ns)).collect();
            format!("{} ns a hop by axis", by_axis.join(", "))
        }
    };
    let mut text = format!(
        "{hops}, {} ns a message, {} GB/s each way",
        without_zeros(*overhead_ns),
        without_zeros(*bandwidth)
    );
    if derating.latency != 1.0 || derating.bandwidth != 1.0 {
        let _ = write!(
            text,
            "; latency x {}, bandwidth x {}",
            without_zeros(derating.latency),
            without_zeros(derating.bandwidth)
        );
    }
    text
}

fn push_one_size(
    out: &mut String,
    request: &EstimateRequest,
    table: &EstimateTable,
    bytes: u64,
    unit: PrintedUnit,
) {
    let mut table = table.clone();
    table.sort(bytes as f64);
    let head = |first: &str| -> Vec<String> {
        let name = unit.name;
        let heads = ["links", "steps", "volume"].map(str::to_owned).into_iter();
        let times = ["latency", "volume", "total"].into_iter().map(|part| format!("{part} {name}"));
        let rest = ["algbw", "busbw", "even at"].map(str::to_owned);
        [first.to_owned()].into_iter().chain(heads).chain(times).chain(rest).collect()
    };
    let line = |row: &EstimateRow| -> Vec<String> {
        let (time, cost) = (row.time(bytes as f64), row.cost());
        let algbw = bytes as f64 / time.total_ns();
        let bus = algbw * request.question.bus_factor(table.chips);
        let even = approximate_size(row.even_bytes());
        vec![
            row.name.clone(),
            row.links.name().to_owned(),
            cost.steps.to_string(),
            format!("{:.4}", cost.volume),
            unit.format(time.latency_ns),
            unit.format(time.volume_ns),
            unit.format(time.total_ns()),
            format!("{algbw:.2}"),
            format!("{bus:.2}"),
            even,
        ]
    };
    let bound_index = table.rows.len() + 1;
    let rows = [head("ALGORITHM")]
        .into_iter()
        .chain(table.rows.iter().map(line))
        .chain([head("BOUND")])
        .chain(table.bounds.iter().map(line));
    let mut text = String::new();
    Columns { rows: rows.collect() }.print(&mut text);
    // The second heading starts at the margin, like the first.
    for (index, line) in text.lines().enumerate() {
        match index == bound_index {
            _ if index == 0 && table.rows.is_empty() => {}
            true => {
                let gap = if table.rows.is_empty() { "" } else { "\n" };
                let _ = writeln!(out, "{gap}{}", line.replacen("  BOUND", "BOUND  ", 1));
            }
            false => {
                let _ = writeln!(out, "{line}");
            }
        }
    }
    out.push_str("  volume in vectors over a channel, steps in hops; algbw and busbw in GB/s; even at: latency = volume\n\nHOW\n");
    let mut described = BTreeSet::new();
    for phase in table.rows.iter().chain(&table.bounds).flat_map(|row| &row.phases) {
        let level =
            if request.question.outer.is_some() { format!("{} ", phase.level.name()) } else { String::new() };
        let line = format!("  {level}{}: {}", phase.algorithm.name, phase.algorithm.description);
        if described.insert(line.clone()) {
            let _ = writeln!(out, "{line}");
        }
    }
    for row in table.rows.iter().filter(|row| table.is_below_the_bound(row, bytes as f64)) {
        let _ = writeln!(
            out,
            "  {} comes out below the bound, which counts every hop: no schedule of steps is as fast",
            row.name
        );
    }
    out.push('\n');
}

fn push_curve(out: &mut String, request: &EstimateRequest, table: &EstimateTable, unit: PrintedUnit) {
    let rows = || table.rows.iter().chain(&table.bounds);
    let head = [format!("TIME {}", unit.name)]
        .into_iter()
        .chain(rows().map(|row| row.name.clone()))
        .chain(["fastest".to_owned()]);
    let mut lines = vec![head.collect::<Vec<_>>()];
    for &bytes in &request.sizes {
        let times: Vec<f64> = rows().map(|row| row.time(bytes as f64).total_ns()).collect();
        let fastest =
            table.rows.iter().zip(&times).min_by(|a, b| a.1.total_cmp(b.1)).map_or("-", |(row, _)| &row.name);
        lines.push(
            [exact_size(bytes)]
                .into_iter()
                .chain(times.iter().map(|&ns| unit.format(ns)))
                .chain([fastest.to_owned()])
                .collect(),
        );
    }
    Columns { rows: lines }.print(out);
    out.push('\n');
}

/// Writes the sizes at which two rows change places.
fn push_crossovers(out: &mut String, table: &EstimateTable) {
    let crossovers = crossovers(&table.rows);
    if table.rows.len() < 2 {
        return;
    }
    out.push_str("CROSSOVERS\n");
    if crossovers.is_empty() {
        out.push_str("  none: the order is the same at every size\n");
    }
    for Crossover { bytes, below, above, fastest } in crossovers {
        let [below, above] = [below, above].map(|index| &table.rows[index].name);
        let first = if fastest { ", and is the fastest" } else { "" };
        let _ = writeln!(out, "  above {}  {above} passes {below}{first}", approximate_size(bytes));
    }
    out.push('\n');
}

fn push_shapes(out: &mut String, request: &EstimateRequest) {
    let question = &request.question;
    let inner = [(&question.shape, NetworkLevel::Inner)].into_iter();
    for (shape, level) in
        inner.chain(question.outer.as_ref().map(|outer| (&outer.shape, NetworkLevel::Outer)))
    {
        let _ = writeln!(out, "FABRIC {shape}");
        let above = question.outer.is_none() || level == NetworkLevel::Outer;
        for quantity in shape.quantities(if above { request.oversubscription } else { 1.0 }) {
            let _ = writeln!(out, "  {:>10}  {}", without_zeros(quantity.value), quantity.description);
        }
    }
}
