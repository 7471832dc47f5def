//! The relaxation, solved repeatedly. Each time the largest fractions are rounded up and stay.
//!
//! Input: the program of a pod. Output: whole numbers, with the flow of the last program (all choices
//! fixed) and the bound of the first one (none fixed). The smaller number of a choice wins ties. Cost: at
//! most one linear program per `fix` choices, and two more.

use super::links::LinkSet;
use super::program::{LAMBDA, column};
use super::{BestWiring, NoWiring, rounded_choices};
use crate::solve::{self, Ended, LinearProgram, SolveError};

/// The tolerance within which a number counts as whole.
const WHOLE: f64 = 1e-6;

/// Fixes `fix` choices at a time. `programs` counts the programs solved.
pub(super) fn relax(
    links: &LinkSet,
    program: &LinearProgram,
    fix: usize,
    programs: &mut u64,
) -> Result<BestWiring, NoWiring> {
    let mut program = program.clone();
    program.columns.iter_mut().for_each(|column| column.integer = false);
    let mut bound = None;
    loop {
        let point = solve_relaxation(&program, programs)?;
        let bound = *bound.get_or_insert(point[LAMBDA]);
        let mut fractions: Vec<(usize, f64)> = (0..links.choices.len())
            .map(|choice| (choice, point[column(choice)].fract()))
            .filter(|&(_, part)| part > WHOLE && part < 1.0 - WHOLE)
            .collect();
        if fractions.is_empty() {
            let taken = rounded_choices(links, &point);
            for (choice, &times) in taken.iter().enumerate() {
                (program.columns[column(choice)].lower, program.columns[column(choice)].upper) =
                    (f64::from(times), f64::from(times));
            }
            let lambda = solve_relaxation(&program, programs)?[LAMBDA];
            return Ok(BestWiring { taken, lambda, bound, programs: 0, cuts: 0, stopped_by: "fixed" });
        }
        // Fractions are compared in steps of a billionth, so that rounding noise does not decide.
        fractions.sort_by_key(|&(choice, part)| (std::cmp::Reverse((part * 1e9).round() as u64), choice));
        let mut fixed = 0;
        for (choice, _) in fractions {
            if fixed == fix {
                break;
            }
            let lower: Vec<u32> =
                (0..links.choices.len()).map(|choice| program.columns[column(choice)].lower as u32).collect();
            let up = point[column(choice)].ceil() as u32;
            // The first one always fits, because the limits are whole and the relaxation keeps them.
            if up - lower[choice] <= links.room(&lower)[choice] {
                program.columns[column(choice)].lower = f64::from(up);
                fixed += 1;
            }
        }
    }
}

fn solve_relaxation(program: &LinearProgram, programs: &mut u64) -> Result<Vec<f64>, NoWiring> {
    *programs += 1;
    let answer = solve::maximise(program, 0)?;
    match (answer.ended, answer.point) {
        (Ended::Optimal, Some(point)) => Ok(point),
        (Ended::Infeasible, _) => Err(NoWiring::Connected(
            "the links that were rounded up leave no ports to join the parts".to_owned(),
        )),
        (ended, _) => Err(SolveError { reason: format!("a relaxation ended with {ended:?}") }.into()),
    }
}
