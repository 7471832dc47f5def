//! The certificates of a flow and of hop distances, judged by the kernel.

use crate::CheckError;
use fabc_ir::{Distances, DualLengths, FlowCertificate, Scene};
use fabc_model::Demand;

/// Whether claimed hop distances are true.
///
/// # Errors
/// The first number that differs, or two routers that cannot reach each other.
pub fn distances(scene: &Scene<'_>, claimed: &Distances) -> Result<(), CheckError> {
    Ok(fabc_kernel::distances(scene, claimed)?)
}

/// Whether channel lengths prove the upper end of the flow.
///
/// # Errors
/// A length on a channel class that has no lit channel, or a sum that differs.
pub fn dual(scene: &Scene<'_>, demand: &Demand, claimed: &DualLengths) -> Result<(), CheckError> {
    Ok(fabc_kernel::dual(scene, demand, claimed)?)
}

/// Whether a flow proves the lower end.
///
/// # Errors
/// The router where units appear or vanish, or the load that differs.
pub fn flow(scene: &Scene<'_>, demand: &Demand, claimed: &FlowCertificate) -> Result<(), CheckError> {
    Ok(fabc_kernel::flow(scene, demand, claimed)?)
}
