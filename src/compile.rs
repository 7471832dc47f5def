//! The pipeline on one screen.

mod finalists;
mod router;
mod scenario;

use crate::check;
use crate::compiled::{Compiled, CompiledScenario};
use crate::diag::Failure;
use crate::ir::{PassRecord, RequireOutcome, Scenario, ScenarioMetrics, Topology, fault_flows_are_listed};
use crate::model::{Faults, Pod};
use crate::passes::route::RouteError;
use crate::passes::{cross_connect, flow, limit, trees};
use crate::progress::Progress;
use rayon::prelude::*;
use router::Router;
use scenario::Context;

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
    let (topology, record, uniform) = finalists::topology(&pod, progress)?;
    let (limit, limit_record) = limit::universal(&pod);
    limit.iter().try_for_each(|limit| check::limit(&pod, limit)).map_err(Failure::internal)?;
    let cross_connects = cross_connect::assign(&pod, &topology).map_err(Failure::spec)?;
    check::wiring(&pod, &topology, &cross_connects).map_err(Failure::internal)?;

    let all = if last >= Stage::Route { Scenario::all(&pod, &topology) } else { vec![Scenario::nominal()] };
    if last >= Stage::Route {
        check::faults(&pod, &topology, &all).map_err(Failure::internal)?;
    }
    affordable(&pod, &topology, all.len(), progress).map_err(Failure::infeasible)?;

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
    let faults: Vec<Result<CompiledScenario, Failure>> = faults
        .par_iter()
        .map(|scenario| {
            let compiled = context.scenario(scenario, routes.as_ref());
            progress.advance();
            compiled.map(|(compiled, _)| compiled)
        })
        .collect();
    progress.end();
    // The first failure in scenario order, whichever thread met it first.
    let mut scenarios = vec![nominal];
    for fault in faults {
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

/// Routes that a build may have to find, over all fault scenarios without symmetry.
const MOST_ROUTES: u64 = 100_000_000;

/// Says how much work many faults are, before it begins.
///
/// # Errors
/// [`RouteError::TooManyFaults`] where it is more than [`MOST_ROUTES`].
fn affordable(pod: &Pod, topology: &Topology, scenarios: usize, progress: &dyn Progress) -> Result<(), RouteError> {
    if scenarios == 1 {
        return Ok(());
    }
    let (what, faults) = match pod.budget.faults {
        Faults::Link => ("link", topology.links().len()),
        Faults::Chip => ("chip", topology.node_count()),
        Faults::Ocses(most) => {
            if most > 1 {
                let ocses = pod.ocses.len();
                progress.note(&format!(
                    "`faults = 2 ocs` compiles {scenarios} scenarios (the healthy pod, {ocses} OCSes, {} pairs), about {} times the work of `1 ocs`",
                    scenarios - ocses - 1,
                    scenarios / (ocses + 1)
                ));
            }
            return Ok(());
        }
    };
    let (chips, scenarios) = (topology.node_count() as u64, scenarios as u64 - 1);
    let routes = scenarios.saturating_mul(chips * chips.saturating_sub(1));
    if routes > MOST_ROUTES {
        let span = pod.budget.faults_span;
        return Err(RouteError::TooManyFaults { what, chips, scenarios, routes, most: MOST_ROUTES, span });
    }
    // Measured at 128 and 256 chips: 10 us per route with two virtual channels, on one core.
    progress.note(&format!(
        "`faults = 1 {what}` compiles {scenarios} scenarios that stand for {faults} faults, {routes} routes in all: about {} s on one core",
        routes / 100_000 + 1
    ));
    Ok(())
}
