//! What a walk of all tables counts.

/// What all routes come to. The checker counts it by walking the tables, the compiler along its routes, and
/// `fabc_check::carried` compares both.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Walk {
    /// `[channel class]` under the tables' symmetry: routes of all ordered pairs over one channel of the
    /// class, each as often as its weight in the demand times the slowness of the channel: load in parts of a
    /// unit.
    pub loads: Vec<u64>,
    /// `[load]` ascending: (load in parts, number of lit channels that carry it).
    pub load_histogram: Vec<(u64, u64)>,
    /// `[vc]`: hops of all routes on that virtual channel.
    pub vc_hops: Vec<u64>,
    /// `[h]`: ordered pairs whose route has h hops.
    pub route_hops: Vec<u64>,
    /// Cycles that a flit spends on all routes together where nothing is in its way: at every hop the latency
    /// of the router that it leaves and that of the link.
    pub cycles_total: u64,
    /// The same on the route that takes longest.
    pub cycles_most: u64,
    /// Most table entries of any router.
    pub entries_max: u64,
    /// Table entries of all routers.
    pub entries_total: u64,
}

impl Walk {
    /// Load of the busiest channel, in parts of a unit.
    pub fn max_channel_load(&self) -> u64 {
        self.load_histogram.last().map_or(0, |&(load, _)| load)
    }
    /// Hops of all routes.
    pub fn total_hops(&self) -> u64 {
        self.vc_hops.iter().sum()
    }
    /// The loads of all channels together, in parts of a unit.
    pub fn total_load(&self) -> u64 {
        self.load_histogram.iter().map(|&(load, channels)| load * channels).sum()
    }
}
