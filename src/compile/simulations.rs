//! What a spec has run on the finished tables.

use super::context::Context;
use crate::compiled::{CompiledScenario, RoutedScenario};
use crate::diag::{Failure, Span};
use crate::ir::Scene;
use crate::model::{Scenarios, Simulation};
use crate::progress::Progress;
use crate::sim::{self, BlockError, SimError, SimReport};

impl Context<'_> {
    /// Runs every simulation of the spec; nothing where there are no tables.
    pub(super) fn simulations(&self, scenarios: &[CompiledScenario], progress: &dyn Progress) -> Result<Vec<Vec<SimReport>>, Failure> {
        let simulations = self.fabric.simulations.iter();
        simulations.map(|simulation| self.simulation(simulation, scenarios, progress)).collect()
    }

    fn simulation(
        &self,
        simulation: &Simulation,
        scenarios: &[CompiledScenario],
        progress: &dyn Progress,
    ) -> Result<Vec<SimReport>, Failure> {
        let routed = scenarios.iter().filter_map(|scenario| Some((scenario, scenario.routed.as_ref()?)));
        let wanted = if simulation.scenarios == Scenarios::All { scenarios.len() } else { 1 };
        let run = |(of, routed): (&CompiledScenario, &RoutedScenario)| {
            let tables = routed.tables.unpacked();
            let scene = Scene::of(&of.scenario.fault, self.topology, self.cross_connects);
            sim::run_block(self.fabric, &scene, &tables, simulation, progress).map_err(|error| failure(error, simulation.span))
        };
        routed.take(wanted).map(run).collect()
    }
}

/// Tables that were proved lead everybody to where they want, and let nobody wait for ever: all else is the
/// spec's.
fn failure(error: SimError, span: Span) -> Failure {
    match error {
        SimError::Astray { .. } | SimError::Deadlock { .. } => Failure::internal(error),
        _ => Failure::spec(BlockError { error, span }),
    }
}
