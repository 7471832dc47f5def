//! How routers, hosts and traffic are modelled.

use super::details::Details;
use super::routing::{Choosing, Chosen};
use crate::model::word::words;

/// What is asked for; what is left open has a default that depends on the fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// Who sends to whom.
    pub traffic: Traffic,
    /// What the traffic is told beyond its name.
    pub details: Details,
    /// How packets find their ways.
    pub choosing: Choosing,
    /// Flits of a packet.
    pub packet: u32,
    /// Cycles from the birth of a packet until it stands at its router.
    pub injection: u32,
    /// Cycles until a packet competes that has become the first of its queue because the one before has left.
    pub turn: u32,
    /// How much faster the switch of a router is than its channels.
    pub speedup: u32,
    /// Which virtual channels there are; `None`: those of the tables, and all others that the routers have
    /// are general ones.
    pub lanes: Option<Lanes>,
    /// Who goes first.
    pub arbitration: Arbitration,
    /// When room in a queue can be used again.
    pub credits: Credits,
    /// Ports of hosts; `None`: no limit in a pod, where the endpoint is inside the router, and one port per
    /// host in a network.
    pub hosts: Option<Hosts>,
    /// Cycles before anything is counted; `None`: by the latency of routes.
    pub warmup: Option<u32>,
    /// Cycles that are counted; `None`: by the latency of routes.
    pub measure: Option<u32>,
    /// Seed of a traffic that is drawn at random as a whole (a permutation).
    pub seed: u64,
}

impl Default for Parameters {
    fn default() -> Self {
        Self {
            traffic: Traffic::Uniform,
            details: Details::default(),
            choosing: Choosing::default(),
            packet: 6,
            injection: 0,
            turn: 2,
            speedup: 1,
            lanes: None,
            arbitration: Arbitration::Age,
            credits: Credits::AtOnce,
            hosts: None,
            warmup: None,
            measure: None,
            seed: 1,
        }
    }
}

/// Which virtual channels a port has, and what they have to do with those of the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Lanes {
    /// So many general ones, which any packet may take until it has taken one of the tables; then those of
    /// the tables.
    General(u8),
    /// So many for each one of the tables.
    Classes(u8),
}

/// Who goes first where several packets want one channel or one input port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arbitration {
    /// The oldest packet.
    Age,
    /// The queue that has waited longest since its last packet.
    Rotate,
}

/// When a router knows of room in a queue at the other end of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Credits {
    /// At once.
    AtOnce,
    /// After the latency of the link.
    Link,
}

/// Between an endpoint and its router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Hosts {
    /// No limit: every packet that waits competes, and what arrives is taken at once.
    Unlimited,
    /// So many ports each way and endpoint, one flit per cycle each; what an endpoint sends is spread over
    /// its ports, and a packet that left by one of them arrives by the same one of its destination.
    Ports(u16),
}

/// Who sends to whom. Endpoints are the chips of a pod, the hosts of a network, numbered router by router;
/// who would send to itself sends nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traffic {
    /// To any other endpoint, all alike.
    Uniform,
    /// Every router to one other, by a random permutation of the routers; its hosts to the hosts in the same
    /// place.
    Permutation,
    /// Every endpoint to one other, by a random permutation.
    EndpointPermutation,
    /// Among the first 2^b endpoints: to the one with all bits turned.
    BitComplement,
    /// The same: the bits in reverse order.
    BitReverse,
    /// The same: the bits rotated by one, upwards.
    BitShuffle,
    /// The same: the two halves of the bits exchanged; a middle bit stays.
    Transpose,
    /// Nearly half of the way round, along every axis of a grid.
    Tornado,
    /// One step up, along every axis of a grid.
    Neighbour,
    /// To the endpoints of the routers that a channel leads to, all alike.
    Adjacent,
    /// Some packets to a few endpoints, the others anywhere.
    Hotspot,
    /// To all endpoints of the group so many groups on.
    GroupShift,
    /// Every group to one as far away as any, every router to one as far away as any there.
    Adversarial,
    /// As the spec declares it.
    Demand,
}

words!(Arbitration { Age = "age", Rotate = "rotate" });

words!(Credits { AtOnce = "instant", Link = "link" });

words!(Traffic {
    Uniform = "uniform",
    Permutation = "permutation",
    EndpointPermutation = "endpoint_permutation",
    BitComplement = "bit_complement",
    BitReverse = "bit_reverse",
    BitShuffle = "bit_shuffle",
    Transpose = "transpose",
    Tornado = "tornado",
    Neighbour = "neighbour",
    Adjacent = "adjacent",
    Hotspot = "hotspot",
    GroupShift = "group_shift",
    Adversarial = "adversarial",
    Demand = "demand",
});

/// The parameters with every default worked out, and what the spec says of the routers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// Who sends to whom.
    pub traffic: Traffic,
    /// What the traffic is told: all that it has, and nothing else.
    pub details: Details,
    /// How packets find their ways.
    pub chosen: Chosen,
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
    /// The first cycle in which nothing is counted any more.
    pub fn end(&self) -> u32 {
        self.warmup + self.measure
    }
}
