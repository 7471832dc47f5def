//! The scenarios of a build: which faults are compiled, and how many at once.
//!
//! In: a pod with its topology. Out: every scenario, or the reason why they are too many. Asked before any of them is listed.

use super::size;
use crate::diag::Failure;
use crate::ir::{CrossConnects, Scenario, Topology};
use crate::model::{Faults, Pod};
use crate::passes::flow;
use crate::passes::route::RouteError;
use crate::progress::Progress;

/// Routes that a build may have to find, over all fault scenarios without symmetry.
const MOST_ROUTES: u64 = 100_000_000;

/// All scenarios, and how many of them may be compiled at once; says how much work many faults are, before it begins.
///
/// # Errors
/// [`RouteError::TooManyFaults`] where it is more than [`MOST_ROUTES`], [`size::TooMuchMemory`] where routes or tables do not fit.
pub(super) fn scenarios(
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
    progress: &dyn Progress,
) -> Result<(Vec<Scenario>, usize), Failure> {
    let (what, faults) = match pod.budget.faults {
        Faults::Link => ("link", topology.links().len()),
        Faults::Chip => ("chip", topology.node_count()),
        Faults::Ocses(_) => ("ocs", size::ocs_faults(pod) as usize),
    };
    // Before the list of all: every scenario stands for at most as many faults as the symmetry has elements.
    let local = matches!(pod.budget.faults, Faults::Link | Faults::Chip);
    let fewest = if local { faults.div_ceil(topology.symmetry().order()) } else { faults } as u64;
    let chips = topology.node_count() as u64;
    let routes = |scenarios: u64| scenarios.saturating_mul(chips * chips.saturating_sub(1));
    let affordable = |scenarios: u64| {
        let (routes, most, span) = (routes(scenarios), MOST_ROUTES, pod.budget.faults_span);
        let refused = || Failure::infeasible(RouteError::TooManyFaults { what, chips, scenarios, routes, most, span });
        if local && routes > most { Err(refused()) } else { Ok(()) }
    };
    affordable(fewest)?;
    let lit = Scenario::nominal().alive(topology, cross_connects);
    let distances = flow::distances(topology, &lit).expect("the topology is connected");
    let at_once = size::routed(pod, topology, cross_connects, &distances, fewest).map_err(Failure::infeasible)?;
    let all = Scenario::all(pod, topology);
    let scenarios = all.len() - 1;
    affordable(scenarios as u64)?;
    if local && scenarios > 0 {
        // Measured at 128 and 256 chips: 10 us per route with two virtual channels, on one core.
        let routes = routes(scenarios as u64);
        progress.note(&format!(
            "`faults = 1 {what}` compiles {scenarios} scenarios that stand for {faults} faults, {routes} routes in all: about {} s on one core",
            routes / 100_000 + 1
        ));
    } else if pod.budget.faults.dark_ocses() > 1 && scenarios > 0 {
        let ocses = pod.ocses.len();
        progress.note(&format!(
            "`faults = 2 ocs` compiles {} scenarios (the healthy pod, {ocses} OCSes, {} pairs), about {} times the work of `1 ocs`",
            all.len(),
            scenarios - ocses,
            all.len() / (ocses + 1)
        ));
    }
    Ok((all, at_once))
}
