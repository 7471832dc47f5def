//! Verifies a lower bound of the bisection that weights of routers prove.
//!
//! Input: a topology of two-way links, and numbers in parts of a link: a `diagonal`, a `lift`, and demands of
//! pairs by kind. A kind is a distance of two hops or more, and the number of routers of the pair that have
//! hosts. Output: whether no two halves have fewer links between them than claimed.
//!
//! 1. A pair of routers on different sides has a link across on each of its paths. Let it send d units,
//!    spread evenly over its shortest paths. So the links across carry d in all. Summed over all pairs, the
//!    cut is at least the capacity that the demands leave on links across, plus the demands across. Links
//!    may be left with less than nothing. The spread must only be some spread of d over paths.
//! 2. Let M be the Laplacian of these weights, minus the diagonal, plus `lift` times the matrix of ones.
//!    For sides +1 and -1, x M x is 4 times the weights across, minus the sum of the diagonal, plus `lift`
//!    times the squared difference of the sides, which is 0 or 1.
//! 3. If M is positive definite ([`definite`]), 4 x cut is above the sum of the diagonal, minus `lift` if the
//!    number of routers is odd.
//!
//! Loads are sums of positive floats. `error` bounds what rounding can change in M.
//! Cost: a search per router and kind, and a third of the cube of the routers.

use super::definite;
use fabc_base::ids::{Id, NodeId};
use fabc_ir::{CutWeights, PathDemand, Topology, WEIGHT_PARTS};
use rayon::prelude::*;

/// Most routers of a network that has demands. Each router is searched for each kind.
const MOST_ROUTERS_WITH_DEMANDS: usize = 1200;
/// Numbers beyond this are not exact as floats, and no network needs them.
const LARGEST_NUMBER: u64 = 1 << 52;

/// Whether the weights prove the bound that they claim.
///
/// # Errors
/// What is wrong with the weights.
pub(super) fn verify_weights(topology: &Topology, claimed: &CutWeights) -> Result<(), String> {
    let routers = topology.node_count();
    if claimed.diagonal.len() != routers {
        return Err(format!("the diagonal has {} numbers for {routers} routers", claimed.diagonal.len()));
    }
    let too_large = claimed.diagonal.iter().any(|number| number.unsigned_abs() > LARGEST_NUMBER)
        || claimed.lift > LARGEST_NUMBER;
    if too_large {
        return Err("the weights have a number beyond 2^52".to_owned());
    }
    if !claimed.demands.is_empty() && routers > MOST_ROUTERS_WITH_DEMANDS {
        return Err(format!("demands can be proved for at most {MOST_ROUTERS_WITH_DEMANDS} routers"));
    }
    let kinds =
        claimed.demands.windows(2).all(|two| (two[0].hops, two[0].hosts) < (two[1].hops, two[1].hosts));
    let valid = |demand: &PathDemand| {
        demand.hops >= 2 && demand.hosts <= 2 && (1..=WEIGHT_PARTS).contains(&demand.amount)
    };
    if !kinds || !claimed.demands.iter().all(valid) {
        return Err("the demands are not listed by rising kind, each of a link at most".to_owned());
    }
    let sum: i128 = claimed.diagonal.iter().map(|&number| i128::from(number)).sum();
    let four_cuts = sum - if routers % 2 == 1 { i128::from(claimed.lift) } else { 0 };
    // More than the integer before the bound.
    if four_cuts <= 4 * i128::from(WEIGHT_PARTS) * (i128::from(claimed.least) - 1) {
        return Err(format!("the diagonal adds up to less than {} links need", claimed.least));
    }
    let (mut matrix, error) = weighted_matrix(topology, claimed)?;
    let trace = (0..routers).map(|row| matrix[row][row].abs()).sum();
    match definite::is_positive_definite(&mut matrix, trace, error) {
        true => Ok(()),
        false => Err("the matrix of the weights is not proved to be positive definite".to_owned()),
    }
}

/// The lower triangle of M, and a bound on the norm of its rounding errors.
fn weighted_matrix(topology: &Topology, claimed: &CutWeights) -> Result<(Vec<Vec<f64>>, f64), String> {
    let routers = topology.node_count();
    let parts = WEIGHT_PARTS as f64;
    let mut weights: Vec<Vec<f64>> = (0..routers).map(|row| vec![0.0; row + 1]).collect();
    for link in topology.links().iter() {
        let [a, b] = [link.a.node.index(), link.b.node.index()];
        weights[a.max(b)][a.min(b)] += 1.0;
    }
    let mut carried = vec![0.0; routers];
    if !claimed.demands.is_empty() {
        let graph = SimpleGraph::new(topology);
        let searches: Vec<PathSearch> = (0..routers)
            .into_par_iter()
            .map(|source| graph.search(source))
            .collect::<Option<_>>()
            .ok_or("a router cannot be reached")?;
        for (source, search) in searches.iter().enumerate() {
            for (other, weight) in weights[source][..source].iter_mut().enumerate() {
                *weight += graph.amount(&claimed.demands, search, source, other) / parts;
            }
            // Each pair sends half from either end.
            graph.spread(&claimed.demands, search, source, &mut |a, b, load| {
                let load = load / (2.0 * parts);
                weights[a.max(b)][a.min(b)] -= load;
                carried[a] += load;
                carried[b] += load;
            });
        }
    }
    let largest = carried.iter().copied().fold(0.0, f64::max);
    let terms = routers as f64 * (graph_degree(topology) + 8.0);
    // Every load is a sum of products of at most so many positive factors and terms, each rounded.
    let error = 8.0 * terms * f64::EPSILON * largest;
    let lift = claimed.lift as f64 / parts;
    let mut sums = vec![0.0; routers];
    for (row, entries) in weights.iter().enumerate() {
        for (column, &weight) in entries[..row].iter().enumerate() {
            sums[row] += weight;
            sums[column] += weight;
        }
    }
    for (row, entries) in weights.iter_mut().enumerate() {
        entries.iter_mut().for_each(|entry| *entry = lift - *entry);
        entries[row] = sums[row] + lift - claimed.diagonal[row] as f64 / parts;
    }
    Ok((weights, error))
}

/// The largest number of links of a router.
fn graph_degree(topology: &Topology) -> f64 {
    topology.nodes().map(|node| topology.channels_from(node).count()).max().unwrap_or(0) as f64
}

/// The routers with their neighbors, each once.
struct SimpleGraph {
    neighbors: Vec<Vec<usize>>,
    has_hosts: Vec<bool>,
}

/// What a search from a router found.
struct PathSearch {
    /// `[router]`: hops from the source.
    hops: Vec<u8>,
    /// `[router]`: number of shortest paths, as routers, from the source.
    paths: Vec<f64>,
    /// All routers, the source first, by rising distance from it.
    order: Vec<usize>,
}

impl SimpleGraph {
    fn new(topology: &Topology) -> Self {
        let neighbors = topology.nodes().map(|node| {
            let mut row: Vec<usize> =
                topology.channels_from(node).map(|channel| topology.target(channel).node.index()).collect();
            row.sort_unstable();
            row.dedup();
            row.retain(|&other| other != node.index());
            row
        });
        let has_hosts = (0..topology.node_count()).map(|node| topology.hosts(NodeId::new(node)) > 0);
        Self { neighbors: neighbors.collect(), has_hosts: has_hosts.collect() }
    }

    /// A breadth-first search. `None` if a router is out of reach, or farther than 8 bits count.
    fn search(&self, source: usize) -> Option<PathSearch> {
        let routers = self.neighbors.len();
        let (mut hops, mut paths) = (vec![u8::MAX; routers], vec![0.0; routers]);
        (hops[source], paths[source]) = (0, 1.0);
        let (mut order, mut layer) = (vec![source], vec![source]);
        while !layer.is_empty() {
            let next_hops = hops[layer[0]].checked_add(1).filter(|&next| next < u8::MAX)?;
            let mut next = Vec::new();
            for &router in &layer {
                for &to in &self.neighbors[router] {
                    if hops[to] == u8::MAX {
                        hops[to] = next_hops;
                        next.push(to);
                    }
                    if hops[to] == next_hops {
                        paths[to] += paths[router];
                    }
                }
            }
            order.extend(&next);
            layer = next;
        }
        (order.len() == routers).then_some(PathSearch { hops, paths, order })
    }

    /// The demand between the source of a search and another router, in parts of a link.
    fn amount(&self, demands: &[PathDemand], search: &PathSearch, source: usize, other: usize) -> f64 {
        let hosts = [source, other].iter().filter(|&&router| self.has_hosts[router]).count();
        let kind =
            |demand: &&PathDemand| demand.hops == search.hops[other] && usize::from(demand.hosts) == hosts;
        demands.iter().find(kind).map_or(0.0, |demand| demand.amount as f64)
    }

    /// Calls `add` with both ends and the load of every link on the shortest paths from the source, if it
    /// sends to every router what the demands say.
    fn spread(
        &self,
        demands: &[PathDemand],
        search: &PathSearch,
        source: usize,
        add: &mut dyn FnMut(usize, usize, f64),
    ) {
        let mut arriving: Vec<f64> = (0..self.neighbors.len())
            .map(|other| if other == source { 0.0 } else { self.amount(demands, search, source, other) })
            .collect();
        for &router in search.order.iter().rev().filter(|&&router| router != source) {
            for &before in &self.neighbors[router] {
                if search.hops[before] + 1 == search.hops[router] && arriving[router] > 0.0 {
                    let load = arriving[router] * (search.paths[before] / search.paths[router]);
                    arriving[before] += load;
                    add(before, router, load);
                }
            }
        }
    }
}
