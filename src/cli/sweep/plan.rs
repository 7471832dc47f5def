//! The plan of a sweep: its runs, and their places.
//!
//! Input: one spec or several, and the values. Output: `sweep.json`, and below `runs/` the normal form of
//! every distinct run with its input files.

use super::results::{FAILED, first_error};
use super::values::{self, ParameterValues};
use crate::args::sweep::SweepPlanArgs;
use crate::io::content;
use crate::io::errors::DriverError;
use crate::io::read::{self, display};
use crate::io::stop::Stop;
use crate::io::write;
use fabc_base::diag::closest;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_ir::read::{SweepFile, tagged};
use fabc_ir::{SweepPlan, SweepRun};
use fabc_lang::syntax::ast::{FileEntry, ItemKind};
use fabc_lang::syntax::{self, print_spec};
use fabc_model::Metric;
use fabc_pipeline::compile::Stage;
use fabc_pipeline::library::Loaded;
use fabc_pipeline::operate::{COLLECTIVE_COLUMNS, SIZES};
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

/// The first column of a sweep over several specs: the name of the fabric.
pub(crate) const FABRIC: &str = "fabric";

/// Resolves every spec for every combination of values, and writes the plan.
pub(crate) fn write_plan(args: &SweepPlanArgs) -> Result<(PathBuf, SweepPlan), Stop> {
    if let Some(stage) = args.until.filter(|stage| *stage < Stage::Synthesize) {
        let problem = format!("a run that stops after `{}` has no results to compare", stage.name());
        return Err(
            DriverError::Sweep { problem, hint: "stop after `synthesize` or later".to_owned() }.into()
        );
    }
    let until = args.until.filter(|stage| *stage < Stage::Emit).map(|stage| stage.name().to_owned());
    args.columns.iter().try_for_each(|name| check_column(name))?;
    let specs = swept_specs(args)?;
    let mut parameters: Vec<String> = Vec::new();
    parameters.extend((specs.len() > 1).then(|| FABRIC.to_owned()));
    for swept in specs.iter().flat_map(|spec| &spec.swept) {
        if !parameters.contains(&swept.name) {
            parameters.push(swept.name.clone());
        }
    }
    let mut plan = SweepPlan { until, parameters, columns: args.columns.clone(), runs: Vec::new() };
    let mut files = Vec::new();
    for spec in &specs {
        let first = plan.runs.len();
        files.extend(plan_spec(spec, &mut plan)?);
        refuse_same_name(&plan.runs, first)?;
    }
    let default_name = match plan.runs.first() {
        Some(run) if specs.len() == 1 => format!("sweep_{}", run.fabric),
        _ => "sweep".to_owned(),
    };
    let directory = args.out.clone().unwrap_or_else(|| Path::new("out").join(default_name));
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

/// Refuses a column that no run can have.
fn check_column(name: &str) -> Result<(), DriverError> {
    let plain = name.strip_prefix("fault.").unwrap_or(name);
    let of_collective = name.rsplit_once('.').is_some_and(|(_, metric)| COLLECTIVE_COLUMNS.contains(&metric));
    let known = || SIZES.into_iter().chain(Metric::every().map(Metric::name));
    if of_collective || known().any(|known| known == plain && (name == plain || !SIZES.contains(&plain))) {
        return Ok(());
    }
    let hint = match closest(plain, known()) {
        Some(close) => format!("did you mean `{close}`?"),
        None => "write metrics as in `require`: `hosts`, `fault.bandwidth`, `NAME.time`".to_owned(),
    };
    Err(DriverError::Sweep { problem: format!("`--columns`: no metric is called `{name}`"), hint })
}

/// A spec, with the parameters that are swept in it.
struct SweptSpec<'a> {
    path: &'a str,
    text: String,
    swept: Vec<ParameterValues>,
}

/// Reads the specs. Values of the command line replace those of a spec. Of several specs, they are for those
/// that declare the parameter. A name that no spec declares is for all of them, so that the first one reports
/// it.
fn swept_specs(args: &SweepPlanArgs) -> Result<Vec<SweptSpec<'_>>, Stop> {
    if args.specs.iter().filter(|path| *path == "-").count() > 1 {
        let problem = "standard input can be read once".to_owned();
        let hint = "write `-` once, and name files for the other specs".to_owned();
        return Err(DriverError::Sweep { problem, hint }.into());
    }
    let texts = args.specs.iter().map(|path| read::spec_text(path)).collect::<Result<Vec<_>, _>>()?;
    let declared: Vec<Vec<String>> = match args.specs.len() {
        1 => Vec::new(),
        _ => args.specs.iter().zip(&texts).map(|(path, text)| read::parameters(path, text)).collect(),
    };
    let is_for = |place: usize, name: &String| {
        declared.get(place).is_none_or(|own| own.contains(name))
            || !declared.iter().any(|other| other.contains(name))
    };
    let mut specs = Vec::with_capacity(texts.len());
    for (place, (path, text)) in args.specs.iter().zip(texts).enumerate() {
        let given = args.set.iter().map(|set| values::parse_swept(set)).collect::<Result<Vec<_>, _>>()?;
        let mut swept: Vec<ParameterValues> =
            given.into_iter().filter(|swept| is_for(place, &swept.name)).collect();
        for set in declared_sweeps(path, &text) {
            let declared = values::parse_swept(&set)?;
            if swept.iter().all(|known| known.name != declared.name) {
                swept.push(declared);
            }
        }
        specs.push(SweptSpec { path, text, swept });
    }
    Ok(specs)
}

/// Plans the runs of one spec, and returns the files of each.
fn plan_spec(spec: &SweptSpec<'_>, plan: &mut SweepPlan) -> Result<Vec<Vec<(String, String)>>, Stop> {
    let SweptSpec { path, text, swept } = spec;
    let mut files = Vec::new();
    let (mut first_refused, mut resolved) = (None, 0);
    for own_values in values::combinations(swept, plan.runs.len())? {
        let sets: Vec<String> =
            swept.iter().zip(&own_values).map(|(swept, value)| format!("{}={value}", swept.name)).collect();
        let planned = match read::spec_from_text(path, text.clone(), &sets) {
            Ok(Loaded { fabric, spec: normal, settings, .. }) => {
                resolved += 1;
                let mut needed = vec![("spec.fab".to_owned(), print_spec(&normal))];
                needed.extend(fabc_emit::input_copies(&fabric));
                PlannedRun { fabric: fabric.name, settings, needed, failed: None }
            }
            Err(stop) => plan_refused_run(path, text, &sets, stop, &mut first_refused)?,
        };
        let stage = plan.until.as_deref().unwrap_or("emit");
        let key = match &planned.failed {
            Some(failed) => content::run_key(&[(FAILED.to_owned(), failed.clone())], stage),
            None => content::run_key(&planned.needed, stage),
        };
        let value = |name: &String| match swept.iter().position(|swept| swept.name == *name) {
            Some(place) => own_values[place].clone(),
            None if name == FABRIC => planned.fabric.clone(),
            // Another spec has this parameter.
            None => String::new(),
        };
        let values = plan.parameters.iter().map(value).collect();
        plan.runs.push(SweepRun { values, fabric: planned.fabric, key, settings: planned.settings });
        files.push(planned.failed.map_or(planned.needed, |failed| vec![(FAILED.to_owned(), failed)]));
    }
    // If no combination is valid, then the spec has an error.
    match first_refused.filter(|_| resolved == 0) {
        Some(stop) => Err(stop),
        None => Ok(files),
    }
}

/// Refuses a spec whose fabric has the name of an earlier one. Its runs are those from `first` on.
fn refuse_same_name(runs: &[SweepRun], first: usize) -> Result<(), DriverError> {
    let (earlier, own) = runs.split_at(first);
    let Some(same) = own.first().filter(|own| earlier.iter().any(|run| run.fabric == own.fabric)) else {
        return Ok(());
    };
    let problem = format!("two of the specs have a fabric `{}`", same.fabric);
    let hint = "the table names runs by their fabric: give each another name".to_owned();
    Err(DriverError::Sweep { problem, hint })
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
        hint: "`fabc sweep prepare SPEC --set NAME=VALUES -o DIR` writes it".to_owned(),
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
    let runs = runs.collect();
    let SweepFile { until, parameters, columns, .. } = file;
    let plan = SweepPlan { until, parameters, columns, runs };
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
