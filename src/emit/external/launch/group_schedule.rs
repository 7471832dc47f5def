//! The schedule of one group of an operation, on a graph of the group alone.
//!
//! Input: the trees of all groups, and the chips of one of them by rank. Output: a topology whose routers are
//! the ranks of the group, and rounds on it. Round t moves the data along the edges of depth t of every tree.
//! A link joins two ranks that hand data to each other. Parallel channels have links of their own.

use fabc_base::ids::{ChannelId, Id, LinkTypeId, NodeId, PortId};
use fabc_ir::{
    End, Forest, ForestTree, GatherRound, Link, LinkClass, Pull, Rounds, RouterNames, RunDirection, Schedule,
    Symmetry, Topology, Transfers,
};
use fabc_model::{Collective, CollectiveAlgorithm};
use std::collections::BTreeMap;

/// The schedule of a group.
pub(super) struct GroupSchedule {
    /// The ranks of the group, and a link for every connection.
    pub(super) topology: Topology,
    /// Rounds of copies over its channels.
    pub(super) schedule: Schedule,
}

/// A link between two ranks of a group: its ends, the smaller one first, and its number among those between
/// them.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct RankLink {
    low: u32,
    high: u32,
    lane: u32,
}

/// A copy of one part from a rank to another one.
struct RankCopy {
    depth: usize,
    from: u32,
    link: RankLink,
    chunk: u32,
}

/// The copies of a group, by tree.
struct RankCopies {
    copies: Vec<RankCopy>,
    /// The first channels of the paths from a rank to another one, in the order in which they occur.
    lanes: BTreeMap<(u32, u32), Vec<ChannelId>>,
    /// `[rank]`: number of parts whose trees were listed.
    parts_done: Vec<u32>,
}

/// The schedule of a group of chips, in the order of their ranks.
///
/// # Errors
/// The reason why the group cannot do it by itself: a tree that leads through a chip of another group, or
/// paths through other chips that no runtime would choose.
pub(super) fn group_schedule(
    topology: &Topology,
    schedule: &Schedule,
    forest: &Forest,
    members: &[NodeId],
) -> Result<GroupSchedule, String> {
    let ranks: BTreeMap<NodeId, u32> = members.iter().copied().zip(0..).collect();
    let mut copies =
        RankCopies { copies: Vec::new(), lanes: BTreeMap::new(), parts_done: vec![0; members.len()] };
    for tree in forest.trees.iter().filter(|tree| ranks.contains_key(&tree.root)) {
        check_paths(topology, schedule.algorithm, tree)?;
        copies.push_tree(topology, tree, forest.parts, &ranks)?;
    }
    let names = members.iter().map(|&chip| topology.name(chip)).collect();
    let graph = copies.graph(names);
    let rounds = Rounds {
        canonical: false,
        order: run_order(schedule.collective),
        latency: 0,
        rounds: copies.rounds(&graph),
    };
    let schedule = Schedule {
        nodes: members.len() as u32,
        chunks: forest.parts,
        algorithm: CollectiveAlgorithm::Steps,
        groups: None,
        transfers: Transfers::Rounds(rounds),
        bounds: Vec::new(),
        ..schedule.clone()
    };
    Ok(GroupSchedule { topology: graph.topology, schedule })
}

/// The runs of the rounds of a gather that do a collective.
fn run_order(collective: Collective) -> Vec<RunDirection> {
    match collective {
        Collective::ReduceScatter => vec![RunDirection::Reverse],
        Collective::AllReduce => vec![RunDirection::Reverse, RunDirection::Forward],
        _ => vec![RunDirection::Forward],
    }
}

/// Refuses paths through other chips, unless they are those of the forwarding tables.
fn check_paths(topology: &Topology, algorithm: CollectiveAlgorithm, tree: &ForestTree) -> Result<(), String> {
    if algorithm.follows_tables() {
        return Ok(());
    }
    for path in tree.sends.iter().flat_map(|send| &send.paths) {
        let passed = path.channels.iter().skip(1).map(|&channel| topology.source(channel).node);
        if let Some(chip) = passed.into_iter().find(|&node| topology.is_endpoint(node)) {
            let name = topology.name(chip);
            return Err(format!(
                "its paths lead through chips such as {name}, against the forwarding tables"
            ));
        }
    }
    Ok(())
}

impl RankCopies {
    /// Adds the copies of a tree.
    fn push_tree(
        &mut self,
        topology: &Topology,
        tree: &ForestTree,
        parts: u32,
        ranks: &BTreeMap<NodeId, u32>,
    ) -> Result<(), String> {
        let root = ranks[&tree.root];
        let first = root * parts + self.parts_done[root as usize];
        self.parts_done[root as usize] += tree.multiplicity;
        let mut depths: BTreeMap<NodeId, usize> = BTreeMap::new();
        for send in &tree.sends {
            let rank = |chip: NodeId| match ranks.get(&chip) {
                Some(&rank) => Ok(rank),
                None => Err(format!(
                    "its trees lead through chips of other groups such as {}",
                    topology.name(chip)
                )),
            };
            let (from, to) = (rank(send.from)?, rank(send.to)?);
            let depth = depths.get(&send.from).copied().unwrap_or(0);
            depths.insert(send.to, depth + 1);
            let mut chunk = first;
            for path in &send.paths {
                let lane = self.lane(from, to, path.channels[0]);
                let link = RankLink { low: from.min(to), high: from.max(to), lane };
                let chunks = chunk..chunk + path.amount;
                self.copies.extend(chunks.map(|chunk| RankCopy { depth, from, link, chunk }));
                chunk += path.amount;
            }
        }
        Ok(())
    }

    /// The number of a path among those from a rank to another one.
    fn lane(&mut self, from: u32, to: u32, channel: ChannelId) -> u32 {
        let lanes = self.lanes.entry((from, to)).or_default();
        let known = lanes.iter().position(|&other| other == channel).unwrap_or_else(|| {
            lanes.push(channel);
            lanes.len() - 1
        });
        known as u32
    }

    /// The graph of the links that carry something.
    fn graph(&self, names: Vec<String>) -> RankGraph {
        let mut ports_used = vec![0_u32; names.len()];
        let mut low_ports: BTreeMap<RankLink, [PortId; 2]> = BTreeMap::new();
        for copy in &self.copies {
            low_ports.entry(copy.link).or_insert_with(|| {
                [copy.link.low, copy.link.high].map(|rank| {
                    let port = &mut ports_used[rank as usize];
                    *port += 1;
                    PortId::new(*port as usize - 1)
                })
            });
        }
        let links = low_ports.iter().map(|(link, ports)| Link {
            a: End { node: NodeId(link.low), port: ports[0] },
            b: End { node: NodeId(link.high), port: ports[1] },
            class: LinkClass::Local,
            link_type: LinkTypeId(0),
            simplex: false,
        });
        let ports = ports_used.iter().copied().max().unwrap_or(0) as usize;
        let symmetry = Symmetry::trivial(1, names.len() as u32);
        let topology =
            Topology::new(ports, links.collect(), symmetry).named(RouterNames::Listed(names.into()));
        RankGraph { topology, ports: low_ports }
    }

    /// The copies, round by round.
    fn rounds(&self, graph: &RankGraph) -> Vec<GatherRound> {
        let rounds = self.copies.iter().map(|copy| copy.depth + 1).max().unwrap_or(0);
        let mut pulls: Vec<BTreeMap<ChannelId, Vec<u32>>> = vec![BTreeMap::new(); rounds];
        for copy in &self.copies {
            pulls[copy.depth].entry(graph.channel(copy)).or_default().push(copy.chunk);
        }
        pulls
            .into_iter()
            .map(|pulls| GatherRound {
                width: pulls.values().map(|chunks| chunks.len() as u32).max().unwrap_or(0),
                pulls: pulls.into_iter().map(|(channel, chunks)| Pull { channel, chunks }).collect(),
            })
            .collect()
    }
}

/// The graph of a group.
struct RankGraph {
    topology: Topology,
    /// The ports of every link, at its smaller and at its larger end.
    ports: BTreeMap<RankLink, [PortId; 2]>,
}

impl RankGraph {
    /// The channel of a copy.
    fn channel(&self, copy: &RankCopy) -> ChannelId {
        let ports = self.ports[&copy.link];
        let port = if copy.from == copy.link.low { ports[0] } else { ports[1] };
        self.topology.outgoing(NodeId(copy.from), port).expect("every copy has its link")
    }
}
