//! Facts of a fabric that demand, simulations, collectives and contracts depend on.

/// Facts of a generated fabric.
#[derive(Clone, Debug)]
pub(crate) struct Facts {
    pub(crate) is_pod: bool,
    pub(crate) routers: usize,
    /// Routers that send and receive. Empty if their number is not known.
    pub(crate) endpoints: Vec<usize>,
    /// Whether every router is an endpoint.
    pub(crate) of_chips: bool,
    pub(crate) one_way: bool,
    pub(crate) is_grid: bool,
    pub(crate) has_groups: bool,
    /// Whether all links carry alike.
    pub(crate) alike: bool,
    /// Whether every link takes a cycle at least.
    pub(crate) timed: bool,
    /// Whether the budget tolerates any fault.
    pub(crate) faults: bool,
    pub(crate) scheduled: bool,
    pub(crate) floor: bool,
    /// Whether cables have a price and take power.
    pub(crate) priced: bool,
    /// The longest of the shortest paths, or more.
    pub(crate) hops: usize,
    /// The number of flits of a buffer.
    pub(crate) buffer: usize,
    /// Whether the router takes a cycle at least.
    pub(crate) latency: bool,
    pub(crate) router_vcs: usize,
    pub(crate) is_dragonfly: bool,
    /// Sizes of groups that a demand may have.
    pub(crate) group_sizes: Vec<usize>,
}
