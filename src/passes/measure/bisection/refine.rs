//! Moves of single vertices that make a cut smaller: Fiduccia & Mattheyses 1982, with buckets.
//!
//! In: a graph and two sides. Out: sides that no pass of moves improves, in balance. A pass moves every
//! vertex at most once, always the one that takes most links out of the cut (or brings in fewest) and keeps
//! the balance within a vertex, and ends at the best moment that it went through. Ties: the side with more
//! routers, then the vertex that came into its bucket last. Cost: a pass is linear in the edges.

use super::graph::Graph;

/// Passes at most: they nearly always end by themselves, after three to eight.
const PASSES: usize = 24;

/// Vertices looked at, best first, for one whose weight keeps the balance.
const LOOKS: usize = 32;

const NONE: u32 = u32::MAX;

/// Moves vertices until no pass improves the cut; at the end both sides weigh the same, up to `slack`.
pub(super) fn refine(graph: &Graph, sides: &mut [bool], slack: u32) {
    balance(graph, sides, slack);
    for _ in 0..PASSES {
        if !pass(graph, sides, slack) {
            return;
        }
    }
}

/// Routers of the side `true` in balance, up to `slack`.
fn goal(graph: &Graph, slack: u32) -> std::ops::RangeInclusive<u32> {
    let total = graph.total();
    (total / 2).saturating_sub(slack)..=total.div_ceil(2) + slack
}

/// Links that leave the cut when a vertex moves.
fn gain(graph: &Graph, sides: &[bool], vertex: usize) -> i64 {
    let signed = |&(to, links): &(u32, u32)| {
        if sides[to as usize] == sides[vertex] { -i64::from(links) } else { i64::from(links) }
    };
    graph.edges(vertex).iter().map(signed).sum()
}

/// Moves the best vertices of the heavier side until the sides are in balance.
fn balance(graph: &Graph, sides: &mut [bool], slack: u32) {
    let goal = goal(graph, slack);
    let mut weight = graph.weight_of(sides);
    if goal.contains(&weight) {
        return;
    }
    let from = weight > *goal.end();
    let mut buckets = Buckets::new(graph);
    (0..graph.len())
        .filter(|&vertex| sides[vertex] == from)
        .for_each(|vertex| buckets.insert(vertex, gain(graph, sides, vertex)));
    while let Some((vertex, _)) = buckets.first(usize::MAX, |_| true).filter(|_| !goal.contains(&weight)) {
        buckets.remove(vertex);
        let after = if from { weight - graph.weights[vertex] } else { weight + graph.weights[vertex] };
        // Too heavy a one goes too far: a lighter one is further down.
        if if from { after < *goal.start() } else { after > *goal.end() } {
            continue;
        }
        weight = after;
        sides[vertex] = !from;
        for &(to, links) in graph.edges(vertex) {
            if buckets.holds(to as usize) {
                buckets.change(to as usize, 2 * i64::from(links));
            }
        }
    }
}

/// One pass; whether it made the cut smaller.
fn pass(graph: &Graph, sides: &mut [bool], slack: u32) -> bool {
    let goal = goal(graph, slack);
    let allowed = goal.start().saturating_sub(graph.heaviest())..=goal.end() + graph.heaviest();
    let lightest = graph.weights.iter().copied().min().unwrap_or(1);
    let mut weight = graph.weight_of(sides);
    // Of the sides `false` and `true`.
    let mut buckets = [Buckets::new(graph), Buckets::new(graph)];
    for vertex in 0..graph.len() {
        buckets[usize::from(sides[vertex])].insert(vertex, gain(graph, sides, vertex));
    }
    let (mut moved, mut won, mut best) = (Vec::new(), 0i64, (0i64, 0usize));
    loop {
        let after = |side: bool, own: u32| if side { weight.checked_sub(own) } else { Some(weight + own) };
        let fits = |side: bool, own: u32| after(side, own).is_some_and(|after| allowed.contains(&after));
        let candidate = |side: bool| {
            let of_side =
                || buckets[usize::from(side)].first(LOOKS, |vertex| fits(side, graph.weights[vertex]));
            fits(side, lightest)
                .then(of_side)
                .flatten()
                .map(|(vertex, gain)| (gain, side == (weight * 2 > graph.total()), side, vertex))
        };
        let Some((gain, _, side, vertex)) = candidate(false).max(candidate(true)) else { break };
        buckets[usize::from(side)].remove(vertex);
        sides[vertex] = !side;
        weight = if side { weight - graph.weights[vertex] } else { weight + graph.weights[vertex] };
        won += gain;
        moved.push(vertex);
        for &(to, links) in graph.edges(vertex) {
            let to = to as usize;
            let of = &mut buckets[usize::from(sides[to])];
            if of.holds(to) {
                of.change(to, if sides[to] == side { 2 * i64::from(links) } else { -2 * i64::from(links) });
            }
        }
        if won > best.0 && goal.contains(&weight) {
            best = (won, moved.len());
        }
    }
    moved[best.1..].iter().for_each(|&vertex| sides[vertex] = !sides[vertex]);
    best.0 > 0
}

/// Vertices by their gain; the last one in comes out first.
struct Buckets {
    /// `[gain + most]`: the first vertex.
    heads: Vec<u32>,
    most: i64,
    /// No vertex is in a bucket above.
    top: usize,
    /// `[vertex]`
    next: Vec<u32>,
    before: Vec<u32>,
    bucket: Vec<u32>,
}

impl Buckets {
    fn new(graph: &Graph) -> Self {
        let most = (0..graph.len()).map(|vertex| graph.degree(vertex)).max().unwrap_or(0);
        let (next, before, bucket) =
            (vec![NONE; graph.len()], vec![NONE; graph.len()], vec![NONE; graph.len()]);
        Self { heads: vec![NONE; 2 * most as usize + 1], most: i64::from(most), top: 0, next, before, bucket }
    }
    fn holds(&self, vertex: usize) -> bool {
        self.bucket[vertex] != NONE
    }
    fn insert(&mut self, vertex: usize, gain: i64) {
        let bucket = (gain + self.most) as usize;
        let first = std::mem::replace(&mut self.heads[bucket], vertex as u32);
        if first != NONE {
            self.before[first as usize] = vertex as u32;
        }
        (self.next[vertex], self.before[vertex], self.bucket[vertex]) = (first, NONE, bucket as u32);
        self.top = self.top.max(bucket);
    }
    fn remove(&mut self, vertex: usize) {
        let (next, before) = (self.next[vertex], self.before[vertex]);
        match before {
            NONE => self.heads[self.bucket[vertex] as usize] = next,
            before => self.next[before as usize] = next,
        }
        if next != NONE {
            self.before[next as usize] = before;
        }
        self.bucket[vertex] = NONE;
        while self.top > 0 && self.heads[self.top] == NONE {
            self.top -= 1;
        }
    }
    fn change(&mut self, vertex: usize, by: i64) {
        let gain = i64::from(self.bucket[vertex]) - self.most + by;
        self.remove(vertex);
        self.insert(vertex, gain);
    }
    /// The best vertex that is wanted, of so many that are looked at, and its gain.
    fn first(&self, looks: usize, wanted: impl Fn(usize) -> bool) -> Option<(usize, i64)> {
        let (mut bucket, mut left) = (self.top, looks);
        loop {
            let mut vertex = self.heads[bucket];
            while vertex != NONE {
                if wanted(vertex as usize) {
                    return Some((vertex as usize, bucket as i64 - self.most));
                }
                left -= 1;
                if left == 0 {
                    return None;
                }
                vertex = self.next[vertex as usize];
            }
            bucket = bucket.checked_sub(1)?;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two complete graphs of six that a single edge joins.
    fn dumbbell() -> Graph {
        let row = |vertex: u32| {
            let own = vertex / 6 * 6;
            let mut row: Vec<(u32, u32)> = (own..own + 6).map(|to| (to, 1)).collect();
            row.extend(
                [(5, 6), (6, 5)].into_iter().filter(|(from, _)| *from == vertex).map(|(_, to)| (to, 1)),
            );
            row
        };
        Graph::new((0..12).map(row), vec![1; 12])
    }

    #[test]
    fn a_pass_finds_the_edge_between_two_halves() {
        let graph = dumbbell();
        let mut sides: Vec<bool> = (0..12).map(|vertex| vertex % 2 == 0).collect();
        refine(&graph, &mut sides, 0);
        assert_eq!((graph.cut(&sides), graph.weight_of(&sides)), (1, 6));
    }

    #[test]
    fn a_lopsided_start_ends_in_balance() {
        let graph = dumbbell();
        for all in [false, true] {
            let mut sides = vec![all; 12];
            refine(&graph, &mut sides, 0);
            assert_eq!(graph.weight_of(&sides), 6);
            assert_eq!(graph.cut(&sides), 1);
        }
    }
}
