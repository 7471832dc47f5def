//! `fabc sim`: simulates the tables of a built directory.

use crate::args::sim::{SimArgs, SimForms};
use crate::io::errors::DriverError;
use crate::io::folder::DiskFolder;
use crate::io::input_errors::InputError;
use crate::io::progress::Watch;
use crate::io::read;
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, print_out, write_out};
use crate::run::motion;
use crate::run::sim_settings::{described_simulation, sim_stop};
use crate::verify::foreign::read_foreign;
use fabc_base::diag::list;
use fabc_ir::Topology;
use fabc_model::{Fabric, Scenarios, Simulation};
use fabc_pipeline::library::Loaded;
use fabc_pipeline::scenarios::BuiltScenarios;
use fabc_pipeline::show::MessageFormat;
use fabc_pipeline::simulate::{ForeignFabric, ReadSimulated, SimReport, SimulationRuns};
use std::path::{Path, PathBuf};

/// `fabc sim`: runs simulations, and prints their reports.
///
/// # Errors
/// `Refusal::NotBuilt` for a foreign directory, `Refusal::UnknownScenario` for an unknown scenario,
/// and the errors of the simulator. A deadlock has exit code 3.
pub(crate) fn simulate(args: &SimArgs, terminal: Terminal) -> Result<(), Stop> {
    let watch = Watch::new(!terminal.quiet && terminal.format == MessageFormat::Human);
    match (&args.foreign.tables, &args.foreign.topology, &args.directories[..]) {
        (Some(tables), Some(topology), _) => simulate_third_party(args, tables, topology, &watch)?,
        (_, _, [directory]) if args.job.is_some() || args.collective.is_some() => {
            motion::run_plans(args, directory)?
        }
        (_, _, [directory]) if !args.compare => simulate_directory(args, directory, &watch)?,
        (_, _, directories) => compare(args, directories, &watch)?,
    }
    terminal.detail(&format!("simulated in {}", watch.elapsed()));
    Ok(())
}

/// Runs the requested simulations on one directory.
fn simulate_directory(args: &SimArgs, directory: &Path, watch: &Watch) -> Result<(), Stop> {
    let Loaded { fabric, sources, .. } = read::built_fabric(directory)?;
    let described = described_simulation(args, &fabric)?;
    let folder = DiskFolder::new(directory);
    let built = SimulatedDirectory {
        scenarios: BuiltScenarios { folder: &folder, fabric: &fabric, sources: &sources },
        runs: requested_runs(args, &fabric, &described),
    };
    let blocks = requested_blocks(args, &fabric)?;
    if blocks.is_empty() {
        built.run_scenarios(args, None, watch)?;
    }
    for block in blocks {
        built.run_scenarios(args, Some(block), watch)?;
    }
    Ok(())
}

/// Runs the requested simulations on third-party tables.
fn simulate_third_party(args: &SimArgs, tables: &str, topology: &str, watch: &Watch) -> Result<(), Stop> {
    let ForeignFabric { fabric, sources, healthy, chips } = read_foreign(&args.foreign, tables, topology)?;
    let described = described_simulation(args, &fabric)?;
    if described.scenarios == Scenarios::All {
        let (problem, hint) =
            ("third-party tables have no scenarios".to_owned(), "remove `scenarios`".to_owned());
        return Err(InputError::Usage { problem, hint }.into());
    }
    let runs = SimulationRuns { chips, ..requested_runs(args, &fabric, &described) };
    let report = runs.run(None, &healthy, watch).map_err(|error| sim_stop(error, &sources))?;
    Ok(print_report(args, &fabric, &healthy.wiring.topology, None, &[report])?)
}

/// Prints where each directory saturates, or how long its finite traffic takes, relative to the first.
fn compare(args: &SimArgs, directories: &[PathBuf], watch: &Watch) -> Result<(), Stop> {
    if args.form.svg {
        let (subject, help) =
            ("a comparison", "choose text, CSV or JSON. Only a single directory has all forms");
        return Err(DriverError::NoSuchForm { subject, help, form: "svg" }.into());
    }
    let (mut compared, mut finished) = (Vec::new(), Vec::new());
    for directory in directories {
        let Loaded { fabric, sources, .. } = read::built_fabric(directory)?;
        let described = described_simulation(args, &fabric)?;
        if described.rates.is_some() {
            let (problem, hint) = (
                "a comparison searches saturation and has no `rates`".to_owned(),
                "remove `rates`".to_owned(),
            );
            return Err(InputError::Usage { problem, hint }.into());
        }
        let folder = DiskFolder::new(directory);
        let built = SimulatedDirectory {
            scenarios: BuiltScenarios { folder: &folder, fabric: &fabric, sources: &sources },
            runs: requested_runs(args, &fabric, &described),
        };
        for scenario in built.scenario_names(args.scenario_to_run(described.scenarios))? {
            let read = built.scenario(&scenario)?;
            let report = built.runs.search_saturation(&read, watch);
            let report = report.map_err(|error| sim_stop(error, &sources))?;
            match fabc_emit::FinishedScenario::new(&fabric, &report) {
                Some(of) => finished.push(of),
                None => compared.push(fabc_emit::ComparedScenario::new(&fabric, &report)),
            }
        }
    }
    match args.form {
        SimForms { json: true, .. } if compared.is_empty() => {
            write_out(fabc_emit::finished_json(&finished).as_bytes())?
        }
        SimForms { json: true, .. } => write_out(fabc_emit::comparison_json(&compared).as_bytes())?,
        SimForms { csv: true, .. } if compared.is_empty() => {
            write_out(fabc_emit::finished_csv(&finished).as_bytes())?
        }
        SimForms { csv: true, .. } => write_out(fabc_emit::comparison_csv(&compared).as_bytes())?,
        _ if compared.is_empty() => print_out(&fabc_emit::finished_text(&finished))?,
        _ => print_out(&fabc_emit::comparison_text(&compared))?,
    }
    Ok(())
}

/// The simulations of a built directory that the options ask for.
fn requested_runs<'a>(args: &SimArgs, fabric: &'a Fabric, described: &'a Simulation) -> SimulationRuns<'a> {
    SimulationRuns { fabric, described, chips: false, saturation: args.saturation }
}

/// The requested blocks of the spec. Empty if options describe the simulation.
fn requested_blocks<'a>(args: &SimArgs, fabric: &'a Fabric) -> Result<Vec<&'a Simulation>, DriverError> {
    let blocks = || fabric.simulations.iter();
    match &args.block {
        Some(name) => match blocks().find(|block| block.name == *name) {
            Some(block) => Ok(vec![block]),
            None => Err(DriverError::UnknownBlock {
                name: name.clone(),
                hint: match &blocks().map(|block| block.name.as_str()).collect::<Vec<_>>()[..] {
                    [] => "the spec has no `simulate` blocks: describe one with `--with`".to_owned(),
                    known => format!("the spec has {}", list(known)),
                },
            }),
        },
        None if args.is_plain() => Ok(blocks().collect()),
        None => Ok(Vec::new()),
    }
}

/// A built directory with the simulations to run on it.
struct SimulatedDirectory<'a> {
    scenarios: BuiltScenarios<'a, DiskFolder>,
    runs: SimulationRuns<'a>,
}

impl SimulatedDirectory<'_> {
    /// Runs one scenario or all of them, and prints the reports.
    fn run_scenarios(&self, args: &SimArgs, block: Option<&Simulation>, watch: &Watch) -> Result<(), Stop> {
        let scenarios = block.unwrap_or(self.runs.described).scenarios;
        let (mut reports, mut wired) = (Vec::new(), None);
        for scenario in self.scenario_names(args.scenario_to_run(scenarios))? {
            let read = self.scenario(&scenario)?;
            let report = self.runs.run(block, &read, watch);
            reports.push(report.map_err(|error| sim_stop(error, self.scenarios.sources))?);
            wired = Some(read.wiring.topology);
        }
        if let Some(topology) = wired {
            print_report(args, self.runs.fabric, &topology, block, &reports)?;
        }
        Ok(())
    }

    /// The scenario with this name, or all scenarios.
    fn scenario_names(&self, name: Option<&str>) -> Result<Vec<String>, Stop> {
        name.map_or_else(|| self.scenarios.names(), |name| Ok(vec![name.to_owned()]))
    }

    /// Reads topology and tables of a scenario.
    fn scenario(&self, name: &str) -> Result<ReadSimulated, Stop> {
        self.scenarios.simulated(name, self.runs.described.parameters.choosing.routing)
    }
}

fn print_report(
    args: &SimArgs,
    fabric: &Fabric,
    topology: &Topology,
    block: Option<&Simulation>,
    reports: &[SimReport],
) -> Result<(), DriverError> {
    let name = block.map(|block| block.name.as_str());
    match args.form {
        SimForms { json: true, .. } => {
            write_out(fabc_emit::simulation_json(fabric, topology, name, reports).as_bytes())
        }
        SimForms { csv: true, .. } => {
            write_out(fabc_emit::simulation_csv(fabric, topology, reports).as_bytes())
        }
        SimForms { svg: true, .. } if reports.iter().any(|report| report.volume.is_some()) => {
            let (subject, help) = (
                "traffic that ends",
                "a picture shows latency over load, but finite traffic has no load: choose text, CSV or JSON",
            );
            Err(DriverError::NoSuchForm { subject, help, form: "svg" })
        }
        SimForms { svg: true, .. } => write_out(fabc_emit::simulation_svg(fabric, reports).as_bytes()),
        _ => print_out(&fabc_emit::simulation_text(fabric, topology, name, reports)),
    }
}
