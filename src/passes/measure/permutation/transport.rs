//! The transport problem: how much to send between sources and destinations so that it earns most.
//!
//! Every amount between a source and a destination earns so much each. Every endpoint sends at most its
//! supply, and receives at most as much. The method is the primal-dual one of Ford and Fulkerson: prices
//! stay feasible, flows run only where prices are tight, and the cheapest path raises the flow.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// An optimal solution, with the prices that prove it.
#[derive(Clone, Debug)]
pub(super) struct Transport {
    /// Each with its source, destination and amount.
    pub flows: Vec<(usize, usize, u32)>,
    /// `[endpoint]`: its price as a source.
    pub source_prices: Vec<u128>,
    /// `[endpoint]`: its price as a destination.
    pub destination_prices: Vec<u128>,
    supplies: Vec<u32>,
}

/// The state of the method. Vertices below `count` are sources, those from there on destinations.
struct Solver<'a> {
    earned: &'a [Vec<(usize, u128)>],
    count: usize,
    /// `[vertex]`: its price, which never falls below 0.
    prices: Vec<u128>,
    /// `[vertex]`: what it can still send or receive.
    rest: Vec<u32>,
    /// `[destination]`: the sources that send to it, and how much.
    received: Vec<Vec<(usize, u32)>>,
}

/// The end of a cheapest path.
enum PathEnd {
    /// A destination that can receive more.
    Destination(usize),
    /// A source that sends less instead.
    Source(usize),
}

impl Transport {
    /// Solves the problem. `earned[source]` has the destinations with what an amount of 1 earns, ascending.
    pub(super) fn solve(earned: &[Vec<(usize, u128)>], supplies: &[u32]) -> Self {
        let count = supplies.len();
        let largest = |row: &Vec<(usize, u128)>| row.iter().map(|&(_, earned)| earned).max().unwrap_or(0);
        let mut solver = Solver {
            earned,
            count,
            prices: earned.iter().map(largest).chain(std::iter::repeat_n(0, count)).collect(),
            rest: supplies.iter().chain(supplies).copied().collect(),
            received: vec![Vec::new(); count],
        };
        for source in 0..count {
            while solver.rest[source] > 0 && solver.prices[source] > 0 {
                solver.raise(source);
            }
        }
        let Solver { mut prices, received, .. } = solver;
        let destination_prices = prices.split_off(count);
        let flows = received.iter().enumerate().flat_map(|(to, row)| {
            row.iter().filter(|(_, amount)| *amount > 0).map(move |&(from, amount)| (from, to, amount))
        });
        Self {
            flows: flows.collect(),
            source_prices: prices,
            destination_prices,
            supplies: supplies.to_vec(),
        }
    }

    /// What an optimal solution earns. It is the same by prices.
    pub(super) fn value(&self) -> u128 {
        let prices = self.source_prices.iter().zip(&self.destination_prices);
        prices.zip(&self.supplies).map(|((from, to), &supply)| (from + to) * u128::from(supply)).sum()
    }
}

impl Solver<'_> {
    /// Sends more from a source along a cheapest path, or lowers its price to 0.
    fn raise(&mut self, start: usize) {
        let vertices = 2 * self.count;
        let (mut cost, mut before) = (vec![u128::MAX; vertices], vec![usize::MAX; vertices]);
        let (mut done, mut heap) = (vec![false; vertices], BinaryHeap::new());
        cost[start] = 0;
        heap.push(Reverse((0u128, start)));
        // A source may always send less, which costs its price.
        let (mut least, mut end) = (self.prices[start], PathEnd::Source(start));
        while let Some(Reverse((reached, vertex))) = heap.pop() {
            if done[vertex] || reached >= least {
                continue;
            }
            done[vertex] = true;
            if vertex < self.count {
                if reached + self.prices[vertex] < least {
                    (least, end) = (reached + self.prices[vertex], PathEnd::Source(vertex));
                }
                for &(to, earned) in &self.earned[vertex] {
                    let next = self.count + to;
                    let there = reached + self.prices[vertex] + self.prices[next] - earned;
                    if there < cost[next] {
                        (cost[next], before[next]) = (there, vertex);
                        heap.push(Reverse((there, next)));
                    }
                }
            } else if self.rest[vertex] > 0 {
                (least, end) = (reached, PathEnd::Destination(vertex - self.count));
            } else {
                for &(from, _) in self.received[vertex - self.count].iter().filter(|(_, amount)| *amount > 0)
                {
                    if reached < cost[from] {
                        (cost[from], before[from]) = (reached, vertex);
                        heap.push(Reverse((reached, from)));
                    }
                }
            }
        }
        for vertex in (0..vertices).filter(|&vertex| done[vertex] && cost[vertex] < least) {
            let change = least - cost[vertex];
            if vertex < self.count {
                self.prices[vertex] -= change;
            } else {
                self.prices[vertex] += change;
            }
        }
        self.augment(start, end, &before);
    }

    /// Sends as much as possible along the path to its end.
    fn augment(&mut self, start: usize, end: PathEnd, before: &[usize]) {
        let mut path = Vec::new();
        let (mut vertex, mut amount) = match end {
            PathEnd::Source(source) if source == start => return,
            PathEnd::Source(source) => (source, self.rest[start]),
            PathEnd::Destination(to) => (self.count + to, self.rest[start].min(self.rest[self.count + to])),
        };
        let last = vertex;
        while vertex != start {
            let previous = before[vertex];
            if vertex < self.count {
                amount = amount.min(self.sent(vertex, previous - self.count));
            }
            path.push((previous, vertex));
            vertex = previous;
        }
        for (from, to) in path {
            match from < self.count {
                true => *self.sent_mut(from, to - self.count) += amount,
                false => *self.sent_mut(to, from - self.count) -= amount,
            }
        }
        self.rest[start] -= amount;
        match last < self.count {
            true => self.rest[last] += amount,
            false => self.rest[last] -= amount,
        }
    }

    fn sent(&self, from: usize, to: usize) -> u32 {
        self.received[to].iter().find(|(source, _)| *source == from).map_or(0, |(_, amount)| *amount)
    }

    fn sent_mut(&mut self, from: usize, to: usize) -> &mut u32 {
        let row = &mut self.received[to];
        let place = row.iter().position(|(source, _)| *source == from).unwrap_or_else(|| {
            row.push((from, 0));
            row.len() - 1
        });
        &mut row[place].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// All ways to assign, for supplies of 1.
    fn by_trial(earned: &[Vec<(usize, u128)>], source: usize, taken: u32) -> u128 {
        let Some(row) = earned.get(source) else { return 0 };
        let without = by_trial(earned, source + 1, taken);
        let with = row
            .iter()
            .filter(|(to, _)| taken & (1 << to) == 0)
            .map(|&(to, amount)| amount + by_trial(earned, source + 1, taken | 1 << to));
        with.fold(without, u128::max)
    }

    #[test]
    fn a_solution_earns_most_and_its_prices_prove_it() {
        let mut state = 7u64;
        for _ in 0..200 {
            let mut dice = || {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                state >> 33
            };
            let row = |dice: &mut dyn FnMut() -> u64| -> Vec<(usize, u128)> {
                let all = (0..5).map(|to| (to, u128::from(dice() % 6)));
                all.filter(|&(_, earned)| earned > 0).collect()
            };
            let earned: Vec<_> = (0..5).map(|_| row(&mut dice)).collect();
            let solved = Transport::solve(&earned, &[1; 5]);
            assert_eq!(solved.value(), by_trial(&earned, 0, 0), "{earned:?}");
            let amount = |&(from, to, amount): &(usize, usize, u32)| {
                let (_, each) = earned[from].iter().find(|(other, _)| *other == to).unwrap();
                each * u128::from(amount)
            };
            assert_eq!(solved.flows.iter().map(amount).sum::<u128>(), solved.value());
            for (from, row) in earned.iter().enumerate() {
                for &(to, each) in row {
                    assert!(solved.source_prices[from] + solved.destination_prices[to] >= each);
                }
            }
        }
    }
}
