//! What the tables of a slice make of broken parts.

use super::play::Loss;

/// The step of a repair, or the lack of one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum OutcomeStep {
    /// The build has tables for exactly this loss.
    Covered,
    /// Broken routes are replaced, and no others.
    Local,
    /// All routes are chosen once more.
    Full,
    /// The surviving network has ranks of its own.
    NewOrder,
    /// There are no tables for the loss.
    None,
}

/// What a repair makes of a loss.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Outcome {
    /// The step that found the tables.
    pub(super) step: OutcomeStep,
    /// Whether the change from the healthy tables can be installed while packets are in flight.
    pub(super) live: bool,
    /// The throughput of the tables, relative to the healthy ones. At most 1.
    pub(super) throughput: f64,
}

impl Outcome {
    /// There are no tables for a loss.
    pub(super) const NONE: Self = Self { step: OutcomeStep::None, live: false, throughput: 0.0 };
}

/// What repairs sets of broken parts.
pub(super) trait SliceRepairs {
    /// The loss that stands for all that the symmetry of a kind takes to it. Cables that carry no link are
    /// left out.
    fn standing_for(&self, kind: usize, loss: &Loss) -> Loss;
}
