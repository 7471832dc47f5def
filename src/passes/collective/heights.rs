//! Trees that share links, made lower by exchange.
//!
//! A router hangs itself to a higher neighbor by another link. If that link is used up, one of the trees that
//! have it gives it away and takes the link that became free, where that joins its two halves again. A move
//! is kept unless the sum of the cubes of all depths grows. From time to time roots move to the middles of
//! their trees. Cost: moves times routers.

use super::packing::{Links, NONE};
use fabc_base::random::Stream;

/// A tree with its root.
pub(super) struct Rooted {
    pub(super) root: u32,
    /// `[node]`: (parent, link); none of the root.
    pub(super) up: Vec<(u32, u32)>,
    /// `[node]`: (neighbor, link).
    joined: Vec<Vec<(u32, u32)>>,
    depth: Vec<u32>,
    cost: u64,
}

/// Moves that are tried.
const MOVES: usize = 300_000;
/// Moves times routers, at most.
const WORK: usize = 1 << 28;
/// Times that roots move.
const CENTERINGS: usize = 12;

impl Rooted {
    fn new(links: &Links, tree: &[u32]) -> Self {
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
        rooted.hang(&mut Vec::new());
        rooted.center(&mut Vec::new());
        rooted
    }

    /// Works out parents and depths from the root.
    fn hang(&mut self, order: &mut Vec<u32>) {
        order.clear();
        order.push(self.root);
        (self.up[self.root as usize], self.depth[self.root as usize], self.cost) = ((NONE, NONE), 0, 0);
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            let (above, deep) = (self.up[node as usize].1, self.depth[node as usize]);
            self.cost += u64::from(deep).pow(3);
            for &(to, link) in self.joined[node as usize].iter().filter(|&&(_, link)| link != above) {
                (self.up[to as usize], self.depth[to as usize]) = ((node, link), deep + 1);
                order.push(to);
            }
        }
    }

    /// Moves the root to the middle of a longest way.
    fn center(&mut self, order: &mut Vec<u32>) {
        let before = (self.root, self.cost);
        for _ in 0..2 {
            self.root = order.last().copied().unwrap_or(self.root);
            self.hang(order);
        }
        let mut middle = order.last().copied().unwrap_or(self.root);
        for _ in 0..self.depth[middle as usize] / 2 {
            middle = self.up[middle as usize].0;
        }
        self.root = middle;
        self.hang(order);
        if before.1 > 0 && before.1 < self.cost {
            self.root = before.0;
            self.hang(order);
        }
    }

    fn height(&self) -> u32 {
        self.depth.iter().copied().max().unwrap_or(0)
    }

    fn cut(&mut self, [a, b]: [u32; 2], link: u32) {
        for end in [a, b] {
            self.joined[end as usize].retain(|&(_, other)| other != link);
        }
    }

    fn join(&mut self, [a, b]: [u32; 2], link: u32) {
        self.joined[a as usize].push((b, link));
        self.joined[b as usize].push((a, link));
    }

    /// Whether a node is another one or below it.
    fn is_below(&self, mut node: u32, other: u32) -> bool {
        while self.depth[node as usize] > self.depth[other as usize] {
            node = self.up[node as usize].0;
        }
        node == other
    }
}

/// Roots the trees and makes them lower; `capacity` is how many may share a link.
pub(super) fn lowered(links: &Links, trees: &[Vec<u32>], capacity: u32, stream: &mut Stream) -> Vec<Rooted> {
    let mut rooted: Vec<Rooted> = trees.iter().map(|tree| Rooted::new(links, tree)).collect();
    // `[link]`: the trees that have it.
    let mut users: Vec<Vec<u32>> = vec![Vec::new(); links.ends.len()];
    for (at, tree) in trees.iter().enumerate() {
        tree.iter().for_each(|&link| users[link as usize].push(at as u32));
    }
    let mut order = Vec::new();
    let moves = MOVES.min(WORK / links.nodes.max(1));
    for at in 0..moves {
        if at.is_multiple_of(moves.div_ceil(CENTERINGS)) {
            rooted.iter_mut().for_each(|tree| tree.center(&mut order));
        }
        // The deeper one of two.
        let tree = stream.below(rooted.len());
        let [one, other] = [0; 2].map(|_| stream.below(links.nodes) as u32);
        let node =
            if rooted[tree].depth[one as usize] < rooted[tree].depth[other as usize] { other } else { one };
        let (to, link) = links.joined[node as usize][stream.below(links.joined[node as usize].len())];
        let draw = stream.below((capacity * links.lanes[link as usize]).max(1) as usize);
        exchange(links, &mut rooted, &mut users, capacity, (tree, node, to, link, draw), &mut order);
    }
    rooted.iter_mut().for_each(|tree| tree.center(&mut order));
    rooted
}

/// The most hops from a router to the root of its tree.
pub(super) fn height(trees: &[Rooted]) -> u32 {
    trees.iter().map(Rooted::height).max().unwrap_or(0)
}

/// In a tree a node hangs to a neighbor by a link, if that does not cost more.
fn exchange(
    links: &Links,
    rooted: &mut [Rooted],
    users: &mut [Vec<u32>],
    capacity: u32,
    (tree, node, to, link, draw): (usize, u32, u32, u32, usize),
    order: &mut Vec<u32>,
) {
    let own = &rooted[tree];
    let (parent, old) = own.up[node as usize];
    // A higher node is none of those below this one.
    let higher = own.depth[to as usize] < own.depth[node as usize];
    if parent == NONE || link == old || !higher {
        return;
    }
    let (new_ends, old_ends) = (links.ends[link as usize], links.ends[old as usize]);
    // Who gives the link away: nobody while there is room.
    let full = users[link as usize].len() >= (capacity * links.lanes[link as usize]) as usize;
    let giver = full.then(|| users[link as usize][draw % users[link as usize].len()] as usize);
    if let Some(giver) = giver {
        let other = &rooted[giver];
        // The half that hangs on the link; the freed link must have one end in it.
        let lower = if other.up[new_ends[0] as usize].1 == link { new_ends[0] } else { new_ends[1] };
        let inside = old_ends.map(|end| other.is_below(end, lower));
        if inside[0] == inside[1] {
            return;
        }
    }
    let before = rooted[tree].cost + giver.map_or(0, |giver| rooted[giver].cost);
    let mut swap = |forth: bool| {
        let (gone, come) =
            if forth { ((old_ends, old), (new_ends, link)) } else { ((new_ends, link), (old_ends, old)) };
        rooted[tree].cut(gone.0, gone.1);
        rooted[tree].join(come.0, come.1);
        rooted[tree].hang(order);
        let mut cost = rooted[tree].cost;
        if let Some(giver) = giver {
            rooted[giver].cut(come.0, come.1);
            rooted[giver].join(gone.0, gone.1);
            rooted[giver].hang(order);
            cost += rooted[giver].cost;
        }
        cost
    };
    if swap(true) > before {
        swap(false);
        return;
    }
    users[old as usize].retain(|&user| user != tree as u32);
    users[link as usize].push(tree as u32);
    if let Some(giver) = giver {
        users[link as usize].retain(|&user| user != giver as u32);
        users[old as usize].push(giver as u32);
    }
}
