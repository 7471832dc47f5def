//! What `fabc operate` plays: years, failure rates, repairs, stock, and the policies that are compared.

use std::fmt;

/// A kind of part that fails.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum PartKind {
    /// A host with its chips.
    Host,
    /// A cable inside a cube, or a fiber from a cube to a switch.
    Cable,
    /// An optical circuit switch with its mirrors.
    Ocs,
}

impl PartKind {
    /// All kinds, in the order of their words.
    pub const ALL: [Self; 3] = [Self::Host, Self::Cable, Self::Ocs];

    /// The word in options and files: `host`, `cable`, `ocs`.
    pub fn word(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Cable => "cable",
            Self::Ocs => "ocs",
        }
    }
}

/// A value for every kind of part.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PerPart<T> {
    /// The value that hosts have.
    pub host: T,
    /// The value that cables have.
    pub cable: T,
    /// The value that switches have.
    pub ocs: T,
}

impl<T> PerPart<T> {
    /// The values that a function gives for the kinds.
    pub fn from_fn(mut value: impl FnMut(PartKind) -> T) -> Self {
        Self { host: value(PartKind::Host), cable: value(PartKind::Cable), ocs: value(PartKind::Ocs) }
    }

    /// The value for a kind.
    pub fn get(&self, kind: PartKind) -> &T {
        match kind {
            PartKind::Host => &self.host,
            PartKind::Cable => &self.cable,
            PartKind::Ocs => &self.ocs,
        }
    }

    /// The value for a kind, to be changed.
    pub fn get_mut(&mut self, kind: PartKind) -> &mut T {
        match kind {
            PartKind::Host => &mut self.host,
            PartKind::Cable => &mut self.cable,
            PartKind::Ocs => &mut self.ocs,
        }
    }
}

/// The response to a broken cable.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CableResponse {
    /// Its cube leaves service, as with a broken host.
    Swap,
    /// The cube stays, and routes avoid the cable.
    Around,
}

/// When a spare cube takes the place of one that is down.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum SwapTime {
    /// As soon as there is one.
    AtOnce,
    /// In the next window of the night.
    AtNight,
    /// Never. A slice waits for its own cubes.
    Never,
}

impl CableResponse {
    /// The words of a policy with their values.
    pub const WORDS: [(&'static str, Self); 2] = [("swap", Self::Swap), ("around", Self::Around)];

    /// The word of a policy.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }
}

impl SwapTime {
    /// The words of a policy with their values.
    pub const WORDS: [(&'static str, Self); 3] =
        [("at_once", Self::AtOnce), ("at_night", Self::AtNight), ("never", Self::Never)];

    /// The word of a policy.
    pub fn word(self) -> &'static str {
        Self::WORDS[self as usize].0
    }
}

/// A policy: how a pod is run when parts fail.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct OperatePolicy {
    /// Number of cubes that no slice has and that may take the place of others.
    pub spare: u32,
    /// The number of dark switches up to which a slice runs on.
    pub faults: u32,
    /// The response to a broken cable.
    pub cables: CableResponse,
    /// When spare cubes replace others.
    pub swap: SwapTime,
}

impl fmt::Display for OperatePolicy {
    /// The policy as `--policy` takes it.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { spare, faults, cables, swap } = self;
        let (cables, swap) = (cables.word(), swap.word());
        write!(formatter, "spare = {spare}; faults = {faults}; cables = {cables}; swap = {swap};")
    }
}

/// The daily window for swaps at night, in minutes after midnight. It may go past midnight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NightWindow {
    /// The minute when it begins.
    pub from: u32,
    /// When it ends. Never equal to `from`.
    pub to: u32,
}

/// What is played, as the command line says it.
#[derive(Clone, PartialEq, Debug)]
pub struct YearsRequest {
    /// Months of a twelfth of 365.25 days.
    pub months: u32,
    /// Number of seeds. Seed k has its own failures, which are the same under every policy.
    pub seeds: u32,
    /// Number of chips of a host.
    pub host_chips: u32,
    /// Failures of a part per day. A cable between cubes is two fibers, each with half of the rate.
    pub per_day: PerPart<f64>,
    /// The time that a repair takes once the part for it is there, in milliseconds.
    pub repair_ms: u64,
    /// The time that a slice loses with every failure, in milliseconds.
    pub restart_ms: u64,
    /// Parts on stock. `None`: as many as are needed.
    pub stock: PerPart<Option<u32>>,
    /// The time from a failure to the delivery of the part that is ordered for it, in milliseconds.
    pub restock_ms: u64,
    /// The window of swaps at night.
    pub night: NightWindow,
    /// The policies, which are all different.
    pub policies: Vec<OperatePolicy>,
}

/// Milliseconds of a day of 24 hours.
pub const DAY_MS: u64 = 86_400_000;

/// Milliseconds of a month, a twelfth of a year of 365.25 days.
pub const MONTH_MS: u64 = 2_629_800_000;

impl YearsRequest {
    /// The time that is played, in milliseconds.
    pub fn span_ms(&self) -> u64 {
        u64::from(self.months) * MONTH_MS
    }

    /// The years, as text: `10`, or `0.25` for three months.
    pub fn years(&self) -> String {
        let text = format!("{:.4}", f64::from(self.months) / 12.0);
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    }
}
