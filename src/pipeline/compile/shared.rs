//! A build by several processes, which share its results and a queue of its pieces.
//!
//! In: a fabric, the results that the processes share, and their queue. Out: all results of its searches and
//! simulations. A build with these results searches for nothing and writes what one process would have
//! written.
//!
//! The healthy fabric comes first, since all faults start from it: one process finds it, and the others wait
//! and read it. Then every process takes the next piece that nobody has finished or works on: the tables of a
//! fault, or a simulation on the tables of a scenario. Pieces of other processes are looked at once more at
//! the end, so that nothing stays open where a process was killed.

use super::context::ScenarioContext;
use super::faults::FaultScenarios;
use super::known::{KnownResults, KnownTables, routed_part};
use super::tables::{HealthyTables, TableSearch, flow_settings};
use super::{Stage, check_early, plant};
use fabc_base::diag::Failure;
use fabc_base::progress::Progress;
use fabc_emit::compiled::CompiledScenario;
use fabc_ir::{QueuedPiece, Scenario};
use fabc_model::{Fabric, Scenarios, Simulation};

/// The queue of a build that several processes share.
pub trait WorkQueue: Sync {
    /// A piece that this process works on. Dropping it lets other processes take the piece.
    type Claim: Send;

    /// Claims the healthy fabric. Waits while another process works on it. `None` if the pieces are listed:
    /// then its results are stored.
    fn claim_healthy(&self) -> Option<Self::Claim>;

    /// Lists the pieces. Every process would list the same ones.
    fn list(&self, pieces: &[QueuedPiece]);

    /// Claims the piece with this key. `None` if another process works on it.
    fn try_claim(&self, key: &str) -> Option<Self::Claim>;

    /// Waits until no other process works on the piece with this key, and claims it.
    fn claim(&self, key: &str) -> Self::Claim;
}

/// Works on a fabric until all of its pieces are finished, by this process or by others.
///
/// # Errors
/// Those of [`super::compile`].
pub fn work(
    fabric: &Fabric,
    last: Stage,
    results: &KnownResults<'_>,
    queue: &impl WorkQueue,
    progress: &dyn Progress,
) -> Result<(), Failure> {
    check_early(fabric, last)?;
    let claim = queue.claim_healthy();
    let built = plant::build(fabric, results, progress)?;
    let faults = FaultScenarios::new(fabric, &built.topology, built.pod.as_ref(), last, progress)?;
    let settings = flow_settings(fabric, &built);
    let known = KnownTables::new(results, fabric, &built, &settings, faults.len(), last);
    let part = routed_part(fabric);
    let search =
        TableSearch { part: &part, built: &built, settings, faults: faults.len(), last, known: &known };
    let open = faults.scenarios().iter().filter(|fault| !known.has_fault(&fault.name)).count();
    let healthy = search.healthy_tables(search.known_healthy()?, open, progress)?;
    let runs = simulation_runs(fabric, &faults, healthy.nominal.has_tables());
    queue.list(&pieces(&faults, &runs, &known));
    drop(claim);
    let context = search.context(&healthy.flow);
    let simulated =
        ScenarioContext::new(fabric, &built.topology, built.pod.as_ref(), &healthy.flow.dual, faults.len());
    let worker = Worker { search, context, simulated, healthy: &healthy, queue, progress };
    let found = worker.faults(&faults);
    progress.end();
    found?;
    worker.simulations(&runs)
}

/// A simulation on the tables of a scenario.
struct SimulationRun<'a> {
    simulation: &'a Simulation,
    /// Its number in the spec.
    number: usize,
    /// The fault. `None` for the healthy fabric.
    fault: Option<&'a Scenario>,
}

impl SimulationRun<'_> {
    fn scenario(&self) -> &str {
        self.fault.map_or("nominal", |fault| &fault.name)
    }
}

/// All simulations of a fabric by scenario, so that the tables of a scenario are read once. None without
/// tables.
fn simulation_runs<'a>(
    fabric: &'a Fabric,
    faults: &'a FaultScenarios,
    has_tables: bool,
) -> Vec<SimulationRun<'a>> {
    let scenarios = std::iter::once(None).chain(faults.scenarios().iter().map(Some));
    let on = |fault: Option<&'a Scenario>| {
        let wanted = move |simulation: &Simulation| {
            has_tables && (fault.is_none() || simulation.scenarios == Scenarios::All)
        };
        let numbered =
            fabric.simulations.iter().enumerate().filter(move |(_, simulation)| wanted(simulation));
        numbered.map(move |(number, simulation)| SimulationRun { simulation, number, fault })
    };
    scenarios.flat_map(on).collect()
}

/// The pieces of a build, in the order in which they are taken: the healthy fabric first.
fn pieces(faults: &FaultScenarios, runs: &[SimulationRun<'_>], known: &KnownTables<'_>) -> Vec<QueuedPiece> {
    let of_fault = |fault: &Scenario| QueuedPiece { name: fault.name.clone(), key: known.key(&fault.name) };
    let of_run = |run: &SimulationRun<'_>| QueuedPiece {
        name: format!("`{}` on {}", run.simulation.name, run.scenario()),
        key: known.report_key(run.number, run.scenario()),
    };
    let healthy = QueuedPiece { name: "nominal".to_owned(), key: known.key("nominal") };
    let faults = faults.scenarios().iter().map(of_fault);
    std::iter::once(healthy).chain(faults).chain(runs.iter().map(of_run)).collect()
}

/// One of the processes that share a build.
struct Worker<'a, Q> {
    search: TableSearch<'a>,
    /// The scenarios of the part of the fabric that routes read.
    context: ScenarioContext<'a>,
    /// The scenarios of the fabric, for its simulations.
    simulated: ScenarioContext<'a>,
    healthy: &'a HealthyTables,
    queue: &'a Q,
    progress: &'a dyn Progress,
}

/// What came of a look at a piece.
enum Look {
    /// This process or another one has stored its result.
    Finished,
    /// Another process works on it.
    Taken,
}

impl<Q: WorkQueue> Worker<'_, Q> {
    /// Does a piece unless it is finished or another process works on it. With `patient`, waits for that
    /// process.
    fn look(
        &self,
        key: &str,
        patient: bool,
        is_finished: impl Fn() -> bool,
        finish: impl FnOnce() -> Result<(), Failure>,
    ) -> Result<Look, Failure> {
        if is_finished() {
            return Ok(Look::Finished);
        }
        let claim = if patient { Some(self.queue.claim(key)) } else { self.queue.try_claim(key) };
        let Some(_claim) = claim else { return Ok(Look::Taken) };
        if !is_finished() {
            finish()?;
        }
        Ok(Look::Finished)
    }

    /// Finds the tables of all faults.
    fn faults(&self, faults: &FaultScenarios) -> Result<(), Failure> {
        let looks = faults.compile(|_, fault| self.fault(fault, false));
        for (look, fault) in looks.into_iter().zip(faults.scenarios()) {
            if matches!(look?, Look::Taken) {
                self.fault(fault, true)?;
            }
        }
        Ok(())
    }

    fn fault(&self, fault: &Scenario, patient: bool) -> Result<Look, Failure> {
        let known = self.search.known;
        let finish =
            || self.search.searched_fault(&self.context, self.healthy, fault, self.progress).map(drop);
        self.look(&known.key(&fault.name), patient, || known.has_fault(&fault.name), finish)
    }

    /// Runs all simulations, one after the other: runs have threads of their own, and take memory.
    fn simulations(&self, runs: &[SimulationRun<'_>]) -> Result<(), Failure> {
        self.progress.begin("simulations", runs.len() as u64);
        let mut tables = ReadTables::default();
        let mut taken = Vec::new();
        for run in runs {
            match self.simulation(run, false, &mut tables)? {
                Look::Finished => self.progress.advance(),
                Look::Taken => taken.push(run),
            }
        }
        for run in taken {
            self.simulation(run, true, &mut tables)?;
            self.progress.advance();
        }
        self.progress.end();
        Ok(())
    }

    fn simulation(
        &self,
        run: &SimulationRun<'_>,
        patient: bool,
        tables: &mut ReadTables,
    ) -> Result<Look, Failure> {
        let SimulationRun { simulation, number, fault } = *run;
        let known = self.search.known;
        let is_finished = || known.has_report(simulation, number, run.scenario());
        self.look(&known.report_key(number, run.scenario()), patient, is_finished, || {
            let compiled = match fault {
                None => &self.healthy.nominal,
                Some(fault) => tables.of(fault, || {
                    let proved = self.search.known_fault(&self.context, fault)?;
                    match proved {
                        Some(proved) => Ok(proved),
                        None => self.search.searched_fault(&self.context, self.healthy, fault, self.progress),
                    }
                })?,
            };
            self.simulated.report(simulation, number, compiled, known, self.progress).map(drop)
        })
    }
}

/// The tables that were read last.
#[derive(Default)]
struct ReadTables(Option<CompiledScenario>);

impl ReadTables {
    fn of(
        &mut self,
        fault: &Scenario,
        read: impl FnOnce() -> Result<CompiledScenario, Failure>,
    ) -> Result<&CompiledScenario, Failure> {
        if self.0.as_ref().is_none_or(|last| last.scenario.name != fault.name) {
            self.0 = None;
            self.0 = Some(read()?);
        }
        Ok(self.0.as_ref().expect("it was read"))
    }
}
