//! The placement of slices on the cubes of a pod.

use super::PlanStep;
use fabc_base::ids::BlockId;
use std::collections::{BTreeMap, BTreeSet};

/// A slice on its cubes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Slice {
    /// Its name: the kind and a number, unless it was given another name.
    pub name: String,
    /// The kind of slice that it is, by name.
    pub kind: String,
    /// `[cube of the kind]`: the cube of the pod that takes its place.
    pub cubes: Vec<BlockId>,
}

/// The slices of a pod, and the cubes that no slice may have.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SlicePlacement {
    /// The slices, by kind, then by number: shorter names first.
    pub slices: Vec<Slice>,
    /// Spare cubes, which a slice gets only in place of another one.
    pub spare: BTreeSet<BlockId>,
    /// Cubes that do not work.
    pub down: BTreeSet<BlockId>,
}

/// A change to a placement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum PlaceStep {
    /// Adds a slice of a kind, with a given name or the next number, in given cubes or the first free ones.
    Add {
        /// The kind of the slice.
        kind: String,
        /// Its name, if it is given.
        name: Option<String>,
        /// Its cubes, if they are given.
        cubes: Option<Vec<u32>>,
    },
    /// Removes the slice with this name.
    Remove(String),
    /// Replaces a cube of a slice by the second cube, or by the first possible one.
    Swap(u32, Option<u32>),
    /// Marks a cube as not working.
    Down(u32),
    /// Marks a cube as working again.
    Up(u32),
}

impl SlicePlacement {
    /// For every cube that a slice has: (index of the slice, index of the cube in the slice).
    pub fn owners(&self) -> BTreeMap<BlockId, (usize, usize)> {
        let cubes_of_slice = |(index, slice): (usize, &Slice)| {
            slice
                .cubes
                .iter()
                .enumerate()
                .map(move |(of_slice, &cube)| (cube, (index, of_slice)))
                .collect::<Vec<_>>()
        };
        self.slices.iter().enumerate().flat_map(cubes_of_slice).collect()
    }

    /// The free cubes among `cubes`: those that work, belong to no slice and are not spare.
    pub fn free(&self, cubes: u32) -> Vec<BlockId> {
        let owners = self.owners();
        let free = |cube: &BlockId| {
            !owners.contains_key(cube) && !self.spare.contains(cube) && !self.down.contains(cube)
        };
        (0..cubes).map(BlockId).filter(free).collect()
    }

    /// The slice with this name.
    pub fn slice(&self, name: &str) -> Option<&Slice> {
        self.slices.iter().find(|slice| slice.name == name)
    }
}

/// The steps from the live cross-connects to a placement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlicePlan {
    /// The changes of slices, in their order: all removals come first.
    pub changes: Vec<SliceChange>,
    /// Number of slices that do not change.
    pub untouched: usize,
}

/// The change of one slice, or of cross-connects that belong to no slice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SliceChange {
    /// The name of the slice. `None` for cross-connects of no slice.
    pub slice: Option<String>,
    /// The reason why it changes.
    pub why: WhyChanged,
    /// Its steps. Either all of them remove, or all of them add.
    pub steps: Vec<PlanStep>,
}

/// The reason why a slice changes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum WhyChanged {
    /// The slice is new in the placement.
    New,
    /// The slice is no longer in the placement.
    Gone,
    /// The slice has other cubes, or is of another kind. It carries no traffic while it changes.
    Moved,
    /// The slice stays as it is, but the switches do something else.
    Drifted,
    /// The cross-connects belong to no slice.
    Stray,
}

impl WhyChanged {
    /// The word in reports: `new`, `gone`, `moved`, `drifted`, `stray`.
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
    pub fn steps(&self) -> Vec<PlanStep> {
        self.changes.iter().flat_map(|change| change.steps.iter().copied()).collect()
    }
}
