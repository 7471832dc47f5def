//! What many faults cost, told before the work begins.

use crate::ir::Topology;
use crate::model::{Fabric, Faults};
use crate::passes::route::RouteError;
use crate::progress::Progress;

/// Routes that a build may have to find, over all fault scenarios without symmetry.
const MOST_ROUTES: u64 = 100_000_000;

/// Says how much work many faults are, before it begins.
///
/// # Errors
/// [`RouteError::TooManyFaults`] where it is more than [`MOST_ROUTES`].
pub(super) fn affordable(fabric: &Fabric, topology: &Topology, scenarios: usize, progress: &dyn Progress) -> Result<(), RouteError> {
    if scenarios == 1 {
        return Ok(());
    }
    let (what, faults) = match fabric.budget.faults {
        Faults::Link => ("link", topology.links().len()),
        Faults::Chip => ("chip", topology.node_count()),
        Faults::Ocses(most) => {
            if most > 1 {
                let ocses = fabric.pod().map_or(0, |pod| pod.ocses.len());
                progress.note(&format!(
                    "`faults = 2 ocs` compiles {scenarios} scenarios (the healthy pod, {ocses} OCSes, {} pairs), about {} times the work of `1 ocs`",
                    scenarios - ocses - 1,
                    scenarios / (ocses + 1)
                ));
            }
            return Ok(());
        }
    };
    let (chips, scenarios) = (topology.node_count() as u64, scenarios as u64 - 1);
    let routes = scenarios.saturating_mul(chips * chips.saturating_sub(1));
    if routes > MOST_ROUTES {
        let span = fabric.budget.faults_span;
        return Err(RouteError::TooManyFaults { what, chips, scenarios, routes, most: MOST_ROUTES, span });
    }
    // Measured at 128 and 256 chips: 10 us per route with two virtual channels, on one core.
    progress.note(&format!(
        "`faults = 1 {what}` compiles {scenarios} scenarios that stand for {faults} faults, {routes} routes in all: about {} s on one core",
        routes / 100_000 + 1
    ));
    Ok(())
}
