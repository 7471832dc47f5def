//! Writes the years of a pod: `operate.json` (`fabc.operate/1`), a page with curves, and text for people.
//!
//! Input: what was played, and what came out of it. Output: texts. Shares are fractions of the time of all
//! slices, each weighted by its cubes. So the capacity and all losses of a policy add up to 1.

mod json;
mod page;
mod request;
mod text;

pub use json::operate_json;
pub use page::operate_html;
pub use request::{
    CableResponse, DAY_MS, MONTH_MS, NightWindow, OperatePolicy, PartKind, PerPart, SwapTime, YearsRequest,
};
pub use text::operate_text;

/// Why a slice does not run, or runs at a part of its throughput.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum LossCause {
    /// A cube is down, and no cube can take its place.
    Spare,
    /// A cube is down, and the window for swaps is closed.
    Window,
    /// The slice gets back to where it was when a part failed.
    Restart,
    /// New tables cannot be installed while packets are in flight.
    NotLive,
    /// More switches are dark than the policy tolerates.
    Dark,
    /// There are no tables for what is down.
    Unrepaired,
    /// The slice runs, with less throughput.
    Flow,
}

impl LossCause {
    /// All causes, in the order of columns and files.
    pub const ALL: [Self; 7] =
        [Self::Spare, Self::Window, Self::Restart, Self::NotLive, Self::Dark, Self::Unrepaired, Self::Flow];

    /// The word in files, and the head of a column.
    pub fn word(self) -> &'static str {
        match self {
            Self::Spare => "spare",
            Self::Window => "window",
            Self::Restart => "restart",
            Self::NotLive => "not_live",
            Self::Dark => "dark",
            Self::Unrepaired => "unrepaired",
            Self::Flow => "flow",
        }
    }

    /// What the cause is, for people.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Spare => "a cube is down, and there is no spare one",
            Self::Window => "a cube is down, and swaps wait for the night",
            Self::Restart => "restarts after failures",
            Self::NotLive => "new tables that cannot be installed live",
            Self::Dark => "more dark switches than the policy tolerates",
            Self::Unrepaired => "no tables for what is down",
            Self::Flow => "less throughput around what is down",
        }
    }
}

/// A mean of independent runs with half the width of its 95 % confidence interval. A single run has none.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct SampledMean {
    /// The mean over all seeds.
    pub mean: f64,
    /// Half the width of the interval.
    pub half: Option<f64>,
}

/// How the tables of slices changed, in all runs of a policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct TableChanges {
    /// The build has tables for exactly this loss.
    pub covered: u64,
    /// Broken routes were replaced, and no others.
    pub local: u64,
    /// All routes were chosen once more.
    pub full: u64,
    /// The surviving network has ranks of its own.
    pub new_order: u64,
    /// There are no tables for the loss.
    pub none: u64,
    /// Back to the tables of the healthy slice.
    pub back: u64,
    /// Changes that cannot be installed while packets are in flight.
    pub not_live: u64,
}

/// What was done in all runs of a policy.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct PolicyCounts {
    /// Failures that stopped a running slice.
    pub interruptions: u64,
    /// Number of cubes that others replaced.
    pub swaps: u64,
    /// Plans that carried swaps out, one for all swaps at one time.
    pub plans: u64,
    /// Cross-connects that these plans added or removed.
    pub moves: u64,
    /// Changes of the tables of slices.
    pub tables: TableChanges,
}

/// The month with the least capacity of all runs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct WorstMonth {
    /// The capacity in this month.
    pub capacity: f64,
    /// The number of the month, from 1.
    pub month: u32,
    /// The seed of its run, from 1.
    pub seed: u32,
}

/// The capacity of a month over all seeds.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MonthBand {
    /// The least capacity of a seed.
    pub low: f64,
    /// The median of the seeds.
    pub median: f64,
    /// The largest capacity of a seed.
    pub high: f64,
}

/// The result of a policy.
#[derive(Clone, PartialEq, Debug)]
pub struct OperatedPolicy {
    /// The policy that was played.
    pub policy: OperatePolicy,
    /// The share of the time of slices that is served.
    pub capacity: SampledMean,
    /// The capacity minus that of the first policy, seed by seed. `None` for the first policy.
    pub difference: Option<SampledMean>,
    /// The availability in closed form, where its assumptions hold.
    pub closed_form: Option<f64>,
    /// `[cause]`: the mean share that is lost.
    pub lost: [SampledMean; 7],
    /// `[kind]`: the mean capacity of the slices of a kind.
    pub kinds: Vec<SampledMean>,
    /// What was done in all runs.
    pub counts: PolicyCounts,
    /// The worst month of all runs.
    pub worst: WorstMonth,
    /// The capacity month by month.
    pub months: Vec<MonthBand>,
}

/// A kind of slice that was played. A whole pod is a single slice of itself.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct OperatedKind {
    /// The name of the kind.
    pub kind: String,
    /// Number of slices of this kind.
    pub slices: u32,
    /// Number of cubes of a slice.
    pub cubes: u32,
}

/// Failures and repairs of a kind of part, in all runs. They are the same under every policy.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct PartRepairs {
    /// Number of these parts in the pod.
    pub parts: u64,
    /// Number of failures of these parts.
    pub failures: u64,
    /// Repairs that waited for a part.
    pub waited: u64,
    /// Failed parts that still wait for a part at the end. They are not in the times below.
    pub unfinished: u64,
    /// Mean hours from failure to repair. `None` without a repair.
    pub mean_h: Option<SampledMean>,
    /// Hours that 95 % of the repairs do not exceed.
    pub most_h: f64,
    /// Hours of the longest repair.
    pub longest_h: f64,
}

/// How much work the play took.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct OperateWork {
    /// Changes of slices that were played.
    pub changes: u64,
    /// Sets of broken parts that differ, up to the symmetry of their kind. Each was repaired once.
    pub repairs: u64,
    /// Changes with a set of broken parts.
    pub lookups: u64,
}

/// The years of a pod.
#[derive(Clone, PartialEq, Debug)]
pub struct OperatedYears {
    /// The name of the fabric.
    pub fabric: String,
    /// The BLAKE3 hash of the manifest of the directory that was played.
    pub manifest: String,
    /// What was played, with all numbers.
    pub request: YearsRequest,
    /// Number of cubes of the pod.
    pub cubes: u32,
    /// Number of cubes that slices have.
    pub in_slices: u32,
    /// The kinds of slices that are placed.
    pub kinds: Vec<OperatedKind>,
    /// Failures and repairs by kind of part.
    pub repairs: PerPart<PartRepairs>,
    /// The policies, in the order of the request.
    pub policies: Vec<OperatedPolicy>,
    /// How much work it was.
    pub work: OperateWork,
}
