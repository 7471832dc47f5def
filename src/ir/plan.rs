//! The way from one setting of the OCSes to another, one cross-connect at a time.

use super::{CrossConnects, Delta, Repair, RepairLoads, RepairStep};
use fabc_base::ids::{BlockId, IdVec, OcsId};
use std::collections::BTreeSet;
use std::ops::Range;

/// What every OCS is set to, as pairs of port indices like those of [`super::CrossConnect`].
pub type Mirrors = IdVec<OcsId, BTreeSet<[u32; 2]>>;

impl CrossConnects {
    /// The settings without their links.
    pub fn mirrors(&self) -> Mirrors {
        self.settings.ids().map(|ocs| self.mirror(ocs)).collect()
    }

    /// The setting of one OCS.
    pub fn mirror(&self, ocs: OcsId) -> BTreeSet<[u32; 2]> {
        self.settings[ocs].iter().map(|one| [one.a, one.b]).collect()
    }
}

/// What a step does.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Change {
    /// A cross-connect is unset.
    Remove,
    /// A cross-connect is set.
    Add,
}

/// One cross-connect that is set or unset.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Step {
    /// On which switch.
    pub ocs: OcsId,
    /// Whether it is set or unset.
    pub change: Change,
    /// Indices of its ports.
    pub pair: [u32; 2],
    /// Cross-connects of the whole pod that are lit after the step.
    pub lit: usize,
    /// Parts that the pod is in after the step; 1 is whole.
    pub parts: usize,
}

/// Consecutive steps after which the pod is in parts.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cut {
    /// Number of the first such step, from 1.
    pub first: usize,
    /// Number of the last one.
    pub last: usize,
    /// The smallest part after the first of them.
    pub apart: Vec<BlockId>,
    /// The switches whose changing cross-connects, live or new, join that part to the rest: nothing that
    /// stays does.
    pub between: Vec<OcsId>,
}

/// An order of all changes between two settings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Plan {
    /// The steps; nothing that both settings have is touched.
    pub steps: Vec<Step>,
    /// Per OCS, the cross-connects that both settings have.
    pub kept: IdVec<OcsId, usize>,
    /// Parts that the pod is in before the first step.
    pub live_parts: usize,
    /// Where the pod is not whole, ascending; empty if every step leaves it whole.
    pub cuts: Vec<Cut>,
    /// Whether it is proved that no order has fewer steps after which the pod is in parts.
    pub fewest: bool,
}

impl Plan {
    /// Maximal runs of steps on one switch.
    pub fn groups(&self) -> impl Iterator<Item = &[Step]> {
        self.steps.chunk_by(|one, next| one.ocs == next.ocs)
    }
    /// Steps of one kind.
    pub fn count(&self, change: Change) -> usize {
        self.steps.iter().filter(|step| step.change == change).count()
    }
    /// Moves: cross-connects of the new setting that the live one does not have.
    pub fn moves(&self) -> usize {
        self.count(Change::Add)
    }
    /// Steps after which the pod is in parts.
    pub fn steps_in_parts(&self) -> usize {
        self.steps.iter().filter(|step| step.parts > 1).count()
    }
}

/// A plan with the tables of every moment: batch by batch, tables that do without what the batch removes,
/// then its steps; at the end those of the new topology.
#[derive(Clone, PartialEq, Debug)]
pub struct Staged {
    /// Virtual channels of the tables in force.
    pub vcs: u8,
    /// `[(router * ports + port) * vcs + vc]`: their ranks, which the tables of all batches rise by.
    pub ranks: Vec<u32>,
    /// The batches.
    pub stages: Vec<Stage>,
    /// To the tables of the new topology: at once, or into virtual channels of their own and from there to
    /// those that are free by then.
    pub last: Vec<TableChange>,
    /// The most that a channel carries, in parts of a unit of load: by the tables before, and by those that
    /// the new topology was built with.
    pub loads: [u64; 2],
    /// Parts of a unit.
    pub parts: u64,
}

/// Steps that are carried out together.
#[derive(Clone, PartialEq, Debug)]
pub struct Stage {
    /// Which steps of the plan.
    pub steps: Range<usize>,
    /// To tables that do without what they remove.
    pub tables: TableChange,
}

/// The ranks that old and new entries rise by.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ChangeOrder {
    /// Those in force.
    Kept,
    /// Old entries by those in force; new ones by those that they were built with, in as many virtual
    /// channels above.
    Above,
    /// Both by those that they were built with, the new ones in the virtual channels below.
    Below,
}

impl ChangeOrder {
    /// Virtual channels of the tables after such a change, of tables in force with so many.
    pub fn vcs_after(self, vcs: u8) -> u8 {
        if self == ChangeOrder::Above { 2 * vcs } else { vcs }
    }

    /// `kept`, `above`, `below`.
    pub fn name(self) -> &'static str {
        match self {
            ChangeOrder::Kept => "kept",
            ChangeOrder::Above => "above",
            ChangeOrder::Below => "below",
        }
    }
}

/// From tables in force to others.
#[derive(Clone, PartialEq, Debug)]
pub struct TableChange {
    /// Under which ranks.
    pub order: ChangeOrder,
    /// What changes; `stranded` are keys that still lead onto what is removed: it waits for them.
    pub delta: Delta,
    /// The most that a channel carries then, in parts of a unit of load.
    pub load: u64,
    /// The most entries that a router holds on the way.
    pub keys_most: u64,
}

impl TableChange {
    /// The change as a repair of nothing: old and new entries rise by the same ranks.
    pub fn as_repair(&self, fabric: &str) -> Repair {
        Repair {
            fabric: fabric.to_owned(),
            down: Vec::new(),
            since: None,
            step: RepairStep::Local,
            ranks: None,
            delta: self.delta.clone(),
            warm: true,
            loads: RepairLoads { nominal: 0, repaired: self.load, bound: None, parts: 1 },
            unserved: 0,
        }
    }
}

/// The cross-connects after some steps.
pub fn after(live: &Mirrors, steps: &[Step]) -> Mirrors {
    let mut mirrors = live.clone();
    for step in steps {
        match step.change {
            Change::Remove => mirrors[step.ocs].remove(&step.pair),
            Change::Add => mirrors[step.ocs].insert(step.pair),
        };
    }
    mirrors
}
