//! The totals of a walk along all routes.

/// The totals of all routes. The checker counts them by walking the tables, and the compiler along its
/// routes. `fabc_check::verify_walk` compares both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    /// Number of equal shares of a route in which loads and latencies are counted. 1 where every pair has a
    /// single route. Where packets are sprayed, each route of a pair has some of these shares.
    pub shares: u64,
    /// `[channel class]` under the tables' symmetry: the load of one channel of the class, in parts of a unit
    /// and shares. Each route over it counts as often as its weight in the demand times the slowness of the
    /// channel.
    pub loads: Vec<u64>,
    /// (load as in `loads`, number of lit channels that carry it), by ascending load.
    pub load_histogram: Vec<(u64, u64)>,
    /// `[vc]`: hops of all routes on that virtual channel.
    pub vc_hops: Vec<u64>,
    /// `[h]`: ordered pairs whose route has h hops.
    pub route_hops: Vec<u64>,
    /// Sum over all routes of the cycles that a flit takes without contention. Each hop takes the latency of
    /// the router that it leaves and that of the link. In shares.
    pub cycles_total: u64,
    /// The cycles of the route that takes longest.
    pub cycles_most: u64,
    /// The most table entries of one router.
    pub entries_max: u64,
    /// Table entries of all routers.
    pub entries_total: u64,
}

impl Walk {
    /// Load of the busiest channel, as in `loads`.
    pub fn max_channel_load(&self) -> u64 {
        self.load_histogram.last().map_or(0, |&(load, _)| load)
    }
    /// Hops of the longest route. 0 without routes.
    pub fn longest_route(&self) -> u32 {
        self.route_hops.iter().rposition(|&routes| routes > 0).unwrap_or(0) as u32
    }
    /// The number of hops of all routes.
    pub fn total_hops(&self) -> u64 {
        self.vc_hops.iter().sum()
    }
    /// The loads of all channels together, as in `loads`.
    pub fn total_load(&self) -> u64 {
        self.load_histogram.iter().map(|&(load, channels)| load * channels).sum()
    }
}
