//! Plans that the checker accepted, with their times.

use super::CollectivesError;
use super::algorithms::Base;
use super::times::ScheduleTimes;
use fabc_check::CheckError;
use fabc_ir::{CollectiveBound, CollectiveCandidate, CollectiveCost, Schedule};
use fabc_model::{Collective, CollectiveAlgorithm};
use std::rc::Rc;

/// A schedule that the checker accepted, and its times.
pub(super) struct CheckedSchedule {
    pub(super) schedule: Schedule,
    pub(super) times: ScheduleTimes,
}

/// The fastest plan of an algorithm.
pub(super) struct FastestPlan {
    pub(super) base: Base,
    pub(super) plans: Rc<Vec<CheckedSchedule>>,
    pub(super) index: usize,
    /// The chunks into which it cuts a shard, a vector or a message.
    pub(super) chunks: u32,
    /// The time of the plan in attoseconds.
    pub(super) total: u128,
}

impl FastestPlan {
    pub(super) fn candidate(
        &self,
        algorithm: CollectiveAlgorithm,
        cost: &CollectiveCost,
        bytes: u64,
        request: Option<u32>,
    ) -> CollectiveCandidate {
        let (CheckedSchedule { schedule, times }, chunks) = (&self.plans[self.index], self.chunks);
        let reduced_from = request.filter(|&request| self.base.is_cut() && request > chunks);
        let (steps, time) = (times.steps(schedule, chunks), times.time(cost, bytes, chunks));
        CollectiveCandidate {
            algorithm,
            chunks,
            reduced_from,
            steps,
            volume: cost.vectors(time.volume, bytes),
            time,
        }
    }
}

/// The bounds of a schedule in groups that hold for schedules like it alone. A gather has them, and so does a
/// reduce-scatter, which is one run backwards.
pub(super) fn own_bounds(schedule: &Schedule, collective: Collective) -> Vec<CollectiveBound> {
    let is_gather = matches!(collective, Collective::AllGather | Collective::ReduceScatter);
    let own = schedule.bounds.iter().filter(|bound| is_gather && !bound.is_universal());
    own.cloned().collect()
}

/// A schedule with the bounds on every schedule. Bounds on the schedules along its tables stay.
pub(super) fn bounded(schedule: &Schedule, universal: &[CollectiveBound]) -> Schedule {
    let relative = schedule.bounds.iter().filter(|bound| !bound.is_universal());
    Schedule { bounds: relative.chain(universal).cloned().collect(), ..schedule.clone() }
}

/// The error where the checker rejects a schedule or a bound.
pub(super) fn convicted(
    collective: Collective,
    algorithm: &'static str,
    error: CheckError,
) -> CollectivesError {
    CollectivesError::Convicted { collective: collective.name(), algorithm, error: Box::new(error) }
}
