//! The names of the routers of a fabric.

use fabc_model::{Fabric, Plant};
use fabc_topology::RouterNames;

/// The names of a fabric's routers and ports.
pub fn router_names(fabric: &Fabric) -> RouterNames {
    match &fabric.plant {
        Plant::Pod(pod) => RouterNames::Cubes(pod.cube.dims),
        Plant::Network(network) => network.family.router_names(),
    }
}
