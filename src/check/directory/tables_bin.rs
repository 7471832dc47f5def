//! Reads `fabc.tables.bin/1`: a line of JSON, then the packed routers.

use crate::ir::{Action, ForwardingTables, Image, PackedTables, Symmetry, TableKey};
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
    images: Vec<Image>,
    nodes: usize,
    routers: usize,
    actions: Vec<Action>,
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
        let Some(key) = TableKey::ALL.into_iter().find(|key| head.key == key.columns()) else {
            return Err("its key must be [\"dst\",\"in_port\",\"in_vc\"] or [\"dst\"]".to_owned());
        };
        Ok(Self { head, key, body: bytes[end + 1..].to_vec() })
    }

    /// `nominal`, or what is dark.
    pub fn scenario(&self) -> &str {
        &self.head.scenario
    }
    /// The further faults that these tables serve.
    pub fn images(&self) -> &[Image] {
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
            return Err(format!("it lists {} of {} routers, but it should list {classes} of {nodes}", head.routers, head.nodes));
        }
        PackedTables { scenario: head.scenario, vcs: head.vcs, key, symmetry, actions: head.actions, body }.unpack()
    }
}
