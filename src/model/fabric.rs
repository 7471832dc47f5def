//! A resolved fabric: ids instead of names, checked units, defaults filled in, and the place of every
//! declaration.
//!
//! Comes in: nothing but `resolve`. Goes out: what every pass and check reads. A fabric has one plant: a pod
//! of cubes behind optical circuit switches, or a network of routers. Invariant: what is declared fits the
//! radix.

use super::closed_form::ClosedForm;
use super::collective::{Collective, DeclaredCollective};
use super::contract::{Metric, Require, Scale};
use super::family::Family;
use super::floor::Floor;
use super::inputs::{OCS_INPUT, graph_input};
use super::network::Network;
use super::pod::{Pod, TopologyChoice};
use super::routing::{Every, RoutingChoice, SlotPace};
use super::simulation::Simulation;
use super::synthesis::Near;
use fabc_base::diag::Span;
use fabc_base::ids::{IdVec, LinkTypeId};
use fabc_base::limits::ROUTERS;
use fabc_topology::{Capacities, Demand};

/// The clock of a fabric that declares none, Hz.
pub const DEFAULT_CLOCK_HZ: u64 = 1_000_000_000;

/// A fabric as declared.
#[derive(Clone, Debug)]
pub struct Fabric {
    /// Its name; also the name of its output directory.
    pub name: String,
    /// Clock of the routers, Hz.
    pub clock_hz: u64,
    /// Declared kinds of links, sorted by name.
    pub link_types: IdVec<LinkTypeId, LinkType>,
    /// How much links of each kind carry.
    pub capacities: Capacities,
    /// The router (with its endpoint).
    pub router: Router,
    /// What is wired, and how.
    pub plant: Plant,
    /// VC and fault budget.
    pub budget: Budget,
    /// Where routers stand, if the spec says so.
    pub floor: Option<Floor>,
    /// What traffic must be carried.
    pub demand: Demand,
    /// How routes are chosen.
    pub routing: RoutingChoice,
    /// Where `routing = ..` stands.
    pub routing_span: Span,
    /// The contract, sorted as in the normalized spec.
    pub requires: Vec<Require>,
    /// What is run on the finished tables, sorted by name.
    pub simulations: Vec<Simulation>,
    /// Collectives that are planned on it, sorted by name.
    pub collectives: Vec<DeclaredCollective>,
    /// What it is divided into: then its topology means nothing, and every kind of slice has its own.
    pub slices: Slices,
    /// The whole `fabric name { .. }` head, for errors without a better place.
    pub span: Span,
}

/// What a pod is divided into; nothing where it is whole.
#[derive(Clone, Debug, Default)]
pub struct Slices {
    /// What slices there are, sorted by name.
    pub kinds: Vec<SliceKind>,
    /// Cubes that no slice is given unless it loses one.
    pub spare: u32,
}

/// A kind of slice.
#[derive(Clone, Debug)]
pub struct SliceKind {
    /// Its name.
    pub name: String,
    /// How many of them a build places, and must fit at once.
    pub count: u32,
    /// What one of them is: a pod of its own.
    pub fabric: Fabric,
    /// The text of its normal form.
    pub spec: String,
    /// Its declaration.
    pub span: Span,
}

/// What a fabric is made of.
#[derive(Clone, Debug)]
pub enum Plant {
    /// Cubes behind optical circuit switches.
    Pod(Pod),
    /// Routers, wired by a rule or a list.
    Network(Network),
}

/// A kind of link.
#[derive(Clone, Debug)]
pub struct LinkType {
    /// Declared name.
    pub name: String,
    /// Bandwidth of one direction, bit/s.
    pub bandwidth_bps: u64,
    /// Propagation latency, router cycles; where it grows with the length, without that.
    pub latency_cycles: u32,
    /// Latency of a metre, ps.
    pub per_metre_ps: u64,
    /// Price of a cable and of a metre of it, in thousandths.
    pub cost: [u64; 2],
    /// Power of a cable, mW.
    pub power_mw: u64,
    /// Its declaration.
    pub span: Span,
}

/// The router, with its hosts: the chip of a pod, a switch of a network.
#[derive(Clone, Debug)]
pub struct Router {
    /// Ports that the router has.
    pub radix: u32,
    /// Hosts of every router that carries hosts; 0 where the endpoint is inside the router and takes no port,
    /// as in a chip.
    pub hosts: u16,
    /// Virtual channels that the hardware has.
    pub vcs: u8,
    /// Flit size, bytes.
    pub flit_bytes: u32,
    /// Buffer per virtual channel, flits.
    pub buffer_flits: u32,
    /// Router latency, cycles.
    pub latency_cycles: u32,
    /// Its declaration.
    pub span: Span,
}

/// What the routing may use.
#[derive(Clone, Debug)]
pub struct Budget {
    /// Virtual channels, 1..=8.
    pub vcs: u8,
    /// What may fail.
    pub faults: Faults,
    /// Most table entries of a router, if the budget limits them.
    pub table_entries: Option<u32>,
    /// Where `vcs = ..` stands.
    pub vcs_span: Span,
    /// Where `faults = ..` stands (or the budget, if it is not written).
    pub faults_span: Span,
    /// Where `table_entries = ..` stands (or the budget, if it is not written).
    pub entries_span: Span,
}

/// What the fabric must keep serving without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Faults {
    /// Any set of at most this many dark OCSes, 0..=2; 0 for a pod that tolerates nothing.
    Ocses(u32),
    /// Any one link.
    Link,
    /// Any one router (the chip of a pod), its links with it; traffic from and to it is not served.
    Router,
}

impl Faults {
    /// Whether nothing may fail.
    pub fn is_none(self) -> bool {
        self == Faults::Ocses(0)
    }
    /// How many OCSes may be dark at once.
    pub fn dark_ocses(self) -> u32 {
        if let Faults::Ocses(most) = self { most } else { 0 }
    }
}

impl Plant {
    /// What its routers are called: chips in a pod.
    pub fn router_word(&self) -> &'static str {
        match self {
            Plant::Pod(_) => "chip",
            Plant::Network(_) => "router",
        }
    }

    /// Whether routers without hosts are spare: they take the place of others, and forward nothing before.
    pub fn has_spare(&self) -> bool {
        matches!(self, Plant::Network(network) if network.has_spare())
    }

    /// The file that the topology comes from: where a built directory has its copy, and its text.
    pub fn input(&self) -> Option<(&'static str, &str)> {
        match self {
            Plant::Pod(pod) => match &pod.topology {
                TopologyChoice::CrossConnects { text, .. }
                | TopologyChoice::SynthesizeNear(Near { text, .. }) => Some((OCS_INPUT, text)),
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
    /// The pod that one of them is.
    ///
    /// # Panics
    /// Never: only pods are divided.
    pub fn pod(&self) -> &Pod {
        self.fabric.pod().expect("only pods are divided")
    }

    /// Its cubes.
    pub fn cubes(&self) -> u32 {
        self.pod().cubes
    }
}

impl Fabric {
    /// `2 dark OCSes tolerated`: what may fail at once, for people.
    pub fn tolerated(&self) -> String {
        let what = match self.budget.faults {
            Faults::Ocses(0) => "no fault".to_owned(),
            Faults::Ocses(1) => "1 dark OCS".to_owned(),
            Faults::Ocses(most) => format!("{most} dark OCSes"),
            Faults::Link => "1 dark link".to_owned(),
            Faults::Router => format!("1 dead {}", self.plant.router_word()),
        };
        format!("{what} tolerated")
    }
    /// The pod, if that is what the fabric is made of.
    pub fn pod(&self) -> Option<&Pod> {
        match &self.plant {
            Plant::Pod(pod) => Some(pod),
            Plant::Network(_) => None,
        }
    }
    /// The family of a network; a pod has none.
    pub fn family(&self) -> Option<&Family> {
        match &self.plant {
            Plant::Pod(_) => None,
            Plant::Network(network) => Some(&network.family),
        }
    }
    /// What formulas say of the distances, where the family has formulas.
    pub fn closed_form(&self) -> Option<ClosedForm> {
        self.family()?.closed_form()
    }
    /// `[router]`: its hosts, as the spec declares them. Every chip of a pod is one.
    pub fn declared_hosts(&self) -> Vec<u16> {
        match &self.plant {
            Plant::Pod(pod) => vec![1; pod.node_count()],
            Plant::Network(network) => network.hosts(self.router.hosts),
        }
    }
    /// Where `topology = ..` stands.
    pub fn topology_span(&self) -> Span {
        match &self.plant {
            Plant::Pod(pod) => pod.topology_span,
            Plant::Network(network) => network.span,
        }
    }
    /// Number of routers.
    pub fn node_count(&self) -> usize {
        match &self.plant {
            Plant::Pod(pod) => pod.node_count(),
            Plant::Network(network) => network.router_count(),
        }
    }
    /// Whether it is too large to be built, so that it is only described; what may be declared at all was
    /// decided before.
    pub fn is_too_large(&self) -> bool {
        matches!(self.plant, Plant::Network(_)) && self.node_count() as u64 > ROUTERS
    }
    /// Routers of a block that symmetries move as a whole, and the number of blocks: cubes of a pod, groups
    /// of a dragonfly; a block for every router of a network without groups.
    pub fn blocks(&self) -> (u32, u32) {
        match &self.plant {
            Plant::Pod(pod) => (pod.chips_per_cube(), pod.cubes),
            Plant::Network(network) => network.family.blocks(),
        }
    }
    /// The effort of the synthesis; 1 where the topology is given.
    pub fn effort(&self) -> u32 {
        match self.pod().map(|pod| &pod.topology) {
            Some(
                TopologyChoice::Synthesize(search) | TopologyChoice::SynthesizeNear(Near { search, .. }),
            ) => search.effort,
            _ => 1,
        }
    }
    /// `[link type]`: cycles of a hop over such a link: the latency of the router that is left, and of the
    /// link.
    pub fn hop_cycles(&self) -> IdVec<LinkTypeId, u64> {
        self.link_types
            .iter()
            .map(|link| u64::from(self.router.latency_cycles) + u64::from(link.latency_cycles))
            .collect()
    }
    /// How fast vectors are where they are scheduled: what the routing does not say follows from the slowest
    /// links in use. `slot` is the time of a flit, `hop` the latency of link and router.
    pub fn pace(&self) -> Option<SlotPace> {
        let (RoutingChoice::Scheduled(said), Plant::Network(network)) = (self.routing, &self.plant) else {
            return None;
        };
        let links = || network.links_in_use().into_iter().map(|link| &self.link_types[link]);
        let bits = u128::from(self.router.flit_bytes) * 8 * u128::from(self.clock_hz);
        let slot =
            links().map(|link| bits.div_ceil(u128::from(link.bandwidth_bps.max(1)))).max().unwrap_or(1);
        let latency = links().map(|link| link.latency_cycles).max().unwrap_or(0);
        Some(SlotPace {
            vector_bytes: said.vector_bytes.unwrap_or(self.router.flit_bytes).max(1),
            slot: said.slot.unwrap_or(u32::try_from(slot).unwrap_or(u32::MAX)).max(1),
            hop: said.hop.unwrap_or(latency.saturating_add(self.router.latency_cycles)).max(1),
            reduce: said.reduce,
            deskew: said.deskew.map_or(0, |every| match every {
                Every::Cycles(cycles) => cycles,
                Every::Picoseconds(span) => {
                    u32::try_from(u128::from(span) * u128::from(self.clock_hz) / 1_000_000_000_000)
                        .unwrap_or(u32::MAX)
                        .max(1)
                }
            }),
        })
    }
    /// Where vectors are scheduled and a spare block may take the place of any other: routers of a block, and
    /// how many blocks there are. A plan whose chips are all moved by some blocks is a plan.
    pub fn failover(&self) -> Option<(u32, u32)> {
        self.family().filter(|family| self.routing.is_scheduled() && family.replaces()).map(Family::blocks)
    }
    /// Whether a collective is between all pairs.
    pub fn exchanges(&self) -> bool {
        self.collectives.iter().any(|declared| declared.collective == Collective::AllToAll)
    }
    /// Whether nothing depends on the bisection but a line of the report: vectors are scheduled, and no line
    /// of the contract is about it.
    pub fn is_brief(&self) -> bool {
        let of_halves = |metric| matches!(metric, Metric::Graph(metric) if metric.is_of_halves());
        self.routing.is_scheduled()
            && !self.requires_flow()
            && !self.requires.iter().any(|require| of_halves(require.metric))
    }
    /// Whether a line of the contract is about the concurrent flow.
    pub fn requires_flow(&self) -> bool {
        let of_flow =
            |metric| matches!(metric, Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth);
        self.requires.iter().any(|require| of_flow(require.metric))
    }
    /// The concurrent flow that the spec requires under every tolerated fault, as a number; 0 where it
    /// requires none.
    pub fn required_fault_flow(&self) -> f64 {
        let of_faults =
            self.requires.iter().filter(|require| require.metric == Metric::ConcurrentFlow && require.fault);
        let numbers =
            of_faults.filter(|require| require.comparison.wants_more() && require.scale == Scale::Metric);
        numbers.map(|require| require.value.as_f64()).fold(0.0, f64::max)
    }
}
