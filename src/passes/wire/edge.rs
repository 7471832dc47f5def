//! A link as the families list it.

use crate::ids::LinkTypeId;
use crate::ir::LinkClass;
use crate::model::Network;

/// A link before its ports are numbered; of a simplex network it runs from the first end to the second.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) ends: [u32; 2],
    pub(super) class: LinkClass,
    pub(super) link_type: LinkTypeId,
    /// Ports that the family or the file decides; the others are the least free ones.
    pub(super) ports: [Option<u16>; 2],
}

impl Edge {
    /// A link inside a group, or of a family without groups.
    pub(super) fn local(network: &Network, ends: [u32; 2]) -> Self {
        Self { ends, class: LinkClass::Local, link_type: network.local, ports: [None, None] }
    }
    /// A link between groups.
    pub(super) fn global(network: &Network, ends: [u32; 2]) -> Self {
        Self { ends, class: LinkClass::Global, link_type: network.global, ports: [None, None] }
    }
}
