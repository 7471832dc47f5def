//! Verifies the exact width of the bisection of a small network by a search of its own.
//!
//! Input: a topology of at most 64 routers, and a width. Output: whether any two halves have at least so many
//! links between them. Routers are placed one by one, each next to most of those before it, router 0 first.
//! For every set of last routers and every number of them on the near side, a table has the fewest links
//! inside the set. It is filled from the smallest set on, and bounds the search of the next one.
//!
//! Cost: counted in routers placed. The compiler gives up earlier than this search.

use fabc_base::ids::{Id, NodeId};
use fabc_ir::Topology;

/// Most routers of a network whose halves are searched.
const MOST_ROUTERS: usize = 64;
/// Most routers placed in all searches together.
const MOST_STEPS: u64 = 1 << 25;

/// Whether any two halves of the routers have at least `width` links between them.
///
/// # Errors
/// Why this is not proved.
pub(super) fn verify_width(topology: &Topology, width: u64) -> Result<(), String> {
    let routers = topology.node_count();
    if routers > MOST_ROUTERS {
        return Err(format!("halves can be searched for at most {MOST_ROUTERS} routers"));
    }
    let order = nearest_first(topology);
    let place = |node: NodeId| order.iter().position(|&other| other == node).unwrap_or(0);
    let mut links = vec![vec![0u64; routers]; routers];
    for link in topology.links().iter() {
        let (a, b) = (place(link.a.node), place(link.b.node));
        if a != b {
            links[a][b] += 1;
            links[b][a] += 1;
        }
    }
    let half = routers / 2;
    let mut search = WidthSearch { links, fewest: vec![vec![0; routers + 1]; routers + 1], steps: 0 };
    for first in (1..routers).rev() {
        let left = routers - first;
        // Halves have at most half + 1 routers. Exchanged sides have as many links.
        for near in left.saturating_sub(half + 1)..=left / 2 {
            let mut best = u64::MAX;
            search.extend(&mut Vec::new(), first, near, 0, &mut best);
            search.fewest[first][near] = best;
            search.fewest[first][left - near] = best;
        }
    }
    // Router 0 is in either half.
    let mut best = width;
    for size in [half, routers - half] {
        search.extend(&mut vec![true], 0, size - 1, 0, &mut best);
    }
    if search.steps > MOST_STEPS {
        return Err("the search of all halves takes too long".to_owned());
    }
    if best < width {
        return Err(format!("two halves have {best} links between them, fewer than {width}"));
    }
    Ok(())
}

/// The routers in an order in which each has most links to those before it. Router 0 is the first.
fn nearest_first(topology: &Topology) -> Vec<NodeId> {
    let mut order: Vec<NodeId> = Vec::new();
    while order.len() < topology.node_count() {
        let joined = |node: NodeId| {
            let heads = topology.channels_from(node).map(|channel| topology.target(channel).node);
            heads.filter(|head| order.contains(head)).count()
        };
        let others = (0..topology.node_count()).map(NodeId::new).filter(|node| !order.contains(node));
        // The first of the largest.
        let next = others.rev().max_by_key(|&node| joined(node));
        order.extend(next);
    }
    order
}

/// The tables of the search. Routers are numbered in the order in which they are placed.
struct WidthSearch {
    links: Vec<Vec<u64>>,
    /// `[router][near]`: the fewest links among this router and those after it, if so many of them are on
    /// the near side.
    fewest: Vec<Vec<u64>>,
    steps: u64,
}

impl WidthSearch {
    /// Places the next router and all after it. `sides` are those of the routers from `first` on that are
    /// placed, `near` the number of the others on the near side, and `cut` the links between the sides.
    fn extend(&mut self, sides: &mut Vec<bool>, first: usize, near: usize, cut: u64, best: &mut u64) {
        self.steps += 1;
        let next = first + sides.len();
        let left = self.links.len() - next;
        if near > left || self.steps > MOST_STEPS {
            return;
        }
        if left == 0 {
            *best = cut.min(*best);
            return;
        }
        // For each router to place: the links to the near side, and to the far side.
        let to_sides: Vec<(u64, u64)> = (next..self.links.len())
            .map(|router| {
                sides.iter().zip(&self.links[router][first..]).fold((0, 0), |(near, far), (&side, links)| {
                    if side { (near + links, far) } else { (near, far + links) }
                })
            })
            .collect();
        let mut order: Vec<usize> = (0..left).collect();
        // A router on the near side cuts its links to the far side.
        order.sort_unstable_by_key(|&at| to_sides[at].1 as i64 - to_sides[at].0 as i64);
        let near_links: u64 = order[..near].iter().map(|&at| to_sides[at].1).sum();
        let far_links: u64 = order[near..].iter().map(|&at| to_sides[at].0).sum();
        if cut + near_links + far_links + self.fewest[next][near] >= *best {
            return;
        }
        for side in [true, false] {
            if side && near == 0 {
                continue;
            }
            let crossing = if side { to_sides[0].1 } else { to_sides[0].0 };
            sides.push(side);
            self.extend(sides, first, near - usize::from(side), cut + crossing, best);
            sides.pop();
        }
    }
}
