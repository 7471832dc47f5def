//! A pod: cubes of electrically wired chips behind optical circuit switches.
//!
//! Invariants:
//! - Every face port is served by at most one OCS.
//! - Every OCS has room for its ports.
//! - OCS groups are sorted by name, so that ids do not depend on the order of items in the spec.

use super::switches::{FacePort, Ocs, OcsGroup, SwitchSettings};
use super::synthesis::{NearSynthesis, Synthesize};
use fabc_base::diag::Span;
use fabc_base::ids::{BlockId, IdVec, LinkTypeId, NodeId, OcsGroupId, OcsId};
use fabc_topology::PORT_NAMES;

/// Cubes behind optical circuit switches.
#[derive(Clone, Debug)]
pub struct Pod {
    /// The cube of electrically wired chips.
    pub cube: Cube,
    /// Number of cubes, at least 1.
    pub cubes: u32,
    /// The place of `cubes = ..` in the spec.
    pub cubes_span: Span,
    /// Declared groups of OCSes, sorted by name.
    pub ocs_groups: IdVec<OcsGroupId, OcsGroup>,
    /// All OCSes, group by group. Within a group they are in row-major order of the indices.
    pub ocses: IdVec<OcsId, Ocs>,
    /// The method by which the topology is chosen.
    pub topology: TopologyChoice,
    /// The place of `topology = ..` in the spec.
    pub topology_span: Span,
}

/// A cube: a mesh of chips.
#[derive(Clone, Debug)]
pub struct Cube {
    /// Number of chips along x, y and z.
    pub dims: [u32; 3],
    /// The declared link inside the cube.
    pub mesh: LinkTypeId,
    /// The place of its declaration.
    pub span: Span,
}

/// The method by which the topology of a pod is chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum TopologyChoice {
    /// A torus of chips: `torus a x b x c`.
    Torus([u32; 3]),
    /// A twisted torus of chips: `twisted_torus a x b x c`.
    TwistedTorus([u32; 3]),
    /// A search without a start: `synthesize { .. }`.
    Synthesize(Synthesize),
    /// A search from live cross-connects: `synthesize { start = ..; moves <= n; .. }`.
    SynthesizeNear(NearSynthesis),
    /// The cross-connects of a file: `cross_connects "file"`.
    CrossConnects {
        /// The path as written in the spec.
        path: String,
        /// The text of the file, which a built directory keeps.
        text: String,
        /// The settings that the file states.
        settings: SwitchSettings,
    },
}

impl TopologyChoice {
    /// Every method, with an example as a spec writes it.
    pub const FORMS: [(&'static str, &'static str); 4] = [
        ("synthesize", "synthesize { effort = 1; }"),
        ("torus", "torus 4 x 8 x 8"),
        ("twisted_torus", "twisted_torus 4 x 8 x 8"),
        ("cross_connects", "cross_connects \"live/ocs.json\""),
    ];
}

impl Cube {
    /// Number of links of its mesh.
    pub fn link_count(&self) -> u64 {
        let chips = u64::from(self.chip_count());
        self.dims.iter().map(|&side| chips / u64::from(side) * u64::from(side - 1)).sum()
    }
    /// Number of chips in the cube.
    pub fn chip_count(&self) -> u32 {
        self.dims.iter().product()
    }
    /// The cube of a node.
    pub fn cube_of(&self, node: NodeId) -> BlockId {
        BlockId(node.0 / self.chip_count())
    }
    /// The coordinates of a node within its cube: the local number is `x + ax*y + ax*ay*z`.
    pub fn coordinates(&self, node: NodeId) -> [u32; 3] {
        let [ax, ay, _] = self.dims;
        let local = node.0 % self.chip_count();
        [local % ax, local / ax % ay, local / (ax * ay)]
    }
    /// The name of a node, such as `cube3[1,2,3]`.
    pub fn node_name(&self, node: NodeId) -> String {
        let [x, y, z] = self.coordinates(node);
        format!("cube{}[{x},{y},{z}]", self.cube_of(node))
    }
    /// `cube0.+x[0,0]`: the cube, the face and the position on it.
    pub fn face_port_name(&self, face: FacePort) -> String {
        let [x, y, z] = self.coordinates(face.node);
        let (u, v) = match face.port.0 / 2 {
            0 => (y, z),
            1 => (x, z),
            _ => (x, y),
        };
        format!("cube{}.{}[{u},{v}]", face.cube, PORT_NAMES[face.port.0 as usize])
    }
}

impl Pod {
    /// Number of chips in one cube.
    pub fn chips_per_cube(&self) -> u32 {
        self.cube.chip_count()
    }
    /// Number of chips in the pod.
    pub fn node_count(&self) -> usize {
        self.chips_per_cube() as usize * self.cubes as usize
    }
    /// The node at these coordinates of a cube.
    pub fn node(&self, cube: BlockId, coordinates: [u32; 3]) -> NodeId {
        let [ax, ay, _] = self.cube.dims;
        NodeId(
            cube.0 * self.chips_per_cube() + coordinates[0] + ax * coordinates[1] + ax * ay * coordinates[2],
        )
    }
    /// The cube of a node.
    pub fn cube_of(&self, node: NodeId) -> BlockId {
        self.cube.cube_of(node)
    }
    /// The place of a chip in the grid of a `torus` or `twisted_torus`. `None` for other topologies, where
    /// cubes have no places.
    pub fn torus_place(&self, node: NodeId) -> Option<[u32; 3]> {
        let (TopologyChoice::Torus(dims) | TopologyChoice::TwistedTorus(dims)) = self.topology else {
            return None;
        };
        Some(self.place_in_grid(node, dims))
    }
    /// The place of a chip in a grid of chips with these sides, whose cubes are numbered with x fastest.
    pub fn place_in_grid(&self, node: NodeId, dims: [u32; 3]) -> [u32; 3] {
        let side = self.cube.dims;
        let grid = [dims[0] / side[0], dims[1] / side[1]];
        let cube = self.cube_of(node).0;
        let cube_at = [cube % grid[0], cube / grid[0] % grid[1], cube / (grid[0] * grid[1])];
        let inside = self.coordinates(node);
        std::array::from_fn(|axis| cube_at[axis] * side[axis] + inside[axis])
    }
    /// The coordinates of a node within its cube: the local number is `x + ax*y + ax*ay*z`.
    pub fn coordinates(&self, node: NodeId) -> [u32; 3] {
        self.cube.coordinates(node)
    }
    /// The name of a node, such as `cube3[1,2,3]`.
    pub fn node_name(&self, node: NodeId) -> String {
        self.cube.node_name(node)
    }
    /// `cube0.+x[0,0]`: the cube, the face and the position on it.
    pub fn face_port_name(&self, face: FacePort) -> String {
        self.cube.face_port_name(face)
    }
}
