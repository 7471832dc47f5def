//! The counts of parts of the measured cycles, which confidence intervals are computed from.

use super::point::Batch;

/// The counts of one batch of the measured cycles.
#[derive(Clone, Default)]
pub(super) struct BatchTally {
    /// Packets delivered in its cycles.
    pub(super) delivered: u64,
    /// Packets born in its cycles that have arrived, and the sum of their latencies.
    arrived: u64,
    sum: u64,
    /// `[latency in cycles]`: these packets.
    latencies: Vec<u32>,
}

impl BatchTally {
    pub(super) fn add_latency(&mut self, latency: usize) {
        if self.latencies.len() <= latency {
            self.latencies.resize(latency + 1, 0);
        }
        self.latencies[latency] += 1;
        self.arrived += 1;
        self.sum += latency as u64;
    }

    pub(super) fn batch(&self) -> Batch {
        let BatchTally { delivered, arrived, sum, .. } = *self;
        Batch { delivered, arrived, sum, p99: percentile(&self.latencies, arrived, 99) }
    }
}

/// The least number of cycles within which so many percent of all packets arrived.
pub(super) fn percentile(latencies: &[u32], packets: u64, percent: u64) -> u64 {
    let (wanted, mut seen) = ((packets * percent).div_ceil(100), 0);
    let reached = |&count: &u32| {
        seen += u64::from(count);
        seen >= wanted
    };
    latencies.iter().position(reached).unwrap_or(0) as u64
}
