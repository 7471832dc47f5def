//! The paths of the files of jobs.

use crate::collective::schedule_path;

/// The path of the file of a job.
pub(crate) fn job_path(job: &str) -> String {
    format!("jobs/{job}.json")
}

/// The path of the schedule of an operation in a scenario.
pub(crate) fn operation_path(job: &str, phase: &str, operation: &str, scenario: &str) -> String {
    schedule_path(&format!("jobs/{job}.{phase}.{operation}"), scenario)
}
