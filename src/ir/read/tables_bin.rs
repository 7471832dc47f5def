//! Reads `fabc.tables.bin/1`: a line of JSON, then the packed routers. The decoder follows the words of
//! docs/artifacts.md and shares nothing with the code that packs tables (`ir::PackedTables`).

use super::tables::parse_key;
use crate::{ForwardingTables, Image, Symmetry, TableEntry, TableKey};
use fabc_base::ids::NodeId;
use serde::Deserialize;

/// The first line of a `fabc.tables.bin/1`, and what follows it.
#[derive(Clone, Debug)]
pub struct BinaryTables {
    head: BinaryHead,
    key: TableKey,
    body: Vec<u8>,
}

#[derive(Clone, Debug, Deserialize)]
#[serde(rename = "Head", deny_unknown_fields)]
struct BinaryHead {
    format: String,
    scenario: String,
    vcs: u8,
    canonical: bool,
    key: Vec<String>,
    #[serde(default)]
    vc: Option<String>,
    #[serde(default)]
    images: Vec<Image>,
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
    /// The first line does not end, is no such JSON, or names another format or an unknown key.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let end = bytes.iter().position(|&byte| byte == b'\n').ok_or("its first line does not end")?;
        let head: BinaryHead = serde_json::from_slice(&bytes[..end]).map_err(|error| error.to_string())?;
        if head.format != "fabc.tables.bin/1" {
            return Err(format!("its format is `{}`, but this fabc reads `fabc.tables.bin/1`", head.format));
        }
        let Some(key) = parse_key(&head.key, head.vc.as_deref()) else {
            return Err("its key must be [\"dst\",\"in_port\",\"in_vc\"] or [\"dst\"]".to_owned());
        };
        Ok(Self { head, key, body: bytes[end + 1..].to_vec() })
    }

    /// The name of the scenario: `nominal`, or what is dark.
    pub fn scenario(&self) -> &str {
        &self.head.scenario
    }
    /// The further faults for which these tables serve.
    pub fn served(&self) -> &[Image] {
        &self.head.images
    }
    /// Whether only canonical routers are listed.
    pub fn is_canonical(&self) -> bool {
        self.head.canonical
    }

    /// The tables under the symmetry that carries them. It is the trivial one unless the tables are
    /// canonical.
    ///
    /// # Errors
    /// The first byte that does not fit, or a number of routers that is not the number of classes of the
    /// symmetry.
    pub fn tables(self, symmetry: Symmetry) -> Result<ForwardingTables, String> {
        let Self { head, key, body } = self;
        if (head.nodes, head.routers) != (symmetry.node_count(), symmetry.class_count()) {
            let (nodes, classes) = (symmetry.node_count(), symmetry.class_count());
            return Err(format!(
                "it lists {} of {} routers, but it should list {classes} of {nodes}",
                head.routers, head.nodes
            ));
        }
        let mut numbers = BodyIntegers { rest: &body, length: body.len() };
        let mut routers = Vec::with_capacity(head.routers);
        for node in symmetry.canonical_nodes() {
            let listed = numbers.next()?;
            if listed != node.0 {
                return Err(numbers.error_here(&format!("router {listed} stands where router {node} should")));
            }
            let mut entries = Vec::new();
            for dst in (0u32..).take(head.nodes) {
                let count = numbers.next()?;
                for _ in 0..count {
                    let number = numbers.next()?;
                    let Some(&(in_port, in_vc, out_port, out_vc)) = head.actions.get(number as usize) else {
                        return Err(numbers.error_here(&format!(
                            "there is no action {number}, only {}",
                            head.actions.len()
                        )));
                    };
                    entries.push(TableEntry { dst: NodeId(dst), in_port, in_vc, out_port, out_vc });
                }
            }
            entries.shrink_to_fit();
            routers.push(entries);
        }
        if !numbers.rest.is_empty() {
            return Err(numbers.error_here("nothing should follow the last router"));
        }
        Ok(ForwardingTables { scenario: head.scenario, vcs: head.vcs, key, symmetry, routers })
    }
}

/// Reads the integers of the body: groups of seven bits, the lowest first, the top bit set on all bytes but
/// the last.
struct BodyIntegers<'a> {
    rest: &'a [u8],
    length: usize,
}

impl BodyIntegers<'_> {
    fn next(&mut self) -> Result<u32, String> {
        let Some(last) = self.rest.iter().position(|byte| *byte & 0x80 == 0) else {
            self.rest = &[];
            return Err(self.error_here("it ends too early"));
        };
        let (number, rest) = self.rest.split_at(last + 1);
        self.rest = rest;
        if number.len() > 5 || (number.len() > 1 && number[last] == 0) {
            return Err(self.error_here(&format!(
                "an integer of {} bytes, more than it needs or than there can be",
                number.len()
            )));
        }
        let value = number.iter().rfold(0u64, |value, byte| value * 128 + u64::from(*byte & 0x7f));
        u32::try_from(value).map_err(|_| self.error_here(&format!("{value} is past 32 bits")))
    }

    /// An error message with the position after the last byte that was read.
    fn error_here(&self, message: &str) -> String {
        format!("byte {} of the body: {message}", self.length - self.rest.len())
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
        let entry = |dst, in_port, in_vc, out_vc| TableEntry {
            dst: NodeId(dst),
            in_port,
            in_vc,
            out_port: 0,
            out_vc,
        };
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
