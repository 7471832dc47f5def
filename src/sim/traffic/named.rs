//! Finds endpoints by the names that people use.

use super::super::endpoints::EndpointMap;
use fabc_ir::RouterNames;

/// The endpoints that a name stands for: those of a router, or the one with a number.
pub(super) fn find_endpoints(name: &str, routers: &RouterNames, endpoints: &EndpointMap) -> Option<Vec<u32>> {
    if let Ok(number) = name.parse::<u32>() {
        return (number < endpoints.count()).then(|| vec![number]);
    }
    let router = routers.find(name, endpoints.routers())?;
    let endpoints_of_router = endpoints.of_router(router.0 as usize);
    (!endpoints_of_router.is_empty()).then(|| endpoints_of_router.collect())
}
