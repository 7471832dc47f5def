//! Moore's bound: how near the routers of a regular graph can be to each other.

use fabc_model::{Arcs, FreeGraph};

/// The least distances for an order and a degree.
pub(super) struct MooreBound {
    /// The least diameter of such a graph.
    pub(super) diameter: u64,
    /// The least sum of the distances of all ordered pairs.
    pub(super) distances: u64,
}

impl MooreBound {
    /// Fills layer after layer around a router, each as large as the degree allows.
    pub(super) fn new(free: &FreeGraph) -> Self {
        let (mut remaining, mut layer) = (u64::from(free.routers) - 1, u64::from(free.degree));
        let (mut diameter, mut sum) = (0, 0);
        while remaining > 0 {
            diameter += 1;
            let in_layer = layer.min(remaining);
            sum += in_layer * diameter;
            remaining -= in_layer;
            layer = layer.saturating_mul(u64::from(free.degree) - u64::from(free.arcs == Arcs::Duplex));
        }
        Self { diameter, distances: sum * u64::from(free.routers) }
    }
}
