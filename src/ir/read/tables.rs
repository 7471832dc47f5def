//! `tables/*.json` (`fabc.tables/1`): forwarding tables, one list of numbers per entry.

use super::json::formats;
use crate::{Entry, TableKey};
use fabc_base::ids::NodeId;
use fabc_model::VcCount;
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

formats! { TablesFile = "fabc.tables/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TablesFile {
    format: String,
    pub scenario: String,
    pub vcs: u8,
    pub canonical: bool,
    pub key: Vec<String>,
    #[serde(default)]
    pub vc: Option<String>,
    #[serde(default)]
    pub images: Vec<Served>,
    pub routers: Vec<RouterLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouterLine {
    pub node: u32,
    pub entries: Vec<Line>,
}

/// A further fault that the tables of another one serve.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Served {
    /// Its name.
    pub scenario: String,
    /// `[cube]`: where the cubes go.
    pub cubes: Vec<u32>,
}

/// What a file of tables is for; the tables themselves are skipped.
#[derive(Deserialize)]
pub struct TablesHead {
    pub scenario: String,
    #[serde(default)]
    pub images: Vec<Served>,
}

/// Tables of anybody: what a walk needs, other keys are skipped.
#[derive(Deserialize)]
pub struct AnyTablesFile {
    pub format: String,
    pub vcs: u8,
    #[serde(default)]
    pub canonical: bool,
    pub key: Vec<String>,
    #[serde(default)]
    pub vc: Option<String>,
    pub routers: Vec<AnyRouterLine>,
}

#[derive(Deserialize)]
pub struct AnyRouterLine {
    pub node: u32,
    pub entries: Vec<Line>,
}

/// The numbers of one entry: (dst, in_port, in_vc, out_port, out_vc), (dst, out_port, out_vc), or (dst,
/// out_port).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Line {
    Two([i64; 2]),
    Three([i64; 3]),
    Five([i64; 5]),
    /// Another number of them, which no key asks for.
    Other,
}

impl Line {
    /// What a router does by this line under a key; `None` where the line is none of that key, or has numbers
    /// that no router has.
    pub fn under(self, key: TableKey) -> Option<Entry> {
        let (dst, input, output) = match (self, key) {
            (Line::Five([dst, in_port, in_vc, out_port, out_vc]), TableKey::DstInput) => {
                (dst, (in_port, in_vc), (out_port, out_vc))
            }
            // Whatever it came in by.
            (Line::Three([dst, out_port, out_vc]), TableKey::Dst) => (dst, (-1, -1), (out_port, out_vc)),
            // The virtual channel follows from what the packet counts.
            (Line::Two([dst, out_port]), TableKey::DstCount(_)) => (dst, (-1, -1), (out_port, 0)),
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
                out.write_str("an entry of two, three or five integers")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Line, A::Error> {
                let mut next = || seq.next_element::<i64>();
                let (Some(a), Some(b)) = (next()?, next()?) else { return Ok(Line::Other) };
                let Some(c) = next()? else { return Ok(Line::Two([a, b])) };
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

/// The key that the columns of a file name, and its rule of virtual channels.
pub fn key_of(columns: &[String], vc_rule: Option<&str>) -> Option<TableKey> {
    match (&columns.iter().map(String::as_str).collect::<Vec<_>>()[..], vc_rule) {
        (["dst", "in_port", "in_vc"], None) => Some(TableKey::DstInput),
        (["dst"], None) => Some(TableKey::Dst),
        (["dst"], Some(rule)) => {
            VcCount::ALL.into_iter().find(|count| count.name() == rule).map(TableKey::DstCount)
        }
        _ => None,
    }
}

/// How many numbers a line has under a key.
pub fn width_of(key: TableKey) -> usize {
    match key {
        TableKey::DstInput => 5,
        TableKey::Dst => 3,
        TableKey::DstCount(_) => 2,
    }
}
