//! `fabc estimate job`: what a training job moves and takes at least, without a spec.

use crate::args::estimate_job::EstimateJobArgs;
use crate::io::stop::Stop;
use crate::io::terminal::{print_out, write_out};
use fabc_emit::{job_estimate_json, job_estimate_text};
use fabc_pipeline::estimate::{JobOptions, estimate_job};

/// `fabc estimate job`: prints volumes and bounds.
///
/// # Errors
/// The errors of the options, and those of the spec that they stand for.
pub(super) fn print_job_estimate(args: &EstimateJobArgs) -> Result<(), Stop> {
    let EstimateJobArgs { model, axes, batch, compute, set, on, bandwidth, alpha, json } = args.clone();
    let options = JobOptions { model, axes, batch, compute, set, on, bandwidth, alpha };
    let estimate = estimate_job(&options)?;
    match json {
        true => write_out(job_estimate_json(&estimate).as_bytes())?,
        false => print_out(&job_estimate_text(&estimate))?,
    }
    Ok(())
}
