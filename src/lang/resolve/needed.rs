//! What the lines of the contract need in the spec: a floor, failures, sprayed packets, prices.

use super::context::Context;
use super::items::SpecItems;
use super::kind::PlantKind;
use super::many_paths::ECMP;
use crate::ResolveError;
use fabc_model::{GraphMetric, HardwareMetric, Metric, Require, Router};

/// Reports lines on cables if the spec has no floor, as `is_missing` says.
pub(super) fn need_floor(context: &mut Context, requires: &[Require], kind: PlantKind, is_missing: bool) {
    for line in requires.iter().filter(|line| is_missing && matches!(line.metric, Metric::Floor(_))) {
        let help = Some(format!("add `{}`", super::floor::example(kind)));
        let (subject, place) = (format!("`{}`", line.metric.name()), "a fabric without a `floor`".to_owned());
        context.error(ResolveError::Misplaced { subject, place, help, span: line.span });
    }
}

/// Reports lines on failures if the spec has none.
pub(super) fn need_failures(context: &mut Context, requires: &[Require]) {
    for line in requires.iter().filter(|line| line.metric == Metric::Graph(GraphMetric::DisconnectShare)) {
        let help = Some("add `failures { links <= 60 %; seeds = 100; }`".to_owned());
        let (subject, place) = ("`disconnect_share`".to_owned(), "a fabric without `failures`".to_owned());
        context.error(ResolveError::Misplaced { subject, place, help, span: line.span });
    }
}

/// Reports lines on metrics of many paths that the routing does not have. `method` is its name if it has many
/// paths, and `is_weighted` says that it has `weights = capacity`.
pub(super) fn need_many_paths(
    context: &mut Context,
    requires: &[Require],
    method: Option<&str>,
    is_weighted: bool,
) {
    for line in requires {
        if matches!(line.metric, Metric::Collision | Metric::CollisionWorst) && is_weighted {
            let help = "collisions are counted where all next hops of a group have the same probability. Remove the line, or `weights`";
            let (subject, place) =
                (format!("`{}`", line.metric.name()), "a fabric with `weights = capacity`");
            context.error(ResolveError::Misplaced {
                subject,
                place: place.to_owned(),
                help: Some(help.to_owned()),
                span: line.span,
            });
            continue;
        }
        let (wanted, place) = match line.metric {
            Metric::Permutation if method.is_none() => {
                ("spray", "a fabric without `routing = spray` or `ecmp`")
            }
            Metric::Collision | Metric::CollisionWorst if method != Some(ECMP) => {
                ("ecmp", "a fabric without `routing = ecmp`")
            }
            _ => continue,
        };
        let help = Some(format!("remove it, or write `routing = {wanted};` in a network with tiers"));
        let (subject, place) = (format!("`{}`", line.metric.name()), place.to_owned());
        context.error(ResolveError::Misplaced { subject, place, help, span: line.span });
    }
}

/// Reports lines on prices or powers if the spec declares none, or if nothing says of which kind the cables
/// of hosts are.
pub(super) fn need_prices(
    context: &mut Context,
    items: &SpecItems<'_>,
    requires: &[Require],
    router: Option<&Router>,
    kind: PlantKind,
) {
    let is_declared = |word: &str| {
        let links = items.links.iter().map(|(_, block, _)| *block);
        let routers = items.router.iter().chain(&items.chip).map(|(block, _)| *block);
        let switches = items.ocs.iter().map(|(item, _)| &item.block);
        let named = items.router_kinds.iter().chain(&items.boxes).map(|(_, block, _)| *block);
        links
            .chain(routers)
            .chain(switches)
            .chain(named)
            .flat_map(|block| &block.statements)
            .any(|line| line.kind.keyword() == word)
    };
    let mut misplaced = |line: &Require, place: &str, help: String| {
        let (subject, place) = (format!("`{}`", line.metric.name()), place.to_owned());
        context.error(ResolveError::Misplaced { subject, place, help: Some(help), span: line.span });
    };
    for line in requires {
        let (word, example) = match line.metric {
            Metric::Hardware(HardwareMetric::CostPerHost) => ("cost", "cost = 2000;"),
            Metric::Hardware(HardwareMetric::PowerPerHost) => ("power", "power = 600 W;"),
            _ => continue,
        };
        if !is_declared(word) {
            let (plant, block) = if kind.is_network { ("network", "router") } else { ("pod", "ocs X[..]") };
            let help = format!("write `{block} {{ {example} }}`, or the `{word}` of a cable in its `link`");
            misplaced(line, &format!("a {plant} where nothing has a `{word}`"), help);
        } else if kind.is_network
            && router.is_some_and(|router| router.hosts > 0 && router.host_link.is_none())
        {
            let help = "name the link of the cables of hosts: `router { host_link = .. }`".to_owned();
            misplaced(line, "a network of several links without a `host_link`", help);
        }
    }
}
