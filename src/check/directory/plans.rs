//! Proves plans of a fabric from the files that a directory has of them. The topology was proved before.

use super::collectives::{CollectiveChecks, ProvedSchedule};
use super::files::{Files, schedule_path};
use super::jobs::JobChecks;
use crate::CheckError;
use crate::faults::{ToleratedFault, tolerated_faults};
use crate::limit::NearestChips;
use fabc_ir::{CrossConnects, JobResult, Topology};
use fabc_model::Fabric;

/// Proves the schedules of all collectives of a fabric. The files hold them, and the tables that they follow.
///
/// # Errors
/// Every conviction, as of [`super::prove_directory`].
pub fn prove_schedules(
    files: &Files,
    fabric: &Fabric,
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
) -> Result<Vec<Vec<ProvedSchedule>>, Vec<CheckError>> {
    let checks = CollectiveChecks { files, fabric, topology, cross_connects };
    match fabric.pace().filter(|_| schedule_path(files).is_some()) {
        Some(pace) => checks.verify_schedules(pace).map_err(|error| vec![error]),
        None => {
            let scenarios = scenarios(fabric, topology)?;
            checks.verify_collectives(&scenarios.iter().collect::<Vec<_>>())
        }
    }
}

/// Proves all jobs of a fabric. The files hold them, their schedules, and the tables of the scenarios.
///
/// # Errors
/// Every conviction, as of [`super::prove_directory`].
pub fn prove_job_files(
    files: &Files,
    fabric: &Fabric,
    topology: &Topology,
    cross_connects: Option<&CrossConnects>,
) -> Result<Vec<JobResult>, Vec<CheckError>> {
    let nearest = fabric.pod().map(|pod| NearestChips::new(pod, &fabric.capacities));
    let scenarios = scenarios(fabric, topology)?;
    let checks = JobChecks { files, fabric, topology, cross_connects, nearest };
    checks.verify_jobs(&scenarios.iter().collect::<Vec<_>>())
}

fn scenarios(fabric: &Fabric, topology: &Topology) -> Result<Vec<ToleratedFault>, Vec<CheckError>> {
    tolerated_faults(fabric, || Ok(topology)).map_err(|error| vec![error])
}
