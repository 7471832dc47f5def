//! The births of packets. Every generator throws a coin per cycle, and the throws without a birth are
//! skipped.

use super::prepare::Prepared;
use super::traffic::Pattern;
use fabc_base::random::KeyedStream;
use fabc_model::Rate;

/// The cycles that the ring of coming births looks ahead. A birth further away is passed over once per turn.
const RING: u32 = 1024;

/// The stream of random numbers that gaps are drawn from.
const GAPS: u64 = 0;

/// The coming births of all generators.
pub(super) struct PacketBirths {
    gaps: KeyedStream,
    /// `[generator]`: 1 / ln(1 - p).
    scale: Vec<f64>,
    /// `[generator]`: the cycle of its next birth.
    next: Vec<u32>,
    /// `[generator]`: gaps drawn so far.
    drawn: Vec<u32>,
    /// `[cycle mod RING]`: the generators whose next birth is in such a cycle.
    ring: Vec<Vec<u32>>,
    bursts: Option<OnOff>,
}

/// Generators that are on and off by turns, each time for a geometric number of cycles.
struct OnOff {
    /// 1 / ln(1 - probability) of leaving a burst, and of beginning one.
    scales: [f64; 2],
    /// `[generator]`: the first cycle after its burst.
    until: Vec<u32>,
}

/// The probabilities per cycle that a burst begins and ends.
#[derive(Clone, Copy, PartialEq, Debug)]
struct BurstOdds {
    /// The probability of leaving a burst.
    off: f64,
    /// The probability of beginning a burst, at most 1.
    on: f64,
}

/// The longest gap. Runs have fewer cycles.
const LONGEST: u32 = u32::MAX / 4;

impl PacketBirths {
    /// Generators for the ports of all endpoints, at a rate. The offer of an endpoint is spread over its
    /// ports.
    pub(super) fn at_rate(prepared: &Prepared<'_>, pattern: &Pattern, rate: Rate, seed: u64) -> Self {
        let setting = &prepared.setting;
        let (ports, bursts) = (setting.ports().unwrap_or(1), setting.details.bursts);
        let turns = bursts.map(|bursts| {
            let (off, rate) = (1.0 / f64::from(bursts.length), rate.as_f64());
            BurstOdds { off, on: (off * rate / (bursts.rate.as_f64() - rate)).min(1.0) }
        });
        // The probability of a packet per cycle and port. With bursts, the one during a burst.
        let p = bursts.map_or(rate, |bursts| bursts.rate).as_f64()
            / (f64::from(setting.packet) * f64::from(ports));
        let chance = |generator: u32| {
            let [share, largest] =
                pattern.sends(generator / ports).then(|| pattern.share(generator / ports))?;
            Some(if share == largest { p } else { p * (share as f64 / largest as f64) })
        };
        Self::new(seed, prepared.endpoints.count() * ports, turns, chance)
    }

    /// Generators `0..count`. `chance` returns the probability of a birth per cycle, more than 0 and at most
    /// 1, or `None` for a generator without births. With `turns`, births happen only during bursts.
    fn new(seed: u64, count: u32, turns: Option<BurstOdds>, chance: impl Fn(u32) -> Option<f64>) -> Self {
        let empty = || vec![0; count as usize];
        let mut births = Self {
            gaps: KeyedStream::new(seed, GAPS),
            scale: vec![0.0; count as usize],
            next: empty(),
            drawn: empty(),
            ring: vec![Vec::new(); RING as usize],
            bursts: turns.map(|BurstOdds { off, on }| OnOff { scales: [off, on].map(scale), until: empty() }),
        };
        for (generator, p) in (0..count).filter_map(|generator| Some((generator, chance(generator)?))) {
            births.scale[generator as usize] = scale(p);
            let first = turns.map_or(0, |turns| births.first_burst(generator, turns));
            let cycle = births.birth(generator, first);
            births.put(generator, cycle);
        }
        births
    }

    /// The next random number of a generator in [0, 1), with 53 bits.
    fn random(&mut self, generator: u32) -> f64 {
        let count = &mut self.drawn[generator as usize];
        let random = self.gaps.number(generator, *count);
        *count += 1;
        (random >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A geometric number of cycles: the throws until a coin succeeds.
    fn throws(&mut self, generator: u32, scale: f64) -> u32 {
        let u = self.random(generator);
        1 + libm::floor(libm::log1p(-u) * scale).min(f64::from(LONGEST)) as u32
    }

    /// Starts a generator within a burst or between two, as it would be found at any time. Returns the cycle
    /// from which it is on.
    fn first_burst(&mut self, generator: u32, turns: BurstOdds) -> u32 {
        let on = self.random(generator) < turns.on / (turns.on + turns.off);
        let from = if on { 0 } else { self.next_burst(generator, 0) };
        if on {
            let [leave, _] = self.bursts.as_ref().map_or([0.0; 2], |bursts| bursts.scales);
            let until = self.throws(generator, leave);
            self.set_until(generator, until);
        }
        from
    }

    /// The begin of the next burst of a generator that is off from the cycle `off` on.
    fn next_burst(&mut self, generator: u32, off: u32) -> u32 {
        let [leave, begin] = self.bursts.as_ref().map_or([0.0; 2], |bursts| bursts.scales);
        let from = off.saturating_add(self.throws(generator, begin));
        let until = from.saturating_add(self.throws(generator, leave));
        self.set_until(generator, until);
        from
    }

    fn set_until(&mut self, generator: u32, until: u32) {
        if let Some(bursts) = &mut self.bursts {
            bursts.until[generator as usize] = until;
        }
    }

    /// The next birth of a generator in the cycle `from` or later.
    fn birth(&mut self, generator: u32, mut from: u32) -> u32 {
        let scale = self.scale[generator as usize];
        loop {
            let cycle = from.saturating_add(self.throws(generator, scale) - 1);
            let until = self.bursts.as_ref().map_or(u32::MAX, |bursts| bursts.until[generator as usize]);
            // A birth beyond the end of any run is never reached.
            if cycle < until || from >= LONGEST {
                return cycle;
            }
            from = self.next_burst(generator, until);
        }
    }

    fn put(&mut self, generator: u32, cycle: u32) {
        self.next[generator as usize] = cycle;
        self.ring[(cycle % RING) as usize].push(generator);
    }

    /// Collects the generators that give birth now, ascending, into `born`. It must be called once per cycle,
    /// in order.
    pub(super) fn now(&mut self, now: u32, born: &mut Vec<u32>) {
        let next = &self.next;
        born.clear();
        self.ring[(now % RING) as usize].retain(|&generator| {
            let due = next[generator as usize] == now;
            if due {
                born.push(generator);
            }
            !due
        });
        born.sort_unstable();
        for &generator in born.iter() {
            let cycle = self.birth(generator, now.saturating_add(1));
            self.put(generator, cycle);
        }
    }
}

fn scale(p: f64) -> f64 {
    1.0 / libm::log1p(-p)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Births of one generator within some cycles.
    fn births(p: f64, turns: Option<BurstOdds>, cycles: u32) -> Vec<u32> {
        let (mut births, mut born) =
            (PacketBirths::new(1, 2, turns, |generator| (generator == 1).then_some(p)), Vec::new());
        let mut all = Vec::new();
        for now in 0..cycles {
            births.now(now, &mut born);
            assert!(born.iter().all(|&generator| generator == 1));
            all.extend(born.iter().map(|_| now));
        }
        all
    }

    #[test]
    fn births_come_as_often_as_they_should() {
        assert_eq!(births(1.0, None, 100).len(), 100);
        for (p, cycles) in [(0.5, 100_000), (0.05, 1_000_000), (0.0005, 4_000_000u32)] {
            let all = births(p, None, cycles);
            let expected = p * f64::from(cycles);
            let sigma = libm::sqrt(expected * (1.0 - p));
            assert!(
                (all.len() as f64 - expected).abs() < 4.0 * sigma,
                "{} births, {expected} expected",
                all.len()
            );
            // Gaps of one cycle come with probability p.
            let close = all.windows(2).filter(|pair| pair[1] == pair[0] + 1).count() as f64;
            assert!(
                (close - expected * p).abs() < 4.0 * libm::sqrt(expected * p) + 1.0,
                "{close} gaps of one cycle"
            );
        }
    }
    /// Bursts of 50 cycles in which every fourth cycle has a birth, a third of the time.
    #[test]
    fn bursts_offer_what_they_should_on_average() {
        let cycles = 4_000_000;
        let all = births(0.25, Some(BurstOdds { off: 0.02, on: 0.01 }), cycles);
        let expected = 0.25 / 3.0 * f64::from(cycles);
        assert!(
            (all.len() as f64 - expected).abs() < 0.02 * expected,
            "{} births, {expected} expected",
            all.len()
        );
        // A gap of one cycle: the burst goes on (0.98), and the coin falls right; had it ended, it would
        // begin again no sooner than the cycle after.
        let close = all.windows(2).filter(|pair| pair[1] == pair[0] + 1).count() as f64;
        let expected = all.len() as f64 * 0.98 * 0.25;
        assert!(
            (close - expected).abs() < 5.0 * libm::sqrt(expected),
            "{close} gaps of one cycle, {expected} expected"
        );
        // Always on, and on every other cycle.
        assert_eq!(births(1.0, Some(BurstOdds { off: 1.0, on: 1.0 }), 100).len(), 50);
    }
}
