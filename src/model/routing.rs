//! How routes are chosen.

use super::word::{Word, words};
use fabc_topology::TableKey;

/// How routes are chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RoutingChoice {
    /// One shortest path per pair, balanced; the virtual channel counts the hops. Networks only.
    Minimal,
    /// The same by a formula of the family. Networks that have one only.
    Algebraic,
    /// Shortest paths allowed by an optimized rank order.
    AllowedTurns(AllowedTurns),
    /// Dimension by dimension with datelines: tori, and grids of a network.
    DimensionOrder,
    /// up*/down*.
    UpDown,
    /// No tables: the cycle of every vector on every channel is planned. Networks only.
    Scheduled(Scheduled),
}

words!(RoutingChoice {
    Self::AllowedTurns(AllowedTurns::NONE) => Self::AllowedTurns(_) => "allowed_turns",
    Self::DimensionOrder => Self::DimensionOrder => "dimension_order",
    Self::UpDown => Self::UpDown => "up_down",
    Self::Minimal => Self::Minimal => "minimal",
    Self::Algebraic => Self::Algebraic => "algebraic",
    Self::Scheduled(Scheduled::DEFAULT) => Self::Scheduled(_) => "scheduled",
});

/// The settings of `routing = scheduled { .. }`; what is not written follows from router and links
/// ([`Fabric::pace`](super::Fabric::pace)).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Scheduled {
    /// Bytes of payload of a vector; without, a flit.
    pub vector_bytes: Option<u32>,
    /// Cycles from one vector to the next on a channel.
    pub slot: Option<u32>,
    /// Cycles after which a vector that was sent can be used or sent on.
    pub hop: Option<u32>,
    /// Cycles that a sum takes from its last vector on.
    pub reduce: u32,
    /// How often all channels rest so that clocks are set anew; without, never.
    pub deskew: Option<Every>,
}

/// A span of time as a spec says it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Every {
    /// Of the clock.
    Cycles(u32),
    /// Of the clock once it is known.
    Picoseconds(u64),
}

impl Scheduled {
    /// Nothing said.
    pub const DEFAULT: Self = Self { vector_bytes: None, slot: None, hop: None, reduce: 0, deskew: None };
}

/// Cycles in which no channel carries anything while clocks are set anew: the period of the counters that are
/// aligned (Abts and others, ISCA 2022, section 3: 252 cycles).
pub const DESKEW_CYCLES: u32 = 252;

/// How fast vectors are, on every channel alike.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct SlotPace {
    /// Bytes of payload of a vector.
    pub vector_bytes: u32,
    /// Cycles from one vector to the next on a channel.
    pub slot: u32,
    /// Cycles after which a vector that was sent can be used or sent on.
    pub hop: u32,
    /// Cycles that a sum takes from its last vector on.
    pub reduce: u32,
    /// Every so many cycles, but not at the start, no channel carries anything for [`DESKEW_CYCLES`]; 0:
    /// never.
    pub deskew: u32,
}

/// The settings of `routing = allowed_turns { .. }`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct AllowedTurns {
    /// Which turns are allowed first; `None` for an order optimized as a whole.
    pub priority: Option<TurnPriority>,
    /// How routes are chosen among the allowed paths.
    pub select: RouteSelect,
    /// What the tables look packets up by.
    pub key: TableKey,
}

impl RoutingChoice {
    /// Whether every vector has its cycle, and there are no tables.
    pub fn is_scheduled(self) -> bool {
        matches!(self, RoutingChoice::Scheduled(_))
    }
    /// Whether every pair has one shortest path, and routers look packets up by their destination alone:
    /// networks only.
    pub fn is_shortest_by_destination(self) -> bool {
        matches!(self, RoutingChoice::Minimal | RoutingChoice::Algebraic)
    }
}

impl AllowedTurns {
    /// Nothing said: the defaults.
    pub const NONE: Self = Self { priority: None, select: RouteSelect::Descent, key: TableKey::DstInput };

    /// The settings that differ from the defaults, as they are written: `priority = random; key = dst;`.
    pub fn written(&self) -> String {
        let priority = self.priority.map(|priority| format!("priority = {};", priority.name()));
        let select =
            (self.select != RouteSelect::default()).then(|| format!("select = {};", self.select.name()));
        let key = (self.key != TableKey::default()).then(|| format!("key = {};", self.key.name()));
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

words!(TurnPriority { ChosenPaths = "chosen_paths", AllPaths = "all_paths", Random = "random" });

/// How routes are chosen among the allowed paths.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum RouteSelect {
    /// By descent of a potential of the channel loads.
    #[default]
    Descent,
    /// By an integer linear program; small pods only.
    Ilp,
}

words!(RouteSelect { Descent = "descent", Ilp = "ilp" });

impl Word for TableKey {
    const WORDS: &'static [Self] = &[Self::DstInput, Self::Dst];

    fn word(self) -> &'static str {
        self.name()
    }
}
