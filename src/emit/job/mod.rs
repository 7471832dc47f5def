//! Training jobs: their files, and their part of the reports.

mod estimate;
mod json;
mod paths;
mod skew;
mod text;

pub use estimate::{JobEstimate, LeastTime, job_estimate_json, job_estimate_text};
pub use json::job_json;
pub(super) use json::push_jobs;
pub(super) use paths::{job_path, operation_path};
pub(crate) use skew::skew_lines;
pub use text::job_text;
pub(crate) use text::{
    JobTextRow, job_rows, limit_lines, milliseconds, milliseconds_of, reconfiguration_line, sentences,
    step_line,
};
