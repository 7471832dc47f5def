//! The cycles of a run, whatever the model of routers: things happen, packets are born, routers decide, until
//! all that counts has arrived.

use super::births::Births;
use super::completion::Completion;
use super::errors::SimError;
use super::point::Point;
use super::prepare::Prepared;
use super::supply::{Newborn, Supply};
use super::tally::{Census, Tally};
use super::traffic::{Message, Pattern};
use fabc_base::limits::SIMULATED_CYCLES;
use fabc_base::random::Keyed;
use fabc_model::Rate;

/// The stream of random numbers that destinations are drawn from.
const DESTINATIONS: u64 = 1;

/// Routers and what is between them: one model of both.
pub(super) trait Routers<'a> {
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
    /// The messages of traffic that ends.
    fn supply(&mut self) -> &mut Option<Supply<'a>>;
    /// Where a message waits.
    fn lane(&self, message: &Message) -> u32;
    /// Whether the next packet of a lane may be born: none waits there.
    fn is_idle(&self, lane: u32) -> bool;
    /// Packets wait for each other for ever: which, at what.
    fn stuck(&self, at: &str) -> SimError;
    /// What was counted in so many cycles, and who is still inside.
    fn counted(self, cycles: u32) -> (Tally, Census);

    /// The next packet of a lane of messages is born, if there is one.
    fn refill(&mut self, lane: u32, now: u32) -> bool {
        let Some(packet) = self.supply().as_mut().and_then(|supply| supply.next(lane, now)) else {
            return false;
        };
        self.tally().born(now);
        self.birth(packet, now);
        true
    }
}

/// Packets that are born at a rate, cycle by cycle.
struct Offered<'a> {
    of: &'a Prepared<'a>,
    pattern: &'a Pattern,
    rate: Rate,
    births: Births,
    destinations: Keyed,
    born: Vec<u32>,
    /// `[generator]`: packets born so far.
    numbers: Vec<u32>,
}

impl<'a> Offered<'a> {
    fn new(of: &'a Prepared<'a>, pattern: &'a Pattern, rate: Rate, seed: u64) -> Self {
        let ports = of.setting.ports().unwrap_or(1);
        let (births, destinations) = (Births::of(of, pattern, rate, seed), Keyed::new(seed, DESTINATIONS));
        let numbers = vec![0; (of.endpoints.count() * ports) as usize];
        Self { of, pattern, rate, births, destinations, born: Vec::new(), numbers }
    }

    /// A cycle of a run.
    fn cycle(&mut self, routers: &mut impl Routers<'a>, now: u32) -> Result<(), SimError> {
        let ports = self.of.setting.ports().unwrap_or(1);
        routers.happens(now);
        self.births.now(now, &mut self.born);
        for &generator in &self.born {
            let number = self.numbers[generator as usize];
            self.numbers[generator as usize] += 1;
            let to = self.pattern.draw(generator / ports, self.destinations.at(generator, number));
            if routers.tally().inside() == 0 {
                *routers.last_move() = now;
            }
            routers.tally().born(now);
            routers.birth(Newborn { generator, to, number, birth: now }, now);
        }
        rest(routers, self.of, now, || format!("at rate {}", self.rate))
    }
}

/// Packets born in the measured cycles, and in a whole run of so many cycles: they depend on no router.
pub(super) fn births(
    of: &Prepared<'_>,
    pattern: &Pattern,
    (rate, seed): (Rate, u64),
    cycles: u32,
) -> (u64, u64) {
    let (mut births, mut born) = (Births::of(of, pattern, rate, seed), Vec::new());
    let (mut measured, mut ever) = (0, 0);
    for now in 0..cycles {
        births.now(now, &mut born);
        ever += born.len() as u64;
        if (of.setting.warmup..of.setting.end()).contains(&now) {
            measured += born.len() as u64;
        }
    }
    (measured, ever)
}

/// Runs one rate; with `late` until what was born in the measured cycles has arrived, otherwise to its end.
///
/// # Errors
/// Packets wait for each other for ever.
pub(super) fn run<'a>(
    mut routers: impl Routers<'a>,
    of: &'a Prepared<'a>,
    pattern: &'a Pattern,
    (rate, seed): (Rate, u64),
    late: bool,
) -> Result<Point, SimError> {
    let setting = &of.setting;
    let mut offered = Offered::new(of, pattern, rate, seed);
    let mut now = 0;
    // Who stands still at the end moves again soon, or never.
    let goes_on = |routers: &mut dyn Routers<'a>, now: u32| match late {
        true => now < setting.end() + setting.measure && routers.tally().awaited() > 0,
        false => routers.tally().inside() > 0 && now - *routers.last_move() > 1,
    };
    while now < setting.end() || goes_on(&mut routers, now) {
        offered.cycle(&mut routers, now)?;
        now += 1;
    }
    let (tally, census) = routers.counted(now);
    Ok(tally.point(rate, seed, now, census, of.layout.lit, |endpoint| pattern.sends(endpoint)))
}

/// Runs one rate for so many cycles; returns the digests of every thousand.
///
/// # Errors
/// As [`run`].
pub(super) fn begin<'a>(
    mut routers: impl Routers<'a>,
    of: &'a Prepared<'a>,
    pattern: &'a Pattern,
    (rate, seed): (Rate, u64),
    cycles: u32,
) -> Result<Vec<u64>, SimError> {
    let mut offered = Offered::new(of, pattern, rate, seed);
    (0..cycles).try_for_each(|now| offered.cycle(&mut routers, now))?;
    Ok(routers.tally().digests().to_vec())
}

/// Runs until every message has arrived.
///
/// # Errors
/// Packets wait for each other for ever, or there are more cycles than are counted.
pub(super) fn complete<'a>(
    mut routers: impl Routers<'a>,
    of: &'a Prepared<'a>,
    seed: u64,
) -> Result<Completion, SimError> {
    let now = messages(&mut routers, of, u32::MAX)?;
    let (tally, _) = routers.counted(now);
    // The last delivery was in the cycle before.
    Ok(tally.completion(seed, now, of.layout.lit))
}

/// The same for so many cycles; returns the digests of every thousand.
///
/// # Errors
/// As [`complete`].
pub(super) fn begin_messages<'a>(
    mut routers: impl Routers<'a>,
    of: &'a Prepared<'a>,
    cycles: u32,
) -> Result<Vec<u64>, SimError> {
    messages(&mut routers, of, cycles)?;
    Ok(routers.tally().digests().to_vec())
}

/// Runs until every message has arrived, but no longer than so many cycles; returns how many it took.
fn messages<'a>(routers: &mut impl Routers<'a>, of: &'a Prepared<'a>, most: u32) -> Result<u32, SimError> {
    let is_over = |routers: &mut dyn Routers<'a>| {
        let delivered = routers.tally().delivered_ever();
        routers.supply().as_ref().is_none_or(|supply| supply.is_over(delivered))
    };
    let mut now = 0;
    while now < most && !is_over(routers) {
        routers.happens(now);
        release(routers, now);
        rest(routers, of, now, || format!("in {} traffic", of.setting.traffic.name()))?;
        now += 1;
        if u64::from(now) > SIMULATED_CYCLES {
            return Err(SimError::Endless { cycles: now.into(), most: SIMULATED_CYCLES });
        }
    }
    Ok(now)
}

/// Messages come to their lanes, and the first packets of those are born that find nobody waiting.
fn release<'a>(routers: &mut impl Routers<'a>, now: u32) {
    let (delivered, mut lanes) = (routers.tally().delivered_ever(), Vec::new());
    while let Some((number, message)) =
        routers.supply().as_mut().and_then(|supply| supply.due(now, delivered))
    {
        let lane = routers.lane(&message);
        if let Some(supply) = routers.supply() {
            supply.join(lane, number);
        }
        lanes.push(lane);
    }
    for lane in lanes {
        while routers.is_idle(lane) && routers.refill(lane, now) {}
    }
}

/// What follows births in a cycle; `at` says what is run.
fn rest<'a>(
    routers: &mut impl Routers<'a>,
    of: &Prepared<'_>,
    now: u32,
    at: impl Fn() -> String,
) -> Result<(), SimError> {
    routers.decides(now);
    routers.tally().end_of_cycle(now);
    if routers.tally().inside() == 0 {
        *routers.last_move() = now;
    } else if now - *routers.last_move() > of.load.patience() {
        return Err(routers.stuck(&at()));
    }
    Ok(())
}
