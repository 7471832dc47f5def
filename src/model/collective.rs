//! Collective operations, and by which algorithm one is done.

use super::Scenarios;
use crate::word::words;
use fabc_base::diag::Span;

/// What is moved between the chips, N of them. Sizes are per chip and of the full vector, M bytes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Collective {
    /// Each chip starts with a shard of M / N bytes and ends with all of them.
    AllGather,
    /// Each chip starts with M bytes and ends with the sum of everybody's part number own.
    ReduceScatter,
    /// Each chip starts with M bytes and ends with the sum of everybody's.
    AllReduce,
    /// The root's M bytes go to everybody.
    Broadcast,
    /// Everybody's M bytes are summed at the root.
    Reduce,
    /// Each chip has M / N bytes for each.
    AllToAll,
    /// Chips have bytes for others, as messages say; where vectors are scheduled. M is of all messages.
    Send,
}

impl Collective {
    /// Whether chips add up what comes.
    pub fn sums(self) -> bool {
        matches!(self, Collective::ReduceScatter | Collective::AllReduce | Collective::Reduce)
    }

    /// Vectors that a collective of so many bytes per chip takes: of an all-to-all for each pair, of a gather
    /// or a reduce-scatter for each chip, otherwise in all.
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
    /// The name that a `require` speaks of, and files have.
    pub name: String,
    /// What is done.
    pub collective: Collective,
    /// Bytes per chip, of the full vector.
    pub size: u64,
    /// The only algorithm that may be taken; without, the fastest is.
    pub algorithm: Option<CollectiveAlgorithm>,
    /// Parts of a shard (of the root's vector); without, as many as fit.
    pub chunks: Option<u32>,
    /// The root as it is written, where there is one: a router by name or number.
    pub root: Option<String>,
    /// Picoseconds of a message in which its channel does nothing else.
    pub overhead_ps: u64,
    /// Whether all chips wait for each other after every step.
    pub barrier: bool,
    /// Chips of a group, consecutive ones, where every group does it by itself; without, all do it together.
    pub groups: Option<u32>,
    /// What is sent, of a `send` or `pairs`.
    pub messages: Option<DeclaredMessages>,
    /// Of ties that are broken at random.
    pub seed: u64,
    /// Under which faults it is planned as well.
    pub scenarios: Scenarios,
    /// The collective that must be over before it starts, by its place among those of the fabric; where
    /// vectors are scheduled.
    pub after: Option<usize>,
    /// `collective name`.
    pub span: Span,
}

/// What chips have for others.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclaredMessages {
    /// As they are written; at least one.
    pub all: Vec<DeclaredMessage>,
    /// Which ways a message may take.
    pub ways: MessageWays,
    /// The text of the file that they come from, if they do.
    pub text: Option<String>,
}

/// What a chip has for another one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclaredMessage {
    /// The chip, by name or number.
    pub from: String,
    /// The other one.
    pub to: String,
    /// How much; positive.
    pub bytes: u64,
    /// Cycles after the start of the collective before which it is not there.
    pub earliest: u32,
}

/// Which ways the vectors of a message may take.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum MessageWays {
    /// Any.
    Any,
    /// Ways of fewest hops alone.
    Minimal,
    /// At most so many.
    Most(u32),
}

impl MessageWays {
    /// So many at most.
    pub fn most(self) -> usize {
        if let MessageWays::Most(most) = self { most as usize } else { usize::MAX }
    }
}

/// How it is done.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum CollectiveAlgorithm {
    /// Matched gather with few steps of many chunks.
    Steps,
    /// Matched gather chunk by chunk.
    Slots,
    /// Trees that grow in turns, an epoch at a time (Huang and others, ISCA 2021).
    MultiTree,
    /// Reduce-scatter, then all-gather.
    GatherReduce,
    /// Everybody gathers all vectors and sums them alone.
    Local,
    /// Spanning trees that share links evenly, each reduced up and broadcast down.
    Trees,
    /// The rarest chunk first.
    Pull,
    /// Each message by the forwarding tables.
    Direct,
    /// Scheduled: balanced routes of single vectors, the longest remaining way first.
    Paths,
    /// Scheduled: every channel takes the rarest vector that its end lacks.
    Flood,
    /// Scheduled: sums of groups, told to all groups, in as few hops as there are.
    Hops,
    /// Scheduled: a portion of the vectors for every group, which sums it and tells all others.
    Portions,
    /// Scheduled: every vector by the way that ends first.
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
    Paths = "paths",
    Flood = "flood",
    Hops = "hops",
    Portions = "portions",
    Quickest = "quickest",
});

impl CollectiveAlgorithm {
    /// The algorithms of a collective where vectors are scheduled; none of what is not scheduled.
    pub fn scheduled(collective: Collective) -> &'static [CollectiveAlgorithm] {
        use CollectiveAlgorithm::{Flood, Hops, Paths, Portions, Quickest, Trees};
        match collective {
            Collective::AllGather | Collective::ReduceScatter | Collective::Broadcast => &[Flood],
            Collective::AllReduce => &[Trees, Portions, Hops],
            Collective::AllToAll => &[Paths],
            Collective::Send => &[Quickest],
            Collective::Reduce => &[],
        }
    }
    /// Whether chunks rest at routers on their way, and are copied or added up there: every router must be a
    /// chip.
    pub fn rests(self) -> bool {
        self != CollectiveAlgorithm::Direct
    }
    /// The algorithms of a collective on a fabric with forwarding tables.
    pub fn of(collective: Collective) -> &'static [CollectiveAlgorithm] {
        use CollectiveAlgorithm::{Direct, GatherReduce, Local, MultiTree, Pull, Slots, Steps, Trees};
        match collective {
            Collective::AllGather | Collective::ReduceScatter => &[Steps, Slots, MultiTree, Direct],
            Collective::AllReduce => &[GatherReduce, Trees, Local, Direct],
            Collective::Broadcast | Collective::Reduce => &[Pull, Direct],
            Collective::AllToAll => &[Direct],
            Collective::Send => &[],
        }
    }
}

impl Collective {
    /// Those of all chips or of a root, which fabrics with forwarding tables have as well.
    pub const OF_ALL: [Collective; 6] = [
        Collective::AllGather,
        Collective::ReduceScatter,
        Collective::AllReduce,
        Collective::Broadcast,
        Collective::Reduce,
        Collective::AllToAll,
    ];

    /// Over and under: what size / time is multiplied by, so that it compares with the bandwidth of a port
    /// whatever the number of chips, as the benchmarks of NCCL count their bus bandwidth.
    pub fn bus_factor(self, chips: u64) -> [u64; 2] {
        match self {
            Collective::Broadcast | Collective::Reduce | Collective::Send => [1, 1],
            Collective::AllReduce => [2 * (chips - 1), chips],
            Collective::AllGather | Collective::ReduceScatter | Collective::AllToAll => [chips - 1, chips],
        }
    }
    /// Whether one chip is the root of it.
    pub fn is_rooted(self) -> bool {
        matches!(self, Collective::Broadcast | Collective::Reduce)
    }
}
