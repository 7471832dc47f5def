//! The faults of the page: a map with one cell per OCS or router, and a list of all scenarios. A cell's color
//! is the cost of the failure, on the scale of this fabric's own faults.

use super::figure::figure;
use super::grid::{self, GridCell, STEPS, TableGrid, range, step};
use crate::compiled::CompiledFabric;
use crate::json::push;
use crate::number::grouped;
use crate::summary::{self, quotient4, readable};
use crate::svg::{Chart, Series, escape};
use fabc_base::ids::{NodeId, OcsGroupId, OcsId};
use fabc_ir::{Fraction, Scenario, ScenarioFault, ScenarioMetrics, worst};
use fabc_model::{Faults, Metric, OcsGroup, Pod};
use minijinja::{Value, context};

/// Maximum number of listed scenarios, the worst ones. The page says how many are left out.
const LISTED: usize = 2000;
/// Maximum number of cells that are drawn.
const CELLS: usize = 2048;
const BINS: usize = 24;

/// A scenario with its value of the metric that the map shows.
struct MeasuredFault<'c> {
    scenario: &'c Scenario,
    metrics: &'c ScenarioMetrics,
    value: Fraction,
    /// Its index in the list, if it is listed.
    line: Option<usize>,
}

/// The faults for the template; `None` if no fault was measured.
pub(super) fn faults(compiled: &CompiledFabric) -> Option<Value> {
    let metrics = compiled.metrics();
    let nominal = &metrics[0];
    if metrics.len() < 2 {
        return None;
    }
    let metric = if nominal.routed.is_some() { Metric::MaxChannelLoad } else { Metric::AverageHops };
    let before = nominal.value(metric)?;
    let scenarios = compiled.scenarios.iter().map(|scenario| &scenario.scenario).zip(&metrics).skip(1);
    let mut measured: Vec<MeasuredFault<'_>> = scenarios
        .filter_map(|(scenario, metrics)| {
            Some(MeasuredFault { scenario, metrics, value: metrics.value(metric)?, line: None })
        })
        .collect();
    // The worst first, of equal ones as they were compiled.
    measured.sort_by_key(|fault| std::cmp::Reverse(fault.value));
    (0..).zip(&mut measured).take(LISTED).for_each(|(line, scenario)| scenario.line = Some(line));
    let columns: Vec<(Metric, Fraction)> = Metric::of_scenarios()
        .filter_map(|metric| Some((metric, nominal.value(metric)?)))
        // Without tables a fault has no certified flow: nothing to show.
        .filter(|&(metric, _)| {
            metric == Metric::DisjointTrees
                || metrics[1..]
                    .iter()
                    .any(|metrics| metrics.value(metric).is_some_and(|value| !value.is_zero()))
        })
        .collect();
    let worst_rows: Vec<Value> = columns
        .iter()
        .filter_map(|&(metric, before)| {
            let (value, scenario) = worst(&metrics, metric)?;
            let (name, nominal, worst) = (metric.name(), readable(metric, before), readable(metric, value));
            Some(context! { name, nominal, worst, ratio => quotient4(value, before), scenario })
        })
        .collect();
    let extra = |scenario: &MeasuredFault<'_>| cost(scenario.value, before);
    let images = measured.iter().any(|scenario| !scenario.scenario.images.is_empty());
    let list: String = measured
        .iter()
        .take(LISTED)
        .map(|scenario| fault_row(scenario, &columns, extra(scenario), images))
        .collect();
    let (grids, lead) = fault_maps(compiled, &measured, &extra);
    let drawn = grids.is_empty().then(|| histogram(&measured, &extra)).flatten();
    let heads: Vec<&str> = columns.iter().map(|(metric, _)| metric.name()).collect();
    context! {
        count => grouped(measured.len() as u64),
        stands_for => summary::represented_faults(compiled),
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

/// Increase over the healthy fabric in percent.
fn cost(value: Fraction, before: Fraction) -> f64 {
    if before.is_zero() { 0.0 } else { (value.as_f64() / before.as_f64() - 1.0) * 100.0 }
}

fn signed(percent: f64) -> String {
    // No negative zero.
    let text = format!("{percent:+.1}");
    if text == "-0.0" { "+0.0".to_owned() } else { text }
}

/// A row of the list.
fn fault_row(fault: &MeasuredFault<'_>, columns: &[(Metric, Fraction)], cost: f64, images: bool) -> String {
    let id = fault.line.unwrap_or_default();
    let mut out = format!(
        "<tr id=\"fault-{id}\"><th scope=\"row\">{}<td class=\"number\">{}",
        escape(&fault.scenario.name),
        signed(cost)
    );
    if images {
        push(
            &mut out,
            format_args!("<td class=\"number\">{}", grouped(1 + fault.scenario.images.len() as u64)),
        );
    }
    for &(metric, _) in columns {
        let value = fault.metrics.value(metric).map_or(String::new(), |value| readable(metric, value));
        push(&mut out, format_args!("<td class=\"number\">{value}"));
    }
    out.push('\n');
    out
}

type Extra<'e> = &'e dyn Fn(&MeasuredFault<'_>) -> f64;
/// The costs in percent of a map's cells, and the drawn map.
type Drawn = (Vec<f64>, String);

fn fault_maps(
    compiled: &CompiledFabric,
    measured: &[MeasuredFault<'_>],
    extra: Extra<'_>,
) -> (Vec<Drawn>, &'static str) {
    match (compiled.fabric.budget.faults, compiled.fabric.pod()) {
        (Faults::Ocses(_), Some(pod)) if pod.ocses.len() <= CELLS => (
            switch_maps(pod, measured, extra),
            "One cell per switch; rows and columns are the indices of its group, and cells stand as the switch's ports stand on the face of a cube",
        ),
        (Faults::Router, Some(pod)) => (
            chip_maps(pod, measured, extra),
            "One cell per chip that was compiled; what the symmetry makes of it fares alike",
        ),
        _ => (Vec::new(), ""),
    }
}

/// The worst scenario whose fault matches.
fn worst_of<'m, 'c>(
    measured: &'m [MeasuredFault<'c>],
    fails: impl Fn(&ScenarioFault) -> bool,
) -> Option<&'m MeasuredFault<'c>> {
    measured.iter().find(|measured| fails(&measured.scenario.fault))
}

/// One map per group of OCSes.
fn switch_maps(pod: &Pod, measured: &[MeasuredFault<'_>], extra: Extra<'_>) -> Vec<Drawn> {
    let worst: Vec<Option<&MeasuredFault<'_>>> =
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
        let cells: Vec<(String, Vec<Option<GridCell>>)> = ids
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
            grid::grid_table(&TableGrid {
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

/// One map per plane of the cubes whose chips were compiled, up to a limit.
fn chip_maps(pod: &Pod, measured: &[MeasuredFault<'_>], extra: Extra<'_>) -> Vec<Drawn> {
    const PLANES: usize = 32;
    let mut chips: Vec<(NodeId, &MeasuredFault<'_>)> =
        measured.iter().filter_map(|fault| Some((fault.scenario.fault.dead()?, fault))).collect();
    chips.sort_by_key(|&(chip, _)| chip);
    let [x, y, _] = pod.cube.dims;
    let scale = range(chips.iter().map(|(_, worst)| extra(worst)));
    let plane = |chips: &[(NodeId, &MeasuredFault<'_>)]| {
        let (cube, z) = (pod.cube_of(chips[0].0), pod.coordinates(chips[0].0)[2]);
        let row = |chips: &[(NodeId, &MeasuredFault<'_>)]| {
            let cells =
                chips.iter().map(|&(chip, worst)| cell(&pod.node_name(chip), Some(worst), extra, scale));
            (format!("y {}", pod.coordinates(chips[0].0)[1]), cells.collect())
        };
        let columns = (0..x).map(|x| format!("x {x}")).collect();
        let rows = chips.chunks(x as usize).map(row).collect();
        let values = chips.iter().map(|(_, worst)| extra(worst)).collect();
        (
            values,
            grid::grid_table(&TableGrid {
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

fn cell(
    name: &str,
    worst: Option<&MeasuredFault<'_>>,
    extra: Extra<'_>,
    scale: [f64; 2],
) -> Option<GridCell> {
    let worst = worst?;
    let percent = signed(extra(worst));
    let title = format!("{name}: {percent} % in {}", worst.scenario.name);
    let to = worst.line.map(|line| format!("fault-{line}"));
    Some(GridCell { to, ..GridCell::of_scale('q', step(extra(worst), scale), percent, title) })
}

/// The legend: for every color the range of its cells.
fn legend(grids: &[Drawn]) -> Vec<Value> {
    let values = || grids.iter().flat_map(|(values, _)| values).copied();
    let scale = range(values());
    let entry = |color: usize| {
        let [low, high] = range(values().filter(|&value| step(value, scale) == color))
            .map(|end| if end.is_finite() { signed(end) } else { String::new() });
        let text = if low == high { format!("{low} %") } else { format!("{low} to {high} %") };
        (!low.is_empty()).then(|| context! { step => color, text })
    };
    (0..STEPS).filter_map(entry).collect()
}

/// How many scenarios have which cost, for fabrics without a map.
fn histogram(measured: &[MeasuredFault<'_>], extra: Extra<'_>) -> Option<String> {
    let [low, high] = range(measured.iter().map(extra));
    if high <= low {
        return None;
    }
    let width = (high - low) / BINS as f64;
    let mut values = vec![0; BINS];
    for fault in measured {
        values[(((extra(fault) - low) / width) as usize).min(BINS - 1)] += 1;
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
