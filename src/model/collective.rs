//! Collective operations, and by which algorithm one is done.

use super::Scenarios;
use crate::diag::Span;
use crate::model::word::words;

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
}

words!(Collective {
    AllGather = "all_gather",
    ReduceScatter = "reduce_scatter",
    AllReduce = "all_reduce",
    Broadcast = "broadcast",
    Reduce = "reduce",
    AllToAll = "all_to_all",
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
});

impl CollectiveAlgorithm {
    /// The algorithms of a collective where vectors are scheduled; none of what is not scheduled.
    pub fn scheduled(collective: Collective) -> &'static [CollectiveAlgorithm] {
        use CollectiveAlgorithm::{Flood, Hops, Paths, Portions, Trees};
        match collective {
            Collective::AllGather | Collective::ReduceScatter | Collective::Broadcast => &[Flood],
            Collective::AllReduce => &[Trees, Portions, Hops],
            Collective::AllToAll => &[Paths],
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
        }
    }
}

impl Collective {
    /// Over and under: what size / time is multiplied by, so that it compares with the bandwidth of a port
    /// whatever the number of chips, as the benchmarks of NCCL count their bus bandwidth.
    pub fn bus_factor(self, chips: u64) -> [u64; 2] {
        match self {
            Collective::Broadcast | Collective::Reduce => [1, 1],
            Collective::AllReduce => [2 * (chips - 1), chips],
            Collective::AllGather | Collective::ReduceScatter | Collective::AllToAll => [chips - 1, chips],
        }
    }
    /// Whether one chip is the root of it.
    pub fn is_rooted(self) -> bool {
        matches!(self, Collective::Broadcast | Collective::Reduce)
    }
}
