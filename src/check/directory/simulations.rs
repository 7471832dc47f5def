//! What simulations say, as far as the contract speaks of it. Whether it is true, is not for this room: runs
//! are run again by whoever has a model of routers.

use super::files::Files;
use super::read::tagged;
use crate::CheckError;
use crate::exact::Exact;
use fabc_ir::read::{SimulatedLine, SimulationFile, millionths};
use fabc_model::{Metric, Require, Scale, SimulatedMetric};
use std::cmp::Ordering;

/// Rates are written in so many parts of a flit per cycle, and those that the contract asks for in so many.
const MILLION: u128 = 1_000_000;
const STEP: u128 = 100;

/// The value that a line is about, at the worst seed and scenario, and that scenario where there are several.
/// `None` where nothing is said, as of a fabric without tables.
pub(super) fn claimed(
    files: &Files,
    require: &Require,
    clock_hz: u64,
) -> Result<Option<(Exact, Option<String>)>, CheckError> {
    let Some(of) = require.simulation() else { return Ok(None) };
    let path = format!("simulations/{}.json", of.name);
    if !files.contains_key(&path) {
        return Ok(None);
    }
    let file: SimulationFile = tagged(files, &path)?;
    let contradiction = |what: &str| super::read::contradiction(&path, "", what);
    if file.simulation.as_ref() != Some(&of.name) {
        return Err(contradiction("this is not the simulation of this name"));
    }
    let bad = match require.metric {
        Metric::Simulated(SimulatedMetric::Latency | SimulatedMetric::Time) => Ordering::Greater,
        _ => Ordering::Less,
    };
    let mut worst: Option<(Exact, &str)> = None;
    for line in &file.scenarios {
        let value = value(line, require, clock_hz)
            .ok_or_else(|| contradiction("a number that the contract speaks of is missing"))?;
        if worst.is_none_or(|(worst, _)| value.against(worst) == bad) {
            worst = Some((value, &line.scenario));
        }
    }
    let several = file.scenarios.len() > 1;
    Ok(worst.map(|(value, scenario)| (value, several.then(|| scenario.to_owned()))))
}

fn value(line: &SimulatedLine, require: &Require, clock_hz: u64) -> Option<Exact> {
    let [over, under] = line.bound_ratio.map(u128::from);
    let bound = Exact::new(over, under).filter(|_| over > 0)?;
    let stable = || line.saturation.iter().map(|found| found.stable.map_or(0, millionths)).min();
    match require.metric {
        Metric::Simulated(SimulatedMetric::Saturation) => Exact::new(stable()?.into(), MILLION),
        Metric::Simulated(SimulatedMetric::Share) if !line.completions.is_empty() => Exact::new(
            line.least_cycles?.into(),
            line.completions.iter().map(|run| run.cycles).max()?.max(1).into(),
        ),
        Metric::Simulated(SimulatedMetric::Share) => Exact::new(stable()?.into(), MILLION)?.by(bound),
        Metric::Simulated(SimulatedMetric::Time) => {
            let cycles = Exact::integer(line.completions.iter().map(|run| run.cycles).max()?.into());
            if require.scale == Scale::Cycles {
                Some(cycles)
            } else {
                cycles.times(1_000_000_000, clock_hz.into())
            }
        }
        _ => {
            let share = require.simulation()?.share?;
            let share = Exact::decimal(&share.to_string())?.parts();
            let (over, under) = bound.times(share.0, share.1)?.parts();
            let rate = over.checked_mul(MILLION / STEP)? / under * STEP;
            let points =
                line.points.iter().filter(|point| u128::from(millionths(point.rate)) == rate.max(STEP));
            let cycles = points.map(|point| match &point.latency {
                Some(of) if point.stable && point.unfinished == 0 => {
                    Exact::new(of.sum.into(), of.packets.into())
                }
                _ => Some(Exact::integer(line.model.warmup_cycles + 2 * line.model.measure_cycles)),
            });
            let worst = cycles.collect::<Option<Vec<_>>>()?.into_iter();
            let worst = worst
                .reduce(|one, other| if other.against(one) == Ordering::Greater { other } else { one })?;
            if require.scale == Scale::Cycles {
                Some(worst)
            } else {
                worst.times(1_000_000_000, clock_hz.into())
            }
        }
    }
}
