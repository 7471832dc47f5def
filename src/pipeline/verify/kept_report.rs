//! Verifies the kept report of one simulation on one scenario of a build in parts.

use super::simulations::remake_one;
use fabc_ir::read::{SimulationFile, tagged};
use fabc_model::{Fabric, Simulation};
use fabc_sim::{Prepared, SimReport};

/// The report of a simulation from its kept file, if it follows from its counts and from the tables that are
/// `prepared`. One of its runs is made again.
///
/// # Errors
/// A sentence that says why the file cannot be of this build.
pub(crate) fn kept_report(
    fabric: &Fabric,
    simulation: &Simulation,
    prepared: &Prepared<'_>,
    kept: &[u8],
) -> Result<SimReport, String> {
    let file: SimulationFile = tagged(kept)?;
    let [line] = &file.scenarios[..] else {
        return Err("it has another number of scenarios".to_owned());
    };
    let report = fabc_sim::reported(fabric, simulation, prepared, line).map_err(|invalid| invalid.what)?;
    // If the report can be written again with the same bytes, then everything in it follows from the tables
    // and the counts.
    let reports = std::slice::from_ref(&report);
    let again = fabc_emit::simulation_json(fabric, prepared.topology(), Some(&simulation.name), reports);
    if again.as_bytes() != kept {
        return Err("its report does not follow from its counts and the tables".to_owned());
    }
    remake_one(prepared, &report, kept)?;
    Ok(report)
}
