//! The links of a candidate.

/// Pairs of routers; of simplex links, the source first.
pub type Links = Vec<[u32; 2]>;
