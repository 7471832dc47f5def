//! The time of a forest.
//!
//! The data of every root is cut into pieces of each of its parts. In a period every channel carries one
//! piece of each part on it, all at once and each at the same rate. So a piece takes one period from chip to
//! chip, and the latencies of the channels on its path. Then the chip hands it on. All pieces follow each
//! other, one period apart. The time is that of the first piece to the last chip, and one period for each
//! further piece.
//!
//! Each message also pays its overhead on every channel of its path, so a period is longer by the messages
//! on the busiest channel. A reduction runs the same trees towards their roots. In an all-reduce both halves
//! are under way together. With barriers a round is a period, and ends when the slowest path has delivered.

use super::super::channel_load::ChannelLoad;
use super::super::pipelined::fastest_pieces;
use super::super::time_split::split_time;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{CollectiveCost, CollectiveTime, Forest, ForestPath, MessageStart, Scene, Schedule, Topology};
use fabc_model::Collective;
use std::collections::BTreeSet;

/// An edge of a tree, laid out.
struct EdgeUse {
    /// The edge that leads to its sender, `None` at the root.
    above: Option<u32>,
    /// Edges from the root, itself included.
    depth: u32,
    from: NodeId,
    to: NodeId,
    /// Number of parts that cross the edge.
    parts: u64,
    /// `[run][path]`: its channels, in the direction of the run.
    routes: Vec<Vec<Vec<ChannelId>>>,
}

/// A forest, laid out so that many costs and sizes can be timed.
pub struct ForestTimetable {
    /// Edges tree by tree, each after the one above it.
    edges: Vec<EdgeUse>,
    /// The different loads of channels.
    loads: BTreeSet<ChannelLoad>,
    height: u32,
    /// Parts of the full vector of a chip.
    vector_parts: u64,
    parts: u64,
    /// How often the trees run, one after the other.
    runs: Vec<TreeRun>,
    nodes: u32,
}

/// The direction in which pieces cross the trees.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TreeRun {
    FromRoots,
    ToRoots,
}

impl TreeRun {
    /// The channel of this run where a tree that runs from its root has `channel`.
    fn channel(self, topology: &Topology, channel: ChannelId) -> ChannelId {
        match self {
            TreeRun::FromRoots => channel,
            TreeRun::ToRoots => topology.reverse(channel).unwrap_or(channel),
        }
    }
}

impl EdgeUse {
    /// Attoseconds that a piece is in flight on its slowest path in a run.
    fn flight_time(&self, cost: &CollectiveCost, run: usize) -> u128 {
        let route_time = |route: &Vec<ChannelId>| route.iter().map(|&channel| cost.hop_over(channel)).sum();
        self.routes[run].iter().map(route_time).max().unwrap_or(0)
    }

    /// The same over all runs, and the overhead of a message for every channel but the first.
    fn round_time(&self, cost: &CollectiveCost) -> u128 {
        let route_time = |route: &Vec<ChannelId>| {
            let hops: u128 = route.iter().map(|&channel| cost.hop_over(channel)).sum();
            hops + cost.overhead * (route.len() as u128 - 1)
        };
        self.routes.iter().flatten().map(route_time).max().unwrap_or(0)
    }
}

impl ForestTimetable {
    /// Lays out the edges of a forest, and what they load on channels in its collective.
    pub fn new(scene: &Scene<'_>, schedule: &Schedule, forest: &Forest) -> Self {
        let topology = scene.topology;
        let runs = match schedule.collective {
            Collective::AllReduce => vec![TreeRun::ToRoots, TreeRun::FromRoots],
            Collective::ReduceScatter | Collective::Reduce => vec![TreeRun::ToRoots],
            _ => vec![TreeRun::FromRoots],
        };
        let mut edges: Vec<EdgeUse> = Vec::new();
        let mut carried = vec![(0u64, 0u64); topology.channel_count()];
        for tree in &forest.trees {
            let mut edge_into = vec![None; topology.node_count()];
            for send in &tree.sends {
                let above: Option<u32> = edge_into[send.from.index()];
                let depth = above.map_or(0, |above| edges[above as usize].depth) + 1;
                edge_into[send.to.index()] = Some(edges.len() as u32);
                for path in &send.paths {
                    for channel in path
                        .channels
                        .iter()
                        .flat_map(|&channel| runs.iter().map(move |run| run.channel(topology, channel)))
                    {
                        let (parts, messages) = &mut carried[channel.index()];
                        *parts += u64::from(path.amount);
                        *messages += 1;
                    }
                }
                let route = |run: TreeRun, path: &ForestPath| -> Vec<ChannelId> {
                    path.channels.iter().map(|&channel| run.channel(topology, channel)).collect()
                };
                let routes = |&run: &TreeRun| send.paths.iter().map(|path| route(run, path)).collect();
                edges.push(EdgeUse {
                    above,
                    depth,
                    from: send.from,
                    to: send.to,
                    parts: u64::from(tree.multiplicity),
                    routes: runs.iter().map(routes).collect(),
                });
            }
        }
        let lanes = |index: usize| topology.channel_capacity(ChannelId::new(index)).max(1);
        let loads = carried.iter().enumerate().filter(|(_, (parts, _))| *parts > 0);
        let loads =
            loads.map(|(index, &(parts, messages))| ChannelLoad { lanes: lanes(index), parts, messages });
        let sharers = schedule.sharers(scene.endpoints().count() as u64);
        let roots = if schedule.root.is_some() { 1 } else { sharers };
        Self {
            loads: loads.collect(),
            height: edges.iter().map(|edge| edge.depth).max().unwrap_or(0),
            vector_parts: u64::from(forest.parts) * roots,
            parts: u64::from(forest.parts),
            edges,
            runs,
            nodes: topology.node_count() as u32,
        }
    }

    /// The number of pieces of a part with the least time for vectors of `bytes` bytes. A requested number is
    /// only clamped. No piece is smaller than a flit.
    pub fn pieces(&self, cost: &CollectiveCost, bytes: u64, requested: Option<u32>) -> u32 {
        let flits = bytes / (self.vector_parts * u64::from(cost.flit_bytes.max(1)));
        fastest_pieces(flits, self.nodes, requested, |pieces| self.total_time(cost, bytes, pieces))
    }

    /// The time for vectors of `bytes` bytes with `pieces` pieces of a part, split by what it is spent on.
    pub fn time(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> CollectiveTime {
        split_time(cost, |cost| self.total_time(cost, bytes, pieces))
    }

    /// The total of [`ForestTimetable::time`], computed faster.
    pub fn total_time(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> u128 {
        let period = self.period(cost, bytes, pieces);
        if cost.barrier {
            let flight = self.edges.iter().map(|edge| edge.round_time(cost)).max().unwrap_or(0);
            return (period + flight) * u128::from(self.steps(pieces));
        }
        let last = |run| self.arrivals(cost, period, run).into_iter().max().unwrap_or(0);
        period * u128::from(pieces - 1) + (0..self.runs.len()).map(last).sum::<u128>()
    }

    /// `[edge]`: when the first piece has crossed it, on the way from the root. In a run towards the roots,
    /// how long before the end it starts to cross it.
    fn arrivals(&self, cost: &CollectiveCost, period: u128, run: usize) -> Vec<u128> {
        let mut arrivals: Vec<u128> = Vec::with_capacity(self.edges.len());
        for edge in &self.edges {
            let since = edge.above.map_or(0, |above| arrivals[above as usize]);
            arrivals.push(since + period + edge.flight_time(cost, run));
        }
        arrivals
    }

    /// Number of rounds: the edges that the first piece crosses, and one for every further piece.
    pub fn steps(&self, pieces: u32) -> u64 {
        u64::from(pieces) - 1 + u64::from(self.height) * self.runs.len() as u64
    }

    /// Time in units of one piece of the whole data of a root on a channel of one lane, where hops take no
    /// time.
    pub fn volume(&self, pieces: u32) -> u64 {
        let steps = u128::from(self.steps(pieces));
        let rounds = self.loads.iter().map(|load| {
            (u128::from(load.parts) * steps).div_ceil(u128::from(load.lanes) * u128::from(self.parts.max(1)))
        });
        rounds.max().unwrap_or(0) as u64
    }

    /// Number of messages between chips, each of one piece of a part.
    pub fn transfers(&self, pieces: u32) -> u64 {
        self.edges.iter().map(|edge| edge.parts).sum::<u64>() * self.runs.len() as u64 * u64::from(pieces)
    }

    /// Number of pieces of parts in the vector of a chip.
    pub fn vector_pieces(&self, pieces: u32) -> u64 {
        self.vector_parts * u64::from(pieces)
    }

    /// When each piece of a part leaves its chip, in the timing of [`ForestTimetable::time`] without
    /// barriers. The parts of an edge leave one after the other during its period.
    pub fn starts(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> Vec<MessageStart> {
        let period = self.period(cost, bytes, pieces);
        let mut starts = Vec::with_capacity(self.transfers(pieces) as usize);
        let mut begin = 0;
        for (index, run) in self.runs.iter().enumerate() {
            let arrivals = self.arrivals(cost, period, index);
            let end = arrivals.iter().copied().max().unwrap_or(0);
            for (edge, &arrival) in self.edges.iter().zip(&arrivals) {
                let (from, to, since) = match run {
                    TreeRun::FromRoots => {
                        (edge.from, edge.to, arrival - period - edge.flight_time(cost, index))
                    }
                    // Time runs backwards from the end.
                    TreeRun::ToRoots => (edge.to, edge.from, end - arrival),
                };
                let first = begin + since + cost.overhead;
                for number in 0..edge.parts * u64::from(pieces) {
                    let (piece, part) = (u128::from(number / edge.parts), u128::from(number % edge.parts));
                    let attoseconds = first + piece * period + part * (period / u128::from(edge.parts));
                    starts.push(MessageStart { from, to, attoseconds });
                }
            }
            begin += end;
        }
        starts
    }

    /// The time in which every channel carries one piece of each part on it.
    fn period(&self, cost: &CollectiveCost, bytes: u64, pieces: u32) -> u128 {
        let part = cost.transfer_time(bytes, self.vector_pieces(pieces));
        self.loads.iter().map(|load| load.busy_time(cost, part)).max().unwrap_or(0)
    }
}
