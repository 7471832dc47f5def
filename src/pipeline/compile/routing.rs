//! The routing method of the spec, as all scenarios share it.
//!
//! In: a topology, and the prices of its channels from the certified flow. Out: what the method prepares
//! once, and from that for every scenario tables, the ranks that prove them, and what their routes load.

use fabc_base::progress::Progress;
use fabc_emit::compiled::CompiledScenario;
use fabc_ir::{
    DualLengths, ForwardingTables, LanedHops, NextHops, PassRecord, Routes, Scenario, Scene, Survivors,
    Topology, Walk, hop_cycles,
};
use fabc_model::{
    AllowedTurns, Demand, Fabric, Pod, RouteSelect, RoutingChoice, TableKey, TopologyChoice, VcCount,
};
use fabc_passes::repair::{self, Before};
use fabc_passes::route::allowed_turns::{self, TurnOrder};
use fabc_passes::route::lanes;
use fabc_passes::route::{RouteError, algebraic, axis_order, dimension_order, minimal, up_down};
use fabc_passes::tables;

/// Sweeps of the selection where a fault keeps no symmetry: one link changes little, and every router is a
/// destination of its own.
const LOCAL_SWEEPS: u32 = 3;

/// The routing method of the spec, with what it prepares once for all scenarios.
pub(super) enum Routing {
    AllowedTurns {
        order: Box<TurnOrder>,
        settings: allowed_turns::Settings,
        /// The load that `select = ilp` proves to be the least.
        exact: Option<u64>,
        /// The load that a full key reaches, where destinations alone are the key.
        full_key: Option<u64>,
    },
    DimensionOrder,
    UpDown,
    Minimal,
    Algebraic,
}

/// The routes of one scenario.
pub(super) struct Routed {
    /// `[channel class * vcs + vc]` under the symmetry of the tables.
    pub(super) ranks: Vec<u32>,
    pub(super) tables: ForwardingTables,
    /// What the routes load; the checker walks the tables for the same.
    pub(super) carried: Walk,
    /// What faults may start from.
    pub(super) routes: Option<Routes>,
}

impl Routed {
    fn new(
        fabric: &Fabric,
        scene: &Scene<'_>,
        demand: &Demand,
        routes: Routes,
        key: TableKey,
        scenario: &Scenario,
    ) -> Self {
        let tables = tables::build(scene.topology, &routes, key, &scenario.name);
        let carried = tables::count(scene, demand, &hop_cycles(fabric, scene.topology), &routes, &tables);
        Self { ranks: routes.ranks.clone(), tables, carried, routes: Some(routes) }
    }

    /// Balanced shortest routes.
    fn minimal(
        fabric: &Fabric,
        scene: &Scene<'_>,
        demand: &Demand,
        prices: &DualLengths,
        scenario: &Scenario,
    ) -> Result<Self, RouteError> {
        let bound = prices.least_load(scene.topology.capacities().parts());
        let care = if scenario.is_nominal() { minimal::Care::Full } else { minimal::Care::Fault };
        let start = if lanes::local_first(fabric) { minimal::Start::Local } else { minimal::Start::Any };
        let next = minimal::route(scene, demand, minimal::Settings { care, start, bound });
        Self::of_next_hops(fabric, scene, demand, scenario, next)
    }

    /// Routes of next hops, on as few virtual channels as there is a proof for.
    fn of_next_hops(
        fabric: &Fabric,
        scene: &Scene<'_>,
        demand: &Demand,
        scenario: &Scenario,
        next: NextHops,
    ) -> Result<Self, RouteError> {
        let (hops, rule) = lanes::fewest(fabric, scene, next);
        if hops.used > u32::from(fabric.budget.vcs) {
            return Err(RouteError::too_few_vcs(fabric, scenario, rule, hops.used));
        }
        let tables = tables::by_destination(&hops, fabric.budget.vcs, &scenario.name);
        let carried =
            tables::count_next_hops(scene, demand, &hop_cycles(fabric, scene.topology), &hops, &tables);
        let LanedHops { ranks, .. } = hops;
        Ok(Self { ranks, tables, carried, routes: None })
    }
}

impl Routing {
    /// None where vectors are scheduled.
    pub(super) fn new(
        fabric: &Fabric,
        topology: &Topology,
        prices: &DualLengths,
        progress: &dyn Progress,
    ) -> Result<Option<Self>, RouteError> {
        Ok(Some(match fabric.routing {
            RoutingChoice::Scheduled(_) => return Ok(None),
            RoutingChoice::DimensionOrder => Routing::DimensionOrder,
            RoutingChoice::UpDown => Routing::UpDown,
            RoutingChoice::Minimal => Routing::Minimal,
            RoutingChoice::Algebraic => Routing::Algebraic,
            RoutingChoice::AllowedTurns(AllowedTurns { priority, select, key }) => {
                let default = allowed_turns::Settings::for_topology(fabric.budget.vcs, topology);
                let settings = allowed_turns::Settings {
                    priority,
                    key,
                    table_entries: fabric.budget.table_entries,
                    ..default
                };
                if select == RouteSelect::Ilp && fabric.node_count() > allowed_turns::MAX_NODES {
                    return Err(too_large(fabric, "there are too many allowed paths".to_owned()));
                }
                let order = Box::new(allowed_turns::order(topology, prices, &settings, progress));
                let exact = match select {
                    RouteSelect::Descent => None,
                    RouteSelect::Ilp => Some(exact_load(fabric, topology, prices, &order)?),
                };
                let full_key = (key == TableKey::Dst).then(|| {
                    let full =
                        allowed_turns::Settings { key: TableKey::DstInput, table_entries: None, ..settings };
                    let whole = Scene::whole(topology);
                    allowed_turns::select(&whole, &fabric.demand, prices, &order, &full, None)
                        .max_load(topology, &fabric.demand)
                });
                Routing::AllowedTurns { order, settings, exact, full_key }
            }
        }))
    }

    /// Routes a scenario that keeps the symmetry of the topology; faults start from the routes of the healthy
    /// fabric, if the method can use them.
    pub(super) fn route(
        &self,
        fabric: &Fabric,
        scene: &Scene<'_>,
        prices: &DualLengths,
        scenario: &Scenario,
        healthy: Option<&Routes>,
    ) -> Result<Routed, RouteError> {
        let (topology, demand) = (scene.topology, &fabric.demand);
        let routes = match self {
            Routing::AllowedTurns { order, settings, .. } => {
                let routes = allowed_turns::select(scene, demand, prices, order, settings, healthy);
                match torus(fabric) {
                    Some((pod, dims))
                        if scenario.is_nominal()
                            && demand.is_uniform()
                            && settings.starts_from_routes(fabric.node_count()) =>
                    {
                        let start = dimension_order::route(fabric, pod, scene, dims, scenario)?;
                        let other = allowed_turns::improve_routes(scene, demand, prices, settings, &start);
                        if other.max_load(topology, demand) < routes.max_load(topology, demand) {
                            other
                        } else {
                            routes
                        }
                    }
                    _ => routes,
                }
            }
            Routing::DimensionOrder => match torus(fabric) {
                Some((pod, dims)) => dimension_order::route(fabric, pod, scene, dims, scenario)?,
                None => axis_order::route(fabric, scene, scenario)?,
            },
            Routing::UpDown => up_down::route(scene, fabric.budget.vcs),
            Routing::Minimal => return Routed::minimal(fabric, scene, demand, prices, scenario),
            Routing::Algebraic => {
                let next = algebraic::route(scene, fabric)
                    .map_err(|pair| RouteError::no_detour(fabric, topology, scenario, pair))?;
                return Routed::of_next_hops(fabric, scene, demand, scenario, next);
            }
        };
        Ok(Routed::new(fabric, scene, demand, routes, self.routes_key(), scenario))
    }

    /// Routes what a fault without symmetry leaves; the tables, ranks and loads are those of the whole
    /// fabric's routers.
    pub(super) fn route_survivors(
        &self,
        fabric: &Fabric,
        scene: &Scene<'_>,
        left: &Survivors,
        prices: &DualLengths,
        scenario: &Scenario,
        healthy: Option<&Routes>,
    ) -> Result<Routed, RouteError> {
        let (topology, own, vcs) = (scene.topology, &left.scene(), fabric.budget.vcs);
        let routed = match self {
            // The ranks of the healthy fabric, on every router: what rises there rises here.
            Routing::AllowedTurns { order, settings, .. } => {
                let symmetry = if order.symmetric { topology.symmetry() } else { left.whole_symmetry() };
                // A torus may have taken routes that rise by other ranks: under this order they are no start.
                let healthy = healthy.filter(|healthy| {
                    healthy.symmetry == *symmetry && ranks_of_order(healthy, order.vcs) == order.ranks
                });
                let row = topology.ports() * usize::from(order.vcs);
                let order = TurnOrder {
                    ranks: left.from_whole(symmetry, row, &order.ranks),
                    symmetric: true,
                    ..**order
                };
                let settings = allowed_turns::Settings { vcs: order.vcs, sweeps: LOCAL_SWEEPS, ..*settings };
                let repaired = healthy
                    .and_then(|healthy| repaired(scene, &fabric.demand, healthy, (settings.key, order.vcs)));
                let healthy = repaired.as_ref().or(healthy);
                let healthy =
                    healthy.map(|healthy| left.routes_from_whole(topology, healthy, &order.ranks, order.vcs));
                let routes =
                    allowed_turns::select(own, &left.demand, prices, &order, &settings, healthy.as_ref());
                Routed::new(fabric, own, &left.demand, routes, self.routes_key(), scenario)
            }
            // It knows no detours, and needs the coordinates of the whole pod.
            Routing::DimensionOrder | Routing::Algebraic => {
                return self.route(fabric, scene, prices, scenario, None);
            }
            Routing::UpDown => {
                Routed::new(fabric, own, &left.demand, up_down::route(own, vcs), self.routes_key(), scenario)
            }
            Routing::Minimal => Routed::minimal(fabric, own, &left.demand, prices, scenario)?,
        };
        let ranks = left.to_whole(own.topology.ports() * usize::from(routed.tables.vcs), &routed.ranks, 0);
        let loads = left.to_whole(own.topology.ports(), &routed.carried.loads, 0);
        let (tables, carried) = (left.tables_to_whole(&routed.tables), Walk { loads, ..routed.carried });
        Ok(Routed { ranks, tables, carried, routes: None })
    }

    /// What tables of whole routes look packets up by.
    fn routes_key(&self) -> TableKey {
        if let Routing::AllowedTurns { settings, .. } = self { settings.key } else { TableKey::DstInput }
    }

    /// What it did, over so many scenarios.
    pub(super) fn record(&self, nominal: &CompiledScenario, scenarios: usize) -> PassRecord {
        let mut counters = vec![("scenarios".to_owned(), scenarios as u64)];
        let mut notes = Vec::new();
        let (name, stopped_by) = match self {
            Routing::AllowedTurns { settings, exact, full_key, .. } => {
                counters.push(("order_rounds".to_owned(), u64::from(settings.order_rounds)));
                counters.push(("sweeps".to_owned(), u64::from(settings.sweeps)));
                counters.extend(exact.map(|load| ("ilp_load".to_owned(), load)));
                let reached = nominal.metrics.routed.as_ref().map(Walk::max_channel_load);
                if let Some((full, reached)) = full_key.zip(reached) {
                    counters.push(("load_with_full_key".to_owned(), full));
                    let of = &nominal.metrics;
                    let [reached, full] = [reached, full].map(|load| of.load(load).as_f64());
                    notes.push(format!("keyed by destination alone: load {reached}; {full} if input port and VC are in the key"));
                }
                if nominal.metrics.parts > 1 && (exact.is_some() || full_key.is_some()) {
                    counters.push(("load_parts".to_owned(), nominal.metrics.parts));
                }
                ("allowed_turns", if exact.is_some() && *exact == reached { "optimal" } else { "budget" })
            }
            Routing::DimensionOrder => ("dimension_order", "done"),
            Routing::UpDown => ("up_down", "done"),
            Routing::Minimal | Routing::Algebraic => {
                let key = nominal.routed.as_ref().map(|routed| routed.tables.key);
                notes.extend(match key {
                    Some(TableKey::Dst) => Some(
                        "fewer virtual channels than hops: the ranks rise along every route all the same"
                            .to_owned(),
                    ),
                    Some(TableKey::DstCount(VcCount::GlobalHops)) => {
                        Some("the virtual channel counts the hops between groups".to_owned())
                    }
                    _ => None,
                });
                if let Routing::Minimal = self { ("minimal", "budget") } else { ("algebraic", "done") }
            }
        };
        PassRecord { name: name.to_owned(), stopped_by: stopped_by.to_owned(), counters, notes }
    }
}

/// The routes of the healthy fabric where they still arrive, and the cheapest ways of rising rank where they
/// do not, on as many virtual channels as the order uses of the budget: a better start than ways that know
/// nothing of loads. Nothing where no way rises, or keys are shared.
fn repaired(
    scene: &Scene<'_>,
    demand: &Demand,
    healthy: &Routes,
    (key, vcs): (TableKey, u8),
) -> Option<Routes> {
    if key != TableKey::DstInput {
        return None;
    }
    let tables = ForwardingTables { vcs, ..tables::build(scene.topology, healthy, key, "nominal") };
    let ranks = ranks_of_order(healthy, vcs);
    repair::local_routes(scene, demand, Before { tables: &tables, ranks: &ranks })
}

/// The ranks of routes on the virtual channels that an order uses, of all those of the budget.
fn ranks_of_order(routes: &Routes, vcs: u8) -> Vec<u32> {
    let rows = routes.ranks.chunks(usize::from(routes.vcs));
    rows.flat_map(|row| row.iter().copied().take(usize::from(vcs))).collect()
}

/// The least maximum load over the allowed paths of fewest hops, by integer linear programming.
fn exact_load(
    fabric: &Fabric,
    topology: &Topology,
    prices: &DualLengths,
    order: &TurnOrder,
) -> Result<u64, RouteError> {
    let most = allowed_turns::MAX_PATHS;
    let choice = allowed_turns::paths(&Scene::whole(topology), prices, order, most)
        .ok_or_else(|| too_large(fabric, "there are too many allowed paths".to_owned()))?;
    allowed_turns::least_load(&choice).map_err(|error| too_large(fabric, error.to_string()))
}

/// The pod that is to be a torus, and its sides.
fn torus(fabric: &Fabric) -> Option<(&Pod, [u32; 3])> {
    let pod = fabric.pod()?;
    if let TopologyChoice::Torus(dims) = pod.topology { Some((pod, dims)) } else { None }
}

/// The error of a fabric for which `select = ilp` has no answer.
fn too_large(fabric: &Fabric, reason: String) -> RouteError {
    RouteError::Ilp {
        reason,
        routers: fabric.node_count(),
        word: fabric.plant.router_word(),
        span: fabric.routing_span,
    }
}
