//! New tables for the surviving network of a built fabric: the steps of `fabc repair`.
//!
//! In: the tables of the healthy fabric with their ranks, the live tables if they differ, and the surviving
//! network, which is connected. Out: the tables of the first step that works, checked. These are the steps:
//!
//! 1. Use the tables that the build has for this loss.
//! 2. Replace the broken routes by other paths of rising rank. On request, choose all routes once more.
//! 3. Choose all routes under a new order.

use fabc_base::progress::Progress;
use fabc_check::{CheckError, RepairWalk};
use fabc_ir::{
    Delta, DualLengths, ForwardingTables, Repair, RepairLoads, RepairStep, Scene, Survivors, TableKey, Walk,
};
use fabc_model::Fabric;
use fabc_passes::flow;
use fabc_passes::repair::{self, LocalRepair, RankedTables};
use fabc_passes::route::allowed_turns::{self, TurnOrder};
use fabc_passes::tables;

/// Sweeps of the selection. Routes that are good already need a third of the usual number.
const SWEEPS: u32 = 3;
/// Up to this number of routers, all routes are tightened [`TIGHTENINGS`] times, which takes about a second.
/// Larger fabrics are tightened once.
const TIGHTENED: usize = 512;
/// With fewer, a repair of 16 links of 256 chips keeps loads of 1.03 times the bound.
const TIGHTENINGS: u32 = 4;
/// The most rounds of replacing broken routes.
const ROUNDS: u32 = 4;
/// The scenario name of the new tables.
pub const REPAIR: &str = "repair";

/// A broken fabric that is to be repaired.
pub struct Broken<'a> {
    /// The fabric that is broken.
    pub fabric: &'a Fabric,
    /// What is down, by name.
    pub down: Vec<String>,
    /// The surviving network. Routers that are down are dead in it.
    pub scene: &'a Scene<'a>,
    /// The part of it that is served. All other routers are dead in it as well.
    pub served: &'a Scene<'a>,
    /// The tables of the healthy fabric.
    pub tables: &'a ForwardingTables,
    /// `[channel class * vcs + vc]` under the symmetry of `tables`: the ranks by which these rise.
    pub ranks: &'a [u32],
    /// `[channel class]` under the symmetry of the topology: lengths that bound every flow.
    pub lengths: &'a [u64],
    /// The tables that the build has for exactly this loss.
    pub covered: Option<Covered>,
    /// The live tables, where an earlier repair replaced those of the healthy fabric.
    pub since: Option<LiveTables>,
    /// Ordered pairs of surviving endpoints that are not both served.
    pub unserved: u64,
}

/// The tables of a tolerated fault, from the build.
pub struct Covered {
    /// The name of the scenario.
    pub scenario: String,
    /// The forwarding tables of that scenario.
    pub tables: ForwardingTables,
    /// `[(router * ports + port) * vcs + vc]`: the ranks by which the tables rise.
    pub ranks: Vec<u32>,
}

/// Live tables that an earlier repair made.
pub struct LiveTables {
    /// What was down in that repair, by name.
    pub down: Vec<String>,
    /// The tables of all routers.
    pub tables: ForwardingTables,
    /// The ranks of all routers, where they differ from those of the healthy fabric.
    pub ranks: Option<Vec<u32>>,
    /// The ranks of all routers.
    pub all_ranks: Vec<u32>,
}

/// How much a repair may change.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Effort {
    /// [`Effort::Full`] where only switches are down and the tables keep the symmetry of the pod. Otherwise
    /// [`Effort::Local`].
    Fitting,
    /// Replace only the broken routes.
    Local,
    /// Choose all routes once more.
    Full,
}

/// A repair, proved by the checker.
pub struct ProvedRepair {
    /// The repair: its changes of tables and its loads.
    pub repair: Repair,
    /// The walk of the new tables by the checker.
    pub walk: RepairWalk,
}

/// Finds and proves new tables.
///
/// # Errors
/// The checker convicts the live tables, or, as a bug, the repair.
pub fn repair(
    broken: &Broken<'_>,
    effort: Effort,
    progress: &dyn Progress,
) -> Result<ProvedRepair, CheckError> {
    let Broken { fabric, scene, served, tables, ranks, .. } = *broken;
    let (topology, demand) = (scene.topology, &fabric.demand);
    let healthy_scene = Scene::healthy(topology);
    let (healthy, _) = fabc_check::judge_tables(fabric, &healthy_scene, tables, ranks)?;
    let before = RankedTables { tables, ranks };
    let symmetric = !tables.symmetry.is_trivial() && served.keeps_symmetry();
    let (step, new_tables, new_ranks) = if let Some(Covered { scenario, tables, ranks }) = &broken.covered {
        (RepairStep::Covered(scenario.clone()), tables.clone(), Some(ranks.clone()))
    } else if symmetric && effort != Effort::Local {
        let (new_tables, new_ranks) = choose_symmetric_routes(broken);
        (if new_ranks.is_none() { RepairStep::Full } else { RepairStep::NewOrder }, new_tables, new_ranks)
    } else {
        match repair::repair_locally(served, demand, before, ROUNDS) {
            Ok(LocalRepair { delta, .. }) if effort == Effort::Full => {
                match choose_all_routes(broken, &delta) {
                    Some(new_tables) => (RepairStep::Full, new_tables, None),
                    None => (RepairStep::Local, delta.applied(tables, &served.dead, REPAIR), None),
                }
            }
            Ok(LocalRepair { delta, highest_after, .. }) if broken.since.is_none() => {
                return prove_repair(broken, &healthy, RepairStep::Local, None, delta, true, highest_after);
            }
            Ok(LocalRepair { delta, .. }) => {
                (RepairStep::Local, delta.applied(tables, &served.dead, REPAIR), None)
            }
            Err(_) => {
                let (new_tables, ranks) = choose_new_order(broken, progress);
                (RepairStep::NewOrder, new_tables, Some(ranks))
            }
        }
    };
    let healthy_ranks = repair::ranks_of_all_routers(topology, before);
    let live = broken
        .since
        .as_ref()
        .map_or(before, |since| RankedTables { tables: &since.tables, ranks: &since.all_ranks });
    let (delta, warm) = repair::changes_to(served, live, &new_tables);
    let ranks = match &broken.since {
        _ if !warm => new_ranks.filter(|new_ranks| *new_ranks != healthy_ranks),
        Some(since) => since.ranks.clone(),
        None => None,
    };
    // The step is named by its result. Tables that rise by the healthy order have no order of their own.
    // Where all intact routes stayed, choosing all routes once more made no difference.
    let step = match step {
        RepairStep::NewOrder if ranks.is_some() => step,
        RepairStep::Full | RepairStep::NewOrder
            if fabc_check::keeps_intact_routes(fabric, served, tables, &new_tables)? =>
        {
            RepairStep::Local
        }
        RepairStep::NewOrder => RepairStep::Full,
        step => step,
    };
    let max_load = repair::highest_load(served, demand, &new_tables);
    prove_repair(broken, &healthy, step, ranks, delta, warm, max_load)
}

/// Assembles a repair, and has the checker prove it.
fn prove_repair(
    broken: &Broken<'_>,
    healthy: &Walk,
    step: RepairStep,
    new_ranks: Option<Vec<u32>>,
    delta: Delta,
    warm: bool,
    repaired: u64,
) -> Result<ProvedRepair, CheckError> {
    let Broken { fabric, scene, served, tables, ranks, .. } = *broken;
    let bound = fabc_check::load_lower_bound(served, &fabric.demand, broken.lengths).ok();
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
        ranks: new_ranks,
        delta,
        warm,
        loads,
        unserved: broken.unserved,
    };
    let walk = match since {
        Some(since) => {
            let healthy = repair::ranks_of_all_routers(scene.topology, RankedTables { tables, ranks });
            fabc_check::verify_repair(
                fabric,
                scene,
                (&since.tables, &since.all_ranks),
                Some(&healthy),
                &repair,
            )?
        }
        None => fabc_check::verify_repair(fabric, scene, (tables, ranks), None, &repair)?,
    };
    Ok(ProvedRepair { repair, walk })
}

/// Chooses all routes once more where only switches are down. The surviving network keeps the symmetry, so
/// few routers stand for all. Returns ranks of all routers where no route rises by those of the healthy
/// fabric.
fn choose_symmetric_routes(broken: &Broken<'_>) -> (ForwardingTables, Option<Vec<u32>>) {
    let Broken { fabric, served, tables, ranks, .. } = *broken;
    let topology = served.topology;
    let healthy = DualLengths { lengths: broken.lengths.to_vec(), volume: 0, distance: 0 };
    let prices = flow::price(served, &fabric.demand, &healthy, flow::FlowSettings::FAULT);
    let start = repair::healthy_routes(topology, RankedTables { tables, ranks });
    let symmetric = tables.symmetry == *topology.symmetry();
    let order = TurnOrder { vcs: tables.vcs, symmetric, ranks: ranks.to_vec(), lost: 0 };
    let routes =
        allowed_turns::select(served, &fabric.demand, &prices, &order, &settings(broken), Some(&start));
    let new_tables = tables::build(topology, &routes, TableKey::DstInput, REPAIR);
    let keeps_ranks = routes.symmetry == start.symmetry && routes.ranks == start.ranks;
    let new_ranks = (!keeps_ranks).then(|| {
        repair::ranks_of_all_routers(topology, RankedTables { tables: &new_tables, ranks: &routes.ranks })
    });
    (new_tables, new_ranks)
}

/// Chooses all routes once more, starting from those of a repair, under the ranks of the healthy fabric.
/// `None` where these leave two routers without a path. Such routers have no hosts, since the repair has
/// routes for all others.
fn choose_all_routes(broken: &Broken<'_>, delta: &Delta) -> Option<ForwardingTables> {
    let Broken { fabric, served, tables, ranks, .. } = *broken;
    let topology = served.topology;
    let survivors = Survivors::new(served, &fabric.demand);
    let routes = repair::repaired_routes(served, RankedTables { tables, ranks }, delta);
    let survivor_ranks =
        survivors.from_whole(&routes.symmetry, topology.ports() * usize::from(tables.vcs), &routes.ranks);
    let routes = survivors.routes_from_whole(topology, &routes, &survivor_ranks, tables.vcs);
    let order = TurnOrder { vcs: tables.vcs, symmetric: true, ranks: survivor_ranks, lost: 0 };
    let tightenings = if fabric.node_count() <= TIGHTENED { TIGHTENINGS } else { 1 };
    let settings = allowed_turns::TurnSettings { sweeps: SWEEPS, tightenings, ..settings(broken) };
    let routes = allowed_turns::select(
        &survivors.scene(),
        &survivors.demand,
        &prices(broken, &survivors),
        &order,
        &settings,
        Some(&routes),
    );
    let keeps_order = routes.ranks == order.ranks;
    keeps_order.then(|| {
        survivors.tables_to_whole(&tables::build(&survivors.topology, &routes, TableKey::DstInput, REPAIR))
    })
}

/// Chooses routes under a new order of the surviving network. Returns its ranks for all routers.
fn choose_new_order(broken: &Broken<'_>, progress: &dyn Progress) -> (ForwardingTables, Vec<u32>) {
    let Broken { fabric, served, tables, .. } = *broken;
    let survivors = Survivors::new(served, &fabric.demand);
    let (prices, settings) = (prices(broken, &survivors), settings(broken));
    let order = allowed_turns::order(&survivors.topology, &prices, &settings, progress);
    let routes =
        allowed_turns::select(&survivors.scene(), &survivors.demand, &prices, &order, &settings, None);
    let ranks = survivors.to_whole(survivors.topology.ports() * usize::from(tables.vcs), &routes.ranks, 0);
    (
        survivors.tables_to_whole(&tables::build(&survivors.topology, &routes, TableKey::DstInput, REPAIR)),
        ranks,
    )
}

fn settings(broken: &Broken<'_>) -> allowed_turns::TurnSettings {
    allowed_turns::TurnSettings::for_size(broken.tables.vcs, broken.fabric.node_count())
}

/// Prices of the surviving channels, from the lengths that are certified for the healthy fabric.
fn prices(broken: &Broken<'_>, survivors: &Survivors) -> DualLengths {
    let healthy = DualLengths { lengths: broken.lengths.to_vec(), volume: 0, distance: 0 };
    let lengths = survivors.lengths_from_whole(broken.served.topology, &healthy);
    flow::price(&survivors.scene(), &survivors.demand, &lengths, flow::FlowSettings::LOCAL)
}
