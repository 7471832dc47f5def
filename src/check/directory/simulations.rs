//! Reads the results of simulations, as far as the contract needs them. The checker does not prove them.
//! Whoever has a model of routers repeats the runs.

use super::files::Files;
use super::read::tagged;
use crate::CheckError;
use crate::exact::Exact;
use fabc_ir::read::{SimulatedLine, SimulationFile, millionths};
use fabc_model::{Metric, Require, SimulatedMetric, ValueScale};
use std::cmp::Ordering;

/// Rates are written in millionths of a flit per cycle. Those that a contract asks for are multiples of
/// `STEP` millionths.
const MILLION: u128 = 1_000_000;
const STEP: u128 = 100;

/// The value that a `require` line is about, at the worst seed and scenario, and that scenario where there
/// are several. `None` if there are no results, as for a fabric without tables.
pub(super) fn claimed_value(
    files: &Files,
    require: &Require,
    clock_hz: u64,
) -> Result<Option<(Exact, Option<String>)>, CheckError> {
    let Some(simulation) = require.simulation() else { return Ok(None) };
    let path = format!("simulations/{}.json", simulation.name);
    if !files.contains_key(&path) {
        return Ok(None);
    }
    let file: SimulationFile = tagged(files, &path)?;
    let contradiction = |violation: &str| super::read::contradiction(&path, "", violation);
    if file.simulation.as_ref() != Some(&simulation.name) {
        return Err(contradiction("this is not the simulation of this name"));
    }
    let worse_order = match require.metric {
        Metric::Simulated(SimulatedMetric::Latency | SimulatedMetric::Time) => Ordering::Greater,
        _ => Ordering::Less,
    };
    let mut worst: Option<(Exact, &str)> = None;
    for line in &file.scenarios {
        let value = line_value(line, require, clock_hz)
            .ok_or_else(|| contradiction("a number that a `require` needs is missing"))?;
        if worst.is_none_or(|(worst, _)| value.compare_exact(worst) == worse_order) {
            worst = Some((value, &line.scenario));
        }
    }
    let several = file.scenarios.len() > 1;
    Ok(worst.map(|(value, scenario)| (value, several.then(|| scenario.to_owned()))))
}

fn line_value(line: &SimulatedLine, require: &Require, clock_hz: u64) -> Option<Exact> {
    let [numerator, denominator] = line.bound_ratio.map(u128::from);
    let bound = Exact::new(numerator, denominator).filter(|_| numerator > 0)?;
    let low = || line.saturation.iter().map(|saturation| millionths(saturation.low)).min();
    match require.metric {
        Metric::Simulated(SimulatedMetric::Saturation) => Exact::new(low()?.into(), MILLION),
        Metric::Simulated(SimulatedMetric::Share) if !line.completions.is_empty() => Exact::new(
            line.least_cycles?.into(),
            line.completions.iter().map(|run| run.cycles).max()?.max(1).into(),
        ),
        Metric::Simulated(SimulatedMetric::Share) => Exact::new(low()?.into(), MILLION)?.divided_by(bound),
        Metric::Simulated(
            metric @ (SimulatedMetric::Sustained | SimulatedMetric::Fairness | SimulatedMetric::Elsewhere),
        ) => {
            let runs = line.saturation.iter().flat_map(|search| &search.overload);
            let ratios = runs.map(|run| match metric {
                SimulatedMetric::Sustained => Some(run.sustained_ratio),
                SimulatedMetric::Fairness => Some(run.fairness_ratio),
                _ => run.elsewhere_packets,
            });
            let values =
                ratios.map(|ratio| ratio.and_then(|[over, under]| Exact::new(over.into(), under.into())));
            values.collect::<Option<Vec<_>>>()?.into_iter().reduce(|first, second| {
                if second.compare_exact(first) == Ordering::Less { second } else { first }
            })
        }
        Metric::Simulated(SimulatedMetric::Time) => {
            let cycles = Exact::integer(line.completions.iter().map(|run| run.cycles).max()?.into());
            if require.scale == ValueScale::Cycles {
                Some(cycles)
            } else {
                cycles.times(1_000_000_000, clock_hz.into())
            }
        }
        _ => {
            let share = require.simulation()?.share?;
            let share = Exact::decimal(&share.to_string())?.parts();
            let (numerator, denominator) = bound.times(share.0, share.1)?.parts();
            let rate = numerator.checked_mul(MILLION / STEP)? / denominator * STEP;
            let points =
                line.points.iter().filter(|point| u128::from(millionths(point.rate)) == rate.max(STEP));
            let cycles = points.map(|point| match &point.latency {
                Some(latency) if point.stable && point.unfinished == 0 => {
                    Exact::new(latency.sum.into(), latency.packets.into())
                }
                _ => Some(Exact::integer(line.model.warmup_cycles + 2 * line.model.measure_cycles)),
            });
            let worst = cycles.collect::<Option<Vec<_>>>()?.into_iter();
            let worst = worst.reduce(|first, second| {
                if second.compare_exact(first) == Ordering::Greater { second } else { first }
            })?;
            if require.scale == ValueScale::Cycles {
                Some(worst)
            } else {
                worst.times(1_000_000_000, clock_hz.into())
            }
        }
    }
}
