//! Writes one schedule with its bounds (`fabc.collective/1`). `docs/artifacts.md` defines the format.

use super::super::json::{push, push_int, push_lines, push_numbers, quote};
use fabc_base::ids::NodeId;
use fabc_ir::{
    CollectiveBound, Forest, ForestPath, ForestSend, ForestTree, GatherRound, PairPath, PairPaths, Rounds,
    RoutedMessage, RunDirection, Schedule, Sends, SharedTrees, SpanningTree, Transfers,
};

/// The text of the file.
pub fn collective_json(fabric: &str, scenario: &str, schedule: &Schedule) -> String {
    let Schedule { collective, algorithm, seed, nodes, chunks, root, .. } = schedule;
    let canonical = match &schedule.transfers {
        Transfers::Rounds(rounds) => rounds.canonical,
        Transfers::Trees(_) | Transfers::Timed(_) | Transfers::Forest(_) | Transfers::Paths(_) => false,
        Transfers::Sends(sends) => sends.canonical,
    };
    let root = root.map_or("null".to_owned(), |root| root.0.to_string());
    let mut out = String::new();
    push(
        &mut out,
        format_args!(
            "{{\"format\":\"fabc.collective/1\",\"fabric\":{},\"scenario\":{},\"collective\":\"{}\",\"algorithm\":\"{}\",\"seed\":{seed},\"nodes\":{nodes},\"chunks\":{chunks},\"canonical\":{canonical},\"root\":{root},\n",
            quote(fabric),
            quote(scenario),
            collective.name(),
            algorithm.name(),
        ),
    );
    if let Some(groups) = &schedule.groups {
        out.push_str("\"groups\":");
        push_lines(&mut out, groups.lists(), |out, chips| push_numbers(out, chips.iter().map(|chip| chip.0)));
        out.push_str(",\n");
    }
    match &schedule.transfers {
        Transfers::Rounds(rounds) => push_rounds(&mut out, rounds),
        Transfers::Trees(shared) => push_trees(&mut out, shared),
        Transfers::Sends(sends) => push_sends(&mut out, sends),
        Transfers::Forest(forest) => push_forest(&mut out, forest),
        Transfers::Paths(pair_paths) => push_paths(&mut out, pair_paths),
        // `schedule.json` holds these, for all collectives together.
        Transfers::Timed(_) => {}
    }
    out.push_str(",\n\"bounds\":");
    push_lines(&mut out, &schedule.bounds, push_bound);
    out.push_str("}\n");
    out
}

fn push_rounds(out: &mut String, rounds: &Rounds) {
    match rounds.order[..] {
        [RunDirection::Forward] => {}
        [RunDirection::Reverse] => out.push_str("\"order\":\"reverse\",\n"),
        _ => {
            let words = rounds
                .order
                .iter()
                .map(|order| if *order == RunDirection::Forward { "\"forward\"" } else { "\"reverse\"" });
            out.push_str("\"order\":");
            push_numbers(out, words);
            out.push_str(",\n");
        }
    }
    push_latency(out, rounds.latency);
    out.push_str("\"steps\":");
    push_lines(out, &rounds.rounds, |out, GatherRound { width, pulls }| {
        push(out, format_args!("{{\"width\":{width},\"pulls\":["));
        for (index, pull) in pulls.iter().enumerate() {
            push(out, format_args!("{}[{},", if index > 0 { "," } else { "" }, pull.channel.0));
            push_numbers(out, &pull.chunks);
            out.push(']');
        }
        out.push_str("]}");
    });
}

fn push_latency(out: &mut String, latency: u32) {
    if latency > 0 {
        push(out, format_args!("\"latency\":{latency},\n"));
    }
}

fn push_trees(out: &mut String, shared: &SharedTrees) {
    push(out, format_args!("\"capacity\":{},\n\"trees\":", shared.capacity));
    push_lines(out, &shared.trees, |out, SpanningTree { root, up }| {
        push(out, format_args!("{{\"root\":{},\"up\":", root.0));
        push_numbers(out, up.iter().map(|up| up.map_or(-1, |channel| i64::from(channel.0))));
        out.push('}');
    });
}

fn push_sends(out: &mut String, sends: &Sends) {
    push_latency(out, sends.latency);
    out.push_str("\"sends\":");
    push_messages(out, &sends.messages);
    if !sends.rooted.is_empty() {
        out.push_str(",\n\"rooted\":");
        push_messages(out, &sends.rooted);
    }
}

fn push_forest(out: &mut String, forest: &Forest) {
    let Forest { parts, load, trees } = forest;
    push(out, format_args!("\"forest\":{{\"k\":{parts},\"load\":[{},{}],\"trees\":", load.parts, load.lanes));
    push_lines(out, trees, |out, ForestTree { root, multiplicity, sends }| {
        push(out, format_args!("{{\"root\":{},\"multiplicity\":{multiplicity},\"sends\":[", root.0));
        for (index, ForestSend { from, to, paths }) in sends.iter().enumerate() {
            push(out, format_args!("{}[{},{},[", if index > 0 { "," } else { "" }, from.0, to.0));
            for (index, ForestPath { amount, channels }) in paths.iter().enumerate() {
                push(out, format_args!("{}[{amount},", if index > 0 { "," } else { "" }));
                push_numbers(out, channels.iter().map(|channel| channel.0));
                out.push(']');
            }
            out.push_str("]]");
        }
        out.push_str("]}");
    });
    out.push('}');
}

fn push_paths(out: &mut String, pair_paths: &PairPaths) {
    let PairPaths { parts, load, paths } = pair_paths;
    push(out, format_args!("\"paths\":{{\"k\":{parts},\"load\":[{},{}],\"pairs\":", load.parts, load.lanes));
    let is_same_pair =
        |one: &PairPath, other: &PairPath| (one.source, one.destination) == (other.source, other.destination);
    let pairs: Vec<&[PairPath]> = paths.chunk_by(is_same_pair).collect();
    push_lines(out, &pairs, |out, paths_of_pair| {
        let PairPath { source, destination, .. } = &paths_of_pair[0];
        push(out, format_args!("[{},{},[", source.0, destination.0));
        for (index, PairPath { amount, legs, .. }) in paths_of_pair.iter().enumerate() {
            push(out, format_args!("{}[{amount},[", if index > 0 { "," } else { "" }));
            for (index, leg) in legs.iter().enumerate() {
                out.push_str(if index > 0 { "," } else { "" });
                push_numbers(out, leg.iter().map(|channel| channel.0));
            }
            out.push_str("]]");
        }
        out.push_str("]]");
    });
    out.push('}');
}

fn push_messages(out: &mut String, messages: &[RoutedMessage]) {
    push_lines(out, messages, |out, RoutedMessage { source, destination, part, slots }| {
        let mut open = "[";
        for number in [source.0, destination.0, *part] {
            out.push_str(open);
            push_int(out, i64::from(number));
            open = ",";
        }
        open = ",[";
        for &slot in slots {
            out.push_str(open);
            push_int(out, i64::from(slot));
            open = ",";
        }
        out.push_str("]]");
    });
}

/// Writes a set of routers: one by its number, several as a list.
fn push_set(out: &mut String, routers: &[NodeId]) {
    match routers {
        [router] => push(out, format_args!("{router}")),
        _ => push_numbers(out, routers),
    }
}

/// Writes a bound with its witness.
pub(crate) fn push_bound(out: &mut String, bound: &CollectiveBound) {
    match bound {
        CollectiveBound::Cut { all_but, channels, shards }
        | CollectiveBound::Inside { all_but, channels, shards } => {
            let kind = if matches!(bound, CollectiveBound::Cut { .. }) { "cut" } else { "inside" };
            push(out, format_args!("{{\"kind\":\"{kind}\",\"all_but\":"));
            push_set(out, all_but);
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
        CollectiveBound::Arrival { node, far, channels, shards } => {
            push(out, format_args!("{{\"kind\":\"arrival\",\"node\":{node},\"far\":"));
            push_set(out, far);
            push(out, format_args!(",\"channels\":{channels},\"shards\":{shards}}}"));
        }
        CollectiveBound::Channel { channel, shards, lanes } => {
            push(out, format_args!("{{\"kind\":\"channel\",\"channel\":{},\"shards\":{shards}", channel.0));
            if *lanes > 1 {
                push(out, format_args!(",\"lanes\":{lanes}"));
            }
            out.push('}');
        }
        CollectiveBound::Relays { received, channels, inside, fan } => {
            push(
                out,
                format_args!(
                    "{{\"kind\":\"relays\",\"received\":{received},\"channels\":{channels},\"inside\":{inside},\"fan\":{fan}}}"
                ),
            );
        }
        CollectiveBound::Flow { lengths, volume, distance } => {
            out.push_str("{\"kind\":\"flow\",\"lengths\":");
            push_numbers(out, lengths);
            push(out, format_args!(",\"volume\":{volume},\"distance\":{distance}}}"));
        }
        CollectiveBound::Quickest { message, levels, cycles } => {
            push(
                out,
                format_args!("{{\"kind\":\"quickest\",\"message\":{message},\"cycles\":{cycles},\"levels\":"),
            );
            push_numbers(out, levels.iter().map(|level| level.map_or(-1, i64::from)));
            out.push('}');
        }
        CollectiveBound::Partition { part_of, parts, channels } => {
            push(out, format_args!("{{\"kind\":\"partition\",\"parts\":{parts},\"channels\":{channels}"));
            if !part_of.is_empty() {
                out.push_str(",\"part_of\":");
                push_numbers(
                    out,
                    part_of.iter().map(|part| part.map_or("null".to_owned(), |part| part.to_string())),
                );
            }
            out.push('}');
        }
    }
}
