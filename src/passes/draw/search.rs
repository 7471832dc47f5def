//! Searched regular graphs: exchanges of two arcs by threshold accepting, towards short distances.
//!
//! A restart begins with a circulant graph, thrown into disorder, or, of simplex graphs, with the generalized
//! Kautz graph of as many routers, where that is regular. It keeps exchanges that do not lengthen the sum of
//! distances by more than a threshold that falls to zero. The flow of a graph is bounded by that sum, and one
//! that is regular and random enough comes close; which of the restarts carries most, the certified flow
//! decides.
//!
//! Where cables weigh w, what falls is (1 - w) H / H0 + w C / C0, as an integer over the common denominator:
//! H is the sum of distances, H0 what Moore's bound leaves of it, C the length of all cables with the routers
//! in cabinets in order, C0 what as many cables between any two routers have on average. At w = 0.2, so, a
//! per cent of H0 is worth four of C0. Every other restart then begins with the circulant graph itself, whose
//! cables are short. A connected graph stays connected then, however short the cables of one that is not.
//! Sources: Dueck and Scheuer 1990 (threshold accepting); Imase and Itoh 1983. Cost: effort x a fixed number
//! of word operations.

use super::distances::Distances;
use super::links::Links;
use fabc_base::algebra::kautz_targets;
use fabc_base::random::Stream;
use fabc_model::{Arcs, FreeGraph};
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

/// What cables cost a graph, against its distances.
pub struct Weighing<'a> {
    /// Thousandths of the whole.
    pub weight: u32,
    /// Length of a cable between two routers, 0.1 m.
    pub length: &'a (dyn Fn([u32; 2]) -> u32 + Sync),
}

/// A graph that was found.
pub struct Searched {
    /// Its links, sorted.
    pub links: Links,
    /// The sum of the distances of all ordered pairs.
    pub distances: u64,
    /// Length of all cables, 0.1 m; 0 where they do not count.
    pub cable: u64,
}

/// Graphs by rising sum of distances, each once.
pub(super) fn search(free: &FreeGraph) -> Vec<Links> {
    restarts(free, None, RESTARTS).into_iter().map(|best| best.links).collect()
}

/// The graph that weighs least of so many restarts, all of them where that is not said.
pub fn weighed(free: &FreeGraph, weighing: &Weighing<'_>, most: Option<u64>) -> Searched {
    let found = restarts(free, Some(weighing), most.unwrap_or(RESTARTS));
    let best = found.into_iter().next().expect("there is a restart at least");
    Searched { links: best.links, distances: best.distances, cable: best.cable }
}

/// The best graph of a restart. Graphs are compared field by field: connected ones come first, then lighter
/// ones.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Best {
    /// Whether a path is missing.
    disconnected: bool,
    score: u128,
    distances: u64,
    cable: u64,
    links: Links,
}

/// What restarts find, the best graph first, each once.
fn restarts(free: &FreeGraph, weighing: Option<&Weighing<'_>>, count: u64) -> Vec<Best> {
    let scale = Scale::new(free, weighing);
    let restart = |number: u64| {
        let mut stream = Stream::new(free.seed, number);
        let early = number.is_multiple_of(2);
        let start = match weighing.is_some_and(|weighing| weighing.weight > 0) {
            true => early.then(|| Graph::circulant(free)),
            false => kautz(free).filter(|_| early),
        };
        let start = start.unwrap_or_else(|| Graph::disordered(free, &mut stream));
        descend(free, &scale, start, &mut stream)
    };
    let mut found: Vec<Best> = (0..count).into_par_iter().map(restart).collect();
    found.extend(kautz(free).map(|graph| {
        let (distances, cable) =
            (graph.distances(&mut Distances::new(free.routers as usize)), scale.cables(&graph.arcs));
        Best {
            disconnected: false,
            score: scale.score(distances, cable),
            distances,
            cable,
            links: graph.links(),
        }
    }));
    found.sort();
    found.dedup();
    found
}

/// What distances and cables are measured by.
struct Scale<'a> {
    weighing: Option<&'a Weighing<'a>>,
    /// What a hop of one pair, and 0.1 m of cable, weigh.
    hop: u128,
    cable: u128,
    /// What a hop would weigh if nothing else did.
    whole: u128,
}

impl<'a> Scale<'a> {
    fn new(free: &FreeGraph, weighing: Option<&'a Weighing<'a>>) -> Self {
        let Some(of) = weighing else { return Self { weighing, hop: 1, cable: 0, whole: 1 } };
        let routers = free.routers;
        let pairs = (0..routers).flat_map(|one| (0..one).map(move |other| [other, one]));
        let all: u128 = pairs.map(|pair| u128::from((of.length)(pair))).sum();
        let count = u128::from(routers) * u128::from(routers - 1) / 2;
        let arcs =
            u128::from(routers) * u128::from(free.degree) / if free.arcs == Arcs::Simplex { 1 } else { 2 };
        let mean = (all * arcs).div_ceil(count.max(1)).max(1);
        let weight = u128::from(of.weight);
        Self {
            weighing,
            hop: (1000 - weight) * mean,
            cable: weight * u128::from(least(free)),
            whole: 1000 * mean,
        }
    }

    fn weighs_cables(&self) -> bool {
        self.cable > 0
    }

    fn score(&self, distances: u64, cables: u64) -> u128 {
        self.hop * u128::from(distances) + self.cable * u128::from(cables)
    }

    /// Length of all cables.
    fn cables(&self, arcs: &[[u32; 2]]) -> u64 {
        self.weighing.map_or(0, |of| arcs.iter().map(|&arc| u64::from((of.length)(arc))).sum())
    }

    /// What so many hops of single pairs weigh where cables do not: whatever the weight, as much of the
    /// whole.
    fn threshold(&self, hops: u64) -> u128 {
        self.whole * u128::from(hops)
    }
}

/// The least sum of distances that a degree leaves: Moore's bound.
fn least(free: &FreeGraph) -> u64 {
    let (mut left, mut layer, mut hops, mut sum) =
        (u64::from(free.routers) - 1, u64::from(free.degree), 1, 0);
    while left > 0 {
        let here = layer.min(left);
        sum += here * hops;
        left -= here;
        layer = layer.saturating_mul(u64::from(free.degree) - u64::from(free.arcs == Arcs::Duplex));
        hops += 1;
    }
    sum * u64::from(free.routers)
}

/// One restart: the best graph on the way.
fn descend(free: &FreeGraph, scale: &Scale<'_>, mut graph: Graph, stream: &mut Stream) -> Best {
    let routers = free.routers as usize;
    let mut distances = Distances::new(routers);
    let (sum, mut cable) = (graph.distances(&mut distances), scale.cables(&graph.arcs));
    let mut current = scale.score(sum, cable);
    // Where distances alone count, they count missing paths as well.
    let is_disconnected = |distances: &Distances| scale.weighs_cables() && !distances.is_connected();
    let mut disconnected = is_disconnected(&distances);
    let mut best = Best { disconnected, score: current, distances: sum, cable, links: graph.links() };
    // Distances rarely exceed five hops.
    let cost = routers * graph.degree * routers.div_ceil(64) * 5;
    let evaluations = (WORK / cost).saturating_mul(free.effort as usize).max(FEWEST);
    let heat = HEAT * routers as f64;
    for done in 0..evaluations {
        let two = graph.any_two(stream);
        let Some(undo) = graph.exchange(two) else { continue };
        let limit =
            current + scale.threshold((heat * (evaluations - done) as f64 / evaluations as f64) as u64);
        let (sum, now) = (graph.distances(&mut distances), undo.at.map(|at| graph.arcs[at]));
        let longer = cable + scale.cables(&now) - scale.cables(&undo.before);
        let (score, falls_apart) = (scale.score(sum, longer), is_disconnected(&distances));
        if score <= limit && (disconnected || !falls_apart) {
            (current, cable, disconnected) = (score, longer, falls_apart);
            if (disconnected, score) < (best.disconnected, best.score) {
                best = Best { disconnected, score, distances: sum, cable, links: graph.links() };
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
    fits.then(|| {
        Graph::new(
            n,
            d as usize,
            true,
            (0..n).flat_map(|from| kautz_targets(d, n, from).map(move |to| [from, to])).collect(),
        )
    })
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
        let mut arcs: Links =
            (0..n).flat_map(|router| (1..=steps).map(move |step| [router, (router + step) % n])).collect();
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
            let place =
                list.iter().position(|&next| next == from).expect("as many successors as the degree says");
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
        for (routers, reached, least) in [(10, 140, 140), (20, 680, 680), (30, 1910, 1890), (40, 3730, 3720)]
        {
            let free = FreeGraph { routers, degree: 4, arcs: Arcs::Simplex, effort: 1, seed: 1, cable: None };
            let best = &search(&free)[0];
            let graph = Graph::new(routers, 4, true, best.clone());
            let sum = graph.distances(&mut Distances::new(routers as usize));
            assert!((least..=reached).contains(&sum), "{routers}: {sum}");
        }
    }

    /// Heavier cables are shorter, and distances longer; without a weight the search is the one that looks at
    /// distances alone.
    #[test]
    fn cables_weigh() {
        let free =
            FreeGraph { routers: 48, degree: 4, arcs: Arcs::Duplex, effort: 1, seed: 1, cable: Some(0) };
        // Cabinets of eight in a row.
        let length = |[one, other]: [u32; 2]| {
            if one / 8 == other / 8 { 20 } else { 40 + 6 * (one / 8).abs_diff(other / 8) }
        };
        let of = |weight| weighed(&free, &Weighing { weight, length: &length }, Some(4));
        let found: Vec<Searched> = [0, 300, 700, 1000].map(of).into();
        assert!(
            found
                .windows(2)
                .all(|pair| pair[0].cable >= pair[1].cable && pair[0].distances <= pair[1].distances)
        );
        assert!(found[0].cable > found[2].cable && found[0].distances < found[2].distances);
        assert_eq!(found[0].links, restarts(&free, None, 4).swap_remove(0).links);
        for of in &found {
            assert_eq!(of.cable, of.links.iter().map(|&pair| u64::from(length(pair))).sum::<u64>());
        }
    }

    /// Two rings of near routers have the shortest cables, but no path between them.
    #[test]
    fn cables_alone_leave_a_connected_graph() {
        let free =
            FreeGraph { routers: 11, degree: 2, arcs: Arcs::Duplex, effort: 1, seed: 39, cable: Some(1000) };
        let length = |[one, other]: [u32; 2]| if one / 6 == other / 6 { 20 } else { 90 };
        let best = weighed(&free, &Weighing { weight: 1000, length: &length }, None);
        let mut distances = Distances::new(11);
        Graph::new(11, 2, false, best.links).distances(&mut distances);
        assert!(distances.is_connected());
        assert_eq!(best.cable, 9 * 20 + 2 * 90);
    }
}
