//! When packets are born: every generator throws a coin per cycle, and the throws in between are skipped.

use super::prepare::Prepared;
use super::traffic::Pattern;
use fabc_base::random::Keyed;
use fabc_model::Rate;

/// Cycles that the ring of coming births looks ahead; births further away are passed over once per turn.
const RING: u32 = 1024;

/// The stream of random numbers that gaps are drawn from.
const GAPS: u64 = 0;

/// Coming births.
pub(super) struct Births {
    gaps: Keyed,
    /// `[generator]`: 1 / ln(1 - p).
    scale: Vec<f64>,
    /// `[generator]`: the cycle of its next birth.
    next: Vec<u32>,
    /// `[generator]`: gaps drawn so far.
    drawn: Vec<u32>,
    /// `[cycle mod RING]`: generators whose next birth is in such a cycle.
    ring: Vec<Vec<u32>>,
    bursts: Option<OnOff>,
}

/// Generators that are on and off by turns, each time for a geometric number of cycles.
struct OnOff {
    /// 1 / ln(1 - probability) to leave a burst, and to begin one.
    scales: [f64; 2],
    /// `[generator]`: the first cycle behind its burst.
    until: Vec<u32>,
}

/// How bursts begin and end, as probabilities per cycle.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Turns {
    /// To leave a burst.
    off: f64,
    /// To begin one, at most 1.
    on: f64,
}

/// No gap is longer: runs have fewer cycles.
const LONGEST: u32 = u32::MAX / 4;

impl Births {
    /// The ports of all endpoints of a fabric, at a rate: what an endpoint offers is spread over its ports.
    pub(super) fn of(prepared: &Prepared<'_>, pattern: &Pattern, rate: Rate, seed: u64) -> Self {
        let setting = &prepared.setting;
        let (ports, bursts) = (setting.ports().unwrap_or(1), setting.details.bursts);
        let turns = bursts.map(|bursts| {
            let (off, rate) = (1.0 / f64::from(bursts.length), rate.as_f64());
            Turns { off, on: (off * rate / (bursts.rate.as_f64() - rate)).min(1.0) }
        });
        // Packets per cycle and port, in bursts while on.
        let p = bursts.map_or(rate, |bursts| bursts.rate).as_f64()
            / (f64::from(setting.packet) * f64::from(ports));
        let chance = |generator: u32| {
            let [share, most] = pattern.sends(generator / ports).then(|| pattern.share(generator / ports))?;
            Some(if share == most { p } else { p * (share as f64 / most as f64) })
        };
        Self::new(seed, prepared.endpoints.count() * ports, turns, chance)
    }

    /// Generators `0..count`. Each gives birth with a probability per cycle, more than 0 and at most 1, that
    /// `chance` says, or to nothing; with `turns` only while it is on.
    fn new(seed: u64, count: u32, turns: Option<Turns>, chance: impl Fn(u32) -> Option<f64>) -> Self {
        let empty = || vec![0; count as usize];
        let mut births = Self {
            gaps: Keyed::new(seed, GAPS),
            scale: vec![0.0; count as usize],
            next: empty(),
            drawn: empty(),
            ring: vec![Vec::new(); RING as usize],
            bursts: turns.map(|Turns { off, on }| OnOff { scales: [off, on].map(scale), until: empty() }),
        };
        for (generator, p) in (0..count).filter_map(|generator| Some((generator, chance(generator)?))) {
            births.scale[generator as usize] = scale(p);
            let first = turns.map_or(0, |turns| births.first_burst(generator, turns));
            let at = births.birth(generator, first);
            births.put(generator, at);
        }
        births
    }

    /// Another random number of a generator, from 0 up to, but without, 1: 53 bits of it.
    fn random(&mut self, generator: u32) -> f64 {
        let count = &mut self.drawn[generator as usize];
        let random = self.gaps.at(generator, *count);
        *count += 1;
        (random >> 11) as f64 * (1.0 / (1u64 << 53) as f64)
    }

    /// A geometric number of cycles: how many throws until a coin falls right.
    fn throws(&mut self, generator: u32, scale: f64) -> u32 {
        let u = self.random(generator);
        1 + libm::floor(libm::log1p(-u) * scale).min(f64::from(LONGEST)) as u32
    }

    /// Puts a generator into a burst or between two, as it would be found at any time, and says from which
    /// cycle on it is on.
    fn first_burst(&mut self, generator: u32, turns: Turns) -> u32 {
        let on = self.random(generator) < turns.on / (turns.on + turns.off);
        let from = if on { 0 } else { self.next_burst(generator, 0) };
        if on {
            let [leave, _] = self.bursts.as_ref().map_or([0.0; 2], |bursts| bursts.scales);
            let until = self.throws(generator, leave);
            self.set_until(generator, until);
        }
        from
    }

    /// The next burst of a generator that is off from a cycle on: where it begins.
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

    /// The next birth of a generator, in a cycle or later.
    fn birth(&mut self, generator: u32, mut from: u32) -> u32 {
        let scale = self.scale[generator as usize];
        loop {
            let at = from.saturating_add(self.throws(generator, scale) - 1);
            let until = self.bursts.as_ref().map_or(u32::MAX, |bursts| bursts.until[generator as usize]);
            // What lies further ahead than any run is never reached.
            if at < until || from >= LONGEST {
                return at;
            }
            from = self.next_burst(generator, until);
        }
    }

    fn put(&mut self, generator: u32, at: u32) {
        self.next[generator as usize] = at;
        self.ring[(at % RING) as usize].push(generator);
    }

    /// The generators that give birth now, ascending, into `born`; cycles must be asked in order, each once.
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
            let at = self.birth(generator, now.saturating_add(1));
            self.put(generator, at);
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
    fn births(p: f64, turns: Option<Turns>, cycles: u32) -> Vec<u32> {
        let (mut births, mut born) =
            (Births::new(1, 2, turns, |generator| (generator == 1).then_some(p)), Vec::new());
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
        let all = births(0.25, Some(Turns { off: 0.02, on: 0.01 }), cycles);
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
        assert_eq!(births(1.0, Some(Turns { off: 1.0, on: 1.0 }), 100).len(), 50);
    }
}
