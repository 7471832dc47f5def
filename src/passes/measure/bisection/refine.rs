//! Moves of single vertices that make a cut smaller: Fiduccia & Mattheyses 1982, with buckets.
//!
//! Input: a graph and two sides. Output: balanced sides that no pass of moves improves. A pass moves every
//! vertex at most once. Each time it moves the vertex that takes most links out of the cut (or brings in
//! fewest) and keeps the balance within a vertex. The pass ends in the best state that it passed. The side
//! with more routers wins ties, then the vertex that entered its bucket last. Cost: a pass is linear in the
//! edges.

use super::graph::CutGraph;

/// The most passes. They nearly always end by themselves, after three to eight.
const PASSES: usize = 24;

/// The number of vertices examined, best first, for one whose weight keeps the balance.
const LOOKS: usize = 32;

const NONE: u32 = u32::MAX;

/// Moves vertices until no pass improves the cut. At the end both sides weigh the same, up to `slack`.
pub(super) fn refine(graph: &CutGraph, sides: &mut [bool], slack: u32) {
    balance(graph, sides, slack);
    for _ in 0..PASSES {
        if !pass(graph, sides, slack) {
            return;
        }
    }
}

/// The range of routers on the side `true` in balance, up to `slack`.
fn balanced_weights(graph: &CutGraph, slack: u32) -> std::ops::RangeInclusive<u32> {
    let total = graph.total();
    (total / 2).saturating_sub(slack)..=total.div_ceil(2) + slack
}

/// The number of links that leave the cut when a vertex moves.
fn gain(graph: &CutGraph, sides: &[bool], vertex: usize) -> i64 {
    let signed = |&(to, links): &(u32, u32)| {
        if sides[to as usize] == sides[vertex] { -i64::from(links) } else { i64::from(links) }
    };
    graph.edges(vertex).iter().map(signed).sum()
}

/// Moves the best vertices of the heavier side until the sides are in balance.
fn balance(graph: &CutGraph, sides: &mut [bool], slack: u32) {
    let goal = balanced_weights(graph, slack);
    let mut weight = graph.weight_of_true(sides);
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
        let weight_after = if from { weight - graph.weights[vertex] } else { weight + graph.weights[vertex] };
        // A vertex that is too heavy goes too far. A lighter one is further down.
        if if from { weight_after < *goal.start() } else { weight_after > *goal.end() } {
            continue;
        }
        weight = weight_after;
        sides[vertex] = !from;
        for &(to, links) in graph.edges(vertex) {
            if buckets.holds(to as usize) {
                buckets.change_gain(to as usize, 2 * i64::from(links));
            }
        }
    }
}

/// One pass. Returns whether it made the cut smaller.
fn pass(graph: &CutGraph, sides: &mut [bool], slack: u32) -> bool {
    let goal = balanced_weights(graph, slack);
    let allowed = goal.start().saturating_sub(graph.heaviest())..=goal.end() + graph.heaviest();
    let lightest = graph.weights.iter().copied().min().unwrap_or(1);
    let mut weight = graph.weight_of_true(sides);
    // The buckets of the sides `false` and `true`.
    let mut buckets = [Buckets::new(graph), Buckets::new(graph)];
    for vertex in 0..graph.len() {
        buckets[usize::from(sides[vertex])].insert(vertex, gain(graph, sides, vertex));
    }
    let (mut moved, mut total_gain, mut best_prefix) = (Vec::new(), 0i64, (0i64, 0usize));
    loop {
        let after = |side: bool, vertex_weight: u32| {
            if side { weight.checked_sub(vertex_weight) } else { Some(weight + vertex_weight) }
        };
        let fits = |side: bool, vertex_weight: u32| {
            after(side, vertex_weight).is_some_and(|after| allowed.contains(&after))
        };
        let candidate = |side: bool| {
            let first_of_side =
                || buckets[usize::from(side)].first(LOOKS, |vertex| fits(side, graph.weights[vertex]));
            fits(side, lightest)
                .then(first_of_side)
                .flatten()
                .map(|(vertex, gain)| (gain, side == (weight * 2 > graph.total()), side, vertex))
        };
        let Some((gain, _, side, vertex)) = candidate(false).max(candidate(true)) else { break };
        buckets[usize::from(side)].remove(vertex);
        sides[vertex] = !side;
        weight = if side { weight - graph.weights[vertex] } else { weight + graph.weights[vertex] };
        total_gain += gain;
        moved.push(vertex);
        for &(to, links) in graph.edges(vertex) {
            let to = to as usize;
            let target_bucket = &mut buckets[usize::from(sides[to])];
            if target_bucket.holds(to) {
                target_bucket.change_gain(
                    to,
                    if sides[to] == side { 2 * i64::from(links) } else { -2 * i64::from(links) },
                );
            }
        }
        if total_gain > best_prefix.0 && goal.contains(&weight) {
            best_prefix = (total_gain, moved.len());
        }
    }
    moved[best_prefix.1..].iter().for_each(|&vertex| sides[vertex] = !sides[vertex]);
    best_prefix.0 > 0
}

/// Vertices by their gain. The last one inserted comes out first.
struct Buckets {
    /// `[gain + max_degree]`: the first vertex of the bucket.
    heads: Vec<u32>,
    max_degree: i64,
    /// No vertex is in a bucket above this one.
    top: usize,
    /// `[vertex]`: the next vertex in its bucket.
    next: Vec<u32>,
    previous: Vec<u32>,
    bucket: Vec<u32>,
}

impl Buckets {
    fn new(graph: &CutGraph) -> Self {
        let max_degree = (0..graph.len()).map(|vertex| graph.degree(vertex)).max().unwrap_or(0);
        let (next, before, bucket) =
            (vec![NONE; graph.len()], vec![NONE; graph.len()], vec![NONE; graph.len()]);
        Self {
            heads: vec![NONE; 2 * max_degree as usize + 1],
            max_degree: i64::from(max_degree),
            top: 0,
            next,
            previous: before,
            bucket,
        }
    }
    fn holds(&self, vertex: usize) -> bool {
        self.bucket[vertex] != NONE
    }
    fn insert(&mut self, vertex: usize, gain: i64) {
        let bucket = (gain + self.max_degree) as usize;
        let first = std::mem::replace(&mut self.heads[bucket], vertex as u32);
        if first != NONE {
            self.previous[first as usize] = vertex as u32;
        }
        (self.next[vertex], self.previous[vertex], self.bucket[vertex]) = (first, NONE, bucket as u32);
        self.top = self.top.max(bucket);
    }
    fn remove(&mut self, vertex: usize) {
        let (next, before) = (self.next[vertex], self.previous[vertex]);
        match before {
            NONE => self.heads[self.bucket[vertex] as usize] = next,
            before => self.next[before as usize] = next,
        }
        if next != NONE {
            self.previous[next as usize] = before;
        }
        self.bucket[vertex] = NONE;
        while self.top > 0 && self.heads[self.top] == NONE {
            self.top -= 1;
        }
    }
    fn change_gain(&mut self, vertex: usize, change: i64) {
        let gain = i64::from(self.bucket[vertex]) - self.max_degree + change;
        self.remove(vertex);
        self.insert(vertex, gain);
    }
    /// The best vertex that is wanted among the first `looks`, and its gain.
    fn first(&self, looks: usize, is_wanted: impl Fn(usize) -> bool) -> Option<(usize, i64)> {
        let (mut bucket, mut looks_left) = (self.top, looks);
        loop {
            let mut vertex = self.heads[bucket];
            while vertex != NONE {
                if is_wanted(vertex as usize) {
                    return Some((vertex as usize, bucket as i64 - self.max_degree));
                }
                looks_left -= 1;
                if looks_left == 0 {
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
    fn dumbbell() -> CutGraph {
        let row = |vertex: u32| {
            let row_start = vertex / 6 * 6;
            let mut row: Vec<(u32, u32)> = (row_start..row_start + 6).map(|to| (to, 1)).collect();
            row.extend(
                [(5, 6), (6, 5)].into_iter().filter(|(from, _)| *from == vertex).map(|(_, to)| (to, 1)),
            );
            row
        };
        CutGraph::new((0..12).map(row), vec![1; 12])
    }

    #[test]
    fn a_pass_finds_the_edge_between_two_halves() {
        let graph = dumbbell();
        let mut sides: Vec<bool> = (0..12).map(|vertex| vertex % 2 == 0).collect();
        refine(&graph, &mut sides, 0);
        assert_eq!((graph.cut(&sides), graph.weight_of_true(&sides)), (1, 6));
    }

    #[test]
    fn a_lopsided_start_ends_in_balance() {
        let graph = dumbbell();
        for all in [false, true] {
            let mut sides = vec![all; 12];
            refine(&graph, &mut sides, 0);
            assert_eq!(graph.weight_of_true(&sides), 6);
            assert_eq!(graph.cut(&sides), 1);
        }
    }
}
