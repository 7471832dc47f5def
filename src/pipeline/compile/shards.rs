//! A build in parts: what one process does of it, and how the parts come together.
//!
//! Every part compiles the healthy fabric, since all faults start from it. Of the faults it compiles only its
//! own. It keeps the results of the search for every scenario. Simulations come second, on the kept tables.
//! Hence an interrupted part continues with them, and searches nothing twice.
//!
//! Merging reads every scenario and has the checker prove it, just like a new one. Nothing that was kept is
//! trusted, except the counts of simulations. Those could only be proved by running them again.

use super::context::ScenarioContext;
use super::faults::FaultScenarios;
use super::finish::Outcome;
use super::known::{KnownResults, KnownTables, routed_part};
use super::plant::BuiltPlant;
use super::routing::tiers_of_groups;
use super::scenario::{FoundScenario, FoundTables, RankedTables};
use super::simulations::simulation_failure;
use super::tables::{certified_flow, flow_settings, prepare_routing};
use super::{Stage, check_early, finish, plant, scenario};
use fabc_base::diag::Failure;
use fabc_base::progress::Progress;
use fabc_check::CheckError;
use fabc_emit::compiled::{CompiledFabric, CompiledScenario};
use fabc_ir::{KeptHealthy, KeptScenario, KeptTables, Piece, Pieces, Scenario, Scene, Topology};
use fabc_model::{Fabric, Simulation};
use fabc_sim::{Prepared, SimReport};

/// Stores the results of one part of a build.
pub trait Keeper: Sync {
    /// The error of storing a result.
    type Error: From<Failure> + Send;

    /// The results of this part and of the others.
    fn kept(&self) -> &impl Kept<Error = Self::Error>;

    /// Whether the healthy fabric is not stored yet.
    fn wants_healthy(&self) -> bool;

    /// Whether a piece of work belongs to this part and is not stored yet. `number` is the number by which
    /// pieces are dealt to parts.
    fn wants(&self, number: usize, piece: Piece<'_>) -> bool;

    /// Stores the healthy fabric.
    ///
    /// # Errors
    /// The result cannot be stored.
    fn healthy(&self, healthy: KeptHealthy) -> Result<(), Self::Error>;

    /// Stores a fault scenario.
    ///
    /// # Errors
    /// The result cannot be stored.
    fn fault(&self, kept: KeptScenario) -> Result<(), Self::Error>;

    /// Stores a simulation of one scenario. That scenario is stored already.
    ///
    /// # Errors
    /// The result cannot be stored.
    fn simulation(
        &self,
        fabric: &Fabric,
        topology: &Topology,
        name: &str,
        report: &SimReport,
    ) -> Result<(), Self::Error>;
}

/// Reads the stored results of all parts.
pub trait Kept: Sync {
    /// The error of reading a result.
    type Error: From<Failure> + Send;

    /// The healthy fabric.
    ///
    /// # Errors
    /// The file is missing or damaged.
    fn healthy(&self, topology: &Topology) -> Result<KeptHealthy, Self::Error>;

    /// A scenario, by its name.
    ///
    /// # Errors
    /// The file is missing or damaged.
    fn scenario(&self, name: &str, topology: &Topology) -> Result<KeptScenario, Self::Error>;

    /// The result of a simulation on the tables that are `prepared` for it. Counts of single channels are not
    /// stored.
    ///
    /// # Errors
    /// The file is missing, damaged, or does not belong to these tables.
    fn simulation(
        &self,
        fabric: &Fabric,
        simulation: &Simulation,
        prepared: &Prepared<'_>,
    ) -> Result<SimReport, Self::Error>;

    /// The error where the checker convicts a stored result.
    fn convicted(&self, name: &str, failure: Failure) -> Self::Error;
}

/// Compiles a part of a fabric: the healthy fabric, and those faults and simulations that the keeper wants.
///
/// # Errors
/// The errors of [`super::compile`], and those of the keeper.
pub fn shard<K: Keeper>(
    fabric: &Fabric,
    last: Stage,
    keeper: &K,
    progress: &dyn Progress,
) -> Result<(), K::Error> {
    check_early(fabric, last)?;
    let built = plant::build(fabric, &KnownResults::none(), progress)?;
    let faults = FaultScenarios::new(fabric, &built.topology, built.pod.as_ref(), last, progress)?;
    search_part(fabric, last, &built, &faults, keeper, progress)?;
    simulate_part(fabric, &built, &faults, keeper, progress)
}

/// Finds the tables of a part. Does nothing if they are all stored.
fn search_part<K: Keeper>(
    fabric: &Fabric,
    last: Stage,
    built: &BuiltPlant,
    faults: &FaultScenarios,
    keeper: &K,
    progress: &dyn Progress,
) -> Result<(), K::Error> {
    let wants = |number: usize, fault: &Scenario| keeper.wants(number, Piece::Fault(&fault.name));
    let wanted =
        faults.scenarios().iter().enumerate().filter(|(number, fault)| wants(*number, fault)).count();
    if wanted == 0 && !keeper.wants_healthy() {
        return Ok(());
    }
    let part = routed_part(fabric);
    let flow = certified_flow(&part.demand, built, flow_settings(fabric, built), progress)?;
    let routing = prepare_routing(&part, built, &flow, None, last, progress)?;
    let context = ScenarioContext::new(&part, &built.topology, built.pod.as_ref(), &flow.dual, faults.len());
    progress.begin("scenarios", 1 + wanted as u64);
    let (nominal, routes) = context.scenario(routing.as_ref(), &Scenario::nominal(), None)?;
    let record = routing.as_ref().map(|routing| routing.record(&nominal, 1 + faults.len()));
    let part_pieces = part_pieces(fabric, faults, nominal.has_tables());
    keeper.healthy(KeptHealthy {
        nominal: nominal.kept_scenario(),
        flow: flow.clone(),
        routing: record,
        order: None,
        pieces: part_pieces,
    })?;
    progress.advance();
    let kept = faults.compile(|number, fault| {
        if !wants(number, fault) {
            return Ok(());
        }
        let (compiled, _) = context.scenario(routing.as_ref(), fault, routes.as_ref())?;
        progress.advance();
        keeper.fault(compiled.kept_scenario())
    });
    progress.end();
    kept.into_iter().collect()
}

/// Runs the simulations of a part on stored tables, one scenario after the other. Runs have threads of their
/// own, and take memory.
fn simulate_part<K: Keeper>(
    fabric: &Fabric,
    built: &BuiltPlant,
    faults: &FaultScenarios,
    keeper: &K,
    progress: &dyn Progress,
) -> Result<(), K::Error> {
    if fabric.simulations.is_empty() {
        return Ok(());
    }
    let (kept, topology) = (keeper.kept(), &built.topology);
    let KeptHealthy { nominal, flow, .. } = kept.healthy(topology)?;
    let has_tables = nominal.routed.is_some() || fabric.routing.has_many_paths();
    let pieces = part_pieces(fabric, faults, has_tables);
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
        .chain(faults.scenarios().iter().enumerate().map(|(index, fault)| (Some(index), fault)));
    let work: Vec<(&Scenario, Vec<&Simulation>)> =
        scenarios.map(|(fault, scenario)| (scenario, wanted(fault, &scenario.name))).collect();
    let context = ScenarioContext::new(fabric, topology, built.pod.as_ref(), &flow.dual, faults.len());
    progress.begin("simulations", work.iter().map(|(_, simulations)| simulations.len() as u64).sum());
    for (scenario, simulations) in work.into_iter().filter(|(_, simulations)| !simulations.is_empty()) {
        let stored = kept.scenario(&scenario.name, topology)?;
        let compiled = prove_kept(&context, scenario, stored, Stage::Emit, kept)?;
        for simulation in simulations {
            if let Some(report) = context.simulation(simulation, &compiled, progress)? {
                keeper.simulation(fabric, topology, &simulation.name, &report)?;
            }
            progress.advance();
        }
    }
    progress.end();
    Ok(())
}

/// The pieces of work besides the healthy fabric. There are no simulations without tables (`routed` is
/// false).
fn part_pieces(fabric: &Fabric, faults: &FaultScenarios, routed: bool) -> Pieces {
    let run = fabric
        .simulations
        .iter()
        .filter(|_| routed)
        .map(|simulation| (simulation.name.clone(), simulation.scenarios));
    Pieces {
        faults: faults.scenarios().iter().map(|fault| fault.name.clone()).collect(),
        simulations: run.collect(),
    }
}

/// Proves a stored scenario like a new one.
fn prove_kept<K: Kept>(
    context: &ScenarioContext<'_>,
    scenario: &Scenario,
    kept_scenario: KeptScenario,
    last: Stage,
    kept: &K,
) -> Result<CompiledScenario, K::Error> {
    context
        .prove_kept_scenario(scenario, kept_scenario, last)
        .map_err(|failure| kept.convicted(&scenario.name, failure))
}

/// Merges the stored results of all parts. Returns the same value as [`super::compile`].
///
/// # Errors
/// The errors of [`super::compile`], and those of reading.
pub fn merged<K: Kept>(
    fabric: Fabric,
    last: Stage,
    kept: &K,
    progress: &dyn Progress,
) -> Result<CompiledFabric, K::Error> {
    check_early(&fabric, last)?;
    let built = plant::build(&fabric, &KnownResults::none(), progress)?;
    let topology = &built.topology;
    let faults = FaultScenarios::new(&fabric, topology, built.pod.as_ref(), last, progress)?;
    let KeptHealthy { nominal, flow, routing, .. } = kept.healthy(topology)?;
    scenario::prove_flow(&Scene::healthy(topology), &fabric.demand, &flow)
        .map_err(|failure| kept.convicted("nominal", failure))?;
    let context = ScenarioContext::new(&fabric, topology, built.pod.as_ref(), &flow.dual, faults.len());
    progress.begin("scenarios", 1 + faults.len() as u64);
    let nominal = prove_kept(&context, &Scenario::nominal(), nominal, last, kept)?;
    progress.advance();
    let compiled = faults.compile(|_, fault| {
        let known = prove_kept(&context, fault, kept.scenario(&fault.name, topology)?, last, kept);
        progress.advance();
        known
    });
    progress.end();
    let scenarios: Vec<CompiledScenario> =
        std::iter::once(Ok(nominal)).chain(compiled).collect::<Result<_, K::Error>>()?;
    // Recompute what follows from the tables, so that only counts come from files.
    let simulations = context.each_simulation(&scenarios, |simulation, scene, tables| {
        let prepared = fabc_sim::prepare(&fabric, scene, tables, &simulation.parameters);
        kept.simulation(
            &fabric,
            simulation,
            &prepared.map_err(|error| simulation_failure(error, simulation.span))?,
        )
    })?;
    let nothing = KnownResults::none();
    let known =
        KnownTables::new(&nothing, &fabric, &built, &flow_settings(&fabric, &built), faults.len(), last);
    let outcome = Outcome { scenarios, simulations, routing };
    Ok(finish::finish(fabric, last, built, flow, outcome, &known, progress)?)
}

impl ScenarioContext<'_> {
    /// Measures and proves a stored scenario like a new one.
    pub(super) fn prove_kept_scenario(
        &self,
        fault: &Scenario,
        kept: KeptScenario,
        last: Stage,
    ) -> Result<CompiledScenario, Failure> {
        let KeptScenario { lengths, shortest, flow, routed, .. } = kept;
        let network = self.surviving_network(fault)?;
        if let Some(flow) = &flow {
            fabc_check::verify_flow(&network.scene, &self.fabric.demand, flow).map_err(Failure::internal)?;
        }
        let found_tables = routed.map(|KeptTables { tables, ranks }| {
            let unpacked = tables
                .unpack()
                .map_err(|violation| CheckError::Shape { scenario: fault.name.clone(), violation })?;
            let packed = Some(tables);
            Ok(FoundTables::SinglePath(Box::new(RankedTables {
                tables: unpacked,
                packed,
                ranks,
                expected_walk: None,
            })))
        });
        // Groups are not stored: it takes less time to find them again than to read them.
        let found_tables = match tiers_of_groups(self.fabric, self.topology, last) {
            Some(tiers) => Some(Ok(FoundTables::Groups(self.groups(&network.scene, &tiers, fault)?))),
            None => found_tables,
        };
        let tables = found_tables.transpose().map_err(|error: CheckError| Failure::internal(error))?;
        self.prove_scenario(fault, &network, FoundScenario { lengths, shortest, flow, tables })
    }
}
