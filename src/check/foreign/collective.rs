//! Judges the schedule of a collective on a third-party network: `fabc verify --collective FILE --topology
//! FILE`. A schedule of messages also needs `--tables FILE`.
//!
//! Input: the contents of the files. Output: the counts of a replay, or the reason why the schedule is
//! invalid. The network is the one that the file lists. All of its links are lit and have the same capacity.
//! A claimed symmetry is proved before it is used. Bounds are recomputed from their witnesses.

use super::fabc;
use super::verdict::{NamedFile, Rejected, malformed, text};
use crate::schedule::{forest_counts, path_counts};
use crate::{CheckError, verify_message_schedule, verify_schedule};
use fabc_base::ids::{Id, LinkTypeId, NodeId, PortId};
use fabc_ir::read::{AnyTopology, ClassLine, CollectiveFile, NoGroup, of_blocks, tagged};
use fabc_ir::{
    CollectiveBound, End, ForwardingTables, Link, LinkClass, RoutedMessage, RouterNames, Scene, Schedule,
    SpanningTree, Symmetry, Topology, Transfers,
};
use fabc_model::{Collective, CollectiveAlgorithm};
use std::collections::BTreeSet;

/// Limit on the ports of a network: 2 GiB.
const MAX_PORTS: usize = 1 << 28;

/// The counts of a replay of a valid schedule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ForeignCollective {
    /// The fabric that the schedule is for, as the file says.
    pub fabric: String,
    /// The collective that the schedule performs.
    pub collective: Collective,
    /// The algorithm that found it, as the file says.
    pub algorithm: CollectiveAlgorithm,
    /// Number of chips that take part.
    pub chips: u64,
    /// Number of groups that do it at the same time. `None`: all chips do it together.
    pub groups: Option<u64>,
    /// Chunks of a shard. For trees: pieces of the share of a tree.
    pub chunks: u32,
    /// Sequential rounds. For messages: slots. For trees: the pieces and hops in sequence.
    pub steps: u64,
    /// Number of sequential chunk times.
    pub volume: u64,
    /// Chunks moved over channels in the replay, those of canonical routers only. For trees: the channels
    /// that the trees use. For a forest: the paths of its edges. For
    /// paths of pairs: their legs.
    pub transfers: u64,
    /// Number of bounds that follow from their witnesses.
    pub bounds: u64,
    /// The largest bound on the data moved that holds for any tables, as (chunk times, divisor).
    pub bound: Option<(u64, u64)>,
}

/// The files that a schedule is judged with.
#[derive(Clone, Copy, Debug)]
pub struct JudgedWith<'a> {
    /// The file of the network: `fabc.topology/1`, `fabc.topology/2`.
    pub network: NamedFile<'a>,
    /// Its forwarding tables: `fabc.tables/1`, `fabc.tables.bin/1`.
    pub tables: Option<NamedFile<'a>>,
}

/// Reads a schedule (`fabc.collective/1`), a network and, for an all-to-all, its tables. Replays the
/// schedule on them.
///
/// # Errors
/// [`Rejected::Unreadable`] for a file that violates its format, [`Rejected::Convicted`] for an invalid
/// schedule.
pub fn foreign_collective(
    file: NamedFile<'_>,
    context: JudgedWith<'_>,
) -> Result<ForeignCollective, Rejected> {
    let unreadable = |error| Rejected::Unreadable(Box::new(error));
    let violation = |message: String| unreadable(malformed(file.name, 1, message));
    let topology = read_topology(context.network).map_err(unreadable)?;
    let read: CollectiveFile = tagged(file.bytes).map_err(violation)?;
    if read.scenario != "nominal" {
        let scenario = &read.scenario;
        return Err(violation(format!(
            "it is for the scenario `{scenario}`, but only schedules of the healthy fabric (`nominal`) are judged"
        )));
    }
    let fabric = read.fabric.clone();
    let schedule_read = read.schedule().map_err(violation)?;
    let scene = Scene::healthy(&topology);
    let judged = match (schedule_read.follows_tables(), context.tables) {
        (true, Some(file)) => {
            verify_message_schedule(&scene, &read_tables(file, context.network, &topology)?, &schedule_read)
        }
        (true, None) => {
            let message =
                "it lists messages that follow forwarding tables, and there are none: add `--tables FILE`";
            return Err(violation(message.to_owned()));
        }
        (false, Some(tables)) => {
            let message = format!(
                "its messages follow no tables, so `{}` has no effect: leave `--tables` out",
                tables.name
            );
            return Err(violation(message));
        }
        (false, None) => verify_schedule(&scene, &schedule_read),
    };
    judged.map_err(|error| Rejected::Convicted(vec![error]))?;
    let chips = topology.endpoints().count() as u64;
    let (steps, volume, transfers) =
        count_transfers(&scene, &schedule_read).map_err(|error| Rejected::Convicted(vec![error]))?;
    Ok(ForeignCollective {
        fabric,
        collective: schedule_read.collective,
        algorithm: schedule_read.algorithm,
        chips,
        groups: schedule_read.groups.as_ref().map(|groups| groups.lists().len() as u64),
        chunks: schedule_read.chunks,
        steps,
        volume,
        transfers,
        bounds: schedule_read.bounds.len() as u64,
        bound: tightest_bound(&schedule_read, schedule_read.sharers(chips)),
    })
}

/// The (rounds, chunk times, transfers) of a schedule.
fn count_transfers(scene: &Scene<'_>, schedule: &Schedule) -> Result<(u64, u64, u64), CheckError> {
    let topology = scene.topology;
    Ok(match &schedule.transfers {
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
        // A piece goes up and down, and the next one follows it. Every link carries one piece of every tree.
        Transfers::Trees(shared) => {
            let steps = u64::from(schedule.chunks) - 1
                + 2 * shared.trees.iter().map(|tree| height(topology, tree)).max().unwrap_or(0);
            let used = shared.trees.iter().flat_map(|tree| &tree.up).flatten().count() as u64;
            (steps, steps * u64::from(shared.capacity), 2 * used)
        }
        Transfers::Sends(sends) => {
            let times = if schedule.collective == Collective::AllReduce { 2 } else { 1 };
            let slots_and_hops = |list: &[RoutedMessage]| {
                let hops = || list.iter().flat_map(|message| &message.slots);
                (hops().max().map_or(0, |&slot| u64::from(slot) + 1), hops().count() as u64)
            };
            let ((slots, sent), (rooted_slots, rooted_sent)) =
                (slots_and_hops(&sends.messages), slots_and_hops(&sends.rooted));
            let slots = slots * times + rooted_slots;
            (slots, slots, sent * times + rooted_sent)
        }
        Transfers::Forest(forest) => forest_counts(scene, schedule, forest)?,
        Transfers::Paths(pair_paths) => path_counts(scene, schedule, pair_paths)?,
        Transfers::Timed(timed) => (u64::from(timed.end - timed.start), 0, timed.sends.len() as u64),
    })
}

/// The largest number of hops from a chip to the root of a spanning tree.
fn height(topology: &Topology, tree: &SpanningTree) -> u64 {
    let above = |node: &NodeId| tree.up[node.index()].map(|channel| topology.target(channel).node);
    let hops = topology.nodes().map(|node| std::iter::successors(Some(node), above).count() as u64 - 1);
    hops.max().unwrap_or(0)
}

/// The largest bound, as (chunk times, divisor). Latencies, and bounds for schedules on the same tables
/// only, do not count.
fn tightest_bound(schedule: &Schedule, chips: u64) -> Option<(u64, u64)> {
    let chunks = u64::from(schedule.chunks);
    // Number of chunks of the full vector.
    let full_vector = match &schedule.transfers {
        Transfers::Trees(shared) => chunks * shared.trees.len() as u64,
        _ if schedule.algorithm == CollectiveAlgorithm::Local => chunks,
        _ => chunks * chips,
    };
    // Number of chunks of what a cut divides: a shard, or the root's vector, which messages cut into as
    // many.
    let vector = if schedule.root.is_some() && matches!(schedule.transfers, Transfers::Sends(_)) {
        full_vector
    } else {
        chunks
    };
    let narrow = |numerator: u128, denominator: u128| {
        Some((u64::try_from(numerator).ok()?, u64::try_from(denominator).ok()?))
    };
    let claims = schedule.bounds.iter().filter_map(|bound| match *bound {
        CollectiveBound::Cut { channels, shards, .. } => {
            Some((u64::from(shards) * vector, u64::from(channels)))
        }
        CollectiveBound::Partition { parts, channels, .. } => {
            Some((2 * u64::from(parts - 1) * full_vector, u64::from(channels)))
        }
        CollectiveBound::Flow { volume, distance, .. } => narrow(distance * u128::from(chunks), volume),
        CollectiveBound::Relays { received, channels, inside, fan } => {
            let places = u128::from(channels) * u128::from(fan) + u128::from(inside);
            narrow(u128::from(received) * (u128::from(fan) + 1) * u128::from(chunks), places)
        }
        CollectiveBound::Latency { .. }
        | CollectiveBound::Arrival { .. }
        | CollectiveBound::Inside { .. }
        | CollectiveBound::Channel { .. }
        | CollectiveBound::Quickest { .. } => None,
    });
    let larger = |a: (u64, u64), b: (u64, u64)| {
        if u128::from(b.0) * u128::from(a.1) > u128::from(a.0) * u128::from(b.1) { b } else { a }
    };
    claims.reduce(larger)
}

/// Reads the tables of a network, and verifies their entries.
fn read_tables(
    file: NamedFile<'_>,
    network: NamedFile<'_>,
    topology: &Topology,
) -> Result<ForwardingTables, Rejected> {
    let unreadable = |error| Rejected::Unreadable(Box::new(error));
    let walked = fabc::read_topology(network).map_err(unreadable)?;
    let tables = fabc::read_tables(file, &walked).map_err(unreadable)?;
    tables.verify_entries(file.name, &walked.network).map_err(|error| Rejected::Convicted(vec![error]))?;
    let message = || "it must list all routers, or only the first router of every orbit of the generators";
    tables
        .to_forwarding_tables(topology.symmetry())
        .ok_or_else(|| unreadable(malformed(file.name, 1, message().to_owned())))
}

/// Reads the network of a file. Only the ends of links matter.
pub(super) fn read_topology(file: NamedFile<'_>) -> Result<Topology, CheckError> {
    let violation = |message: String| malformed(file.name, 1, message);
    let read =
        AnyTopology::read(text(file)?).map_err(|(line, message)| malformed(file.name, line, message))?;
    let (ports, count) = (read.port_names.len(), read.routers.len());
    if ports == 0 || ports > usize::from(u16::MAX) || count == 0 || ports.saturating_mul(count) > MAX_PORTS {
        return Err(violation(format!(
            "a network of {count} nodes with {ports} ports each cannot be judged: it is empty or too large"
        )));
    }
    if let Some((k, router)) = read.routers.iter().enumerate().find(|(k, router)| router.id as usize != *k) {
        return Err(violation(format!("`nodes[{k}]` has the id {}, but ids count from 0", router.id)));
    }
    let mut used = BTreeSet::new();
    let mut links = Vec::with_capacity(read.links.len());
    for (k, link) in read.links.iter().enumerate() {
        for (node, port) in [link.a, link.b] {
            if node as usize >= count || usize::from(port) >= ports {
                return Err(violation(format!(
                    "`links[{k}]`: [{node},{port}] is not a port of this network"
                )));
            }
            if !link.simplex && !used.insert((node, port)) {
                return Err(violation(format!("`links[{k}]`: [{node},{port}] carries two links")));
            }
        }
        if link.simplex {
            return Err(violation(format!(
                "`links[{k}]` runs one way only, but schedules need links that run both ways"
            )));
        }
        let end = |(node, port): (u32, u16)| End { node: NodeId(node), port: PortId::new(usize::from(port)) };
        let class =
            if matches!(link.class, Some(ClassLine::Global)) { LinkClass::Global } else { LinkClass::Local };
        links.push(Link { a: end(link.a), b: end(link.b), class, link_type: LinkTypeId(0), simplex: false });
    }
    // Links number the channels, so they must be listed in the order of their ends.
    if !links.iter().all(|link| link.a < link.b)
        || !links.windows(2).all(|pair| (pair[0].a, pair[0].b) < (pair[1].a, pair[1].b))
    {
        return Err(violation("its links are out of order: they ascend by their ends, smaller end first, since that order numbers the channels".to_owned()));
    }
    if count % read.block != 0 {
        return Err(violation(format!("{count} nodes do not divide into blocks of {}", read.block)));
    }
    let symmetry = group(&read, count)
        .map_err(|error| violation(format!("its generators do not form a group: {error:?}")))?;
    let hosts = read.routers.iter().map(|router| router.hosts).collect();
    let names: Vec<String> = read.routers.into_iter().map(|router| router.name).collect();
    Ok(Topology::new(ports, links, symmetry).with_hosts(hosts).named(RouterNames::Listed(names.into())))
}

fn group(read: &AnyTopology, count: usize) -> Result<Symmetry, NoGroup> {
    of_blocks(read.block as u32, (count / read.block) as u32, &read.generators)
}
