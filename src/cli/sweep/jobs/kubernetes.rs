//! Kubernetes: creates an Indexed Job, whose pods share a volume.
//!
//! The manifest is JSON, which `kubectl` takes like YAML. A pod knows its shard by the variable
//! `JOB_COMPLETION_INDEX`, and `--shard job/n` reads that. Source: the API reference of `batch/v1` of
//! Kubernetes; retries by index are of version 1.33.

use super::client::{self, EngineClient};
use super::failed::last_line;
use super::job::{RESTARTS, ShardedJob, shard_arguments};
use super::{ASKED_EVERY, FailedShard};
use crate::args::shard::OF_JOB;
use crate::args::sweep::EngineArgs;
use crate::io::engine_errors::EngineError;
use crate::io::read::display;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use serde_json::{Value, json};
use std::process::Output;

const ENGINE: &str = "Kubernetes";

/// The file of the manifest, below the directory of the work.
pub(crate) const MANIFEST: &str = "jobs/kubernetes/job.json";

/// Where a pod mounts the volume.
const MOUNT: &str = "/shared";

/// The most letters of the name of a job. The name of a pod adds its index and a random ending to it, and
/// must be a label of DNS, which has at most 63.
const NAME_LETTERS: usize = 45;

/// The condition of the job is polled once per so many polls of the disk.
const CONDITION_EVERY: u32 = 20;

/// How often in a row a poll may fail.
const MISSES: u32 = 30;

/// The name of the job: lower case letters, digits and dashes.
pub(crate) fn job_name(job: &ShardedJob<'_>) -> String {
    let plain = |letter: char| match letter.to_ascii_lowercase() {
        letter if letter.is_ascii_alphanumeric() => letter,
        _ => '-',
    };
    let name: String = job.name.chars().map(plain).take(NAME_LETTERS).collect();
    name.trim_end_matches('-').to_owned()
}

/// The manifest of the job, with an end of line.
pub(crate) fn manifest(job: &ShardedJob<'_>, args: &EngineArgs) -> String {
    let command: Vec<String> =
        std::iter::once("fabc".to_owned()).chain(shard_arguments(job, args.cores, OF_JOB)).collect();
    let cores = json!({ "cpu": args.cores.to_string() });
    let (claim, folder) = claim(args);
    let mut mount = json!({ "name": "shared", "mountPath": MOUNT });
    if let Some(folder) = folder {
        mount["subPath"] = Value::from(folder);
    }
    let container = json!({
        "name": "shard",
        "image": args.image,
        "command": command,
        "workingDir": MOUNT,
        "resources": { "requests": cores, "limits": cores },
        "volumeMounts": [mount],
    });
    let pod = json!({
        "restartPolicy": "Never",
        "containers": [container],
        "volumes": [{ "name": "shared", "persistentVolumeClaim": { "claimName": claim } }],
    });
    let parallelism = args.workers.map_or(job.shards, usize::from).min(job.shards);
    let value = json!({
        "apiVersion": "batch/v1",
        "kind": "Job",
        "metadata": { "name": job_name(job) },
        "spec": {
            "completionMode": "Indexed",
            "completions": job.shards,
            "parallelism": parallelism,
            "backoffLimitPerIndex": RESTARTS,
            "template": { "spec": pod },
        },
    });
    format!("{value:#}\n")
}

/// The claim of the volume, and the folder in it that is the directory of the work.
fn claim(args: &EngineArgs) -> (&str, Option<&str>) {
    let claim = args.claim.as_deref().unwrap_or_default();
    claim.split_once('/').map_or((claim, None), |(claim, folder)| {
        let folder = folder.trim_matches('/');
        (claim, (!folder.is_empty()).then_some(folder))
    })
}

/// The words for `kubectl` that create the job. A job of that name which was there before goes first: what
/// its pods have finished stays, and the rest is found again.
pub(crate) fn client_words(job: &ShardedJob<'_>) -> [Vec<String>; 2] {
    let words = |line: &str| line.split(' ').map(str::to_owned).collect();
    [
        words(&format!("delete --ignore-not-found job/{}", job_name(job))),
        words(&format!("create --filename {MANIFEST}")),
    ]
}

/// Creates the job. Without `wait`, the result is `None`. With `wait`, it returns an empty list at the end,
/// since the disk shows what is unfinished.
///
/// # Errors
/// `EngineError::NoClient` if `kubectl` is missing, and `EngineError::Refused` if it refuses.
pub(crate) fn submit(
    job: &ShardedJob<'_>,
    wait: bool,
    report: &mut dyn FnMut(),
    terminal: Terminal,
) -> Result<Option<Vec<FailedShard>>, Stop> {
    for words in client_words(job) {
        let Output { status, stdout, stderr } = run_client(job, &words)?;
        if !status.success() {
            return Err(refused(client::last_words("kubectl", &stdout, &stderr)).into());
        }
    }
    let name = job_name(job);
    terminal.say(&format!("Kubernetes has taken the shards 1 to {} as job {name}", job.shards))?;
    if !wait {
        let (merge, directory) = (job.merge.join(" "), display(job.directory));
        terminal.say(&format!("when it is complete, `fabc {merge}` in `{directory}` merges"))?;
        return Ok(None);
    }
    wait_until_over(job, &name, report)?;
    Ok(Some(Vec::new()))
}

/// Waits until the job is complete, or has failed.
fn wait_until_over(job: &ShardedJob<'_>, name: &str, report: &mut dyn FnMut()) -> Result<(), Stop> {
    let words = ["get", &format!("job/{name}"), "--output=json"].map(str::to_owned);
    let mut misses = 0;
    loop {
        let Output { status, stdout, stderr } = run_client(job, &words)?;
        let value: Option<Value> = serde_json::from_slice(&stdout).ok().filter(|_| status.success());
        if value.as_ref().is_some_and(is_over) {
            return Ok(());
        }
        misses = if value.is_some() { 0 } else { misses + 1 };
        if misses > MISSES {
            return Err(refused(last_line(&stderr).unwrap_or("kubectl does not answer".to_owned())).into());
        }
        for _ in 0..CONDITION_EVERY {
            std::thread::sleep(ASKED_EVERY);
            report();
        }
    }
}

/// Whether a job has ended, either way.
fn is_over(job: &Value) -> bool {
    let conditions = job["status"]["conditions"].as_array().map_or(&[][..], Vec::as_slice);
    conditions.iter().any(|condition| {
        condition["status"] == "True" && (condition["type"] == "Complete" || condition["type"] == "Failed")
    })
}

/// What an error says of a missing `kubectl`.
const CLIENT: &str =
    "https://kubernetes.io/docs/tasks/tools has it, and `--dry-run` writes the manifest without it";

/// Runs `kubectl` with some words, in the directory of the work.
fn run_client(job: &ShardedJob<'_>, words: &[String]) -> Result<Output, EngineError> {
    client::run(job, EngineClient { engine: ENGINE, client: "kubectl", hint: CLIENT }, words)
}

fn refused(words: String) -> EngineError {
    let hint = "`kubectl cluster-info` shows whether the cluster answers. Cluster and namespace are those of the context of `kubectl`";
    EngineError::Refused { engine: ENGINE, words, hint: hint.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_job_is_over_when_it_is_complete_or_has_failed() {
        let job = |name: &str, status: &str| {
            is_over(&json!({ "status": { "conditions": [{ "type": name, "status": status }] } }))
        };
        assert!(job("Complete", "True") && job("Failed", "True"));
        assert!(!job("Complete", "False") && !job("Suspended", "True"));
        assert!(!is_over(&json!({ "status": {} })));
    }
}
