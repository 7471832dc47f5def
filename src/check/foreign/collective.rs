//! Judges the schedule of a collective on the network of anybody: `fabc verify --collective FILE --topology
//! FILE`.
//!
//! Comes in: the contents of two files. Goes out: what a replay of the schedule found, or why it is none. The
//! network is the one that the file lists, all of its links lit and all alike; a claimed symmetry is proved
//! before anything is carried by it, and bounds are counted again from their witnesses.

use super::verdict::{NamedFile, Rejected, malformed, text};
use crate::check::{CheckError, schedule};
use crate::ids::{Id, LinkTypeId, NodeId, PortId};
use crate::ir::{CollectiveBound, End, Link, LinkClass, Names, Scene, Symmetry, Topology, Transfers};
use crate::model::{Collective, CollectiveAlgorithm};
use crate::read::{AnyTopology, ClassLine, CollectiveFile, NoGroup, of_blocks, tagged};
use std::collections::BTreeSet;

/// More ports than these are not laid out: 2 GiB.
const MOST_PORTS: usize = 1 << 28;

/// What a replay of a good schedule found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignCollective {
    /// The fabric that it is for, as the file says.
    pub fabric: String,
    /// What it does.
    pub collective: Collective,
    /// How it was found, as the file says.
    pub algorithm: CollectiveAlgorithm,
    /// Chips that take part.
    pub chips: u64,
    /// Parts of a shard.
    pub chunks: u32,
    /// Rounds one after the other.
    pub steps: u64,
    /// Chunk times one after the other.
    pub volume: u64,
    /// Chunks over channels that were replayed, those of canonical routers only.
    pub transfers: u64,
    /// Bounds that follow from their witnesses.
    pub bounds: u64,
    /// The largest of them but for latencies, chunk times over what they are divided by; none without any.
    pub bound: Option<(u64, u64)>,
}

/// Reads a schedule (`fabc.collective/1`) and a network (`fabc.topology/1`, `fabc.topology/2`), and replays
/// the one on the other.
///
/// # Errors
/// What is wrong with a file, or with the schedule.
pub fn foreign_collective(file: NamedFile<'_>, network: NamedFile<'_>) -> Result<ForeignCollective, Rejected> {
    let unreadable = |error| Rejected::Unreadable(Box::new(error));
    let wrong = |what: String| unreadable(malformed(file.name, 1, what));
    let topology = topology(network).map_err(unreadable)?;
    let read: CollectiveFile = tagged(file.bytes).map_err(wrong)?;
    if read.scenario != "nominal" {
        let scenario = &read.scenario;
        return Err(wrong(format!("it is for the scenario `{scenario}`, but only schedules of the healthy fabric (`nominal`) are judged")));
    }
    let fabric = read.fabric.clone();
    let plan = read.schedule().map_err(wrong)?;
    let scene = Scene::whole(&topology);
    schedule(&scene, &plan).map_err(|error| Rejected::Convicted(vec![error]))?;
    let Transfers::Rounds(rounds) = &plan.transfers else { return Err(wrong("it has no rounds".to_owned())) };
    let runs = rounds.order.len() as u64;
    let pulls = rounds.rounds.iter().flat_map(|round| &round.pulls);
    let chips = topology.endpoints().count() as u64;
    let chunks = u64::from(plan.chunks);
    let whole = if plan.algorithm == CollectiveAlgorithm::Local { 1 } else { chips };
    let claims = plan.bounds.iter().filter_map(|bound| match *bound {
        CollectiveBound::Cut { channels, shards, .. } => Some((u64::from(shards) * chunks, u64::from(channels))),
        CollectiveBound::Partition { parts, links, .. } => Some((u64::from(parts - 1) * chunks * whole, u64::from(links))),
        CollectiveBound::Channel { shards, .. } => Some((u64::from(shards) * chunks, 1)),
        // Flows bound all-to-alls, which have no rounds.
        CollectiveBound::Latency { .. } | CollectiveBound::Flow { .. } => None,
    });
    let larger = |a: (u64, u64), b: (u64, u64)| {
        if u128::from(b.0) * u128::from(a.1) > u128::from(a.0) * u128::from(b.1) { b } else { a }
    };
    Ok(ForeignCollective {
        fabric,
        collective: plan.collective,
        algorithm: plan.algorithm,
        chips,
        chunks: plan.chunks,
        steps: rounds.rounds.len() as u64 * runs,
        volume: rounds.rounds.iter().map(|round| u64::from(round.width)).sum::<u64>() * runs,
        transfers: pulls.map(|pull| pull.chunks.len() as u64).sum(),
        bounds: plan.bounds.len() as u64,
        bound: claims.reduce(larger),
    })
}

/// The network of a file, whatever it says of links beside their ends.
pub(super) fn topology(file: NamedFile<'_>) -> Result<Topology, CheckError> {
    let wrong = |what: String| malformed(file.name, 1, what);
    let read = AnyTopology::read(text(file)?).map_err(|(line, what)| malformed(file.name, line, what))?;
    let (ports, count) = (read.port_names.len(), read.routers.len());
    if ports == 0 || ports > usize::from(u16::MAX) || count == 0 || ports.saturating_mul(count) > MOST_PORTS {
        return Err(wrong(format!("{ports} ports at each of {count} nodes make no network that can be judged")));
    }
    if let Some((k, router)) = read.routers.iter().enumerate().find(|(k, router)| router.id as usize != *k) {
        return Err(wrong(format!("`nodes[{k}]` has the id {}, but ids count from 0", router.id)));
    }
    let mut used = BTreeSet::new();
    let mut links = Vec::with_capacity(read.links.len());
    for (k, link) in read.links.iter().enumerate() {
        for (node, port) in [link.a, link.b] {
            if node as usize >= count || usize::from(port) >= ports {
                return Err(wrong(format!("`links[{k}]`: [{node},{port}] is no port of this network")));
            }
            if !link.simplex && !used.insert((node, port)) {
                return Err(wrong(format!("`links[{k}]`: [{node},{port}] carries two links")));
            }
        }
        if link.simplex {
            return Err(wrong(format!("`links[{k}]` runs one way only, and schedules are for links that run both ways")));
        }
        let end = |(node, port): (u32, u16)| End { node: NodeId(node), port: PortId::new(usize::from(port)) };
        let class = if matches!(link.class, Some(ClassLine::Global)) { LinkClass::Global } else { LinkClass::Local };
        links.push(Link { a: end(link.a), b: end(link.b), class, link_type: LinkTypeId(0), simplex: false });
    }
    // Channels are numbered by links, so links must be listed in the order of their ends.
    if !links.iter().all(|link| link.a < link.b) || !links.windows(2).all(|pair| (pair[0].a, pair[0].b) < (pair[1].a, pair[1].b)) {
        return Err(wrong("its links do not stand in the order of their ends, smaller end first, which numbers the channels".to_owned()));
    }
    if count % read.block != 0 {
        return Err(wrong(format!("{count} nodes are no blocks of {}", read.block)));
    }
    let symmetry = group(&read, count).map_err(|error| wrong(format!("its generators make no group: {error:?}")))?;
    let hosts = read.routers.iter().map(|router| router.hosts).collect();
    let names: Vec<String> = read.routers.into_iter().map(|router| router.name).collect();
    Ok(Topology::new(ports, links, symmetry).with_hosts(hosts).named(Names::Listed(names.into())))
}

fn group(read: &AnyTopology, count: usize) -> Result<Symmetry, NoGroup> {
    of_blocks(read.block as u32, (count / read.block) as u32, &read.generators)
}
