//! The faults: a map with one cell per OCS or router, colored by what its failure costs on the scale of this
//! fabric's own faults, and the list of all scenarios.

use super::figure::figure;
use super::grid::{self, Cell, Grid, STEPS, range, step};
use crate::compiled::Compiled;
use crate::json::push;
use crate::number::grouped;
use crate::summary::{self, quotient4, readable};
use crate::svg::{Chart, Series, escape};
use fabc_base::ids::{NodeId, OcsGroupId, OcsId};
use fabc_ir::{Fault, Fraction, Scenario, ScenarioMetrics, worst};
use fabc_model::{Faults, Metric, OcsGroup, Pod};
use minijinja::{Value, context};

/// Scenarios listed, the worst ones; the page says how many are left out.
const LISTED: usize = 2000;
/// Cells drawn, at most.
const CELLS: usize = 2048;
/// Bars of the histogram.
const BINS: usize = 24;

/// A scenario, and its value of the metric that the map shows.
struct Measured<'c> {
    scenario: &'c Scenario,
    metrics: &'c ScenarioMetrics,
    value: Fraction,
    /// Its line in the list, if it has one.
    line: Option<usize>,
}

/// What the template shows; `None` if no fault was measured.
pub(super) fn faults(compiled: &Compiled) -> Option<Value> {
    let all = compiled.metrics();
    let nominal = &all[0];
    if all.len() < 2 {
        return None;
    }
    let metric = if nominal.routed.is_some() { Metric::MaxChannelLoad } else { Metric::AverageHops };
    let before = nominal.value(metric)?;
    let scenarios = compiled.scenarios.iter().map(|scenario| &scenario.scenario).zip(&all).skip(1);
    let mut measured: Vec<Measured<'_>> = scenarios
        .filter_map(|(scenario, metrics)| {
            Some(Measured { scenario, metrics, value: metrics.value(metric)?, line: None })
        })
        .collect();
    // The worst first, of equal ones as they were compiled.
    measured.sort_by_key(|one| std::cmp::Reverse(one.value));
    (0..).zip(&mut measured).take(LISTED).for_each(|(line, scenario)| scenario.line = Some(line));
    let columns: Vec<(Metric, Fraction)> = Metric::ALL
        .into_iter()
        .filter_map(|metric| Some((metric, nominal.value(metric)?)))
        // Without tables a fault has no certified flow: nothing to show.
        .filter(|&(metric, _)| {
            metric == Metric::DisjointTrees
                || all[1..].iter().any(|of| of.value(metric).is_some_and(|value| !value.is_zero()))
        })
        .collect();
    let worst_rows: Vec<Value> = columns
        .iter()
        .filter_map(|&(metric, before)| {
            let (value, scenario) = worst(&all, metric)?;
            let (name, nominal, worst) = (metric.name(), readable(metric, before), readable(metric, value));
            Some(context! { name, nominal, worst, ratio => quotient4(value, before), scenario })
        })
        .collect();
    let extra = |scenario: &Measured<'_>| cost(scenario.value, before);
    let images = measured.iter().any(|scenario| !scenario.scenario.images.is_empty());
    let list: String = measured
        .iter()
        .take(LISTED)
        .map(|scenario| line(scenario, &columns, extra(scenario), images))
        .collect();
    let (grids, lead) = grids(compiled, &measured, &extra);
    let drawn = grids.is_empty().then(|| histogram(&measured, &extra)).flatten();
    let heads: Vec<&str> = columns.iter().map(|(metric, _)| metric.name()).collect();
    context! {
        count => grouped(measured.len() as u64),
        stands_for => summary::stands_for(compiled),
        lead,
        metric => metric.name(),
        legend => legend(&grids),
        grids => grids.into_iter().map(|(_, grid)| grid).collect::<Vec<_>>(),
        histogram => drawn,
        worst => worst_rows,
        heads,
        images,
        list,
        unlisted => (measured.len() > LISTED).then(|| grouped((measured.len() - LISTED) as u64)),
    }
    .into()
}

/// Percent over the healthy fabric.
fn cost(value: Fraction, before: Fraction) -> f64 {
    if before.is_zero() { 0.0 } else { (value.as_f64() / before.as_f64() - 1.0) * 100.0 }
}

fn signed(percent: f64) -> String {
    // No negative zero.
    let text = format!("{percent:+.1}");
    if text == "-0.0" { "+0.0".to_owned() } else { text }
}

/// A line of the list.
fn line(of: &Measured<'_>, columns: &[(Metric, Fraction)], extra: f64, images: bool) -> String {
    let id = of.line.unwrap_or_default();
    let mut out = format!(
        "<tr id=\"fault-{id}\"><th scope=\"row\">{}<td class=\"number\">{}",
        escape(&of.scenario.name),
        signed(extra)
    );
    if images {
        push(&mut out, format_args!("<td class=\"number\">{}", grouped(1 + of.scenario.images.len() as u64)));
    }
    for &(metric, _) in columns {
        let value = of.metrics.value(metric).map_or(String::new(), |value| readable(metric, value));
        push(&mut out, format_args!("<td class=\"number\">{value}"));
    }
    out.push('\n');
    out
}

type Extra<'e> = &'e dyn Fn(&Measured<'_>) -> f64;
/// The percents of its cells, and what is drawn.
type Drawn = (Vec<f64>, String);

fn grids(compiled: &Compiled, measured: &[Measured<'_>], extra: Extra<'_>) -> (Vec<Drawn>, &'static str) {
    match (compiled.fabric.budget.faults, compiled.fabric.pod()) {
        (Faults::Ocses(_), Some(pod)) if pod.ocses.len() <= CELLS => (
            by_switch(pod, measured, extra),
            "One cell per switch; rows and columns are the indices of its group, and cells stand as the switch's ports stand on the face of a cube",
        ),
        (Faults::Router, Some(pod)) => (
            by_chip(pod, measured, extra),
            "One cell per chip that was compiled; what the symmetry makes of it fares alike",
        ),
        _ => (Vec::new(), ""),
    }
}

/// The worst scenario in which something fails.
fn worst_of<'m, 'c>(
    measured: &'m [Measured<'c>],
    fails: impl Fn(&Fault) -> bool,
) -> Option<&'m Measured<'c>> {
    measured.iter().find(|measured| fails(&measured.scenario.fault))
}

/// A map per group of OCSes.
fn by_switch(pod: &Pod, measured: &[Measured<'_>], extra: Extra<'_>) -> Vec<Drawn> {
    let worst: Vec<Option<&Measured<'_>>> =
        pod.ocses.ids().map(|id| worst_of(measured, |fault| fault.switches().contains(&id))).collect();
    let scale = range(worst.iter().flatten().map(|worst| extra(worst)));
    let group = |(group, declared): (OcsGroupId, &OcsGroup)| {
        let ids: Vec<OcsId> = pod.ocses.ids().filter(|&id| pod.ocses[id].group == group).collect();
        // A group [u, v] is drawn as the face it serves: u rows of v cells.
        let (columns, by_index) = match declared.shape.as_slice() {
            [_, v] if *v <= 32 => (*v as usize, true),
            _ => (ids.len().min(16), false),
        };
        let head = |ids: &[OcsId]| {
            if by_index { pod.ocses[ids[0]].index[0].to_string() } else { pod.ocses[ids[0]].name.clone() }
        };
        let cells: Vec<(String, Vec<Option<Cell>>)> = ids
            .chunks(columns)
            .map(|ids| {
                (
                    head(ids),
                    ids.iter()
                        .map(|&id| cell(&pod.ocses[id].name, worst[id.0 as usize], extra, scale))
                        .collect(),
                )
            })
            .collect();
        let values = ids.iter().filter_map(|id| worst[id.0 as usize]).map(extra).collect();
        let columns = if by_index { pod.ocses[ids[0]].index[1].. } else { 0.. };
        let columns = columns
            .take(cells.first().map_or(0, |(_, cells)| cells.len()))
            .map(|column| column.to_string())
            .collect();
        (
            values,
            grid::html(&Grid {
                caption: declared.name.clone(),
                class: "",
                items: None,
                columns,
                rows: cells,
            }),
        )
    };
    pod.ocs_groups
        .enumerate()
        .filter(|(group, _)| pod.ocses.iter().any(|ocs| ocs.group == *group))
        .map(group)
        .collect()
}

/// A map per plane of the cubes whose chips were compiled; only so many of them.
fn by_chip(pod: &Pod, measured: &[Measured<'_>], extra: Extra<'_>) -> Vec<Drawn> {
    const PLANES: usize = 32;
    let mut chips: Vec<(NodeId, &Measured<'_>)> =
        measured.iter().filter_map(|one| Some((one.scenario.fault.dead()?, one))).collect();
    chips.sort_by_key(|&(chip, _)| chip);
    let [x, y, _] = pod.cube.dims;
    let scale = range(chips.iter().map(|(_, worst)| extra(worst)));
    let plane = |chips: &[(NodeId, &Measured<'_>)]| {
        let (cube, z) = (pod.cube_of(chips[0].0), pod.at(chips[0].0)[2]);
        let row = |chips: &[(NodeId, &Measured<'_>)]| {
            let cells =
                chips.iter().map(|&(chip, worst)| cell(&pod.node_name(chip), Some(worst), extra, scale));
            (format!("y {}", pod.at(chips[0].0)[1]), cells.collect())
        };
        let columns = (0..x).map(|x| format!("x {x}")).collect();
        let rows = chips.chunks(x as usize).map(row).collect();
        let values = chips.iter().map(|(_, worst)| extra(worst)).collect();
        (
            values,
            grid::html(&Grid {
                caption: format!("cube{cube}, z = {z}"),
                class: "",
                items: None,
                columns,
                rows,
            }),
        )
    };
    chips.chunks((x * y) as usize).take(PLANES).map(plane).collect()
}

fn cell(name: &str, worst: Option<&Measured<'_>>, extra: Extra<'_>, scale: [f64; 2]) -> Option<Cell> {
    let worst = worst?;
    let percent = signed(extra(worst));
    let title = format!("{name}: {percent} % in {}", worst.scenario.name);
    let to = worst.line.map(|line| format!("fault-{line}"));
    Some(Cell { to, ..Cell::of_scale('q', step(extra(worst), scale), percent, title) })
}

/// What the colors mean: what their cells range over.
fn legend(grids: &[Drawn]) -> Vec<Value> {
    let values = || grids.iter().flat_map(|(values, _)| values).copied();
    let scale = range(values());
    let entry = |at: usize| {
        let [low, high] = range(values().filter(|&value| step(value, scale) == at))
            .map(|end| if end.is_finite() { signed(end) } else { String::new() });
        let text = if low == high { format!("{low} %") } else { format!("{low} to {high} %") };
        (!low.is_empty()).then(|| context! { step => at, text })
    };
    (0..STEPS).filter_map(entry).collect()
}

/// How many scenarios cost how much, where there is no map.
fn histogram(measured: &[Measured<'_>], extra: Extra<'_>) -> Option<String> {
    let [low, high] = range(measured.iter().map(extra));
    if high <= low {
        return None;
    }
    let width = (high - low) / BINS as f64;
    let mut values = vec![0; BINS];
    for one in measured {
        values[(((extra(one) - low) / width) as usize).min(BINS - 1)] += 1;
    }
    let edge = |bin: usize| signed(low + width * bin as f64);
    let ranges: Vec<String> = (0..BINS).map(|bin| format!("{} to {} %", edge(bin), edge(bin + 1))).collect();
    let titles =
        ranges.iter().zip(&values).map(|(range, count)| format!("{range}: {count} scenarios")).collect();
    let chart = Chart {
        label: "How many fault scenarios cost how much; the table below has the numbers".to_owned(),
        height: 220.0,
        categories: (0..BINS).map(edge).collect(),
        x_title: "percent over the healthy fabric",
        y_title: "scenarios",
        series: vec![Series { class: "bar one", name: "scenarios", values, titles }],
        mark: None,
    };
    Some(figure(&chart, "cost", &ranges, "Fault scenarios by cost"))
}
