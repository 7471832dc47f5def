//! Collective operations, and by which algorithm one is done.

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
});

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
