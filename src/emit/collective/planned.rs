//! Plans the moves of forests, shared trees and paths of pairs.
//!
//! A tree moves level by level: away from its root an edge of depth d moves in round d, towards it in the
//! mirrored round. The parts of an edge may take several paths. They are cut where any edge of the tree cuts
//! them, so that what moves together over one edge moves together over every edge.

use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{Forest, ForestTree, LinkClass, PairPath, PairPaths, Scene, SharedTrees, SpanningTree};
use fabc_model::Collective;
use std::collections::{BTreeMap, BTreeSet};

/// Maximum parts that move together. A step of a thread block moves no more.
const MOST_TOGETHER: u32 = 71;

/// A move before its dependencies are known.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct PlannedMove {
    pub(super) run: u32,
    pub(super) round: u32,
    /// The order within the round.
    pub(super) order: u32,
    pub(super) chunk: u32,
    pub(super) count: u32,
    pub(super) from: NodeId,
    pub(super) to: NodeId,
    pub(super) channel: ChannelId,
    pub(super) is_near: bool,
    pub(super) adds: bool,
    /// Its path in a forest. `None` in other schedules.
    pub(super) path: Option<ForestPathPlace>,
}

/// The place of a path in a forest: the indexes of its tree, of the edge in the tree, and of the path.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct ForestPathPlace {
    pub(super) tree: u32,
    pub(super) send: u32,
    pub(super) path: u32,
}

/// The ends of a path between two chips.
struct PathEnds {
    from: NodeId,
    to: NodeId,
    first: ChannelId,
    /// The channel by which data goes back. `None` for a path with a simplex link.
    first_back: Option<ChannelId>,
    is_near: bool,
    /// Its place, in a forest.
    place: Option<ForestPathPlace>,
}

impl PathEnds {
    /// The ends of a path. `None` for a path without channels.
    fn new(scene: &Scene<'_>, channels: &[ChannelId]) -> Option<Self> {
        let (&first, &last) = (channels.first()?, channels.last()?);
        Some(Self {
            from: scene.topology.source(first).node,
            to: scene.topology.target(last).node,
            first,
            first_back: scene.topology.reverse(last),
            is_near: channels.len() <= 2 && channels.iter().all(|&channel| is_inside(scene, channel)),
            place: None,
        })
    }

    /// The move of chunks along the path.
    fn forward(&self, run: u32, round: u32, chunk: u32, count: u32) -> PlannedMove {
        let PathEnds { from, to, first: channel, is_near, .. } = *self;
        let path = self.place;
        PlannedMove { run, round, order: 0, chunk, count, from, to, channel, is_near, adds: false, path }
    }

    /// The move of sums back along the path.
    fn back(&self, run: u32, round: u32, chunk: u32, count: u32) -> PlannedMove {
        let channel = self.first_back.expect("reductions run on duplex links");
        let (from, to, is_near) = (self.to, self.from, self.is_near);
        let path = self.place;
        PlannedMove { run, round, order: 0, chunk, count, from, to, channel, is_near, adds: true, path }
    }
}

/// How often the levels of trees are passed: towards the roots with additions, away from them with copies.
#[derive(Clone, Copy)]
struct TreeRuns {
    up: bool,
    down: bool,
    height: u32,
}

impl TreeRuns {
    fn new(collective: Collective, height: u32) -> Self {
        let up = matches!(collective, Collective::ReduceScatter | Collective::Reduce | Collective::AllReduce);
        let down = !matches!(collective, Collective::ReduceScatter | Collective::Reduce);
        Self { up, down, height }
    }

    /// Adds the moves of an edge of a depth.
    fn push_edge(&self, moves: &mut Vec<PlannedMove>, ends: &PathEnds, depth: u32, chunk: u32, count: u32) {
        if self.up {
            moves.push(ends.back(0, self.height - 1 - depth, chunk, count));
        }
        if self.down {
            let (run, before) = if self.up { (1, self.height) } else { (0, 0) };
            moves.push(ends.forward(run, before + depth, chunk, count));
        }
    }
}

/// The moves of a forest.
pub(super) fn forest_moves(scene: &Scene<'_>, collective: Collective, forest: &Forest) -> Vec<PlannedMove> {
    let runs = TreeRuns::new(collective, forest.height(scene.topology.node_count()));
    let mut moves = Vec::new();
    // By root: number of parts whose trees were listed.
    let mut parts_done: BTreeMap<NodeId, u32> = BTreeMap::new();
    for (index, tree) in (0..).zip(&forest.trees) {
        let done = parts_done.entry(tree.root).or_default();
        let first = tree.root.0 * forest.parts + *done;
        *done += tree.multiplicity;
        push_tree(&mut moves, scene, runs, &NumberedTree { index, tree, first });
    }
    moves.sort_unstable();
    moves
}

/// A tree of a forest, with its index and the number of its first chunk.
struct NumberedTree<'a> {
    index: u32,
    tree: &'a ForestTree,
    first: u32,
}

/// Adds the moves of a tree.
fn push_tree(moves: &mut Vec<PlannedMove>, scene: &Scene<'_>, runs: TreeRuns, numbered: &NumberedTree<'_>) {
    let &NumberedTree { index, tree, first } = numbered;
    let cuts = part_cuts(tree);
    let mut depths: BTreeMap<NodeId, u32> = BTreeMap::new();
    for (send_index, send) in (0..).zip(&tree.sends) {
        let depth = depths.get(&send.from).copied().unwrap_or(0);
        depths.insert(send.to, depth + 1);
        let mut start = 0;
        for (path_index, path) in (0..).zip(&send.paths) {
            let end = start + path.amount;
            let place = Some(ForestPathPlace { tree: index, send: send_index, path: path_index });
            if let Some(ends) = PathEnds::new(scene, &path.channels) {
                let ends = PathEnds { place, ..ends };
                let bounds: Vec<u32> = cuts.range(start..=end).copied().collect();
                for together in bounds.windows(2) {
                    let (chunk, count) = (first + together[0], together[1] - together[0]);
                    runs.push_edge(moves, &ends, depth, chunk, count);
                }
            }
            start = end;
        }
    }
}

/// Where the parts of a tree are cut: at 0, at its multiplicity, and where any edge parts them.
fn part_cuts(tree: &ForestTree) -> BTreeSet<u32> {
    let mut cuts: BTreeSet<u32> = (0..tree.multiplicity).step_by(MOST_TOGETHER as usize).collect();
    cuts.insert(tree.multiplicity);
    for send in &tree.sends {
        let mut end = 0;
        for path in &send.paths {
            end += path.amount;
            cuts.insert(end);
        }
    }
    cuts
}

/// The moves of an all-reduce up and down shared trees. The chunk of a tree has the number of the tree.
pub(super) fn tree_moves(scene: &Scene<'_>, shared: &SharedTrees) -> Vec<PlannedMove> {
    let height = shared.height(scene.topology);
    let runs = TreeRuns::new(Collective::AllReduce, height);
    let mut moves = Vec::new();
    for (number, tree) in (0..).zip(&shared.trees) {
        for (node, depth) in scene.topology.nodes().zip(depths(scene, tree)) {
            let Some(up) = tree.up[node.index()] else { continue };
            let down = scene.topology.reverse(up).expect("trees run on duplex links");
            if let Some(ends) = PathEnds::new(scene, &[down]) {
                runs.push_edge(&mut moves, &ends, depth - 1, number, 1);
            }
        }
    }
    moves.sort_unstable();
    moves
}

/// `[router]`: hops to the root of a tree.
fn depths(scene: &Scene<'_>, tree: &SpanningTree) -> Vec<u32> {
    let above = |node: &NodeId| tree.up[node.index()].map(|channel| scene.topology.target(channel).node);
    scene.topology.nodes().map(|node| std::iter::successors(Some(node), above).count() as u32 - 1).collect()
}

/// The moves of paths of pairs: leg by leg, a move of every pair in turn. In every turn all chips send to
/// chips of other ranks, so that no chip gets more than others.
pub(super) fn path_moves(
    scene: &Scene<'_>,
    pair_paths: &PairPaths,
    rank: &dyn Fn(NodeId) -> u32,
    chips: usize,
) -> Vec<PlannedMove> {
    let (mut moves, chips) = (Vec::new(), chips as u32);
    let is_same_pair =
        |one: &PairPath, other: &PairPath| (one.source, one.destination) == (other.source, other.destination);
    for paths in pair_paths.paths.chunk_by(is_same_pair) {
        let [source, destination] = [rank(paths[0].source), rank(paths[0].destination)];
        let order = (destination + chips - source) % chips;
        let mut chunk = (source * chips + destination) * pair_paths.parts;
        for path in paths {
            let end = chunk + path.amount;
            while chunk < end {
                let count = MOST_TOGETHER.min(end - chunk);
                for (round, leg) in (0..).zip(&path.legs) {
                    let ends = PathEnds::new(scene, leg);
                    let leg_move = ends.map(|ends| ends.forward(0, round, chunk, count));
                    moves.extend(leg_move.map(|leg_move| PlannedMove { order, ..leg_move }));
                }
                chunk += count;
            }
        }
    }
    moves.sort_unstable();
    moves
}

/// Whether a link stays inside a block.
pub(super) fn is_inside(scene: &Scene<'_>, channel: ChannelId) -> bool {
    scene.topology.link(channel).class == LinkClass::Local
}
