//! Runs the simulations of a spec on the finished tables.

use super::context::ScenarioContext;
use super::known::{KnownTables, simulated_part};
use fabc_base::diag::{Failure, Span};
use fabc_base::progress::Progress;
use fabc_emit::compiled::CompiledScenario;
use fabc_ir::{Distances, Scene, Topology, surviving_scene};
use fabc_model::{Fabric, Faults, Scenarios, Simulation, Traffic};
use fabc_sim::{BlockError, SimError, SimReport, SimulatedTables};

impl ScenarioContext<'_> {
    /// Runs every simulation of the spec that is not known. Scenarios without tables have no report.
    pub(super) fn simulations(
        &self,
        scenarios: &[CompiledScenario],
        known: &KnownTables<'_>,
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<SimReport>>, Failure> {
        let reports_of = |(number, simulation): (usize, &Simulation)| {
            let wanted = if simulation.scenarios == Scenarios::All { scenarios.len() } else { 1 };
            let routed = scenarios.iter().filter(|scenario| scenario.has_tables());
            let report = |scenario| self.report(simulation, number, scenario, known, progress);
            routed.take(wanted).map(report).collect()
        };
        self.fabric.simulations.iter().enumerate().map(reports_of).collect()
    }

    /// The report of a simulation, by its number in the spec, on a scenario with tables: the known one, or
    /// else that of a run.
    pub(super) fn report(
        &self,
        simulation: &Simulation,
        number: usize,
        scenario: &CompiledScenario,
        known: &KnownTables<'_>,
        progress: &dyn Progress,
    ) -> Result<SimReport, Failure> {
        let part = simulated_part(self.fabric, simulation);
        self.with_tables(scenario, |scene, tables| {
            let run = || fabc_sim::run_block(&part, scene, tables, simulation, progress);
            let prepared = || fabc_sim::prepare(&part, scene, tables, &simulation.parameters);
            known
                .report(self.fabric, self.topology, number, prepared, run, tables.scenario())
                .map_err(|error| simulation_failure(error, simulation.span))
        })
    }

    /// Calls `action` with the scene and the tables of a scenario, which has tables.
    fn with_tables<T>(
        &self,
        compiled: &CompiledScenario,
        action: impl FnOnce(&Scene<'_>, SimulatedTables<'_>) -> T,
    ) -> T {
        let scene = surviving_scene(&compiled.scenario.fault, self.topology, self.cross_connects);
        match (&compiled.sprayed, &compiled.routed) {
            (Some(sprayed), _) => action(&scene, (&sprayed.tables).into()),
            (None, Some(routed)) => action(&scene, (&routed.tables.unpacked()).into()),
            (None, None) => unreachable!("a simulation runs on a scenario with tables"),
        }
    }
}

/// Refuses simulations whose traffic, rates, links or virtual channels the fabric can never have. `topology`
/// and `distances` are `None` where they are not known yet.
///
/// # Errors
/// [`Failure::Spec`] for the first such simulation.
pub(super) fn refuse_impossible_simulations(
    fabric: &Fabric,
    topology: Option<&Topology>,
    distances: Option<&Distances>,
) -> Result<(), Failure> {
    let check_simulation = |simulation: &Simulation| {
        let refused = |error| Failure::spec(BlockError { error, span: simulation.span });
        fabc_sim::has_links(fabric, topology, &simulation.parameters).map_err(refused)?;
        fabc_sim::has_births(fabric, simulation).map_err(refused)?;
        fabc_sim::has_control(fabric, &simulation.parameters).map_err(refused)?;
        if let Some(distances) = distances {
            fabc_sim::has_vcs(fabric, distances.diameter, &simulation.parameters).map_err(refused)?;
        }
        if simulation.scenarios == Scenarios::All
            && fabric.budget.faults == Faults::Router
            && simulation.parameters.details.trace.is_some()
        {
            let why = "its messages name endpoints that a tolerated fault takes away: simulate the nominal scenario alone".to_owned();
            return Err(refused(SimError::NoTraffic { traffic: Traffic::Trace.name(), why }));
        }
        fabc_sim::has_traffic(fabric, topology, &simulation.parameters).map_err(refused)
    };
    fabric.simulations.iter().try_for_each(check_simulation)
}

/// The failure for an error of a simulation. Proved tables deliver every packet without deadlock, so an error
/// about these is a bug. Some traffics and routes are ruled out only by a drawn wiring or by a fault. That is
/// no mistake of the spec. Neither is a rate that the spec gives as a share of the static bound.
pub(super) fn simulation_failure(error: SimError, span: Span) -> Failure {
    match error {
        SimError::Astray { .. } | SimError::Deadlock { .. } | SimError::AboveBound { .. } => {
            Failure::internal(error)
        }
        SimError::NoTraffic { .. }
        | SimError::RateTooHigh { .. }
        | SimError::Bursts { .. }
        | SimError::TooFewVcs { .. } => Failure::infeasible(BlockError { error, span }),
        _ => Failure::spec(BlockError { error, span }),
    }
}
