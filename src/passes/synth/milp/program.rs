//! The dualised Leighton-Rao program of a pod, as columns and rows.
//!
//! Input: a [`LinkSet`]. Output: a [`LinearProgram`] whose column 0 is N lambda. Columns 1.. are the
//! choices, and the rest are detour flow. See the module above for the derivation. Flows and lambda are
//! multiplied by the number N of chips, so that optima are of the order of 1.

use super::links::LinkSet;
use crate::solve::{LinearProgram, ProgramColumn, ProgramRow};

/// The column of N lambda.
pub(super) const LAMBDA: usize = 0;

/// The column of a choice.
pub(super) fn column(choice: usize) -> usize {
    1 + choice
}

/// The rows, columns and non-zero weights of a program, counted without building it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct ProgramSize {
    pub(super) rows: usize,
    pub(super) columns: usize,
    pub(super) weights: usize,
}

/// The size of the program of [`flow_program`].
pub(super) fn size(links: &LinkSet) -> ProgramSize {
    let block = links.nodes / links.order;
    let detours = block.saturating_mul(links.arcs().len());
    let rows = block.saturating_mul(links.nodes) / 2 + links.limits.len();
    ProgramSize { rows, columns: 1 + links.choices.len() + detours, weights: detours.saturating_mul(3) }
}

/// The row of every unordered pair of chips up to translation.
pub(super) struct PairRows {
    block: usize,
    order: usize,
    row_of: Vec<usize>,
    pub(super) count: usize,
}

impl PairRows {
    pub(super) fn new(links: &LinkSet) -> Self {
        let (order, block) = (links.order, links.nodes / links.order);
        let mut pairs = Self { block, order, row_of: vec![usize::MAX; block * links.nodes], count: 0 };
        for a in 0..block {
            for b in (0..links.nodes).filter(|&b| b != a) {
                let (forward, back) = (pairs.key(a, b), pairs.key(b, a));
                if pairs.row_of[forward] == usize::MAX {
                    (pairs.row_of[forward], pairs.row_of[back]) = (pairs.count, pairs.count);
                    pairs.count += 1;
                }
            }
        }
        pairs
    }

    fn key(&self, a: usize, b: usize) -> usize {
        let element = (b / self.block + self.order - a / self.block) % self.order;
        (a % self.block * self.order + element) * self.block + b % self.block
    }

    /// The row of a pair of different chips.
    pub(super) fn row(&self, a: usize, b: usize) -> usize {
        self.row_of[self.key(a, b)]
    }
}

/// The program, with `integer` choices or relaxed ones. It has no row about faults.
pub(super) fn flow_program(links: &LinkSet, integer: bool) -> LinearProgram {
    let pairs = PairRows::new(links);
    let block = links.nodes / links.order;
    let scale = links.nodes as f64;
    let mut rows = vec![ProgramRow { terms: Vec::new(), at_most: 0.0 }; pairs.count];
    let mut columns = vec![ProgramColumn { lower: 0.0, upper: f64::INFINITY, integer: false, gain: 1.0 }];
    // The demand of each row.
    let mut demand = vec![0.0; pairs.count];
    for a in 0..block {
        (0..links.nodes).filter(|&b| b != a).for_each(|b| demand[pairs.row(a, b)] += 1.0);
    }
    rows.iter_mut().zip(demand).for_each(|(row, demand)| row.terms.push((LAMBDA, demand)));
    // The capacity: every link seen from its canonical end, in both directions.
    for &[a, b] in links.fixed.iter() {
        let seen = [a, b].into_iter().filter(|&end| end < block).count();
        rows[pairs.row(a, b)].at_most += seen as f64 * scale;
    }
    for choice in &links.choices {
        let mut seen: Vec<(usize, f64)> = Vec::new();
        for &[a, b] in &choice.links {
            let canonical_ends = [a, b].into_iter().filter(|&end| end < block).count();
            seen.push((pairs.row(a, b), canonical_ends as f64));
        }
        for (row, ends) in sum_by_row(seen) {
            rows[row].terms.push((columns.len(), -scale * ends));
        }
        columns.push(ProgramColumn { lower: 0.0, upper: f64::from(choice.max), integer, gain: 0.0 });
    }
    let arcs = links.arcs();
    // Detours: the flow from source s over the arc (u, v), where u and v are not s.
    for source in 0..block {
        for &(u, v) in arcs.iter().filter(|&&(u, v)| u != source && v != source) {
            let terms =
                vec![(pairs.row(source, v), -1.0), (pairs.row(source, u), 1.0), (pairs.row(u, v), 1.0)];
            for (row, weight) in sum_by_row(terms) {
                rows[row].terms.push((columns.len(), weight));
            }
            columns.push(ProgramColumn { lower: 0.0, upper: f64::INFINITY, integer: false, gain: 0.0 });
        }
    }
    for limit in &links.limits {
        rows.push(ProgramRow {
            terms: limit.choices.iter().map(|&choice| (column(choice), 1.0)).collect(),
            at_most: f64::from(limit.max),
        });
    }
    LinearProgram { columns, rows }
}

/// Adds up the terms of each row and drops those that cancel.
fn sum_by_row(mut terms: Vec<(usize, f64)>) -> Vec<(usize, f64)> {
    terms.sort_by_key(|&(row, _)| row);
    let mut sums: Vec<(usize, f64)> = Vec::new();
    for (row, weight) in terms {
        match sums.last_mut() {
            Some((last, sum)) if *last == row => *sum += weight,
            _ => sums.push((row, weight)),
        }
    }
    sums.retain(|&(_, weight)| weight != 0.0);
    sums
}

/// Rows that only integers satisfy. The flow of a source fills at least as many hops as its chips are away
/// in any graph of these degrees (the Moore bound). Among interchangeable chips the first one prefers
/// neighbors of small number.
pub(super) fn integer_rows(links: &LinkSet) -> Vec<ProgramRow> {
    let block = links.nodes / links.order;
    let degree = &links.degree;
    let largest = degree.iter().copied().max().unwrap_or(0).max(1);
    let arcs = links.arcs();
    let mut rows = Vec::new();
    let mut first = 1 + links.choices.len();
    for (source, &own_degree) in degree.iter().enumerate().take(block) {
        let detours = arcs.iter().filter(|&&(u, v)| u != source && v != source).count();
        let hops = moore(links.nodes, own_degree, largest);
        let mut terms: Vec<(usize, f64)> = vec![(LAMBDA, (hops - (links.nodes - 1)) as f64)];
        terms.extend((first..first + detours).map(|column| (column, -1.0)));
        first += detours;
        rows.push(ProgramRow { terms, at_most: 0.0 });
    }
    if links.interchangeable {
        let ocs = links.choices.first().map_or(0, |choice| choice.ocs);
        let of_first: Vec<usize> = (0..links.choices.len())
            .filter(|&at| links.choices[at].ocs == ocs && links.choices[at].links[0][0] == 0)
            .collect();
        for pair in of_first.windows(2) {
            rows.push(ProgramRow {
                terms: vec![(column(pair[1]), 1.0), (column(pair[0]), -1.0)],
                at_most: 0.0,
            });
        }
    }
    rows
}

/// The least sum of distances from a node of this degree to all others, in a graph whose degrees are at most
/// `largest`.
fn moore(nodes: usize, degree: u32, largest: u32) -> usize {
    let (mut remaining, mut level, mut distance, mut sum) = (nodes - 1, degree as usize, 1, 0);
    while remaining > 0 && level > 0 {
        let at_level = level.min(remaining);
        sum += at_level * distance;
        remaining -= at_level;
        distance += 1;
        level = at_level.saturating_mul(largest as usize - 1);
    }
    sum + remaining * distance
}
