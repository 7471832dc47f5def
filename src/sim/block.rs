//! Runs the `simulate name { .. }` blocks of a spec, and evaluates the lines of the contract about them.

use super::errors::SimError;
use super::prepare::{Prepared, prepare};
use super::report::SimReport;
use super::simulate::simulate;
use super::tables::SimulatedTables;
use crate::rate::rate_of_share;
use fabc_base::progress::Progress;
use fabc_ir::{Fraction, RequireOutcome, Scene, nanoseconds};
use fabc_model::{Fabric, Metric, Rate, Require, SimulatedMetric, Simulation, ValueScale};

/// The rates of a curve without rates, in percent of the static bound.
const CURVE: [u8; 12] = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120];

/// The rates of a curve that names none.
fn usual_rates(bound: Fraction) -> Vec<Rate> {
    CURVE.iter().map(|&percent| rate_of_share(Fraction::new(percent, 100u8), bound)).collect()
}

/// Runs a simulation of a spec on the tables of one scenario.
///
/// # Errors
/// The [`SimError`] of what the model cannot do with this fabric, of a route that does not arrive, or of
/// packets that wait for each other for ever.
pub fn run_block<'t>(
    fabric: &Fabric,
    scene: &Scene<'_>,
    tables: impl Into<SimulatedTables<'t>>,
    simulation: &Simulation,
    progress: &dyn Progress,
) -> Result<SimReport, SimError> {
    let prepared = prepare(fabric, scene, tables, &simulation.parameters)?;
    let rates = rates(fabric, simulation, &prepared);
    simulate(&prepared, &rates, &simulation.all_seeds(), prepared.volume().is_none(), progress)
}

/// The rates of a curve: those of the block, and those that the contract needs. Empty for traffic that ends.
pub fn rates(fabric: &Fabric, simulation: &Simulation, prepared: &Prepared<'_>) -> Vec<Rate> {
    if prepared.volume().is_some() {
        return Vec::new();
    }
    let bound = prepared.load().bound;
    let mut rates = match &simulation.rates {
        Some(rates) => rates.clone(),
        None => {
            let births = prepared.births();
            usual_rates(bound).into_iter().filter(|&rate| births.check(rate).is_ok()).collect()
        }
    };
    let references = fabric.requires.iter().filter_map(|require| require.simulation());
    let shares = references
        .filter(|references| references.name == simulation.name)
        .filter_map(|references| references.share);
    rates.extend(shares.map(|share| rate_of_share(Fraction::from(share), bound)));
    rates.sort_unstable();
    rates.dedup();
    rates
}

/// Adds the results of simulations to the outcomes of the contract. `simulations` are those of the fabric, in
/// its order, or none.
pub fn settle(fabric: &Fabric, requires: &mut [RequireOutcome], simulations: &[Vec<SimReport>]) {
    for settled in requires {
        let Some(reference) = settled.require.simulation() else { continue };
        let own_reports = fabric
            .simulations
            .iter()
            .zip(simulations)
            .find(|(simulation, _)| simulation.name == reference.name);
        *settled = outcome(fabric, &settled.require, own_reports.map_or(&[], |(_, reports)| reports));
    }
}

/// The outcome of a line about a simulation, for the worst seed and scenario. `reports` are those of its
/// simulation. Without any, nothing is measured.
fn outcome(fabric: &Fabric, require: &Require, reports: &[SimReport]) -> RequireOutcome {
    let number = Fraction::from(require.value);
    let value_of = |report: &SimReport| Some((value(fabric, require, report)?, report.scenario.clone()));
    let values = reports.iter().map(value_of).collect::<Option<Vec<_>>>().unwrap_or_default();
    let better = require.metric.larger_is_better();
    let worse = |first: &(Fraction, String), second: &(Fraction, String)| {
        if better { second.0 < first.0 } else { second.0 > first.0 }
    };
    let worst =
        values.into_iter().reduce(|first, second| if worse(&first, &second) { second } else { first });
    let scenario = worst.as_ref().map(|(_, scenario)| scenario.clone()).filter(|_| reports.len() > 1);
    let measured = worst.map(|(value, _)| value);
    RequireOutcome { require: require.clone(), measured, wanted: measured.map(|_| number), scenario }
}

/// The value of the metric of a line in one scenario, for the worst seed.
fn value(fabric: &Fabric, require: &Require, report: &SimReport) -> Option<Fraction> {
    let stable = || report.saturations.iter().map(|search| Fraction::from(search.at_least())).min();
    match require.metric {
        Metric::Simulated(SimulatedMetric::Saturation) => stable(),
        Metric::Simulated(SimulatedMetric::Share) => match &report.volume {
            Some(volume) => report.completions.iter().map(|run| volume.share(run)).min(),
            None => stable().map(|stable| stable.over(report.load.bound)),
        },
        Metric::Simulated(SimulatedMetric::Sustained) => {
            report.overload_runs().map(|(search, run)| report.sustained(search, run)).min()
        }
        Metric::Simulated(SimulatedMetric::Fairness) => {
            report.overload_runs().map(|(_, run)| run.fairness()).min()
        }
        Metric::Simulated(SimulatedMetric::Elsewhere) => {
            report.overload_runs().filter_map(|(_, run)| run.elsewhere).map(|counted| counted.share()).min()
        }
        Metric::Simulated(SimulatedMetric::Time) => {
            let cycles = Fraction::integer(report.completions.iter().map(|run| run.cycles).max()?);
            Some(if require.scale == ValueScale::Cycles {
                cycles
            } else {
                nanoseconds(cycles, fabric.clock_hz)
            })
        }
        Metric::Simulated(SimulatedMetric::Latency) => {
            let share = require.simulation().and_then(|reference| reference.share)?;
            let rate = rate_of_share(Fraction::from(share), report.load.bound);
            let points = report.points.iter().filter(|point| point.rate == rate);
            // Where more packets are born than delivered, latencies grow with the run. Its number of cycles
            // stands for them.
            let endless = || Fraction::integer(report.setting.end() + report.setting.measure);
            let cycles = points.map(|point| match &point.delays {
                Some(delays) if point.is_stable(&report.setting) && point.unfinished == 0 => delays.mean(),
                _ => endless(),
            });
            let cycles = cycles.max()?;
            Some(if require.scale == ValueScale::Cycles {
                cycles
            } else {
                nanoseconds(cycles, fabric.clock_hz)
            })
        }
        _ => None,
    }
}
