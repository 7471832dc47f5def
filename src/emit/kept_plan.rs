//! Writes plans that the cache keeps (`fabc.kept_plan.bin/1`): the schedules of collectives, and jobs.
//!
//! A kept plan is one line of JSON, a body, and a hash of 32 bytes over both. The body is the files that a
//! directory has of the plan, one after the other. So the checker of directories reads and proves it.

use super::collective::stated_collectives;
use super::compiled::CompiledFabric;
use super::formats::FormatKind;
use super::json::{push, push_lines, quote};
use super::kept::with_hash;
use super::pending::pending_files;
use super::{Artifact, collective_path};
use fabc_model::{DeclaredCollective, Job};

/// The files of a directory about the schedules of one collective, with what its report states of them.
pub fn collective_files(compiled: &CompiledFabric, declared: &DeclaredCollective) -> Vec<Artifact> {
    let results = compiled.fabric.collectives.iter().zip(&compiled.collectives);
    let own = results.filter(|(other, _)| other.name == declared.name);
    let paths: Vec<String> = own
        .flat_map(|(_, result)| &result.scenarios)
        .map(|outcome| collective_path(&declared.name, &outcome.row.scenario))
        .collect();
    let stated = stated_collectives(compiled, |other| other.name == declared.name);
    files_at(compiled, FormatKind::Collectives, |path| paths.iter().any(|own| own == path))
        .chain([report(stated)])
        .collect()
}

/// The files of a directory about all schedules of vectors, with what its report states of them.
pub fn schedule_files(compiled: &CompiledFabric) -> Vec<Artifact> {
    let stated = stated_collectives(compiled, |_| true);
    files_at(compiled, FormatKind::ScheduleBin, |_| true).chain([report(stated)]).collect()
}

/// The files of a directory about one job.
pub fn job_files(compiled: &CompiledFabric, job: &Job) -> Vec<Artifact> {
    let stem = format!("jobs/{}.", job.name);
    let of_job = |path: &str| path.starts_with(&stem);
    let jobs = files_at(compiled, FormatKind::Jobs, of_job);
    jobs.chain(files_at(compiled, FormatKind::JobSchedules, of_job)).collect()
}

fn files_at<'c>(
    compiled: &'c CompiledFabric,
    kind: FormatKind,
    is_wanted: impl Fn(&str) -> bool + 'c,
) -> impl Iterator<Item = Artifact> + 'c {
    let files = pending_files(compiled, kind).into_iter().filter(move |(path, _)| is_wanted(path));
    files.map(|(path, file)| Artifact { path, bytes: file.bytes(compiled, "") })
}

fn report(stated: String) -> Artifact {
    Artifact { path: "report.json".to_owned(), bytes: stated.into_bytes() }
}

/// The kept file of a plan. `needs_tables` says whether its proof needs the tables of its scenarios.
pub fn kept_plan(key: &str, needs_tables: bool, files: &[Artifact]) -> Vec<u8> {
    let mut head = format!(
        "{{\"format\":\"fabc.kept_plan.bin/1\",\"key\":{},\"needs_tables\":{needs_tables},\"files\":",
        quote(key)
    );
    push_lines(&mut head, files, |out, file| {
        push(out, format_args!("[{},{}]", quote(&file.path), file.bytes.len()));
    });
    head.push('}');
    let mut bytes = head.replace('\n', "").into_bytes();
    bytes.push(b'\n');
    files.iter().for_each(|file| bytes.extend(&file.bytes));
    with_hash(bytes)
}
