//! The proof that no cycle of channels can wait on itself.
//!
//! Comes in: the dependencies that a walk of the finished tables saw, and the ranks that are claimed to rise
//! along them. A rank that rises along every dependency is a proof that a reader can check line by line
//! (Dally and Seitz, 1987). Classes of channels suffice: a cycle of classes is the image of a real cycle,
//! since going round it often enough comes back to the same channel.

use super::CheckError;
use super::delivery::{Dependencies, Forwarding, User};
use super::graph::expect_length;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{ForwardingTables, Topology};
use fabc_model::Fabric;
use petgraph::algo::tarjan_scc;
use petgraph::graph::{DiGraph, NodeIndex};
use std::collections::BTreeSet;
use std::collections::btree_map::{BTreeMap, Entry};

/// The right to emit tables: only this module makes one.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeadlockFree {
    ranks: Vec<u32>,
}

impl DeadlockFree {
    /// `[channel class * vcs + vc]`: a rank that rises along every route.
    pub fn ranks(&self) -> &[u32] {
        &self.ranks
    }
}

/// Checks that the ranks rise along every dependency.
///
/// # Errors
/// A shortest cycle of channels if there is one; otherwise the dependency whose rank is wrong.
pub(super) fn prove(
    fabric: &Fabric,
    topology: &Topology,
    tables: &ForwardingTables,
    forwarding: &Forwarding<'_>,
    dependencies: &Dependencies,
    ranks: &[u32],
) -> Result<DeadlockFree, CheckError> {
    let (symmetry, vcs) = (&tables.symmetry, usize::from(tables.vcs));
    expect_length(&format!("ranks of {}", tables.scenario), "ranks", ranks.len(), topology.class_count(symmetry) * vcs)?;
    for node in symmetry.canonical_nodes() {
        for channel in topology.channels_from(node) {
            let class = topology.channel_class(symmetry, channel).index();
            for vc in 0..vcs {
                for (port, next_vc) in dependencies.after(class, vc) {
                    let Some(next) = topology.outgoing(topology.target(channel).node, port) else { continue };
                    let next_class = topology.channel_class(symmetry, next).index();
                    let [rank, next_rank] = [ranks[class * vcs + vc], ranks[next_class * vcs + next_vc]];
                    if rank < next_rank {
                        continue;
                    }
                    if let Some(cycle) = shortest_cycle(topology, tables, dependencies) {
                        return Err(deadlock(fabric, topology, tables, forwarding, dependencies, &cycle));
                    }
                    let (from, to) = (topology.channel_name(channel), topology.channel_name(next));
                    return Err(CheckError::Rank {
                        scenario: tables.scenario.clone(),
                        what: format!(
                            "the rank falls from {rank} at {from} on VC {vc} to {next_rank} at {to} on VC {next_vc}, which packets take next; \
                             the tables themselves have no cycle, only the ranks are wrong"
                        ),
                    });
                }
            }
        }
    }
    Ok(DeadlockFree { ranks: ranks.to_vec() })
}

/// A shortest cycle of real (channel, VC) pairs, the first by channel id.
fn shortest_cycle(topology: &Topology, tables: &ForwardingTables, dependencies: &Dependencies) -> Option<Vec<(ChannelId, usize)>> {
    let vcs = usize::from(tables.vcs);
    let mut graph: DiGraph<(), (), u32> = DiGraph::with_capacity(topology.channel_count() * vcs, 0);
    for _ in 0..topology.channel_count() * vcs {
        graph.add_node(());
    }
    for channel in topology.channels() {
        let class = topology.channel_class(&tables.symmetry, channel).index();
        for vc in 0..vcs {
            for (port, next_vc) in dependencies.after(class, vc) {
                if let Some(next) = topology.outgoing(topology.target(channel).node, port) {
                    graph.add_edge(NodeIndex::new(channel.index() * vcs + vc), NodeIndex::new(next.index() * vcs + next_vc), ());
                }
            }
        }
    }
    let cycle = shortest_directed_cycle(&graph)?;
    Some(cycle.into_iter().map(|vertex| (ChannelId::new(vertex / vcs), vertex % vcs)).collect())
}

/// A shortest directed cycle of a graph, as vertex indices in the order of its edges; `None` if there is no
/// cycle.
pub(super) fn shortest_directed_cycle(graph: &DiGraph<(), (), u32>) -> Option<Vec<usize>> {
    // A shortest cycle stays within one strongly connected component, and starts at any of its members.
    let mut component = vec![usize::MAX; graph.node_count()];
    for (number, members) in tarjan_scc(graph).into_iter().enumerate() {
        if members.len() > 1 || graph.contains_edge(members[0], members[0]) {
            members.iter().for_each(|member| component[member.index()] = number);
        }
    }
    let mut best: Option<Vec<usize>> = None;
    for start in (0..component.len()).filter(|&start| component[start] != usize::MAX) {
        let longest = best.as_ref().map_or(usize::MAX, |cycle| cycle.len() - 1);
        if let Some(cycle) = cycle_through(graph, &component, start, longest) {
            best = Some(cycle);
        }
    }
    best
}

/// The shortest cycle through `start` of at most `longest` vertices, by breadth-first search.
fn cycle_through(graph: &DiGraph<(), (), u32>, component: &[usize], start: usize, longest: usize) -> Option<Vec<usize>> {
    let mut parent: BTreeMap<usize, usize> = BTreeMap::new();
    let mut ring = vec![start];
    for _ in 0..longest {
        let mut next_ring = Vec::new();
        for &vertex in &ring {
            let mut neighbors: Vec<usize> = graph.neighbors(NodeIndex::new(vertex)).map(NodeIndex::index).collect();
            neighbors.sort_unstable();
            for next in neighbors.into_iter().filter(|&next| component[next] == component[start]) {
                if next == start {
                    let mut cycle = vec![vertex];
                    while let Some(&before) = parent.get(cycle.last()?) {
                        cycle.push(before);
                    }
                    cycle.reverse();
                    return Some(cycle);
                }
                if let Entry::Vacant(slot) = parent.entry(next) {
                    slot.insert(vertex);
                    next_ring.push(next);
                }
            }
        }
        if next_ring.is_empty() {
            return None;
        }
        ring = next_ring;
    }
    None
}

/// The conviction, with a route for every dependency of the cycle.
fn deadlock(
    fabric: &Fabric,
    topology: &Topology,
    tables: &ForwardingTables,
    forwarding: &Forwarding<'_>,
    dependencies: &Dependencies,
    cycle: &[(ChannelId, usize)],
) -> CheckError {
    let symmetry = &tables.symmetry;
    let numbers: Vec<usize> = cycle
        .iter()
        .zip(cycle.iter().cycle().skip(1))
        .map(|(&(channel, vc), &(next, next_vc))| {
            dependencies.number(topology.channel_class(symmetry, channel).index(), vc, topology.source(next).port, next_vc)
        })
        .collect();
    let users = forwarding.users(dependencies, &numbers.iter().copied().collect::<BTreeSet<_>>());
    let lines: Vec<String> = cycle
        .iter()
        .zip(&numbers)
        .map(|(&(channel, vc), number)| {
            let name = topology.channel_name(channel);
            users.get(number).map_or_else(String::new, |&User { src, dst, from }| {
                // The packet was seen at an image of this channel: carry it here.
                let (back, there) = (symmetry.inverse(symmetry.element_to(from)), symmetry.element_to(topology.source(channel).node));
                let carry = |node: NodeId| topology.name(symmetry.image(there, symmetry.image(back, node)));
                format!("  {name} on VC {vc}, held by packets from {} to {}", carry(src), carry(dst))
            })
        })
        .collect();
    CheckError::Deadlock {
        scenario: tables.scenario.clone(),
        length: cycle.len(),
        cycle: lines.join("\n"),
        span: Some(fabric.budget.vcs_span),
    }
}
