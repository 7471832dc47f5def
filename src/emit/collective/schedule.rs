//! `fabc.collective/1`: one schedule with its bounds, as docs/artifacts.md describes it.

use super::super::json::{push, push_lines, push_numbers, quote};
use crate::ir::{CollectiveBound, Order, Round, Schedule};

/// The file's text; `None` for a schedule that has no rounds.
pub fn collective_json(fabric: &str, scenario: &str, schedule: &Schedule) -> Option<String> {
    let rounds = schedule.rounds()?;
    let Schedule { collective, algorithm, seed, nodes, chunks, root, .. } = schedule;
    let root = root.map_or("null".to_owned(), |root| root.0.to_string());
    let mut out = String::new();
    push(
        &mut out,
        format_args!(
            "{{\"format\":\"fabc.collective/1\",\"fabric\":{},\"scenario\":{},\"collective\":\"{}\",\"algorithm\":\"{}\",\"seed\":{seed},\"nodes\":{nodes},\"chunks\":{chunks},\"canonical\":{},\"root\":{root},\n",
            quote(fabric),
            quote(scenario),
            collective.name(),
            algorithm.name(),
            rounds.canonical,
        ),
    );
    match rounds.order[..] {
        [Order::Forward] => {}
        [Order::Reverse] => out.push_str("\"order\":\"reverse\",\n"),
        _ => {
            let words = rounds.order.iter().map(|order| if *order == Order::Forward { "\"forward\"" } else { "\"reverse\"" });
            out.push_str("\"order\":");
            push_numbers(&mut out, words);
            out.push_str(",\n");
        }
    }
    if rounds.latency > 0 {
        push(&mut out, format_args!("\"latency\":{},\n", rounds.latency));
    }
    out.push_str("\"steps\":");
    push_lines(&mut out, &rounds.rounds, |out, Round { width, pulls }| {
        push(out, format_args!("{{\"width\":{width},\"pulls\":["));
        for (at, pull) in pulls.iter().enumerate() {
            push(out, format_args!("{}[{},", if at > 0 { "," } else { "" }, pull.channel.0));
            push_numbers(out, &pull.chunks);
            out.push(']');
        }
        out.push_str("]}");
    });
    out.push_str(",\n\"bounds\":");
    push_lines(&mut out, &schedule.bounds, push_bound);
    out.push_str("}\n");
    Some(out)
}

/// A bound with its witness.
pub(super) fn push_bound(out: &mut String, bound: &CollectiveBound) {
    match bound {
        CollectiveBound::Cut { all_but, channels, shards } => {
            out.push_str("{\"kind\":\"cut\",\"all_but\":");
            match all_but[..] {
                [node] => push(out, format_args!("{node}")),
                _ => push_numbers(out, all_but),
            }
            push(out, format_args!(",\"channels\":{channels},\"shards\":{shards}}}"));
        }
        CollectiveBound::Latency { node, distance, channels, shards } => {
            push(
                out,
                format_args!(
                    "{{\"kind\":\"latency\",\"node\":{node},\"distance\":{distance},\"channels\":{channels},\"shards\":{shards}}}"
                ),
            );
        }
        CollectiveBound::Channel { channel, shards } => {
            push(out, format_args!("{{\"kind\":\"channel\",\"channel\":{},\"shards\":{shards}}}", channel.0));
        }
        CollectiveBound::Flow { lengths, volume, distance } => {
            out.push_str("{\"kind\":\"flow\",\"lengths\":");
            push_numbers(out, lengths);
            push(out, format_args!(",\"volume\":{volume},\"distance\":{distance}}}"));
        }
        CollectiveBound::Partition { part_of, parts, links } => {
            push(out, format_args!("{{\"kind\":\"partition\",\"parts\":{parts},\"links\":{links}"));
            if !part_of.is_empty() {
                out.push_str(",\"part_of\":");
                push_numbers(out, part_of.iter().map(|part| part.map_or("null".to_owned(), |part| part.to_string())));
            }
            out.push('}');
        }
    }
}
