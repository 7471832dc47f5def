//! The exact width of the bisection of a small network, by branch and bound.
//!
//! Input: a graph of at most 64 vertices that weigh 1. Output: the fewest links between two halves, or
//! nothing if that takes too long. Routers are placed one after the other, each next to most of those before
//! it. What the rest costs at least is known for every number of its routers on a side: the same search has
//! solved it for the last router alone, the last two, and so on ("Russian dolls": Verfaillie, Lemaitre and
//! Schiex 1996). To that come the links from routers that stand to the cheapest choice of sides for the
//! rest. Cost: counted in routers placed ([`NODES`]). Sparse graphs of 40 routers take some 300,000.

use super::graph::CutGraph;

/// Most routers of a graph that is searched.
pub(super) const MOST_ROUTERS: usize = 64;
/// Most routers placed in all searches of a graph together.
const NODES: u64 = 1 << 22;

/// What a search of a small graph found.
pub(super) struct LeastCut {
    /// The fewest links between two halves.
    pub(super) links: u64,
    /// `[vertex]`: the sides of two such halves.
    pub(super) sides: Vec<bool>,
}

/// The least cut of a graph. `None` if the graph is too large or the search takes too long.
pub(super) fn least_cut(graph: &CutGraph) -> Option<LeastCut> {
    let routers = graph.len();
    if routers > MOST_ROUTERS {
        return None;
    }
    let order = placing_order(graph);
    let mut place = vec![0; routers];
    order.iter().enumerate().for_each(|(at, &vertex)| place[vertex] = at);
    let mut links = vec![vec![0i64; routers]; routers];
    for vertex in 0..routers {
        for &(to, count) in graph.edges(vertex) {
            links[place[vertex]][place[to as usize]] = i64::from(count);
        }
    }
    let mut search = HalvesSearch {
        links,
        rest: vec![vec![0; routers + 1]; routers + 1],
        to_sides: [vec![0; routers], vec![0; routers]],
        sides: vec![0; routers],
        best_sides: Vec::new(),
        nodes: 0,
    };
    let half = routers / 2;
    for first in (0..routers).rev() {
        let left = routers - first;
        for on_side in (left + half).saturating_sub(routers)..=left.min(half) {
            if first == 0 && on_side != half {
                continue;
            }
            let mut best = i64::MAX;
            search
                .place(Placing { router: first, on_side, cut: 0, mirrored: 2 * on_side == left }, &mut best);
            if search.nodes > NODES {
                return None;
            }
            search.rest[first][on_side] = best;
        }
    }
    let sides = place.iter().map(|&place| search.best_sides[place] == 0).collect();
    u64::try_from(search.rest[0][half]).ok().map(|links| LeastCut { links, sides })
}

/// The routers in an order in which each has most links to those before it.
fn placing_order(graph: &CutGraph) -> Vec<usize> {
    let (mut order, mut joined) = (Vec::new(), vec![Some(0u32); graph.len()]);
    while let Some(next) = (0..graph.len())
        .filter(|&vertex| joined[vertex].is_some())
        .max_by_key(|&vertex| (joined[vertex], graph.degree(vertex), std::cmp::Reverse(vertex)))
    {
        joined[next] = None;
        order.push(next);
        for &(to, links) in graph.edges(next) {
            joined[to as usize] = joined[to as usize].map(|sum| sum + links);
        }
    }
    order
}

/// The state of the search. Routers are numbered in the order in which they are placed.
struct HalvesSearch {
    /// `[router][router]`: the number of links between them.
    links: Vec<Vec<i64>>,
    /// `[router][k]`: the fewest links among this router and those after it, if k of them are on the first
    /// side. 0 where that is not known.
    rest: Vec<Vec<i64>>,
    /// `[side][router]`: links from a router to those that are placed on that side.
    to_sides: [Vec<i64>; 2],
    /// `[router]`: the side where it is, if it is placed.
    sides: Vec<usize>,
    /// The sides of the least cut so far. Those of routers that are not searched mean nothing.
    best_sides: Vec<usize>,
    nodes: u64,
}

/// A router to place, and what is decided so far.
#[derive(Clone, Copy)]
struct Placing {
    router: usize,
    /// How many of this router and those after it go to the first side.
    on_side: usize,
    /// Links between the sides so far.
    cut: i64,
    /// Whether the sides may still be exchanged, so that this router may go to the first one.
    mirrored: bool,
}

impl HalvesSearch {
    /// Places a router and all after it, wherever that may make fewer than `best` links.
    fn place(&mut self, now: Placing, best: &mut i64) {
        self.nodes += 1;
        let Placing { router, on_side, cut, mirrored } = now;
        let left = self.links.len() - router;
        if left == 0 {
            if cut < *best {
                *best = cut;
                self.best_sides.clone_from(&self.sides);
            }
            return;
        }
        if self.nodes > NODES || cut + self.links_to_placed(now) + self.rest[router][on_side] >= *best {
            return;
        }
        let cheaper = usize::from(self.to_sides[0][router] < self.to_sides[1][router]);
        for side in [cheaper, 1 - cheaper] {
            let fits = if side == 0 { on_side > 0 } else { on_side < left };
            if !fits || (mirrored && side == 1) {
                continue;
            }
            let crossing = self.to_sides[1 - side][router];
            self.count_links(side, router, 1);
            self.sides[router] = side;
            let after = Placing {
                router: router + 1,
                on_side: on_side - usize::from(side == 0),
                cut: cut + crossing,
                mirrored: false,
            };
            self.place(after, best);
            self.count_links(side, router, -1);
        }
    }

    /// Adds the links of a router on a side to those after it, or takes them away.
    fn count_links(&mut self, side: usize, router: usize, sign: i64) {
        let later = router + 1;
        let to_side = self.to_sides[side][later..].iter_mut();
        to_side.zip(&self.links[router][later..]).for_each(|(sum, links)| *sum += sign * links);
    }

    /// The fewest links between routers that are placed and those that are not, for the number of these that
    /// go to the first side.
    fn links_to_placed(&self, Placing { router, on_side, .. }: Placing) -> i64 {
        let [to_first, to_second] = &self.to_sides;
        let on_second: i64 = to_first[router..].iter().sum();
        let change = |(first, second): (&i64, &i64)| second - first;
        let mut changes: Vec<i64> = to_first[router..].iter().zip(&to_second[router..]).map(change).collect();
        changes.sort_unstable();
        on_second + changes[..on_side].iter().sum::<i64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_base::random::Stream;

    fn graph_of(routers: usize, pairs: &[(usize, usize)]) -> CutGraph {
        let row = |at: usize| {
            let ends = pairs.iter().filter_map(move |&(a, b)| match at {
                _ if a == at => Some((b as u32, 1)),
                _ if b == at => Some((a as u32, 1)),
                _ => None,
            });
            ends.collect()
        };
        CutGraph::new((0..routers).map(row), vec![1; routers])
    }

    /// The least cut over all halves, one by one.
    fn by_enumeration(graph: &CutGraph) -> u64 {
        let routers = graph.len();
        let halves = (0u32..1 << routers).filter(|set| set.count_ones() as usize == routers / 2);
        let cut = |set: u32| {
            let sides: Vec<bool> = (0..routers).map(|at| set >> at & 1 == 1).collect();
            graph.cut(&sides)
        };
        halves.map(cut).min().unwrap_or(0)
    }

    #[test]
    fn the_search_finds_what_all_halves_have() {
        let mut stream = Stream::new(7, 0);
        for routers in 2..=14 {
            for _ in 0..6 {
                let mut pairs: Vec<(usize, usize)> = (1..routers).map(|at| (stream.below(at), at)).collect();
                let more = (0..stream.below(3 * routers))
                    .map(|_| (stream.below(routers), stream.below(routers)))
                    .collect::<Vec<_>>();
                pairs.extend(more.into_iter().filter(|(a, b)| a != b));
                let graph = graph_of(routers, &pairs);
                let found = least_cut(&graph).expect("small");
                assert_eq!(found.links, by_enumeration(&graph), "{routers}: {pairs:?}");
                assert_eq!(graph.cut(&found.sides), found.links, "{routers}: {pairs:?}");
                assert_eq!(graph.weight_of_true(&found.sides) as usize, routers / 2);
            }
        }
    }

    #[test]
    fn widths_of_known_graphs_come_out() {
        let petersen: Vec<(usize, usize)> =
            (0..5).flat_map(|at| [(at, (at + 1) % 5), (at, at + 5), (at + 5, (at + 2) % 5 + 5)]).collect();
        assert_eq!(least_cut(&graph_of(10, &petersen)).map(|cut| cut.links), Some(5));
        let bipartite: Vec<(usize, usize)> = (0..8).flat_map(|a| (8..16).map(move |b| (a, b))).collect();
        assert_eq!(least_cut(&graph_of(16, &bipartite)).map(|cut| cut.links), Some(32));
        let cube: Vec<(usize, usize)> = (0..32usize)
            .flat_map(|at| (0..5).map(move |bit| (at, at ^ (1 << bit))))
            .filter(|(a, b)| a < b)
            .collect();
        assert_eq!(least_cut(&graph_of(32, &cube)).map(|cut| cut.links), Some(16));
        let complete: Vec<(usize, usize)> = (0..9).flat_map(|a| (a + 1..9).map(move |b| (a, b))).collect();
        assert_eq!(least_cut(&graph_of(9, &complete)).map(|cut| cut.links), Some(20));
    }
}
