//! Writes a report on collectives for people: one table, then notes, bounds, crossovers and faults.

use super::super::estimate::exact_size;
use super::super::number::fixed;
use super::json::reduction_note;
use super::{microseconds, nanoseconds};
use fabc_ir::{
    CollectiveBound, CollectiveCandidate, CollectiveCost, CollectiveReport, CollectiveRow, Fraction,
};
use fabc_model::{Collective, CollectiveAlgorithm};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The report for people. Of several scenarios it shows the first one, and the worst of the others.
pub fn collectives_text(fabric: &str, report: &CollectiveReport) -> String {
    let mut out = String::new();
    let (Some((scenario, cost)), Some(first)) = (report.costs.first(), report.rows.first()) else {
        return out;
    };
    let rows: Vec<&CollectiveRow> = report.rows.iter().filter(|row| row.scenario == *scenario).collect();
    let groups = if report.groups.is_some() { "groups of " } else { "" };
    let _ = writeln!(out, "collectives on {fabric}, {scenario}: {groups}{} chips", first.chips);
    push_channels(&mut out, cost);
    let heads = [
        "COLLECTIVE",
        "size",
        "algorithm",
        "chunks",
        "steps",
        "time us",
        "volume us",
        "bound us",
        "share",
        "busbw GB/s",
    ];
    let mut table = vec![heads.map(str::to_owned).to_vec()];
    for row in &rows {
        table.extend(
            row.candidates
                .iter()
                .enumerate()
                .map(|(index, candidate)| candidate_cells(row, candidate, index == 0)),
        );
    }
    push_table(&mut out, &table);
    if let Some(root) = &first.root {
        let _ = writeln!(out, "\nthe root is {root}");
    }
    push_notes(&mut out, report, &rows, cost.flit_bytes);
    push_bounds(&mut out, &rows);
    push_crossovers(&mut out, report);
    push_worst_faults(&mut out, report, &rows);
    out.trim_end().to_owned()
}

/// Writes the costs of a channel.
fn push_channels(out: &mut String, cost: &CollectiveCost) {
    let bandwidth = fixed(Fraction::new(cost.bandwidth_bps, 8_000_000_000u64), 3);
    let bandwidth = bandwidth.trim_end_matches('0').trim_end_matches('.');
    let overhead = if cost.overhead > 0 {
        format!(", {} ns of overhead per message", nanoseconds(cost.overhead))
    } else {
        String::new()
    };
    let lanes = if cost.lanes > 1 { format!("up to {} lanes of ", cost.lanes) } else { String::new() };
    let are_alike = cost.least_hop() == cost.hop;
    let _ = writeln!(
        out,
        "  channels of {lanes}{bandwidth} GB/s, {} ns a hop ({} cycles{}: router and `{}`, the slowest link){overhead}",
        if are_alike {
            nanoseconds(cost.hop)
        } else {
            format!("{} to {}", nanoseconds(cost.least_hop()), nanoseconds(cost.hop))
        },
        cost.hop_cycles,
        if are_alike { "" } else { " at most" },
        cost.slowest_link
    );
    let _ = writeln!(
        out,
        "  {}; additions take no time\n",
        if cost.barrier { "a barrier after every step" } else { "no barriers" }
    );
}

/// Writes reduced chunks, small shards, and collectives or algorithms that were not tried.
fn push_notes(out: &mut String, report: &CollectiveReport, rows: &[&CollectiveRow], flit_bytes: u32) {
    let mut notes: Vec<String> = rows
        .iter()
        .flat_map(|row| {
            row.candidates.iter().filter_map(|candidate| reduction_note(row, candidate, flit_bytes))
        })
        .collect();
    let small = |row: &&&CollectiveRow| {
        !row.collective.is_rooted() && row.size / row.chips.max(1) < u64::from(flit_bytes)
    };
    if rows.iter().any(|row| small(&row)) {
        notes.push(format!(
            "a shard of the smallest size is less than a flit of {flit_bytes} B; padding is not counted"
        ));
    }
    for row in rows {
        let note = |algorithm: &CollectiveAlgorithm| {
            let name = algorithm.name();
            if *algorithm == CollectiveAlgorithm::Within {
                return format!(
                    "{}: {name} is impossible here: `--algorithm {name}` says why",
                    row.collective.name()
                );
            }
            format!(
                "{}: {name} would take long here and was not tried: add `--algorithm {name}`",
                row.collective.name()
            )
        };
        notes.extend(row.left_out.iter().map(note));
    }
    if report.has_switch_arithmetic {
        notes.push(
            "no schedule here uses that switches copy or add (`multicast`, `reduce`), and no share counts it"
                .to_owned(),
        );
    }
    notes.extend(report.left_out.iter().map(|left| format!("{}: {}", left.collective.name(), left.reason)));
    let mut seen = BTreeSet::new();
    notes.retain(|note| seen.insert(note.clone()));
    if !notes.is_empty() {
        out.push_str("\nNOTES\n");
        push_indented(out, &notes);
    }
}

/// Writes the reasons for the bounds, each once.
fn push_bounds(out: &mut String, rows: &[&CollectiveRow]) {
    out.push_str("\nBOUNDS\n");
    let mut lines: Vec<String> = rows
        .iter()
        .map(|row| {
            format!("{}: {}", row.collective.name(), bound_reason(row.collective, &row.witness, "chip"))
        })
        .collect();
    let relative = rows.iter().filter_map(|row| Some((row, row.along.as_ref()?)));
    lines.extend(relative.map(|(row, (_, bound))| {
        let alone = match bound {
            CollectiveBound::Inside { .. } => "within the groups alone",
            _ => "along these tables alone",
        };
        format!("{}, {alone}: {}", row.collective.name(), bound_reason(row.collective, bound, "chip"))
    }));
    let adding = rows.iter().filter_map(|row| Some((row, row.with_switches.as_ref()?)));
    lines.extend(adding.map(|(row, (time, bound))| {
        format!(
            "{} of {}, with arithmetic in switches: {} us: {}",
            row.collective.name(),
            exact_size(row.size),
            microseconds(*time),
            bound_reason(row.collective, bound, "chip")
        )
    }));
    let mut seen = BTreeSet::new();
    lines.retain(|line| seen.insert(line.clone()));
    push_indented(out, &lines);
}

/// Writes the sizes at which the fastest algorithm changes.
fn push_crossovers(out: &mut String, report: &CollectiveReport) {
    if !report.crossovers.is_empty() {
        out.push_str("\nCROSSOVERS\n");
        for crossover in &report.crossovers {
            let (name, below, above) =
                (crossover.collective.name(), crossover.below.name(), crossover.above.name());
            let _ = writeln!(
                out,
                "  {name}: {below} below {}, {above} from there on",
                super::super::estimate::approximate_size(crossover.size as f64)
            );
        }
    }
}

/// Writes the worst fault of every collective.
fn push_worst_faults(out: &mut String, report: &CollectiveReport, rows: &[&CollectiveRow]) {
    let worst: Vec<(&&CollectiveRow, &CollectiveRow)> =
        rows.iter().filter_map(|row| Some((row, report.worst_fault(row)?))).collect();
    if !worst.is_empty() {
        let _ = writeln!(out, "\nFAULTS (the worst of {})", report.costs.len() - 1);
        for (row, worst) in worst {
            let (best, slower) =
                (worst.best(), Fraction::new(worst.best().time.total(), row.best().time.total().max(1)));
            let _ = writeln!(
                out,
                "  {} of {} without {}: {} us by {}, {} times as long; bound {} us",
                row.collective.name(),
                exact_size(row.size),
                worst.scenario,
                microseconds(best.time.total()),
                best.algorithm.name(),
                fixed(slower, 3),
                microseconds(worst.bound)
            );
        }
    }
}

fn push_indented(out: &mut String, lines: &[String]) {
    for line in lines {
        let _ = writeln!(out, "  {line}");
    }
}

fn candidate_cells(row: &CollectiveRow, candidate: &CollectiveCandidate, first: bool) -> Vec<String> {
    let first_only = |text: String| if first { text } else { String::new() };
    vec![
        first_only(row.collective.name().to_owned()),
        first_only(exact_size(row.size)),
        candidate.algorithm.name().to_owned(),
        candidate.chunks.to_string(),
        candidate.steps.to_string(),
        microseconds(candidate.time.total()),
        microseconds(candidate.time.volume),
        first_only(microseconds(row.bound)),
        fixed(row.share(candidate), 4),
        fixed(row.bus_bandwidth(candidate), 2),
    ]
}

/// The reason for a bound on the time, in one line.
pub(super) fn bound_reason(collective: Collective, bound: &CollectiveBound, node: &str) -> String {
    match bound {
        CollectiveBound::Cut { all_but, channels, shards } => {
            let set = match all_but[..] {
                [router] => format!("{node} {router}"),
                _ => format!("{} {node}s", all_but.len()),
            };
            let shards =
                if *shards == 1 { "1 shard comes".to_owned() } else { format!("{shards} shards come") };
            format!("{shards} in to {set} by {channels} channels")
        }
        CollectiveBound::Latency { distance, channels, shards, .. } => {
            let shards =
                if *shards == 1 { "1 shard starts".to_owned() } else { format!("{shards} shards start") };
            let hops = if *distance == 1 { "hop" } else { "hops" };
            format!("{shards} more than {distance} {hops} from a {node} with {channels} channels")
        }
        CollectiveBound::Arrival { node: router, far, channels, shards } => {
            let shards = if *shards == 1 { "1 shard".to_owned() } else { format!("{shards} shards") };
            let far = match far.len() {
                1 => format!("one {node}"),
                count => format!("the nearest of {count} {node}s"),
            };
            match collective {
                Collective::ReduceScatter => {
                    format!(
                        "{shards} go out of {node} {router} by {channels} channels, then the latency to {far}"
                    )
                }
                _ => format!(
                    "{shards} to {node} {router} by {channels} channels, after the latency from {far}"
                ),
            }
        }
        CollectiveBound::Relays { received, channels, inside, fan } => {
            format!(
                "{received} shards come in by {channels} channels, of which {inside} are in groups; by others a {node} passes on to {fan} at most"
            )
        }
        CollectiveBound::Inside { all_but, channels, shards } => {
            let all_but = match all_but[..] {
                [router] => format!("{node} {router}"),
                _ => format!("{} {node}s", all_but.len()),
            };
            format!("{shards} shards come in to {all_but} by {channels} channels of the group")
        }
        CollectiveBound::Channel { shards, lanes: 1, .. } => format!("{shards} shards cross one channel"),
        CollectiveBound::Channel { shards, lanes, .. } => {
            format!("{shards} shards cross one channel of {lanes} lanes")
        }
        CollectiveBound::Flow { .. } => {
            let shards = fixed(bound.volume(), 3);
            format!(
                "ways between all pairs, whichever they are, put {shards} shards on a channel, by lengths"
            )
        }
        CollectiveBound::Quickest { message, cycles, .. } => {
            let subject = match collective {
                Collective::Send => format!("message {message}"),
                _ => format!("what one {node} has for another in all vectors"),
            };
            format!(
                "{subject} takes {cycles} cycles by itself, by what channels carry at most while {node}s begin to count"
            )
        }
        CollectiveBound::Partition { parts, channels, .. } => {
            format!(
                "{channels} channels lead into {parts} parts, which take in every byte twice, but for one of them"
            )
        }
    }
}

/// Writes a table with left-justified words and right-justified numbers.
fn push_table(out: &mut String, table: &[Vec<String>]) {
    let widths: Vec<usize> = (0..table[0].len())
        .map(|column| table.iter().map(|row| row[column].chars().count()).max().unwrap_or(0))
        .collect();
    for row in table {
        let mut line = String::new();
        for (column, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let _ = match column {
                0 => write!(line, "{cell:width$}"),
                2 => write!(line, "  {cell:width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}
