//! A build in parts: what one process does of it, and how the parts come together.
//!
//! Every part finds the healthy fabric, since all faults start from it, and of the faults only its own; what
//! it keeps of a scenario is what was searched. Simulations come second, on what is kept by then: so a part
//! that was interrupted goes on with them, and searches nothing twice. To merge is to look at every scenario
//! once more and have the checker prove it, as it proves those that were just found: nothing that was kept is
//! believed, but for the counts of simulations, which nobody could prove without running them again.

use super::context::Context;
use super::faults::FaultScenarios;
use super::finish::Outcome;
use super::plant::Built;
use super::scenario::Found;
use super::simulations::failure;
use super::{Stage, certified_flow, check_early, finish, plant, prepared, scenario};
use fabc_base::diag::Failure;
use fabc_base::progress::Progress;
use fabc_check::CheckError;
use fabc_emit::compiled::{Compiled, CompiledScenario};
use fabc_ir::{KeptHealthy, KeptScenario, KeptTables, Piece, Pieces, Scenario, Scene, Topology};
use fabc_model::{Fabric, Simulation};
use fabc_sim::{Prepared, SimReport};

/// Keeps what a part has found.
pub trait Keeper: Sync {
    /// What keeping may end with.
    type Error: From<Failure> + Send;

    /// What this part and others have kept.
    fn kept(&self) -> &impl Kept<Error = Self::Error>;

    /// Whether the healthy fabric is not kept yet.
    fn wants_healthy(&self) -> bool;

    /// Whether a piece of work, given with the number that it is dealt by, is of this part and not kept yet.
    fn wants(&self, number: usize, piece: Piece<'_>) -> bool;

    /// Keeps the healthy fabric.
    ///
    /// # Errors
    /// It cannot be kept.
    fn healthy(&self, healthy: KeptHealthy) -> Result<(), Self::Error>;

    /// Keeps a fault.
    ///
    /// # Errors
    /// It cannot be kept.
    fn fault(&self, kept: KeptScenario) -> Result<(), Self::Error>;

    /// Keeps a simulation on one scenario, which is kept already.
    ///
    /// # Errors
    /// It cannot be kept.
    fn simulation(
        &self,
        fabric: &Fabric,
        topology: &Topology,
        name: &str,
        report: &SimReport,
    ) -> Result<(), Self::Error>;
}

/// Has what parts have kept.
pub trait Kept: Sync {
    /// What reading may end with.
    type Error: From<Failure> + Send;

    /// The healthy fabric.
    ///
    /// # Errors
    /// It is not there, or damaged.
    fn healthy(&self, topology: &Topology) -> Result<KeptHealthy, Self::Error>;

    /// A scenario, by its name.
    ///
    /// # Errors
    /// It is not there, or damaged.
    fn scenario(&self, name: &str, topology: &Topology) -> Result<KeptScenario, Self::Error>;

    /// What a simulation found on the tables that are `prepared` for it; counts of single channels are not
    /// kept.
    ///
    /// # Errors
    /// It is not there, damaged, or not of these tables.
    fn simulation(
        &self,
        fabric: &Fabric,
        simulation: &Simulation,
        prepared: &Prepared<'_>,
    ) -> Result<SimReport, Self::Error>;

    /// The error where the checker convicts what was kept.
    fn convicted(&self, name: &str, what: Failure) -> Self::Error;
}

/// Compiles a part of a fabric: all that is healthy, and of faults and simulations those that are wanted.
///
/// # Errors
/// As [`super::compile`], and what keeping and reading may end with.
pub fn shard<K: Keeper>(
    fabric: &Fabric,
    last: Stage,
    keeper: &K,
    progress: &dyn Progress,
) -> Result<(), K::Error> {
    check_early(fabric, last)?;
    let built = plant::build(fabric, progress)?;
    let faults = FaultScenarios::new(fabric, &built.topology, built.pod.as_ref(), last, progress)?;
    search(fabric, last, &built, &faults, keeper, progress)?;
    simulate(fabric, &built, &faults, keeper, progress)
}

/// Finds the tables of a part; nothing where they are all kept.
fn search<K: Keeper>(
    fabric: &Fabric,
    last: Stage,
    built: &Built,
    faults: &FaultScenarios,
    keeper: &K,
    progress: &dyn Progress,
) -> Result<(), K::Error> {
    let wants = |at: usize, fault: &Scenario| keeper.wants(at, Piece::Fault(&fault.name));
    let wanted = faults.all().iter().enumerate().filter(|(at, fault)| wants(*at, fault)).count();
    if wanted == 0 && !keeper.wants_healthy() {
        return Ok(());
    }
    let flow = certified_flow(fabric, built, progress)?;
    let routing = prepared(fabric, built, &flow, last, progress)?;
    let context = Context::new(fabric, &built.topology, built.pod.as_ref(), &flow.dual, faults.len());
    progress.begin("scenarios", 1 + wanted as u64);
    let (nominal, routes) = context.scenario(routing.as_ref(), &Scenario::nominal(), None)?;
    let record = routing.as_ref().map(|routing| routing.record(&nominal, 1 + faults.len()));
    let pieces = pieces(fabric, faults, nominal.routed.is_some());
    keeper.healthy(KeptHealthy { nominal: nominal.kept(), flow: flow.clone(), routing: record, pieces })?;
    progress.advance();
    let kept = faults.compile(|at, fault| {
        if !wants(at, fault) {
            return Ok(());
        }
        let (compiled, _) = context.scenario(routing.as_ref(), fault, routes.as_ref())?;
        progress.advance();
        keeper.fault(compiled.kept())
    });
    progress.end();
    kept.into_iter().collect()
}

/// Runs the simulations of a part on tables that are kept, one scenario after the other: runs have threads of
/// their own, and take memory.
fn simulate<K: Keeper>(
    fabric: &Fabric,
    built: &Built,
    faults: &FaultScenarios,
    keeper: &K,
    progress: &dyn Progress,
) -> Result<(), K::Error> {
    if fabric.simulations.is_empty() {
        return Ok(());
    }
    let (kept, topology) = (keeper.kept(), &built.topology);
    let KeptHealthy { nominal, flow, .. } = kept.healthy(topology)?;
    let pieces = pieces(fabric, faults, nominal.routed.is_some());
    let wanted = |fault: Option<usize>, scenario: &str| -> Vec<&Simulation> {
        let wants = |number: usize, name: &str| keeper.wants(number, Piece::Simulation { name, scenario });
        let names =
            pieces.simulations(fault).filter(|&(number, name)| wants(number, name)).map(|(_, name)| name);
        names
            .filter_map(|name| fabric.simulations.iter().find(|simulation| simulation.name == name))
            .collect()
    };
    let healthy = Scenario::nominal();
    let scenarios = std::iter::once((None, &healthy))
        .chain(faults.all().iter().enumerate().map(|(at, fault)| (Some(at), fault)));
    let work: Vec<(&Scenario, Vec<&Simulation>)> =
        scenarios.map(|(fault, scenario)| (scenario, wanted(fault, &scenario.name))).collect();
    let context = Context::new(fabric, topology, built.pod.as_ref(), &flow.dual, faults.len());
    progress.begin("simulations", work.iter().map(|(_, simulations)| simulations.len() as u64).sum());
    for (scenario, simulations) in work.into_iter().filter(|(_, simulations)| !simulations.is_empty()) {
        let found = proved_again(&context, scenario, kept.scenario(&scenario.name, topology)?, kept)?;
        for simulation in simulations {
            if let Some(report) = context.simulation(simulation, &found, progress)? {
                keeper.simulation(fabric, topology, &simulation.name, &report)?;
            }
            progress.advance();
        }
    }
    progress.end();
    Ok(())
}

/// What there is to do beside the healthy fabric, which has tables or needs none.
fn pieces(fabric: &Fabric, faults: &FaultScenarios, routed: bool) -> Pieces {
    let run = fabric
        .simulations
        .iter()
        .filter(|_| routed)
        .map(|simulation| (simulation.name.clone(), simulation.scenarios));
    Pieces {
        faults: faults.all().iter().map(|fault| fault.name.clone()).collect(),
        simulations: run.collect(),
    }
}

/// A kept scenario, which the checker has to prove like a new one.
fn proved_again<K: Kept>(
    context: &Context<'_>,
    scenario: &Scenario,
    found: KeptScenario,
    kept: &K,
) -> Result<CompiledScenario, K::Error> {
    context.known(scenario, found).map_err(|what| kept.convicted(&scenario.name, what))
}

/// Puts together what the parts have kept: what [`super::compile`] returns.
///
/// # Errors
/// As [`super::compile`], and what reading may end with.
pub fn merged<K: Kept>(
    fabric: Fabric,
    last: Stage,
    kept: &K,
    progress: &dyn Progress,
) -> Result<Compiled, K::Error> {
    check_early(&fabric, last)?;
    let built = plant::build(&fabric, progress)?;
    let topology = &built.topology;
    let faults = FaultScenarios::new(&fabric, topology, built.pod.as_ref(), last, progress)?;
    let KeptHealthy { nominal, flow, routing, .. } = kept.healthy(topology)?;
    scenario::proved(&Scene::whole(topology), &fabric.demand, &flow)
        .map_err(|what| kept.convicted("nominal", what))?;
    let context = Context::new(&fabric, topology, built.pod.as_ref(), &flow.dual, faults.len());
    progress.begin("scenarios", 1 + faults.len() as u64);
    let nominal = proved_again(&context, &Scenario::nominal(), nominal, kept)?;
    progress.advance();
    let found = faults.compile(|_, fault| {
        let known = proved_again(&context, fault, kept.scenario(&fault.name, topology)?, kept);
        progress.advance();
        known
    });
    progress.end();
    let scenarios: Vec<CompiledScenario> =
        std::iter::once(Ok(nominal)).chain(found).collect::<Result<_, K::Error>>()?;
    // What follows from tables is worked out again, so that only counts come from files.
    let simulations = context.each_simulation(&scenarios, |simulation, scene, tables| {
        let prepared = fabc_sim::prepare(&fabric, scene, tables, &simulation.parameters);
        kept.simulation(&fabric, simulation, &prepared.map_err(|error| failure(error, simulation.span))?)
    })?;
    Ok(finish::finish(fabric, last, built, flow, Outcome { scenarios, simulations }, routing, progress)?)
}

impl Context<'_> {
    /// A scenario that was found before: measured and proved as a new one is.
    fn known(&self, fault: &Scenario, kept: KeptScenario) -> Result<CompiledScenario, Failure> {
        let KeptScenario { lengths, flow, routed, .. } = kept;
        let ground = self.ground(fault)?;
        if let Some(flow) = &flow {
            fabc_check::flow(&ground.scene, &self.fabric.demand, flow).map_err(Failure::internal)?;
        }
        let found = routed.map(|KeptTables { tables, ranks }| {
            let unpacked =
                tables.unpack().map_err(|what| CheckError::Shape { scenario: fault.name.clone(), what })?;
            Ok(Found { tables: unpacked, packed: Some(tables), ranks, carried: None })
        });
        self.measured(
            fault,
            &ground,
            lengths,
            flow,
            found.transpose().map_err(|error: CheckError| Failure::internal(error))?,
        )
    }
}
