//! What a spec has run on the finished tables.

use super::context::Context;
use fabc_base::diag::{Failure, Span};
use fabc_base::progress::Progress;
use fabc_emit::compiled::{CompiledScenario, RoutedScenario};
use fabc_ir::{Distances, ForwardingTables, Scene, Topology, surviving_scene};
use fabc_model::{Fabric, Faults, Scenarios, Simulation, Traffic};
use fabc_sim::{BlockError, SimError, SimReport};

impl Context<'_> {
    /// Runs every simulation of the spec; nothing where there are no tables.
    pub(super) fn simulations(
        &self,
        scenarios: &[CompiledScenario],
        progress: &dyn Progress,
    ) -> Result<Vec<Vec<SimReport>>, Failure> {
        self.each_simulation(scenarios, |simulation, scene, tables| {
            self.run(simulation, scene, tables, progress)
        })
    }

    /// Runs a simulation on one scenario; `None` where there are no tables.
    pub(super) fn simulation(
        &self,
        simulation: &Simulation,
        scenario: &CompiledScenario,
        progress: &dyn Progress,
    ) -> Result<Option<SimReport>, Failure> {
        let run =
            |routed| self.on(scenario, routed, |scene, tables| self.run(simulation, scene, tables, progress));
        scenario.routed.as_ref().map(run).transpose()
    }

    /// The reports of every simulation on each of its scenarios, wherever they come from.
    pub(super) fn each_simulation<E>(
        &self,
        scenarios: &[CompiledScenario],
        report: impl Fn(&Simulation, &Scene<'_>, &ForwardingTables) -> Result<SimReport, E>,
    ) -> Result<Vec<Vec<SimReport>>, E> {
        let of = |simulation: &Simulation| {
            let wanted = if simulation.scenarios == Scenarios::All { scenarios.len() } else { 1 };
            let routed = scenarios.iter().filter_map(|scenario| Some((scenario, scenario.routed.as_ref()?)));
            let report = |(scenario, routed)| {
                self.on(scenario, routed, |scene, tables| report(simulation, scene, tables))
            };
            routed.take(wanted).map(report).collect()
        };
        self.fabric.simulations.iter().map(of).collect()
    }

    fn on<T>(
        &self,
        of: &CompiledScenario,
        routed: &RoutedScenario,
        asked: impl FnOnce(&Scene<'_>, &ForwardingTables) -> T,
    ) -> T {
        asked(
            &surviving_scene(&of.scenario.fault, self.topology, self.cross_connects),
            &routed.tables.unpacked(),
        )
    }

    fn run(
        &self,
        simulation: &Simulation,
        scene: &Scene<'_>,
        tables: &ForwardingTables,
        progress: &dyn Progress,
    ) -> Result<SimReport, Failure> {
        fabc_sim::run_block(self.fabric, scene, tables, simulation, progress)
            .map_err(|error| failure(error, simulation.span))
    }
}

/// Refuses simulations whose traffic, rates or ways the fabric can never have. `topology` and `distances` are
/// `None` where they are not known yet.
///
/// # Errors
/// The first such simulation.
pub(super) fn refuse_impossible_simulations(
    fabric: &Fabric,
    topology: Option<&Topology>,
    distances: Option<&Distances>,
) -> Result<(), Failure> {
    let lacking = |simulation: &Simulation| {
        let lacking = |error| Failure::spec(BlockError { error, span: simulation.span });
        fabc_sim::has_births(fabric, simulation).map_err(lacking)?;
        if let Some(distances) = distances {
            fabc_sim::has_vcs(fabric, distances.diameter, &simulation.parameters).map_err(lacking)?;
        }
        if simulation.scenarios == Scenarios::All
            && fabric.budget.faults == Faults::Router
            && simulation.parameters.details.trace.is_some()
        {
            let why = "its messages name endpoints that a tolerated fault takes away: simulate the nominal scenario alone".to_owned();
            return Err(lacking(SimError::NoTraffic { traffic: Traffic::Trace.name(), why }));
        }
        fabc_sim::has_traffic(fabric, topology, &simulation.parameters).map_err(lacking)
    };
    fabric.simulations.iter().try_for_each(lacking)
}

/// The failure that an error of a simulation is. Proved tables deliver every packet without deadlock, so an
/// error about these is a bug. A traffic, or a way, that only a drawn wiring or a fault rules out is no
/// mistake of the spec. Nor is a rate that the spec gives as a share of the static bound.
pub(super) fn failure(error: SimError, span: Span) -> Failure {
    match error {
        SimError::Astray { .. } | SimError::Deadlock { .. } => Failure::internal(error),
        SimError::NoTraffic { .. }
        | SimError::RateTooHigh { .. }
        | SimError::Bursts { .. }
        | SimError::TooFewVcs { .. } => Failure::infeasible(BlockError { error, span }),
        _ => Failure::spec(BlockError { error, span }),
    }
}
