//! The plan of a sweep: its runs, and their places.
//!
//! Input: a spec and the values. Output: `sweep.json`, and below `runs/` the normal form of every distinct
//! run with its input files.

use super::results::{FAILED, first_error};
use super::values;
use crate::args::sweep::SweepPlanArgs;
use crate::io::content;
use crate::io::errors::DriverError;
use crate::io::read::{self, display};
use crate::io::stop::Stop;
use crate::io::write;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_ir::read::{SweepFile, tagged};
use fabc_ir::{SweepPlan, SweepRun};
use fabc_lang::syntax::ast::{FileEntry, ItemKind};
use fabc_lang::syntax::{self, print_spec};
use fabc_pipeline::compile::Stage;
use fabc_pipeline::library::Loaded;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The file of the plan in the directory of a sweep.
pub(crate) const PLAN: &str = "sweep.json";

/// The folder of a run with its spec and input files.
pub(crate) const SPEC: &str = "spec";

/// A number with its noun: `1 run`, `8 runs`.
pub(crate) fn runs_text(count: usize) -> String {
    format!("{count} run{}", if count == 1 { "" } else { "s" })
}

/// The folder of a run: `runs/KEY` in the directory of the sweep. It holds the spec of the run, and the built
/// directory or the reason for its absence.
pub(crate) fn run_folder(directory: &Path, run: &SweepRun) -> PathBuf {
    directory.join("runs").join(&run.key)
}

/// Resolves the spec for every combination of values, and writes the plan.
pub(crate) fn write_plan(args: &SweepPlanArgs) -> Result<(PathBuf, SweepPlan), Stop> {
    let spec = args.spec.as_deref().unwrap_or_default();
    if let Some(stage) = args.until.filter(|stage| *stage < Stage::Synthesize) {
        let problem = format!("a run that stops after `{}` has no results to compare", stage.name());
        return Err(
            DriverError::Sweep { problem, hint: "stop after `synthesize` or later".to_owned() }.into()
        );
    }
    let until = args.until.filter(|stage| *stage < Stage::Emit).map(|stage| stage.name().to_owned());
    let text = read::spec_text(spec)?;
    let mut swept = args.set.iter().map(|set| values::parse_swept(set)).collect::<Result<Vec<_>, _>>()?;
    // Values of the command line replace those of the spec.
    for set in declared_sweeps(spec, &text) {
        let declared = values::parse_swept(&set)?;
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
        let planned = match read::spec_from_text(spec, text.clone(), &sets) {
            Ok(Loaded { fabric, spec: normal, settings, .. }) => {
                resolved += 1;
                let mut needed = vec![("spec.fab".to_owned(), print_spec(&normal))];
                needed.extend(fabc_emit::input_copies(&fabric));
                PlannedRun { fabric: fabric.name, settings, needed, failed: None }
            }
            Err(stop) => plan_refused_run(spec, &text, &sets, stop, &mut first_refused)?,
        };
        let stage = plan.until.as_deref().unwrap_or("emit");
        let key = match &planned.failed {
            Some(failed) => content::run_key(&[(FAILED.to_owned(), failed.clone())], stage),
            None => content::run_key(&planned.needed, stage),
        };
        plan.runs.push(SweepRun { values, fabric: planned.fabric, key, settings: planned.settings });
        files.push(planned.failed.map_or(planned.needed, |failed| vec![(FAILED.to_owned(), failed)]));
    }
    // If no combination is valid, then the spec has an error.
    if let Some(stop) = first_refused.filter(|_| resolved == 0) {
        return Err(stop);
    }
    let fabric = plan.runs.first().map_or("", |run| run.fabric.as_str());
    let directory = args.out.clone().unwrap_or_else(|| Path::new("out").join(format!("sweep_{fabric}")));
    refuse_foreign(&directory)?;
    let mut seen = BTreeSet::new();
    write::remove_all_leftovers(&directory);
    for (run, files) in plan.runs.iter().zip(&files).filter(|(run, _)| seen.insert(run.key.clone())) {
        let spec = run_folder(&directory, run).join(SPEC);
        [run_folder(&directory, run), spec.clone(), spec.join("inputs")]
            .iter()
            .for_each(|folder| write::remove_all_leftovers(folder));
        for (path, text) in files {
            let path = if path == FAILED { run_folder(&directory, run).join(path) } else { spec.join(path) };
            if !path.is_file() {
                write::make_directory(path.parent().unwrap_or(&directory))?;
                write::write_file(&path, text.as_bytes())?;
            }
        }
    }
    write::make_directory(&directory)?;
    write::write_file(&directory.join(PLAN), fabc_emit::sweep_json(&plan).as_bytes())?;
    Ok((directory, plan))
}

/// A run while it is being planned.
struct PlannedRun {
    fabric: String,
    settings: Vec<(String, String)>,
    /// Its spec, with its input files.
    needed: Vec<(String, String)>,
    /// The content of `failed.json` if there is no spec to run.
    failed: Option<String>,
}

/// Error codes of parameters: the requested values do not fit the declarations of the spec.
const OF_PARAMETERS: [&str; 4] = ["FAB0142", "FAB0143", "FAB0144", "FAB0148"];

/// Plans a run whose spec has errors with its values. The other runs show whether only these values are
/// invalid.
///
/// # Errors
/// The spec or a value cannot be parsed, the values do not fit the declarations, or fabc has a bug.
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

/// The values in the `sweep` blocks of a spec, as a command line would give them. Empty for a spec with
/// syntax errors, which are reported when it is resolved.
fn declared_sweeps(path: &str, text: &str) -> Vec<String> {
    let Ok(file) = syntax::parse_file(path, text).0 else { return Vec::new() };
    let items = file.entries.iter().flat_map(|entry| match entry {
        FileEntry::Fabric(fabric) => &fabric.items[..],
        FileEntry::Item(item) => std::slice::from_ref(item),
    });
    let values = items
        .filter_map(|item| if let ItemKind::Sweep(values) = &item.kind { Some(values) } else { None })
        .flatten();
    values.map(|swept| format!("{}={}", swept.name.value, syntax::written_values(swept))).collect()
}

/// Refuses a directory that is neither empty nor the directory of a sweep.
fn refuse_foreign(directory: &Path) -> Result<(), DriverError> {
    let Ok(mut entries) = std::fs::read_dir(directory) else { return Ok(()) };
    match entries.next() {
        // An interrupted plan has written runs already.
        Some(Ok(entry)) if !directory.join(PLAN).is_file() && !directory.join("runs").is_dir() => {
            let entry = format!("`{}`, and no `{PLAN}`", entry.file_name().to_string_lossy());
            Err(DriverError::Foreign { path: display(directory), content: entry })
        }
        _ => Ok(()),
    }
}

/// Reads the plan of a directory.
pub(crate) fn read_plan(directory: &Path) -> Result<SweepPlan, Stop> {
    let path = directory.join(PLAN);
    let invalid = |problem: String| DriverError::Sweep {
        problem,
        hint: "`fabc sweep plan SPEC --set NAME=VALUES -o DIR` writes it".to_owned(),
    };
    if !path.is_file() {
        return Err(invalid(format!("there is no `{PLAN}` in `{}`", display(directory))).into());
    }
    let file: SweepFile = tagged(&read::read_bytes(&path, ARTIFACT_BYTES)?)
        .map_err(|problem| invalid(format!("`{}`: {problem}", display(&path))))?;
    if file.tool != fabc_emit::TOOL {
        return Err(invalid(format!(
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
    // The names of directories come from this file.
    let plain = |name: &str| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    };
    match plan
        .runs
        .iter()
        .find(|run| !plain(&run.key) || !plain(&run.fabric) || run.values.len() != plan.parameters.len())
    {
        Some(_) => Err(invalid(format!("`{}` is damaged", display(&path))).into()),
        None => Ok(plan),
    }
}
