//! Whether simulations are those of the spec and of these tables: what follows from tables and counts is
//! worked out again and written again, counts must be possible, and of every simulation some runs are made
//! again: the cheapest point and both ends of the bracket that decides, of traffic that ends the first
//! scenario and the slowest, and some at random.

use crate::check::{self, CheckError, Files};
use crate::emit::simulation_path;
use crate::model::{Fabric, Rate, Scenarios, Simulation};
use crate::read::{self, SimulatedLine, SimulationFile};
use crate::sim::{self, Completion, Misfit, Point, Prepared, Saturation, SimReport};
use rayon::prelude::*;

/// Cycles of a run that was chosen at random and is made again whole; of a longer one a beginning is.
const REMADE_CYCLES: u64 = 100_000;

/// Cycles of the beginning of a run that is made again where shards are merged.
const BEGUN_CYCLES: u64 = 4000;

/// All simulations of a directory, in the order of the spec; `scenarios` are those with tables, nominal
/// first.
pub(super) fn read(files: &Files, fabric: &Fabric, scenarios: &[String], remade: Remade) -> Result<Vec<Vec<SimReport>>, CheckError> {
    fabric.simulations.iter().map(|simulation| Of { files, fabric, simulation, remade }.reports(scenarios)).collect()
}

/// One simulation of a directory.
struct Of<'a> {
    files: &'a Files,
    fabric: &'a Fabric,
    simulation: &'a Simulation,
    remade: Remade,
}

impl Of<'_> {
    fn wrong(&self, place: impl Into<String>, what: impl Into<String>) -> CheckError {
        let span = Some(self.simulation.span);
        CheckError::Contradiction { file: simulation_path(&self.simulation.name) + ".json", place: place.into(), what: what.into(), span }
    }

    fn reports(&self, scenarios: &[String]) -> Result<Vec<SimReport>, CheckError> {
        let wanted = match self.simulation.scenarios {
            Scenarios::Nominal => &scenarios[..scenarios.len().min(1)],
            Scenarios::All => scenarios,
        };
        if wanted.is_empty() {
            return Ok(Vec::new());
        }
        let path = simulation_path(&self.simulation.name) + ".json";
        let missing = || CheckError::Files { path: path.clone(), what: "is missing, but every build writes it".to_owned() };
        let bytes = self.files.get(&path).ok_or_else(missing)?;
        let file: SimulationFile = read::tagged(bytes).map_err(|what| CheckError::Unreadable { file: path.clone(), what })?;
        let named: Vec<&str> = file.scenarios.iter().map(|line| line.scenario.as_str()).collect();
        if named != wanted {
            return Err(self.wrong("scenarios", format!("these are {named:?}, but the spec asks for {wanted:?}")));
        }
        let reports: Vec<SimReport> = file.scenarios.iter().map(|line| self.report(line)).collect::<Result<_, _>>()?;
        self.run_again(&reports)?;
        Ok(reports)
    }

    /// Asks what a scenario is, from its own files, and what runs of it need.
    fn prepared<T>(&self, name: &str, asked: impl FnOnce(&Prepared<'_>) -> Result<T, CheckError>) -> Result<T, CheckError> {
        let read = check::read_scenario(self.files, self.fabric, name)?;
        let read = read.ok_or_else(|| self.wrong(format!("scenarios[{name}]"), "no such fault is tolerated"))?;
        let scene = read.scene();
        let prepared = sim::prepare(self.fabric, &scene, &read.tables, &self.simulation.parameters);
        asked(&prepared.map_err(|error| self.wrong(format!("scenarios[{name}]"), error.to_string()))?)
    }

    fn report(&self, line: &SimulatedLine) -> Result<SimReport, CheckError> {
        self.prepared(&line.scenario, |prepared| {
            let place = |what: &str| format!("scenarios[{}].{what}", line.scenario);
            let report = sim::reported(self.fabric, self.simulation, prepared, line);
            report.map_err(|Misfit { place: at, what }| self.wrong(place(&at), what))
        })
    }

    /// The runs that decide, and some at random, are made again.
    fn run_again(&self, reports: &[SimReport]) -> Result<(), CheckError> {
        let mut left = every_run(reports);
        let wanted = match self.remade.runs {
            None => left,
            Some(count) => {
                let (mut chance, mut wanted) = (self.remade.chance(&self.simulation.name), self.deciding(reports));
                for _ in 0..count.min(left.len()) {
                    let run = left.swap_remove((chance() % left.len() as u64) as usize);
                    wanted.push(run.no_longer_than(REMADE_CYCLES, chance()));
                }
                wanted
            }
        };
        wanted.par_iter().map(|run| self.made_again(run)).collect::<Vec<_>>().into_iter().collect()
    }

    /// The cheapest point of the first scenario, and both ends of the lowest bracket of all; of traffic that
    /// ends the first scenario, and the slowest of all.
    fn deciding<'a>(&self, reports: &'a [SimReport]) -> Vec<Run<'a>> {
        let completions = reports.iter().flat_map(|report| report.completions.iter().map(move |run| (report, run)));
        let slowest = completions.clone().reduce(|one, other| if other.1.cycles > one.1.cycles { other } else { one });
        let mut runs: Vec<Run<'_>> = completions.take(1).chain(slowest).map(|(report, run)| Run::completion(report, run)).collect();
        let brackets = reports.iter().flat_map(|report| report.saturations.iter().map(move |found| (report, found)));
        let decides = brackets.reduce(|one, other| if other.1.at_least() < one.1.at_least() { other } else { one });
        runs.extend(reports[0].points.first().map(|point| Run::point(&reports[0], point)));
        runs.extend(decides.into_iter().flat_map(|(report, found)| Run::ends(report, found)));
        runs
    }

    fn made_again(&self, run: &Run<'_>) -> Result<(), CheckError> {
        let Run { scenario, seed, claim } = run;
        self.prepared(scenario, |prepared| {
            let failed = |error: sim::SimError| self.wrong(format!("scenarios[{scenario}]"), error.to_string());
            let wrong = |list: &str, what: String| Err(self.wrong(format!("scenarios[{scenario}].{list}"), what));
            match *claim {
                Claim::Counts(claimed) => {
                    let again = prepared.by_class(sim::run(prepared, claimed.rate, *seed).map_err(failed)?);
                    if (Point { busy: Vec::new(), ..again }) != *claimed {
                        return wrong("points", format!("at rate {} another run finds other counts", claimed.rate));
                    }
                }
                Claim::Completed(claimed) => {
                    let again = sim::complete(prepared, *seed).map_err(failed)?;
                    let busy_by_class = prepared.busy_by_class(&again.busy);
                    if (Completion { busy: Vec::new(), busy_by_class, ..again }) != *claimed {
                        return wrong("completions", "another run finds other counts".to_owned());
                    }
                }
                Claim::Begins { rate, cycles, digest } => {
                    let found = match rate {
                        Some(rate) => sim::begin(prepared, rate, *seed, cycles),
                        None => sim::begin_messages(prepared, *seed, cycles),
                    };
                    if found.map_err(failed)?.last() != Some(&digest) {
                        let (list, at) = match rate {
                            Some(rate) => ("points", format!("at rate {rate} ")),
                            None => ("completions", String::new()),
                        };
                        return wrong(list, format!("{at}another run has another digest after {cycles} cycles"));
                    }
                }
                Claim::Stable { rate, stable } => {
                    let again = sim::judge(prepared, rate, *seed).map_err(failed)?;
                    if again.is_stable() != stable {
                        let found = if again.is_stable() { "is stable" } else { "is not stable" };
                        return wrong("saturation", format!("rate {rate} {found} when it is run again"));
                    }
                }
                Claim::Beyond { rate, delivered } => {
                    if sim::judge(prepared, rate, *seed).map_err(failed)?.delivered != delivered {
                        return wrong("saturation", format!("at rate {rate} another run delivers other packets"));
                    }
                }
            }
            Ok(())
        })
    }
}

/// How many runs of every simulation are made again beside those that decide, and which.
#[derive(Clone, Copy, Debug)]
pub(super) struct Remade {
    /// How many; `None` for all.
    pub(super) runs: Option<usize>,
    seed: [u8; 32],
}

impl Remade {
    /// So many at random, or all. The choice follows from the hash of all files, so that whoever changes one
    /// changes the choice.
    pub(super) fn of(files: &Files, runs: Option<usize>) -> Self {
        let mut hasher = blake3::Hasher::new();
        for (path, bytes) in files {
            hasher.update(blake3::hash(path.as_bytes()).as_bytes());
            hasher.update(blake3::hash(bytes).as_bytes());
        }
        Self { runs, seed: *hasher.finalize().as_bytes() }
    }

    /// Random numbers of a simulation.
    fn chance(&self, simulation: &str) -> impl FnMut() -> u64 + use<> {
        let mut numbers = blake3::Hasher::new_keyed(&self.seed).update(simulation.as_bytes()).finalize_xof();
        move || {
            let mut number = [0; 8];
            numbers.fill(&mut number);
            u64::from_le_bytes(number)
        }
    }
}

/// A run that is made again.
#[derive(Clone, PartialEq, Eq)]
struct Run<'a> {
    scenario: &'a str,
    seed: u64,
    claim: Claim<'a>,
}

/// What another run must find again.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Claim<'a> {
    /// Every count.
    Counts(&'a Point),
    /// The same of traffic that ends.
    Completed(&'a Completion),
    /// A digest after so many cycles; of traffic that ends without a rate.
    Begins { rate: Option<Rate>, cycles: u32, digest: u64 },
    /// Whether the rate is stable.
    Stable { rate: Rate, stable: bool },
    /// What is delivered past saturation.
    Beyond { rate: Rate, delivered: u64 },
}

impl<'a> Run<'a> {
    fn point(report: &'a SimReport, point: &'a Point) -> Self {
        Self { scenario: &report.scenario, seed: point.seed, claim: Claim::Counts(point) }
    }

    fn completion(report: &'a SimReport, run: &'a Completion) -> Self {
        Self { scenario: &report.scenario, seed: run.seed, claim: Claim::Completed(run) }
    }

    /// Both ends of a bracket.
    fn ends(report: &'a SimReport, found: &Saturation) -> impl Iterator<Item = Self> {
        let (scenario, seed) = (report.scenario.as_str(), found.seed);
        let ends = [(found.stable, true), (found.unstable, false)];
        ends.into_iter().filter_map(move |(rate, stable)| Some(Self { scenario, seed, claim: Claim::Stable { rate: rate?, stable } }))
    }

    /// The run, or of a longer one its beginning, up to one of its digests within so many cycles.
    fn no_longer_than(self, cycles: u64, chance: u64) -> Self {
        let length = match self.claim {
            Claim::Counts(point) => point.cycles.into(),
            Claim::Completed(run) => u64::from(run.cycles) + 1,
            _ => 0,
        };
        if length > cycles { self.begins(cycles, chance) } else { self }
    }

    /// The beginning of a run, up to one of its digests within so many cycles; all of it where it has none.
    fn begins(self, cycles: u64, chance: u64) -> Self {
        let begins = |rate, length: u64, digests: &[u64]| {
            let (spacing, _) = sim::digest_spacing(length);
            let few = &digests[..digests.len().min((cycles / spacing) as usize)];
            let at = chance.checked_rem(few.len() as u64)? as usize;
            Some(Claim::Begins { rate, cycles: (at as u64 + 1) as u32 * spacing as u32, digest: few[at] })
        };
        let shorter = match self.claim {
            Claim::Counts(point) => begins(Some(point.rate), point.cycles.into(), &point.digests),
            Claim::Completed(run) => begins(None, u64::from(run.cycles) + 1, &run.digests),
            _ => None,
        };
        Self { claim: shorter.unwrap_or(self.claim), ..self }
    }
}

/// Every run of a simulation.
fn every_run(reports: &[SimReport]) -> Vec<Run<'_>> {
    let mut all = Vec::new();
    for report in reports {
        all.extend(report.points.iter().map(|point| Run::point(report, point)));
        all.extend(report.completions.iter().map(|run| Run::completion(report, run)));
        for found in &report.saturations {
            let claim = Claim::Beyond { rate: found.beyond.rate, delivered: found.beyond.delivered };
            all.extend(Run::ends(report, found).chain([Run { scenario: &report.scenario, seed: found.seed, claim }]));
        }
    }
    all
}

/// What is wrong with a kept report, by the beginning of one of its runs that follows from `seed`: it is made
/// again up to one of its first digests.
///
/// # Errors
/// What is wrong, in words.
pub(crate) fn begin_again(prepared: &Prepared<'_>, report: &SimReport, seed: &[u8]) -> Result<(), String> {
    let remade = Remade { runs: None, seed: *blake3::hash(seed).as_bytes() };
    let mut chance = remade.chance("");
    let runs = report.points.len() + report.completions.len();
    let Some(at) = chance().checked_rem(runs as u64) else { return Ok(()) };
    let run = match report.points.get(at as usize) {
        Some(point) => Run::point(report, point),
        None => Run::completion(report, &report.completions[at as usize - report.points.len()]),
    };
    let Run { seed, claim: Claim::Begins { rate, cycles, digest }, .. } = run.begins(BEGUN_CYCLES, chance()) else { return Ok(()) };
    let found = match rate {
        Some(rate) => sim::begin(prepared, rate, seed, cycles),
        None => sim::begin_messages(prepared, seed, cycles),
    };
    match found.map_err(|error| error.to_string())?.last() == Some(&digest) {
        true => Ok(()),
        false => Err(format!("another run has another digest after {cycles} cycles")),
    }
}
