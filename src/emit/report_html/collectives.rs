//! The collectives of the spec for the page: results of every scenario, time over size, and busy channels
//! step by step.

use crate::collective::{
    Bandwidths, CollectiveTextRow, algorithm_colors, bandwidth_pictures, busy_strip, collective_title,
    conditions, scenario_rows, time_curve,
};
use crate::compiled::CompiledFabric;
use fabc_ir::{CollectiveResult, RunDirection};
use fabc_model::DeclaredCollective;
use minijinja::{Value, context};

/// One entry per collective. Empty without collectives or without tables.
pub(super) fn collectives(compiled: &CompiledFabric) -> Vec<Value> {
    let results = compiled.fabric.collectives.iter().zip(&compiled.collectives);
    results.filter_map(|(declared, result)| collective_entry(compiled, declared, result)).collect()
}

/// Pictures of bandwidth over size for collectives that are scheduled in several sizes.
pub(super) fn bandwidths(compiled: &CompiledFabric) -> Vec<Value> {
    let entry = |Bandwidths { title, picture, key }: Bandwidths| {
        let key: Vec<Value> = key.into_iter().map(|(name, color)| context! { name, color }).collect();
        context! { title, picture, key }
    };
    bandwidth_pictures(compiled).into_iter().map(entry).collect()
}

fn collective_entry(
    compiled: &CompiledFabric,
    declared: &DeclaredCollective,
    result: &CollectiveResult,
) -> Option<Value> {
    let nominal = result.nominal()?;
    let lines = scenario_rows(result, if compiled.pod.is_some() { "chip" } else { "router" });
    let worst = result.worst_fault().map(|worst| &worst.row.scenario);
    let row = |line: &CollectiveTextRow| {
        let CollectiveTextRow { scenario, algorithm, steps, time, bound, share, bandwidth, .. } = line;
        context! { scenario, worst => Some(scenario) == worst, algorithm, cells => [steps, time, bound, share, bandwidth] }
    };
    let key: Vec<Value> = algorithm_colors(result)
        .iter()
        .map(|(algorithm, color)| context! { name => algorithm.name(), color })
        .collect();
    let scatters_and_gathers = nominal
        .schedule
        .rounds()
        .is_some_and(|rounds| rounds.order == [RunDirection::Reverse, RunDirection::Forward]);
    Some(context! {
        name => declared.name,
        title => collective_title(declared),
        conditions => conditions(declared, result),
        rows => lines.iter().map(row).collect::<Vec<_>>(),
        witness => lines[0].witness,
        others => lines[0].others.join(", "),
        sizes => time_curve(declared, result),
        key,
        steps => busy_strip(&compiled.fabric, &compiled.topology, &declared.name, &nominal.schedule),
        both => scatters_and_gathers,
        cycles => nominal.schedule.timed().is_some(),
    })
}
