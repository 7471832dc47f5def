//! Writes the years of a pod for people.

use super::{
    LossCause, OperatedPolicy, OperatedYears, PartKind, PartRepairs, PolicyCounts, SampledMean, SwapTime,
    TableChanges, YearsRequest,
};
use crate::number::grouped;
use std::fmt::Write;

/// Milliseconds of an hour, and of a minute.
const HOUR_MS: f64 = 3_600_000.0;
const MINUTE_MS: f64 = 60_000.0;

/// The years of a pod as text.
pub fn operate_text(years: &OperatedYears) -> String {
    let mut out = head(years);
    push_repairs(&mut out, years);
    push_capacities(&mut out, years);
    push_losses(&mut out, years);
    push_counts(&mut out, years);
    push_kinds(&mut out, years);
    out
}

/// What was played, in lines without a heading.
pub(super) fn facts(years: &OperatedYears) -> Vec<String> {
    let YearsRequest { seeds, per_day, repair_ms, restart_ms, restock_ms, stock, host_chips, night, .. } =
        &years.request;
    let slices: u32 = years.kinds.iter().map(|kind| kind.slices).sum();
    let mut facts = vec![
        format!(
            "{} of {} cubes in {}, {} with each policy",
            years.in_slices,
            years.cubes,
            counted(u64::from(slices), "slice"),
            counted(u64::from(*seeds), "seed"),
        ),
        format!(
            "failures a day: {} of a host of {host_chips} chips, {} of a cable, {} of a switch",
            per_day.host, per_day.cable, per_day.ocs
        ),
        format!(
            "a repair takes {} h, a restart {} min",
            trimmed(*repair_ms as f64 / HOUR_MS),
            trimmed(*restart_ms as f64 / MINUTE_MS)
        ),
    ];
    let limited: Vec<String> = PartKind::ALL
        .into_iter()
        .filter_map(|kind| stock.get(kind).map(|count| format!("{count} for `{}`", kind.word())))
        .collect();
    if !limited.is_empty() {
        let restock = trimmed(*restock_ms as f64 / HOUR_MS);
        facts.push(format!("parts on stock: {}; an ordered part takes {restock} h", limited.join(", ")));
    }
    if years.policies.iter().any(|result| result.policy.swap == SwapTime::AtNight) {
        let time = |minutes: u32| format!("{:02}:{:02}", minutes / 60, minutes % 60);
        facts.push(format!("nights are from {} to {}", time(night.from), time(night.to)));
    }
    facts
}

fn head(years: &OperatedYears) -> String {
    let span = years.request.years();
    let unit = if span == "1" { "year" } else { "years" };
    let mut out = format!("{} over {span} {unit}\n", years.fabric);
    for fact in facts(years) {
        let _ = writeln!(out, "  {fact}");
    }
    out
}

fn counted(count: u64, noun: &str) -> String {
    format!("{} {noun}{}", grouped(count), if count == 1 { "" } else { "s" })
}

/// A number with at most two decimals.
pub(super) fn trimmed(value: f64) -> String {
    let text = format!("{value:.2}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

/// A mean with the half width of its interval.
pub(super) fn with_half(SampledMean { mean, half }: SampledMean, digits: usize) -> String {
    let half = half.map_or(String::new(), |half| format!(" ± {half:.digits$}"));
    format!("{mean:.digits$}{half}")
}

/// Pads a text to a width, by characters.
fn right(text: &str, width: usize) -> String {
    format!("{}{text}", " ".repeat(width.saturating_sub(text.chars().count())))
}

fn push_repairs(out: &mut String, years: &OperatedYears) {
    let _ = writeln!(
        out,
        "\n{:<22}{:>9}{:>9}{:>9}{:>18}{:>9}{:>9}",
        "TIME TO REPAIR, HOURS", "parts", "failed", "waited", "mean", "95 %", "longest"
    );
    for kind in PartKind::ALL {
        let PartRepairs { parts, failures, waited, mean_h, most_h, longest_h, .. } = *years.repairs.get(kind);
        let mean = mean_h.map_or("-".to_owned(), |mean| with_half(mean, 2));
        let _ = writeln!(
            out,
            "  {:<20}{:>9}{:>9}{:>9}{}{:>9}{:>9}",
            kind.word(),
            grouped(parts),
            grouped(failures),
            grouped(waited),
            right(&mean, 18),
            trimmed(most_h),
            trimmed(longest_h)
        );
    }
}

/// The number of a policy in the tables.
fn number(index: usize) -> String {
    format!("  {:<3}", index + 1)
}

fn push_capacities(out: &mut String, years: &OperatedYears) {
    let first = years.policies.first().and_then(|policy| policy.capacity.half);
    let _ = writeln!(
        out,
        "\n{:<64}{:>19}{:>11}{:>20}{:>9}",
        "POLICY",
        if first.is_some() { "capacity (95 %)" } else { "capacity" },
        "in formula",
        "more than 1",
        "worst"
    );
    for (index, result) in years.policies.iter().enumerate() {
        let closed_form = result.closed_form.map_or("-".to_owned(), |value| format!("{value:.4}"));
        let difference = result.difference.map_or("-".to_owned(), |mean| with_half(mean, 4));
        let _ = writeln!(
            out,
            "{}{:<59}{}{closed_form:>11}{}{:>9.4}",
            number(index),
            result.policy.to_string(),
            right(&with_half(result.capacity, 4), 19),
            right(&difference, 20),
            result.worst.capacity
        );
    }
}

fn push_losses(out: &mut String, years: &OperatedYears) {
    let _ = write!(out, "\n{:<9}", "LOST TO");
    for cause in LossCause::ALL {
        let _ = write!(out, "{:>12}", cause.word());
    }
    out.push('\n');
    for (index, result) in years.policies.iter().enumerate() {
        let _ = write!(out, "{:<9}", number(index));
        for lost in result.lost {
            let _ = write!(out, "{:>12.6}", lost.mean);
        }
        out.push('\n');
    }
}

/// The head of a column, and what it counts.
type CountColumn = (&'static str, fn(&PolicyCounts) -> u64);

/// The columns of counts, in their order.
const COUNTS: [CountColumn; 10] = [
    ("failures", |counts| counts.interruptions),
    ("swaps", |counts| counts.swaps),
    ("moves", |counts| counts.moves),
    ("covered", |counts| counts.tables.covered),
    ("local", |counts| counts.tables.local),
    ("full", |counts| counts.tables.full),
    ("new order", |counts| counts.tables.new_order),
    ("none", |counts| counts.tables.none),
    ("back", |counts| counts.tables.back),
    ("not live", |counts| counts.tables.not_live),
];

/// The counts of a policy in all its runs, by heads.
pub(super) fn counts(result: &OperatedPolicy) -> Vec<(&'static str, u64)> {
    COUNTS.iter().map(|(head, value)| (*head, value(&result.counts))).collect()
}

fn push_counts(out: &mut String, years: &OperatedYears) {
    let _ = write!(out, "\n{:<9}", "ALL RUNS");
    for (head, _) in COUNTS {
        let _ = write!(out, "{head:>11}");
    }
    out.push('\n');
    for (index, result) in years.policies.iter().enumerate() {
        let _ = write!(out, "{:<9}", number(index));
        for (_, count) in counts(result) {
            let _ = write!(out, "{:>11}", grouped(count));
        }
        out.push('\n');
    }
}

/// The capacity by kind of slice, where there are several.
fn push_kinds(out: &mut String, years: &OperatedYears) {
    if years.kinds.len() < 2 {
        return;
    }
    let _ = write!(out, "\n{:<9}", "BY KIND");
    for kind in &years.kinds {
        let _ = write!(out, "{}", right(&format!("{} ({})", kind.kind, kind.slices), 21));
    }
    out.push('\n');
    for (index, result) in years.policies.iter().enumerate() {
        let _ = write!(out, "{:<9}", number(index));
        for capacity in &result.kinds {
            let _ = write!(out, "{}", right(&with_half(*capacity, 4), 21));
        }
        out.push('\n');
    }
}

/// All counts of table changes together.
pub(super) fn table_changes(changes: &TableChanges) -> u64 {
    let TableChanges { covered, local, full, new_order, none: _, back, not_live: _ } = *changes;
    covered + local + full + new_order + back
}
