//! `schedule.json` (`fabc.schedule/1`): when every chip sends and receives which vector, as docs/artifacts.md
//! describes it.

use super::collective::push_bound;
use super::json::{push, push_lines, push_numbers, quote};
use crate::compiled::Compiled;
use crate::ids::NodeId;
use crate::ir::{Schedule, Sum, Timed, Topology, Total};
use crate::model::SlotPace;
use std::collections::BTreeMap;

/// Whether there is such a file: vectors are scheduled, and the build got so far.
pub(super) fn exists(compiled: &Compiled) -> bool {
    compiled.collectives.iter().filter_map(|result| result.nominal()).any(|nominal| nominal.schedule.timed().is_some())
}

/// What a chip does: cycle, port, collective, vector.
type Line = (u32, u16, u32, u64);

/// The file's text.
pub(super) fn json(compiled: &Compiled) -> String {
    let plans = || compiled.collectives.iter().filter_map(|result| result.nominal()).map(|nominal| &nominal.schedule);
    let timed: Vec<(&Schedule, &Timed)> = plans().filter_map(|schedule| Some((schedule, schedule.timed()?))).collect();
    let mut out = format!("{{\"format\":\"fabc.schedule/1\",\"fabric\":{},", quote(&compiled.fabric.name));
    if let Some((_, Timed { pace: SlotPace { vector_bytes, slot, hop, reduce }, clock_hz, .. })) = timed.first() {
        push(&mut out, format_args!("\"clock_hz\":{clock_hz},\"vector_bytes\":{vector_bytes},"));
        push(&mut out, format_args!("\"slot\":{slot},\"hop\":{hop},\"reduce\":{reduce},"));
    }
    let makespan = timed.iter().map(|(_, timed)| timed.end).max().unwrap_or(0);
    push(&mut out, format_args!("\"nodes\":{},\"makespan\":{makespan},\n\"jobs\":", compiled.topology.node_count()));
    let named = compiled.fabric.collectives.iter().zip(&timed);
    push_lines(&mut out, named, |out, (declared, (schedule, timed))| job(out, &declared.name, schedule, timed));
    out.push_str(",\n\"chips\":");
    push_lines(&mut out, chips(&compiled.topology, &timed), |out, (chip, [sends, receives])| {
        push(out, format_args!("{{\"chip\":{chip},\n \"sends\":["));
        lines(out, sends);
        out.push_str("],\n \"receives\":[");
        lines(out, receives);
        out.push_str("]}");
    });
    out.push_str("}\n");
    out
}

fn job(out: &mut String, name: &str, schedule: &Schedule, timed: &Timed) {
    let Schedule { collective, algorithm, seed, chunks, root, bounds, .. } = schedule;
    let Timed { canonical, start, end, sums, result, .. } = timed;
    let root = root.map_or("null".to_owned(), |root| root.0.to_string());
    push(out, format_args!("{{\"name\":{},\"collective\":\"{}\",", quote(name), collective.name()));
    push(out, format_args!("\"algorithm\":\"{}\",\"seed\":{seed},\"vectors\":{chunks},\"root\":{root},", algorithm.name()));
    push(out, format_args!("\"canonical\":{canonical},\"start\":{start},\"end\":{end},\n \"sums\":"));
    push_numbers(out, sums.iter().map(sum));
    let result = match result {
        Total::Told => "\"told\"".to_owned(),
        Total::Summed(of) => sum(of),
    };
    push(out, format_args!(",\"result\":{result},\"bounds\":"));
    push_lines(out, bounds, push_bound);
    out.push('}');
}

/// `[0,1,0]`: levels from, below, own (-1: none).
fn sum(Sum { from, below, own }: &Sum) -> String {
    format!("[{from},{below},{}]", own.map_or(-1, i64::from))
}

/// What chips send and receive, by chip; of canonical plans only canonical chips.
fn chips(topology: &Topology, timed: &[(&Schedule, &Timed)]) -> BTreeMap<NodeId, [Vec<Line>; 2]> {
    let mut chips: BTreeMap<NodeId, [Vec<Line>; 2]> = BTreeMap::new();
    let symmetry = topology.symmetry();
    for (job, (schedule, timed)) in (0..).zip(timed) {
        for send in &timed.sends {
            chips.entry(send.chip).or_default()[0].push((send.cycle, send.port.0, job, send.vector));
            let Some(channel) = topology.outgoing(send.chip, send.port) else { continue };
            let end = topology.target(channel);
            let (mut node, mut vector) = (end.node, send.vector);
            if timed.canonical {
                let home = symmetry.inverse(symmetry.element_to(node));
                (node, vector) = (symmetry.image(home, node), schedule.vector_image(timed, symmetry, home, vector));
            }
            chips.entry(node).or_default()[1].push((send.cycle + timed.pace.hop, end.port.0, job, vector));
        }
    }
    chips.values_mut().flatten().for_each(|lines| lines.sort_unstable());
    chips
}

fn lines(out: &mut String, lines: Vec<Line>) {
    for (at, (cycle, port, job, vector)) in lines.into_iter().enumerate() {
        let comma = if at > 0 { "," } else { "" };
        push(out, format_args!("{comma}[{cycle},{port},{job},{vector}]"));
    }
}
