//! Recounts the claims about the graph of a network.
//!
//! Input: a topology, and from the certificates one half and a lower bound. Output: every count.

mod bisection;
mod cut_weights;
mod definite;
mod failures;
mod host_bisection;
mod paths;
mod small_halves;

pub use bisection::verify_bisection;
pub(super) use bisection::{BisectionClaim, with_flow};
pub use host_bisection::verify_host_bisection;
pub(super) use host_bisection::with_traffic;

use super::CheckError;
use fabc_base::ids::NodeId;
use fabc_base::limits;
use fabc_ir::{FailureCurve, NetworkMetrics, PathCounts, Topology};
use fabc_model::{Demand, LinkFailures};

/// Recounts paths, connectivity and failures, and compares them with the claims.
///
/// # Errors
/// The first count that differs.
pub fn verify_paths_and_failures(
    topology: &Topology,
    failures: Option<&LinkFailures>,
    claimed: &NetworkMetrics,
) -> Result<(), CheckError> {
    let (paths, edge_connectivity, failures) = search_graph(topology, failures);
    let comparisons = [
        ("the numbers of shortest paths differ", paths == claimed.paths),
        ("the edge connectivity differs", edge_connectivity == claimed.edge_connectivity),
        ("the random failures differ", failures == claimed.failures),
    ];
    match comparisons.into_iter().find(|(_, same)| !same) {
        Some((violation, _)) => Err(CheckError::Graph { violation: violation.to_owned() }),
        None => Ok(()),
    }
}

/// The halves that certificates list.
pub(super) struct ClaimedHalves<'a> {
    /// One half of the routers, and the lower bounds on the bisection.
    pub(super) bisection: Option<&'a BisectionClaim>,
    /// One side of the bisection between hosts.
    pub(super) host_side: Option<&'a [NodeId]>,
}

/// Recounts a network. `failures` are the settings of the spec.
///
/// # Errors
/// Invalid halves, an unproved lower bound, or halves that are missing or superfluous.
pub(super) fn recount_network(
    topology: &Topology,
    demand: &Demand,
    failures: Option<&LinkFailures>,
    halves: &ClaimedHalves<'_>,
) -> Result<NetworkMetrics, CheckError> {
    let bisection = match (halves.bisection, bisection::is_measured(topology)) {
        (Some(claim), true) => Some(bisection::recount_bisection(topology, demand, claim)?),
        (None, false) => None,
        (Some(_), false) => {
            return Err(CheckError::Halves { violation: "it is not measured of such a network".to_owned() });
        }
        (None, true) => return Err(CheckError::Halves { violation: "the halves are missing".to_owned() }),
    };
    let host_bisection = match (halves.host_side, host_bisection::is_measured(topology)) {
        (Some(side), true) => Some(host_bisection::recount(topology, side)?),
        (None, false) => None,
        (Some(_), false) => {
            let violation = "a side is listed, but halves of the hosts are not measured here".to_owned();
            return Err(CheckError::Halves { violation });
        }
        (None, true) => {
            let violation = "the side of the bisection between hosts is missing".to_owned();
            return Err(CheckError::Halves { violation });
        }
    };
    let (mut links, mut endpoint_links) = (0, 0);
    for link in topology.links().iter() {
        links += 1;
        endpoint_links += u64::from([link.a, link.b].iter().any(|end| topology.hosts(end.node) > 0));
    }
    let hosts = topology.nodes().map(|node| u64::from(topology.hosts(node))).sum();
    let routers = topology.node_count() as u64;
    let (paths, edge_connectivity, failures) = search_graph(topology, failures);
    Ok(NetworkMetrics {
        routers,
        hosts,
        links,
        endpoint_links,
        bisection,
        host_bisection,
        paths,
        edge_connectivity,
        failures,
    })
}

/// The counts that need searches from every router: shortest paths, edge connectivity, failures.
fn search_graph(
    topology: &Topology,
    failures: Option<&LinkFailures>,
) -> (Option<PathCounts>, Option<u64>, Option<FailureCurve>) {
    let affordable = |rounds: usize| {
        let senders = topology.nodes().filter(|&node| topology.hosts(node) > 0).count();
        let channels: usize = topology.nodes().map(|node| topology.channels_from(node).count()).sum();
        senders > 1 && senders as u128 * channels as u128 * rounds as u128 <= u128::from(limits::GRAPH_STEPS)
    };
    let paths = if affordable(1) { paths::count_paths(topology) } else { None };
    let edge_connectivity =
        affordable(paths::min_degree(topology)).then(|| paths::edge_connectivity(topology));
    let failures = failures.map(|settings| {
        // Every fifth percent from 0 on, and the limit.
        let points = settings.percent.div_ceil(5) as usize + 1;
        failures::repeat_failures(topology, settings, affordable(points))
    });
    (paths, edge_connectivity, failures)
}
