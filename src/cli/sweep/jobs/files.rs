//! The files of a job: the scripts that an engine runs, and the logs of the shards.
//!
//! The scripts name the directory by `.` and contain no time, so that they are the same bytes however often
//! they are written.

use super::failed::last_line;
use super::job::{RESTARTS, ShardedJob, program_path, shard_arguments};
use super::kubernetes;
use crate::args::sweep::{Engine, EngineArgs};
use crate::io::errors::DriverError;
use crate::io::read::display;
use crate::io::write;
use std::path::PathBuf;

/// How many items a message lists.
const FEW: usize = 4;

/// The folder for the files of an engine.
pub(crate) fn engine_folder(job: &ShardedJob<'_>, engine: Engine) -> PathBuf {
    job.directory.join("jobs").join(engine_name(engine))
}

/// The log of a shard.
pub(crate) fn log_path(job: &ShardedJob<'_>, engine: Engine, shard: usize) -> PathBuf {
    engine_folder(job, engine).join(format!("{shard}.log"))
}

fn engine_name(engine: Engine) -> &'static str {
    match engine {
        Engine::Local => "local",
        Engine::Hyperqueue => "hyperqueue",
        Engine::Slurm => "slurm",
        Engine::Kubernetes => "kubernetes",
    }
}

/// Writes the files that the engine needs, and removes the logs of earlier jobs.
///
/// # Errors
/// `DriverError::Unwritable` if a file cannot be written.
pub(crate) fn write_scripts(job: &ShardedJob<'_>, args: &EngineArgs) -> Result<(), DriverError> {
    let folder = engine_folder(job, args.engine);
    let unwritable =
        |error: std::io::Error| DriverError::Unwritable { path: display(&folder), reason: error.to_string() };
    std::fs::create_dir_all(&folder).map_err(unwritable)?;
    let program = shell_quoted(&display(&program_path()));
    let merge = shell_command(&program, job.merge.iter().map(|word| (*word).to_owned()));
    let files: Vec<(&str, String)> = match args.engine {
        Engine::Local => Vec::new(),
        Engine::Kubernetes => vec![("job.json", kubernetes::manifest(job, args))],
        Engine::Hyperqueue => {
            let run = shell_command(&program, shard_arguments(job, args.cores, "$1").into_iter());
            let redirected = "exec > \"jobs/hyperqueue/$1.log\" 2>&1\n";
            vec![
                (
                    "run.sh",
                    format!("#!/bin/sh\n# A shard of the work.\n{redirected}{}", restart_script(&run)),
                ),
                ("merge.sh", format!("#!/bin/sh\n# What becomes of all shards.\n{redirected}exec {merge}\n")),
                ("submit.py", submit_py(job, args.cores)),
            ]
        }
        Engine::Slurm => {
            let run =
                shell_command(&program, shard_arguments(job, args.cores, "$SLURM_ARRAY_TASK_ID").into_iter());
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
                    format!(
                        "#!/bin/sh\n# A shard of the work.\n{}{array}{}",
                        head("%a"),
                        restart_script(&run)
                    ),
                ),
                (
                    "merge.sh",
                    format!("#!/bin/sh\n# What becomes of all shards.\n{}exec {merge}\n", head("merge")),
                ),
            ]
        }
    };
    for shard in 1..=job.shards {
        let _ = std::fs::remove_file(log_path(job, args.engine, shard));
    }
    files.iter().try_for_each(|(name, text)| write::write_file(&folder.join(name), text.as_bytes()))
}

/// A shell script that starts a command again when it is killed, but not when it is asked to end.
fn restart_script(run: &str) -> String {
    format!(
        "for attempt in {}; do\n    {run}\n    code=$?\n    [ \"$code\" -gt 128 ] && [ \"$code\" -ne 130 ] || exit \"$code\"\n    \
         echo \"killed: code $code, attempt $attempt\"\ndone\nexit \"$code\"\n",
        (0..=RESTARTS).map(|attempt| (attempt + 1).to_string()).collect::<Vec<_>>().join(" ")
    )
}

/// A Python script that submits the job to HyperQueue: one task per shard, and one that waits for all and
/// merges.
fn submit_py(job: &ShardedJob<'_>, cores: u16) -> String {
    let (name, shards) = (python_quoted(&job.name), job.shards);
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

/// The commands that submit the files by hand.
pub(crate) fn commands(job: &ShardedJob<'_>, args: &EngineArgs) -> Vec<String> {
    let directory = shell_quoted(&display(job.directory));
    match args.engine {
        Engine::Local => {
            let program = shell_quoted(&display(&program_path()));
            let shards = (1..=job.shards).map(|shard| {
                shell_command(&program, shard_arguments(job, args.cores, &shard.to_string()).into_iter())
            });
            let merge = shell_command(&program, job.merge.iter().map(|word| (*word).to_owned()));
            shards.chain([merge]).map(|command| format!("cd {directory} && {command}")).collect()
        }
        Engine::Hyperqueue => {
            let wait = if args.wait { " --wait" } else { "" };
            vec![format!(
                "python3 {}{wait}",
                shell_quoted(&display(&engine_folder(job, args.engine).join("submit.py")))
            )]
        }
        Engine::Kubernetes => {
            let line = |words: Vec<String>| format!("cd {directory} && kubectl {}", words.join(" "));
            kubernetes::client_words(job).map(line).to_vec()
        }
        Engine::Slurm => {
            let run = format!("cd {directory} && sbatch --parsable jobs/slurm/run.sh");
            let merge = format!(
                "cd {directory} && sbatch --parsable --kill-on-invalid-dep=yes --dependency=afterok:JOB jobs/slurm/merge.sh"
            );
            if args.wait { vec![run] } else { vec![run, merge] }
        }
    }
}

/// The last line of a log, if there is one.
pub(crate) fn last_log_line(job: &ShardedJob<'_>, engine: Engine, shard: usize) -> Option<String> {
    let bytes = std::fs::read(log_path(job, engine, shard)).ok()?;
    last_line(&bytes)
}

/// The first few items, and the number of the others.
pub(crate) fn first_few(items: Vec<String>) -> String {
    let more = items.len().saturating_sub(FEW);
    let shown = items.into_iter().take(FEW).collect::<Vec<_>>().join(", ");
    if more > 0 { format!("{shown} and {more} more") } else { shown }
}

/// A command of a shell. Words that begin with `$` keep their variables.
fn shell_command(program: &str, arguments: impl Iterator<Item = String>) -> String {
    let word = |word: String| if word.starts_with('$') { format!("\"{word}\"") } else { shell_quoted(&word) };
    std::iter::once(program.to_owned()).chain(arguments.map(word)).collect::<Vec<_>>().join(" ")
}

/// Quotes a word for a shell.
fn shell_quoted(word: &str) -> String {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_-./=:,%+@".contains(&byte);
    if !word.is_empty() && word.bytes().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// Quotes a text for Python, which reads JSON strings.
fn python_quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_stay_words_in_a_shell() {
        assert_eq!(shell_quoted("out/sweep_ring"), "out/sweep_ring");
        assert_eq!(shell_quoted("it's here"), r"'it'\''s here'");
        assert_eq!(shell_quoted(""), "''");
        assert_eq!(
            shell_command("fabc", ["--shard".to_owned(), "$1/8".to_owned(), "a b".to_owned()].into_iter()),
            "fabc --shard \"$1/8\" 'a b'"
        );
    }

    #[test]
    fn many_words_are_cut_short() {
        assert_eq!(first_few(vec!["a".to_owned(), "b".to_owned()]), "a, b");
        assert_eq!(first_few((1..=6).map(|n| n.to_string()).collect()), "1, 2, 3, 4 and 2 more");
    }
}
