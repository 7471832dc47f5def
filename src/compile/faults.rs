//! The scenarios of a build: which faults are compiled, and how many at once.
//!
//! In: a fabric with its topology. Out: every fault, or the reason why they are too many. Asked before any of
//! them is listed.

use super::{Stage, size};
use crate::check;
use crate::compiled::{CompiledPod, CompiledScenario};
use crate::diag::Failure;
use crate::ir::{Scenario, Scene, Topology};
use crate::model::{self, Fabric};
use crate::passes::flow;
use crate::passes::route::RouteError;
use crate::progress::Progress;
use rayon::prelude::*;

/// Routes that a build may have to find, over all fault scenarios without symmetry.
const MOST_ROUTES: u64 = 100_000_000;

/// The faults that are compiled.
pub(super) struct Faults {
    scenarios: Vec<Scenario>,
    /// How many of them fit into memory together.
    at_once: usize,
}

impl Faults {
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
        let (what, faults) = match fabric.budget.faults {
            model::Faults::Link => ("link", topology.links().len()),
            model::Faults::Chip => (fabric.plant.router_word(), topology.node_count()),
            model::Faults::Ocses(_) => ("ocs", size::ocs_faults(fabric) as usize),
        };
        // Before the list of all: every scenario stands for at most as many faults as the symmetry has
        // elements.
        let local = matches!(fabric.budget.faults, model::Faults::Link | model::Faults::Chip);
        let fewest = if local { faults.div_ceil(topology.symmetry().order()) } else { faults } as u64;
        let chips = topology.endpoints().count() as u64;
        let routes = |scenarios: u64| scenarios.saturating_mul(chips * chips.saturating_sub(1));
        let affordable = |scenarios: u64| {
            let (routes, most, span) = (routes(scenarios), MOST_ROUTES, fabric.budget.faults_span);
            let (unit, instead) = match fabric.pod() {
                Some(_) => ("chips", "every chip is a destination of its own; write `faults = 1 ocs`, or take a smaller pod"),
                None => ("routers with hosts", "every router is a destination of its own; write `faults = 0`, or take a smaller network"),
            };
            let help = format!("a fault of one {what} keeps no symmetry, so {instead}");
            let refused = || Failure::infeasible(RouteError::TooManyFaults { what, chips, unit, help, scenarios, routes, most, span });
            if local && routes > most { Err(refused()) } else { Ok(()) }
        };
        affordable(fewest)?;
        let distances = flow::distances(&Scene::whole(topology)).expect("the topology is connected");
        let at_once = size::routed(fabric, topology, pod, &distances, fewest).map_err(Failure::infeasible)?;
        let mut all = Scenario::all(fabric, topology);
        check::faults(fabric, topology, &all).map_err(Failure::internal)?;
        let scenarios = all.split_off(1);
        affordable(scenarios.len() as u64)?;
        if local && !scenarios.is_empty() {
            // Measured at 128 and 256 chips: 10 us per route with two virtual channels, on one core.
            let routes = routes(scenarios.len() as u64);
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

    /// Compiles all, as many at once as fit; in their order, so that the first failure is the same whichever
    /// thread met it first.
    pub(super) fn compile(
        &self,
        fault: impl Fn(&Scenario) -> Result<CompiledScenario, Failure> + Sync,
    ) -> Vec<Result<CompiledScenario, Failure>> {
        let mut compiled: Vec<Result<CompiledScenario, Failure>> = Vec::new();
        for some in self.scenarios.chunks(self.at_once) {
            compiled.extend(some.par_iter().map(&fault).collect::<Vec<_>>());
            if compiled.iter().any(Result::is_err) {
                break;
            }
        }
        compiled
    }
}
