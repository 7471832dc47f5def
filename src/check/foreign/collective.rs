//! Judges the schedule of a collective on the network of anybody: `fabc verify --collective FILE --topology
//! FILE`, with `--tables FILE` where it is one of messages that follow them.
//!
//! Comes in: the contents of the files. Goes out: what a replay of the schedule found, or why it is none. The
//! network is the one that the file lists, all of its links lit and all alike; a claimed symmetry is proved
//! before anything is carried by it, and bounds are counted again from their witnesses.

use super::fabc;
use super::verdict::{NamedFile, Rejected, malformed, text};
use crate::{CheckError, schedule, schedule_along};
use fabc_base::ids::{Id, LinkTypeId, NodeId, PortId};
use fabc_ir::read::{AnyTopology, ClassLine, CollectiveFile, NoGroup, of_blocks, tagged};
use fabc_ir::{
    CollectiveBound, End, ForwardingTables, Link, LinkClass, Message, Names, Scene, Schedule, SpanningTree,
    Symmetry, Topology, Transfers,
};
use fabc_model::{Collective, CollectiveAlgorithm};
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
    /// Parts of a shard; of trees pieces of a tree's share.
    pub chunks: u32,
    /// Rounds one after the other; of messages slots, of trees as many as pieces and hops make.
    pub steps: u64,
    /// Chunk times one after the other.
    pub volume: u64,
    /// Chunks over channels that were replayed, those of canonical routers only; of trees channels of links
    /// that they use.
    pub transfers: u64,
    /// Bounds that follow from their witnesses.
    pub bounds: u64,
    /// The largest of them that says how much is moved, whatever the tables; chunk times over what they are
    /// divided by.
    pub bound: Option<(u64, u64)>,
}

/// What a schedule is judged by.
#[derive(Clone, Copy, Debug)]
pub struct JudgedBy<'a> {
    /// The network: `fabc.topology/1`, `fabc.topology/2`.
    pub network: NamedFile<'a>,
    /// Forwarding tables of it: `fabc.tables/1`, `fabc.tables.bin/1`.
    pub tables: Option<NamedFile<'a>>,
}

/// Reads a schedule (`fabc.collective/1`), a network and, for an all-to-all, its tables, and replays the
/// schedule on them.
///
/// # Errors
/// What is wrong with a file, or with the schedule.
pub fn foreign_collective(file: NamedFile<'_>, by: JudgedBy<'_>) -> Result<ForeignCollective, Rejected> {
    let unreadable = |error| Rejected::Unreadable(Box::new(error));
    let wrong = |what: String| unreadable(malformed(file.name, 1, what));
    let topology = topology(by.network).map_err(unreadable)?;
    let read: CollectiveFile = tagged(file.bytes).map_err(wrong)?;
    if read.scenario != "nominal" {
        let scenario = &read.scenario;
        return Err(wrong(format!(
            "it is for the scenario `{scenario}`, but only schedules of the healthy fabric (`nominal`) are judged"
        )));
    }
    let fabric = read.fabric.clone();
    let plan = read.schedule().map_err(wrong)?;
    let scene = Scene::whole(&topology);
    let judged = match (&plan.transfers, by.tables) {
        (Transfers::Sends(_), Some(file)) => {
            schedule_along(&scene, &tables(file, by.network, &topology)?, &plan)
        }
        (Transfers::Sends(_), None) => {
            let what =
                "it lists messages that follow forwarding tables, and there are none: add `--tables FILE`";
            return Err(wrong(what.to_owned()));
        }
        (_, Some(tables)) => {
            let what = format!(
                "it follows no tables, so that `{}` has no say in it: leave `--tables` out",
                tables.name
            );
            return Err(wrong(what));
        }
        (_, None) => schedule(&scene, &plan),
    };
    judged.map_err(|error| Rejected::Convicted(vec![error]))?;
    let chips = topology.endpoints().count() as u64;
    let (steps, volume, transfers) = replayed(&topology, &plan);
    Ok(ForeignCollective {
        fabric,
        collective: plan.collective,
        algorithm: plan.algorithm,
        chips,
        chunks: plan.chunks,
        steps,
        volume,
        transfers,
        bounds: plan.bounds.len() as u64,
        bound: tightest(&plan, chips),
    })
}

/// Rounds, chunk times and transfers of a schedule.
fn replayed(topology: &Topology, plan: &Schedule) -> (u64, u64, u64) {
    match &plan.transfers {
        Transfers::Rounds(rounds) => {
            let runs = rounds.order.len() as u64;
            let chunks = rounds
                .rounds
                .iter()
                .flat_map(|round| &round.pulls)
                .map(|pull| pull.chunks.len() as u64)
                .sum();
            (
                rounds.rounds.len() as u64 * runs,
                rounds.rounds.iter().map(|round| u64::from(round.width)).sum::<u64>() * runs,
                chunks,
            )
        }
        // A piece goes up and down, and the next one follows it; on a link there is one of every tree.
        Transfers::Trees(shared) => {
            let steps = u64::from(plan.chunks) - 1
                + 2 * shared.trees.iter().map(|tree| height(topology, tree)).max().unwrap_or(0);
            let used = shared.trees.iter().flat_map(|tree| &tree.up).flatten().count() as u64;
            (steps, steps * u64::from(shared.capacity), 2 * used)
        }
        Transfers::Sends(sends) => {
            let times = if plan.collective == Collective::AllReduce { 2 } else { 1 };
            let of = |list: &[Message]| {
                let hops = || list.iter().flat_map(|message| &message.slots);
                (hops().max().map_or(0, |&slot| u64::from(slot) + 1), hops().count() as u64)
            };
            let ((slots, sent), (rooted_slots, rooted_sent)) = (of(&sends.messages), of(&sends.rooted));
            let slots = slots * times + rooted_slots;
            (slots, slots, sent * times + rooted_sent)
        }
        Transfers::Timed(timed) => (u64::from(timed.end - timed.start), 0, timed.sends.len() as u64),
    }
}

/// Hops from the farthest chip to the root of a tree that spans.
fn height(topology: &Topology, tree: &SpanningTree) -> u64 {
    let above = |node: &NodeId| tree.up[node.index()].map(|channel| topology.target(channel).node);
    let hops = topology.nodes().map(|node| std::iter::successors(Some(node), above).count() as u64 - 1);
    hops.max().unwrap_or(0)
}

/// The largest bound but for latencies, and for what binds those alone that follow the same tables: chunk
/// times, over what they are divided by.
fn tightest(plan: &Schedule, chips: u64) -> Option<(u64, u64)> {
    let chunks = u64::from(plan.chunks);
    // Chunks of the full vector.
    let whole = match &plan.transfers {
        Transfers::Trees(shared) => chunks * shared.trees.len() as u64,
        _ if plan.algorithm == CollectiveAlgorithm::Local => chunks,
        _ => chunks * chips,
    };
    // Chunks of what a cut parts: a shard, or the root's vector, which messages cut into as many.
    let vector =
        if plan.root.is_some() && matches!(plan.transfers, Transfers::Sends(_)) { whole } else { chunks };
    let narrow = |over: u128, below: u128| Some((u64::try_from(over).ok()?, u64::try_from(below).ok()?));
    let claims = plan.bounds.iter().filter_map(|bound| match *bound {
        CollectiveBound::Cut { channels, shards, .. } => {
            Some((u64::from(shards) * vector, u64::from(channels)))
        }
        CollectiveBound::Partition { parts, channels, .. } => {
            Some((2 * u64::from(parts - 1) * whole, u64::from(channels)))
        }
        CollectiveBound::Flow { volume, distance, .. } => narrow(distance * u128::from(chunks), volume),
        CollectiveBound::Latency { .. }
        | CollectiveBound::Channel { .. }
        | CollectiveBound::Quickest { .. } => None,
    });
    let larger = |a: (u64, u64), b: (u64, u64)| {
        if u128::from(b.0) * u128::from(a.1) > u128::from(a.0) * u128::from(b.1) { b } else { a }
    };
    claims.reduce(larger)
}

/// Tables of a network, judged by themselves first.
fn tables(
    file: NamedFile<'_>,
    network: NamedFile<'_>,
    topology: &Topology,
) -> Result<ForwardingTables, Rejected> {
    let unreadable = |error| Rejected::Unreadable(Box::new(error));
    let walked = fabc::topology(network).map_err(unreadable)?;
    let tables = fabc::tables(file, &walked).map_err(unreadable)?;
    tables.check(file.name, &walked.network).map_err(|error| Rejected::Convicted(vec![error]))?;
    let what =
        || "it lists other routers than all of them, or the least one of every orbit of the generators";
    tables.laid_out(topology.symmetry()).ok_or_else(|| unreadable(malformed(file.name, 1, what().to_owned())))
}

/// The network of a file, whatever it says of links beside their ends.
pub(super) fn topology(file: NamedFile<'_>) -> Result<Topology, CheckError> {
    let wrong = |what: String| malformed(file.name, 1, what);
    let read = AnyTopology::read(text(file)?).map_err(|(line, what)| malformed(file.name, line, what))?;
    let (ports, count) = (read.port_names.len(), read.routers.len());
    if ports == 0 || ports > usize::from(u16::MAX) || count == 0 || ports.saturating_mul(count) > MOST_PORTS {
        return Err(wrong(format!(
            "{ports} ports at each of {count} nodes make no network that can be judged"
        )));
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
            return Err(wrong(format!(
                "`links[{k}]` runs one way only, and schedules are for links that run both ways"
            )));
        }
        let end = |(node, port): (u32, u16)| End { node: NodeId(node), port: PortId::new(usize::from(port)) };
        let class =
            if matches!(link.class, Some(ClassLine::Global)) { LinkClass::Global } else { LinkClass::Local };
        links.push(Link { a: end(link.a), b: end(link.b), class, link_type: LinkTypeId(0), simplex: false });
    }
    // Channels are numbered by links, so links must be listed in the order of their ends.
    if !links.iter().all(|link| link.a < link.b)
        || !links.windows(2).all(|pair| (pair[0].a, pair[0].b) < (pair[1].a, pair[1].b))
    {
        return Err(wrong("its links do not stand in the order of their ends, smaller end first, which numbers the channels".to_owned()));
    }
    if count % read.block != 0 {
        return Err(wrong(format!("{count} nodes are no blocks of {}", read.block)));
    }
    let symmetry =
        group(&read, count).map_err(|error| wrong(format!("its generators make no group: {error:?}")))?;
    let hosts = read.routers.iter().map(|router| router.hosts).collect();
    let names: Vec<String> = read.routers.into_iter().map(|router| router.name).collect();
    Ok(Topology::new(ports, links, symmetry).with_hosts(hosts).named(Names::Listed(names.into())))
}

fn group(read: &AnyTopology, count: usize) -> Result<Symmetry, NoGroup> {
    of_blocks(read.block as u32, (count / read.block) as u32, &read.generators)
}
