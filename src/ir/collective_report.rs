//! What collectives take on a fabric: times of schedules beside the bounds that no schedule beats.
//!
//! Times are whole attoseconds: those of schedules are rounded up, those of bounds down, so that nothing
//! depends on floats and no share is above 1.

use super::{CollectiveBound, Fraction};
use fabc_base::ids::{IdVec, LinkId};
use fabc_model::{Collective, CollectiveAlgorithm};

/// Attoseconds of a second.
pub const ATTOSECONDS: u128 = 1_000_000_000_000_000_000;
/// Attoseconds of a picosecond.
pub const ATTOSECONDS_OF_A_PICOSECOND: u128 = 1_000_000;
/// Attoseconds of a nanosecond.
pub const ATTOSECONDS_OF_A_NANOSECOND: u64 = 1_000_000_000;

/// Attoseconds of so many cycles of a clock, rounded up.
pub fn cycle_time(cycles: u64, clock_hz: u64) -> u128 {
    (u128::from(cycles) * ATTOSECONDS).div_ceil(u128::from(clock_hz.max(1)))
}

/// Attoseconds in whole picoseconds, halves to the even one: as times are written.
pub fn picoseconds(attoseconds: u128) -> u128 {
    let (whole, rest) =
        (attoseconds / ATTOSECONDS_OF_A_PICOSECOND, attoseconds % ATTOSECONDS_OF_A_PICOSECOND);
    whole
        + u128::from(
            rest * 2 > ATTOSECONDS_OF_A_PICOSECOND
                || (rest * 2 == ATTOSECONDS_OF_A_PICOSECOND && whole % 2 == 1),
        )
}

/// Attoseconds of a hop by link: the router that is left, and the link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkHops {
    /// `[link]`: its own. Bounds count with these.
    pub own: IdVec<LinkId, u128>,
    /// `[link]`: the slowest of the links that a symmetry of the scene makes images of it. They share one
    /// place in a schedule, so schedules are timed with these.
    pub of_images: IdVec<LinkId, u128>,
    /// The least of a lit link.
    pub least: u128,
}

/// What hops, messages and bytes take; a channel of several lanes carries as many times as much.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveCost {
    /// Attoseconds of a hop over the slowest link that is lit: router and link. A channel is free again while
    /// they pass.
    pub hop: u128,
    /// The same by link; `None` where all lit links are as slow.
    pub link_hops: Option<LinkHops>,
    /// The same in cycles of the router.
    pub hop_cycles: u64,
    /// The kind of link that is slowest of those that are lit.
    pub slowest_link: String,
    /// Attoseconds of a message in which its channel does nothing else.
    pub overhead: u128,
    /// Of a channel, bit/s; where links carry unlike, the common unit of their bandwidths.
    pub bandwidth_bps: u64,
    /// The most lanes of a lit link; 1 where all are alike.
    pub lanes: u64,
    /// Bytes below which chunks are not cut.
    pub flit_bytes: u32,
    /// Whether all chips wait for each other after every round.
    pub barrier: bool,
}

impl CollectiveCost {
    /// Attoseconds of a hop over a link, as schedules are timed.
    pub fn hop_over(&self, link: LinkId) -> u128 {
        self.link_hops.as_ref().map_or(self.hop, |hops| hops.of_images[link])
    }
    /// Attoseconds of the hop over the fastest link that is lit.
    pub fn least_hop(&self) -> u128 {
        self.link_hops.as_ref().map_or(self.hop, |hops| hops.least)
    }
    /// The same where hops take no time.
    pub fn without_hops(&self) -> Self {
        Self { hop: 0, link_hops: None, ..self.clone() }
    }
    /// Attoseconds in which a channel carries one of `parts` equal parts of so many bytes, rounded up.
    pub fn carried(&self, bytes: u64, parts: u64) -> u128 {
        let below = u128::from(self.bandwidth_bps.max(1)).saturating_mul(u128::from(parts.max(1)));
        (u128::from(bytes).saturating_mul(8 * ATTOSECONDS)).div_ceil(below)
    }
    /// Attoseconds in which a channel carries so many times as many bytes, rounded down.
    pub fn carried_at_least(&self, bytes: u64, times: Fraction) -> u128 {
        let one = u128::from(bytes).saturating_mul(8 * ATTOSECONDS) / u128::from(self.bandwidth_bps.max(1));
        one.saturating_mul(times.numerator()) / times.denominator()
    }
}

/// A time by what it is spent on, attoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CollectiveTime {
    /// What it would be without latency and overhead.
    pub volume: u128,
    /// What latency adds to that.
    pub latency: u128,
    /// What overhead adds to both.
    pub overhead: u128,
}

impl CollectiveTime {
    /// All of it.
    pub fn total(self) -> u128 {
        self.volume + self.latency + self.overhead
    }
}

/// A schedule and its time: the best that an algorithm has for a size.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveCandidate {
    /// The algorithm.
    pub algorithm: CollectiveAlgorithm,
    /// Parts of a shard; of trees pieces of a tree's share of the vector.
    pub chunks: u32,
    /// How many parts there would be if they were not less than a flit.
    pub reduced_from: Option<u32>,
    /// Rounds, one after the other: of trees hops of a piece, and one for each that follows it; of messages
    /// slots.
    pub steps: u64,
    /// Chunk times, one after the other, where hops take no time: what a channel needs for one of `chunks`
    /// parts of a shard (`Local`, and with a root: of the vector; trees: of a tree's share).
    pub volume: u64,
    /// How long it takes.
    pub time: CollectiveTime,
}

impl CollectiveCandidate {
    /// Leaves nothing but the sum of its times, in whole picoseconds.
    pub(super) fn only_total(&mut self) {
        let total = picoseconds(self.time.total()) * ATTOSECONDS_OF_A_PICOSECOND;
        let (algorithm, chunks) = (self.algorithm, self.chunks);
        *self = Self::of_total(algorithm, chunks, total);
    }
    /// One of which only the sum of its times is known.
    pub fn of_total(algorithm: CollectiveAlgorithm, chunks: u32, total: u128) -> Self {
        let time = CollectiveTime { volume: total, latency: 0, overhead: 0 };
        Self { algorithm, chunks, reduced_from: None, steps: 0, volume: 0, time }
    }
}

/// A collective of one size in one scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveRow {
    /// The scenario.
    pub scenario: String,
    /// What is done.
    pub collective: Collective,
    /// The name of the root, where there is one.
    pub root: Option<String>,
    /// Bytes per chip, of the full vector.
    pub size: u64,
    /// Chips that take part.
    pub chips: u64,
    /// One per algorithm, the fastest first; at least one.
    pub candidates: Vec<CollectiveCandidate>,
    /// Algorithms that take too much work here to be tried unasked.
    pub left_out: Vec<CollectiveAlgorithm>,
    /// What no schedule goes below, attoseconds.
    pub bound: u128,
    /// The witness of it.
    pub witness: CollectiveBound,
    /// What no schedule along the same forwarding tables goes below, attoseconds, with its witness; none of
    /// what follows no tables.
    pub along: Option<(u128, CollectiveBound)>,
}

impl CollectiveRow {
    /// The fastest.
    pub fn best(&self) -> &CollectiveCandidate {
        &self.candidates[0]
    }
    /// Which part of a time is the bound.
    pub fn share(&self, candidate: &CollectiveCandidate) -> Fraction {
        Fraction::new(self.bound, candidate.time.total().max(1))
    }
    /// Bytes over time, times what makes it comparable with the bandwidth of a port; GB/s.
    pub fn bus_bandwidth(&self, candidate: &CollectiveCandidate) -> Fraction {
        let [over, under] = self.collective.bus_factor(self.chips);
        let gigabytes_per_second = u128::from(self.size) * u128::from(ATTOSECONDS_OF_A_NANOSECOND);
        Fraction::new(gigabytes_per_second, candidate.time.total().max(1)).times(Fraction::new(over, under))
    }
}

/// A size from which on another algorithm is the fastest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveCrossover {
    /// Of which collective.
    pub collective: Collective,
    /// Bytes, to one in four thousand.
    pub size: u64,
    /// The fastest below it.
    pub below: CollectiveAlgorithm,
    /// The fastest from there on.
    pub above: CollectiveAlgorithm,
}

/// A collective that was not planned, unasked.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveLeftOut {
    /// Which.
    pub collective: Collective,
    /// Why, as it stands behind the name of the collective and `: `.
    pub reason: &'static str,
}

/// Collectives of a fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveReport {
    /// Of ties.
    pub seed: u64,
    /// By scenario.
    pub costs: Vec<(String, CollectiveCost)>,
    /// By scenario, collective and size.
    pub rows: Vec<CollectiveRow>,
    /// In the first scenario; by collective, sizes ascend.
    pub crossovers: Vec<CollectiveCrossover>,
    /// Of which nothing is said.
    pub left_out: Vec<CollectiveLeftOut>,
}

impl CollectiveReport {
    /// The fault under which the collective of a row of the healthy fabric takes longest.
    pub fn worst_fault(&self, row: &CollectiveRow) -> Option<&CollectiveRow> {
        let same = |other: &&CollectiveRow| {
            (other.collective, other.size) == (row.collective, row.size) && other.scenario != row.scenario
        };
        let longest_first = |row: &&CollectiveRow| row.best().time.total();
        // Of equally slow ones the first.
        self.rows.iter().filter(same).rev().max_by_key(longest_first)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picoseconds_are_rounded_as_they_are_written() {
        let written = [
            (0, 0),
            (499_999, 0),
            (500_000, 0),
            (500_001, 1),
            (1_500_000, 2),
            (2_500_000, 2),
            (2_500_001, 3),
        ];
        for (attoseconds, rounded) in written {
            assert_eq!(picoseconds(attoseconds), rounded, "{attoseconds}");
        }
    }
}
