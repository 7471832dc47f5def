//! Tori and prismatic doubly twisted tori, as fibers between the cubes.
//!
//! A torus of `A x B x C` chips is a grid of cubes. Cube number = `cx + nx*cy + nx*ny*cz`. The doubly
//! twisted tori (a x a x 2a and a x 2a x 2a) shift where a fiber wraps around. For a x a x 2a the x and the
//! y wrap both shift by a along z. For a x 2a x 2a the x wrap shifts by a along y and along z. Source:
//! Camara et al., twisted torus topologies (IEEE TPDS 2010), as tabulated by the TONS paper, appendix C.

use fabc_base::ids::{BlockId, PortId};
use fabc_model::{FacePort, Pod};

/// All wrap and cube-to-cube fibers of a torus.
pub(super) fn torus(pod: &Pod, dims: [u32; 3]) -> Vec<[FacePort; 2]> {
    fibers(pod, dims, [[0; 3]; 3])
}

/// All wrap and cube-to-cube fibers of a doubly twisted torus. `resolve` lets only shapes pass that can be
/// twisted.
pub(super) fn twisted_torus(pod: &Pod, dims: [u32; 3]) -> Vec<[FacePort; 2]> {
    let [x, y, _] = dims;
    let side = pod.cube.dims;
    // The cubes that a shift by `a` chips crosses, per dimension.
    let twist = if x == y {
        [[0, 0, x / side[2]], [0, 0, x / side[2]], [0; 3]]
    } else {
        [[0, x / side[1], x / side[2]], [0; 3], [0; 3]]
    };
    fibers(pod, dims, twist)
}

/// The fibers that wrap every cube on itself, so that each is a torus. They do not connect the pod.
pub(super) fn wrapped_cubes(pod: &Pod) -> Vec<[FacePort; 2]> {
    let side = pod.cube.dims;
    fibers_between(pod, |dimension| side[dimension] > 1, |cube, _| cube)
}

/// The fibers of a torus. `twist[d]` is the number of cubes by which the wrap of dimension d shifts along
/// every dimension.
fn fibers(pod: &Pod, dims: [u32; 3], twist: [[u32; 3]; 3]) -> Vec<[FacePort; 2]> {
    let side = pod.cube.dims;
    let grid = [dims[0] / side[0], dims[1] / side[1], dims[2] / side[2]];
    let next = |cube: u32, dimension: usize| {
        let mut to = [cube % grid[0], cube / grid[0] % grid[1], cube / (grid[0] * grid[1])];
        to[dimension] += 1;
        if to[dimension] == grid[dimension] {
            to[dimension] = 0;
            for (along, shift) in twist[dimension].into_iter().enumerate() {
                to[along] = (to[along] + shift) % grid[along];
            }
        }
        to[0] + grid[0] * (to[1] + grid[1] * to[2])
    };
    // A ring of one router has no wrap. `resolve` refuses it if an OCS couples its faces.
    fibers_between(pod, |dimension| dims[dimension] > 1, next)
}

/// The fibers from the high face of every cube to the low face of the next one, in the dimensions that have
/// some. `next` is the number of that cube.
fn fibers_between(
    pod: &Pod,
    has_fibers: impl Fn(usize) -> bool,
    next: impl Fn(u32, usize) -> u32,
) -> Vec<[FacePort; 2]> {
    let side = pod.cube.dims;
    let mut fibers = Vec::new();
    for cube in 0..pod.cubes {
        for dimension in (0..3).filter(|&dimension| has_fibers(dimension)) {
            let to = next(cube, dimension);
            let (u, v) = ((dimension + 1) % 3, (dimension + 2) % 3);
            for i in 0..side[u] {
                for j in 0..side[v] {
                    let mut low = [0; 3];
                    (low[u], low[v]) = (i, j);
                    let mut high = low;
                    high[dimension] = side[dimension] - 1;
                    let face = |cube: u32, position, port: usize| FacePort {
                        cube: BlockId(cube),
                        node: pod.node(BlockId(cube), position),
                        port: PortId(port as u16),
                    };
                    fibers.push([face(cube, high, dimension * 2), face(to, low, dimension * 2 + 1)]);
                }
            }
        }
    }
    fibers
}
