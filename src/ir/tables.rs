//! What a router needs to forward.

use super::Symmetry;
use crate::ids::NodeId;
pub use crate::model::TableKey;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

/// One line of a forwarding table, keyed by (dst, in_port, in_vc); where the destination alone is the key both inputs are -1 and stand for all.
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
    /// Virtual channel it leaves on; 0 under [`TableKey::DstHop`], where the rule says it.
    pub out_vc: u8,
}

impl Entry {
    /// The numbers of a line of `fabc.tables/1`: the columns of the key, then `out_port`, `out_vc`.
    pub fn numbers(&self, key: TableKey) -> impl Iterator<Item = i64> {
        let input = match key {
            TableKey::DstInput => Some([i64::from(self.in_port), i64::from(self.in_vc)]),
            TableKey::Dst | TableKey::DstHop => None,
        };
        let out_vc = (key != TableKey::DstHop).then_some(i64::from(self.out_vc));
        let line = std::iter::once(i64::from(self.dst.0)).chain(input.into_iter().flatten());
        line.chain([i64::from(self.out_port)]).chain(out_vc)
    }
}

/// A line of a table as a file has it: two numbers, three or five, see [`Entry::numbers`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EntryLine {
    numbers: [i64; 5],
    len: usize,
}

impl EntryLine {
    /// A line of at most five numbers; `None` if there are more.
    pub fn new(line: &[i64]) -> Option<Self> {
        let mut numbers = [0; 5];
        numbers.get_mut(..line.len())?.copy_from_slice(line);
        Some(Self { numbers, len: line.len() })
    }

    /// The entry under a key; `None` if the line has not as many numbers as the key asks for, or one that no entry can have.
    pub fn entry(self, key: TableKey) -> Option<Entry> {
        let (dst, in_port, in_vc, out_port, out_vc) = match (key, self.len, self.numbers) {
            (TableKey::DstInput, 5, [dst, in_port, in_vc, out_port, out_vc]) => (dst, in_port, in_vc, out_port, out_vc),
            (TableKey::Dst, 3, [dst, out_port, out_vc, ..]) => (dst, -1, -1, out_port, out_vc),
            (TableKey::DstHop, 2, [dst, out_port, ..]) => (dst, -1, -1, out_port, 0),
            _ => return None,
        };
        Some(Entry {
            dst: NodeId(u32::try_from(dst).ok()?),
            in_port: i16::try_from(in_port).ok()?,
            in_vc: i8::try_from(in_vc).ok()?,
            out_port: u16::try_from(out_port).ok()?,
            out_vc: u8::try_from(out_vc).ok()?,
        })
    }
}

impl<'de> Deserialize<'de> for EntryLine {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = EntryLine;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an entry of at most five integers")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<EntryLine, A::Error> {
                let mut line = EntryLine { numbers: [0; 5], len: 0 };
                while let Some(number) = seq.next_element()? {
                    *line.numbers.get_mut(line.len).ok_or_else(|| A::Error::invalid_length(6, &self))? = number;
                    line.len += 1;
                }
                Ok(line)
            }
        }
        deserializer.deserialize_seq(Numbers)
    }
}

/// The tables of one scenario: those of the canonical routers, carried to the others by the symmetry.
#[derive(Clone, Debug)]
pub struct ForwardingTables {
    /// `nominal`, or the dark OCSes.
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
        let mut entries: Vec<Entry> = canonical.iter().map(|entry| Entry { dst: self.symmetry.image(g, entry.dst), ..*entry }).collect();
        entries.sort_unstable();
        entries
    }
}
