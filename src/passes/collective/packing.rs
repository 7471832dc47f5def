//! Packs spanning trees that share links: a given number of trees, with at most `capacity` of them on each
//! link.
//!
//! Every link stands for as many copies as trees may use it, and a faster link for more. No copy is in two
//! trees. The trees first grow breadth first from random routers. They take turns and use the least used
//! links. Then copies are added one by one as in the matroid union of forests (Roskind and Tarjan 1985). A
//! copy enters a tree and pushes one of that tree's copies into another tree, and so on to a tree that lacks
//! it. A search that labels each copy once finds the shortest such chain.
//!
//! A copy without a chain closes a set of routers inside which all trees span already. If a tree is
//! incomplete in the end, these sets are a partition with too few links between its parts. This proves that
//! so many trees do not exist.

use fabc_base::random::Stream;
use std::collections::VecDeque;

/// A graph that trees are packed into.
pub(super) struct LinkGraph {
    pub(super) nodes: usize,
    /// `[link]`: the two nodes that it joins.
    pub(super) ends: Vec<[u32; 2]>,
    /// `[link]`: its bandwidth in units of the slowest kind. It may be in that many times `capacity` trees.
    pub(super) lanes: Vec<u32>,
    /// `[node]`: (neighbor, link) of each link at it.
    pub(super) incident: Vec<Vec<(u32, u32)>>,
}

impl LinkGraph {
    pub(super) fn new(nodes: usize, ends: Vec<[u32; 2]>, lanes: Vec<u32>) -> Self {
        let mut incident = vec![Vec::new(); nodes];
        for (link, &[a, b]) in ends.iter().enumerate() {
            incident[a as usize].push((b, link as u32));
            incident[b as usize].push((a, link as u32));
        }
        Self { nodes, ends, lanes, incident }
    }
}

/// Marks a missing node, link or copy.
pub(super) const NONE: u32 = u32::MAX;

/// A forest of copies, which grows into a spanning tree.
struct Forest {
    /// `[node]`: (neighbor, copy) of each copy at it.
    incident: Vec<Vec<(u32, u32)>>,
    /// `[node]`: (parent, copy), towards the root of its component.
    parent: Vec<(u32, u32)>,
    depth: Vec<u32>,
    /// `[node]`: the root of its component.
    component: Vec<u32>,
    copies: usize,
    /// Whether copies have changed since parents were computed.
    stale: bool,
}

impl Forest {
    fn new(nodes: usize) -> Self {
        Self {
            incident: vec![Vec::new(); nodes],
            parent: vec![(NONE, NONE); nodes],
            depth: vec![0; nodes],
            component: (0..nodes as u32).collect(),
            copies: 0,
            stale: false,
        }
    }

    fn assign_parents(&mut self) {
        self.stale = false;
        self.component.fill(NONE);
        let mut open = Vec::new();
        for start in 0..self.incident.len() {
            if self.component[start] != NONE {
                continue;
            }
            self.component[start] = start as u32;
            (self.parent[start], self.depth[start]) = ((NONE, NONE), 0);
            open.push(start);
            while let Some(node) = open.pop() {
                for &(to, copy) in &self.incident[node] {
                    if self.component[to as usize] == NONE {
                        self.component[to as usize] = start as u32;
                        (self.parent[to as usize], self.depth[to as usize]) =
                            ((node as u32, copy), self.depth[node] + 1);
                        open.push(to as usize);
                    }
                }
            }
        }
    }
}

/// The state of a packing.
struct TreePacking<'a> {
    links: &'a LinkGraph,
    /// `[link]`: the first of its copies. It has `capacity` copies per lane.
    first: Vec<u32>,
    /// `[copy]`: the link that it stands for.
    link: Vec<u32>,
    capacity: u32,
    forests: Vec<Forest>,
    /// `[copy]`: the forest that it is in, or [`NONE`].
    forest_of: Vec<u32>,
    /// `[copy]`: the copy that would take its place.
    replacement: Vec<u32>,
    label_search: Vec<u32>,
    searches: u32,
    /// `[forest][node]`: the nearest node above it, or itself, whose copy towards its parent is not labelled.
    unlabelled_above: Vec<Vec<u32>>,
    /// `[node]`: a node towards the representative of its closed set.
    closed_set: Vec<u32>,
}

/// Packs trees, and returns the links of each. If they do not fit, the error is the proof: `[node]`: its part
/// of the partition.
pub(super) fn pack_trees(
    links: &LinkGraph,
    trees: usize,
    capacity: u32,
    stream: &mut Stream,
) -> Result<Vec<Vec<u32>>, Vec<u32>> {
    let (mut first, mut link) = (Vec::with_capacity(links.ends.len()), Vec::new());
    for (link_index, lanes) in links.lanes.iter().enumerate() {
        first.push(link.len() as u32);
        link.resize(link.len() + (lanes * capacity) as usize, link_index as u32);
    }
    let copies = link.len();
    let mut packing = TreePacking {
        links,
        first,
        link,
        capacity,
        forests: (0..trees).map(|_| Forest::new(links.nodes)).collect(),
        forest_of: vec![NONE; copies],
        replacement: vec![NONE; copies],
        label_search: vec![0; copies],
        searches: 0,
        unlabelled_above: vec![(0..links.nodes as u32).collect(); trees],
        closed_set: (0..links.nodes as u32).collect(),
    };
    packing.grow_breadth_first(stream);
    let mut lacking =
        trees * (links.nodes - 1) - packing.forests.iter().map(|forest| forest.copies).sum::<usize>();
    let mut order: Vec<u32> = (0..copies as u32).collect();
    stream.shuffle(&mut order);
    for copy in order {
        if lacking == 0 {
            break;
        }
        if packing.forest_of[copy as usize] == NONE && packing.add_copy(copy) {
            lacking -= 1;
        }
    }
    if lacking > 0 {
        return Err((0..links.nodes as u32)
            .map(|node| representative(&mut packing.closed_set, node))
            .collect());
    }
    let tree_links = |forest: &Forest| {
        let mut tree: Vec<u32> =
            forest.incident.iter().flatten().map(|&(_, copy)| packing.link[copy as usize]).collect();
        tree.sort_unstable();
        tree.dedup();
        tree
    };
    Ok(packing.forests.iter().map(tree_links).collect())
}

impl TreePacking<'_> {
    fn nodes_of(&self, copy: u32) -> [u32; 2] {
        self.links.ends[self.link[copy as usize] as usize]
    }

    fn insert_copy(&mut self, copy: u32, forest: usize) {
        let [a, b] = self.nodes_of(copy);
        self.forest_of[copy as usize] = forest as u32;
        let forest = &mut self.forests[forest];
        forest.incident[a as usize].push((b, copy));
        forest.incident[b as usize].push((a, copy));
        (forest.copies, forest.stale) = (forest.copies + 1, true);
    }

    fn remove_copy(&mut self, copy: u32) {
        let nodes = self.nodes_of(copy);
        let forest = &mut self.forests[self.forest_of[copy as usize] as usize];
        nodes.iter().for_each(|&node| forest.incident[node as usize].retain(|&(_, other)| other != copy));
        (forest.copies, forest.stale) = (forest.copies - 1, true);
    }

    /// Grows all trees in turns, one router at a time.
    fn grow_breadth_first(&mut self, stream: &mut Stream) {
        let nodes = self.links.nodes;
        let mut used = vec![0u32; self.links.ends.len()];
        let mut open: Vec<VecDeque<u32>> =
            self.forests.iter().map(|_| VecDeque::from([stream.below(nodes) as u32])).collect();
        let mut reached: Vec<Vec<bool>> = vec![vec![false; nodes]; open.len()];
        reached.iter_mut().zip(&open).for_each(|(reached, open)| reached[open[0] as usize] = true);
        while open.iter().any(|open| !open.is_empty()) {
            for tree in 0..open.len() {
                while let Some(&node) = open[tree].front() {
                    let capacity_of = |link: u32| self.capacity * self.links.lanes[link as usize];
                    let free = |&&(to, link): &&(u32, u32)| {
                        !reached[tree][to as usize] && used[link as usize] < capacity_of(link)
                    };
                    let Some(&(to, link)) = self.links.incident[node as usize]
                        .iter()
                        .filter(free)
                        .min_by_key(|(_, link)| used[*link as usize] / self.links.lanes[*link as usize])
                    else {
                        open[tree].pop_front();
                        continue;
                    };
                    self.insert_copy(self.first[link as usize] + used[link as usize], tree);
                    used[link as usize] += 1;
                    reached[tree][to as usize] = true;
                    open[tree].push_back(to);
                    break;
                }
            }
        }
    }

    /// Adds a copy that is in no tree, and returns whether that succeeded. If not, joins the closed sets that
    /// the search reached.
    fn add_copy(&mut self, added: u32) -> bool {
        let [a, b] = self.nodes_of(added);
        if representative(&mut self.closed_set, a) == representative(&mut self.closed_set, b) {
            return false;
        }
        self.forests.iter_mut().filter(|forest| forest.stale).for_each(Forest::assign_parents);
        self.searches += 1;
        self.unlabelled_above.iter_mut().for_each(|unlabelled_above| {
            unlabelled_above.iter_mut().zip(0..).for_each(|(unlabelled_above, node)| *unlabelled_above = node)
        });
        self.label_search[added as usize] = self.searches;
        self.replacement[added as usize] = NONE;
        let mut open = VecDeque::from([added]);
        let mut seen = Vec::new();
        while let Some(copy) = open.pop_front() {
            seen.push(copy);
            let [u, v] = self.nodes_of(copy);
            for tree in (0..self.forests.len()).filter(|&tree| self.forest_of[copy as usize] != tree as u32) {
                let forest = &self.forests[tree];
                if forest.component[u as usize] != forest.component[v as usize] {
                    self.shift_chain(copy, tree);
                    return true;
                }
                let unlabelled_above = &mut self.unlabelled_above[tree];
                let (mut u, mut v) =
                    (representative(unlabelled_above, u), representative(unlabelled_above, v));
                while u != v {
                    if forest.depth[u as usize] < forest.depth[v as usize] {
                        std::mem::swap(&mut u, &mut v);
                    }
                    let (parent, replaced) = forest.parent[u as usize];
                    unlabelled_above[u as usize] = parent;
                    if self.label_search[replaced as usize] != self.searches {
                        self.label_search[replaced as usize] = self.searches;
                        self.replacement[replaced as usize] = copy;
                        open.push_back(replaced);
                    }
                    u = representative(unlabelled_above, parent);
                }
            }
        }
        for copy in seen {
            let [a, b] = self.nodes_of(copy);
            let [a, b] = [a, b].map(|node| representative(&mut self.closed_set, node));
            self.closed_set[a.max(b) as usize] = a.min(b);
        }
        false
    }

    /// Moves a copy to a tree. The copy that it replaces moves to the next tree, and so on.
    fn shift_chain(&mut self, copy: u32, tree: usize) {
        let (mut copy, mut tree) = (copy, tree);
        loop {
            let from = self.forest_of[copy as usize];
            if from != NONE {
                self.remove_copy(copy);
            }
            self.insert_copy(copy, tree);
            let next = self.replacement[copy as usize];
            if from == NONE || next == NONE {
                break;
            }
            (copy, tree) = (next, from as usize);
        }
    }
}

/// The node that stands for a node, with the path to it shortened.
fn representative(unlabelled_above: &mut [u32], mut node: u32) -> u32 {
    while unlabelled_above[node as usize] != node {
        unlabelled_above[node as usize] = unlabelled_above[unlabelled_above[node as usize] as usize];
        node = unlabelled_above[node as usize];
    }
    node
}
