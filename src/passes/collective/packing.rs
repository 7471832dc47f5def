//! Spanning trees that share links: as many as asked for, each link in so many of them at most.
//!
//! Every link is as many copies as trees may use it (a faster one is more); no copy is in two trees. The
//! trees first grow breadth first in turns from random routers, by the links that are used least. Then copies
//! are added one by one as in the matroid union of forests (Roskind and Tarjan 1985): a copy takes a place in
//! a tree by pushing one of that tree's copies into another tree, and so on to a tree that lacks it; shortest
//! chains, found by a search that labels each copy once. A copy for which there is no chain closes a set of
//! routers that all trees span inside already. If in the end a tree lacks something, those sets are a
//! partition that has too few links between its parts: the proof that so many trees cannot be.

use fabc_base::random::Stream;
use std::collections::VecDeque;

/// A graph that trees are packed into.
pub(super) struct Links {
    pub(super) nodes: usize,
    /// `[link]`: its ends.
    pub(super) ends: Vec<[u32; 2]>,
    /// `[link]`: how many times as many trees as the slowest kind it may be in.
    pub(super) lanes: Vec<u32>,
    /// `[node]`: (neighbor, link).
    pub(super) joined: Vec<Vec<(u32, u32)>>,
}

impl Links {
    pub(super) fn new(nodes: usize, ends: Vec<[u32; 2]>, lanes: Vec<u32>) -> Self {
        let mut joined = vec![Vec::new(); nodes];
        for (link, &[a, b]) in ends.iter().enumerate() {
            joined[a as usize].push((b, link as u32));
            joined[b as usize].push((a, link as u32));
        }
        Self { nodes, ends, lanes, joined }
    }
}

/// Nothing, nobody.
pub(super) const NONE: u32 = u32::MAX;

/// A forest of copies.
struct Forest {
    /// `[node]`: (neighbor, copy).
    joined: Vec<Vec<(u32, u32)>>,
    /// `[node]`: towards the root of its component.
    parent: Vec<(u32, u32)>,
    depth: Vec<u32>,
    /// `[node]`: the root of its component.
    component: Vec<u32>,
    copies: usize,
    /// Whether parents are not what they were.
    stale: bool,
}

impl Forest {
    fn new(nodes: usize) -> Self {
        Self {
            joined: vec![Vec::new(); nodes],
            parent: vec![(NONE, NONE); nodes],
            depth: vec![0; nodes],
            component: (0..nodes as u32).collect(),
            copies: 0,
            stale: false,
        }
    }

    fn root(&mut self) {
        self.stale = false;
        self.component.fill(NONE);
        let mut open = Vec::new();
        for start in 0..self.joined.len() {
            if self.component[start] != NONE {
                continue;
            }
            self.component[start] = start as u32;
            (self.parent[start], self.depth[start]) = ((NONE, NONE), 0);
            open.push(start);
            while let Some(node) = open.pop() {
                for &(to, copy) in &self.joined[node] {
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

/// Trees as they are packed.
struct Packing<'a> {
    links: &'a Links,
    /// `[link]`: the first of its copies, `capacity` for every lane.
    first: Vec<u32>,
    /// `[copy]`: its link.
    link: Vec<u32>,
    capacity: u32,
    forests: Vec<Forest>,
    /// `[copy]`: the forest that it is in.
    of: Vec<u32>,
    /// `[copy]`: the copy that would take its place; the search in which it was labelled.
    instead: Vec<u32>,
    labelled: Vec<u32>,
    searches: u32,
    /// `[forest][node]`: a node above, or itself, from which on the way up is not labelled.
    above: Vec<Vec<u32>>,
    /// `[node]`: towards the one that stands for its set.
    set: Vec<u32>,
}

/// Packs trees: of each the links. Where they cannot be, `[node]`: its part of a partition that shows it.
pub(super) fn packed(
    links: &Links,
    trees: usize,
    capacity: u32,
    stream: &mut Stream,
) -> Result<Vec<Vec<u32>>, Vec<u32>> {
    let (mut first, mut link) = (Vec::with_capacity(links.ends.len()), Vec::new());
    for (at, lanes) in links.lanes.iter().enumerate() {
        first.push(link.len() as u32);
        link.resize(link.len() + (lanes * capacity) as usize, at as u32);
    }
    let copies = link.len();
    let mut packing = Packing {
        links,
        first,
        link,
        capacity,
        forests: (0..trees).map(|_| Forest::new(links.nodes)).collect(),
        of: vec![NONE; copies],
        instead: vec![NONE; copies],
        labelled: vec![0; copies],
        searches: 0,
        above: vec![(0..links.nodes as u32).collect(); trees],
        set: (0..links.nodes as u32).collect(),
    };
    packing.grow(stream);
    let mut lacking =
        trees * (links.nodes - 1) - packing.forests.iter().map(|forest| forest.copies).sum::<usize>();
    let mut order: Vec<u32> = (0..copies as u32).collect();
    stream.shuffle(&mut order);
    for copy in order {
        if lacking == 0 {
            break;
        }
        if packing.of[copy as usize] == NONE && packing.augment(copy) {
            lacking -= 1;
        }
    }
    if lacking > 0 {
        return Err((0..links.nodes as u32).map(|node| find(&mut packing.set, node)).collect());
    }
    let of_tree = |forest: &Forest| {
        let mut tree: Vec<u32> =
            forest.joined.iter().flatten().map(|&(_, copy)| packing.link[copy as usize]).collect();
        tree.sort_unstable();
        tree.dedup();
        tree
    };
    Ok(packing.forests.iter().map(of_tree).collect())
}

impl Packing<'_> {
    fn ends(&self, copy: u32) -> [u32; 2] {
        self.links.ends[self.link[copy as usize] as usize]
    }

    fn put(&mut self, copy: u32, forest: usize) {
        let [a, b] = self.ends(copy);
        self.of[copy as usize] = forest as u32;
        let forest = &mut self.forests[forest];
        forest.joined[a as usize].push((b, copy));
        forest.joined[b as usize].push((a, copy));
        (forest.copies, forest.stale) = (forest.copies + 1, true);
    }

    fn take(&mut self, copy: u32) {
        let ends = self.ends(copy);
        let forest = &mut self.forests[self.of[copy as usize] as usize];
        ends.iter().for_each(|&end| forest.joined[end as usize].retain(|&(_, other)| other != copy));
        (forest.copies, forest.stale) = (forest.copies - 1, true);
    }

    /// Grows all trees in turns, a router at a time.
    fn grow(&mut self, stream: &mut Stream) {
        let nodes = self.links.nodes;
        let mut used = vec![0u32; self.links.ends.len()];
        let mut open: Vec<VecDeque<u32>> =
            self.forests.iter().map(|_| VecDeque::from([stream.below(nodes) as u32])).collect();
        let mut reached: Vec<Vec<bool>> = vec![vec![false; nodes]; open.len()];
        reached.iter_mut().zip(&open).for_each(|(reached, open)| reached[open[0] as usize] = true);
        while open.iter().any(|open| !open.is_empty()) {
            for tree in 0..open.len() {
                while let Some(&node) = open[tree].front() {
                    let room = |link: u32| self.capacity * self.links.lanes[link as usize];
                    let free = |&&(to, link): &&(u32, u32)| {
                        !reached[tree][to as usize] && used[link as usize] < room(link)
                    };
                    let Some(&(to, link)) = self.links.joined[node as usize]
                        .iter()
                        .filter(free)
                        .min_by_key(|(_, link)| used[*link as usize] / self.links.lanes[*link as usize])
                    else {
                        open[tree].pop_front();
                        continue;
                    };
                    self.put(self.first[link as usize] + used[link as usize], tree);
                    used[link as usize] += 1;
                    reached[tree][to as usize] = true;
                    open[tree].push_back(to);
                    break;
                }
            }
        }
    }

    /// Adds a copy that is in no tree; or joins the sets of routers that it is closed in.
    fn augment(&mut self, added: u32) -> bool {
        let [a, b] = self.ends(added);
        if find(&mut self.set, a) == find(&mut self.set, b) {
            return false;
        }
        self.forests.iter_mut().filter(|forest| forest.stale).for_each(Forest::root);
        self.searches += 1;
        self.above
            .iter_mut()
            .for_each(|above| above.iter_mut().zip(0..).for_each(|(above, node)| *above = node));
        self.labelled[added as usize] = self.searches;
        self.instead[added as usize] = NONE;
        let mut open = VecDeque::from([added]);
        let mut seen = Vec::new();
        while let Some(copy) = open.pop_front() {
            seen.push(copy);
            let [u, v] = self.ends(copy);
            for tree in (0..self.forests.len()).filter(|&tree| self.of[copy as usize] != tree as u32) {
                let forest = &self.forests[tree];
                if forest.component[u as usize] != forest.component[v as usize] {
                    self.shift(copy, tree);
                    return true;
                }
                let above = &mut self.above[tree];
                let (mut u, mut v) = (find(above, u), find(above, v));
                while u != v {
                    if forest.depth[u as usize] < forest.depth[v as usize] {
                        std::mem::swap(&mut u, &mut v);
                    }
                    let (parent, replaced) = forest.parent[u as usize];
                    above[u as usize] = parent;
                    if self.labelled[replaced as usize] != self.searches {
                        self.labelled[replaced as usize] = self.searches;
                        self.instead[replaced as usize] = copy;
                        open.push_back(replaced);
                    }
                    u = find(above, parent);
                }
            }
        }
        for copy in seen {
            let [a, b] = self.ends(copy);
            let [a, b] = [a, b].map(|node| find(&mut self.set, node));
            self.set[a.max(b) as usize] = a.min(b);
        }
        false
    }

    /// A copy goes to a tree, what it stood for takes its place, and so on.
    fn shift(&mut self, copy: u32, tree: usize) {
        let (mut copy, mut tree) = (copy, tree);
        loop {
            let from = self.of[copy as usize];
            if from != NONE {
                self.take(copy);
            }
            self.put(copy, tree);
            let next = self.instead[copy as usize];
            if from == NONE || next == NONE {
                break;
            }
            (copy, tree) = (next, from as usize);
        }
    }
}

/// Who stands for a node, with the way there shortened.
fn find(above: &mut [u32], mut node: u32) -> u32 {
    while above[node as usize] != node {
        above[node as usize] = above[above[node as usize] as usize];
        node = above[node as usize];
    }
    node
}
