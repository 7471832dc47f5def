//! Writes `operate.json` (`fabc.operate/1`): everything that was played, and the results.

use super::{
    LossCause, OperatedKind, OperatedPolicy, OperatedYears, PartKind, PartRepairs, PerPart, PolicyCounts,
    SampledMean, TableChanges, YearsRequest,
};
use crate::json::{push, push_lines, push_numbers, quote};
use crate::manifest::TOOL;
use std::fmt::Display;

/// Milliseconds of an hour, and of a minute.
const HOUR_MS: f64 = 3_600_000.0;
const MINUTE_MS: f64 = 60_000.0;

/// The text of `operate.json`, with shares of six decimals.
pub fn operate_json(years: &OperatedYears) -> String {
    let OperatedYears { fabric, manifest, request, cubes, in_slices, kinds, repairs, policies, work } = years;
    let mut out = format!("{{\"format\":\"fabc.operate/1\",\"tool\":{},", quote(TOOL));
    push(&mut out, format_args!("\"fabric\":{},\"manifest\":{},\n", quote(fabric), quote(manifest)));
    push_request(&mut out, request);
    push(&mut out, format_args!("\"cubes\":{cubes},\"in_slices\":{in_slices},\n\"kinds\":"));
    push_lines(&mut out, kinds, |out, OperatedKind { kind, slices, cubes }| {
        push(out, format_args!("{{\"kind\":{},\"slices\":{slices},\"cubes\":{cubes}}}", quote(kind)));
    });
    out.push_str(",\n\"repairs\":");
    push_lines(&mut out, PartKind::ALL, |out, kind| push_repairs(out, kind, repairs.get(kind)));
    out.push_str(",\n\"policies\":");
    push_lines(&mut out, policies, |out, policy| push_policy(out, kinds, policy));
    push(
        &mut out,
        format_args!(
            ",\n\"work\":{{\"changes\":{},\"repairs\":{},\"lookups\":{}}}}}\n",
            work.changes, work.repairs, work.lookups
        ),
    );
    out
}

/// An object with a value for every kind of part.
fn per_part<T: Display>(values: &PerPart<T>) -> String {
    format!("{{\"host\":{},\"cable\":{},\"ocs\":{}}}", values.host, values.cable, values.ocs)
}

/// What was played. A verification reads it back, so nothing is rounded.
fn push_request(out: &mut String, request: &YearsRequest) {
    let YearsRequest { months, seeds, host_chips, per_day, stock, night, .. } = request;
    push(out, format_args!("\"months\":{months},\"seeds\":{seeds},\"host_chips\":{host_chips},\n"));
    push(out, format_args!("\"failures_per_day\":{},", per_part(per_day)));
    push(
        out,
        format_args!(
            "\"repair_h\":{},\"restart_min\":{},\n",
            request.repair_ms as f64 / HOUR_MS,
            request.restart_ms as f64 / MINUTE_MS
        ),
    );
    let on_stock = PerPart::from_fn(|kind| match stock.get(kind) {
        Some(count) => count.to_string(),
        None => "null".to_owned(),
    });
    push(
        out,
        format_args!(
            "\"stock\":{},\"restock_h\":{},\"night\":[{},{}],\n",
            per_part(&on_stock),
            request.restock_ms as f64 / HOUR_MS,
            night.from,
            night.to
        ),
    );
}

/// A share with six decimals. Differences may be negative, and none is `-0`.
fn share(value: f64) -> String {
    let text = format!("{value:.6}");
    if text == "-0.000000" { "0.000000".to_owned() } else { text }
}

/// A mean with the half width of its interval, which a single run does not have.
fn mean(SampledMean { mean, half }: SampledMean) -> String {
    let half = half.map_or("null".to_owned(), share);
    format!("{{\"mean\":{},\"half_width\":{half}}}", share(mean))
}

fn push_repairs(out: &mut String, kind: PartKind, repairs: &PartRepairs) {
    let PartRepairs { parts, failures, waited, unfinished, mean_h, most_h, longest_h } = *repairs;
    let mean_h = mean_h.map_or("null".to_owned(), mean);
    push(
        out,
        format_args!(
            "{{\"part\":{},\"parts\":{parts},\"failures\":{failures},\"waited\":{waited},\"unfinished\":{unfinished},\"mean_h\":{mean_h},\"most_h\":{},\"longest_h\":{}}}",
            quote(kind.word()),
            share(most_h),
            share(longest_h)
        ),
    );
}

fn push_policy(out: &mut String, kinds: &[OperatedKind], result: &OperatedPolicy) {
    let policy = &result.policy;
    push(
        out,
        format_args!(
            "{{\"spare\":{},\"faults\":{},\"cables\":{},\"swap\":{},\n",
            policy.spare,
            policy.faults,
            quote(policy.cables.word()),
            quote(policy.swap.word())
        ),
    );
    let difference = result.difference.map_or("null".to_owned(), mean);
    let closed_form = result.closed_form.map_or("null".to_owned(), share);
    push(
        out,
        format_args!(
            "\"capacity\":{},\"difference\":{difference},\"closed_form\":{closed_form},\n\"lost\":{{",
            mean(result.capacity)
        ),
    );
    for (index, (cause, lost)) in LossCause::ALL.into_iter().zip(result.lost).enumerate() {
        let comma = if index > 0 { "," } else { "" };
        push(out, format_args!("{comma}{}:{}", quote(cause.word()), mean(lost)));
    }
    out.push_str("},\n\"kinds\":[");
    for (index, (kind, capacity)) in kinds.iter().zip(&result.kinds).enumerate() {
        let comma = if index > 0 { "," } else { "" };
        push(out, format_args!("{comma}{{\"kind\":{},\"capacity\":{}}}", quote(&kind.kind), mean(*capacity)));
    }
    out.push_str("],\n");
    push_counts(out, &result.counts);
    let worst = result.worst;
    push(
        out,
        format_args!(
            "\"worst\":{{\"capacity\":{},\"month\":{},\"seed\":{}}},\n",
            share(worst.capacity),
            worst.month,
            worst.seed
        ),
    );
    out.push_str("\"low\":");
    push_numbers(out, result.months.iter().map(|month| share(month.low)));
    out.push_str(",\n\"median\":");
    push_numbers(out, result.months.iter().map(|month| share(month.median)));
    out.push_str(",\n\"high\":");
    push_numbers(out, result.months.iter().map(|month| share(month.high)));
    out.push('}');
}

/// What was done in all runs.
fn push_counts(out: &mut String, counts: &PolicyCounts) {
    let PolicyCounts { interruptions, swaps, plans, moves, tables } = *counts;
    let TableChanges { covered, local, full, new_order, none, back, not_live } = tables;
    push(
        out,
        format_args!(
            "\"interruptions\":{interruptions},\"swaps\":{swaps},\"plans\":{plans},\"moves\":{moves},\n"
        ),
    );
    push(
        out,
        format_args!(
            "\"tables\":{{\"covered\":{covered},\"local\":{local},\"full\":{full},\"new_order\":{new_order},\"none\":{none},\"back\":{back},\"not_live\":{not_live}}},\n"
        ),
    );
}
