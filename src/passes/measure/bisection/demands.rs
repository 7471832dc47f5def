//! Demands along shortest paths, which lift the lower bound of the bisection.
//!
//! Input: a graph some of whose routers have no hosts, and the relaxation. Output: how much the pairs of each
//! kind send, and the weights that remain. A kind is a distance of two hops or more, and the number of
//! routers of the pair that have hosts. A pair spreads its demand evenly over all its shortest paths. If its
//! routers are on different sides, then every path has a link across. So the cut is at least the links that
//! are left after the demands, plus the demands across, whatever the halves. Links may be left with less
//! than nothing. That is the bound of a flow, but it need not be a flow of all pairs alike, and the
//! relaxation bounds the rest.
//!
//! The bound is concave in the demands. Every step follows its slope, as far as the halves that are known
//! suggest (Polyak 1969). Cost: one search per router and kind, and [`STEPS`] relaxations.

use super::graph::CutGraph;
use super::relaxation::{PairWeights, Relaxation};
use fabc_ir::{CutWeights, PathDemand, WEIGHT_PARTS};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Most routers of a graph for which demands are sought. Their weights are numbers of pairs.
pub(super) const MOST_ROUTERS: usize = 1200;
/// The number of steps along the slope of the bound.
const STEPS: usize = 60;
/// Sweeps of the relaxation in a step, and at the end.
const SWEEPS: [usize; 2] = [20, 300];
/// Steps between two trials of what is proved so far.
const TRIALS: usize = 10;
/// Steps of the iteration for the least eigenvalue, in a trial and at the end.
const EIGENVALUE_STEPS: [usize; 2] = [60, 300];
/// The part of the gap to the known halves that a step aims at.
const STRIDE: f64 = 0.7;

/// The distance of a pair, and how many of its routers have hosts.
type Kind = (u8, u8);

/// All pairs by kind, with the loads of their paths.
struct PathKinds {
    routers: usize,
    /// `[router * routers + router]`: the distance in hops.
    distance: Vec<u8>,
    /// `[router]`: whether it has hosts.
    has_hosts: Vec<bool>,
    /// The links, as pairs of routers with the smaller one first, and how many of them there are.
    links: Vec<(u32, u32, f64)>,
    /// For every kind, the load of each link if every pair of the kind sends 1.
    loads: BTreeMap<Kind, Vec<f64>>,
}

/// The best lower bound that demands prove, and the relaxation behind it. `None` for graphs that are too
/// large or whose routers all have hosts. `width` is the width of the best halves that are known.
pub(super) fn lift_by_demands(
    graph: &CutGraph,
    has_hosts: &[bool],
    relaxation: &Relaxation,
    width: u64,
) -> Option<(CutWeights, Relaxation)> {
    if graph.len() > MOST_ROUTERS || has_hosts.iter().all(|&has_hosts| has_hosts) {
        return None;
    }
    let kinds = PathKinds::new(graph, has_hosts)?;
    let mut relaxation = relaxation.clone();
    let mut amounts: BTreeMap<Kind, f64> = kinds.loads.keys().map(|&kind| (kind, 0.0)).collect();
    let mut best: Option<(CutWeights, BTreeMap<Kind, f64>)> = None;
    for step in 0..=STEPS {
        let weights = kinds.remaining(&amounts);
        relaxation.settle(&weights, SWEEPS[0]);
        if step % TRIALS == 0 {
            let mut trial = relaxation.clone();
            trial.settle(&weights, SWEEPS[0]);
            let certificate = trial.certificate(&weights, Vec::new(), EIGENVALUE_STEPS[0]);
            if best.as_ref().is_none_or(|(best, _)| certificate.least > best.least) {
                best = Some((certificate, amounts.clone()));
            }
        }
        let slopes = kinds.slopes(&relaxation);
        let scaled = |kind: &Kind| {
            let (slope, total) = slopes[kind];
            // What is 0 cannot fall.
            if amounts[kind] <= 0.0 && slope < 0.0 { 0.0 } else { slope / total }
        };
        let squares: f64 = amounts.keys().map(|kind| scaled(kind) * scaled(kind)).sum();
        if squares <= 1e-18 {
            break;
        }
        let remaining = 1.0 - step as f64 / (2 * STEPS) as f64;
        let length = STRIDE * remaining * (width as f64 - relaxation.value()).max(0.0) / squares;
        let moves: Vec<(Kind, f64)> =
            amounts.keys().map(|kind| (*kind, length * scaled(kind) / slopes[kind].1)).collect();
        moves.into_iter().for_each(|(kind, change)| {
            let amount = amounts.get_mut(&kind).expect("a kind");
            *amount = (*amount + change).max(0.0);
        });
    }
    let (_, amounts) = best?;
    let parts = WEIGHT_PARTS as f64;
    let demands: Vec<PathDemand> = amounts
        .iter()
        .map(|(&(hops, hosts), amount)| PathDemand {
            hops,
            hosts,
            amount: libm::round(amount * parts) as u64,
        })
        .filter(|demand| demand.amount > 0)
        .collect();
    let rounded = demands.iter().map(|demand| ((demand.hops, demand.hosts), demand.amount as f64 / parts));
    let weights = kinds.remaining(&rounded.collect());
    relaxation.settle(&weights, SWEEPS[1]);
    let certificate = relaxation.certificate(&weights, demands, EIGENVALUE_STEPS[1]);
    Some((certificate, relaxation))
}

impl PathKinds {
    /// All kinds of a connected graph. `None` if a distance exceeds 8 bits.
    fn new(graph: &CutGraph, has_hosts: &[bool]) -> Option<Self> {
        let routers = graph.len();
        let mut links = Vec::new();
        let mut number = BTreeMap::new();
        for from in 0..routers {
            for &(to, count) in graph.edges(from).iter().filter(|&&(to, _)| from < to as usize) {
                number.insert((from as u32, to), links.len());
                links.push((from as u32, to, f64::from(count)));
            }
        }
        let searches: Vec<Search> =
            (0..routers).into_par_iter().map(|source| Search::from(graph, source)).collect::<Option<_>>()?;
        let mut loads: BTreeMap<Kind, Vec<f64>> = BTreeMap::new();
        for (source, search) in searches.iter().enumerate() {
            search.add_loads(graph, source, has_hosts, &mut |kind, a, b, load| {
                let link = number[&(a.min(b), a.max(b))];
                // Both ends of a pair are sources.
                loads.entry(kind).or_insert_with(|| vec![0.0; links.len()])[link] += load / 2.0;
            });
        }
        let distance = searches.into_iter().flat_map(|search| search.distance).collect();
        Some(Self { routers, distance, has_hosts: has_hosts.to_vec(), links, loads })
    }

    fn kind(&self, a: usize, b: usize) -> Kind {
        let hosts = u8::from(self.has_hosts[a]) + u8::from(self.has_hosts[b]);
        (self.distance[a * self.routers + b], hosts)
    }

    /// The weights that are left after demands, with the demands themselves.
    fn remaining(&self, amounts: &BTreeMap<Kind, f64>) -> PairWeights {
        let mut on_links: Vec<f64> = self.links.iter().map(|&(.., count)| count).collect();
        for (kind, amount) in amounts.iter().filter(|(_, amount)| **amount > 0.0) {
            on_links.iter_mut().zip(&self.loads[kind]).for_each(|(left, load)| *left -= amount * load);
        }
        let mut rows: Vec<Vec<(u32, f64)>> = (0..self.routers)
            .into_par_iter()
            .map(|a| {
                let others = (0..self.routers).filter(|&b| self.distance[a * self.routers + b] > 1);
                let amount = |b: usize| (b as u32, amounts.get(&self.kind(a, b)).copied().unwrap_or(0.0));
                others.map(amount).filter(|&(_, amount)| amount > 0.0).collect()
            })
            .collect();
        for (&(a, b, _), &left) in self.links.iter().zip(&on_links) {
            rows[a as usize].push((b, left));
            rows[b as usize].push((a, left));
        }
        rows.iter_mut().for_each(|row| row.sort_unstable_by_key(|&(to, _)| to));
        PairWeights::new(rows.into_iter())
    }

    /// For every kind, how fast the relaxation rises with its demand, and the load that this makes.
    fn slopes(&self, relaxation: &Relaxation) -> BTreeMap<Kind, (f64, f64)> {
        let across: Vec<f64> =
            self.links.par_iter().map(|&(a, b, _)| relaxation.distance(a as usize, b as usize)).collect();
        let by_router: Vec<BTreeMap<Kind, f64>> = (0..self.routers)
            .into_par_iter()
            .map(|a| {
                let mut sums = BTreeMap::new();
                for b in (0..a).filter(|&b| self.distance[a * self.routers + b] > 1) {
                    *sums.entry(self.kind(a, b)).or_insert(0.0) += relaxation.distance(a, b);
                }
                sums
            })
            .collect();
        let slope = |(kind, loads): (&Kind, &Vec<f64>)| {
            let apart: f64 = by_router.iter().filter_map(|sums| sums.get(kind)).sum();
            let along: f64 = loads.iter().zip(&across).map(|(load, across)| load * across).sum();
            (*kind, (apart - along, loads.iter().sum::<f64>().max(1.0)))
        };
        self.loads.iter().map(slope).collect()
    }
}

/// A breadth-first search from a router.
struct Search {
    /// `[router]`: hops from the source.
    distance: Vec<u8>,
    /// `[router]`: number of shortest paths from the source.
    paths: Vec<f64>,
    /// All routers, the source first, by rising distance from it.
    order: Vec<u32>,
}

impl Search {
    fn from(graph: &CutGraph, source: usize) -> Option<Self> {
        let mut search = Self {
            distance: vec![u8::MAX; graph.len()],
            paths: vec![0.0; graph.len()],
            order: vec![source as u32],
        };
        (search.distance[source], search.paths[source]) = (0, 1.0);
        let mut next = 0;
        while let Some(&router) = search.order.get(next) {
            next += 1;
            let further = search.distance[router as usize].checked_add(1).filter(|&hops| hops < u8::MAX)?;
            for &(to, _) in graph.edges(router as usize) {
                if search.distance[to as usize] == u8::MAX {
                    search.distance[to as usize] = further;
                    search.order.push(to);
                }
                if search.distance[to as usize] == further {
                    search.paths[to as usize] += search.paths[router as usize];
                }
            }
        }
        (search.order.len() == graph.len()).then_some(search)
    }

    /// Gives `add` the load on every link if the source sends 1 to each router of every kind.
    fn add_loads(
        &self,
        graph: &CutGraph,
        source: usize,
        has_hosts: &[bool],
        add: &mut dyn FnMut(Kind, u32, u32, f64),
    ) {
        let Self { distance, paths, order } = self;
        let farthest = order.last().map_or(0, |&router| distance[router as usize]);
        for hops in 2..=farthest {
            for target_has_hosts in [false, true] {
                let kind = (hops, u8::from(has_hosts[source]) + u8::from(target_has_hosts));
                let mut through = vec![0.0; graph.len()];
                for &router in order.iter().skip(1).rev() {
                    let at = router as usize;
                    if distance[at] > hops {
                        continue;
                    }
                    let ends = distance[at] == hops && has_hosts[at] == target_has_hosts;
                    let arriving = through[at] + f64::from(u8::from(ends));
                    if arriving == 0.0 {
                        continue;
                    }
                    for &(before, _) in
                        graph.edges(at).iter().filter(|&&(to, _)| distance[to as usize] + 1 == distance[at])
                    {
                        let share = arriving * paths[before as usize] / paths[at];
                        through[before as usize] += share;
                        add(kind, before, router, share);
                    }
                }
            }
        }
    }
}
