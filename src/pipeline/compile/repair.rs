//! New tables for what is left of a built fabric: the ladder of `fabc repair`.
//!
//! In: the tables of the healthy fabric with their ranks, the tables in force if those are others, and the
//! surviving network, which is connected. Out: the first of these that holds, checked: tables that the build
//! has, other ways of rising rank for the routes that broke (and, if asked, all routes chosen once more), an
//! order of its own.

use fabc_base::progress::Progress;
use fabc_check::{CheckError, RepairWalk};
use fabc_ir::{
    Delta, DualLengths, ForwardingTables, Repair, RepairLoads, RepairStep, Scene, Survivors, TableKey, Walk,
};
use fabc_model::Fabric;
use fabc_passes::flow;
use fabc_passes::repair::{self, Before, Found};
use fabc_passes::route::allowed_turns::{self, TurnOrder};
use fabc_passes::tables;

/// Sweeps of the selection; of routes that are good already it makes a third of them.
const SWEEPS: u32 = 3;
/// Routers up to which all routes are tightened [`TIGHTENINGS`] times, for a second; of more, once.
const TIGHTENED: usize = 512;
/// With fewer, 16 links of 256 chips keep loads of 1.03 times the bound.
const TIGHTENINGS: u32 = 4;
/// Times that broken routes are laid at most.
const ROUNDS: u32 = 4;
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
    /// The tables of the healthy fabric.
    pub tables: &'a ForwardingTables,
    /// `[channel class * vcs + vc]` under the symmetry of `tables`: the ranks that these rise by.
    pub ranks: &'a [u32],
    /// `[channel class]` under the symmetry of the topology: lengths that bound every flow.
    pub lengths: &'a [u64],
    /// What the build has for just this.
    pub covered: Option<Covered>,
    /// The tables in force, where an earlier repair replaced those of the healthy fabric.
    pub since: Option<InForce>,
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

/// Tables in force that an earlier repair made.
pub struct InForce {
    /// What was down, by name.
    pub down: Vec<String>,
    /// The tables of all routers.
    pub tables: ForwardingTables,
    /// Their ranks, of all routers, where they are not those of the healthy fabric.
    pub ranks: Option<Vec<u32>>,
    /// Their ranks, of all routers.
    pub all_ranks: Vec<u32>,
}

/// How much a repair may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// [`Effort::Full`] where only switches are down and the tables keep the symmetry of the pod; else
    /// [`Effort::Local`].
    Fitting,
    /// Broken routes only.
    Local,
    /// All routes are chosen once more.
    Full,
}

/// A repair, proved.
pub struct Repaired {
    /// What it comes to.
    pub repair: Repair,
    /// What the walk of the new tables found.
    pub walk: RepairWalk,
}

/// Finds and proves new tables.
///
/// # Errors
/// What is in force is wrong, or, a bug, what was found.
pub fn repair(broken: &Broken<'_>, effort: Effort, progress: &dyn Progress) -> Result<Repaired, CheckError> {
    let Broken { fabric, scene, served, tables, ranks, .. } = *broken;
    let (topology, demand) = (scene.topology, &fabric.demand);
    let whole = Scene::whole(topology);
    let (healthy, _) = fabc_check::judge_tables(fabric, &whole, tables, ranks)?;
    let before = Before { tables, ranks };
    let symmetric = !tables.symmetry.is_trivial() && served.keeps_symmetry();
    let (step, there, own) = if let Some(Covered { scenario, tables, ranks }) = &broken.covered {
        (RepairStep::Covered(scenario.clone()), tables.clone(), Some(ranks.clone()))
    } else if symmetric && effort != Effort::Local {
        let (there, own) = symmetrically(broken);
        (if own.is_none() { RepairStep::Full } else { RepairStep::NewOrder }, there, own)
    } else {
        match repair::local(served, demand, before, ROUNDS) {
            Ok(Found { delta, .. }) if effort == Effort::Full => match chosen_again(broken, &delta) {
                Some(there) => (RepairStep::Full, there, None),
                None => (RepairStep::Local, delta.applied(tables, &served.dead, REPAIR), None),
            },
            Ok(Found { delta, most: [_, most] }) if broken.since.is_none() => {
                return proved(broken, &healthy, (RepairStep::Local, None), (delta, true), most);
            }
            Ok(Found { delta, .. }) => (RepairStep::Local, delta.applied(tables, &served.dead, REPAIR), None),
            Err(_) => {
                let (there, ranks) = new_order(broken, progress);
                (RepairStep::NewOrder, there, Some(ranks))
            }
        }
    };
    let healthy_ranks = repair::of_all_routers(topology, before);
    let in_force = broken
        .since
        .as_ref()
        .map_or(before, |since| Before { tables: &since.tables, ranks: &since.all_ranks });
    let (delta, warm) = repair::onto(served, in_force, &there);
    let ranks = match &broken.since {
        _ if !warm => own.filter(|own| *own != healthy_ranks),
        Some(since) => since.ranks.clone(),
        None => None,
    };
    // The step is named by what came out: tables that rise by the healthy order have no order of their own,
    // and where all routes that are whole stayed, nothing was chosen once more that shows.
    let step = match step {
        RepairStep::NewOrder if ranks.is_some() => step,
        RepairStep::Full | RepairStep::NewOrder
            if fabc_check::keeps_intact_routes(fabric, served, tables, &there)? =>
        {
            RepairStep::Local
        }
        RepairStep::NewOrder => RepairStep::Full,
        step => step,
    };
    proved(broken, &healthy, (step, ranks), (delta, warm), repair::most_loaded(served, demand, &there))
}

/// What was found, put together and checked.
fn proved(
    broken: &Broken<'_>,
    healthy: &Walk,
    (step, own): (RepairStep, Option<Vec<u32>>),
    (delta, warm): (Delta, bool),
    repaired: u64,
) -> Result<Repaired, CheckError> {
    let Broken { fabric, scene, served, tables, ranks, .. } = *broken;
    let bound = fabc_check::least_load(served, &fabric.demand, broken.lengths).ok();
    let loads = RepairLoads {
        nominal: healthy.max_channel_load(),
        repaired,
        bound,
        parts: scene.topology.capacities().parts(),
    };
    let (fabric, since) = (broken.fabric, broken.since.as_ref());
    let repair = Repair {
        fabric: fabric.name.clone(),
        down: broken.down.clone(),
        since: since.map(|since| since.down.clone()),
        step,
        ranks: own,
        delta,
        warm,
        loads,
        unserved: broken.unserved,
    };
    let walk = match since {
        Some(since) => {
            let healthy = repair::of_all_routers(scene.topology, Before { tables, ranks });
            fabc_check::repair(fabric, scene, (&since.tables, &since.all_ranks), Some(&healthy), &repair)?
        }
        None => fabc_check::repair(fabric, scene, (tables, ranks), None, &repair)?,
    };
    Ok(Repaired { repair, walk })
}

/// All routes once more where switches alone are down: what is left keeps the symmetry, so few routers stand
/// for all. With ranks of all routers where no way rises by those of the healthy fabric.
fn symmetrically(broken: &Broken<'_>) -> (ForwardingTables, Option<Vec<u32>>) {
    let Broken { fabric, served, tables, ranks, .. } = *broken;
    let topology = served.topology;
    let healthy = DualLengths { lengths: broken.lengths.to_vec(), volume: 0, distance: 0 };
    let prices = flow::price(served, &fabric.demand, &healthy, flow::Settings::FAULT);
    let start = repair::healthy_routes(topology, Before { tables, ranks });
    let symmetric = tables.symmetry == *topology.symmetry();
    let order = TurnOrder { vcs: tables.vcs, symmetric, ranks: ranks.to_vec(), lost: 0 };
    let routes =
        allowed_turns::select(served, &fabric.demand, &prices, &order, &settings(broken), Some(&start));
    let there = tables::build(topology, &routes, TableKey::DstInput, REPAIR);
    let kept = routes.symmetry == start.symmetry && routes.ranks == start.ranks;
    let own =
        (!kept).then(|| repair::of_all_routers(topology, Before { tables: &there, ranks: &routes.ranks }));
    (there, own)
}

/// All routes once more, from those of a repair, under the ranks of the healthy fabric. `None` where these
/// leave some two routers without a path: routers without hosts, since the repair has routes for all others.
fn chosen_again(broken: &Broken<'_>, delta: &Delta) -> Option<ForwardingTables> {
    let Broken { fabric, served, tables, ranks, .. } = *broken;
    let topology = served.topology;
    let left = Survivors::new(served, &fabric.demand);
    let routes = repair::routes(served, Before { tables, ranks }, delta);
    let own = left.from_whole(&routes.symmetry, topology.ports() * usize::from(tables.vcs), &routes.ranks);
    let routes = left.routes_from_whole(topology, &routes, &own, tables.vcs);
    let order = TurnOrder { vcs: tables.vcs, symmetric: true, ranks: own, lost: 0 };
    let tightenings = if fabric.node_count() <= TIGHTENED { TIGHTENINGS } else { 1 };
    let settings = allowed_turns::Settings { sweeps: SWEEPS, tightenings, ..settings(broken) };
    let routes = allowed_turns::select(
        &left.scene(),
        &left.demand,
        &prices(broken, &left),
        &order,
        &settings,
        Some(&routes),
    );
    let keeps_order = routes.ranks == order.ranks;
    keeps_order
        .then(|| left.tables_to_whole(&tables::build(&left.topology, &routes, TableKey::DstInput, REPAIR)))
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
