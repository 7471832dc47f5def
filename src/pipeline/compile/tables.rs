//! The flow of the healthy fabric, and the tables of all scenarios: known ones where they are proved, new
//! ones everywhere else.
//!
//! In: a plant, and the results of earlier builds. Out: the flow with its certificate, and every scenario
//! with its proof. Both ways lead to the same values, because a search depends on nothing but its key.

use super::aim::JobAim;
use super::context::ScenarioContext;
use super::faults::FaultScenarios;
use super::known::{KnownTables, routed_part};
use super::plant::BuiltPlant;
use super::routing::PreparedRouting;
use super::{Stage, scenario};
use fabc_base::diag::Failure;
use fabc_base::progress::Progress;
use fabc_emit::compiled::CompiledScenario;
use fabc_ir::{ConcurrentFlow, KeptHealthy, KeptOrder, KeptScenario, PassRecord, Pieces, Scenario, Scene};
use fabc_model::{Demand, Fabric};
use fabc_passes::flow::{self, FlowSettings};

/// The flow and the scenarios of a fabric.
pub(super) struct SearchedTables {
    pub(super) flow: ConcurrentFlow,
    /// The nominal scenario first, then the faults.
    pub(super) scenarios: Vec<CompiledScenario>,
    /// The record of the routing pass, if there was one.
    pub(super) record: Option<PassRecord>,
}

/// What is known and proved of a fabric.
#[derive(Default)]
struct ProvedTables {
    flow: Option<ConcurrentFlow>,
    nominal: Option<CompiledScenario>,
    /// `[fault]`. Empty where the flow is not known.
    faults: Vec<Option<CompiledScenario>>,
    record: Option<PassRecord>,
    order: Option<KeptOrder>,
}

/// The flow and the tables of a fabric. Searches only for those that are not known.
///
/// # Errors
/// Those of [`super::compile`].
pub(super) fn find_tables(
    fabric: &Fabric,
    built: &BuiltPlant,
    faults: &FaultScenarios,
    last: Stage,
    known: &KnownTables<'_>,
    progress: &dyn Progress,
) -> Result<SearchedTables, Failure> {
    match known_tables(&routed_part(fabric), built, faults, last, known)? {
        ProvedTables { flow: Some(flow), nominal: Some(nominal), faults: proved, record, .. }
            if proved.iter().all(Option::is_some) =>
        {
            let scenarios = std::iter::once(nominal).chain(proved.into_iter().flatten()).collect();
            Ok(SearchedTables { flow, scenarios, record: record_of_all(record, faults) })
        }
        proved => searched_tables(fabric, built, faults, last, known, proved, progress),
    }
}

/// The record of the routing, whose first counter is the number of scenarios.
fn record_of_all(record: Option<PassRecord>, faults: &FaultScenarios) -> Option<PassRecord> {
    let mut record = record?;
    let counts = record.counters.iter_mut().filter(|(name, _)| name == "scenarios");
    counts.for_each(|(_, count)| *count = 1 + faults.len() as u64);
    Some(record)
}

/// The known tables of a fabric, proved like new ones. Those that the checker convicts are discarded.
///
/// # Errors
/// The failure of a fault that disconnects the fabric, which no tables can mend.
fn known_tables(
    part: &Fabric,
    built: &BuiltPlant,
    faults: &FaultScenarios,
    last: Stage,
    known: &KnownTables<'_>,
) -> Result<ProvedTables, Failure> {
    let topology = &built.topology;
    let Some(KeptHealthy { nominal, flow, routing, order, .. }) = known.healthy(topology) else {
        return Ok(ProvedTables::default());
    };
    if scenario::prove_flow(&Scene::healthy(topology), &part.demand, &flow).is_err() {
        known.discard("nominal", "the checker convicts its flow");
        return Ok(ProvedTables::default());
    }
    let context = ScenarioContext::new(part, topology, built.pod.as_ref(), &flow.dual, faults.len());
    let prove = |fault: &Scenario, kept: KeptScenario| match context.prove_kept_scenario(fault, kept, last) {
        Ok(compiled) => Ok(Some(compiled)),
        Err(Failure::Internal(error)) => {
            known.discard(&fault.name, &error.to_string());
            Ok(None)
        }
        Err(other) => Err(other),
    };
    let nominal = prove(&Scenario::nominal(), nominal)?;
    let proved = faults.compile(|_, fault| match known.fault(topology, &fault.name) {
        Some(kept) => prove(fault, kept),
        None => Ok(None),
    });
    let faults = proved.into_iter().collect::<Result<Vec<_>, Failure>>()?;
    Ok(ProvedTables { flow: Some(flow), nominal, faults, record: routing, order })
}

/// Searches for the tables that are not known, and stores them. Faults start from the routes of the healthy
/// fabric, so those are found again unless they follow from its tables.
///
/// # Errors
/// Those of [`super::compile`].
fn searched_tables(
    fabric: &Fabric,
    built: &BuiltPlant,
    faults: &FaultScenarios,
    last: Stage,
    known: &KnownTables<'_>,
    proved: ProvedTables,
    progress: &dyn Progress,
) -> Result<SearchedTables, Failure> {
    let ProvedTables { flow, nominal, faults: mut proved_faults, record, order } = proved;
    let part = routed_part(fabric);
    let flow = match flow {
        Some(flow) => flow,
        None => certified_flow(&part.demand, built, flow_settings(fabric, built), progress)?,
    };
    let topology = &built.topology;
    let is_enough = order.is_some() || !PreparedRouting::has_order(&part);
    let nominal = nominal.filter(|_| is_enough);
    let order = order.filter(|_| nominal.is_some());
    let routing = prepare_routing(&part, built, &flow, order, last, progress)?;
    let context = ScenarioContext::new(&part, topology, built.pod.as_ref(), &flow.dual, faults.len());
    proved_faults.resize_with(faults.len(), || None);
    let missing = proved_faults.iter().filter(|fault| fault.is_none()).count();
    progress.begin("scenarios", (missing + usize::from(nominal.is_none())) as u64);
    let (nominal, routes, record) = match nominal {
        Some(nominal) => {
            let routes = routing.as_ref().and_then(|routing| routing.known_routes(topology, &nominal));
            (nominal, routes, record)
        }
        None => {
            let (nominal, routes) = context.scenario(routing.as_ref(), &Scenario::nominal(), None)?;
            let record = routing.as_ref().map(|routing| routing.record(&nominal, 1));
            known.store_healthy(|| KeptHealthy {
                nominal: nominal.kept_scenario(),
                flow: flow.clone(),
                routing: record.clone(),
                order: routing
                    .as_ref()
                    .and_then(|routing| routing.kept_order(topology, &nominal, routes.as_ref())),
                pieces: Pieces { faults: Vec::new(), simulations: Vec::new() },
            });
            progress.advance();
            (nominal, routes, record)
        }
    };
    let compiled = faults.compile(|number, fault| {
        if proved_faults[number].is_some() {
            return Ok(None);
        }
        let (compiled, _) = context.scenario(routing.as_ref(), fault, routes.as_ref())?;
        known.store_fault(|| compiled.kept_scenario());
        progress.advance();
        Ok(Some(compiled))
    });
    progress.end();
    let compiled = compiled.into_iter().collect::<Result<Vec<_>, Failure>>()?;
    let compiled = compiled.into_iter().zip(proved_faults).filter_map(|(new, known)| new.or(known));
    let scenarios = std::iter::once(nominal).chain(compiled).collect();
    Ok(SearchedTables { flow, scenarios, record: record_of_all(record, faults) })
}

/// How much work goes into the flow of a fabric.
pub(super) fn flow_settings(fabric: &Fabric, built: &BuiltPlant) -> FlowSettings {
    match built.pod {
        Some(_) => FlowSettings::certificate(fabric.effort()),
        None if fabric.routing.is_scheduled() && !fabric.requires_flow() => {
            FlowSettings::for_scheduled(&built.topology, fabric.has_all_to_all())
        }
        None => FlowSettings::for_network(&built.topology),
    }
}

/// The maximum concurrent flow of the healthy fabric. The checker has proved its lower end.
pub(super) fn certified_flow(
    demand: &Demand,
    built: &BuiltPlant,
    settings: FlowSettings,
    progress: &dyn Progress,
) -> Result<ConcurrentFlow, Failure> {
    let scene = Scene::healthy(&built.topology);
    let flow = flow::concurrent(&scene, demand, flow::StartLengths::Seeds(&built.seeds), settings, progress);
    scenario::prove_flow(&scene, demand, &flow)?;
    Ok(flow)
}

/// What the routing method prepares for all scenarios, from a known order if there is one. `None` if the
/// build stops before routing, or where vectors are scheduled.
pub(super) fn prepare_routing(
    part: &Fabric,
    built: &BuiltPlant,
    flow: &ConcurrentFlow,
    known: Option<KeptOrder>,
    last: Stage,
    progress: &dyn Progress,
) -> Result<Option<PreparedRouting>, Failure> {
    let routing = (last >= Stage::Route)
        .then(|| {
            let placed = built.targets.iter().map(|target| target.placed(part)).collect::<Vec<_>>();
            let aim = JobAim::new(part, &built.topology, built.torus, &placed);
            PreparedRouting::new(part, &built.topology, &flow.dual, aim, known, progress)
        })
        .transpose();
    Ok(routing.map_err(Failure::infeasible)?.flatten())
}
