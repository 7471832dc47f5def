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
use fabc_ir::{ConcurrentFlow, KeptHealthy, KeptOrder, KeptScenario, PassRecord, Routes, Scenario, Scene};
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

/// The healthy fabric, and what its faults start from.
pub(super) struct HealthyTables {
    pub(super) flow: ConcurrentFlow,
    /// `None` if the build stops before routing, or where vectors are scheduled.
    pub(super) routing: Option<PreparedRouting>,
    pub(super) nominal: CompiledScenario,
    /// Its routes, if the faults can start from them.
    pub(super) routes: Option<Routes>,
    /// The record of the routing pass, if there was one.
    record: Option<PassRecord>,
}

/// What is known and proved of the healthy fabric.
#[derive(Default)]
pub(super) struct ProvedHealthy {
    flow: Option<ConcurrentFlow>,
    nominal: Option<CompiledScenario>,
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
    let part = routed_part(fabric);
    let settings = flow_settings(fabric, built);
    let search = TableSearch { part: &part, built, settings, faults: faults.len(), last, known };
    let healthy = search.known_healthy()?;
    let proved = search.known_faults(faults, healthy.flow.as_ref())?;
    match healthy {
        ProvedHealthy { flow: Some(flow), nominal: Some(nominal), record, .. }
            if proved.iter().all(Option::is_some) =>
        {
            let scenarios = std::iter::once(nominal).chain(proved.into_iter().flatten()).collect();
            Ok(SearchedTables { flow, scenarios, record: record_of_all(record, faults) })
        }
        healthy => search.searched_tables(faults, healthy, proved, progress),
    }
}

/// The record of the routing, whose first counter is the number of scenarios.
fn record_of_all(record: Option<PassRecord>, faults: &FaultScenarios) -> Option<PassRecord> {
    let mut record = record?;
    let counts = record.counters.iter_mut().filter(|(name, _)| name == "scenarios");
    counts.for_each(|(_, count)| *count = 1 + faults.len() as u64);
    Some(record)
}

/// The search for the flow and the tables of a fabric.
#[derive(Clone, Copy)]
pub(super) struct TableSearch<'a> {
    /// The part of the fabric that flow and routes read.
    pub(super) part: &'a Fabric,
    pub(super) built: &'a BuiltPlant,
    pub(super) settings: FlowSettings,
    /// How many scenarios there are besides the nominal one.
    pub(super) faults: usize,
    pub(super) last: Stage,
    pub(super) known: &'a KnownTables<'a>,
}

impl<'a> TableSearch<'a> {
    /// What all scenarios are compiled from, with the flow of the healthy fabric.
    pub(super) fn context<'f>(&self, flow: &'f ConcurrentFlow) -> ScenarioContext<'f>
    where
        'a: 'f,
    {
        let BuiltPlant { topology, pod, .. } = self.built;
        ScenarioContext::new(self.part, topology, pod.as_ref(), &flow.dual, self.faults)
    }

    /// The known results of the healthy fabric, proved like new ones. Those that the checker convicts are
    /// discarded.
    ///
    /// # Errors
    /// The failure of a fabric whose tables no search can mend.
    pub(super) fn known_healthy(&self) -> Result<ProvedHealthy, Failure> {
        let topology = &self.built.topology;
        let Some(KeptHealthy { nominal, flow, routing, order }) = self.known.healthy(topology) else {
            return Ok(ProvedHealthy::default());
        };
        if scenario::prove_flow(&Scene::healthy(topology), &self.part.demand, &flow).is_err() {
            self.known.discard("nominal", "the checker convicts its flow");
            return Ok(ProvedHealthy::default());
        }
        let nominal = self.prove(&self.context(&flow), &Scenario::nominal(), nominal)?;
        Ok(ProvedHealthy { flow: Some(flow), nominal, record: routing, order })
    }

    /// `[fault]`: the known tables of a fault, proved like new ones. Empty where the flow of the healthy
    /// fabric is not known.
    ///
    /// # Errors
    /// The failure of a fault that disconnects the fabric, which no tables can mend.
    fn known_faults(
        &self,
        faults: &FaultScenarios,
        flow: Option<&ConcurrentFlow>,
    ) -> Result<Vec<Option<CompiledScenario>>, Failure> {
        let Some(flow) = flow else { return Ok(Vec::new()) };
        let context = self.context(flow);
        faults.compile(|_, fault| self.known_fault(&context, fault)).into_iter().collect()
    }

    /// The known tables of a fault, proved like new ones.
    ///
    /// # Errors
    /// The failure of a fault that disconnects the fabric, which no tables can mend.
    pub(super) fn known_fault(
        &self,
        context: &ScenarioContext<'_>,
        fault: &Scenario,
    ) -> Result<Option<CompiledScenario>, Failure> {
        match self.known.fault(&self.built.topology, &fault.name) {
            Some(kept) => self.prove(context, fault, kept),
            None => Ok(None),
        }
    }

    /// Proves a known scenario. `None` if the checker convicts it, and then it is discarded.
    fn prove(
        &self,
        context: &ScenarioContext<'_>,
        fault: &Scenario,
        kept: KeptScenario,
    ) -> Result<Option<CompiledScenario>, Failure> {
        match context.prove_kept_scenario(fault, kept, self.last) {
            Ok(compiled) => Ok(Some(compiled)),
            Err(Failure::Internal(error)) => {
                self.known.discard(&fault.name, &error.to_string());
                Ok(None)
            }
            Err(other) => Err(other),
        }
    }

    /// Searches for what is not known of the healthy fabric, and stores it. Faults start from its routes, so
    /// those are found again unless they follow from its tables. `missing` faults will be searched for.
    ///
    /// # Errors
    /// Those of [`super::compile`].
    pub(super) fn healthy_tables(
        &self,
        proved: ProvedHealthy,
        missing: usize,
        progress: &dyn Progress,
    ) -> Result<HealthyTables, Failure> {
        let ProvedHealthy { flow, nominal, record, order } = proved;
        let Self { part, built, settings, last, known, .. } = *self;
        let topology = &built.topology;
        let flow = match flow {
            Some(flow) => flow,
            None => certified_flow(&part.demand, built, settings, progress)?,
        };
        let is_enough = order.is_some() || !PreparedRouting::has_order(part);
        let nominal = nominal.filter(|_| is_enough);
        let order = order.filter(|_| nominal.is_some());
        let routing = prepare_routing(part, built, &flow, order, last, progress)?;
        progress.begin("scenarios", (missing + usize::from(nominal.is_none())) as u64);
        if let Some(nominal) = nominal {
            let routes = routing.as_ref().and_then(|routing| routing.known_routes(topology, &nominal));
            return Ok(HealthyTables { flow, routing, nominal, routes, record });
        }
        let (nominal, routes) = self.context(&flow).scenario(routing.as_ref(), &Scenario::nominal(), None)?;
        let record = routing.as_ref().map(|routing| routing.record(&nominal, 1));
        known.store_healthy(|| KeptHealthy {
            nominal: nominal.kept_scenario(),
            flow: flow.clone(),
            routing: record.clone(),
            order: routing
                .as_ref()
                .and_then(|routing| routing.kept_order(topology, &nominal, routes.as_ref())),
        });
        progress.advance();
        Ok(HealthyTables { flow, routing, nominal, routes, record })
    }

    /// Searches for the tables of a fault, and stores them.
    ///
    /// # Errors
    /// Those of [`super::compile`].
    pub(super) fn searched_fault(
        &self,
        context: &ScenarioContext<'_>,
        healthy: &HealthyTables,
        fault: &Scenario,
        progress: &dyn Progress,
    ) -> Result<CompiledScenario, Failure> {
        let (compiled, _) = context.scenario(healthy.routing.as_ref(), fault, healthy.routes.as_ref())?;
        self.known.store_fault(|| compiled.kept_scenario());
        progress.advance();
        Ok(compiled)
    }

    /// Searches for the tables that are not known, and stores them. `proved` are the known faults.
    ///
    /// # Errors
    /// Those of [`super::compile`].
    fn searched_tables(
        &self,
        faults: &FaultScenarios,
        healthy: ProvedHealthy,
        mut proved: Vec<Option<CompiledScenario>>,
        progress: &dyn Progress,
    ) -> Result<SearchedTables, Failure> {
        proved.resize_with(faults.len(), || None);
        let missing = proved.iter().filter(|fault| fault.is_none()).count();
        let healthy = self.healthy_tables(healthy, missing, progress)?;
        let context = self.context(&healthy.flow);
        let compiled = faults.compile(|number, fault| {
            let is_missing = proved[number].is_none();
            is_missing.then(|| self.searched_fault(&context, &healthy, fault, progress)).transpose()
        });
        progress.end();
        let compiled = compiled.into_iter().collect::<Result<Vec<_>, Failure>>()?;
        drop(context);
        let HealthyTables { flow, nominal, record, .. } = healthy;
        let compiled = compiled.into_iter().zip(proved).filter_map(|(new, known)| new.or(known));
        let scenarios = std::iter::once(nominal).chain(compiled).collect();
        Ok(SearchedTables { flow, scenarios, record: record_of_all(record, faults) })
    }
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
fn certified_flow(
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
fn prepare_routing(
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
