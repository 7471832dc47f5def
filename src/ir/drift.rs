//! The actual state of the switches of a pod, and how it differs from the intended one.

use super::{Mirrors, PortIndices};
use fabc_base::ids::{IdVec, OcsId};
use std::collections::BTreeSet;

/// The actual state of the switches of a pod.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LiveSwitches {
    /// Cross-connects that carry light now.
    pub lit: Mirrors,
    /// Cross-connects that the switches are told to set. Where they do not say, the lit ones.
    pub set: Mirrors,
    /// Cross-connects that are being set and will carry light soon.
    pub pending: Mirrors,
    /// Cross-connects that carry no light, or whose state is unknown.
    pub failed: Mirrors,
    /// Names of ports that are told to block light.
    pub blocked: IdVec<OcsId, BTreeSet<String>>,
    /// Switches that were told to change, and have done nothing yet.
    pub idle: BTreeSet<OcsId>,
}

impl LiveSwitches {
    /// The state of switches of which only the settings are known.
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

/// How a switch differs from its setting in the build. Pairs are port indices, ascending.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SwitchDrift {
    /// The switch that differs from its setting.
    pub ocs: OcsId,
    /// Cross-connects of the build that carry no light.
    pub missing: Vec<[u32; 2]>,
    /// Cross-connects that carry light, but are not of the build.
    pub extra: Vec<[u32; 2]>,
    /// Cross-connects among `extra` that hold a port of a missing one.
    pub moved: Vec<[u32; 2]>,
    /// Names of ports that are told to block light.
    pub blocked: Vec<String>,
    /// Cross-connects that are being set and will carry light soon.
    pub pending: Vec<[u32; 2]>,
    /// Cross-connects that carry no light, or whose state is unknown.
    pub failed: Vec<[u32; 2]>,
    /// Whether it was told to change, and has done nothing yet.
    pub idle: bool,
}

/// The measured power of light at a face port, in thousandths of a dBm.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MeasuredPower {
    /// The power that was measured.
    pub power: i64,
    /// The point of the measurement.
    pub at: MeasuringPoint,
}

/// The point at which the power of light is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MeasuringPoint {
    /// At the receiver behind the face port.
    Receiver,
    /// At the port of the switch from which light goes to the face port.
    Switch,
}

/// What measured light says of the links that are lit as they were built.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LightDrift {
    /// The receivers that get less than their budget, by switch and ports.
    pub weak: Vec<WeakReceiver>,
    /// Number of receivers whose light was measured.
    pub measured: usize,
    /// Number of receivers whose light was not measured.
    pub unmeasured: usize,
}

/// A receiver that gets less than its budget. Powers are in thousandths of a dBm.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct WeakReceiver {
    /// The switch that the light passes.
    pub ocs: OcsId,
    /// The ports that the cross-connect joins.
    pub pair: PortIndices,
    /// The name of the face port at the receiver.
    pub port: String,
    /// Power at the receiver. What is measured at a switch is less by the rest of the way.
    pub power: i64,
    /// Power that the budget of the link gives.
    pub budget: i64,
    /// The least power that the receiver can read.
    pub sensitivity: i64,
    /// The state of its light.
    pub state: WeakLight,
}

/// How much too little light a receiver gets.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum WeakLight {
    /// Less than the sensitivity of the receiver.
    Unreadable,
    /// Less than the declared margin over its sensitivity.
    Low,
    /// Less than the budget says, but with the declared margin.
    Lossy,
}

impl WeakLight {
    /// The word in reports: `unreadable`, `low` or `lossy`.
    pub fn name(self) -> &'static str {
        match self {
            WeakLight::Unreadable => "unreadable",
            WeakLight::Low => "low",
            WeakLight::Lossy => "lossy",
        }
    }
}

/// The meaning of a difference.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Meaning {
    /// The switches are as they were built.
    Same,
    /// Exactly the fibers of one tolerated fault are dark. Its name.
    Scenario(String),
    /// Something else is dark: the names that `repair` takes.
    Repair(Vec<String>),
    /// Something is joined that should not be. The names of what is dark besides, as `repair` takes them.
    Foreign(Vec<String>),
}

impl Meaning {
    /// The word in reports: `same`, `scenario`, `repair`, `foreign`.
    pub fn name(&self) -> &'static str {
        match self {
            Meaning::Same => "same",
            Meaning::Scenario(_) => "scenario",
            Meaning::Repair(_) => "repair",
            Meaning::Foreign(_) => "foreign",
        }
    }
}

/// How a pod differs from its build.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Drift {
    /// The switches that differ, ascending.
    pub switches: Vec<SwitchDrift>,
    /// The meaning of all differences together.
    pub meaning: Meaning,
    /// Number of connected parts of the pod over the remaining cross-connects of the build. 1 is connected.
    pub parts: usize,
    /// The switches that lost all of their cross-connects, ascending. Spare ones may take their places.
    pub lost: Vec<OcsId>,
}

/// How a pod in slices differs from its placement.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlicesDrift {
    /// The switches that differ, ascending.
    pub switches: Vec<SwitchDrift>,
    /// The meaning slice by slice. Slices that are as they were placed are left out.
    pub slices: Vec<SliceDrift>,
    /// Cross-connects between two slices, or between a slice and another cube: the switch, the ports, and the
    /// slice at each end.
    pub across: Vec<(OcsId, [u32; 2], [Option<String>; 2])>,
}

/// The meaning of the differences for one slice.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SliceDrift {
    /// The name of the slice.
    pub slice: String,
    /// The meaning, in names of the pod.
    pub meaning: Meaning,
    /// Number of connected parts of its cubes over the remaining cross-connects. 1 is connected.
    pub parts: usize,
}

impl SlicesDrift {
    /// Whether no cross-connect leads out of a slice, and each slice is connected.
    pub fn holds(&self) -> bool {
        self.across.is_empty() && self.slices.iter().all(|slice| slice.parts == 1)
    }

    /// The word of the worst meaning over all slices.
    pub fn meaning_name(&self) -> &'static str {
        let any = |name: &str| self.slices.iter().any(|slice| slice.meaning.name() == name);
        match (self.across.is_empty() && !any("foreign"), any("repair"), any("scenario")) {
            (false, _, _) => "foreign",
            (true, true, _) => "repair",
            (true, false, true) => "scenario",
            (true, false, false) => "same",
        }
    }
}
