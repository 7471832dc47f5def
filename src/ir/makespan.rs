//! When collectives are over whose vectors are scheduled, and what no plan ends before.

use super::{ATTOSECONDS, CollectiveResult, Fraction, nanoseconds};
use fabc_model::{CollectiveMetric, Fabric};

/// Cycles from the first one of all.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Makespan {
    /// In which everything has come, and is summed.
    pub end: u64,
    /// Before which no plan ends: what a collective takes at least, after what it waits for.
    pub least: u64,
}

/// `[collective]`: those of a fabric, in its order; none where vectors are not scheduled.
pub fn makespans(fabric: &Fabric, results: &[CollectiveResult]) -> Option<Vec<Makespan>> {
    let own = |result: &CollectiveResult| {
        let nominal = result.nominal()?;
        let timed = nominal.schedule.timed()?;
        // Whole cycles, which were rounded up to attoseconds.
        let least = nominal.row.bound * u128::from(timed.clock_hz) / ATTOSECONDS;
        Some(Makespan { end: u64::from(timed.end), least: least as u64 })
    };
    let own: Vec<Makespan> = results.iter().map(own).collect::<Option<_>>()?;
    let after = |at: usize| std::iter::successors(Some(at), |&at| fabric.collectives.get(at)?.after);
    let of = |at: usize| Makespan { least: after(at).map(|before| own[before].least).sum(), ..own[at] };
    (!own.is_empty()).then(|| (0..own.len()).map(of).collect())
}

impl Makespan {
    /// The value of a metric of schedules: in ns, or a ratio.
    pub fn value(self, metric: CollectiveMetric, fabric: &Fabric) -> Fraction {
        match metric {
            CollectiveMetric::MakespanRatio => Fraction::new(self.end, self.least.max(1)),
            _ => nanoseconds(Fraction::whole(self.end), fabric.clock_hz),
        }
    }
    /// Of all of some together.
    pub fn of_all(all: &[Makespan]) -> Makespan {
        let end = all.iter().map(|one| one.end).max().unwrap_or(0);
        Makespan { end, least: all.iter().map(|one| one.least).max().unwrap_or(0) }
    }
}
