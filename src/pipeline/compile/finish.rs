//! The end of the pipeline: plans the collectives, evaluates the contract, and assembles the [`Compiled`]
//! fabric.
//!
//! It runs after all scenarios were proved and all simulations were run, because the contract compares with
//! both.

use super::Stage;
use super::context::Context;
use super::plant::Built;
use fabc_base::diag::Failure;
use fabc_base::progress::Progress;
use fabc_emit::compiled::{Compiled, CompiledPod, CompiledScenario};
use fabc_ir::{ConcurrentFlow, PassRecord, RequireOutcome, ScenarioMetrics, settle_collectives};
use fabc_model::Fabric;
use fabc_sim::SimReport;

/// The results of all scenarios and simulations.
pub(super) struct Outcome {
    /// Nominal first.
    pub(super) scenarios: Vec<CompiledScenario>,
    /// `[simulation of the spec][scenario]`
    pub(super) simulations: Vec<Vec<SimReport>>,
}

/// Assembles a compiled fabric. `routing` records the routing passes, where there were any.
///
/// # Errors
/// A collective cannot be planned.
pub(super) fn finish(
    fabric: Fabric,
    last: Stage,
    built: Built,
    flow: ConcurrentFlow,
    outcome: Outcome,
    routing: Option<PassRecord>,
    progress: &dyn Progress,
) -> Result<Compiled, Failure> {
    let Built { topology, wired, pod, placement, cables, trade_off, network, seeds: _, mut passes } = built;
    let Outcome { mut scenarios, simulations } = outcome;
    let nominal = &mut scenarios[0].metrics;
    nominal.flow_low = nominal.flow_low.max(flow.lower_end());
    let network = network.map(|network| network.with_flow(&topology, &fabric.demand, nominal.flow_low));
    let metrics: Vec<ScenarioMetrics> = scenarios.iter().map(|scenario| scenario.metrics.clone()).collect();
    let universal = pod.as_ref().and_then(CompiledPod::universal);
    let of = |require| RequireOutcome::of(require, &metrics, universal, network.as_ref(), cables.as_ref());
    let mut requires: Vec<RequireOutcome> = fabric.requires.iter().map(of).collect();
    let context = Context::new(&fabric, &topology, pod.as_ref(), &flow.dual, scenarios.len() - 1);
    fabc_sim::settle(&fabric, &mut requires, &simulations);
    let collectives = match fabric.pace().filter(|_| last >= Stage::Route) {
        Some(pace) => context.scheduled(pace, progress)?,
        None => context.collectives(&scenarios, progress)?,
    };
    settle_collectives(&fabric, &mut requires, &collectives);
    passes.push(PassRecord::of_flow(&flow));
    passes.extend(routing);
    Ok(Compiled {
        fabric,
        topology,
        wired,
        pod,
        placement,
        cables,
        trade_off,
        network,
        flow,
        scenarios,
        simulations,
        collectives,
        requires,
        passes,
    })
}
