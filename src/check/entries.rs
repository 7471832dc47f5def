//! Lines of forwarding tables, as the checker reads them; what writes tables has codes of its own.

use crate::ids::NodeId;
use crate::ir::{Entry, TableKey};
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

/// The numbers of one line: (dst, in_port, in_vc, out_port, out_vc), or (dst, out_port, out_vc).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Line {
    Three([i64; 3]),
    Five([i64; 5]),
    /// Another number of them, which no key asks for.
    Other,
}

impl Line {
    /// What a router does by this line under a key; `None` where the line is none of that key, or has numbers
    /// that no router has.
    pub(super) fn under(self, key: TableKey) -> Option<Entry> {
        let (dst, input, output) = match (self, key) {
            (Line::Five([dst, in_port, in_vc, out_port, out_vc]), TableKey::DstInput) => (dst, (in_port, in_vc), (out_port, out_vc)),
            // Whatever it came in by.
            (Line::Three([dst, out_port, out_vc]), TableKey::Dst) => (dst, (-1, -1), (out_port, out_vc)),
            _ => return None,
        };
        let (in_port, in_vc) = (input.0.try_into().ok()?, input.1.try_into().ok()?);
        let (out_port, out_vc) = (output.0.try_into().ok()?, output.1.try_into().ok()?);
        Some(Entry { dst: NodeId(dst.try_into().ok()?), in_port, in_vc, out_port, out_vc })
    }
}

impl<'de> Deserialize<'de> for Line {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = Line;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an entry of three or five integers")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Line, A::Error> {
                let mut next = || seq.next_element::<i64>();
                let (Some(a), Some(b), Some(c)) = (next()?, next()?, next()?) else { return Ok(Line::Other) };
                let Some(d) = next()? else { return Ok(Line::Three([a, b, c])) };
                let Some(e) = next()? else { return Ok(Line::Other) };
                if next()?.is_some() {
                    return Err(A::Error::invalid_length(6, &self));
                }
                Ok(Line::Five([a, b, c, d, e]))
            }
        }
        deserializer.deserialize_seq(Numbers)
    }
}

/// The key that the columns of a file name.
pub(super) fn key_of(columns: &[String]) -> Option<TableKey> {
    match columns.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["dst", "in_port", "in_vc"] => Some(TableKey::DstInput),
        ["dst"] => Some(TableKey::Dst),
        _ => None,
    }
}

/// How many numbers a line has under a key.
pub(super) fn width_of(key: TableKey) -> usize {
    match key {
        TableKey::DstInput => 5,
        TableKey::Dst => 3,
    }
}
