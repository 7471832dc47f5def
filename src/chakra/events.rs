//! What one rank does in a step: its collectives and messages, which of them waits for which, and its
//! compute.

use crate::communicators::{Communicators, GroupRanks};
use crate::errors::TraceError;
use crate::framing::MessageReader;
use crate::messages::{GlobalMetadata, Node, node_kind};
use crate::waits::{EventWaits, TraceGraph};
use fabc_base::limits::CHAKRA_NODES;
use fabc_model::Collective;
use std::collections::BTreeMap;

/// A collective or a message, as all of its ranks know it.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum TraceEvent {
    /// A collective of a group, with its `comm_size` in bytes.
    Collective { collective: Collective, size: u64, group: GroupRanks },
    /// A message from one rank to another.
    Message { size: u64, from: u32, to: u32 },
}

impl TraceEvent {
    /// The ranks that take part, ascending, of so many in all.
    pub(crate) fn ranks(&self, ranks: u32) -> Vec<u32> {
        match self {
            TraceEvent::Collective { group: Some(group), .. } => group.clone(),
            TraceEvent::Collective { group: None, .. } => (0..ranks).collect(),
            TraceEvent::Message { from, to, .. } => vec![(*from).min(*to), (*from).max(*to)],
        }
    }
}

/// The events of a rank by the order in which they first come, with their counts.
#[derive(Default)]
pub(crate) struct RankStep {
    /// `[event]`: what it is, and how often the rank takes part in a step.
    pub(crate) events: Vec<(TraceEvent, u64)>,
    /// Pairs of events: the first one is over before the second one starts, at least once.
    pub(crate) waits: EventWaits,
    /// Microseconds that the rank computes.
    pub(crate) compute_micros: u128,
    /// The number of nodes of the trace.
    pub(crate) nodes: u64,
}

/// What a trace is read against.
pub(crate) struct RankGround<'a> {
    pub(crate) rank: u32,
    /// The number of ranks, if it is known.
    pub(crate) ranks: Option<u32>,
    /// The groups of the file, if there is one. Otherwise those of the metadata count.
    pub(crate) listed: Option<&'a Communicators>,
    /// Whether the ranks that messages go to have traces, too.
    pub(crate) is_alone: bool,
    /// The number of nodes of the ranks before.
    pub(crate) nodes_before: u64,
}

/// Collects the events of a rank.
#[derive(Default)]
struct EventList {
    index_of: BTreeMap<TraceEvent, u32>,
    step: RankStep,
}

impl EventList {
    fn count(&mut self, event: TraceEvent) -> u32 {
        let events = &mut self.step.events;
        let index = *self.index_of.entry(event).or_insert_with_key(|event| {
            events.push((event.clone(), 0));
            events.len() as u32 - 1
        });
        events[index as usize].1 += 1;
        index
    }
}

/// Reads the trace of a rank. The second value are the groups of its metadata.
///
/// # Errors
/// The first message or node that is wrong.
pub(crate) fn read_rank(
    bytes: &[u8],
    ground: &RankGround<'_>,
) -> Result<(RankStep, Communicators), TraceError> {
    let rank = ground.rank;
    let mut reader = MessageReader::new(rank, bytes);
    reader.next::<GlobalMetadata>()?.ok_or(TraceError::Empty { rank })?;
    let (mut own, mut graph) = (Communicators::default(), TraceGraph::default());
    let mut list = EventList::default();
    // Collectives are named before their groups may be listed.
    let mut collectives: Vec<(u32, Node)> = Vec::new();
    while let Some(node) = reader.next::<Node>()? {
        let place = graph.add(rank, &node)?;
        if ground.nodes_before + u64::from(place) >= CHAKRA_NODES {
            let nodes = u64::from(place) + 1;
            return Err(TraceError::TooManyNodes { rank, before: ground.nodes_before, nodes });
        }
        match node.kind {
            node_kind::METADATA => own.add_node(rank, &node)?,
            node_kind::COMP if !node.is_set("is_cpu_op") => {
                list.step.compute_micros += u128::from(node.duration_micros);
            }
            node_kind::SEND | node_kind::RECV => {
                if let Some(event) = ground.message(&node)? {
                    graph.set_event(place, list.count(event));
                }
            }
            node_kind::COLLECTIVE => collectives.push((place, node)),
            0..=node_kind::LAST => {}
            kind => return Err(TraceError::UnknownKind { rank, node: node.id, kind }),
        }
    }
    let communicators = ground.listed.unwrap_or(&own);
    for (place, node) in collectives {
        if let Some(event) = ground.collective(&node, communicators)? {
            graph.set_event(place, list.count(event));
        }
    }
    let EventList { mut step, .. } = list;
    step.nodes = graph.len();
    step.waits = graph.waits(rank)?;
    Ok((step, own))
}

impl RankGround<'_> {
    /// The message of a node. `None` if it has no bytes.
    fn message(&self, node: &Node) -> Result<Option<TraceEvent>, TraceError> {
        let rank = self.rank;
        let (other, own) = match node.kind {
            node_kind::SEND => ("comm_dst", "comm_src"),
            _ => ("comm_src", "comm_dst"),
        };
        let size = node.needed(rank, "comm_size")?;
        let other = self.other_rank(node, node.needed(rank, other)?)?;
        // The own end may be left out. Where it is there, it is this rank.
        if let Some(stranger) = node.count(rank, own)?.filter(|own| *own != u64::from(rank)) {
            return Err(TraceError::ForeignEnd { rank, node: node.id, other: stranger });
        }
        if other == rank {
            return Err(TraceError::ToItself { rank, node: node.id });
        }
        if self.is_alone {
            return Err(TraceError::OneRankSends { node: node.id });
        }
        let (from, to) = if node.kind == node_kind::SEND { (rank, other) } else { (other, rank) };
        Ok((size > 0).then_some(TraceEvent::Message { size, from, to }))
    }

    fn other_rank(&self, node: &Node, other: u64) -> Result<u32, TraceError> {
        let ranks = self.ranks.unwrap_or(u32::MAX);
        let found = u32::try_from(other).ok().filter(|other| *other < ranks);
        found.ok_or(TraceError::NoSuchRank { rank: self.rank, node: node.id, other, ranks })
    }

    /// The collective of a node. `None` if it moves nothing.
    fn collective(
        &self,
        node: &Node,
        communicators: &Communicators,
    ) -> Result<Option<TraceEvent>, TraceError> {
        let rank = self.rank;
        let comm_type = node.needed(rank, "comm_type")?;
        let rooted = |name| Err(TraceError::RootedCollective { rank, node: node.id, name });
        let collective = match comm_type {
            0 => Collective::AllReduce,
            1 => return rooted("REDUCE"),
            2 => Collective::AllGather,
            3 => return rooted("GATHER"),
            4 => return rooted("SCATTER"),
            5 => return rooted("BROADCAST"),
            6 => Collective::AllToAll,
            7 | 8 => Collective::ReduceScatter,
            // A barrier has no bytes.
            9 => return Ok(None),
            _ => return Err(TraceError::UnknownCollective { rank, node: node.id, comm_type }),
        };
        let size = node.needed(rank, "comm_size")?;
        let name = node.text("pg_name").unwrap_or_default();
        let Some(group) = communicators.ranks(&name) else {
            return Err(TraceError::UnknownGroup { rank, node: node.id, group: name });
        };
        if group.as_ref().is_some_and(|ranks| ranks.binary_search(&rank).is_err()) {
            return Err(TraceError::NotInGroup { rank, node: node.id, group: name });
        }
        let moves = size > 0 && group.as_ref().is_none_or(|ranks| ranks.len() > 1);
        Ok(moves.then(|| TraceEvent::Collective { collective, size, group: group.clone() }))
    }
}
