//! Searched regular graphs: exchanges of two arcs by threshold accepting, towards short distances.
//!
//! A restart begins with a circulant graph, thrown into disorder, or, of simplex graphs, with the generalized
//! Kautz graph of as many routers, where that is regular. It keeps exchanges that do not lengthen the sum of
//! distances by more than a threshold that falls to zero. The flow of a graph is bounded by that sum, and one
//! that is regular and random enough comes close; which of the restarts carries most, the certified flow
//! decides. Sources: Dueck and Scheuer 1990 (threshold accepting); Imase and Itoh 1983. Cost: effort x a
//! fixed number of word operations.

use super::distances::Distances;
use super::links::Links;
use crate::algebra::kautz_targets;
use crate::model::{Arcs, FreeGraph};
use crate::random::Stream;
use rayon::prelude::*;
use std::collections::BTreeSet;

/// Restarts, each with a stream of its own.
const RESTARTS: u64 = 12;
/// Word operations of a restart at effort 1.
const WORK: usize = 1 << 28;
/// Fewest evaluations of a restart, however large the graph.
const FEWEST: usize = 200;
/// The threshold at first, as a part of the number of routers: of 0.01 to 0.5, this one was best or nearly so
/// for 20 to 80 routers of four arcs.
const HEAT: f64 = 0.02;

/// Graphs by rising sum of distances, each once.
pub(super) fn search(free: &FreeGraph) -> Vec<Links> {
    let restart = |number: u64| {
        let mut stream = Stream::new(free.seed, number);
        let start = kautz(free).filter(|_| number.is_multiple_of(2)).unwrap_or_else(|| Graph::disordered(free, &mut stream));
        descend(free, start, &mut stream)
    };
    let mut found: Vec<(u64, Links)> = (0..RESTARTS).into_par_iter().map(restart).collect();
    found.extend(kautz(free).map(|graph| {
        let sum = graph.distances(&mut Distances::new(free.routers as usize));
        (sum, graph.links())
    }));
    found.sort();
    found.dedup();
    found.into_iter().map(|(_, links)| links).collect()
}

/// One restart: the best graph on the way.
fn descend(free: &FreeGraph, mut graph: Graph, stream: &mut Stream) -> (u64, Links) {
    let routers = free.routers as usize;
    let mut distances = Distances::new(routers);
    let mut current = graph.distances(&mut distances);
    let mut best = (current, graph.links());
    // Distances rarely exceed five hops.
    let cost = routers * graph.degree * routers.div_ceil(64) * 5;
    let evaluations = (WORK / cost).saturating_mul(free.effort as usize).max(FEWEST);
    let heat = HEAT * routers as f64;
    for done in 0..evaluations {
        let two = graph.any_two(stream);
        let Some(undo) = graph.exchange(two) else { continue };
        let limit = current + (heat * (evaluations - done) as f64 / evaluations as f64) as u64;
        let sum = graph.distances(&mut distances);
        if sum <= limit {
            current = sum;
            if sum < best.0 {
                best = (sum, graph.links());
            }
        } else {
            graph.undo(undo);
        }
    }
    best
}

/// The generalized Kautz graph of as many routers, where it is regular.
fn kautz(free: &FreeGraph) -> Option<Graph> {
    let (n, d) = (free.routers, free.degree);
    let fits = free.arcs == Arcs::Simplex && n.is_multiple_of(d + 1);
    fits.then(|| Graph::new(n, d as usize, true, (0..n).flat_map(|from| kautz_targets(d, n, from).map(move |to| [from, to])).collect()))
}

/// A regular graph under exchanges.
struct Graph {
    simplex: bool,
    degree: usize,
    /// Arcs; of a duplex graph, links.
    arcs: Links,
    /// The same arcs, smaller end first where they run both ways.
    known: BTreeSet<[u32; 2]>,
    /// `[router * degree ..]`: successors.
    next: Vec<u32>,
}

/// What takes an exchange back.
struct Undo {
    at: [usize; 2],
    before: [[u32; 2]; 2],
}

impl Graph {
    fn new(routers: u32, degree: usize, simplex: bool, arcs: Links) -> Self {
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); routers as usize];
        for &[a, b] in &arcs {
            lists[a as usize].push(b);
            if !simplex {
                lists[b as usize].push(a);
            }
        }
        let mut graph = Self { simplex, degree, known: BTreeSet::new(), next: lists.concat(), arcs };
        graph.known = graph.arcs.iter().map(|&arc| graph.key(arc)).collect();
        graph
    }

    /// Every router joined to those that follow it, as far as its degree goes; of an odd degree of duplex
    /// links also to the one opposite.
    fn circulant(free: &FreeGraph) -> Self {
        let (n, d) = (free.routers, free.degree);
        let simplex = free.arcs == Arcs::Simplex;
        let steps = if simplex { d } else { d / 2 };
        let mut arcs: Links = (0..n).flat_map(|router| (1..=steps).map(move |step| [router, (router + step) % n])).collect();
        if !simplex && d % 2 == 1 {
            arcs.extend((0..n / 2).map(|router| [router, router + n / 2]));
        }
        Self::new(n, d as usize, simplex, arcs)
    }

    /// The same after many exchanges.
    fn disordered(free: &FreeGraph, stream: &mut Stream) -> Self {
        let mut graph = Self::circulant(free);
        for _ in 0..4 * graph.arcs.len() {
            let two = graph.any_two(stream);
            graph.exchange(two);
        }
        graph
    }

    fn key(&self, [a, b]: [u32; 2]) -> [u32; 2] {
        if self.simplex { [a, b] } else { [a.min(b), a.max(b)] }
    }

    /// Two arcs; a link comes in either direction.
    fn any_two(&self, stream: &mut Stream) -> ([usize; 2], bool) {
        let at = [stream.below(self.arcs.len()), stream.below(self.arcs.len())];
        (at, !self.simplex && stream.below(2) == 1)
    }

    /// Gives two arcs each other's ends, if that makes two new ones.
    fn exchange(&mut self, ([one, other], turned): ([usize; 2], bool)) -> Option<Undo> {
        let before = [self.arcs[one], self.arcs[other]];
        let ([a, b], mut second) = (before[0], before[1]);
        if turned {
            second.reverse();
        }
        let [c, d] = second;
        let after = [[a, d], [c, b]];
        if one == other || a == d || c == b || after.iter().any(|&arc| self.known.contains(&self.key(arc))) {
            return None;
        }
        let undo = Undo { at: [one, other], before };
        self.replace(undo.at, after);
        Some(undo)
    }

    fn undo(&mut self, undo: Undo) {
        self.replace(undo.at, undo.before);
    }

    /// Sets two arcs, which have the ends of those that stand there.
    fn replace(&mut self, at: [usize; 2], arcs: [[u32; 2]; 2]) {
        for place in at {
            let arc = self.arcs[place];
            self.known.remove(&self.key(arc));
            self.forget(arc);
        }
        for (place, arc) in at.into_iter().zip(arcs) {
            self.known.insert(self.key(arc));
            self.arcs[place] = arc;
            self.learn(arc);
        }
    }

    /// No successor.
    const NONE: u32 = u32::MAX;

    fn forget(&mut self, arc: [u32; 2]) {
        self.set(arc, |arc| (arc[1], Self::NONE));
    }

    fn learn(&mut self, arc: [u32; 2]) {
        self.set(arc, |arc| (Self::NONE, arc[1]));
    }

    fn set(&mut self, arc: [u32; 2], change: impl Fn([u32; 2]) -> (u32, u32)) {
        let back = (!self.simplex).then_some([arc[1], arc[0]]);
        for arc in [Some(arc), back].into_iter().flatten() {
            let (from, to) = change(arc);
            let list = &mut self.next[arc[0] as usize * self.degree..][..self.degree];
            let place = list.iter().position(|&next| next == from).expect("as many successors as the degree says");
            list[place] = to;
        }
    }

    fn distances(&self, distances: &mut Distances) -> u64 {
        distances.sum(&self.next, self.degree)
    }

    /// The arcs, sorted.
    fn links(&self) -> Links {
        self.known.iter().copied().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sums that a plain search of 6000 exchanges by other code has reached for four arcs per router, and
    /// what Moore's bound leaves.
    #[test]
    fn distances_are_short() {
        for (routers, reached, least) in [(10, 140, 140), (20, 680, 680), (30, 1910, 1890), (40, 3730, 3720)] {
            let free = FreeGraph { routers, degree: 4, arcs: Arcs::Simplex, effort: 1, seed: 1 };
            let best = &search(&free)[0];
            let graph = Graph::new(routers, 4, true, best.clone());
            let sum = graph.distances(&mut Distances::new(routers as usize));
            assert!((least..=reached).contains(&sum), "{routers}: {sum}");
        }
    }
}
