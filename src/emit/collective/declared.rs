//! Writes the collectives of a spec into `report.json`: the numbers of every scenario, candidate candidates,
//! and the curve.

use super::super::json::{push, push_lines, quote};
use super::json::{push_crossovers, push_figures};
use super::nanoseconds;
use super::schedule::push_bound;
use crate::compiled::CompiledFabric;
use fabc_ir::{ATTOSECONDS_OF_A_PICOSECOND, CollectiveOutcome, CollectivePoint, CollectiveResult};
use fabc_model::DeclaredCollective;

/// Writes `"collectives":[..],` and a line break. Writes nothing if the spec declares none.
pub(crate) fn push_declared(out: &mut String, compiled: &CompiledFabric) {
    if compiled.fabric.collectives.is_empty() {
        return;
    }
    out.push_str("\"collectives\":");
    let results = compiled.fabric.collectives.iter().zip(&compiled.collectives);
    push_lines(out, results, |out, (declared, result)| push_collective(out, declared, result));
    out.push_str(",\n");
}

/// The part of `report.json` about those collectives that `keeps` names.
pub(crate) fn stated_collectives(
    compiled: &CompiledFabric,
    keeps: impl Fn(&DeclaredCollective) -> bool,
) -> String {
    let mut out = "{\"collectives\":".to_owned();
    let results = compiled.fabric.collectives.iter().zip(&compiled.collectives);
    let kept = results.filter(|(declared, _)| keeps(declared));
    push_lines(&mut out, kept, |out, (declared, result)| push_collective(out, declared, result));
    out.push_str("}\n");
    out
}

fn push_collective(out: &mut String, declared: &DeclaredCollective, result: &CollectiveResult) {
    let DeclaredCollective { name, collective, size, barrier, seed, .. } = declared;
    push(
        out,
        format_args!("{{\"name\":{},\"collective\":\"{}\",\"size\":{size},", quote(name), collective.name()),
    );
    push(out, format_args!("\"barrier\":{barrier},\"seed\":{seed},"));
    let Some(nominal) = result.nominal() else {
        out.push_str("\"scenarios\":[]}");
        return;
    };
    let root = nominal.row.root.as_deref().map_or("null".to_owned(), quote);
    push(out, format_args!("\"root\":{root},\"chips\":{},", nominal.row.chips));
    if let Some(groups) = &nominal.schedule.groups {
        push(out, format_args!("\"groups\":{},", groups.size()));
    }
    out.push_str("\n ");
    push_figures(out, &nominal.row, nominal.row.best());
    push(out, format_args!(",\"bound_ns\":{},\"worst_fault\":", nanoseconds(nominal.row.bound)));
    out.push_str(&result.worst_fault().map_or("null".to_owned(), |worst| quote(&worst.row.scenario)));
    let candidates = nominal.row.candidates.iter().map(|candidate| {
        format!(
            "{{\"algorithm\":\"{}\",\"time_ns\":{}}}",
            candidate.algorithm.name(),
            nanoseconds(candidate.time.total())
        )
    });
    push(out, format_args!(",\n \"candidates\":[{}]", candidates.collect::<Vec<_>>().join(",")));
    out.push_str(",\n \"crossovers\":");
    push_crossovers(out, result.crossovers.iter());
    out.push_str(",\n \"scenarios\":");
    push_lines(out, &result.scenarios, push_scenario);
    out.push_str(",\n \"curve\":");
    push_lines(out, &result.curve, push_curve_point);
    out.push('}');
}

fn push_scenario(out: &mut String, CollectiveOutcome { row, .. }: &CollectiveOutcome) {
    push(out, format_args!("{{\"scenario\":{},\"chips\":{},", quote(&row.scenario), row.chips));
    push_figures(out, row, row.best());
    push(out, format_args!(",\"bound_ns\":{},\"bound\":", nanoseconds(row.bound)));
    push_bound(out, &row.witness);
    out.push_str(",\"others\":[");
    for (index, candidate) in row.candidates.iter().skip(1).enumerate() {
        let (comma, algorithm) = (if index > 0 { "," } else { "" }, candidate.algorithm.name());
        let time = nanoseconds(candidate.time.total());
        push(
            out,
            format_args!(
                "{comma}{{\"algorithm\":\"{algorithm}\",\"chunks\":{},\"time_ns\":{time}}}",
                candidate.chunks
            ),
        );
    }
    out.push_str("],\"left_out\":[");
    let names: Vec<String> = row.left_out.iter().map(|algorithm| quote(algorithm.name())).collect();
    push(out, format_args!("{}]}}", names.join(",")));
}

fn push_curve_point(out: &mut String, point: &CollectivePoint) {
    let to_nanoseconds = |picoseconds: u128| nanoseconds(picoseconds * ATTOSECONDS_OF_A_PICOSECOND);
    push(out, format_args!("{{\"size\":{},\"bound_ns\":{}", point.size, to_nanoseconds(point.bound)));
    let times: Vec<String> = point
        .times
        .iter()
        .map(|(algorithm, time)| format!("\"{}\":{}", algorithm.name(), to_nanoseconds(*time)))
        .collect();
    push(out, format_args!(",\"times_ns\":{{{}}}}}", times.join(",")));
}

/// The path of a collective's schedule for a scenario.
pub fn collective_path(name: &str, scenario: &str) -> String {
    schedule_path(&format!("collectives/{name}"), scenario)
}

/// The path of a schedule for a scenario, if that of the healthy fabric is at `stem`.
pub(in super::super) fn schedule_path(stem: &str, scenario: &str) -> String {
    match scenario {
        "nominal" => format!("{stem}.json"),
        _ => format!("{stem}.fault-{}.json", fabc_model::file_stem(scenario)),
    }
}
