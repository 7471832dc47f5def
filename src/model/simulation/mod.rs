//! Simulations of a spec: the models of routers, hosts and traffic, and the runs.

mod control;
mod details;
mod rate;
mod routing;
mod trace;

pub use control::{Ack, ControlChoice, MarkControl, MarkLaw, WindowControl};
pub use details::{Births, Bursts, MessageEnds, MessageOrder, Trace, TraceLine, TrafficDetails};
pub use rate::Rate;
pub use routing::{HalfRoutes, PacketRouting, RoutingSettings, Score};
pub use trace::TraceProblem;

use super::word::words;
use fabc_base::diag::Span;

/// `simulate name { .. }`: a simulation that a build runs on the finished tables.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Simulation {
    /// The name that `require` lines and files use.
    pub name: String,
    /// The parameters of the model.
    pub parameters: SimulationParameters,
    /// Rates of the curve, ascending. `None`: rates that follow from the static bound.
    pub rates: Option<Vec<Rate>>,
    /// Number of seeds, counted up from the seed of the parameters.
    pub seeds: u16,
    /// The scenarios whose tables run.
    pub scenarios: Scenarios,
    /// The words `simulate name` in the spec.
    pub span: Span,
}

/// The scenarios of a fabric that a simulation or a collective covers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Scenarios {
    /// The healthy fabric alone, without faults.
    Nominal,
    /// The healthy fabric and every tolerated fault. Of faults that are images of each other, one.
    All,
}

words!(Scenarios { Nominal = "nominal", All = "all" });

impl Simulation {
    /// The seeds of its runs, one per run.
    pub fn all_seeds(&self) -> Vec<u64> {
        (0..u64::from(self.seeds)).map(|k| self.parameters.seed.wrapping_add(k)).collect()
    }
}

/// The parameters of a simulation. Missing ones have defaults that depend on the fabric.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SimulationParameters {
    /// The model of how routers move flits.
    pub model: RouterModel,
    /// The pattern of who sends to whom.
    pub traffic: Traffic,
    /// The settings of the traffic beyond its name.
    pub details: TrafficDetails,
    /// How packets choose their routes.
    pub choosing: RoutingSettings,
    /// Number of flits of a packet.
    pub packet: u32,
    /// Cycles from the birth of a packet until it stands at its router.
    pub injection: u32,
    /// Cycles until a packet competes after the packet before it in its queue has left. Packet model only.
    /// `None`: 2 in a pod, elsewhere 0.
    pub turn: Option<u32>,
    /// Speed of the switch of a router over that of its channels. In the flit model, its rounds per cycle.
    /// `None`: 1 in the packet model of a pod, otherwise 2.
    pub speedup: Option<u32>,
    /// Cycles that a flit stands at an input before it competes. Flit model only.
    pub stages: u32,
    /// The virtual channels of a port. `None`: those of the tables, and all others of the hardware as general
    /// ones.
    pub lanes: Option<LaneChoice>,
    /// The arbitration. `None`: the oldest packet, in the flit model ports in turn.
    pub arbitration: Option<Arbitration>,
    /// The time after which freed room in a queue can be used again. `None`: at once in the packet model,
    /// after the link latency in the flit model.
    pub credits: Option<Credits>,
    /// The ports of hosts. `None`: one port per host of a network. In a pod, where the endpoint is inside the
    /// router, no limit in the packet model and two ports in the flit model.
    pub hosts: Option<HostPorts>,
    /// The send window: the most packets of a host that are in flight. `None`: no limit.
    pub window: Option<u32>,
    /// The control at the sources. `None`: every packet leaves as soon as it can.
    pub control: Option<WindowControl>,
    /// Multiples of the saturation at which long runs measure what is sustained. `None`: twice the saturation
    /// where there is a control, otherwise no such runs.
    pub overload: Option<Vec<Rate>>,
    /// Cycles before anything is counted. `None`: a number that follows from the latency of routes.
    pub warmup: Option<u32>,
    /// Cycles that are counted. `None`: a number that follows from the latency of routes.
    pub measure: Option<u32>,
    /// The most replications of the search for saturation.
    pub replications: u16,
    /// The probability with which an interval contains what it is about, in millionths.
    pub confidence: Rate,
    /// The first seed, of the runs and of traffic that is drawn as a whole (a permutation).
    pub seed: u64,
}

impl SimulationParameters {
    /// The multiples of the saturation at which long runs measure what is sustained.
    pub fn overloads(&self) -> &[Rate] {
        match (&self.overload, self.control) {
            (Some(multiples), _) => multiples,
            (None, Some(_)) => &[TWICE],
            (None, None) => &[],
        }
    }
}

/// The overload of simulations with a control that name none: twice the saturation.
const TWICE: Rate = Rate::millionths(2_000_000);

impl Default for SimulationParameters {
    fn default() -> Self {
        Self {
            model: RouterModel::Packet,
            traffic: Traffic::Uniform,
            details: TrafficDetails::default(),
            choosing: RoutingSettings::default(),
            packet: 6,
            injection: 0,
            turn: None,
            speedup: None,
            stages: 0,
            lanes: None,
            arbitration: None,
            credits: None,
            hosts: None,
            window: None,
            control: None,
            overload: None,
            warmup: None,
            measure: None,
            replications: 5,
            confidence: Rate::millionths(950_000),
            seed: 1,
        }
    }
}

/// A model of how routers move flits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RouterModel {
    /// Whole packets with virtual cut-through.
    Packet,
    /// Flit by flit with wormholes. A separable allocator works several rounds per cycle.
    Flit,
}

/// The virtual channels of a port, and their relation to those of the tables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneChoice {
    /// This many general channels, then those of the tables. A packet may take general ones until it has
    /// taken one of the tables.
    General(u8),
    /// This many channels for each channel of the tables.
    Classes(u8),
}

/// The order among packets that compete for one channel or one input port.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Arbitration {
    /// The oldest packet goes first.
    Age,
    /// The queue that has waited longest since its last packet.
    Rotate,
}

/// The time after which a router knows of free room at the other end of a channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Credits {
    /// In the cycle in which it becomes free.
    AtOnce,
    /// After the latency of the link.
    Link,
}

/// The ports between an endpoint and its router.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HostPorts {
    /// No limit: every waiting packet competes, and arriving packets are taken at once.
    Unlimited,
    /// This many ports each way per endpoint, one flit per cycle each. The packets of an endpoint are spread
    /// over its ports. A packet that left by one port arrives by the same port of its destination.
    Ports(u16),
}

/// A traffic pattern. Endpoints are the chips of a pod or the hosts of a network, numbered router by router.
/// An endpoint that would send to itself sends nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Traffic {
    /// To any other endpoint, with equal probability.
    Uniform,
    /// Every router to one other, by a random permutation of the routers. Hosts send to the host with the
    /// same position.
    Permutation,
    /// Every endpoint to one other, by a random permutation.
    EndpointPermutation,
    /// Among the first 2^b endpoints: to the endpoint whose number has all bits inverted.
    BitComplement,
    /// Among the same: to the number with the bits in reverse order.
    BitReverse,
    /// Among the same: to the number with the bits rotated up by one.
    BitShuffle,
    /// Among the same: to the number with the two halves of the bits exchanged. A middle bit stays.
    Transpose,
    /// Nearly half of the way around, along every axis of a grid.
    Tornado,
    /// One step up, along every axis of a grid.
    Neighbour,
    /// To the endpoints of the neighboring routers, with equal probability.
    Adjacent,
    /// Some packets to a few endpoints, the others to any endpoint.
    Hotspot,
    /// To all endpoints of the group that is a fixed number of groups further.
    GroupShift,
    /// Every group to a group at the largest distance, every router to a router at the largest distance
    /// there.
    Adversarial,
    /// As the `demand` of the spec says.
    Demand,
    /// One message from every endpoint to every other one. The run then ends.
    AllToAll,
    /// The messages that a file lists. The run then ends.
    Trace,
}

impl Traffic {
    /// Whether the traffic is finite. Then a run is over when everything has arrived, and has no rate.
    pub fn is_finite(self) -> bool {
        matches!(self, Traffic::AllToAll | Traffic::Trace)
    }
}

words!(RouterModel { Packet = "packet", Flit = "flit" });

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
