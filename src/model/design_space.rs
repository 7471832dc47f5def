//! Families whose parameters a goal may choose.

/// Families whose parameters a goal may choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DesignSpace {
    /// PolarStars with inductive quads or Paley graphs as supernodes.
    PolarStar,
    /// PolarFlies. At most one design per radix.
    PolarFly,
    /// Slim flies. At most one design per radix.
    SlimFly,
    /// Bundleflies: every slim fly with every Paley graph.
    Bundlefly,
    /// Dragonflies with the largest possible number of groups.
    Dragonfly,
    /// HyperXs with this number of dimensions.
    HyperX(u32),
}

impl DesignSpace {
    /// The most network ports of a router that goals and reports consider. Up to it there are half a million
    /// HyperXs of four dimensions.
    pub const LARGEST_RADIX: u32 = 128;

    /// The largest distance between two routers of a design, in hops.
    pub fn hops(self) -> u32 {
        match self {
            Self::PolarFly | Self::SlimFly => 2,
            Self::PolarStar | Self::Bundlefly | Self::Dragonfly => 3,
            Self::HyperX(dimensions) => dimensions,
        }
    }
}
