//! Cuts whose capacity does not depend on the wiring.
//!
//! A switch with l ports on one side of a cut and r on the other can lead at most min(l, r) fibers across
//! it. A sided switch can lead at most min(a_l, b_r) + min(a_r, b_l). With k links across and l and r
//! routers on the two sides, lambda <= k / (l r).

use fabc_base::ids::{BlockId, Id};
use fabc_ir::{LimitArgument, UniversalLimit};
use fabc_model::{Capacities, CoupleRule, FacePort, Ocs, Pod};

/// The ports of one switch on the inner side of a cut, by side of the switch.
#[derive(Clone, Copy, Default)]
struct InnerPorts {
    a: u64,
    b: u64,
}

impl InnerPorts {
    fn crossing(self, ocs: &Ocs) -> u64 {
        let (a, b) = (ocs.a.len() as u64 - self.a, ocs.b.len() as u64 - self.b);
        match ocs.rule {
            CoupleRule::Sided => self.a.min(b) + a.min(self.b),
            CoupleRule::Any => self.a.min(a),
        }
    }
}

/// One cut for every plane through all cubes, between two coordinates of an axis.
pub(super) fn planes<'a>(
    pod: &'a Pod,
    capacities: &'a Capacities,
) -> impl Iterator<Item = UniversalLimit> + 'a {
    let chips = u128::from(pod.chips_per_cube());
    let cubes = u128::from(pod.cubes);
    (0..3usize).flat_map(move |axis| (1..pod.cube.dims[axis]).map(move |coordinate| (axis, coordinate))).map(
        move |(axis, coordinate)| {
            let area = chips / u128::from(pod.cube.dims[axis]);
            let inner = |faces: &[FacePort]| {
                faces.iter().filter(|face| pod.coordinates(face.node)[axis] < coordinate).count() as u64
            };
            let fibers: u64 = pod
                .ocses
                .iter()
                .map(|ocs| {
                    InnerPorts { a: inner(&ocs.a), b: inner(&ocs.b) }.crossing(ocs)
                        * capacities.capacity(ocs.link)
                })
                .sum();
            let side = area * u128::from(coordinate) * cubes;
            UniversalLimit {
                volume: area * cubes * u128::from(capacities.capacity(pod.cube.mesh)) + u128::from(fibers),
                distance: side * (chips * cubes - side),
                argument: LimitArgument::Plane { axis: axis as u32, below: coordinate },
            }
        },
    )
}

/// The cuts around every single cube and around the first 1, 2, 3, .. cubes.
pub(super) fn cubes(pod: &Pod, capacities: &Capacities) -> Vec<UniversalLimit> {
    // `[cube]`: (switch, its ports on that cube).
    let mut ports_by_cube: Vec<Vec<(usize, InnerPorts)>> = vec![Vec::new(); pod.cubes as usize];
    for (id, ocs) in pod.ocses.enumerate() {
        for (side, faces) in [&ocs.a, &ocs.b].into_iter().enumerate() {
            for face in faces {
                let switches_here = &mut ports_by_cube[face.cube.index()];
                if switches_here.last().is_none_or(|&(last, _)| last != id.index()) {
                    switches_here.push((id.index(), InnerPorts::default()));
                }
                let (_, inner) = switches_here.last_mut().expect("just pushed");
                *(if side == 0 { &mut inner.a } else { &mut inner.b }) += 1;
            }
        }
    }
    let limit = |fibers: u64, first: u32, count: u32| UniversalLimit {
        volume: u128::from(fibers),
        distance: u128::from(pod.chips_per_cube()).pow(2) * u128::from(count) * u128::from(pod.cubes - count),
        argument: LimitArgument::Cubes { first, count },
    };
    let switches: Vec<&Ocs> = pod.ocses.iter().collect();
    let capacity = |ocs: usize| capacities.capacity(switches[ocs].link);
    let mut limits = Vec::new();
    let mut prefix = vec![InnerPorts::default(); switches.len()];
    let mut fibers_across = 0;
    for (cube, switches_here) in (0..pod.cubes).map(BlockId).zip(&ports_by_cube) {
        if pod.cubes > 1 {
            limits.push(limit(
                switches_here.iter().map(|&(ocs, inner)| inner.crossing(switches[ocs]) * capacity(ocs)).sum(),
                cube.0,
                1,
            ));
        }
        for &(ocs, inner) in switches_here {
            fibers_across -= prefix[ocs].crossing(switches[ocs]) * capacity(ocs);
            prefix[ocs] = InnerPorts { a: prefix[ocs].a + inner.a, b: prefix[ocs].b + inner.b };
            fibers_across += prefix[ocs].crossing(switches[ocs]) * capacity(ocs);
        }
        if cube.0 > 0 && cube.0 + 1 < pod.cubes {
            limits.push(limit(fibers_across, 0, cube.0 + 1));
        }
    }
    limits
}
