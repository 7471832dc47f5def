//! The cycles of a run, whatever the model of routers: things happen, packets are born, routers decide, until
//! all that counts has arrived.

use super::births::Births;
use super::errors::SimError;
use super::point::Point;
use super::prepare::Prepared;
use super::tally::Tally;
use crate::model::Rate;
use crate::random::Keyed;

/// The stream of random numbers that destinations are drawn from.
const DESTINATIONS: u64 = 1;

/// Routers and what is between them: one model of both.
pub(super) trait Routers {
    /// What was to happen in this cycle.
    fn happens(&mut self, now: u32);
    /// A packet is born at its host.
    fn birth(&mut self, packet: Newborn, now: u32);
    /// What hosts and routers decide in this cycle.
    fn decides(&mut self, now: u32);
    /// What is counted.
    fn tally(&mut self) -> &mut Tally;
    /// The last cycle in which something moved, or nothing was there to move.
    fn last_move(&mut self) -> &mut u32;
    /// Packets wait for each other for ever.
    fn stuck(&self, rate: Rate) -> SimError;
    /// What was counted in so many cycles.
    fn point(self, rate: Rate, seed: u64, cycles: u32) -> Point;
}

/// A packet that is born.
#[derive(Clone, Copy)]
pub(super) struct Newborn {
    /// The port of a host that it is born behind; of unlimited hosts, the endpoint.
    pub(super) generator: u32,
    /// Its destination, an endpoint.
    pub(super) to: u32,
    /// How many its generator gave birth to before.
    pub(super) number: u32,
}

/// Runs one rate.
///
/// # Errors
/// Packets wait for each other for ever.
pub(super) fn run(mut routers: impl Routers, of: &Prepared<'_>, rate: Rate, seed: u64) -> Result<Point, SimError> {
    let (setting, patience) = (&of.setting, of.load.patience());
    let ports = setting.ports().unwrap_or(1);
    let (mut births, destinations) = (Births::of(of, rate, seed), Keyed::new(seed, DESTINATIONS));
    let (mut born, mut numbers) = (Vec::new(), vec![0; (of.endpoints.count() * ports) as usize]);
    let mut now = 0;
    while now < setting.end() || (now < setting.end() + setting.measure && routers.tally().awaited() > 0) {
        routers.happens(now);
        births.now(now, &mut born);
        for &generator in &born {
            let number = numbers[generator as usize];
            numbers[generator as usize] += 1;
            let to = of.pattern.draw(generator / ports, destinations.at(generator, number));
            if routers.tally().inside() == 0 {
                *routers.last_move() = now;
            }
            routers.tally().born(now);
            routers.birth(Newborn { generator, to, number }, now);
        }
        routers.decides(now);
        routers.tally().end_of_cycle(now);
        if routers.tally().inside() == 0 {
            *routers.last_move() = now;
        } else if now - *routers.last_move() > patience {
            return Err(routers.stuck(rate));
        }
        now += 1;
    }
    Ok(routers.point(rate, seed, now))
}
