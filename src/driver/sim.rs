//! `fabc sim`: the tables of a built directory in motion.

use super::errors::{DriverError, Stop};
use super::options::MessageFormat;
use super::progress::Watch;
use super::read::{self, Loaded, display};
use super::sim_options::{SimArgs, SimFormat};
use super::terminal::{Terminal, print_out, write_out};
use crate::check::{self, Files, ReadScenario};
use crate::diag::SourceMap;
use crate::emit;
use crate::ir::{Scene, Topology};
use crate::limits::ARTIFACT_BYTES;
use crate::model::Fabric;
use crate::sim::{self, Rate, SimError, SimReport};
use std::path::Path;

/// The name that stands for every scenario.
const ALL: &str = "all";

/// Percent of the static bound at which a curve is run that names no rates.
const CURVE: [u64; 12] = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110, 120];

/// `fabc sim`.
///
/// # Errors
/// The directory is not one of fabc's or has no such scenario; the model cannot do with the fabric; packets
/// wait for each other for ever (exit code 3).
pub(super) fn simulate(args: &SimArgs, terminal: Terminal) -> Result<(), Stop> {
    let directory = &args.directory;
    for needed in ["spec.fab", "topology.json"] {
        if !directory.join(needed).is_file() {
            return Err(DriverError::NotBuilt { path: display(directory), reason: format!("there is no `{needed}`") }.into());
        }
    }
    let Loaded { fabric, sources, .. } = read::built_spec(directory)?;
    let watch = Watch::new(!terminal.quiet && terminal.format == MessageFormat::Human);
    let (mut reports, mut wired) = (Vec::new(), None);
    for scenario in scenarios(args, &fabric, &sources)? {
        let read = scenario_of(args, &fabric, &sources, &scenario)?;
        reports.push(run(args, &fabric, &read, &watch).map_err(|error| stop(error, &sources))?);
        wired = Some(read.topology);
    }
    if let Some(topology) = wired {
        print(args, &fabric, &topology, &reports)?;
    }
    terminal.detail(&format!("simulated in {}", watch.elapsed()));
    Ok(())
}

/// The names of the scenarios that are asked for.
fn scenarios(args: &SimArgs, fabric: &Fabric, sources: &SourceMap) -> Result<Vec<String>, Stop> {
    if args.scenario != ALL {
        return Ok(vec![args.scenario.clone()]);
    }
    check::scenario_names(&files(&args.directory, None)?, fabric).map_err(|error| stop(error, sources))
}

/// Topology and tables of a scenario.
fn scenario_of(args: &SimArgs, fabric: &Fabric, sources: &SourceMap, name: &str) -> Result<ReadScenario, Stop> {
    let unknown = || {
        let hint = match args.directory.join("tables").is_dir() {
            true => format!("`fabc tables {}` lists the scenarios", display(&args.directory)),
            false => "the directory has no tables: its build stopped before routing".to_owned(),
        };
        DriverError::UnknownScenario { name: name.to_owned(), hint }
    };
    let files = files(&args.directory, Some(name))?;
    if !files.keys().any(|path| path.starts_with("tables/")) {
        return Err(unknown().into());
    }
    let read = check::read_scenario(&files, fabric, name).map_err(|error| stop(error, sources))?;
    read.ok_or_else(|| unknown().into())
}

/// The files that a scenario is read from.
fn files(directory: &Path, scenario: Option<&str>) -> Result<Files, DriverError> {
    let tables = scenario.into_iter().flat_map(|name| ["json", "bin"].map(|ending| format!("{}.{ending}", emit::tables_path(name))));
    let wanted = ["topology.json", "ocs.json"].map(str::to_owned).into_iter().chain(tables);
    let there = wanted.filter(|path| directory.join(path).is_file());
    there.map(|path| Ok((path.clone(), read::bytes(&directory.join(&path), ARTIFACT_BYTES)?))).collect()
}

/// Runs all rates and seeds on one scenario.
fn run(args: &SimArgs, fabric: &Fabric, read: &ReadScenario, watch: &Watch) -> Result<SimReport, SimError> {
    let scene = Scene { topology: &read.topology, lit: read.lit.clone(), dead: read.dead };
    let prepared = sim::prepare(fabric, &scene, &read.tables, &args.parameters()?)?;
    let bound = prepared.load().bound;
    let rates = match &args.rates {
        Some(rates) => rates.0.clone(),
        None if args.saturation => Vec::new(),
        None => CURVE.iter().map(|&percent| Rate::share(percent, bound)).collect(),
    };
    let search = args.saturation || args.rates.is_none();
    sim::simulate(&prepared, &rates, &args.all_seeds(), search, watch)
}

fn print(args: &SimArgs, fabric: &Fabric, topology: &Topology, reports: &[SimReport]) -> Result<(), DriverError> {
    match args.format {
        SimFormat::Text => print_out(&emit::simulation_text(fabric, topology, reports)),
        SimFormat::Json => write_out(emit::simulation_json(fabric, topology, reports).as_bytes()),
        SimFormat::Csv => write_out(emit::simulation_csv(topology, reports).as_bytes()),
        SimFormat::Svg => write_out(emit::simulation_svg(fabric, reports).as_bytes()),
    }
}

/// What ends the command, with the places in the spec of the directory.
fn stop(error: impl Into<Reason>, sources: &SourceMap) -> Stop {
    let (diagnostic, exit_code) = match error.into() {
        Reason::Check(error) => (Box::new(error) as _, 3),
        Reason::Sim(error) => {
            let exit_code = error.exit_code();
            (Box::new(error) as _, exit_code)
        }
    };
    Stop { diagnostics: vec![diagnostic], sources: sources.clone(), exit_code }
}

enum Reason {
    Check(check::CheckError),
    Sim(SimError),
}

impl From<check::CheckError> for Reason {
    fn from(error: check::CheckError) -> Self {
        Reason::Check(error)
    }
}

impl From<SimError> for Reason {
    fn from(error: SimError) -> Self {
        Reason::Sim(error)
    }
}
