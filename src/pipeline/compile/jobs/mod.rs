//! Training jobs on a finished fabric: which chip is which rank, and how long a step takes.
//!
//! In: a fabric with its jobs, and its scenarios with their tables. Out: for every job a placement, and for
//! every scenario the times of its phases. Invariant: the placement is chosen on the healthy fabric, and all
//! scenarios have the same one.

mod errors;
mod estimates;
mod gathers;
mod limits;
mod plan;
mod reconfigure;
mod topology;

pub use errors::JobPlanError;
pub(super) use limits::{limits_of_chips, universal_step};
pub use limits::{times_by_ports, universal_limits};
pub use plan::JobPlanner;
use plan::PlannedPhases;
use reconfigure::reconfiguration;
pub(super) use topology::{JobTarget, TargetedTopology, topology_for_jobs};

use crate::compile::context::ScenarioContext;
use fabc_base::diag::Failure;
use fabc_base::ids::NodeId;
use fabc_base::limits::MATRIX_CHIPS;
use fabc_base::progress::Progress;
use fabc_emit::compiled::CompiledScenario;
use fabc_ir::{JobCandidate, JobOutcome, JobResult, Scene, Topology, picoseconds, surviving_scene};
use fabc_job_plan::{
    ExchangeSettings, PlacementError, RankPlacement, UniversalLimits, check_chosen, only_placement,
    operation_groups, placements,
};
use fabc_model::{
    Collective, CollectiveAlgorithm, Fabric, Faults, Job, JobOperationKind, JobPlace, Require, Scenarios,
};
use fabc_passes::collective::{check_duplex, check_plannable, check_within};
use rayon::prelude::*;

/// The aligned placements that are planned in full, of those that look fastest.
const FINALISTS: usize = 4;

impl ScenarioContext<'_> {
    /// Plans every job of the spec. The results are empty where there are neither tables nor groups.
    /// `targets` are the jobs that the topology was searched for.
    pub(in crate::compile) fn jobs(
        &self,
        scenarios: &[CompiledScenario],
        targets: &[JobTarget],
        progress: &dyn Progress,
    ) -> Result<Vec<JobResult>, Failure> {
        let routed: Vec<&CompiledScenario> = scenarios
            .iter()
            .filter(|scenario| scenario.routed.is_some() || scenario.sprayed.is_some())
            .collect();
        if self.fabric.jobs.is_empty() || routed.is_empty() {
            return Ok(vec![JobResult::default(); self.fabric.jobs.len()]);
        }
        let limits = universal_limits(self.fabric, self.topology);
        let plan = |(index, job)| {
            let target = targets.iter().find(|target| target.job == index);
            let mut result = self.job(job, &routed, &limits, target, progress)?;
            if !result.ranks.is_empty() {
                let (fabric, topology) = (self.fabric, self.topology);
                result.reconfiguration = reconfiguration(fabric, topology, index, &result, targets);
            }
            Ok(result)
        };
        let results = self.fabric.jobs.iter().enumerate().map(plan);
        results.collect::<Result<_, JobPlanError>>().map_err(JobPlanError::into_failure)
    }

    fn job(
        &self,
        job: &Job,
        scenarios: &[&CompiledScenario],
        limits: &UniversalLimits,
        target: Option<&JobTarget>,
        progress: &dyn Progress,
    ) -> Result<JobResult, JobPlanError> {
        check_ranks(job, self.topology.endpoints().count() as u64)?;
        let wanted = if job.scenarios == Scenarios::All { scenarios.len() } else { 1 };
        progress.begin(&format!("job {}", job.name), wanted as u64);
        let (nominal, faults) = (scenarios[0], &scenarios[1..wanted]);
        let choose = |planner: &JobPlanner<'_>| {
            let known = target.map(JobTarget::placement);
            choose_placement(planner, self.fabric, self.topology, job, known, &nominal.scenario.name)
        };
        let chosen = self.with_living_chips(job, nominal, limits, choose)?;
        let Some((Placed { ranks, candidates }, outcome)) = chosen else { return Ok(JobResult::default()) };
        progress.advance();
        let plan = |compiled: &&CompiledScenario| {
            let plan = |planner: &JobPlanner<'_>| planner.plan(&compiled.scenario.name, &ranks);
            let outcome = self.with_living_chips(job, compiled, limits, plan);
            progress.advance();
            outcome
        };
        let faults: Vec<Option<JobOutcome>> =
            faults.par_iter().map(plan).collect::<Result<_, JobPlanError>>()?;
        progress.end();
        let scenarios = std::iter::once(outcome).chain(faults.into_iter().flatten()).collect();
        let topologies = target.map_or_else(Vec::new, JobTarget::topologies);
        Ok(JobResult { ranks, topologies, reconfiguration: None, candidates, scenarios })
    }

    /// Plans a job in a scenario. `None` if a chip is dead in it, which has no step.
    fn with_living_chips<T>(
        &self,
        job: &Job,
        compiled: &CompiledScenario,
        limits: &UniversalLimits,
        plan: impl FnOnce(&JobPlanner<'_>) -> Result<T, JobPlanError>,
    ) -> Result<Option<T>, JobPlanError> {
        let scene = surviving_scene(&compiled.scenario.fault, self.topology, self.cross_connects);
        if self.topology.endpoints().any(|chip| !scene.lives(chip)) {
            return Ok(None);
        }
        let tables = compiled.routed.as_ref().map(|routed| routed.tables.unpacked());
        plan(&JobPlanner::new(self.fabric, &scene, tables.as_ref(), limits, job)).map(Some)
    }
}

/// A placement that was taken, and those that it was compared with.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Placed {
    /// `[rank]`: the chip that is this rank.
    pub ranks: Vec<NodeId>,
    /// The placements that were planned in full, the fastest first. Empty unless several were compared.
    pub candidates: Vec<JobCandidate>,
}

/// Takes the placement of a job with the least communication, and plans the job with it. `known` is compared
/// with the others, too.
///
/// # Errors
/// Refuses a placement that the fabric does not have, and operations that no schedule does.
pub fn choose_placement(
    planner: &JobPlanner<'_>,
    fabric: &Fabric,
    topology: &Topology,
    job: &Job,
    known: Option<&RankPlacement>,
    scenario: &str,
) -> Result<(Placed, JobOutcome), JobPlanError> {
    if let Some(RankPlacement { ranks, .. }) = only_placement(job, topology) {
        let outcome = planner.plan(scenario, &ranks)?;
        return Ok((Placed { ranks, candidates: Vec::new() }, outcome));
    }
    let mut all = placements(job, fabric, topology).map_err(|error| JobPlanError::of_place(job, error))?;
    let known_index = known.map(|known| all.iter().position(|place| place.ranks == known.ranks));
    if let (Some(None), Some(known)) = (known_index, known) {
        all.push(known.clone());
    }
    let known_index = known_index.map(|index| index.unwrap_or(all.len() - 1));
    planner.keep_paths()?;
    let quick: Vec<u128> =
        all.par_iter().map(|place| planner.quick_time(&place.ranks)).collect::<Result<_, JobPlanError>>()?;
    // The plain order is always planned, so that all others can be compared with it.
    let mut order: Vec<usize> = (1..all.len()).collect();
    order.sort_by_key(|&index| (quick[index], index));
    let mut finalists: Vec<usize> = order.into_iter().take(FINALISTS).chain([0]).collect();
    finalists.extend(known_index.filter(|known| !finalists.contains(known)));
    let plan = |index| {
        let place: &RankPlacement = &all[index];
        Ok((index, place, planner.plan_phases(&place.ranks)?))
    };
    let mut planned: Vec<(usize, &RankPlacement, PlannedPhases)> = vec![plan(finalists[0])?];
    // Gathers take long to plan. Where messages take too long for any gathers, they are not planned.
    let known = planned[0].2.communication;
    let plan_if_it_may_win = |&index: &usize| {
        let may_win = index == 0 || planner.least_time(&all[index].ranks)? < known;
        may_win.then(|| plan(index)).transpose()
    };
    let others: Vec<Option<_>> =
        finalists[1..].par_iter().map(plan_if_it_may_win).collect::<Result<_, JobPlanError>>()?;
    planned.extend(others.into_iter().flatten());
    let by_time =
        |(index, _, phases): &(usize, &RankPlacement, PlannedPhases)| (phases.communication, *index);
    planned.sort_by_key(by_time);
    let exchanged = match job.place {
        JobPlace::Search { effort, seed } => {
            let ranks = planner.exchange(&planned[0].1.ranks, ExchangeSettings { effort, seed })?;
            Some(RankPlacement { place: job.place.name().to_owned(), ranks })
        }
        _ => None,
    };
    if let Some(exchanged) = exchanged.as_ref().filter(|exchanged| exchanged.ranks != planned[0].1.ranks) {
        planned.push((all.len(), exchanged, planner.plan_phases(&exchanged.ranks)?));
        planned.sort_by_key(by_time);
    }
    let candidate = |(_, place, phases): &(usize, &RankPlacement, PlannedPhases)| JobCandidate {
        place: place.place.clone(),
        communication: picoseconds(phases.communication),
    };
    let candidates = planned.iter().map(candidate).collect();
    let (_, best, phases) = planned.swap_remove(0);
    Ok((Placed { ranks: best.ranks.clone(), candidates }, planner.with_bounds(scenario, phases)))
}

/// Checks that a job has as many ranks as there are chips.
///
/// # Errors
/// Says what would fit.
pub fn check_ranks(job: &Job, chips: u64) -> Result<(), JobPlanError> {
    let ranks = job.rank_count();
    if ranks == Some(chips) {
        return Ok(());
    }
    let sizes: Vec<String> = job.axes.iter().map(|axis| axis.size.to_string()).collect();
    let fitting = job.axes.last().and_then(|last| {
        let others = ranks? / u64::from(last.size.max(1));
        let size = chips.checked_div(others).filter(|size| *size > 0 && size * others == chips)?;
        Some(format!("`{} = {size};` fills them", last.name))
    });
    Err(JobPlanError::Ranks {
        job: job.name.clone(),
        axes: sizes.join(" x "),
        ranks: ranks.map_or("too many".to_owned(), |ranks| ranks.to_string()),
        chips,
        hint: fitting.unwrap_or_else(|| "the product of all axes is the number of chips".to_owned()),
        span: Some(job.span),
    })
}

/// Refuses jobs whose ranks are not as many as the chips. This needs a topology only for a network.
///
/// # Errors
/// The first such job, at its line.
pub(in crate::compile) fn check_jobs(fabric: &Fabric, topology: Option<&Topology>) -> Result<(), Failure> {
    let chips = match topology {
        Some(topology) => topology.endpoints().count() as u64,
        None if fabric.pod().is_some() => fabric.node_count() as u64,
        None => return Ok(()),
    };
    if let Some(job) = fabric.searched_for.first().filter(|_| chips as usize > MATRIX_CHIPS) {
        let problem = format!(
            "a search for jobs weighs all pairs of at most {MATRIX_CHIPS} chips, and the pod has {chips}"
        );
        let hint = "remove `for`: the search is for uniform demand then".to_owned();
        return Err(
            JobPlanError::of_place(&fabric.jobs[*job], PlacementError { problem, hint }).into_failure()
        );
    }
    for job in &fabric.jobs {
        check_ranks(job, chips).map_err(JobPlanError::into_failure)?;
        refuse_fault_requires(fabric, job, chips)?;
        check_chosen(job, fabric, chips as usize)
            .map_err(|error| JobPlanError::of_place(job, error).into_failure())?;
        if let Some(topology) = topology {
            let only = only_placement(job, topology);
            check_operations(job, topology, only.as_ref())?;
        }
    }
    Ok(())
}

/// Refuses a `require fault.` about a job if every fault takes a chip.
fn refuse_fault_requires(fabric: &Fabric, job: &Job, chips: u64) -> Result<(), Failure> {
    let takes_chips = fabric.budget.faults == Faults::Router && chips == fabric.node_count() as u64;
    let is_about = |line: &&Require| line.fault && line.job() == Some(&*job.name);
    match fabric.requires.iter().find(is_about) {
        Some(line) if takes_chips => {
            let metric = line.metric_text();
            let plain = metric.replacen("fault.", "", 1);
            let (job, span) = (job.name.clone(), Some(line.span));
            Err(JobPlanError::NoFault { job, metric, plain, span }.into_failure())
        }
        _ => Ok(()),
    }
}

/// Refuses operations that cannot be planned on the healthy fabric. `only` is the placement, if the spec says
/// which.
fn check_operations(job: &Job, topology: &Topology, only: Option<&RankPlacement>) -> Result<(), Failure> {
    let scene = Scene::healthy(topology);
    for phase in &job.phases {
        for operation in &phase.operations {
            let goes_between_pairs = matches!(
                operation.kind,
                JobOperationKind::Send { .. } | JobOperationKind::Collective(Collective::AllToAll)
            );
            let checked = match (operation.algorithm, only) {
                _ if goes_between_pairs => check_plannable(&scene),
                // Of several placements one may have groups that are connected by themselves.
                (Some(CollectiveAlgorithm::Within), Some(only)) => {
                    check_within(&scene, &operation_groups(job, operation, &only.ranks))
                }
                _ => check_plannable(&scene).and_then(|()| check_duplex(&scene)),
            };
            checked.map_err(|reason| {
                JobPlanError::of_operation(job, phase, operation, &reason.to_string()).into_failure()
            })?;
        }
    }
    Ok(())
}
