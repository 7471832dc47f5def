//! From one topology to another under live traffic: the tables of every moment of a plan.
//!
//! In: the live tables with their ranks, a plan of the switches, and the topology that it leads to. Out:
//! batches of steps, and the last tables. Each batch has tables that avoid what it removes.
//!
//! All tables rise by the live ranks. Hence any mix of old and new entries is deadlock-free, and every change
//! of tables is proved like a repair. A batch is as long as its load allows. Where there are enough virtual
//! channels, the last tables may have an order of their own.

use fabc_base::ids::{Id, OcsId};
use fabc_base::progress::Progress;
use fabc_check::CheckError;
use fabc_ir::{
    ChangeOrder, Delta, DualLengths, ForwardingTables, Mirrors, PlanStage, PlanStep, Scene, StagedLoads,
    StagedPlan, StepChange, SwitchPlan, TableChange, TableEntry, TableKey, Topology, mirrors_after,
};
use fabc_model::{Demand, Fabric, Pod};
use fabc_passes::plan::plan_in_order;
use fabc_passes::repair::{self, NoRisingPath, RankedTables};
use fabc_passes::route::allowed_turns::{self, TurnOrder};
use fabc_passes::{flow, synth, tables};
use std::cell::OnceCell;
use std::collections::BTreeSet;

/// Sweeps of the selection. Routes that are good already need a third of the usual number.
const SWEEPS: u32 = 3;
/// The most batches that switches are dealt to.
const MOST_DEALT: usize = 8;
/// The scenario name in every change of tables.
pub const CHANGE: &str = "change";

/// A change of a running fabric to a new fabric, by a plan of its switches.
pub struct PlannedChange<'a> {
    /// The new fabric of the change.
    pub fabric: &'a Fabric,
    /// The pod of the new fabric. The running fabric has the same.
    pub pod: &'a Pod,
    /// The live setting of the switches.
    pub live: &'a Mirrors,
    /// The steps of the switches.
    pub plan: &'a SwitchPlan,
    /// The live tables, as they were built.
    pub tables: &'a ForwardingTables,
    /// `[channel class * vcs + vc]` under the symmetry of `tables`: the ranks of the live tables.
    pub ranks: &'a [u32],
    /// The topology after the last step.
    pub topology: &'a Topology,
    /// The tables that this topology was built with, and their ranks.
    pub built: RankedTables<'a>,
    /// Whether the last change leads to the tables of the new build although these rise by other ranks. They
    /// then have as many virtual channels as the live tables, and the routers have twice as many.
    pub own_order: bool,
    /// `[channel class]` under the symmetry of `topology`: lengths that bound every flow.
    pub lengths: &'a [u64],
    /// The largest channel loads: under the live tables, then under the tables of the new build.
    pub loads: StagedLoads,
    /// The largest channel load that is allowed during the change.
    pub limit: u64,
}

/// Why a change has no tables.
#[derive(Debug)]
pub enum NoChange {
    /// On the new topology, some pairs have no path that rises by the live ranks.
    NoWay,
    /// Without what a single step removes, some pairs have no path, or the load exceeds the limit.
    TooMuch {
        /// The step of the plan that fails.
        step: PlanStep,
        /// The load without what it removes. `None` if some pairs have no path.
        load: Option<u64>,
    },
    /// The checker convicts the result: a bug.
    Convicted(CheckError),
}

impl From<CheckError> for NoChange {
    fn from(error: CheckError) -> Self {
        NoChange::Convicted(error)
    }
}

/// The state between two batches: the setting of the switches, and the tables of all routers.
struct LiveState {
    topology: Topology,
    mirrors: Mirrors,
    tables: ForwardingTables,
    /// Prices of its channels, computed at first use.
    prices: OnceCell<DualLengths>,
}

impl LiveState {
    fn new(topology: Topology, mirrors: Mirrors, tables: ForwardingTables) -> Self {
        Self { topology, mirrors, tables, prices: OnceCell::new() }
    }

    fn prices(&self, demand: &Demand) -> &DualLengths {
        self.prices.get_or_init(|| {
            let lengths = vec![1; self.topology.class_count(self.topology.symmetry())];
            let start = DualLengths { lengths, volume: 0, distance: 0 };
            flow::price(&Scene::healthy(&self.topology), demand, &start, flow::FlowSettings::LOCAL)
        })
    }
}

impl PlannedChange<'_> {
    /// Finds and proves the tables of every moment. Returns the plan in the order of the stages with them.
    /// The switches of every group are dealt to batches, for the fewest batches whose loads are within the
    /// limit. If up to eight batches exceed it, or the plan changes a switch twice, the batches are
    /// runs of steps of the plan.
    ///
    /// # Errors
    /// [`NoChange::NoWay`] or [`NoChange::TooMuch`] where no tables do it. [`NoChange::Convicted`] for a bug.
    pub fn staged(&self, progress: &dyn Progress) -> Result<(SwitchPlan, StagedPlan), NoChange> {
        let wired = synth::topology_from_mirrors(self.fabric, self.pod, self.live);
        let ranks =
            repair::ranks_of_all_routers(&wired, RankedTables { tables: self.tables, ranks: self.ranks });
        let target = if self.own_order { None } else { Some(self.target_tables(&ranks)?) };
        let tables = Delta::default().applied(self.tables, &[], CHANGE);
        let start = || LiveState::new(wired.clone(), self.live.clone(), tables.clone());
        let dealt = self.dealt_batches(start, &ranks, progress)?;
        let (plan, stages, live) = match dealt {
            Some(dealt) => dealt,
            None => {
                let (mut live, mut stages, mut done) = (start(), Vec::new(), 0);
                while done < self.plan.steps.len() {
                    progress.note(&format!("step {} of {}", done + 1, self.plan.steps.len()));
                    let (end, delta, load) = self.longest_batch(&live, &ranks, done)?;
                    let batch = &self.plan.steps[done..end];
                    let (tables, next) = self.after_batch(&live, &ranks, batch, delta, load)?;
                    stages.push(PlanStage { steps: done..end, tables });
                    (live, done) = (next, end);
                }
                (self.plan.clone(), stages, live)
            }
        };
        let scene = Scene::healthy(&live.topology);
        let live_tables = RankedTables { tables: &live.tables, ranks: &ranks };
        let last = match &target {
            Some(target) => vec![self.change_onto(&scene, live_tables, target, ChangeOrder::Kept)?],
            None => self.change_by_vc_blocks(&scene, live_tables)?,
        };
        let parts = self.topology.capacities().parts();
        let staged = StagedPlan { vcs: self.tables.vcs, ranks, stages, last, loads: self.loads, parts };
        Ok((plan, staged))
    }

    /// Deals the switches to the fewest batches whose loads are within the limit. `None` if there are no such
    /// batches, or if the plan is not made of whole switches.
    fn dealt_batches(
        &self,
        start: impl Fn() -> LiveState,
        ranks: &[u32],
        progress: &dyn Progress,
    ) -> Result<Option<(SwitchPlan, Vec<PlanStage>, LiveState)>, NoChange> {
        let mut switches: Vec<OcsId> = self.plan.groups().map(|group| group[0].ocs).collect();
        switches.sort_unstable();
        if switches.windows(2).any(|pair| pair[0] == pair[1]) {
            return Ok(None);
        }
        'counts: for count in 1..=switches.len().min(MOST_DEALT) {
            progress.note(&format!("{count} batches"));
            let batches = deal_switches(self.pod, &switches, count);
            let plan = plan_in_order(
                self.pod,
                self.live,
                &self.new_mirrors(),
                &self.plan.replaced,
                &batches.concat(),
            );
            if !plan.cuts.is_empty() {
                continue;
            }
            let (mut live, mut stages, mut done) = (start(), Vec::new(), 0);
            for batch in &batches {
                let in_batch = |step: &PlanStep| batch.contains(&step.ocs);
                let end = done + plan.steps[done..].iter().take_while(|step| in_batch(step)).count();
                let steps = &plan.steps[done..end];
                let within = self.tables_without(&live, ranks, steps).ok();
                let Some((delta, load)) = within.filter(|(_, load)| *load <= self.limit) else {
                    continue 'counts;
                };
                let (tables, next) = self.after_batch(&live, ranks, steps, delta, load)?;
                stages.push(PlanStage { steps: done..end, tables });
                (live, done) = (next, end);
            }
            return Ok(Some((plan, stages, live)));
        }
        Ok(None)
    }

    /// The setting after the plan.
    fn new_mirrors(&self) -> Mirrors {
        mirrors_after(self.live, &self.plan.steps)
    }

    /// Proves the change of tables of a batch. Returns it, and the state after the steps of the batch.
    fn after_batch(
        &self,
        live: &LiveState,
        ranks: &[u32],
        steps: &[PlanStep],
        delta: Delta,
        load: u64,
    ) -> Result<(TableChange, LiveState), NoChange> {
        let scene = scene_without(&live.topology, &removed_links(self.pod, steps));
        let before = RankedTables { tables: &live.tables, ranks };
        let tables = prove_change(self.fabric, &scene, before, ChangeOrder::Kept, delta, load)?;
        let next_tables = tables.delta.applied(&live.tables, &[], CHANGE);
        let mirrors = mirrors_after(&live.mirrors, steps);
        let topology = synth::topology_from_mirrors(self.fabric, self.pod, &mirrors);
        Ok((tables, LiveState::new(topology, mirrors, next_tables)))
    }

    /// The change from live tables to others that rise by the same ranks.
    fn change_onto(
        &self,
        scene: &Scene<'_>,
        live: RankedTables<'_>,
        target: &ForwardingTables,
        order: ChangeOrder,
    ) -> Result<TableChange, NoChange> {
        let (delta, rises) = repair::changes_to(scene, live, target);
        if !rises {
            return Err(NoChange::NoWay);
        }
        let load = repair::highest_load(scene, &self.fabric.demand, target);
        prove_change(self.fabric, scene, live, order, delta, load)
    }

    /// The changes to the tables of the new build by way of unused virtual channels. No packet goes from one
    /// block of virtual channels to the other, so each block may have an order of its own.
    fn change_by_vc_blocks(
        &self,
        scene: &Scene<'_>,
        live: RankedTables<'_>,
    ) -> Result<Vec<TableChange>, NoChange> {
        let (vcs, built) = (live.tables.vcs, self.built);
        let built_ranks = repair::ranks_of_all_routers(self.topology, built);
        let (below, above) = (shift_vcs(built.tables, 0, 2 * vcs), shift_vcs(built.tables, vcs, 2 * vcs));
        let before = shift_vcs(live.tables, 0, 2 * vcs);
        let ranks = ranks_of_blocks(live.ranks, &built_ranks, vcs);
        let up = self.change_onto(
            scene,
            RankedTables { tables: &before, ranks: &ranks },
            &above,
            ChangeOrder::Above,
        )?;
        let between = up.delta.applied(&before, &[], CHANGE);
        let ranks = ranks_of_blocks(&built_ranks, &built_ranks, vcs);
        let down = self.change_onto(
            scene,
            RankedTables { tables: &between, ranks: &ranks },
            &below,
            ChangeOrder::Below,
        )?;
        Ok(vec![up, down])
    }

    /// Tables of the new topology that rise by the live ranks, `[(router * ports + port) * vcs + vc]`. These
    /// are the tables of the new build, if they rise by them.
    fn target_tables(&self, ranks: &[u32]) -> Result<ForwardingTables, NoChange> {
        let (topology, demand) = (self.topology, &self.fabric.demand);
        let scene = Scene::healthy(topology);
        if self.built.tables.vcs == self.tables.vcs && repair::tables_rise(&scene, self.built.tables, ranks) {
            return Ok(self.built.tables.clone());
        }
        let lengths = DualLengths { lengths: self.lengths.to_vec(), volume: 0, distance: 0 };
        let prices = flow::price(&scene, demand, &lengths, flow::FlowSettings::FAULT);
        let settings = allowed_turns::TurnSettings::for_size(self.tables.vcs, self.fabric.node_count());
        let symmetric = *topology.symmetry() == self.tables.symmetry;
        let ranks = if symmetric { self.ranks.to_vec() } else { ranks.to_vec() };
        let order = TurnOrder { vcs: self.tables.vcs, symmetric, ranks, lost: 0 };
        let routes = allowed_turns::select(&scene, demand, &prices, &order, &settings, None);
        if routes.ranks != order.ranks {
            return Err(NoChange::NoWay);
        }
        Ok(tables::build(topology, &routes, TableKey::DstInput, CHANGE))
    }

    /// The longest batch of steps from `first` whose load is within the limit. It consists of whole switches,
    /// or of as many steps of the first switch as possible. Returns its end, the changes of tables, and their
    /// load.
    fn longest_batch(
        &self,
        live: &LiveState,
        ranks: &[u32],
        first: usize,
    ) -> Result<(usize, Delta, u64), NoChange> {
        let steps = &self.plan.steps;
        // Steps of one switch belong together: these are the ends of the runs of steps on one switch.
        let mut batch_ends: Vec<usize> = Vec::new();
        for (index, step) in steps.iter().enumerate().skip(first) {
            if steps.get(index + 1).is_none_or(|next| next.ocs != step.ocs) {
                batch_ends.push(index + 1);
            }
        }
        let within = |end: usize| {
            self.tables_without(live, ranks, &steps[first..end]).ok().filter(|(_, load)| *load <= self.limit)
        };
        if let Some(batch) = longest_possible(&batch_ends, within) {
            return Ok(batch);
        }
        let single: Vec<usize> = (first + 1..batch_ends[0]).collect();
        if let Some(batch) = longest_possible(&single, within) {
            return Ok(batch);
        }
        let load = self.tables_without(live, ranks, &steps[first..first + 1]).ok().map(|(_, load)| load);
        Err(NoChange::TooMuch { step: steps[first], load })
    }

    /// The changes with which the tables avoid what `steps` remove, and the load after them. Broken routes
    /// are replaced. If that exceeds the limit, all routes are chosen once more.
    fn tables_without(
        &self,
        live: &LiveState,
        ranks: &[u32],
        steps: &[PlanStep],
    ) -> Result<(Delta, u64), NoRisingPath> {
        let scene = scene_without(&live.topology, &removed_links(self.pod, steps));
        let (demand, before) = (&self.fabric.demand, RankedTables { tables: &live.tables, ranks });
        let local = repair::repair_locally(&scene, demand, before, 1)?;
        if local.highest_after <= self.limit {
            return Ok((local.delta, local.highest_after));
        }
        let settings = allowed_turns::TurnSettings::for_size(self.tables.vcs, self.fabric.node_count());
        let settings = allowed_turns::TurnSettings { sweeps: SWEEPS, ..settings };
        let order = TurnOrder { vcs: self.tables.vcs, symmetric: true, ranks: ranks.to_vec(), lost: 0 };
        let start = repair::repaired_routes(&scene, before, &local.delta);
        let routes =
            allowed_turns::select(&scene, demand, live.prices(demand), &order, &settings, Some(&start));
        let chosen = tables::build(scene.topology, &routes, TableKey::DstInput, CHANGE);
        let load = repair::highest_load(&scene, demand, &chosen);
        // A selection with ranks of its own is of no use during the change.
        if routes.ranks != ranks || load >= local.highest_after {
            return Ok((local.delta, local.highest_after));
        }
        Ok((repair::changes_to(&scene, before, &chosen).0, load))
    }
}

/// Deals the switches that change to batches. The switches of a group serve one axis. Every batch has its
/// share of each group, from all rows and columns of the group.
fn deal_switches(pod: &Pod, switches: &[OcsId], count: usize) -> Vec<Vec<OcsId>> {
    let mut batches = vec![Vec::new(); count];
    for (number, group) in switches.chunk_by(|a, b| pod.ocses[*a].group == pod.ocses[*b].group).enumerate() {
        for (place, &ocs) in group.iter().enumerate() {
            batches[(place + place / count + number) % count].push(ocs);
        }
    }
    batches.retain(|batch| !batch.is_empty());
    batches
}

/// Has the checker carry out a change of tables.
fn prove_change(
    fabric: &Fabric,
    scene: &Scene<'_>,
    live: RankedTables<'_>,
    order: ChangeOrder,
    delta: Delta,
    load: u64,
) -> Result<TableChange, NoChange> {
    let keys_most = delta.most_entries(live.tables);
    let change = TableChange { order, delta, load, keys_most };
    fabc_check::verify_repair(
        fabric,
        scene,
        (live.tables, live.ranks),
        None,
        &change.as_repair(&fabric.name),
    )?;
    Ok(change)
}

/// The same tables, shifted up by `by` virtual channels, with `vcs` in all.
pub(super) fn shift_vcs(tables: &ForwardingTables, by: u8, vcs: u8) -> ForwardingTables {
    let entry = |entry: &TableEntry| {
        let in_vc = if entry.in_vc < 0 { entry.in_vc } else { entry.in_vc + by as i8 };
        TableEntry { in_vc, out_vc: entry.out_vc + by, ..*entry }
    };
    let routers = tables.routers.iter().map(|entries| entries.iter().map(entry).collect()).collect();
    ForwardingTables { vcs, routers, ..tables.clone() }
}

/// The ranks of two blocks of virtual channels, one above the other.
pub(super) fn ranks_of_blocks(below: &[u32], above: &[u32], vcs: u8) -> Vec<u32> {
    let rows = |ranks| <[u32]>::chunks(ranks, usize::from(vcs));
    rows(below).zip(rows(above)).flat_map(|(below, above)| below.iter().chain(above).copied()).collect()
}

/// The last of `ends` for which `within` finds a result. It assumes that a shorter batch needs less.
fn longest_possible(
    ends: &[usize],
    within: impl Fn(usize) -> Option<(Delta, u64)>,
) -> Option<(usize, Delta, u64)> {
    let try_end = |count: usize| within(ends[count]).map(|(delta, load)| (ends[count], delta, load));
    if let Some(all) = ends.len().checked_sub(1).and_then(&try_end) {
        return Some(all);
    }
    let mut best = None;
    // Batches up to `low` are possible, batches from `high` on are not.
    let (mut low, mut high) = (0, ends.len());
    while low < high.saturating_sub(1) {
        let middle = (low + high).div_ceil(2).min(high - 1);
        match try_end(middle - 1) {
            Some(batch) => (best, low) = (Some(batch), middle),
            None => high = middle,
        }
    }
    best
}

/// The links of the fibers that `steps` remove, each as its two ends in order.
fn removed_links(pod: &Pod, steps: &[PlanStep]) -> BTreeSet<[(u32, usize); 2]> {
    let removes = steps.iter().filter(|step| step.change == StepChange::Remove);
    removes
        .map(|step| {
            sorted_ends(pod.ocses[step.ocs].faces(step.pair).map(|face| (face.node.0, face.port.index())))
        })
        .collect()
}

fn sorted_ends(mut ends: [(u32, usize); 2]) -> [(u32, usize); 2] {
    ends.sort_unstable();
    ends
}

/// A topology without these links.
fn scene_without<'a>(topology: &'a Topology, removed_links: &BTreeSet<[(u32, usize); 2]>) -> Scene<'a> {
    let lit = topology.links().iter().map(|link| {
        !removed_links.contains(&sorted_ends([link.a, link.b].map(|end| (end.node.0, end.port.index()))))
    });
    Scene { topology, lit: lit.collect(), dead: Vec::new() }
}
