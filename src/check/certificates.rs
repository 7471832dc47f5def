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

/// Verifies that channel lengths prove a lower bound on the loads of shortest routes.
///
/// # Errors
/// As [`verify_dual`].
pub fn verify_shortest(scene: &Scene<'_>, demand: &Demand, claimed: &DualLengths) -> Result<(), CheckError> {
    let (volume, distance) = fabc_kernel::volume_and_shortest_distance(scene, demand, &claimed.lengths)?;
    if (volume, distance) == (claimed.volume, claimed.distance) {
        return Ok(());
    }
    let violation = format!(
        "shortest paths have the sums {volume} and {distance}, not {} and {}",
        claimed.volume, claimed.distance
    );
    Err(fabc_kernel::Conviction::Lengths(violation).into())
}

/// Verifies that a flow proves the lower bound.
///
/// # Errors
/// The router where units appear or vanish, or the load that differs.
pub fn verify_flow(scene: &Scene<'_>, demand: &Demand, claimed: &FlowCertificate) -> Result<(), CheckError> {
    Ok(fabc_kernel::check_flow(scene, demand, claimed)?)
}
