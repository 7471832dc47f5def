//! Trees in groups that may pass foreign chips, balanced over the channels of the whole fabric.
//!
//! The data of every chip is cut into some parts, and every part has a tree. A tree grows from its root by
//! the cheapest path from a chip that it has reached to one that it lacks. Busy channels cost more
//! ([`LoadPotential`]), so trees avoid them. Every tree in turn is grown anew, and kept if it costs less.
//!
//! Cost: for every tree of a sweep one search of cheapest paths, which goes on from each chip that it
//! reaches. The load need not be the least one.

use super::super::error::CollectiveError;
use super::super::load_potential::{ChannelBalance, LoadPotential};
use super::super::request::ScheduleRequest;
use super::super::volume::largest_volume;
use super::plan::{check_duplex, group_schedule};
use super::within::busiest_of_loads;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{
    ChipGroups, CollectiveBound, Forest, ForestPath, ForestSend, ForestTree, Fraction, Scene, Schedule,
    Transfers,
};
use fabc_model::CollectiveAlgorithm;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// The cost of every channel beside the potential, so that idle channels invite no detours.
const BASE_COST: f64 = 1e-3;
/// A new tree must cost less than the old one by this part of it.
const LEAST_GAIN: f64 = 1e-9;
/// The most edges of all trees together. Each costs some 50 bytes.
const MOST_EDGES: u64 = 1 << 20;

/// An all-gather in groups by balanced trees, with so many parts of the data of a chip. `bounds` are those of
/// all schedules. Balancing stops where the tightest one is met.
///
/// # Errors
/// Refuses links that run one way, too many edges, and a group of which one chip cannot reach another one.
pub fn relayed(
    scene: &Scene<'_>,
    groups: &ChipGroups,
    parts: u32,
    bounds: &[CollectiveBound],
    request: ScheduleRequest,
) -> Result<Schedule, CollectiveError> {
    check_duplex(scene)?;
    let chips = scene.endpoints().count();
    let edges = chips as u64 * (groups.size() - 1) * u64::from(parts);
    if edges > MOST_EDGES {
        return Err(CollectiveError::TooLarge { chips, chunks: edges, most: MOST_EDGES });
    }
    let mut balance = TreeBalance::new(scene, groups, parts)?;
    balance.improve(largest_volume(bounds).times(Fraction::integer(parts)));
    let load = busiest_of_loads(scene, &balance.loads);
    let forest = Forest { parts, load, trees: balance.forest_trees() };
    let transfers = Transfers::Forest(forest);
    Ok(group_schedule(scene, groups, CollectiveAlgorithm::Trees, request, transfers, Vec::new()))
}

/// An edge of a tree that is being balanced.
#[derive(Clone)]
struct GrownEdge {
    from: NodeId,
    to: NodeId,
    channels: Vec<ChannelId>,
}

/// The tree of one part of the data of a chip.
#[derive(Clone)]
struct GrownTree {
    root: NodeId,
    edges: Vec<GrownEdge>,
}

/// All trees, and the loads that they put on channels.
struct TreeBalance<'a> {
    scene: &'a Scene<'a>,
    groups: &'a ChipGroups,
    trees: Vec<GrownTree>,
    /// `[channel]`: number of parts that cross it.
    loads: Vec<u64>,
    /// `[channel]`: what one more part on it costs.
    costs: Vec<f64>,
    potential: LoadPotential,
    search: PathSearch,
}

/// Scratch space of searches for cheapest paths.
struct PathSearch {
    /// `[router]`: the start of its lit channels in `channels`, with a last entry for the end.
    starts: Vec<u32>,
    /// (channel, router at its end), router by router.
    channels: Vec<(ChannelId, NodeId)>,
    /// `[router]`: the cost of the cheapest path found.
    costs: Vec<f64>,
    /// `[router]`: the last channel of that path.
    last: Vec<Option<ChannelId>>,
    /// Routers that have a cost.
    touched: Vec<NodeId>,
    /// Routers that were found but not left. Bits of floats that are not negative order them.
    open: BinaryHeap<Reverse<(u64, NodeId)>>,
    /// `[router]`: whether the tree lacks it.
    lacks: Vec<bool>,
}

impl<'a> TreeBalance<'a> {
    fn new(scene: &'a Scene<'a>, groups: &'a ChipGroups, parts: u32) -> Result<Self, CollectiveError> {
        let channels = scene.topology.channel_count();
        let search = PathSearch::new(scene);
        let mut balance = Self {
            scene,
            groups,
            trees: Vec::new(),
            loads: vec![0; channels],
            costs: vec![0.0; channels],
            potential: LoadPotential { full: 0.0, width: 0.0, base_cost: BASE_COST },
            search,
        };
        balance.set_potential(f64::from(parts), Self::FIRST_WIDTH);
        for _ in 0..parts {
            for &root in groups.lists().iter().flatten() {
                let tree = balance.grown_tree(root)?;
                balance.add(&tree);
                balance.trees.push(tree);
            }
        }
        Ok(balance)
    }

    /// The cheapest tree that is found from a root, under the costs as they are.
    fn grown_tree(&mut self, root: NodeId) -> Result<GrownTree, CollectiveError> {
        let mut edges: Vec<GrownEdge> = Vec::new();
        let members = self.groups.members(root);
        members.iter().for_each(|chip| self.search.lacks[chip.index()] = *chip != root);
        self.search.begin(root);
        while edges.len() + 1 < members.len() {
            let Some(edge) = self.search.nearest(self.scene, &self.costs) else {
                let lacking = members.iter().find(|chip| self.search.lacks[chip.index()]);
                let [from, to] = [root, *lacking.unwrap_or(&root)].map(|end| self.scene.topology.name(end));
                members.iter().for_each(|chip| self.search.lacks[chip.index()] = false);
                return Err(CollectiveError::Disconnected { from, to });
            };
            self.search.reach(edge.to);
            edges.push(edge);
        }
        Ok(GrownTree { root, edges })
    }

    /// Whether a channel of a tree carries nearly as much as the busiest one.
    fn is_busy(&self, tree: &GrownTree) -> bool {
        let LoadPotential { full, width, .. } = self.potential;
        let busy = full * (1.0 - 2.0 * width);
        tree.edges.iter().flat_map(|edge| &edge.channels).any(|&channel| {
            let lanes = self.scene.topology.channel_capacity(channel).max(1) as f64;
            self.loads[channel.index()] as f64 / lanes >= busy
        })
    }

    fn set_cost(&mut self, channel: ChannelId) {
        let lanes = self.scene.topology.channel_capacity(channel).max(1);
        self.costs[channel.index()] = self.potential.cost(self.loads[channel.index()], lanes);
    }

    fn add(&mut self, tree: &GrownTree) {
        for &channel in tree.edges.iter().flat_map(|edge| &edge.channels) {
            self.loads[channel.index()] += 1;
            self.set_cost(channel);
        }
    }

    fn remove(&mut self, tree: &GrownTree) {
        for &channel in tree.edges.iter().flat_map(|edge| &edge.channels) {
            self.loads[channel.index()] -= 1;
            self.set_cost(channel);
        }
    }

    /// The trees in the form of a schedule: those of a root follow each other.
    fn forest_trees(&self) -> Vec<ForestTree> {
        let mut order: Vec<&GrownTree> = self.trees.iter().collect();
        order.sort_by_key(|tree| tree.root);
        let send = |edge: &GrownEdge| ForestSend {
            from: edge.from,
            to: edge.to,
            paths: vec![ForestPath { amount: 1, channels: edge.channels.clone() }],
        };
        let tree = |tree: &GrownTree| ForestTree {
            root: tree.root,
            multiplicity: 1,
            sends: tree.edges.iter().map(send).collect(),
        };
        order.into_iter().map(tree).collect()
    }
}

impl ChannelBalance for TreeBalance<'_> {
    type Paths = Vec<GrownTree>;
    const FIRST_WIDTH: f64 = 0.1;
    const SWEEPS: u32 = 6;

    fn busiest(&self) -> Fraction {
        let load = busiest_of_loads(self.scene, &self.loads);
        Fraction::new(load.parts, load.lanes)
    }

    fn paths(&self) -> &Self::Paths {
        &self.trees
    }

    fn set_paths(&mut self, trees: Self::Paths) {
        self.trees = trees;
        self.loads.fill(0);
        for edge in self.trees.iter().flat_map(|tree| &tree.edges) {
            edge.channels.iter().for_each(|channel| self.loads[channel.index()] += 1);
        }
    }

    fn set_potential(&mut self, full: f64, width: f64) {
        self.potential = LoadPotential { full, width, base_cost: BASE_COST };
        for index in 0..self.costs.len() {
            self.set_cost(ChannelId::new(index));
        }
    }

    /// Grows every tree anew once that uses a busy channel.
    fn sweep(&mut self) -> u64 {
        let mut changes = 0;
        for index in 0..self.trees.len() {
            if !self.is_busy(&self.trees[index]) {
                continue;
            }
            let old = self.trees[index].clone();
            self.remove(&old);
            let new = self.grown_tree(old.root).ok();
            let cost = |tree: &GrownTree| -> f64 {
                let channels = tree.edges.iter().flat_map(|edge| &edge.channels);
                channels.map(|channel| self.costs[channel.index()]).sum()
            };
            let old_cost = cost(&old);
            let kept = match new {
                Some(new) if cost(&new) < old_cost * (1.0 - LEAST_GAIN) => {
                    changes += 1;
                    new
                }
                _ => old,
            };
            self.add(&kept);
            self.trees[index] = kept;
        }
        changes
    }
}

impl PathSearch {
    fn new(scene: &Scene<'_>) -> Self {
        let nodes = scene.topology.node_count();
        let (mut starts, mut channels) = (vec![0], Vec::new());
        for node in scene.topology.nodes() {
            let ends = |channel| (channel, scene.topology.target(channel).node);
            channels.extend(scene.channels_from(node).map(ends));
            starts.push(channels.len() as u32);
        }
        Self {
            starts,
            channels,
            costs: vec![f64::INFINITY; nodes],
            last: vec![None; nodes],
            touched: Vec::new(),
            open: BinaryHeap::new(),
            lacks: vec![false; nodes],
        }
    }

    /// Forgets all costs, and starts at a root.
    fn begin(&mut self, root: NodeId) {
        self.open.clear();
        for node in self.touched.drain(..) {
            (self.costs[node.index()], self.last[node.index()]) = (f64::INFINITY, None);
        }
        self.reach(root);
    }

    /// Starts at a further chip of the tree. What was found before stays true.
    fn reach(&mut self, chip: NodeId) {
        self.lacks[chip.index()] = false;
        (self.costs[chip.index()], self.last[chip.index()]) = (0.0, None);
        self.touched.push(chip);
        self.open.push(Reverse((0, chip)));
    }

    /// The cheapest path from a chip of the tree to one that it lacks. `None` where none can be reached.
    fn nearest(&mut self, scene: &Scene<'_>, costs: &[f64]) -> Option<GrownEdge> {
        while let Some(Reverse((bits, node))) = self.open.pop() {
            let cost = f64::from_bits(bits);
            if cost > self.costs[node.index()] {
                continue;
            }
            if self.lacks[node.index()] {
                return Some(self.edge_to(scene, node));
            }
            let leaving = self.starts[node.index()] as usize..self.starts[node.index() + 1] as usize;
            for &(channel, target) in &self.channels[leaving] {
                let longer = cost + costs[channel.index()];
                if longer < self.costs[target.index()] {
                    self.costs[target.index()] = longer;
                    self.last[target.index()] = Some(channel);
                    self.touched.push(target);
                    self.open.push(Reverse((longer.to_bits(), target)));
                }
            }
        }
        None
    }

    /// The path by which a chip was found, from the last chip of the tree on it.
    fn edge_to(&self, scene: &Scene<'_>, to: NodeId) -> GrownEdge {
        let (mut from, mut channels) = (to, Vec::new());
        while let Some(channel) = self.last[from.index()] {
            channels.push(channel);
            from = scene.topology.source(channel).node;
        }
        channels.reverse();
        GrownEdge { from, to, channels }
    }
}
