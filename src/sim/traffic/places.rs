//! Where routers stand: coordinates of grids, and groups.

use super::super::endpoints::Endpoints;
use fabc_model::{Fabric, Family, Hypercube, Plant, Pod, TopologyChoice};

/// A grid of routers.
pub(super) enum Grid {
    /// Sides; the last axis is the fastest.
    Plain(Vec<u32>),
    /// Chips of cubes that are joined to a torus of these sides; the first axis is the fastest.
    Cubes(Pod, [u32; 3]),
}

impl Grid {
    /// The grid that a fabric is.
    pub(super) fn of(fabric: &Fabric) -> Option<Self> {
        match &fabric.plant {
            Plant::Pod(pod) => match pod.topology {
                TopologyChoice::Torus(sides) | TopologyChoice::TwistedTorus(sides) => {
                    Some(Grid::Cubes(pod.clone(), sides))
                }
                _ => None,
            },
            Plant::Network(network) => match &network.family {
                Family::Hypercube(Hypercube { dimensions, .. }) => {
                    Some(Grid::Plain(vec![2; *dimensions as usize]))
                }
                family => family.grid_sides().map(|sides| Grid::Plain(sides.to_vec())),
            },
        }
    }

    /// The router at the place of another one, after every coordinate has moved round by what its side says.
    pub(super) fn moved(&self, router: u32, by: impl Fn(u32) -> u32) -> u32 {
        match self {
            Grid::Plain(sides) => {
                let (mut to, mut stride) = (0, 1);
                for &side in sides.iter().rev() {
                    to += (router / stride + by(side)) % side * stride;
                    stride *= side;
                }
                to
            }
            Grid::Cubes(pod, sides) => {
                let (cube, grid) = (pod.cube.dims, [0, 1, 2].map(|axis| sides[axis] / pod.cube.dims[axis]));
                let block = router / pod.chips_per_cube();
                let blocks = [block % grid[0], block / grid[0] % grid[1], block / (grid[0] * grid[1])];
                let inside = pod.at(fabc_base::ids::NodeId(router));
                let to = [0, 1, 2]
                    .map(|axis| (blocks[axis] * cube[axis] + inside[axis] + by(sides[axis])) % sides[axis]);
                let at = [0, 1, 2].map(|axis| to[axis] / cube[axis]);
                let block = at[0] + grid[0] * (at[1] + grid[1] * at[2]);
                pod.node(fabc_base::ids::BlockId(block), [0, 1, 2].map(|axis| to[axis] % cube[axis])).0
            }
        }
    }
}

/// Groups of consecutive routers: cubes, the groups of dragonflies and their kin, supernodes.
pub(super) struct Groups {
    /// The first router of every group that has endpoints, and behind the last router of each.
    pub(super) routers: Vec<std::ops::Range<u32>>,
}

impl Groups {
    /// Those of a fabric; of routers without groups there are none.
    pub(super) fn of(fabric: &Fabric, endpoints: &Endpoints) -> Option<Self> {
        let size = match &fabric.plant {
            Plant::Pod(pod) => pod.chips_per_cube(),
            Plant::Network(network) => network.family.group_size().unwrap_or(1),
        };
        let routers = endpoints.first.len() as u32 - 1;
        let all = (0..routers / size.max(1)).map(|group| group * size..(group + 1) * size);
        let peopled = all.filter(|group| !endpoints.of_routers(group).is_empty()).collect::<Vec<_>>();
        (size > 1 && peopled.len() > 1).then_some(Self { routers: peopled })
    }
}
