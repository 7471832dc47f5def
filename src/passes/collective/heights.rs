//! Exchanges links between trees that share links, in order to make the trees lower.
//!
//! In one move a router changes to a higher neighbor as its parent, by another link. If that link is used up,
//! a tree that has it gives it away. This tree takes the link that became free, if that link joins its two
//! halves again. A move is kept unless the sum of the cubes of all depths grows. From time to time each root
//! moves to the middle of its tree. Cost: moves times the routers below those that move.

use super::packing::{LinkGraph, NONE};
use fabc_base::random::Stream;

/// A spanning tree with a root.
pub(super) struct RootedTree {
    pub(super) root: u32,
    /// `[node]`: (parent, link), or `NONE` for the root.
    pub(super) up: Vec<(u32, u32)>,
    /// `[node]`: (neighbor, link) of each tree link at it.
    joined: Vec<Vec<(u32, u32)>>,
    depth: Vec<u32>,
    cost: u64,
}

/// A node of a branch: its parent, the link to it, and its depth in the tree.
#[derive(Clone, Copy)]
struct BranchNode {
    node: u32,
    parent: u32,
    link: u32,
    depth: u32,
}

/// The cost of a node at a depth.
fn depth_cost(depth: u32) -> u64 {
    u64::from(depth).pow(3)
}

/// Limit on the moves of one call.
const MOVE_LIMIT: usize = 300_000;
/// Limit on moves times routers.
const WORK_LIMIT: usize = 1 << 28;
/// Number of times that all roots are centered.
const CENTERINGS: usize = 12;

impl RootedTree {
    fn new(links: &LinkGraph, tree: &[u32]) -> Self {
        let mut joined = vec![Vec::new(); links.nodes];
        for &link in tree {
            let [a, b] = links.ends[link as usize];
            joined[a as usize].push((b, link));
            joined[b as usize].push((a, link));
        }
        let mut rooted = Self {
            root: 0,
            up: vec![(NONE, NONE); links.nodes],
            joined,
            depth: vec![0; links.nodes],
            cost: 0,
        };
        rooted.update_depths(&mut Vec::new());
        rooted.center_root(&mut Vec::new());
        rooted
    }

    /// Computes parents, depths and the cost from the root. `order` receives the nodes by depth.
    fn update_depths(&mut self, order: &mut Vec<u32>) {
        order.clear();
        order.push(self.root);
        (self.up[self.root as usize], self.depth[self.root as usize], self.cost) = ((NONE, NONE), 0, 0);
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            let (up_link, depth) = (self.up[node as usize].1, self.depth[node as usize]);
            self.cost += depth_cost(depth);
            for &(to, link) in self.joined[node as usize].iter().filter(|&&(_, link)| link != up_link) {
                (self.up[to as usize], self.depth[to as usize]) = ((node, link), depth + 1);
                order.push(to);
            }
        }
    }

    /// The branch that hangs from `first` downwards, once the link `cut` is gone. Depths follow from that of
    /// `first`.
    fn hang(&self, first: BranchNode, cut: u32) -> Vec<BranchNode> {
        let mut branch = vec![first];
        let mut next = 0;
        while let Some(&BranchNode { node, link: up_link, depth, .. }) = branch.get(next) {
            next += 1;
            let down = self.joined[node as usize].iter().filter(|&&(_, link)| link != up_link && link != cut);
            branch.extend(down.map(|&(to, link)| BranchNode {
                node: to,
                parent: node,
                link,
                depth: depth + 1,
            }));
        }
        branch
    }

    /// The cost of the tree once the nodes of a branch have the depths that it says.
    fn cost_with(&self, branch: &[BranchNode]) -> u64 {
        let before: u64 = branch.iter().map(|below| depth_cost(self.depth[below.node as usize])).sum();
        self.cost - before + branch.iter().map(|below| depth_cost(below.depth)).sum::<u64>()
    }

    /// Replaces the link `cut` above a branch by the one of its first node.
    fn rehang(&mut self, branch: &[BranchNode], links: &LinkGraph, cut: u32) {
        self.cost = self.cost_with(branch);
        self.cut(links.ends[cut as usize], cut);
        self.join([branch[0].node, branch[0].parent], branch[0].link);
        for &BranchNode { node, parent, link, depth } in branch {
            (self.up[node as usize], self.depth[node as usize]) = ((parent, link), depth);
        }
    }

    /// Moves the root to the middle of a longest path, if that does not cost more.
    fn center_root(&mut self, order: &mut Vec<u32>) {
        let before = (self.root, self.cost);
        for _ in 0..2 {
            self.root = order.last().copied().unwrap_or(self.root);
            self.update_depths(order);
        }
        let mut middle = order.last().copied().unwrap_or(self.root);
        for _ in 0..self.depth[middle as usize] / 2 {
            middle = self.up[middle as usize].0;
        }
        self.root = middle;
        self.update_depths(order);
        if before.1 > 0 && before.1 < self.cost {
            self.root = before.0;
            self.update_depths(order);
        }
    }

    fn height(&self) -> u32 {
        self.depth.iter().copied().max().unwrap_or(0)
    }

    fn cut(&mut self, nodes: [u32; 2], link: u32) {
        for node in nodes {
            self.joined[node as usize].retain(|&(_, other)| other != link);
        }
    }

    fn join(&mut self, nodes: [u32; 2], link: u32) {
        let [a, b] = nodes;
        self.joined[a as usize].push((b, link));
        self.joined[b as usize].push((a, link));
    }

    /// Whether `node` is `other` or below it.
    fn is_below(&self, mut node: u32, other: u32) -> bool {
        while self.depth[node as usize] > self.depth[other as usize] {
            node = self.up[node as usize].0;
        }
        node == other
    }
}

/// Roots the trees and makes them lower. `capacity` is the number of trees that may share a link.
pub(super) fn lower_trees(
    links: &LinkGraph,
    trees: &[Vec<u32>],
    capacity: u32,
    stream: &mut Stream,
) -> Vec<RootedTree> {
    let mut rooted: Vec<RootedTree> = trees.iter().map(|tree| RootedTree::new(links, tree)).collect();
    // `[link]`: the trees that have it.
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); links.ends.len()];
    for (number, tree) in trees.iter().enumerate() {
        tree.iter().for_each(|&link| users[link as usize].push(number as u32));
    }
    let mut order = Vec::new();
    let mut last_tried: Option<usize> = None;
    let moves = MOVE_LIMIT.min(WORK_LIMIT / links.nodes.max(1));
    for number in 0..moves {
        if number.is_multiple_of(moves.div_ceil(CENTERINGS)) {
            center_roots(&mut rooted, last_tried.take(), &mut order);
        }
        // Of two random nodes the deeper one moves.
        let tree = stream.below(rooted.len());
        let [first, other] = [0; 2].map(|_| stream.below(links.nodes) as u32);
        let node = if rooted[tree].depth[first as usize] < rooted[tree].depth[other as usize] {
            other
        } else {
            first
        };
        let (to, link) = links.incident[node as usize][stream.below(links.incident[node as usize].len())];
        let draw = stream.below((capacity * links.lanes[link as usize]).max(1) as usize);
        let drawn = LinkExchange { tree, node, to, link, draw };
        last_tried = exchange(links, &mut rooted, &mut users, capacity, drawn).or(last_tried);
    }
    center_roots(&mut rooted, last_tried, &mut order);
    rooted
}

/// Moves every root to the middle of its tree. The search for the first middle starts at the last node of the
/// tree that was tried last, or else where the search before it ended.
fn center_roots(rooted: &mut [RootedTree], last_tried: Option<usize>, order: &mut Vec<u32>) {
    if let Some(tree) = last_tried {
        rooted[tree].update_depths(order);
    }
    rooted.iter_mut().for_each(|tree| tree.center_root(order));
}

/// The most hops from a router to the root of its tree.
pub(super) fn height(trees: &[RootedTree]) -> u32 {
    trees.iter().map(RootedTree::height).max().unwrap_or(0)
}

/// A move: in a tree, a node changes to a neighbor as its parent.
#[derive(Clone, Copy)]
struct LinkExchange {
    tree: usize,
    node: u32,
    /// The node from which it hangs afterwards.
    to: u32,
    /// The link to the new parent.
    link: u32,
    /// Random number that chooses the tree that gives the link away.
    draw: usize,
}

/// A tree that gives up a link and hangs the branch below it from another one.
struct Rehanging {
    tree: usize,
    cut: u32,
    branch: Vec<BranchNode>,
}

/// Makes a neighbor the parent of a node, unless the cost grows. Returns the last tree for which costs were
/// compared, if any were.
fn exchange(
    links: &LinkGraph,
    rooted: &mut [RootedTree],
    users: &mut [Vec<u32>],
    capacity: u32,
    exchange: LinkExchange,
) -> Option<usize> {
    let LinkExchange { tree, node, to, link, draw } = exchange;
    let current = &rooted[tree];
    let (parent, old_link) = current.up[node as usize];
    // A higher node cannot be below this one, so no cycle arises.
    let higher = current.depth[to as usize] < current.depth[node as usize];
    if parent == NONE || link == old_link || !higher {
        return None;
    }
    let first = BranchNode { node, parent: to, link, depth: current.depth[to as usize] + 1 };
    // The tree that gives the link away. While there is room, none has to.
    let full = users[link as usize].len() >= (capacity * links.lanes[link as usize]) as usize;
    let giver = full.then(|| users[link as usize][draw % users[link as usize].len()] as usize);
    let given = match giver {
        Some(giver) => Some(given_away(links, rooted, giver, link, old_link)?),
        None => None,
    };
    let taken = Rehanging { tree, cut: old_link, branch: current.hang(first, old_link) };
    let changes = || std::iter::once(&taken).chain(&given);
    let before: u64 = changes().map(|change| rooted[change.tree].cost).sum();
    let after: u64 = changes().map(|change| rooted[change.tree].cost_with(&change.branch)).sum();
    for Rehanging { tree, cut, branch } in changes() {
        if after > before {
            // The link stays, as the last one of its nodes.
            let nodes = links.ends[*cut as usize];
            rooted[*tree].cut(nodes, *cut);
            rooted[*tree].join(nodes, *cut);
        } else {
            rooted[*tree].rehang(branch, links, *cut);
            users[*cut as usize].retain(|&user| user != *tree as u32);
            users[branch[0].link as usize].push(*tree as u32);
        }
    }
    changes().last().map(|change| change.tree)
}

/// How a tree gives a link away and takes another one for it. `None` if the other link does not join the two
/// halves again.
fn given_away(
    links: &LinkGraph,
    rooted: &[RootedTree],
    giver: usize,
    link: u32,
    taken: u32,
) -> Option<Rehanging> {
    let giving = &rooted[giver];
    // The link separates the lower half of the tree. The other one must have exactly one end in it.
    let [one, other] = links.ends[link as usize];
    let lower = if giving.up[one as usize].1 == link { one } else { other };
    let ends = links.ends[taken as usize];
    let [node, parent] = match ends.map(|node| giving.is_below(node, lower)) {
        [true, false] => ends,
        [false, true] => [ends[1], ends[0]],
        _ => return None,
    };
    let first = BranchNode { node, parent, link: taken, depth: giving.depth[parent as usize] + 1 };
    Some(Rehanging { tree: giver, cut: link, branch: giving.hang(first, link) })
}
