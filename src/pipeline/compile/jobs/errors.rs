//! Errors about training jobs that do not fit their fabric. Codes FAB065n.

use crate::compile::collectives::CollectivesError;
use fabc_base::diag::{Failure, Span};
use fabc_job_plan::PlacementError;
use fabc_model::{Job, JobOperation, JobPhase};
use miette::Diagnostic;
use thiserror::Error;

/// The reason why a job has no plan.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
pub enum JobPlanError {
    /// FAB0650: the ranks are not as many as the chips.
    #[error("job `{job}`: {axes} = {ranks} ranks, but the fabric has {chips} chips")]
    #[diagnostic(code(FAB0650), help("{hint}"))]
    Ranks {
        /// The name of the job.
        job: String,
        /// The sizes of the axes, such as `8 x 4 x 4`.
        axes: String,
        /// Their product, or a word for a product that is too large.
        ranks: String,
        /// Number of chips of the fabric.
        chips: u64,
        /// The size that would fit.
        hint: String,
        /// The place of the job.
        #[label("this job")]
        span: Option<Span>,
    },
    /// FAB0651: a placement that the fabric does not have.
    #[error("job `{job}`: {problem}")]
    #[diagnostic(code(FAB0651), help("{hint}"))]
    Place {
        /// The name of the job.
        job: String,
        /// What the fabric or the job lacks.
        problem: String,
        /// What can be written instead.
        hint: String,
        /// The place of the job.
        #[label("of this job")]
        span: Option<Span>,
    },
    /// FAB0652: an operation that no schedule does.
    #[error("job `{job}`: `{operation}` cannot be planned: {reason}")]
    #[diagnostic(code(FAB0652), help("{hint}"))]
    Operation {
        /// The name of the job.
        job: String,
        /// The phase and the operation, such as `layers.in`.
        operation: String,
        /// The reason of the planner.
        reason: String,
        /// What can be written instead.
        hint: String,
        /// The place of the operation.
        #[label("this operation")]
        span: Option<Span>,
    },
    /// FAB0654: a line about faults that all take a chip.
    #[error("job `{job}`: `{metric}` is about no fault: each takes a chip, and a dead chip has no step")]
    #[diagnostic(code(FAB0654), help("require `{plain}`, or tolerate faults of links or switches"))]
    NoFault {
        /// The name of the job.
        job: String,
        /// The metric as the line writes it.
        metric: String,
        /// The metric of the healthy fabric.
        plain: String,
        /// The place of the line.
        #[label("this line")]
        span: Option<Span>,
    },
    /// The checker convicts a schedule of an operation.
    #[error(transparent)]
    #[diagnostic(transparent)]
    Convicted(CollectivesError),
}

impl JobPlanError {
    /// The error of an operation that no schedule does.
    pub(super) fn of_operation(job: &Job, phase: &JobPhase, operation: &JobOperation, reason: &str) -> Self {
        Self::Operation {
            job: job.name.clone(),
            operation: format!("{}.{}", phase.name, operation.name),
            reason: reason.to_owned(),
            hint: "`fabc explain FAB0652` lists what operations need".to_owned(),
            span: Some(operation.span),
        }
    }

    /// The error of a job whose fabric does not have its placement.
    pub(super) fn of_place(job: &Job, PlacementError { problem, hint }: PlacementError) -> Self {
        JobPlanError::Place { job: job.name.clone(), problem, hint, span: Some(job.span) }
    }

    /// The failure of a build whose spec declares the job.
    pub fn into_failure(self) -> Failure {
        match self {
            JobPlanError::Convicted(_) => Failure::internal(self),
            _ => Failure::spec(self),
        }
    }

    /// The exit code of the process.
    pub fn exit_code(&self) -> u8 {
        match self {
            JobPlanError::Convicted(error) => error.exit_code(),
            _ => 1,
        }
    }
}
