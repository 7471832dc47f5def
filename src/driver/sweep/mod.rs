//! `fabc sweep`: one spec with many values of its parameters.
//!
//! Comes in: a spec and the values. Goes out: a directory with the plan (`sweep.json`), a directory below
//! `runs/` for every different run, the table and the page. A run is named by the hash of its normal form,
//! its input files, the stage and the version of fabc: what is there is not run again, by whoever it was run.
//! Invariants: a run is there whole or not at all; the table and the page are the same bytes however the runs
//! were shared out.

mod results;
mod values;

use super::errors::{DriverError, Stop};
use super::front;
use super::options::CompileArgs;
use super::progress::Watch;
use super::read::{self, display};
use super::staging::{self, Staging};
use super::sweep_options::{Shard, SweepArgs, SweepPlanArgs, SweepStep};
use super::terminal::{Terminal, look, print_out};
use super::write;
use crate::compile::Stage;
use crate::emit;
use crate::ir::{SweepPlan, SweepRun};
use crate::library::Loaded;
use crate::library::TablesForm;
use crate::limits::ARTIFACT_BYTES;
use crate::read::{SweepFile, tagged};
use crate::show::MessageFormat;
use crate::syntax::ast::{Entry, ItemKind};
use crate::syntax::{self, print_spec};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The plan of a sweep, in its directory.
const PLAN: &str = "sweep.json";

/// The spec of a run, with its input files.
const SPEC: &str = "spec";

/// `fabc sweep`.
///
/// # Errors
/// The spec has errors with some of the values, files cannot be read or written, or runs are missing that are
/// to be merged. A run that cannot be had is no error: the table says so.
pub(super) fn sweep(args: &SweepArgs, terminal: Terminal) -> Result<(), Stop> {
    match &args.step {
        Some(SweepStep::Plan(plan)) => {
            let (directory, planned) = write_plan(plan)?;
            terminal.say(&format!("planned {} in {}", runs(planned.runs.len()), display(&directory)))?;
            Ok(())
        }
        Some(SweepStep::Run { directory, shard }) => run(directory, &read_plan(directory)?, *shard, terminal),
        Some(SweepStep::Merge { directory }) => merge(directory, read_plan(directory)?, terminal),
        None => {
            let (directory, planned) = write_plan(&args.plan)?;
            run(&directory, &planned, Shard { index: 1, count: 1 }, terminal)?;
            merge(&directory, planned, terminal)
        }
    }
}

fn runs(count: usize) -> String {
    format!("{count} run{}", if count == 1 { "" } else { "s" })
}

/// Where a run stands.
fn place(directory: &Path, run: &SweepRun) -> PathBuf {
    directory.join("runs").join(&run.key)
}

/// Reads the spec once for every combination, and writes down what is to be run.
fn write_plan(args: &SweepPlanArgs) -> Result<(PathBuf, SweepPlan), Stop> {
    let spec = args.spec.as_deref().unwrap_or_default();
    if let Some(stage) = args.until.filter(|stage| *stage < Stage::Synthesize) {
        let what = format!("a run that stops after `{}` leaves nothing to compare", stage.name());
        return Err(DriverError::Sweep { what, hint: "stop after `synthesize` or later".to_owned() }.into());
    }
    let until = args.until.filter(|stage| *stage < Stage::Emit).map(|stage| stage.name().to_owned());
    let text = read::spec_text(spec)?;
    let mut swept = args.set.iter().map(|set| values::swept(set)).collect::<Result<Vec<_>, _>>()?;
    // The command line goes over what the spec sweeps.
    for set in declared(spec, &text) {
        let declared = values::swept(&set)?;
        if swept.iter().all(|known| known.name != declared.name) {
            swept.push(declared);
        }
    }
    let mut plan = SweepPlan { until, parameters: swept.iter().map(|swept| swept.name.clone()).collect(), runs: Vec::new() };
    let mut files = Vec::new();
    for values in values::combinations(&swept)? {
        let sets: Vec<String> = plan.parameters.iter().zip(&values).map(|(name, value)| format!("{name}={value}")).collect();
        let Loaded { fabric, spec: normal, settings, .. } = read::spec_from(spec, text.clone(), &sets)?;
        let mut needed = vec![("spec.fab".to_owned(), print_spec(&normal))];
        needed.extend(emit::inputs(&fabric));
        let key = key(&needed, plan.until.as_deref());
        plan.runs.push(SweepRun { values, fabric: fabric.name, key, settings });
        files.push(needed);
    }
    let fabric = plan.runs.first().map_or("", |run| run.fabric.as_str());
    let directory = args.out.clone().unwrap_or_else(|| Path::new("out").join(format!("sweep_{fabric}")));
    refuse_foreign(&directory)?;
    let mut seen = BTreeSet::new();
    for (run, files) in plan.runs.iter().zip(&files).filter(|(run, _)| seen.insert(run.key.clone())) {
        for (path, text) in files {
            let path = place(&directory, run).join(SPEC).join(path);
            if !path.is_file() {
                make_directory(path.parent().unwrap_or(&directory))?;
                write::write(&path, text.as_bytes())?;
            }
        }
    }
    make_directory(&directory)?;
    write::write(&directory.join(PLAN), emit::sweep_json(&plan).as_bytes())?;
    Ok((directory, plan))
}

/// What the `sweep` blocks of a spec say, as a command line would. A spec with errors is told of them when it
/// is read.
fn declared(path: &str, text: &str) -> Vec<String> {
    let Ok(file) = syntax::parse_file(path, text).0 else { return Vec::new() };
    let items = file.entries.iter().flat_map(|entry| match entry {
        Entry::Fabric(fabric) => &fabric.items[..],
        Entry::Item(item) => std::slice::from_ref(item),
    });
    let all = items.filter_map(|item| if let ItemKind::Sweep(all) = &item.kind { Some(all) } else { None }).flatten();
    all.map(|swept| format!("{}={}", swept.name.value, syntax::written_values(swept))).collect()
}

/// The name of a run: what it is made of, and by what.
fn key(files: &[(String, String)], until: Option<&str>) -> String {
    let mut hash = blake3::Hasher::new();
    let parts = files.iter().flat_map(|(path, text)| [path.as_str(), text.as_str()]);
    for part in [emit::TOOL, until.unwrap_or("emit")].into_iter().chain(parts) {
        hash.update(&(part.len() as u64).to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().to_hex()[..32].to_owned()
}

fn make_directory(path: &Path) -> Result<(), DriverError> {
    let unwritable = |error: std::io::Error| DriverError::Unwritable { path: display(path), reason: read::plain(&error) };
    std::fs::create_dir_all(path).map_err(unwritable)
}

/// A sweep is written into its own directory only, or an empty one.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    let Ok(mut entries) = std::fs::read_dir(directory) else { return Ok(()) };
    match entries.next() {
        // A plan that was interrupted has its runs already.
        Some(Ok(found)) if !directory.join(PLAN).is_file() && !directory.join("runs").is_dir() => {
            let found = format!("`{}`, and no `{PLAN}`", found.file_name().to_string_lossy());
            Err(DriverError::Foreign { path: display(directory), found })
        }
        _ => Ok(()),
    }
}

/// The plan of a directory.
fn read_plan(directory: &Path) -> Result<SweepPlan, Stop> {
    let path = directory.join(PLAN);
    let wrong = |what: String| DriverError::Sweep { what, hint: "`fabc sweep plan SPEC --set NAME=VALUES -o DIR` writes it".to_owned() };
    if !path.is_file() {
        return Err(wrong(format!("there is no `{PLAN}` in `{}`", display(directory))).into());
    }
    let file: SweepFile = tagged(&read::bytes(&path, ARTIFACT_BYTES)?).map_err(|what| wrong(format!("`{}`: {what}", display(&path))))?;
    if file.tool != emit::TOOL {
        return Err(wrong(format!("`{}` was planned by {}, but this is {}", display(&path), file.tool, emit::TOOL)).into());
    }
    let runs = file.runs.into_iter().map(|run| SweepRun { values: run.values, fabric: run.fabric, key: run.key, settings: run.settings.0 });
    let plan = SweepPlan { until: file.until, parameters: file.parameters, runs: runs.collect() };
    // Names of directories come from the file.
    let plain = |name: &str| !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    match plan.runs.iter().find(|run| !plain(&run.key) || !plain(&run.fabric) || run.values.len() != plan.parameters.len()) {
        Some(_) => Err(wrong(format!("`{}` is damaged", display(&path))).into()),
        None => Ok(plan),
    }
}

/// Runs what is not there yet of a shard.
fn run(directory: &Path, plan: &SweepPlan, shard: Shard, terminal: Terminal) -> Result<(), Stop> {
    let mut seen = BTreeSet::new();
    let different: Vec<&SweepRun> = plan.runs.iter().filter(|run| seen.insert(&run.key)).collect();
    let mine: Vec<&SweepRun> = different.into_iter().skip(shard.index - 1).step_by(shard.count).collect();
    let open: Vec<&SweepRun> = mine.iter().copied().filter(|run| !results::is_there(&place(directory, run), run)).collect();
    let watch = Watch::new(false);
    let mut failed = 0;
    for (at, run) in open.iter().enumerate() {
        // Another process may have been faster.
        if results::is_there(&place(directory, run), run) {
            continue;
        }
        let done = one(&place(directory, run), run, plan.until.as_deref())?;
        failed += usize::from(!done);
        let values: Vec<String> = plan.parameters.iter().zip(&run.values).map(|(name, value)| format!("{name}={value}")).collect();
        let word = if done { "done" } else { "failed" };
        if !terminal.quiet && terminal.format == MessageFormat::Human {
            let left = watch.left(at + 1, open.len());
            super::terminal::print_err(&format!("{} of {}  {}  {word}{left}", at + 1, open.len(), values.join(" ")));
        }
    }
    let there = mine.len() - open.len();
    terminal.say(&format!("{} of {}: {there} were there, {failed} failed", open.len(), runs(mine.len())))?;
    Ok(())
}

/// One run; whether it could be had.
///
/// # Errors
/// The disk does not let us, or fabc has a bug.
fn one(place: &Path, run: &SweepRun, until: Option<&str>) -> Result<bool, Stop> {
    let stage = Stage::ALL.into_iter().find(|stage| Some(stage.name()) == until);
    let args = CompileArgs { set: Vec::new(), stop_after: stage, dump: Vec::new(), timings: false };
    let silent = Terminal { format: MessageFormat::Human, quiet: true, verbose: false };
    let loaded = read::built_spec(&place.join(SPEC))?;
    let spec_text = print_spec(&loaded.spec);
    let compiled = match front::back(loaded, &args, &Watch::new(false), silent) {
        Ok((compiled, _)) => compiled,
        Err(stop) if stop.exit_code == 4 => return Err(stop),
        Err(stop) => {
            let (code, message) = results::first(&stop);
            make_directory(place)?;
            write::write(&place.join(results::FAILED), emit::failed_json(&code, &message).as_bytes())?;
            return Ok(false);
        }
    };
    let tables = front::tables_option(TablesForm::Auto, &compiled, silent);
    let options = [run.settings.clone(), front::manifest_options(&args), tables].concat();
    let mut staging = Staging::begin(place, &run.fabric, staging::BUILT)?;
    emit::each_artifact(&compiled, &spec_text, &options, &mut |artifact| staging.write(&artifact.path, &artifact.bytes))?;
    staging.publish()?;
    Ok(true)
}

/// Writes the table and the page.
fn merge(directory: &Path, plan: SweepPlan, terminal: Terminal) -> Result<(), Stop> {
    let missing = plan.runs.iter().filter(|run| !results::is_there(&place(directory, run), run)).count();
    if missing > 0 {
        let what = format!("{missing} of {} are not there yet", runs(plan.runs.len()));
        return Err(DriverError::Sweep { what, hint: format!("`fabc sweep run {}` runs them", display(directory)) }.into());
    }
    let outcomes = plan.runs.iter().map(|run| results::outcome(&place(directory, run), run)).collect::<Result<Vec<_>, _>>()?;
    let table = emit::SweepTable { plan, outcomes };
    let files = [
        ("table.json", emit::sweep_table_json(&table)),
        ("table.csv", emit::sweep_csv(&table)),
        ("table.txt", emit::sweep_text(&table, emit::Look::FILE.width)),
        ("index.html", emit::sweep_html(&table)),
    ];
    for (name, text) in files {
        write::write(&directory.join(name), text.as_bytes())?;
    }
    if !terminal.quiet {
        print_out(emit::sweep_text(&table, look().width).trim_end())?;
    }
    terminal.say(&format!("\nwrote {} (table.txt, table.csv, table.json, index.html)", display(directory)))?;
    Ok(())
}
