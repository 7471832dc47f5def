//! Connection as rows: every set of chips has a link, also while as many OCSes as the budget allows are dark.
//!
//! There are 2^N such rows, so they are found when they are needed: [`violated`] takes a wiring, darkens each
//! OCS (each pair of them, or none) and reads the row off the part of the pod that the first chip still
//! reaches. A cut that no choice can mend yields no row: the pod as declared falls apart, which the check of
//! faults reports at its place in the spec.

use super::links::Links;
use super::program::column;
use crate::solve::Row;

/// A row that this wiring violates and every tolerant one satisfies.
pub(super) fn violated(links: &Links, taken: &[u32], dark: u32) -> Option<Row> {
    // An OCS that is none.
    const NONE: usize = usize::MAX;
    let ocses = links.choices.last().map_or(0, |choice| choice.ocs + 1);
    let singles = (0..ocses).filter(|_| dark == 1).map(|one| (one, one));
    let pairs = (0..ocses)
        .filter(|_| dark >= 2)
        .flat_map(|one| (one + 1..ocses.max(one + 2)).map(move |other| (one, other)));
    // With nothing dark comes last: a wiring that keeps its links in the dark is connected.
    singles.chain(pairs).chain([(NONE, NONE)]).find_map(|(one, other)| {
        let lit = |choice: usize| links.choices[choice].ocs != one && links.choices[choice].ocs != other;
        let part = reached(links, |choice| taken[choice] > 0 && lit(choice));
        let crosses = |&[a, b]: &[usize; 2]| part[a] != part[b];
        if !part.contains(&false) {
            return None;
        }
        let mends = |&choice: &usize| lit(choice) && links.choices[choice].links.iter().any(crosses);
        let terms: Vec<(usize, f64)> =
            (0..links.choices.len()).filter(mends).map(|choice| (column(choice), -1.0)).collect();
        (!terms.is_empty()).then_some(Row { terms, at_most: -1.0 })
    })
}

/// The chips that chip 0 reaches over copper and the choices that count.
fn reached(links: &Links, counts: impl Fn(usize) -> bool) -> Vec<bool> {
    let mut neighbors = vec![Vec::new(); links.nodes];
    let chosen = links
        .choices
        .iter()
        .enumerate()
        .filter(|(choice, _)| counts(*choice))
        .flat_map(|(_, choice)| &choice.links);
    for &[a, b] in links.fixed.iter().chain(chosen) {
        neighbors[a].push(b);
        neighbors[b].push(a);
    }
    let mut seen = vec![false; links.nodes];
    seen[0] = true;
    let mut open = vec![0];
    while let Some(node) = open.pop() {
        for &next in &neighbors[node] {
            if !std::mem::replace(&mut seen[next], true) {
                open.push(next);
            }
        }
    }
    seen
}
