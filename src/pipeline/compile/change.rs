//! From one topology to another while packets fly: the tables of every moment of a plan.
//!
//! In: what is in force, with its ranks, a plan of the switches, and the topology that it leads to. Out:
//! batches of steps, each with tables that do without what it removes, and the last tables, all under the
//! ranks in force: any mix of old and new entries rises, so nothing waits in a circle on the way, and every
//! change of tables is proved like a repair. A batch is as long as its load allows. Where there are virtual
//! channels enough, the last tables may have an order of their own.

use fabc_base::ids::Id;
use fabc_base::progress::Progress;
use fabc_check::CheckError;
use fabc_ir::{
    Change, ChangeOrder, Delta, DualLengths, Entry, ForwardingTables, Mirrors, Plan, Scene, Stage, Staged,
    Step, TableChange, TableKey, Topology, after,
};
use fabc_model::{Demand, Fabric, Pod};
use fabc_passes::repair::{self, Before, NoWay};
use fabc_passes::route::allowed_turns::{self, TurnOrder};
use fabc_passes::{flow, synth, tables};
use std::cell::OnceCell;
use std::collections::BTreeSet;
use std::ops::Range;

/// Sweeps of the selection; of routes that are good already it makes a third of them.
const SWEEPS: u32 = 3;
/// The name of every change of tables.
pub const CHANGE: &str = "change";

/// What is to be changed.
pub struct Planned<'a> {
    /// The new fabric.
    pub fabric: &'a Fabric,
    /// Its pod, which both share.
    pub pod: &'a Pod,
    /// What the switches are set to.
    pub live: &'a Mirrors,
    /// The steps.
    pub plan: &'a Plan,
    /// The tables in force, as they were built.
    pub tables: &'a ForwardingTables,
    /// `[channel class * vcs + vc]` under their symmetry: their ranks.
    pub ranks: &'a [u32],
    /// What the steps lead to.
    pub topology: &'a Topology,
    /// The tables that it was built with, and their ranks.
    pub built: Before<'a>,
    /// Whether they are what the last change leads to, though they rise by other ranks. They have as many
    /// virtual channels as those in force then, and routers twice as many.
    pub own_order: bool,
    /// `[channel class]` under its symmetry: lengths that bound every flow.
    pub lengths: &'a [u64],
    /// The most that a channel carries by the tables in force, and by those of the new build.
    pub loads: [u64; 2],
    /// The most that one may carry on the way.
    pub limit: u64,
}

/// Why there are no tables for the way.
#[derive(Debug)]
pub enum NoChange {
    /// On the new topology, for some pairs no way rises by the ranks in force.
    NoWay,
    /// Without what a single step removes there is no way for some pairs; or only with this load.
    TooMuch {
        /// The step.
        step: Step,
        /// The load without it.
        load: Option<u64>,
    },
    /// What was found is wrong: a bug.
    Wrong(CheckError),
}

impl From<CheckError> for NoChange {
    fn from(error: CheckError) -> Self {
        NoChange::Wrong(error)
    }
}

/// What is in force between two batches: the switches, and tables of all routers.
struct Moment {
    topology: Topology,
    mirrors: Mirrors,
    tables: ForwardingTables,
    /// Prices of its channels, found when they are first asked for.
    prices: OnceCell<DualLengths>,
}

impl Moment {
    fn new(topology: Topology, mirrors: Mirrors, tables: ForwardingTables) -> Self {
        Self { topology, mirrors, tables, prices: OnceCell::new() }
    }

    fn prices(&self, demand: &Demand) -> &DualLengths {
        self.prices.get_or_init(|| {
            let lengths = vec![1; self.topology.class_count(self.topology.symmetry())];
            let start = DualLengths { lengths, volume: 0, distance: 0 };
            flow::price(&Scene::whole(&self.topology), demand, &start, flow::Settings::LOCAL)
        })
    }
}

impl Planned<'_> {
    /// Finds and proves the tables of every moment.
    ///
    /// # Errors
    /// No tables do it.
    pub fn staged(&self, progress: &dyn Progress) -> Result<Staged, NoChange> {
        let wired = synth::of_set_switches(self.fabric, self.pod, self.live);
        let ranks = repair::of_all_routers(&wired, Before { tables: self.tables, ranks: self.ranks });
        let there = if self.own_order { None } else { Some(self.there(&ranks)?) };
        let tables = Delta::default().applied(self.tables, &[], CHANGE);
        let mut moment = Moment::new(wired, self.live.clone(), tables);
        let steps = &self.plan.steps;
        let (mut stages, mut done) = (Vec::new(), 0);
        while done < steps.len() {
            progress.note(&format!("step {} of {}", done + 1, steps.len()));
            let (end, delta, load) = self.batch(&moment, &ranks, done)?;
            let scene = without(&moment.topology, &removed(self.pod, &steps[done..end]));
            let tables = proved(
                self.fabric,
                &scene,
                Before { tables: &moment.tables, ranks: &ranks },
                (ChangeOrder::Kept, delta, load),
            )?;
            let there = tables.delta.applied(&moment.tables, &[], CHANGE);
            let mirrors = after(&moment.mirrors, &steps[done..end]);
            moment = Moment::new(synth::of_set_switches(self.fabric, self.pod, &mirrors), mirrors, there);
            stages.push(Stage { steps: done..end, tables });
            done = end;
        }
        let scene = Scene::whole(&moment.topology);
        let in_force = Before { tables: &moment.tables, ranks: &ranks };
        let last = match &there {
            Some(there) => vec![self.onto(&scene, in_force, there, ChangeOrder::Kept)?],
            None => self.by_blocks(&scene, in_force)?,
        };
        let parts = self.topology.capacities().parts();
        Ok(Staged { vcs: self.tables.vcs, ranks, stages, last, loads: self.loads, parts })
    }

    /// From tables in force to others that rise by the same ranks.
    fn onto(
        &self,
        scene: &Scene<'_>,
        in_force: Before<'_>,
        there: &ForwardingTables,
        order: ChangeOrder,
    ) -> Result<TableChange, NoChange> {
        let (delta, keeps) = repair::onto(scene, in_force, there);
        if !keeps {
            return Err(NoChange::NoWay);
        }
        let load = repair::most_loaded(scene, &self.fabric.demand, there);
        proved(self.fabric, scene, in_force, (order, delta, load))
    }

    /// To the tables that the new topology was built with, by way of virtual channels that nobody uses: no
    /// packet goes from one block of them to the other, so each may have an order of its own.
    fn by_blocks(&self, scene: &Scene<'_>, in_force: Before<'_>) -> Result<Vec<TableChange>, NoChange> {
        let (vcs, built) = (in_force.tables.vcs, self.built);
        let own = repair::of_all_routers(self.topology, built);
        let (below, above) = (moved(built.tables, 0, 2 * vcs), moved(built.tables, vcs, 2 * vcs));
        let before = moved(in_force.tables, 0, 2 * vcs);
        let ranks = blocks(in_force.ranks, &own, vcs);
        let up = self.onto(scene, Before { tables: &before, ranks: &ranks }, &above, ChangeOrder::Above)?;
        let between = up.delta.applied(&before, &[], CHANGE);
        let ranks = blocks(&own, &own, vcs);
        let down =
            self.onto(scene, Before { tables: &between, ranks: &ranks }, &below, ChangeOrder::Below)?;
        Ok(vec![up, down])
    }

    /// Tables of the new topology that rise by the ranks in force, `[(router * ports + port) * vcs + vc]`;
    /// those that it was built with, if they do.
    fn there(&self, ranks: &[u32]) -> Result<ForwardingTables, NoChange> {
        let (topology, demand) = (self.topology, &self.fabric.demand);
        let scene = Scene::whole(topology);
        if self.built.tables.vcs == self.tables.vcs && repair::rises(&scene, self.built.tables, ranks) {
            return Ok(self.built.tables.clone());
        }
        let lengths = DualLengths { lengths: self.lengths.to_vec(), volume: 0, distance: 0 };
        let prices = flow::price(&scene, demand, &lengths, flow::Settings::FAULT);
        let settings = allowed_turns::Settings::for_size(self.tables.vcs, self.fabric.node_count());
        let symmetric = *topology.symmetry() == self.tables.symmetry;
        let ranks = if symmetric { self.ranks.to_vec() } else { ranks.to_vec() };
        let order = TurnOrder { vcs: self.tables.vcs, symmetric, ranks, lost: 0 };
        let routes = allowed_turns::select(&scene, demand, &prices, &order, &settings, None);
        if routes.ranks != order.ranks {
            return Err(NoChange::NoWay);
        }
        Ok(tables::build(topology, &routes, TableKey::DstInput, CHANGE))
    }

    /// The longest batch of steps from one on whose load is within the limit: whole switches, or of the first
    /// one as many steps as go. With its end, the changes of tables, and their load.
    fn batch(&self, moment: &Moment, ranks: &[u32], first: usize) -> Result<(usize, Delta, u64), NoChange> {
        let steps = &self.plan.steps;
        // Steps of one switch belong together: ends of runs on one.
        let mut ends: Vec<usize> = Vec::new();
        for (at, step) in steps.iter().enumerate().skip(first) {
            if steps.get(at + 1).is_none_or(|next| next.ocs != step.ocs) {
                ends.push(at + 1);
            }
        }
        let within = |end: usize| {
            self.without_removed(moment, ranks, first..end).ok().filter(|(_, load)| *load <= self.limit)
        };
        if let Some(found) = longest(&ends, within) {
            return Ok(found);
        }
        let single: Vec<usize> = (first + 1..ends[0]).collect();
        if let Some(found) = longest(&single, within) {
            return Ok(found);
        }
        let load = self.without_removed(moment, ranks, first..first + 1).ok().map(|(_, load)| load);
        Err(NoChange::TooMuch { step: steps[first], load })
    }

    /// What changes in the tables so that they do without what steps remove, and the load then: broken routes
    /// go other ways, and if that is too much, all are chosen once more.
    fn without_removed(
        &self,
        moment: &Moment,
        ranks: &[u32],
        steps: Range<usize>,
    ) -> Result<(Delta, u64), NoWay> {
        let scene = without(&moment.topology, &removed(self.pod, &self.plan.steps[steps]));
        let (demand, before) = (&self.fabric.demand, Before { tables: &moment.tables, ranks });
        let found = repair::local(&scene, demand, before, 1)?;
        if found.most[1] <= self.limit {
            return Ok((found.delta, found.most[1]));
        }
        let settings = allowed_turns::Settings::for_size(self.tables.vcs, self.fabric.node_count());
        let settings = allowed_turns::Settings { sweeps: SWEEPS, ..settings };
        let order = TurnOrder { vcs: self.tables.vcs, symmetric: true, ranks: ranks.to_vec(), lost: 0 };
        let start = repair::routes(&scene, before, &found.delta);
        let routes =
            allowed_turns::select(&scene, demand, moment.prices(demand), &order, &settings, Some(&start));
        let there = tables::build(scene.topology, &routes, TableKey::DstInput, CHANGE);
        let load = repair::most_loaded(&scene, demand, &there);
        // Ranks of their own are none of the way.
        if routes.ranks != ranks || load >= found.most[1] {
            return Ok((found.delta, found.most[1]));
        }
        Ok((repair::onto(&scene, before, &there).0, load))
    }
}

/// Has the checker carry out a change of tables.
fn proved(
    fabric: &Fabric,
    scene: &Scene<'_>,
    in_force: Before<'_>,
    (order, delta, load): (ChangeOrder, Delta, u64),
) -> Result<TableChange, NoChange> {
    let keys_most = delta.most_entries(in_force.tables);
    let change = TableChange { order, delta, load, keys_most };
    fabc_check::repair(
        fabric,
        scene,
        (in_force.tables, in_force.ranks),
        None,
        &change.as_repair(&fabric.name),
    )?;
    Ok(change)
}

/// Tables in other virtual channels, of so many in all.
fn moved(tables: &ForwardingTables, by: u8, vcs: u8) -> ForwardingTables {
    let entry = |entry: &Entry| {
        let in_vc = if entry.in_vc < 0 { entry.in_vc } else { entry.in_vc + by as i8 };
        Entry { in_vc, out_vc: entry.out_vc + by, ..*entry }
    };
    let routers = tables.routers.iter().map(|entries| entries.iter().map(entry).collect()).collect();
    ForwardingTables { vcs, routers, ..tables.clone() }
}

/// Ranks of two blocks of virtual channels.
fn blocks(below: &[u32], above: &[u32], vcs: u8) -> Vec<u32> {
    let rows = |ranks| <[u32]>::chunks(ranks, usize::from(vcs));
    rows(below).zip(rows(above)).flat_map(|(below, above)| below.iter().chain(above).copied()).collect()
}

/// The last of some ends for which something is found, if for a shorter batch less is needed.
fn longest(ends: &[usize], within: impl Fn(usize) -> Option<(Delta, u64)>) -> Option<(usize, Delta, u64)> {
    let found = |at: usize| within(ends[at]).map(|(delta, load)| (ends[at], delta, load));
    if let Some(all) = ends.len().checked_sub(1).and_then(&found) {
        return Some(all);
    }
    let mut best = None;
    // `low` go, `high` do not.
    let (mut low, mut high) = (0, ends.len());
    while low < high.saturating_sub(1) {
        let middle = (low + high).div_ceil(2).min(high - 1);
        match found(middle - 1) {
            Some(this) => (best, low) = (Some(this), middle),
            None => high = middle,
        }
    }
    best
}

/// The fibers that steps remove, by the ends of their links.
fn removed(pod: &Pod, steps: &[Step]) -> BTreeSet<[(u32, usize); 2]> {
    let removes = steps.iter().filter(|step| step.change == Change::Remove);
    removes
        .map(|step| ends(pod.ocses[step.ocs].faces(step.pair).map(|face| (face.node.0, face.port.index()))))
        .collect()
}

fn ends(mut ends: [(u32, usize); 2]) -> [(u32, usize); 2] {
    ends.sort_unstable();
    ends
}

/// A topology without some fibers.
fn without<'a>(topology: &'a Topology, removed: &BTreeSet<[(u32, usize); 2]>) -> Scene<'a> {
    let lit = topology
        .links()
        .iter()
        .map(|link| !removed.contains(&ends([link.a, link.b].map(|end| (end.node.0, end.port.index())))));
    Scene { topology, lit: lit.collect(), dead: Vec::new() }
}
