//! The contract: what a spec requires of the result.

use crate::diag::Span;

/// `require metric >= value`.
#[derive(Clone, Debug)]
pub struct Require {
    /// The metric.
    pub metric: Metric,
    /// Whether it is about the worst tolerated fault (`fault.` prefix).
    pub fault: bool,
    /// How it must compare.
    pub comparison: Comparison,
    /// With what.
    pub value: f64,
    /// The value as written.
    pub value_text: String,
    /// The whole line.
    pub span: Span,
}

/// What can be required. Definitions: `docs/language.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Metric {
    /// Largest hop distance.
    Diameter,
    /// Mean hop distance over ordered pairs.
    AverageHops,
    /// Certified lower end of the maximum concurrent flow.
    ConcurrentFlow,
    /// Flits per cycle per node.
    Injection,
    /// GB/s per chip.
    Bandwidth,
    /// Routes over the busiest channel.
    MaxChannelLoad,
    /// Maximum channel load over its lower bound.
    LoadRatio,
    /// Mean route hops over mean hop distance.
    HopsRatio,
    /// Largest share of hops in one VC.
    VcBalance,
    /// OCS-disjoint spanning trees over the cubes.
    DisjointTrees,
}

impl Metric {
    /// All metrics, in report order.
    pub const ALL: [Metric; 10] = [
        Metric::Diameter,
        Metric::AverageHops,
        Metric::ConcurrentFlow,
        Metric::Injection,
        Metric::Bandwidth,
        Metric::MaxChannelLoad,
        Metric::LoadRatio,
        Metric::HopsRatio,
        Metric::VcBalance,
        Metric::DisjointTrees,
    ];
    /// The name in specs and reports.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Diameter => "diameter",
            Metric::AverageHops => "average_hops",
            Metric::ConcurrentFlow => "concurrent_flow",
            Metric::Injection => "injection",
            Metric::Bandwidth => "bandwidth",
            Metric::MaxChannelLoad => "max_channel_load",
            Metric::LoadRatio => "load_ratio",
            Metric::HopsRatio => "hops_ratio",
            Metric::VcBalance => "vc_balance",
            Metric::DisjointTrees => "disjoint_trees",
        }
    }
    /// Whether a larger value is the better one (decides which fault is the worst).
    pub fn larger_is_better(self) -> bool {
        matches!(self, Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth | Metric::DisjointTrees)
    }
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `==`
    Equal,
}

impl Comparison {
    /// All comparisons.
    pub const ALL: [Comparison; 5] = [Comparison::AtMost, Comparison::AtLeast, Comparison::Less, Comparison::Greater, Comparison::Equal];
    /// As written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::AtMost => "<=",
            Comparison::AtLeast => ">=",
            Comparison::Less => "<",
            Comparison::Greater => ">",
            Comparison::Equal => "==",
        }
    }
    /// Whether larger values satisfy it.
    pub fn wants_more(self) -> bool {
        matches!(self, Comparison::AtLeast | Comparison::Greater)
    }
    /// Whether `measured` satisfies it.
    pub fn holds<T: PartialOrd>(self, measured: T, wanted: T) -> bool {
        match self {
            Comparison::AtMost => measured <= wanted,
            Comparison::AtLeast => measured >= wanted,
            Comparison::Less => measured < wanted,
            Comparison::Greater => measured > wanted,
            Comparison::Equal => measured == wanted,
        }
    }
}
