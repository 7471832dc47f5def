//! The collectives of a spec in `report.json`: numbers of every scenario, what else was tried, and the curve.

use super::super::json::{push, push_lines, quote};
use super::json::{crossovers, figures};
use super::nanoseconds;
use super::schedule::push_bound;
use crate::compiled::Compiled;
use fabc_ir::{ATTOSECONDS_OF_A_PICOSECOND, CollectiveOutcome, CollectivePoint, CollectiveResult};
use fabc_model::DeclaredCollective;

/// `"collectives":[..],` and a line break; nothing where the spec declares none.
pub(crate) fn push_declared(out: &mut String, compiled: &Compiled) {
    if compiled.fabric.collectives.is_empty() {
        return;
    }
    out.push_str("\"collectives\":");
    let all = compiled.fabric.collectives.iter().zip(&compiled.collectives);
    push_lines(out, all, |out, (declared, result)| one(out, declared, result));
    out.push_str(",\n");
}

fn one(out: &mut String, declared: &DeclaredCollective, result: &CollectiveResult) {
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
    push(out, format_args!("\"root\":{root},\"chips\":{},\n ", nominal.row.chips));
    figures(out, &nominal.row, nominal.row.best());
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
    crossovers(out, result.crossovers.iter());
    out.push_str(",\n \"scenarios\":");
    push_lines(out, &result.scenarios, scenario);
    out.push_str(",\n \"curve\":");
    push_lines(out, &result.curve, point);
    out.push('}');
}

fn scenario(out: &mut String, CollectiveOutcome { row, .. }: &CollectiveOutcome) {
    push(out, format_args!("{{\"scenario\":{},\"chips\":{},", quote(&row.scenario), row.chips));
    figures(out, row, row.best());
    push(out, format_args!(",\"bound_ns\":{},\"bound\":", nanoseconds(row.bound)));
    push_bound(out, &row.witness);
    out.push_str(",\"others\":[");
    for (at, other) in row.candidates.iter().skip(1).enumerate() {
        let (comma, algorithm) = (if at > 0 { "," } else { "" }, other.algorithm.name());
        let time = nanoseconds(other.time.total());
        push(
            out,
            format_args!(
                "{comma}{{\"algorithm\":\"{algorithm}\",\"chunks\":{},\"time_ns\":{time}}}",
                other.chunks
            ),
        );
    }
    out.push_str("],\"left_out\":[");
    let names: Vec<String> = row.left_out.iter().map(|algorithm| quote(algorithm.name())).collect();
    push(out, format_args!("{}]}}", names.join(",")));
}

fn point(out: &mut String, point: &CollectivePoint) {
    let written = |picoseconds: u128| nanoseconds(picoseconds * ATTOSECONDS_OF_A_PICOSECOND);
    push(out, format_args!("{{\"size\":{},\"bound_ns\":{}", point.size, written(point.bound)));
    let times: Vec<String> = point
        .times
        .iter()
        .map(|(algorithm, time)| format!("\"{}\":{}", algorithm.name(), written(*time)))
        .collect();
    push(out, format_args!(",\"times_ns\":{{{}}}}}", times.join(",")));
}

/// Where the schedule of a collective stands, by scenario.
pub fn collective_path(name: &str, scenario: &str) -> String {
    match scenario {
        "nominal" => format!("collectives/{name}.json"),
        _ => format!("collectives/{name}.fault-{}.json", fabc_model::file_stem(scenario)),
    }
}
