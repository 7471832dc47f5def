//! The fault scenarios of a build, and how many of them are compiled at once.
//!
//! In: a fabric with its topology. Out: every fault of the budget, or an error if there are too many. The
//! decision is made before any fault is listed.

use super::{Stage, size};
use fabc_base::diag::Failure;
use fabc_base::progress::Progress;
use fabc_emit::compiled::CompiledPod;
use fabc_ir::{Scenario, Scene, Topology};
use fabc_model::Fabric;
use fabc_passes::flow;
use fabc_passes::route::RouteError;
use rayon::prelude::*;

/// The most routes that a build may have to find, over all fault scenarios without symmetry.
const MAX_ROUTES: u64 = 250_000_000;

/// The fault scenarios that a build compiles.
pub(super) struct FaultScenarios {
    scenarios: Vec<Scenario>,
    /// How many of them fit into memory together.
    at_once: usize,
}

impl FaultScenarios {
    /// Lists all faults of the budget, or none if the build stops before routing. Where they are much work,
    /// it announces the work first.
    ///
    /// # Errors
    /// [`RouteError::TooManyFaults`] where they need more than [`MAX_ROUTES`]. [`size::TooMuchMemory`] where
    /// routes or tables do not fit. [`Failure::Internal`] where the checker convicts the list.
    pub(super) fn new(
        fabric: &Fabric,
        topology: &Topology,
        pod: Option<&CompiledPod>,
        last: Stage,
        progress: &dyn Progress,
    ) -> Result<Self, Failure> {
        if last < Stage::Route {
            return Ok(Self { scenarios: Vec::new(), at_once: 1 });
        }
        size::refuse_long_ordering(fabric, topology).map_err(Failure::infeasible)?;
        let estimate = estimate_faults(fabric, Some(topology));
        refuse_too_many(fabric, estimate)?;
        let FaultEstimate { kind, faults, scenarios: fewest, chips } = estimate;
        let local = keeps_no_symmetry(fabric.budget.faults);
        let distances = flow::distances(&Scene::healthy(topology)).expect("the topology is connected");
        let at_once =
            size::faults_at_once(fabric, topology, pod, &distances, fewest).map_err(Failure::infeasible)?;
        let mut with_nominal = Scenario::tolerated(fabric, topology);
        fabc_check::verify_faults(fabric, topology, &with_nominal).map_err(Failure::internal)?;
        let scenarios = with_nominal.split_off(1);
        refuse_too_many(fabric, FaultEstimate { kind, faults, scenarios: scenarios.len() as u64, chips })?;
        if local && !scenarios.is_empty() {
            // Measured at 128 and 256 chips: 10 us per route with two virtual channels, on one core.
            let routes = route_count(scenarios.len() as u64, chips);
            progress.note(&format!(
                "`faults = 1 {kind}` compiles {} scenarios that stand for {faults} faults, {routes} routes in all: about {} s on one core",
                scenarios.len(),
                routes / 100_000 + 1
            ));
        } else if fabric.budget.faults.dark_ocses() > 1 && !scenarios.is_empty() {
            let ocses = fabric.pod().map_or(0, |pod| pod.ocses.len());
            progress.note(&format!(
                "`faults = 2 ocs` compiles {} scenarios (the healthy pod, {ocses} OCSes, {} pairs), about {} times the work of `1 ocs`",
                scenarios.len() + 1,
                scenarios.len() - ocses,
                (scenarios.len() + 1) / (ocses + 1)
            ));
        }
        Ok(Self { scenarios, at_once })
    }

    pub(super) fn len(&self) -> usize {
        self.scenarios.len()
    }

    /// All fault scenarios, in their order.
    pub(super) fn scenarios(&self) -> &[Scenario] {
        &self.scenarios
    }

    /// Compiles all faults, as many at once as fit into memory. The results are in the order of the faults,
    /// so the first failure is the same whichever thread met it first.
    pub(super) fn compile<T: Send, E: Send>(
        &self,
        compile_fault: impl Fn(usize, &Scenario) -> Result<T, E> + Sync,
    ) -> Vec<Result<T, E>> {
        let mut compiled: Vec<Result<T, E>> = Vec::new();
        for batch in self.scenarios.chunks(self.at_once) {
            let first = compiled.len();
            compiled.extend(
                batch
                    .par_iter()
                    .enumerate()
                    .map(|(index, scenario)| compile_fault(first + index, scenario))
                    .collect::<Vec<_>>(),
            );
            if compiled.iter().any(Result::is_err) {
                break;
            }
        }
        compiled
    }
}

/// The number of faults of a budget, and a lower bound on the scenarios that they need.
#[derive(Clone, Copy)]
pub(super) struct FaultEstimate {
    kind: &'static str,
    faults: usize,
    scenarios: u64,
    /// The number of routers with hosts.
    chips: u64,
}

impl FaultEstimate {
    /// Whether listing the faults would itself take long.
    pub(super) fn is_many(self) -> bool {
        self.scenarios > 4096
    }
}

/// Counts the faults without listing them. A scenario stands for at most as many faults as the symmetry has
/// elements. Where the topology is not known, the links are the copper links of the cubes.
pub(super) fn estimate_faults(fabric: &Fabric, topology: Option<&Topology>) -> FaultEstimate {
    let order = topology
        .map_or(fabric.pod().map_or(1, |pod| pod.cubes as usize), |topology| topology.symmetry().order());
    let links = || match (topology, fabric.pod()) {
        (Some(topology), _) => topology.links().len(),
        (None, Some(pod)) => {
            let [x, y, z] = pod.cube.dims.map(|side| side as usize);
            pod.cubes as usize * ((x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1))
        }
        (None, None) => 0,
    };
    let (kind, faults) = match fabric.budget.faults {
        fabc_model::Faults::Link => ("link", links()),
        fabc_model::Faults::Router => (fabric.plant.router_word(), fabric.node_count()),
        fabc_model::Faults::Ocses(_) => ("ocs", size::ocs_faults(fabric) as usize),
    };
    let scenarios = match (fabric.budget.faults, fabric.clos_shifts()) {
        (fabc_model::Faults::Ocses(_), _) => faults as u64,
        (fabc_model::Faults::Link, Some(shifts)) => shifts.cable_classes(),
        (fabc_model::Faults::Router, Some(shifts)) => shifts.switch_classes(),
        (_, None) => faults.div_ceil(order.max(1)) as u64,
    };
    let chips = topology.map_or_else(
        || fabric.pod().map_or(0, |pod| pod.node_count()),
        |topology| topology.endpoints().count(),
    );
    FaultEstimate { kind, faults, scenarios, chips: chips as u64 }
}

fn route_count(scenarios: u64, chips: u64) -> u64 {
    scenarios.saturating_mul(chips.saturating_mul(chips.saturating_sub(1)))
}

/// Refuses faults of single links or routers that need more than [`MAX_ROUTES`].
///
/// # Errors
/// [`RouteError::TooManyFaults`].
pub(super) fn refuse_too_many(
    fabric: &Fabric,
    FaultEstimate { kind: what, scenarios, chips, .. }: FaultEstimate,
) -> Result<(), Failure> {
    let (routes, max_routes, span) = (route_count(scenarios, chips), MAX_ROUTES, fabric.budget.faults_span);
    if !keeps_no_symmetry(fabric.budget.faults) || routes <= max_routes {
        return Ok(());
    }
    let (unit, instead) = match fabric.pod() {
        Some(_) => (
            "chips",
            "write `faults = 1 ocs`, or use a smaller pod: a fault of one chip needs routes for all pairs",
        ),
        None => (
            "routers with hosts",
            "write `faults = 0`, or use a smaller network: a fault of one router needs routes for all pairs",
        ),
    };
    let help = format!("a fault of one {what} keeps no symmetry, so {instead}");
    Err(Failure::infeasible(RouteError::TooManyFaults {
        kind: what,
        chips,
        unit,
        help,
        scenarios,
        routes,
        limit: max_routes,
        span,
    }))
}

/// Whether a budget is of single links or routers. Their faults keep no symmetry, so every router is a
/// destination of its own.
fn keeps_no_symmetry(faults: fabc_model::Faults) -> bool {
    matches!(faults, fabc_model::Faults::Link | fabc_model::Faults::Router)
}
