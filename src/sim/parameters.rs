//! How routers, hosts and traffic are modelled.

use crate::model::word::words;

/// What is asked for; what is left open has a default that depends on the fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// How routers move flits.
    pub model: Model,
    /// Who sends to whom.
    pub traffic: Traffic,
    /// Flits of a packet.
    pub packet: u32,
    /// Cycles from the birth of a packet until it stands at its router.
    pub injection: u32,
    /// Cycles until a packet competes that has become the first of its queue because the one before has left;
    /// of the packet model only.
    pub turn: u32,
    /// Which virtual channels there are; `None`: those of the tables, and all others that the routers have
    /// are general ones.
    pub lanes: Option<Lanes>,
    /// Who goes first; of the packet model only.
    pub arbitration: Arbitration,
    /// When room in a queue can be used again; `None`: at once in the packet model, after the link in the
    /// flit model.
    pub credits: Option<Credits>,
    /// Ports of hosts; `None`: one port per host of a network; in a pod, where the endpoint is inside the
    /// router, no limit in the packet model and two ports in the flit model.
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
            model: Model::Packet,
            traffic: Traffic::Uniform,
            packet: 6,
            injection: 0,
            turn: 2,
            lanes: None,
            arbitration: Arbitration::Age,
            credits: None,
            hosts: None,
            warmup: None,
            measure: None,
            seed: 1,
        }
    }
}

/// How routers move flits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Model {
    /// Whole packets, cut through.
    Packet,
    /// Flit by flit, wormholes; a separable allocator, whose switch works several rounds in a cycle.
    Flit {
        /// Rounds.
        speedup: u8,
    },
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
}

words!(Model {
    Self::Packet => Self::Packet => "packet",
    Self::Flit { speedup: 2 } => Self::Flit { .. } => "flit",
});

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
});

/// The parameters with every default worked out, and what the spec says of the routers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Setting {
    /// How routers move flits.
    pub model: Model,
    /// Who sends to whom.
    pub traffic: Traffic,
    /// Flits of a packet.
    pub packet: u32,
    /// Cycles from birth to router.
    pub injection: u32,
    /// Cycles for the next of a queue.
    pub turn: u32,
    /// General virtual channels.
    pub general: u8,
    /// Virtual channels for each one of the tables.
    pub classes: u8,
    /// Virtual channels of the tables.
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
    /// Cycles from the last router to the host: there, too, a flit passes the switch in the flit model.
    pub(super) fn ejection(&self) -> u32 {
        match self.model {
            Model::Packet => 0,
            Model::Flit { .. } => self.router,
        }
    }
    /// Flits of the smallest thing that a queue has room for.
    pub(super) fn grain(&self) -> u32 {
        match self.model {
            Model::Packet => self.packet,
            Model::Flit { .. } => 1,
        }
    }
    /// The first cycle in which nothing is counted any more.
    pub fn end(&self) -> u32 {
        self.warmup + self.measure
    }
}
