//! Finds endpoints by the names that people use.

use super::super::endpoints::EndpointMap;
use super::super::errors::SimError;
use fabc_ir::{RouterNames, Scene};
use fabc_model::{Traffic, TrafficDetails};

/// The endpoints that a name stands for: those of a router, or the one with a number.
pub(super) fn find_endpoints(name: &str, routers: &RouterNames, endpoints: &EndpointMap) -> Option<Vec<u32>> {
    if let Ok(number) = name.parse::<u32>() {
        return (number < endpoints.count()).then(|| vec![number]);
    }
    let router = routers.find(name, endpoints.routers())?;
    let endpoints_of_router = endpoints.of_router(router.0 as usize);
    (!endpoints_of_router.is_empty()).then(|| endpoints_of_router.collect())
}

/// The endpoints of all hot spots of a hotspot traffic.
///
/// # Errors
/// [`SimError::NoTraffic`] where there is none, or where a name stands for no endpoint.
pub(in super::super) fn hot_endpoints(
    details: &TrafficDetails,
    scene: &Scene<'_>,
    endpoints: &EndpointMap,
) -> Result<Vec<u32>, SimError> {
    let missing = |why: String| SimError::NoTraffic { traffic: Traffic::Hotspot.name(), why };
    let of_name = |name: &String| {
        find_endpoints(name, scene.topology.names(), endpoints)
            .ok_or_else(|| missing(format!("no endpoint is called `{name}`")))
    };
    let spots: Vec<Vec<u32>> = details.spots.iter().map(of_name).collect::<Result<_, _>>()?;
    if spots.is_empty() {
        return Err(missing("the setting `at` with the hot spots is missing".to_owned()));
    }
    Ok(spots.concat())
}
