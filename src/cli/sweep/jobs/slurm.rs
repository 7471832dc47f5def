//! Slurm: submits an array of shards, and a job that waits for it and merges.

use super::client::{self, EngineClient};
use super::failed::last_line;
use super::job::ShardedJob;
use super::{ASKED_EVERY, FailedShard};
use crate::io::engine_errors::EngineError;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use std::process::Output;

const ENGINE: &str = "Slurm";

/// The queue is polled once per so many polls of the disk.
const QUEUE_EVERY: u32 = 5;

/// How often in a row a poll of the queue may fail.
const MISSES: u32 = 60;

/// Submits the array. Without `wait`, a second job merges, and the result is `None`. With `wait`, it returns
/// an empty list at the end, since the disk shows which shards are unfinished.
///
/// # Errors
/// `EngineError::NoClient` if `sbatch` is missing, and `EngineError::Refused` if it refuses.
pub(crate) fn submit(
    job: &ShardedJob<'_>,
    wait: bool,
    report: &mut dyn FnMut(),
    terminal: Terminal,
) -> Result<Option<Vec<FailedShard>>, Stop> {
    let array = submit_script(job, &["jobs/slurm/run.sh"], "")?;
    terminal.say(&format!("Slurm has taken the shards 1 to {} as job {array}", job.shards))?;
    if wait {
        wait_until_gone(job, &array, report)?;
        return Ok(Some(Vec::new()));
    }
    let after = format!("--dependency=afterok:{array}");
    let words = ["--kill-on-invalid-dep=yes", &after, "jobs/slurm/merge.sh"];
    let merge = submit_script(job, &words, &format!("the shards run as job {array}; "))?;
    terminal.say(&format!("job {merge} merges when all of them are done"))?;
    Ok(None)
}

/// Submits a script, and returns the number of the job.
fn submit_script(job: &ShardedJob<'_>, words: &[&str], before: &str) -> Result<String, EngineError> {
    let Output { status, stdout, stderr } = run_client(job, "sbatch", &[&["--parsable"], words].concat())?;
    let id = String::from_utf8_lossy(&stdout).trim().split(';').next().unwrap_or_default().to_owned();
    if status.success() && !id.is_empty() {
        return Ok(id);
    }
    let words = client::last_words("sbatch", &stdout, &stderr);
    let hint = format!(
        "{before}`sinfo` shows the state of Slurm. Accounts and partitions are read from SBATCH_ACCOUNT, SBATCH_PARTITION .."
    );
    Err(EngineError::Refused { engine: ENGINE, words, hint })
}

/// What an error says of a missing client.
const CLIENTS: &str = "it is in Debian's slurm-client, and on the login node of a cluster";

/// Runs a client of Slurm.
fn run_client(job: &ShardedJob<'_>, client: &str, words: &[&str]) -> Result<Output, EngineError> {
    client::run(job, EngineClient { engine: ENGINE, client, hint: CLIENTS }, words)
}

/// Waits until no task of a job is left in the queue.
fn wait_until_gone(job: &ShardedJob<'_>, id: &str, report: &mut dyn FnMut()) -> Result<(), Stop> {
    let job_filter = format!("--jobs={id}");
    let mut misses = 0;
    loop {
        for _ in 0..QUEUE_EVERY {
            std::thread::sleep(ASKED_EVERY);
            report();
        }
        let Output { status, stdout, stderr } =
            run_client(job, "squeue", &["--noheader", "--format=%i", &job_filter])?;
        let forgotten = String::from_utf8_lossy(&stderr).contains("Invalid job id");
        if forgotten || (status.success() && stdout.iter().all(u8::is_ascii_whitespace)) {
            return Ok(());
        }
        misses = if status.success() { 0 } else { misses + 1 };
        if misses > MISSES {
            let words = last_line(&stderr).unwrap_or("squeue has failed and said nothing".to_owned());
            let hint =
                format!("the shards run as job {id}; the same command finds what they have done by then");
            return Err(EngineError::Refused { engine: ENGINE, words, hint }.into());
        }
    }
}
