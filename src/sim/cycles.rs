//! The cycles of a run, for any model of routers. In each, events happen, packets are born, and routers
//! decide, until everything that counts has arrived.

use super::births::PacketBirths;
use super::completion::Completion;
use super::errors::SimError;
use super::layout::NONE;
use super::overload::Overload;
use super::point::Point;
use super::prepare::Prepared;
use super::setting::RunCycles;
use super::supply::{Newborn, Supply};
use super::tally::{Census, RunTally};
use super::traffic::{EndpointMessage, Pattern};
use super::trial::{Trial, TrialEnd, TrialRun, tolerated_growth};
use fabc_base::limits::SIMULATED_CYCLES;
use fabc_base::random::KeyedStream;
use fabc_model::Rate;

/// The stream of random numbers that destinations are drawn from.
const DESTINATIONS: u64 = 1;

/// The routers and everything between them, in one of the two models.
pub(super) trait Routers<'a> {
    /// Lets everything happen that is due in this cycle.
    fn happens(&mut self, now: u32);
    /// Puts a newborn packet at its host.
    fn birth(&mut self, packet: Newborn, now: u32);
    /// Makes the decisions of hosts and routers in this cycle.
    fn decides(&mut self, now: u32);
    /// The counters of the run.
    fn tally(&mut self) -> &mut RunTally;
    /// The last cycle in which something moved, or in which nothing was there to move.
    fn last_move(&mut self) -> &mut u32;
    /// The messages, if the traffic ends.
    fn supply(&mut self) -> &mut Option<Supply<'a>>;
    /// The lane in which a message waits.
    fn lane(&self, message: &EndpointMessage) -> u32;
    /// Whether the next packet of a lane may be born, because no packet waits there.
    fn is_idle(&self, lane: u32) -> bool;
    /// The error of a deadlock. `at` is the rate or the traffic of the run.
    fn stuck(&self, at: &str) -> SimError;
    /// The counters after so many cycles, and a census of what is still in flight.
    fn counted(self, cycles: u32) -> (RunTally, Census);

    /// Makes the next packet of a lane of messages, if there is one.
    fn refill(&mut self, lane: u32, now: u32) -> bool {
        let Some(packet) = self.supply().as_mut().and_then(|supply| supply.next(lane, now)) else {
            return false;
        };
        self.tally().born(now, packet.to);
        self.birth(packet, now);
        true
    }
}

/// Packets that are born at a rate, cycle by cycle.
pub(super) struct OfferedRate<'a> {
    prepared: &'a Prepared<'a>,
    pattern: &'a Pattern,
    rate: Rate,
    births: PacketBirths,
    destinations: KeyedStream,
    born: Vec<u32>,
    /// `[generator]`: packets born so far.
    numbers: Vec<u32>,
}

impl<'a> OfferedRate<'a> {
    pub(super) fn new(prepared: &'a Prepared<'a>, pattern: &'a Pattern, rate: Rate, seed: u64) -> Self {
        let ports = prepared.setting.ports().unwrap_or(1);
        let (births, destinations) =
            (PacketBirths::at_rate(prepared, pattern, rate, seed), KeyedStream::new(seed, DESTINATIONS));
        let numbers = vec![0; (prepared.endpoints.count() * ports) as usize];
        Self { prepared, pattern, rate, births, destinations, born: Vec::new(), numbers }
    }

    /// The number of the next packet of a generator, and its destination.
    fn next_packet(&mut self, generator: u32) -> (u32, u32) {
        let number = self.numbers[generator as usize];
        self.numbers[generator as usize] += 1;
        let source = self.prepared.setting.endpoint_of(generator);
        (number, self.pattern.draw(source, self.destinations.number(generator, number)))
    }

    /// Runs one cycle of the run.
    fn run_cycle(&mut self, routers: &mut impl Routers<'a>, now: u32) -> Result<(), SimError> {
        routers.happens(now);
        self.births.now(now, &mut self.born);
        for k in 0..self.born.len() {
            let generator = self.born[k];
            let (number, to) = self.next_packet(generator);
            if routers.tally().inside() == 0 {
                *routers.last_move() = now;
            }
            routers.tally().born(now, to);
            routers.birth(Newborn { generator, to, number, birth: now, message: NONE }, now);
        }
        finish_cycle(routers, self.prepared, now, || format!("at rate {}", self.rate))
    }
}

/// The packets born in a run.
#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(super) struct BornPackets {
    /// Those born in the measured cycles.
    pub(super) measured: u64,
    /// Of these, the ones for other endpoints than the hot ones of the traffic. 0 if it has none.
    pub(super) elsewhere: u64,
    /// Those born from the first cycle to the last.
    pub(super) ever: u64,
}

/// Counts the packets born in a run of so many cycles. They depend on no router. `run` says which cycles are
/// measured.
pub(super) fn born_packets(mut offered: OfferedRate<'_>, run: RunCycles, cycles: u32) -> BornPackets {
    let mut count = BornPackets::default();
    let hot = offered.prepared.hot.as_ref();
    for now in 0..cycles {
        offered.births.now(now, &mut offered.born);
        let is_measured = (run.warmup..run.end()).contains(&now);
        count.ever += offered.born.len() as u64;
        count.measured += if is_measured { offered.born.len() as u64 } else { 0 };
        let Some(hot) = hot else { continue };
        for k in 0..offered.born.len() {
            let (_, to) = offered.next_packet(offered.born[k]);
            count.elsewhere += u64::from(is_measured && hot.is_elsewhere(to));
        }
    }
    count
}

/// Runs one rate, until what was born in the measured cycles has arrived, and at most for as long again.
///
/// # Errors
/// Packets wait for each other for ever.
pub(super) fn run<'a>(
    mut routers: impl Routers<'a>,
    prepared: &'a Prepared<'a>,
    pattern: &'a Pattern,
    rate: Rate,
    seed: u64,
) -> Result<Point, SimError> {
    let mut offered = OfferedRate::new(prepared, pattern, rate, seed);
    let mut now = 0;
    while routers.tally().goes_on(now) {
        offered.run_cycle(&mut routers, now)?;
        now += 1;
    }
    let (tally, census) = routers.counted(now);
    Ok(tally.point(rate, seed, now, census, prepared.layout.lit, |endpoint| pattern.sends(endpoint)))
}

/// How often a trial looks whether its outcome is certain, in parts of the measured cycles.
const LOOKS: u32 = 8;

/// A trial ends early where packets in flight have grown by more than this multiple of what is tolerated over
/// all measured cycles.
const HOPELESS: f64 = 2.0;

/// Runs one rate for the cycles of a trial, and decides whether it is stable.
///
/// # Errors
/// Packets wait for each other for ever.
pub(super) fn try_rate<'a>(
    mut routers: impl Routers<'a>,
    prepared: &'a Prepared<'a>,
    mut offered: OfferedRate<'a>,
    TrialRun { cycles: trial, end, .. }: TrialRun,
) -> Result<Trial, SimError> {
    let tolerated = tolerated_growth(&prepared.setting, trial);
    routers.tally().measure(trial);
    // A packet that stands still at the end moves again soon, or never.
    let goes_on = |routers: &mut dyn Routers<'a>, now: u32| {
        routers.tally().inside() > 0 && now - *routers.last_move() > 1
    };
    let mut now = 0;
    while now < trial.end() || goes_on(&mut routers, now) {
        offered.run_cycle(&mut routers, now)?;
        now += 1;
        let measured = now.saturating_sub(trial.warmup);
        let looks = end == TrialEnd::WhenCertain && measured < trial.measure;
        if looks && measured > 0 && measured.is_multiple_of((trial.measure / LOOKS).max(1)) {
            let (born, delivered) = routers.tally().born_and_delivered();
            let expected = born as f64 * f64::from(trial.measure) / f64::from(measured);
            if born as f64 - delivered as f64 > HOPELESS * tolerated * expected {
                return Ok(Trial { delivered, is_stable: false });
            }
        }
    }
    let (born, delivered) = routers.tally().born_and_delivered();
    let is_stable = born as f64 - delivered as f64 <= tolerated * born as f64;
    Ok(Trial { delivered, is_stable })
}

/// Runs one rate in overload, for the cycles of such runs.
///
/// # Errors
/// Packets wait for each other for ever.
pub(super) fn overload<'a>(
    mut routers: impl Routers<'a>,
    prepared: &'a Prepared<'a>,
    mut offered: OfferedRate<'a>,
    multiple: Rate,
) -> Result<Overload, SimError> {
    let run = prepared.setting.overload_cycles;
    routers.tally().measure(run);
    (0..run.end()).try_for_each(|now| offered.run_cycle(&mut routers, now))?;
    let (tally, _) = routers.counted(run.end());
    Ok(tally.overload(multiple, offered.rate, |endpoint| prepared.parts_of(endpoint)))
}

/// Runs one rate for so many cycles. Returns the digests of every thousand.
///
/// # Errors
/// The errors of [`run`].
pub(super) fn begin<'a>(
    mut routers: impl Routers<'a>,
    prepared: &'a Prepared<'a>,
    pattern: &'a Pattern,
    rate: Rate,
    seed: u64,
    cycles: u32,
) -> Result<Vec<u64>, SimError> {
    let mut offered = OfferedRate::new(prepared, pattern, rate, seed);
    (0..cycles).try_for_each(|now| offered.run_cycle(&mut routers, now))?;
    Ok(routers.tally().digests().to_vec())
}

/// Runs until every message has arrived.
///
/// # Errors
/// Packets wait for each other for ever, or the run exceeds the limit of cycles.
pub(super) fn complete<'a>(
    mut routers: impl Routers<'a>,
    prepared: &'a Prepared<'a>,
    seed: u64,
) -> Result<Completion, SimError> {
    let now = run_messages(&mut routers, prepared, u32::MAX)?;
    let (tally, _) = routers.counted(now);
    // The last delivery was in the cycle before.
    Ok(tally.completion(seed, now, prepared.layout.lit))
}

/// Runs messages for so many cycles. Returns the digests of every thousand.
///
/// # Errors
/// The errors of [`complete`].
pub(super) fn begin_messages<'a>(
    mut routers: impl Routers<'a>,
    prepared: &'a Prepared<'a>,
    cycles: u32,
) -> Result<Vec<u64>, SimError> {
    run_messages(&mut routers, prepared, cycles)?;
    Ok(routers.tally().digests().to_vec())
}

/// Runs until every message has arrived, but at most `max_cycles`. Returns how many cycles it took.
fn run_messages<'a>(
    routers: &mut impl Routers<'a>,
    prepared: &'a Prepared<'a>,
    max_cycles: u32,
) -> Result<u32, SimError> {
    let is_over = |routers: &mut dyn Routers<'a>| {
        let delivered = routers.tally().delivered_ever();
        routers.supply().as_ref().is_none_or(|supply| supply.is_over(delivered))
    };
    let mut now = 0;
    while now < max_cycles && !is_over(routers) {
        routers.happens(now);
        release(routers, now);
        finish_cycle(routers, prepared, now, || format!("in {} traffic", prepared.setting.traffic.name()))?;
        now += 1;
        if u64::from(now) > SIMULATED_CYCLES {
            return Err(SimError::Endless { cycles: now.into(), most: SIMULATED_CYCLES });
        }
    }
    Ok(now)
}

/// Messages come to their lanes. Where no packet waits in a lane, its first packet is born.
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

/// Finishes a cycle after the births. `run_text` names the run in an error.
fn finish_cycle<'a>(
    routers: &mut impl Routers<'a>,
    prepared: &Prepared<'_>,
    now: u32,
    run_text: impl Fn() -> String,
) -> Result<(), SimError> {
    routers.decides(now);
    routers.tally().end_of_cycle(now);
    if routers.tally().inside() == 0 {
        *routers.last_move() = now;
    } else if now - *routers.last_move() > prepared.patience() {
        return Err(routers.stuck(&run_text()));
    }
    Ok(())
}
