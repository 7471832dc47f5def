//! Congestion control at the sources: how many packets of a source may be in flight, and what the news of
//! their arrival costs.

use crate::word::words;

/// The choice of a control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ControlChoice {
    /// Every packet leaves its source as soon as it can.
    None,
    /// A fixed number of packets of a source is in flight at most.
    Window,
}

words!(ControlChoice { None = "none", Window = "window" });

/// A window of packets in flight per source. A packet counts from its admission to the queues of its source
/// until its source knows that it has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowControl {
    /// The most packets of a source in flight. `None`: a number that follows from bound, latencies and
    /// buffers.
    pub packets: Option<u32>,
    /// The most packets of a source in flight to one destination. `None`: as many as to all.
    pub per_pair: Option<u32>,
    /// How a source learns of arrivals.
    pub ack: Ack,
    /// For [`Ack::Piggyback`]: the most cycles for which news waits for a packet. `None`: a number that
    /// follows from bound and buffers.
    pub wait: Option<u32>,
}

/// How a source learns that a packet has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ack {
    /// The news takes the zero-load time of the way back, and no part of any channel.
    Free,
    /// A packet of one flit brings the news by the tables.
    Flit,
    /// The next packet to that source brings the news. Where none leaves in time, a packet of one flit does.
    Piggyback,
}

words!(Ack { Free = "free", Flit = "flit", Piggyback = "piggyback" });

impl Ack {
    /// Whether packets of one flit may carry the news.
    pub fn has_flits(self) -> bool {
        self != Ack::Free
    }
}
