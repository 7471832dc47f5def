//! How many OCS-disjoint spanning trees there can be.

use fabc_base::ids::OcsId;

/// Bounds on the number of OCS-disjoint spanning trees over the cubes, for one topology.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TreeBounds {
    /// So many exist by connectivity alone.
    pub at_least: u32,
    /// No more exist.
    pub at_most: u32,
    /// What these OCSes join is left together in the count that gives `at_most`; ascending, and empty where
    /// counting joined cubes is enough.
    pub witness: Vec<OcsId>,
}
