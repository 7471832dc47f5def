//! `fabc sim`: simulates the tables of a built directory.

use crate::args::sim::{NOMINAL, SimArgs, SimFormat};
use crate::io::errors::DriverError;
use crate::io::input_errors::InputError;
use crate::io::progress::Watch;
use crate::io::read::{self, Disk, display};
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, print_out, write_out};
use crate::run::scheduled::planned_hint;
use crate::verify::foreign::read_foreign;
use fabc_base::diag::{Failure, SourceMap, Span, list};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{Files, ReadScene, ReadSimulated};
use fabc_ir::{ScenarioTables, Scene, Topology};
use fabc_lang::simulation_of_settings;
use fabc_lang::syntax::parse_settings;
use fabc_model::{
    Fabric, HostPorts, PacketRouting, RouterModel, Scenarios, Simulation, SimulationParameters,
};
use fabc_pipeline::library::Loaded;
use fabc_pipeline::refusal::Refusal;
use fabc_pipeline::show::MessageFormat;
use fabc_pipeline::simulate::ForeignFabric;
use fabc_sim::{SimError, SimReport};
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
        (_, _, [directory]) if !args.compare => simulate_directory(args, directory, &watch)?,
        (_, _, directories) => compare(args, directories, &watch)?,
    }
    terminal.detail(&format!("simulated in {}", watch.elapsed()));
    Ok(())
}

/// The source name of the settings on the command line, where an error points at them.
const SETTINGS: &str = "--with";

/// The simulation that `--with` describes, or one with default settings.
fn described_simulation(args: &SimArgs, fabric: &Fabric) -> Result<Simulation, Stop> {
    let Some(settings) = &args.with else {
        let parameters = SimulationParameters::default();
        let scenarios = Scenarios::Nominal;
        return Ok(Simulation {
            name: String::new(),
            parameters,
            rates: None,
            seeds: 1,
            scenarios,
            span: Span::default(),
        });
    };
    // The last `;` may be left out, as in a shell.
    let ended = settings.trim_end().ends_with([';', '}']) || settings.trim().is_empty();
    let settings = if ended { settings.clone() } else { format!("{settings};") };
    let (parsed, sources) = parse_settings(SETTINGS, &settings);
    let block = parsed.map_err(|errors| (Failure::spec_errors(errors), sources.clone()))?;
    let simulation = simulation_of_settings(&block, &fabric.router, &Disk);
    let simulation = simulation.map_err(|errors| (Failure::spec_errors(errors), sources))?;
    // The settings are on the command line, not in a file of the spec.
    Ok(Simulation { span: Span::default(), ..simulation })
}

/// Runs the requested simulations on one directory.
fn simulate_directory(args: &SimArgs, directory: &Path, watch: &Watch) -> Result<(), Stop> {
    let Loaded { fabric, sources, .. } = read::built_fabric(directory)?;
    let described = described_simulation(args, &fabric)?;
    let built = SimulatedDirectory {
        directory,
        sources: &sources,
        runs: SimulationRuns { fabric: &fabric, described: &described, chips: false },
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
    let ForeignFabric { fabric, sources, topology, tables, chips } =
        read_foreign(&args.foreign, tables, topology)?;
    let described = described_simulation(args, &fabric)?;
    if described.scenarios == Scenarios::All {
        let (problem, hint) =
            ("third-party tables have no scenarios".to_owned(), "remove `scenarios`".to_owned());
        return Err(InputError::Usage { problem, hint }.into());
    }
    let wiring = ReadScene { lit: Scene::healthy(&topology).lit, dead: Vec::new(), topology };
    let read = ReadSimulated { wiring, tables: ScenarioTables::OnePath(tables) };
    let runs = SimulationRuns { fabric: &fabric, described: &described, chips };
    let report = runs.run(args, None, &read, watch).map_err(|error| sim_stop(error, &sources))?;
    Ok(print_report(args, &fabric, &read.wiring.topology, None, &[report])?)
}

/// Prints where each directory saturates, or how long its finite traffic takes, relative to the first.
fn compare(args: &SimArgs, directories: &[PathBuf], watch: &Watch) -> Result<(), Stop> {
    if let SimFormat::Json | SimFormat::Svg = args.format {
        let (subject, help) =
            ("a comparison", "write `text` or `csv`. Only a single directory has all forms");
        return Err(DriverError::NoSuchForm { subject, help, form: args.format.name() }.into());
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
        let built = SimulatedDirectory {
            directory,
            sources: &sources,
            runs: SimulationRuns { fabric: &fabric, described: &described, chips: false },
        };
        for scenario in built.scenario_names(args.scenario_to_run(described.scenarios))? {
            let read = built.scenario(&scenario)?;
            let report =
                built.runs.saturation(args, &read, watch).map_err(|error| sim_stop(error, &sources))?;
            match fabc_emit::FinishedScenario::new(&fabric, &report) {
                Some(of) => finished.push(of),
                None => compared.push(fabc_emit::ComparedScenario::new(&fabric, &report)),
            }
        }
    }
    match args.format {
        SimFormat::Csv if compared.is_empty() => write_out(fabc_emit::finished_csv(&finished).as_bytes())?,
        SimFormat::Csv => write_out(fabc_emit::comparison_csv(&compared).as_bytes())?,
        _ if compared.is_empty() => print_out(&fabc_emit::finished_text(&finished))?,
        _ => print_out(&fabc_emit::comparison_text(&compared))?,
    }
    Ok(())
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
    directory: &'a Path,
    sources: &'a SourceMap,
    runs: SimulationRuns<'a>,
}

/// The simulations to run on a fabric.
struct SimulationRuns<'a> {
    fabric: &'a Fabric,
    /// The simulation to run where the spec has none.
    described: &'a Simulation,
    /// Whether endpoints are inside routers, as third-party files may say.
    chips: bool,
}

impl SimulatedDirectory<'_> {
    /// Runs one scenario or all of them, and prints the reports.
    fn run_scenarios(&self, args: &SimArgs, block: Option<&Simulation>, watch: &Watch) -> Result<(), Stop> {
        let scenarios = block.unwrap_or(self.runs.described).scenarios;
        let (mut reports, mut wired) = (Vec::new(), None);
        for scenario in self.scenario_names(args.scenario_to_run(scenarios))? {
            let read = self.scenario(&scenario)?;
            reports.push(
                self.runs.run(args, block, &read, watch).map_err(|error| sim_stop(error, self.sources))?,
            );
            wired = Some(read.wiring.topology);
        }
        if let Some(topology) = wired {
            print_report(args, self.runs.fabric, &topology, block, &reports)?;
        }
        Ok(())
    }

    /// The scenario with this name, or all scenarios.
    fn scenario_names(&self, name: Option<&str>) -> Result<Vec<String>, Stop> {
        if let Some(name) = name {
            return Ok(vec![name.to_owned()]);
        }
        fabc_check::scenario_names(&self.files(None)?, self.runs.fabric)
            .map_err(|error| sim_stop(error, self.sources))
    }

    /// Reads topology and tables of a scenario.
    fn scenario(&self, name: &str) -> Result<ReadSimulated, Stop> {
        let unknown = || {
            let hint = match self.directory.join("tables").is_dir() {
                true => format!("`fabc tables {}` lists the scenarios", display(self.directory)),
                false if self.runs.fabric.routing.is_scheduled() => {
                    format!("{}. Without tables only `routing = min`, `valiant` or `ugal` can be run", planned_hint(self.directory))
                }
                false => "the directory has no tables, since its build stopped before routing. Without tables only `routing = min`, `valiant` or `ugal` can be run".to_owned(),
            };
            Refusal::UnknownScenario { name: name.to_owned(), hint }
        };
        let many_paths = self.runs.fabric.routing.has_many_paths();
        let files = self.files(Some(name))?;
        if !many_paths && !files.keys().any(|path| path.starts_with("tables/")) {
            // Packets that choose their own paths need no tables.
            let routing = self.runs.described.parameters.choosing.routing;
            let choose = routing.is_some_and(|routing| routing != PacketRouting::Tables);
            if choose && name == NOMINAL && !self.directory.join("tables").is_dir() {
                return fabc_check::read_unrouted(&files, self.runs.fabric)
                    .map_err(|error| sim_stop(error, self.sources));
            }
            return Err(unknown().into());
        }
        let read = fabc_check::read_simulated(&files, self.runs.fabric, name)
            .map_err(|error| sim_stop(error, self.sources))?;
        read.ok_or_else(|| unknown().into())
    }

    /// The files that a scenario is read from.
    fn files(&self, scenario: Option<&str>) -> Result<Files, DriverError> {
        let tables = scenario.into_iter().flat_map(|name| {
            ["json", "bin"].map(|ending| format!("{}.{ending}", fabc_emit::tables_path(name)))
        });
        let wanted = ["topology.json", "ocs.json"].map(str::to_owned).into_iter().chain(tables);
        let existing = wanted.filter(|path| self.directory.join(path).is_file());
        existing
            .map(|path| Ok((path.clone(), read::read_bytes(&self.directory.join(&path), ARTIFACT_BYTES)?)))
            .collect()
    }
}

impl SimulationRuns<'_> {
    /// The parameters of the simulation. Third-party chips get the host ports of a pod's chips.
    fn parameters(&self) -> SimulationParameters {
        let parameters = self.described.parameters.clone();
        let of_chips = match parameters.model {
            RouterModel::Packet => HostPorts::Unlimited,
            RouterModel::Flit => HostPorts::Ports(2),
        };
        let hosts = parameters.hosts.or(self.chips.then_some(of_chips));
        SimulationParameters { hosts, ..parameters }
    }

    /// Runs all rates and seeds on one scenario.
    fn run(
        &self,
        args: &SimArgs,
        block: Option<&Simulation>,
        read: &ReadSimulated,
        watch: &Watch,
    ) -> Result<SimReport, SimError> {
        let scene = read.wiring.scene();
        if let Some(block) = block {
            return fabc_sim::run_block(self.fabric, &scene, &read.tables, block, watch);
        }
        let prepared = fabc_sim::prepare(self.fabric, &scene, &read.tables, &self.parameters())?;
        let is_finite = prepared.volume().is_some();
        let rates = match &self.described.rates {
            Some(rates) => rates.clone(),
            None if args.saturation => Vec::new(),
            None => fabc_sim::rates(self.fabric, self.described, &prepared),
        };
        let search = args.saturation || (self.described.rates.is_none() && !is_finite);
        fabc_sim::simulate(&prepared, &rates, &self.described.all_seeds(), search, watch)
    }

    /// Searches the saturation of one scenario. Finite traffic is run to its end.
    fn saturation(&self, args: &SimArgs, read: &ReadSimulated, watch: &Watch) -> Result<SimReport, SimError> {
        let scene = read.wiring.scene();
        let prepared = fabc_sim::prepare(self.fabric, &scene, &read.tables, &self.parameters())?;
        fabc_sim::simulate(
            &prepared,
            &[],
            &self.described.all_seeds(),
            args.saturation || prepared.volume().is_none(),
            watch,
        )
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
    match args.format {
        SimFormat::Text => print_out(&fabc_emit::simulation_text(fabric, topology, name, reports)),
        SimFormat::Json => write_out(fabc_emit::simulation_json(fabric, topology, name, reports).as_bytes()),
        SimFormat::Csv => write_out(fabc_emit::simulation_csv(fabric, topology, reports).as_bytes()),
        SimFormat::Svg if reports.iter().any(|report| report.volume.is_some()) => {
            let (subject, help) = (
                "traffic that ends",
                "a picture shows latency over load, but finite traffic has no load: choose text, CSV or JSON",
            );
            Err(DriverError::NoSuchForm { subject, help, form: args.format.name() })
        }
        SimFormat::Svg => write_out(fabc_emit::simulation_svg(fabric, reports).as_bytes()),
    }
}

/// Ends the command with an error and the sources of its directory.
fn sim_stop(error: impl Into<SimFailure>, sources: &SourceMap) -> Stop {
    let (diagnostic, exit_code) = match error.into() {
        SimFailure::Check(error) => (Box::new(error) as _, 3),
        SimFailure::Sim(error) => {
            let exit_code = error.exit_code();
            (Box::new(error) as _, exit_code)
        }
    };
    Stop { diagnostics: vec![diagnostic], sources: sources.clone(), exit_code }
}

enum SimFailure {
    Check(fabc_check::CheckError),
    Sim(SimError),
}

impl From<fabc_check::CheckError> for SimFailure {
    fn from(error: fabc_check::CheckError) -> Self {
        SimFailure::Check(error)
    }
}

impl From<SimError> for SimFailure {
    fn from(error: SimError) -> Self {
        SimFailure::Sim(error)
    }
}
