//! How the routers of a fabric are called.

use fabc_model::{Fabric, Plant};
use fabc_topology::Names;

/// The names of a fabric's routers and ports.
pub fn router_names(fabric: &Fabric) -> Names {
    match &fabric.plant {
        Plant::Pod(pod) => Names::Cubes(pod.cube.dims),
        Plant::Network(network) => network.family.router_names(),
    }
}
