//! Who sends to whom, worked out for the endpoints of a fabric.

use super::super::endpoints::Endpoints;
use super::super::errors::SimError;
use super::super::layout::NONE;
use super::named::named;
use super::places::{Grid, Groups};
use super::rows::Rows;
use super::{far, numbers, spread};
use fabc_ir::{Scene, Topology};
use fabc_model::{Details, Fabric, Traffic};

/// The destinations of every endpoint.
pub(in super::super) enum Pattern {
    /// Any other endpoint, of so many.
    Uniform(u32),
    /// `[endpoint]`: one other, or [`NONE`].
    Fixed(Vec<u32>),
    /// Drawn from parts.
    Drawn(Rows),
}

/// A traffic with what it is told.
#[derive(Clone, Copy)]
pub(in super::super) struct DetailedTraffic<'a> {
    /// Its name.
    pub(in super::super) traffic: Traffic,
    /// With all defaults.
    pub(in super::super) details: &'a Details,
    /// Seed of a permutation.
    pub(in super::super) seed: u64,
}

impl DetailedTraffic<'_> {
    fn missing(&self, why: String) -> SimError {
        SimError::NoTraffic { traffic: self.traffic.name(), why }
    }
}

impl Pattern {
    /// Works a traffic out.
    ///
    /// # Errors
    /// Nobody would send anything, or the fabric lacks what the traffic takes.
    pub(in super::super) fn of_traffic(
        wanted: DetailedTraffic<'_>,
        fabric: &Fabric,
        scene: &Scene<'_>,
        endpoints: &Endpoints,
    ) -> Result<Self, SimError> {
        at_least_two(wanted, endpoints)?;
        match wanted.traffic {
            Traffic::Adjacent => {
                drawn(wanted, spread::adjacent(scene, endpoints), "no two routers with endpoints are joined")
            }
            Traffic::Demand => {
                let why = if scene.dead.is_empty() {
                    "the spec demands nothing here"
                } else {
                    "what the fault leaves sends nothing"
                };
                drawn(wanted, spread::demand(fabric, endpoints), why)
            }
            Traffic::Hotspot => {
                let unknown = |name: &String| wanted.missing(format!("no endpoint is called `{name}`"));
                let found = |name: &String| {
                    named(name, scene.topology.names(), endpoints).ok_or_else(|| unknown(name))
                };
                let spots: Vec<Vec<u32>> =
                    wanted.details.spots.iter().map(found).collect::<Result<_, _>>()?;
                if spots.is_empty() {
                    return Err(wanted.missing("nobody says where the spots are".to_owned()));
                }
                let share = wanted.details.share.map_or(0, |share| share.in_millionths());
                drawn(wanted, spread::hotspot(endpoints, spots.concat(), share), SELF)
            }
            Traffic::Adversarial => {
                fixed(wanted, far::targets(scene, endpoints, &groups(wanted, fabric, endpoints)?))
            }
            _ => Self::by_endpoints(wanted, fabric, endpoints),
        }
    }

    /// Works out a traffic for which the endpoints, their places and groups are enough.
    fn by_endpoints(
        wanted: DetailedTraffic<'_>,
        fabric: &Fabric,
        endpoints: &Endpoints,
    ) -> Result<Self, SimError> {
        let grid = || {
            Grid::of(fabric).ok_or_else(|| {
                wanted.missing(format!("it takes coordinates, and {} has none", fabric_name(fabric)))
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

    /// Whether a fabric can have a traffic, before it is routed. `topology` is `None` where it is not known
    /// yet.
    ///
    /// Adversarial traffic takes two groups, and any two groups of a connected fabric can send to each other.
    /// A declared demand is never empty. So neither is worked out here: that takes a search from every
    /// router, or a look at every pair.
    ///
    /// # Errors
    /// As [`Pattern::of_traffic`]. What depends on an unknown topology is no error.
    pub(in super::super) fn check_feasible(
        wanted: DetailedTraffic<'_>,
        fabric: &Fabric,
        topology: Option<&Topology>,
    ) -> Result<(), SimError> {
        let endpoints = topology
            .map_or_else(|| Endpoints::declared(fabric), |topology| Endpoints::of(&Scene::whole(topology)));
        at_least_two(wanted, &endpoints)?;
        match (wanted.traffic, topology) {
            (Traffic::Adversarial, _) => groups(wanted, fabric, &endpoints).map(|_| ()),
            (Traffic::Demand, _) | (Traffic::Adjacent | Traffic::Hotspot, None) => Ok(()),
            (Traffic::Adjacent | Traffic::Hotspot, Some(topology)) => {
                Self::of_traffic(wanted, fabric, &Scene::whole(topology), &endpoints).map(|_| ())
            }
            _ => Self::by_endpoints(wanted, fabric, &endpoints).map(|_| ()),
        }
    }

    /// Where an endpoint that sends sends a packet, by a random number.
    pub(in super::super) fn draw(&self, source: u32, random: u64) -> u32 {
        match self {
            Pattern::Uniform(count) => {
                let other = (random % u64::from(count - 1)) as u32;
                other + u32::from(other >= source)
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

    /// What an endpoint that sends offers, in parts of the second number, that of the largest ones.
    pub(in super::super) fn share(&self, source: u32) -> [u64; 2] {
        match self {
            Pattern::Drawn(rows) => rows.share(source),
            _ => [1, 1],
        }
    }
}

/// Why there is no traffic that has no other reason.
const SELF: &str = "every endpoint would send to itself";

fn at_least_two(wanted: DetailedTraffic<'_>, endpoints: &Endpoints) -> Result<(), SimError> {
    match endpoints.count() {
        0 | 1 => Err(wanted.missing(format!("it takes two endpoints, and there are {}", endpoints.count()))),
        _ => Ok(()),
    }
}

/// The groups of a fabric, for a traffic that takes them.
fn groups(wanted: DetailedTraffic<'_>, fabric: &Fabric, endpoints: &Endpoints) -> Result<Groups, SimError> {
    let why =
        || format!("it takes two groups of routers with endpoints, and {} has none", fabric_name(fabric));
    Groups::of(fabric, endpoints).ok_or_else(|| wanted.missing(why()))
}

/// A traffic of rows; `why` says why nobody sends.
fn drawn(wanted: DetailedTraffic<'_>, rows: Rows, why: &str) -> Result<Pattern, SimError> {
    if rows.is_empty() { Err(wanted.missing(why.to_owned())) } else { Ok(Pattern::Drawn(rows)) }
}

/// A traffic of one destination for every endpoint; who would send to itself sends nothing.
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

/// What a message calls the fabric.
fn fabric_name(fabric: &Fabric) -> String {
    fabric.family().map_or_else(|| "this pod".to_owned(), |family| format!("a {}", family.name()))
}

/// Every router to the one that the grid moves it to: its hosts to those in the same places.
fn by_routers(endpoints: &Endpoints, grid: &Grid, by: impl Fn(u32) -> u32) -> Vec<u32> {
    let to = |(&router, source): (&u32, u32)| {
        let there = endpoints.at(grid.moved(router, &by) as usize);
        let place = source - endpoints.first[router as usize];
        if there.is_empty() { NONE } else { there.start + place % there.len() as u32 }
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
        assert_eq!([0, u64::MAX, 1 << 63].map(|bits| fabc_base::random::one_of(bits, 10)), [0, 9, 5]);
    }
}
