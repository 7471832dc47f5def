//! `fabc sim`: the tables of a built directory in motion.

use crate::args::sim::{NOMINAL, SimArgs, SimFormat};
use crate::io::errors::{DriverError, Stop};
use crate::io::input_errors::InputError;
use crate::io::progress::Watch;
use crate::io::read::{self, Disk, display};
use crate::io::terminal::{Terminal, print_out, write_out};
use crate::run::scheduled::planned;
use crate::verify::foreign::{Foreign, foreign};
use fabc_base::diag::{Failure, SourceMap, Span, list};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{Files, ReadScenario};
use fabc_ir::{Scene, Topology};
use fabc_lang::simulation_of_settings;
use fabc_lang::syntax::parse_settings;
use fabc_model::{Fabric, Hosts, Model, Parameters, Routing, Scenarios, Simulation};
use fabc_pipeline::library::Loaded;
use fabc_pipeline::show::MessageFormat;
use fabc_sim::{SimError, SimReport};
use std::path::{Path, PathBuf};

/// `fabc sim`.
///
/// # Errors
/// The directory is not one of fabc's or has no such scenario; the model cannot do with the fabric; packets
/// wait for each other for ever (exit code 3).
pub(crate) fn simulate(args: &SimArgs, terminal: Terminal) -> Result<(), Stop> {
    let watch = Watch::new(!terminal.quiet && terminal.format == MessageFormat::Human);
    match (&args.foreign.tables, &args.foreign.topology, &args.directories[..]) {
        (Some(tables), Some(topology), _) => third_party(args, tables, topology, &watch)?,
        (_, _, [directory]) if !args.compare => simulate_directory(args, directory, &watch)?,
        (_, _, directories) => compare(args, directories, &watch)?,
    }
    terminal.detail(&format!("simulated in {}", watch.elapsed()));
    Ok(())
}

/// The source name of the settings on the command line, where an error points at them.
const SETTINGS: &str = "--with";

/// The simulation that `--with` describes; without it, the one of a block without settings.
fn described(args: &SimArgs, fabric: &Fabric) -> Result<Simulation, Stop> {
    let Some(settings) = &args.with else {
        let parameters = Parameters::default();
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
    // Its places are in no file of the spec.
    Ok(Simulation { span: Span::default(), ..simulation })
}

/// Runs what is asked for on one directory.
fn simulate_directory(args: &SimArgs, directory: &Path, watch: &Watch) -> Result<(), Stop> {
    let Loaded { fabric, sources, .. } = read::built_fabric(directory)?;
    let described = described(args, &fabric)?;
    let built = SimulatedDirectory {
        directory,
        sources: &sources,
        runs: Runs { fabric: &fabric, described: &described, chips: false },
    };
    let blocks = blocks(args, &fabric)?;
    if blocks.is_empty() {
        built.run_scenarios(args, None, watch)?;
    }
    for block in blocks {
        built.run_scenarios(args, Some(block), watch)?;
    }
    Ok(())
}

/// Runs what is asked for on third-party tables.
fn third_party(args: &SimArgs, tables: &str, topology: &str, watch: &Watch) -> Result<(), Stop> {
    let Foreign { fabric, sources, topology, tables, chips } = foreign(&args.foreign, tables, topology)?;
    let described = described(args, &fabric)?;
    if described.scenarios == Scenarios::All {
        let (what, hint) =
            ("third-party tables have no scenarios".to_owned(), "remove `scenarios`".to_owned());
        return Err(InputError::Usage { what, hint }.into());
    }
    let read = ReadScenario { lit: Scene::whole(&topology).lit, dead: Vec::new(), tables, topology };
    let runs = Runs { fabric: &fabric, described: &described, chips };
    let report = runs.run(args, None, &read, watch).map_err(|error| stop(error, &sources))?;
    Ok(print(args, &fabric, &read.topology, None, &[report])?)
}

/// Where each of some directories saturates, or when it is done, beside the first.
fn compare(args: &SimArgs, directories: &[PathBuf], watch: &Watch) -> Result<(), Stop> {
    if let SimFormat::Json | SimFormat::Svg = args.format {
        let (what, help) = ("a comparison", "it is `text` or `csv`; one directory alone has all forms");
        return Err(DriverError::NoSuchForm { what, help, form: args.format.name() }.into());
    }
    let (mut compared, mut finished) = (Vec::new(), Vec::new());
    for directory in directories {
        let Loaded { fabric, sources, .. } = read::built_fabric(directory)?;
        let described = described(args, &fabric)?;
        if described.rates.is_some() {
            let (what, hint) = (
                "a comparison searches saturation and has no `rates`".to_owned(),
                "remove `rates`".to_owned(),
            );
            return Err(InputError::Usage { what, hint }.into());
        }
        let built = SimulatedDirectory {
            directory,
            sources: &sources,
            runs: Runs { fabric: &fabric, described: &described, chips: false },
        };
        for scenario in built.scenarios(args.scenario_to_run(described.scenarios))? {
            let read = built.scenario(&scenario)?;
            let report = built.runs.saturation(args, &read, watch).map_err(|error| stop(error, &sources))?;
            match fabc_emit::Finished::of(&fabric, &report) {
                Some(of) => finished.push(of),
                None => compared.push(fabc_emit::Compared::of(&fabric, &report)),
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

/// The blocks of the spec that are asked for; none where a simulation is described by options.
fn blocks<'a>(args: &SimArgs, fabric: &'a Fabric) -> Result<Vec<&'a Simulation>, DriverError> {
    let all = || fabric.simulations.iter();
    match &args.block {
        Some(name) => match all().find(|block| block.name == *name) {
            Some(block) => Ok(vec![block]),
            None => Err(DriverError::UnknownBlock {
                name: name.clone(),
                hint: match &all().map(|block| block.name.as_str()).collect::<Vec<_>>()[..] {
                    [] => "the spec has no `simulate` blocks: describe one with `--with`".to_owned(),
                    known => format!("the spec has {}", list(known)),
                },
            }),
        },
        None if args.is_plain() => Ok(all().collect()),
        None => Ok(Vec::new()),
    }
}

/// A built directory that is simulated, and what is run on it.
struct SimulatedDirectory<'a> {
    directory: &'a Path,
    sources: &'a SourceMap,
    runs: Runs<'a>,
}

/// The simulations that are run on a fabric.
struct Runs<'a> {
    fabric: &'a Fabric,
    /// The simulation that is run where the spec has none.
    described: &'a Simulation,
    /// Whether they are chips that only a file knows of: endpoints inside routers.
    chips: bool,
}

impl SimulatedDirectory<'_> {
    /// Runs one scenario or all of them, and prints the reports.
    fn run_scenarios(&self, args: &SimArgs, block: Option<&Simulation>, watch: &Watch) -> Result<(), Stop> {
        let scenarios = block.unwrap_or(self.runs.described).scenarios;
        let (mut reports, mut wired) = (Vec::new(), None);
        for scenario in self.scenarios(args.scenario_to_run(scenarios))? {
            let read = self.scenario(&scenario)?;
            reports
                .push(self.runs.run(args, block, &read, watch).map_err(|error| stop(error, self.sources))?);
            wired = Some(read.topology);
        }
        if let Some(topology) = wired {
            print(args, self.runs.fabric, &topology, block, &reports)?;
        }
        Ok(())
    }

    /// The scenario with this name; without a name, all of them.
    fn scenarios(&self, name: Option<&str>) -> Result<Vec<String>, Stop> {
        if let Some(name) = name {
            return Ok(vec![name.to_owned()]);
        }
        fabc_check::scenario_names(&self.files(None)?, self.runs.fabric)
            .map_err(|error| stop(error, self.sources))
    }

    /// Topology and tables of a scenario.
    fn scenario(&self, name: &str) -> Result<ReadScenario, Stop> {
        let unknown = || {
            let hint = match self.directory.join("tables").is_dir() {
                true => format!("`fabc tables {}` lists the scenarios", display(self.directory)),
                false if self.runs.fabric.routing.is_scheduled() => {
                    format!("{}; without tables only `routing = min` and the like can be run", planned(self.directory))
                }
                false => "the directory has no tables, its build stopped before routing: without them only `routing = min` and the like can be run".to_owned(),
            };
            DriverError::UnknownScenario { name: name.to_owned(), hint }
        };
        let files = self.files(Some(name))?;
        if !files.keys().any(|path| path.starts_with("tables/")) {
            // Packets that choose their ways need no tables.
            let routing = self.runs.described.parameters.choosing.routing;
            let choose = routing.is_some_and(|routing| routing != Routing::Tables);
            if choose && name == NOMINAL && !self.directory.join("tables").is_dir() {
                return fabc_check::read_unrouted(&files, self.runs.fabric)
                    .map_err(|error| stop(error, self.sources));
            }
            return Err(unknown().into());
        }
        let read = fabc_check::read_scenario(&files, self.runs.fabric, name)
            .map_err(|error| stop(error, self.sources))?;
        read.ok_or_else(|| unknown().into())
    }

    /// The files that a scenario is read from.
    fn files(&self, scenario: Option<&str>) -> Result<Files, DriverError> {
        let tables = scenario.into_iter().flat_map(|name| {
            ["json", "bin"].map(|ending| format!("{}.{ending}", fabc_emit::tables_path(name)))
        });
        let wanted = ["topology.json", "ocs.json"].map(str::to_owned).into_iter().chain(tables);
        let there = wanted.filter(|path| self.directory.join(path).is_file());
        there
            .map(|path| Ok((path.clone(), read::bytes(&self.directory.join(&path), ARTIFACT_BYTES)?)))
            .collect()
    }
}

impl Runs<'_> {
    /// What the simulator is asked for; chips of anybody have the ports that those of a pod have.
    fn parameters(&self) -> Parameters {
        let parameters = self.described.parameters.clone();
        let of_chips = match parameters.model {
            Model::Packet => Hosts::Unlimited,
            Model::Flit => Hosts::Ports(2),
        };
        let hosts = parameters.hosts.or(self.chips.then_some(of_chips));
        Parameters { hosts, ..parameters }
    }

    /// Runs all rates and seeds on one scenario.
    fn run(
        &self,
        args: &SimArgs,
        block: Option<&Simulation>,
        read: &ReadScenario,
        watch: &Watch,
    ) -> Result<SimReport, SimError> {
        let scene = read.scene();
        if let Some(block) = block {
            return fabc_sim::run_block(self.fabric, &scene, &read.tables, block, watch);
        }
        let prepared = fabc_sim::prepare(self.fabric, &scene, &read.tables, &self.parameters())?;
        let ends = prepared.volume().is_some();
        let rates = match &self.described.rates {
            Some(rates) => rates.clone(),
            None if args.saturation => Vec::new(),
            None => fabc_sim::rates(self.fabric, self.described, &prepared),
        };
        let search = args.saturation || (self.described.rates.is_none() && !ends);
        fabc_sim::simulate(&prepared, &rates, &self.described.all_seeds(), search, watch)
    }

    /// Searches where one scenario saturates; traffic that ends is run.
    fn saturation(&self, args: &SimArgs, read: &ReadScenario, watch: &Watch) -> Result<SimReport, SimError> {
        let scene = read.scene();
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

fn print(
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
            let (what, help) = (
                "traffic that ends",
                "a picture is of latency over load, and this has no load: ask for text, CSV or JSON",
            );
            Err(DriverError::NoSuchForm { what, help, form: args.format.name() })
        }
        SimFormat::Svg => write_out(fabc_emit::simulation_svg(fabric, reports).as_bytes()),
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
    Check(fabc_check::CheckError),
    Sim(SimError),
}

impl From<fabc_check::CheckError> for Reason {
    fn from(error: fabc_check::CheckError) -> Self {
        Reason::Check(error)
    }
}

impl From<SimError> for Reason {
    fn from(error: SimError) -> Self {
        Reason::Sim(error)
    }
}
