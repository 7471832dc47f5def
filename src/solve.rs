//! The one user of good_lp: linear programs that confirm the combinatorial methods at small sizes.
//!
//! Comes in: a problem as plain numbers. Goes out: its optimum. The default solver is pure Rust; the cargo feature `cbc` takes CBC instead, one thread.

use good_lp::{Expression, ProblemVariables, Solution, SolutionStatus, SolverModel, Variable, variable};
use thiserror::Error;

/// Maximum concurrent flow with uniform demand and unit capacity per channel, on the quotient under a symmetry.
///
/// Without symmetry every node is a source and every channel a class of its own.
#[derive(Clone, Debug)]
pub struct FlowProblem {
    /// Number of nodes.
    pub nodes: usize,
    /// One source per node class.
    pub sources: Vec<usize>,
    /// (from, to, class) of every channel.
    pub channels: Vec<(usize, usize, usize)>,
}

/// Why a linear program has no answer.
#[derive(Clone, PartialEq, Eq, Debug, Error)]
#[error("the solver found no optimum: {reason}")]
pub struct SolveError {
    /// What the solver said.
    pub reason: String,
}

/// The exact maximum concurrent flow: the node-arc linear program, commodities aggregated by source (Shahrokhi & Matula 1990).
///
/// # Errors
/// The solver did not end with an optimum.
pub fn max_concurrent_flow(problem: &FlowProblem) -> Result<f64, SolveError> {
    let mut variables = ProblemVariables::new();
    let lambda = variables.add(variable().min(0));
    let classes = problem.channels.iter().map(|&(_, _, class)| class + 1).max().unwrap_or(0);
    let flows: Vec<Vec<Variable>> =
        problem.sources.iter().map(|_| problem.channels.iter().map(|_| variables.add(variable().min(0))).collect()).collect();
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
        for (_, balance) in balance.into_iter().enumerate().filter(|(node, _)| node != source) {
            model = model.with((balance - lambda).eq(0));
        }
    }
    let mut loads = vec![Expression::default(); classes];
    for flow in &flows {
        for (&variable, &(_, _, class)) in flow.iter().zip(&problem.channels) {
            loads[class] += variable;
        }
    }
    for load in loads {
        model = model.with(load.leq(1));
    }
    let solution = model.solve().map_err(|error| SolveError { reason: error.to_string() })?;
    Ok(solution.value(lambda))
}

/// One path per pair, so that the busiest class carries as little as possible.
#[derive(Clone, Debug)]
pub struct PathChoice {
    /// Number of channel classes.
    pub classes: usize,
    /// `[pair][path]`: the channel classes of each path that the pair may take; at least one path per pair.
    pub pairs: Vec<Vec<Vec<usize>>>,
}

/// Nodes of the search for integers, with the cargo feature `cbc`.
#[cfg(feature = "cbc")]
const INTEGER_NODES: &str = "2000";

/// The least maximum load of a choice of paths; `integral` asks for whole paths, otherwise pairs may split.
///
/// # Errors
/// The solver did not end with an optimum.
pub fn least_max_load(problem: &PathChoice, integral: bool) -> Result<f64, SolveError> {
    let mut variables = ProblemVariables::new();
    let busiest = variables.add(variable().min(0));
    let share = || if integral { variable().binary() } else { variable().min(0) };
    let shares: Vec<Vec<Variable>> = problem.pairs.iter().map(|paths| paths.iter().map(|_| variables.add(share())).collect()).collect();
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
    let mut loads = vec![Expression::default(); problem.classes];
    for (paths, shares) in problem.pairs.iter().zip(&shares) {
        model = model.with(shares.iter().sum::<Expression>().eq(1));
        for (path, &share) in paths.iter().zip(shares) {
            for &class in path {
                loads[class] += share;
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
        }
    }

    #[test]
    fn lp_of_the_diamond_is_4_11() {
        let edges: Vec<(usize, usize)> = (0..2).flat_map(|left| (2..6).map(move |right| (left, right))).collect();
        assert!((max_concurrent_flow(&undirected(6, &edges)).unwrap() - 4.0 / 11.0).abs() < 1e-9);
    }

    #[test]
    fn lp_of_a_ring_is_limited_by_its_cut() {
        // Half of a ring of 4: 2 x 2 pairs each way over 2 channels.
        let ring = undirected(4, &[(0, 1), (1, 2), (2, 3), (3, 0)]);
        assert!((max_concurrent_flow(&ring).unwrap() - 0.5).abs() < 1e-9);
    }

    #[test]
    fn lp_of_two_pairs_on_three_classes_shares_or_avoids() {
        // Pair A: class 0 or classes 1, 2. Pair B: class 0 only. Pair C: class 1 only.
        let pairs = vec![vec![vec![0], vec![1, 2]], vec![vec![0]], vec![vec![1]]];
        let problem = PathChoice { classes: 3, pairs };
        assert!((least_max_load(&problem, false).unwrap() - 1.5).abs() < 1e-9);
        assert!((least_max_load(&problem, true).unwrap() - 2.0).abs() < 1e-9);
    }

    #[test]
    fn lp_of_a_graph_in_two_parts_is_zero() {
        assert!(max_concurrent_flow(&undirected(4, &[(0, 1), (2, 3)])).unwrap().abs() < 1e-9);
    }
}
