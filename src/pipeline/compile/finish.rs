//! What comes after all scenarios and simulations: collectives, and the contract on what was proved.

use super::Stage;
use super::context::Context;
use super::plant::Built;
use fabc_base::diag::Failure;
use fabc_base::progress::Progress;
use fabc_emit::compiled::{Compiled, CompiledPod, CompiledScenario};
use fabc_ir::{ConcurrentFlow, PassRecord, RequireOutcome, ScenarioMetrics, settle_collectives};
use fabc_model::Fabric;
use fabc_sim::SimReport;

/// What was found on a fabric.
pub(super) struct Outcome {
    /// Nominal first.
    pub(super) scenarios: Vec<CompiledScenario>,
    /// Of every simulation of the spec its scenarios.
    pub(super) simulations: Vec<Vec<SimReport>>,
}

/// Puts a compiled fabric together; `routing` is what the routing did.
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
