//! Which slice of a pod has which cubes.

use super::Step;
use fabc_base::ids::BlockId;
use std::collections::{BTreeMap, BTreeSet};

/// One slice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slice {
    /// Its name: the kind and a number, unless it was given another one.
    pub name: String,
    /// The kind of slice that it is, by name.
    pub kind: String,
    /// The cube that plays cube 0 of its kind, cube 1, and so on.
    pub cubes: Vec<BlockId>,
}

/// The slices of a pod, and what no slice has.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SlicePlacement {
    /// By kind, then by number: shorter names first.
    pub slices: Vec<Slice>,
    /// Cubes that are only given to a slice in the place of another one.
    pub spare: BTreeSet<BlockId>,
    /// Cubes that do not work.
    pub down: BTreeSet<BlockId>,
}

/// Something that is done to a placement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlaceStep {
    /// Another slice of a kind, with a name of its own or the next number, in these cubes or the first free
    /// ones.
    Add {
        /// The kind.
        kind: String,
        /// Its name.
        name: Option<String>,
        /// Its cubes.
        cubes: Option<Vec<u32>>,
    },
    /// A slice goes.
    Remove(String),
    /// A cube of a slice is replaced, by this one or by the first that can be.
    Swap(u32, Option<u32>),
    /// A cube does not work.
    Down(u32),
    /// It works again.
    Up(u32),
}

impl SlicePlacement {
    /// Of every cube that a slice has: which slice, and which of its cubes.
    pub fn owners(&self) -> BTreeMap<BlockId, (usize, usize)> {
        let of = |(slice, all): (usize, &Slice)| {
            all.cubes.iter().enumerate().map(move |(at, &cube)| (cube, (slice, at))).collect::<Vec<_>>()
        };
        self.slices.iter().enumerate().flat_map(of).collect()
    }

    /// Cubes of so many that work, belong to no slice and are not spare.
    pub fn free(&self, cubes: u32) -> Vec<BlockId> {
        let owners = self.owners();
        let free = |cube: &BlockId| {
            !owners.contains_key(cube) && !self.spare.contains(cube) && !self.down.contains(cube)
        };
        (0..cubes).map(BlockId).filter(free).collect()
    }

    /// The slice of a name.
    pub fn slice(&self, name: &str) -> Option<&Slice> {
        self.slices.iter().find(|slice| slice.name == name)
    }
}

/// The way from what the switches do to a placement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlicePlan {
    /// What becomes of slices, in the order in which it is done: all that is removed comes first.
    pub changes: Vec<SliceChange>,
    /// Slices that nothing is done to.
    pub untouched: usize,
}

/// What becomes of a slice on the way, or of cross-connects that are of none.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SliceChange {
    /// The slice; `None` where no slice has the cross-connects.
    pub slice: Option<String>,
    /// Why.
    pub why: WhyChanged,
    /// Its steps: all of them remove, or all of them add.
    pub steps: Vec<Step>,
}

/// Why something is done to a slice.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhyChanged {
    /// It is new.
    New,
    /// It is gone.
    Gone,
    /// It has other cubes, or is of another kind: it carries no traffic while it changes.
    Moved,
    /// It stays as it is, but the switches do something else.
    Drifted,
    /// Cross-connects of no slice.
    Stray,
}

impl WhyChanged {
    /// `new`, `gone`, `moved`, `drifted`, `stray`.
    pub fn name(self) -> &'static str {
        match self {
            WhyChanged::New => "new",
            WhyChanged::Gone => "gone",
            WhyChanged::Moved => "moved",
            WhyChanged::Drifted => "drifted",
            WhyChanged::Stray => "stray",
        }
    }
}

impl SlicePlan {
    /// All steps, in their order.
    pub fn steps(&self) -> Vec<Step> {
        self.changes.iter().flat_map(|change| change.steps.iter().copied()).collect()
    }
}
