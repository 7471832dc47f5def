//! The pipeline on one screen.

mod candidates;
pub mod change;
pub mod collectives;
mod context;
mod contract;
mod described;
mod early;
mod faults;
mod finalists;
mod plant;
pub mod repair;
mod routing;
mod scenario;
mod simulations;
mod size;
mod stage;
mod trade_off;

pub use candidates::candidates;
pub use contract::ContractError;
pub use described::describe;
pub use early::{Foreseen, decidable, foresee};
pub use size::{TooLarge, TooLargeToBuild, TooMuchMemory, TooMuchWork};
pub use stage::Stage;

use crate::compiled::{Compiled, CompiledPod, CompiledScenario};
use crate::diag::Failure;
use crate::ir::{PassRecord, RequireOutcome, Scenario, ScenarioMetrics, Scene, settle_collectives};
use crate::model::Fabric;
use crate::passes::flow;
use crate::progress::Progress;
use crate::sim;
use context::Context;
use plant::Built;
use routing::Routing;

/// Compiles a resolved fabric as far as `last` (at least through `Analyze`; later stages come together with
/// their proofs).
///
/// # Errors
/// [`Failure::Spec`] where the spec contradicts itself, [`Failure::Infeasible`] where what it asks for cannot
/// be had, [`Failure::Internal`] where the checker convicts a pass. A broken `require` is not an error here:
/// see [`Compiled::requires`].
pub fn compile(fabric: Fabric, last: Stage, progress: &dyn Progress) -> Result<Compiled, Failure> {
    decidable(&fabric, last)?;
    let Built { topology, wired, pod, placement, cables, trade_off, network, seeds, mut passes } = plant::build(&fabric, progress)?;
    let faults = faults::Faults::new(&fabric, &topology, pod.as_ref(), last, progress)?;
    let whole = Scene::whole(&topology);
    let settings = match pod {
        Some(_) => flow::Settings::certificate(fabric.effort()),
        None if fabric.routing.is_scheduled() && !fabric.requires_flow() => flow::Settings::of_scheduled(&topology, fabric.exchanges()),
        None => flow::Settings::of_network(&topology),
    };
    let flow = flow::concurrent(&whole, &fabric.demand, flow::Start::Seeds(&seeds), settings, progress);
    scenario::proved(&whole, &fabric.demand, &flow)?;
    passes.push(PassRecord::of_flow(&flow));

    let routing = (last >= Stage::Route).then(|| Routing::new(&fabric, &topology, &flow.dual, progress)).transpose();
    let routing = routing.map_err(Failure::infeasible)?.flatten();
    let context = Context::new(&fabric, &topology, pod.as_ref(), &flow.dual, faults.len());
    progress.begin("scenarios", 1 + faults.len() as u64);
    let (mut nominal, routes) = context.scenario(routing.as_ref(), &Scenario::nominal(), None)?;
    nominal.metrics.flow_low = nominal.metrics.flow_low.max(flow.lower_end());
    let network = network.map(|network| network.with_flow(&topology, &fabric.demand, nominal.metrics.flow_low));
    progress.advance();
    let compiled = faults.compile(|scenario| {
        let compiled = context.scenario(routing.as_ref(), scenario, routes.as_ref());
        progress.advance();
        compiled.map(|(compiled, _)| compiled)
    });
    progress.end();
    let scenarios: Vec<CompiledScenario> = std::iter::once(Ok(nominal)).chain(compiled).collect::<Result<_, _>>()?;

    let metrics: Vec<ScenarioMetrics> = scenarios.iter().map(|scenario| scenario.metrics.clone()).collect();
    let universal = pod.as_ref().and_then(CompiledPod::universal);
    let of = |require| RequireOutcome::of(require, &metrics, universal, network.as_ref(), cables.as_ref());
    let mut requires: Vec<RequireOutcome> = fabric.requires.iter().map(of).collect();
    let simulations = context.simulations(&scenarios, progress)?;
    sim::settle(&fabric, &mut requires, &simulations);
    let collectives = match fabric.pace().filter(|_| last >= Stage::Route) {
        Some(pace) => context.scheduled(pace, progress)?,
        None => context.collectives(&scenarios, progress)?,
    };
    settle_collectives(&fabric, &mut requires, &collectives);
    passes.extend(routing.map(|routing| routing.record(&scenarios)));
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
