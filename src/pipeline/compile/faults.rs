//! The scenarios of a build: which faults are compiled, and how many at once.
//!
//! In: a fabric with its topology. Out: every fault, or the reason why they are too many. Whether
//! they are too many is decided before any of them is listed.

use super::{Stage, size};
use fabc_base::diag::Failure;
use fabc_base::progress::Progress;
use fabc_emit::compiled::CompiledPod;
use fabc_ir::{Scenario, Scene, Topology};
use fabc_model::Fabric;
use fabc_passes::flow;
use fabc_passes::route::RouteError;
use rayon::prelude::*;

/// Routes that a build may have to find, over all fault scenarios without symmetry.
const MOST_ROUTES: u64 = 250_000_000;

/// The faults that are compiled.
pub(super) struct FaultScenarios {
    scenarios: Vec<Scenario>,
    /// How many of them fit into memory together.
    at_once: usize,
}

impl FaultScenarios {
    /// All faults of the budget; none before routing. Says how much work many of them are, before it begins.
    ///
    /// # Errors
    /// [`RouteError::TooManyFaults`] where it is more than [`MOST_ROUTES`], [`size::TooMuchMemory`] where
    /// routes or tables do not fit, and what the checker finds wrong with the list.
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
        size::orderable(fabric, topology).map_err(Failure::infeasible)?;
        let fewest = estimate_faults(fabric, Some(topology));
        affordable(fabric, fewest)?;
        let FaultEstimate { what, faults, scenarios: fewest, chips } = fewest;
        let local = keeps_no_symmetry(fabric.budget.faults);
        let distances = flow::distances(&Scene::whole(topology)).expect("the topology is connected");
        let at_once = size::routed(fabric, topology, pod, &distances, fewest).map_err(Failure::infeasible)?;
        let mut all = Scenario::all(fabric, topology);
        fabc_check::faults(fabric, topology, &all).map_err(Failure::internal)?;
        let scenarios = all.split_off(1);
        affordable(fabric, FaultEstimate { what, faults, scenarios: scenarios.len() as u64, chips })?;
        if local && !scenarios.is_empty() {
            // Measured at 128 and 256 chips: 10 us per route with two virtual channels, on one core.
            let routes = routes(scenarios.len() as u64, chips);
            progress.note(&format!(
                "`faults = 1 {what}` compiles {} scenarios that stand for {faults} faults, {routes} routes in all: about {} s on one core",
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

    /// All of them, in their order.
    pub(super) fn all(&self) -> &[Scenario] {
        &self.scenarios
    }

    /// Compiles all, as many at once as fit; in their order, so that the first failure is the same whichever
    /// thread met it first.
    pub(super) fn compile<T: Send, E: Send>(
        &self,
        fault: impl Fn(usize, &Scenario) -> Result<T, E> + Sync,
    ) -> Vec<Result<T, E>> {
        let mut compiled: Vec<Result<T, E>> = Vec::new();
        for some in self.scenarios.chunks(self.at_once) {
            let first = compiled.len();
            compiled.extend(
                some.par_iter()
                    .enumerate()
                    .map(|(at, scenario)| fault(first + at, scenario))
                    .collect::<Vec<_>>(),
            );
            if compiled.iter().any(Result::is_err) {
                break;
            }
        }
        compiled
    }
}

/// The faults of a budget, and how many scenarios they take at least.
#[derive(Clone, Copy)]
pub(super) struct FaultEstimate {
    what: &'static str,
    faults: usize,
    scenarios: u64,
    /// Routers with hosts.
    chips: u64,
}

impl FaultEstimate {
    /// Whether they are too many to be listed on the way.
    pub(super) fn is_many(self) -> bool {
        self.scenarios > 4096
    }
}

/// Counts the faults without listing them: every scenario stands for at most as many as the symmetry has
/// elements. Where the topology is not known, those of the copper in one cube.
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
    let (what, faults) = match fabric.budget.faults {
        fabc_model::Faults::Link => ("link", links()),
        fabc_model::Faults::Router => (fabric.plant.router_word(), fabric.node_count()),
        fabc_model::Faults::Ocses(_) => ("ocs", size::ocs_faults(fabric) as usize),
    };
    let scenarios =
        if keeps_no_symmetry(fabric.budget.faults) { faults.div_ceil(order.max(1)) } else { faults } as u64;
    let chips = topology.map_or_else(
        || fabric.pod().map_or(0, |pod| pod.node_count()),
        |topology| topology.endpoints().count(),
    );
    FaultEstimate { what, faults, scenarios, chips: chips as u64 }
}

fn routes(scenarios: u64, chips: u64) -> u64 {
    scenarios.saturating_mul(chips.saturating_mul(chips.saturating_sub(1)))
}

/// Refuses faults of single links or routers that take more than [`MOST_ROUTES`].
///
/// # Errors
/// [`RouteError::TooManyFaults`].
pub(super) fn affordable(
    fabric: &Fabric,
    FaultEstimate { what, scenarios, chips, .. }: FaultEstimate,
) -> Result<(), Failure> {
    let (routes, most, span) = (routes(scenarios, chips), MOST_ROUTES, fabric.budget.faults_span);
    if !keeps_no_symmetry(fabric.budget.faults) || routes <= most {
        return Ok(());
    }
    let (unit, instead) = match fabric.pod() {
        Some(_) => {
            ("chips", "every chip is a destination of its own; write `faults = 1 ocs`, or take a smaller pod")
        }
        None => (
            "routers with hosts",
            "every router is a destination of its own; write `faults = 0`, or take a smaller network",
        ),
    };
    let help = format!("a fault of one {what} keeps no symmetry, so {instead}");
    Err(Failure::infeasible(RouteError::TooManyFaults {
        what,
        chips,
        unit,
        help,
        scenarios,
        routes,
        most,
        span,
    }))
}

/// Whether a budget is of single links or routers: their faults keep no symmetry, so that every router is a
/// destination of its own.
fn keeps_no_symmetry(faults: fabc_model::Faults) -> bool {
    matches!(faults, fabc_model::Faults::Link | fabc_model::Faults::Router)
}
