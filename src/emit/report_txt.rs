//! `report.txt`: what the terminal shows. Fixed width, at most 100 columns.

use super::json::push;
use super::number::grouped;
use super::report_json::require_text;
use super::summary::{self, MetricRow, percent, quotient4, ratio4, readable};
use crate::compiled::Compiled;
use crate::ir::worst;
use crate::model::Metric;

/// The widest line.
const WIDTH: usize = 100;

/// The report as the terminal shows it, and as `report.txt` keeps it.
pub fn terminal_report(compiled: &Compiled) -> String {
    let fabric = &compiled.fabric;
    let mut out = String::new();
    push_wrapped(&mut out, "", &fabric.name);
    let lines = [summary::links_line(compiled), summary::choices_line(compiled), summary::proof_line(compiled)];
    for line in
        summary::plant_lines(compiled).into_iter().chain(lines).chain(summary::demand_line(fabric)).chain(summary::gain_line(compiled))
    {
        push_wrapped(&mut out, "  ", &line);
    }
    push_metrics(&mut out, compiled);
    push_faults(&mut out, compiled);
    push_requires(&mut out, compiled);
    push_passes(&mut out, compiled);
    out
}

fn push_title(out: &mut String, title: &str, rest: &str) {
    push(out, format_args!("\n{}\n", format!("{title:<16}{rest}").trim_end()));
}

fn push_metrics(out: &mut String, compiled: &Compiled) {
    let nominal = &compiled.scenarios[0].metrics;
    push_title(out, "METRICS", &format!("  {:>12}  {:>14}  {:>8}", "value", "bound", "ratio"));
    for MetricRow { name, value, bound, ratio, note } in summary::metric_rows(compiled) {
        let value = if value.is_empty() { "not routed" } else { &value };
        let ratio = ratio.map_or(String::new(), ratio4);
        push_clipped(out, format!("  {name:<16}{value:>12}  {bound:>14}  {ratio:>8}  {note}"));
    }
    let share = percent(nominal.flow_low.over(nominal.distance_bound()));
    let distance = super::number::round_up_sig(nominal.distance_bound(), 6);
    push_clipped(out, format!("  distance bound on concurrent_flow: <= {distance}; the certified lower end reaches {share} of it"));
    if let Some(note) = summary::trees_note(compiled) {
        push_wrapped(out, "  ", &format!("disjoint trees: {note}"));
    }
    if let Some(line) = summary::limit_line(compiled) {
        push_wrapped(out, "  ", &line);
    }
    if let Some(walk) = &nominal.routed {
        let mean = walk.entries_total as f64 / nominal.nodes as f64;
        push_clipped(out, format!("  table entries per router: {mean:.1} on average, {} at most", grouped(walk.entries_max)));
    }
}

fn push_faults(out: &mut String, compiled: &Compiled) {
    let all = compiled.metrics();
    let faults = all.len() - 1;
    if compiled.fabric.budget.faults.is_none() {
        return;
    }
    if faults == 0 {
        return push_title(out, "FAULTS", "  not measured: the build stopped before routing");
    }
    push_title(out, "FAULTS", &format!("  {:>12}  {:>14}  {:>8}  scenario", "nominal", "worst", "ratio"));
    for metric in Metric::ALL {
        // Without tables a fault has no certified flow: nothing to show.
        let found = worst(&all, metric).filter(|(value, _)| !value.is_zero() || metric == Metric::DisjointTrees);
        let Some(((value, scenario), nominal)) = found.zip(all[0].value(metric)) else { continue };
        let (name, before, after) = (metric.name(), readable(metric, nominal), readable(metric, value));
        push_clipped(out, format!("  {name:<16}{before:>12}  {after:>14}  {:>8}  {scenario}", quotient4(value, nominal)));
    }
    let plural = if faults == 1 { "" } else { "s" };
    push_clipped(out, format!("  {} fault scenario{plural} measured, each with tables of its own", grouped(faults as u64)));
    if let Some(line) = summary::stands_for(compiled) {
        push_clipped(out, format!("  {line}"));
    }
}

fn push_requires(out: &mut String, compiled: &Compiled) {
    if compiled.requires.is_empty() {
        return;
    }
    push_title(out, "REQUIRES", "");
    let width = compiled.requires.iter().map(|outcome| require_text(outcome).chars().count()).max().unwrap_or(0).min(56);
    for outcome in &compiled.requires {
        let mark = match outcome.holds() {
            Some(true) => "ok",
            Some(false) => "FAILED",
            None => "unknown",
        };
        let measured = summary::measured(outcome).unwrap_or("not measured".to_owned());
        let at = outcome.scenario.as_ref().map_or(String::new(), |scenario| format!("  {scenario}"));
        push_clipped(out, format!("  {mark:<9}{:<width$}  {measured:>12}{at}", require_text(outcome)));
    }
}

fn push_passes(out: &mut String, compiled: &Compiled) {
    if compiled.passes.is_empty() {
        return;
    }
    push_title(out, "PASSES", "  stopped by  work");
    for pass in &compiled.passes {
        let counters: Vec<String> = pass.counters.iter().map(|(name, count)| format!("{name} {}", grouped(*count))).collect();
        push_wrapped(out, &format!("  {:<14}  {:<10}  ", pass.name, pass.stopped_by), &counters.join(", "));
        for note in &pass.notes {
            push_wrapped(out, &" ".repeat(18), note);
        }
    }
}

/// The words of `text` after `first`, further lines indented as deep.
fn push_wrapped(out: &mut String, first: &str, text: &str) {
    let indent = first.chars().count();
    let mut line = first.to_owned();
    let mut fresh = true;
    for word in text.split(' ') {
        if !fresh && line.chars().count() + 1 + word.chars().count() > WIDTH {
            push_clipped(out, line);
            line = " ".repeat(indent);
            fresh = true;
        }
        if !fresh {
            line.push(' ');
        }
        line.push_str(word);
        fresh = false;
    }
    push_clipped(out, line);
}

/// One line; what a very long name pushes beyond the width is cut.
fn push_clipped(out: &mut String, line: String) {
    let line = line.trim_end();
    if line.chars().count() > WIDTH {
        out.extend(line.chars().take(WIDTH - 2));
        out.push_str("..");
    } else {
        out.push_str(line);
    }
    out.push('\n');
}
