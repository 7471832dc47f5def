//! Congestion control at the sources: how many packets of a source may be in flight or how fast it sends, and
//! what the news of their arrival costs.

use super::Rate;
use crate::word::words;

/// The choice of a control.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ControlChoice {
    /// Every packet leaves its source as soon as it can.
    None,
    /// A fixed number of packets of a source is in flight at most.
    Window,
    /// That number follows from the marks of packets that arrive.
    Dctcp,
    /// The rate of a source follows from these marks.
    Dcqcn,
}

words!(ControlChoice { None = "none", Window = "window", Dctcp = "dctcp", Dcqcn = "dcqcn" });

/// How sources adapt to marks. A packet is marked where it joins a queue that holds at least so many flits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct MarkControl {
    /// How a source answers marks.
    pub law: MarkLaw,
    /// The flits of a queue from which on packets are marked. `None`: a third of its room.
    pub mark: Option<u32>,
    /// The weight of new marks in the mean that a source keeps.
    pub gain: Rate,
    /// The cycles after which a source of [`MarkLaw::Dcqcn`] sends faster again.
    pub timer: u32,
}

/// How a source answers marks.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MarkLaw {
    /// The window shrinks by the share of marked packets, once per window (Alizadeh and others, 2010).
    Dctcp,
    /// The rate shrinks with a mark, and grows with time (Zhu and others, 2015).
    Dcqcn,
}

words!(MarkLaw { Dctcp = "dctcp", Dcqcn = "dcqcn" });

/// A window of packets in flight per source. A packet counts from its admission to the queues of its source
/// until its source knows that it has arrived.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct WindowControl {
    /// How the window adapts to marks. `None`: it is fixed.
    pub marks: Option<MarkControl>,
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
