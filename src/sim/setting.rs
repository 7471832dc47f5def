//! Parameters with every default worked out.

use super::routing::PathSelection;
use fabc_ir::Fraction;
use fabc_model::{Arbitration, Credits, Details, Hosts, Model, Traffic};

/// The parameters with every default worked out, and what the spec says of the routers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// How routers move flits.
    pub model: Model,
    /// Who sends to whom.
    pub traffic: Traffic,
    /// What the traffic is told: all that it has, and nothing else.
    pub details: Details,
    /// How packets select their paths.
    pub selection: PathSelection,
    /// Flits of a packet.
    pub packet: u32,
    /// Cycles from birth to router.
    pub injection: u32,
    /// Cycles for the next of a queue.
    pub turn: u32,
    /// How much faster the switch of a router is than its channels.
    pub speedup: u32,
    /// General virtual channels.
    pub general: u8,
    /// Virtual channels for each one of the tables.
    pub classes: u8,
    /// Virtual channels of the tables; where ways are chosen, those that hops are numbered by.
    pub table_vcs: u8,
    /// Who goes first.
    pub arbitration: Arbitration,
    /// When room is known.
    pub credits: Credits,
    /// Ports of hosts.
    pub hosts: Hosts,
    /// The send window: most packets of an endpoint that have left it and have not arrived.
    pub window: Option<u32>,
    /// Cycles before anything is counted.
    pub warmup: u32,
    /// Cycles that are counted.
    pub measure: u32,
    /// Seed of the traffic.
    pub seed: u64,
    /// Cycles of a router.
    pub router: u32,
    /// Flits of a queue.
    pub buffer: u32,
}

impl Setting {
    /// Virtual channels of a port.
    pub fn vcs(&self) -> u32 {
        u32::from(self.general) + u32::from(self.table_vcs) * u32::from(self.classes)
    }
    /// Ports each way of an endpoint, if they are limited.
    pub fn ports(&self) -> Option<u32> {
        match self.hosts {
            Hosts::Unlimited => None,
            Hosts::Ports(ports) => Some(u32::from(ports)),
        }
    }
    /// Cycles from the last router to the host: there, too, a flit passes the switch in the flit model.
    pub(super) fn ejection(&self) -> u32 {
        if self.model == Model::Flit { self.router } else { 0 }
    }
    /// Flits of the smallest thing that a queue has room for.
    pub(super) fn grain(&self) -> u32 {
        if self.model == Model::Flit { 1 } else { self.packet }
    }
    /// So many packets in so many cycles as flits per cycle and endpoint.
    pub fn per_cycle(&self, packets: u64, cycles: u32, endpoints: u32) -> Fraction {
        Fraction::new(packets * u64::from(self.packet), u64::from(cycles) * u64::from(endpoints))
    }
    /// The first cycle in which nothing is counted any more; traffic that ends is counted from the first to
    /// the last.
    pub fn end(&self) -> u32 {
        if self.traffic.is_finite() { u32::MAX } else { self.warmup + self.measure }
    }
}
