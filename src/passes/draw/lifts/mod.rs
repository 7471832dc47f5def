//! Searches for regular graphs with short distances among lifts of small base graphs, which many symmetries
//! keep.
//!
//! A group acts on a lift without fixed routers, so one router of every orbit stands for all. That makes an
//! evaluation as many times cheaper as the group has elements, and the graphs that it leaves to search are
//! better than most. Which group is best cannot be told in advance: they race. Every round anneals base
//! graphs of all groups that are left, with equal shares of the work, and keeps the better half.
//!
//! Sources: Gross and Tucker 1987 (voltage graphs); Loz and Širáň 2008 (large graphs by voltages). Cost:
//! effort x a fixed number of steps.

mod anneal;
mod base;
mod distances;
mod group;

use super::links::LinkPairs;
use super::moore::MooreBound;
use anneal::{Annealed, Schedule, anneal};
use base::BaseGraph;
use distances::{DistanceRows, LiftDistances};
use fabc_base::random::Stream;
use fabc_model::FreeGraph;
use group::Group;
use rayon::prelude::*;

/// Steps of the race at effort 1: the most, and per port of a router of small networks.
const WORK: u64 = 1 << 34;
const WORK_PER_PORT: u64 = 1 << 24;
/// Runs that take turns. For 64 routers of degree 8 hot ones find more, for 512 short and long cold ones.
const SCHEDULES: [Schedule; 4] = [
    Schedule { evaluations: 30_000, hottest: 0.25, coldest: 0.05, beyond: 2 },
    Schedule { evaluations: 200_000, hottest: 0.25, coldest: 0.05, beyond: 2 },
    Schedule { evaluations: 30_000, hottest: 0.25, coldest: 0.05, beyond: 5 },
    Schedule { evaluations: 200_000, hottest: 1.0, coldest: 0.08, beyond: 2 },
];
/// Fewest evaluations of a run.
const LEAST_EVALUATIONS: u64 = 500;
/// The fewest and the most groups of the first round.
const GROUPS: [u64; 2] = [6, 48];
/// Evaluations that every group of the first round gets at least, if there are more than the fewest groups.
const FIRST_EVALUATIONS: u64 = 2_000;
/// Darts of a base graph: with fewer there is little to choose, with more the search is slow.
const DARTS: [u32; 2] = [8, 512];
/// Darts of base graphs that race first, if there are too many groups.
const BEST_DARTS: [u32; 2] = [16, 64];
/// The most elements times routers of a group.
const MOST_IMAGES: u64 = 1 << 24;
/// Finalists that the certified flow may choose among, and by which part their sum of distances may be
/// larger than the least.
const FINALISTS: usize = 4;
const NEARLY_BEST: f64 = 1.002;

/// A regular graph with a group of symmetries.
pub struct SymmetricGraph {
    /// The pairs of routers that links join, sorted.
    pub links: LinkPairs,
    /// `[element][router]`: the image of a router. Row 0 is the identity. The group acts without fixed
    /// routers, and keeps links.
    pub images: Vec<Vec<u32>>,
}

/// Symmetric graphs of nearly equal distances, the best first. None if no group serves their size.
pub fn symmetric_graphs(free: &FreeGraph) -> Vec<SymmetricGraph> {
    let symmetric = |annealed: &Annealed| SymmetricGraph {
        links: annealed.graph.links(),
        images: annealed.graph.images(),
    };
    race(free).iter().map(symmetric).collect()
}

/// A group in the race.
struct Runner {
    group: Group,
    /// Number of runs so far.
    runs: u64,
    best: Option<Annealed>,
}

impl Runner {
    /// The diameter, and the sum of the distances of all pairs. Lower is better.
    fn distances(&self) -> Option<LiftDistances> {
        let best = self.best.as_ref()?;
        let order = u64::from(self.group.order());
        Some(LiftDistances { sum: best.distances.sum * order, ..best.distances })
    }
}

/// The best graphs of the groups that come first in the race.
fn race(free: &FreeGraph) -> Vec<Annealed> {
    let aim = MooreBound::new(free).diameter as u32;
    let mut runners: Vec<Runner> =
        groups(free, aim).into_iter().map(|group| Runner { group, runs: 0, best: None }).collect();
    let rounds = u64::from(runners.len().max(1).ilog2()) + 2;
    let mut dropped: Vec<Runner> = Vec::new();
    for round in 0..rounds {
        let share = work_of_race(free) / rounds / runners.len().max(1) as u64;
        let anneal_all = |(place, runner): (usize, &mut Runner)| {
            run_group(free, runner, share, aim, (round << 32) + ((place as u64) << 16));
        };
        runners.par_iter_mut().enumerate().for_each(anneal_all);
        runners.retain(|runner| runner.best.is_some());
        runners.sort_by_key(Runner::distances);
        if round + 1 < rounds {
            dropped.extend(runners.split_off(runners.len().div_ceil(2)));
        }
    }
    runners.extend(dropped);
    runners.sort_by_key(Runner::distances);
    let Some(least) = runners.first().and_then(Runner::distances) else { return Vec::new() };
    let is_finalist = |runner: &Runner| {
        runner.distances().is_some_and(|distances| {
            distances.diameter == least.diameter && distances.sum as f64 <= NEARLY_BEST * least.sum as f64
        })
    };
    runners.into_iter().filter(is_finalist).take(FINALISTS).filter_map(|runner| runner.best).collect()
}

/// Anneals base graphs of a group until its share of the work is done. `stream` is the first of its random
/// streams.
fn run_group(free: &FreeGraph, runner: &mut Runner, share: u64, aim: u32, stream: u64) {
    let (vertices, degree) = ((free.routers / runner.group.order()) as usize, free.degree as usize);
    let work = DistanceRows::work(vertices as u64, free.degree, &runner.group, aim);
    let mut left = share;
    for run in 0.. {
        let mut stream = Stream::new(free.seed, stream + run);
        let Some(start) = BaseGraph::random(&runner.group, vertices, degree, &mut stream) else { return };
        let schedule = SCHEDULES[(runner.runs % SCHEDULES.len() as u64) as usize];
        let evaluations = schedule.evaluations.min(left / work);
        if run > 0 && evaluations < LEAST_EVALUATIONS {
            return;
        }
        let evaluations = evaluations.max(LEAST_EVALUATIONS);
        left = left.saturating_sub(evaluations * work);
        runner.runs += 1;
        if let Some(annealed) = anneal(start, Schedule { evaluations, ..schedule }, aim, &mut stream)
            && runner.best.as_ref().is_none_or(|best| annealed.distances < best.distances)
        {
            runner.best = Some(annealed);
        }
    }
}

/// The groups that race: those of base graphs with a suitable number of darts. `aim` is the diameter that
/// their lifts aim at.
fn groups(free: &FreeGraph, aim: u32) -> Vec<Group> {
    let orders = (2..=free.routers / 2).filter(|order| free.routers.is_multiple_of(*order));
    let darts = |order: u32| free.routers / order * free.degree;
    let is_suitable = |&order: &u32| {
        (DARTS[0]..=DARTS[1]).contains(&darts(order))
            && u64::from(order) * u64::from(free.routers) <= MOST_IMAGES
    };
    let mut groups: Vec<Group> = orders.filter(is_suitable).flat_map(Group::of_order).collect();
    // Few darts first. Of equally many, those come first whose first factor is some four times the second:
    // they commute little, and both factors are large.
    let rank = |group: &Group| {
        let darts = darts(group.order());
        let [few, many] = BEST_DARTS;
        let quarter = group.t.div_ceil(4);
        let ratio = (quarter.max(group.k) * 16) / quarter.min(group.k).max(1);
        (darts.saturating_sub(many) + few.saturating_sub(darts), ratio, group.order())
    };
    groups.sort_by_key(rank);
    let work = groups.first().map_or(1, |group| {
        let vertices = u64::from(free.routers / group.order());
        DistanceRows::work(vertices, free.degree, group, aim)
    });
    let [fewest, most] = GROUPS;
    let affordable = work_of_race(free) / 8 / (FIRST_EVALUATIONS * work);
    groups.truncate(affordable.clamp(fewest, most) as usize);
    groups
}

/// Steps of the whole race.
fn work_of_race(free: &FreeGraph) -> u64 {
    let ports = u64::from(free.routers) * u64::from(free.degree);
    WORK.min(WORK_PER_PORT * ports) * u64::from(free.effort)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::{BTreeSet, VecDeque};

    /// Distances by a breadth-first search from every router: the largest, and the sum.
    fn distances(routers: usize, links: &[[u32; 2]]) -> LiftDistances {
        let mut neighbors = vec![Vec::new(); routers];
        for ends in links {
            let [from, to] = ends.map(|end| end as usize);
            neighbors[from].push(to);
            neighbors[to].push(from);
        }
        let mut found = LiftDistances { diameter: 0, sum: 0 };
        for start in 0..routers {
            let mut hops = vec![u32::MAX; routers];
            hops[start] = 0;
            let mut open = VecDeque::from([start]);
            while let Some(at) = open.pop_front() {
                for &next in &neighbors[at] {
                    if hops[next] == u32::MAX {
                        hops[next] = hops[at] + 1;
                        open.push_back(next);
                    }
                }
            }
            found.diameter = found.diameter.max(*hops.iter().max().expect("a router"));
            found.sum += hops.into_iter().map(u64::from).sum::<u64>();
        }
        found
    }

    /// Random lifts of all groups of some orders, also after many changes.
    #[test]
    fn distances_are_those_of_a_search_and_images_keep_links() {
        for (order, vertices, degree) in [(6, 3, 3), (8, 2, 4), (16, 1, 3), (21, 2, 4), (2, 9, 3), (16, 3, 5)]
        {
            for (place, group) in Group::of_order(order).into_iter().enumerate() {
                let mut stream = Stream::new(u64::from(order), place as u64);
                let Some(mut graph) = BaseGraph::random(&group, vertices, degree, &mut stream) else {
                    continue;
                };
                for _ in 0..50 {
                    graph.change(&mut stream);
                }
                let (routers, links) = (vertices * order as usize, graph.links());
                assert_eq!(links.len(), routers * degree / 2);
                let by_search = distances(routers, &links);
                let found = DistanceRows::new(&graph).cost(
                    &graph,
                    distances::Aim { diameter: 1, beyond: 0 },
                    f64::INFINITY,
                );
                let Some(found) = found else { continue };
                let sum = found.distances.sum * u64::from(order);
                assert_eq!(LiftDistances { sum, ..found.distances }, by_search, "{group:?}");
                let known: BTreeSet<[u32; 2]> = links.iter().copied().collect();
                for image in graph.images() {
                    for ends in &links {
                        let mut ends = ends.map(|end| image[end as usize]);
                        ends.sort_unstable();
                        assert!(known.contains(&ends), "{group:?}");
                    }
                }
            }
        }
    }

    /// The best graph of 36 routers of degree 3 that is known has diameter 4 and a mean distance of 46 / 15.
    #[test]
    fn the_best_known_graph_of_36_routers_is_found() {
        use fabc_model::{Arcs, GraphSymmetry};
        let free = FreeGraph {
            routers: 36,
            degree: 3,
            arcs: Arcs::Duplex,
            effort: 1,
            seed: 1,
            cable: None,
            symmetry: GraphSymmetry::Auto,
        };
        let best = race(&free).remove(0);
        let found = distances(36, &best.graph.links());
        assert_eq!(found, LiftDistances { diameter: 4, sum: 36 * 35 * 46 / 15 });
    }
}
