//! The interface that every routing formula implements.

/// How the routers of a family compute the next router.
pub(super) trait Formula: Sync {
    /// The next router on the route between two routers, or `None` without one.
    fn next_router(&self, from: u32, to: u32) -> Option<u32>;
    /// The neighbors of a router, in port order. `None` stands for a dark port.
    fn neighbors_by_port(&self, router: u32) -> Vec<Option<u32>>;
    /// With datelines: the virtual channel on which `_from` sends packets for `_to`.
    fn dateline_vc(&self, _from: u32, _to: u32) -> u8 {
        0
    }
}
