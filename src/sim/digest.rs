//! Digests of the counts of a run, one every thousand cycles. Whoever repeats the run can tell after each of
//! them whether it is the same run so far.
//!
//! In: all counts at the end of a cycle. Out: a chain in which each digest covers the one before it. Of long
//! runs only every second digest is kept, or every fourth, and so on. The others follow from the same run.
//! The last digest of a report covers the counts that it states.

use super::completion::Completion;
use super::point::{Batch, Delays, Point, VcUse};

/// Cycles from one digest to the next.
pub(super) const EVERY: u32 = 1000;

/// The most digests of a run that are kept.
const MOST: usize = 1024;

/// The digests of a run so far.
#[derive(Default)]
pub(super) struct Chain(Vec<u64>);

impl Chain {
    /// Adds the digest of all counts.
    pub(super) fn add(&mut self, counts: impl Iterator<Item = u64>) {
        self.0.push(next(self.0.last(), counts));
    }

    /// The digests of every thousand cycles.
    pub(super) fn so_far(&self) -> &[u64] {
        &self.0
    }

    /// The digests that are kept in a report.
    pub(super) fn kept(&self) -> Vec<u64> {
        let step = step(self.0.len());
        self.0.iter().skip(step - 1).step_by(step).copied().collect()
    }
}

/// The number of digests per kept one, in a run of so many thousand cycles.
fn step(thousands: usize) -> usize {
    thousands.div_ceil(MOST).max(1).next_power_of_two()
}

/// The cycles from one kept digest to the next, in a run of `cycles`, and the number of kept ones.
pub(super) fn spacing(cycles: u64) -> (u64, usize) {
    let thousands = (cycles / u64::from(EVERY)) as usize;
    let step = step(thousands);
    (step as u64 * u64::from(EVERY), thousands / step)
}

fn next(before: Option<&u64>, counts: impl Iterator<Item = u64>) -> u64 {
    let mut hasher = blake3::Hasher::new();
    for count in before.copied().into_iter().chain(counts) {
        hasher.update(&count.to_le_bytes());
    }
    let mut first = [0; 8];
    first.copy_from_slice(&hasher.finalize().as_bytes()[..8]);
    u64::from_le_bytes(first)
}

impl Point {
    /// The digest of all stated counts of the run, after the digests of its cycles.
    pub fn last_digest(&self) -> u64 {
        let [start, middle, end] = self.inside_at;
        let sources = [self.worst_source, self.best_source, self.busiest];
        let counts = [
            self.rate.in_millionths(),
            self.seed,
            self.born,
            self.delivered,
            self.delivered_late,
            self.born_ever,
            self.delivered_ever,
            self.in_flight,
            self.flits_delivered_ever,
            self.flits_in_flight,
            self.cycles.into(),
            self.unfinished,
            self.warmup.into(),
            u64::from(self.is_settled),
            start,
            middle,
            end,
            self.inside_sum,
            self.hops,
            self.general_hops,
        ];
        let pairs = sources.into_iter().flat_map(|(id, count)| [id.into(), count.into()]);
        let batches = self
            .batches
            .iter()
            .flat_map(|&Batch { delivered, arrived, sum, p99 }| [delivered, arrived, sum, p99]);
        let rest =
            delays(self.delays).into_iter().chain(vcs(&self.vcs)).chain(self.busy_by_class.iter().copied());
        let acks = Some(self.moved_acks).filter(|&moved| moved > 0);
        next(self.digests.last(), counts.into_iter().chain(pairs).chain(batches).chain(rest).chain(acks))
    }
}

impl Completion {
    /// The digest of all stated counts of the run, after the digests of its cycles.
    pub fn last_digest(&self) -> u64 {
        let (channel, busy) = self.busiest;
        let counts = [
            self.seed,
            self.cycles.into(),
            self.packets,
            channel.into(),
            busy.into(),
            self.hops,
            self.general_hops,
        ];
        let rest =
            delays(self.delays).into_iter().chain(vcs(&self.vcs)).chain(self.busy_by_class.iter().copied());
        next(self.digests.last(), counts.into_iter().chain(rest))
    }
}

fn delays(delays: Option<Delays>) -> [u64; 7] {
    delays.map_or([0; 7], |Delays { packets, sum, median, p99, most, waited, hops }| {
        [packets, sum, median, p99, most, waited, hops]
    })
}

fn vcs(uses: &[VcUse]) -> impl Iterator<Item = u64> {
    let counts = |&VcUse { hops, flit_cycles, p99, full_cycles, queue_cycles }: &VcUse| {
        [hops, flit_cycles, p99, full_cycles, queue_cycles]
    };
    uses.iter().flat_map(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_runs_keep_fewer_of_the_same_digests() {
        let mut chain = Chain::default();
        (0..3000).for_each(|count| chain.add([count].into_iter()));
        assert_eq!(spacing(3_000_500), (4000, 750));
        assert_eq!(chain.kept().len(), 750);
        assert_eq!(chain.kept()[0], chain.so_far()[3]);
        assert_eq!(spacing(999), (1000, 0));
        assert_eq!(spacing(1_024_999), (1000, 1024));
        assert_eq!(spacing(1_025_000), (2000, 512));
    }
}
