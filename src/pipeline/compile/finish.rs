//! The end of the pipeline: plans the collectives and jobs, evaluates the contract, and assembles the
//! [`CompiledFabric`].
//!
//! It runs after all scenarios are proved and all simulations are done, because the contract compares with
//! both.

use super::Stage;
use super::context::ScenarioContext;
use super::known::{KnownTables, PlanScenarios};
use super::plans::{FabricPlans, find_plans};
use super::plant::BuiltPlant;
use fabc_base::diag::Failure;
use fabc_base::progress::Progress;
use fabc_emit::compiled::{CompiledFabric, CompiledPod, CompiledScenario};
use fabc_ir::{
    ConcurrentFlow, HealthyMetrics, PassRecord, RequireOutcome, ScenarioMetrics, settle_collectives,
    settle_jobs,
};
use fabc_model::Fabric;
use fabc_sim::SimReport;

/// The results of all scenarios and simulations.
pub(super) struct Outcome {
    /// The nominal scenario first, then the faults.
    pub(super) scenarios: Vec<CompiledScenario>,
    /// The reports of every simulation of the spec, by scenario.
    pub(super) simulations: Vec<Vec<SimReport>>,
    /// The record of the routing pass, if there was one.
    pub(super) routing: Option<PassRecord>,
}

/// Assembles a compiled fabric.
///
/// # Errors
/// The failure of a collective that cannot be planned.
pub(super) fn finish(
    fabric: Fabric,
    last: Stage,
    built: BuiltPlant,
    flow: ConcurrentFlow,
    outcome: Outcome,
    known: &KnownTables<'_>,
    progress: &dyn Progress,
) -> Result<CompiledFabric, Failure> {
    let BuiltPlant {
        topology,
        wired,
        pod,
        placement,
        cables,
        light,
        hardware,
        trade_off,
        network,
        seeds: _,
        targets,
        torus: _,
        mut passes,
    } = built;
    let Outcome { mut scenarios, simulations, routing } = outcome;
    let nominal = &mut scenarios[0].metrics;
    nominal.flow_low = nominal.flow_low.max(flow.lower_end());
    let network = network.map(|network| {
        let is_open = last < Stage::Route && fabric.routing.has_many_paths();
        network.with_traffic(&topology, &fabric.demand, nominal.flow_low, nominal.permutation, is_open)
    });
    let metrics: Vec<ScenarioMetrics> = scenarios.iter().map(|scenario| scenario.metrics.clone()).collect();
    let universal = pod.as_ref().and_then(CompiledPod::universal_bound);
    let healthy = HealthyMetrics { network: network.as_ref(), cables: cables.as_ref(), hardware: &hardware };
    let outcome_of = |require| RequireOutcome::evaluate(require, &metrics, universal, healthy);
    let mut requires: Vec<RequireOutcome> = fabric.requires.iter().map(outcome_of).collect();
    let context = ScenarioContext::new(&fabric, &topology, pod.as_ref(), &flow.dual, scenarios.len() - 1);
    fabc_sim::settle(&fabric, &mut requires, &simulations);
    let cross_connects = pod.as_ref().map(|pod| &pod.cross_connects);
    let on = PlanScenarios { fabric: &fabric, scenarios: &scenarios, topology: &topology, cross_connects };
    let FabricPlans { collectives, jobs, new } = find_plans(&context, on, last, &targets, known, progress)?;
    settle_collectives(&fabric, &mut requires, &collectives);
    settle_jobs(&fabric, &mut requires, &jobs);
    passes.push(PassRecord::of_flow(&flow));
    passes.extend(routing);
    let compiled = CompiledFabric {
        fabric,
        topology,
        wired,
        pod,
        placement,
        cables,
        light,
        hardware,
        trade_off,
        network,
        flow,
        scenarios,
        simulations,
        collectives,
        jobs,
        requires,
        passes,
    };
    known.store_plans(&compiled, &new);
    Ok(compiled)
}
