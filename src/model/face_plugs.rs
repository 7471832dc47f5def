//! Which port of which switch every face port of a pod is wired to.

use super::{CoupleRule, FacePort, Ocs, Pod};
use fabc_base::ids::{Id, NodeId, OcsId, PortId};

/// The port of a switch that a face port is wired to.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FacePlug {
    /// The switch that serves the face port.
    pub ocs: OcsId,
    /// Whether the port is on side A. A switch without sides has only that one.
    pub on_a: bool,
    /// The index of the port on its side.
    pub index: u32,
}

/// The plugs of all face ports of a pod.
#[derive(Clone, Debug)]
pub struct FacePlugs {
    /// `[node * ports of a chip + port]`. `None` for a port that no switch serves.
    plugs: Vec<Option<FacePlug>>,
}

/// The ports of a chip.
const PORTS: usize = 6;

impl FacePlugs {
    /// The plug of a port of a chip. `None` if no switch serves it.
    pub fn get(&self, node: NodeId, port: PortId) -> Option<FacePlug> {
        self.plugs[node.index() * PORTS + port.index()]
    }
}

impl Pod {
    /// The plugs of all face ports. One look at every port of a switch.
    pub fn face_plugs(&self) -> FacePlugs {
        let mut plugs = vec![None; self.node_count() * PORTS];
        for (ocs, switch) in self.ocses.enumerate() {
            for (on_a, side) in [(true, &switch.a), (false, &switch.b)] {
                for (index, face) in (0..).zip(side) {
                    plugs[face.node.index() * PORTS + face.port.index()] =
                        Some(FacePlug { ocs, on_a, index });
                }
            }
        }
        FacePlugs { plugs }
    }
    /// The face port that is this port of a chip.
    pub fn face(&self, node: NodeId, port: PortId) -> FacePort {
        FacePort { cube: self.cube_of(node), node, port }
    }
}

impl Ocs {
    /// The pair of indices by which the switch joins two of its plugs, as [`Ocs::faces`] takes it. `None` for
    /// two plugs on one side of a switch with sides.
    pub fn pair(&self, first: FacePlug, second: FacePlug) -> Option<[u32; 2]> {
        match (self.rule, first.on_a, second.on_a) {
            (CoupleRule::Any, ..) => Some([first.index.min(second.index), first.index.max(second.index)]),
            (CoupleRule::Sided, true, false) => Some([first.index, second.index]),
            (CoupleRule::Sided, false, true) => Some([second.index, first.index]),
            (CoupleRule::Sided, ..) => None,
        }
    }
}
