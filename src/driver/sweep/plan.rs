//! The plan of a sweep: which runs there are, and where they stand.
//!
//! Comes in: a spec and the values. Goes out: `sweep.json`, and below `runs/` the normal form of every
//! different run with its input files.

use super::values;
use crate::compile::Stage;
use crate::driver::content;
use crate::driver::errors::{DriverError, Stop};
use crate::driver::read::{self, display};
use crate::driver::sweep_options::SweepPlanArgs;
use crate::driver::write;
use crate::emit;
use crate::ir::{SweepPlan, SweepRun};
use crate::library::Loaded;
use crate::limits::ARTIFACT_BYTES;
use crate::read::{SweepFile, tagged};
use crate::syntax::ast::{Entry, ItemKind};
use crate::syntax::{self, print_spec};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The plan of a sweep, in its directory.
pub(super) const PLAN: &str = "sweep.json";

/// The spec of a run, with its input files.
pub(super) const SPEC: &str = "spec";

/// `1 run`, `8 runs`.
pub(super) fn runs(count: usize) -> String {
    format!("{count} run{}", if count == 1 { "" } else { "s" })
}

/// Where a run stands.
pub(super) fn place(directory: &Path, run: &SweepRun) -> PathBuf {
    directory.join("runs").join(&run.key)
}

/// Reads the spec once for every combination, and writes down what is to be run.
pub(super) fn write_plan(args: &SweepPlanArgs) -> Result<(PathBuf, SweepPlan), Stop> {
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
        let key = content::of_run(&needed, plan.until.as_deref().unwrap_or("emit"));
        plan.runs.push(SweepRun { values, fabric: fabric.name, key, settings });
        files.push(needed);
    }
    let fabric = plan.runs.first().map_or("", |run| run.fabric.as_str());
    let directory = args.out.clone().unwrap_or_else(|| Path::new("out").join(format!("sweep_{fabric}")));
    refuse_foreign(&directory)?;
    let mut seen = BTreeSet::new();
    write::take_away_all_leftovers(&directory);
    for (run, files) in plan.runs.iter().zip(&files).filter(|(run, _)| seen.insert(run.key.clone())) {
        let spec = place(&directory, run).join(SPEC);
        [place(&directory, run), spec.clone(), spec.join("inputs")].iter().for_each(|place| write::take_away_all_leftovers(place));
        for (path, text) in files {
            let path = spec.join(path);
            if !path.is_file() {
                write::make_directory(path.parent().unwrap_or(&directory))?;
                write::write(&path, text.as_bytes())?;
            }
        }
    }
    write::make_directory(&directory)?;
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
pub(super) fn read_plan(directory: &Path) -> Result<SweepPlan, Stop> {
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
