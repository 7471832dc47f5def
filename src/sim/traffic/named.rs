//! Endpoints by what people call them.

use super::super::endpoints::Endpoints;
use fabc_ir::Names;

/// The endpoints that a name stands for: those of a router, or the one of a number.
pub(super) fn named(name: &str, routers: &Names, endpoints: &Endpoints) -> Option<Vec<u32>> {
    if let Ok(number) = name.parse::<u32>() {
        return (number < endpoints.count()).then(|| vec![number]);
    }
    let router = routers.find(name, endpoints.routers())?;
    let there = endpoints.at(router.0 as usize);
    (!there.is_empty()).then(|| there.collect())
}
