//! How routes are chosen.

use super::metric::Metric;
use super::word::{Word, words};
use fabc_topology::TableKey;

/// The routing method of a fabric.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoutingChoice {
    /// One shortest path per pair, balanced. The virtual channel counts the hops. Networks only.
    Minimal,
    /// One shortest path per pair by a formula of the family. Networks with a formula only.
    Algebraic,
    /// Shortest paths allowed by an optimized rank order.
    AllowedTurns(AllowedTurns),
    /// Dimension by dimension with datelines: tori, and grids of a network.
    DimensionOrder,
    /// Up*/down* routing on a spanning tree.
    UpDown,
    /// Tables list next-hop groups: the shortest paths that go up and then down. Networks with tiers only.
    ManyPaths(NextHopGroups),
    /// No tables: fabc plans the cycle of every vector on every channel. Networks only.
    Scheduled(Scheduled),
}

words!(RoutingChoice {
    Self::AllowedTurns(AllowedTurns::NONE) => Self::AllowedTurns(_) => "allowed_turns",
    Self::DimensionOrder => Self::DimensionOrder => "dimension_order",
    Self::UpDown => Self::UpDown => "up_down",
    Self::Minimal => Self::Minimal => "minimal",
    Self::Algebraic => Self::Algebraic => "algebraic",
    Self::ManyPaths(NextHopGroups::SPRAY) => Self::ManyPaths(NextHopGroups { spreading: Spreading::Spray, .. }) => "spray",
    Self::ManyPaths(NextHopGroups::ECMP) => Self::ManyPaths(NextHopGroups { spreading: Spreading::Ecmp(_), .. }) => "ecmp",
    Self::Scheduled(Scheduled::DEFAULT) => Self::Scheduled(_) => "scheduled",
});

/// How routers divide the packets to a destination among next hops.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct NextHopGroups {
    /// The rule by which a router chooses a member of a group.
    pub spreading: Spreading,
    /// The probability of every member.
    pub weights: MemberWeights,
    /// The rule by which links lead up or down.
    pub order: TierOrder,
}

/// Which links lead up. Packets go up and then down.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TierOrder {
    /// Those that lead away from the endpoints. No link may join two routers of one distance.
    #[default]
    Tiers,
    /// Those that lead to this router, by distance and then by ids (up*/down* routing).
    UpDown {
        /// The id of the router at the top.
        root: u32,
    },
}

/// The words of [`TierOrder`] in specs.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TierOrderWord {
    /// The word of [`TierOrder::Tiers`], the default.
    #[default]
    Tiers,
    /// The word of [`TierOrder::UpDown`], which needs a root.
    UpDown,
}

words!(TierOrderWord { Tiers = "tiers", UpDown = "up_down" });

/// The probability with which a member of a next-hop group is chosen.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum MemberWeights {
    /// All members have the same probability.
    #[default]
    Equal,
    /// In proportion to what the member can still carry to the destination.
    Capacity,
}

words!(MemberWeights { Equal = "equal", Capacity = "capacity" });

impl NextHopGroups {
    /// Packets that are sprayed over all members alike.
    pub const SPRAY: Self =
        Self { spreading: Spreading::Spray, weights: MemberWeights::Equal, order: TierOrder::Tiers };
    /// One flow per pair of hosts, with equal probabilities.
    pub const ECMP: Self = Self { spreading: Spreading::Ecmp(Ecmp::DEFAULT), ..Self::SPRAY };

    /// The settings that differ from the defaults, as a spec writes them: `flows = 4;`.
    pub fn written(&self) -> String {
        let of_hash = match self.spreading {
            Spreading::Ecmp(ecmp) => ecmp.written(),
            Spreading::Spray => String::new(),
        };
        let weights = match self.weights {
            MemberWeights::Equal => String::new(),
            weights => format!("weights = {};", weights.name()),
        };
        let order = match self.order {
            TierOrder::Tiers => String::new(),
            TierOrder::UpDown { root } => {
                format!("order = {}; root = {root};", TierOrderWord::UpDown.name())
            }
        };
        let settings = [of_hash, weights, order].into_iter().filter(|setting| !setting.is_empty());
        settings.collect::<Vec<_>>().join(" ")
    }
}

/// The rule by which a router chooses a member of a next-hop group.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Spreading {
    /// Every packet takes any member, each with the same probability.
    Spray,
    /// Every flow takes one member, chosen by a hash. All members have the same probability.
    Ecmp(Ecmp),
}

/// The settings of `routing = ecmp { .. }`, with defaults filled in.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Ecmp {
    /// The input of the hash.
    pub hash: HashInput,
    /// Number of flows (queue pairs) of every ordered pair of hosts. At least 1.
    pub flows: u32,
}

/// The part of a packet that routers hash to choose a member of a next-hop group.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum HashInput {
    /// The flow: source, destination and queue pair. So all packets of a flow take the same path.
    #[default]
    Flow,
}

words!(HashInput { Flow = "flow" });

/// The most flows of a pair of hosts that a spec may ask for.
pub const MAX_FLOWS: u32 = 1 << 16;

impl Ecmp {
    /// The settings where the spec gives none.
    pub const DEFAULT: Self = Self { hash: HashInput::Flow, flows: 1 };

    /// The settings that differ from the defaults, as a spec writes them: `flows = 4;`.
    pub fn written(&self) -> String {
        let flows = (self.flows != Self::DEFAULT.flows).then(|| format!("flows = {};", self.flows));
        flows.unwrap_or_default()
    }
}

/// The settings of `routing = scheduled { .. }`. Missing settings follow from router and links
/// ([`Fabric::pace`](super::Fabric::pace)).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scheduled {
    /// Bytes of payload of a vector. `None`: a flit.
    pub vector_bytes: Option<u32>,
    /// Cycles from one vector to the next on a channel.
    pub slot: Option<u32>,
    /// Cycles after which a vector that was sent can be used or sent on.
    pub hop: Option<u32>,
    /// Cycles from the arrival of the last vector of a sum until the sum is ready.
    pub reduce: u32,
    /// The period after which all channels rest so that clocks are aligned. `None`: never.
    pub deskew: Option<Every>,
}

/// A span of time as a spec says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Every {
    /// A number of router cycles.
    Cycles(u32),
    /// Picoseconds, which become cycles once the clock is known.
    Picoseconds(u64),
}

impl Scheduled {
    /// The settings where the spec gives none.
    pub const DEFAULT: Self = Self { vector_bytes: None, slot: None, hop: None, reduce: 0, deskew: None };
}

/// Cycles in which all channels rest while clocks are aligned. It is the period of the aligned counters (Abts
/// and others, ISCA 2022, section 3: 252 cycles).
pub const DESKEW_CYCLES: u32 = 252;

/// The pace of vectors, the same on every channel.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotPace {
    /// Bytes of payload of a vector.
    pub vector_bytes: u32,
    /// Cycles from one vector to the next on a channel.
    pub slot: u32,
    /// Cycles after which a vector that was sent can be used or sent on.
    pub hop: u32,
    /// Cycles from the arrival of the last vector of a sum until the sum is ready.
    pub reduce: u32,
    /// Period in cycles after which all channels rest for [`DESKEW_CYCLES`], not at the start. 0: never.
    pub deskew: u32,
}

/// The settings of `routing = allowed_turns { .. }`, with defaults filled in.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AllowedTurns {
    /// The order in which turns are allowed. `None`: an order optimized as a whole.
    pub priority: Option<TurnPriority>,
    /// The method that chooses routes among the allowed paths.
    pub select: RouteSelect,
    /// The key of the tables.
    pub key: TableKey,
    /// The most hops of a route beyond the diameter. `None`: routes of a network aim at [`AIMED_DETOUR`], as
    /// far as that costs no load.
    pub detour: Option<u32>,
}

/// The hops beyond the diameter that routes of a network aim at.
pub const AIMED_DETOUR: u32 = 2;

impl RoutingChoice {
    /// Whether vectors are scheduled, so that there are no tables.
    pub fn is_scheduled(self) -> bool {
        matches!(self, RoutingChoice::Scheduled(_))
    }
    /// Whether tables list next-hop groups, so that a pair has many paths. Networks only.
    pub fn has_many_paths(self) -> bool {
        self.spreading().is_some()
    }
    /// The rule by which routers choose among next hops. `None` where every pair has one path.
    pub fn spreading(self) -> Option<Spreading> {
        match self {
            RoutingChoice::ManyPaths(groups) => Some(groups.spreading),
            _ => None,
        }
    }
    /// How routers divide packets among next hops. `None` where every pair has one path.
    pub fn next_hop_groups(self) -> Option<NextHopGroups> {
        match self {
            RoutingChoice::ManyPaths(groups) => Some(groups),
            _ => None,
        }
    }
    /// The probability of the members of a group. Equal where every pair has one path.
    pub fn weights(self) -> MemberWeights {
        self.next_hop_groups().map_or(MemberWeights::Equal, |groups| groups.weights)
    }
    /// The settings of `ecmp`. `None` for other methods.
    pub fn ecmp(self) -> Option<Ecmp> {
        match self {
            RoutingChoice::ManyPaths(NextHopGroups { spreading: Spreading::Ecmp(ecmp), .. }) => Some(ecmp),
            _ => None,
        }
    }
    /// Which links lead up. By tiers where every pair has one path.
    pub fn tier_order(self) -> TierOrder {
        self.next_hop_groups().map_or(TierOrder::Tiers, |groups| groups.order)
    }
    /// The settings of `ecmp` with equal probabilities and tiers, for which collisions are counted.
    pub fn even_ecmp(self) -> Option<Ecmp> {
        let is_even = self.weights() == MemberWeights::Equal && self.tier_order() == TierOrder::Tiers;
        self.ecmp().filter(|_| is_even)
    }
    /// Whether this method has a metric of the routes of tables. Other metrics do not depend on the method.
    pub fn has_metric(self, metric: Metric) -> bool {
        match metric {
            Metric::Permutation => self.has_many_paths(),
            Metric::Collision | Metric::CollisionWorst => self.even_ecmp().is_some(),
            metric => !(metric.needs_routes() && self.is_scheduled()),
        }
    }
    /// The most hops of a route beyond the diameter, if the spec says so.
    pub fn most_detour(self) -> Option<u32> {
        if let RoutingChoice::AllowedTurns(turns) = self { turns.detour } else { None }
    }
    /// The method with the settings that differ from the defaults, as a spec writes it.
    pub fn written(self) -> String {
        let settings = match self {
            RoutingChoice::AllowedTurns(settings) => settings.written(),
            RoutingChoice::ManyPaths(groups) => groups.written(),
            _ => String::new(),
        };
        if settings.is_empty() { self.name().to_owned() } else { format!("{} {{ {settings} }}", self.name()) }
    }
    /// Whether only networks of routers have this routing.
    pub fn is_for_networks_only(self) -> bool {
        self.is_shortest_by_destination() || self.is_scheduled() || self.has_many_paths()
    }
    /// Whether every pair has one shortest path, and the destination alone is the key of the tables. Networks
    /// only.
    pub fn is_shortest_by_destination(self) -> bool {
        matches!(self, RoutingChoice::Minimal | RoutingChoice::Algebraic)
    }
}

impl AllowedTurns {
    /// The settings where the spec gives none.
    pub const NONE: Self =
        Self { priority: None, select: RouteSelect::Descent, key: TableKey::DstInput, detour: None };

    /// The settings that differ from the defaults, as a spec writes them: `priority = random; key = dst;`.
    pub fn written(&self) -> String {
        let priority = self.priority.map(|priority| format!("priority = {};", priority.name()));
        let select =
            (self.select != RouteSelect::default()).then(|| format!("select = {};", self.select.name()));
        let key = (self.key != TableKey::default()).then(|| format!("key = {};", self.key.name()));
        let detour = self.detour.map(|detour| format!("detour = {detour};"));
        [priority, select, key, detour].into_iter().flatten().collect::<Vec<_>>().join(" ")
    }
}

/// The order in which turns are allowed. A turn that would close a cycle is not allowed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TurnPriority {
    /// By the number of routes, chosen without any constraint, that take the turn.
    ChosenPaths,
    /// By the number of shortest paths that take the turn.
    AllPaths,
    /// By a seeded random order.
    Random,
}

words!(TurnPriority { ChosenPaths = "chosen_paths", AllPaths = "all_paths", Random = "random" });

/// The method that chooses routes among the allowed paths.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RouteSelect {
    /// By descent of a potential of the channel loads.
    #[default]
    Descent,
    /// By an integer linear program. Small pods only.
    Ilp,
}

words!(RouteSelect { Descent = "descent", Ilp = "ilp" });

impl Word for TableKey {
    const WORDS: &'static [Self] = &[Self::DstInput, Self::Dst];

    fn word(self) -> &'static str {
        self.name()
    }
}
