//! A pod: cubes of electrically wired chips behind optical circuit switches.
//!
//! Invariants: every face port is served by at most one OCS; every OCS has room for its ports; OCS groups are
//! sorted by name, so that ids do not depend on the order of items in the spec.

use super::switches::{FacePort, Ocs, OcsGroup, SwitchSettings};
use super::synthesis::{Near, Synthesize};
use fabc_base::diag::Span;
use fabc_base::ids::{BlockId, IdVec, LinkTypeId, NodeId, OcsGroupId, OcsId};
use fabc_topology::PORT_NAMES;

/// Cubes behind optical circuit switches.
#[derive(Clone, Debug)]
pub struct Pod {
    /// The cube of electrically wired chips.
    pub cube: Cube,
    /// Number of cubes.
    pub cubes: u32,
    /// Where `cubes = ..` stands.
    pub cubes_span: Span,
    /// Declared groups of OCSes, sorted by name.
    pub ocs_groups: IdVec<OcsGroupId, OcsGroup>,
    /// All OCSes: group by group, within a group in row-major order of the indices.
    pub ocses: IdVec<OcsId, Ocs>,
    /// How the topology is chosen.
    pub topology: TopologyChoice,
    /// Where `topology = ..` stands.
    pub topology_span: Span,
}

/// A cube: a mesh of chips.
#[derive(Clone, Debug)]
pub struct Cube {
    /// Chips along x, y and z.
    pub dims: [u32; 3],
    /// The link inside the cube.
    pub mesh: LinkTypeId,
    /// Its declaration.
    pub span: Span,
}

/// How the topology is chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum TopologyChoice {
    /// `torus a x b x c`.
    Torus([u32; 3]),
    /// `twisted_torus a x b x c`.
    TwistedTorus([u32; 3]),
    /// `synthesize { .. }`.
    Synthesize(Synthesize),
    /// `synthesize { start = ..; moves <= n; .. }`.
    SynthesizeNear(Near),
    /// `cross_connects "file"`.
    CrossConnects {
        /// Path as written in the spec.
        path: String,
        /// The text of the file, which a built directory keeps.
        text: String,
        /// The settings that the file states.
        settings: SwitchSettings,
    },
}

impl TopologyChoice {
    /// Every way, each with a topology as it is written.
    pub const FORMS: [(&'static str, &'static str); 4] = [
        ("synthesize", "synthesize { effort = 1; }"),
        ("torus", "torus 4 x 8 x 8"),
        ("twisted_torus", "twisted_torus 4 x 8 x 8"),
        ("cross_connects", "cross_connects \"live/ocs.json\""),
    ];
}

impl Cube {
    /// Number of chips.
    pub fn chip_count(&self) -> u32 {
        self.dims.iter().product()
    }
    /// The cube of a node, where every cube is like this one.
    pub fn cube_of(&self, node: NodeId) -> BlockId {
        BlockId(node.0 / self.chip_count())
    }
    /// The position of a node within its cube.
    pub fn at(&self, node: NodeId) -> [u32; 3] {
        let [ax, ay, _] = self.dims;
        let local = node.0 % self.chip_count();
        [local % ax, local / ax % ay, local / (ax * ay)]
    }
    /// `cube3[1,2,3]`.
    pub fn node_name(&self, node: NodeId) -> String {
        let [x, y, z] = self.at(node);
        format!("cube{}[{x},{y},{z}]", self.cube_of(node))
    }
    /// `cube0.+x[0,0]`: the cube, the face and the position on it.
    pub fn face_port_name(&self, face: FacePort) -> String {
        let [x, y, z] = self.at(face.node);
        let (u, v) = match face.port.0 / 2 {
            0 => (y, z),
            1 => (x, z),
            _ => (x, y),
        };
        format!("cube{}.{}[{u},{v}]", face.cube, PORT_NAMES[face.port.0 as usize])
    }
}

impl Pod {
    /// Chips in one cube.
    pub fn chips_per_cube(&self) -> u32 {
        self.cube.chip_count()
    }
    /// Number of routers.
    pub fn node_count(&self) -> usize {
        self.chips_per_cube() as usize * self.cubes as usize
    }
    /// The node at a position of a cube.
    pub fn node(&self, cube: BlockId, at: [u32; 3]) -> NodeId {
        let [ax, ay, _] = self.cube.dims;
        NodeId(cube.0 * self.chips_per_cube() + at[0] + ax * at[1] + ax * ay * at[2])
    }
    /// The cube of a node.
    pub fn cube_of(&self, node: NodeId) -> BlockId {
        self.cube.cube_of(node)
    }
    /// The position of a node within its cube.
    pub fn at(&self, node: NodeId) -> [u32; 3] {
        self.cube.at(node)
    }
    /// `cube3[1,2,3]`.
    pub fn node_name(&self, node: NodeId) -> String {
        self.cube.node_name(node)
    }
    /// `cube0.+x[0,0]`: the cube, the face and the position on it.
    pub fn face_port_name(&self, face: FacePort) -> String {
        self.cube.face_port_name(face)
    }
}
