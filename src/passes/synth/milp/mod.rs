//! Topologies from the dualised Leighton-Rao program: mixed-integer (`method = milp`), or relaxed and fixed
//! step by step (`method = relax`).
//!
//! In: a pod. Out: fibers, the flow that the program proves for them, and a bound that no other wiring of the
//! same kind exceeds. For small pods. Invariant: what is returned was checked against every row of the
//! program, with whole links.
//!
//! # The program
//! For a given graph with x(u,v) links between u and v, uniform demand and unit channels, the maximum
//! concurrent flow lambda is, by duality (Shahrokhi and Matula 1990; Leighton and Rao 1999), the least volume
//! of a metric:
//! ```text
//! lambda = min sum over channels (u,v) of x(u,v) d(u,v)
//!          such that sum over ordered pairs of d = 1, d a metric.
//! ```
//! There x is a factor of d; to choose x as well, the inner minimum is turned into the maximum of its dual,
//! which is linear in x.
//!
//! *One leg.* Of the triangles d(s,v) <= d(s,u) + d(u,v) it is enough to keep those whose second leg (u,v) is
//! a link that the pod may have. With fewer triangles the minimum could only fall; but let d satisfy these,
//! and put d' = the shortest path in lengths d(u,v) over possible links. Then d' is a metric, d' >= d
//! everywhere (walk the path link by link), and d' <= d on every possible link, where alone x may be
//! positive: same volume or less, and a larger sum to divide by.
//!
//! *Link symmetry.* Channels come in pairs, so d(u,v) = d(v,u) may be assumed: the mean of an optimal metric
//! and its mirror is optimal. One row per unordered pair is left.
//!
//! *Dualised.* The dual variable of the triangle (s; u,v) is f(s,u,v), the flow from s that takes the link
//! (u,v) with u, v other than s; what s sends over its own links is the rest of their capacity. The dual
//! constraint of d(a,b) is the row of the pair:
//! ```text
//! lambda <= x(a,b) + sum over u of f(a,u,b) - sum over w of f(a,b,w) - sum over s of f(s,a,b)
//!           (added up over (a,b) and (b,a))
//! ```
//! direct capacity, plus what reaches b on detours, less what travels on from b, less what others take of the
//! link.
//!
//! # Which row is which
//! The TONS paper (Green and Thottethodi, arXiv 2605.27963) is known to us by its abstract and results: a
//! linear program for topologies that maximises a throughput proxy, symmetry reductions, and a constraint for
//! dark switches. Its numbering of constraints is not, so rows go by name: degree and OCS matching: one
//! [`links::Limit`] per chip and side of an OCS (each port one link, any such numbers can be wired); links
//! within a cube: constants on the right-hand side; link symmetry, one leg, normalization (the coefficient of
//! lambda): as above; translation symmetry: one shift per OCS out of a cyclic group, rows and flows for the
//! chips of cube 0 only, every link seen from there; fault tolerance: `faults.rs`, every set of chips keeps a
//! link through an OCS that is not dark. Two kinds of rows are ours and hold for whole links only: hops (the
//! Moore bound) and an order among interchangeable chips.
//!
//! Cost: N^2 / 2 rows and N times the possible channels columns, both divided by the number of cubes under
//! symmetry.

mod faults;
mod links;
mod program;
mod relax;
#[cfg(test)]
mod tests;

use super::SynthError;
use crate::solve::{self, Ended, Program, Row, SolveError};
use fabc_base::progress::Progress;
use fabc_model::{Fabric, FacePort, Pod, SynthesisMethod};
use links::Links;
pub(super) use links::asymmetry;
use program::{LAMBDA, Size, column};

/// Fibers that a program settled on.
pub(super) struct Solved {
    pub(super) fibers: Vec<[FacePort; 2]>,
    pub(super) counters: Vec<(String, u64)>,
    /// `optimal` (proved), `node_limit` (branch and bound left a gap), `cut_limit`, or `fixed` (relaxed and
    /// rounded).
    pub(super) stopped_by: &'static str,
    /// Flow, bound and gap in words.
    pub(super) note: String,
}

/// The largest program that this build tries. With CBC, two cubes of 64 chips under symmetry (61,537 columns)
/// relax in 6 CPU seconds a round, but branch and bound does not finish a single node there in minutes: only
/// node counts are limited, so such a program must not start. The pure-Rust solver is for toys.
fn limit(method: SynthesisMethod) -> Size {
    match (solve::CBC, method) {
        (true, SynthesisMethod::Milp { .. }) => Size { rows: 1_000, columns: 10_000, weights: 30_000 },
        (true, _) => Size { rows: 5_000, columns: 80_000, weights: 240_000 },
        (false, _) => Size { rows: 70, columns: 1_500, weights: 4_500 },
    }
}

/// Why there is no wiring.
#[derive(Debug)]
enum NoWiring {
    /// The solver failed.
    Solver(SolveError),
    /// No wiring was found that is connected, also under the faults of the budget: this stopped the search.
    Connected(String),
}

impl From<SolveError> for NoWiring {
    fn from(error: SolveError) -> Self {
        NoWiring::Solver(error)
    }
}

/// Rounds of solving, looking for parts of the pod that no link joins, and forbidding that cut.
const CUT_ROUNDS: usize = 100;

/// The topology by `method`, which is not the search.
///
/// # Errors
/// [`SynthError::Unsolved`] where the program exceeds what the solver of this build is given, or where the
/// solver fails; [`SynthError::Unconnected`] where no connected wiring was found.
pub(super) fn synthesize(
    fabric: &Fabric,
    pod: &Pod,
    method: SynthesisMethod,
    symmetric: bool,
    progress: &dyn Progress,
) -> Result<Solved, SynthError> {
    let (links, size) = sized(pod, method, symmetric)?;
    let (fix, nodes) = match method {
        SynthesisMethod::Relax { fix } => (fix as usize, None),
        SynthesisMethod::Milp { nodes } => (links.choices.len().div_ceil(START_ROUNDS), Some(nodes)),
        SynthesisMethod::Search => unreachable!("the search needs no program"),
    };
    let dark = fabric.budget.faults.dark_ocses();
    let best = optimise(&links, dark, fix, nodes, progress).map_err(|error| match error {
        NoWiring::Solver(SolveError { reason }) => {
            unsolved(pod, method, symmetric, size, format!("failed: {reason}"))
        }
        NoWiring::Connected(reason) => unconnected(pod, method, dark, reason),
    })?;
    let counters = [
        ("rows", size.rows as u64),
        ("columns", size.columns as u64),
        ("choices", links.choices.len() as u64),
        ("programs", best.programs),
        ("fault_cuts", best.cuts),
    ];
    let counters = counters.map(|(name, count)| (name.to_owned(), count)).to_vec();
    let note = best.note(&links);
    Ok(Solved { fibers: links.fibers(pod, &best.taken), counters, stopped_by: best.stopped_by, note })
}

/// Whether the solver of this build is given such a program.
///
/// # Errors
/// [`SynthError::Unsolved`] where it is not.
pub(super) fn affordable(pod: &Pod, method: SynthesisMethod, symmetric: bool) -> Result<(), SynthError> {
    sized(pod, method, symmetric).map(|_| ())
}

/// The links that the program chooses among, and its size.
///
/// # Errors
/// [`SynthError::Unsolved`] where that exceeds what the solver of this build is given.
fn sized(pod: &Pod, method: SynthesisMethod, symmetric: bool) -> Result<(Links, Size), SynthError> {
    let limit = limit(method);
    let fits = |size: Size| {
        let fits = size.rows <= limit.rows && size.columns <= limit.columns && size.weights <= limit.weights;
        let refused =
            || unsolved(pod, method, symmetric, size, format!("is given no more than {}", written(limit)));
        if fits { Ok(()) } else { Err(refused()) }
    };
    // Before anything of that size is in memory.
    fits(least(pod, symmetric))?;
    let links = if symmetric { Links::by_shift(pod) } else { Links::by_pair(pod) };
    let size = program::size(&links);
    fits(size)?;
    Ok((links, size))
}

/// Steps of the relaxation that gives `milp` its first topology.
const START_ROUNDS: usize = 8;

/// The best numbers found.
#[derive(Clone, Debug)]
struct Best {
    /// How often each choice is taken.
    taken: Vec<u32>,
    /// N times the concurrent flow that the program proves for it.
    lambda: f64,
    /// N times a flow that nothing exceeds: the first relaxation, or what branch and bound leaves.
    bound: f64,
    programs: u64,
    cuts: u64,
    stopped_by: &'static str,
}

impl Best {
    fn nothing(links: &Links) -> Self {
        Self {
            taken: vec![0; links.choices.len()],
            lambda: 0.0,
            bound: f64::INFINITY,
            programs: 0,
            cuts: 0,
            stopped_by: "node_limit",
        }
    }

    fn note(&self, links: &Links) -> String {
        let per_pair = |scaled: f64| format!("{:.9}", scaled.max(0.0) / links.nodes as f64);
        let kind =
            if links.order == 1 { "wiring of these OCSes" } else { "choice of one cyclic shift per OCS" };
        let (flow, bound) = (per_pair(self.lambda), per_pair(self.bound));
        if self.stopped_by == "optimal" {
            return format!(
                "proved optimal: the flow is {flow}, and no {kind} has more (solver tolerance 1e-6)"
            );
        }
        let gap = (self.bound / self.lambda.max(1e-9) - 1.0).max(0.0) * 100.0;
        format!("the flow is {flow}; no {kind} has more than {bound}, a gap of {gap:.2} %")
    }
}

/// Relaxes and fixes; with `nodes`, that is the start of branch and bound.
fn optimise(
    links: &Links,
    dark: u32,
    fix: usize,
    nodes: Option<u32>,
    progress: &dyn Progress,
) -> Result<Best, NoWiring> {
    let mut cuts: Vec<Row> = Vec::new();
    let mut programs = 0;
    let base = program::flow_program(links, true);
    let strengthened = program::integer_rows(links);
    progress.begin("synthesize", 2);
    // Cuts hold for every wiring, so those that the start needs stay.
    let mut best = loop {
        let mut relaxed = base.clone();
        relaxed.rows.extend(cuts.iter().cloned());
        let best = match relax::relax(links, &relaxed, fix, &mut programs) {
            Ok(best) => best,
            // Branch and bound needs no start; the relaxation may round itself into a corner that the cuts
            // forbid.
            Err(_) if nodes.is_some() => break Best::nothing(links),
            Err(error) => return Err(error),
        };
        match faults::violated(links, &best.taken, dark) {
            Some(cut) if cuts.len() < CUT_ROUNDS => cuts.push(cut),
            Some(_) if nodes.is_some() => break Best { bound: best.bound, ..Best::nothing(links) },
            Some(_) => return Err(too_many_cuts()),
            None => break best,
        }
    };
    progress.advance();
    if let Some(nodes) = nodes {
        let mut whole = base;
        whole.rows.extend(strengthened);
        whole.rows.extend(cuts.iter().cloned());
        (best.stopped_by, best.bound) =
            branch(links, whole, dark, nodes, &mut best, &mut cuts, &mut programs)?;
    }
    progress.end();
    Ok(Best { programs, cuts: cuts.len() as u64, ..best })
}

fn too_many_cuts() -> NoWiring {
    NoWiring::Connected(format!("after {CUT_ROUNDS} cuts the wiring was still in parts"))
}

/// How much better than the start, relatively, branch and bound must be.
const STEP: f64 = 1e-6;

/// Branch and bound from a start; returns why it stopped and the bound that it leaves.
fn branch(
    links: &Links,
    mut whole: Program,
    dark: u32,
    nodes: u32,
    best: &mut Best,
    cuts: &mut Vec<Row>,
    programs: &mut u64,
) -> Result<(&'static str, f64), NoWiring> {
    whole.columns[LAMBDA].lower = best.lambda * (1.0 + STEP);
    let nothing = best.lambda == 0.0;
    loop {
        *programs += 1;
        let answer = solve::maximise(&whole, nodes)?;
        let point = answer.point.as_deref().map(|point| (taken(links, point), point[LAMBDA]));
        let stopped_by = match answer.ended {
            Ended::Infeasible if nothing => return Err(NoWiring::Connected("there is none".to_owned())),
            Ended::Infeasible => return Ok(("optimal", best.lambda)),
            Ended::Optimal => "optimal",
            Ended::NodeLimit => "node_limit",
        };
        let Some((taken, lambda)) = point else {
            if nothing {
                return Err(NoWiring::Connected(format!(
                    "there is none within {nodes} nodes of branch and bound"
                )));
            }
            return Ok((stopped_by, answer.bound.min(best.bound).max(best.lambda)));
        };
        match faults::violated(links, &taken, dark) {
            Some(cut) if cuts.len() < CUT_ROUNDS => {
                whole.rows.push(cut.clone());
                cuts.push(cut);
            }
            Some(_) if nothing => return Err(too_many_cuts()),
            // Not a wiring that tolerates the faults: the start stands, and so does the bound.
            Some(_) => return Ok(("cut_limit", answer.bound.min(best.bound).max(best.lambda))),
            None => {
                (best.taken, best.lambda) = (taken, lambda);
                let bound =
                    if stopped_by == "optimal" { lambda } else { answer.bound.min(best.bound).max(lambda) };
                return Ok((stopped_by, bound));
            }
        }
    }
}

/// The whole numbers of a point, with every free port that can be lit.
fn taken(links: &Links, point: &[f64]) -> Vec<u32> {
    let mut taken: Vec<u32> =
        (0..links.choices.len()).map(|choice| point[column(choice)].round() as u32).collect();
    links.fill(&mut taken);
    taken
}

fn unsolved(pod: &Pod, method: SynthesisMethod, symmetric: bool, size: Size, what: String) -> SynthError {
    let mut ways = Vec::new();
    if !solve::CBC {
        ways.push("build fabc with `--features cbc`");
    }
    if !symmetric && asymmetry(pod).is_none() {
        ways.push("write `symmetry = translation`");
    }
    if solve::CBC && matches!(method, SynthesisMethod::Milp { .. }) {
        ways.push("write `method = relax`, which is given larger programs");
    }
    ways.push("write `method = search`");
    SynthError::Unsolved {
        size: written(size),
        solver: if solve::CBC { "CBC" } else { "the built-in solver" },
        what,
        ways: ways.join(", or "),
        span: pod.topology_span,
    }
}

/// The error where no connected wiring was found.
fn unconnected(pod: &Pod, method: SynthesisMethod, dark: u32, reason: String) -> SynthError {
    let ways = match method {
        SynthesisMethod::Relax { .. } => {
            "write another `fix`, or `method = milp`, which tries more wirings, or `method = search`"
        }
        _ => "raise `nodes`, or write `method = search`",
    };
    let faults = if dark > 0 { ", also under the faults of the budget" } else { "" };
    SynthError::Unconnected { method: method.name(), faults, reason, ways, span: pod.topology_span }
}

/// A size that the program has at least.
fn least(pod: &Pod, symmetric: bool) -> Size {
    let order = if symmetric { pod.cubes as usize } else { 1 };
    let block = pod.node_count() / order;
    let columns =
        if symmetric && !pod.ocses.is_empty() { pod.node_count().saturating_mul(order - 1) } else { 0 };
    Size { rows: block.saturating_mul(pod.node_count() - 1) / 2, columns, weights: 0 }
}

fn written(size: Size) -> String {
    match size {
        Size { rows, columns: 0, .. } => format!("at least {rows} rows"),
        Size { rows, columns, weights: 0 } => format!("at least {rows} rows and {columns} columns"),
        Size { rows, columns, weights } => format!("{rows} rows, {columns} columns and {weights} weights"),
    }
}
