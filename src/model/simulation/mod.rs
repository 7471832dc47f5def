//! Simulations: what a spec has run, and how routers, hosts and traffic are modelled.

mod details;
mod rate;
mod routing;
mod trace;

pub use details::{Births, Bursts, Details, Order, Trace, TraceLine};
pub use rate::Rate;
pub use routing::{Choosing, Routing, Score, Shortest};
pub use trace::TraceProblem;

use super::word::words;
use fabc_base::diag::Span;

/// `simulate name { .. }`: what a build runs on the finished tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Simulation {
    /// The name that a `require` speaks of, and files have.
    pub name: String,
    /// How everything is modelled.
    pub parameters: Parameters,
    /// Rates of a curve, ascending; `None`: by the static bound.
    pub rates: Option<Vec<Rate>>,
    /// Seeds, from that of the parameters on.
    pub seeds: u16,
    /// Whose tables run.
    pub scenarios: Scenarios,
    /// `simulate name`.
    pub span: Span,
}

/// Which scenarios of a fabric a simulation runs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scenarios {
    /// The healthy fabric.
    Nominal,
    /// That and every tolerated fault; of faults that are alike, one.
    All,
}

words!(Scenarios { Nominal = "nominal", All = "all" });

impl Simulation {
    /// The seeds of its runs.
    pub fn all_seeds(&self) -> Vec<u64> {
        (0..u64::from(self.seeds)).map(|k| self.parameters.seed.wrapping_add(k)).collect()
    }
}

/// What is asked for; what is left open has a default that depends on the fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Parameters {
    /// How routers move flits.
    pub model: Model,
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
    /// Cycles until a packet competes that has become the first of its queue because the one before has left;
    /// of the packet model only.
    pub turn: u32,
    /// How much faster the switch of a router is than its channels; in the flit model rounds of it per
    /// cycle. `None`: 1, in the flit model 2.
    pub speedup: Option<u32>,
    /// Which virtual channels there are; `None`: those of the tables, and all others that the routers have
    /// are general ones.
    pub lanes: Option<Lanes>,
    /// Who goes first; `None`: the oldest packet, in the flit model ports in turn.
    pub arbitration: Option<Arbitration>,
    /// When room in a queue can be used again; `None`: at once in the packet model, after the link in the
    /// flit model.
    pub credits: Option<Credits>,
    /// Ports of hosts; `None`: one port per host of a network; in a pod, where the endpoint is inside the
    /// router, no limit in the packet model and two ports in the flit model.
    pub hosts: Option<Hosts>,
    /// The send window: most packets of a host that have left it and have not arrived; `None`: no limit.
    pub window: Option<u32>,
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
            details: Details::default(),
            choosing: Choosing::default(),
            packet: 6,
            injection: 0,
            turn: 2,
            speedup: None,
            lanes: None,
            arbitration: None,
            credits: None,
            hosts: None,
            window: None,
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
    Flit,
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
    /// A message from every endpoint to every other one, and then no more.
    AllToAll,
    /// Messages as a file lists them, and then no more.
    Trace,
}

impl Traffic {
    /// Whether it ends: a run is over when everything has arrived, and has no rate.
    pub fn is_finite(self) -> bool {
        matches!(self, Traffic::AllToAll | Traffic::Trace)
    }
}

words!(Model { Packet = "packet", Flit = "flit" });

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
    AllToAll = "all_to_all",
    Trace = "trace",
});
