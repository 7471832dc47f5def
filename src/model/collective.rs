//! Collective operations, and the algorithms for them.

use super::Scenarios;
use crate::word::words;
use fabc_base::diag::Span;

/// A collective operation among N chips. Sizes are per chip and of the full vector, M bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Collective {
    /// Each chip starts with a shard of M / N bytes and ends with all of them.
    AllGather,
    /// Each chip starts with M bytes, and chip i ends with the sum of all parts i, M / N bytes.
    ReduceScatter,
    /// Each chip starts with M bytes and ends with the sum over all chips.
    AllReduce,
    /// The root's M bytes go to all chips.
    Broadcast,
    /// The M bytes of all chips are summed at the root.
    Reduce,
    /// Each chip has M / N bytes for each chip.
    AllToAll,
    /// Chips have bytes for others, as a list of messages says. Only where vectors are scheduled. M is the
    /// total of all messages.
    Send,
}

impl Collective {
    /// Whether chips add up what they receive.
    pub fn adds_up(self) -> bool {
        matches!(self, Collective::ReduceScatter | Collective::AllReduce | Collective::Reduce)
    }

    /// Number of vectors that a collective of `bytes` per chip takes: per pair in an all-to-all, per chip in
    /// a gather or a reduce-scatter, otherwise in all.
    pub fn vectors(self, bytes: u64, chips: u64, vector_bytes: u32) -> u64 {
        let parts = match self {
            Collective::AllToAll | Collective::AllGather | Collective::ReduceScatter => chips.max(1),
            Collective::AllReduce | Collective::Broadcast | Collective::Reduce | Collective::Send => 1,
        };
        bytes.div_ceil(parts.saturating_mul(u64::from(vector_bytes.max(1)))).max(1)
    }
}

/// `collective name = all_reduce { .. }`: what a build plans, checks and times.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclaredCollective {
    /// The name that `require` lines and files use.
    pub name: String,
    /// The operation that chips do together.
    pub collective: Collective,
    /// Bytes per chip, of the full vector. Positive.
    pub size: u64,
    /// The only algorithm that may be used. `None`: the fastest.
    pub algorithm: Option<CollectiveAlgorithm>,
    /// Parts of a shard, or of the root's vector. `None`: as many as fit.
    pub chunks: Option<u32>,
    /// The root as it is written, a router by name or number. `None` for a collective without a root.
    pub root: Option<String>,
    /// Picoseconds of a message during which its channel does nothing else.
    pub overhead_ps: u64,
    /// Whether all chips wait for each other after every step.
    pub barrier: bool,
    /// Chips of a group: every group of consecutive chips does the collective by itself. `None`: all chips do
    /// it together.
    pub groups: Option<u32>,
    /// The messages of a `send` or of `pairs`.
    pub messages: Option<DeclaredMessages>,
    /// The seed for ties that are broken at random.
    pub seed: u64,
    /// The scenarios that it is planned for.
    pub scenarios: Scenarios,
    /// The collective that must be over before this one starts, by its index in the fabric. Only where
    /// vectors are scheduled.
    pub after: Option<usize>,
    /// The words `collective name` in the spec.
    pub span: Span,
}

/// The messages of a collective.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclaredMessages {
    /// The messages as they are written, at least one.
    pub all: Vec<DeclaredMessage>,
    /// The paths that a message may take.
    pub ways: MessageWays,
    /// The text of the file that they come from, if they come from one.
    pub text: Option<String>,
}

/// A message from one chip to another.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclaredMessage {
    /// The sender, by name or number.
    pub from: String,
    /// The receiver, by name or number.
    pub to: String,
    /// Bytes of the message, positive.
    pub bytes: u64,
    /// The message is available this many cycles after the start of the collective.
    pub earliest: u32,
}

/// The paths that the vectors of a message may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageWays {
    /// Any path through the network.
    Any,
    /// Only paths with the fewest hops.
    Minimal,
    /// At most this many paths.
    Most(u32),
}

impl MessageWays {
    /// The largest number of paths, `usize::MAX` without a limit.
    pub fn limit(self) -> usize {
        if let MessageWays::Most(limit) = self { limit as usize } else { usize::MAX }
    }
}

/// The algorithm of a collective.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CollectiveAlgorithm {
    /// Matched gather with few steps of many chunks.
    Steps,
    /// Matched gather chunk by chunk.
    Slots,
    /// Trees that grow in turns, an epoch at a time (Huang and others, ISCA 2021).
    MultiTree,
    /// A reduce-scatter, and then an all-gather.
    GatherReduce,
    /// Every chip gathers all vectors and sums them by itself.
    Local,
    /// Spanning trees that share links evenly, each reduced up and broadcast down.
    Trees,
    /// Every router pulls the rarest chunk first.
    Pull,
    /// Each message follows the forwarding tables.
    Direct,
    /// Trees over the chips whose edges are paths through routers that only forward.
    Forest,
    /// In groups: trees over the channels between the chips of a group.
    Within,
    /// In groups: around a cycle of the chips of a group, half of the data each way, along the forwarding
    /// tables.
    Ring,
    /// Balanced paths of its own, whatever the forwarding tables say. Where vectors are scheduled, each of
    /// them takes one, the longest remaining path first.
    Paths,
    /// Scheduled: every channel takes the rarest vector that the router at its end lacks.
    Flood,
    /// Scheduled: each group sums, and its sum goes to all groups, in the fewest possible hops.
    Hops,
    /// Scheduled: each group sums one portion of the vectors and sends the sum to all others.
    Portions,
    /// Scheduled: every vector takes the path that ends first.
    Quickest,
}

words!(Collective {
    AllGather = "all_gather",
    ReduceScatter = "reduce_scatter",
    AllReduce = "all_reduce",
    Broadcast = "broadcast",
    Reduce = "reduce",
    AllToAll = "all_to_all",
    Send = "send",
});

words!(CollectiveAlgorithm {
    Steps = "steps",
    Slots = "slots",
    MultiTree = "multitree",
    GatherReduce = "gather_reduce",
    Local = "local",
    Trees = "trees",
    Pull = "pull",
    Direct = "direct",
    Forest = "forest",
    Within = "within",
    Ring = "ring",
    Paths = "paths",
    Flood = "flood",
    Hops = "hops",
    Portions = "portions",
    Quickest = "quickest",
});

impl CollectiveAlgorithm {
    /// The algorithms of a collective where vectors are scheduled. Empty for a collective that is not
    /// scheduled.
    pub fn for_slots(collective: Collective) -> &'static [CollectiveAlgorithm] {
        use CollectiveAlgorithm::{Flood, Hops, Paths, Portions, Quickest, Trees};
        match collective {
            Collective::AllGather | Collective::ReduceScatter | Collective::Broadcast => &[Flood],
            Collective::AllReduce => &[Trees, Portions, Hops],
            Collective::AllToAll => &[Paths],
            Collective::Send => &[Quickest],
            Collective::Reduce => &[],
        }
    }
    /// Whether chunks are copied or added up at the routers on their route. Then every router must be a chip.
    pub fn copies_chunks(self) -> bool {
        !matches!(
            self,
            CollectiveAlgorithm::Direct
                | CollectiveAlgorithm::Forest
                | CollectiveAlgorithm::Paths
                | CollectiveAlgorithm::Within
                | CollectiveAlgorithm::Ring
        )
    }
    /// Whether it sends messages along the forwarding tables.
    pub fn follows_tables(self) -> bool {
        matches!(self, CollectiveAlgorithm::Direct | CollectiveAlgorithm::Ring)
    }
    /// The algorithms of a collective that groups of chips do at the same time, on a fabric with forwarding
    /// tables. Empty for a collective that has no groups.
    pub fn for_groups(collective: Collective) -> &'static [CollectiveAlgorithm] {
        use CollectiveAlgorithm::{Direct, Paths, Ring, Trees, Within};
        match collective {
            Collective::AllGather | Collective::ReduceScatter => &[Within, Trees, Ring, Direct],
            // Its halves run over the same links, which the tables need not do.
            Collective::AllReduce => &[Within, Trees],
            Collective::AllToAll => &[Direct, Paths],
            Collective::Broadcast | Collective::Reduce | Collective::Send => &[],
        }
    }
    /// The algorithms of a collective on a fabric with forwarding tables.
    pub fn for_tables(collective: Collective) -> &'static [CollectiveAlgorithm] {
        use CollectiveAlgorithm::{
            Direct, Forest, GatherReduce, Local, MultiTree, Paths, Pull, Slots, Steps, Trees,
        };
        match collective {
            Collective::AllGather | Collective::ReduceScatter => &[Steps, Slots, MultiTree, Forest, Direct],
            Collective::AllReduce => &[GatherReduce, Trees, Local, Forest, Direct],
            Collective::Broadcast | Collective::Reduce => &[Pull, Forest, Direct],
            Collective::AllToAll => &[Direct, Paths],
            Collective::Send => &[],
        }
    }
}

impl Collective {
    /// The collectives of all chips or of a root. Fabrics with forwarding tables have these.
    pub const OF_ALL: [Collective; 6] = [
        Collective::AllGather,
        Collective::ReduceScatter,
        Collective::AllReduce,
        Collective::Broadcast,
        Collective::Reduce,
        Collective::AllToAll,
    ];

    /// Numerator and denominator of the bus factor. Size / time times the factor compares with the bandwidth
    /// of a port, whatever the number of chips. The benchmarks of NCCL define their bus bandwidth in this
    /// way.
    pub fn bus_factor(self, chips: u64) -> [u64; 2] {
        match self {
            Collective::Broadcast | Collective::Reduce | Collective::Send => [1, 1],
            Collective::AllReduce => [2 * (chips - 1), chips],
            Collective::AllGather | Collective::ReduceScatter | Collective::AllToAll => [chips - 1, chips],
        }
    }
    /// Whether one chip is its root.
    pub fn is_rooted(self) -> bool {
        matches!(self, Collective::Broadcast | Collective::Reduce)
    }
}
