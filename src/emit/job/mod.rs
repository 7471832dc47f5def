//! Training jobs: their files, and their part of the reports.

mod json;
mod paths;
mod text;

pub(super) use json::{job_json, push_jobs};
pub(crate) use text::{JobTextRow, StepBar, candidates_line, job_rows, limit_lines, step_line};
pub(super) use paths::{job_path, operation_path};
