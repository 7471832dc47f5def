//! Whether a job would gain if the switches of its pod were set anew between its phases.
//!
//! In: a job with its placement on a finished pod, and the topologies that were compared for it. Out: the
//! time of every phase on each of them, and what a change of the switches may take for a step to gain.
//! Messages count on their best paths, on the topology of the fabric as on the others. A topology in which
//! every cube is wrapped on itself connects no two cubes. It is compared for phases that stay in cubes.

use super::plan::{JobPlanner, universal_limits};
use super::topology::{JobTarget, balanced_tables, known_topologies, wired_topology};
use fabc_base::ids::NodeId;
use fabc_ir::{PhaseTopology, Reconfiguration, Scene, Topology, job_stages, picoseconds};
use fabc_job_plan::{best_stage_plan, operation_groups};
use fabc_model::{Fabric, Job, JobPhase, Pod};
use fabc_passes::{cross_connect, synth};
use rayon::prelude::*;

/// The name of the topology of the fabric, where it was not searched for a job.
const BUILT: &str = "as built";
/// The name of the topology that joins no cubes.
const WRAPPED: &str = "cubes wrapped";
/// The most chips of a pod whose topology was not searched for a job. Above, other topologies take longer to
/// weigh than the job to plan.
const MOST_CHIPS: usize = 512;

/// What a job would gain by topologies of their own for some phases. `None` where it has only one stage, and
/// where the times of other topologies are not known: without switches, on a floor whose cables have lengths,
/// and in large pods whose topology was not searched for jobs.
pub(super) fn reconfiguration(
    fabric: &Fabric,
    topology: &Topology,
    job: &Job,
    ranks: &[NodeId],
    targets: &[JobTarget],
) -> Option<Reconfiguration> {
    let stages = job_stages(job);
    let pod = fabric.pod().filter(|_| fabric.floor.is_none() && stages.len() > 1)?;
    if targets.is_empty() && topology.node_count() > MOST_CHIPS {
        return None;
    }
    let others = other_topologies(fabric, pod, topology, targets);
    let built = targets.first().map_or(BUILT, |target| &target.compared[0].0);
    let all: Vec<(&str, &Topology)> = std::iter::once((built, topology))
        .chain(others.iter().map(|(name, topology)| (name.as_str(), topology)))
        .collect();
    let times = |&(name, topology): &(&str, &Topology)| {
        let falls_apart = name == WRAPPED;
        let limits = universal_limits(fabric, topology);
        let scene = Scene::healthy(topology);
        // Some gathers follow tables.
        let tables = (!falls_apart).then(|| balanced_tables(topology));
        let planner = JobPlanner::new(fabric, &scene, tables.as_ref(), &limits, job);
        let time = |phase: &JobPhase| {
            let is_joined = !falls_apart || stays_in_cubes(pod, job, phase, ranks);
            // A gather may have no plan there: its groups fall apart, or it needs tables.
            is_joined.then(|| planner.flow_phase_time(phase, ranks).ok()).flatten().map(picoseconds)
        };
        PhaseTopology { topology: name.to_owned(), times: job.phases.iter().map(time).collect() }
    };
    let topologies: Vec<PhaseTopology> = all.par_iter().map(times).collect();
    let is_whole = topologies[0].times.iter().all(Option::is_some);
    is_whole.then(|| planned(topologies, &stages, job.phases.len()))
}

/// The topologies beside that of the fabric, with their names.
fn other_topologies(
    fabric: &Fabric,
    pod: &Pod,
    topology: &Topology,
    targets: &[JobTarget],
) -> Vec<(String, Topology)> {
    let mut others: Vec<(String, Topology)> = match targets.first() {
        Some(target) => target.compared[1..].to_vec(),
        None => known_topologies(pod)
            .into_iter()
            .filter_map(|(name, choice)| Some((name, wired_topology(fabric, pod, choice)?.0)))
            .filter(|(_, other)| other.links() != topology.links())
            .collect(),
    };
    let wrapped = synth::wrapped_cubes(pod).with_capacities(fabric.capacities.clone());
    let is_made = pod.cubes > 1 && cross_connect::assign(pod, &wrapped).is_ok();
    others.extend(is_made.then(|| (WRAPPED.to_owned(), wrapped)));
    others
}

/// Whether all groups of a phase lie in single cubes.
fn stays_in_cubes(pod: &Pod, job: &Job, phase: &JobPhase, ranks: &[NodeId]) -> bool {
    let cube = |chip: &NodeId| pod.cube_of(*chip);
    let stays = |group: &Vec<NodeId>| group.iter().all(|chip| cube(chip) == cube(&group[0]));
    phase.operations.iter().all(|operation| operation_groups(job, operation, ranks).lists().iter().all(stays))
}

/// The changes that save most, from the times of phases.
fn planned(topologies: Vec<PhaseTopology>, stages: &[Vec<usize>], phases: usize) -> Reconfiguration {
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
    let mut taken = vec![best; phases];
    let (mut changes, mut saved) = (0, 0);
    if let Some(plan) = best_stage_plan(&times, single) {
        for (stage, &topology) in stages.iter().zip(&plan.topologies) {
            stage.iter().for_each(|&phase| taken[phase] = topology);
        }
        (changes, saved) = (plan.changes, single - plan.time);
    }
    Reconfiguration { topologies, taken, changes, saved }
}
