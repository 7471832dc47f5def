//! What a build found of the collectives that its spec declares.

use super::{
    ATTOSECONDS_OF_A_NANOSECOND, CollectiveCandidate, CollectiveCrossover, CollectiveRow, Fraction, Makespan,
    RequireOutcome, Schedule, makespans, nanoseconds,
};
use fabc_model::{CollectiveAlgorithm, CollectiveMetric, Fabric, Metric, Require, Scale};

/// A collective that a spec declares.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct CollectiveResult {
    /// By scenario, nominal first; none where there are no tables.
    pub scenarios: Vec<CollectiveOutcome>,
    /// Where the fastest algorithm of the healthy fabric changes; sizes ascend.
    pub crossovers: Vec<CollectiveCrossover>,
    /// What the algorithms of the healthy fabric take, by size.
    pub curve: Vec<CollectivePoint>,
}

/// A collective in one scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveOutcome {
    /// What it takes, the fastest first; of the others only the sum of their times counts, in whole
    /// picoseconds.
    pub row: CollectiveRow,
    /// How the fastest does it.
    pub schedule: Schedule,
}

/// A size, and what a collective takes at it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectivePoint {
    /// Bytes per chip, of the full vector.
    pub size: u64,
    /// What no schedule goes below, picoseconds.
    pub bound: u128,
    /// Of every algorithm that was tried, picoseconds.
    pub times: Vec<(CollectiveAlgorithm, u128)>,
}

impl CollectiveOutcome {
    /// An outcome of which everything can be written and read again.
    pub fn new(mut row: CollectiveRow, schedule: Schedule) -> Self {
        row.along = None;
        row.candidates.iter_mut().skip(1).for_each(CollectiveCandidate::only_total);
        Self { row, schedule }
    }
    /// The value of a metric, times in ns; `None` of what follows from all collectives together.
    pub fn value(&self, metric: CollectiveMetric) -> Option<Fraction> {
        let best = self.row.best();
        // Cycles of a clock need not be whole attoseconds.
        if let (Some(timed), CollectiveMetric::Time) = (self.schedule.timed(), metric) {
            return Some(nanoseconds(Fraction::whole(timed.end - timed.start), timed.clock_hz));
        }
        Some(match metric {
            CollectiveMetric::Time => Fraction::new(best.time.total(), ATTOSECONDS_OF_A_NANOSECOND),
            CollectiveMetric::Share => self.row.share(best),
            CollectiveMetric::Steps => Fraction::whole(best.steps),
            CollectiveMetric::Volume => Fraction::whole(best.volume),
            CollectiveMetric::Bandwidth => self.row.bus_bandwidth(best),
            CollectiveMetric::Makespan | CollectiveMetric::MakespanRatio => return None,
        })
    }
}

impl CollectiveResult {
    /// The healthy fabric.
    pub fn nominal(&self) -> Option<&CollectiveOutcome> {
        self.scenarios.first()
    }
    /// The tolerated fault under which it takes longest; of equal ones the first.
    pub fn worst_fault(&self) -> Option<&CollectiveOutcome> {
        self.worst(CollectiveMetric::Time)
    }
    /// The tolerated fault that is worst by a metric; of equal ones the first.
    fn worst(&self, metric: CollectiveMetric) -> Option<&CollectiveOutcome> {
        let better = Metric::Collective(metric).larger_is_better();
        let worse = |one: &CollectiveOutcome, other: &CollectiveOutcome| {
            let (one, other) = (one.value(metric), other.value(metric));
            if better { other < one } else { other > one }
        };
        self.scenarios.iter().skip(1).reduce(|one, other| if worse(one, other) { other } else { one })
    }
}

/// Adds what collectives came to to how the contract came out; `results` are those of the fabric, in its
/// order, or none.
pub fn settle_collectives(fabric: &Fabric, requires: &mut [RequireOutcome], results: &[CollectiveResult]) {
    for settled in requires {
        let Metric::Collective(metric) = settled.require.metric else { continue };
        let name = settled.require.collective();
        let at = fabric.collectives.iter().position(|declared| Some(&*declared.name) == name);
        let found = match metric.is_scheduled() {
            true => {
                // Whichever block is replaced, the plan is the same.
                let scenario = settled.require.fault.then(|| REPLACED.to_owned());
                let of = |all: &[Makespan]| {
                    at.map_or_else(|| Makespan::of_all(all), |at| all[at]).value(metric, fabric)
                };
                makespans(fabric, results).map(|all| (of(&all), scenario))
            }
            false => at.and_then(|at| measured(&settled.require, metric, results.get(at)?)),
        };
        *settled = outcome(fabric, &settled.require, found);
    }
}

/// What a block is called whose place a spare one has taken, of all the first one.
const REPLACED: &str = "block0";

/// A value, and for a fault under which.
type Found = (Fraction, Option<String>);

fn measured(require: &Require, metric: CollectiveMetric, result: &CollectiveResult) -> Option<Found> {
    let of = if require.fault { result.worst(metric) } else { result.nominal() }?;
    Some((of.value(metric)?, require.fault.then(|| of.row.scenario.clone())))
}

fn outcome(fabric: &Fabric, require: &Require, found: Option<Found>) -> RequireOutcome {
    let number = Fraction::from(require.value);
    let scenario = found.as_ref().and_then(|(_, scenario)| scenario.clone());
    let one_cycle = nanoseconds(Fraction::whole(1u8), fabric.clock_hz);
    let measured =
        found.map(|(value, _)| if require.scale == Scale::Cycles { value.over(one_cycle) } else { value });
    RequireOutcome { require: require.clone(), measured, wanted: measured.map(|_| number), scenario }
}
