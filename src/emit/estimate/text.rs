//! An estimate for people.

use super::figures::{TimeUnit, about, exact, plain};
use fabc_estimate::{Ask, Channel, Crossover, Level, Row, Table, crossovers};
use std::collections::BTreeSet;
use std::fmt::Write;

/// Right-justified columns behind the first, as wide as they need to be.
pub(super) struct Columns {
    /// The heads first.
    pub(super) rows: Vec<Vec<String>>,
}

impl Columns {
    /// A line of a section under the heads of its columns.
    pub(super) fn print(&self, out: &mut String) {
        let widths: Vec<usize> = (0..self.rows.first().map_or(0, Vec::len))
            .map(|at| {
                self.rows
                    .iter()
                    .filter_map(|row| row.get(at))
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

/// The table of one size, or the curve of several; then what else the shape says.
pub fn estimate_text(asked: &Ask, table: &Table, unit: TimeUnit) -> String {
    let mut out = head(asked, table);
    match asked.sizes[..] {
        [bytes] if !asked.curve => one_size(&mut out, asked, table, bytes, unit),
        _ => curve(&mut out, asked, table, unit),
    }
    changes(&mut out, table);
    fabric(&mut out, asked);
    out.trim_end().to_owned()
}

/// What is asked, with every default.
fn head(asked: &Ask, table: &Table) -> String {
    let question = &asked.question;
    let sizes = match asked.sizes[..] {
        [bytes] => exact(bytes),
        [first, .., last] => format!("{} to {}", exact(first), exact(last)),
        [] => String::new(),
    };
    let over = question.over.as_ref();
    let groups =
        over.map_or(String::new(), |over| format!(", {} groups over {}", over.shape.chips(), over.shape));
    let mut out = format!(
        "{} of {sizes} per chip on {}{groups}: {} chips\n",
        question.kind.name(),
        question.shape,
        table.chips
    );
    let of_groups = if over.is_some() { " inside" } else { "" };
    let _ = writeln!(out, "  channels{of_groups}: {}", channel(&question.channel));
    if let Some(over) = over {
        let _ = writeln!(out, "  channels between groups: {}", channel(&over.channel));
    }
    if let Some(ns) = question.switch_ns {
        let _ = writeln!(out, "  the switch adds and copies in {} ns", plain(ns));
    }
    for (name, value) in [("skew", question.skew), ("oversubscription", asked.oversubscription)] {
        if value != 1.0 {
            let _ = writeln!(out, "  {name} {}", plain(value));
        }
    }
    out + "\n"
}

fn channel(channel: &Channel) -> String {
    let Channel { latency_ns, overhead_ns, bandwidth, derating } = channel;
    let mut text = format!(
        "{} ns a hop, {} ns a message, {} GB/s each way",
        plain(*latency_ns),
        plain(*overhead_ns),
        plain(*bandwidth)
    );
    if derating.latency != 1.0 || derating.bandwidth != 1.0 {
        let _ = write!(
            text,
            "; latency x {}, bandwidth x {}",
            plain(derating.latency),
            plain(derating.bandwidth)
        );
    }
    text
}

fn one_size(out: &mut String, asked: &Ask, table: &Table, bytes: u64, unit: TimeUnit) {
    let mut table = table.clone();
    table.sort(bytes as f64);
    let head = |first: &str| -> Vec<String> {
        let name = unit.name;
        let heads = ["links", "steps", "volume"].map(str::to_owned).into_iter();
        let times = ["latency", "volume", "total"].into_iter().map(|part| format!("{part} {name}"));
        let rest = ["algbw", "busbw", "even at"].map(str::to_owned);
        [first.to_owned()].into_iter().chain(heads).chain(times).chain(rest).collect()
    };
    let line = |row: &Row| -> Vec<String> {
        let (time, cost) = (row.time(bytes as f64), row.cost());
        let algbw = bytes as f64 / time.total_ns();
        let bus = algbw * asked.question.bus_factor(table.chips);
        let even = about(row.even_bytes());
        vec![
            row.name.clone(),
            row.links.name().to_owned(),
            cost.steps.to_string(),
            format!("{:.4}", cost.volume),
            unit.of(time.latency_ns),
            unit.of(time.volume_ns),
            unit.of(time.total_ns()),
            format!("{algbw:.2}"),
            format!("{bus:.2}"),
            even,
        ]
    };
    let bound_at = table.rows.len() + 1;
    let rows = [head("ALGORITHM")]
        .into_iter()
        .chain(table.rows.iter().map(line))
        .chain([head("BOUND")])
        .chain(table.bounds.iter().map(line));
    let mut text = String::new();
    Columns { rows: rows.collect() }.print(&mut text);
    // The second head stands at the margin, like the first.
    for (at, line) in text.lines().enumerate() {
        match at == bound_at {
            _ if at == 0 && table.rows.is_empty() => {}
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
    let mut told = BTreeSet::new();
    for phase in table.rows.iter().chain(&table.bounds).flat_map(|row| &row.phases) {
        let level =
            if asked.question.over.is_some() { format!("{} ", phase.level.name()) } else { String::new() };
        let line = format!("  {level}{}: {}", phase.algorithm.name, phase.algorithm.what);
        if told.insert(line.clone()) {
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

fn curve(out: &mut String, asked: &Ask, table: &Table, unit: TimeUnit) {
    let rows = || table.rows.iter().chain(&table.bounds);
    let head = [format!("TIME {}", unit.name)]
        .into_iter()
        .chain(rows().map(|row| row.name.clone()))
        .chain(["fastest".to_owned()]);
    let mut lines = vec![head.collect::<Vec<_>>()];
    for &bytes in &asked.sizes {
        let times: Vec<f64> = rows().map(|row| row.time(bytes as f64).total_ns()).collect();
        let fastest =
            table.rows.iter().zip(&times).min_by(|a, b| a.1.total_cmp(b.1)).map_or("-", |(row, _)| &row.name);
        lines.push(
            [exact(bytes)]
                .into_iter()
                .chain(times.iter().map(|&ns| unit.of(ns)))
                .chain([fastest.to_owned()])
                .collect(),
        );
    }
    Columns { rows: lines }.print(out);
    out.push('\n');
}

/// Where rows change places.
fn changes(out: &mut String, table: &Table) {
    let found = crossovers(&table.rows);
    if table.rows.len() < 2 {
        return;
    }
    out.push_str("CROSSOVERS\n");
    if found.is_empty() {
        out.push_str("  none: the order is the same at every size\n");
    }
    for Crossover { bytes, below, above, fastest } in found {
        let [below, above] = [below, above].map(|at| &table.rows[at].name);
        let first = if fastest { ", and is the fastest" } else { "" };
        let _ = writeln!(out, "  above {}  {above} passes {below}{first}", about(bytes));
    }
    out.push('\n');
}

fn fabric(out: &mut String, asked: &Ask) {
    let question = &asked.question;
    let inner = [(&question.shape, Level::Inner)].into_iter();
    for (shape, level) in inner.chain(question.over.as_ref().map(|over| (&over.shape, Level::Outer))) {
        let _ = writeln!(out, "FABRIC {shape}");
        let above = question.over.is_none() || level == Level::Outer;
        for quantity in shape.quantities(if above { asked.oversubscription } else { 1.0 }) {
            let _ = writeln!(out, "  {:>10}  {}", plain(quantity.value), quantity.what);
        }
    }
}
