//! Errors between fabc and the engines that run its processes. They have the codes FAB059n.

use miette::Diagnostic;
use thiserror::Error;

/// An error of a job.
#[derive(Debug, Error, Diagnostic)]
pub(crate) enum EngineError {
    /// The client program of the engine is missing.
    #[error("{engine} cannot be used: {problem}")]
    #[diagnostic(code(FAB0591), help("{hint}"))]
    NoClient { engine: &'static str, problem: String, hint: &'static str },
    /// The engine refuses the job, or does not answer.
    #[error("{engine} refuses the job: {words}")]
    #[diagnostic(code(FAB0592), help("{hint}"))]
    Refused {
        engine: &'static str,
        /// The last words of its client.
        words: String,
        hint: String,
    },
    /// All processes have ended, and work is unfinished.
    #[error("{shards} of {total} shards did not finish: {listed}")]
    #[diagnostic(
        code(FAB0593),
        help(
            "finished shards are kept, and the same command continues with the others. `{logs}` has the output of every shard"
        )
    )]
    Left {
        shards: usize,
        /// All shards of the job.
        total: usize,
        /// The shards, and how they ended.
        listed: String,
        /// The folder of their logs.
        logs: String,
    },
}
