//! Verifies the training jobs of a spec: placements, schedules, times and bounds.

use super::files::Files;
use super::read::{contradiction, tagged};
use super::tables;
use crate::CheckError;
use crate::exact::Exact;
use crate::faults::ToleratedFault;
use crate::job::{ClaimedPhase, JobScene, recount_reconfiguration, verify_ranks};
use crate::limit::NearestChips;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::read::{
    CollectiveFile, JobCandidateLine, JobFile, JobPhaseLine, JobScenarioLine, JobTopologyLine,
    JobWitnessLine, PhaseTopologyLine, ReconfigureLine, picoseconds_of,
};
use fabc_ir::{
    CrossConnects, JobCandidate, JobOutcome, JobResult, JobStep, JobTopology, JobWitness, PhaseTopology,
    Reconfiguration, Scene, Schedule, Topology,
};
use fabc_model::{Fabric, Job, JobMetric, JobPhase, Metric, Require, Scenarios, ValueScale};
use rayon::prelude::*;
use serde_json::value::RawValue;
use std::cmp::Ordering;

/// Attoseconds are so many times finer than nanoseconds.
const NANOSECOND: u128 = 1_000_000_000;
/// Attoseconds are so many times finer than picoseconds.
const PICOSECOND: u128 = 1_000_000;

/// Verifies the jobs of a directory against the fabric that they run on.
pub(super) struct JobChecks<'a> {
    pub(super) files: &'a Files,
    pub(super) fabric: &'a Fabric,
    pub(super) topology: &'a Topology,
    pub(super) cross_connects: Option<&'a CrossConnects>,
    /// The chips around every chip in any topology of a pod.
    pub(super) nearest: Option<NearestChips>,
}

impl JobChecks<'_> {
    /// Verifies all jobs. Without scenarios there are no tables, and no results.
    pub(super) fn verify_jobs(
        &self,
        scenarios: &[&ToleratedFault],
    ) -> Result<Vec<JobResult>, Vec<CheckError>> {
        let verify = |job: &Job| match scenarios.is_empty() {
            true => Ok(JobResult::default()),
            false => self.verify_job(job, scenarios),
        };
        let (mut results, mut errors) = (Vec::new(), Vec::new());
        for job in &self.fabric.jobs {
            match verify(job) {
                Ok(result) => results.push(result),
                Err(error) => errors.push(error),
            }
        }
        if errors.is_empty() { Ok(results) } else { Err(errors) }
    }

    fn verify_job(&self, job: &Job, scenarios: &[&ToleratedFault]) -> Result<JobResult, CheckError> {
        let path = format!("jobs/{}.json", job.name);
        let file: JobFile = tagged(self.files, &path)?;
        if file.fabric != self.fabric.name || file.job != job.name {
            return Err(contradiction(&path, "", "it belongs to another fabric or job"));
        }
        let nodes = self.topology.node_count();
        let ranks: Vec<NodeId> =
            file.ranks.iter().map(|&chip| NodeId(chip)).filter(|chip| chip.index() < nodes).collect();
        let healthy = Scene::healthy(self.topology);
        verify_ranks(job, &healthy, &ranks).map_err(|violation| contradiction(&path, "ranks", violation))?;
        let topologies = self
            .topologies(job, file.topologies)
            .map_err(|violation| contradiction(&path, "topologies", violation))?;
        let candidates = candidates(job, file.candidates)
            .map_err(|violation| contradiction(&path, "candidates", violation))?;
        let wanted = if job.scenarios == Scenarios::All { scenarios } else { &scenarios[..1] };
        let scene_of = |fault: &ToleratedFault| Scene {
            topology: self.topology,
            lit: fault.lit_links(self.topology, self.cross_connects),
            dead: fault.dead().into_iter().collect(),
        };
        // A dead chip has no step.
        let planned: Vec<(&ToleratedFault, Scene<'_>)> = wanted
            .iter()
            .map(|&fault| (fault, scene_of(fault)))
            .filter(|(_, scene)| self.topology.endpoints().all(|chip| scene.lives(chip)))
            .collect();
        let names: Vec<&str> = file.scenarios.iter().map(|line| line.scenario.as_str()).collect();
        if names != planned.iter().map(|(fault, _)| fault.name.as_str()).collect::<Vec<_>>() {
            return Err(contradiction(&path, "scenarios", "they are not those in which all chips live"));
        }
        let outcome = |(line, (fault, scene)): (JobScenarioLine, (&ToleratedFault, Scene<'_>))| {
            self.verify_scenario(job, &path, &ranks, line, fault, &scene)
        };
        let lines: Vec<_> = file.scenarios.into_iter().zip(planned).collect();
        let scenarios: Vec<JobOutcome> =
            lines.into_par_iter().map(outcome).collect::<Result<_, CheckError>>()?;
        let best = candidates.first().map(|candidate| candidate.communication);
        let taken = whole_picoseconds(scenarios[0].step.communication);
        if best.is_some_and(|best| best != taken)
            || candidates.iter().any(|candidate| candidate.communication < taken)
        {
            return Err(contradiction(
                &path,
                "candidates",
                "the placement that was taken is not the best one",
            ));
        }
        let reconfiguration = file
            .reconfigure
            .map(|line| reconfiguration(job, &scenarios[0], line))
            .transpose()
            .map_err(|violation| contradiction(&path, "reconfigure", violation))?;
        Ok(JobResult { ranks, topologies, reconfiguration, candidates, scenarios })
    }

    /// The topologies that a file lists. Only a topology that was searched for the job was compared.
    fn topologies(&self, job: &Job, lines: Vec<JobTopologyLine>) -> Result<Vec<JobTopology>, String> {
        let is_target =
            self.fabric.searched_for.iter().any(|&index| self.fabric.jobs[index].name == job.name);
        if lines.is_empty() == is_target {
            let problem = "topologies are compared for jobs in `synthesize { for = ..; }`, and then listed";
            return Err(problem.to_owned());
        }
        let compared = |JobTopologyLine { topology, place, estimate_ns, routed_ns }: JobTopologyLine| {
            let routed = (routed_ns.get() != "null").then(|| time_of(&routed_ns)).transpose()?;
            Ok(JobTopology { topology, place, estimate: time_of(&estimate_ns)?, routed })
        };
        lines.into_iter().map(compared).collect()
    }

    fn verify_scenario(
        &self,
        job: &Job,
        path: &str,
        ranks: &[NodeId],
        line: JobScenarioLine,
        fault: &ToleratedFault,
        scene: &Scene<'_>,
    ) -> Result<JobOutcome, CheckError> {
        let place = format!("scenarios[{}]", fault.name);
        if line.phases.len() != job.phases.len() {
            return Err(contradiction(path, place, "it does not have the phases of the spec"));
        }
        let claimed: Vec<ClaimedPhase> = job
            .phases
            .iter()
            .zip(line.phases)
            .map(|(phase, line)| self.claimed_phase(job, phase, line, fault, path))
            .collect::<Result<_, CheckError>>()?;
        let schedules = || claimed.iter().flat_map(|phase| &phase.schedules);
        let follows_tables = schedules().any(|known| known.as_ref().is_none_or(Schedule::follows_tables));
        let tables = match follows_tables && !self.fabric.routing.has_many_paths() {
            true => Some(tables::read_scenario_tables(self.files, self.topology, fault)?.0),
            false => None,
        };
        let job_scene = JobScene {
            fabric: self.fabric,
            scene,
            tables: tables.as_ref(),
            job,
            ranks,
            nearest: &self.nearest,
        };
        job_scene.recount(&fault.name, claimed).map_err(|violation| contradiction(path, place, violation))
    }

    /// Reads what the files claim of a phase.
    fn claimed_phase(
        &self,
        job: &Job,
        phase: &JobPhase,
        line: JobPhaseLine,
        fault: &ToleratedFault,
        path: &str,
    ) -> Result<ClaimedPhase, CheckError> {
        if line.operations.len() != phase.operations.len() {
            let place = format!("scenarios[{}].phases[{}]", fault.name, phase.name);
            return Err(contradiction(path, place, "it does not have the operations of the spec"));
        }
        let mut schedules = Vec::new();
        for (operation, line) in phase.operations.iter().zip(line.operations) {
            let wanted = fault.job_schedule_path(&job.name, &phase.name, &operation.name);
            schedules.push(match line.schedule {
                None => None,
                Some(named) if named == wanted => Some(self.read_schedule(&wanted, fault)?),
                Some(named) => {
                    return Err(contradiction(path, named, format!("the schedule belongs into `{wanted}`")));
                }
            });
        }
        let witness = match line.witness {
            JobWitnessLine::Lengths(lengths) => JobWitness::Lengths(lengths),
            JobWitnessLine::Relays => JobWitness::Relays,
            JobWitnessLine::Operation(index) => JobWitness::Operation(index),
        };
        Ok(ClaimedPhase { schedules, witness })
    }

    fn read_schedule(&self, path: &str, fault: &ToleratedFault) -> Result<Schedule, CheckError> {
        let file: CollectiveFile = tagged(self.files, path)?;
        if file.fabric != self.fabric.name || file.scenario != fault.name {
            return Err(contradiction(path, "", "it belongs to another fabric or scenario"));
        }
        file.schedule().map_err(|violation| contradiction(path, "", violation))
    }
}

/// What a file claims of topologies of their own for some phases, recounted.
fn reconfiguration(
    job: &Job,
    nominal: &JobOutcome,
    line: ReconfigureLine,
) -> Result<Reconfiguration, String> {
    let listed = |PhaseTopologyLine { topology, phases_ns }: PhaseTopologyLine| {
        let time = |written: &RawValue| match written.get() {
            "null" => Ok(None),
            _ => time_of(written).map(Some),
        };
        Ok(PhaseTopology {
            topology,
            times: phases_ns.iter().map(|written| time(written)).collect::<Result<_, String>>()?,
        })
    };
    let topologies = line.topologies.into_iter().map(listed).collect::<Result<_, String>>()?;
    recount_reconfiguration(job, nominal, topologies, line.phases)
}

/// Whole picoseconds from nanoseconds with three decimals.
fn time_of(written: &RawValue) -> Result<u128, String> {
    picoseconds_of(written).ok_or_else(|| format!("`{}` is no time in ns with three decimals", written.get()))
}

/// Attoseconds as whole picoseconds. Halves go to the even neighbor.
fn whole_picoseconds(attoseconds: u128) -> u128 {
    let (whole, rest) = (attoseconds / PICOSECOND, attoseconds % PICOSECOND);
    whole + u128::from(rest > PICOSECOND / 2 || rest == PICOSECOND / 2 && !whole.is_multiple_of(2))
}

/// The placements that a file lists. Only a placement that was chosen has some.
fn candidates(job: &Job, lines: Vec<JobCandidateLine>) -> Result<Vec<JobCandidate>, String> {
    if lines.is_empty() == job.place.is_chosen() {
        return Err("only placements that are chosen are compared, and then they are listed".to_owned());
    }
    let candidate = |JobCandidateLine { place, communication_ns }: JobCandidateLine| {
        Ok(JobCandidate { place, communication: time_of(&communication_ns)? })
    };
    lines.into_iter().map(candidate).collect()
}

/// The value that a `require` line is about, and for a fault the scenario. `None` if there is no such plan.
pub(super) fn measured_value<'a>(
    require: &Require,
    fabric: &Fabric,
    results: &'a [JobResult],
) -> Option<(Exact, Option<&'a str>)> {
    let Metric::Job(metric) = require.metric else { return None };
    let index = fabric.jobs.iter().position(|job| require.job() == Some(&*job.name))?;
    let scenarios = &results.get(index)?.scenarios;
    let value = |outcome: &JobOutcome| {
        let JobStep { communication, exposed, compute, universal, .. } = outcome.step;
        let time = |time: u128| match require.scale {
            ValueScale::Cycles => {
                Exact::new(time, NANOSECOND)?.times(u128::from(fabric.clock_hz), NANOSECOND)
            }
            _ => Exact::new(time, NANOSECOND),
        };
        match metric {
            JobMetric::Communication => time(communication),
            JobMetric::Exposed => time(exposed),
            JobMetric::Step => time(compute + exposed),
            JobMetric::Share if communication == 0 => Some(Exact::integer(1)),
            JobMetric::Share => Exact::new(universal, communication),
        }
    };
    if !require.fault {
        return Some((value(scenarios.first()?)?, None));
    }
    let worse = if metric == JobMetric::Share { Ordering::Less } else { Ordering::Greater };
    let mut worst: Option<(Exact, Option<&str>)> = None;
    for fault in scenarios.iter().skip(1) {
        let value = value(fault)?;
        if worst.is_none_or(|(worst, _)| value.compare_exact(worst) == worse) {
            worst = Some((value, Some(&fault.scenario)));
        }
    }
    worst
}
