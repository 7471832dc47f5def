//! Whether a job would gain if the switches of its pod were set anew between its phases.
//!
//! In: a job with its placement on a finished pod, and the topologies that were compared for it. Out: the
//! time of every phase on each of them, and what a change of the switches may take for a step to gain.
//! Messages count on their best paths, on the topology of the fabric as on the others. A topology in which
//! every cube is wrapped on itself connects no two cubes. It is compared for phases that stay in cubes.

use super::limits::universal_limits;
use super::plan::JobPlanner;
use super::topology::{JobTarget, balanced_tables, known_topologies, wired_topology};
use fabc_base::ids::NodeId;
use fabc_ir::{JobResult, PhaseTopology, Reconfiguration, Scene, Topology, picoseconds};
use fabc_job_plan::{ChangeRules, best_plan_by_rules, operation_groups};
use fabc_model::{Fabric, Job, JobPhase, Pod, job_stages};
use fabc_passes::{cross_connect, synth};
use rayon::prelude::*;
use std::borrow::Cow;

/// The name of the topology of the fabric, where it was not searched for a job.
const BUILT: &str = "as built";
/// The name of the topology that joins no cubes.
const WRAPPED: &str = "cubes wrapped";
/// The most chips of a pod whose topology was not searched for a job, unless the job asks. Above, other
/// topologies take longer to weigh than the job to plan.
const MOST_CHIPS: usize = 512;

/// A topology that phases may have of their own.
struct Other<'a> {
    name: String,
    topology: Cow<'a, Topology>,
    /// `[phase]`: the times that the search for the topology found with this placement, in attoseconds.
    known: Option<&'a [u128]>,
}

/// What a job would gain by topologies of their own for some phases. `None` where it has only one stage, and
/// where the times of other topologies are not known: without switches, on a floor whose cables have lengths,
/// and in large pods whose topology was not searched for jobs, unless the job has a block `reconfigure`.
/// `index` is that of the job, and `result` its plan on the fabric.
pub(super) fn reconfiguration(
    fabric: &Fabric,
    topology: &Topology,
    index: usize,
    result: &JobResult,
    targets: &[JobTarget],
) -> Option<Reconfiguration> {
    let (job, ranks) = (&fabric.jobs[index], &result.ranks[..]);
    let stages = job_stages(&job.phases);
    let pod = fabric.pod().filter(|_| fabric.floor.is_none() && stages.len() > 1)?;
    if targets.is_empty() && job.reconfigure.is_none() && topology.node_count() > MOST_CHIPS {
        return None;
    }
    let name = targets.first().map_or(BUILT, |target| &target.compared[0].name).to_owned();
    let built = Other { name, topology: Cow::Borrowed(topology), known: None };
    let mut all = vec![built];
    match (targets.first(), targets.iter().find(|target| target.job == index)) {
        (Some(searched), own) => all.extend(searched.compared[1..].iter().map(|candidate| Other {
            name: candidate.name.clone(),
            topology: Cow::Borrowed(&candidate.topology),
            known: own.and_then(|own| own.phase_times(candidate, ranks)),
        })),
        (None, _) => all.extend(known_others(fabric, pod, topology)),
    }
    let weigh = |Other { name, topology, known }: &Other<'_>| {
        let times = match known {
            Some(times) => times.iter().map(|&time| Some(picoseconds(time))).collect(),
            None => times_on(fabric, topology, job, ranks),
        };
        PhaseTopology { topology: name.clone(), times }
    };
    let mut topologies: Vec<PhaseTopology> = all.par_iter().map(weigh).collect();
    // The forwarding tables of the fabric may be better than the flow that was found on it.
    let planned_phases = result.nominal().map_or(&[][..], |nominal| &nominal.phases);
    for (time, phase) in topologies[0].times.iter_mut().zip(planned_phases) {
        *time = time.map(|time| time.min(picoseconds(phase.time())));
    }
    topologies.extend(on_wrapped_cubes(fabric, pod, job, ranks));
    let is_whole = topologies[0].times.iter().all(Option::is_some);
    is_whole.then(|| planned(topologies, &stages, job))
}

/// The tori and twisted tori beside the topology of the fabric.
fn known_others<'a>(fabric: &Fabric, pod: &Pod, topology: &Topology) -> Vec<Other<'a>> {
    known_topologies(pod)
        .into_iter()
        .filter_map(|(name, choice)| Some((name, wired_topology(fabric, pod, choice)?.0)))
        .filter(|(_, other)| other.links() != topology.links())
        .map(|(name, topology)| Other { name, topology: Cow::Owned(topology), known: None })
        .collect()
}

/// `[phase]`: its time on a connected topology.
fn times_on(fabric: &Fabric, topology: &Topology, job: &Job, ranks: &[NodeId]) -> Vec<Option<u128>> {
    let scene = Scene::healthy(topology);
    // Some gathers follow tables.
    let (tables, limits) = (balanced_tables(topology), universal_limits(fabric, topology));
    let planner = JobPlanner::new(fabric, &scene, Some(&tables), &limits, job);
    job.phases.iter().map(|phase| time_on(&planner, phase, ranks)).collect()
}

/// The time of a phase in whole picoseconds. `None` if a gather has no plan there: its groups fall apart, or
/// it needs tables.
fn time_on(planner: &JobPlanner<'_>, phase: &JobPhase, ranks: &[NodeId]) -> Option<u128> {
    planner.flow_phase_time(phase, ranks).ok().map(picoseconds)
}

/// The times of phases that stay in cubes, with every cube wrapped on itself. `None` where the switches
/// cannot make that, and of a single cube.
fn on_wrapped_cubes(fabric: &Fabric, pod: &Pod, job: &Job, ranks: &[NodeId]) -> Option<PhaseTopology> {
    let topology = synth::wrapped_cubes(pod).with_capacities(fabric.capacities.clone());
    if pod.cubes == 1 || cross_connect::assign(pod, &topology).is_err() {
        return None;
    }
    let scene = Scene::healthy(&topology);
    let limits = universal_limits(fabric, &topology);
    let planner = JobPlanner::new(fabric, &scene, None, &limits, job);
    let time = |phase: &JobPhase| {
        stays_in_cubes(pod, job, phase, ranks).then(|| time_on(&planner, phase, ranks)).flatten()
    };
    Some(PhaseTopology { topology: WRAPPED.to_owned(), times: job.phases.iter().map(time).collect() })
}

/// Whether all groups of a phase lie in single cubes.
fn stays_in_cubes(pod: &Pod, job: &Job, phase: &JobPhase, ranks: &[NodeId]) -> bool {
    let cube = |chip: &NodeId| pod.cube_of(*chip);
    let stays = |group: &Vec<NodeId>| group.iter().all(|chip| cube(chip) == cube(&group[0]));
    phase.operations.iter().all(|operation| operation_groups(job, operation, ranks).lists().iter().all(stays))
}

/// The changes that save most, from the times of phases.
fn planned(topologies: Vec<PhaseTopology>, stages: &[Vec<usize>], job: &Job) -> Reconfiguration {
    let stage_time = |times: &[Option<u128>], stage: &[usize]| stage.iter().map(|&phase| times[phase]).sum();
    let times: Vec<Vec<Option<u128>>> = topologies
        .iter()
        .map(|topology| stages.iter().map(|stage| stage_time(&topology.times, stage)).collect())
        .collect();
    let whole = |times: &Vec<Option<u128>>| times.iter().copied().sum::<Option<u128>>();
    let (single, best) = times
        .iter()
        .enumerate()
        .filter_map(|(index, times)| Some((whole(times)?, index)))
        .min()
        .unwrap_or_default();
    let mut taken = vec![best; job.phases.len()];
    let (mut changes, mut saved) = (0, 0);
    let rules = change_rules(job, stages);
    if let Some(plan) = best_plan_by_rules(&times, single, &rules) {
        for (stage, &topology) in stages.iter().zip(&plan.topologies) {
            stage.iter().for_each(|&phase| taken[phase] = topology);
        }
        (changes, saved) = (plan.changes, single - plan.time);
    }
    Reconfiguration { topologies, taken, changes, saved, switch: rules.switch }
}

/// What the job says of changes. Without that, all phases may have a topology of their own.
fn change_rules(job: &Job, stages: &[Vec<usize>]) -> ChangeRules {
    let may_differ =
        |phase: &usize| job.reconfigure.as_ref().is_none_or(|rules| rules.phases.contains(phase));
    ChangeRules {
        own: stages.iter().map(|stage| stage.iter().all(may_differ)).collect(),
        switch: job.reconfigure.as_ref().map(|rules| rules.switch_ps.into()),
    }
}
