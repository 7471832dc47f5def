//! `fabc sweep run` builds the runs of a sweep one by one, without the table. `fabc sweep merge` writes the
//! table and the page when all runs are over.

use super::plan::{PLAN, SPEC, run_folder, runs_text};
use super::results;
use crate::args::options::CompileArgs;
use crate::args::shard::Shard;
use crate::build::front;
use crate::io::content;
use crate::io::errors::DriverError;
use crate::io::lock::WorkLock;
use crate::io::progress::Watch;
use crate::io::read::{self, display};
use crate::io::staging::{self, Staging};
use crate::io::stop::Stop;
use crate::io::temporary::clean_up_on_interrupt;
use crate::io::terminal::{Terminal, print_err, print_out, report_look};
use crate::io::write;
use fabc_ir::{SweepPlan, SweepRun};
use fabc_lang::syntax::print_spec;
use fabc_pipeline::compile::Stage;
use fabc_pipeline::library::{Loaded, TablesForm};
use fabc_pipeline::show::MessageFormat;
use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

/// The runs of a plan, each key once.
pub(crate) fn distinct_runs(plan: &SweepPlan) -> Vec<&SweepRun> {
    let mut seen = BTreeSet::new();
    plan.runs.iter().filter(|run| seen.insert(&run.key)).collect()
}

/// Builds the unfinished runs of a shard, without the table. Runs that another process is building are left
/// to it, and waited for at the end. So the shard is finished at the end, and no run was made twice.
///
/// # Errors
/// Errors of the disk, and bugs of fabc.
pub(crate) fn run(directory: &Path, plan: &SweepPlan, shard: Shard, terminal: Terminal) -> Result<(), Stop> {
    let shard_runs: Vec<&SweepRun> = shard.pieces(distinct_runs(plan)).collect();
    let open: Vec<&SweepRun> = shard_runs
        .iter()
        .copied()
        .filter(|run| !results::is_over(&run_folder(directory, run), run))
        .collect();
    clean_up_on_interrupt();
    // A process that was killed after its run was complete left its lock.
    for run in shard_runs.iter().filter(|run| run_folder(directory, run).join(LOCK).exists()) {
        drop(WorkLock::try_take(&run_folder(directory, run).join(LOCK)));
    }
    let watch = Watch::new(false);
    let (mut ran, mut failed) = (0, 0);
    let mut waiting: VecDeque<(&SweepRun, bool)> = open.iter().map(|run| (*run, false)).collect();
    let mut over = 0;
    while let Some((run, patient)) = waiting.pop_front() {
        let folder = run_folder(directory, run);
        let lock = if patient {
            Some(WorkLock::wait(&folder.join(LOCK)))
        } else {
            WorkLock::try_take(&folder.join(LOCK))
        };
        let Some(_held) = lock else {
            waiting.push_back((run, true));
            continue;
        };
        over += 1;
        if results::is_over(&folder, run) {
            continue;
        }
        let done = build_run(&folder, run, plan.until.as_deref())?;
        ran += 1;
        failed += usize::from(!done);
        let values: Vec<String> =
            plan.parameters.iter().zip(&run.values).map(|(name, value)| format!("{name}={value}")).collect();
        let word = if done { "done" } else { "failed" };
        let line = format!("{over} of {}  {}  {word}", open.len(), values.join(" "));
        if terminal.format != MessageFormat::Human {
            terminal.detail(&line);
        } else if !terminal.quiet {
            print_err(&format!("{line}{}", watch.remaining_time(over, open.len())));
        }
    }
    let existing = shard_runs.len() - ran;
    terminal
        .say(&format!("{ran} of {}: {existing} were there, {failed} failed", runs_text(shard_runs.len())))?;
    Ok(())
}

/// The lock file in the folder of a run.
const LOCK: &str = ".lock";

/// Builds one run. Returns whether it succeeded. If not, `failed.json` has the reason.
///
/// # Errors
/// Errors of the disk, and bugs of fabc.
fn build_run(folder: &Path, run: &SweepRun, until: Option<&str>) -> Result<bool, Stop> {
    let stage = Stage::ALL.into_iter().find(|stage| Some(stage.name()) == until);
    let args = CompileArgs {
        set: Vec::new(),
        until: stage,
        dump: Vec::new(),
        timings: false,
        no_cache: false,
        cache: None,
    };
    let silent = Terminal {
        format: MessageFormat::Human,
        quiet: true,
        verbose: false,
        json: false,
        beside_data: false,
    };
    let loaded = match planned_spec(folder, run, until)? {
        Ok(loaded) => loaded,
        Err(stop) => return record_failure(folder, &stop),
    };
    let spec_text = print_spec(&loaded.spec);
    let compiled = match front::compile_loaded(loaded, &args, &Watch::new(false), silent) {
        Ok((compiled, _)) => compiled,
        Err(stop) if stop.exit_code == 4 => return Err(stop),
        Err(stop) => return record_failure(folder, &stop),
    };
    let tables = front::tables_option(TablesForm::Auto, &compiled, silent);
    let options = [run.settings.clone(), front::manifest_options(&args), tables].concat();
    let mut staging = Staging::begin(folder, &run.fabric, staging::BUILT)?;
    fabc_emit::each_artifact(&compiled, &spec_text, &options, &mut |artifact| {
        staging.write(&artifact.path, &artifact.bytes)
    })?;
    staging.publish()?;
    Ok(true)
}

/// Refuses a sweep with unfinished runs.
///
/// # Errors
/// `DriverError::Sweep` with the number of unfinished runs.
pub(crate) fn require_all_over(directory: &Path, plan: &SweepPlan) -> Result<(), DriverError> {
    match plan.runs.iter().filter(|run| !results::is_over(&run_folder(directory, run), run)).count() {
        0 => Ok(()),
        missing => {
            let problem = format!("{missing} of {} are missing", runs_text(plan.runs.len()));
            Err(DriverError::Sweep {
                problem,
                hint: format!("`fabc sweep run {}` runs them", display(directory)),
            })
        }
    }
}

/// The files that `fabc sweep merge` writes, by name: the table in three forms, and the page.
pub(crate) fn table_files(table: &fabc_emit::SweepTable) -> [(&'static str, String); 4] {
    [
        ("table.json", fabc_emit::sweep_table_json(table)),
        ("table.csv", fabc_emit::sweep_csv(table)),
        ("table.txt", fabc_emit::sweep_text(table, fabc_emit::Look::FILE.width)),
        ("index.html", fabc_emit::sweep_html(table)),
    ]
}

/// Writes `failed.json` with the reason of a failed run. Returns `false`.
fn record_failure(folder: &Path, stop: &Stop) -> Result<bool, Stop> {
    let (code, message) = results::first_error(stop);
    write::make_directory(folder)?;
    write::write_file(&folder.join(results::FAILED), fabc_emit::failed_json(&code, &message).as_bytes())?;
    Ok(false)
}

/// Reads the spec of a run, and checks it against the run's key. The inner error is that of resolving the
/// spec.
///
/// # Errors
/// The spec cannot be read, or was changed.
pub(crate) fn planned_spec(
    folder: &Path,
    run: &SweepRun,
    until: Option<&str>,
) -> Result<Result<Loaded, Stop>, Stop> {
    let spec_folder = folder.join(SPEC);
    let loaded = match read::built_spec(&spec_folder) {
        Err(stop) if stop.exit_code != 1 => return Err(stop),
        loaded => loaded,
    };
    let key = content::folder_key(&spec_folder, loaded.as_ref().ok(), until.unwrap_or(Stage::Emit.name()))?;
    if key == run.key && !loaded.as_ref().is_ok_and(|loaded| loaded.fabric.name != run.fabric) {
        return Ok(loaded);
    }
    let problem = format!(
        "`{}` is not the spec of this run: its key differs from that in `{PLAN}`",
        display(&spec_folder)
    );
    Err(DriverError::Sweep {
        problem,
        hint: "remove that folder: `fabc sweep prepare` writes it again".to_owned(),
    }
    .into())
}

/// `fabc sweep merge`: writes the table and the page from all runs.
///
/// # Errors
/// `DriverError::Sweep` for unfinished runs, and errors of the disk.
pub(crate) fn merge(directory: &Path, plan: SweepPlan, terminal: Terminal) -> Result<(), Stop> {
    require_all_over(directory, &plan)?;
    let outcomes = plan
        .runs
        .iter()
        .map(|run| results::read_outcome(&run_folder(directory, run), run))
        .collect::<Result<Vec<_>, _>>()?;
    let table = fabc_emit::SweepTable { plan, outcomes };
    for (name, text) in table_files(&table) {
        write::write_file(&directory.join(name), text.as_bytes())?;
    }
    terminal.say_document(&fabc_emit::sweep_table_json(&table))?;
    if !terminal.quiet && !terminal.json {
        print_out(fabc_emit::sweep_text(&table, report_look().width).trim_end())?;
    }
    terminal
        .say(&format!("\nwrote {} (table.txt, table.csv, table.json, index.html)", display(directory)))?;
    Ok(())
}
