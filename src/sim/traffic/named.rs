//! Endpoints by what people call them.

use super::super::endpoints::Endpoints;
use fabc_ir::Scene;

/// The endpoints that a name stands for: those of a router, or the one of a number.
pub(super) fn named(name: &str, scene: &Scene<'_>, endpoints: &Endpoints) -> Option<Vec<u32>> {
    if let Ok(number) = name.parse::<u32>() {
        return (number < endpoints.count()).then(|| vec![number]);
    }
    let topology = scene.topology;
    let router = topology.names().find(name, topology.node_count())?;
    let there = endpoints.at(router.0 as usize);
    (!there.is_empty()).then(|| there.collect())
}
