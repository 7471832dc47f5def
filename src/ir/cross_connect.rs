//! The settings of the OCSes.

use fabc_base::ids::{IdVec, LinkId, OcsId};

/// One mirror setting, as indices into the `a` and `b` ports of the OCS. For [`fabc_model::CoupleRule::Any`]
/// both are into `a`, ascending.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct CrossConnect {
    /// Index of the first port.
    pub a: u32,
    /// Index of the second port.
    pub b: u32,
    /// The link that runs through it.
    pub link: LinkId,
}

/// The settings of all OCSes, and the OCS of every link.
#[derive(Clone, Debug)]
pub struct CrossConnects {
    /// `[OCS]`: its cross-connects, ascending by `a`.
    pub settings: IdVec<OcsId, Vec<CrossConnect>>,
    /// `[link]`: the OCS that it runs through. `None` for copper.
    pub ocs_of: IdVec<LinkId, Option<OcsId>>,
}
