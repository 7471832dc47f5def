//! HyperQueue: submits a job of tasks through its Python package.

use super::failed::last_line;
use super::files::engine_folder;
use super::job::ShardedJob;
use super::{ASKED_EVERY, FailedShard};
use crate::args::sweep::Engine;
use crate::io::engine_errors::EngineError;
use crate::io::read::display;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::process::{Command, Stdio};

const ENGINE: &str = "HyperQueue";

const GET_IT: &str = "`python3 -m pip install hyperqueue` brings its client, for the `python3` of the PATH";

/// Submits the job. Without `wait`, the last task merges, and the result is `None`. With `wait`, it returns
/// an empty list at the end, since the disk shows which shards are unfinished.
///
/// # Errors
/// `EngineError::NoClient` if the package is missing, and `EngineError::Refused` if the server refuses.
pub(crate) fn submit(
    job: &ShardedJob<'_>,
    wait: bool,
    tell: &mut dyn FnMut(),
    terminal: Terminal,
) -> Result<Option<Vec<FailedShard>>, Stop> {
    let import = Command::new("python3").args(["-c", "import hyperqueue"]).stdin(Stdio::null()).output();
    let missing = match import {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            Some(last_line(&output.stderr).unwrap_or("its Python package cannot be loaded".to_owned()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Some("there is no `python3`".to_owned()),
        Err(error) => Some(format!("`python3` cannot be started: {error}")),
    };
    if let Some(problem) = missing {
        return Err(EngineError::NoClient { engine: ENGINE, problem, hint: GET_IT }.into());
    }
    let folder = engine_folder(job, Engine::Hyperqueue);
    // A file instead of a pipe, because nobody reads a pipe while we wait.
    let log_path = folder.join("submit.log");
    let unwritable = |error: std::io::Error| refused_error(&format!("{}: {error}", display(&log_path)));
    let log = File::create(&log_path).map_err(unwritable)?;
    let mut command = Command::new("python3");
    command.arg(folder.join("submit.py")).args(wait.then_some("--wait")).stdin(Stdio::null());
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(log)
        .spawn()
        .map_err(|error| refused_error(&error.to_string()))?;
    let mut id = String::new();
    if let Some(stdout) = child.stdout.as_mut() {
        let _ = BufReader::new(stdout).read_line(&mut id);
    }
    let id = id.trim().to_owned();
    if id.is_empty() {
        let _ = child.wait();
        return Err(refused_error(&client_words(&log_path)).into());
    }
    terminal.say(&format!("HyperQueue has taken the shards 1 to {} as job {id}", job.shards))?;
    while let Ok(None) = child.try_wait() {
        std::thread::sleep(ASKED_EVERY);
        tell();
    }
    tell();
    if wait {
        return Ok(Some(Vec::new()));
    }
    terminal.say("its last task merges when all of them are done")?;
    Ok(None)
}

fn client_words(log_path: &Path) -> String {
    std::fs::read(log_path)
        .ok()
        .and_then(|bytes| last_line(&bytes))
        .unwrap_or("its client has failed and said nothing".to_owned())
}

fn refused_error(words: &str) -> EngineError {
    let hint = "a server must run, of the version of the Python package: its directory is HQ_SERVER_DIR, or ~/.hq-server".to_owned();
    EngineError::Refused { engine: ENGINE, words: words.to_owned(), hint }
}
