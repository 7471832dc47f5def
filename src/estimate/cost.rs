//! What a step, a message and a byte take.

/// What contention leaves of a channel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Derating {
    /// Latencies and overheads are so many times as long: at least 1.
    pub latency: f64,
    /// So much of the bandwidth is left: above 0, at most 1.
    pub bandwidth: f64,
}

impl Derating {
    /// Nothing is lost.
    pub const NONE: Derating = Derating { latency: 1.0, bandwidth: 1.0 };
}

/// One direction of a link between two chips (of a switched fabric: of the port of a chip, the switches
/// included).
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Channel {
    /// Nanoseconds of a hop; the channel is free again while they pass.
    pub latency_ns: f64,
    /// Nanoseconds of a message in which its sender does nothing else.
    pub overhead_ns: f64,
    /// Bytes per nanosecond, which is GB/s.
    pub bandwidth: f64,
    /// What contention does to all three.
    pub derating: Derating,
}

impl Channel {
    /// A channel without overhead and contention: nanoseconds of a hop, GB/s.
    pub fn new(latency_ns: f64, bandwidth: f64) -> Channel {
        Channel { latency_ns, overhead_ns: 0.0, bandwidth, derating: Derating::NONE }
    }
}

/// What one algorithm takes of a channel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Cost {
    /// Hops, one after the other.
    pub steps: u64,
    /// Messages of a chip, one after the other.
    pub messages: u64,
    /// Vectors that the busiest channel carries.
    pub volume: f64,
}

impl Cost {
    /// Steps that each wait for the one before: as many messages.
    pub fn of(steps: u64, volume: f64) -> Cost {
        Cost { steps, messages: steps, volume }
    }

    /// Time of vectors of so many bytes.
    pub fn time(self, bytes: f64, channel: &Channel) -> Time {
        let Channel { latency_ns, overhead_ns, bandwidth, derating } = *channel;
        Time {
            latency_ns: derating.latency
                * (self.steps as f64 * latency_ns + self.messages as f64 * overhead_ns),
            volume_ns: self.volume * bytes / (derating.bandwidth * bandwidth),
        }
    }
}

/// A time by what it is spent on.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Time {
    /// Hops and messages, nanoseconds: the same for every size.
    pub latency_ns: f64,
    /// Bytes, nanoseconds: as long as the size.
    pub volume_ns: f64,
}

impl Time {
    /// Both together, nanoseconds.
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
