//! A resolved fabric: ids instead of names, checked units, defaults filled in, and the place of every
//! declaration.
//!
//! Only `resolve` makes this value, and every pass and check reads it. A fabric has one plant: a pod of cubes
//! behind optical circuit switches, or a network of routers. Invariant: everything declared fits the radix.

use super::addresses::Addresses;
use super::arithmetic::SwitchArithmetic;
use super::closed_form::ClosedForm;
use super::collective::{Collective, DeclaredCollective};
use super::contract::{Require, ValueScale};
use super::family::{BoxPart, Boxes, ClosShifts, Family};
use super::floor::Floor;
use super::hosts::HostMap;
use super::inputs::{OCS_INPUT, graph_input};
use super::job::Job;
use super::light::{LossTable, Optics};
use super::metric::Metric;
use super::network::Network;
use super::pod::{Pod, TopologyChoice};
use super::routing::{Every, RoutingChoice, SlotPace};
use super::simulation::Simulation;
use super::synthesis::NearSynthesis;
use fabc_base::diag::Span;
use fabc_base::ids::{IdVec, LinkTypeId, NodeId};
use fabc_base::limits::ROUTERS;
use fabc_topology::{Capacities, Demand};

/// The clock of a fabric that declares none, Hz.
pub const DEFAULT_CLOCK_HZ: u64 = 1_000_000_000;

/// A fabric as a spec declares it.
#[derive(Clone, Debug)]
pub struct Fabric {
    /// Its name, which is also the name of its output directory.
    pub name: String,
    /// Clock of the routers, Hz.
    pub clock_hz: u64,
    /// Declared kinds of links, sorted by name.
    pub link_types: IdVec<LinkTypeId, LinkType>,
    /// The capacities of the links, by kind.
    pub capacities: Capacities,
    /// The router, with its endpoint.
    pub router: Router,
    /// The pod or the network.
    pub plant: Plant,
    /// The budget of virtual channels, faults and table entries.
    pub budget: Budget,
    /// The floor on which the routers stand, if the spec declares one.
    pub floor: Option<Floor>,
    /// The traffic that must be carried.
    pub demand: Demand,
    /// The routing method and its settings.
    pub routing: RoutingChoice,
    /// The most GPUs that may hand on the packets of a pair. 0 where only valid paths are taken.
    pub relays: u32,
    /// The place of `routing = ..` in the spec.
    pub routing_span: Span,
    /// The addresses that the spec declares. `None` where it declares none, so that the defaults hold.
    pub addresses: Option<Addresses>,
    /// The hosts by name. `None` where the spec names no file of them.
    pub hosts: Option<HostMap>,
    /// The table of insertion losses. `None` where the spec names none.
    pub losses: Option<LossTable>,
    /// The contract: `require` lines, sorted as in the normalized spec.
    pub requires: Vec<Require>,
    /// Simulations on the finished tables, sorted by name.
    pub simulations: Vec<Simulation>,
    /// Collectives that are planned on the fabric, sorted by name.
    pub collectives: Vec<DeclaredCollective>,
    /// Training jobs that are planned on the fabric, sorted by name.
    pub jobs: Vec<Job>,
    /// The jobs that the topology is searched for, by index. Without any, the search is for the demand.
    pub searched_for: Vec<usize>,
    /// The slices that it is divided into. With slices, its own topology means nothing: every kind of slice
    /// has its own.
    pub slices: Slices,
    /// The head `fabric name { .. }`, for errors without a better place.
    pub span: Span,
}

/// The slices that a pod is divided into. Empty where it is whole.
#[derive(Clone, Debug, Default)]
pub struct Slices {
    /// The kinds of slices, sorted by name.
    pub kinds: Vec<SliceKind>,
    /// Number of spare cubes. A slice gets one only when it loses a cube.
    pub spare: u32,
}

/// A kind of slice, as a pod of its own.
#[derive(Clone, Debug)]
pub struct SliceKind {
    /// The name of the kind.
    pub name: String,
    /// Number of slices of this kind. A build places them, and all must fit at once.
    pub count: u32,
    /// The pod that one slice is.
    pub fabric: Fabric,
    /// The text of its spec in normal form.
    pub spec: String,
    /// The place of its declaration.
    pub span: Span,
}

/// The plant: what a fabric is made of.
#[derive(Clone, Debug)]
pub enum Plant {
    /// Cubes behind optical circuit switches.
    Pod(Pod),
    /// Routers that are wired by a rule or by a list.
    Network(Network),
}

/// A kind of link, as a spec declares it.
#[derive(Clone, Debug)]
pub struct LinkType {
    /// The name that the spec declares.
    pub name: String,
    /// Bandwidth of one direction, bit/s. Positive.
    pub bandwidth_bps: u64,
    /// Propagation latency in router cycles, without the part that grows with the length.
    pub latency_cycles: u32,
    /// Latency per metre, ps. 0 where the length does not count.
    pub per_metre_ps: u64,
    /// Price of a cable, and of a metre of it, both in thousandths.
    pub cost: CablePrice,
    /// Power of one cable, mW.
    pub power_mw: u64,
    /// Its optical side. `None` where the spec states none.
    pub optics: Option<Optics>,
    /// The place of its declaration.
    pub span: Span,
}

/// The price of a cable without its length, and the price of a metre of it, both in thousandths.
pub type CablePrice = [u64; 2];

/// The router, with its hosts: the chip of a pod, a switch of a network.
#[derive(Clone, Debug)]
pub struct Router {
    /// Number of ports of the router.
    pub radix: u32,
    /// Hosts of every router that carries hosts. 0 where the endpoint is inside the router and takes no port,
    /// as in a chip.
    pub hosts: u16,
    /// Number of virtual channels that the hardware has.
    pub vcs: u8,
    /// Bytes of a flit. Positive.
    pub flit_bytes: u32,
    /// Buffer per virtual channel, flits.
    pub buffer_flits: u32,
    /// Latency of the router, cycles.
    pub latency_cycles: u32,
    /// Price of a router, in thousandths.
    pub cost: u64,
    /// Power of a router, mW.
    pub power_mw: u64,
    /// What it does with data besides forwarding it.
    pub arithmetic: SwitchArithmetic,
    /// The declared link of the cables of hosts. `None` in a pod, where the endpoints are inside the routers,
    /// and where the spec neither names one nor declares a single link.
    pub host_link: Option<LinkTypeId>,
    /// The place of its declaration.
    pub span: Span,
}

/// What a router takes and costs.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RouterFigures {
    /// Number of ports. `None` inside a box, which has the ports that it needs.
    pub radix: Option<u32>,
    /// Latency of the router, cycles.
    pub latency_cycles: u32,
    /// Price of the router, in thousandths.
    pub cost: u64,
    /// Power of the router, mW.
    pub power_mw: u64,
    /// What it does with data besides forwarding it.
    pub arithmetic: SwitchArithmetic,
}

/// The smallest and the largest latency of the routers, cycles.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct LatencyRange {
    /// That of the fastest router.
    pub least: u32,
    /// That of the slowest router.
    pub most: u32,
}

/// The resources that the routing may use, and the faults that it must tolerate.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Number of virtual channels, 1..=8.
    pub vcs: u8,
    /// The faults that the fabric must tolerate.
    pub faults: Faults,
    /// The most table entries of a router, if the budget limits them.
    pub table_entries: Option<u32>,
    /// The place of `vcs = ..` in the spec.
    pub vcs_span: Span,
    /// Where `faults = ..` stands, or the budget if that is not written.
    pub faults_span: Span,
    /// Where `table_entries = ..` stands, or the budget if that is not written.
    pub entries_span: Span,
}

/// The faults that the fabric must survive, one at a time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Faults {
    /// Any set of at most this many dark OCSes, 0..=2. 0 tolerates nothing.
    Ocses(u32),
    /// Any one link of the fabric.
    Link,
    /// Any one router, which is a chip in a pod, with its links. Traffic from and to it is not served.
    Router,
}

impl Faults {
    /// Whether no fault is tolerated at all.
    pub fn is_none(self) -> bool {
        self == Faults::Ocses(0)
    }
    /// The number of OCSes that may be dark at once.
    pub fn dark_ocses(self) -> u32 {
        if let Faults::Ocses(most) = self { most } else { 0 }
    }
}

impl Plant {
    /// The word for its routers: `chip` in a pod, otherwise `router`.
    pub fn router_word(&self) -> &'static str {
        match self {
            Plant::Pod(_) => "chip",
            Plant::Network(_) => "router",
        }
    }

    /// Whether routers without hosts are spare. They forward nothing until they take the place of others.
    pub fn has_spare(&self) -> bool {
        matches!(self, Plant::Network(network) if network.has_spare())
    }

    /// The file that the topology comes from: the path of its copy in a built directory, and its text.
    pub fn input(&self) -> Option<(&'static str, &str)> {
        match self {
            Plant::Pod(pod) => match &pod.topology {
                TopologyChoice::CrossConnects { text, .. }
                | TopologyChoice::SynthesizeNear(NearSynthesis { text, .. }) => Some((OCS_INPUT, text)),
                _ => None,
            },
            Plant::Network(Network { family: Family::Listed(listed), .. }) => {
                Some((graph_input(&listed.path), &listed.text))
            }
            Plant::Network(_) => None,
        }
    }
}

impl SliceKind {
    /// The pod that one slice of this kind is.
    ///
    /// # Panics
    /// Never: only pods are divided.
    pub fn pod(&self) -> &Pod {
        self.fabric.pod().expect("only pods are divided")
    }

    /// Number of cubes of one slice.
    pub fn cubes(&self) -> u32 {
        self.pod().cubes
    }
}

impl Fabric {
    /// The tolerated faults in words: `2 dark OCSes tolerated`.
    pub fn tolerated(&self) -> String {
        let faults = match self.budget.faults {
            Faults::Ocses(0) => "no fault".to_owned(),
            Faults::Ocses(1) => "1 dark OCS".to_owned(),
            Faults::Ocses(most) => format!("{most} dark OCSes"),
            Faults::Link => "1 dark link".to_owned(),
            Faults::Router => format!("1 dead {}", self.plant.router_word()),
        };
        format!("{faults} tolerated")
    }
    /// The latency, price and power of a router, and the ports that it may have. A GPU and a switch inside a
    /// box have the ports that their box gives them, and its price counts for the whole box.
    pub fn router_kind(&self, router: NodeId) -> RouterFigures {
        let Router { radix, latency_cycles, cost, power_mw, arithmetic, .. } = self.router;
        let common = RouterFigures { radix: Some(radix), latency_cycles, cost, power_mw, arithmetic };
        let Plant::Network(network) = &self.plant else { return common };
        if let Some(boxes) = self.boxes()
            && let (part, Some(kind)) = boxes.part(router.0)
        {
            let (latency_cycles, arithmetic) = match part {
                BoxPart::Inner { switch, .. } => {
                    let inner = &kind.switches[switch as usize];
                    (inner.latency_cycles, inner.arithmetic)
                }
                _ => (kind.latency_cycles, SwitchArithmetic::default()),
            };
            return RouterFigures { radix: None, latency_cycles, cost: 0, power_mw: 0, arithmetic };
        }
        let tier = if network.tier_kinds.is_empty() { None } else { network.kind_tier(router.0) };
        tier.and_then(|tier| network.tier_kinds.get(tier)).map_or(common, |kind| RouterFigures {
            radix: Some(kind.radix),
            latency_cycles: kind.latency_cycles,
            cost: kind.cost,
            power_mw: kind.power_mw,
            arithmetic: kind.arithmetic,
        })
    }
    /// Whether routers differ in what [`Fabric::router_kind`] says.
    pub fn has_router_kinds(&self) -> bool {
        matches!(&self.plant, Plant::Network(network)
            if !network.tier_kinds.is_empty() || matches!(network.family, Family::Boxes(_)))
    }
    /// The smallest and the largest latency of a router, cycles.
    pub fn router_latencies(&self) -> LatencyRange {
        let only = LatencyRange { least: self.router.latency_cycles, most: self.router.latency_cycles };
        if !self.has_router_kinds() {
            return only;
        }
        let latencies =
            || (0..self.node_count() as u32).map(|id| self.router_kind(NodeId(id)).latency_cycles);
        let range = latencies().min().zip(latencies().max());
        range.map_or(only, |(least, most)| LatencyRange { least, most })
    }
    /// The pod, if the plant is one.
    pub fn pod(&self) -> Option<&Pod> {
        match &self.plant {
            Plant::Pod(pod) => Some(pod),
            Plant::Network(_) => None,
        }
    }
    /// The family of a network. `None` for a pod.
    pub fn family(&self) -> Option<&Family> {
        match &self.plant {
            Plant::Pod(_) => None,
            Plant::Network(network) => Some(&network.family),
        }
    }
    /// The boxes of GPUs, if the fabric has any.
    pub fn boxes(&self) -> Option<&Boxes> {
        if let Some(Family::Boxes(boxes)) = self.family() { Some(boxes) } else { None }
    }
    /// The addresses of its switches, links and hosts.
    pub fn addresses(&self) -> Addresses {
        self.addresses.unwrap_or_else(|| Addresses::default_at(self.span))
    }
    /// The sizes and distances by formula, where the family has formulas.
    pub fn closed_form(&self) -> Option<ClosedForm> {
        self.family()?.closed_form()
    }
    /// `[router]`: its hosts as the spec declares them. A chip of a pod counts as one host.
    pub fn declared_hosts(&self) -> Vec<u16> {
        match &self.plant {
            Plant::Pod(pod) => vec![1; pod.node_count()],
            Plant::Network(network) => network.hosts(self.router.hosts),
        }
    }
    /// The place of `topology = ..` in the spec.
    pub fn topology_span(&self) -> Span {
        match &self.plant {
            Plant::Pod(pod) => pod.topology_span,
            Plant::Network(network) => network.span,
        }
    }
    /// Number of routers, or of chips in a pod.
    pub fn node_count(&self) -> usize {
        match &self.plant {
            Plant::Pod(pod) => pod.node_count(),
            Plant::Network(network) => network.router_count(),
        }
    }
    /// Whether it is too large to be built, so that it is only described. Larger fabrics than those were
    /// refused before.
    pub fn is_too_large(&self) -> bool {
        matches!(self.plant, Plant::Network(_)) && self.node_count() as u64 > ROUTERS
    }
    /// (routers of a block, number of blocks). A block is what symmetries move as a whole: a cube of a pod, a
    /// group of a dragonfly. A network without groups has one router per block.
    pub fn blocks(&self) -> (u32, u32) {
        match &self.plant {
            Plant::Pod(pod) => (pod.chips_per_cube(), pod.cubes),
            Plant::Network(network) => network.family.blocks(),
        }
    }
    /// The shifts of a folded Clos network that keep the demand. A fault that one of them takes to another
    /// one is compiled for both. `None` for other networks, with one path per pair, where routes need not
    /// follow a shift, and on a floor, where cables differ in length.
    pub fn clos_shifts(&self) -> Option<ClosShifts<'_>> {
        let Plant::Network(Network { family: Family::Clos(clos), .. }) = &self.plant else { return None };
        (self.routing.has_many_paths() && self.floor.is_none()).then(|| {
            ClosShifts::new(clos, |shift| {
                self.demand.is_kept_by(|node| NodeId(clos.shifted_switch(shift, node.0)))
            })
        })
    }
    /// The effort of the synthesis, 1 where the topology is given.
    pub fn effort(&self) -> u32 {
        match self.pod().map(|pod| &pod.topology) {
            Some(
                TopologyChoice::Synthesize(search)
                | TopologyChoice::SynthesizeNear(NearSynthesis { search, .. }),
            ) => search.effort,
            _ => 1,
        }
    }
    /// `[link type]`: cycles of a hop over such a link, which are the latency of the fastest router and of
    /// the link.
    pub fn hop_cycles(&self) -> IdVec<LinkTypeId, u64> {
        let router = u64::from(self.router_latencies().least);
        self.link_types.iter().map(|link| router + u64::from(link.latency_cycles)).collect()
    }
    /// The pace of vectors where they are scheduled. `None` elsewhere. Settings that the routing does not
    /// give follow from the slowest links in use: `slot` is the time of a flit, `hop` the latency of link and
    /// router.
    pub fn pace(&self) -> Option<SlotPace> {
        let (RoutingChoice::Scheduled(settings), Plant::Network(network)) = (self.routing, &self.plant)
        else {
            return None;
        };
        let links = || network.links_in_use().into_iter().map(|link| &self.link_types[link]);
        let bits = u128::from(self.router.flit_bytes) * 8 * u128::from(self.clock_hz);
        let slot =
            links().map(|link| bits.div_ceil(u128::from(link.bandwidth_bps.max(1)))).max().unwrap_or(1);
        let latency = links().map(|link| link.latency_cycles).max().unwrap_or(0);
        Some(SlotPace {
            vector_bytes: settings.vector_bytes.unwrap_or(self.router.flit_bytes).max(1),
            slot: settings.slot.unwrap_or(u32::try_from(slot).unwrap_or(u32::MAX)).max(1),
            hop: settings.hop.unwrap_or(latency.saturating_add(self.router.latency_cycles)).max(1),
            reduce: settings.reduce,
            deskew: settings.deskew.map_or(0, |every| match every {
                Every::Cycles(cycles) => cycles,
                Every::Picoseconds(span) => {
                    u32::try_from(u128::from(span) * u128::from(self.clock_hz) / 1_000_000_000_000)
                        .unwrap_or(u32::MAX)
                        .max(1)
                }
            }),
        })
    }
    /// (routers of a block, number of blocks) where vectors are scheduled and a spare block may take the
    /// place of any other. There, moving all chips of a plan by the same number of blocks gives a plan.
    pub fn failover(&self) -> Option<(u32, u32)> {
        self.family().filter(|family| self.routing.is_scheduled() && family.replaces()).map(Family::blocks)
    }
    /// Whether one of its collectives is an all-to-all.
    pub fn has_all_to_all(&self) -> bool {
        self.collectives.iter().any(|declared| declared.collective == Collective::AllToAll)
    }
    /// Whether the bisection may be skipped: vectors are scheduled, and no `require` is about the flow or the
    /// bisection.
    pub fn skips_bisection(&self) -> bool {
        let of_halves = |metric| matches!(metric, Metric::Graph(metric) if metric.is_of_halves());
        self.routing.is_scheduled()
            && !self.requires_flow()
            && !self.requires.iter().any(|require| of_halves(require.metric))
    }
    /// Whether a `require` is about the concurrent flow.
    pub fn requires_flow(&self) -> bool {
        let of_flow =
            |metric| matches!(metric, Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth);
        self.requires.iter().any(|require| of_flow(require.metric))
    }
    /// The largest concurrent flow that the spec requires under faults, 0 where it requires none.
    pub fn required_fault_flow(&self) -> f64 {
        let of_faults =
            self.requires.iter().filter(|require| require.metric == Metric::ConcurrentFlow && require.fault);
        let numbers = of_faults
            .filter(|require| require.comparison.wants_more() && require.scale == ValueScale::Metric);
        numbers.map(|require| require.value.as_f64()).fold(0.0, f64::max)
    }
}
