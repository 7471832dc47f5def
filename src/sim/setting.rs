//! The parameters of a simulation with every default filled in.

use super::routing::PathSelection;
use fabc_ir::Fraction;
use fabc_model::{Ack, Arbitration, Credits, HostPorts, MarkLaw, Rate, RouterModel, Traffic, TrafficDetails};

/// The parameters with every default filled in, and the properties of the routers from the spec.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// The model of the routers: whole packets or flits.
    pub model: RouterModel,
    /// The traffic: which endpoint sends to which.
    pub traffic: Traffic,
    /// The settings that this traffic has, and no others.
    pub details: TrafficDetails,
    /// How packets select their paths.
    pub selection: PathSelection,
    /// The flits of a packet.
    pub packet: u32,
    /// Cycles from birth to router.
    pub injection: u32,
    /// Cycles until the next packet of a queue can compete.
    pub turn: u32,
    /// How much faster the switch of a router is than its channels.
    pub speedup: u32,
    /// Cycles that a flit stands at an input before it competes. 0 in the packet model.
    pub stages: u32,
    /// The number of general virtual channels.
    pub general: u8,
    /// The number of virtual channels for each one of the tables.
    pub classes: u8,
    /// The virtual channels of the tables. Where paths are chosen, those that number the hops.
    pub table_vcs: u8,
    /// Which packet goes first at a router.
    pub arbitration: Arbitration,
    /// When the room in a queue is known again.
    pub credits: Credits,
    /// The ports of a host, or no limit.
    pub hosts: HostPorts,
    /// The send window: the most packets of an endpoint that are in flight.
    pub window: Option<u32>,
    /// The control at the sources. It has a window of its own.
    pub control: Option<SourceControl>,
    /// Multiples of the saturation at which runs in overload are made, ascending.
    pub overload: Vec<Rate>,
    /// The cycles of a run in overload. 0 without such runs.
    pub overload_cycles: RunCycles,
    /// Whether packets of one flit may bring the news of arrivals.
    pub has_ack_flits: bool,
    /// The most cycles of the warm-up, before anything is counted.
    pub warmup: u32,
    /// Whether the warm-up ends before, once the run is in its steady state.
    pub detects_steady_state: bool,
    /// Measured cycles, in which everything is counted.
    pub measure: u32,
    /// The cycles of a run in the coarse search for saturation, and of the run past it.
    pub coarse: RunCycles,
    /// The cycles of a run in the search for saturation.
    pub trial: RunCycles,
    /// The most replications of the search for saturation.
    pub replications: u16,
    /// The probability with which an interval contains what it is about.
    pub confidence: Rate,
    /// The seed of the traffic.
    pub seed: u64,
    /// The latency of a router in cycles. Where routers differ, the longest one.
    pub router: u32,
    /// The shortest latency of a router in cycles.
    pub least_router: u32,
    /// The cycles of a packet over every link in use, by name. Empty where all links carry the same.
    pub paces: Vec<LinkPace>,
    /// The cycles of a packet through a port of a host.
    pub host_cycles: u32,
    /// The cycles of a packet over the busiest channel.
    pub busiest_cycles: u32,
    /// The bandwidth of a channel that moves one flit per cycle, in bit/s.
    pub flit_bps: u64,
    /// The buffer of a queue in flits.
    pub buffer: u32,
}

/// The control of a simulation, with every default filled in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceControl {
    /// How sources adapt to marks, if they do.
    pub marks: Option<SourceMarks>,
    /// The most packets of a source in flight.
    pub window: u32,
    /// The most of them to one destination.
    pub per_pair: Option<u32>,
    /// Whether the window follows from the rule.
    pub is_derived: bool,
    /// The packets of a source in flight at the static bound while nothing waits.
    pub pipe: u32,
    /// The packets that all queues have room for, per source.
    pub room: u32,
    /// How a source learns of arrivals.
    pub ack: Ack,
    /// The most cycles for which news of an arrival waits for a packet. 0 unless it may.
    pub wait: u32,
}

/// How sources adapt to marks, with every default filled in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SourceMarks {
    /// How a source answers marks.
    pub law: MarkLaw,
    /// The flits of a queue from which on packets are marked.
    pub mark: u32,
    /// The weight of new marks in the mean that a source keeps.
    pub gain: Rate,
    /// The cycles after which a source of [`MarkLaw::Dcqcn`] sends faster again.
    pub timer: u32,
    /// The flits that a source can send per cycle.
    pub line_rate: u32,
}

/// The cycles that a packet takes over a link.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct LinkPace {
    /// The name of the link.
    pub name: String,
    /// The cycles of a packet over it.
    pub cycles: u32,
}

/// The cycles of a run at a rate.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunCycles {
    /// Cycles before anything is counted.
    pub warmup: u32,
    /// The measured cycles, in which everything is counted.
    pub measure: u32,
}

impl RunCycles {
    /// The first cycle after the measured ones.
    pub fn end(self) -> u32 {
        self.warmup + self.measure
    }
}

impl Setting {
    /// The number of virtual channels of a port.
    pub fn vcs(&self) -> u32 {
        u32::from(self.general) + u32::from(self.table_vcs) * u32::from(self.classes)
    }
    /// The ports of an endpoint in each direction, if they are limited.
    pub fn ports(&self) -> Option<u32> {
        match self.hosts {
            HostPorts::Unlimited => None,
            HostPorts::Ports(ports) => Some(u32::from(ports)),
        }
    }
    /// The endpoint of a port of a host, by its number among the ports of all hosts.
    pub(super) fn endpoint_of(&self, generator: u32) -> u32 {
        generator / self.ports().unwrap_or(1)
    }
    /// Whether links in use differ in bandwidth.
    pub fn has_unlike_links(&self) -> bool {
        !self.paces.is_empty()
    }
    /// Cycles from the last router to the host. In the flit model, a flit passes the switch there, too.
    pub(super) fn ejection(&self) -> u32 {
        if self.model == RouterModel::Flit { self.stages + self.router } else { 0 }
    }
    /// The flits of the smallest unit that a queue has room for.
    pub(super) fn grain(&self) -> u32 {
        if self.model == RouterModel::Flit || self.has_ack_flits { 1 } else { self.packet }
    }
    /// Converts packets over cycles to flits per cycle and endpoint.
    pub fn per_cycle(&self, packets: u64, cycles: u32, endpoints: u32) -> Fraction {
        Fraction::new(packets * u64::from(self.packet), u64::from(cycles) * u64::from(endpoints))
    }
    /// The first cycle after the measured ones. Traffic that ends is counted from its first to its last
    /// cycle.
    pub fn end(&self) -> u32 {
        if self.traffic.is_finite() { u32::MAX } else { self.warmup + self.measure }
    }
}
