//! The results of the collectives that a spec declares.

use super::verdict::ScenarioValue;
use super::{
    ATTOSECONDS_OF_A_NANOSECOND, CollectiveCandidate, CollectiveCrossover, CollectiveRow, Fraction, Makespan,
    RequireOutcome, Schedule, makespans, nanoseconds,
};
use fabc_model::{CollectiveAlgorithm, CollectiveMetric, Fabric, Metric, Require};

/// The result of one declared collective.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CollectiveResult {
    /// `[scenario]`: the outcomes, nominal first. Empty where there are no tables.
    pub scenarios: Vec<CollectiveOutcome>,
    /// The sizes at which the fastest algorithm of the healthy fabric changes, ascending.
    pub crossovers: Vec<CollectiveCrossover>,
    /// The times of the algorithms on the healthy fabric, by size.
    pub curve: Vec<CollectivePoint>,
}

/// The outcome of a collective in one scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveOutcome {
    /// The times of its algorithms, the fastest first. Of the others only the sum of their times is kept, in
    /// whole picoseconds.
    pub row: CollectiveRow,
    /// The schedule of the fastest algorithm.
    pub schedule: Schedule,
}

/// The times of a collective at one size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectivePoint {
    /// Bytes per chip, of the full vector.
    pub size: u64,
    /// The lower bound of the time of every schedule, picoseconds.
    pub bound: u128,
    /// The time of every algorithm that was tried, picoseconds.
    pub times: Vec<(CollectiveAlgorithm, u128)>,
}

impl CollectiveOutcome {
    /// An outcome that keeps only what can be written to a file and read again.
    pub fn new(mut row: CollectiveRow, schedule: Schedule) -> Self {
        row.along = None;
        row.with_switches = None;
        row.candidates.iter_mut().skip(1).for_each(CollectiveCandidate::only_total);
        Self { row, schedule }
    }
    /// The value of a metric, times in ns. `None` for metrics that follow from all collectives together.
    pub fn value(&self, metric: CollectiveMetric) -> Option<Fraction> {
        let best = self.row.best();
        // Cycles of a clock need not be whole attoseconds.
        if let (Some(timed), CollectiveMetric::Time) = (self.schedule.timed(), metric) {
            return Some(nanoseconds(Fraction::integer(timed.end - timed.start), timed.clock_hz));
        }
        Some(match metric {
            CollectiveMetric::Time => Fraction::new(best.time.total(), ATTOSECONDS_OF_A_NANOSECOND),
            CollectiveMetric::Share => self.row.share(best),
            CollectiveMetric::Steps => Fraction::integer(best.steps),
            CollectiveMetric::Volume => best.volume,
            CollectiveMetric::Bandwidth => self.row.bus_bandwidth(best),
            CollectiveMetric::Makespan | CollectiveMetric::MakespanRatio => return None,
        })
    }
}

impl CollectiveResult {
    /// The outcome on the healthy fabric.
    pub fn nominal(&self) -> Option<&CollectiveOutcome> {
        self.scenarios.first()
    }
    /// The outcome under the tolerated fault for which the time is longest. Of equal ones the first.
    pub fn worst_fault(&self) -> Option<&CollectiveOutcome> {
        self.worst(CollectiveMetric::Time)
    }
    /// The outcome under the tolerated fault that is worst by a metric. Of equal ones the first.
    fn worst(&self, metric: CollectiveMetric) -> Option<&CollectiveOutcome> {
        let better = Metric::Collective(metric).larger_is_better();
        let worse = |first: &CollectiveOutcome, second: &CollectiveOutcome| {
            let (first, second) = (first.value(metric), second.value(metric));
            if better { second < first } else { second > first }
        };
        self.scenarios.iter().skip(1).reduce(|worst, next| if worse(worst, next) { next } else { worst })
    }
}

/// Fills in the outcomes of the `require` lines about collectives. `results` are those of the fabric, in its
/// order, or empty.
pub fn settle_collectives(fabric: &Fabric, requires: &mut [RequireOutcome], results: &[CollectiveResult]) {
    for settled in requires {
        let Metric::Collective(metric) = settled.require.metric else { continue };
        let name = settled.require.collective();
        let collective = fabric.collectives.iter().position(|declared| Some(&*declared.name) == name);
        let value = match metric.is_scheduled() {
            true => {
                // The plan is the same whichever block is replaced.
                let scenario = settled.require.fault.then(|| REPLACED.to_owned());
                let value_of = |all: &[Makespan]| {
                    collective
                        .map_or_else(|| Makespan::combined(all), |index| all[index])
                        .value(metric, fabric)
                };
                makespans(fabric, results).map(|all| (value_of(&all), scenario))
            }
            false => {
                collective.and_then(|index| measured_value(&settled.require, metric, results.get(index)?))
            }
        };
        *settled = RequireOutcome::of_plan(fabric, &settled.require, value);
    }
}

/// The name of the fault in which a spare block takes the place of another one. The first block stands for
/// all.
const REPLACED: &str = "block0";

fn measured_value(
    require: &Require,
    metric: CollectiveMetric,
    result: &CollectiveResult,
) -> Option<ScenarioValue> {
    let outcome = if require.fault { result.worst(metric) } else { result.nominal() }?;
    Some((outcome.value(metric)?, require.fault.then(|| outcome.row.scenario.clone())))
}
