//! The machine room: cabinets in rows, what stands in which, and what cables between them come to.
//!
//! Lengths are integers in units of 0.1 m, prices in thousandths, powers in milliwatts.

use super::word::words;
use fabc_base::diag::Span;
use fabc_base::ids::LinkTypeId;

/// A floor as declared.
#[derive(Clone, PartialEq, Debug)]
pub struct Floor {
    /// Routers of a cabinet, at most; in a pod the chips of a cube.
    pub cabinet: u32,
    /// Rows and columns of places for cabinets.
    pub grid: [u32; 2],
    /// Number of cabinets; in a pod the cubes first, then the racks of switches.
    pub cabinets: u32,
    /// Where the switches of a pod stand; `None` in a network, and in a pod without switches.
    pub racks: Option<Racks>,
    /// From one cabinet to the next along a row, and from one row to the next, 0.1 m.
    pub pitch: [u32; 2],
    /// Which way rows are filled.
    pub order: Filling,
    /// Which routers share a cabinet.
    pub clustering: Clustering,
    /// Which cabinet stands where.
    pub placement: PlacementChoice,
    /// A cable within a cabinet, 0.1 m.
    pub inside: u32,
    /// What a cable between cabinets has at either end, 0.1 m.
    pub overhead: u32,
    /// What it costs to lay a cable, in thousandths.
    pub install: u64,
    /// Which link a cable is, where its length says so.
    pub by_length: Option<ByLength>,
    /// What shares a bundle.
    pub bundles: Bundles,
    /// The keyword `floor`.
    pub span: Span,
}

/// Racks of optical circuit switches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Racks {
    /// Switches of a rack, at most; they fill one rack after the other.
    pub holds: u32,
    /// Number of racks.
    pub count: u32,
    /// Where they stand.
    pub at: RackPlaces,
    /// Where the spec says that.
    pub span: Span,
}

/// Where racks of switches stand.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RackPlaces {
    /// `at 0 x 3`: the first one in that row and column, the others on the places that are filled next.
    From([u32; 2]),
    /// `row 1`: evenly spread along that row.
    Row(u32),
}

/// Which link a cable is, by its length.
#[derive(Clone, PartialEq, Debug)]
pub struct ByLength {
    /// Links with the largest length of each, 0.1 m, ascending.
    pub up_to: Vec<(LinkTypeId, u32)>,
    /// What is longer than all of those; without it, nothing may be.
    pub beyond: Option<LinkTypeId>,
    /// The last limit.
    pub span: Span,
}

impl ByLength {
    /// The declared links that it names.
    pub fn links(&self) -> impl Iterator<Item = LinkTypeId> {
        self.up_to.iter().map(|&(link, _)| link).chain(self.beyond)
    }
}

/// Which way rows are filled.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Filling {
    /// Every row from left to right.
    #[default]
    RowMajor,
    /// Every other row from right to left.
    Serpentine,
}

words!(Filling { RowMajor = "row_major", Serpentine = "serpentine" });

/// Which routers share a cabinet.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Clustering {
    /// Those that follow each other.
    #[default]
    Sequential,
    /// Those of a group.
    ByGroup,
    /// Those of groups that form a cluster of the projective plane.
    ByCluster,
    /// Those between which short random walks stay.
    Walktrap {
        /// Steps of a walk.
        steps: u32,
    },
}

words!(Clustering {
    Self::Sequential => Self::Sequential => "sequential",
    Self::ByGroup => Self::ByGroup => "by_group",
    Self::ByCluster => Self::ByCluster => "by_cluster",
    Self::Walktrap { steps: 4 } => Self::Walktrap { .. } => "walktrap",
});

/// Which cabinet stands where.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PlacementChoice {
    /// One after the other.
    #[default]
    InOrder,
    /// Where exchanges of cabinets make all cables together shortest.
    Annealed {
        /// How much work is done, 1 or more.
        effort: u32,
        /// The random stream.
        seed: u64,
    },
}

words!(PlacementChoice {
    Self::InOrder => Self::InOrder => "in_order",
    Self::Annealed { effort: 1, seed: 1 } => Self::Annealed { .. } => "annealed",
});

/// What shares a bundle of cables.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Bundles {
    /// Cables between the same two cabinets.
    #[default]
    ByCabinet,
    /// Cables between the same two groups.
    ByGroup,
}

words!(Bundles { ByCabinet = "by_cabinet", ByGroup = "by_group" });
