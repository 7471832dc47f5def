//! A step from the traces of its ranks.

use crate::communicators::Communicators;
use crate::counts::{RankTraces, StepCounts};
use crate::errors::TraceError;
use crate::events::{RankGround, read_rank};
use crate::operations::StepOperations;
use crate::order::phases_in_order;
use fabc_base::diag::Span;
use fabc_base::limits::{CHAKRA_RANKS, JOB_COMPUTE_PS};
use fabc_model::JobPhase;

/// So many picoseconds are a microsecond.
const PS_OF_A_MICRO: u128 = 1_000_000;

/// A step of a job that was traced.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TracedStep {
    /// The number of ranks, at least one.
    pub ranks: u32,
    /// Picoseconds that the rank with the most compute computes.
    pub compute_ps: u64,
    /// The phases in an order in which none waits for a later one. The groups of all operations are listed.
    pub phases: Vec<JobPhase>,
}

/// Reads the traces of all ranks from 0 on, until there are no more. `groups` is the text of the file of
/// communicator groups, and `chips` the number of chips of the fabric, where it is known. The trace of rank 0
/// alone stands for all ranks, if groups say who they are. Places of the phases are `span`.
///
/// # Errors
/// The first thing that is wrong.
pub fn read_step(
    traces: &dyn RankTraces,
    groups: Option<&str>,
    chips: Option<u64>,
    span: Span,
) -> Result<TracedStep, TraceError> {
    let listed = groups.map(Communicators::from_file).transpose()?;
    let first = traces.read(0).map_err(|reason| TraceError::Missing { rank: 0, reason })?;
    let wanted = wanted_ranks(listed.as_ref(), chips)?;
    // A gap is no end: where a later rank has a trace, the rank before it is missing.
    let last = wanted.map_or(1, |wanted| wanted.saturating_sub(1).max(1));
    let is_alone = wanted != Some(1) && [1, 2, last].into_iter().all(|rank| traces.read(rank).is_err());
    let known_ranks = chips.and(wanted);
    let ground = |rank, nodes_before| RankGround {
        rank,
        ranks: known_ranks,
        listed: listed.as_ref(),
        is_alone,
        nodes_before,
    };
    let mut counts = StepCounts::default();
    let (step, own) = read_rank(&first, &ground(0, 0))?;
    drop(first);
    let communicators = listed.as_ref().unwrap_or(&own);
    let ranks = if is_alone {
        counts.stand_for_all(step, communicators, wanted)?
    } else {
        counts.add(0, step);
        counts.add_others(traces, wanted, &ground)?
    };
    communicators.check(ranks)?;
    finished_step(&counts, ranks, span)
}

/// The number of ranks that the fabric or the groups ask for.
fn wanted_ranks(listed: Option<&Communicators>, chips: Option<u64>) -> Result<Option<u32>, TraceError> {
    let by_groups = listed.and_then(Communicators::last_rank).map(|last| u64::from(last) + 1);
    let Some(wanted) = chips.or(by_groups) else { return Ok(None) };
    match u32::try_from(wanted).ok().filter(|wanted| *wanted <= CHAKRA_RANKS) {
        Some(wanted) => Ok(Some(wanted)),
        None => Err(TraceError::TooManyRanks { ranks: wanted }),
    }
}

/// The phases of what the ranks count.
fn finished_step(counts: &StepCounts, ranks: u32, span: Span) -> Result<TracedStep, TraceError> {
    let micros = counts.compute_micros;
    let compute = u64::try_from(micros * PS_OF_A_MICRO).ok().filter(|time| *time <= JOB_COMPUTE_PS);
    let compute_ps = compute.ok_or(TraceError::TooLong { micros })?;
    let operations = StepOperations::new(counts, ranks, span)?;
    let phases = phases_in_order(operations, &counts.waits, span);
    Ok(TracedStep { ranks, compute_ps, phases })
}
