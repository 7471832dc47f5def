//! Costs of a step, a message and a byte.

use super::counts::AxisWalk;

/// Slowdown of a channel by contention.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Derating {
    /// Factor on latencies and overheads, at least 1.
    pub latency: f64,
    /// Fraction of the bandwidth that remains, above 0 and at most 1.
    pub bandwidth: f64,
}

impl Derating {
    /// The derating of a channel without contention.
    pub const NONE: Derating = Derating { latency: 1.0, bandwidth: 1.0 };
}

/// One direction of a link between two chips. On a switched fabric it leads from the port of one chip to
/// another chip, switches included.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Channel {
    /// Nanoseconds of a hop. The channel is free again during this time.
    pub latency_ns: f64,
    /// Nanoseconds per message during which the sender does nothing else.
    pub overhead_ns: f64,
    /// Bytes per nanosecond, which is GB/s.
    pub bandwidth: f64,
    /// Slowdown of all three by contention.
    pub derating: Derating,
}

impl Channel {
    /// A channel without overhead and contention, from its latency in nanoseconds and its bandwidth in GB/s.
    pub fn new(latency_ns: f64, bandwidth: f64) -> Channel {
        Channel { latency_ns, overhead_ns: 0.0, bandwidth, derating: Derating::NONE }
    }
}

/// The demand of one algorithm on a channel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// Number of hops that follow each other.
    pub steps: u64,
    /// Consecutive messages of a chip.
    pub messages: u64,
    /// Number of vectors that the busiest channel carries.
    pub volume: f64,
    /// Nanoseconds of all hops, where the axes of a fabric differ in latency. `None` where each hop takes the
    /// latency of the channel.
    pub latency_ns: Option<f64>,
}

impl Cost {
    /// The cost of steps that each wait for the one before, with one message per step.
    pub fn of_steps(steps: u64, volume: f64) -> Cost {
        Cost { steps, messages: steps, volume, latency_ns: None }
    }

    /// The cost of steps along axes that each wait for the one before, with one message per step.
    pub(super) fn of_walk(walk: AxisWalk, volume: f64) -> Cost {
        Cost { latency_ns: walk.latency_ns, ..Cost::of_steps(walk.steps, volume) }
    }

    /// Time with vectors of `bytes` bytes.
    pub fn time(self, bytes: f64, channel: &Channel) -> Time {
        let Channel { latency_ns, overhead_ns, bandwidth, derating } = *channel;
        let hops_ns = self.latency_ns.unwrap_or(self.steps as f64 * latency_ns);
        Time {
            latency_ns: derating.latency * (hops_ns + self.messages as f64 * overhead_ns),
            volume_ns: self.volume * bytes / (derating.bandwidth * bandwidth),
        }
    }
}

/// A time split into its two parts.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Time {
    /// Nanoseconds of hops and messages, the same for every size.
    pub latency_ns: f64,
    /// Nanoseconds of bytes, proportional to the size.
    pub volume_ns: f64,
}

impl Time {
    /// Sum of both parts, in nanoseconds.
    pub fn total_ns(self) -> f64 {
        self.latency_ns + self.volume_ns
    }
}

impl std::ops::Add for Time {
    type Output = Time;
    fn add(self, other: Time) -> Time {
        Time { latency_ns: self.latency_ns + other.latency_ns, volume_ns: self.volume_ns + other.volume_ns }
    }
}
