//! Runs simulations on one scenario: those of a spec, or one that options describe.

use fabc_base::progress::Progress;
use fabc_check::ReadSimulated;
use fabc_model::{Fabric, Simulation, SimulationParameters};
use fabc_sim::{SimError, SimReport};

/// The simulations to run on a fabric.
pub struct SimulationRuns<'a> {
    /// The fabric that is simulated.
    pub fabric: &'a Fabric,
    /// The simulation to run where the spec has none.
    pub described: &'a Simulation,
    /// Whether endpoints are inside routers, as third-party files may say.
    pub chips: bool,
    /// Whether the saturation is searched as well.
    pub saturation: bool,
}

impl SimulationRuns<'_> {
    /// The parameters of the simulation. Third-party chips get the defaults of those of a pod.
    fn parameters(&self) -> SimulationParameters {
        let parameters = self.described.parameters.clone();
        if self.chips { fabc_sim::parameters_of_chips(parameters) } else { parameters }
    }

    /// Runs all rates and seeds on one scenario.
    ///
    /// # Errors
    /// The traffic or the model does not fit the fabric, or the run deadlocks.
    pub fn run(
        &self,
        block: Option<&Simulation>,
        read: &ReadSimulated,
        progress: &dyn Progress,
    ) -> Result<SimReport, SimError> {
        let scene = read.wiring.scene();
        if let Some(block) = block {
            return fabc_sim::run_block(self.fabric, &scene, &read.tables, block, progress);
        }
        let prepared = fabc_sim::prepare(self.fabric, &scene, &read.tables, &self.parameters())?;
        let is_finite = prepared.volume().is_some();
        let rates = match &self.described.rates {
            Some(rates) => rates.clone(),
            None if self.saturation => Vec::new(),
            None => fabc_sim::rates(self.fabric, self.described, &prepared),
        };
        let search = self.saturation || (self.described.rates.is_none() && !is_finite);
        fabc_sim::simulate(&prepared, &rates, &self.described.all_seeds(), search, progress)
    }

    /// Searches the saturation of one scenario. Finite traffic is run to its end.
    ///
    /// # Errors
    /// The errors of [`SimulationRuns::run`].
    pub fn search_saturation(
        &self,
        read: &ReadSimulated,
        progress: &dyn Progress,
    ) -> Result<SimReport, SimError> {
        let scene = read.wiring.scene();
        let prepared = fabc_sim::prepare(self.fabric, &scene, &read.tables, &self.parameters())?;
        fabc_sim::simulate(
            &prepared,
            &[],
            &self.described.all_seeds(),
            self.saturation || prepared.volume().is_none(),
            progress,
        )
    }
}
