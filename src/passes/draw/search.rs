//! Searches for regular graphs with short distances, by exchanges of two arcs under threshold accepting.
//!
//! A restart begins with a circulant graph after many random exchanges. For simplex graphs it may begin with
//! the generalized Kautz graph of the same size, where that is regular. It keeps exchanges that lengthen the
//! sum of distances by no more than a threshold, which falls to zero. That sum bounds the flow of a graph,
//! and a graph that is regular and random enough comes close to the bound. The certified flow decides which
//! restart is best.
//!
//! If cables have a weight w, the score is (1 - w) H / H0 + w C / C0, as an integer over the common
//! denominator. H is the sum of distances, and H0 its lower bound by Moore. C is the length of all cables
//! with the routers in cabinets in order. C0 is the average length of as many cables between any two routers.
//! At w = 0.2, for example, one per cent of H0 is worth four of C0. Every other restart then begins with the
//! circulant graph itself, whose cables are short. A connected graph then stays connected, even if a
//! disconnected one has shorter cables.
//!
//! Sources: Dueck and Scheuer 1990 (threshold accepting); Imase and Itoh 1983. Cost: effort x a fixed number
//! of word operations.

use super::distances::DistanceSums;
use super::links::LinkPairs;
use super::moore::MooreBound;
use fabc_base::algebra::kautz_targets;
use fabc_base::random::Stream;
use fabc_model::{Arcs, FreeGraph};
use rayon::prelude::*;

/// Restarts, each with a random stream of its own.
const RESTARTS: u64 = 12;
/// Word operations of a restart at effort 1.
const WORK: usize = 1 << 28;
/// Least number of evaluations of a restart, however large the graph is.
const LEAST_EVALUATIONS: usize = 200;
/// The first threshold, as a part of the number of routers. Of 0.01 to 0.5, this value was best or nearly so
/// for 20 to 80 routers of four arcs.
const HEAT: f64 = 0.02;

/// The weight of cables against distances.
pub struct Weighing<'a> {
    /// Weight of cables in thousandths. Distances have the rest.
    pub weight: u32,
    /// Length of a cable between two routers, 0.1 m.
    pub length: &'a (dyn Fn([u32; 2]) -> u32 + Sync),
}

/// A graph that the search returns.
pub struct Searched {
    /// The links of the graph, sorted.
    pub links: LinkPairs,
    /// The sum of the distances of all ordered pairs.
    pub distances: u64,
    /// Length of all cables, 0.1 m, or 0 if cables have no weight.
    pub cable: u64,
}

/// Different graphs, ordered by their sum of distances.
pub(super) fn search(free: &FreeGraph) -> Vec<LinkPairs> {
    restarts(free, None, RESTARTS).into_iter().map(|best| best.links).collect()
}

/// The graph with the lowest score of `restarts_limit` restarts, by default of all.
pub fn weighed(free: &FreeGraph, weighing: &Weighing<'_>, restarts_limit: Option<u64>) -> Searched {
    let results = restarts(free, Some(weighing), restarts_limit.unwrap_or(RESTARTS));
    let best = results.into_iter().next().expect("there is a restart at least");
    Searched { links: best.links, distances: best.distances, cable: best.cable }
}

/// The best graph of a restart. The fields are compared in order: connected graphs come first, then lower
/// scores.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct RestartResult {
    /// Whether some pair has no path.
    disconnected: bool,
    score: u128,
    distances: u64,
    cable: u64,
    links: LinkPairs,
}

/// The results of restarts without duplicates, the best graph first.
fn restarts(free: &FreeGraph, weighing: Option<&Weighing<'_>>, count: u64) -> Vec<RestartResult> {
    let scale = SearchScale::new(free, weighing);
    let restart = |number: u64| {
        let mut stream = Stream::new(free.seed, number);
        let starts_ordered = number.is_multiple_of(2);
        let start = match weighing.is_some_and(|weighing| weighing.weight > 0) {
            true => starts_ordered.then(|| RegularGraph::circulant(free)),
            false => generalized_kautz(free).filter(|_| starts_ordered),
        };
        let start = start.unwrap_or_else(|| RegularGraph::disordered(free, &mut stream));
        descend(free, &scale, start, &mut stream)
    };
    let mut results: Vec<RestartResult> = (0..count).into_par_iter().map(restart).collect();
    results.extend(generalized_kautz(free).map(|graph| {
        let (distances, cable) =
            (graph.distances(&mut DistanceSums::new(free.routers as usize)), scale.cables(&graph.arcs));
        RestartResult {
            disconnected: false,
            score: scale.score(distances, cable),
            distances,
            cable,
            links: graph.links(),
        }
    }));
    results.sort();
    results.dedup();
    results
}

/// The weights of distances and cables in a score.
struct SearchScale<'a> {
    weighing: Option<&'a Weighing<'a>>,
    /// Weight of one hop of one pair, and of 0.1 m of cable.
    hop: u128,
    cable: u128,
    /// Weight of one hop if cables had no weight.
    full_hop: u128,
}

impl<'a> SearchScale<'a> {
    fn new(free: &FreeGraph, weighing: Option<&'a Weighing<'a>>) -> Self {
        let Some(weighing_used) = weighing else { return Self { weighing, hop: 1, cable: 0, full_hop: 1 } };
        let routers = free.routers;
        let pairs = (0..routers).flat_map(|higher| (0..higher).map(move |lower| [lower, higher]));
        let total_length: u128 = pairs.map(|pair| u128::from((weighing_used.length)(pair))).sum();
        let count = u128::from(routers) * u128::from(routers - 1) / 2;
        let arcs =
            u128::from(routers) * u128::from(free.degree) / if free.arcs == Arcs::Simplex { 1 } else { 2 };
        let mean = (total_length * arcs).div_ceil(count.max(1)).max(1);
        let weight = u128::from(weighing_used.weight);
        Self {
            weighing,
            hop: (1000 - weight) * mean,
            cable: weight * u128::from(MooreBound::new(free).distances),
            full_hop: 1000 * mean,
        }
    }

    fn weighs_cables(&self) -> bool {
        self.cable > 0
    }

    fn score(&self, distances: u64, cables: u64) -> u128 {
        self.hop * u128::from(distances) + self.cable * u128::from(cables)
    }

    /// Length of all cables, 0.1 m.
    fn cables(&self, arcs: &[[u32; 2]]) -> u64 {
        self.weighing.map_or(0, |weighing| arcs.iter().map(|&arc| u64::from((weighing.length)(arc))).sum())
    }

    /// The score of `hops` hops of single pairs if cables had no weight. A threshold is thus the same part of
    /// the whole for any weight.
    fn threshold(&self, hops: u64) -> u128 {
        self.full_hop * u128::from(hops)
    }
}

/// One restart. Returns the best graph that it met.
fn descend(
    free: &FreeGraph,
    scale: &SearchScale<'_>,
    mut graph: RegularGraph,
    stream: &mut Stream,
) -> RestartResult {
    let routers = free.routers as usize;
    let mut distances = DistanceSums::new(routers);
    let (sum, mut cable) = (graph.distances(&mut distances), scale.cables(&graph.arcs));
    let mut current = scale.score(sum, cable);
    // Without a weight of cables the sum of distances counts missing paths already.
    let is_disconnected = |distances: &DistanceSums| scale.weighs_cables() && !distances.is_connected();
    let mut disconnected = is_disconnected(&distances);
    let mut best =
        RestartResult { disconnected, score: current, distances: sum, cable, links: graph.links() };
    // Distances rarely exceed five hops.
    let cost = routers * graph.degree * routers.div_ceil(64) * 5;
    let evaluations = (WORK / cost).saturating_mul(free.effort as usize).max(LEAST_EVALUATIONS);
    let heat = HEAT * routers as f64;
    for evaluation in 0..evaluations {
        let (arcs, reversed) = graph.draw_arcs(stream);
        let Some(undo) = graph.exchange_heads(arcs, reversed) else { continue };
        let limit =
            current + scale.threshold((heat * (evaluations - evaluation) as f64 / evaluations as f64) as u64);
        let (sum, new_arcs) = (graph.distances(&mut distances), undo.indexes.map(|index| graph.arcs[index]));
        let new_cable = cable + scale.cables(&new_arcs) - scale.cables(&undo.before);
        let (score, is_apart) = (scale.score(sum, new_cable), is_disconnected(&distances));
        if score <= limit && (disconnected || !is_apart) {
            (current, cable, disconnected) = (score, new_cable, is_apart);
            if (disconnected, score) < (best.disconnected, best.score) {
                best = RestartResult { disconnected, score, distances: sum, cable, links: graph.links() };
            }
        } else {
            graph.undo(undo);
        }
    }
    best
}

/// The generalized Kautz graph of the same size, where it is regular.
fn generalized_kautz(free: &FreeGraph) -> Option<RegularGraph> {
    let (n, d) = (free.routers, free.degree);
    let fits = free.arcs == Arcs::Simplex && n.is_multiple_of(d + 1);
    fits.then(|| {
        RegularGraph::new(
            n,
            d as usize,
            true,
            (0..n).flat_map(|from| kautz_targets(d, n, from).map(move |to| [from, to])).collect(),
        )
    })
}

/// A regular graph that exchanges change.
struct RegularGraph {
    simplex: bool,
    degree: usize,
    /// Its arcs, or the links of a duplex graph.
    arcs: LinkPairs,
    /// `[router * degree ..]`: the successors of each router.
    next: Vec<u32>,
}

/// The data that undoes an exchange.
struct UndoExchange {
    indexes: [usize; 2],
    before: [[u32; 2]; 2],
}

impl RegularGraph {
    fn new(routers: u32, degree: usize, simplex: bool, arcs: LinkPairs) -> Self {
        let mut lists: Vec<Vec<u32>> = vec![Vec::new(); routers as usize];
        for &[a, b] in &arcs {
            lists[a as usize].push(b);
            if !simplex {
                lists[b as usize].push(a);
            }
        }
        Self { simplex, degree, next: lists.concat(), arcs }
    }

    /// Joins every router to those that follow it, as many as its degree allows. With an odd degree of duplex
    /// links it is also joined to the opposite router.
    fn circulant(free: &FreeGraph) -> Self {
        let (n, d) = (free.routers, free.degree);
        let simplex = free.arcs == Arcs::Simplex;
        let steps = if simplex { d } else { d / 2 };
        let mut arcs: LinkPairs =
            (0..n).flat_map(|router| (1..=steps).map(move |step| [router, (router + step) % n])).collect();
        if !simplex && d % 2 == 1 {
            arcs.extend((0..n / 2).map(|router| [router, router + n / 2]));
        }
        Self::new(n, d as usize, simplex, arcs)
    }

    /// A circulant graph after many random exchanges.
    fn disordered(free: &FreeGraph, stream: &mut Stream) -> Self {
        let mut graph = Self::circulant(free);
        for _ in 0..4 * graph.arcs.len() {
            let (arcs, reversed) = graph.draw_arcs(stream);
            graph.exchange_heads(arcs, reversed);
        }
        graph
    }

    /// Whether the graph has an arc. A duplex link is an arc from either end.
    fn has_arc(&self, arc: [u32; 2]) -> bool {
        let [from, to] = arc;
        self.next[from as usize * self.degree..][..self.degree].contains(&to)
    }

    /// Indexes of two arcs, and whether the second one is reversed. Links come in either direction.
    fn draw_arcs(&self, stream: &mut Stream) -> ([usize; 2], bool) {
        let indexes = [stream.below(self.arcs.len()), stream.below(self.arcs.len())];
        (indexes, !self.simplex && stream.below(2) == 1)
    }

    /// Exchanges the heads of two arcs, if the two new arcs are not in the graph yet.
    fn exchange_heads(&mut self, arcs: [usize; 2], reversed: bool) -> Option<UndoExchange> {
        let [first, second_index] = arcs;
        let before = [self.arcs[first], self.arcs[second_index]];
        let ([a, b], mut second) = (before[0], before[1]);
        if reversed {
            second.reverse();
        }
        let [c, d] = second;
        let after = [[a, d], [c, b]];
        if first == second_index || a == d || c == b || after.iter().any(|&arc| self.has_arc(arc)) {
            return None;
        }
        let undo = UndoExchange { indexes: [first, second_index], before };
        self.replace(undo.indexes, after);
        Some(undo)
    }

    fn undo(&mut self, undo: UndoExchange) {
        self.replace(undo.indexes, undo.before);
    }

    /// Replaces two arcs by arcs with the same ends.
    fn replace(&mut self, indexes: [usize; 2], arcs: [[u32; 2]; 2]) {
        for place in indexes {
            self.remove_successor(self.arcs[place]);
        }
        for (place, arc) in indexes.into_iter().zip(arcs) {
            self.arcs[place] = arc;
            self.add_successor(arc);
        }
    }

    /// Marks a place without a successor.
    const NONE: u32 = u32::MAX;

    fn remove_successor(&mut self, arc: [u32; 2]) {
        self.replace_successor(arc, |arc| (arc[1], Self::NONE));
    }

    fn add_successor(&mut self, arc: [u32; 2]) {
        self.replace_successor(arc, |arc| (Self::NONE, arc[1]));
    }

    fn replace_successor(&mut self, arc: [u32; 2], old_and_new: impl Fn([u32; 2]) -> (u32, u32)) {
        let reverse_arc = (!self.simplex).then_some([arc[1], arc[0]]);
        for arc in [Some(arc), reverse_arc].into_iter().flatten() {
            let (from, to) = old_and_new(arc);
            let list = &mut self.next[arc[0] as usize * self.degree..][..self.degree];
            let index =
                list.iter().position(|&next| next == from).expect("as many successors as the degree says");
            list[index] = to;
        }
    }

    fn distances(&self, distances: &mut DistanceSums) -> u64 {
        distances.sum(&self.next, self.degree)
    }

    /// The arcs of the graph, sorted. A duplex link has its smaller end first.
    fn links(&self) -> LinkPairs {
        let ordered = |&[a, b]: &[u32; 2]| if self.simplex { [a, b] } else { [a.min(b), a.max(b)] };
        let mut links: LinkPairs = self.arcs.iter().map(ordered).collect();
        links.sort_unstable();
        links
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_model::GraphSymmetry;

    /// Sums that a plain search of 6000 exchanges by other code has reached for four arcs per router, and
    /// what Moore's bound leaves.
    #[test]
    fn distances_are_short() {
        for (routers, reached, moore_bound) in
            [(10, 140, 140), (20, 680, 680), (30, 1910, 1890), (40, 3730, 3720)]
        {
            let free = FreeGraph {
                routers,
                degree: 4,
                arcs: Arcs::Simplex,
                effort: 1,
                seed: 1,
                cable: None,
                symmetry: GraphSymmetry::None,
            };
            let best = &search(&free)[0];
            let graph = RegularGraph::new(routers, 4, true, best.clone());
            let sum = graph.distances(&mut DistanceSums::new(routers as usize));
            assert!((moore_bound..=reached).contains(&sum), "{routers}: {sum}");
        }
    }

    /// Heavier cables are shorter, and distances longer; without a weight the search is the one that looks at
    /// distances alone.
    #[test]
    fn cables_weigh() {
        let free = FreeGraph {
            routers: 48,
            degree: 4,
            arcs: Arcs::Duplex,
            effort: 1,
            seed: 1,
            cable: Some(0),
            symmetry: GraphSymmetry::None,
        };
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
        let free = FreeGraph {
            routers: 11,
            degree: 2,
            arcs: Arcs::Duplex,
            effort: 1,
            seed: 39,
            cable: Some(1000),
            symmetry: GraphSymmetry::None,
        };
        let length = |[one, other]: [u32; 2]| if one / 6 == other / 6 { 20 } else { 90 };
        let best = weighed(&free, &Weighing { weight: 1000, length: &length }, None);
        let mut distances = DistanceSums::new(11);
        RegularGraph::new(11, 2, false, best.links).distances(&mut distances);
        assert!(distances.is_connected());
        assert_eq!(best.cable, 9 * 20 + 2 * 90);
    }
}
