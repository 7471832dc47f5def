//! What can be wrong with a topology.

use fabc_base::diag::{Failure, Span};
use miette::Diagnostic;
use thiserror::Error;

/// Errors of `synthesize`.
#[derive(Debug, Error, Diagnostic)]
pub enum SynthError {
    /// FAB0202: the wiring leaves the pod in pieces.
    #[error("the topology does not connect the pod: {reached} of {nodes} chips can be reached from {from}")]
    #[diagnostic(
        code(FAB0202),
        help(
            "no fiber leaves the part with {from}; couple more faces, or set the cross-connects of {dark} free to join the parts"
        )
    )]
    Disconnected {
        /// Chips that are reached.
        reached: usize,
        /// All chips.
        nodes: usize,
        /// Where the search started.
        from: String,
        /// What could join the parts.
        dark: String,
        /// The topology line.
        #[label("chosen here")]
        span: Span,
    },
    /// FAB0202: a program found no wiring that joins all parts.
    #[error("`method = {method}` found no wiring that connects the pod{faults}: {reason}")]
    #[diagnostic(code(FAB0202), help("{ways}"))]
    Unconnected {
        /// `relax`
        method: &'static str,
        /// Under which faults it must be connected.
        faults: &'static str,
        /// Where the search ended.
        reason: String,
        /// What would help.
        ways: &'static str,
        /// The topology line.
        #[label("its `method` is chosen here")]
        span: Span,
    },
    /// FAB0204: symmetry demanded of a pod that has none.
    #[error("this pod has no translation symmetry: {reason}")]
    #[diagnostic(
        code(FAB0204),
        help("write `symmetry = auto` to let fabc search without symmetry where there is none")
    )]
    NoSymmetry {
        /// Why.
        reason: String,
        /// The topology line.
        #[label("`symmetry = translation` is demanded here")]
        span: Span,
    },
    /// FAB0206: the search would take too much memory.
    #[error(
        "the search among {differing} chips that differ, of {chips}, would take about {need:.1} GB of memory, at most {most:.1} GB are allowed"
    )]
    #[diagnostic(
        code(FAB0206),
        help(
            "where all cubes are alike, `symmetry = translation` or `auto` takes a part of it; or take a smaller pod, or give the wiring in a file"
        )
    )]
    TooLarge {
        /// Canonical chips.
        differing: usize,
        /// All chips.
        chips: usize,
        /// In 10^9 bytes.
        need: f64,
        /// In 10^9 bytes.
        most: f64,
        /// The topology line.
        #[label("searched here")]
        span: Span,
    },
    /// FAB0205: the program of `method = milp` or `relax` is too large for the solver, or the solver failed.
    #[error("the program of this pod has {size}, and {solver} {what}")]
    #[diagnostic(code(FAB0205), help("{ways}"))]
    Unsolved {
        /// Rows, columns and weights of the program.
        size: String,
        /// The solver of this build.
        solver: &'static str,
        /// The limit of this build, or what the solver said.
        what: String,
        /// What would help.
        ways: String,
        /// The topology line.
        #[label("its `method` is chosen here")]
        span: Span,
    },
}

impl From<SynthError> for Failure {
    fn from(error: SynthError) -> Self {
        match error {
            SynthError::TooLarge { .. }
            | SynthError::Disconnected { .. }
            | SynthError::Unconnected { .. } => Failure::infeasible(error),
            error => Failure::spec(error),
        }
    }
}
