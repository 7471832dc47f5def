//! `simulate name { .. }`: what a spec has run, and how the lines of the contract that speak of it come out.

use super::errors::SimError;
use super::prepare::{Prepared, prepare};
use super::report::SimReport;
use super::simulate::simulate;
use crate::rate::rate_of_share;
use fabc_base::progress::Progress;
use fabc_ir::{ForwardingTables, Fraction, RequireOutcome, Scene, nanoseconds};
use fabc_model::{Fabric, Metric, Rate, Require, Scale, SimulatedMetric, Simulation};

/// Percent of the static bound at which a curve is run that names no rates.
const CURVE: [u8; 12] = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120];

/// The rates of a curve that names none.
fn usual_rates(bound: Fraction) -> Vec<Rate> {
    CURVE.iter().map(|&percent| rate_of_share(Fraction::new(percent, 100u8), bound)).collect()
}

/// Runs a simulation of a spec on the tables of one scenario.
///
/// # Errors
/// What the model cannot do with this fabric, a route that does not arrive, or packets that wait for each
/// other for ever.
pub fn run_block(
    fabric: &Fabric,
    scene: &Scene<'_>,
    tables: &ForwardingTables,
    simulation: &Simulation,
    progress: &dyn Progress,
) -> Result<SimReport, SimError> {
    let prepared = prepare(fabric, scene, tables, &simulation.parameters)?;
    let rates = rates(fabric, simulation, &prepared);
    simulate(&prepared, &rates, &simulation.all_seeds(), prepared.volume().is_none(), progress)
}

/// The rates of a curve: those of the block, and those that the contract asks for; none of traffic that ends.
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
    let of = fabric.requires.iter().filter_map(|require| require.simulation());
    let shares = of.filter(|of| of.name == simulation.name).filter_map(|of| of.share);
    rates.extend(shares.map(|share| rate_of_share(Fraction::from(share), bound)));
    rates.sort_unstable();
    rates.dedup();
    rates
}

/// Adds what simulations found to how the contract came out; `simulations` are those of the fabric, in its
/// order, or none.
pub fn settle(fabric: &Fabric, requires: &mut [RequireOutcome], simulations: &[Vec<SimReport>]) {
    for settled in requires {
        let Some(of) = settled.require.simulation() else { continue };
        let found =
            fabric.simulations.iter().zip(simulations).find(|(simulation, _)| simulation.name == of.name);
        *settled = outcome(fabric, &settled.require, found.map_or(&[], |(_, reports)| reports));
    }
}

/// How a line on a simulation came out: of the worst seed and scenario. `reports` are those of its
/// simulation; nothing is measured where there are none.
fn outcome(fabric: &Fabric, require: &Require, reports: &[SimReport]) -> RequireOutcome {
    let number = Fraction::from(require.value);
    let of = |report: &SimReport| Some((value(fabric, require, report)?, report.scenario.clone()));
    let values = reports.iter().map(of).collect::<Option<Vec<_>>>().unwrap_or_default();
    let better = require.metric.larger_is_better();
    let worse = |one: &(Fraction, String), other: &(Fraction, String)| {
        if better { other.0 < one.0 } else { other.0 > one.0 }
    };
    let worst = values.into_iter().reduce(|one, other| if worse(&one, &other) { other } else { one });
    let scenario = worst.as_ref().map(|(_, scenario)| scenario.clone()).filter(|_| reports.len() > 1);
    let measured = worst.map(|(value, _)| value);
    RequireOutcome { require: require.clone(), measured, wanted: measured.map(|_| number), scenario }
}

/// What a line is about, in one scenario, of the worst seed.
fn value(fabric: &Fabric, require: &Require, report: &SimReport) -> Option<Fraction> {
    let stable = || report.saturations.iter().map(|found| Fraction::from(found.at_least())).min();
    match require.metric {
        Metric::Simulated(SimulatedMetric::Saturation) => stable(),
        Metric::Simulated(SimulatedMetric::Share) => match &report.volume {
            Some(volume) => report.completions.iter().map(|run| volume.share(run)).min(),
            None => stable().map(|stable| stable.over(report.load.bound)),
        },
        Metric::Simulated(SimulatedMetric::Time) => {
            let cycles = Fraction::whole(report.completions.iter().map(|run| run.cycles).max()?);
            Some(if require.scale == Scale::Cycles { cycles } else { nanoseconds(cycles, fabric.clock_hz) })
        }
        Metric::Simulated(SimulatedMetric::Latency) => {
            let share = require.simulation().and_then(|of| of.share)?;
            let rate = rate_of_share(Fraction::from(share), report.load.bound);
            let points = report.points.iter().filter(|point| point.rate == rate);
            // Where more is born than delivered, latencies grow with the run: its cycles stand for them.
            let endless = || Fraction::whole(report.setting.end() + report.setting.measure);
            let cycles = points.map(|point| match &point.delays {
                Some(delays) if point.is_stable() && point.unfinished == 0 => delays.mean(),
                _ => endless(),
            });
            let cycles = cycles.max()?;
            Some(if require.scale == Scale::Cycles { cycles } else { nanoseconds(cycles, fabric.clock_hz) })
        }
        _ => None,
    }
}
