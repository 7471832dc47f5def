//! The routing method of the spec, as all scenarios share it.

use super::scenario::Context;
use crate::compiled::CompiledScenario;
use crate::ids::{IdVec, LinkId};
use crate::ir::{DualLengths, ForwardingTables, PassRecord, Routes, Scenario, Survivors, Topology, Walk};
use crate::model::{AllowedTurns, Pod, RouteSelect, RoutingChoice, TableKey, TopologyChoice};
use crate::passes::route::allowed_turns::{self, TurnOrder};
use crate::passes::route::{RouteError, dimension_order, up_down};
use crate::passes::tables;
use crate::progress::Progress;

/// Sweeps of the selection where a fault keeps no symmetry: one link changes little, and every router is a destination of its own.
const LOCAL_SWEEPS: u32 = 3;

/// The routing method of the spec, with what it prepares once for all scenarios.
pub(super) enum Router {
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
    pub(super) fn new(pod: &Pod, topology: &Topology, prices: &DualLengths, progress: &dyn Progress) -> Result<Self, RouteError> {
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

    pub(super) fn route(
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

    /// Routes what a fault without symmetry leaves; the tables, ranks and loads are those of the pod's
    /// routers.
    pub(super) fn route_survivors(
        &self,
        &Context { pod, topology, .. }: &Context<'_>,
        alive: &IdVec<LinkId, bool>,
        left: &Survivors,
        prices: &DualLengths,
        scenario: &Scenario,
        healthy: Option<&Routes>,
    ) -> Result<(Vec<u32>, ForwardingTables, Walk), RouteError> {
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
                let tables = tables::build(topology, &routes, self.key(), &scenario.name);
                let carried = tables::count(topology, &pod.demand, alive, &routes, &tables);
                return Ok((routes.ranks, tables, carried));
            }
            Router::UpDown => up_down::route(own, &lit, vcs),
        };
        let ranks = left.to_pod(own.ports() * usize::from(routes.vcs), &routes.ranks, 0);
        let tables = tables::build(own, &routes, self.key(), &scenario.name);
        let carried = tables::count(own, &left.demand, &lit, &routes, &tables);
        let loads = left.to_pod(own.ports(), &carried.loads, 0);
        Ok((ranks, left.tables_to_pod(&tables), Walk { loads, ..carried }))
    }

    /// What the tables look packets up by.
    pub(super) fn key(&self) -> TableKey {
        match self {
            Router::AllowedTurns { settings, .. } => settings.key,
            Router::DimensionOrder(_) | Router::UpDown => TableKey::DstInput,
        }
    }

    pub(super) fn record(&self, scenarios: &[CompiledScenario]) -> PassRecord {
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
