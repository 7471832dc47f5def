//! `fabc sweep verify`: proves every run as `fabc verify` does, and that the table follows from the runs.

use super::plan::{FABRIC, PLAN, SPEC, run_folder, runs_text};
use super::results::{FAILED, first_error, read_outcome};
use super::run::{distinct_runs, planned_spec, require_all_over, table_files};
use crate::io::errors::DriverError;
use crate::io::read::{display, read_bytes};
use crate::io::staging::MANIFEST;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::verify::prove_built;
use crate::verify::verdict::{say_unproved, verdict};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_base::progress::Silent;
use fabc_ir::read::{Manifest, tagged};
use fabc_ir::{SweepOutcome, SweepPlan, SweepRun};
use fabc_lang::syntax::{bind, parse_file};
use fabc_pipeline::compile::{Stage, compile};
use fabc_pipeline::verify::{Remake, Unproved};
use serde_json::json;
use std::collections::BTreeSet;
use std::path::Path;

/// The parts of a sweep that nothing in its directory can prove, in addition to those of its runs.
const UNPROVED: Unproved = Unproved {
    file: PLAN,
    place: "settings",
    what: "which values led to the spec of a run, which has no parameters any more",
};
const UNREAD: Unproved = Unproved {
    file: FAILED,
    place: "",
    what: "why a run failed whose spec names input files, or could not be calculated",
};

/// Proves a sweep, and prints what was proved.
///
/// # Errors
/// Exit code 3 if a run, the table or the page violates its claim, and the errors of reading the files.
pub(crate) fn verify(
    directory: &Path,
    plan: SweepPlan,
    remake: Remake,
    terminal: Terminal,
) -> Result<(), Stop> {
    if fabc_emit::sweep_json(&plan).as_bytes() != read_bytes(&directory.join(PLAN), ARTIFACT_BYTES)? {
        return Err(violation(format!("`{}` is not as fabc writes it", display(&directory.join(PLAN)))));
    }
    require_all_over(directory, &plan)?;
    let mut unproved = vec![UNPROVED];
    let (mut built, mut failed) = (0, 0);
    for run in distinct_runs(&plan) {
        let folder = run_folder(directory, run);
        if folder.join(&run.fabric).join(MANIFEST).is_file() {
            built += 1;
            unproved.extend(prove_run(&folder, run, plan.until.as_deref(), remake)?);
        } else {
            failed += 1;
            unproved.extend(rerun_failed(&folder, run, plan.until.as_deref())?);
        }
    }
    plan.runs.iter().try_for_each(|run| check_values(&plan, run))?;
    let outcomes = plan
        .runs
        .iter()
        .map(|run| read_outcome(&run_folder(directory, run), run))
        .collect::<Result<Vec<_>, _>>()?;
    for (name, text) in table_files(&fabc_emit::SweepTable { plan, outcomes }) {
        let path = directory.join(name);
        if read_bytes(&path, ARTIFACT_BYTES)? != text.as_bytes() {
            return Err(violation(format!("`{}` is not reproduced from the runs", display(&path))));
        }
    }
    let run_count = runs_text(built + failed);
    let mut seen = BTreeSet::new();
    unproved.retain(|unproved| seen.insert(*unproved));
    if terminal.json {
        let extent = json!({ "runs": built + failed, "built": built, "failed": failed });
        return Ok(terminal.say_document(&verdict("sweep", directory, extent, &unproved).to_string())?);
    }
    terminal.say(&format!(
        "verified {}: {run_count} that differ, {built} built and proved, {failed} failed",
        display(directory)
    ))?;
    terminal.say("table and page are reproduced to the byte. Taken on trust:")?;
    say_unproved(&unproved, terminal)
}

fn violation(problem: String) -> Stop {
    let hint = "`fabc sweep run` and `fabc sweep merge` write again what was removed".to_owned();
    Stop { exit_code: 3, ..DriverError::Sweep { problem, hint }.into() }
}

/// Proves the directory of a run, and that the run's spec was built.
fn prove_run(
    folder: &Path,
    run: &SweepRun,
    until: Option<&str>,
    remake: Remake,
) -> Result<Vec<Unproved>, Stop> {
    let built = folder.join(&run.fabric);
    let not_of = |problem: &str| violation(format!("`{}` {problem}", display(&built)));
    if planned_spec(folder, run, until)?.is_err() || folder.join(FAILED).exists() {
        return Err(not_of("was built, but its run fails"));
    }
    let [planned, of_build] =
        [folder.join(SPEC), built.clone()].map(|folder| read_bytes(&folder.join("spec.fab"), ARTIFACT_BYTES));
    if planned? != of_build? {
        return Err(not_of("is of another spec than its run"));
    }
    let manifest: Manifest =
        tagged(&read_bytes(&built.join(MANIFEST), ARTIFACT_BYTES)?).map_err(|problem| not_of(&problem))?;
    // Combinations with the same meaning share one run, which names the values of the first of them.
    let requested: BTreeSet<&str> =
        run.settings.iter().map(|(name, _)| name.as_str()).chain(until.map(|_| "stop_after")).collect();
    let recorded =
        manifest.options.0.keys().map(String::as_str).filter(|name| *name != fabc_emit::BINARY_TABLES.0);
    if !recorded.eq(requested) || manifest.options.0.get("stop_after").map(String::as_str) != until {
        return Err(not_of("was built with other options than those of its run"));
    }
    match prove_built(&built, remake) {
        Ok((verified, _)) => Ok(verified.unproved),
        Err(mut stop) => {
            let error = DriverError::Sweep {
                problem: format!("`{}` does not hold what it claims", display(&built)),
                hint: format!("remove `{}`: `fabc sweep run` runs it again", display(&built)),
            };
            stop.diagnostics.insert(0, Box::new(error));
            Err(stop)
        }
    }
}

/// Repeats a failed run, which must fail with the same message.
fn rerun_failed(folder: &Path, run: &SweepRun, until: Option<&str>) -> Result<Option<Unproved>, Stop> {
    if !folder.join(SPEC).is_dir() {
        return Ok(Some(UNREAD));
    }
    let stage = Stage::ALL.into_iter().find(|stage| Some(stage.name()) == until).unwrap_or(Stage::Emit);
    let again = match planned_spec(folder, run, until)? {
        Err(stop) => Some(stop),
        Ok(loaded) => {
            compile(loaded.fabric, stage, &Silent).err().map(|failure| (failure, loaded.sources).into())
        }
    };
    let again = again.map(|stop| first_error(&stop));
    match read_outcome(folder, run)? {
        SweepOutcome::Failed { code, message } if again == Some((code.clone(), message.clone())) => Ok(None),
        _ => Err(violation(format!(
            "`{}` is not reproduced: the run ends otherwise",
            display(&folder.join(FAILED))
        ))),
    }
}

/// Checks that the values of a run agree with its settings.
fn check_values(plan: &SweepPlan, run: &SweepRun) -> Result<(), Stop> {
    for (name, value) in plan.parameters.iter().zip(&run.values) {
        if name == FABRIC {
            if *value != run.fabric {
                return Err(violation(format!(
                    "`{PLAN}` calls a run `{value}`, but its fabric is `{}`",
                    run.fabric
                )));
            }
            continue;
        }
        let setting = run.settings.iter().find(|(setting, _)| setting.strip_prefix("param.") == Some(name));
        // Another spec has the parameter, and this one has not.
        let is_of_another = value.is_empty() && plan.parameters.first().is_some_and(|first| first == FABRIC);
        let is_said = setting.map_or(run.settings.is_empty() || is_of_another, |(_, setting)| {
            setting == value || Some(setting) == normal_value(name, value).as_ref()
        });
        if !is_said {
            return Err(violation(format!(
                "`{PLAN}` says `{name}={value}` of a run whose settings have another value"
            )));
        }
    }
    Ok(())
}

/// A value in the form that settings have.
fn normal_value(name: &str, value: &str) -> Option<String> {
    let spec = parse_file("value", &format!("param {name} = {value};\nfabric one {{}}\n")).0.ok()?;
    let spec = fabc_lang::syntax::ast::Spec { files: vec![spec], given: Vec::new() };
    bind(&spec).settings.into_iter().next().map(|(_, value)| value)
}
