//! The plan of a sweep: which runs there are, and where they stand.
//!
//! Comes in: a spec and the values. Goes out: `sweep.json`, and below `runs/` the normal form of every
//! different run with its input files.

use super::results::{FAILED, first_error};
use super::values;
use crate::args::sweep::SweepPlanArgs;
use crate::io::content;
use crate::io::errors::{DriverError, Stop};
use crate::io::read::{self, display};
use crate::io::write;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_ir::read::{SweepFile, tagged};
use fabc_ir::{SweepPlan, SweepRun};
use fabc_lang::syntax::ast::{Entry, ItemKind};
use fabc_lang::syntax::{self, print_spec};
use fabc_pipeline::compile::Stage;
use fabc_pipeline::library::Loaded;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The plan of a sweep, in its directory.
pub(crate) const PLAN: &str = "sweep.json";

/// The spec of a run, with its input files.
pub(crate) const SPEC: &str = "spec";

/// `1 run`, `8 runs`.
pub(crate) fn runs_text(count: usize) -> String {
    format!("{count} run{}", if count == 1 { "" } else { "s" })
}

/// The folder of a run: `runs/KEY` in the directory of the sweep. It holds the spec of the run, and its built
/// directory or why there is none.
pub(crate) fn run_folder(directory: &Path, run: &SweepRun) -> PathBuf {
    directory.join("runs").join(&run.key)
}

/// Reads the spec once for every combination, and writes down what is to be run.
pub(crate) fn write_plan(args: &SweepPlanArgs) -> Result<(PathBuf, SweepPlan), Stop> {
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
    let mut plan = SweepPlan {
        until,
        parameters: swept.iter().map(|swept| swept.name.clone()).collect(),
        runs: Vec::new(),
    };
    let mut files = Vec::new();
    let (mut first_refused, mut resolved) = (None, 0);
    for values in values::combinations(&swept)? {
        let sets: Vec<String> =
            plan.parameters.iter().zip(&values).map(|(name, value)| format!("{name}={value}")).collect();
        let planned = match read::spec_from(spec, text.clone(), &sets) {
            Ok(Loaded { fabric, spec: normal, settings, .. }) => {
                resolved += 1;
                let mut needed = vec![("spec.fab".to_owned(), print_spec(&normal))];
                needed.extend(fabc_emit::inputs(&fabric));
                PlannedRun { fabric: fabric.name, settings, needed, failed: None }
            }
            Err(stop) => plan_refused_run(spec, &text, &sets, stop, &mut first_refused)?,
        };
        let stage = plan.until.as_deref().unwrap_or("emit");
        let key = match &planned.failed {
            Some(failed) => content::of_run(&[(FAILED.to_owned(), failed.clone())], stage),
            None => content::of_run(&planned.needed, stage),
        };
        plan.runs.push(SweepRun { values, fabric: planned.fabric, key, settings: planned.settings });
        files.push(planned.failed.map_or(planned.needed, |failed| vec![(FAILED.to_owned(), failed)]));
    }
    // What is wrong with all values is wrong with the spec.
    if let Some(stop) = first_refused.filter(|_| resolved == 0) {
        return Err(stop);
    }
    let fabric = plan.runs.first().map_or("", |run| run.fabric.as_str());
    let directory = args.out.clone().unwrap_or_else(|| Path::new("out").join(format!("sweep_{fabric}")));
    refuse_foreign(&directory)?;
    let mut seen = BTreeSet::new();
    write::take_away_all_leftovers(&directory);
    for (run, files) in plan.runs.iter().zip(&files).filter(|(run, _)| seen.insert(run.key.clone())) {
        let spec = run_folder(&directory, run).join(SPEC);
        [run_folder(&directory, run), spec.clone(), spec.join("inputs")]
            .iter()
            .for_each(|folder| write::take_away_all_leftovers(folder));
        for (path, text) in files {
            let path = if path == FAILED { run_folder(&directory, run).join(path) } else { spec.join(path) };
            if !path.is_file() {
                write::make_directory(path.parent().unwrap_or(&directory))?;
                write::write(&path, text.as_bytes())?;
            }
        }
    }
    write::make_directory(&directory)?;
    write::write(&directory.join(PLAN), fabc_emit::sweep_json(&plan).as_bytes())?;
    Ok((directory, plan))
}

/// A run, as the plan has it.
struct PlannedRun {
    fabric: String,
    settings: Vec<(String, String)>,
    /// Its spec, with its input files.
    needed: Vec<(String, String)>,
    /// Why it failed, where there is no spec to run.
    failed: Option<String>,
}

/// Errors of parameters: the values that were asked for are not those that the spec declares.
const OF_PARAMETERS: [&str; 4] = ["FAB0142", "FAB0143", "FAB0144", "FAB0148"];

/// Plans a run whose spec has errors with its values. Other runs tell whether only these values are wrong.
///
/// # Errors
/// The spec or a value cannot be parsed, the values are none that the spec takes, or fabc has a bug.
fn plan_refused_run(
    spec: &str,
    text: &str,
    sets: &[String],
    stop: Stop,
    first_refused: &mut Option<Stop>,
) -> Result<PlannedRun, Stop> {
    let codes = stop.diagnostics.iter().filter_map(|error| error.code());
    let is_of_parameters =
        codes.map(|code| code.to_string()).any(|code| OF_PARAMETERS.contains(&code.as_str()));
    let Some(read) =
        read::unresolved(spec, text.to_owned(), sets).filter(|_| !is_of_parameters && stop.exit_code != 4)
    else {
        return Err(stop);
    };
    let (code, message) = first_error(&stop);
    let failed = read.text.is_none().then(|| fabc_emit::failed_json(&code, &message));
    first_refused.get_or_insert(stop);
    let needed = read.text.map(|text| ("spec.fab".to_owned(), text)).into_iter().collect();
    Ok(PlannedRun { fabric: read.fabric, settings: read.settings, needed, failed })
}

/// What the `sweep` blocks of a spec say, as a command line would. A spec with errors is told of them when it
/// is read.
fn declared(path: &str, text: &str) -> Vec<String> {
    let Ok(file) = syntax::parse_file(path, text).0 else { return Vec::new() };
    let items = file.entries.iter().flat_map(|entry| match entry {
        Entry::Fabric(fabric) => &fabric.items[..],
        Entry::Item(item) => std::slice::from_ref(item),
    });
    let all = items
        .filter_map(|item| if let ItemKind::Sweep(all) = &item.kind { Some(all) } else { None })
        .flatten();
    all.map(|swept| format!("{}={}", swept.name.value, syntax::written_values(swept))).collect()
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
pub(crate) fn read_plan(directory: &Path) -> Result<SweepPlan, Stop> {
    let path = directory.join(PLAN);
    let wrong = |what: String| DriverError::Sweep {
        what,
        hint: "`fabc sweep plan SPEC --set NAME=VALUES -o DIR` writes it".to_owned(),
    };
    if !path.is_file() {
        return Err(wrong(format!("there is no `{PLAN}` in `{}`", display(directory))).into());
    }
    let file: SweepFile = tagged(&read::bytes(&path, ARTIFACT_BYTES)?)
        .map_err(|what| wrong(format!("`{}`: {what}", display(&path))))?;
    if file.tool != fabc_emit::TOOL {
        return Err(wrong(format!(
            "`{}` was planned by {}, but this is {}",
            display(&path),
            file.tool,
            fabc_emit::TOOL
        ))
        .into());
    }
    let runs = file.runs.into_iter().map(|run| SweepRun {
        values: run.values,
        fabric: run.fabric,
        key: run.key,
        settings: run.settings.0,
    });
    let plan = SweepPlan { until: file.until, parameters: file.parameters, runs: runs.collect() };
    // Names of directories come from the file.
    let plain = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    match plan
        .runs
        .iter()
        .find(|run| !plain(&run.key) || !plain(&run.fabric) || run.values.len() != plan.parameters.len())
    {
        Some(_) => Err(wrong(format!("`{}` is damaged", display(&path))).into()),
        None => Ok(plan),
    }
}
