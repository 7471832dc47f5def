//! Linear programs that confirm the combinatorial methods at small sizes, and mixed-integer programs. Only
//! this file uses good_lp.
//!
//! Input: a problem as plain numbers. Output: its optimum, or the best point within a number of
//! branch-and-bound nodes. The default solver is pure Rust. The cargo feature `cbc` takes CBC instead, with
//! one thread. Work is limited in nodes, never in seconds. Invariant: a point that [`maximise`] returns was
//! checked here against every bound, row and integrality, whatever the solver said about it.

use good_lp::{Expression, ProblemVariables, Solution, SolutionStatus, SolverModel, Variable, variable};
use thiserror::Error;

/// Whether this build solves with CBC (feature `cbc`) or with the pure-Rust solver.
pub const CBC: bool = cfg!(feature = "cbc");

/// How far a point may miss a row, a bound or an integer.
const TOLERANCE: f64 = 1e-6;

/// A linear program to be maximised. It is mixed-integer if some columns are `integer`.
#[derive(Clone, Default, Debug)]
pub struct LinearProgram {
    /// The variables of the program.
    pub columns: Vec<ProgramColumn>,
    /// The constraints of the program.
    pub rows: Vec<ProgramRow>,
}

/// A variable of a [`LinearProgram`].
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct ProgramColumn {
    /// Smallest value of the variable.
    pub lower: f64,
    /// Largest value, which may be infinite.
    pub upper: f64,
    /// Whether only integers are allowed.
    pub integer: bool,
    /// Weight of the variable in the objective.
    pub gain: f64,
}

/// The constraint `sum of weight * column <= at_most`. Each column occurs at most once.
#[derive(Clone, PartialEq, Debug)]
pub struct ProgramRow {
    /// (column, weight) of each term.
    pub terms: Vec<(usize, f64)>,
    /// The right-hand side of the constraint.
    pub at_most: f64,
}

/// The reason why a solver stopped.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// The point is an optimum, within the tolerance of the solver.
    Optimal,
    /// The program has no point.
    Infeasible,
    /// All nodes are used up.
    NodeLimit,
}

/// The result of a call of [`maximise`].
#[derive(Clone, PartialEq, Debug)]
pub struct Answer {
    /// The reason why the solver stopped.
    pub ended: Ended,
    /// The best point, one value per column. Integers are exact.
    pub point: Option<Vec<f64>>,
    /// According to the solver, no point has a larger objective.
    pub bound: f64,
}

/// Solves a program within `nodes` nodes of branch and bound. A program without integers needs no node.
///
/// # Errors
/// The solver failed: unbounded, abandoned, or a claimed optimum that violates the program.
pub fn maximise(program: &LinearProgram, nodes: u32) -> Result<Answer, SolveError> {
    let mut variables = ProblemVariables::new();
    let columns: Vec<Variable> = program
        .columns
        .iter()
        .map(|column| {
            let definition = variable().min(column.lower).max(column.upper);
            variables.add(if column.integer { definition.integer() } else { definition })
        })
        .collect();
    let sum = |terms: &mut dyn Iterator<Item = (usize, f64)>| {
        let mut sum = Expression::default();
        terms.for_each(|(column, weight)| sum.add_mul(weight, columns[column]));
        sum
    };
    let gains = program.columns.iter().enumerate().filter(|(_, column)| column.gain != 0.0);
    // The program is minimised with the opposite sign. CBC's bound is then a lower one, whatever its
    // convention for maximisation is.
    let unsolved = variables.minimise(sum(&mut gains.map(|(index, column)| (index, -column.gain))));
    let rows = program.rows.iter().map(|row| sum(&mut row.terms.iter().copied()).leq(row.at_most));
    let mut answer = backend::minimise(unsolved, rows, nodes)?;
    answer.bound = -answer.bound;
    answer.point = answer.point.and_then(|point| program.checked_point(point));
    if answer.ended == Ended::Optimal && answer.point.is_none() {
        return Err(SolveError { reason: "its optimum violates the program".to_owned() });
    }
    Ok(answer)
}

impl LinearProgram {
    /// The point with integers rounded, if it satisfies every bound and row.
    fn checked_point(&self, mut point: Vec<f64>) -> Option<Vec<f64>> {
        for (value, column) in point.iter_mut().zip(&self.columns) {
            if column.integer {
                let rounded = value.round();
                if (*value - rounded).abs() > TOLERANCE * 10.0 {
                    return None;
                }
                *value = rounded;
            }
            if *value < column.lower - TOLERANCE || *value > column.upper + TOLERANCE {
                return None;
            }
            *value = value.clamp(column.lower, column.upper);
        }
        let holds = |row: &ProgramRow| {
            let sum: f64 = row.terms.iter().map(|&(column, weight)| weight * point[column]).sum();
            let size: f64 = row.terms.iter().map(|&(column, weight)| (weight * point[column]).abs()).sum();
            sum <= row.at_most + TOLERANCE * 10.0 * (1.0 + size)
        };
        (point.len() == self.columns.len() && self.rows.iter().all(holds)).then_some(point)
    }

    /// The value of the objective at a point.
    pub fn objective(&self, point: &[f64]) -> f64 {
        self.columns.iter().zip(point).map(|(column, value)| column.gain * value).sum()
    }
}

#[cfg(feature = "cbc")]
mod backend {
    use super::{Answer, Ended, SolveError};
    use good_lp::{Constraint, SolverModel, variable::UnsolvedProblem};

    pub(super) fn minimise(
        problem: UnsolvedProblem,
        rows: impl Iterator<Item = Constraint>,
        nodes: u32,
    ) -> Result<Answer, SolveError> {
        let mut model = problem.using(good_lp::coin_cbc);
        for row in rows {
            model.add_constraint(row);
        }
        for (key, value) in [("logLevel", "0"), ("threads", "1"), ("maxNodes", &*nodes.to_string())] {
            model.set_parameter(key, value);
        }
        // Bypasses good_lp, which drops the incumbent of a run that stopped at its node limit.
        let solution = model.as_inner().solve();
        let raw = solution.raw();
        let failed = |reason: &str| Err(SolveError { reason: reason.to_owned() });
        let point = || Some(raw.col_solution().to_vec());
        if raw.is_abandoned() {
            failed("abandoned")
        } else if raw.is_proven_infeasible() {
            Ok(Answer { ended: Ended::Infeasible, point: None, bound: f64::INFINITY })
        } else if raw.is_continuous_unbounded() {
            failed("unbounded")
        } else if raw.is_proven_optimal() {
            Ok(Answer { ended: Ended::Optimal, point: point(), bound: raw.obj_value() })
        } else if raw.is_node_limit_reached() {
            Ok(Answer { ended: Ended::NodeLimit, point: point(), bound: raw.best_possible_value() })
        } else {
            failed("stopped for a reason that it does not name")
        }
    }
}

#[cfg(not(feature = "cbc"))]
mod backend {
    use super::{Answer, Ended, SolveError};
    use good_lp::{Constraint, ResolutionError, SolverModel, variable::UnsolvedProblem};

    pub(super) fn minimise(
        problem: UnsolvedProblem,
        rows: impl Iterator<Item = Constraint>,
        nodes: u32,
    ) -> Result<Answer, SolveError> {
        let mut model = problem.using(good_lp::microlp);
        for row in rows {
            model.add_constraint(row);
        }
        // Bypasses good_lp, which has no node limit for this solver.
        let solve = |options| model.as_inner().solve_with(options);
        let outcome = match with(solve, |options| options.node_limit = Some(u64::from(nodes))) {
            Ok(outcome) => outcome,
            Err(error) => {
                return match ResolutionError::from(error) {
                    ResolutionError::Infeasible => {
                        Ok(Answer { ended: Ended::Infeasible, point: None, bound: f64::INFINITY })
                    }
                    error => Err(SolveError { reason: error.to_string() }),
                };
            }
        };
        let ended = if outcome.is_optimal() { Ended::Optimal } else { Ended::NodeLimit };
        let bound = outcome.stats().best_bound.unwrap_or(f64::NEG_INFINITY);
        let point = outcome.solution().map(|solution| solution.iter().map(|(_, value)| value).collect());
        Ok(Answer { ended, point, bound })
    }

    /// Calls with changed default options. The type of the options has no public name in good_lp.
    fn with<Options: Default, R>(call: impl FnOnce(Options) -> R, change: impl FnOnce(&mut Options)) -> R {
        let mut options = Options::default();
        change(&mut options);
        call(options)
    }
}

/// A maximum concurrent flow problem, on the quotient under a symmetry.
///
/// Without symmetry every node is a source and every channel is a class of its own. A symmetry must preserve
/// the demand.
#[derive(Clone, Debug)]
pub struct FlowProblem {
    /// Number of nodes of the network.
    pub nodes: usize,
    /// One source per node class.
    pub sources: Vec<usize>,
    /// (from, to, class) of every channel.
    pub channels: Vec<(usize, usize, usize)>,
    /// `[class]`: capacity of its channels. Classes beyond the end have capacity 1.
    pub capacities: Vec<f64>,
}

/// Why a linear program has no answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the solver found no optimum: {reason}")]
pub struct SolveError {
    /// The reason that the solver gave.
    pub reason: String,
}

/// The exact maximum concurrent flow: the node-arc linear program with commodities aggregated by source
/// (Shahrokhi & Matula 1990).
///
/// `weight(s, t)` times lambda is the flow from source s to node t. It is 1 for uniform demand. It is never
/// called for a pair (s, s).
///
/// # Errors
/// The solver did not end with an optimum.
pub fn max_concurrent_flow(
    problem: &FlowProblem,
    weight: impl Fn(usize, usize) -> u32,
) -> Result<f64, SolveError> {
    let mut variables = ProblemVariables::new();
    let lambda = variables.add(variable().min(0));
    let classes = problem.channels.iter().map(|&(_, _, class)| class + 1).max().unwrap_or(0);
    let flows: Vec<Vec<Variable>> = problem
        .sources
        .iter()
        .map(|_| problem.channels.iter().map(|_| variables.add(variable().min(0))).collect())
        .collect();
    #[cfg(feature = "cbc")]
    let mut model = {
        let mut model = variables.maximise(lambda).using(good_lp::coin_cbc);
        model.set_parameter("logLevel", "0");
        model.set_parameter("threads", "1");
        model
    };
    #[cfg(not(feature = "cbc"))]
    let mut model = variables.maximise(lambda).using(good_lp::microlp);
    for (source, flow) in problem.sources.iter().zip(&flows) {
        let mut balance = vec![Expression::default(); problem.nodes];
        for (&variable, &(from, to, _)) in flow.iter().zip(&problem.channels) {
            balance[to] += variable;
            balance[from] -= variable;
        }
        for (node, mut balance) in balance.into_iter().enumerate().filter(|(node, _)| node != source) {
            balance.add_mul(-f64::from(weight(*source, node)), lambda);
            model = model.with(balance.eq(0));
        }
    }
    let mut loads = vec![Expression::default(); classes];
    for flow in &flows {
        for (&variable, &(_, _, class)) in flow.iter().zip(&problem.channels) {
            loads[class] += variable;
        }
    }
    for (class, load) in loads.into_iter().enumerate() {
        model = model.with(load.leq(problem.capacities.get(class).copied().unwrap_or(1.0)));
    }
    let solution = model.solve().map_err(|error| SolveError { reason: error.to_string() })?;
    Ok(solution.value(lambda))
}

/// A choice of one path per pair that minimises the load of the busiest class.
#[derive(Clone, Debug)]
pub struct PathChoiceProblem {
    /// `[channel class]`: load of a path over a channel of the class.
    pub slowness: Vec<f64>,
    /// `[pair][path]`: the channel classes of each path that the pair may take. Every pair has at least one
    /// path.
    pub pairs: Vec<Vec<Vec<usize>>>,
}

/// Limit on nodes of the search for integers, with the cargo feature `cbc`.
#[cfg(feature = "cbc")]
const INTEGER_NODES: &str = "2000";

/// The least maximum load of a choice of paths. With `integral` every pair takes one path, otherwise pairs
/// may split.
///
/// # Errors
/// The solver did not end with an optimum.
pub fn least_max_load(problem: &PathChoiceProblem, integral: bool) -> Result<f64, SolveError> {
    let mut variables = ProblemVariables::new();
    let busiest = variables.add(variable().min(0));
    let share = || if integral { variable().binary() } else { variable().min(0) };
    let shares: Vec<Vec<Variable>> =
        problem.pairs.iter().map(|paths| paths.iter().map(|_| variables.add(share())).collect()).collect();
    #[cfg(feature = "cbc")]
    let mut model = {
        let mut model = variables.minimise(busiest).using(good_lp::coin_cbc);
        model.set_parameter("logLevel", "0");
        model.set_parameter("threads", "1");
        model.set_parameter("maxNodes", INTEGER_NODES);
        model
    };
    #[cfg(not(feature = "cbc"))]
    let mut model = variables.minimise(busiest).using(good_lp::microlp);
    let mut loads = vec![Expression::default(); problem.slowness.len()];
    for (paths, shares) in problem.pairs.iter().zip(&shares) {
        model = model.with(shares.iter().sum::<Expression>().eq(1));
        for (path, &share) in paths.iter().zip(shares) {
            for &class in path {
                loads[class] += problem.slowness[class] * share;
            }
        }
    }
    for load in loads {
        model = model.with((load - busiest).leq(0));
    }
    let solution = model.solve().map_err(|error| SolveError { reason: error.to_string() })?;
    if !matches!(solution.status(), SolutionStatus::Optimal) {
        return Err(SolveError { reason: "the search was cut short".to_owned() });
    }
    Ok(solution.value(busiest))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn undirected(nodes: usize, edges: &[(usize, usize)]) -> FlowProblem {
        let both = edges.iter().flat_map(|&(a, b)| [(a, b), (b, a)]);
        FlowProblem {
            nodes,
            sources: (0..nodes).collect(),
            channels: both.enumerate().map(|(class, (from, to))| (from, to, class)).collect(),
            capacities: Vec::new(),
        }
    }

    fn column(upper: f64, integer: bool, gain: f64) -> ProgramColumn {
        ProgramColumn { lower: 0.0, upper, integer, gain }
    }

    /// Seven objects of odd weights in a sack that no choice fills: the relaxation is 1 better than the
    /// optimum.
    fn sack() -> LinearProgram {
        let weights = [10.0, 12.0, 14.0, 16.0, 18.0, 20.0, 22.0];
        LinearProgram {
            columns: weights.map(|weight| column(1.0, true, weight)).to_vec(),
            rows: vec![ProgramRow { terms: weights.into_iter().enumerate().collect(), at_most: 55.0 }],
        }
    }

    #[test]
    fn lp_with_integers_differs_from_its_relaxation() {
        let mut program = sack();
        let answer = maximise(&program, 10_000).unwrap();
        assert_eq!(answer.ended, Ended::Optimal);
        assert!((answer.bound - 54.0).abs() < 1e-6, "{answer:?}");
        assert!((program.objective(&answer.point.unwrap()) - 54.0).abs() < 1e-6);
        program.columns.iter_mut().for_each(|column| column.integer = false);
        let relaxed = maximise(&program, 0).unwrap();
        assert!((program.objective(&relaxed.point.unwrap()) - 55.0).abs() < 1e-6);
    }

    #[test]
    fn lp_without_a_point_is_infeasible() {
        let mut program = sack();
        program.rows.push(ProgramRow { terms: vec![(0, -1.0), (1, -1.0)], at_most: -3.0 });
        assert_eq!(maximise(&program, 10).unwrap().ended, Ended::Infeasible);
    }

    #[test]
    fn lp_at_its_node_limit_keeps_a_bound_and_claims_no_false_point() {
        // Odd cycles: each of 9 pairwise disjoint triangles allows one of its three corners, the relaxation
        // 3/2.
        let mut program = LinearProgram { columns: vec![column(1.0, true, 1.0); 27], rows: Vec::new() };
        for triangle in 0..9 {
            for (a, b) in [(0, 1), (1, 2), (0, 2)] {
                program.rows.push(ProgramRow {
                    terms: vec![(3 * triangle + a, 1.0), (3 * triangle + b, 1.0)],
                    at_most: 1.0,
                });
            }
        }
        let answer = maximise(&program, 1).unwrap();
        assert!(answer.bound >= 9.0 - 1e-6 && answer.bound <= 13.5 + 1e-6, "{answer:?}");
        if let Some(point) = &answer.point {
            assert!(program.objective(point) <= 9.0 + 1e-6);
        }
        assert!(answer.ended == Ended::NodeLimit || answer.bound < 9.0 + 1e-6, "{answer:?}");
    }

    #[test]
    fn lp_of_the_diamond_is_4_11() {
        let edges: Vec<(usize, usize)> =
            (0..2).flat_map(|left| (2..6).map(move |right| (left, right))).collect();
        assert!((max_concurrent_flow(&undirected(6, &edges), |_, _| 1).unwrap() - 4.0 / 11.0).abs() < 1e-9);
    }

    #[test]
    fn lp_of_a_ring_is_limited_by_its_cut() {
        // Half of a ring of 4: 2 x 2 pairs each way over 2 channels.
        let ring = undirected(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
        assert!((max_concurrent_flow(&ring, |_, _| 1).unwrap() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn lp_of_a_ring_follows_the_weights() {
        // Chip 0 sends 3 to its neighbor 1 and 1 to chip 2, chip 3 sends 2 to chip 0; over two channels out
        // of chip 0 go 4, and no cut is tighter: the 3 may also go the long way round.
        let ring = undirected(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
        let weight = |from: usize, to: usize| match (from, to) {
            (0, 1) => 3,
            (0, 2) => 1,
            (3, 0) => 2,
            _ => 0,
        };
        assert!((max_concurrent_flow(&ring, weight).unwrap() - 0.5).abs() < 1e-9);
        // Twice the demand, half the rate.
        assert!((max_concurrent_flow(&ring, |from, to| 2 * weight(from, to)).unwrap() - 0.25).abs() < 1e-9);
    }

    #[test]
    fn lp_of_two_pairs_on_three_classes_shares_or_avoids() {
        // Pair A: class 0 or classes 1, 2. Pair B: class 0 only. Pair C: class 1 only.
        let pairs = vec![vec![vec![0], vec![1, 2]], vec![vec![0]], vec![vec![1]]];
        let problem = PathChoiceProblem { slowness: vec![1.0; 3], pairs };
        assert!((least_max_load(&problem, false).unwrap() - 1.5).abs() < 1e-9);
        assert!((least_max_load(&problem, true).unwrap() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn lp_of_a_graph_in_two_parts_is_zero() {
        assert!(max_concurrent_flow(&undirected(4, &[(0, 1), (2, 3)]), |_, _| 1).unwrap().abs() < 1e-9);
    }
}
