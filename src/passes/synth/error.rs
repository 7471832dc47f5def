//! The errors of `synthesize`.

use fabc_base::diag::{Failure, Span};
use miette::Diagnostic;
use thiserror::Error;

/// The errors of the pass `synthesize`.
#[derive(Debug, Error, Diagnostic)]
pub enum SynthError {
    /// FAB0202: the wiring leaves the pod disconnected.
    #[error("the topology does not connect the pod: {reached} of {nodes} chips can be reached from {from}")]
    #[diagnostic(
        code(FAB0202),
        help(
            "no fiber leaves the part with {from}. Couple more faces, or let the search set the cross-connects of {dark}"
        )
    )]
    Disconnected {
        /// The number of chips that the search reached.
        reached: usize,
        /// The number of all chips.
        nodes: usize,
        /// The chip where the search started.
        from: String,
        /// The OCSes that could join the parts.
        dark: String,
        /// Where the spec chooses the topology.
        #[label("chosen here")]
        span: Span,
    },
    /// FAB0202: a program found no connected wiring.
    #[error("`method = {method}` found no wiring that connects the pod{faults}: {reason}")]
    #[diagnostic(code(FAB0202), help("{remedy}"))]
    Unconnected {
        /// The method, such as `relax`.
        method: &'static str,
        /// The faults under which it must be connected, in words.
        faults: &'static str,
        /// The reason why the search ended.
        reason: String,
        /// The remedies, as a help text.
        remedy: &'static str,
        /// Where the spec chooses the topology.
        #[label("its `method` is chosen here")]
        span: Span,
    },
    /// FAB0204: symmetry is demanded of a pod that has none.
    #[error("this pod has no translation symmetry: {reason}")]
    #[diagnostic(
        code(FAB0204),
        help("write `symmetry = auto` to let fabc search without symmetry where there is none")
    )]
    NoSymmetry {
        /// The reason why it has none.
        reason: String,
        /// Where the spec chooses the topology.
        #[label("`symmetry = translation` is demanded here")]
        span: Span,
    },
    /// FAB0206: the search would take too much memory.
    #[error(
        "the search among {differing} chips that differ, of {chips}, would take about {need:.1} GB of memory, at most {limit:.1} GB are allowed"
    )]
    #[diagnostic(
        code(FAB0206),
        help(
            "if all cubes are alike, `symmetry = translation` or `auto` needs less. Or use a smaller pod, or read the wiring from a file"
        )
    )]
    TooLarge {
        /// The number of canonical chips.
        differing: usize,
        /// The number of all chips.
        chips: usize,
        /// The memory that it would take, in 10^9 bytes.
        need: f64,
        /// The memory allowed, in 10^9 bytes.
        limit: f64,
        /// Where the spec chooses the topology.
        #[label("searched here")]
        span: Span,
    },
    /// FAB0205: the program of `method = milp` or `relax` is too large for the solver, or the solver failed.
    #[error("the program of this pod has {size}, and {solver} {reason}")]
    #[diagnostic(code(FAB0205), help("{remedies}"))]
    Unsolved {
        /// Rows, columns and weights of the program.
        size: String,
        /// The solver of this build.
        solver: &'static str,
        /// The limit of this build, or what the solver said.
        reason: String,
        /// The remedies, as a help text.
        remedies: String,
        /// Where the spec chooses the topology.
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
