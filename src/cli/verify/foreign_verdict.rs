//! The verdict on third-party tables, in words and as JSON.

use crate::verify::verdict::VERIFIED;
use fabc_ir::Fraction;
use fabc_pipeline::verify::{ForeignTables, NextHopVerdict, PathOrder};
use serde_json::{Value, json};

/// The names of the files that were judged.
pub(crate) struct JudgedFiles<'a> {
    pub(crate) tables: &'a str,
    pub(crate) topology: &'a str,
    pub(crate) sl2vl: Option<&'a str>,
    pub(crate) path_sl: Option<&'a str>,
}

impl JudgedFiles<'_> {
    /// The verdict as one JSON object.
    pub(crate) fn json(&self, verdict: &ForeignTables) -> Value {
        let ForeignTables { routers, endpoints, channels, pairs, shares, hops, longest, .. } = verdict;
        let mut object = json!({
            "format": VERIFIED, "verified": self.tables, "topology": self.topology, "sl2vl": self.sl2vl, "path_sl": self.path_sl,
            "routers": routers, "endpoints": endpoints, "channels": channels, "pairs": pairs,
            "hops": in_shares(*hops, *shares), "average_hops": average_hops(verdict), "longest_route": longest,
            "max_channel_load": in_shares(verdict.max_channel_load, *shares), "busiest_channel": verdict.busiest,
            "vcs_used": vcs_used(verdict),
            "vc_hops": verdict.vc_hops.iter().map(|&hops| in_shares(hops, *shares)).collect::<Vec<_>>(),
            "dependencies": verdict.dependencies,
        });
        if let Some(next_hops) = &verdict.next_hops {
            object["next_hops"] = next_hops_json(next_hops);
            let load = Fraction::new(verdict.max_channel_load, *shares);
            object["next_hops"]["max_channel_load"] =
                json!([load.numerator() as u64, load.denominator() as u64]);
        }
        object
    }

    /// The verdict in some lines of text.
    pub(crate) fn text(&self, verdict: &ForeignTables) -> String {
        let ForeignTables { routers, endpoints, channels, pairs, shares, hops, longest, .. } = verdict;
        let of_lanes = match (self.sl2vl, self.path_sl) {
            (None, _) => String::new(),
            (Some(sl2vl), None) => format!(" with the lanes of {sl2vl}, service level 0 for all"),
            (Some(sl2vl), Some(path_sl)) => {
                format!(" with the lanes of {sl2vl}, service levels of {path_sl}")
            }
        };
        let (tables, topology, mean) = (self.tables, self.topology, average_hops(verdict));
        let head = format!(
            "verified {tables} on {topology}{of_lanes}: {routers} routers, {endpoints} endpoints, {channels} channels"
        );
        let load = ratio(verdict.max_channel_load, *shares);
        let load = format!("max channel load {load} ({})", verdict.busiest);
        let no_cycle = format!("no cycle among the {} dependencies of channels", verdict.dependencies);
        let lines = match &verdict.next_hops {
            None => vec![
                format!(
                    "{pairs} routes walked, all arrive: {hops} hops, {mean:.4} on average, {longest} at most"
                ),
                load,
                format!("{} VCs used, hops by VC {:?}", vcs_used(verdict), verdict.vc_hops),
                no_cycle,
            ],
            Some(next_hops) => {
                let walked = format!(
                    "{pairs} pairs walked by every choice of next hops ({}), all arrive: {mean:.4} hops on average, {longest} at most",
                    next_hops.kind
                );
                let mut lines = vec![walked, load];
                lines.extend(next_hops_lines(next_hops));
                lines.push(no_cycle);
                lines
            }
        };
        [vec![head], lines].concat().join("\n  ")
    }
}

fn next_hops_json(verdict: &NextHopVerdict) -> Value {
    let NextHopVerdict { kind, order, groups, unlike, first_unlike, has_weights, relayed, permutation } =
        verdict;
    let (tiers, climbs) = match order {
        PathOrder::NoTiers => (None, None),
        PathOrder::UpThenDown { tiers } => (Some(*tiers), None),
        PathOrder::Climbs(router) => (None, Some(router)),
    };
    json!({
        "kind": kind, "up_then_down": tiers.is_some(), "tiers": tiers, "climbs_at": climbs,
        "groups": groups, "unlike_shortest": unlike, "first_unlike": first_unlike, "weighted": has_weights,
        "relayed": relayed,
        "permutation": permutation.as_ref().map(|worst| [worst.load, worst.parts]),
    })
}

/// What is said of next hops only.
fn next_hops_lines(verdict: &NextHopVerdict) -> Vec<String> {
    let NextHopVerdict { order, groups, unlike, first_unlike, has_weights, relayed, permutation, .. } =
        verdict;
    let worst = |load, parts| format!("worst permutation of hosts: load {}", ratio(load, parts));
    let mut lines: Vec<String> = permutation.iter().map(|found| worst(found.load, found.parts)).collect();
    let (order, shortest) = match order {
        PathOrder::NoTiers => {
            ("the network has no tiers, so any path may be taken".to_owned(), "shortest paths")
        }
        PathOrder::UpThenDown { tiers } => (
            format!("all paths go up and then down through {tiers} tiers, and no router with hosts forwards"),
            "shortest paths up and then down",
        ),
        PathOrder::Climbs(router) => (
            format!("some paths go up again after a hop down, as at {router}"),
            "shortest paths up and then down",
        ),
    };
    lines.push(order);
    lines.push(match first_unlike {
        None => format!("{groups} groups are complete: each has exactly the ports on {shortest}"),
        Some(first) => {
            format!("{unlike} of {groups} groups are not exactly the ports on {shortest}: {first}")
        }
    });
    if *relayed > 0 {
        lines.push(format!(
            "the packets of {relayed} pairs pass endpoints that take them in and send them on"
        ));
    }
    if *has_weights {
        lines.push("some groups divide packets by weights".to_owned());
    }
    lines
}

fn vcs_used(verdict: &ForeignTables) -> usize {
    verdict.vc_hops.iter().filter(|hops| **hops > 0).count()
}

fn average_hops(verdict: &ForeignTables) -> f64 {
    verdict.hops as f64 / verdict.shares as f64 / verdict.pairs.max(1) as f64
}

/// An integer, or a ratio in lowest terms such as `448/3`.
fn ratio(numerator: u64, denominator: u64) -> String {
    let ratio = Fraction::new(numerator, denominator);
    match ratio.denominator() {
        1 => ratio.numerator().to_string(),
        denominator => format!("{}/{denominator}", ratio.numerator()),
    }
}

/// A number of shares of a route: an integer, or else a float.
fn in_shares(count: u64, shares: u64) -> Value {
    if count.is_multiple_of(shares) { json!(count / shares) } else { json!(count as f64 / shares as f64) }
}
