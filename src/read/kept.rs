//! Reads what the parts of a build kept: `fabc.kept.bin/1` and `fabc.shards/1`.

use super::json::{Ordered, formats};
use super::symmetry::closure;
use super::tables::key_of;
use crate::ids::BlockId;
use crate::ir::{
    Action, ConcurrentFlow, DualLengths, FlowCertificate, KeptHealthy, KeptScenario, KeptTables, PackedTables, PassRecord, StopReason,
    Symmetry, Topology,
};
use serde::Deserialize;

formats! { ShardsFile = "fabc.shards/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ShardsFile {
    format: String,
    pub(crate) tool: String,
    pub(crate) fabric: String,
    pub(crate) key: String,
    pub(crate) shards: usize,
    pub(crate) tables: String,
    pub(crate) options: Ordered<String>,
}

/// A kept scenario, as its file says.
pub(crate) struct KeptFile {
    head: Head,
    body: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Head {
    format: String,
    key: String,
    scenario: String,
    lengths: Vec<u64>,
    volume: String,
    distance: String,
    #[serde(default)]
    flow: Option<Flow>,
    #[serde(default)]
    tables: Option<Tables>,
    #[serde(default)]
    healthy: Option<Healthy>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Flow {
    demand: u64,
    mirrored: bool,
    busiest: u64,
    parts: u64,
    flows: Vec<Vec<u64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Tables {
    vcs: u8,
    key: Vec<String>,
    #[serde(default)]
    vc: Option<String>,
    block: u32,
    blocks: u32,
    generators: Vec<Vec<u32>>,
    ranks: Vec<u32>,
    actions: Vec<Action>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Healthy {
    #[serde(default)]
    flow: Option<Flow>,
    rounds: u32,
    sweeps: u32,
    stopped_by: String,
    #[serde(default)]
    routing: Option<Record>,
    faults: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    name: String,
    stopped_by: String,
    counters: Ordered<u64>,
    notes: Vec<String>,
}

/// Bytes of the hash at the end.
const HASH: usize = 32;

impl KeptFile {
    /// Reads a file and compares its hash.
    ///
    /// # Errors
    /// What is wrong with it.
    pub(crate) fn read(bytes: &[u8]) -> Result<Self, String> {
        let (rest, hash) = bytes.split_at(bytes.len().saturating_sub(HASH));
        if blake3::hash(rest).as_bytes() != hash {
            return Err("its hash is another one".to_owned());
        }
        let end = rest.iter().position(|&byte| byte == b'\n').ok_or("its first line does not end")?;
        let head: Head = serde_json::from_slice(&rest[..end]).map_err(|error| error.to_string())?;
        if head.format != "fabc.kept.bin/1" {
            return Err(format!("its format is `{}`, but this fabc reads `fabc.kept.bin/1`", head.format));
        }
        Ok(Self { head, body: rest[end + 1..].to_vec() })
    }

    /// Of which build it is.
    pub(crate) fn key(&self) -> &str {
        &self.head.key
    }

    /// The scenario that it is about.
    pub(crate) fn name(&self) -> &str {
        &self.head.scenario
    }

    /// The names of all faults, in the file of the healthy fabric.
    pub(crate) fn faults(&self) -> Option<&[String]> {
        self.head.healthy.as_ref().map(|healthy| &healthy.faults[..])
    }

    /// What is kept of a scenario.
    ///
    /// # Errors
    /// Something that cannot be of this topology.
    pub(crate) fn scenario(self, topology: &Topology) -> Result<KeptScenario, String> {
        let Head { scenario, lengths, volume, distance, flow, tables, .. } = self.head;
        let number = |text: &str| text.parse::<u128>().map_err(|_| format!("`{text}` is no number"));
        let lengths = DualLengths { lengths, volume: number(&volume)?, distance: number(&distance)? };
        let routed = tables.map(|tables| kept_tables(tables, &scenario, self.body, topology)).transpose()?;
        Ok(KeptScenario { scenario, lengths, flow: flow.map(certificate), routed })
    }

    /// What is kept of the healthy fabric.
    ///
    /// # Errors
    /// As [`KeptFile::scenario`], or it is of a fault.
    pub(crate) fn healthy(mut self, topology: &Topology) -> Result<KeptHealthy, String> {
        let healthy = self.head.healthy.take().ok_or("it is not of the healthy fabric")?;
        let nominal = self.scenario(topology)?;
        let Healthy { flow, rounds, sweeps, stopped_by, routing, faults } = healthy;
        let reasons = [StopReason::Optimal, StopReason::Gap, StopReason::Budget];
        let stopped_by = reasons.into_iter().find(|reason| reason.name() == stopped_by).ok_or("its flow has an unknown end")?;
        let flow = ConcurrentFlow { dual: nominal.lengths.clone(), primal: flow.map(certificate), rounds, sweeps, stopped_by };
        let record = |Record { name, stopped_by, counters, notes }| PassRecord { name, stopped_by, counters: counters.0, notes };
        Ok(KeptHealthy { nominal, flow, routing: routing.map(record), faults })
    }
}

fn certificate(Flow { demand, mirrored, busiest, parts, flows }: Flow) -> FlowCertificate {
    FlowCertificate { demand, mirrored, busiest, parts, flows }
}

fn kept_tables(tables: Tables, scenario: &str, body: Vec<u8>, topology: &Topology) -> Result<KeptTables, String> {
    let Tables { vcs, key, vc, block, blocks, generators, ranks, actions } = tables;
    let key = key_of(&key, vc.as_deref()).ok_or("its key is unknown")?;
    let whole = topology.symmetry();
    if u64::from(block) * u64::from(blocks) != whole.node_count() as u64 {
        return Err(format!("{blocks} blocks of {block} routers are not those of the fabric"));
    }
    let elements = closure(blocks as usize, &generators, true).map_err(|wrong| format!("its generators make no group: {wrong:?}"))?;
    let own = Symmetry::new(block, elements.into_iter().map(|element| element.into_iter().map(BlockId).collect()).collect());
    // Copies share what takes memory.
    let symmetry = if own == *whole { whole.clone() } else { own };
    Ok(KeptTables { tables: PackedTables { scenario: scenario.to_owned(), vcs, key, symmetry, actions, body }, ranks })
}
