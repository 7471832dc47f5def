//! Errors of jobs: FAB064n.

use fabc_base::diag::Span;
use miette::Diagnostic;
use thiserror::Error;

/// An error in a `job`.
#[derive(Clone, PartialEq, Debug, Error, Diagnostic)]
#[allow(missing_docs)] // the message of every variant is its documentation
pub enum JobError {
    #[error("job `{job}` has {ranks} ranks, and the pod has {chips} chips")]
    #[diagnostic(code(FAB0640), help("{help}"))]
    RankCount {
        job: String,
        ranks: u128,
        chips: u64,
        help: String,
        #[label("{arithmetic}")]
        span: Span,
        arithmetic: String,
    },

    #[error("{subject} has no axis `{axis}`")]
    #[diagnostic(code(FAB0641), help("{help}"))]
    NoAxis {
        subject: String,
        axis: String,
        help: String,
        #[label("not an axis")]
        span: Span,
    },

    #[error("{subject} names the axis `{axis}` twice")]
    #[diagnostic(code(FAB0641), help("remove one of the two: a group has each of its ranks once"))]
    AxisTwice {
        subject: String,
        axis: String,
        #[label("again")]
        span: Span,
    },

    #[error("{subject} is among a single rank, so it moves nothing")]
    #[diagnostic(code(FAB0641), help("{help}"))]
    OneRank {
        subject: String,
        help: String,
        #[label("{arithmetic}")]
        span: Span,
        arithmetic: String,
    },

    #[error("the phases of job `{job}` wait for each other: {circle}")]
    #[diagnostic(code(FAB0642), help("{help}"))]
    Circle {
        job: String,
        circle: String,
        help: String,
        #[label("this closes the circle")]
        span: Span,
    },

    #[error("{path} does not say which chip is which rank: {problem}")]
    #[diagnostic(
        code(FAB0643),
        help("a line per rank: `rank,chip`. Every rank and every chip has exactly one line")
    )]
    Ranks {
        path: String,
        problem: String,
        #[label("this file")]
        span: Span,
    },

    #[error("{problem}")]
    #[diagnostic(code(FAB0644), help("{help}"))]
    Indivisible {
        problem: String,
        help: String,
        #[label("{arithmetic}")]
        span: Span,
        arithmetic: String,
    },

    #[error("{subject} is too small: {part} is less than a flit")]
    #[diagnostic(code(FAB0645), help("{help}"))]
    BelowFlit {
        subject: String,
        part: String,
        help: String,
        #[label("{arithmetic}")]
        span: Span,
        arithmetic: String,
    },

    #[error("{subject} has both {first} and {second}")]
    #[diagnostic(code(FAB0646), help("{help}"))]
    TwoForms {
        subject: String,
        first: String,
        second: String,
        help: String,
        #[label("remove one of the two")]
        span: Span,
    },

    #[error("a job does not run {place}")]
    #[diagnostic(code(FAB0647), help("{help}"))]
    NoPlace {
        place: String,
        help: String,
        #[label("this job")]
        span: Span,
    },

    #[error("{problem}")]
    #[diagnostic(code(FAB0648), help("{help}"))]
    Incomplete {
        problem: String,
        help: String,
        #[label("{note}")]
        span: Span,
        note: String,
    },

    #[error("{subject} moves {amount} in a step")]
    #[diagnostic(code(FAB0649), help("{help}"))]
    TooMuch {
        subject: String,
        amount: String,
        help: String,
        #[label("too much")]
        span: Span,
    },
}
