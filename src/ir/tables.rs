//! What a router needs to forward.

use super::Symmetry;
use crate::ids::NodeId;

/// One line of a forwarding table, keyed by (dst, in_port, in_vc).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entry {
    /// Destination of the packet.
    pub dst: NodeId,
    /// Port it came in by; -1 when injected here.
    pub in_port: i8,
    /// Virtual channel it came in on; -1 when injected here.
    pub in_vc: i8,
    /// Port it leaves by.
    pub out_port: u8,
    /// Virtual channel it leaves on.
    pub out_vc: u8,
}

/// The tables of one scenario: those of the canonical routers, carried to the others by the symmetry.
#[derive(Clone, Debug)]
pub struct ForwardingTables {
    /// `nominal`, or the dark OCSes.
    pub scenario: String,
    /// Virtual channels of the budget.
    pub vcs: u8,
    /// The symmetry that carries the tables; trivial where every router is listed.
    pub symmetry: Symmetry,
    /// Sorted entries of every canonical router, by node class.
    pub routers: Vec<Vec<Entry>>,
}

impl ForwardingTables {
    /// The full table of any router, sorted.
    pub fn router(&self, node: NodeId) -> Vec<Entry> {
        let g = self.symmetry.element_to(node);
        let canonical = &self.routers[self.symmetry.class(node)];
        let mut entries: Vec<Entry> = canonical.iter().map(|entry| Entry { dst: self.symmetry.image(g, entry.dst), ..*entry }).collect();
        entries.sort_unstable();
        entries
    }
}
