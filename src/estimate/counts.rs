//! Numbers of a fabric of N chips that several formulas share.

/// Hops along the axes of a fabric, one axis after the other.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct AxisWalk {
    /// Number of hops along all axes together.
    pub(super) steps: u64,
    /// Nanoseconds of all of them, where axes differ in latency.
    pub(super) latency_ns: Option<f64>,
}

impl AxisWalk {
    /// The hops along each axis. `latencies` are nanoseconds of a hop by axis, or empty where all are alike.
    pub(super) fn new(sides: &[u64], latencies: &[f64], hops: impl Fn(u64) -> u64) -> AxisWalk {
        let hops: Vec<u64> = sides.iter().map(|&side| hops(side)).collect();
        let sum = || hops.iter().zip(latencies).map(|(&hops, latency)| hops as f64 * latency).sum();
        AxisWalk { steps: hops.iter().sum(), latency_ns: (!latencies.is_empty()).then(sum) }
    }

    /// The same hops so many times.
    pub(super) fn times(self, passes: u64) -> AxisWalk {
        AxisWalk { steps: passes * self.steps, latency_ns: self.latency_ns.map(|ns| passes as f64 * ns) }
    }
}

/// (N - 1) / N: the fraction of a vector outside a chip's own shard.
pub(super) fn remote_part(chips: u64) -> f64 {
    (chips - 1) as f64 / chips as f64
}

/// ceil(log2 N), for N of at least one.
pub(super) fn doublings(chips: u64) -> u64 {
    u64::from(chips.next_power_of_two().trailing_zeros())
}
