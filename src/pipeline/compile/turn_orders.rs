//! Orders of the channels, and routes under them: what allowed turns prepare and compare.
//!
//! In: a fabric, its topology, and prices of its channels. Out: orders for what jobs send, the least load
//! that an order allows, and routes of the healthy fabric that are mended for a fault.

use super::aim::JobAim;
use fabc_base::progress::Progress;
use fabc_ir::{DualLengths, ForwardingTables, Routes, Scene, Topology};
use fabc_model::{AIMED_DETOUR, AllowedTurns, Demand, Fabric, TableKey};
use fabc_passes::repair::{self, RankedTables};
use fabc_passes::route::RouteError;
use fabc_passes::route::allowed_turns::{self, DetourBound, TurnOrder};
use fabc_passes::tables;

/// The most orders that are compared for what jobs send.
const MOST_ORDERS: u32 = 8;

/// The settings of allowed turns for a topology.
pub(super) fn turn_settings(
    fabric: &Fabric,
    topology: &Topology,
    AllowedTurns { priority, key, detour, .. }: AllowedTurns,
) -> allowed_turns::TurnSettings {
    let default = allowed_turns::TurnSettings::for_topology(fabric.budget.vcs, topology);
    let table_entries = fabric.budget.table_entries;
    // A pod has detours without a bound, unless the spec asks for one.
    let aimed = fabric.pod().is_none().then_some(AIMED_DETOUR);
    let bound = |beyond_diameter| DetourBound { beyond_diameter, costs_load: detour.is_some() };
    let detour = detour.or(aimed).map(bound);
    allowed_turns::TurnSettings { priority, key, table_entries, detour, ..default }
}

/// Repairs the routes of the healthy fabric: keeps those that still arrive, and replaces the others by the
/// cheapest paths of rising rank. It uses as many virtual channels of the budget as the order does. The
/// result is a better start than paths that know nothing of loads. `None` where no path rises, or where table
/// keys are shared.
pub(super) fn repaired_routes(
    scene: &Scene<'_>,
    demand: &Demand,
    healthy: &Routes,
    key: TableKey,
    vcs: u8,
) -> Option<Routes> {
    if key != TableKey::DstInput {
        return None;
    }
    let tables = ForwardingTables { vcs, ..tables::build(scene.topology, healthy, key, "nominal") };
    let ranks = ranks_of_order(healthy, vcs);
    repair::locally_repaired_routes(scene, demand, RankedTables { tables: &tables, ranks: &ranks })
}

/// The ranks of routes, cut down from all virtual channels of the budget to those that an order uses.
pub(super) fn ranks_of_order(routes: &Routes, vcs: u8) -> Vec<u32> {
    let rows = routes.ranks.chunks(usize::from(routes.vcs));
    rows.flat_map(|row| row.iter().copied().take(usize::from(vcs))).collect()
}

/// The order under which what jobs send loads its busiest channel least, of as many as the search has effort.
pub(super) fn aimed_order(
    fabric: &Fabric,
    topology: &Topology,
    aim: &JobAim,
    settings: &allowed_turns::TurnSettings,
    progress: &dyn Progress,
) -> TurnOrder {
    let (scene, aim) = (Scene::healthy(topology), aim.whole());
    let order = |seed: u64| {
        let settings = allowed_turns::TurnSettings { seed, ..*settings };
        let order = allowed_turns::order(topology, &aim.prices, &settings, progress);
        let routes = allowed_turns::select(&scene, &aim.demand, &aim.prices, &order, &settings, None);
        (routes.max_load(topology, &aim.demand), seed, order)
    };
    let first = settings.seed;
    let mut more = (first + 1..first + u64::from(fabric.effort().min(MOST_ORDERS))).peekable();
    if more.peek().is_none() {
        return allowed_turns::order(topology, &aim.prices, settings, progress);
    }
    let others = more.map(order);
    let (.., best) = others.fold(order(first), |best, next| if next.0 < best.0 { next } else { best });
    best
}

/// The least maximum load over the allowed paths of fewest hops, by integer linear programming.
pub(super) fn exact_load(
    fabric: &Fabric,
    topology: &Topology,
    prices: &DualLengths,
    order: &TurnOrder,
) -> Result<u64, RouteError> {
    let max_paths = allowed_turns::MAX_PATHS;
    let choice = allowed_turns::paths(&Scene::healthy(topology), prices, order, max_paths)
        .ok_or_else(|| too_large(fabric, "there are too many allowed paths".to_owned()))?;
    allowed_turns::least_load(&choice).map_err(|error| too_large(fabric, error.to_string()))
}

/// The error where `select = ilp` has no answer.
pub(super) fn too_large(fabric: &Fabric, reason: String) -> RouteError {
    RouteError::Ilp {
        reason,
        routers: fabric.node_count(),
        word: fabric.plant.router_word(),
        span: fabric.routing_span,
    }
}
