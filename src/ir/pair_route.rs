//! The route of one ordered pair of routers, hop by hop, as the tables of one scenario say it.

use fabc_base::ids::ChannelId;

/// A hop of a route.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct RouteHop {
    /// The number of the hop, from 1 on. Hops with the same number are alternatives.
    pub hop: u32,
    /// The channel that packets take.
    pub channel: ChannelId,
    /// The virtual channel on it.
    pub vc: u8,
    /// Share of the packets of the pair that take this hop, 1 where the pair has one path.
    pub share: f64,
    /// Cycles of a flit without contention: those of the router that it leaves and of the link.
    pub cycles: u64,
}

/// The route of a pair in one scenario.
#[derive(Clone, PartialEq, Debug)]
pub struct PairRoute {
    /// The name of the scenario.
    pub scenario: String,
    /// Hop distance in the surviving fabric: no route has fewer hops.
    pub distance: u32,
    /// The hops, by their number and then by channel.
    pub hops: Vec<RouteHop>,
    /// Cycles of the fastest path without contention.
    pub cycles_least: u64,
    /// Cycles of the slowest path without contention.
    pub cycles_most: u64,
}

impl PairRoute {
    /// Number of hops of the longest path.
    pub fn length(&self) -> u32 {
        self.hops.last().map_or(0, |hop| hop.hop)
    }
}
