//! The places of routers: coordinates in grids, and groups.

use super::super::endpoints::EndpointMap;
use fabc_model::{Fabric, Family, Hypercube, Plant, Pod, TopologyChoice};

/// A grid of routers, with its sides.
pub(super) enum RouterGrid {
    /// The sides of a plain grid. The last axis is the fastest.
    Plain(Vec<u32>),
    /// Chips of cubes that form a torus with these sides. The first axis is the fastest.
    Cubes(Pod, [u32; 3]),
}

impl RouterGrid {
    /// The grid that a fabric is, if any.
    pub(super) fn of_fabric(fabric: &Fabric) -> Option<Self> {
        match &fabric.plant {
            Plant::Pod(pod) => match pod.topology {
                TopologyChoice::Torus(sides) | TopologyChoice::TwistedTorus(sides) => {
                    Some(RouterGrid::Cubes(pod.clone(), sides))
                }
                _ => None,
            },
            Plant::Network(network) => match &network.family {
                Family::Hypercube(Hypercube { dimensions, .. }) => {
                    Some(RouterGrid::Plain(vec![2; *dimensions as usize]))
                }
                family => family.grid_sides().map(|sides| RouterGrid::Plain(sides.to_vec())),
            },
        }
    }

    /// The router at the place of another one after a shift of all coordinates. `by` returns the shift along
    /// an axis from its side.
    pub(super) fn shifted(&self, router: u32, by: impl Fn(u32) -> u32) -> u32 {
        match self {
            RouterGrid::Plain(sides) => {
                let (mut to, mut stride) = (0, 1);
                for &side in sides.iter().rev() {
                    to += (router / stride + by(side)) % side * stride;
                    stride *= side;
                }
                to
            }
            RouterGrid::Cubes(pod, sides) => {
                let (cube, grid) = (pod.cube.dims, [0, 1, 2].map(|axis| sides[axis] / pod.cube.dims[axis]));
                let block = router / pod.chips_per_cube();
                let blocks = [block % grid[0], block / grid[0] % grid[1], block / (grid[0] * grid[1])];
                let inside = pod.coordinates(fabc_base::ids::NodeId(router));
                let to = [0, 1, 2]
                    .map(|axis| (blocks[axis] * cube[axis] + inside[axis] + by(sides[axis])) % sides[axis]);
                let cube_at = [0, 1, 2].map(|axis| to[axis] / cube[axis]);
                let block = cube_at[0] + grid[0] * (cube_at[1] + grid[1] * cube_at[2]);
                pod.node(fabc_base::ids::BlockId(block), [0, 1, 2].map(|axis| to[axis] % cube[axis])).0
            }
        }
    }
}

/// Groups of consecutive routers: cubes, boxes, groups of dragonflies and similar families, supernodes.
pub(super) struct RouterGroups {
    /// The routers of every group that has endpoints.
    pub(super) routers: Vec<std::ops::Range<u32>>,
}

impl RouterGroups {
    /// The groups of a fabric. `None` where its routers have no groups. The GPUs of a box are a group.
    pub(super) fn of_fabric(fabric: &Fabric, endpoints: &EndpointMap) -> Option<Self> {
        if let Some(boxes) = fabric.boxes() {
            let gpus = boxes.boxes().scan(0, |first, kind| {
                let own = *first..*first + kind.gpus;
                *first = own.end;
                Some(own)
            });
            let routers: Vec<_> = gpus.filter(|group| !endpoints.of_routers(group).is_empty()).collect();
            return (routers.len() > 1).then_some(Self { routers });
        }
        let size = match &fabric.plant {
            Plant::Pod(pod) => pod.chips_per_cube(),
            Plant::Network(network) => network.family.group_size().unwrap_or(1),
        };
        let routers = endpoints.first.len() as u32 - 1;
        let groups = (0..routers / size.max(1)).map(|group| group * size..(group + 1) * size);
        let with_endpoints =
            groups.filter(|group| !endpoints.of_routers(group).is_empty()).collect::<Vec<_>>();
        (size > 1 && with_endpoints.len() > 1).then_some(Self { routers: with_endpoints })
    }
}
