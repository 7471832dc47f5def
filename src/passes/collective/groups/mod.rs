//! Collectives that groups of chips do at the same time, each among its own chips.
//!
//! Input: a scene, groups that part its chips, and for some algorithms forwarding tables. Output: one
//! schedule of all groups: a forest with trees for the data of every chip, or for an all-to-all the paths of
//! all pairs. [`within`] packs trees into the channels between the chips of a group, at the optimum of the
//! tightest cut. [`relayed`] balances trees that may pass foreign chips. [`ring`] and [`star`] follow the
//! tables: around a cycle of each group, or from every chip straight to all others, as [`pairs`] do in an
//! all-to-all. A foreign chip on a path only forwards.

mod bounds;
mod lengths;
mod relayed;
mod tabled;
mod within;

pub use bounds::group_bounds;
pub use relayed::relayed;
pub use tabled::{pairs, ring, star};
pub use within::{check_within, within};

use super::error::CollectiveError;
use super::request::ScheduleRequest;
use fabc_ir::{ChipGroups, CollectiveBound, Scene, Schedule, Transfers};
use fabc_model::{Collective, CollectiveAlgorithm};

/// A schedule of all groups. A gather by a forest, or an all-to-all by paths.
fn group_schedule(
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
