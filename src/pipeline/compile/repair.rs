//! New tables for the surviving network of a built fabric: the steps of `fabc repair`.
//!
//! In: the tables of the healthy fabric with their ranks, the live tables if they differ, and the surviving
//! network, which is connected. Out: the tables of the first step that works, checked. These are the steps:
//!
//! 1. Use the tables that the build has for this loss.
//! 2. Replace the broken routes by other paths of rising rank. On request, choose all routes once more.
//! 3. Choose all routes under a new order. That is also done if the loads before are far from the bound.

use super::change::{ranks_of_blocks, shift_vcs};
use fabc_base::progress::Progress;
use fabc_check::{CheckError, RepairWalk};
use fabc_ir::{
    ChangeOrder, Delta, DualLengths, ForwardingTables, Repair, RepairBlocks, RepairLoads, RepairStep, Scene,
    Survivors, TableChange, TableKey, Walk,
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
/// Choosing all routes is tried up to this product of endpoints and states of packets. That takes about a
/// second.
const QUICK_WORK: usize = 1 << 20;
/// It is also tried where the load is over this fraction of the lower bound.
const NEAR: (u64, u64) = (105, 100);
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
    /// The lowest load. [`Effort::Full`] is tried where it is little work, or where the load of
    /// [`Effort::Local`] is over 1.05 times the lower bound. If both loads are over it, new ranks are tried
    /// where that is little work and routers can change live.
    Auto,
    /// Replace only the broken routes.
    Local,
    /// Choose all routes once more.
    Full,
}

/// A repair, proved by the checker.
pub struct ProvedRepair {
    /// The repair: its changes of tables and its loads.
    pub repair: Repair,
    /// The result of the other effort, where it was computed as well.
    pub other: Option<OtherEffort>,
    /// The walk of the new tables by the checker.
    pub walk: RepairWalk,
}

/// The result of an effort that was not taken.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct OtherEffort {
    /// The effort that gives this result.
    pub effort: Effort,
    /// The largest load of a channel, in parts of a unit of load.
    pub load: u64,
    /// Number of entries that it changes.
    pub changed: u64,
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
    let mut other = None;
    let (step, new_tables, new_ranks) = if let Some(Covered { scenario, tables, ranks }) = &broken.covered {
        (RepairStep::Covered(scenario.clone()), tables.clone(), Some(ranks.clone()))
    } else if symmetric && effort != Effort::Local {
        let (new_tables, new_ranks) = choose_symmetric_routes(broken);
        (if new_ranks.is_none() { RepairStep::Full } else { RepairStep::NewOrder }, new_tables, new_ranks)
    } else {
        match repair::repair_locally(served, demand, before, ROUNDS) {
            Ok(LocalRepair { delta, highest_after, .. }) => {
                let kept = full_repair(broken, effort, &delta, highest_after);
                other = kept.other;
                if let Some((new_tables, ranks)) = better_order(broken, effort, kept.load, progress) {
                    other = Some(kept.passed_over());
                    (RepairStep::NewOrder, new_tables, Some(ranks))
                } else if let Some(new_tables) = kept.full {
                    (RepairStep::Full, new_tables, None)
                } else if broken.since.is_none() {
                    let changes = ProvedChanges { ranks: None, delta, warm: true, blocks: None };
                    let proved = prove_repair(broken, &healthy, RepairStep::Local, changes, highest_after)?;
                    return Ok(ProvedRepair { other, ..proved });
                } else {
                    (RepairStep::Local, delta.applied(tables, &served.dead, REPAIR), None)
                }
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
    let blocks = match warm {
        true => None,
        false => {
            let all_ranks = ranks.as_deref().unwrap_or(&healthy_ranks);
            repair_by_blocks(broken, live, RankedTables { tables: &new_tables, ranks: all_ranks })
        }
    };
    let changes = ProvedChanges { ranks, delta, warm, blocks };
    let proved = prove_repair(broken, &healthy, step, changes, max_load)?;
    Ok(ProvedRepair { other, ..proved })
}

/// The best repair under the ranks of the healthy fabric.
struct KeptOrder {
    /// The tables, if choosing all routes once more gave them.
    full: Option<ForwardingTables>,
    /// The largest load of a channel, in parts of a unit of load.
    load: u64,
    /// Number of entries that it changes.
    changed: u64,
    /// The result of the other effort, where it was computed as well.
    other: Option<OtherEffort>,
}

impl KeptOrder {
    /// This repair, if one under new ranks is taken.
    fn passed_over(&self) -> OtherEffort {
        let effort = if self.full.is_some() { Effort::Full } else { Effort::Local };
        OtherEffort { effort, load: self.load, changed: self.changed }
    }
}

/// Whether a load is near enough to the lower bound.
fn is_near_bound(broken: &Broken<'_>, load: u64) -> bool {
    let bound = fabc_check::load_lower_bound(broken.served, &broken.fabric.demand, broken.lengths);
    bound.is_ok_and(|bound| load * NEAR.1 <= bound * NEAR.0)
}

/// Whether choosing all routes takes about a second at most.
fn is_quick(broken: &Broken<'_>) -> bool {
    let topology = broken.served.topology;
    let states = topology.channels().count() * usize::from(broken.tables.vcs);
    topology.endpoints().count() * states <= QUICK_WORK
}

/// Chooses all routes once more, if the effort asks for it. `delta` and `local_load` are those of replacing
/// broken routes alone.
fn full_repair(broken: &Broken<'_>, effort: Effort, delta: &Delta, local_load: u64) -> KeptOrder {
    let Broken { fabric, served, tables, ranks, .. } = *broken;
    let count = |delta: &Delta| delta.counts().iter().sum();
    let local = KeptOrder { full: None, load: local_load, changed: count(delta), other: None };
    let is_tried = match effort {
        Effort::Local => false,
        Effort::Full => true,
        Effort::Auto => is_quick(broken) || !is_near_bound(broken, local_load),
    };
    let Some(full) = is_tried.then(|| choose_all_routes(broken, delta)).flatten() else { return local };
    let load = repair::highest_load(served, &fabric.demand, &full);
    let changed = count(&repair::changes_to(served, RankedTables { tables, ranks }, &full).0);
    if effort == Effort::Full || load < local_load {
        let other = Some(local.passed_over());
        return KeptOrder { full: Some(full), load, changed, other };
    }
    KeptOrder { other: Some(OtherEffort { effort: Effort::Full, load, changed }), ..local }
}

/// Tables under new ranks with a lower load, where they can be brought in live and that is little work. They
/// are tried only if the load under the old ranks is far from the lower bound.
fn better_order(
    broken: &Broken<'_>,
    effort: Effort,
    load: u64,
    progress: &dyn Progress,
) -> Option<(ForwardingTables, Vec<u32>)> {
    let Broken { fabric, served, tables, .. } = *broken;
    let has_blocks = u16::from(tables.vcs) * 2 <= u16::from(fabric.router.vcs);
    if effort != Effort::Auto || !has_blocks || !is_quick(broken) || is_near_bound(broken, load) {
        return None;
    }
    let (new_tables, ranks) = choose_new_order(broken, progress);
    (repair::highest_load(served, &fabric.demand, &new_tables) < load).then_some((new_tables, ranks))
}

/// The changes to new tables of other ranks by way of unused virtual channels, while packets are in flight.
/// `None` where routers have too few. `new` has the ranks of all routers.
fn repair_by_blocks(
    broken: &Broken<'_>,
    live: RankedTables<'_>,
    new: RankedTables<'_>,
) -> Option<RepairBlocks> {
    let Broken { fabric, served, .. } = *broken;
    let vcs = live.tables.vcs;
    if u16::from(vcs) * 2 > u16::from(fabric.router.vcs) || new.tables.vcs != vcs {
        return None;
    }
    let live_ranks = repair::ranks_of_all_routers(served.topology, live);
    let above_ranks = ranks_above(&live_ranks, new.ranks);
    let whole = |tables: &ForwardingTables| Delta::default().applied(tables, &[], REPAIR);
    let before = shift_vcs(&whole(live.tables), 0, 2 * vcs);
    let new_tables = whole(new.tables);
    let [below, above] = [0, vcs].map(|by| shift_vcs(&new_tables, by, 2 * vcs));
    let change = |order, before: &ForwardingTables, ranks: &[u32], after: &ForwardingTables| {
        let (delta, rises) = repair::changes_to(served, RankedTables { tables: before, ranks }, after);
        let load = repair::highest_load(served, &fabric.demand, after);
        rises.then(|| TableChange { order, keys_most: delta.most_entries(before), delta, load })
    };
    let up_ranks = ranks_of_blocks(&live_ranks, &above_ranks, vcs);
    let up = change(ChangeOrder::Above, &before, &up_ranks, &above)?;
    let between = up.delta.applied(&before, &served.dead, REPAIR);
    // On the way down the block below has the higher ranks.
    let down_ranks = ranks_of_blocks(&ranks_above(new.ranks, new.ranks), new.ranks, vcs);
    let down = change(ChangeOrder::Below, &between, &down_ranks, &below)?;
    Some(RepairBlocks { above: up, below: down })
}

/// Ranks that are all above some others, in the same order.
fn ranks_above(lower: &[u32], ranks: &[u32]) -> Vec<u32> {
    let top = lower.iter().max().map_or(0, |most| most + 1);
    ranks.iter().map(|rank| rank + top).collect()
}

/// The changes of a repair, and the ranks that they lead to.
struct ProvedChanges {
    ranks: Option<Vec<u32>>,
    delta: Delta,
    warm: bool,
    blocks: Option<RepairBlocks>,
}

/// Assembles a repair, and has the checker prove it.
fn prove_repair(
    broken: &Broken<'_>,
    healthy: &Walk,
    step: RepairStep,
    changes: ProvedChanges,
    repaired: u64,
) -> Result<ProvedRepair, CheckError> {
    let ProvedChanges { ranks: new_ranks, delta, warm, blocks } = changes;
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
        blocks,
        loads,
        unserved: broken.unserved,
    };
    let healthy = repair::ranks_of_all_routers(scene.topology, RankedTables { tables, ranks });
    let (live, other_ranks) = match since {
        Some(since) => ((&since.tables, &since.all_ranks[..]), Some(&healthy[..])),
        None => ((tables, ranks), None),
    };
    let walk = fabc_check::verify_repair(fabric, scene, live, other_ranks, &repair)?;
    if let Some(blocks) = &repair.blocks {
        let new_ranks = repair.ranks.as_deref().unwrap_or(&healthy);
        fabc_check::verify_repair_blocks(fabric, scene, live, new_ranks, &repair, blocks)?;
    }
    Ok(ProvedRepair { repair, walk, other: None })
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
