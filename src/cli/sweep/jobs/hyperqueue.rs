//! HyperQueue: a job of tasks, by its Python package.

use super::files::{Job, folder, last_line};
use super::{ASKED_EVERY, EngineError, Failed};
use crate::args::sweep::Engine;
use crate::io::errors::Stop;
use crate::io::read::display;
use crate::io::terminal::Terminal;
use std::fs::File;
use std::io::{BufRead, BufReader, ErrorKind};
use std::path::Path;
use std::process::{Command, Stdio};

const ENGINE: &str = "HyperQueue";

const GET_IT: &str = "`python3 -m pip install hyperqueue` brings its client, for the `python3` of the PATH";

/// Submits the job; `None` where its last task merges, the failed shards where the end was waited for (none
/// are known by name: what is open on the disk tells).
///
/// # Errors
/// The package is not there, or the server refuses.
pub(crate) fn submit(
    job: &Job<'_>,
    wait: bool,
    tell: &mut dyn FnMut(),
    terminal: Terminal,
) -> Result<Option<Vec<Failed>>, Stop> {
    let asked = Command::new("python3").args(["-c", "import hyperqueue"]).stdin(Stdio::null()).output();
    let missing = match asked {
        Ok(output) if output.status.success() => None,
        Ok(output) => {
            Some(last_line(&output.stderr).unwrap_or("its Python package cannot be loaded".to_owned()))
        }
        Err(error) if error.kind() == ErrorKind::NotFound => Some("there is no `python3`".to_owned()),
        Err(error) => Some(format!("`python3` cannot be started: {error}")),
    };
    if let Some(what) = missing {
        return Err(EngineError::NoClient { engine: ENGINE, what, hint: GET_IT }.into());
    }
    let folder = folder(job, Engine::Hyperqueue);
    // A file, not a pipe: nobody reads along while the end is waited for.
    let said = folder.join("submit.log");
    let unwritable = |error: std::io::Error| refused(&format!("{}: {error}", display(&said)));
    let says = File::create(&said).map_err(unwritable)?;
    let mut command = Command::new("python3");
    command.arg(folder.join("submit.py")).args(wait.then_some("--wait")).stdin(Stdio::null());
    let mut child =
        command.stdout(Stdio::piped()).stderr(says).spawn().map_err(|error| refused(&error.to_string()))?;
    let mut id = String::new();
    if let Some(stdout) = child.stdout.as_mut() {
        let _ = BufReader::new(stdout).read_line(&mut id);
    }
    let id = id.trim().to_owned();
    if id.is_empty() {
        let _ = child.wait();
        return Err(refused(&words(&said)).into());
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

fn words(said: &Path) -> String {
    std::fs::read(said)
        .ok()
        .and_then(|bytes| last_line(&bytes))
        .unwrap_or("its client has failed and said nothing".to_owned())
}

fn refused(words: &str) -> EngineError {
    let hint = "a server must run, of the version of the Python package: its directory is HQ_SERVER_DIR, or ~/.hq-server".to_owned();
    EngineError::Refused { engine: ENGINE, words: words.to_owned(), hint }
}
