//! The pipeline on one screen.

mod afford;
mod contract;
mod finalists;
mod plant;
mod router;
mod scenario;
mod stage;

pub use stage::Stage;

use crate::check;
use crate::compiled::{Compiled, CompiledScenario};
use crate::diag::Failure;
use crate::ir::{PassRecord, Scenario, ScenarioMetrics};
use crate::model::Fabric;
use crate::passes::flow;
use crate::progress::Progress;
use plant::Built;
use rayon::prelude::*;
use router::Router;
use scenario::Context;

/// Compiles a resolved fabric as far as `last` (at least through `Analyze`; later stages come together with their proofs).
///
/// # Errors
/// [`Failure::Spec`] where the spec contradicts itself, [`Failure::Infeasible`] where what it asks for cannot be had,
/// [`Failure::Internal`] where the checker convicts a pass. A broken `require` is not an error here: see [`Compiled::requires`].
pub fn compile(fabric: Fabric, last: Stage, progress: &dyn Progress) -> Result<Compiled, Failure> {
    let Built { topology, wired, pod, seeds, mut passes } = plant::build(&fabric, progress)?;
    let cross_connects = pod.as_ref().map(|pod| &pod.cross_connects);
    let all = if last >= Stage::Route { Scenario::all(&fabric, &topology) } else { vec![Scenario::nominal()] };
    if last >= Stage::Route {
        check::faults(&fabric, &topology, &all).map_err(Failure::internal)?;
    }
    afford::affordable(&fabric, &topology, all.len(), progress).map_err(Failure::infeasible)?;

    let lit = Scenario::nominal().alive(&topology, cross_connects);
    let settings = flow::Settings::certificate(fabric.effort());
    let flow = flow::concurrent(&topology, &fabric.demand, &lit, flow::Start::Seeds(&seeds), settings, progress);
    check::flow(&topology, &fabric.demand, &lit, &flow.primal).map_err(Failure::internal)?;
    passes.push(PassRecord::of_flow(&flow));

    let router = (last >= Stage::Route).then(|| Router::new(&fabric, &topology, &flow.dual, progress)).transpose();
    let router = router.map_err(Failure::infeasible)?;
    let context = Context::new(&fabric, &topology, pod.as_ref(), &flow.dual, router.as_ref(), all.len());
    progress.begin("scenarios", all.len() as u64);
    let (healthy, faults) = all.split_first().expect("nominal comes first");
    let (mut nominal, routes) = context.scenario(healthy, None)?;
    nominal.metrics.flow_low = nominal.metrics.flow_low.max(flow.primal.lower_end());
    progress.advance();
    let of_fault = |scenario| {
        let compiled = context.scenario(scenario, routes.as_ref());
        progress.advance();
        compiled.map(|(compiled, _)| compiled)
    };
    let faults: Vec<Result<CompiledScenario, Failure>> = faults.par_iter().map(of_fault).collect();
    progress.end();
    // The first failure in scenario order, whichever thread met it first.
    let scenarios = std::iter::once(Ok(nominal)).chain(faults).collect::<Result<Vec<_>, _>>()?;

    let metrics: Vec<ScenarioMetrics> = scenarios.iter().map(|scenario| scenario.metrics.clone()).collect();
    let requires = fabric.requires.iter().map(|require| contract::outcome(require, &metrics)).collect();
    passes.extend(router.map(|router| router.record(&scenarios)));
    Ok(Compiled { fabric, topology, wired, pod, flow, scenarios, requires, passes })
}
