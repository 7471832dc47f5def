//! What the switches of a pod do, beside what they are meant to.

use super::Mirrors;
use fabc_base::ids::{IdVec, OcsId};
use std::collections::BTreeSet;

/// What the switches of a pod do.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Live {
    /// Cross-connects that carry light.
    pub lit: Mirrors,
    /// Cross-connects that the switches are told to set; what is lit where they do not say.
    pub set: Mirrors,
    /// Cross-connects that light will pass soon.
    pub pending: Mirrors,
    /// Cross-connects that light does not pass, or of which nobody knows.
    pub failed: Mirrors,
    /// Names of ports that are told to block light.
    pub blocked: IdVec<OcsId, BTreeSet<String>>,
    /// Switches that were told, and have done nothing yet.
    pub idle: BTreeSet<OcsId>,
}

impl Live {
    /// Switches of which nothing is known but what they are set to.
    pub fn of_settings(set: Mirrors) -> Self {
        let none = || IdVec::filled(BTreeSet::new(), set.len());
        let blocked = IdVec::filled(BTreeSet::new(), set.len());
        Self { lit: set.clone(), pending: none(), failed: none(), blocked, idle: BTreeSet::new(), set }
    }

    /// Cross-connects that are set, but carry no light.
    pub fn dark(&self) -> usize {
        self.set.ids().map(|id| self.set[id].difference(&self.lit[id]).count()).sum()
    }
}

/// How a switch differs from what a build set; pairs of port indices, ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwitchDrift {
    /// The switch.
    pub ocs: OcsId,
    /// Cross-connects of the build that carry no light.
    pub missing: Vec<[u32; 2]>,
    /// Others that do.
    pub extra: Vec<[u32; 2]>,
    /// Those of them that hold a port of a missing one.
    pub moved: Vec<[u32; 2]>,
    /// Names of ports that are told to block light.
    pub blocked: Vec<String>,
    /// Cross-connects that light will pass soon.
    pub pending: Vec<[u32; 2]>,
    /// Cross-connects that light does not pass, or of which nobody knows.
    pub failed: Vec<[u32; 2]>,
    /// Whether it was told, and has done nothing yet.
    pub idle: bool,
}

/// What a difference comes to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// Everything is as it was built.
    Same,
    /// Just what a fault of the budget darkens: its name.
    Scenario(String),
    /// Something is dark; by the names that a repair takes.
    Repair(Vec<String>),
    /// Something is joined that should not be; by the same names what is dark besides.
    Foreign(Vec<String>),
}

impl Meaning {
    /// `same`, `scenario`, `repair`, `foreign`.
    pub fn name(&self) -> &'static str {
        match self {
            Meaning::Same => "same",
            Meaning::Scenario(_) => "scenario",
            Meaning::Repair(_) => "repair",
            Meaning::Foreign(_) => "foreign",
        }
    }
}

/// How a pod differs from what a build set.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drift {
    /// The switches that differ, ascending.
    pub switches: Vec<SwitchDrift>,
    /// What it comes to.
    pub meaning: Meaning,
    /// Parts that the pod is in by what is left of the build's cross-connects; 1 is whole.
    pub parts: usize,
}

/// How a pod in slices differs from its placement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlicesDrift {
    /// The switches that differ, ascending.
    pub switches: Vec<SwitchDrift>,
    /// What it comes to, slice by slice; those that are as they were placed are left out.
    pub slices: Vec<SliceDrift>,
    /// Cross-connects that join what is not one slice, and whose both ends are.
    pub across: Vec<(OcsId, [u32; 2], [Option<String>; 2])>,
}

/// What a difference comes to for one slice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SliceDrift {
    /// Its name.
    pub slice: String,
    /// What it comes to, by the names of the pod.
    pub meaning: Meaning,
    /// Parts that its cubes are in by what is left; 1 is whole.
    pub parts: usize,
}

impl SlicesDrift {
    /// Whether slices are apart, and each is whole.
    pub fn holds(&self) -> bool {
        self.across.is_empty() && self.slices.iter().all(|slice| slice.parts == 1)
    }

    /// What it comes to: the worst of all slices.
    pub fn means(&self) -> &'static str {
        let any = |name: &str| self.slices.iter().any(|slice| slice.meaning.name() == name);
        match (self.across.is_empty() && !any("foreign"), any("repair"), any("scenario")) {
            (false, _, _) => "foreign",
            (true, true, _) => "repair",
            (true, false, true) => "scenario",
            (true, false, false) => "same",
        }
    }
}
