//! Reads what the parts of a build kept: `fabc.kept.bin/1`, `fabc.kept_simulation.bin/1` and `fabc.shards/1`.

use super::json::{Ordered, formats};
use super::symmetry::closure;
use super::tables::key_of;
use crate::{
    Action, ConcurrentFlow, DualLengths, FlowCertificate, KeptHealthy, KeptScenario, KeptTables,
    PackedTables, PassRecord, Pieces, StopReason, Symmetry, Topology,
};
use fabc_base::ids::BlockId;
use fabc_model::Scenarios;
use serde::Deserialize;
use serde::de::DeserializeOwned;

formats! { ShardsFile = "fabc.shards/1"; }

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardsFile {
    format: String,
    pub tool: String,
    pub fabric: String,
    pub key: String,
    pub shards: usize,
    pub tables: String,
    pub options: Ordered<String>,
}

/// A kept scenario, as its file says.
pub struct KeptFile {
    head: Head,
    body: Vec<u8>,
    hash: String,
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
    simulations: Vec<Simulated>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Simulated {
    name: String,
    scenarios: String,
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

/// Compares the hash of a file, and takes it apart: its first line, what comes after it, and the hash.
fn unsealed<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, Vec<u8>, String), String> {
    let (rest, hash) = bytes.split_at(bytes.len().saturating_sub(HASH));
    let own = blake3::hash(rest);
    if own.as_bytes() != hash {
        return Err("its hash is another one".to_owned());
    }
    let end = rest.iter().position(|&byte| byte == b'\n').ok_or("its first line does not end")?;
    let head = serde_json::from_slice(&rest[..end]).map_err(|error| error.to_string())?;
    Ok((head, rest[end + 1..].to_vec(), own.to_hex().to_string()))
}

fn of_format(found: &str, wanted: &str) -> Result<(), String> {
    if found == wanted {
        Ok(())
    } else {
        Err(format!("its format is `{found}`, but this fabc reads `{wanted}`"))
    }
}

impl KeptFile {
    /// Reads a file and compares its hash.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let (head, body, hash) = unsealed::<Head>(bytes)?;
        of_format(&head.format, "fabc.kept.bin/1")?;
        Ok(Self { head, body, hash })
    }

    /// Of which build it is.
    pub fn key(&self) -> &str {
        &self.head.key
    }

    /// The scenario that it is about.
    pub fn name(&self) -> &str {
        &self.head.scenario
    }

    /// The hash at its end, in hexadecimal digits.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// What there is to do, in the file of the healthy fabric.
    pub fn pieces(&self) -> Option<Pieces> {
        let Healthy { faults, simulations, .. } = self.head.healthy.as_ref()?;
        let of = |line: &Simulated| {
            let scenarios = Scenarios::ALL.into_iter().find(|of| of.name() == line.scenarios)?;
            Some((line.name.clone(), scenarios))
        };
        Some(Pieces {
            faults: faults.clone(),
            simulations: simulations.iter().map(of).collect::<Option<_>>()?,
        })
    }

    /// What is kept of a scenario.
    ///
    /// # Errors
    /// Something that cannot be of this topology.
    pub fn scenario(self, topology: &Topology) -> Result<KeptScenario, String> {
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
    pub fn healthy(mut self, topology: &Topology) -> Result<KeptHealthy, String> {
        let pieces = self.pieces().ok_or("it does not say what there is to do")?;
        let healthy = self.head.healthy.take().ok_or("it is not of the healthy fabric")?;
        let nominal = self.scenario(topology)?;
        let Healthy { flow, rounds, sweeps, stopped_by, routing, .. } = healthy;
        let reasons = [StopReason::Optimal, StopReason::Gap, StopReason::Budget];
        let stopped_by = reasons
            .into_iter()
            .find(|reason| reason.name() == stopped_by)
            .ok_or("its flow has an unknown end")?;
        let flow = ConcurrentFlow {
            dual: nominal.lengths.clone(),
            primal: flow.map(certificate),
            rounds,
            sweeps,
            stopped_by,
        };
        let record = |Record { name, stopped_by, counters, notes }| PassRecord {
            name,
            stopped_by,
            counters: counters.0,
            notes,
        };
        Ok(KeptHealthy { nominal, flow, routing: routing.map(record), pieces })
    }
}

/// A kept simulation on one scenario, as its file says.
pub struct KeptReport {
    head: ReportHead,
    report: Vec<u8>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ReportHead {
    format: String,
    key: String,
    simulation: String,
    scenario: String,
    tables: String,
}

impl KeptReport {
    /// Reads a file and compares its hash.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let (head, report, _) = unsealed::<ReportHead>(bytes)?;
        of_format(&head.format, "fabc.kept_simulation.bin/1")?;
        Ok(Self { head, report })
    }

    /// Whether it is of a build, a simulation and a scenario, and was run on its tables: `tables` is the hash
    /// of their file.
    pub fn is_of(&self, key: &str, simulation: &str, scenario: &str, tables: &str) -> bool {
        let ReportHead { key: own, simulation: name, scenario: of, tables: on, .. } = &self.head;
        [own, name, of, on] == [key, simulation, scenario, tables]
    }

    /// What the build would write of this simulation, if it had this scenario only: `fabc.simulation/1`.
    pub fn report(&self) -> &[u8] {
        &self.report
    }
}

fn certificate(Flow { demand, mirrored, busiest, parts, flows }: Flow) -> FlowCertificate {
    FlowCertificate { demand, mirrored, busiest, parts, flows }
}

fn kept_tables(
    tables: Tables,
    scenario: &str,
    body: Vec<u8>,
    topology: &Topology,
) -> Result<KeptTables, String> {
    let Tables { vcs, key, vc, block, blocks, generators, ranks, actions } = tables;
    let key = key_of(&key, vc.as_deref()).ok_or("its key is unknown")?;
    let whole = topology.symmetry();
    if u64::from(block) * u64::from(blocks) != whole.node_count() as u64 {
        return Err(format!("{blocks} blocks of {block} routers are not those of the fabric"));
    }
    let elements = closure(blocks as usize, &generators, true)
        .map_err(|wrong| format!("its generators make no group: {wrong:?}"))?;
    let own = Symmetry::new(
        block,
        elements.into_iter().map(|element| element.into_iter().map(BlockId).collect()).collect(),
    );
    // Copies share what takes memory.
    let symmetry = if own == *whole { whole.clone() } else { own };
    Ok(KeptTables {
        tables: PackedTables { scenario: scenario.to_owned(), vcs, key, symmetry, actions, body },
        ranks,
    })
}
