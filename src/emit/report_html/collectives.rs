//! The collectives of the spec: what they take in every scenario, over their size, and step by step.

use crate::collective::{
    Bandwidths, CollectiveLine, collective_lines, collective_title, colors, conditions, over_bandwidths,
    over_sizes, over_steps,
};
use crate::compiled::Compiled;
use fabc_ir::{CollectiveResult, Order};
use fabc_model::DeclaredCollective;
use minijinja::{Value, context};

/// One entry per collective; empty without any, or without tables.
pub(super) fn collectives(compiled: &Compiled) -> Vec<Value> {
    let all = compiled.fabric.collectives.iter().zip(&compiled.collectives);
    all.filter_map(|(declared, result)| one(compiled, declared, result)).collect()
}

/// Bandwidth over size of what is scheduled in several sizes.
pub(super) fn bandwidths(compiled: &Compiled) -> Vec<Value> {
    let of = |Bandwidths { title, picture, key }: Bandwidths| {
        let key: Vec<Value> = key.into_iter().map(|(name, color)| context! { name, color }).collect();
        context! { title, picture, key }
    };
    over_bandwidths(compiled).into_iter().map(of).collect()
}

fn one(compiled: &Compiled, declared: &DeclaredCollective, result: &CollectiveResult) -> Option<Value> {
    let nominal = result.nominal()?;
    let lines = collective_lines(result, if compiled.pod.is_some() { "chip" } else { "router" });
    let worst = result.worst_fault().map(|worst| &worst.row.scenario);
    let row = |line: &CollectiveLine| {
        let CollectiveLine { scenario, algorithm, steps, time, bound, share, bandwidth, .. } = line;
        context! { scenario, worst => Some(scenario) == worst, algorithm, cells => [steps, time, bound, share, bandwidth] }
    };
    let key: Vec<Value> = colors(result)
        .iter()
        .map(|(algorithm, color)| context! { name => algorithm.name(), color })
        .collect();
    let both =
        nominal.schedule.rounds().is_some_and(|rounds| rounds.order == [Order::Reverse, Order::Forward]);
    Some(context! {
        name => declared.name,
        title => collective_title(declared),
        conditions => conditions(declared, result),
        rows => lines.iter().map(row).collect::<Vec<_>>(),
        witness => lines[0].witness,
        others => lines[0].others.join(", "),
        sizes => over_sizes(declared, result),
        key,
        steps => over_steps(&compiled.fabric, &compiled.topology, &declared.name, &nominal.schedule),
        both,
        cycles => nominal.schedule.timed().is_some(),
    })
}
