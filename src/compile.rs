//! The pipeline on one screen.

use crate::check;
use crate::compiled::{Compiled, CompiledScenario, RoutedScenario};
use crate::diag::Failure;
use crate::ids::{IdVec, LinkId, OcsId};
use crate::ir::{
    CrossConnects, Distances, DualLengths, PassRecord, RequireOutcome, Routes, Scenario, ScenarioMetrics, Topology, UniformTopology, worst,
};
use crate::model::{Demand, Pod, Require, RoutingChoice, TopologyChoice};
use crate::passes::route::allowed_turns::{self, TurnOrder};
use crate::passes::route::{RouteError, dimension_order, up_down};
use crate::passes::{cross_connect, flow, synth, tables, trees};
use crate::progress::Progress;
use rayon::prelude::*;

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

/// Rounds of the flow certificate of the healthy pod, and of the upper bound of a fault scenario.
const FLOW: flow::Settings = flow::Settings { rounds: 250, gap_ppm: 100 };
const FAULT_FLOW: flow::Settings = flow::Settings { rounds: 40, gap_ppm: 100 };

/// Compiles a resolved pod as far as `last` (at least through `Analyze`; later stages come together with their proofs).
///
/// # Errors
/// [`Failure::Spec`] where the spec contradicts itself, [`Failure::Infeasible`] where what it asks for cannot be had,
/// [`Failure::Internal`] where the checker convicts a pass. A broken `require` is not an error here: see [`Compiled::requires`].
pub fn compile(pod: Pod, last: Stage, progress: &dyn Progress) -> Result<Compiled, Failure> {
    let synth::Synthesized { topology, record } = synth::synthesize(&pod, progress).map_err(Failure::spec)?;
    let cross_connects = cross_connect::assign(&pod, &topology).map_err(Failure::spec)?;
    check::wiring(&pod, &topology, &cross_connects).map_err(Failure::internal)?;

    let lit = Scenario::nominal().alive(&cross_connects);
    let flow = flow::concurrent(&topology, &pod.demand, &lit, FLOW, progress);
    check::flow(&topology, &pod.demand, &flow.primal).map_err(Failure::internal)?;
    let uniform = uniform_topology(&pod, progress)?;
    let trees = trees::disjoint_trees(&pod, &topology, &cross_connects);
    check::trees(&pod, &topology, &cross_connects, &trees).map_err(Failure::internal)?;

    let router = if last >= Stage::Route { Some(Router::new(&pod, &topology, &flow.dual, progress)) } else { None };
    let context = Context {
        pod: &pod,
        topology: &topology,
        cross_connects: &cross_connects,
        nominal: &flow.dual,
        trees: &trees,
        router: router.as_ref(),
    };
    let all = if router.is_some() { Scenario::all(&pod) } else { vec![Scenario::nominal()] };
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
    scenarios[0].metrics.flow_low = scenarios[0].metrics.flow_low.max(flow.primal.value());

    let metrics: Vec<ScenarioMetrics> = scenarios.iter().map(|scenario| scenario.metrics.clone()).collect();
    let requires = pod.requires.iter().map(|require| outcome(require, &metrics)).collect();
    let flow_record = PassRecord {
        name: "flow".to_owned(),
        stopped_by: flow.stopped_by.name().to_owned(),
        counters: vec![("rounds".to_owned(), u64::from(flow.rounds))],
    };
    let passes = [Some(record), Some(flow_record), router.map(|router| router.record(scenarios.len()))].into_iter().flatten().collect();
    Ok(Compiled { topology, cross_connects, flow, uniform, trees, scenarios, requires, passes, pod })
}

/// What the topology that the same search finds for uniform demand reaches on the demand of the pod.
fn uniform_topology(pod: &Pod, progress: &dyn Progress) -> Result<Option<UniformTopology>, Failure> {
    let demand = &pod.demand;
    if demand.is_uniform() || !matches!(pod.topology, TopologyChoice::Synthesize(_)) {
        return Ok(None);
    }
    let other = Pod { demand: Demand::uniform(pod.node_count()), ..pod.clone() };
    let found = synth::synthesize(&other, progress).map_err(Failure::spec)?.topology;
    let kept = found.symmetry().subgroup(|g| demand.is_kept_by(|node| found.symmetry().image(g, node)));
    let topology = found.with_symmetry(kept);
    let lit = IdVec::filled(true, topology.links().len());
    let flow = flow::concurrent(&topology, demand, &lit, FLOW, progress);
    check::flow(&topology, demand, &flow.primal).map_err(Failure::internal)?;
    check::dual(&topology, demand, &lit, &flow.dual).map_err(Failure::internal)?;
    Ok(Some(UniformTopology { flow_low: flow.primal.value(), flow_high: flow.dual.bound() }))
}

/// What every scenario is compiled from.
struct Context<'a> {
    pod: &'a Pod,
    topology: &'a Topology,
    cross_connects: &'a CrossConnects,
    nominal: &'a DualLengths,
    trees: &'a [Vec<OcsId>],
    router: Option<&'a Router>,
}

impl Context<'_> {
    /// Analyses, routes and proves one scenario; faults start from the routes of the healthy pod, if the method can use them.
    fn scenario(&self, scenario: &Scenario, healthy: Option<&Routes>) -> Result<(CompiledScenario, Option<Routes>), Failure> {
        let Context { pod, topology, cross_connects, .. } = *self;
        let alive = scenario.alive(cross_connects);
        let Some(distances) = flow::distances(topology, &alive) else {
            return Err(Failure::infeasible(RouteError::fault_disconnects(pod, topology, &alive, scenario)));
        };
        check::distances(topology, &alive, &distances).map_err(Failure::internal)?;
        let lengths =
            if scenario.is_nominal() { self.nominal.clone() } else { flow::price(topology, &pod.demand, &alive, self.nominal, FAULT_FLOW) };
        check::dual(topology, &pod.demand, &alive, &lengths).map_err(Failure::internal)?;

        let mut metrics = self.metrics(scenario, &alive, &distances, &lengths);
        let Some(router) = self.router else {
            return Ok((CompiledScenario { scenario: scenario.clone(), metrics, lengths, routed: None }, None));
        };
        let routes = router.route(pod, topology, &alive, &lengths, scenario, healthy).map_err(Failure::infeasible)?;
        let tables = tables::build(topology, &routes, &scenario.name);
        let (walk, proof) = check::scenario(pod, topology, &alive, &tables, &routes.ranks).map_err(Failure::internal)?;
        metrics.flow_low = 1.0 / walk.max_channel_load() as f64;
        metrics.routed = Some(walk);
        let routed = Some(RoutedScenario { tables, proof });
        Ok((CompiledScenario { scenario: scenario.clone(), metrics, lengths, routed }, Some(routes)))
    }

    fn metrics(&self, scenario: &Scenario, alive: &IdVec<LinkId, bool>, distances: &Distances, lengths: &DualLengths) -> ScenarioMetrics {
        ScenarioMetrics {
            scenario: scenario.name.clone(),
            nodes: self.pod.node_count() as u64,
            channels: alive.iter().filter(|&&lit| lit).count() as u64 * 2,
            diameter: distances.diameter,
            hop_histogram: distances.histogram.clone(),
            hop_total: distances.total,
            demand_hops: check::demand_hops(self.topology, &self.pod.demand, alive),
            sent_most: self.pod.demand.sent_most(),
            flow_low: 0.0,
            flow_high: lengths.bound(),
            channel_bandwidth: self.pod.channel_bandwidth_gbs(),
            disjoint_trees: self.trees.iter().filter(|tree| tree.iter().all(|ocs| !scenario.dark.contains(ocs))).count() as u32,
            routed: None,
        }
    }
}

/// The routing method of the spec, with what it prepares once for all scenarios.
enum Router {
    AllowedTurns { order: Box<TurnOrder>, settings: allowed_turns::Settings },
    DimensionOrder([u32; 3]),
    UpDown,
}

impl Router {
    fn new(pod: &Pod, topology: &Topology, prices: &DualLengths, progress: &dyn Progress) -> Self {
        match (pod.routing, &pod.topology) {
            (RoutingChoice::DimensionOrder, TopologyChoice::Torus(dims)) => Router::DimensionOrder(*dims),
            (RoutingChoice::DimensionOrder, _) => unreachable!("resolve allows dimension_order on tori only"),
            (RoutingChoice::UpDown, _) => Router::UpDown,
            (RoutingChoice::AllowedTurns, _) => {
                let settings = allowed_turns::Settings::for_pod(pod.budget.vcs, pod.node_count());
                let order = Box::new(allowed_turns::order(topology, prices, &settings, progress));
                Router::AllowedTurns { order, settings }
            }
        }
    }

    fn route(
        &self,
        pod: &Pod,
        topology: &Topology,
        alive: &IdVec<LinkId, bool>,
        prices: &DualLengths,
        scenario: &Scenario,
        healthy: Option<&Routes>,
    ) -> Result<Routes, RouteError> {
        match self {
            Router::AllowedTurns { order, settings } => {
                Ok(allowed_turns::select(topology, &pod.demand, alive, prices, order, settings, healthy))
            }
            Router::DimensionOrder(dims) => dimension_order::route(pod, topology, *dims, alive, &scenario.name),
            Router::UpDown => Ok(up_down::route(topology, alive, pod.budget.vcs)),
        }
    }

    fn record(&self, scenarios: usize) -> PassRecord {
        let mut counters = vec![("scenarios".to_owned(), scenarios as u64)];
        let (name, stopped_by) = match self {
            Router::AllowedTurns { settings, .. } => {
                counters.push(("order_rounds".to_owned(), u64::from(settings.order_rounds)));
                counters.push(("sweeps".to_owned(), u64::from(settings.sweeps)));
                ("allowed_turns", "budget")
            }
            Router::DimensionOrder(_) => ("dimension_order", "done"),
            Router::UpDown => ("up_down", "done"),
        };
        PassRecord { name: name.to_owned(), stopped_by: stopped_by.to_owned(), counters }
    }
}

/// Measures one `require`.
fn outcome(require: &Require, scenarios: &[ScenarioMetrics]) -> RequireOutcome {
    let (measured, scenario) = if require.fault {
        match worst(scenarios, require.metric) {
            Some((value, scenario)) => (Some(value), Some(scenario.to_owned())),
            None => (None, None),
        }
    } else {
        (scenarios[0].value(require.metric), None)
    };
    RequireOutcome { require: require.clone(), measured, scenario }
}
