//! Whether simulations are those of the spec and of these tables: what follows from tables and counts is
//! worked out again and written again, counts must balance, and of every simulation the cheapest point and
//! both ends of the bracket that decides are run again; of traffic that ends, the first scenario and the
//! slowest.

use crate::check::{self, CheckError, Files};
use crate::emit::simulation_path;
use crate::model::{Fabric, Scenarios, Simulation};
use crate::read::{self, SimulatedLine, SimulationFile};
use crate::sim::{self, Completion, Misfit, Point, Prepared, Rate, SimReport, VcUse};
use rayon::prelude::*;

/// Latencies of a packet at the edge of the window, of the slowest one within it: what Little's law may be
/// off by.
const EDGE: u64 = 4;

/// All simulations of a directory, in the order of the spec; `scenarios` are those with tables, nominal
/// first.
pub(super) fn read(files: &Files, fabric: &Fabric, scenarios: &[String]) -> Result<Vec<Vec<SimReport>>, CheckError> {
    fabric.simulations.iter().map(|simulation| Of { files, fabric, simulation }.reports(scenarios)).collect()
}

/// One simulation of a directory.
struct Of<'a> {
    files: &'a Files,
    fabric: &'a Fabric,
    simulation: &'a Simulation,
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
            let report = report.map_err(|Misfit { place: at, what }| self.wrong(place(at), what))?;
            for (k, point) in report.points.iter().enumerate() {
                if let Some(what) = unbalanced(&report, point) {
                    return Err(self.wrong(place(&format!("points[{k}]")), what));
                }
            }
            for (k, run) in report.completions.iter().enumerate() {
                if let Some(what) = incomplete(&report, run) {
                    return Err(self.wrong(place(&format!("completions[{k}]")), what));
                }
            }
            Ok(report)
        })
    }

    /// Runs the first scenario of traffic that ends again, and the slowest of all.
    fn complete_again(&self, reports: &[SimReport]) -> Result<(), CheckError> {
        let all = || reports.iter().flat_map(|report| report.completions.iter().map(move |run| (report, run)));
        let slowest = all().reduce(|one, other| if other.1.cycles > one.1.cycles { other } else { one });
        let mut runs: Vec<(&SimReport, &Completion)> = all().next().into_iter().chain(slowest).collect();
        runs.dedup();
        let run = |(report, claimed): &(&SimReport, &Completion)| {
            let name = &report.scenario;
            self.prepared(name, |prepared| {
                let again = sim::complete(prepared, claimed.seed);
                let again = again.map_err(|error| self.wrong(format!("scenarios[{name}]"), error.to_string()))?;
                let busy_by_class = prepared.busy_by_class(&again.busy);
                match (Completion { busy: Vec::new(), busy_by_class, ..again }) == **claimed {
                    true => Ok(()),
                    false => Err(self.wrong(format!("scenarios[{name}].completions"), "another run finds other counts")),
                }
            })
        };
        runs.par_iter().map(run).collect::<Vec<_>>().into_iter().collect()
    }

    /// Runs the cheapest point of the first scenario again, and both ends of the lowest bracket of all.
    fn run_again(&self, reports: &[SimReport]) -> Result<(), CheckError> {
        if reports[0].volume.is_some() {
            return self.complete_again(reports);
        }
        let brackets = reports.iter().flat_map(|report| report.saturations.iter().map(move |found| (report, found)));
        let decides = brackets.reduce(|one, other| if other.1.at_least() < one.1.at_least() { other } else { one });
        let mut runs: Vec<(&SimReport, Rate, u64, Claim<'_>)> = Vec::new();
        runs.extend(reports[0].points.first().map(|point| (&reports[0], point.rate, point.seed, Claim::Counts(point))));
        if let Some((report, found)) = decides {
            let ends = [(found.stable, true), (found.unstable, false)];
            runs.extend(ends.into_iter().filter_map(|(rate, stable)| Some((report, rate?, found.seed, Claim::Stable(stable)))));
        }
        let run = |(report, rate, seed, claim): &(&SimReport, Rate, u64, Claim<'_>)| {
            let name = &report.scenario;
            self.prepared(name, |prepared| {
                let again = sim::run(prepared, *rate, *seed);
                let again = again.map_err(|error| self.wrong(format!("scenarios[{name}]"), error.to_string()))?;
                match claim {
                    Claim::Counts(claimed) if Point { busy: Vec::new(), ..prepared.by_class(again.clone()) } != **claimed => {
                        Err(self.wrong(format!("scenarios[{name}].points"), format!("at rate {rate} another run finds other counts")))
                    }
                    Claim::Stable(claimed) if again.is_stable() != *claimed => {
                        let found = if again.is_stable() { "is stable" } else { "is not stable" };
                        Err(self.wrong(format!("scenarios[{name}].saturation"), format!("rate {rate} {found} when it is run again")))
                    }
                    _ => Ok(()),
                }
            })
        };
        runs.par_iter().map(run).collect::<Vec<_>>().into_iter().collect()
    }
}

/// What another run must find again.
enum Claim<'a> {
    /// Every count.
    Counts(&'a Point),
    /// Whether the rate is stable.
    Stable(bool),
}

/// What is wrong with the counts of a point, if they cannot all be true.
fn unbalanced(report: &SimReport, point: &Point) -> Option<String> {
    let setting = &report.setting;
    let arrived = point.delays.map_or(0, |delays| delays.packets);
    let says = |holds: bool, what: &str| (!holds).then(|| what.to_owned());
    let sum = |of: &dyn Fn(&VcUse) -> u64| point.vcs.iter().map(of).sum::<u64>();
    let by_class = point.busy_by_class.len() == report.classes.len();
    let measured = u64::from(setting.measure);
    let flits = point.flits_delivered_ever + point.flits_in_flight;
    says(point.born_ever == point.delivered_ever + point.in_flight, "born_ever is not what was delivered and what is in flight")
        .or_else(|| says(flits == point.born_ever * u64::from(setting.packet), "the flits born are not those delivered and in flight"))
        .or_else(|| says(point.born == arrived + point.unfinished, "born is not what has a latency and what is unfinished"))
        .or_else(|| says(point.hops == sum(&|vc| vc.hops), "the virtual channels have not all hops"))
        .or_else(|| says(point.general_hops <= point.hops, "more hops into general virtual channels than hops"))
        .or_else(|| says(by_class, "busy_cycles are not those of the classes of channels"))
        .or_else(|| {
            let full = |(class, busy): (&sim::Class, &u64)| *busy <= class.channels * measured;
            says(report.classes.iter().zip(&point.busy_by_class).all(full), "a channel moves more than a flit per cycle")
        })
        .or_else(|| {
            // Cycles times packets inside, and latencies of the packets born: they differ at the edges only.
            let delays = point.delays.filter(|_| point.is_stable() && point.unfinished == 0)?;
            let edges = (point.inside_at[0] + point.inside_at[2] + 1) * EDGE * delays.most;
            says(point.inside_sum.abs_diff(delays.sum) <= edges, "Little's law does not hold: packets inside are not rate times latency")
        })
}

/// What is wrong with the counts of a run of traffic that ends, if they cannot all be true.
fn incomplete(report: &SimReport, run: &Completion) -> Option<String> {
    let says = |holds: bool, what: &str| (!holds).then(|| what.to_owned());
    let volume = report.volume?;
    let full = |(class, busy): (&sim::Class, &u64)| *busy <= class.channels * u64::from(run.cycles);
    let moved: u64 = run.busy_by_class.iter().sum();
    says(run.packets == volume.packets, "delivered is not all that is sent")
        .or_else(|| says(u64::from(run.cycles) >= volume.least_cycles, "there are fewer cycles than the busiest channel needs"))
        .or_else(|| says(run.delays.is_some_and(|delays| delays.packets == run.packets), "not all packets have a latency"))
        .or_else(|| says(run.hops == run.vcs.iter().map(|vc| vc.hops).sum::<u64>(), "the virtual channels have not all hops"))
        .or_else(|| says(run.general_hops <= run.hops, "more hops into general virtual channels than hops"))
        .or_else(|| says(run.busy_by_class.len() == report.classes.len(), "busy_cycles are not those of the classes of channels"))
        .or_else(|| says(moved == run.hops * u64::from(report.setting.packet), "channels have not moved the flits of all hops"))
        .or_else(|| says(report.classes.iter().zip(&run.busy_by_class).all(full), "a channel moves more than a flit per cycle"))
}
