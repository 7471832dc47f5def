//! What is claimed of the graph of a network, recounted.
//!
//! In: a topology, and what only the certificates can say: halves, and a lower end. Out: every count again.

mod bisection;
mod definite;

pub use bisection::bisection;

use super::CheckError;
use crate::ids::NodeId;
use crate::ir::{NetworkMetrics, Topology};
use crate::limits;
use crate::model::Demand;

/// Whether every network like this one has its bisection measured: two routers or more, not too many to prove
/// the lower end, and no link that runs one way.
fn has_bisection(topology: &Topology) -> bool {
    (2..=limits::BISECTION_ROUTERS).contains(&topology.node_count()) && topology.links().iter().all(|link| !link.simplex)
}

/// Counts a network again; `halves` are one half of its routers and the lower end of the bisection, if the
/// certificates have them.
///
/// # Errors
/// Halves that are none, a lower end that is not proved, or halves that are missing or not to be had.
pub(super) fn recount(topology: &Topology, demand: &Demand, halves: Option<(&[NodeId], u64)>) -> Result<NetworkMetrics, CheckError> {
    let bisection = match (halves, has_bisection(topology)) {
        (Some((half, least)), true) => Some(bisection::recount(topology, demand, half, least)?),
        (None, false) => None,
        (Some(_), false) => return Err(CheckError::Halves { what: "it is not measured of such a network".to_owned() }),
        (None, true) => return Err(CheckError::Halves { what: "the halves are missing".to_owned() }),
    };
    let (mut links, mut endpoint_links) = (0, 0);
    for link in topology.links().iter() {
        links += 1;
        endpoint_links += u64::from([link.a, link.b].iter().any(|end| topology.hosts(end.node) > 0));
    }
    let hosts = topology.nodes().map(|node| u64::from(topology.hosts(node))).sum();
    Ok(NetworkMetrics { routers: topology.node_count() as u64, hosts, links, endpoint_links, bisection })
}
