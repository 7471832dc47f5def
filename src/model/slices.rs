//! The classes of equivalent cubes of a pod. A slice may have any cube of a class.

use super::pod::Pod;
use super::switches::{CoupleRule, Duplex};
use fabc_base::ids::{BlockId, LinkTypeId, OcsId, PortId};
use std::collections::BTreeMap;

/// A class of cubes that every switch serves in the same way.
#[derive(Clone, Debug)]
pub struct CubeClass {
    /// The cubes of the class, ascending.
    pub cubes: Vec<BlockId>,
    /// The switch of each of their face ports.
    pub served: ServedPorts,
}

/// `(chip of the cube, port)`: the switch that serves the port, and whether it is on the switch's second
/// side.
pub type ServedPorts = BTreeMap<(u32, PortId), (OcsId, bool)>;

/// The role of switches for a cube, independent of their names. It has a tuple for every face port. The tuple
/// holds the port, the first face port on the same switch and whether it is on the second side. It also holds
/// the link, rule and duplex of the switch.
pub type CubeRole = Vec<((u32, PortId), (u32, PortId), bool, LinkTypeId, CoupleRule, Duplex)>;

impl Pod {
    /// `[cube]`: the switch of every face port.
    fn served(&self) -> Vec<ServedPorts> {
        let mut served = vec![ServedPorts::new(); self.cubes as usize];
        let chips = self.chips_per_cube();
        for (id, ocs) in self.ocses.enumerate() {
            for (side, faces) in [&ocs.a, &ocs.b].into_iter().enumerate() {
                for face in faces {
                    served[face.cube.0 as usize].insert((face.node.0 % chips, face.port), (id, side == 1));
                }
            }
        }
        served
    }

    /// The classes of its cubes, in the order of their first cubes.
    pub fn classes(&self) -> Vec<CubeClass> {
        let mut classes: Vec<CubeClass> = Vec::new();
        for (cube, served) in (0..self.cubes).map(BlockId).zip(self.served()) {
            match classes.iter_mut().find(|class| class.served == served) {
                Some(class) => class.cubes.push(cube),
                None => classes.push(CubeClass { cubes: vec![cube], served }),
            }
        }
        classes
    }

    /// The role of the switches for the cubes of a class.
    pub fn role(&self, class: &CubeClass) -> CubeRole {
        let mut first: BTreeMap<OcsId, (u32, PortId)> = BTreeMap::new();
        let port_role = |(&port, &(id, second)): (&(u32, PortId), &(OcsId, bool))| {
            let ocs = &self.ocses[id];
            (port, *first.entry(id).or_insert(port), second, ocs.link, ocs.rule, ocs.duplex)
        };
        class.served.iter().map(port_role).collect()
    }
}
