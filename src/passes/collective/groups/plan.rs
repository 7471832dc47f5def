//! What all plans of groups have in common.

use super::super::error::CollectiveError;
use super::super::request::ScheduleRequest;
use fabc_ir::{ChipGroups, CollectiveBound, Scene, Schedule, Transfers};
use fabc_model::{Collective, CollectiveAlgorithm};

/// A schedule of all groups. A gather by a forest, or an all-to-all by paths.
pub(super) fn group_schedule(
    scene: &Scene<'_>,
    groups: &ChipGroups,
    algorithm: CollectiveAlgorithm,
    request: ScheduleRequest,
    transfers: Transfers,
    bounds: Vec<CollectiveBound>,
) -> Schedule {
    let collective = match transfers {
        Transfers::Paths(_) => Collective::AllToAll,
        _ => Collective::AllGather,
    };
    Schedule {
        collective,
        algorithm,
        seed: request.seed,
        nodes: scene.topology.node_count() as u32,
        chunks: 1,
        root: None,
        groups: Some(groups.clone()),
        transfers,
        bounds,
    }
}

/// Checks that links run both ways. A reduction needs the reverse channel.
///
/// # Errors
/// Refuses the first link that runs one way.
pub fn check_duplex(scene: &Scene<'_>) -> Result<(), CollectiveError> {
    match scene.first_simplex() {
        Some(link) => Err(CollectiveError::SimplexInGroups { link: scene.topology.link_name(link) }),
        None => Ok(()),
    }
}
