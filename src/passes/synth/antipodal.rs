//! Wirings that the point reflection of the cubes keeps.
//!
//! Input: a pod in which one shift per OCS is the whole topology. Output: which shifts follow from which.
//!
//! Reflect every cube in its center, (x, y, z) to the opposite corner. Multiply the numbers of the cubes by
//! m = C / 2 + 1 modulo C, the number of cubes (divisible by 4, so that m m = 1). The fiber of an OCS joins
//! +x\[u, v\] of cube g with -x\[u, v\] of cube g + s. Its image joins the opposite ports of the opposite
//! positions, which another OCS serves, its *mate*. The map keeps the wiring if
//!
//! s(mate) = -m s = -s for even s, C / 2 - s for odd s (modulo C):
//!
//! opposite ports of a cube lead to the same cube, or to cubes C / 2 apart. Half of the shifts are free,
//! and a chip and its image have the same distance sum. If the reflection exchanges the colors of
//! `parity.rs`, an evaluation looks at half of the sources.
//!
//! Source: our own.

use super::shape::{CandidateWiring, PodShape, WiringSlot};
use fabc_base::ids::{BlockId, Id, NodeId};
use fabc_base::random::Stream;
use fabc_model::{CoupleRule, Pod};

/// The symmetry of antipodal wirings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Antipodal {
    /// The number by which the numbers of cubes are multiplied.
    multiplier: usize,
    /// `[switch]`: its mate, the switch that serves the opposite ports.
    mates: Vec<usize>,
}

impl Antipodal {
    /// The symmetry of a pod, if three conditions hold. One shift per OCS is the whole topology, the
    /// reflection exchanges the colors of the chips, and no OCS is its own mate.
    pub(super) fn find(pod: &Pod, shape: &PodShape) -> Option<Self> {
        let order = shape.order;
        let chooses_one_shift =
            shape.group.factors.len() == 1 && shape.nodes == pod.chips_per_cube() as usize;
        let exchanges_colors = pod.cube.dims.iter().map(|dim| dim - 1).sum::<u32>() % 2 == 1;
        if !chooses_one_shift || !exchanges_colors || !order.is_multiple_of(4) || !shape.planes.is_empty() {
            return None;
        }
        let opposite = |node: usize| {
            let position = pod.coordinates(NodeId::new(node));
            pod.node(BlockId(0), std::array::from_fn(|axis| pod.cube.dims[axis] - 1 - position[axis])).index()
        };
        // The (position, port) of both ends of every switch.
        let end_ports: Option<Vec<[(usize, u16); 2]>> = shape
            .switches
            .iter()
            .map(|switch| match switch.ends[..] {
                [a, b]
                    if switch.rule == CoupleRule::Sided
                        && switch.a_count == 1
                        && switch.kept_by.len() == order =>
                {
                    Some([a, b].map(|end| (end.node, end.port.0)))
                }
                _ => None,
            })
            .collect();
        let end_ports = end_ports?;
        let mate = |switch_index: usize| {
            let image = |(node, port): (usize, u16)| (opposite(node), port ^ 1);
            let [a, b] = end_ports[switch_index];
            end_ports
                .iter()
                .position(|&other| other == [image(b), image(a)])
                .filter(|&mate| mate != switch_index)
        };
        let mates = (0..end_ports.len()).map(mate).collect::<Option<Vec<usize>>>()?;
        (!mates.is_empty()).then_some(Self { multiplier: order / 2 + 1, mates })
    }

    /// The mate of a switch, which serves the opposite ports.
    pub(super) fn mate(&self, switch: usize) -> usize {
        self.mates[switch]
    }

    /// Sets the mate of a switch as the symmetry requires.
    pub(super) fn follow(&self, shape: &PodShape, wiring: &mut [Vec<WiringSlot>], switch: usize) {
        let shift = wiring[switch][0].shift * self.multiplier % shape.order;
        wiring[self.mates[switch]][0].shift = shape.negative(shift);
    }

    /// A random wiring that the symmetry keeps.
    pub(super) fn random_wiring(&self, shape: &PodShape, stream: &mut Stream) -> CandidateWiring {
        let mut wiring = shape.random_wiring(stream);
        (0..wiring.len())
            .filter(|&switch| switch < self.mates[switch])
            .for_each(|switch| self.follow(shape, &mut wiring, switch));
        wiring
    }
}
