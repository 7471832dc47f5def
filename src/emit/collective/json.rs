//! Writes a report on collectives as JSON (`fabc.collectives/1`).

use super::super::json::{push, push_lines, quote};
use super::super::number::{fixed, grouped};
use super::nanoseconds;
use super::schedule::push_bound;
use fabc_ir::{
    CollectiveBound, CollectiveCandidate, CollectiveCost, CollectiveCrossover, CollectiveLeftOut,
    CollectiveReport, CollectiveRow, Fraction,
};

/// The text of the report. `fabric` is the name of the fabric.
pub fn collectives_json(fabric: &str, report: &CollectiveReport) -> String {
    let barrier = report.costs.iter().any(|(_, cost)| cost.barrier);
    let mut out = String::new();
    push(
        &mut out,
        format_args!(
            "{{\"format\":\"fabc.collectives/1\",\"fabric\":{},\"barrier\":{barrier},\"seed\":{},\n",
            quote(fabric),
            report.seed
        ),
    );
    if let Some(groups) = report.groups {
        push(&mut out, format_args!("\"groups\":{groups},\n"));
    }
    out.push_str("\"scenarios\":");
    push_lines(&mut out, &report.costs, |out, (name, cost)| push_channel(out, name, cost));
    out.push_str(",\n\"collectives\":");
    push_lines(&mut out, &report.rows, |out, row| push_row(out, report, row));
    if !report.left_out.is_empty() {
        let left_out = |left: &CollectiveLeftOut| {
            format!("{{\"collective\":{},\"reason\":{}}}", quote(left.collective.name()), quote(left.reason))
        };
        push(
            &mut out,
            format_args!(
                ",\n\"left_out\":[{}]",
                report.left_out.iter().map(left_out).collect::<Vec<_>>().join(",")
            ),
        );
    }
    out.push_str("}\n");
    out
}

fn push_channel(out: &mut String, name: &str, cost: &CollectiveCost) {
    push(
        out,
        format_args!(
            "{{\"name\":{},\"bandwidth_gb_s\":{}{},\"hop_ns\":{},\"hop_cycles\":{},\"slowest_link\":{},\"overhead_ns\":{},\"flit_bytes\":{}}}",
            quote(name),
            fixed(Fraction::new(cost.bandwidth_bps, 8_000_000_000u64), 3),
            if cost.lanes > 1 { format!(",\"lanes\":{}", cost.lanes) } else { String::new() },
            nanoseconds(cost.hop),
            cost.hop_cycles,
            quote(&cost.slowest_link),
            nanoseconds(cost.overhead),
            cost.flit_bytes,
        ),
    );
}

fn push_row(out: &mut String, report: &CollectiveReport, row: &CollectiveRow) {
    let best = row.best();
    let name = row.collective.name();
    let root = row.root.as_deref().map_or("null".to_owned(), quote);
    push(
        out,
        format_args!(
            "{{\"name\":\"{name}\",\"scenario\":{},\"collective\":\"{name}\",\"root\":{root},\"size\":{},\"chips\":{},",
            quote(&row.scenario),
            row.size,
            row.chips
        ),
    );
    push_figures(out, row, best);
    push(out, format_args!(",\"bound_ns\":{},\"bound\":", nanoseconds(row.bound)));
    push_bound(out, &row.witness);
    if let Some((time, bound)) = &row.along {
        let key =
            if matches!(bound, CollectiveBound::Inside { .. }) { "inside_bound" } else { "tables_bound" };
        push(out, format_args!(",\"{key}_ns\":{},\"{key}\":", nanoseconds(*time)));
        push_bound(out, bound);
    }
    if let Some((time, bound)) = &row.with_switches {
        push(out, format_args!(",\"switches_bound_ns\":{},\"switches_bound\":", nanoseconds(*time)));
        push_bound(out, bound);
    }
    out.push_str(",\"candidates\":[");
    for (index, candidate) in row.candidates.iter().enumerate() {
        out.push_str(if index > 0 { ",{" } else { "{" });
        push_figures(out, row, candidate);
        out.push('}');
    }
    out.push(']');
    if !row.left_out.is_empty() {
        let names: Vec<String> = row.left_out.iter().map(|algorithm| quote(algorithm.name())).collect();
        push(out, format_args!(",\"left_out\":[{}]", names.join(",")));
    }
    out.push_str(",\"crossovers\":");
    let first = report.costs.first().is_some_and(|(scenario, _)| *scenario == row.scenario);
    let of_collective =
        report.crossovers.iter().filter(|crossover| first && crossover.collective == row.collective);
    push_crossovers(out, of_collective);
    out.push_str(",\"worst_fault\":");
    match report.worst_fault(row).filter(|_| first) {
        None => out.push_str("null"),
        Some(worst) => {
            push(out, format_args!("{{\"scenario\":{},", quote(&worst.scenario)));
            push_figures(out, worst, worst.best());
            push(out, format_args!(",\"bound_ns\":{}}}", nanoseconds(worst.bound)));
        }
    }
    out.push('}');
}

/// Writes `[..]`: the sizes at which the fastest algorithm changes.
pub(super) fn push_crossovers<'a>(
    out: &mut String,
    crossovers: impl Iterator<Item = &'a CollectiveCrossover>,
) {
    let crossover_text = |CollectiveCrossover { size, below, above, .. }: &CollectiveCrossover| {
        format!("{{\"size\":{size},\"below\":\"{}\",\"above\":\"{}\"}}", below.name(), above.name())
    };
    push(out, format_args!("[{}]", crossovers.map(crossover_text).collect::<Vec<_>>().join(",")));
}

/// A number of vectors: whole, or with six decimals.
pub(super) fn vectors(volume: Fraction) -> String {
    match volume.is_integer() {
        true => volume.floor().to_string(),
        false => fixed(volume, 6),
    }
}

/// Writes the numbers of an algorithm as JSON members.
pub(super) fn push_figures(out: &mut String, row: &CollectiveRow, candidate: &CollectiveCandidate) {
    let CollectiveCandidate { algorithm, chunks, reduced_from, steps, volume, time } = candidate;
    push(
        out,
        format_args!(
            "\"algorithm\":\"{}\",\"time_ns\":{},\"volume_ns\":{},\"latency_ns\":{},\"overhead_ns\":{},\"share\":{},\"steps\":{steps},\"chunks\":{chunks},\"volume\":{},\"bandwidth\":{}",
            algorithm.name(),
            nanoseconds(time.total()),
            nanoseconds(time.volume),
            nanoseconds(time.latency),
            nanoseconds(time.overhead),
            fixed(row.share(candidate), 6),
            vectors(*volume),
            fixed(row.bus_bandwidth(candidate), 3),
        ),
    );
    if let Some(requested) = reduced_from {
        push(out, format_args!(",\"chunks_asked\":{requested}"));
    }
}

/// A sentence about a number of chunks that was reduced, for people.
pub(super) fn reduction_note(
    row: &CollectiveRow,
    candidate: &CollectiveCandidate,
    flit: u32,
) -> Option<String> {
    candidate.reduced_from.map(|requested| {
        let size = grouped(row.size);
        format!(
            "{} of {size} B: {requested} chunks would be less than a flit of {flit} B each, so there are {}",
            row.collective.name(),
            candidate.chunks
        )
    })
}
