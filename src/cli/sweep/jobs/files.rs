//! The files of a job: what an engine runs, and where it says what happened.
//!
//! They name the directory by `.` and hold no time, so that they are the same bytes whoever writes them
//! again.

use crate::args::sweep::{Engine, JobArgs};
use crate::io::errors::DriverError;
use crate::io::read::display;
use crate::io::write;
use std::path::{Path, PathBuf};

/// How often a process is started again that was killed.
pub(crate) const RESTARTS: u32 = 3;

/// How many words of others are repeated.
const FEW: usize = 4;

/// Work for several processes.
pub(crate) struct Job<'a> {
    /// What lists of jobs call it.
    pub(crate) name: String,
    /// Where its processes run, and below which its files stand.
    pub(crate) directory: &'a Path,
    /// What fabc is told before `--shard i/n`.
    pub(crate) run: &'a [&'a str],
    /// What fabc is told when all is done.
    pub(crate) merge: &'a [&'a str],
    /// In how many parts.
    pub(crate) shards: usize,
}

/// The folder of an engine.
pub(crate) fn folder(job: &Job<'_>, engine: Engine) -> PathBuf {
    job.directory.join("jobs").join(name(engine))
}

/// What a shard says.
pub(crate) fn log(job: &Job<'_>, engine: Engine, shard: usize) -> PathBuf {
    folder(job, engine).join(format!("{shard}.log"))
}

fn name(engine: Engine) -> &'static str {
    match engine {
        Engine::Local => "local",
        Engine::Hyperqueue => "hyperqueue",
        Engine::Slurm => "slurm",
    }
}

/// This very program.
pub(crate) fn fabc() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("fabc"))
}

/// The arguments of the process of a shard, a word of a script in the place of its number.
pub(crate) fn arguments(job: &Job<'_>, cores: u16, shard: &str) -> Vec<String> {
    let threads = ["--threads".to_owned(), cores.to_string()];
    let run = job.run.iter().map(|word| (*word).to_owned());
    threads.into_iter().chain(run).chain(["--shard".to_owned(), format!("{shard}/{}", job.shards)]).collect()
}

/// Writes what the engine needs; logs of earlier jobs go.
///
/// # Errors
/// The disk does not let us.
pub(crate) fn write(job: &Job<'_>, args: &JobArgs) -> Result<(), DriverError> {
    let folder = folder(job, args.engine);
    let unwritable =
        |error: std::io::Error| DriverError::Unwritable { path: display(&folder), reason: error.to_string() };
    std::fs::create_dir_all(&folder).map_err(unwritable)?;
    let program = quoted(&display(&fabc()));
    let merge = words(&program, job.merge.iter().map(|word| (*word).to_owned()));
    let files: Vec<(&str, String)> = match args.engine {
        Engine::Local => Vec::new(),
        Engine::Hyperqueue => {
            let run = words(&program, arguments(job, args.cores, "$1").into_iter());
            let redirected = "exec > \"jobs/hyperqueue/$1.log\" 2>&1\n";
            vec![
                ("run.sh", format!("#!/bin/sh\n# A shard of the work.\n{redirected}{}", again(&run))),
                ("merge.sh", format!("#!/bin/sh\n# What becomes of all shards.\n{redirected}exec {merge}\n")),
                ("submit.py", submit_py(job, args.cores)),
            ]
        }
        Engine::Slurm => {
            let run = words(&program, arguments(job, args.cores, "$SLURM_ARRAY_TASK_ID").into_iter());
            let limit = args.workers.map_or(String::new(), |workers| format!("%{workers}"));
            let head = |log: &str| {
                let (name, cores) = (&job.name, args.cores);
                format!(
                    "#SBATCH --job-name={name}\n#SBATCH --cpus-per-task={cores}\n#SBATCH --output=jobs/slurm/{log}.log\n"
                )
            };
            let array = format!("#SBATCH --array=1-{}{limit}\n#SBATCH --requeue\n", job.shards);
            vec![
                (
                    "run.sh",
                    format!("#!/bin/sh\n# A shard of the work.\n{}{array}{}", head("%a"), again(&run)),
                ),
                (
                    "merge.sh",
                    format!("#!/bin/sh\n# What becomes of all shards.\n{}exec {merge}\n", head("merge")),
                ),
            ]
        }
    };
    for shard in 1..=job.shards {
        let _ = std::fs::remove_file(log(job, args.engine, shard));
    }
    files.iter().try_for_each(|(name, text)| write::write(&folder.join(name), text.as_bytes()))
}

/// Lines of a shell that start a command again when it is killed, but not when it is asked to end.
fn again(run: &str) -> String {
    format!(
        "for attempt in {}; do\n    {run}\n    code=$?\n    [ \"$code\" -gt 128 ] && [ \"$code\" -ne 130 ] || exit \"$code\"\n    \
         echo \"killed: code $code, attempt $attempt\"\ndone\nexit \"$code\"\n",
        (0..=RESTARTS).map(|attempt| (attempt + 1).to_string()).collect::<Vec<_>>().join(" ")
    )
}

/// The job as HyperQueue's Python package takes it: a task for every shard, and one that waits for them.
fn submit_py(job: &Job<'_>, cores: u16) -> String {
    let (name, shards) = (python(&job.name), job.shards);
    format!(
        r#"# Hands the shards to the HyperQueue server of HQ_SERVER_DIR (or ~/.hq-server) and prints the number of the job.
# `--wait` waits for the end; without it a last task merges.
import os
import sys
from pathlib import Path

from hyperqueue import Client, Job
from hyperqueue.ffi.protocol import ResourceRequest

here = Path(__file__).resolve().parent
wait = "--wait" in sys.argv[1:]
job = Job(name={name}, default_workdir=here.parents[1], max_fails=None)


def task(script, word, deps=()):
    arguments = ["sh", str(here / script), word]
    cores = ResourceRequest(cpus={cores})
    return job.program(arguments, name=word, deps=deps, stdout=None, stderr=None, resources=cores, crash_limit={RESTARTS})


shards = [task("run.sh", str(shard)) for shard in range(1, {shards} + 1)]
if not wait:
    task("merge.sh", "merge", shards)
client = Client(os.environ.get("HQ_SERVER_DIR"))
submitted = client.submit(job)
print(submitted.id, flush=True)
if wait:
    client.connection.wait_for_jobs((submitted.id,), lambda _: None)
"#
    )
}

/// What a person would type to submit the files.
pub(crate) fn commands(job: &Job<'_>, args: &JobArgs) -> Vec<String> {
    let here = quoted(&display(job.directory));
    match args.engine {
        Engine::Local => {
            let program = quoted(&display(&fabc()));
            let shards = (1..=job.shards)
                .map(|shard| words(&program, arguments(job, args.cores, &shard.to_string()).into_iter()));
            let merge = words(&program, job.merge.iter().map(|word| (*word).to_owned()));
            shards.chain([merge]).map(|command| format!("cd {here} && {command}")).collect()
        }
        Engine::Hyperqueue => {
            let wait = if args.wait { " --wait" } else { "" };
            vec![format!("python3 {}{wait}", quoted(&display(&folder(job, args.engine).join("submit.py"))))]
        }
        Engine::Slurm => {
            let run = format!("cd {here} && sbatch --parsable jobs/slurm/run.sh");
            let merge = format!(
                "cd {here} && sbatch --parsable --kill-on-invalid-dep=yes --dependency=afterok:JOB jobs/slurm/merge.sh"
            );
            if args.wait { vec![run] } else { vec![run, merge] }
        }
    }
}

/// The last line of a log, if there is one.
pub(crate) fn last_word(job: &Job<'_>, engine: Engine, shard: usize) -> Option<String> {
    let bytes = std::fs::read(log(job, engine, shard)).ok()?;
    last_line(&bytes)
}

/// The last line with something on it; of a diagnostic, the line that says what is wrong.
pub(crate) fn last_line(bytes: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(bytes);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let says = |line: &&&str| line.starts_with('×');
    lines.iter().rev().find(says).or(lines.last()).map(|line| line.trim_start_matches(['×', ' ']).to_owned())
}

/// Some of many words, in a line.
pub(crate) fn few(all: Vec<String>) -> String {
    let more = all.len().saturating_sub(FEW);
    let shown = all.into_iter().take(FEW).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// A command of a shell; what its variables stand in is not quoted away.
fn words(program: &str, arguments: impl Iterator<Item = String>) -> String {
    let word = |word: String| if word.starts_with('$') { format!("\"{word}\"") } else { quoted(&word) };
    std::iter::once(program.to_owned()).chain(arguments.map(word)).collect::<Vec<_>>().join(" ")
}

/// A word of a shell.
fn quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./=:,%+@".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A text of Python: what JSON quotes, Python reads.
fn python(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words_in_a_shell() {
        assert_eq!(quoted("out/sweep_ring"), "out/sweep_ring");
        assert_eq!(quoted("it's here"), r"'it'\''s here'");
        assert_eq!(quoted(""), "''");
        assert_eq!(
            words("fabc", ["--shard".to_owned(), "$1/8".to_owned(), "a b".to_owned()].into_iter()),
            "fabc --shard \"$1/8\" 'a b'"
        );
    }

    #[test]
    fn the_last_word_is_what_is_wrong() {
        assert_eq!(last_line(b"one\n  two  \n\n").unwrap(), "two");
        let drawn = "1 of 2\nFAB0503\n\n  × cannot write `x`: no space\n  help: nothing half written\n";
        assert_eq!(last_line(drawn.as_bytes()).unwrap(), "cannot write `x`: no space");
        assert_eq!(last_line(b"sbatch: error: no\nsbatch: fatal\n").unwrap(), "sbatch: fatal");
        assert!(last_line(b" \n").is_none());
    }

    #[test]
    fn many_words_are_cut_short() {
        assert_eq!(few(vec!["a".to_owned(), "b".to_owned()]), "a, b");
        assert_eq!(few((1..=6).map(|n| n.to_string()).collect()), "1, 2, 3, 4 and 2 more");
    }
}
