//! `tables/*.json` (`fabc.tables/1`): forwarding tables, one list of numbers per entry.

use super::json::formats;
use crate::{GroupEntry, GroupTables, Image, Relay, TableEntry, TableKey};
use fabc_base::ids::NodeId;
use fabc_model::{Ecmp, HashInput, Spreading, VcCount};
use serde::Deserialize;
use serde::de::{Deserializer, Error, SeqAccess, Visitor};
use std::fmt;

formats! {
    TablesFile = "fabc.tables/1";
    GroupTablesFile = "fabc.tables/2";
}

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
    pub images: Vec<Image>,
    pub routers: Vec<RouterLine>,
}

/// `tables/*.json` (`fabc.tables/2`): the next-hop groups of a scenario.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupTablesFile {
    format: String,
    pub scenario: String,
    pub kind: String,
    /// Of `ecmp`: the input of the hash.
    #[serde(default)]
    pub hash: Option<String>,
    /// Of `ecmp`: number of flows of every ordered pair of hosts.
    #[serde(default)]
    pub flows: Option<u32>,
    pub vcs: u8,
    pub key: Vec<String>,
    #[serde(default)]
    pub images: Vec<Image>,
    pub groups: Vec<Vec<u16>>,
    /// `[group]`: the weights of its ports. Empty where no group has weights.
    #[serde(default)]
    pub weights: Vec<Vec<u32>>,
    pub routers: Vec<GroupLine>,
    /// Lines of source, destination and the relay between them.
    #[serde(default)]
    pub relays: Vec<[u32; 3]>,
}

impl GroupTablesFile {
    /// The rule by which routers choose a member of a group. `None` where the file states no known rule.
    pub fn spreading(&self) -> Option<Spreading> {
        match (self.kind.as_str(), self.hash.as_deref(), self.flows) {
            ("spray", None, None) => Some(Spreading::Spray),
            ("ecmp", Some(input), Some(flows @ 1..)) => {
                let hash = HashInput::ALL.into_iter().find(|known| known.name() == input)?;
                Some(Spreading::Ecmp(Ecmp { hash, flows }))
            }
            _ => None,
        }
    }

    /// The tables that the lines list, one by one.
    pub fn into_tables(self) -> GroupTables {
        let entry =
            |[first, last, group]: [u32; 3]| GroupEntry { first: NodeId(first), last: NodeId(last), group };
        let routers = self.routers.into_iter().map(|line| line.entries.into_iter().map(entry).collect());
        let relay = |[source, destination, relay]: [u32; 3]| Relay {
            source: NodeId(source),
            destination: NodeId(destination),
            relay: NodeId(relay),
        };
        let mut weights = self.weights;
        if weights.is_empty() {
            weights.resize(self.groups.len(), Vec::new());
        }
        GroupTables {
            scenario: self.scenario,
            groups: self.groups,
            weights,
            routers: routers.collect(),
            relays: self.relays.into_iter().map(relay).collect(),
        }
    }
}

/// The entries of a router: first destination, last destination, group.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct GroupLine {
    pub node: u32,
    pub entries: Vec<[u32; 3]>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RouterLine {
    pub node: u32,
    pub entries: Vec<EntryNumbers>,
}

/// The scenarios of a file of tables. The tables themselves are skipped.
#[derive(Deserialize)]
pub struct TablesHead {
    pub scenario: String,
    #[serde(default)]
    pub images: Vec<Image>,
}

/// Tables from any program: what a walk needs. Other keys are skipped.
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

/// The format that a file of tables names. Other keys are skipped.
#[derive(Deserialize)]
pub struct TablesFormat {
    pub format: String,
}

/// Next-hop groups from any program (`fabc.tables/2`): what a walk needs. Other keys are skipped.
#[derive(Deserialize)]
pub struct AnyGroupTablesFile {
    pub kind: String,
    pub vcs: u8,
    pub key: Vec<String>,
    pub groups: Vec<Vec<u16>>,
    /// `[group][member]`: its weight. A group without weights divides packets equally.
    #[serde(default)]
    pub weights: Vec<Vec<u32>>,
    pub routers: Vec<GroupLine>,
    #[serde(default)]
    pub relays: Vec<[u32; 3]>,
}

#[derive(Deserialize)]
pub struct AnyRouterLine {
    pub node: u32,
    pub entries: Vec<EntryNumbers>,
}

/// The numbers of one entry: (dst, in_port, in_vc, out_port, out_vc), (dst, out_port, out_vc), or (dst,
/// out_port).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum EntryNumbers {
    Two([i64; 2]),
    Three([i64; 3]),
    Five([i64; 5]),
    /// Another number of integers, which no key asks for.
    Other,
}

impl EntryNumbers {
    /// The entry that the numbers mean under a key. `None` where the key asks for another number of integers,
    /// or where no router has such numbers.
    pub fn entry(self, key: TableKey) -> Option<TableEntry> {
        let (dst, input, output) = match (self, key) {
            (EntryNumbers::Five([dst, in_port, in_vc, out_port, out_vc]), TableKey::DstInput) => {
                (dst, (in_port, in_vc), (out_port, out_vc))
            }
            // The input does not matter.
            (EntryNumbers::Three([dst, out_port, out_vc]), TableKey::Dst) => {
                (dst, (-1, -1), (out_port, out_vc))
            }
            // The virtual channel follows from what the packet counts.
            (EntryNumbers::Two([dst, out_port]), TableKey::DstCount(_)) => (dst, (-1, -1), (out_port, 0)),
            _ => return None,
        };
        let (in_port, in_vc) = (input.0.try_into().ok()?, input.1.try_into().ok()?);
        let (out_port, out_vc) = (output.0.try_into().ok()?, output.1.try_into().ok()?);
        Some(TableEntry { dst: NodeId(dst.try_into().ok()?), in_port, in_vc, out_port, out_vc })
    }
}

impl<'de> Deserialize<'de> for EntryNumbers {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;
        impl<'de> Visitor<'de> for Numbers {
            type Value = EntryNumbers;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("an entry of two, three or five integers")
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<EntryNumbers, A::Error> {
                let mut next = || seq.next_element::<i64>();
                let (Some(a), Some(b)) = (next()?, next()?) else { return Ok(EntryNumbers::Other) };
                let Some(c) = next()? else { return Ok(EntryNumbers::Two([a, b])) };
                let Some(d) = next()? else { return Ok(EntryNumbers::Three([a, b, c])) };
                let Some(e) = next()? else { return Ok(EntryNumbers::Other) };
                if next()?.is_some() {
                    return Err(A::Error::invalid_length(6, &self));
                }
                Ok(EntryNumbers::Five([a, b, c, d, e]))
            }
        }
        deserializer.deserialize_seq(Numbers)
    }
}

/// The key from the names of its columns and its rule of virtual channels.
pub fn parse_key(columns: &[String], vc_rule: Option<&str>) -> Option<TableKey> {
    match (&columns.iter().map(String::as_str).collect::<Vec<_>>()[..], vc_rule) {
        (["dst", "in_port", "in_vc"], None) => Some(TableKey::DstInput),
        (["dst"], None) => Some(TableKey::Dst),
        (["dst"], Some(rule)) => {
            VcCount::ALL.into_iter().find(|count| count.name() == rule).map(TableKey::DstCount)
        }
        _ => None,
    }
}

/// Number of integers of an entry under a key.
pub fn entry_width(key: TableKey) -> usize {
    match key {
        TableKey::DstInput => 5,
        TableKey::Dst => 3,
        TableKey::DstCount(_) => 2,
    }
}
