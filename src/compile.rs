//! The pipeline on one screen.

use crate::check;
use crate::compiled::{Compiled, CompiledScenario, RoutedScenario};
use crate::diag::Failure;
use crate::finalists;
use crate::ids::{IdVec, LinkId, OcsId};
use crate::ir::{
    CrossConnects, Distances, DualLengths, FlowCertificate, ForwardingTables, PackedTables, PassRecord, RequireOutcome, Routes, Scenario,
    ScenarioMetrics, Survivors, Topology, Walk, worst,
};
use crate::model::{AllowedTurns, Demand, Faults, Pod, Require, RouteSelect, RoutingChoice, TableKey, TopologyChoice};
use crate::passes::route::allowed_turns::{self, TurnOrder};
use crate::passes::route::{RouteError, dimension_order, up_down};
use crate::passes::{cross_connect, flow, limit, tables, trees};
use crate::progress::{Progress, Silent};
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

/// Sweeps of the selection where a fault keeps no symmetry: one link changes little, and every router is a destination of its own.
const LOCAL_SWEEPS: u32 = 3;

/// Integers that the flows of all fault scenarios may list together; beyond, what their tables carry is the lower end of their flow.
const LISTED_FLOWS: usize = 1_000_000;

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
    affordable(&pod, &topology, all.len(), progress).map_err(Failure::infeasible)?;

    let lit = Scenario::nominal().alive(&topology, &cross_connects);
    let flow = flow::concurrent(&topology, &pod.demand, &lit, None, flow::Settings::CERTIFICATE, progress);
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
        fault_flows: (all.len() - 1) * topology.symmetry().class_count() * topology.channel_count() <= LISTED_FLOWS,
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
    scenarios[0].metrics.flow_low = scenarios[0].metrics.flow_low.max(flow.primal.value());

    let metrics: Vec<ScenarioMetrics> = scenarios.iter().map(|scenario| scenario.metrics.clone()).collect();
    let requires = pod.requires.iter().map(|require| outcome(require, &metrics)).collect();
    let flow_record = PassRecord {
        name: "flow".to_owned(),
        stopped_by: flow.stopped_by.name().to_owned(),
        counters: vec![("rounds".to_owned(), u64::from(flow.rounds))],
        notes: Vec::new(),
    };
    let passes = [Some(record), Some(limit_record), Some(flow_record), router.map(|router| router.record(&scenarios))]
        .into_iter()
        .flatten()
        .collect();
    Ok(Compiled { topology, limit, cross_connects, flow, uniform, trees, tree_bounds, scenarios, requires, passes, pod })
}

/// What every scenario is compiled from.
struct Context<'a> {
    pod: &'a Pod,
    topology: &'a Topology,
    cross_connects: &'a CrossConnects,
    nominal: &'a DualLengths,
    trees: &'a [Vec<OcsId>],
    router: Option<&'a Router>,
    /// Whether fault scenarios get a flow of their own.
    fault_flows: bool,
}

impl Context<'_> {
    /// Analyses, routes and proves one scenario; faults start from the routes of the healthy pod, if the method can use them.
    fn scenario(&self, scenario: &Scenario, healthy: Option<&Routes>) -> Result<(CompiledScenario, Option<Routes>), Failure> {
        let Context { pod, topology, cross_connects, .. } = *self;
        let (alive, dead) = (scenario.alive(topology, cross_connects), scenario.chip);
        // What breaks the symmetry is compiled on what is left of the pod, without any.
        let survivors = (dead.is_some() || !topology.keeps(&alive)).then(|| Survivors::new(topology, &pod.demand, &alive, dead));
        let left = match &survivors {
            Some(left) => Left {
                topology: &left.topology,
                demand: &left.demand,
                alive: &left.alive(),
                start: &left.lengths_from_pod(topology, self.nominal),
            },
            None => Left { topology, demand: &pod.demand, alive: &alive, start: self.nominal },
        };
        // A chip that is left alone has nobody to serve.
        let connected = flow::distances(left.topology, left.alive).filter(|_| dead.is_none() || left.topology.node_count() > 1);
        let Some(distances) = connected else {
            return Err(Failure::infeasible(RouteError::fault_disconnects(pod, topology, &alive, scenario)));
        };
        check::distances_without(topology, &alive, dead, &distances).map_err(Failure::internal)?;
        let mut flow = None;
        let prices = if scenario.is_nominal() {
            self.nominal.clone()
        } else if survivors.is_some() {
            flow::price(left.topology, left.demand, left.alive, left.start, flow::Settings::LOCAL)
        } else if self.fault_flows {
            let found = flow::concurrent(topology, &pod.demand, &alive, Some(self.nominal), flow::Settings::FAULT, &Silent);
            check::flow(topology, &pod.demand, &alive, &found.primal).map_err(Failure::internal)?;
            flow = Some(found.primal);
            found.dual
        } else {
            flow::price(topology, &pod.demand, &alive, self.nominal, flow::Settings::FAULT)
        };
        let lengths = survivors.as_ref().map_or_else(|| prices.clone(), |left| left.lengths_to_pod(&prices));
        check::dual_without(topology, &pod.demand, &alive, dead, &lengths).map_err(Failure::internal)?;

        let mut metrics = self.metrics(scenario, &alive, &distances, &lengths);
        let Some(router) = self.router else {
            return Ok((CompiledScenario { scenario: scenario.clone(), metrics, lengths, flow, routed: None }, None));
        };
        let (ranks, tables, routes) = match &survivors {
            Some(left) => {
                router.route_survivors(self, &alive, left, &prices, scenario, healthy).map(|(ranks, tables)| (ranks, tables, None))
            }
            None => router
                .route(pod, topology, &alive, &prices, scenario, healthy)
                .map(|routes| (routes.ranks.clone(), tables::build(topology, &routes, router.key(), &scenario.name), Some(routes))),
        }
        .map_err(Failure::infeasible)?;
        let (walk, proof) = check::scenario_without(pod, topology, &alive, dead, &tables, &ranks).map_err(Failure::internal)?;
        metrics.flow_low = (1.0 / walk.max_channel_load() as f64).max(flow.as_ref().map_or(0.0, FlowCertificate::value));
        if let Some(limit) = pod.budget.table_entries.filter(|&limit| walk.entries_max > u64::from(limit)) {
            return Err(Failure::infeasible(RouteError::too_many_entries(pod, &tables, limit)));
        }
        metrics.routed = Some(walk);
        let routed = Some(RoutedScenario { tables: PackedTables::pack(&tables), proof });
        Ok((CompiledScenario { scenario: scenario.clone(), metrics, lengths, flow, routed }, routes))
    }

    fn metrics(&self, scenario: &Scenario, alive: &IdVec<LinkId, bool>, distances: &Distances, lengths: &DualLengths) -> ScenarioMetrics {
        ScenarioMetrics {
            scenario: scenario.name.clone(),
            nodes: scenario.served(self.pod) as u64,
            channels: alive.iter().filter(|&&lit| lit).count() as u64 * 2,
            diameter: distances.diameter,
            hop_histogram: distances.histogram.clone(),
            hop_total: distances.total,
            demand_hops: check::demand_hops_without(self.topology, &self.pod.demand, alive, scenario.chip),
            sent_most: self.pod.demand.sent_most_without(scenario.chip),
            flow_low: 0.0,
            flow_high: lengths.bound(),
            channel_bandwidth: self.pod.channel_bandwidth_gbs(),
            disjoint_trees: scenario.intact(self.trees, alive, self.cross_connects) as u32,
            routed: None,
        }
    }
}

/// The lit part of a pod, and the lengths that its pricing starts from.
struct Left<'a> {
    topology: &'a Topology,
    demand: &'a Demand,
    alive: &'a IdVec<LinkId, bool>,
    start: &'a DualLengths,
}

/// The routing method of the spec, with what it prepares once for all scenarios.
enum Router {
    AllowedTurns {
        order: Box<TurnOrder>,
        settings: allowed_turns::Settings,
        /// The load that `select = ilp` proves to be the least.
        exact: Option<u64>,
        /// The load that a full key reaches, where destinations alone are the key.
        full_key: Option<u64>,
    },
    DimensionOrder([u32; 3]),
    UpDown,
}

impl Router {
    fn new(pod: &Pod, topology: &Topology, prices: &DualLengths, progress: &dyn Progress) -> Result<Self, RouteError> {
        Ok(match (pod.routing, &pod.topology) {
            (RoutingChoice::DimensionOrder, TopologyChoice::Torus(dims)) => Router::DimensionOrder(*dims),
            (RoutingChoice::DimensionOrder, _) => unreachable!("resolve allows dimension_order on tori only"),
            (RoutingChoice::UpDown, _) => Router::UpDown,
            (RoutingChoice::AllowedTurns(AllowedTurns { priority, select, key }), _) => {
                let default = allowed_turns::Settings::for_pod(pod.budget.vcs, pod.node_count());
                let settings = allowed_turns::Settings { priority, key, table_entries: pod.budget.table_entries, ..default };
                if select == RouteSelect::Ilp && pod.node_count() > allowed_turns::MAX_NODES {
                    return Err(too_large(pod, "there are too many allowed paths".to_owned()));
                }
                let order = Box::new(allowed_turns::order(topology, prices, &settings, progress));
                let exact = match select {
                    RouteSelect::Descent => None,
                    RouteSelect::Ilp => Some(exact_load(pod, topology, prices, &order)?),
                };
                let full_key = (key == TableKey::Dst).then(|| {
                    let full = allowed_turns::Settings { key: TableKey::DstInput, table_entries: None, ..settings };
                    let lit = IdVec::filled(true, topology.links().len());
                    allowed_turns::select(topology, &pod.demand, &lit, prices, &order, &full, None).max_load(topology, &pod.demand)
                });
                Router::AllowedTurns { order, settings, exact, full_key }
            }
        })
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
            Router::AllowedTurns { order, settings, .. } => {
                let routes = allowed_turns::select(topology, &pod.demand, alive, prices, order, settings, healthy);
                Ok(match pod.topology {
                    TopologyChoice::Torus(dims)
                        if scenario.is_nominal() && pod.demand.is_uniform() && settings.starts_from_routes(pod.node_count()) =>
                    {
                        let start = dimension_order::route(pod, topology, dims, alive, scenario)?;
                        let other = allowed_turns::improve_routes(topology, &pod.demand, alive, prices, settings, &start);
                        if other.max_load(topology, &pod.demand) < routes.max_load(topology, &pod.demand) { other } else { routes }
                    }
                    _ => routes,
                })
            }
            Router::DimensionOrder(dims) => dimension_order::route(pod, topology, *dims, alive, scenario),
            Router::UpDown => Ok(up_down::route(topology, alive, pod.budget.vcs)),
        }
    }

    /// Routes what a fault without symmetry leaves; the tables and ranks are those of the pod's routers.
    fn route_survivors(
        &self,
        &Context { pod, topology, .. }: &Context<'_>,
        alive: &IdVec<LinkId, bool>,
        left: &Survivors,
        prices: &DualLengths,
        scenario: &Scenario,
        healthy: Option<&Routes>,
    ) -> Result<(Vec<u32>, ForwardingTables), RouteError> {
        let (lit, own, vcs) = (left.alive(), &left.topology, pod.budget.vcs);
        let routes = match self {
            // The ranks of the healthy pod, on every router: what rises there rises here.
            Router::AllowedTurns { order, settings, .. } => {
                let symmetry = if order.symmetric { topology.symmetry() } else { left.pod_symmetry() };
                let row = topology.ports() * usize::from(order.vcs);
                let order = TurnOrder { ranks: left.from_pod(symmetry, row, &order.ranks), symmetric: true, ..**order };
                let settings = allowed_turns::Settings { vcs: order.vcs, sweeps: LOCAL_SWEEPS, ..*settings };
                let healthy = healthy.map(|healthy| left.routes_from_pod(topology, healthy, &order.ranks, order.vcs));
                allowed_turns::select(own, &left.demand, &lit, prices, &order, &settings, healthy.as_ref())
            }
            // It knows no detours, and needs the coordinates of the whole pod.
            Router::DimensionOrder(_) => {
                let routes = self.route(pod, topology, alive, prices, scenario, None)?;
                return Ok((routes.ranks.clone(), tables::build(topology, &routes, self.key(), &scenario.name)));
            }
            Router::UpDown => up_down::route(own, &lit, vcs),
        };
        let ranks = left.to_pod(own.ports() * usize::from(routes.vcs), &routes.ranks, 0);
        Ok((ranks, left.tables_to_pod(&tables::build(own, &routes, self.key(), &scenario.name))))
    }

    /// What the tables look packets up by.
    fn key(&self) -> TableKey {
        match self {
            Router::AllowedTurns { settings, .. } => settings.key,
            Router::DimensionOrder(_) | Router::UpDown => TableKey::DstInput,
        }
    }

    fn record(&self, scenarios: &[CompiledScenario]) -> PassRecord {
        let mut counters = vec![("scenarios".to_owned(), scenarios.len() as u64)];
        let mut notes = Vec::new();
        let (name, stopped_by) = match self {
            Router::AllowedTurns { settings, exact, full_key, .. } => {
                counters.push(("order_rounds".to_owned(), u64::from(settings.order_rounds)));
                counters.push(("sweeps".to_owned(), u64::from(settings.sweeps)));
                counters.extend(exact.map(|load| ("ilp_load".to_owned(), load)));
                let reached = scenarios[0].metrics.routed.as_ref().map(Walk::max_channel_load);
                if let Some((full, reached)) = full_key.zip(reached) {
                    counters.push(("load_with_full_key".to_owned(), full));
                    notes.push(format!("keyed by destination alone: load {reached}; {full} if input port and VC are in the key"));
                }
                ("allowed_turns", if exact.is_some() && *exact == reached { "optimal" } else { "budget" })
            }
            Router::DimensionOrder(_) => ("dimension_order", "done"),
            Router::UpDown => ("up_down", "done"),
        };
        PassRecord { name: name.to_owned(), stopped_by: stopped_by.to_owned(), counters, notes }
    }
}

/// The least maximum load over the allowed paths of fewest hops, by integer linear programming.
fn exact_load(pod: &Pod, topology: &Topology, prices: &DualLengths, order: &TurnOrder) -> Result<u64, RouteError> {
    let most = allowed_turns::MAX_PATHS;
    let lit = IdVec::filled(true, topology.links().len());
    let choice = allowed_turns::paths(topology, &lit, prices, order, most)
        .ok_or_else(|| too_large(pod, "there are too many allowed paths".to_owned()))?;
    allowed_turns::least_load(&choice).map_err(|error| too_large(pod, error.to_string()))
}

/// The error of a pod for which `select = ilp` has no answer.
fn too_large(pod: &Pod, reason: String) -> RouteError {
    RouteError::Ilp { reason, chips: pod.node_count(), span: pod.routing_span }
}

/// Routes that a build may have to find, over all fault scenarios without symmetry.
const MOST_ROUTES: u64 = 100_000_000;

/// Says how much work the faults of links and chips are.
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
        Faults::Ocses(_) => return Ok(()),
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
