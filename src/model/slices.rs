//! Which cubes of a pod are alike, so that a slice may have any of them.

use super::pod::Pod;
use super::switches::{CoupleRule, Duplex};
use fabc_base::ids::{BlockId, LinkTypeId, OcsId, PortId};
use std::collections::BTreeMap;

/// Cubes that every switch treats alike.
#[derive(Clone, Debug)]
pub struct Class {
    /// Ascending.
    pub cubes: Vec<BlockId>,
    /// Which switch serves each of their face ports.
    pub served: Served,
}

/// `(chip of the cube, port)`: the switch that serves it, and whether on its second side.
pub type Served = BTreeMap<(u32, PortId), (OcsId, bool)>;

/// What switches do for a cube, whatever they are called: of every face port, the first one on the same
/// switch, the side, and what kind of switch it is.
pub type Role = Vec<((u32, PortId), (u32, PortId), bool, LinkTypeId, CoupleRule, Duplex)>;

impl Pod {
    /// Which switch serves every face port, by cube.
    fn served(&self) -> Vec<Served> {
        let mut served = vec![Served::new(); self.cubes as usize];
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

    /// The classes of its cubes, by their first ones.
    pub fn classes(&self) -> Vec<Class> {
        let mut classes: Vec<Class> = Vec::new();
        for (cube, served) in (0..self.cubes).map(BlockId).zip(self.served()) {
            match classes.iter_mut().find(|class| class.served == served) {
                Some(class) => class.cubes.push(cube),
                None => classes.push(Class { cubes: vec![cube], served }),
            }
        }
        classes
    }

    /// What the switches do for the cubes of a class.
    pub fn role(&self, class: &Class) -> Role {
        let mut first: BTreeMap<OcsId, (u32, PortId)> = BTreeMap::new();
        let of = |(&at, &(id, second)): (&(u32, PortId), &(OcsId, bool))| {
            let ocs = &self.ocses[id];
            (at, *first.entry(id).or_insert(at), second, ocs.link, ocs.rule, ocs.duplex)
        };
        class.served.iter().map(of).collect()
    }
}
