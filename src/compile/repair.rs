//! New tables for what is left of a built fabric: the ladder of `fabc repair`.
//!
//! In: the tables in force with their ranks, as they were built, and what is left, in one part. Out: the
//! first of these that holds, checked: tables that the build has, other ways of rising rank for the routes
//! that broke (and, if asked, all routes chosen once more), an order of its own.

use crate::check::{self, CheckError, RepairWalk};
use crate::ir::{Delta, DualLengths, ForwardingTables, Repair, RepairLoads, RepairStep, Scene, Survivors, TableKey};
use crate::model::Fabric;
use crate::passes::flow;
use crate::passes::repair::{self, Before, Found};
use crate::passes::route::allowed_turns::{self, TurnOrder};
use crate::passes::tables;
use crate::progress::Progress;

/// Sweeps of the selection over routes that are good already.
const SWEEPS: u32 = 1;
/// What the new tables call their scenario.
pub const REPAIR: &str = "repair";

/// What is to be repaired.
pub struct Broken<'a> {
    /// The fabric.
    pub fabric: &'a Fabric,
    /// What is down, by name.
    pub down: Vec<String>,
    /// What is left: routers that are down are dead.
    pub scene: &'a Scene<'a>,
    /// Of that, the part that is served: all others are dead as well.
    pub served: &'a Scene<'a>,
    /// The tables in force.
    pub tables: &'a ForwardingTables,
    /// `[channel class * vcs + vc]` under their symmetry: their ranks.
    pub ranks: &'a [u32],
    /// `[channel class]` under the symmetry of the topology: lengths that bound every flow.
    pub lengths: &'a [u64],
    /// What the build has for just this.
    pub covered: Option<Covered>,
    /// Ordered pairs of living endpoints that are not both served.
    pub unserved: u64,
}

/// Tables that the build has.
pub struct Covered {
    /// The scenario.
    pub scenario: String,
    /// Its tables.
    pub tables: ForwardingTables,
    /// `[(router * ports + port) * vcs + vc]`: their ranks.
    pub ranks: Vec<u32>,
}

/// A repair, proved.
pub struct Repaired {
    /// What it comes to.
    pub repair: Repair,
    /// What the walk of the new tables found.
    pub walk: RepairWalk,
}

/// Finds and proves new tables; `full` asks for all routes to be chosen once more.
///
/// # Errors
/// What is in force is wrong, or, a bug, what was found.
pub fn repair(broken: &Broken<'_>, full: bool, progress: &dyn Progress) -> Result<Repaired, CheckError> {
    let Broken { fabric, scene, served, tables, ranks, .. } = *broken;
    let whole = Scene::whole(scene.topology);
    let (healthy, _) = check::scenario(fabric, &whole, tables, ranks)?;
    let before = Before { tables, ranks };
    let other_ways = || repair::local(served, &fabric.demand, before);
    let (step, delta, own, repaired) = match (&broken.covered, broken.covered.is_none().then(other_ways)) {
        (Some(Covered { scenario, tables, ranks }), _) => {
            let (delta, keeps) = repair::onto(served, before, tables);
            let own = (!keeps).then(|| ranks.clone());
            (RepairStep::Covered(scenario.clone()), delta, own, repair::most_loaded(served, &fabric.demand, tables))
        }
        (None, Some(Ok(Found { delta, .. }))) if full => {
            let there = chosen_again(broken, &delta);
            let (delta, keeps) = repair::onto(served, before, &there);
            debug_assert!(keeps);
            (RepairStep::Full, delta, None, repair::most_loaded(served, &fabric.demand, &there))
        }
        (None, Some(Ok(Found { delta, most: [_, most] }))) => (RepairStep::Local, delta, None, most),
        (None, _) => {
            let (there, ranks) = new_order(broken, progress);
            let (delta, keeps) = repair::onto(served, before, &there);
            (RepairStep::NewOrder, delta, (!keeps).then_some(ranks), repair::most_loaded(served, &fabric.demand, &there))
        }
    };
    let bound = check::least_load(served, &fabric.demand, broken.lengths).ok();
    let loads = RepairLoads { nominal: healthy.max_channel_load(), repaired, bound, parts: scene.topology.capacities().parts() };
    let repair =
        Repair { fabric: fabric.name.clone(), down: broken.down.clone(), step, ranks: own, delta, loads, unserved: broken.unserved };
    let walk = check::repair(fabric, scene, tables, ranks, &repair)?;
    Ok(Repaired { repair, walk })
}

/// All routes once more, from those of a repair, under the ranks in force.
fn chosen_again(broken: &Broken<'_>, delta: &Delta) -> ForwardingTables {
    let Broken { fabric, served, tables, ranks, .. } = *broken;
    let topology = served.topology;
    let left = Survivors::new(served, &fabric.demand);
    let row = topology.ports() * usize::from(tables.vcs);
    let spread: Vec<u32> = topology.nodes().flat_map(|node| ranks[tables.symmetry.class(node) * row..][..row].iter().copied()).collect();
    let there = delta.applied(tables, &served.dead, REPAIR);
    let routes = repair::routes(served, &there, spread);
    let own = left.from_whole(&routes.symmetry, row, &routes.ranks);
    let routes = left.routes_from_whole(topology, &routes, &own, tables.vcs);
    let order = TurnOrder { vcs: tables.vcs, symmetric: true, ranks: own, lost: 0 };
    let settings = allowed_turns::Settings { sweeps: SWEEPS, ..settings(broken) };
    let routes = allowed_turns::select(&left.scene(), &left.demand, &prices(broken, &left), &order, &settings, Some(&routes));
    left.tables_to_whole(&tables::build(&left.topology, &routes, TableKey::DstInput, REPAIR))
}

/// Routes under an order that what is left has for itself, and its ranks, router by router.
fn new_order(broken: &Broken<'_>, progress: &dyn Progress) -> (ForwardingTables, Vec<u32>) {
    let Broken { fabric, served, tables, .. } = *broken;
    let left = Survivors::new(served, &fabric.demand);
    let (prices, settings) = (prices(broken, &left), settings(broken));
    let order = allowed_turns::order(&left.topology, &prices, &settings, progress);
    let routes = allowed_turns::select(&left.scene(), &left.demand, &prices, &order, &settings, None);
    let ranks = left.to_whole(left.topology.ports() * usize::from(tables.vcs), &routes.ranks, 0);
    (left.tables_to_whole(&tables::build(&left.topology, &routes, TableKey::DstInput, REPAIR)), ranks)
}

fn settings(broken: &Broken<'_>) -> allowed_turns::Settings {
    allowed_turns::Settings::for_size(broken.tables.vcs, broken.fabric.node_count())
}

/// Prices of the channels that are left, from the lengths that are certified for the healthy fabric.
fn prices(broken: &Broken<'_>, left: &Survivors) -> DualLengths {
    let healthy = DualLengths { lengths: broken.lengths.to_vec(), volume: 0, distance: 0 };
    let lengths = left.lengths_from_whole(broken.served.topology, &healthy);
    flow::price(&left.scene(), &left.demand, &lengths, flow::Settings::LOCAL)
}
