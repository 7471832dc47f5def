//! Reads `fabc.tables.bin/1`: a line of JSON, then the packed routers. Decoded here, by the words of
//! docs/artifacts.md; what packs tables (`ir::PackedTables`) is not asked.

use super::tables::{Served, key_of};
use crate::{Entry, ForwardingTables, Symmetry, TableKey};
use fabc_base::ids::NodeId;
use serde::Deserialize;

/// The first line of a `fabc.tables.bin/1`, and what follows it.
#[derive(Clone, Debug)]
pub struct BinaryTables {
    head: Head,
    key: TableKey,
    body: Vec<u8>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    format: String,
    scenario: String,
    vcs: u8,
    canonical: bool,
    key: Vec<String>,
    #[serde(default)]
    vc: Option<String>,
    #[serde(default)]
    images: Vec<Served>,
    nodes: usize,
    routers: usize,
    /// (in port, in VC, out port, out VC)
    actions: Vec<(i16, i8, u16, u8)>,
}

impl BinaryTables {
    /// Whether a file begins like one of this format.
    pub fn begins(bytes: &[u8]) -> bool {
        bytes.starts_with(b"{\"format\":\"fabc.tables.bin/")
    }

    /// Reads the first line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let end = bytes.iter().position(|&byte| byte == b'\n').ok_or("its first line does not end")?;
        let head: Head = serde_json::from_slice(&bytes[..end]).map_err(|error| error.to_string())?;
        if head.format != "fabc.tables.bin/1" {
            return Err(format!("its format is `{}`, but this fabc reads `fabc.tables.bin/1`", head.format));
        }
        let Some(key) = key_of(&head.key, head.vc.as_deref()) else {
            return Err("its key must be [\"dst\",\"in_port\",\"in_vc\"] or [\"dst\"]".to_owned());
        };
        Ok(Self { head, key, body: bytes[end + 1..].to_vec() })
    }

    /// `nominal`, or what is dark.
    pub fn scenario(&self) -> &str {
        &self.head.scenario
    }
    /// The further faults that these tables serve.
    pub fn served(&self) -> &[Served] {
        &self.head.images
    }
    /// Whether only canonical routers are listed.
    pub fn is_canonical(&self) -> bool {
        self.head.canonical
    }

    /// The tables, under the symmetry that carries them (the trivial one unless they are canonical).
    ///
    /// # Errors
    /// The first byte that does not fit, or another number of routers than the symmetry has classes.
    pub fn tables(self, symmetry: Symmetry) -> Result<ForwardingTables, String> {
        let Self { head, key, body } = self;
        if (head.nodes, head.routers) != (symmetry.node_count(), symmetry.class_count()) {
            let (nodes, classes) = (symmetry.node_count(), symmetry.class_count());
            return Err(format!(
                "it lists {} of {} routers, but it should list {classes} of {nodes}",
                head.routers, head.nodes
            ));
        }
        let mut numbers = Numbers { rest: &body, length: body.len() };
        let mut routers = Vec::with_capacity(head.routers);
        for node in symmetry.canonical_nodes() {
            let listed = numbers.next()?;
            if listed != node.0 {
                return Err(numbers.wrong(&format!("router {listed} stands where router {node} should")));
            }
            let mut entries = Vec::new();
            for dst in (0u32..).take(head.nodes) {
                let count = numbers.next()?;
                for _ in 0..count {
                    let number = numbers.next()?;
                    let Some(&(in_port, in_vc, out_port, out_vc)) = head.actions.get(number as usize) else {
                        return Err(numbers
                            .wrong(&format!("there is no action {number}, only {}", head.actions.len())));
                    };
                    entries.push(Entry { dst: NodeId(dst), in_port, in_vc, out_port, out_vc });
                }
            }
            entries.shrink_to_fit();
            routers.push(entries);
        }
        if !numbers.rest.is_empty() {
            return Err(numbers.wrong("nothing should follow the last router"));
        }
        Ok(ForwardingTables { scenario: head.scenario, vcs: head.vcs, key, symmetry, routers })
    }
}

/// The integers of the body: groups of seven bits, the lowest first, the top bit set on all bytes of an
/// integer but the last.
struct Numbers<'a> {
    rest: &'a [u8],
    length: usize,
}

impl Numbers<'_> {
    fn next(&mut self) -> Result<u32, String> {
        let Some(last) = self.rest.iter().position(|byte| *byte & 0x80 == 0) else {
            self.rest = &[];
            return Err(self.wrong("it ends too early"));
        };
        let (number, rest) = self.rest.split_at(last + 1);
        self.rest = rest;
        if number.len() > 5 || (number.len() > 1 && number[last] == 0) {
            return Err(self.wrong(&format!(
                "an integer of {} bytes, more than it needs or than there can be",
                number.len()
            )));
        }
        let value = number.iter().rfold(0u64, |value, byte| value * 128 + u64::from(*byte & 0x7f));
        u32::try_from(value).map_err(|_| self.wrong(&format!("{value} is past 32 bits")))
    }

    /// What is wrong, behind the last byte that was read.
    fn wrong(&self, what: &str) -> String {
        format!("byte {} of the body: {what}", self.length - self.rest.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tables of two routers under two actions, with a body.
    fn decoded(body: &[u8]) -> Result<ForwardingTables, String> {
        let head = r#"{"format":"fabc.tables.bin/1","scenario":"X[0,0]","vcs":2,"canonical":false,"key":["dst","in_port","in_vc"],"nodes":2,"routers":2,"actions":[[-1,-1,0,0],[1,0,0,1]]}"#;
        let bytes = [head.as_bytes(), b"\n", body].concat();
        BinaryTables::read(&bytes)?.tables(Symmetry::trivial(2, 1))
    }

    #[test]
    fn the_example_of_the_page_is_read() {
        let entry =
            |dst, in_port, in_vc, out_vc| Entry { dst: NodeId(dst), in_port, in_vc, out_port: 0, out_vc };
        let tables = decoded(&[0, 0, 2, 0, 1, 1, 1, 0, 0]).unwrap();
        assert_eq!(tables.routers, [vec![entry(1, -1, -1, 0), entry(1, 1, 0, 1)], vec![entry(0, -1, -1, 0)]]);
        assert_eq!((tables.scenario.as_str(), tables.vcs, tables.key), ("X[0,0]", 2, TableKey::DstInput));
    }

    #[test]
    fn damage_is_named_by_its_byte() {
        let good = [0, 0, 2, 0, 1, 1, 1, 0, 0];
        for (body, what) in [
            (&good[..8], "byte 8 of the body: it ends too early"),
            (&[0, 0, 1, 7, 1, 0, 0], "byte 4 of the body: there is no action 7, only 2"),
            (&[1], "byte 1 of the body: router 1 stands where router 0 should"),
            (&[&good[..], &[0]].concat(), "byte 9 of the body: nothing should follow the last router"),
            (&[0x80; 6], "byte 6 of the body: it ends too early"),
            // One way to write a number, and none past 32 bits: the top bits must not vanish.
            (
                &[0x80, 0],
                "byte 2 of the body: an integer of 2 bytes, more than it needs or than there can be",
            ),
            (&[0x80, 0x80, 0x80, 0x80, 0x10], "byte 5 of the body: 4294967296 is past 32 bits"),
            (
                &[0x80, 0x80, 0x80, 0x80, 0x80, 1],
                "byte 6 of the body: an integer of 6 bytes, more than it needs or than there can be",
            ),
        ] {
            assert_eq!(decoded(body).unwrap_err(), what);
        }
    }
}
