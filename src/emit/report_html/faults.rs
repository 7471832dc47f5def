//! The fault strip: one cell per OCS, coloured by how much the worst scenario in which it is dark costs.

use crate::compiled::Compiled;
use crate::emit::number::grouped;
use crate::emit::summary::{ratio4, readable};
use crate::ids::OcsId;
use crate::ir::{Scenario, ScenarioMetrics, worst};
use crate::model::Metric;
use minijinja::{Value, context};

/// Upper ends of the colour steps, value over nominal; the last step is open.
const STEPS: [f64; 5] = [1.0, 1.05, 1.1, 1.2, 1.35];

/// What the template shows; `None` if no fault was measured.
pub(super) fn faults(compiled: &Compiled) -> Option<Value> {
    let all = compiled.metrics();
    let nominal = &all[0];
    if all.len() < 2 {
        return None;
    }
    let metric = if nominal.routed.is_some() { Metric::MaxChannelLoad } else { Metric::AverageHops };
    let before = nominal.value(metric)?;
    let scenarios: Vec<(&Scenario, &ScenarioMetrics)> = compiled.scenarios.iter().map(|scenario| &scenario.scenario).zip(&all).collect();
    let cell = |id: OcsId| {
        let of_ocs = scenarios.iter().filter(|(scenario, _)| scenario.dark.contains(&id));
        let worst = of_ocs
            .filter_map(|(scenario, metrics)| Some((metrics.value(metric)?, *scenario, *metrics)))
            .reduce(|a, b| if b.0 > a.0 { b } else { a });
        let name = &compiled.pod.ocses[id].name;
        let Some((value, scenario, metrics)) = worst else { return context! { step => "none", title => format!("{name}: not measured") } };
        let ratio = value / before;
        let title = format!(
            "{}: {} {} ({} x nominal), diameter {}, average hops {}",
            scenario.name,
            metric.name(),
            readable(metric, value),
            ratio4(ratio),
            metrics.diameter,
            ratio4(metrics.average_hops()),
        );
        context! { step => step(ratio), title }
    };
    let groups: Vec<Value> = compiled
        .pod
        .ocs_groups
        .enumerate()
        .map(|(group, declared)| {
            let cells: Vec<Value> = compiled.pod.ocses.ids().filter(|&id| compiled.pod.ocses[id].group == group).map(cell).collect();
            // A group [u, v] is drawn as the face it serves: u rows of v cells.
            let columns = match declared.shape.as_slice() {
                [_, v] if *v <= 32 => *v as usize,
                _ => cells.len().min(16),
            };
            context! { name => declared.name, columns, cells }
        })
        .collect();
    let rows: Vec<Value> = Metric::ALL
        .into_iter()
        .filter_map(|metric| {
            // Without tables a fault has no certified flow: nothing to show.
            let (value, scenario) = worst(&all, metric).filter(|(value, _)| *value > 0.0 || metric == Metric::DisjointTrees)?;
            let before = nominal.value(metric)?;
            let (name, nominal, worst) = (metric.name(), readable(metric, before), readable(metric, value));
            Some(context! { name, nominal, worst, ratio => ratio4(value / before), scenario })
        })
        .collect();
    Some(context! { count => grouped(all.len() as u64 - 1), metric => metric.name(), groups, rows, legend => legend() })
}

fn step(ratio: f64) -> usize {
    STEPS.iter().position(|&end| ratio <= end + 1e-9).unwrap_or(STEPS.len())
}

fn legend() -> Vec<Value> {
    let mut legend: Vec<Value> = STEPS.iter().enumerate().map(|(step, end)| context! { step, text => format!("to {end:.2} x") }).collect();
    legend.push(context! { step => STEPS.len(), text => format!("over {:.2} x", STEPS[STEPS.len() - 1]) });
    legend
}
