//! Plans from one setting of the OCSes to another, one cross-connect at a time.

use super::{CrossConnects, Delta, Repair, RepairLoads, RepairStep};
use fabc_base::ids::{BlockId, IdVec, OcsId};
use std::collections::BTreeSet;
use std::ops::Range;

/// The two ports of a cross-connect, as indices like those of [`super::CrossConnect`].
pub type PortIndices = [u32; 2];

/// `[OCS]`: its pairs of port indices, as in [`super::CrossConnect`].
pub type Mirrors = IdVec<OcsId, BTreeSet<[u32; 2]>>;

impl CrossConnects {
    /// The settings without their links.
    pub fn mirrors(&self) -> Mirrors {
        self.settings.ids().map(|ocs| self.mirror(ocs)).collect()
    }

    /// The port pairs of one OCS.
    pub fn mirror(&self, ocs: OcsId) -> BTreeSet<[u32; 2]> {
        self.settings[ocs].iter().map(|cross_connect| [cross_connect.a, cross_connect.b]).collect()
    }
}

/// What a step does to its cross-connect.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum StepChange {
    /// It unsets the cross-connect, so that its ports are free.
    Remove,
    /// It sets the cross-connect between two free ports.
    Add,
}

/// A step: one cross-connect that is set or unset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PlanStep {
    /// The switch that the step changes.
    pub ocs: OcsId,
    /// Whether the cross-connect is set or unset.
    pub change: StepChange,
    /// The indices of the two ports that it joins.
    pub pair: PortIndices,
    /// Number of lit cross-connects of the whole pod after the step.
    pub lit: usize,
    /// Number of connected parts of the pod after the step. 1 is connected.
    pub parts: usize,
}

/// Consecutive steps after which the pod is disconnected.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PlanCut {
    /// Number of the first such step, from 1.
    pub first: usize,
    /// Number of the last one.
    pub last: usize,
    /// The cubes of the smallest part after the first of them.
    pub apart: Vec<BlockId>,
    /// The switches whose changing cross-connects, live or new, join that part to the rest. No cross-connect
    /// that stays does.
    pub between: Vec<OcsId>,
}

/// A plan: an order of all changes between two settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwitchPlan {
    /// The steps. They touch no cross-connect that both settings have.
    pub steps: Vec<PlanStep>,
    /// `[OCS]`: number of cross-connects that both settings have.
    pub kept: IdVec<OcsId, usize>,
    /// Number of connected parts of the pod before the first step.
    pub live_parts: usize,
    /// The runs of steps after which the pod is disconnected, ascending. Empty if there are none.
    pub cuts: Vec<PlanCut>,
    /// Whether it is proved that no order has fewer steps after which the pod is disconnected.
    pub fewest: bool,
    /// The switches that are replaced by spare ones, ascending. All of their cross-connects are removed, the
    /// spare switch takes all fibers, and then the new ones are added.
    pub replaced: Vec<OcsId>,
}

impl SwitchPlan {
    /// Maximal runs of steps on one switch.
    pub fn groups(&self) -> impl Iterator<Item = &[PlanStep]> {
        self.steps.chunk_by(|step, next| step.ocs == next.ocs)
    }
    /// Number of steps of one kind.
    pub fn count(&self, change: StepChange) -> usize {
        self.steps.iter().filter(|step| step.change == change).count()
    }
    /// Number of moves. A move is a cross-connect of the new setting that the live one does not have.
    pub fn moves(&self) -> usize {
        self.count(StepChange::Add)
    }
    /// Number of steps after which the pod is disconnected.
    pub fn steps_in_parts(&self) -> usize {
        self.steps.iter().filter(|step| step.parts > 1).count()
    }
}

/// A plan with its tables. Each stage first changes to tables that do not use what the stage removes, and
/// then takes its steps. At the end come the tables of the new topology.
#[derive(Clone, PartialEq, Debug)]
pub struct StagedPlan {
    /// Number of virtual channels of the live tables.
    pub vcs: u8,
    /// `[(router * ports + port) * vcs + vc]`: the ranks of the live tables, by which the tables of all
    /// stages rise.
    pub ranks: Vec<u32>,
    /// The stages, in their order.
    pub stages: Vec<PlanStage>,
    /// The changes to the tables of the new topology: one change, or two that go through virtual channels of
    /// their own.
    pub last: Vec<TableChange>,
    /// The largest channel loads in parts of a unit of load, under the live tables and under those with which
    /// the new topology was built.
    pub loads: StagedLoads,
    /// Parts of a unit of load.
    pub parts: u64,
}

/// The largest channel load under the live tables, and the one under the tables of the new topology, both in
/// parts of a unit of load.
pub type StagedLoads = [u64; 2];

/// A stage: steps that are carried out together under one set of tables.
#[derive(Clone, PartialEq, Debug)]
pub struct PlanStage {
    /// The range of its steps in the plan.
    pub steps: Range<usize>,
    /// The change to tables that do not use what the steps remove.
    pub tables: TableChange,
}

/// The ranks by which old and new entries rise.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeOrder {
    /// Old and new entries rise by the live ranks.
    Kept,
    /// Old entries rise by the live ranks. New entries rise by the ranks with which they were built, in as
    /// many virtual channels above.
    Above,
    /// Both rise by the ranks with which they were built, new entries in the virtual channels below.
    Below,
}

impl ChangeOrder {
    /// Number of virtual channels after such a change of live tables with `vcs`.
    pub fn vcs_after(self, vcs: u8) -> u8 {
        if self == ChangeOrder::Above { 2 * vcs } else { vcs }
    }

    /// The word in files: `kept`, `above`, `below`.
    pub fn name(self) -> &'static str {
        match self {
            ChangeOrder::Kept => "kept",
            ChangeOrder::Above => "above",
            ChangeOrder::Below => "below",
        }
    }
}

/// A change from live tables to others.
#[derive(Clone, PartialEq, Debug)]
pub struct TableChange {
    /// The ranks of the change.
    pub order: ChangeOrder,
    /// The changes. `stranded` are keys that still lead onto what is removed, which waits until they are
    /// unused.
    pub delta: Delta,
    /// The largest channel load after the change, in parts of a unit of load.
    pub load: u64,
    /// The most entries that a router holds during the change.
    pub keys_most: u64,
}

impl TableChange {
    /// The change as a repair of no failure: old and new entries rise by the same ranks.
    pub fn as_repair(&self, fabric: &str) -> Repair {
        Repair {
            fabric: fabric.to_owned(),
            down: Vec::new(),
            since: None,
            step: RepairStep::Local,
            ranks: None,
            delta: self.delta.clone(),
            warm: true,
            blocks: None,
            loads: RepairLoads { nominal: 0, repaired: self.load, bound: None, parts: 1 },
            unserved: 0,
        }
    }
}

/// The cross-connects after these steps.
pub fn mirrors_after(live: &Mirrors, steps: &[PlanStep]) -> Mirrors {
    let mut mirrors = live.clone();
    for step in steps {
        match step.change {
            StepChange::Remove => mirrors[step.ocs].remove(&step.pair),
            StepChange::Add => mirrors[step.ocs].insert(step.pair),
        };
    }
    mirrors
}
