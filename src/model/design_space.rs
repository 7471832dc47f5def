//! Families whose parameters a goal may choose.

/// Families whose parameters a goal may choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DesignSpace {
    /// Inductive quads and Paley graphs as supernodes.
    PolarStar,
    /// One design per radix at most.
    PolarFly,
    /// One design per radix at most.
    SlimFly,
    /// Every slim fly with every Paley graph.
    Bundlefly,
    /// As many groups as there can be.
    Dragonfly,
    /// Of so many dimensions.
    HyperX(u32),
}

impl DesignSpace {
    /// The most network ports of a router that goals and reports look at: there are half a million HyperXs of
    /// four dimensions up to it.
    pub const LARGEST_RADIX: u32 = 128;

    /// Hops that are enough between any two routers of a design.
    pub fn hops(self) -> u32 {
        match self {
            Self::PolarFly | Self::SlimFly => 2,
            Self::PolarStar | Self::Bundlefly | Self::Dragonfly => 3,
            Self::HyperX(dimensions) => dimensions,
        }
    }
}
