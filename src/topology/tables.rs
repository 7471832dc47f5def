//! What a router needs to forward.

use crate::Symmetry;
use crate::ids::NodeId;

/// What a router looks a packet up by.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub enum TableKey {
    /// Destination, input port and input VC.
    #[default]
    DstInput,
    /// Destination alone: all packets to it leave alike, whichever way they came in.
    Dst,
    /// Destination alone, and the virtual channel follows from what the packet counts on its way.
    DstCount(VcCount),
}

impl TableKey {
    /// The name in specs; the rule by which packets find their virtual channel is not part of it.
    pub fn name(self) -> &'static str {
        match self {
            TableKey::DstInput => "dst_input",
            TableKey::Dst | TableKey::DstCount(_) => "dst",
        }
    }
    /// The columns of the key, as `fabc.tables/1` names them.
    pub fn columns(self) -> &'static [&'static str] {
        match self {
            TableKey::DstInput => &["dst", "in_port", "in_vc"],
            TableKey::Dst | TableKey::DstCount(_) => &["dst"],
        }
    }
    /// What a packet counts to know its virtual channel, where the entries do not say it.
    #[inline]
    pub fn count(self) -> Option<VcCount> {
        if let TableKey::DstCount(count) = self { Some(count) } else { None }
    }
    /// The rule by which a packet finds its virtual channel, where the entries do not say it: `hop`,
    /// `global`.
    pub fn vc_rule(self) -> Option<&'static str> {
        self.count().map(VcCount::name)
    }
    /// Whether the destination alone decides the port.
    pub fn is_by_destination(self) -> bool {
        self != TableKey::DstInput
    }
}

/// What a packet counts on its way; the number is the virtual channel that it leaves a router on, 0 at its
/// source.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum VcCount {
    /// All hops.
    Hops,
    /// The links between groups that it has crossed.
    GlobalHops,
}

impl VcCount {
    /// All of them.
    pub const ALL: [Self; 2] = [Self::Hops, Self::GlobalHops];

    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            VcCount::Hops => "hop",
            VcCount::GlobalHops => "global",
        }
    }
}

/// One line of a forwarding table, keyed by (dst, in_port, in_vc); where the destination alone is the key
/// both inputs are -1 and stand for all.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Entry {
    /// Destination of the packet.
    pub dst: NodeId,
    /// Port it came in by; -1 when injected here (or for any, where the destination alone is the key).
    pub in_port: i16,
    /// Virtual channel it came in on; -1 when injected here (or for any).
    pub in_vc: i8,
    /// Port it leaves by.
    pub out_port: u16,
    /// Virtual channel it leaves on; 0 under [`TableKey::DstCount`], where the rule says it.
    pub out_vc: u8,
}

impl Entry {
    /// The numbers of a line of `fabc.tables/1`: the columns of the key, then `out_port`, and `out_vc` unless
    /// the virtual channel follows from a count.
    pub fn numbers(&self, key: TableKey) -> impl Iterator<Item = i64> {
        let (dst, port, vc) = (i64::from(self.dst.0), i64::from(self.out_port), i64::from(self.out_vc));
        let (line, width) = match key {
            TableKey::DstInput => ([dst, i64::from(self.in_port), i64::from(self.in_vc), port, vc], 5),
            TableKey::Dst => ([dst, port, vc, 0, 0], 3),
            TableKey::DstCount(_) => ([dst, port, 0, 0, 0], 2),
        };
        line.into_iter().take(width)
    }
}

/// The tables of one scenario: those of the canonical routers, carried to the others by the symmetry.
#[derive(Clone, Debug)]
pub struct ForwardingTables {
    /// The name of the scenario: `nominal`, or the fault.
    pub scenario: String,
    /// Virtual channels of the budget.
    pub vcs: u8,
    /// What routers look packets up by.
    pub key: TableKey,
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
        let mut entries: Vec<Entry> = canonical
            .iter()
            .map(|entry| Entry { dst: self.symmetry.image(g, entry.dst), ..*entry })
            .collect();
        entries.sort_unstable();
        entries
    }
}
