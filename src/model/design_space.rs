//! Families whose parameters a goal may choose.

/// Families whose parameters a goal may choose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum DesignSpace {
    /// PolarStars with inductive quads or Paley graphs as supernodes.
    PolarStar,
    /// PolarFlies, also with a copy of the nucleus.
    PolarFly,
    /// Polarity graphs of quadrangles, with copies of their absolute points.
    Delorme,
    /// Pairs of points and lines of quadrangles, with copies of members.
    QuadranglePairs,
    /// Cayley graphs of diameter 3 from a list.
    Cayley,
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

    /// The families that a goal without a family chooses from: all but those of one dimension or four.
    pub const ALL: [Self; 9] = [
        Self::PolarFly,
        Self::SlimFly,
        Self::Cayley,
        Self::Delorme,
        Self::QuadranglePairs,
        Self::PolarStar,
        Self::Bundlefly,
        Self::Dragonfly,
        Self::HyperX(3),
    ];

    /// The largest distance between two routers of a design, in hops.
    pub fn hops(self) -> u32 {
        match self {
            Self::PolarFly | Self::SlimFly => 2,
            Self::PolarStar
            | Self::Delorme
            | Self::QuadranglePairs
            | Self::Cayley
            | Self::Bundlefly
            | Self::Dragonfly => 3,
            Self::HyperX(dimensions) => dimensions,
        }
    }
}
