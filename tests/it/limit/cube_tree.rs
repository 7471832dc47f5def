//! The tree of cubes behind a position, built cube by cube: what the universal limit counts in closed form.

use fabc::ids::Id;
use fabc::model::{FacePort, Pod};
use std::collections::BTreeMap;

/// (Local number of the chip, port): a face port without its cube.
pub(super) type Slot = (usize, usize);

/// The slot of a face port.
pub(super) fn slot(pod: &Pod, face: &FacePort) -> Slot {
    (face.node.index() % pod.chips_per_cube() as usize, face.port.index())
}

/// A cube that is entered at a position, so far from the start.
pub(super) struct EnteredCube {
    position: usize,
    length: u32,
}

/// The tree of cubes of a pod in which every switch joins two slots.
pub(super) struct CubeTree {
    /// By slot of exit: the slot of entry into the next cube.
    partner: BTreeMap<Slot, Slot>,
    /// `[from][to]`: the length of the copper between two positions of a cube.
    inside: Vec<Vec<u32>>,
    fiber: u32,
    /// Lengths are counted below it.
    levels: u32,
}

impl CubeTree {
    /// `[axis][coordinate]` of `copper` is the length of the links from that coordinate to the next one.
    pub(super) fn new(pod: &Pod, copper: &[Vec<u32>; 3], fiber: u32, levels: u32) -> Self {
        let chips = pod.chips_per_cube() as usize;
        let slots = pod.ocses.iter().map(|ocs| [slot(pod, &ocs.a[0]), slot(pod, &ocs.b[0])]);
        let length = |p: usize, q: usize| -> u32 {
            let [p, q] = [p, q].map(|local| pod.coordinates(Id::new(local)).map(|at| at as usize));
            let along = |axis: usize| &copper[axis][p[axis].min(q[axis])..p[axis].max(q[axis])];
            (0..3).flat_map(along).sum()
        };
        Self {
            partner: slots.flat_map(|[a, b]| [(a, b), (b, a)]).collect(),
            inside: (0..chips).map(|p| (0..chips).map(|q| length(p, q)).collect()).collect(),
            fiber,
            levels,
        }
    }

    /// The cubes that are entered nearer than `levels` from a position.
    pub(super) fn entered_cubes(&self, from: usize) -> Vec<EnteredCube> {
        let mut cubes = Vec::new();
        // The slot of entry is no exit.
        let mut open = vec![(EnteredCube { position: from, length: 0 }, None)];
        while let Some((cube, entry)) = open.pop() {
            for (&exit, &end) in self.partner.iter().filter(|&(&exit, _)| Some(exit) != entry) {
                let length = cube.length + self.inside[cube.position][exit.0] + self.fiber;
                if length < self.levels {
                    open.push((EnteredCube { position: end.0, length }, Some(end)));
                }
            }
            cubes.push(cube);
        }
        cubes
    }

    /// Lengths below `levels` to the copies of a position in the cubes that were entered, ascending.
    pub(super) fn copies_in(&self, cubes: &[EnteredCube], to: usize) -> Vec<u32> {
        let lengths = cubes.iter().map(|cube| cube.length + self.inside[cube.position][to]);
        let mut copies: Vec<u32> = lengths.filter(|&length| length < self.levels).collect();
        copies.sort_unstable();
        copies
    }
}
