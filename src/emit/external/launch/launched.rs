//! The input of files for launchers: the jobs of a fabric with their results.

use super::hosts::HostNaming;
use crate::compiled::CompiledFabric;
use fabc_ir::{JobResult, Topology};
use fabc_model::{Fabric, Job};

/// The jobs that files for launchers are about.
#[derive(Clone, Debug)]
pub struct LaunchedJobs<'a> {
    /// The fabric as the spec declares it.
    pub fabric: &'a Fabric,
    /// Its routers and links, with their names.
    pub topology: &'a Topology,
    /// The jobs with their results.
    pub jobs: Vec<LaunchedJob<'a>>,
    /// How hosts are called, and which chips each has.
    pub naming: &'a HostNaming,
}

/// A job with its result.
#[derive(Clone, Copy, Debug)]
pub struct LaunchedJob<'a> {
    /// The job as the spec declares it.
    pub job: &'a Job,
    /// Its ranks, and the schedules of its operations in the first scenario.
    pub result: &'a JobResult,
}

impl<'a> LaunchedJobs<'a> {
    /// The jobs of a compiled fabric.
    pub fn new(compiled: &'a CompiledFabric, naming: &'a HostNaming) -> Self {
        let jobs = compiled.fabric.jobs.iter().zip(&compiled.jobs);
        Self {
            fabric: &compiled.fabric,
            topology: &compiled.topology,
            jobs: jobs.map(|(job, result)| LaunchedJob { job, result }).collect(),
            naming,
        }
    }
}
