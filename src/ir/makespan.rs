//! The makespans of collectives whose vectors are scheduled, and their lower bounds.

use super::{ATTOSECONDS, CollectiveResult, Fraction, nanoseconds};
use fabc_model::{CollectiveMetric, Fabric};

/// The makespan of a collective, in cycles from the first cycle of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Makespan {
    /// The cycle in which everything has arrived and is summed.
    pub end: u64,
    /// The lower bound for every plan. It includes the bounds of the collectives that it waits for.
    pub lower_bound: u64,
}

/// `[collective]`: the makespans of a fabric, in its order. `None` where vectors are not scheduled.
pub fn makespans(fabric: &Fabric, results: &[CollectiveResult]) -> Option<Vec<Makespan>> {
    let makespan_alone = |result: &CollectiveResult| {
        let nominal = result.nominal()?;
        let timed = nominal.schedule.timed()?;
        // These are whole cycles, which were rounded up to attoseconds.
        let lower_bound = nominal.row.bound * u128::from(timed.clock_hz) / ATTOSECONDS;
        Some(Makespan { end: u64::from(timed.end), lower_bound: lower_bound as u64 })
    };
    let alone: Vec<Makespan> = results.iter().map(makespan_alone).collect::<Option<_>>()?;
    let chain =
        |index: usize| std::iter::successors(Some(index), |&index| fabric.collectives.get(index)?.after);
    let makespan = |index: usize| Makespan {
        lower_bound: chain(index).map(|before| alone[before].lower_bound).sum(),
        ..alone[index]
    };
    (!alone.is_empty()).then(|| (0..alone.len()).map(makespan).collect())
}

impl Makespan {
    /// The value of a makespan metric: in ns, or a ratio.
    pub fn value(self, metric: CollectiveMetric, fabric: &Fabric) -> Fraction {
        match metric {
            CollectiveMetric::MakespanRatio => Fraction::new(self.end, self.lower_bound.max(1)),
            _ => nanoseconds(Fraction::integer(self.end), fabric.clock_hz),
        }
    }
    /// The makespan of several collectives together.
    pub fn combined(all: &[Makespan]) -> Makespan {
        let end = all.iter().map(|makespan| makespan.end).max().unwrap_or(0);
        Makespan { end, lower_bound: all.iter().map(|makespan| makespan.lower_bound).max().unwrap_or(0) }
    }
}
