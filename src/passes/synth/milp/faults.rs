//! Connection as rows: every set of chips has a link, even while as many OCSes as the budget allows are
//! dark.
//!
//! There are 2^N such rows, so they are found on demand. [`violated_cut`] takes a wiring and darkens each
//! OCS (each pair of them, or none). It reads the row off the part of the pod that the first chip still
//! reaches. A cut that no choice can cross yields no row. Then the declared pod is disconnected, which the
//! check of faults reports at its place in the spec.

use super::links::LinkSet;
use super::program::column;
use crate::solve::ProgramRow;

/// A row that this wiring violates and every tolerant one satisfies.
pub(super) fn violated_cut(links: &LinkSet, taken: &[u32], dark: u32) -> Option<ProgramRow> {
    // An OCS number that stands for no OCS.
    const NONE: usize = usize::MAX;
    let ocses = links.choices.last().map_or(0, |choice| choice.ocs + 1);
    let singles = (0..ocses).filter(|_| dark == 1).map(|first_dark| (first_dark, first_dark));
    let pairs = (0..ocses).filter(|_| dark >= 2).flat_map(|first_dark| {
        (first_dark + 1..ocses.max(first_dark + 2)).map(move |second_dark| (first_dark, second_dark))
    });
    // The case without dark OCSes comes last, because a wiring that keeps its links in the dark is
    // connected.
    singles.chain(pairs).chain([(NONE, NONE)]).find_map(|(first_dark, second_dark)| {
        let lit = |choice: usize| {
            links.choices[choice].ocs != first_dark && links.choices[choice].ocs != second_dark
        };
        let part = reached(links, |choice| taken[choice] > 0 && lit(choice));
        let crosses = |&[a, b]: &[usize; 2]| part[a] != part[b];
        if !part.contains(&false) {
            return None;
        }
        let mends = |&choice: &usize| lit(choice) && links.choices[choice].links.iter().any(crosses);
        let terms: Vec<(usize, f64)> =
            (0..links.choices.len()).filter(mends).map(|choice| (column(choice), -1.0)).collect();
        (!terms.is_empty()).then_some(ProgramRow { terms, at_most: -1.0 })
    })
}

/// `[chip]`: whether chip 0 reaches it over copper and the choices that count.
fn reached(links: &LinkSet, counts: impl Fn(usize) -> bool) -> Vec<bool> {
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
