//! What can go wrong between fabc and whoever runs its processes. Codes FAB059n.

use miette::Diagnostic;
use thiserror::Error;

/// An error of a job.
#[derive(Debug, Error, Diagnostic)]
pub(crate) enum EngineError {
    /// The program that speaks with the engine is not there.
    #[error("{engine} cannot be asked: {what}")]
    #[diagnostic(code(FAB0591), help("{hint}"))]
    NoClient {
        /// Its name.
        engine: &'static str,
        /// What is missing.
        what: String,
        /// Where to get it.
        hint: &'static str,
    },
    /// The engine does not take the job, or is not there.
    #[error("{engine} does not take the job: {words}")]
    #[diagnostic(code(FAB0592), help("{hint}"))]
    Refused {
        /// Its name.
        engine: &'static str,
        /// What its client said last.
        words: String,
        /// What to look at.
        hint: String,
    },
    /// Everybody has ended, and something is open.
    #[error("{shards} of {of} shards have left work open: {which}")]
    #[diagnostic(
        code(FAB0593),
        help(
            "what is done stays; the same command goes on with what is open, and `{logs}` has what every shard said"
        )
    )]
    Left {
        /// Shards with open work.
        shards: usize,
        /// Shards in all.
        of: usize,
        /// Which, and how they ended.
        which: String,
        /// The folder of their logs.
        logs: String,
    },
}
