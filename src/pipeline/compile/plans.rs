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
    let search = PlanSearch { context, on, known, progress };
    let mut new = NewPlans::default();
    let collectives = match on.fabric.pace().filter(|_| last >= Stage::Route) {
        Some(pace) => search.schedules(pace, &mut new.collectives)?,
        None => {
            let find = |number| search.collective(number, &mut new.collectives);
            (0..on.fabric.collectives.len()).map(find).collect::<Result<_, Failure>>()?
        }
    };
    let jobs = if last < Stage::Route {
        vec![JobResult::default(); on.fabric.jobs.len()]
    } else if targets.is_empty() {
        let find = |number| search.job(number, &mut new.jobs);
        (0..on.fabric.jobs.len()).map(find).collect::<Result<_, Failure>>()?
    } else {
        // What they are compared with on other topologies has no proof.
        context.jobs(on.scenarios, targets, progress)?
    };
    Ok(FabricPlans { collectives, jobs, new })
}

/// The search for plans. Every search gets the part of the fabric that its plan is about, and the number of a
/// plan that was not known is noted.
struct PlanSearch<'a> {
    context: &'a ScenarioContext<'a>,
    on: PlanScenarios<'a>,
    known: &'a KnownTables<'a>,
    progress: &'a dyn Progress,
}

impl PlanSearch<'_> {
    /// The schedules of the vectors of all collectives.
    fn schedules(&self, pace: SlotPace, new: &mut Vec<usize>) -> Result<Vec<CollectiveResult>, Failure> {
        let fabric = self.on.fabric;
        let part = collectives_part(fabric, &fabric.collectives, Scenarios::Nominal);
        if let Some(known) = self.known.schedules(self.on, &part) {
            return Ok(known);
        }
        new.extend(0..part.collectives.len());
        self.context.of_part(&part).scheduled(pace, self.progress)
    }

    /// The schedules of one collective.
    fn collective(&self, number: usize, new: &mut Vec<usize>) -> Result<CollectiveResult, Failure> {
        let declared = &self.on.fabric.collectives[number];
        let part = collectives_part(self.on.fabric, std::slice::from_ref(declared), declared.scenarios);
        if let Some(known) = self.known.collective(self.on, number, &part) {
            return Ok(known);
        }
        let result = only(self.context.of_part(&part).collectives(self.on.scenarios, self.progress)?);
        if !result.scenarios.is_empty() {
            new.push(number);
        }
        Ok(result)
    }

    /// The plan of one job.
    fn job(&self, number: usize, new: &mut Vec<usize>) -> Result<JobResult, Failure> {
        let part = job_part(self.on.fabric, &self.on.fabric.jobs[number]);
        if let Some(known) = self.known.job(self.on, number, &part) {
            return Ok(known);
        }
        let result = only(self.context.of_part(&part).jobs(self.on.scenarios, &[], self.progress)?);
        if !result.scenarios.is_empty() {
            new.push(number);
        }
        Ok(result)
    }
}

/// The only result of a part with one plan.
fn only<T: Default>(results: Vec<T>) -> T {
    results.into_iter().next().unwrap_or_default()
}
