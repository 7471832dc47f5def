//! Runs shards as processes on this machine, a few at a time, and starts them again when they are killed.

use super::files::log_path;
use super::job::{RESTARTS, ShardedJob, program_path, shard_arguments};
use super::{ASKED_EVERY, FailedShard};
use crate::args::sweep::{Engine, EngineArgs};
use crate::io::engine_errors::EngineError;
use crate::io::errors::DriverError;
use crate::io::read::{display, error_words};
use crate::io::stop::Stop;
use std::fs::OpenOptions;
use std::process::{Child, Command, ExitStatus, Stdio};

/// How often per polling interval children are polled.
const STEPS: u32 = 5;

/// The process of a shard.
struct RunningShard {
    shard: usize,
    attempt: u32,
    child: Child,
}

/// Runs all shards to their end, and returns the failed ones.
///
/// # Errors
/// `EngineError::Refused` if a process cannot be started, and `DriverError::Unwritable` for a log.
pub(crate) fn run(
    job: &ShardedJob<'_>,
    args: &EngineArgs,
    tell: &mut dyn FnMut(),
) -> Result<Vec<FailedShard>, Stop> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let workers = args.workers.map_or(cores.div_ceil(usize::from(args.cores)), usize::from).max(1);
    let (mut failed, mut running, mut next) = (Vec::new(), Vec::new(), 1);
    loop {
        while running.len() < workers && next <= job.shards {
            running.push(RunningShard {
                shard: next,
                attempt: 0,
                child: start_shard(job, args.cores, next)?,
            });
            next += 1;
        }
        if running.is_empty() {
            return Ok(failed);
        }
        tell();
        for _ in 0..STEPS {
            std::thread::sleep(ASKED_EVERY / STEPS);
            let mut ended = Vec::new();
            for (index, shard_process) in running.iter_mut().enumerate() {
                // A child whose state cannot be read counts as ended: the disk shows what it has done.
                match shard_process.child.try_wait() {
                    Ok(None) => {}
                    Ok(Some(status)) => ended.push((index, Some(status))),
                    Err(_) => ended.push((index, None)),
                }
            }
            for (index, status) in ended.into_iter().rev() {
                let RunningShard { shard, attempt, .. } = running.swap_remove(index);
                match status {
                    Some(status) if status.success() => {}
                    Some(status) if status.code().is_none() && attempt < RESTARTS => {
                        running.push(RunningShard {
                            shard,
                            attempt: attempt + 1,
                            child: start_shard(job, args.cores, shard)?,
                        });
                    }
                    Some(status) => failed.extend(failed_shard(job, shard, status, attempt)),
                    None => {}
                }
            }
            if running.len() < workers {
                break;
            }
        }
    }
}

/// How a shard failed, from its exit status and its log.
fn failed_shard(job: &ShardedJob<'_>, shard: usize, status: ExitStatus, attempt: u32) -> Option<FailedShard> {
    let how = match status.code() {
        None => format!("it was killed {} times", attempt + 1),
        Some(code) => {
            super::files::last_log_line(job, Engine::Local, shard).unwrap_or(format!("exit code {code}"))
        }
    };
    Some(FailedShard { shard, how })
}

fn start_shard(job: &ShardedJob<'_>, cores: u16, shard: usize) -> Result<Child, Stop> {
    let path = log_path(job, Engine::Local, shard);
    let unwritable =
        |error: std::io::Error| DriverError::Unwritable { path: display(&path), reason: error_words(&error) };
    let log = OpenOptions::new().create(true).append(true).open(&path).map_err(unwritable)?;
    let log_copy = log.try_clone().map_err(unwritable)?;
    let mut command = Command::new(program_path());
    command.args(shard_arguments(job, cores, &shard.to_string())).current_dir(job.directory);
    let started = command.stdin(Stdio::null()).stdout(log).stderr(log_copy).spawn();
    started.map_err(|error| {
        let words = error_words(&error);
        EngineError::Refused {
            engine: "this machine",
            words,
            hint: "fabc starts itself once per shard".to_owned(),
        }
        .into()
    })
}
