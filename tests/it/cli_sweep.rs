//! `fabc sweep`, driven from outside, and the programs that run its shards. `parts` has builds by several
//! processes.

#[cfg(unix)]
mod kubernetes;
mod parts;

use crate::support::plain::{command, fabc, files};
use crate::support::spec_text::SpecText;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::Duration;

/// Rings of routers: quick to compile.
fn ring() -> String {
    let spec = SpecText::network("torus n x n;").named("ring").with("require diameter <= most;").text();
    format!("param n = 4 in 2..=12;\nparam most = 8;\nparam unused = 1;\n{spec}")
}

fn workplace() -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("ring.fab"), ring()).unwrap();
    directory
}

const SETS: [&str; 4] = ["--set", "n=3..=6", "--set", "most=2,4"];

fn with<'a>(head: &[&'a str], tail: &[&'a str]) -> Vec<&'a str> {
    head.iter().chain(&SETS).chain(tail).copied().collect()
}

#[test]
fn a_sweep_has_a_row_for_every_combination_and_runs_each_once() {
    let place = workplace();
    let (out, err) = fabc(place.path(), &with(&["sweep", "ring.fab"], &[]), 0);
    assert!(err.contains("8 of 8") && err.contains("n=6 most=4"), "{err}");
    assert!(out.contains("8 of 8 runs: 0 were there"), "{out}");
    let sweep = place.path().join("out/sweep_ring");
    let table = std::fs::read_to_string(sweep.join("table.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), 9);
    assert_eq!(rows[0][..3], ["n", "most", "status"]);
    let diameter = rows[0].iter().position(|name| *name == "diameter").unwrap();
    let messages: Vec<[&str; 4]> = rows[1..]
        .iter()
        .map(|row| [row[0], row[1], row[2], row.get(diameter).copied().unwrap_or("")])
        .collect();
    // A run that can never hold is refused before anything is compiled, and has no metrics.
    for [n, most, status, measured] in messages {
        let diameter = n.parse::<u32>().unwrap() / 2 * 2;
        let holds = diameter <= most.parse().unwrap();
        assert_eq!(status == "kept", holds, "{n} {most} {status}");
        assert!(!holds || measured == diameter.to_string(), "{n} {most} {measured}");
    }
    // Finished runs are not run again, and other values are added to them.
    let (out, err) = fabc(place.path(), &with(&["sweep", "ring.fab"], &[]), 0);
    assert!(out.contains("0 of 8 runs: 8 were there") && err.is_empty(), "{out}{err}");
    let (out, _) = fabc(
        place.path(),
        &["sweep", "ring.fab", "--set", "n=4,7", "--set", "most=4", "--set", "unused=1,2"],
        0,
    );
    // A parameter that nothing depends on makes no other run.
    assert!(out.contains("1 of 2 runs: 1 were there"), "{out}");
    assert_eq!(std::fs::read_to_string(sweep.join("table.csv")).unwrap().lines().count(), 5);
    // Every run is a directory that can be proved.
    let built = std::fs::read_to_string(sweep.join("table.json")).unwrap();
    let first =
        built.split("\"directory\":\"").nth(1).and_then(|rest| rest.split('"').next()).expect("a run");
    fabc(&sweep, &["verify", first], 0);
    let manifest = std::fs::read_to_string(sweep.join(first).join("manifest.json")).unwrap();
    assert!(
        manifest.contains("\"param.n\":\"4\"") && manifest.contains("\"param.most\":\"4\""),
        "{manifest}"
    );
}

#[test]
fn shards_come_to_the_same_bytes_and_twice_does_no_harm() {
    let place = workplace();
    let until = ["--until", "analyze"];
    fabc(place.path(), &with(&["sweep", "ring.fab", "-o", "whole", "-q"], &until), 0);
    let (out, _) = fabc(place.path(), &with(&["sweep", "prepare", "ring.fab", "-o", "parts"], &until), 0);
    assert!(out.contains("planned 8 runs in parts"), "{out}");
    // The plan is all that is needed.
    std::fs::remove_file(place.path().join("ring.fab")).unwrap();
    fabc(place.path(), &["sweep", "run", "parts", "--shard", "2/3", "-q"], 0);
    let (_, err) = fabc(place.path(), &["sweep", "merge", "parts"], 2);
    assert!(err.contains("FAB0544") && err.contains("of 8 runs are missing"), "{err}");
    let twice: Vec<_> = ["1/3", "3/3", "3/3", "2/3"]
        .map(|shard| {
            command(place.path(), &["sweep", "run", "parts", "--shard", shard, "-q"])
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .into();
    for mut child in twice {
        assert!(child.wait().unwrap().success());
    }
    fabc(place.path(), &["sweep", "merge", "parts", "-q"], 0);
    let [whole, parts] = ["whole", "parts"].map(|name| files(&place.path().join(name)));
    assert!(whole.keys().eq(parts.keys()), "{:?}\n{:?}", whole.keys(), parts.keys());
    assert!(whole == parts);
}

#[test]
fn a_killed_worker_loses_nothing() {
    let place = workplace();
    fabc(place.path(), &with(&["sweep", "ring.fab", "-o", "whole", "-q"], &[]), 0);
    for after in [5, 20, 40, 60, 90, 120, 160, 200, 300, 400] {
        let mut child =
            command(place.path(), &with(&["sweep", "ring.fab", "-o", "killed", "-q"], &[])).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(after));
        // On Unix this is a SIGKILL.
        let _ = child.kill();
        child.wait().unwrap();
    }
    fabc(place.path(), &with(&["sweep", "ring.fab", "-o", "killed", "-q"], &[]), 0);
    let is_ours = |path: &&PathBuf| !path.iter().any(|part| part.to_string_lossy().contains(".fabc-"));
    let [whole, killed] = ["whole", "killed"].map(|name| files(&place.path().join(name)));
    let killed: BTreeMap<&PathBuf, &Vec<u8>> = killed.iter().filter(|(path, _)| is_ours(path)).collect();
    assert!(whole.keys().eq(killed.keys().copied()));
    assert!(whole.iter().all(|(path, bytes)| killed[path] == bytes));
}

#[test]
fn what_is_swept_may_stand_in_the_spec() {
    let place = workplace();
    let swept = ring().replace("fabric ring {", "sweep { n = 3..=4; most = 4, 8; }\nfabric ring {");
    std::fs::write(place.path().join("swept.fab"), &swept).unwrap();
    let (out, _) = fabc(place.path(), &["sweep", "swept.fab", "--until", "synthesize", "--set", "most=6"], 0);
    assert!(out.contains("2 of 2 runs") && out.contains("most  n"), "{out}");
    let (out, _) = fabc(place.path(), &["sweep", "swept.fab", "--until", "synthesize"], 0);
    assert!(out.contains("4 of 4 runs"), "{out}");
    fabc(place.path(), &["check", "swept.fab"], 0);
    std::fs::write(place.path().join("swept.fab"), swept.replace("3..=4", "3, 13")).unwrap();
    let (_, err) = fabc(place.path(), &["sweep", "swept.fab", "--message-format", "short"], 1);
    assert!(err.contains("swept.fab:") && err.contains("FAB0144"), "{err}");
}

#[test]
fn what_cannot_be_swept_is_told_before_anything_is_run() {
    let place = workplace();
    let (_, err) =
        fabc(place.path(), &["sweep", "ring.fab", "--set", "n=4,13", "--message-format", "short"], 1);
    assert!(err.starts_with("--set:1:3: error[FAB0144]"), "{err}");
    for (args, message) in [
        (["--set", "n=4..4"], "the range is empty"),
        (["--set", "n=4,,5"], "a value between two commas is missing"),
        (["--set", "most=0..1000000"], "at most 100000 runs"),
        (["--until", "resolve"], "has no results to compare"),
    ] {
        let (_, err) = fabc(place.path(), &[&["sweep", "ring.fab"], &args[..]].concat(), 2);
        assert!(err.contains("FAB0544") && err.contains(message), "{err}");
    }
    let (_, err) = fabc(place.path(), &["sweep", "run", "."], 2);
    assert!(err.contains("FAB0544") && err.contains("no `sweep.json`"), "{err}");
    let (_, err) = fabc(place.path(), &["sweep", "ring.fab", "-o", "."], 2);
    assert!(err.contains("FAB0504"), "{err}");
    let (_, err) = fabc(place.path(), &["sweep", "run", ".", "--shard", "3/2"], 2);
    assert!(err.contains("from `1/n` to `n/n`"), "{err}");
    assert!(!place.path().join("out").exists());
}

/// The files of a sweep without those of its jobs, and without what killed processes leave.
/// Leaves and spines beside the rings, with a parameter of their own.
fn leaves() -> String {
    let spec = SpecText::network("leaf_spine { leaves = 4; spines = spines; }").named("leaves").text();
    format!("param spines = 2 in 1..=4;\nparam most = 8;\n{spec}")
}

#[test]
fn several_specs_come_into_one_table() {
    let place = workplace();
    std::fs::write(place.path().join("leaves.fab"), leaves()).unwrap();
    let sets = ["--set", "n=3,4", "--set", "spines=1,2", "--set", "most=4"];
    let specs = ["sweep", "ring.fab", "leaves.fab", "--until", "route", "--columns", "cables,diameter"];
    let (out, _) = fabc(place.path(), &[&specs[..], &sets].concat(), 0);
    assert!(out.contains("4 of 4 runs: 0 were there"), "{out}");
    let table = std::fs::read_to_string(place.path().join("out/sweep/table.csv")).unwrap();
    let rows: Vec<Vec<&str>> = table.lines().map(|line| line.split(',').collect()).collect();
    let column = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
    let cells = |row: &Vec<&str>| {
        ["fabric", "n", "most", "spines", "status", "routers", "cables"]
            .map(|name| row[column(name)].to_owned())
    };
    let told: Vec<[String; 7]> = rows[1..].iter().map(cells).collect();
    // A torus of n x n has 2 n^2 links, and one host at every router. 4 leaves have a cable to every spine.
    let wanted = [
        ["ring", "3", "4", "", "kept", "9", "27"],
        ["ring", "4", "4", "", "kept", "16", "48"],
        ["leaves", "", "4", "1", "kept", "5", "8"],
        ["leaves", "", "4", "2", "kept", "6", "12"],
    ];
    assert_eq!(told, wanted.map(|row| row.map(str::to_owned)));
    assert_eq!(rows[0][0], "fabric");
    let text = std::fs::read_to_string(place.path().join("out/sweep/table.txt")).unwrap();
    let heads: Vec<&str> = text.lines().next().unwrap().split_whitespace().collect();
    assert_eq!(heads, ["fabric", "n", "most", "spines", "status", "cables", "diameter"]);
    fabc(place.path(), &["sweep", "verify", "out/sweep"], 0);
    // The column of names is proved, too.
    let plan = place.path().join("out/sweep/sweep.json");
    let text = std::fs::read_to_string(&plan).unwrap();
    std::fs::write(&plan, text.replacen("[\"leaves\",", "[\"ring\",", 1)).unwrap();
    let (_, err) = fabc(place.path(), &["sweep", "verify", "out/sweep"], 3);
    assert!(err.contains("calls a run `ring`, but its fabric is `leaves`"), "{err}");
    // So is that a spec has no such parameter.
    std::fs::write(&plan, text.replacen("[\"leaves\",\"\",", "[\"leaves\",\"3\",", 1)).unwrap();
    let (_, err) = fabc(place.path(), &["sweep", "verify", "out/sweep"], 3);
    assert!(err.contains("says `n=3` of a run whose settings have another value"), "{err}");
}

#[test]
fn several_specs_have_names_and_parameters_of_their_own() {
    let place = workplace();
    std::fs::write(place.path().join("leaves.fab"), leaves()).unwrap();
    std::fs::write(place.path().join("again.fab"), ring()).unwrap();
    let refuse = |args: &[&str], code: i32, text: &str| {
        let (_, err) = fabc(place.path(), args, code);
        assert!(flowing(&err).contains(text), "{err}");
        assert!(!place.path().join("out").exists());
    };
    refuse(&["sweep", "ring.fab", "again.fab"], 2, "two of the specs have a fabric `ring`");
    refuse(
        &["sweep", "ring.fab", "leaves.fab", "--set", "cubes=2"],
        1,
        "there is no parameter `cubes` to set",
    );
    refuse(&["sweep", "ring.fab", "missing.fab"], 1, "cannot read `missing.fab`");
    refuse(&["sweep", "-", "-"], 2, "standard input can be read once");
    refuse(&["sweep", "ring.fab", "--columns", "hosts,cabels"], 2, "no metric is called `cabels`");
    refuse(&["sweep", "ring.fab", "--columns", "fault.nodes"], 2, "no metric is called `fault.nodes`");
}

fn results(directory: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut kept_files = files(directory);
    kept_files.retain(|path, _| {
        !path.starts_with("jobs") && !path.iter().any(|part| part.to_string_lossy().contains(".fabc-"))
    });
    kept_files
}

/// A program of this name for fabc to find, in a folder of its own.
#[cfg(unix)]
fn program(place: &Path, name: &str, script: &str) {
    use std::os::unix::fs::PermissionsExt;
    let path = place.join("bin").join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(&path, format!("#!/bin/sh\n{script}")).unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs fabc with the programs of [`program`] before all others.
#[cfg(unix)]
fn with_programs(place: &Path, args: &[&str], code: i32) -> (String, String) {
    let path = format!("{}:/usr/bin:/bin", place.join("bin").display());
    let output = command(place, args).env("PATH", path).output().unwrap();
    let [out, err] = [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
    assert_eq!(output.status.code(), Some(code), "{args:?}\n{out}\n{err}");
    (out, err)
}

/// A message without its line ends.
fn flowing(text: &str) -> String {
    text.split_whitespace().filter(|word| *word != "│").collect::<Vec<_>>().join(" ")
}

/// A sweep by one process, for comparison.
fn whole_build_files(place: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    fabc(place, &with(&["sweep", "ring.fab", "-o", "whole", "-q"], &["--until", "analyze"]), 0);
    results(&place.join("whole"))
}

#[test]
fn processes_of_this_machine_come_to_the_same_bytes() {
    let place = workplace();
    let whole_build = whole_build_files(place.path());
    let words = with(
        &["sweep", "submit", "ring.fab", "-o", "parts"],
        &["--until", "analyze", "--workers", "3", "--shards", "5"],
    );
    let (out, err) = fabc(place.path(), &words, 0);
    assert!(out.contains("8 of 8 runs are open in parts") && out.contains("most  status"), "{out}");
    assert!(err.contains("8 of 8 done"), "{err}");
    assert!(whole_build == results(&place.path().join("parts")));
    // All runs are finished: no program is asked.
    let (out, err) = fabc(place.path(), &["sweep", "submit", "parts", "--engine", "slurm"], 0);
    assert!(out.contains("0 of 8 runs are open in parts") && err.is_empty(), "{out}{err}");
    let (_, err) = fabc(place.path(), &["sweep", "submit", "parts", "--set", "n=4"], 2);
    assert!(err.contains("FAB0544") && err.contains("belong to a spec"), "{err}");
}

#[test]
fn a_killed_submitter_loses_nothing() {
    let place = workplace();
    let whole_build = whole_build_files(place.path());
    let words = with(
        &["sweep", "submit", "ring.fab", "-o", "killed", "-q"],
        &["--until", "analyze", "--workers", "2"],
    );
    for after in [10, 40, 80, 150, 250] {
        let mut child = command(place.path(), &words).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(after));
        let _ = child.kill();
        child.wait().unwrap();
    }
    fabc(place.path(), &words, 0);
    assert!(whole_build == results(&place.path().join("killed")));
}

#[cfg(unix)]
#[test]
fn slurm_is_handed_an_array_and_a_job_that_waits_for_it() {
    let place = workplace();
    let whole_build = whole_build_files(place.path());
    // A Slurm that runs what it is given at once.
    let sbatch = r#"echo "$*" >> jobs/calls
for word; do script=$word; done
for task in $(sed -n 's/#SBATCH --array=1-\([0-9]*\).*/\1/p' "$script" | xargs -r seq); do
    SLURM_ARRAY_TASK_ID=$task sh "$script" > "jobs/slurm/$task.log" 2>&1 || exit 1
done
case $script in *merge.sh) sh "$script" > jobs/slurm/merge.log 2>&1;; esac
echo 12;cluster
"#;
    program(place.path(), "sbatch", sbatch.replace("12;cluster", "'12;cluster'").as_str());
    program(place.path(), "squeue", "exit 0\n");
    let words =
        ["--until", "analyze", "--engine", "slurm", "--shards", "3", "--workers", "2", "--cores", "2"];
    let (out, _) =
        with_programs(place.path(), &with(&["sweep", "submit", "ring.fab", "-o", "parts"], &words), 0);
    assert_eq!(
        out,
        "8 of 8 runs are open in parts\nSlurm has taken the shards 1 to 3 as job 12\njob 12 merges when all of them are done\n"
    );
    assert!(whole_build == results(&place.path().join("parts")));
    let read = |path: &str| std::fs::read_to_string(place.path().join("parts").join(path)).unwrap();
    let calls = "--parsable jobs/slurm/run.sh\n--parsable --kill-on-invalid-dep=yes --dependency=afterok:12 jobs/slurm/merge.sh\n";
    assert_eq!(read("jobs/calls"), calls);
    let script = read("jobs/slurm/run.sh").replace(env!("CARGO_BIN_EXE_fabc"), "fabc");
    assert_eq!(
        script,
        r#"#!/bin/sh
# A shard of the work.
#SBATCH --job-name=fabc-ring
#SBATCH --cpus-per-task=2
#SBATCH --output=jobs/slurm/%a.log
#SBATCH --array=1-3%2
#SBATCH --requeue
for attempt in 1 2 3 4; do
    fabc --threads 2 sweep run . --shard "$SLURM_ARRAY_TASK_ID/3"
    code=$?
    [ "$code" -gt 128 ] && [ "$code" -ne 130 ] || exit "$code"
    echo "killed: code $code, attempt $attempt"
done
exit "$code"
"#
    );
    // Waited for, the table is written here.
    let (out, _) = with_programs(
        place.path(),
        &with(&["sweep", "submit", "ring.fab", "-o", "waited", "--wait"], &words),
        0,
    );
    assert!(
        out.contains("Slurm has taken the shards 1 to 3 as job 12") && out.contains("wrote waited"),
        "{out}"
    );
    assert!(whole_build == results(&place.path().join("waited")));
}

#[cfg(unix)]
#[test]
fn hyperqueue_is_asked_through_its_package() {
    let place = workplace();
    let whole_build = whole_build_files(place.path());
    // A package whose server runs what it is given at once. What is handed to it is what the script says.
    let package = r#"
import os, subprocess
class Job:
    def __init__(self, name, default_workdir, max_fails):
        assert name == "fabc-ring" and max_fails is None
        self.place, self.tasks = default_workdir, []
    def program(self, words, name, deps, stdout, stderr, resources, crash_limit):
        assert resources.cpus == 1 and len(deps) == (len(self.tasks) if name == "merge" else 0)
        self.tasks.append(words)
        return name
class Client:
    def __init__(self, directory):
        self.connection = self
    def submit(self, job):
        if "REFUSE" in os.environ:
            raise Exception("no server is there")
        for words in job.tasks:
            subprocess.run(words, cwd=job.place, check=True)
        self.id = 7
        return self
    def wait_for_jobs(self, ids, callback):
        assert ids == (7,)
"#;
    let modules = place.path().join("modules/hyperqueue/ffi");
    std::fs::create_dir_all(&modules).unwrap();
    std::fs::write(modules.join("../__init__.py"), package).unwrap();
    std::fs::write(modules.join("__init__.py"), "").unwrap();
    let request = "class ResourceRequest:\n    def __init__(self, cpus):\n        self.cpus = cpus\n";
    std::fs::write(modules.join("protocol.py"), request).unwrap();
    let submit = |out: &str, more: &[&str], refuse: bool| {
        let words = with(
            &["sweep", "submit", "ring.fab", "-o", out],
            &["--until", "analyze", "--engine", "hyperqueue", "--shards", "3"],
        );
        let mut command = command(place.path(), &[&words[..], more].concat());
        command.env("PYTHONPATH", place.path().join("modules")).env("PYTHONDONTWRITEBYTECODE", "1");
        let output = if refuse { command.env("REFUSE", "1").output() } else { command.output() }.unwrap();
        [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap())
    };
    let [out, err] = submit("parts", &[], false);
    let progress = "8 of 8 runs are open in parts\nHyperQueue has taken the shards 1 to 3 as job 7\nits last task merges when all of them are done\n";
    assert_eq!(out, progress, "{err}");
    assert!(whole_build == results(&place.path().join("parts")));
    let [out, err] = submit("waited", &["--wait"], false);
    assert!(out.contains("as job 7") && out.contains("wrote waited"), "{out}{err}");
    assert!(whole_build == results(&place.path().join("waited")));
    let [_, err] = submit("refused", &[], true);
    let message = "FAB0592\n\n  × HyperQueue refuses the job: Exception: no server is there\n  help: a server must run, of the version of the Python package: its directory\n        is HQ_SERVER_DIR, or ~/.hq-server\n";
    assert!(flowing(&err).starts_with(&flowing(message)), "{err}");
}

#[cfg(unix)]
#[test]
fn what_engines_do_not_do_is_told() {
    let place = workplace();
    let words = with(
        &["sweep", "submit", "ring.fab", "-o", "parts", "-q"],
        &["--engine", "slurm", "--shards", "3", "--wait"],
    );
    let output = command(place.path(), &words).env("PATH", "/nowhere").output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let err = String::from_utf8(output.stderr).unwrap();
    let expected = "FAB0591\n\n  × Slurm cannot be used: there is no `sbatch`\n  help: it is in Debian's slurm-client, and on the login node of a cluster\n";
    assert!(flowing(&err).starts_with(&flowing(expected)), "{err}");
    program(
        place.path(),
        "sbatch",
        "echo 'sbatch: error: Batch job submission failed: Invalid partition name specified' >&2\nexit 1\n",
    );
    let (_, err) = with_programs(place.path(), &words, 2);
    let refusal = "FAB0592\n\n  × Slurm refuses the job: sbatch: error: Batch job submission failed:\n  │ Invalid partition name specified\n  help: `sinfo` shows the state of Slurm. Accounts and partitions are read from SBATCH_ACCOUNT, SBATCH_PARTITION ..\n";
    assert!(flowing(&err).starts_with(&flowing(refusal)), "{err}");
    // It takes the job, and nothing comes of it.
    program(place.path(), "sbatch", "echo 'slurmstepd: no memory' > jobs/slurm/2.log\necho 12\n");
    program(place.path(), "squeue", "echo 'slurm_load_jobs error: Invalid job id specified' >&2\nexit 1\n");
    let (_, err) = with_programs(place.path(), &words, 2);
    let lost_shards = "FAB0593\n\n  × 3 of 3 shards did not finish: 1 (it said nothing), 2 (slurmstepd: no\n  │ memory), 3 (it said nothing)\n  help: finished shards are kept, and the same command continues with the others. `parts/jobs/slurm` has the output of every shard\n";
    assert!(flowing(&err).starts_with(&flowing(lost_shards)), "{err}");
    let dry = with(&["sweep", "submit", "ring.fab", "-o", "dry"], &["--engine", "slurm", "--dry-run"]);
    let (out, _) = with_programs(place.path(), &dry, 0);
    let message = "cd dry && sbatch --parsable jobs/slurm/run.sh\ncd dry && sbatch --parsable --kill-on-invalid-dep=yes --dependency=afterok:JOB jobs/slurm/merge.sh\n";
    assert_eq!(out, message);
    assert!(!place.path().join("dry/table.csv").exists());
}
