//! Processes on this machine: each shard one, so many at a time, started again when they are killed.

use super::files::{Job, RESTARTS, arguments, fabc, log};
use super::{ASKED_EVERY, EngineError, Failed};
use crate::args::sweep::{Engine, JobArgs};
use crate::io::errors::{DriverError, Stop};
use crate::io::read::{display, plain};
use std::fs::OpenOptions;
use std::process::{Child, Command, ExitStatus, Stdio};

/// How often children are asked whether they are over.
const STEPS: u32 = 5;

/// A shard that runs.
struct Running {
    shard: usize,
    attempt: u32,
    child: Child,
}

/// Runs all shards to their end; the failed ones are returned.
///
/// # Errors
/// A process cannot be started.
pub(crate) fn run(job: &Job<'_>, args: &JobArgs, tell: &mut dyn FnMut()) -> Result<Vec<Failed>, Stop> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = args.workers.map_or(cores.div_ceil(usize::from(args.cores)), usize::from).max(1);
    let (mut failed, mut running, mut next) = (Vec::new(), Vec::new(), 1);
    loop {
        while running.len() < workers && next <= job.shards {
            running.push(Running { shard: next, attempt: 0, child: start(job, args.cores, next)? });
            next += 1;
        }
        if running.is_empty() {
            return Ok(failed);
        }
        tell();
        for _ in 0..STEPS {
            std::thread::sleep(ASKED_EVERY / STEPS);
            let mut ended = Vec::new();
            for (at, one) in running.iter_mut().enumerate() {
                // A child whose state cannot be read is waited for no longer: the disk says what it has done.
                match one.child.try_wait() {
                    Ok(None) => {}
                    Ok(Some(status)) => ended.push((at, Some(status))),
                    Err(_) => ended.push((at, None)),
                }
            }
            for (at, status) in ended.into_iter().rev() {
                let Running { shard, attempt, .. } = running.swap_remove(at);
                match status {
                    Some(status) if status.success() => {}
                    Some(status) if status.code().is_none() && attempt < RESTARTS => {
                        running.push(Running {
                            shard,
                            attempt: attempt + 1,
                            child: start(job, args.cores, shard)?,
                        });
                    }
                    Some(status) => failed.extend(how(job, shard, status, attempt)),
                    None => {}
                }
            }
            if running.len() < workers {
                break;
            }
        }
    }
}

/// How a shard failed; nothing where its log says it better.
fn how(job: &Job<'_>, shard: usize, status: ExitStatus, attempt: u32) -> Option<Failed> {
    let how = match status.code() {
        None => format!("it was killed {} times", attempt + 1),
        Some(code) => {
            super::files::last_word(job, Engine::Local, shard).unwrap_or(format!("exit code {code}"))
        }
    };
    Some(Failed { shard, how })
}

fn start(job: &Job<'_>, cores: u16, shard: usize) -> Result<Child, Stop> {
    let path = log(job, Engine::Local, shard);
    let unwritable =
        |error: std::io::Error| DriverError::Unwritable { path: display(&path), reason: plain(&error) };
    let says = OpenOptions::new().create(true).append(true).open(&path).map_err(unwritable)?;
    let also = says.try_clone().map_err(unwritable)?;
    let mut command = Command::new(fabc());
    command.args(arguments(job, cores, &shard.to_string())).current_dir(job.directory);
    let started = command.stdin(Stdio::null()).stdout(says).stderr(also).spawn();
    started.map_err(|error| {
        let words = plain(&error);
        EngineError::Refused {
            engine: "this machine",
            words,
            hint: "fabc starts itself once per shard".to_owned(),
        }
        .into()
    })
}
