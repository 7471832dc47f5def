//! Trees and all of their images under the rotations of a fabric.
//!
//! One chip of every orbit is a root. Each round adds a tree for each of these roots: the cheapest one, under
//! prices that grow with the load of the channels so far. Of paths and trees of nearly equal price the lower
//! ones are taken. The images of a tree load all images of a channel alike. The number of rounds with the
//! least load is kept. Cost: chips squared for every tree.

use super::branching::cheapest_branching;
use super::ground::ForestGround;
use super::rotations::{JoinedRouters, Rotations};
use fabc_base::ids::{ChannelId, Id};
use fabc_ir::{ForestPath, ForestSend, ForestTree};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The most orbits of chips.
const MOST_ROOTS: usize = 16;
/// How fast prices grow with load.
const STEEPNESS: f64 = 12.0;
/// The price of a level of height, as a share of the mean price of a path.
const HEIGHT_PRICE: f64 = 1e-3;

/// A fabric under its rotations.
pub(super) struct RotatedFabric<'a> {
    ground: &'a ForestGround<'a>,
    joined: JoinedRouters,
    /// `[router][rotation]`: the router to which the rotation takes it.
    images: Vec<Vec<usize>>,
    /// One chip of every orbit.
    roots: Vec<usize>,
    /// For every joined pair of routers, its orbit.
    orbits: BTreeMap<[usize; 2], usize>,
    /// `[orbit]`: number of pairs times the lanes of each.
    lanes: Vec<u64>,
}

/// A tree from one of the roots.
#[derive(Clone, PartialEq)]
struct RootTree {
    root: usize,
    /// (from, to, routers of the path with both ends), each after the one that leads to `from`.
    edges: Vec<(usize, usize, Vec<usize>)>,
}

impl<'a> RotatedFabric<'a> {
    /// The fabric, if its rotations leave few roots.
    pub(super) fn new(ground: &'a ForestGround<'a>) -> Option<Self> {
        let joined = JoinedRouters::new(ground);
        let rotations = Rotations::new(&joined);
        if rotations.order() < 2 || rotations.order() * MOST_ROOTS < ground.chips {
            return None;
        }
        let images: Vec<Vec<usize>> = (0..ground.nodes.len()).map(|node| rotations.images(node)).collect();
        let (mut is_seen, mut roots) = (vec![false; ground.chips], Vec::new());
        for chip in 0..ground.chips {
            if !is_seen[chip] {
                roots.push(chip);
                images[chip].iter().for_each(|&image| is_seen[image] = true);
            }
        }
        let (mut orbits, mut lanes) = (BTreeMap::new(), Vec::new());
        for (from, row) in joined.next.iter().enumerate() {
            for &(to, lanes_between) in row {
                if orbits.contains_key(&[from, to]) {
                    continue;
                }
                let mut sum = 0;
                for (&from, &to) in images[from].iter().zip(&images[to]) {
                    let is_new = orbits.insert([from, to], lanes.len()).is_none();
                    sum += if is_new { lanes_between } else { 0 };
                }
                lanes.push(sum);
            }
        }
        Some(Self { ground, joined, images, roots, orbits, lanes })
    }

    /// At most `most` rounds of trees, and their number. `volume` is the bound, in shards per lane.
    pub(super) fn trees(&self, most: u32, volume: f64) -> (u32, Vec<ForestTree>) {
        let mut loads = vec![0u64; self.lanes.len()];
        let mut rounds: Vec<Vec<RootTree>> = Vec::new();
        let (mut best, mut least) = (1, f64::INFINITY);
        for round in 1..=most {
            let busy = |(&load, &lanes): (&u64, &u64)| load as f64 / lanes as f64 / f64::from(round) / volume;
            let price = |(&load, &lanes): (&u64, &u64)| {
                libm::exp(STEEPNESS * busy((&load, &lanes))) * self.images[0].len() as f64 / lanes as f64
            };
            let prices: Vec<f64> = loads.iter().zip(&self.lanes).map(price).collect();
            let paths = ChipPaths::new(self, &prices);
            let trees: Vec<RootTree> =
                self.roots.iter().map(|&root| self.cheapest_tree(&paths, root)).collect();
            for [from, to] in trees.iter().flat_map(RootTree::pairs) {
                loads[self.orbits[&[from, to]]] += self.images[0].len() as u64;
            }
            rounds.push(trees);
            let load = loads.iter().zip(&self.lanes).map(busy).fold(0.0, f64::max);
            if load < least - 1e-9 {
                (best, least) = (round, load);
            }
            if load <= 1.0 + 1e-9 {
                break;
            }
        }
        rounds.truncate(best as usize);
        let mut counted: Vec<(RootTree, u32)> = Vec::new();
        for tree in rounds.into_iter().flatten() {
            match counted.iter_mut().find(|(known, _)| *known == tree) {
                Some((_, multiplicity)) => *multiplicity += 1,
                None => counted.push((tree, 1)),
            }
        }
        (best, self.expanded(&counted))
    }

    /// The cheapest tree from a root. Of nearly equal ones a low one.
    fn cheapest_tree(&self, paths: &ChipPaths, root: usize) -> RootTree {
        let chips = self.ground.chips;
        let mean = paths.costs.iter().filter(|cost| cost.is_finite()).sum::<f64>() / (chips * chips) as f64;
        let mut depths: Vec<u32> = (0..chips).map(|chip| u32::from(chip != root)).collect();
        let mut parent = Vec::new();
        for _ in 0..3 {
            let with_height =
                |(arc, cost): (usize, &f64)| cost + f64::from(depths[arc / chips]) * mean * HEIGHT_PRICE;
            let costs: Vec<f64> = paths.costs.iter().enumerate().map(with_height).collect();
            parent = cheapest_branching(&costs, chips, root);
            depths = (0..chips).map(|chip| depth(&parent, chip, root)).collect();
        }
        let mut order: Vec<usize> = (0..chips).filter(|&chip| chip != root).collect();
        order.sort_by_key(|&chip| (depths[chip], chip));
        let edge = |chip: usize| (parent[chip], chip, paths.path(self, parent[chip], chip));
        RootTree { root, edges: order.into_iter().map(edge).collect() }
    }

    /// All images of trees, on channels.
    fn expanded(&self, trees: &[(RootTree, u32)]) -> Vec<ForestTree> {
        let mut channels: BTreeMap<[usize; 2], Vec<(u64, ChannelId)>> = BTreeMap::new();
        for channel in self.ground.scene.channels() {
            channels.entry(self.ground.ends(channel)).or_default().push((0, channel));
        }
        let mut least_loaded = |from: usize, to: usize| {
            let parallel = channels.get_mut(&[from, to])?;
            let lanes = |channel: ChannelId| self.ground.scene.topology.channel_capacity(channel);
            let chosen = parallel.iter_mut().min_by_key(|(load, channel)| *load * 1000 / lanes(*channel))?;
            chosen.0 += 1;
            Some(chosen.1)
        };
        let mut expanded = Vec::new();
        for rotation in 0..self.images[0].len() {
            for (tree, multiplicity) in trees {
                let image = |node: usize| self.images[node][rotation];
                let mut sends = Vec::with_capacity(tree.edges.len());
                for (from, to, path) in &tree.edges {
                    let nodes: Vec<usize> = path.iter().map(|&node| image(node)).collect();
                    let mut paths: Vec<ForestPath> = Vec::new();
                    for _ in 0..*multiplicity {
                        let hops = nodes.windows(2).filter_map(|pair| least_loaded(pair[0], pair[1]));
                        let taken: Vec<ChannelId> = hops.collect();
                        match paths.iter_mut().find(|path| path.channels == taken) {
                            Some(path) => path.amount += 1,
                            None => paths.push(ForestPath { amount: 1, channels: taken }),
                        }
                    }
                    let [from, to] = [*from, *to].map(|chip| self.ground.nodes[image(chip)]);
                    sends.push(ForestSend { from, to, paths });
                }
                let root = self.ground.nodes[image(tree.root)];
                expanded.push(ForestTree { root, multiplicity: *multiplicity, sends });
            }
        }
        expanded.sort_by_key(|tree| tree.root.index());
        expanded
    }
}

impl RootTree {
    /// The pairs of routers that it crosses.
    fn pairs(&self) -> impl Iterator<Item = [usize; 2]> {
        self.edges.iter().flat_map(|(_, _, path)| path.windows(2).map(|pair| [pair[0], pair[1]]))
    }
}

/// Edges from a node up to the root.
fn depth(parent: &[usize], mut node: usize, root: usize) -> u32 {
    let mut depth = 0;
    while node != root {
        node = parent[node];
        depth += 1;
    }
    depth
}

/// The cheapest paths between chips through routers that only forward.
struct ChipPaths {
    /// `[from * chips + to]`: the price of the path.
    costs: Vec<f64>,
    /// `[from * chips + to]`: the root and the rotation of which `from` is the image, and the chip of which
    /// `to` then is the image.
    origins: Vec<(u32, u32, u32)>,
    /// `[root number][router]`: the router before it.
    before: Vec<Vec<usize>>,
}

impl ChipPaths {
    fn new(fabric: &RotatedFabric<'_>, prices: &[f64]) -> Self {
        let chips = fabric.ground.chips;
        let mut paths = Self {
            costs: vec![f64::INFINITY; chips * chips],
            origins: vec![(0, 0, 0); chips * chips],
            before: Vec::new(),
        };
        for (number, &root) in fabric.roots.iter().enumerate() {
            let (costs, before) = cheapest_paths(fabric, prices, root);
            for rotation in 0..fabric.images[root].len() {
                let from = fabric.images[root][rotation];
                for to in (0..chips).filter(|&to| to != root) {
                    let arc = from * chips + fabric.images[to][rotation];
                    paths.costs[arc] = costs[to];
                    paths.origins[arc] = (number as u32, rotation as u32, to as u32);
                }
            }
            paths.before.push(before);
        }
        paths
    }

    /// The routers of the path between two chips, with both.
    fn path(&self, fabric: &RotatedFabric<'_>, from: usize, to: usize) -> Vec<usize> {
        let (number, rotation, mut node) = self.origins[from * fabric.ground.chips + to];
        let (root, before) = (fabric.roots[number as usize], &self.before[number as usize]);
        let mut path = vec![to];
        while node as usize != root {
            node = before[node as usize] as u32;
            path.push(fabric.images[node as usize][rotation as usize]);
        }
        path.reverse();
        path
    }
}

/// `[router]`: the least price of a path from a root, and the router before it on that path.
fn cheapest_paths(fabric: &RotatedFabric<'_>, prices: &[f64], root: usize) -> (Vec<f64>, Vec<usize>) {
    let count = fabric.ground.nodes.len();
    let (mut costs, mut before) = (vec![f64::INFINITY; count], vec![usize::MAX; count]);
    costs[root] = 0.0;
    // Prices are positive, so the order of their bits is their own.
    let mut open = BinaryHeap::from([Reverse((0u64, root))]);
    while let Some(Reverse((bits, node))) = open.pop() {
        let is_chip = node < fabric.ground.chips;
        if f64::from_bits(bits) > costs[node] || is_chip && node != root {
            continue;
        }
        for &(other, _) in &fabric.joined.next[node] {
            let cost = costs[node] + prices[fabric.orbits[&[node, other]]];
            if cost < costs[other] {
                (costs[other], before[other]) = (cost, node);
                open.push(Reverse((cost.to_bits(), other)));
            }
        }
    }
    (costs, before)
}
