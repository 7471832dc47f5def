//! The topology of a pod that is searched for its jobs.
//!
//! In: a pod and the jobs of `synthesize { for = ..; }`. Out: the topology on which the jobs communicate
//! least, and the placement of each. Candidates are the tori and twisted tori that the switches can make, the
//! topology for uniform demand, and topologies for what the jobs send, beside more or less uniform demand.
//! Phases come one after the other, so that a demand that adds them up is only a guess: the sum of the times
//! of all phases decides. At first messages count as the best flow carries them, and gathers as they are
//! planned. Topologies that are nearly as good as the best one are routed, and then messages count along
//! their tables.

use super::errors::JobPlanError;
use super::limits::universal_limits;
use super::plan::JobPlanner;
use crate::compile::aim::JobAim;
use crate::compile::finalists::searched_topology;
use crate::compile::routing::aimed_tables;
use fabc_base::diag::Failure;
use fabc_base::ids::NodeId;
use fabc_base::progress::{Progress, Silent};
use fabc_ir::{ForwardingTables, JobTopology, PassRecord, RankedHops, Scene, Topology, VcRule, picoseconds};
use fabc_job_plan::{PlacedJob, RankPlacement, placements, search_demand};
use fabc_model::{Demand, Fabric, Job, Pod, TopologyChoice};
use fabc_passes::route::minimal::{self, BalanceEffort, BalanceSettings, FirstHop};
use fabc_passes::{cross_connect, synth, tables};
use rayon::prelude::*;
use std::sync::Arc;

/// How many times more the heaviest pair sends than any pair sends beside it, for each demand that is
/// searched.
const SHARES: [u32; 3] = [30, 6, 2];

/// Topologies whose estimate is at most so many per cent above the best one are routed.
const NEAR_PERCENT: u128 = 4;
/// More than all weights of jobs together.
const MOST_WEIGHTS: u128 = 1 << 40;

/// The topology of a pod that was searched for its jobs.
pub(in crate::compile) struct TargetedTopology {
    pub(in crate::compile) topology: Topology,
    pub(in crate::compile) record: PassRecord,
    pub(in crate::compile) targets: Vec<JobTarget>,
    /// The sides of a torus, if one was taken.
    pub(in crate::compile) torus: Option<[u32; 3]>,
}

/// A job for which a topology was searched.
pub(in crate::compile) struct JobTarget {
    /// The index of the job.
    pub(in crate::compile) job: usize,
    /// Its index among the jobs of the search.
    index: usize,
    /// The topologies that were compared, the one that was taken first.
    pub(super) compared: Arc<[Candidate]>,
}

impl JobTarget {
    /// The job with its placement.
    pub(in crate::compile) fn placed<'a>(&'a self, fabric: &'a Fabric) -> PlacedJob<'a> {
        PlacedJob { job: &fabric.jobs[self.job], ranks: &self.placement().ranks }
    }

    /// The placement that was taken with the topology.
    pub(super) fn placement(&self) -> &RankPlacement {
        &self.on(&self.compared[0]).placement
    }

    /// The topologies that were compared, as the file of the job lists them.
    pub(super) fn topologies(&self) -> Vec<JobTopology> {
        let row = |candidate: &Candidate| {
            let placed = self.on(candidate);
            let (topology, place) = (candidate.name.clone(), placed.placement.place.clone());
            let (estimate, routed) = (picoseconds(placed.estimate()), placed.routed.map(picoseconds));
            JobTopology { topology, place, estimate, routed }
        };
        self.compared.iter().map(row).collect()
    }

    /// `[phase]`: its time on a topology that was compared, in attoseconds. `None` if the job was placed
    /// otherwise there.
    pub(super) fn phase_times<'a>(&self, candidate: &'a Candidate, ranks: &[NodeId]) -> Option<&'a [u128]> {
        let placed = self.on(candidate);
        (placed.placement.ranks == ranks).then_some(&placed.phases)
    }

    fn on<'a>(&self, candidate: &'a Candidate) -> &'a PlacedTarget {
        &candidate.jobs[self.index]
    }
}

/// A topology that is compared.
pub(super) struct Candidate {
    pub(super) name: String,
    pub(super) topology: Topology,
    record: PassRecord,
    /// The sides of a torus.
    torus: Option<[u32; 3]>,
    /// `[job of the search]`: how it is placed.
    jobs: Vec<PlacedTarget>,
}

/// A job on a topology that is compared.
struct PlacedTarget {
    placement: RankPlacement,
    /// `[phase]`: its time with messages on their best paths, in attoseconds.
    phases: Vec<u128>,
    /// The time of all communication with messages along the tables that were routed for the jobs.
    routed: Option<u128>,
}

impl PlacedTarget {
    /// The time of all communication with messages on their best paths, in attoseconds.
    fn estimate(&self) -> u128 {
        self.phases.iter().sum()
    }
}

/// Searches for the topology on which the jobs of a search communicate least, each by its weight.
///
/// # Errors
/// The errors of the search, and those of a job that has no plan.
pub(in crate::compile) fn topology_for_jobs(
    fabric: &Fabric,
    pod: &Pod,
    progress: &dyn Progress,
) -> Result<TargetedTopology, Failure> {
    let jobs: Vec<&Job> = fabric.searched_for.iter().map(|&index| &fabric.jobs[index]).collect();
    let searched = |name: String, demand: Demand| {
        let searching = Fabric { demand, ..fabric.clone() };
        let (topology, record) = searched_topology(&searching, pod, progress)?;
        judge(fabric, &jobs, name, topology, record).map_err(JobPlanError::into_failure)
    };
    let mut candidates = vec![searched("all pairs alike".to_owned(), Demand::uniform(pod.node_count()))?];
    for (name, choice) in known_topologies(pod) {
        if let Some((topology, record)) = wired_topology(fabric, pod, choice.clone()) {
            let candidate = judge(fabric, &jobs, name, topology, record);
            let torus = if let TopologyChoice::Torus(sides) = choice { Some(sides) } else { None };
            candidates.push(Candidate { torus, ..candidate.map_err(JobPlanError::into_failure)? });
        }
    }
    let (start, placed) = (&candidates[0].topology, placed_jobs(&jobs, &candidates[0].jobs));
    let demands = SHARES.map(|share| (share, search_demand(start, &placed, share)));
    for (share, demand) in demands {
        candidates.push(searched(format!("jobs {share} to 1"), demand)?);
    }
    let estimate = |candidate: &Candidate| weighted_sum(&jobs, candidate, PlacedTarget::estimate);
    // A stable sort: of equal topologies the one that was found first is taken.
    candidates.sort_by_key(estimate);
    let most = estimate(&candidates[0]) / 100 * (100 + NEAR_PERCENT);
    for candidate in candidates.iter_mut().filter(|candidate| estimate(candidate) <= most) {
        candidate.route(fabric, &jobs)?;
    }
    let routed = |target: &PlacedTarget| target.routed.unwrap_or(u128::MAX / MOST_WEIGHTS);
    candidates.sort_by_key(|candidate| weighted_sum(&jobs, candidate, routed));
    let record = record(&candidates);
    let taken = &candidates[0];
    let topology = with_kept_symmetry(taken.topology.clone(), &placed_jobs(&jobs, &taken.jobs));
    let torus = taken.torus;
    let compared: Arc<[Candidate]> = candidates.into();
    let target = |(index, &job): (usize, &usize)| JobTarget { job, index, compared: Arc::clone(&compared) };
    let targets = fabric.searched_for.iter().enumerate().map(target).collect();
    Ok(TargetedTopology { topology, record, targets, torus })
}

/// The sum over all jobs of a time, each by its weight.
fn weighted_sum(jobs: &[&Job], candidate: &Candidate, time: impl Fn(&PlacedTarget) -> u128) -> u128 {
    jobs.iter().zip(&candidate.jobs).map(|(job, target)| time(target) * u128::from(job.weight)).sum()
}

/// The record of a search, whose candidates are in the order of their times.
fn record(candidates: &[Candidate]) -> PassRecord {
    let counters = candidates.iter().flat_map(|candidate| &candidate.record.counters);
    let evaluations = counters.filter(|(name, _)| name == "evaluations").map(|(_, count)| count).sum();
    let (taken, compared) = (&candidates[0], candidates.len());
    let note = format!("searched for jobs: `{}` is the best of {compared} topologies", taken.name);
    let counters = [("topologies", compared as u64), ("evaluations", evaluations)];
    PassRecord {
        name: "synthesize".to_owned(),
        stopped_by: taken.record.stopped_by.replace("done", "budget"),
        counters: counters.map(|(name, count)| (name.to_owned(), count)).into(),
        notes: taken.record.notes.iter().cloned().chain([note]).collect(),
    }
}

impl Candidate {
    /// Routes the topology for what the jobs send, and times them along these tables. Methods without such
    /// tables leave the estimates as they are.
    fn route(&mut self, fabric: &Fabric, jobs: &[&Job]) -> Result<(), Failure> {
        let placed = placed_jobs(jobs, &self.jobs);
        let topology = with_kept_symmetry(self.topology.clone(), &placed);
        let aim = JobAim::new(fabric, &topology, self.torus, &placed);
        // A topology that cannot be routed is not taken.
        let Ok(tables) = aim.map_or(Ok(None), |aim| aimed_tables(fabric, &topology, &aim)) else {
            return Ok(());
        };
        let (limits, scene) = (universal_limits(fabric, &topology), Scene::healthy(&topology));
        for (job, target) in jobs.iter().zip(&mut self.jobs) {
            let planner = JobPlanner::new(fabric, &scene, tables.as_ref(), &limits, job);
            let time = || planner.table_time(&target.placement.ranks).map_err(JobPlanError::into_failure);
            target.routed = Some(if tables.is_some() { time()? } else { target.estimate() });
        }
        Ok(())
    }
}

/// The tori and twisted tori of a pod, by name. Not all of them can be wired.
pub(super) fn known_topologies(pod: &Pod) -> Vec<(String, TopologyChoice)> {
    let sides = pod.cube.dims;
    let is_cube = sides[0] == sides[1] && sides[1] == sides[2];
    let mut known = Vec::new();
    let divisors = |of: u32| (1..=of).filter(move |side| of.is_multiple_of(*side));
    for x in divisors(pod.cubes) {
        for y in divisors(pod.cubes / x) {
            let grid = [x, y, pod.cubes / x / y];
            // The sides of a cube are alike, and so are tori that differ by their order.
            if is_cube && (grid[0] > grid[1] || grid[1] > grid[2]) {
                continue;
            }
            let [a, b, c] = [0, 1, 2].map(|side| sides[side] * grid[side]);
            known.push((format!("torus {a} x {b} x {c}"), TopologyChoice::Torus([a, b, c])));
            if c == 2 * a && (b == a || b == c) {
                let name = format!("twisted_torus {a} x {b} x {c}");
                known.push((name, TopologyChoice::TwistedTorus([a, b, c])));
            }
        }
    }
    known
}

/// A torus or twisted torus of a pod. `None` where its switches cannot make it.
pub(super) fn wired_topology(
    fabric: &Fabric,
    pod: &Pod,
    choice: TopologyChoice,
) -> Option<(Topology, PassRecord)> {
    let pod = Pod { topology: choice, ..pod.clone() };
    let mut synthesized = synth::synthesize(fabric, &pod, &Silent).ok()?;
    let topology = synthesized.finalists.swap_remove(0).with_capacities(fabric.capacities.clone());
    cross_connect::assign(&pod, &topology).ok()?;
    Some((topology, synthesized.record))
}

/// Places all jobs on a topology, and estimates their times.
fn judge(
    fabric: &Fabric,
    jobs: &[&Job],
    name: String,
    topology: Topology,
    record: PassRecord,
) -> Result<Candidate, JobPlanError> {
    let limits = universal_limits(fabric, &topology);
    let scene = Scene::healthy(&topology);
    let tables = balanced_tables(&topology);
    let place = |job: &&Job| {
        let planner = JobPlanner::new(fabric, &scene, Some(&tables), &limits, job);
        let mut all =
            placements(job, fabric, &topology).map_err(|error| JobPlanError::of_place(job, error))?;
        planner.keep_paths()?;
        let quick: Vec<u128> = all
            .par_iter()
            .map(|place| planner.quick_time(&place.ranks))
            .collect::<Result<_, JobPlanError>>()?;
        let fastest = (0..all.len()).min_by_key(|&index| (quick[index], index)).unwrap_or(0);
        // The plain order is always judged, so that nothing is worse than that.
        let mut best = planner.flow_times(&all[0].ranks)?;
        let mut taken = 0;
        if fastest > 0 {
            let others = planner.flow_times(&all[fastest].ranks)?;
            if others.iter().sum::<u128>() < best.iter().sum() {
                (best, taken) = (others, fastest);
            }
        }
        Ok(PlacedTarget { placement: all.swap_remove(taken), phases: best, routed: None })
    };
    let jobs = jobs.iter().map(place).collect::<Result<_, JobPlanError>>()?;
    Ok(Candidate { name, topology, record, torus: None, jobs })
}

/// Balanced shortest paths for uniform demand, to compare placements by. They are never used on a fabric.
pub(super) fn balanced_tables(topology: &Topology) -> ForwardingTables {
    let plain = topology.clone().with_symmetry(topology.symmetry().to_trivial());
    let settings = BalanceSettings { effort: BalanceEffort::Fault, first_hop: FirstHop::Any, bound: 0 };
    let demand = Demand::uniform(plain.node_count());
    let next = minimal::route(&Scene::healthy(&plain), &demand, settings).next;
    let lanes = VcRule::Listed(next.ports.iter().map(|ports| vec![0; ports.len()]).collect());
    tables::by_destination(&RankedHops { next, lanes, used: 1, vcs: 1, ranks: Vec::new() }, 1, "compared")
}

fn placed_jobs<'a>(jobs: &[&'a Job], targets: &'a [PlacedTarget]) -> Vec<PlacedJob<'a>> {
    let placed =
        |(&job, target): (&&'a Job, &'a PlacedTarget)| PlacedJob { job, ranks: &target.placement.ranks };
    jobs.iter().zip(targets).map(placed).collect()
}

/// The topology with the symmetries that keep what the jobs send.
fn with_kept_symmetry(topology: Topology, placed: &[PlacedJob<'_>]) -> Topology {
    let demand = search_demand(&topology, placed, 1);
    let symmetry = topology
        .symmetry()
        .subgroup(|g| demand.is_kept_by(|node: NodeId| topology.symmetry().image(g, node)));
    topology.with_symmetry(symmetry)
}
