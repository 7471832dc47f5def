//! A job: work that several processes share, and the command of one of them.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;

/// How often a killed process is started again.
pub(crate) const RESTARTS: u32 = 3;

/// Work that is divided among several processes.
pub(crate) struct ShardedJob<'a> {
    /// Its name in the queue of an engine.
    pub(crate) name: String,
    /// The working directory of its processes, which also holds its files.
    pub(crate) directory: &'a Path,
    /// The arguments of fabc before `--shard i/n`.
    pub(crate) run: &'a [&'a str],
    /// The arguments of fabc when all shards are finished.
    pub(crate) merge: &'a [&'a str],
    pub(crate) shards: usize,
    /// Which pieces of the work a shard does.
    pub(crate) share: Share,
}

/// Which pieces of its work a shard of a job does.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Share {
    /// Shard `k % shards + 1` does piece k.
    Dealt,
    /// Any shard does any piece: the next that is open.
    Queued,
}

/// The program that runs the commands, where it is not this process: a script of an interpreter.
pub(crate) static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// The path of this program.
pub(crate) fn program_path() -> PathBuf {
    if let Some(program) = PROGRAM.get() {
        return program.clone();
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("fabc"))
}

/// The arguments of the process of a shard. `shard` may be a variable of a script.
pub(crate) fn shard_arguments(job: &ShardedJob<'_>, cores: u16, shard: &str) -> Vec<String> {
    let threads = ["--threads".to_owned(), cores.to_string()];
    let run = job.run.iter().map(|word| (*word).to_owned());
    threads.into_iter().chain(run).chain(["--shard".to_owned(), format!("{shard}/{}", job.shards)]).collect()
}
