//! Checks that simulations are those of the spec and of these tables.
//!
//! In: the files of a directory. Out: reports whose counts are possible, and of which some runs were made
//! again. These are the runs that decide, and some more that [`Remake`] chooses. At constant rates, the
//! cheapest point, both ends of the lowest bracket, and in overload the least accepted traffic and the worst
//! source decide. Where the traffic ends, the run of the first
//! scenario and the slowest run decide. Whatever follows from tables and counts is recomputed and written
//! again elsewhere.

use fabc_check::{CheckError, Files};
use fabc_emit::simulation_path;
use fabc_ir::read::{self, SimulatedLine, SimulationFile};
use fabc_model::{Fabric, Rate, Scenarios, Simulation};
use fabc_sim::{Misfit, Prepared, ReportedRun, SimReport};
use rayon::prelude::*;

/// A run that is chosen at random is made again as a whole up to this number of cycles. Of a longer one, only
/// a beginning is.
const REMADE_CYCLES: u64 = 100_000;

/// The same limit where shards are merged.
const MERGED_CYCLES: u64 = 4000;

/// The default number of runs of every simulation that are made again besides those that decide.
const REMADE_RUNS: usize = 2;

/// Selects the runs of every simulation that are made again besides those that decide.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Remake {
    /// The number of such runs. `None` for all.
    pub runs: Option<usize>,
    /// The choice follows from the hash of all files and this number. If a forger knows the number, he can
    /// try until the choice misses the forgery.
    pub seed: u64,
}

impl Default for Remake {
    fn default() -> Self {
        Self { runs: Some(REMADE_RUNS), seed: 0 }
    }
}

/// A stream of random numbers that follow from the hash of all files and the seed of a [`Remake`].
#[derive(Clone, Copy)]
struct Chance([u8; 32]);

impl Chance {
    fn new(files: &Files, seed: u64) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&seed.to_le_bytes());
        for (path, bytes) in files {
            hasher.update(blake3::hash(path.as_bytes()).as_bytes());
            hasher.update(blake3::hash(bytes).as_bytes());
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// The random numbers of a simulation.
    fn numbers(&self, simulation: &str) -> impl FnMut() -> u64 + use<> {
        let mut numbers = blake3::Hasher::new_keyed(&self.0).update(simulation.as_bytes()).finalize_xof();
        move || {
            let mut number = [0; 8];
            numbers.fill(&mut number);
            u64::from_le_bytes(number)
        }
    }
}

/// Reads and checks all simulations of a directory, in the order of the spec. `scenarios` are those with
/// tables, the nominal one first.
pub(super) fn read_simulations(
    files: &Files,
    fabric: &Fabric,
    scenarios: &[String],
    remake: Remake,
) -> Result<Vec<Vec<SimReport>>, CheckError> {
    if fabric.simulations.is_empty() {
        return Ok(Vec::new());
    }
    let chance = Chance::new(files, remake.seed);
    let read_one = |simulation| {
        let kept = KeptSimulation { files, fabric, simulation };
        let reports = kept.reports(scenarios)?;
        let runs = kept.choose_runs(&reports, remake.runs, chance);
        let by_scenario: Vec<&[ReportedRun<'_>]> =
            runs.chunk_by(|run, next| run.scenario() == next.scenario()).collect();
        by_scenario
            .par_iter()
            .map(|runs| kept.remake(runs))
            .collect::<Vec<_>>()
            .into_iter()
            .collect::<Result<(), _>>()?;
        Ok(reports)
    };
    fabric.simulations.iter().map(read_one).collect()
}

/// One simulation of a directory.
struct KeptSimulation<'a> {
    files: &'a Files,
    fabric: &'a Fabric,
    simulation: &'a Simulation,
}

impl KeptSimulation<'_> {
    fn contradiction(&self, place: impl Into<String>, what: impl Into<String>) -> CheckError {
        let span = Some(self.simulation.span);
        CheckError::Contradiction {
            file: simulation_path(&self.simulation.name) + ".json",
            place: place.into(),
            violation: what.into(),
            span,
        }
    }

    fn reports(&self, scenarios: &[String]) -> Result<Vec<SimReport>, CheckError> {
        let wanted = match self.simulation.scenarios {
            Scenarios::Nominal => &scenarios[..scenarios.len().min(1)],
            Scenarios::All => scenarios,
        };
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let file = self.file()?;
        let named: Vec<&str> = file.scenarios.iter().map(|line| line.scenario.as_str()).collect();
        if named != wanted {
            return Err(self.contradiction(
                "scenarios",
                format!("these are {named:?}, but the spec asks for {wanted:?}"),
            ));
        }
        file.scenarios.iter().map(|line| self.report(line)).collect()
    }

    fn file(&self) -> Result<SimulationFile, CheckError> {
        let path = simulation_path(&self.simulation.name) + ".json";
        let missing = || CheckError::Files {
            path: path.clone(),
            violation: "is missing, but every build writes it".to_owned(),
        };
        let bytes = self.files.get(&path).ok_or_else(missing)?;
        read::tagged(bytes).map_err(|what| CheckError::Unreadable { file: path, reason: what })
    }

    /// Prepares a scenario for runs, from its own files, and calls `check` with it.
    fn with_prepared<T>(
        &self,
        name: &str,
        check: impl FnOnce(&Prepared<'_>) -> Result<T, CheckError>,
    ) -> Result<T, CheckError> {
        let read = fabc_check::read_simulated(self.files, self.fabric, name)?;
        let read = read
            .ok_or_else(|| self.contradiction(format!("scenarios[{name}]"), "no such fault is tolerated"))?;
        let scene = read.wiring.scene();
        let prepared = fabc_sim::prepare(self.fabric, &scene, &read.tables, &self.simulation.parameters);
        check(&prepared.map_err(|error| self.contradiction(format!("scenarios[{name}]"), error.to_string()))?)
    }

    fn report(&self, line: &SimulatedLine) -> Result<SimReport, CheckError> {
        self.with_prepared(&line.scenario, |prepared| {
            fabc_sim::reported(self.fabric, self.simulation, prepared, line)
                .map_err(|misfit| self.misfit(&line.scenario, misfit))
        })
    }

    fn misfit(&self, scenario: &str, Misfit { place, what }: Misfit) -> CheckError {
        self.contradiction(format!("scenarios[{scenario}].{place}"), what)
    }

    /// The runs that decide, and `count` others at random, or all.
    fn choose_runs<'a>(
        &self,
        reports: &'a [SimReport],
        count: Option<usize>,
        chance: Chance,
    ) -> Vec<ReportedRun<'a>> {
        let mut others = fabc_sim::every_run(reports);
        let Some(count) = count else { return others };
        let mut chosen = deciding(reports);
        others.retain(|run| !chosen.contains(run));
        let mut number = chance.numbers(&self.simulation.name);
        for _ in 0..count.min(others.len()) {
            let run = others.swap_remove((number() % others.len() as u64) as usize);
            chosen.push(run.within(REMADE_CYCLES, number()));
        }
        chosen
    }

    /// Makes runs of one scenario again.
    fn remake(&self, runs: &[ReportedRun<'_>]) -> Result<(), CheckError> {
        let Some(first) = runs.first() else { return Ok(()) };
        self.with_prepared(first.scenario(), |prepared| {
            let remake = |run: &ReportedRun<'_>| {
                run.remake(prepared).map_err(|misfit| self.misfit(run.scenario(), misfit))
            };
            runs.par_iter().map(remake).collect::<Vec<_>>().into_iter().collect()
        })
    }
}

/// The runs that decide. At constant rates: the cheapest point of the first scenario, and both ends of the
/// lowest bracket of all, and in overload the run that accepts least and that with the worst source. Where
/// the traffic ends: the run of the first scenario, and the slowest of all.
fn deciding(reports: &[SimReport]) -> Vec<ReportedRun<'_>> {
    let Some(first) = reports.first() else { return Vec::new() };
    let completions =
        reports.iter().flat_map(|report| report.completions.iter().map(move |run| (report, run)));
    let slowest = completions
        .clone()
        .reduce(|first, second| if second.1.cycles > first.1.cycles { second } else { first });
    let mut runs: Vec<ReportedRun<'_>> = completions
        .take(1)
        .chain(slowest)
        .map(|(report, run)| ReportedRun::completion(report, run))
        .collect();
    runs.dedup();
    let brackets =
        reports.iter().flat_map(|report| report.saturations.iter().map(move |search| (report, search)));
    let decisive = brackets
        .reduce(|first, second| if second.1.at_least() < first.1.at_least() { second } else { first });
    runs.extend(first.points.first().map(|point| ReportedRun::point(first, point)));
    runs.extend(ReportedRun::deciding_overloads(reports));
    runs.extend(decisive.into_iter().flat_map(|(report, found)| ReportedRun::lowest_bracket(report, found)));
    runs
}

/// Makes one run of a report that a shard kept again: the whole run if it is short, otherwise a beginning.
/// The hash of the kept report decides which run it is.
///
/// # Errors
/// The contradiction, in words.
pub(super) fn remake_one(prepared: &Prepared<'_>, report: &SimReport, kept: &[u8]) -> Result<(), String> {
    let mut number = Chance(*blake3::hash(kept).as_bytes()).numbers("");
    let runs: Vec<ReportedRun<'_>> = ReportedRun::with_counts(report).collect();
    let Some(at) = number().checked_rem(runs.len() as u64) else { return Ok(()) };
    runs[at as usize].within(MERGED_CYCLES, number()).remake(prepared).map_err(|misfit| misfit.what)
}

/// A digest span of a run of a directory: the cycles between two digests, around a given cycle.
#[derive(Clone, Debug)]
pub struct DigestSpan {
    /// The name of the `simulate` block.
    pub simulation: String,
    /// The name of the scenario.
    pub scenario: String,
    /// The rate of the run. `None` for the first rate with this seed.
    pub rate: Option<Rate>,
    /// The seed of the run. `None` for the first seed.
    pub seed: Option<u64>,
    /// A cycle within the span.
    pub cycle: u64,
}

/// The reason why a digest span was not confirmed.
#[derive(Debug)]
pub enum DigestSpanError {
    /// The directory has no such run or cycle. The text says what it has.
    Unknown(String),
    /// The repeated run has another result.
    Convicted(CheckError),
}

/// Makes a run again from its first cycle to the end of one digest span. Returns the first cycle of that span
/// and the one after it. Nothing else of the directory is proved.
///
/// # Errors
/// There is no such run, or the repeated run has another result.
pub fn remake_digest_span(
    files: &Files,
    fabric: &Fabric,
    span: &DigestSpan,
) -> Result<[u64; 2], DigestSpanError> {
    let unknown = |what: String| DigestSpanError::Unknown(what);
    let names = || {
        fabric
            .simulations
            .iter()
            .map(|simulation| format!("`{}`", simulation.name))
            .collect::<Vec<_>>()
            .join(", ")
    };
    let simulation = fabric.simulations.iter().find(|simulation| simulation.name == span.simulation);
    let simulation =
        simulation.ok_or_else(|| unknown(format!("the spec has the simulations {}", names())))?;
    let kept = KeptSimulation { files, fabric, simulation };
    let file = kept.file().map_err(DigestSpanError::Convicted)?;
    let scenario_names =
        || file.scenarios.iter().map(|line| format!("`{}`", line.scenario)).collect::<Vec<_>>().join(", ");
    let line = file.scenarios.iter().find(|line| line.scenario == span.scenario);
    let line = line.ok_or_else(|| unknown(format!("the simulation was run on {}", scenario_names())))?;
    let report = kept.report(line).map_err(DigestSpanError::Convicted)?;
    let runs: Vec<ReportedRun<'_>> = ReportedRun::with_counts(&report).collect();
    let run = runs
        .iter()
        .find(|run| run.is_of(span.rate, span.seed))
        .ok_or_else(|| unknown(rates_and_seeds(&report)))?;
    if span.cycle >= run.cycles() {
        return Err(unknown(format!("the run has {} cycles, from 0 on", run.cycles())));
    }
    let (run, cycles) = run.up_to_cycle(span.cycle);
    kept.remake(&[run]).map_err(DigestSpanError::Convicted)?;
    Ok(cycles)
}

fn rates_and_seeds(report: &SimReport) -> String {
    let list = |mut items: Vec<String>| {
        items.dedup();
        items.join(", ")
    };
    let rates = list(report.points.iter().map(|point| point.rate.to_string()).collect());
    let seeds =
        report.points.iter().map(|point| point.seed).chain(report.completions.iter().map(|run| run.seed));
    let seeds = list(seeds.collect::<std::collections::BTreeSet<u64>>().iter().map(u64::to_string).collect());
    match report.completions.is_empty() {
        true => format!("the rates are {rates}, the seeds {seeds}"),
        false => format!("such traffic has no rates, and the seeds {seeds}"),
    }
}
