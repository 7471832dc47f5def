//! Reads the files that the parts of a build kept: `fabc.kept.bin/1`, `fabc.kept_simulation.bin/1`,
//! `fabc.shards/1` and `fabc.queue/1`.

use super::json::{OrderedKeys, formats};
use super::symmetry::closure;
use super::tables::parse_key;
use crate::{
    ConcurrentFlow, DualLengths, End, FlowCertificate, Fraction, KeptHealthy, KeptOrder, KeptScenario,
    KeptTables, Link, LinkClass, PackedAction, PackedTables, PassRecord, RouterNames, StopReason, Symmetry,
    Topology, UniformTopology, router_names,
};
use fabc_base::ids::{BlockId, LinkTypeId, NodeId, PortId};
use fabc_model::{Fabric, Plant};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;

formats! {
    ShardsFile = "fabc.shards/1";
    QueueFile = "fabc.queue/1";
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ShardsFile {
    format: String,
    pub tool: String,
    pub fabric: String,
    pub key: String,
    pub tables: String,
    pub options: OrderedKeys<String>,
}

/// The pieces of a build by several processes, as (name, key of the result).
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub struct QueueFile {
    format: String,
    pub key: String,
    pub pieces: Vec<(String, String)>,
}

/// The content of the file of a kept scenario.
pub struct KeptFile {
    head: KeptHead,
    body: Vec<u8>,
    hash: String,
}

#[derive(Deserialize)]
#[serde(rename = "Head", deny_unknown_fields)]
struct KeptHead {
    format: String,
    key: String,
    scenario: String,
    lengths: Vec<u64>,
    volume: String,
    distance: String,
    #[serde(default)]
    shortest: Option<KeptLengths>,
    #[serde(default)]
    flow: Option<KeptFlow>,
    #[serde(default)]
    tables: Option<KeptTablesLine>,
    #[serde(default)]
    healthy: Option<Healthy>,
}

#[derive(Deserialize)]
#[serde(rename = "Lengths", deny_unknown_fields)]
struct KeptLengths {
    lengths: Vec<u64>,
    volume: String,
    distance: String,
}

#[derive(Deserialize)]
#[serde(rename = "Flow", deny_unknown_fields)]
struct KeptFlow {
    demand: u64,
    mirrored: bool,
    busiest: u64,
    parts: u64,
    flows: Vec<Vec<u64>>,
}

#[derive(Deserialize)]
#[serde(rename = "Tables", deny_unknown_fields)]
struct KeptTablesLine {
    vcs: u8,
    key: Vec<String>,
    #[serde(default)]
    vc: Option<String>,
    block: u32,
    blocks: u32,
    generators: Vec<Vec<u32>>,
    ranks: Vec<u32>,
    actions: Vec<PackedAction>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Healthy {
    #[serde(default)]
    flow: Option<KeptFlow>,
    rounds: u32,
    sweeps: u32,
    stopped_by: String,
    #[serde(default)]
    routing: Option<Record>,
    #[serde(default)]
    order: Option<OrderLine>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct OrderLine {
    vcs: u8,
    symmetric: bool,
    lost: u64,
    ranks: Vec<u32>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Record {
    name: String,
    stopped_by: String,
    counters: OrderedKeys<u64>,
    notes: Vec<String>,
}

/// Number of bytes of the hash at the end of a file.
const HASH: usize = 32;

/// Compares the hash of a file, and splits it: its first line, the rest before the hash, and the hash.
pub(super) fn unsealed<T: DeserializeOwned>(bytes: &[u8]) -> Result<(T, Vec<u8>, String), String> {
    let (rest, hash) = bytes.split_at(bytes.len().saturating_sub(HASH));
    let computed = blake3::hash(rest);
    if computed.as_bytes() != hash {
        return Err("its hash does not match its content".to_owned());
    }
    let end = rest.iter().position(|&byte| byte == b'\n').ok_or("its first line does not end")?;
    let head = serde_json::from_slice(&rest[..end]).map_err(|error| error.to_string())?;
    Ok((head, rest[end + 1..].to_vec(), computed.to_hex().to_string()))
}

/// Compares the format of a file with that which is read here.
pub(super) fn expect_format(found: &str, wanted: &str) -> Result<(), String> {
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
    /// The hash differs, the first line violates the format, or the format is another one.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let (head, body, hash) = unsealed::<KeptHead>(bytes)?;
        expect_format(&head.format, "fabc.kept.bin/1")?;
        Ok(Self { head, body, hash })
    }

    /// The key of the build to which it belongs.
    pub fn key(&self) -> &str {
        &self.head.key
    }

    /// The name of the scenario.
    pub fn name(&self) -> &str {
        &self.head.scenario
    }

    /// The hash at its end, in hexadecimal digits.
    pub fn hash(&self) -> &str {
        &self.hash
    }

    /// The kept results of a scenario.
    ///
    /// # Errors
    /// The file does not belong to this topology, or has a number that is none.
    pub fn scenario(self, topology: &Topology) -> Result<KeptScenario, String> {
        let KeptHead { scenario, lengths, volume, distance, shortest, flow, tables, .. } = self.head;
        let number = |text: &str| text.parse::<u128>().map_err(|_| format!("`{text}` is not a number"));
        let sums = |KeptLengths { lengths, volume, distance }: KeptLengths| {
            Ok::<_, String>(DualLengths { lengths, volume: number(&volume)?, distance: number(&distance)? })
        };
        let lengths = sums(KeptLengths { lengths, volume, distance })?;
        let shortest = shortest.map(sums).transpose()?;
        let routed = tables.map(|tables| kept_tables(tables, &scenario, self.body, topology)).transpose()?;
        Ok(KeptScenario { scenario, lengths, shortest, flow: flow.map(certificate), routed })
    }

    /// The kept results of the healthy fabric.
    ///
    /// # Errors
    /// As [`KeptFile::scenario`], or the file is that of a fault.
    pub fn healthy(mut self, topology: &Topology) -> Result<KeptHealthy, String> {
        let healthy = self.head.healthy.take().ok_or("it does not belong to the healthy fabric")?;
        let nominal = self.scenario(topology)?;
        let Healthy { flow, rounds, sweeps, stopped_by, routing, order, .. } = healthy;
        let reasons = [StopReason::Optimal, StopReason::Gap, StopReason::Budget];
        let stopped_by = reasons
            .into_iter()
            .find(|reason| reason.name() == stopped_by)
            .ok_or("its flow has an unknown stop reason")?;
        let flow = ConcurrentFlow {
            dual: nominal.lengths.clone(),
            primal: flow.map(certificate),
            rounds,
            sweeps,
            stopped_by,
        };
        let order = order.map(|line| line.order(topology)).transpose()?;
        Ok(KeptHealthy { nominal, flow, routing: routing.map(record), order })
    }
}

impl OrderLine {
    /// The order on a topology.
    fn order(self, topology: &Topology) -> Result<KeptOrder, String> {
        let OrderLine { vcs, symmetric, lost, ranks } = self;
        let trivial;
        let symmetry = match symmetric {
            true => topology.symmetry(),
            false => {
                trivial = topology.symmetry().to_trivial();
                &trivial
            }
        };
        let expected = topology.class_count(symmetry) * usize::from(vcs);
        let is_order = ranks.len() == expected && ranks.iter().all(|&rank| (rank as usize) < expected);
        let order = KeptOrder { vcs, symmetric, ranks, lost };
        if is_order && vcs > 0 { Ok(order) } else { Err("its order is not one of the topology".to_owned()) }
    }
}

/// The content of the file of a kept topology.
pub struct KeptTopology {
    head: TopologyHead,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TopologyHead {
    format: String,
    key: String,
    ports: usize,
    links: Vec<KeptLink>,
    symmetry: KeptSymmetry,
    routing: Record,
    #[serde(default)]
    uniform: Option<KeptUniform>,
}

/// The ends of a link as node and port, whether it stays inside a cube, and its type.
#[derive(Deserialize)]
struct KeptLink(u32, u16, u32, u16, bool, u32);

/// The certified ends of the flow on the topology for uniform demand, as fractions.
#[derive(Deserialize)]
struct KeptUniform(String, String);

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeptSymmetry {
    block: u32,
    blocks: u32,
    generators: Vec<Vec<u32>>,
}

impl KeptTopology {
    /// Reads a file and compares its hash.
    ///
    /// # Errors
    /// The hash differs, the first line violates the format, or the format is another one.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let (head, ..) = unsealed::<TopologyHead>(bytes)?;
        expect_format(&head.format, "fabc.kept_topology.bin/1")?;
        Ok(Self { head })
    }

    /// The topology of a fabric, the record of its search, and the flow on the topology for uniform demand.
    ///
    /// # Errors
    /// The file has another key, or is not the topology of such a fabric.
    pub fn topology(
        self,
        key: &str,
        fabric: &Fabric,
    ) -> Result<(Topology, PassRecord, Option<UniformTopology>), String> {
        let TopologyHead { key: own, ports, links, symmetry, routing, uniform, .. } = self.head;
        if own != key {
            return Err("it belongs to another build".to_owned());
        }
        let (routers, types) = (fabric.node_count(), fabric.link_types.len());
        let mut taken = BTreeSet::new();
        let mut link_of = |line: KeptLink| {
            let KeptLink(a, a_port, b, b_port, is_local, link_type) = line;
            let end = |node: u32, port: u16| End { node: NodeId(node), port: PortId(port) };
            let fits = |node: u32, port: u16| (node as usize) < routers && usize::from(port) < ports;
            let is_free = taken.insert((a, a_port)) && taken.insert((b, b_port));
            if !fits(a, a_port) || !fits(b, b_port) || !is_free || link_type as usize >= types {
                return Err("it has a link that the fabric cannot have".to_owned());
            }
            let class = if is_local { LinkClass::Local } else { LinkClass::Global };
            let (a, b, link_type) = (end(a, a_port), end(b, b_port), LinkTypeId(link_type));
            Ok(Link { a, b, class, link_type, simplex: false })
        };
        let links = links.into_iter().map(&mut link_of).collect::<Result<Vec<_>, _>>()?;
        let KeptSymmetry { block, blocks, generators } = symmetry;
        if u64::from(block) * u64::from(blocks) != routers as u64 {
            return Err(format!("{blocks} blocks of {block} routers are not those of the fabric"));
        }
        let symmetry = group_of(block, blocks, &generators)?;
        let topology = Topology::new(ports, links, symmetry);
        let topology = match &fabric.plant {
            Plant::Pod(pod) => topology.named(RouterNames::Cubes(pod.cube.dims)),
            Plant::Network(network) => {
                topology.with_hosts(network.hosts(fabric.router.hosts)).named(router_names(fabric))
            }
        };
        let topology = topology.with_capacities(fabric.capacities.clone());
        let fraction = |text: &str| {
            let (numerator, denominator) = text.split_once('/')?;
            let (numerator, denominator): (u128, u128) =
                (numerator.parse().ok()?, denominator.parse().ok().filter(|&below| below > 0)?);
            Some(Fraction::new(numerator, denominator))
        };
        let uniform = uniform.map(|KeptUniform(low, high)| {
            Some(UniformTopology { flow_low: fraction(&low)?, flow_high: fraction(&high)? })
        });
        let uniform = uniform.map(|read| read.ok_or("it has a number that is none")).transpose()?;
        Ok((topology, record(routing), uniform))
    }
}

/// The content of the file of a kept simulation on one scenario.
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
    /// The hash differs, the first line violates the format, or the format is another one.
    pub fn read(bytes: &[u8]) -> Result<Self, String> {
        let (head, report, _) = unsealed::<ReportHead>(bytes)?;
        expect_format(&head.format, "fabc.kept_simulation.bin/1")?;
        Ok(Self { head, report })
    }

    /// Whether it belongs to a build, a simulation and a scenario, and was run on its tables. `tables` is the
    /// hash of their file.
    pub fn is_of(&self, key: &str, simulation: &str, scenario: &str, tables: &str) -> bool {
        let head = &self.head;
        [&head.key, &head.simulation, &head.scenario, &head.tables] == [key, simulation, scenario, tables]
    }

    /// The `fabc.simulation/1` that the build would write for this simulation with this scenario only.
    pub fn report(&self) -> &[u8] {
        &self.report
    }
}

fn certificate(KeptFlow { demand, mirrored, busiest, parts, flows }: KeptFlow) -> FlowCertificate {
    FlowCertificate { demand, mirrored, busiest, parts, flows }
}

fn record(Record { name, stopped_by, counters, notes }: Record) -> PassRecord {
    PassRecord { name, stopped_by, counters: counters.0, notes }
}

/// The group that generators make, each given as the image of every block.
fn group_of(block: u32, blocks: u32, generators: &[Vec<u32>]) -> Result<Symmetry, String> {
    let elements = closure(blocks as usize, generators, true)
        .map_err(|reason| format!("its generators do not form a group: {reason:?}"))?;
    let elements = elements.into_iter().map(|element| element.into_iter().map(BlockId).collect()).collect();
    Ok(Symmetry::new(block, elements))
}

fn kept_tables(
    tables: KeptTablesLine,
    scenario: &str,
    body: Vec<u8>,
    topology: &Topology,
) -> Result<KeptTables, String> {
    let KeptTablesLine { vcs, key, vc, block, blocks, generators, ranks, actions } = tables;
    let key = parse_key(&key, vc.as_deref()).ok_or("its key is unknown")?;
    let topology_symmetry = topology.symmetry();
    if u64::from(block) * u64::from(blocks) != topology_symmetry.node_count() as u64 {
        return Err(format!("{blocks} blocks of {block} routers are not those of the fabric"));
    }
    let symmetry_of_tables = group_of(block, blocks, &generators)?;
    // Copies share the large parts of their memory.
    let symmetry =
        if symmetry_of_tables == *topology_symmetry { topology_symmetry.clone() } else { symmetry_of_tables };
    Ok(KeptTables {
        tables: PackedTables { scenario: scenario.to_owned(), vcs, key, symmetry, actions, body },
        ranks,
    })
}
