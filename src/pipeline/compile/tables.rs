//! The flow of the healthy fabric, and the tables of all scenarios: known ones where they are proved, new
//! ones everywhere else.
//!
//! In: a plant, and the results of earlier builds. Out: the flow with its certificate, and every scenario
//! with its proof. Both ways lead to the same values, because a search depends on nothing but its key.

use super::aim::JobAim;
use super::context::ScenarioContext;
use super::faults::FaultScenarios;
use super::known::{KnownTables, searched_part};
use super::plant::BuiltPlant;
use super::routing::PreparedRouting;
use super::{Stage, scenario};
use fabc_base::diag::Failure;
use fabc_base::progress::Progress;
use fabc_emit::compiled::CompiledScenario;
use fabc_ir::{ConcurrentFlow, KeptHealthy, KeptScenario, PassRecord, Pieces, Scenario, Scene};
use fabc_model::Fabric;
use fabc_passes::flow;

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
    match known_tables(fabric, built, faults, last, known)? {
        ProvedTables { flow: Some(flow), nominal: Some(nominal), faults, record }
            if faults.iter().all(Option::is_some) =>
        {
            let scenarios = std::iter::once(nominal).chain(faults.into_iter().flatten()).collect();
            Ok(SearchedTables { flow, scenarios, record })
        }
        proved => searched_tables(fabric, built, faults, last, known, proved, progress),
    }
}

/// The known tables of a fabric, proved like new ones. Those that the checker convicts are discarded.
///
/// # Errors
/// The failure of a fault that disconnects the fabric, which no tables can mend.
fn known_tables(
    fabric: &Fabric,
    built: &BuiltPlant,
    faults: &FaultScenarios,
    last: Stage,
    known: &KnownTables<'_>,
) -> Result<ProvedTables, Failure> {
    let topology = &built.topology;
    let Some(KeptHealthy { nominal, flow, routing, .. }) = known.healthy() else {
        return Ok(ProvedTables::default());
    };
    if scenario::prove_flow(&Scene::healthy(topology), &fabric.demand, &flow).is_err() {
        known.discard("nominal", "the checker convicts its flow");
        return Ok(ProvedTables::default());
    }
    let searched = searched_part(fabric);
    let context = ScenarioContext::new(&searched, topology, built.pod.as_ref(), &flow.dual, faults.len());
    let prove = |fault: &Scenario, kept: KeptScenario| match context.prove_kept_scenario(fault, kept, last) {
        Ok(compiled) => Ok(Some(compiled)),
        Err(Failure::Internal(error)) => {
            known.discard(&fault.name, &error.to_string());
            Ok(None)
        }
        Err(other) => Err(other),
    };
    let nominal = prove(&Scenario::nominal(), nominal)?;
    let proved = faults.compile(|_, fault| match known.fault(&fault.name) {
        Some(kept) => prove(fault, kept),
        None => Ok(None),
    });
    let faults = proved.into_iter().collect::<Result<Vec<_>, Failure>>()?;
    Ok(ProvedTables { flow: Some(flow), nominal, faults, record: routing })
}

/// Searches for the tables that are not known, and stores them. Faults start from the routes of the healthy
/// fabric, so those are always found again.
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
    let searched = searched_part(fabric);
    let flow = match proved.flow {
        Some(flow) => flow,
        None => certified_flow(&searched, built, progress)?,
    };
    let routing = prepare_routing(&searched, built, &flow, last, progress)?;
    let context =
        ScenarioContext::new(&searched, &built.topology, built.pod.as_ref(), &flow.dual, faults.len());
    progress.begin("scenarios", 1 + faults.len() as u64);
    let (nominal, routes) = context.scenario(routing.as_ref(), &Scenario::nominal(), None)?;
    let record = routing.as_ref().map(|routing| routing.record(&nominal, 1 + faults.len()));
    known.store_healthy(|| KeptHealthy {
        nominal: nominal.kept_scenario(),
        flow: flow.clone(),
        routing: record.clone(),
        pieces: Pieces { faults: Vec::new(), simulations: Vec::new() },
    });
    progress.advance();
    let mut proved_faults = proved.faults;
    proved_faults.resize_with(faults.len(), || None);
    let compiled = faults.compile(|number, fault| {
        let compiled = match &proved_faults[number] {
            Some(_) => None,
            None => Some(context.scenario(routing.as_ref(), fault, routes.as_ref())?.0),
        };
        if let Some(compiled) = &compiled {
            known.store_fault(|| compiled.kept_scenario());
        }
        progress.advance();
        Ok(compiled)
    });
    progress.end();
    let compiled = compiled.into_iter().collect::<Result<Vec<_>, Failure>>()?;
    let compiled = compiled.into_iter().zip(proved_faults).filter_map(|(new, known)| new.or(known));
    let scenarios = std::iter::once(nominal).chain(compiled).collect();
    Ok(SearchedTables { flow, scenarios, record })
}

/// The maximum concurrent flow of the healthy fabric. The checker has proved its lower end.
pub(super) fn certified_flow(
    fabric: &Fabric,
    built: &BuiltPlant,
    progress: &dyn Progress,
) -> Result<ConcurrentFlow, Failure> {
    let scene = Scene::healthy(&built.topology);
    let settings = match built.pod {
        Some(_) => flow::FlowSettings::certificate(fabric.effort()),
        None if fabric.routing.is_scheduled() && !fabric.requires_flow() => {
            flow::FlowSettings::for_scheduled(&built.topology, fabric.has_all_to_all())
        }
        None => flow::FlowSettings::for_network(&built.topology),
    };
    let flow =
        flow::concurrent(&scene, &fabric.demand, flow::StartLengths::Seeds(&built.seeds), settings, progress);
    scenario::prove_flow(&scene, &fabric.demand, &flow)?;
    Ok(flow)
}

/// What the routing method prepares for all scenarios. `None` if the build stops before routing, or where
/// vectors are scheduled.
pub(super) fn prepare_routing(
    fabric: &Fabric,
    built: &BuiltPlant,
    flow: &ConcurrentFlow,
    last: Stage,
    progress: &dyn Progress,
) -> Result<Option<PreparedRouting>, Failure> {
    let routing = (last >= Stage::Route)
        .then(|| {
            let placed = built.targets.iter().map(|target| target.placed(fabric)).collect::<Vec<_>>();
            let aim = JobAim::new(fabric, &built.topology, built.torus, &placed);
            PreparedRouting::new(fabric, &built.topology, &flow.dual, aim, progress)
        })
        .transpose();
    Ok(routing.map_err(Failure::infeasible)?.flatten())
}
