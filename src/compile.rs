//! The pipeline on one screen.

mod faults;
mod finalists;
mod router;
mod scenario;
mod size;

use crate::check;
use crate::compiled::{Compiled, CompiledScenario};
use crate::diag::Failure;
use crate::ir::{PassRecord, RequireOutcome, Scenario, ScenarioMetrics, fault_flows_are_listed};
use crate::model::Pod;
use crate::passes::{cross_connect, flow, limit, trees};
use crate::progress::Progress;
use rayon::prelude::*;
use router::Router;
use scenario::Context;
pub use size::TooMuchMemory;

/// A stage that a build can be stopped after.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Stage {
    /// Syntax.
    Parse,
    /// Names, units, defaults.
    Resolve,
    /// Topology and cross-connects.
    Synthesize,
    /// Distances and flow.
    Analyze,
    /// Routes and tables of every scenario.
    Route,
    /// Proofs.
    Check,
    /// Artifacts.
    Emit,
}

impl Stage {
    /// All, in their order.
    pub const ALL: [Stage; 7] = [Stage::Parse, Stage::Resolve, Stage::Synthesize, Stage::Analyze, Stage::Route, Stage::Check, Stage::Emit];

    /// Its name in words.
    pub fn name(self) -> &'static str {
        match self {
            Stage::Parse => "parse",
            Stage::Resolve => "resolve",
            Stage::Synthesize => "synthesize",
            Stage::Analyze => "analyze",
            Stage::Route => "route",
            Stage::Check => "check",
            Stage::Emit => "emit",
        }
    }
}

/// Compiles a resolved pod as far as `last` (at least through `Analyze`; later stages come together with their proofs).
///
/// # Errors
/// [`Failure::Spec`] where the spec contradicts itself, [`Failure::Infeasible`] where what it asks for cannot be had,
/// [`Failure::Internal`] where the checker convicts a pass. A broken `require` is not an error here: see [`Compiled::requires`].
pub fn compile(pod: Pod, last: Stage, progress: &dyn Progress) -> Result<Compiled, Failure> {
    affordable(&pod, last)?;
    let (topology, record, uniform) = finalists::topology(&pod, progress)?;
    size::analysed(&pod, &topology).map_err(Failure::infeasible)?;
    let (limit, limit_record) = limit::universal(&pod);
    limit.iter().try_for_each(|limit| check::limit(&pod, limit)).map_err(Failure::internal)?;
    let cross_connects = cross_connect::assign(&pod, &topology).map_err(Failure::spec)?;
    check::wiring(&pod, &topology, &cross_connects).map_err(Failure::internal)?;

    let (all, at_once) =
        if last >= Stage::Route { faults::scenarios(&pod, &topology, &cross_connects, progress)? } else { (vec![Scenario::nominal()], 1) };
    if last >= Stage::Route {
        check::faults(&pod, &topology, &all).map_err(Failure::internal)?;
    }

    let lit = Scenario::nominal().alive(&topology, &cross_connects);
    let flow = flow::concurrent(&topology, &pod.demand, &lit, None, flow::Settings::certificate(pod.effort()), progress);
    check::flow(&topology, &pod.demand, &lit, &flow.primal).map_err(Failure::internal)?;
    let (trees, tree_bounds) = trees::disjoint_trees(&pod, &topology, &cross_connects);
    check::trees(&pod, &topology, &cross_connects, &trees).map_err(Failure::internal)?;
    check::tree_bounds(&pod, &topology, &cross_connects, trees.len(), &tree_bounds).map_err(Failure::internal)?;

    let router =
        if last >= Stage::Route { Some(Router::new(&pod, &topology, &flow.dual, progress).map_err(Failure::infeasible)?) } else { None };
    let context = Context {
        pod: &pod,
        topology: &topology,
        cross_connects: &cross_connects,
        nominal: &flow.dual,
        trees: &trees,
        router: router.as_ref(),
        fault_flows: fault_flows_are_listed(&topology, all.len() - 1),
    };
    progress.begin("scenarios", all.len() as u64);
    let (healthy, faults) = all.split_first().expect("nominal comes first");
    let (nominal, routes) = context.scenario(healthy, None)?;
    progress.advance();
    let fault = |scenario: &Scenario| -> Result<CompiledScenario, Failure> {
        let compiled = context.scenario(scenario, routes.as_ref());
        progress.advance();
        compiled.map(|(compiled, _)| compiled)
    };
    let mut compiled: Vec<Result<CompiledScenario, Failure>> = Vec::new();
    for some in faults.chunks(at_once) {
        compiled.extend(some.par_iter().map(fault).collect::<Vec<_>>());
        if compiled.iter().any(Result::is_err) {
            break;
        }
    }
    progress.end();
    // The first failure in scenario order, whichever thread met it first.
    let mut scenarios = vec![nominal];
    for fault in compiled {
        scenarios.push(fault?);
    }
    scenarios[0].metrics.flow_low = scenarios[0].metrics.flow_low.max(flow.primal.lower_end());

    let metrics: Vec<ScenarioMetrics> = scenarios.iter().map(|scenario| scenario.metrics.clone()).collect();
    let requires = pod.requires.iter().map(|require| RequireOutcome::of(require, &metrics)).collect();
    let counters = [("rounds", flow.rounds), ("sweeps", flow.sweeps)].into_iter().filter(|&(name, count)| name == "rounds" || count > 0);
    let flow_record = PassRecord {
        name: "flow".to_owned(),
        stopped_by: flow.stopped_by.name().to_owned(),
        counters: counters.map(|(name, count)| (name.to_owned(), u64::from(count))).collect(),
        notes: Vec::new(),
    };
    let passes = [Some(record), Some(limit_record), Some(flow_record), router.map(|router| router.record(&scenarios))]
        .into_iter()
        .flatten()
        .collect();
    Ok(Compiled { topology, limit, cross_connects, flow, uniform, trees, tree_bounds, scenarios, requires, passes, pod })
}

/// Refuses a pod whose build would take too much memory, as far as the spec alone tells; takes no time.
///
/// # Errors
/// [`Failure::Infeasible`] with [`TooMuchMemory`] at the line that makes it so large.
pub fn affordable(pod: &Pod, last: Stage) -> Result<(), Failure> {
    size::at_least(pod, last).map_err(Failure::infeasible)
}
