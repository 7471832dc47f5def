//! Wirings that the point reflection of the cubes keeps.
//!
//! In: a pod in which one shift per OCS is the whole topology. Out: which shifts follow from which.
//!
//! Reflect every cube in its center, (x, y, z) to the opposite corner, and multiply the numbers of the cubes
//! by m = C / 2 + 1 modulo C, the number of cubes (divisible by 4, so that m m = 1). The fiber of an OCS
//! joins +x\[u, v\] of cube g with -x\[u, v\] of cube g + s; its image joins the opposite ports of the
//! opposite positions, which another OCS serves, its *mate*. The map keeps the wiring if
//!
//! s(mate) = -m s = -s for even s, C / 2 - s for odd s (modulo C):
//!
//! opposite ports of a cube lead to the same cube, or to cubes C / 2 apart. Half of the shifts are free, and
//! a chip and its image have the same distance sum. Where the reflection exchanges the colors of `parity.rs`,
//! an evaluation looks at half of the sources.
//!
//! Source: our own.

use super::shape::{Shape, Slot, Wiring};
use fabc_base::ids::{BlockId, Id, NodeId};
use fabc_base::random::Stream;
use fabc_model::{CoupleRule, Pod};

/// The symmetry of antipodal wirings.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Antipodal {
    /// What the numbers of cubes are multiplied by.
    multiplier: usize,
    /// `[switch]`: the switch that serves the opposite ports.
    mates: Vec<usize>,
}

impl Antipodal {
    /// The symmetry, where one shift per OCS is the whole topology, the reflection exchanges the colors of
    /// the chips, and no OCS is its own mate.
    pub(super) fn of(pod: &Pod, shape: &Shape) -> Option<Self> {
        let order = shape.order;
        let alone = shape.group.factors.len() == 1 && shape.nodes == pod.chips_per_cube() as usize;
        let exchanges = pod.cube.dims.iter().map(|dim| dim - 1).sum::<u32>() % 2 == 1;
        if !alone || !exchanges || !order.is_multiple_of(4) || !shape.planes.is_empty() {
            return None;
        }
        let opposite = |node: usize| {
            let at = pod.at(NodeId::new(node));
            pod.node(BlockId(0), std::array::from_fn(|axis| pod.cube.dims[axis] - 1 - at[axis])).index()
        };
        // (Position, port) of both ends of every switch.
        let ends: Option<Vec<[(usize, u16); 2]>> = shape
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
        let ends = ends?;
        let mate = |own: usize| {
            let image = |(node, port): (usize, u16)| (opposite(node), port ^ 1);
            let [a, b] = ends[own];
            ends.iter().position(|&other| other == [image(b), image(a)]).filter(|&mate| mate != own)
        };
        let mates = (0..ends.len()).map(mate).collect::<Option<Vec<usize>>>()?;
        (!mates.is_empty()).then_some(Self { multiplier: order / 2 + 1, mates })
    }

    /// The switch that serves the opposite ports.
    pub(super) fn mate(&self, switch: usize) -> usize {
        self.mates[switch]
    }

    /// Sets the mate of a switch as the symmetry wants it.
    pub(super) fn follow(&self, shape: &Shape, wiring: &mut [Vec<Slot>], switch: usize) {
        let shift = wiring[switch][0].shift * self.multiplier % shape.order;
        wiring[self.mates[switch]][0].shift = shape.negative(shift);
    }

    /// A random wiring that the symmetry keeps.
    pub(super) fn random_wiring(&self, shape: &Shape, stream: &mut Stream) -> Wiring {
        let mut wiring = shape.random_wiring(stream);
        (0..wiring.len())
            .filter(|&switch| switch < self.mates[switch])
            .for_each(|switch| self.follow(shape, &mut wiring, switch));
        wiring
    }
}
