//! Rank orders by greedy insertion: turns are allowed in falling priority, each unless it closes a cycle.
//!
//! Input: a [`TurnQuotient`], its turns, a [`TurnPriority`], and turns that are allowed before all others.
//! Output: ranks under which every allowed turn rises. Invariant: the ranks are a topological order of the
//! turns allowed so far.
//!
//! Every turn is first offered within one VC, so that as many turns as possible are allowed in some VC.
//! Then all its changes of VC are offered. Sources: allowed turns of the TONS paper. Online topological
//! order: Pearce & Kelly, "A dynamic topological sort algorithm for directed acyclic graphs" (2006).

use super::dag::{self, Dag};
use super::linear::{TurnGraph, shuffle};
use super::potential::{LoadPotential, ONE};
use super::quotient::{DARK, MEAN_LENGTH, TurnQuotient};
use fabc_model::TurnPriority;
use rand_chacha::ChaCha8Rng;
use rayon::prelude::*;

/// Sweeps of the unconstrained routing behind [`TurnPriority::ChosenPaths`].
const SWEEPS: u32 = 12;

/// The ranks by a priority. The `kept` turns are allowed before all others and must not close a cycle among
/// themselves.
pub(super) fn by_priority(
    quotient: &TurnQuotient,
    graph: &TurnGraph,
    priority: TurnPriority,
    kept: &[u32],
    rng: &mut ChaCha8Rng,
) -> Vec<u32> {
    let mut turns: Vec<u32> = (0..(quotient.classes() * quotient.ports) as u32).collect();
    match priority {
        TurnPriority::Random => shuffle(&mut turns, rng),
        TurnPriority::ChosenPaths => by_use(&mut turns, &chosen_turns(quotient)),
        TurnPriority::AllPaths => by_use(&mut turns, &all_turns(quotient)),
    }
    let vcs = quotient.vcs;
    let mut online = OnlineOrder::new(quotient.symbols());
    for &turn in kept {
        online.try_add(graph.from(turn as usize) as u32, graph.to(turn as usize));
    }
    for in_every_vc in [false, true] {
        for &turn in &turns {
            let (class, port) = (turn as usize / quotient.ports, turn as usize % quotient.ports);
            for (vc, next_vc) in (0..vcs).flat_map(|change| (0..vcs).map(move |vc| (vc, (vc + change) % vcs)))
            {
                let from = class * vcs + vc;
                let to = graph.to(graph.turn(from, port * vcs + next_vc));
                if to != DARK && online.try_add(from as u32, to) && !in_every_vc {
                    break;
                }
            }
        }
    }
    online.rank
}

/// Sorts turn classes by falling use. The smaller number breaks ties.
fn by_use(turns: &mut [u32], used: &[u64]) {
    turns.sort_by_key(|&turn| (std::cmp::Reverse(used[turn as usize]), turn));
}

/// `[channel class * ports + port]`: shortest paths (by hops, from canonical sources) that take the turn.
fn all_turns(quotient: &TurnQuotient) -> Vec<u64> {
    let mut flat = quotient.clone();
    flat.length.iter_mut().filter(|length| **length > 0).for_each(|length| *length = MEAN_LENGTH);
    let dags = dag::near_shortest(&flat, 0);
    let sums = dags.par_iter().map(|dag| {
        let mut used = vec![0u64; quotient.classes() * quotient.ports];
        // The number of paths from the source to a node, and from a node to any node beyond it, itself
        // included.
        let (mut paths_to, mut paths_beyond) = (vec![0u64; quotient.nodes], vec![1u64; quotient.nodes]);
        paths_to[dag.source as usize] = 1;
        for (place, &node) in dag.order.iter().enumerate() {
            paths_to[node as usize] = dag
                .steps_into(place)
                .iter()
                .fold(0, |sum, step| sum.saturating_add(paths_to[step.channel as usize / quotient.ports]));
        }
        for (place, &node) in dag.order.iter().enumerate().rev() {
            for step in dag.steps_into(place) {
                let tail = step.channel as usize / quotient.ports;
                paths_beyond[tail] = paths_beyond[tail].saturating_add(paths_beyond[node as usize]);
            }
        }
        let place = dag.places(quotient.nodes);
        for (head_place, &node) in dag.order.iter().enumerate() {
            for step in dag.steps_into(head_place) {
                let (tail, port) =
                    (step.channel as usize / quotient.ports, step.channel as usize % quotient.ports);
                if tail == dag.source as usize {
                    continue;
                }
                for before in dag.steps_into(place[tail] as usize) {
                    let paths = paths_to[before.channel as usize / quotient.ports]
                        .saturating_mul(paths_beyond[node as usize]);
                    let turn =
                        &mut used[quotient.channel_class(before.channel as usize) * quotient.ports + port];
                    *turn = turn.saturating_add(paths);
                }
            }
        }
        used
    });
    sums.reduce(
        || vec![0; quotient.classes() * quotient.ports],
        |mut sum, more| {
            sum.iter_mut().zip(&more).for_each(|(sum, paths)| *sum = sum.saturating_add(*paths));
            sum
        },
    )
}

/// `[channel class * ports + port]`: routes that take the turn, when routes are chosen for small loads and
/// nothing else.
fn chosen_turns(quotient: &TurnQuotient) -> Vec<u64> {
    let dags = dag::near_shortest(quotient, MEAN_LENGTH / 6);
    let mut load = vec![0u32; quotient.classes()];
    // `[source][place]`: the channels of the route to `order[place]`, last first.
    let mut routes: Vec<Vec<Vec<u32>>> = dags.iter().map(|dag| vec![Vec::new(); dag.order.len()]).collect();
    let lit = quotient.length.iter().filter(|&&length| length > 0).count().max(1);
    let mut width = (dags.len() * quotient.nodes) as f64 / lit as f64 / 4.0;
    for _ in 0..SWEEPS {
        let limit = load.iter().copied().max().unwrap_or(0).max(1);
        let potential = LoadPotential::exponential(limit, width.max(0.5), limit as usize * 2 + 64);
        for (dag, routes) in dags.iter().zip(&mut routes) {
            improve_source(quotient, dag, &potential, &mut load, routes);
        }
        width /= 2.0;
    }
    let mut used = vec![0; quotient.classes() * quotient.ports];
    for route in routes.iter().flatten() {
        for pair in route.windows(2) {
            used[quotient.channel_class(pair[1] as usize) * quotient.ports
                + pair[0] as usize % quotient.ports] += 1;
        }
    }
    used
}

/// Offers every destination of a source the cheapest route at the current prices. It is taken where the
/// potential falls.
fn improve_source(
    quotient: &TurnQuotient,
    dag: &Dag,
    potential: &LoadPotential,
    load: &mut [u32],
    routes: &mut [Vec<u32>],
) {
    let prices: Vec<u64> = load
        .iter()
        .zip(&quotient.slowness)
        .map(|(&load, &slowness)| potential.rise(load, slowness) + ONE / 256)
        .collect();
    let mut nearest = vec![(u64::MAX, 0u32); quotient.nodes];
    nearest[dag.source as usize].0 = 0;
    for (place, &node) in dag.order.iter().enumerate() {
        let candidates = dag.steps_into(place).iter().map(|step| {
            let tail = step.channel as usize / quotient.ports;
            (nearest[tail].0 + prices[quotient.channel_class(step.channel as usize)], step.channel)
        });
        nearest[node as usize] = candidates.min().expect("a step leads to every node");
    }
    for (place, route) in routes.iter_mut().enumerate() {
        for &channel in &*route {
            let class = quotient.channel_class(channel as usize);
            load[class] -= quotient.slowness[class];
        }
        let mut offered = Vec::with_capacity(route.len());
        let mut node = dag.order[place];
        while node != dag.source {
            let channel = nearest[node as usize].1;
            offered.push(channel);
            node = channel / quotient.ports as u32;
        }
        let cost = |route: &[u32]| -> u64 {
            let rise = |&channel: &u32| {
                let class = quotient.channel_class(channel as usize);
                potential.rise(load[class], quotient.slowness[class]) + ONE / 256
            };
            route.iter().map(rise).sum()
        };
        if route.is_empty() || cost(&offered) < cost(route) {
            *route = offered;
        }
        for &channel in &*route {
            let class = quotient.channel_class(channel as usize);
            load[class] += quotient.slowness[class];
        }
    }
}

/// An order of symbols that stays topological while edges are added.
struct OnlineOrder {
    rank: Vec<u32>,
    next: Vec<Vec<u32>>,
    previous: Vec<Vec<u32>>,
    mark: Vec<bool>,
}

impl OnlineOrder {
    fn new(symbols: usize) -> Self {
        Self {
            rank: (0..symbols as u32).collect(),
            next: vec![Vec::new(); symbols],
            previous: vec![Vec::new(); symbols],
            mark: vec![false; symbols],
        }
    }

    /// Adds an edge unless it closes a cycle. Returns whether it was added.
    fn try_add(&mut self, from: u32, to: u32) -> bool {
        let (low, high) = (self.rank[to as usize], self.rank[from as usize]);
        if from == to {
            return false;
        }
        if low < high {
            // Only symbols between the two ranks can be on a new cycle or have to move.
            let Some(forward) = self.collect(to, |rank| rank <= high, true, from) else { return false };
            let backward = self.collect(from, |rank| rank >= low, false, u32::MAX).unwrap_or_default();
            self.reorder(backward, forward);
        }
        self.next[from as usize].push(to);
        self.previous[to as usize].push(from);
        true
    }

    /// The symbols reachable from `start` within some ranks, forward or backward. `None` if `goal` is among
    /// them.
    fn collect(
        &mut self,
        start: u32,
        within: impl Fn(u32) -> bool,
        forward: bool,
        goal: u32,
    ) -> Option<Vec<u32>> {
        let mut reached = vec![start];
        self.mark[start as usize] = true;
        let (mut next_index, mut meets) = (0, false);
        while next_index < reached.len() && !meets {
            let symbol = reached[next_index] as usize;
            next_index += 1;
            for &neighbor in if forward { &self.next[symbol] } else { &self.previous[symbol] } {
                meets |= neighbor == goal;
                if !self.mark[neighbor as usize] && within(self.rank[neighbor as usize]) {
                    self.mark[neighbor as usize] = true;
                    reached.push(neighbor);
                }
            }
        }
        reached.iter().for_each(|&symbol| self.mark[symbol as usize] = false);
        (!meets).then_some(reached)
    }

    /// Redistributes the ranks of both sets: first all symbols that lead to the new edge, then all that
    /// follow it.
    fn reorder(&mut self, mut backward: Vec<u32>, mut forward: Vec<u32>) {
        backward.sort_unstable_by_key(|&symbol| self.rank[symbol as usize]);
        forward.sort_unstable_by_key(|&symbol| self.rank[symbol as usize]);
        backward.extend(forward);
        let mut ranks: Vec<u32> = backward.iter().map(|&symbol| self.rank[symbol as usize]).collect();
        ranks.sort_unstable();
        backward.into_iter().zip(ranks).for_each(|(symbol, rank)| self.rank[symbol as usize] = rank);
    }
}

#[cfg(test)]
mod tests {
    use super::OnlineOrder;

    #[test]
    fn an_edge_that_closes_a_cycle_is_refused_and_the_rest_is_in_order() {
        let mut online = OnlineOrder::new(5);
        let edges = [(3, 1), (1, 0), (4, 3), (0, 2)];
        assert!(edges.iter().all(|&(from, to)| online.try_add(from, to)));
        for (from, to) in [(0, 3), (2, 4), (1, 1), (2, 1)] {
            assert!(!online.try_add(from, to), "{from} -> {to} closes a cycle");
        }
        assert!(
            edges.iter().all(|&(from, to)| online.rank[from as usize] < online.rank[to as usize]),
            "{:?}",
            online.rank
        );
    }
}
