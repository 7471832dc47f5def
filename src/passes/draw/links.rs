//! The links of a candidate network.

/// Pairs of routers. Of a simplex link the source comes first.
pub type LinkPairs = Vec<[u32; 2]>;
