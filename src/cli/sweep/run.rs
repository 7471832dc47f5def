//! The runs of a sweep, one after the other, and the table of all of them.

use super::plan::{PLAN, SPEC, place, runs};
use super::results;
use crate::args::options::CompileArgs;
use crate::args::shard::Shard;
use crate::build::front;
use crate::io::content;
use crate::io::errors::{DriverError, Stop};
use crate::io::lock::LockFile;
use crate::io::progress::Watch;
use crate::io::read::{self, display};
use crate::io::staging::{self, Staging};
use crate::io::temporary::clean_up_on_interrupt;
use crate::io::terminal::{Terminal, look, print_err, print_out};
use crate::io::write;
use fabc_ir::{SweepPlan, SweepRun};
use fabc_lang::syntax::print_spec;
use fabc_pipeline::compile::Stage;
use fabc_pipeline::library::{Loaded, TablesForm};
use fabc_pipeline::show::MessageFormat;
use std::collections::{BTreeSet, VecDeque};
use std::path::Path;

/// The runs of a plan without those that are the same again.
pub(crate) fn different(plan: &SweepPlan) -> Vec<&SweepRun> {
    let mut seen = BTreeSet::new();
    plan.runs.iter().filter(|run| seen.insert(&run.key)).collect()
}

/// Runs what is not there yet of a shard. What another process runs at the time is left to it, and waited for
/// when all else is done: in the end the shard is there, and nothing was run twice.
///
/// # Errors
/// The disk does not let us, or fabc has a bug.
pub(crate) fn run(directory: &Path, plan: &SweepPlan, shard: Shard, terminal: Terminal) -> Result<(), Stop> {
    let mine: Vec<&SweepRun> = shard.of(different(plan)).collect();
    let open: Vec<&SweepRun> = mine.iter().copied().filter(|run| !results::is_there(&place(directory, run), run)).collect();
    clean_up_on_interrupt();
    // A process that was killed when its run was there left its lock.
    for run in mine.iter().filter(|run| place(directory, run).join(LOCK).exists()) {
        drop(Right::try_take(&place(directory, run)));
    }
    let watch = Watch::new(false);
    let (mut ran, mut failed) = (0, 0);
    let mut waiting: VecDeque<(&SweepRun, bool)> = open.iter().map(|run| (*run, false)).collect();
    let mut over = 0;
    while let Some((run, patient)) = waiting.pop_front() {
        let place = place(directory, run);
        let right = if patient { Some(Right::wait(&place)) } else { Right::try_take(&place) };
        let Some(_right) = right else {
            waiting.push_back((run, true));
            continue;
        };
        over += 1;
        if results::is_there(&place, run) {
            continue;
        }
        let done = one(&place, run, plan.until.as_deref())?;
        ran += 1;
        failed += usize::from(!done);
        let values: Vec<String> = plan.parameters.iter().zip(&run.values).map(|(name, value)| format!("{name}={value}")).collect();
        let word = if done { "done" } else { "failed" };
        if !terminal.quiet && terminal.format == MessageFormat::Human {
            let left = watch.left(over, open.len());
            print_err(&format!("{over} of {}  {}  {word}{left}", open.len(), values.join(" ")));
        }
    }
    let there = mine.len() - ran;
    terminal.say(&format!("{ran} of {}: {there} were there, {failed} failed", runs(mine.len())))?;
    Ok(())
}

/// The right to run a run, held by one process at a time: a lock file in its directory, while it is run. It
/// ends with the process, however that ends. Where a file system knows no locks, everybody has it, and a run
/// may be made twice, with the same bytes.
struct Right {
    _lock: Option<LockFile>,
}

impl Right {
    /// The right, unless somebody else has it.
    fn try_take(place: &Path) -> Option<Self> {
        match LockFile::try_take(&place.join(LOCK)) {
            Ok(None) => None,
            Ok(lock) => Some(Self { _lock: lock }),
            // What cannot be written says so when the run is written.
            Err(_) => Some(Self { _lock: None }),
        }
    }

    /// The right, as soon as nobody else has it.
    fn wait(place: &Path) -> Self {
        Self { _lock: LockFile::wait(&place.join(LOCK)).ok() }
    }
}

/// The lock file of a run, in its directory.
const LOCK: &str = ".lock";

/// One run; whether it could be had.
///
/// # Errors
/// The disk does not let us, or fabc has a bug.
fn one(place: &Path, run: &SweepRun, until: Option<&str>) -> Result<bool, Stop> {
    let stage = Stage::ALL.into_iter().find(|stage| Some(stage.name()) == until);
    let args = CompileArgs { set: Vec::new(), stop_after: stage, dump: Vec::new(), timings: false };
    let silent = Terminal { format: MessageFormat::Human, quiet: true, verbose: false };
    let loaded = match planned_spec(place, run, until)? {
        Ok(loaded) => loaded,
        Err(stop) => return failed(place, &stop),
    };
    let spec_text = print_spec(&loaded.spec);
    let compiled = match front::back(loaded, &args, &Watch::new(false), silent) {
        Ok((compiled, _)) => compiled,
        Err(stop) if stop.exit_code == 4 => return Err(stop),
        Err(stop) => return failed(place, &stop),
    };
    let tables = front::tables_option(TablesForm::Auto, &compiled, silent);
    let options = [run.settings.clone(), front::manifest_options(&args), tables].concat();
    let mut staging = Staging::begin(place, &run.fabric, staging::BUILT)?;
    fabc_emit::each_artifact(&compiled, &spec_text, &options, &mut |artifact| staging.write(&artifact.path, &artifact.bytes))?;
    staging.publish()?;
    Ok(true)
}

/// Whether every run is over.
///
/// # Errors
/// How many are not.
pub(crate) fn all_there(directory: &Path, plan: &SweepPlan) -> Result<(), DriverError> {
    match plan.runs.iter().filter(|run| !results::is_there(&place(directory, run), run)).count() {
        0 => Ok(()),
        missing => {
            let what = format!("{missing} of {} are not there yet", runs(plan.runs.len()));
            Err(DriverError::Sweep { what, hint: format!("`fabc sweep run {}` runs them", display(directory)) })
        }
    }
}

/// Table and page, by the names of their files.
pub(crate) fn tables(table: &fabc_emit::SweepTable) -> [(&'static str, String); 4] {
    [
        ("table.json", fabc_emit::sweep_table_json(table)),
        ("table.csv", fabc_emit::sweep_csv(table)),
        ("table.txt", fabc_emit::sweep_text(table, fabc_emit::Look::FILE.width)),
        ("index.html", fabc_emit::sweep_html(table)),
    ]
}

/// Writes down that a run cannot be had.
fn failed(place: &Path, stop: &Stop) -> Result<bool, Stop> {
    let (code, message) = results::first(stop);
    write::make_directory(place)?;
    write::write(&place.join(results::FAILED), fabc_emit::failed_json(&code, &message).as_bytes())?;
    Ok(false)
}

/// Reads the spec of a run, which its key must be of; the inner result is why it means nothing.
///
/// # Errors
/// It cannot be read, or was changed.
pub(crate) fn planned_spec(place: &Path, run: &SweepRun, until: Option<&str>) -> Result<Result<Loaded, Stop>, Stop> {
    let folder = place.join(SPEC);
    let loaded = match read::built_spec(&folder) {
        Err(stop) if stop.exit_code != 1 => return Err(stop),
        loaded => loaded,
    };
    let key = content::of_folder(&folder, loaded.as_ref().ok(), until.unwrap_or(Stage::Emit.name()))?;
    if key == run.key && !loaded.as_ref().is_ok_and(|loaded| loaded.fabric.name != run.fabric) {
        return Ok(loaded);
    }
    let what = format!("`{}` is not the spec of this run: its key is another one than that of `{PLAN}`", display(&folder));
    Err(DriverError::Sweep { what, hint: "remove that folder: `fabc sweep plan` writes it again".to_owned() }.into())
}

/// Writes the table and the page.
pub(crate) fn merge(directory: &Path, plan: SweepPlan, terminal: Terminal) -> Result<(), Stop> {
    all_there(directory, &plan)?;
    let outcomes = plan.runs.iter().map(|run| results::outcome(&place(directory, run), run)).collect::<Result<Vec<_>, _>>()?;
    let table = fabc_emit::SweepTable { plan, outcomes };
    for (name, text) in tables(&table) {
        write::write(&directory.join(name), text.as_bytes())?;
    }
    if !terminal.quiet {
        print_out(fabc_emit::sweep_text(&table, look().width).trim_end())?;
    }
    terminal.say(&format!("\nwrote {} (table.txt, table.csv, table.json, index.html)", display(directory)))?;
    Ok(())
}
