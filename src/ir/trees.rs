//! Bounds on the number of OCS-disjoint spanning trees.

use fabc_base::ids::OcsId;

/// Bounds on the number of OCS-disjoint spanning trees over the cubes, for one topology.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeBounds {
    /// At least this many exist, by connectivity alone.
    pub at_least: u32,
    /// At most this many exist.
    pub at_most: u32,
    /// The witness of `at_most`: the count treats what these OCSes join as one part. Ascending. Empty where
    /// counting joined cubes is enough.
    pub witness: Vec<OcsId>,
}
