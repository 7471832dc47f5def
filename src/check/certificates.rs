//! Verifies the certificates of a flow and of hop distances with the kernel.

use crate::CheckError;
use fabc_ir::{Distances, DualLengths, FlowCertificate, Scene};
use fabc_model::Demand;

/// Verifies claimed hop distances.
///
/// # Errors
/// The first number that differs, or two routers that cannot reach each other.
pub fn verify_distances(scene: &Scene<'_>, claimed: &Distances) -> Result<(), CheckError> {
    Ok(fabc_kernel::check_distances(scene, claimed)?)
}

/// Verifies that channel lengths prove the upper bound of the flow.
///
/// # Errors
/// A length on a channel class without a lit channel, or a sum that differs.
pub fn verify_dual(scene: &Scene<'_>, demand: &Demand, claimed: &DualLengths) -> Result<(), CheckError> {
    Ok(fabc_kernel::check_dual(scene, demand, claimed)?)
}

/// Verifies that a flow proves the lower bound.
///
/// # Errors
/// The router where units appear or vanish, or the load that differs.
pub fn verify_flow(scene: &Scene<'_>, demand: &Demand, claimed: &FlowCertificate) -> Result<(), CheckError> {
    Ok(fabc_kernel::check_flow(scene, demand, claimed)?)
}
