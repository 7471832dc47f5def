//! What every formula answers.

/// How the routers of a family work out the next one.
pub(super) trait Formula: Sync {
    /// The router that comes next on the way from one to another.
    fn next(&self, from: u32, to: u32) -> Option<u32>;
    /// The neighbors of a router, by port; `None` where a port is dark.
    fn by_port(&self, router: u32) -> Vec<Option<u32>>;
    /// The virtual channel with datelines on which a router sends on what is for another.
    fn dateline(&self, _from: u32, _to: u32) -> u8 {
        0
    }
}
