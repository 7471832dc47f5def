//! Who sends to whom, worked out for the endpoints of a fabric.

use super::super::endpoints::Endpoints;
use super::super::errors::SimError;
use super::super::layout::NONE;
use super::super::setting::Setting;
use super::named::named;
use super::places::{Grid, Groups};
use super::rows::Rows;
use super::{far, numbers, spread};
use crate::ir::Scene;
use crate::model::{Fabric, Plant, Traffic};

/// The destinations of every endpoint.
pub(in super::super) enum Pattern {
    /// Any other endpoint, of so many.
    Uniform(u32),
    /// `[endpoint]`: one other, or [`NONE`].
    Fixed(Vec<u32>),
    /// Drawn from parts.
    Drawn(Rows),
}

impl Pattern {
    /// Works a traffic out.
    ///
    /// # Errors
    /// Nobody would send anything, or the fabric lacks what the traffic takes.
    pub(in super::super) fn of(setting: &Setting, fabric: &Fabric, scene: &Scene<'_>, endpoints: &Endpoints) -> Result<Self, SimError> {
        let (traffic, count) = (setting.traffic, endpoints.count());
        let missing = |why: String| SimError::NoTraffic { traffic: traffic.name(), why };
        if count < 2 {
            return Err(missing(format!("it takes two endpoints, and there are {count}")));
        }
        let grid = || Grid::of(fabric).ok_or_else(|| missing(format!("it takes coordinates, and {} has none", plant(fabric))));
        let groups = || {
            let none = || missing(format!("it takes two groups of routers with endpoints, and {} has none", plant(fabric)));
            Groups::of(fabric, endpoints).ok_or_else(none)
        };
        let drawn = |rows: Rows, why: &str| match (0..count).any(|source| rows.sends(source)) {
            true => Ok(Pattern::Drawn(rows)),
            false => Err(missing(why.to_owned())),
        };
        let mut targets: Vec<u32> = match traffic {
            Traffic::Uniform => return Ok(Pattern::Uniform(count)),
            Traffic::Adjacent => return drawn(spread::adjacent(scene, endpoints), "no two routers with endpoints are joined"),
            Traffic::Demand => {
                let why = if scene.dead.is_empty() { "the spec demands nothing here" } else { "what the fault leaves sends nothing" };
                return drawn(spread::demand(fabric, endpoints), why);
            }
            Traffic::Hotspot => {
                let found = |name: &String| named(name, scene, endpoints).ok_or_else(|| missing(format!("no endpoint is called `{name}`")));
                let spots: Vec<Vec<u32>> = setting.details.spots.iter().map(found).collect::<Result<_, _>>()?;
                if spots.is_empty() {
                    return Err(missing("nobody says where the spots are".to_owned()));
                }
                let share = setting.details.share.map_or(0, |share| share.in_millionths());
                return drawn(spread::hotspot(endpoints, spots.concat(), share), SELF);
            }
            Traffic::GroupShift => {
                let by = setting.details.by.unwrap_or(1);
                let rows = spread::group_shift(endpoints, &groups()?, by);
                return drawn(rows, "every group would send to itself");
            }
            Traffic::Adversarial => far::targets(scene, endpoints, &groups()?),
            Traffic::Tornado => by_routers(endpoints, &grid()?, |side| side.div_ceil(2) - 1),
            Traffic::Neighbour => by_routers(endpoints, &grid()?, |_| 1),
            _ => numbers::targets(traffic, endpoints, setting.seed).unwrap_or_default(),
        };
        targets.iter_mut().zip(0..).filter(|(target, source)| **target == *source).for_each(|(target, _)| *target = NONE);
        match targets.iter().all(|target| *target == NONE) {
            true => Err(missing(SELF.to_owned())),
            false => Ok(Pattern::Fixed(targets)),
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

/// What a message calls the fabric.
fn plant(fabric: &Fabric) -> String {
    match &fabric.plant {
        Plant::Pod(_) => "this pod".to_owned(),
        Plant::Network(network) => format!("a {}", network.family.name()),
    }
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
        assert_eq!([0, u64::MAX, 1 << 63].map(|bits| crate::random::one_of(bits, 10)), [0, 9, 5]);
    }
}
