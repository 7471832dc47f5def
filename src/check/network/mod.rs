//! What is claimed of the graph of a network, recounted.
//!
//! In: a topology, and what only the certificates can say: halves, and a lower end. Out: every count again.

mod bisection;
mod definite;
mod failures;
mod paths;

pub use bisection::bisection;
pub(super) use bisection::with_flow;

use super::CheckError;
use fabc_base::ids::NodeId;
use fabc_base::limits;
use fabc_ir::{FailureCurve, NetworkMetrics, PathCounts, Topology};
use fabc_model::{Demand, Failures};

/// Whether every network like this one has its bisection measured: two routers or more, and no link that runs
/// one way.
fn has_bisection(topology: &Topology) -> bool {
    topology.node_count() >= 2 && topology.links().iter().all(|link| !link.simplex)
}

/// Counts paths, connectivity and failures again, and compares them with what is claimed.
///
/// # Errors
/// The first that differs.
pub fn paths_and_failures(
    topology: &Topology,
    failures: Option<&Failures>,
    claimed: &NetworkMetrics,
) -> Result<(), CheckError> {
    let (paths, edge_connectivity, failures) = searched(topology, failures);
    let differs = [
        ("the numbers of shortest paths differ", paths == claimed.paths),
        ("the edge connectivity differs", edge_connectivity == claimed.edge_connectivity),
        ("the random failures differ", failures == claimed.failures),
    ];
    match differs.into_iter().find(|(_, same)| !same) {
        Some((what, _)) => Err(CheckError::Graph { what: what.to_owned() }),
        None => Ok(()),
    }
}

/// Counts a network again; `failures` is what the spec asks for, `halves` are one half of its routers and the
/// lower end of the bisection, if the certificates have them.
///
/// # Errors
/// Halves that are none, a lower end that is not proved, or halves that are missing or not to be had.
pub(super) fn recount(
    topology: &Topology,
    demand: &Demand,
    failures: Option<&Failures>,
    halves: Option<(&[NodeId], u64)>,
) -> Result<NetworkMetrics, CheckError> {
    let bisection = match (halves, has_bisection(topology)) {
        (Some((half, least)), true) => Some(bisection::recount(topology, demand, half, least)?),
        (None, false) => None,
        (Some(_), false) => {
            return Err(CheckError::Halves { what: "it is not measured of such a network".to_owned() });
        }
        (None, true) => return Err(CheckError::Halves { what: "the halves are missing".to_owned() }),
    };
    let (mut links, mut endpoint_links) = (0, 0);
    for link in topology.links().iter() {
        links += 1;
        endpoint_links += u64::from([link.a, link.b].iter().any(|end| topology.hosts(end.node) > 0));
    }
    let hosts = topology.nodes().map(|node| u64::from(topology.hosts(node))).sum();
    let routers = topology.node_count() as u64;
    let (paths, edge_connectivity, failures) = searched(topology, failures);
    Ok(NetworkMetrics {
        routers,
        hosts,
        links,
        endpoint_links,
        bisection,
        paths,
        edge_connectivity,
        failures,
    })
}

/// What takes searches from every router: shortest paths, edge connectivity, failures.
fn searched(
    topology: &Topology,
    failures: Option<&Failures>,
) -> (Option<PathCounts>, Option<u64>, Option<FailureCurve>) {
    let affordable = |rounds: usize| {
        let senders = topology.nodes().filter(|&node| topology.hosts(node) > 0).count();
        let channels: usize = topology.nodes().map(|node| topology.channels_from(node).count()).sum();
        senders > 1 && senders as u128 * channels as u128 * rounds as u128 <= u128::from(limits::GRAPH_STEPS)
    };
    let paths = if affordable(1) { paths::paths(topology) } else { None };
    let edge_connectivity =
        affordable(paths::narrowest(topology)).then(|| paths::edge_connectivity(topology));
    let failures = failures.map(|settings| {
        // Every fifth percent from 0 on, and the limit.
        let points = settings.percent.div_ceil(5) as usize + 1;
        failures::failures(topology, settings, affordable(points))
    });
    (paths, edge_connectivity, failures)
}
