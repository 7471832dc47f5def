//! The client programs of engines.

use super::failed::last_line;
use super::job::ShardedJob;
use crate::io::engine_errors::EngineError;
use std::ffi::OsStr;
use std::io::ErrorKind;
use std::process::{Command, Output, Stdio};

/// A client program of an engine.
#[derive(Clone, Copy)]
pub(crate) struct EngineClient<'a> {
    pub(crate) engine: &'static str,
    /// The name of the program.
    pub(crate) client: &'a str,
    /// Where it can be had.
    pub(crate) hint: &'static str,
}

/// Runs a client in the directory of the work.
///
/// # Errors
/// `EngineError::NoClient` if it cannot be started.
pub(crate) fn run<W: AsRef<OsStr>>(
    job: &ShardedJob<'_>,
    EngineClient { engine, client, hint }: EngineClient<'_>,
    words: &[W],
) -> Result<Output, EngineError> {
    let mut command = Command::new(client);
    command.args(words).current_dir(job.directory).stdin(Stdio::null());
    command.output().map_err(|error| {
        let problem = match error.kind() {
            ErrorKind::NotFound => format!("there is no `{client}`"),
            _ => format!("`{client}` cannot be started: {error}"),
        };
        EngineError::NoClient { engine, problem, hint }
    })
}

/// The last words of a client that has failed.
pub(crate) fn last_words(client: &str, stdout: &[u8], stderr: &[u8]) -> String {
    let said = last_line(stderr).or_else(|| last_line(stdout));
    said.unwrap_or_else(|| format!("{client} has failed and said nothing"))
}
