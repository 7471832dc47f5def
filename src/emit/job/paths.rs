//! The paths of the files of jobs.

/// The path of the file of a job.
pub(crate) fn job_path(job: &str) -> String {
    format!("jobs/{job}.json")
}

/// The path of the schedule of an operation in a scenario.
pub(crate) fn operation_path(job: &str, phase: &str, operation: &str, scenario: &str) -> String {
    match scenario {
        "nominal" => format!("jobs/{job}.{phase}.{operation}.json"),
        _ => format!("jobs/{job}.{phase}.{operation}.fault-{}.json", fabc_model::file_stem(scenario)),
    }
}
