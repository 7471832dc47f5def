//! The parts of a pod that fail, numbered one after the other.
//!
//! In: a pod, and how many hosts a cube has. Out: numbers of parts. The parts of a cube are its hosts, the
//! cables of its mesh and the fibers of its face ports. The switches come after the parts of all cubes.

use fabc_base::ids::{BlockId, Id, OcsId, PortId};
use fabc_emit::{PartKind, PerPart};
use fabc_model::Pod;
use std::collections::BTreeSet;

/// A cable by one of its ends in a cube.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct CableEnd {
    /// The chip, counted within its cube.
    pub(super) chip: u32,
    /// The port of the chip.
    pub(super) port: PortId,
}

/// A part of a pod that fails.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Part {
    /// A host of a cube.
    Host(BlockId),
    /// A cable of a cube: an index into [`PodParts::cables`].
    Cable(BlockId, u32),
    /// A switch of the pod.
    Ocs(OcsId),
}

/// The parts of a pod.
#[derive(Clone, Debug)]
pub(super) struct PodParts {
    /// Number of cubes of the pod.
    pub(super) cubes: u32,
    /// Number of hosts of a cube.
    pub(super) hosts: u32,
    /// The cables of a cube: first those of its mesh, then the fibers of its face ports.
    pub(super) cables: Vec<CableEnd>,
    /// How many of the cables are inside the cube.
    pub(super) inside: u32,
    /// Number of switches of the pod.
    pub(super) switches: u32,
    /// The fibers that are not there, because no switch serves the face port of the cube.
    missing: BTreeSet<(BlockId, u32)>,
}

impl PodParts {
    /// The parts of a pod with so many hosts in a cube.
    pub(super) fn new(pod: &Pod, hosts: u32) -> Self {
        let mut cables = Vec::new();
        let dims = pod.cube.dims;
        for chip in 0..pod.chips_per_cube() {
            let place = pod.cube.coordinates(fabc_base::ids::NodeId(chip));
            // Ports go in pairs: +x, -x, +y, ..
            let ahead = (0..3).filter(|&axis| place[axis] + 1 < dims[axis]);
            cables.extend(ahead.map(|axis| CableEnd { chip, port: PortId::new(2 * axis) }));
        }
        let inside = cables.len() as u32;
        let classes = pod.classes();
        let faces: BTreeSet<(u32, PortId)> =
            classes.iter().flat_map(|class| class.served.keys().copied()).collect();
        cables.extend(faces.into_iter().map(|(chip, port)| CableEnd { chip, port }));
        let mut missing = BTreeSet::new();
        for class in &classes {
            for (index, end) in (0u32..).zip(&cables).skip(inside as usize) {
                if !class.served.contains_key(&(end.chip, end.port)) {
                    missing.extend(class.cubes.iter().map(|&cube| (cube, index)));
                }
            }
        }
        Self { cubes: pod.cubes, hosts, cables, inside, switches: pod.ocses.len() as u32, missing }
    }

    fn of_cube(&self) -> u32 {
        self.hosts + self.cables.len() as u32
    }

    /// Number of fibers of a cube whose face ports are all served.
    pub(super) fn fibers(&self) -> u32 {
        self.cables.len() as u32 - self.inside
    }

    /// Number of all numbers of parts.
    pub(super) fn count(&self) -> u32 {
        self.cubes * self.of_cube() + self.switches
    }

    /// The part with a number.
    pub(super) fn part(&self, number: u32) -> Part {
        let first_switch = self.cubes * self.of_cube();
        if number >= first_switch {
            return Part::Ocs(OcsId(number - first_switch));
        }
        let (cube, inner) = (BlockId(number / self.of_cube()), number % self.of_cube());
        if inner < self.hosts { Part::Host(cube) } else { Part::Cable(cube, inner - self.hosts) }
    }

    /// The kind of a part, and which part of the rate of the kind it has. `None` for a fiber that is not
    /// there.
    pub(super) fn rated(&self, number: u32) -> Option<(PartKind, f64)> {
        match self.part(number) {
            Part::Host(_) => Some((PartKind::Host, 1.0)),
            Part::Ocs(_) => Some((PartKind::Ocs, 1.0)),
            Part::Cable(_, cable) if cable < self.inside => Some((PartKind::Cable, 1.0)),
            // The two fibers of a link between cubes share its rate.
            Part::Cable(cube, cable) => {
                (!self.missing.contains(&(cube, cable))).then_some((PartKind::Cable, 0.5))
            }
        }
    }

    /// Numbers of the parts of every kind.
    pub(super) fn counts(&self) -> PerPart<u64> {
        let mut counts = PerPart::default();
        for (kind, _) in (0..self.count()).filter_map(|number| self.rated(number)) {
            *counts.get_mut(kind) += 1;
        }
        counts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::years::testing::pod_of;

    #[test]
    fn a_cube_of_the_tpu_v4_has_144_cables_and_96_fibers() {
        let fabric = pod_of(4, "slice one { cubes = 1; topology = torus 4 x 4 x 4; }");
        let parts = PodParts::new(fabric.pod().unwrap(), 16);
        assert_eq!((parts.inside, parts.fibers(), parts.switches), (144, 96, 48));
        assert_eq!(parts.counts(), PerPart { host: 64, cable: 4 * 240, ocs: 48 });
        // Every number is a part, and the kinds of numbers follow each other.
        assert_eq!(parts.part(15), Part::Host(BlockId(0)));
        assert_eq!(parts.part(16), Part::Cable(BlockId(0), 0));
        assert_eq!(parts.part(256), Part::Host(BlockId(1)));
        assert_eq!(parts.part(4 * 256), Part::Ocs(OcsId(0)));
        assert_eq!(parts.count(), 4 * 256 + 48);
        assert_eq!(parts.rated(16 + 144), Some((PartKind::Cable, 0.5)));
    }
}
