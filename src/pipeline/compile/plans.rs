//! The plans of a fabric: the schedules of its collectives, and its jobs. Known ones where they are proved,
//! new ones everywhere else.

use super::Stage;
use super::context::ScenarioContext;
use super::jobs::JobTarget;
use super::known::{KnownTables, NewPlans, PlanScenarios, collectives_part, job_part};
use fabc_base::diag::Failure;
use fabc_base::progress::Progress;
use fabc_ir::{CollectiveResult, JobResult};
use fabc_model::{Scenarios, SlotPace};

/// The plans of a fabric.
pub(super) struct FabricPlans {
    /// `[collective]`, as the spec declares them.
    pub(super) collectives: Vec<CollectiveResult>,
    /// `[job]`, as the spec declares them.
    pub(super) jobs: Vec<JobResult>,
    /// Those that were searched for.
    pub(super) new: NewPlans,
}

/// Finds the plans of a fabric, on the scenarios of a context. `targets` are the jobs that the topology was
/// searched for.
///
/// # Errors
/// The failure of a collective or a job that cannot be planned.
pub(super) fn find_plans(
    context: &ScenarioContext<'_>,
    on: PlanScenarios<'_>,
    last: Stage,
    targets: &[JobTarget],
    known: &KnownTables<'_>,
    progress: &dyn Progress,
) -> Result<FabricPlans, Failure> {
    let mut new = NewPlans::default();
    let pace = on.fabric.pace().filter(|_| last >= Stage::Route);
    let collectives = match pace {
        Some(pace) => find_schedules(context, on, pace, known, &mut new, progress)?,
        None => {
            let find = |number| find_collective(context, on, number, known, &mut new, progress);
            (0..on.fabric.collectives.len()).map(find).collect::<Result<_, Failure>>()?
        }
    };
    let jobs = if last < Stage::Route {
        vec![JobResult::default(); on.fabric.jobs.len()]
    } else if targets.is_empty() {
        let find = |number| find_job(context, on, number, known, &mut new, progress);
        (0..on.fabric.jobs.len()).map(find).collect::<Result<_, Failure>>()?
    } else {
        // What they are compared with on other topologies has no proof.
        context.jobs(on.scenarios, targets, progress)?
    };
    Ok(FabricPlans { collectives, jobs, new })
}

fn find_schedules(
    context: &ScenarioContext<'_>,
    on: PlanScenarios<'_>,
    pace: SlotPace,
    known: &KnownTables<'_>,
    new: &mut NewPlans,
    progress: &dyn Progress,
) -> Result<Vec<CollectiveResult>, Failure> {
    if let Some(known) = known.schedules(on) {
        return Ok(known);
    }
    let part = collectives_part(on.fabric, &on.fabric.collectives, Scenarios::Nominal);
    new.collectives.extend(0..part.collectives.len());
    context.of_part(&part).scheduled(pace, progress)
}

fn find_collective(
    context: &ScenarioContext<'_>,
    on: PlanScenarios<'_>,
    number: usize,
    known: &KnownTables<'_>,
    new: &mut NewPlans,
    progress: &dyn Progress,
) -> Result<CollectiveResult, Failure> {
    if let Some(known) = known.collective(on, number) {
        return Ok(known);
    }
    let declared = &on.fabric.collectives[number];
    let part = collectives_part(on.fabric, std::slice::from_ref(declared), declared.scenarios);
    let result = only(context.of_part(&part).collectives(on.scenarios, progress)?);
    if !result.scenarios.is_empty() {
        new.collectives.push(number);
    }
    Ok(result)
}

fn find_job(
    context: &ScenarioContext<'_>,
    on: PlanScenarios<'_>,
    number: usize,
    known: &KnownTables<'_>,
    new: &mut NewPlans,
    progress: &dyn Progress,
) -> Result<JobResult, Failure> {
    if let Some(known) = known.job(on, number) {
        return Ok(known);
    }
    let part = job_part(on.fabric, &on.fabric.jobs[number]);
    let result = only(context.of_part(&part).jobs(on.scenarios, &[], progress)?);
    if !result.scenarios.is_empty() {
        new.jobs.push(number);
    }
    Ok(result)
}

/// The only result of a part with one plan.
fn only<T: Default>(results: Vec<T>) -> T {
    results.into_iter().next().unwrap_or_default()
}
