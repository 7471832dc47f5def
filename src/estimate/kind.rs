//! The collectives.

/// A collective.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Kind {
    /// One chip's vector to all.
    Broadcast,
    /// The sum of all vectors to one chip.
    Reduce,
    /// The sum of all vectors to all.
    AllReduce,
    /// A shard of every chip to all.
    AllGather,
    /// To every chip its shard of the sum.
    ReduceScatter,
    /// From every chip to every chip a shard of its own.
    AllToAll,
}

impl Kind {
    /// Every one.
    pub const ALL: [Kind; 6] = [Kind::AllReduce, Kind::AllGather, Kind::ReduceScatter, Kind::AllToAll, Kind::Broadcast, Kind::Reduce];

    /// As on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Kind::Broadcast => "broadcast",
            Kind::Reduce => "reduce",
            Kind::AllReduce => "all_reduce",
            Kind::AllGather => "all_gather",
            Kind::ReduceScatter => "reduce_scatter",
            Kind::AllToAll => "all_to_all",
        }
    }

    /// What size / time is multiplied by, so that it compares with the bandwidth of a port whatever the
    /// number of chips: as the benchmarks of NCCL count their bus bandwidth.
    pub fn bus_factor(self, chips: u64) -> f64 {
        let others = others(chips);
        match self {
            Kind::Broadcast | Kind::Reduce => 1.0,
            Kind::AllReduce => 2.0 * others,
            Kind::AllGather | Kind::ReduceScatter | Kind::AllToAll => others,
        }
    }
}

/// (N - 1) / N: the part of a vector that is not a chip's own shard.
pub(super) fn others(chips: u64) -> f64 {
    (chips - 1) as f64 / chips as f64
}

/// ceil(log2 N), of at least one chip.
pub(super) fn doublings(chips: u64) -> u64 {
    u64::from(chips.next_power_of_two().trailing_zeros())
}
