//! A link as the families list it.

use crate::ids::LinkTypeId;
use crate::ir::LinkClass;

/// A link before its ports are numbered; of a simplex network it runs from the first end to the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) ends: [u32; 2],
    pub(super) class: LinkClass,
    pub(super) link_type: LinkTypeId,
    /// Ports that the family or the file decides; the others are the least free ones.
    pub(super) ports: [Option<u16>; 2],
}
