//! Topologies from the dualised Leighton-Rao program: mixed-integer (`method = milp`), or relaxed and fixed
//! step by step (`method = relax`).
//!
//! Input: a pod. Output: fibers, the flow that the program proves for them, and a bound that no other
//! wiring of the same kind exceeds. For small pods. Invariant: the result was checked against every row of
//! the program, with whole links.
//!
//! # The program
//! Take a given graph with x(u,v) links between u and v, uniform demand and unit channels. By duality
//! (Shahrokhi and Matula 1990; Leighton and Rao 1999), its maximum concurrent flow lambda is the least volume
//! of a metric:
//! ```text
//! lambda = min sum over channels (u,v) of x(u,v) d(u,v)
//!          such that sum over ordered pairs of d = 1, d a metric.
//! ```
//! There x is a factor of d. To choose x as well, the inner minimum is turned into the maximum of its dual,
//! which is linear in x.
//!
//! *One leg.* Consider the triangles d(s,v) <= d(s,u) + d(u,v). It is enough to keep those whose second leg
//! (u,v) is a link that the pod may have. With fewer triangles the minimum could only fall. But let d satisfy
//! these, and let d' be the shortest path in lengths d(u,v) over possible links. Then d' is a metric, and
//! d' >= d everywhere (walk the path link by link). Also d' <= d on every possible link, and only there x may
//! be positive. So d' has the same volume or less, and a larger sum to divide by.
//!
//! *Link symmetry.* Channels come in pairs, so d(u,v) = d(v,u) may be assumed: the mean of an optimal metric
//! and its mirror is optimal. One row per unordered pair remains.
//!
//! *Dualised.* The triangle (s; u,v) has the dual variable f(s,u,v). It is the flow from s that takes the
//! link (u,v), with u and v other than s. The flow of s over its own links is the rest of their capacity. The
//! dual constraint of d(a,b) is the row of the pair:
//! ```text
//! lambda <= x(a,b) + sum over u of f(a,u,b) - sum over w of f(a,b,w) - sum over s of f(s,a,b)
//!           (added up over (a,b) and (b,a))
//! ```
//! That is the direct capacity, plus the flow that reaches b on detours, minus the flow that continues from
//! b, minus the flow of other sources over the link.
//!
//! # Which row is which
//! We know the TONS paper (Green and Thottethodi, arXiv 2605.27963) by its abstract and results. It has a
//! linear program for topologies that maximises a throughput proxy, symmetry reductions, and a constraint for
//! dark switches. Its numbering of constraints is not known, so rows go by name:
//!
//! - Degree and OCS matching: one [`links::PortLimit`] per chip and side of an OCS. Each port has one link,
//!   and any such numbers can be wired.
//! - Links within a cube: constants on the right-hand side.
//! - Link symmetry, one leg, normalization (the coefficient of lambda): as above.
//! - Translation symmetry: one shift per OCS out of a cyclic group. There are rows and flows for the chips of
//!   cube 0 only, and every link is seen from there.
//! - Fault tolerance (`faults.rs`): every set of chips keeps a link through an OCS that is not dark.
//!
//! Two kinds of rows are ours and hold for whole links only: hops (the Moore bound) and an order among
//! interchangeable chips.
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
use crate::solve::{self, Ended, LinearProgram, ProgramRow, SolveError};
use fabc_base::progress::Progress;
use fabc_model::{Fabric, FacePort, Pod, SynthesisMethod};
use links::LinkSet;
pub(super) use links::asymmetry;
use program::{LAMBDA, ProgramSize, column};

/// The fibers that a program chose.
pub(super) struct Solved {
    pub(super) fibers: Vec<[FacePort; 2]>,
    pub(super) counters: Vec<(String, u64)>,
    /// `optimal` (proved), `node_limit` (branch and bound left a gap), `cut_limit`, or `fixed` (relaxed and
    /// rounded).
    pub(super) stopped_by: &'static str,
    /// The flow, the bound and the gap in words.
    pub(super) note: String,
}

/// The largest program that this build tries. With CBC, two cubes of 64 chips under symmetry (61,537
/// columns) relax in 6 CPU seconds a round. But branch and bound does not finish a single node there in
/// minutes. Only node counts are limited, so such a program must not start. The pure-Rust solver is for
/// toys.
fn size_limit(method: SynthesisMethod) -> ProgramSize {
    match (solve::CBC, method) {
        (true, SynthesisMethod::Milp { .. }) => ProgramSize { rows: 1_000, columns: 10_000, weights: 30_000 },
        (true, _) => ProgramSize { rows: 5_000, columns: 80_000, weights: 240_000 },
        (false, _) => ProgramSize { rows: 70, columns: 1_500, weights: 4_500 },
    }
}

/// The reasons why there is no wiring.
#[derive(Debug)]
enum NoWiring {
    /// The solver failed for this reason.
    Solver(SolveError),
    /// No connected wiring was found, also under the faults of the budget. Holds the reason why the search
    /// stopped.
    Connected(String),
}

impl From<SolveError> for NoWiring {
    fn from(error: SolveError) -> Self {
        NoWiring::Solver(error)
    }
}

/// The most rounds. Each solves the program, looks for parts of the pod that no link joins, and forbids
/// that cut.
const CUT_ROUNDS: usize = 100;

/// The topology by `method`, which is not the search.
///
/// # Errors
/// [`SynthError::Unsolved`] if the program is too large for the solver of this build, or if the solver
/// fails. [`SynthError::Unconnected`] if no connected wiring was found.
pub(super) fn synthesize(
    fabric: &Fabric,
    pod: &Pod,
    method: SynthesisMethod,
    symmetric: bool,
    progress: &dyn Progress,
) -> Result<Solved, SynthError> {
    let (links, size) = links_within_limit(pod, method, symmetric)?;
    let (fix, nodes) = match method {
        SynthesisMethod::Relax { fix } => (fix as usize, None),
        SynthesisMethod::Milp { nodes } => (links.choices.len().div_ceil(START_ROUNDS), Some(nodes)),
        SynthesisMethod::Search => unreachable!("the search needs no program"),
    };
    let dark = fabric.budget.faults.dark_ocses();
    let best = optimise(&links, dark, fix, nodes, progress).map_err(|error| match error {
        NoWiring::Solver(SolveError { reason }) => {
            unsolved_error(pod, method, symmetric, size, format!("failed: {reason}"))
        }
        NoWiring::Connected(reason) => unconnected_error(pod, method, dark, reason),
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

/// Tests whether the program is small enough for the solver of this build.
///
/// # Errors
/// [`SynthError::Unsolved`] if it is not.
pub(super) fn check_affordable(
    pod: &Pod,
    method: SynthesisMethod,
    symmetric: bool,
) -> Result<(), SynthError> {
    links_within_limit(pod, method, symmetric).map(|_| ())
}

/// The links that the program chooses among, and its size.
///
/// # Errors
/// [`SynthError::Unsolved`] if the program is too large for the solver of this build.
fn links_within_limit(
    pod: &Pod,
    method: SynthesisMethod,
    symmetric: bool,
) -> Result<(LinkSet, ProgramSize), SynthError> {
    let limit = size_limit(method);
    let fits = |size: ProgramSize| {
        let fits = size.rows <= limit.rows && size.columns <= limit.columns && size.weights <= limit.weights;
        let refused = || {
            unsolved_error(pod, method, symmetric, size, format!("accepts at most {}", size_in_words(limit)))
        };
        if fits { Ok(()) } else { Err(refused()) }
    };
    // This test comes before the program is in memory.
    fits(smallest_size(pod, symmetric))?;
    let links = if symmetric { LinkSet::with_shifts(pod) } else { LinkSet::with_pairs(pod) };
    let size = program::size(&links);
    fits(size)?;
    Ok((links, size))
}

/// The steps of the relaxation that gives `milp` its first topology.
const START_ROUNDS: usize = 8;

/// The best wiring found, as numbers of choices.
#[derive(Clone, Debug)]
struct BestWiring {
    /// `[choice]`: how often it is taken.
    taken: Vec<u32>,
    /// N times the concurrent flow that the program proves for it.
    lambda: f64,
    /// N times an upper bound on any flow: the first relaxation, or the bound of branch and bound.
    bound: f64,
    programs: u64,
    cuts: u64,
    stopped_by: &'static str,
}

impl BestWiring {
    fn empty(links: &LinkSet) -> Self {
        Self {
            taken: vec![0; links.choices.len()],
            lambda: 0.0,
            bound: f64::INFINITY,
            programs: 0,
            cuts: 0,
            stopped_by: "node_limit",
        }
    }

    fn note(&self, links: &LinkSet) -> String {
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

/// Relaxes and fixes. With `nodes`, the result is the start of branch and bound.
fn optimise(
    links: &LinkSet,
    dark: u32,
    fix: usize,
    nodes: Option<u32>,
    progress: &dyn Progress,
) -> Result<BestWiring, NoWiring> {
    let mut cuts: Vec<ProgramRow> = Vec::new();
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
            // Branch and bound needs no start. The relaxation may round itself into a corner that the cuts
            // forbid.
            Err(_) if nodes.is_some() => break BestWiring::empty(links),
            Err(error) => return Err(error),
        };
        match faults::violated_cut(links, &best.taken, dark) {
            Some(cut) if cuts.len() < CUT_ROUNDS => cuts.push(cut),
            Some(_) if nodes.is_some() => break BestWiring { bound: best.bound, ..BestWiring::empty(links) },
            Some(_) => return Err(too_many_cuts()),
            None => break best,
        }
    };
    progress.advance();
    if let Some(nodes) = nodes {
        let mut strong_program = base;
        strong_program.rows.extend(strengthened);
        strong_program.rows.extend(cuts.iter().cloned());
        (best.stopped_by, best.bound) =
            branch(links, strong_program, dark, nodes, &mut best, &mut cuts, &mut programs)?;
    }
    progress.end();
    Ok(BestWiring { programs, cuts: cuts.len() as u64, ..best })
}

fn too_many_cuts() -> NoWiring {
    NoWiring::Connected(format!("after {CUT_ROUNDS} cuts the wiring was still disconnected"))
}

/// The relative gain over the start that branch and bound must reach.
const MIN_GAIN: f64 = 1e-6;

/// Branch and bound from a start. Returns why it stopped and the bound that remains.
fn branch(
    links: &LinkSet,
    mut program: LinearProgram,
    dark: u32,
    nodes: u32,
    best: &mut BestWiring,
    cuts: &mut Vec<ProgramRow>,
    programs: &mut u64,
) -> Result<(&'static str, f64), NoWiring> {
    program.columns[LAMBDA].lower = best.lambda * (1.0 + MIN_GAIN);
    let has_no_start = best.lambda == 0.0;
    loop {
        *programs += 1;
        let answer = solve::maximise(&program, nodes)?;
        let point = answer.point.as_deref().map(|point| (rounded_choices(links, point), point[LAMBDA]));
        let stopped_by = match answer.ended {
            Ended::Infeasible if has_no_start => return Err(NoWiring::Connected("there is none".to_owned())),
            Ended::Infeasible => return Ok(("optimal", best.lambda)),
            Ended::Optimal => "optimal",
            Ended::NodeLimit => "node_limit",
        };
        let Some((taken, lambda)) = point else {
            if has_no_start {
                return Err(NoWiring::Connected(format!(
                    "there is none within {nodes} nodes of branch and bound"
                )));
            }
            return Ok((stopped_by, answer.bound.min(best.bound).max(best.lambda)));
        };
        match faults::violated_cut(links, &taken, dark) {
            Some(cut) if cuts.len() < CUT_ROUNDS => {
                program.rows.push(cut.clone());
                cuts.push(cut);
            }
            Some(_) if has_no_start => return Err(too_many_cuts()),
            // This wiring does not tolerate the faults, so the start and the bound stand.
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
fn rounded_choices(links: &LinkSet, point: &[f64]) -> Vec<u32> {
    let mut taken: Vec<u32> =
        (0..links.choices.len()).map(|choice| point[column(choice)].round() as u32).collect();
    links.fill(&mut taken);
    taken
}

fn unsolved_error(
    pod: &Pod,
    method: SynthesisMethod,
    symmetric: bool,
    size: ProgramSize,
    reason: String,
) -> SynthError {
    let mut remedies = Vec::new();
    if !solve::CBC {
        remedies.push("build fabc with `--features cbc`");
    }
    if !symmetric && asymmetry(pod).is_none() {
        remedies.push("write `symmetry = translation`");
    }
    if solve::CBC && matches!(method, SynthesisMethod::Milp { .. }) {
        remedies.push("write `method = relax`, which accepts larger programs");
    }
    remedies.push("write `method = search`");
    SynthError::Unsolved {
        size: size_in_words(size),
        solver: if solve::CBC { "CBC" } else { "the built-in solver" },
        reason,
        remedies: remedies.join(", or "),
        span: pod.topology_span,
    }
}

/// The error if no connected wiring was found.
fn unconnected_error(pod: &Pod, method: SynthesisMethod, dark: u32, reason: String) -> SynthError {
    let remedy = match method {
        SynthesisMethod::Relax { .. } => {
            "write another `fix`, or `method = milp`, which tries more wirings, or `method = search`"
        }
        _ => "raise `nodes`, or write `method = search`",
    };
    let faults = if dark > 0 { ", also under the faults of the budget" } else { "" };
    SynthError::Unconnected { method: method.name(), faults, reason, remedy, span: pod.topology_span }
}

/// A lower bound on the size of the program.
fn smallest_size(pod: &Pod, symmetric: bool) -> ProgramSize {
    let order = if symmetric { pod.cubes as usize } else { 1 };
    let block = pod.node_count() / order;
    let columns =
        if symmetric && !pod.ocses.is_empty() { pod.node_count().saturating_mul(order - 1) } else { 0 };
    ProgramSize { rows: block.saturating_mul(pod.node_count() - 1) / 2, columns, weights: 0 }
}

fn size_in_words(size: ProgramSize) -> String {
    match size {
        ProgramSize { rows, columns: 0, .. } => format!("at least {rows} rows"),
        ProgramSize { rows, columns, weights: 0 } => format!("at least {rows} rows and {columns} columns"),
        ProgramSize { rows, columns, weights } => {
            format!("{rows} rows, {columns} columns and {weights} weights")
        }
    }
}
