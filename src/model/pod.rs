//! A resolved pod: ids instead of names, checked units, defaults filled in, and the place of every declaration.
//!
//! Comes in: nothing but `resolve`. Goes out: what every pass and check reads. Invariants: every face port is served by at most one
//! OCS; every OCS has room for its ports; the wiring fits the radix; OCS groups are sorted by name, so that ids do not depend on
//! the order of items in the spec.

use super::demand::Demand;
use crate::diag::Span;
use crate::ids::{CubeId, IdVec, LinkTypeId, NodeId, OcsGroupId, OcsId, PortId};

/// Names of the six ports of a chip, by [`PortId`].
pub const PORT_NAMES: [&str; 6] = ["+x", "-x", "+y", "-y", "+z", "-z"];

/// A pod as declared.
#[derive(Clone, Debug)]
pub struct Pod {
    /// Name of the fabric; also the name of its output directory.
    pub name: String,
    /// Clock of the routers, Hz.
    pub clock_hz: u64,
    /// Declared kinds of links, sorted by name.
    pub link_types: IdVec<LinkTypeId, LinkType>,
    /// The chip (router + endpoint).
    pub chip: Chip,
    /// The cube of electrically wired chips.
    pub cube: Cube,
    /// Number of cubes.
    pub cubes: u32,
    /// Where `cubes = ..` stands.
    pub cubes_span: Span,
    /// Declared groups of OCSes, sorted by name.
    pub ocs_groups: IdVec<OcsGroupId, OcsGroup>,
    /// All OCSes: group by group, within a group in row-major order of the indices.
    pub ocses: IdVec<OcsId, Ocs>,
    /// VC and fault budget.
    pub budget: Budget,
    /// What traffic must be carried.
    pub demand: Demand,
    /// How the topology is chosen.
    pub topology: TopologyChoice,
    /// Where `topology = ..` stands.
    pub topology_span: Span,
    /// How routes are chosen.
    pub routing: RoutingChoice,
    /// Where `routing = ..` stands.
    pub routing_span: Span,
    /// The contract, sorted as in the normalised spec.
    pub requires: Vec<Require>,
    /// The whole `fabric name { .. }` head, for errors without a better place.
    pub span: Span,
}

/// A kind of link.
#[derive(Clone, Debug)]
pub struct LinkType {
    /// Declared name.
    pub name: String,
    /// Bandwidth of one direction, bit/s.
    pub bandwidth_bps: u64,
    /// Propagation latency, router cycles.
    pub latency_cycles: u32,
    /// Its declaration.
    pub span: Span,
}

/// The chip.
#[derive(Clone, Debug)]
pub struct Chip {
    /// Ports that the router has.
    pub radix: u32,
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

/// A cube: a mesh of chips.
#[derive(Clone, Debug)]
pub struct Cube {
    /// Chips along x, y and z.
    pub dims: [u32; 3],
    /// The link inside the cube.
    pub mesh: LinkTypeId,
    /// Its declaration.
    pub span: Span,
}

/// One `ocs` item.
#[derive(Clone, Debug)]
pub struct OcsGroup {
    /// Declared name, such as `X`.
    pub name: String,
    /// Length of each index range; empty for a single OCS.
    pub shape: Vec<u32>,
    /// Its declaration.
    pub span: Span,
}

/// Which port pairs a switch may connect.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CoupleRule {
    /// `couple P with Q`: any `a` port to any `b` port.
    Sided,
    /// `couple any of P, Q`: any two different ports; all of them are in `a`, `b` is empty.
    Any,
}

/// How a cable end uses the switch.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Duplex {
    /// One switch port carries both directions.
    Circulator,
    /// One switch port on each side, one per direction.
    Pair,
}

/// An optical circuit switch.
#[derive(Clone, Debug)]
pub struct Ocs {
    /// `X[0,0]`, or `X` for a group without indices.
    pub name: String,
    /// The group it belongs to.
    pub group: OcsGroupId,
    /// Values of the group's indices.
    pub index: Vec<u32>,
    /// Which pairs it may connect.
    pub rule: CoupleRule,
    /// Face ports on side A, ascending by (cube, port, node); all face ports for [`CoupleRule::Any`].
    pub a: Vec<FacePort>,
    /// Face ports on side B, ascending by (cube, port, node).
    pub b: Vec<FacePort>,
    /// The fibre.
    pub link: LinkTypeId,
    /// Switch ports per side (N of an N x N switch).
    pub ports: u32,
    /// How a fibre pair uses the switch.
    pub duplex: Duplex,
    /// The declaration of its group.
    pub span: Span,
}

impl Ocs {
    /// The two face ports that a cross-connect joins, given by their indices: into `a` and `b`, or both into `a` of a switch without sides.
    pub fn faces(&self, [a, b]: [u32; 2]) -> [FacePort; 2] {
        let second = if self.rule == CoupleRule::Sided { &self.b } else { &self.a };
        [self.a[a as usize], second[b as usize]]
    }
}

/// A port on the face of a cube.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FacePort {
    /// The cube.
    pub cube: CubeId,
    /// The chip that owns the port.
    pub node: NodeId,
    /// The port of that chip.
    pub port: PortId,
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

/// What the pod must keep serving without.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Faults {
    /// Any set of at most this many dark OCSes, 0..=2; 0 for a pod that tolerates nothing.
    Ocses(u32),
    /// Any one link, copper or fibre.
    Link,
    /// Any one chip, its links with it; traffic from and to it is not served.
    Chip,
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
    /// `2 dark OCSes`: what may fail at once, for people; `None` where nothing may.
    pub fn worst(self) -> Option<&'static str> {
        match self {
            Faults::Ocses(0) => None,
            Faults::Ocses(1) => Some("1 dark OCS"),
            Faults::Ocses(_) => Some("2 dark OCSes"),
            Faults::Link => Some("1 dark link"),
            Faults::Chip => Some("1 dead chip"),
        }
    }
}

/// How the topology is chosen.
#[derive(Clone, PartialEq, Debug)]
pub enum TopologyChoice {
    /// `torus a x b x c`.
    Torus([u32; 3]),
    /// `twisted_torus a x b x c`.
    TwistedTorus([u32; 3]),
    /// `synthesize { .. }`.
    Synthesize(Synthesize),
    /// `synthesize { start = ..; moves <= n; .. }`.
    SynthesizeNear(Near),
    /// `cross_connects "file"`: path as written, and the file's text as the loader returned it.
    CrossConnects {
        /// Path as written in the spec.
        path: String,
        /// The `fabc.ocs/1` JSON text.
        text: String,
    },
}

/// A synthesis that starts from live cross-connects and may change few of them.
#[derive(Clone, PartialEq, Debug)]
pub struct Near {
    /// Path of the live cross-connects as written in the spec.
    pub path: String,
    /// The `fabc.ocs/1` JSON text.
    pub text: String,
    /// The most moves: cross-connects of the result that the live setting does not have.
    pub moves: u64,
    /// The other settings.
    pub search: Synthesize,
}

/// Settings of the synthesis.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Synthesize {
    /// Whether cubes must be interchangeable.
    pub symmetry: SymmetryChoice,
    /// Work: 1 is the default; search evaluations and certificate rounds grow with it.
    pub effort: u32,
    /// Seed of the search.
    pub seed: u64,
    /// How the topology is found.
    pub method: SynthesisMethod,
    /// What the search maximises or minimises.
    pub objective: Objective,
    /// Seconds after which the search stops where it is; the result then depends on the machine.
    pub time_limit: Option<u32>,
}

impl Default for Synthesize {
    /// What holds where the spec is silent.
    fn default() -> Self {
        Self {
            symmetry: SymmetryChoice::Auto,
            effort: 1,
            seed: 1,
            objective: Objective::Flow,
            time_limit: None,
            method: SynthesisMethod::Search,
        }
    }
}

/// Effort that `effort = max` stands for.
pub const MAX_EFFORT: u32 = 24;

/// `objective = ..` of `synthesize`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Objective {
    /// The largest concurrent flow.
    Flow,
    /// The fewest average hops, whatever the fibres bear.
    Hops,
}

/// `method = ..` of `synthesize`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SynthesisMethod {
    /// Threshold accepting; any size.
    Search,
    /// The mixed-integer program, within `nodes` nodes of branch and bound; small pods.
    Milp {
        /// Branch-and-bound nodes.
        nodes: u32,
    },
    /// The linear relaxation, again and again, with the `fix` largest fractions rounded up each time; small pods.
    Relax {
        /// Choices that are fixed at a time.
        fix: u32,
    },
}

/// `symmetry = ..` of `synthesize`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SymmetryChoice {
    /// One translation of the cubes per OCS.
    Translation,
    /// Any matching.
    None,
    /// Translation where the pod allows it, otherwise none; the report says which.
    Auto,
}

/// How routes are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoutingChoice {
    /// Shortest paths allowed by an optimised rank order.
    AllowedTurns(AllowedTurns),
    /// Dimension by dimension with datelines; tori only.
    DimensionOrder,
    /// up*/down*.
    UpDown,
}

/// The settings of `routing = allowed_turns { .. }`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AllowedTurns {
    /// Which turns are allowed first; `None` for an order optimised as a whole.
    pub priority: Option<TurnPriority>,
    /// How routes are chosen among the allowed paths.
    pub select: RouteSelect,
    /// What the tables look packets up by.
    pub key: TableKey,
}

impl AllowedTurns {
    /// The settings that differ from the defaults, as they are written: `priority = random; key = dst;`.
    pub fn written(&self) -> String {
        let priority = self.priority.map(|priority| format!("priority = {};", priority.name()));
        let select = (self.select != RouteSelect::Descent).then(|| "select = ilp;".to_owned());
        let key = (self.key != TableKey::DstInput).then(|| "key = dst;".to_owned());
        [priority, select, key].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// In which order turns are allowed, each unless it closes a cycle.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnPriority {
    /// By how many of the routes chosen without any constraint take the turn.
    ChosenPaths,
    /// By how many shortest paths take it.
    AllPaths,
    /// In a random order.
    Random,
}

impl TurnPriority {
    /// All priorities.
    pub const ALL: [TurnPriority; 3] = [TurnPriority::ChosenPaths, TurnPriority::AllPaths, TurnPriority::Random];

    /// The name in specs.
    pub fn name(self) -> &'static str {
        match self {
            TurnPriority::ChosenPaths => "chosen_paths",
            TurnPriority::AllPaths => "all_paths",
            TurnPriority::Random => "random",
        }
    }
}

/// How routes are chosen among the allowed paths.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RouteSelect {
    /// By descent of a potential of the channel loads.
    #[default]
    Descent,
    /// By an integer linear program; small pods only.
    Ilp,
}

/// What a router looks a packet up by.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TableKey {
    /// Destination, input port and input VC.
    #[default]
    DstInput,
    /// Destination alone: all packets to it leave alike, whichever way they came in.
    Dst,
}

impl TableKey {
    /// All keys.
    pub const ALL: [TableKey; 2] = [TableKey::DstInput, TableKey::Dst];

    /// The columns of the key, as `fabc.tables/1` names them.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            TableKey::DstInput => &["dst", "in_port", "in_vc"],
            TableKey::Dst => &["dst"],
        }
    }
}

/// `require metric >= value`.
#[derive(Clone, Debug)]
pub struct Require {
    /// The metric.
    pub metric: Metric,
    /// Whether it is about the worst tolerated fault (`fault.` prefix).
    pub fault: bool,
    /// How it must compare.
    pub comparison: Comparison,
    /// With what.
    pub value: f64,
    /// The value as written.
    pub value_text: String,
    /// The whole line.
    pub span: Span,
}

/// What can be required. Definitions: design.md section 3 and `docs/language.md`.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Metric {
    /// Largest hop distance.
    Diameter,
    /// Mean hop distance over ordered pairs.
    AverageHops,
    /// Certified lower end of the maximum concurrent flow.
    ConcurrentFlow,
    /// Flits per cycle per node.
    Injection,
    /// GB/s per chip.
    Bandwidth,
    /// Routes over the busiest channel.
    MaxChannelLoad,
    /// Maximum channel load over its lower bound.
    LoadRatio,
    /// Mean route hops over mean hop distance.
    HopsRatio,
    /// Largest share of hops in one VC.
    VcBalance,
    /// OCS-disjoint spanning trees over the cubes.
    DisjointTrees,
}

impl Metric {
    /// All metrics, in report order.
    pub const ALL: [Metric; 10] = [
        Metric::Diameter,
        Metric::AverageHops,
        Metric::ConcurrentFlow,
        Metric::Injection,
        Metric::Bandwidth,
        Metric::MaxChannelLoad,
        Metric::LoadRatio,
        Metric::HopsRatio,
        Metric::VcBalance,
        Metric::DisjointTrees,
    ];
    /// The name in specs and reports.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Diameter => "diameter",
            Metric::AverageHops => "average_hops",
            Metric::ConcurrentFlow => "concurrent_flow",
            Metric::Injection => "injection",
            Metric::Bandwidth => "bandwidth",
            Metric::MaxChannelLoad => "max_channel_load",
            Metric::LoadRatio => "load_ratio",
            Metric::HopsRatio => "hops_ratio",
            Metric::VcBalance => "vc_balance",
            Metric::DisjointTrees => "disjoint_trees",
        }
    }
    /// Whether a larger value is the better one (decides which fault is the worst).
    pub fn larger_is_better(self) -> bool {
        matches!(self, Metric::ConcurrentFlow | Metric::Injection | Metric::Bandwidth | Metric::DisjointTrees)
    }
}

/// A comparison.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Comparison {
    /// `<=`
    AtMost,
    /// `>=`
    AtLeast,
    /// `<`
    Less,
    /// `>`
    Greater,
    /// `==`
    Equal,
}

impl Comparison {
    /// As written.
    pub fn symbol(self) -> &'static str {
        match self {
            Comparison::AtMost => "<=",
            Comparison::AtLeast => ">=",
            Comparison::Less => "<",
            Comparison::Greater => ">",
            Comparison::Equal => "==",
        }
    }
    /// Whether larger values satisfy it.
    pub fn wants_more(self) -> bool {
        matches!(self, Comparison::AtLeast | Comparison::Greater)
    }
    /// Whether `measured` satisfies it.
    pub fn holds<T: PartialOrd>(self, measured: T, wanted: T) -> bool {
        match self {
            Comparison::AtMost => measured <= wanted,
            Comparison::AtLeast => measured >= wanted,
            Comparison::Less => measured < wanted,
            Comparison::Greater => measured > wanted,
            Comparison::Equal => measured == wanted,
        }
    }
}

impl Pod {
    /// The effort of the synthesis; 1 where the topology is given.
    pub fn effort(&self) -> u32 {
        match &self.topology {
            TopologyChoice::Synthesize(search) | TopologyChoice::SynthesizeNear(Near { search, .. }) => search.effort,
            _ => 1,
        }
    }
    /// The concurrent flow that the spec requires under every tolerated fault; 0 where it requires none.
    pub fn required_fault_flow(&self) -> f64 {
        let of_faults = self.requires.iter().filter(|require| require.metric == Metric::ConcurrentFlow && require.fault);
        of_faults.filter(|require| require.comparison.wants_more()).map(|require| require.value).fold(0.0, f64::max)
    }
    /// Chips in one cube.
    pub fn chips_per_cube(&self) -> u32 {
        self.cube.dims.iter().product()
    }
    /// Number of routers.
    pub fn node_count(&self) -> usize {
        self.chips_per_cube() as usize * self.cubes as usize
    }
    /// The node at a position of a cube.
    pub fn node(&self, cube: CubeId, at: [u32; 3]) -> NodeId {
        let [ax, ay, _] = self.cube.dims;
        NodeId(cube.0 * self.chips_per_cube() + at[0] + ax * at[1] + ax * ay * at[2])
    }
    /// The cube of a node.
    pub fn cube_of(&self, node: NodeId) -> CubeId {
        CubeId(node.0 / self.chips_per_cube())
    }
    /// The position of a node within its cube.
    pub fn at(&self, node: NodeId) -> [u32; 3] {
        let [ax, ay, _] = self.cube.dims;
        let local = node.0 % self.chips_per_cube();
        [local % ax, local / ax % ay, local / (ax * ay)]
    }
    /// `cube3[1,2,3]`.
    pub fn node_name(&self, node: NodeId) -> String {
        let [x, y, z] = self.at(node);
        format!("cube{}[{x},{y},{z}]", self.cube_of(node))
    }
    /// `cube0.+x[0,0]`: the cube, the face and the position on it.
    pub fn face_port_name(&self, face: FacePort) -> String {
        let [x, y, z] = self.at(face.node);
        let (u, v) = match face.port.0 / 2 {
            0 => (y, z),
            1 => (x, z),
            _ => (x, y),
        };
        format!("cube{}.{}[{u},{v}]", face.cube, PORT_NAMES[face.port.0 as usize])
    }
    /// Bandwidth of one channel, bit/s (all links of a pod have the same: `resolve` sees to it).
    pub fn channel_bandwidth_bps(&self) -> u64 {
        self.link_types[self.cube.mesh].bandwidth_bps
    }
}
