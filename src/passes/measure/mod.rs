//! Measures of the graph of a network, independent of traffic.
//!
//! Input: a topology, its demand, and what the network declares. Output: [`NetworkMetrics`], with a record
//! of the work. Nothing here changes a route or a table. Cost: see each file. A measure that would cost
//! more than `limits` allows is skipped, and the report says so.

mod bisection;
pub mod collision;
mod connectivity;
mod failures;
mod paths;
pub mod permutation;

pub use connectivity::least_degree;

use fabc_base::ids::{ChannelId, Id};
use fabc_ir::{
    Bisection, NetworkMetrics, PassRecord, Topology, bisection_unmeasured, failure_percents,
    host_bisection_unmeasured, search_unmeasured,
};
use fabc_model::{Demand, Network};

/// Measures a network without faults. `halves` are halves of the routers that its family suggests. With
/// `brief`, searches take few starts.
pub fn measure(
    topology: &Topology,
    network: &Network,
    demand: &Demand,
    halves: &[Vec<bool>],
    brief: bool,
) -> (NetworkMetrics, Vec<PassRecord>) {
    let unmeasured = bisection_unmeasured(topology.node_count(), topology.has_simplex());
    let measured = unmeasured.is_none().then(|| bisection::bisection(topology, demand, halves, brief));
    let (bisection, record) = measured.unzip();
    let (routers, endpoints, channels) =
        (topology.node_count(), topology.endpoints().count(), topology.channels().count());
    let measures_hosts = endpoints < routers
        && host_bisection_unmeasured(routers, endpoints, topology.has_simplex()).is_none();
    let host_bisection = measures_hosts.then(|| bisection::host_bisection(topology, halves));
    let endpoint_links = topology
        .links()
        .iter()
        .filter(|link| topology.is_endpoint(link.a.node) || topology.is_endpoint(link.b.node));
    let paths = search_unmeasured(endpoints, channels, 1).is_none().then(|| paths::paths(topology)).flatten();
    let degree = connectivity::least_degree(topology);
    let searched = search_unmeasured(endpoints, channels, degree).is_none();
    let edge_connectivity = searched.then(|| connectivity::edge_connectivity(topology, degree));
    let affordable =
        |percent| search_unmeasured(endpoints, channels, failure_percents(percent).len()).is_none();
    let failures = network
        .failures
        .as_ref()
        .map(|settings| failures::failures(topology, settings, affordable(settings.percent)));
    let metrics = NetworkMetrics {
        routers: routers as u64,
        hosts: topology.nodes().map(|node| u64::from(topology.hosts(node))).sum(),
        links: topology.links().len() as u64,
        endpoint_links: endpoint_links.count() as u64,
        bisection,
        host_bisection,
        paths,
        edge_connectivity,
        failures,
    };
    (metrics, record.into_iter().collect())
}

/// Channel lengths by class that turn a cut into a bound on the flow: for every class, how many of its
/// channels cross. For a cut that no symmetry moves these are 1 and 0. Otherwise they are the mean over all
/// images of the cut, which bounds no worse: the sum over the channels is that of every image, and no pair
/// comes nearer.
pub fn cut_lengths(topology: &Topology, bisection: &Bisection) -> Vec<u32> {
    let mut inside = vec![false; topology.node_count()];
    bisection.half.iter().for_each(|node| inside[node.index()] = true);
    let symmetry = topology.symmetry();
    let mut lengths = vec![0; topology.class_count(symmetry)];
    let is_inside_at_ends = |channel: ChannelId| {
        [topology.source(channel), topology.target(channel)].map(|end| inside[end.node.index()])
    };
    for channel in
        topology.channels().filter(|&channel| is_inside_at_ends(channel)[0] != is_inside_at_ends(channel)[1])
    {
        lengths[topology.channel_class(symmetry, channel).index()] += 1;
    }
    lengths
}
