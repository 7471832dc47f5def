//! The destinations of every endpoint of a fabric.

use super::super::endpoints::EndpointMap;
use super::super::errors::SimError;
use super::super::layout::NONE;
use super::named::hot_endpoints;
use super::places::{RouterGrid, RouterGroups};
use super::rows::DestinationRows;
use super::{far, numbers, spread};
use fabc_ir::{Scene, Topology};
use fabc_model::{Fabric, Traffic, TrafficDetails};

/// The destinations of every endpoint.
pub(in super::super) enum Pattern {
    /// Any other endpoint, of so many.
    Uniform(u32),
    /// `[endpoint]`: its only destination, or [`NONE`].
    Fixed(Vec<u32>),
    /// Destinations that are drawn from rows of parts.
    Drawn(DestinationRows),
}

/// A traffic with its details.
#[derive(Clone, Copy)]
pub(in super::super) struct DetailedTraffic<'a> {
    /// The name of the traffic.
    pub(in super::super) traffic: Traffic,
    /// Its details with all defaults.
    pub(in super::super) details: &'a TrafficDetails,
    /// The seed of a permutation.
    pub(in super::super) seed: u64,
}

impl DetailedTraffic<'_> {
    fn missing(&self, why: String) -> SimError {
        SimError::NoTraffic { traffic: self.traffic.name(), why }
    }
}

impl Pattern {
    /// Computes the pattern of a traffic.
    ///
    /// # Errors
    /// [`SimError::NoTraffic`] where no endpoint would send, or where the fabric lacks what the traffic
    /// needs.
    pub(in super::super) fn of_traffic(
        wanted: DetailedTraffic<'_>,
        fabric: &Fabric,
        scene: &Scene<'_>,
        endpoints: &EndpointMap,
    ) -> Result<Self, SimError> {
        at_least_two(wanted, endpoints)?;
        match wanted.traffic {
            Traffic::Adjacent => {
                drawn(wanted, spread::adjacent(scene, endpoints), "no two routers with endpoints are joined")
            }
            Traffic::Demand => {
                let why = if scene.dead.is_empty() {
                    "the demand of the spec is 0 for all pairs here"
                } else {
                    "no surviving endpoint has a demand"
                };
                drawn(wanted, spread::demand(fabric, endpoints), why)
            }
            Traffic::Hotspot => {
                let spots = hot_endpoints(wanted.details, scene, endpoints)?;
                let share = wanted.details.share.map_or(0, |share| share.in_millionths());
                drawn(wanted, spread::hotspot(endpoints, spots, share), SELF)
            }
            Traffic::Adversarial => {
                fixed(wanted, far::targets(scene, endpoints, &groups(wanted, fabric, endpoints)?))
            }
            _ => Self::by_endpoints(wanted, fabric, endpoints),
        }
    }

    /// Computes a traffic for which the endpoints, their places and groups are enough.
    fn by_endpoints(
        wanted: DetailedTraffic<'_>,
        fabric: &Fabric,
        endpoints: &EndpointMap,
    ) -> Result<Self, SimError> {
        let grid = || {
            RouterGrid::of_fabric(fabric).ok_or_else(|| {
                wanted.missing(format!("it needs coordinates, but {} has none", fabric_name(fabric)))
            })
        };
        match wanted.traffic {
            Traffic::Uniform => Ok(Pattern::Uniform(endpoints.count())),
            Traffic::GroupShift => {
                let by = wanted.details.by.unwrap_or(1);
                let rows = spread::group_shift(endpoints, &groups(wanted, fabric, endpoints)?, by);
                drawn(wanted, rows, "every group would send to itself")
            }
            Traffic::Tornado => fixed(wanted, by_routers(endpoints, &grid()?, |side| side.div_ceil(2) - 1)),
            Traffic::Neighbour => fixed(wanted, by_routers(endpoints, &grid()?, |_| 1)),
            _ => fixed(wanted, numbers::targets(wanted.traffic, endpoints, wanted.seed).unwrap_or_default()),
        }
    }

    /// Checks that a fabric can have a traffic, before it is routed. `topology` is `None` where it is not
    /// known yet.
    ///
    /// Adversarial traffic needs two groups, and any two groups of a connected fabric can send to each other.
    /// A declared demand is never empty. So neither is computed here. That would need a search from every
    /// router, or a look at every pair.
    ///
    /// # Errors
    /// The errors of [`Pattern::of_traffic`]. Whatever depends on an unknown topology is no error.
    pub(in super::super) fn check_feasible(
        wanted: DetailedTraffic<'_>,
        fabric: &Fabric,
        topology: Option<&Topology>,
    ) -> Result<(), SimError> {
        let endpoints = topology.map_or_else(
            || EndpointMap::declared(fabric),
            |topology| EndpointMap::surviving(&Scene::healthy(topology)),
        );
        at_least_two(wanted, &endpoints)?;
        match (wanted.traffic, topology) {
            (Traffic::Adversarial, _) => groups(wanted, fabric, &endpoints).map(|_| ()),
            (Traffic::Demand, _) | (Traffic::Adjacent | Traffic::Hotspot, None) => Ok(()),
            (Traffic::Adjacent | Traffic::Hotspot, Some(topology)) => {
                Self::of_traffic(wanted, fabric, &Scene::healthy(topology), &endpoints).map(|_| ())
            }
            _ => Self::by_endpoints(wanted, fabric, &endpoints).map(|_| ()),
        }
    }

    /// The destination of a packet of an endpoint that sends, by a random number.
    pub(in super::super) fn draw(&self, source: u32, random: u64) -> u32 {
        match self {
            Pattern::Uniform(count) => {
                let number = (random % u64::from(count - 1)) as u32;
                number + u32::from(number >= source)
            }
            Pattern::Fixed(targets) => targets[source as usize],
            Pattern::Drawn(rows) => rows.draw(source, random),
        }
    }

    /// Whether an endpoint sends at all.
    pub(in super::super) fn sends(&self, source: u32) -> bool {
        match self {
            Pattern::Uniform(_) => true,
            Pattern::Fixed(targets) => targets[source as usize] != NONE,
            Pattern::Drawn(rows) => rows.sends(source),
        }
    }

    /// The offer of an endpoint that sends, and the largest offer of any endpoint.
    pub(in super::super) fn share(&self, source: u32) -> [u64; 2] {
        match self {
            Pattern::Drawn(rows) => rows.share(source),
            _ => [1, 1],
        }
    }
}

/// The reason for no traffic where there is no other reason.
const SELF: &str = "every endpoint would send to itself";

fn at_least_two(wanted: DetailedTraffic<'_>, endpoints: &EndpointMap) -> Result<(), SimError> {
    match endpoints.count() {
        0 | 1 => Err(wanted.missing(format!("it needs two endpoints, but there are {}", endpoints.count()))),
        _ => Ok(()),
    }
}

/// The groups of a fabric, for a traffic that needs them.
fn groups(
    wanted: DetailedTraffic<'_>,
    fabric: &Fabric,
    endpoints: &EndpointMap,
) -> Result<RouterGroups, SimError> {
    let why = || {
        format!("it needs two groups of routers with endpoints, but {} has no groups", fabric_name(fabric))
    };
    RouterGroups::of_fabric(fabric, endpoints).ok_or_else(|| wanted.missing(why()))
}

/// A pattern of rows. `why` is the reason if no endpoint sends.
fn drawn(wanted: DetailedTraffic<'_>, rows: DestinationRows, why: &str) -> Result<Pattern, SimError> {
    if rows.is_empty() { Err(wanted.missing(why.to_owned())) } else { Ok(Pattern::Drawn(rows)) }
}

/// A pattern of one destination per endpoint. An endpoint that would send to itself sends nothing.
fn fixed(wanted: DetailedTraffic<'_>, mut targets: Vec<u32>) -> Result<Pattern, SimError> {
    targets
        .iter_mut()
        .zip(0..)
        .filter(|(target, source)| **target == *source)
        .for_each(|(target, _)| *target = NONE);
    match targets.iter().all(|target| *target == NONE) {
        true => Err(wanted.missing(SELF.to_owned())),
        false => Ok(Pattern::Fixed(targets)),
    }
}

/// The words for the fabric in a message.
fn fabric_name(fabric: &Fabric) -> String {
    match (fabric.family(), fabric.boxes()) {
        (_, Some(_)) => "a fabric of boxes".to_owned(),
        (Some(family), None) => format!("a {}", family.name()),
        (None, None) => "this pod".to_owned(),
    }
}

/// Sends every router to the one to which the grid moves it. Its hosts send to those in the same places.
fn by_routers(endpoints: &EndpointMap, grid: &RouterGrid, by: impl Fn(u32) -> u32) -> Vec<u32> {
    let to = |(&router, source): (&u32, u32)| {
        let hosts = endpoints.of_router(grid.shifted(router, &by) as usize);
        let place = source - endpoints.first[router as usize];
        if hosts.is_empty() { NONE } else { hosts.start + place % hosts.len() as u32 }
    };
    endpoints.router.iter().zip(0..).map(to).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uniform_skips_the_source() {
        let pattern = Pattern::Uniform(4);
        let drawn: Vec<u32> = (0..6).map(|random| pattern.draw(1, random)).collect();
        assert_eq!(drawn, [0, 2, 3, 0, 2, 3]);
    }

    #[test]
    fn random_numbers_are_scaled() {
        assert_eq!([0, u64::MAX, 1 << 63].map(|bits| fabc_base::random::pick(bits, 10)), [0, 9, 5]);
    }
}
