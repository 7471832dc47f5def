//! The machine room: cabinets in rows, the routers in them, and the cables between them.
//!
//! Units: lengths in 0.1 m, prices in thousandths, powers in milliwatts.

use super::word::words;
use fabc_base::diag::Span;
use fabc_base::ids::LinkTypeId;

/// A floor as a spec declares it.
#[derive(Clone, PartialEq, Debug)]
pub struct Floor {
    /// The most routers of a cabinet. In a pod, the chips of a cube. With boxes, the most switches of a rack.
    pub cabinet: u32,
    /// Number of rows and of columns of places for cabinets.
    pub grid: FloorGrid,
    /// Number of cabinets. In a pod, the cubes come first, then the racks of switches. With boxes, the racks
    /// of boxes come first, then those of switches alone.
    pub cabinets: u32,
    /// The most boxes of a rack. Racks are filled one after the other. `None` in a fabric without boxes.
    pub box_rack: Option<u32>,
    /// The racks of the switches of a pod. `None` in a network, and in a pod without switches.
    pub racks: Option<Racks>,
    /// The distance to the next cabinet along a row, and from one row to the next, both in 0.1 m.
    pub pitch: FloorPitch,
    /// The order in which the places of a row are filled.
    pub order: Filling,
    /// The rule by which routers share a cabinet.
    pub clustering: Clustering,
    /// The rule by which cabinets get their places.
    pub placement: PlacementChoice,
    /// Length of a cable within a cabinet, 0.1 m.
    pub inside: u32,
    /// Extra length at either end of a cable between cabinets, 0.1 m.
    pub overhead: u32,
    /// Price of laying one cable, in thousandths.
    pub install: u64,
    /// The choice of the link by the length of a cable, if there is one.
    pub by_length: Option<ByLength>,
    /// The rule by which cables share a bundle.
    pub bundles: Bundling,
    /// The place of the keyword `floor`.
    pub span: Span,
}

/// The number of rows and the number of columns of a floor, in this order.
pub type FloorGrid = [u32; 2];

/// The distance to the next cabinet along a row, and the distance to the next row, both in 0.1 m.
pub type FloorPitch = [u32; 2];

/// Racks of optical circuit switches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Racks {
    /// The most switches of a rack. Racks are filled one after the other.
    pub holds: u32,
    /// Number of racks of switches.
    pub count: u32,
    /// The places of the racks.
    pub place: RackPlaces,
    /// The place of their declaration.
    pub span: Span,
}

/// The places of the racks of switches.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RackPlaces {
    /// `at 0 x 3`: the first rack is in that row and column, the others on the places that are filled next.
    From([u32; 2]),
    /// `row 1`: the racks are evenly spread along that row.
    Row(u32),
}

/// The declared link of a cable, by its length.
#[derive(Clone, PartialEq, Debug)]
pub struct ByLength {
    /// (link, largest length of its cables in 0.1 m), ascending by length.
    pub up_to: Vec<(LinkTypeId, u32)>,
    /// The link of longer cables. `None`: no cable may be longer.
    pub beyond: Option<LinkTypeId>,
    /// The place of the last limit.
    pub span: Span,
}

impl ByLength {
    /// The declared links that it may choose.
    pub fn links(&self) -> impl Iterator<Item = LinkTypeId> {
        self.up_to.iter().map(|&(link, _)| link).chain(self.beyond)
    }
}

/// The order in which the places of a row are filled.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Filling {
    /// Every row from left to right.
    #[default]
    RowMajor,
    /// Every other row from right to left.
    Serpentine,
}

words!(Filling { RowMajor = "row_major", Serpentine = "serpentine" });

/// The rule by which routers share a cabinet.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Clustering {
    /// Routers whose ids are consecutive.
    #[default]
    Sequential,
    /// The routers of a group.
    ByGroup,
    /// The routers of the groups that form a cluster of the projective plane.
    ByCluster,
    /// Routers between which short random walks stay.
    Walktrap {
        /// Number of steps of a walk.
        steps: u32,
    },
}

words!(Clustering {
    Self::Sequential => Self::Sequential => "sequential",
    Self::ByGroup => Self::ByGroup => "by_group",
    Self::ByCluster => Self::ByCluster => "by_cluster",
    Self::Walktrap { steps: 4 } => Self::Walktrap { .. } => "walktrap",
});

/// The rule by which cabinets get their places.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum PlacementChoice {
    /// By ascending number, place after place.
    #[default]
    InOrder,
    /// By simulated annealing: exchanges of cabinets minimise the total length of the cables.
    Annealed {
        /// Amount of work, 1 or more.
        effort: u32,
        /// Seed of the random stream.
        seed: u64,
    },
}

words!(PlacementChoice {
    Self::InOrder => Self::InOrder => "in_order",
    Self::Annealed { effort: 1, seed: 1 } => Self::Annealed { .. } => "annealed",
});

/// The rule by which cables share a bundle.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum Bundling {
    /// Cables between the same two cabinets.
    #[default]
    ByCabinet,
    /// Cables between the same two groups.
    ByGroup,
}

words!(Bundling { ByCabinet = "by_cabinet", ByGroup = "by_group" });
