//! Collectives for people: one table, then candidates, crossovers and faults.

use super::super::estimate::exact;
use super::super::number::fixed;
use super::json::reduced;
use super::{microseconds, nanoseconds};
use fabc_ir::{CollectiveBound, CollectiveCandidate, CollectiveReport, CollectiveRow, Fraction};
use fabc_model::{Collective, CollectiveAlgorithm};
use std::collections::BTreeSet;
use std::fmt::Write;

/// The report; of several scenarios the first one, beside the worst of the others.
pub fn collectives_text(fabric: &str, report: &CollectiveReport) -> String {
    let mut out = String::new();
    let (Some((scenario, cost)), Some(first)) = (report.costs.first(), report.rows.first()) else {
        return out;
    };
    let rows: Vec<&CollectiveRow> = report.rows.iter().filter(|row| row.scenario == *scenario).collect();
    let _ = writeln!(out, "collectives on {fabric}, {scenario}: {} chips", first.chips);
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
        table.extend(row.candidates.iter().enumerate().map(|(at, candidate)| line(row, candidate, at == 0)));
    }
    columns(&mut out, &table);
    if let Some(root) = &first.root {
        let _ = writeln!(out, "\nthe root is {root}");
    }
    let mut notes: Vec<String> = rows
        .iter()
        .flat_map(|row| row.candidates.iter().filter_map(|one| reduced(row, one, cost.flit_bytes)))
        .collect();
    let small = |row: &&&CollectiveRow| {
        !row.collective.is_rooted() && row.size / row.chips.max(1) < u64::from(cost.flit_bytes)
    };
    if rows.iter().any(|row| small(&row)) {
        notes.push(format!(
            "a shard of the smallest size is less than a flit of {} B; padding is not counted",
            cost.flit_bytes
        ));
    }
    for row in &rows {
        let note = |algorithm: &CollectiveAlgorithm| {
            let name = algorithm.name();
            format!(
                "{}: {name} would take long here and was not tried; ask for it by `--algorithm {name}`",
                row.collective.name()
            )
        };
        notes.extend(row.left_out.iter().map(note));
    }
    notes.extend(report.left_out.iter().map(|left| format!("{}: {}", left.collective.name(), left.reason)));
    let mut said = BTreeSet::new();
    notes.retain(|note| said.insert(note.clone()));
    if !notes.is_empty() {
        out.push_str("\nNOTES\n");
        lines(&mut out, &notes);
    }
    out.push_str("\nBOUNDS\n");
    let mut said: Vec<String> = rows
        .iter()
        .map(|row| format!("{}: {}", row.collective.name(), witness(row.collective, &row.witness, "chip")))
        .collect();
    let relative = rows.iter().filter_map(|row| Some((row, row.along.as_ref()?)));
    said.extend(relative.map(|(row, (_, bound))| {
        format!(
            "{}, along these tables alone: {}",
            row.collective.name(),
            witness(row.collective, bound, "chip")
        )
    }));
    let mut once = BTreeSet::new();
    said.retain(|line| once.insert(line.clone()));
    lines(&mut out, &said);
    if !report.crossovers.is_empty() {
        out.push_str("\nCROSSOVERS\n");
        for crossover in &report.crossovers {
            let (name, below, above) =
                (crossover.collective.name(), crossover.below.name(), crossover.above.name());
            let _ = writeln!(
                out,
                "  {name}: {below} below {}, {above} from there on",
                super::super::estimate::about(crossover.size as f64)
            );
        }
    }
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
                exact(row.size),
                worst.scenario,
                microseconds(best.time.total()),
                best.algorithm.name(),
                fixed(slower, 3),
                microseconds(worst.bound)
            );
        }
    }
    out.trim_end().to_owned()
}

fn lines(out: &mut String, lines: &[String]) {
    for line in lines {
        let _ = writeln!(out, "  {line}");
    }
}

fn line(row: &CollectiveRow, candidate: &CollectiveCandidate, first: bool) -> Vec<String> {
    let said = |text: String| if first { text } else { String::new() };
    vec![
        said(row.collective.name().to_owned()),
        said(exact(row.size)),
        candidate.algorithm.name().to_owned(),
        candidate.chunks.to_string(),
        candidate.steps.to_string(),
        microseconds(candidate.time.total()),
        microseconds(candidate.time.volume),
        said(microseconds(row.bound)),
        fixed(row.share(candidate), 4),
        fixed(row.bus_bandwidth(candidate), 2),
    ]
}

/// What bounds the time, in a line.
pub(super) fn witness(collective: Collective, bound: &CollectiveBound, node: &str) -> String {
    match bound {
        CollectiveBound::Cut { all_but, channels, shards } => {
            let set = match all_but[..] {
                [one] => format!("{node} {one}"),
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
            let what = match collective {
                Collective::Send => format!("message {message}"),
                _ => format!("what one {node} has for another in all vectors"),
            };
            format!(
                "{what} takes {cycles} cycles by itself, by what channels carry at most while {node}s begin to count"
            )
        }
        CollectiveBound::Partition { parts, channels, .. } => {
            format!(
                "{channels} channels lead into {parts} parts, which take in every byte twice, but for one of them"
            )
        }
    }
}

/// Left-justified words, right-justified numbers.
fn columns(out: &mut String, table: &[Vec<String>]) {
    let widths: Vec<usize> = (0..table[0].len())
        .map(|at| table.iter().map(|row| row[at].chars().count()).max().unwrap_or(0))
        .collect();
    for row in table {
        let mut line = String::new();
        for (at, (cell, &width)) in row.iter().zip(&widths).enumerate() {
            let _ = match at {
                0 => write!(line, "{cell:width$}"),
                2 => write!(line, "  {cell:width$}"),
                _ => write!(line, "  {cell:>width$}"),
            };
        }
        let _ = writeln!(out, "{}", line.trim_end());
    }
}
