//! The fault maps: one cell per OCS or chip, colored by how much the worst scenario in which it fails costs.

use crate::compiled::Compiled;
use crate::emit::number::grouped;
use crate::emit::summary::{self, quotient4, ratio4, readable};
use crate::ids::{NodeId, OcsGroupId, OcsId};
use crate::ir::{Fault, Scenario, ScenarioMetrics, worst};
use crate::model::{Faults, Metric, OcsGroup, Pod};
use minijinja::{Value, context};

/// Upper ends of the color steps, value over nominal; the last step is open.
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
    // The worst of the scenarios in which something fails.
    let cell = |name: &str, fails: &dyn Fn(&Scenario) -> bool| {
        let worst = scenarios
            .iter()
            .filter(|(scenario, _)| fails(scenario))
            .filter_map(|(scenario, metrics)| Some((metrics.value(metric)?, *scenario, *metrics)))
            .reduce(|a, b| if b.0 > a.0 { b } else { a });
        let Some((value, scenario, metrics)) = worst else { return context! { step => "none", title => format!("{name}: not measured") } };
        let title = format!(
            "{}: {} {} ({} x nominal), diameter {}, average hops {}",
            scenario.name,
            metric.name(),
            readable(metric, value),
            quotient4(value, before),
            metrics.diameter,
            ratio4(metrics.average_hops().as_f64()),
        );
        context! { step => step(value.as_f64() / before.as_f64()), title }
    };
    let (groups, lead) = match (compiled.fabric.budget.faults, compiled.fabric.pod()) {
        (_, None) => (Vec::new(), ""),
        (Faults::Ocses(_), Some(pod)) => (
            by_switch(pod, |id| cell(&pod.ocses[id].name, &|scenario| scenario.fault.switches().contains(&id))),
            "One cell per switch; cells stand as the switch's ports stand on the face of a cube",
        ),
        (Faults::Chip, Some(pod)) => (
            by_chip(pod, &scenarios, |id| cell(&pod.node_name(id), &|scenario| scenario.fault == Fault::Router(id))),
            "One cell per chip that was compiled, x to the right and y downwards; what the symmetry makes of it fares alike",
        ),
        (Faults::Link, _) => (Vec::new(), ""),
    };
    let rows: Vec<Value> = Metric::ALL
        .into_iter()
        .filter_map(|metric| {
            // Without tables a fault has no certified flow: nothing to show.
            let (value, scenario) = worst(&all, metric).filter(|(value, _)| !value.is_zero() || metric == Metric::DisjointTrees)?;
            let before = nominal.value(metric)?;
            let (name, nominal, worst) = (metric.name(), readable(metric, before), readable(metric, value));
            Some(context! { name, nominal, worst, ratio => quotient4(value, before), scenario })
        })
        .collect();
    let stands_for = summary::stands_for(compiled);
    Some(context! { count => grouped(all.len() as u64 - 1), stands_for, lead, metric => metric.name(), groups, rows, legend => legend() })
}

/// A map per group of OCSes.
fn by_switch(pod: &Pod, cell: impl Fn(OcsId) -> Value) -> Vec<Value> {
    let group = |(group, declared): (OcsGroupId, &OcsGroup)| {
        let cells: Vec<Value> = pod.ocses.ids().filter(|&id| pod.ocses[id].group == group).map(&cell).collect();
        // A group [u, v] is drawn as the face it serves: u rows of v cells.
        let columns = match declared.shape.as_slice() {
            [_, v] if *v <= 32 => *v as usize,
            _ => cells.len().min(16),
        };
        context! { name => declared.name, columns, cells }
    };
    pod.ocs_groups.enumerate().map(group).collect()
}

/// A map per plane of the cubes whose chips were compiled; only so many of them.
fn by_chip(pod: &Pod, scenarios: &[(&Scenario, &ScenarioMetrics)], cell: impl Fn(NodeId) -> Value) -> Vec<Value> {
    const PLANES: usize = 32;
    let chips: Vec<NodeId> = scenarios.iter().filter_map(|(scenario, _)| scenario.fault.dead()).collect();
    let [x, y, _] = pod.cube.dims;
    let plane = |chips: &[NodeId]| {
        let cube = chips[0].0 / pod.chips_per_cube();
        let z = chips[0].0 % pod.chips_per_cube() / (x * y);
        context! { name => format!("cube{cube}, z = {z}"), columns => x, cells => chips.iter().map(|&chip| cell(chip)).collect::<Vec<_>>() }
    };
    chips.chunks((x * y) as usize).take(PLANES).map(plane).collect()
}

fn step(ratio: f64) -> usize {
    STEPS.iter().position(|&end| ratio <= end + 1e-9).unwrap_or(STEPS.len())
}

fn legend() -> Vec<Value> {
    let mut legend: Vec<Value> = STEPS.iter().enumerate().map(|(step, end)| context! { step, text => format!("to {end:.2} x") }).collect();
    legend.push(context! { step => STEPS.len(), text => format!("over {:.2} x", STEPS[STEPS.len() - 1]) });
    legend
}
