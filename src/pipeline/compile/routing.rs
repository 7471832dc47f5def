//! The routing method of the spec, shared by all scenarios.
//!
//! In: a topology, and the prices of its channels from the certified flow. Out: what the method prepares
//! once. From that, every scenario gets its tables, the ranks that prove them, and the loads of their routes.

use super::Stage;
use super::aim::{JobAim, RouteAim, torus};
use super::turn_orders::{
    aimed_order, exact_load, ranks_of_order, repaired_routes, too_large, turn_settings,
};
use fabc_base::progress::{Progress, Silent};
use fabc_emit::compiled::CompiledScenario;
use fabc_ir::{
    DualLengths, ForwardingTables, Fraction, KeptOrder, NextHops, PassRecord, RankedHops, Routes, Scenario,
    Scene, Survivors, Topology, Walk, hop_cycles, ordered_tiers,
};
use fabc_model::{AllowedTurns, Demand, Fabric, RouteSelect, RoutingChoice, TableKey, VcCount};
use fabc_passes::repair::{self, RankedTables};
use fabc_passes::route::allowed_turns::{self, TurnOrder};
use fabc_passes::route::lanes;
use fabc_passes::route::minimal::BalancedRoutes;
use fabc_passes::route::{RouteError, algebraic, axis_order, dimension_order, minimal, up_down};
use fabc_passes::tables;

/// Sweeps of the selection where a fault keeps no symmetry. Few are enough, since one link changes little.
/// Few are affordable, since every router is then a destination of its own.
const LOCAL_SWEEPS: u32 = 3;

/// The routing method of the spec, with what it prepares once for all scenarios.
pub(super) enum PreparedRouting {
    /// Every pair has one path.
    SinglePath {
        /// What it prepares once for all scenarios.
        method: SinglePath,
        /// What its routes balance, where that is not the demand of the fabric.
        aim: Option<JobAim>,
    },
    /// Every pair has all shortest paths that go up and then down.
    ManyPaths {
        /// The name of the routing.
        name: &'static str,
        /// `[router]`: its tier in the healthy topology.
        tiers: Vec<u32>,
    },
}

impl PreparedRouting {
    /// Prepares the method of the spec. `None` where vectors are scheduled. `aim` is what routes balance,
    /// where that is not the demand of the fabric. Nothing is searched where the order of the channels is
    /// `known`.
    pub(super) fn new(
        fabric: &Fabric,
        topology: &Topology,
        prices: &DualLengths,
        aim: Option<JobAim>,
        known: Option<KeptOrder>,
        progress: &dyn Progress,
    ) -> Result<Option<Self>, RouteError> {
        if let Some(tiers) = tiers_of_groups(fabric, topology, Stage::Route) {
            return Ok(Some(PreparedRouting::ManyPaths { name: fabric.routing.name(), tiers }));
        }
        let prices = aim.as_ref().map_or(prices, JobAim::prices);
        let method = match (known, fabric.routing) {
            (Some(known), RoutingChoice::AllowedTurns(turns)) => {
                Some(SinglePath::from_order(fabric, topology, turns, known))
            }
            _ => SinglePath::new(fabric, topology, prices, aim.as_ref(), progress)?,
        };
        Ok(method.map(|method| PreparedRouting::SinglePath { method, aim }))
    }

    /// Whether the routes of the faults of a fabric start from an order and the routes of the healthy fabric.
    pub(super) fn has_order(fabric: &Fabric) -> bool {
        matches!(fabric.routing, RoutingChoice::AllowedTurns(_))
    }

    /// The order of the channels, if it and the tables of the healthy fabric are all that faults start from.
    pub(super) fn kept_order(
        &self,
        topology: &Topology,
        nominal: &CompiledScenario,
        routes: Option<&Routes>,
    ) -> Option<KeptOrder> {
        let PreparedRouting::SinglePath { method: SinglePath::AllowedTurns { order, .. }, .. } = self else {
            return None;
        };
        let (routes, known) = (routes?, self.known_routes(topology, nominal)?);
        let is_same = routes.hops == known.hops
            && routes.offsets == known.offsets
            && routes.ranks == known.ranks
            && routes.symmetry == known.symmetry;
        let TurnOrder { vcs, symmetric, ranks, lost } = &**order;
        is_same.then(|| KeptOrder { vcs: *vcs, symmetric: *symmetric, ranks: ranks.clone(), lost: *lost })
    }

    /// The routes of the healthy fabric, as its tables give them. `None` for methods whose faults start from
    /// no routes.
    pub(super) fn known_routes(&self, topology: &Topology, nominal: &CompiledScenario) -> Option<Routes> {
        let PreparedRouting::SinglePath { method: SinglePath::AllowedTurns { .. }, .. } = self else {
            return None;
        };
        let routed = nominal.routed.as_ref()?;
        let (tables, ranks) = (&routed.tables.unpacked(), routed.proof.ranks());
        Some(repair::healthy_routes(topology, RankedTables { tables, ranks }))
    }

    /// The record of the routing pass: what it did over all `scenarios`.
    pub(super) fn record(&self, nominal: &CompiledScenario, scenarios: usize) -> PassRecord {
        match self {
            PreparedRouting::SinglePath { method, .. } => method.record(nominal, scenarios),
            PreparedRouting::ManyPaths { name, tiers } => {
                let above_endpoints = tiers.iter().copied().max().unwrap_or(0);
                PassRecord {
                    name: (*name).to_owned(),
                    stopped_by: "done".to_owned(),
                    counters: vec![
                        ("scenarios".to_owned(), scenarios as u64),
                        ("tiers".to_owned(), u64::from(above_endpoints) + 1),
                    ],
                    notes: Vec::new(),
                }
            }
        }
    }
}

/// The tables of a healthy topology that balance what jobs send. `None` for methods without one path per
/// pair.
pub(super) fn aimed_tables(
    fabric: &Fabric,
    topology: &Topology,
    aim: &JobAim,
) -> Result<Option<ForwardingTables>, RouteError> {
    let method = SinglePath::new(fabric, topology, aim.prices(), Some(aim), &Silent)?;
    let Some(method) = method else { return Ok(None) };
    let scene = Scene::healthy(topology);
    let routed = method.route(fabric, &scene, &aim.whole(), &Scenario::nominal(), None)?;
    Ok(Some(routed.tables))
}

/// What next-hop groups need of a topology for a build as far as `last`: `[router]`, its tier. `None` for
/// methods with one path per pair, and if the build stops before routing.
pub(super) fn tiers_of_groups(fabric: &Fabric, topology: &Topology, last: Stage) -> Option<Vec<u32>> {
    let wanted = fabric.routing.has_many_paths() && last >= Stage::Route;
    wanted.then(|| {
        ordered_tiers(topology, fabric.routing.tier_order()).expect("a spec with many paths has tiers")
    })
}

/// A method that finds one path per pair, with what it prepares once for all scenarios.
pub(super) enum SinglePath {
    AllowedTurns {
        order: Box<TurnOrder>,
        settings: allowed_turns::TurnSettings,
        /// The load that `select = ilp` proves to be the least.
        exact: Option<u64>,
        /// The load that a full table key reaches, where the destination alone is the key.
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
    /// The loads and hops of the routes. The checker walks the tables and must find the same.
    pub(super) expected_walk: Walk,
    /// The routes, where faults can start from them.
    pub(super) routes: Option<Routes>,
    /// Lengths that prove how little shortest routes can load the busiest channel, where they were sought.
    pub(super) shortest: Option<DualLengths>,
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
        let expected_walk =
            tables::count(scene, demand, &hop_cycles(fabric, scene.topology), &routes, &tables);
        Self { ranks: routes.ranks.clone(), tables, expected_walk, routes: Some(routes), shortest: None }
    }

    /// Routes the scenario by balanced shortest routes.
    fn minimal(
        fabric: &Fabric,
        scene: &Scene<'_>,
        demand: &Demand,
        aim: &RouteAim<'_>,
        scenario: &Scenario,
    ) -> Result<Self, RouteError> {
        let settings = balance_settings(fabric, scene, &aim.prices, scenario);
        let BalancedRoutes { next, proof } = minimal::route(scene, &aim.demand, settings);
        let routed = Self::from_next_hops(fabric, scene, demand, scenario, next)?;
        Ok(Self { shortest: proof, ..routed })
    }

    /// Routes the scenario up and then down.
    fn up_down(
        fabric: &Fabric,
        scene: &Scene<'_>,
        demand: &Demand,
        aim: &RouteAim<'_>,
        scenario: &Scenario,
    ) -> Self {
        let settings = balance_settings(fabric, scene, &aim.prices, scenario);
        let routes = up_down::route(scene, &aim.demand, settings, fabric.budget.vcs);
        Self::new(fabric, scene, demand, routes, TableKey::DstInput, scenario)
    }

    /// Lays next hops out on the fewest virtual channels for which there is a proof.
    fn from_next_hops(
        fabric: &Fabric,
        scene: &Scene<'_>,
        demand: &Demand,
        scenario: &Scenario,
        next: NextHops,
    ) -> Result<Self, RouteError> {
        let (hops, rule) = lanes::assign_fewest(fabric, scene, next);
        if hops.used > u32::from(fabric.budget.vcs) {
            return Err(RouteError::too_few_vcs(fabric, scenario, rule, hops.used));
        }
        let tables = tables::by_destination(&hops, fabric.budget.vcs, &scenario.name);
        let expected_walk =
            tables::count_next_hops(scene, demand, &hop_cycles(fabric, scene.topology), &hops, &tables);
        let RankedHops { ranks, .. } = hops;
        Ok(Self { ranks, tables, expected_walk, routes: None, shortest: None })
    }
}

/// A note on routes that are longer than was aimed at.
fn long_routes(settings: &allowed_turns::TurnSettings, nominal: &CompiledScenario) -> Option<String> {
    let (aimed, diameter) = (settings.detour?.beyond_diameter, nominal.metrics.diameter);
    let hops = nominal.metrics.routed.as_ref()?.longest_route();
    let beyond = hops.checked_sub(diameter).filter(|&beyond| beyond > aimed)?;
    Some(format!(
        "the longest route has {hops} hops, {beyond} beyond the diameter: {aimed} were aimed at, which costs load"
    ))
}

/// The bounds on the load before they are rounded up, for a report.
fn bounds_in_full(nominal: &CompiledScenario, shortest: &DualLengths) -> String {
    let load = |lengths: &DualLengths| Fraction::new(lengths.distance, lengths.volume).as_f64();
    format!(
        "before they are rounded up, the bounds on the load are {:.3} for all routes and {:.3} for shortest ones",
        load(&nominal.lengths),
        load(shortest)
    )
}

/// The settings of the balance of shortest routes in a scenario.
fn balance_settings(
    fabric: &Fabric,
    scene: &Scene<'_>,
    prices: &DualLengths,
    scenario: &Scenario,
) -> minimal::BalanceSettings {
    let effort =
        if scenario.is_nominal() { minimal::BalanceEffort::Full } else { minimal::BalanceEffort::Fault };
    let first_hop =
        if lanes::local_first(fabric) { minimal::FirstHop::Local } else { minimal::FirstHop::Any };
    let bound = prices.least_load(scene.topology.capacities().parts());
    minimal::BalanceSettings { effort, first_hop, bound }
}

impl SinglePath {
    /// Allowed turns under a known order. The record of the healthy fabric has the loads that it is compared
    /// with.
    fn from_order(fabric: &Fabric, topology: &Topology, turns: AllowedTurns, known: KeptOrder) -> Self {
        let KeptOrder { vcs, symmetric, ranks, lost } = known;
        let order = Box::new(TurnOrder { vcs, symmetric, ranks, lost });
        let settings = turn_settings(fabric, topology, turns);
        SinglePath::AllowedTurns { order, settings, exact: None, full_key: None }
    }

    /// Prepares the method of the spec. `None` for methods without one path per pair.
    fn new(
        fabric: &Fabric,
        topology: &Topology,
        prices: &DualLengths,
        aim: Option<&JobAim>,
        progress: &dyn Progress,
    ) -> Result<Option<Self>, RouteError> {
        Ok(Some(match fabric.routing {
            RoutingChoice::Scheduled(_) | RoutingChoice::ManyPaths(_) => return Ok(None),
            RoutingChoice::DimensionOrder => SinglePath::DimensionOrder,
            RoutingChoice::UpDown => SinglePath::UpDown,
            RoutingChoice::Minimal => SinglePath::Minimal,
            RoutingChoice::Algebraic => SinglePath::Algebraic,
            RoutingChoice::AllowedTurns(turns) => {
                let settings = turn_settings(fabric, topology, turns);
                let AllowedTurns { select, key, .. } = turns;
                if select == RouteSelect::Ilp && fabric.node_count() > allowed_turns::MAX_NODES {
                    return Err(too_large(fabric, "there are too many allowed paths".to_owned()));
                }
                let order = match aim {
                    Some(aim) => aimed_order(fabric, topology, aim, &settings, progress),
                    None => allowed_turns::order(topology, prices, &settings, progress),
                };
                let order = Box::new(order);
                let exact = match select {
                    RouteSelect::Descent => None,
                    RouteSelect::Ilp => Some(exact_load(fabric, topology, prices, &order)?),
                };
                let full_key = (key == TableKey::Dst).then(|| {
                    let full_key_settings = allowed_turns::TurnSettings {
                        key: TableKey::DstInput,
                        table_entries: None,
                        ..settings
                    };
                    let healthy_scene = Scene::healthy(topology);
                    allowed_turns::select(
                        &healthy_scene,
                        &fabric.demand,
                        prices,
                        &order,
                        &full_key_settings,
                        None,
                    )
                    .max_load(topology, &fabric.demand)
                });
                SinglePath::AllowedTurns { order, settings, exact, full_key }
            }
        }))
    }

    /// Routes a scenario that keeps the symmetry of the topology. A fault starts from the routes of the
    /// healthy fabric, if the method can use them.
    pub(super) fn route(
        &self,
        fabric: &Fabric,
        scene: &Scene<'_>,
        aim: &RouteAim<'_>,
        scenario: &Scenario,
        healthy: Option<&Routes>,
    ) -> Result<Routed, RouteError> {
        let (topology, demand) = (scene.topology, &fabric.demand);
        let RouteAim { demand: aimed, prices, torus: sides } = aim;
        let routes = match self {
            SinglePath::AllowedTurns { order, settings, .. } => {
                let routes = allowed_turns::select(scene, aimed, prices, order, settings, healthy);
                match fabric.pod().zip(*sides) {
                    Some((pod, dims))
                        if scenario.is_nominal() && settings.starts_from_routes(fabric.node_count()) =>
                    {
                        let start = dimension_order::route(fabric, pod, scene, dims, scenario)?;
                        let improved = allowed_turns::improve_routes(scene, aimed, prices, settings, &start);
                        if improved.max_load(topology, aimed) < routes.max_load(topology, aimed) {
                            improved
                        } else {
                            routes
                        }
                    }
                    _ => routes,
                }
            }
            SinglePath::DimensionOrder => match torus(fabric) {
                Some((pod, dims)) => dimension_order::route(fabric, pod, scene, dims, scenario)?,
                None => axis_order::route(fabric, scene, scenario)?,
            },
            SinglePath::UpDown => return Ok(Routed::up_down(fabric, scene, demand, aim, scenario)),
            SinglePath::Minimal => return Routed::minimal(fabric, scene, demand, aim, scenario),
            SinglePath::Algebraic => {
                let next = algebraic::route(scene, fabric)
                    .map_err(|pair| RouteError::no_detour(fabric, topology, scenario, pair))?;
                return Routed::from_next_hops(fabric, scene, demand, scenario, next);
            }
        };
        Ok(Routed::new(fabric, scene, demand, routes, self.routes_key(), scenario))
    }

    /// Routes what survives a fault that breaks the symmetry. The tables, ranks and loads are returned for
    /// all routers of the whole fabric.
    pub(super) fn route_survivors(
        &self,
        fabric: &Fabric,
        scene: &Scene<'_>,
        survivors: &Survivors,
        aim: &RouteAim<'_>,
        scenario: &Scenario,
        healthy: Option<&Routes>,
    ) -> Result<Routed, RouteError> {
        let (topology, surviving) = (scene.topology, &survivors.scene());
        let routed = match self {
            // Use the ranks of the healthy fabric, expanded to every router. What rises by them there rises
            // here.
            SinglePath::AllowedTurns { order, settings, .. } => {
                let symmetry = if order.symmetric { topology.symmetry() } else { survivors.whole_symmetry() };
                // A torus may have taken routes that rise by other ranks. Such routes are no start under this
                // order.
                let healthy = healthy.filter(|healthy| {
                    healthy.symmetry == *symmetry && ranks_of_order(healthy, order.vcs) == order.ranks
                });
                let row = topology.ports() * usize::from(order.vcs);
                let order = TurnOrder {
                    ranks: survivors.from_whole(symmetry, row, &order.ranks),
                    symmetric: true,
                    ..**order
                };
                let settings =
                    allowed_turns::TurnSettings { vcs: order.vcs, sweeps: LOCAL_SWEEPS, ..*settings };
                let repaired = healthy.and_then(|healthy| {
                    repaired_routes(scene, &fabric.demand, healthy, settings.key, order.vcs)
                });
                let healthy = repaired.as_ref().or(healthy);
                let healthy = healthy
                    .map(|healthy| survivors.routes_from_whole(topology, healthy, &order.ranks, order.vcs));
                let routes = allowed_turns::select(
                    surviving,
                    &aim.demand,
                    &aim.prices,
                    &order,
                    &settings,
                    healthy.as_ref(),
                );
                Routed::new(fabric, surviving, &survivors.demand, routes, self.routes_key(), scenario)
            }
            // These know no detours, and need the coordinates of the whole pod.
            SinglePath::DimensionOrder | SinglePath::Algebraic => {
                return self.route(fabric, scene, aim, scenario, None);
            }
            SinglePath::UpDown => Routed::up_down(fabric, surviving, &survivors.demand, aim, scenario),
            SinglePath::Minimal => Routed::minimal(fabric, surviving, &survivors.demand, aim, scenario)?,
        };
        let ranks =
            survivors.to_whole(surviving.topology.ports() * usize::from(routed.tables.vcs), &routed.ranks, 0);
        let loads = survivors.to_whole(surviving.topology.ports(), &routed.expected_walk.loads, 0);
        let (tables, expected_walk) =
            (survivors.tables_to_whole(&routed.tables), Walk { loads, ..routed.expected_walk });
        Ok(Routed { ranks, tables, expected_walk, routes: None, shortest: None })
    }

    /// The table key of methods that build tables from whole routes.
    fn routes_key(&self) -> TableKey {
        if let SinglePath::AllowedTurns { settings, .. } = self { settings.key } else { TableKey::DstInput }
    }

    /// As [`PreparedRouting::record`], for methods with one path per pair.
    fn record(&self, nominal: &CompiledScenario, scenarios: usize) -> PassRecord {
        let mut counters = vec![("scenarios".to_owned(), scenarios as u64)];
        let mut notes = Vec::new();
        let (name, stopped_by) = match self {
            SinglePath::AllowedTurns { settings, exact, full_key, .. } => {
                counters.push(("order_rounds".to_owned(), u64::from(settings.order_rounds)));
                counters.push(("sweeps".to_owned(), u64::from(settings.sweeps)));
                counters.extend(exact.map(|load| ("ilp_load".to_owned(), load)));
                let reached = nominal.metrics.routed.as_ref().map(Walk::max_channel_load);
                notes.extend(long_routes(settings, nominal));
                if let Some((full, reached)) = full_key.zip(reached) {
                    counters.push(("load_with_full_key".to_owned(), full));
                    let metrics = &nominal.metrics;
                    let [reached, full] = [reached, full].map(|load| metrics.load(load).as_f64());
                    notes.push(format!("keyed by destination alone: load {reached}; {full} if input port and VC are in the key"));
                }
                if nominal.metrics.parts > 1 && (exact.is_some() || full_key.is_some()) {
                    counters.push(("load_parts".to_owned(), nominal.metrics.parts));
                }
                ("allowed_turns", if exact.is_some() && *exact == reached { "optimal" } else { "budget" })
            }
            SinglePath::DimensionOrder => ("dimension_order", "done"),
            SinglePath::UpDown => ("up_down", "done"),
            SinglePath::Minimal | SinglePath::Algebraic => {
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
                let reached = nominal.metrics.routed.as_ref().map(Walk::max_channel_load);
                let reached = reached.map(|load| nominal.metrics.load(load));
                match (self, nominal.shortest_load_bound()) {
                    (SinglePath::Minimal, bound) => {
                        notes.extend(nominal.shortest.as_ref().map(|proof| bounds_in_full(nominal, proof)));
                        ("minimal", if bound.is_some() && bound == reached { "optimal" } else { "budget" })
                    }
                    _ => ("algebraic", "done"),
                }
            }
        };
        PassRecord { name: name.to_owned(), stopped_by: stopped_by.to_owned(), counters, notes }
    }
}
