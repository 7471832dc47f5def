//! The pipeline on one screen.

mod candidates;
pub mod change;
pub mod collectives;
mod context;
mod contract;
mod contract_error;
mod described;
mod early;
mod faults;
mod finalists;
mod finish;
mod performance_contract;
mod plant;
pub mod repair;
mod routing;
mod scenario;
mod shards;
mod simulations;
mod size;
mod stage;
mod trade_off;

pub use candidates::candidates;
pub use contract_error::ContractError;
pub use described::{by_formula, describe, is_described};
pub use early::{Foreseen, check_early, foresee};
pub use shards::{Keeper, Kept, merged, shard};
pub use size::{TooLarge, TooLargeToBuild, TooMuchMemory, TooMuchWork};
pub use stage::Stage;

use context::Context;
use fabc_base::diag::Failure;
use fabc_base::progress::Progress;
use fabc_emit::compiled::{Compiled, CompiledScenario, WiredFabric};
use fabc_ir::{ConcurrentFlow, Scenario, Scene};
use fabc_model::Fabric;
use fabc_passes::flow;
use faults::FaultScenarios;
use finish::Outcome;
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
    check_early(&fabric, last)?;
    let built = plant::build(&fabric, progress)?;
    let faults = FaultScenarios::new(&fabric, &built.topology, built.pod.as_ref(), last, progress)?;
    let flow = certified_flow(&fabric, &built, progress)?;
    let routing = prepared(&fabric, &built, &flow, last, progress)?;
    let context = Context::new(&fabric, &built.topology, built.pod.as_ref(), &flow.dual, faults.len());
    progress.begin("scenarios", 1 + faults.len() as u64);
    let (nominal, routes) = context.scenario(routing.as_ref(), &Scenario::nominal(), None)?;
    progress.advance();
    let compiled = faults.compile(|_, scenario| {
        let compiled = context.scenario(routing.as_ref(), scenario, routes.as_ref());
        progress.advance();
        compiled.map(|(compiled, _)| compiled)
    });
    progress.end();
    let scenarios: Vec<CompiledScenario> =
        std::iter::once(Ok(nominal)).chain(compiled).collect::<Result<_, Failure>>()?;
    let record = routing.map(|routing| routing.record(&scenarios[0], scenarios.len()));
    let simulations = context.simulations(&scenarios, progress)?;
    finish::finish(fabric, last, built, flow, Outcome { scenarios, simulations }, record, progress)
}

/// Wires a resolved fabric, and measures nothing.
///
/// # Errors
/// As [`compile`].
pub fn wire(fabric: Fabric, progress: &dyn Progress) -> Result<WiredFabric, Failure> {
    let undecided = check_early(&fabric, Stage::Synthesize)?;
    plant::wired(fabric, undecided, progress)
}

/// The flow of the healthy fabric, its lower end proved.
fn certified_flow(
    fabric: &Fabric,
    built: &Built,
    progress: &dyn Progress,
) -> Result<ConcurrentFlow, Failure> {
    let whole = Scene::whole(&built.topology);
    let settings = match built.pod {
        Some(_) => flow::Settings::certificate(fabric.effort()),
        None if fabric.routing.is_scheduled() && !fabric.requires_flow() => {
            flow::Settings::of_scheduled(&built.topology, fabric.exchanges())
        }
        None => flow::Settings::of_network(&built.topology),
    };
    let flow = flow::concurrent(&whole, &fabric.demand, flow::Start::Seeds(&built.seeds), settings, progress);
    scenario::proved(&whole, &fabric.demand, &flow)?;
    Ok(flow)
}

/// What the routing method prepares for all scenarios; none before routing.
fn prepared(
    fabric: &Fabric,
    built: &Built,
    flow: &ConcurrentFlow,
    last: Stage,
    progress: &dyn Progress,
) -> Result<Option<Routing>, Failure> {
    let routing = (last >= Stage::Route)
        .then(|| Routing::new(fabric, &built.topology, &flow.dual, progress))
        .transpose();
    Ok(routing.map_err(Failure::infeasible)?.flatten())
}
