//! The times of collectives on a fabric, beside the lower bounds for every schedule.
//!
//! Times are whole attoseconds. Those of schedules are rounded up, those of bounds down. So nothing depends
//! on floats, and no share is above 1.

use super::{CollectiveBound, Fraction};
use fabc_base::ids::{ChannelId, IdVec};
use fabc_model::{Collective, CollectiveAlgorithm};

/// The number of attoseconds in a second.
pub const ATTOSECONDS: u128 = 1_000_000_000_000_000_000;
/// The number of attoseconds in a picosecond.
pub const ATTOSECONDS_OF_A_PICOSECOND: u128 = 1_000_000;
/// The number of attoseconds in a nanosecond.
pub const ATTOSECONDS_OF_A_NANOSECOND: u64 = 1_000_000_000;

/// Attoseconds of a number of cycles of a clock, rounded up.
pub fn cycle_time(cycles: u64, clock_hz: u64) -> u128 {
    (u128::from(cycles) * ATTOSECONDS).div_ceil(u128::from(clock_hz.max(1)))
}

/// The number of vectors of `bytes` bytes that a channel of so many bit/s carries in a time, attoseconds.
pub fn vectors_carried(time: u128, bandwidth_bps: u64, bytes: u64) -> Fraction {
    let carried = time.saturating_mul(bandwidth_bps.into());
    Fraction::new(carried, u128::from(bytes.max(1)) * 8 * ATTOSECONDS)
}

/// Attoseconds as whole picoseconds, as they are written. Halves round to the even one.
pub fn picoseconds(attoseconds: u128) -> u128 {
    let (whole, rest) =
        (attoseconds / ATTOSECONDS_OF_A_PICOSECOND, attoseconds % ATTOSECONDS_OF_A_PICOSECOND);
    whole
        + u128::from(
            rest * 2 > ATTOSECONDS_OF_A_PICOSECOND
                || (rest * 2 == ATTOSECONDS_OF_A_PICOSECOND && whole % 2 == 1),
        )
}

/// Attoseconds of a hop by channel: of the router that is left, and of the link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ChannelHops {
    /// `[channel]`: the time of a hop over it.
    pub by_channel: IdVec<ChannelId, u128>,
    /// `[channel]`: the time of the slowest of its images under a symmetry of the scene. Images share one
    /// place in a schedule that lists canonical routers alone, so such a schedule uses these times.
    pub of_images: IdVec<ChannelId, u128>,
    /// The shortest time of a lit channel.
    pub fastest: u128,
}

/// The times of hops, messages and bytes. A channel carries its number of lanes times as much.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveCost {
    /// Attoseconds of a hop over the slowest lit link: router and link. The channel is free again during this
    /// time.
    pub hop: u128,
    /// The time of a hop by channel. `None` where all lit channels are equally slow.
    pub channel_hops: Option<ChannelHops>,
    /// The time of a hop over the slowest lit link, in router cycles.
    pub hop_cycles: u64,
    /// The name of the declared link that is slowest of the lit ones.
    pub slowest_link: String,
    /// Attoseconds of a message during which its channel does nothing else.
    pub overhead: u128,
    /// Bandwidth of a channel with one lane, bit/s: the common unit of all bandwidths.
    pub bandwidth_bps: u64,
    /// The most lanes of a lit link, 1 where all are alike.
    pub lanes: u64,
    /// Bytes of a flit. Smaller chunks are not made.
    pub flit_bytes: u32,
    /// Whether all chips wait for each other after every round.
    pub barrier: bool,
}

impl CollectiveCost {
    /// Attoseconds of a hop over a channel.
    pub fn hop_over(&self, channel: ChannelId) -> u128 {
        self.channel_hops.as_ref().map_or(self.hop, |hops| hops.by_channel[channel])
    }
    /// Attoseconds of a hop over the slowest image of a channel.
    pub fn hop_over_images(&self, channel: ChannelId) -> u128 {
        self.channel_hops.as_ref().map_or(self.hop, |hops| hops.of_images[channel])
    }
    /// Attoseconds of the hop over the fastest channel that is lit.
    pub fn least_hop(&self) -> u128 {
        self.channel_hops.as_ref().map_or(self.hop, |hops| hops.fastest)
    }
    /// Bytes that a channel with one lane carries during a hop over the slowest lit link, rounded up.
    pub fn flight_bytes(&self) -> u64 {
        let bits = self.hop.saturating_mul(self.bandwidth_bps.into());
        u64::try_from(bits.div_ceil(8 * ATTOSECONDS)).unwrap_or(u64::MAX)
    }
    /// The same times without the latency of hops.
    pub fn without_hops(&self) -> Self {
        Self { hop: 0, channel_hops: None, ..self.clone() }
    }
    /// Attoseconds in which a channel carries one of `parts` equal parts of `bytes`, rounded up.
    pub fn transfer_time(&self, bytes: u64, parts: u64) -> u128 {
        let below = u128::from(self.bandwidth_bps.max(1)).saturating_mul(u128::from(parts.max(1)));
        (u128::from(bytes).saturating_mul(8 * ATTOSECONDS)).div_ceil(below)
    }
    /// The number of vectors of `bytes` bytes that a channel with one lane carries in a time, attoseconds.
    pub fn vectors(&self, time: u128, bytes: u64) -> Fraction {
        vectors_carried(time, self.bandwidth_bps, bytes)
    }
    /// Attoseconds in which a channel carries `bytes` times `times`, rounded down.
    pub fn least_transfer_time(&self, bytes: u64, times: Fraction) -> u128 {
        let once = u128::from(bytes).saturating_mul(8 * ATTOSECONDS) / u128::from(self.bandwidth_bps.max(1));
        once.saturating_mul(times.numerator()) / times.denominator()
    }
}

/// A time by its causes, attoseconds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CollectiveTime {
    /// The time without latency and overhead.
    pub volume: u128,
    /// The time that latency adds to that.
    pub latency: u128,
    /// The time that overhead adds to both.
    pub overhead: u128,
}

impl CollectiveTime {
    /// The sum of all parts, attoseconds.
    pub fn total(self) -> u128 {
        self.volume + self.latency + self.overhead
    }
}

/// The best schedule of an algorithm for a size, with its time.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveCandidate {
    /// The algorithm that makes the schedule.
    pub algorithm: CollectiveAlgorithm,
    /// Number of parts of a shard. For trees, pieces of a tree's share of the vector.
    pub chunks: u32,
    /// Number of parts before they were reduced, so that none is less than a flit. `None` if they were not
    /// reduced.
    pub reduced_from: Option<u32>,
    /// Number of rounds, one after the other. For trees, the hops of a piece and one for each piece that
    /// follows. For messages, slots.
    pub steps: u64,
    /// Number of vectors that a channel with one lane carries in the time without latency and overhead. Of
    /// scheduled vectors, the number on the busiest channel.
    pub volume: Fraction,
    /// The time that it takes.
    pub time: CollectiveTime,
}

impl CollectiveCandidate {
    /// Keeps only the sum of its times, in whole picoseconds.
    pub(super) fn only_total(&mut self) {
        let total = picoseconds(self.time.total()) * ATTOSECONDS_OF_A_PICOSECOND;
        let (algorithm, chunks) = (self.algorithm, self.chunks);
        *self = Self::of_total(algorithm, chunks, total);
    }
    /// A candidate of which only the total time is known, in attoseconds.
    pub fn of_total(algorithm: CollectiveAlgorithm, chunks: u32, total: u128) -> Self {
        let time = CollectiveTime { volume: total, latency: 0, overhead: 0 };
        Self { algorithm, chunks, reduced_from: None, steps: 0, volume: Fraction::ZERO, time }
    }
}

/// The times of a collective of one size in one scenario.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveRow {
    /// The name of the scenario.
    pub scenario: String,
    /// The operation that chips do together.
    pub collective: Collective,
    /// The name of the root, where there is one.
    pub root: Option<String>,
    /// Bytes per chip, of the full vector.
    pub size: u64,
    /// Number of chips that take part.
    pub chips: u64,
    /// The candidates, one per algorithm, the fastest first. At least one.
    pub candidates: Vec<CollectiveCandidate>,
    /// Algorithms that take too much work here to be tried without being asked for. In groups also those that
    /// are impossible here.
    pub left_out: Vec<CollectiveAlgorithm>,
    /// The lower bound of the time of every schedule, attoseconds.
    pub bound: u128,
    /// The witness of that bound.
    pub witness: CollectiveBound,
    /// The lower bound for schedules along the same forwarding tables, attoseconds, with its witness. `None`
    /// for schedules that follow no tables.
    pub along: Option<(u128, CollectiveBound)>,
    /// The lower bound for schedules in which switches add and copy, attoseconds, with its witness. `None`
    /// where no switch adds, or where that makes no difference.
    pub with_switches: Option<(u128, CollectiveBound)>,
}

impl CollectiveRow {
    /// The candidate with the shortest time.
    pub fn best(&self) -> &CollectiveCandidate {
        &self.candidates[0]
    }
    /// The bound as a share of the time of a candidate.
    pub fn share(&self, candidate: &CollectiveCandidate) -> Fraction {
        Fraction::new(self.bound, candidate.time.total().max(1))
    }
    /// The bus bandwidth of a candidate, GB/s: bytes over time, times [`Collective::bus_factor`].
    pub fn bus_bandwidth(&self, candidate: &CollectiveCandidate) -> Fraction {
        let [over, under] = self.collective.bus_factor(self.chips);
        let gigabytes_per_second = u128::from(self.size) * u128::from(ATTOSECONDS_OF_A_NANOSECOND);
        Fraction::new(gigabytes_per_second, candidate.time.total().max(1)).times(Fraction::new(over, under))
    }
}

/// A size from which on another algorithm is the fastest.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveCrossover {
    /// The collective that changes its algorithm.
    pub collective: Collective,
    /// The size in bytes, to one part in four thousand.
    pub size: u64,
    /// The fastest algorithm below it.
    pub below: CollectiveAlgorithm,
    /// The fastest algorithm from there on.
    pub above: CollectiveAlgorithm,
}

/// A collective that was not planned, because nobody asked for it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveLeftOut {
    /// The collective that was left out.
    pub collective: Collective,
    /// The reason, as it stands behind the name of the collective and `: `.
    pub reason: &'static str,
}

/// The times of all collectives of a fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CollectiveReport {
    /// The seed for ties that were broken at random.
    pub seed: u64,
    /// Chips of a group, where groups do the collectives at the same time. `None`: all chips do them
    /// together.
    pub groups: Option<u32>,
    /// (scenario, times of hops, messages and bytes).
    pub costs: Vec<(String, CollectiveCost)>,
    /// The rows, by scenario, collective and size.
    pub rows: Vec<CollectiveRow>,
    /// The crossovers of the first scenario, by collective and ascending size.
    pub crossovers: Vec<CollectiveCrossover>,
    /// The collectives that were not planned.
    pub left_out: Vec<CollectiveLeftOut>,
    /// Whether some switches copy or add, which no schedule uses.
    pub has_switch_arithmetic: bool,
}

impl CollectiveReport {
    /// The row of the fault under which the collective of a nominal row takes longest.
    pub fn worst_fault(&self, row: &CollectiveRow) -> Option<&CollectiveRow> {
        let same = |other: &&CollectiveRow| {
            (other.collective, other.size) == (row.collective, row.size) && other.scenario != row.scenario
        };
        let longest_first = |row: &&CollectiveRow| row.best().time.total();
        // Of equally slow ones it takes the first.
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
