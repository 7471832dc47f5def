//! When packets are born: every generator throws a coin per cycle, and the throws in between are skipped.

use crate::random::Keyed;

/// Cycles that the ring of coming births looks ahead; births further away are passed over once per turn.
const RING: u32 = 1024;

/// The stream of random numbers that gaps are drawn from.
const GAPS: u64 = 0;

/// The stream of random numbers that destinations are drawn from.
pub(super) const DESTINATIONS: u64 = 1;

/// Coming births.
pub(super) struct Births {
    gaps: Keyed,
    /// 1 / ln(1 - p).
    scale: f64,
    /// `[generator]`: the cycle of its next birth.
    next: Vec<u32>,
    /// `[generator]`: gaps drawn so far.
    drawn: Vec<u32>,
    /// `[cycle mod RING]`: generators whose next birth is in such a cycle.
    ring: Vec<Vec<u32>>,
}

impl Births {
    /// Generators `0..count` of which those in `sends` give birth with probability `p` per cycle, 0 < p <= 1.
    pub(super) fn new(seed: u64, count: u32, p: f64, sends: impl Fn(u32) -> bool) -> Self {
        let (next, drawn) = (vec![0; count as usize], vec![0; count as usize]);
        let mut births =
            Self { gaps: Keyed::new(seed, GAPS), scale: 1.0 / libm::log1p(-p), next, drawn, ring: vec![Vec::new(); RING as usize] };
        for generator in (0..count).filter(|&generator| sends(generator)) {
            let gap = births.gap(generator);
            births.put(generator, gap - 1);
        }
        births
    }

    /// A geometric number of cycles: how many throws until the coin falls right.
    fn gap(&mut self, generator: u32) -> u32 {
        let count = &mut self.drawn[generator as usize];
        let random = self.gaps.at(generator, *count);
        *count += 1;
        // 53 random bits: from 0 up to, but without, 1.
        let u = (random >> 11) as f64 * (1.0 / (1u64 << 53) as f64);
        1 + libm::floor(libm::log1p(-u) * self.scale).min(f64::from(u32::MAX / 4)) as u32
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
            let at = now.saturating_add(self.gap(generator));
            self.put(generator, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Births of one generator within some cycles.
    fn births(p: f64, cycles: u32) -> Vec<u32> {
        let (mut births, mut born) = (Births::new(1, 2, p, |generator| generator == 1), Vec::new());
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
        assert_eq!(births(1.0, 100).len(), 100);
        for (p, cycles) in [(0.5, 100_000), (0.05, 1_000_000), (0.0005, 4_000_000u32)] {
            let all = births(p, cycles);
            let expected = p * f64::from(cycles);
            let sigma = libm::sqrt(expected * (1.0 - p));
            assert!((all.len() as f64 - expected).abs() < 4.0 * sigma, "{} births, {expected} expected", all.len());
            // Gaps of one cycle come with probability p.
            let close = all.windows(2).filter(|pair| pair[1] == pair[0] + 1).count() as f64;
            assert!((close - expected * p).abs() < 4.0 * libm::sqrt(expected * p) + 1.0, "{close} gaps of one cycle");
        }
    }
}
