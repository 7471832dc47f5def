//! Next-hop groups by an order of the routers: up*/down* routing with all shortest paths of a router.
//!
//! Input: a scene, and for every router a tier of its own. Output: [`GroupTables`]. A router that can go down
//! to a destination all the way sends packets down by all its shortest such paths, even where a path up is
//! shorter: packets may come to it from above, and must not turn up again. Any other router sends them up, by
//! all ports behind which the paths are shortest. So tiers prove that packets cannot deadlock.
//!
//! Source: M. Schroeder and others, "Autonet", IEEE JSAC 1991, for the order; the groups follow from tables
//! that look at the destination only.

use super::groups::PairWithoutPath;
use fabc_base::ids::{ChannelId, Id, NodeId};
use fabc_ir::{GroupMembers, GroupTables, GroupTablesBuilder, Scene};
use rayon::prelude::*;

/// Stands for the hops of a router without a path.
const NO_PATH: u32 = u32::MAX;

/// The paths to one destination.
struct OrderedPaths {
    /// `[router]`: hops to the destination, or [`NO_PATH`].
    hops: Vec<u32>,
    /// `[router]`: whether it goes down all the way.
    descends: Vec<bool>,
}

/// Checks that a valid path joins every living endpoint to every other one. `tiers` is `[router]`: its tier.
///
/// # Errors
/// A living endpoint that has no valid path to another one.
pub fn check_joined(scene: &Scene<'_>, tiers: &[u32]) -> Result<(), PairWithoutPath> {
    paths_to_endpoints(scene, tiers).map(|_| ())
}

/// Builds the group tables of a scene. `tiers` is `[router]`: its tier.
///
/// # Errors
/// A living endpoint that has no valid path to another one.
pub fn route(scene: &Scene<'_>, tiers: &[u32], scenario: &str) -> Result<GroupTables, PairWithoutPath> {
    let paths = paths_to_endpoints(scene, tiers)?;
    let mut tables = GroupTablesBuilder::default();
    for router in scene.topology.nodes() {
        let ports = |(destination, paths): (NodeId, &OrderedPaths)| {
            let mut ports: Vec<u16> = paths
                .channels(scene, tiers, router)
                .map(|channel| scene.topology.source(channel).port.0)
                .collect();
            ports.sort_unstable();
            (destination, ports)
        };
        let groups: Vec<(NodeId, Vec<u16>)> = scene.endpoints().zip(&paths).map(ports).collect();
        let reached = groups.iter().filter(|(_, ports)| !ports.is_empty());
        let members = reached.map(|(node, ports)| (*node, GroupMembers { ports, weights: &[] }));
        tables.push_router(members, |node| scene.topology.is_endpoint(node));
    }
    Ok(tables.finish(scenario))
}

/// The paths to every living endpoint.
fn paths_to_endpoints(scene: &Scene<'_>, tiers: &[u32]) -> Result<Vec<OrderedPaths>, PairWithoutPath> {
    let mut rising: Vec<NodeId> = scene.topology.nodes().collect();
    rising.sort_unstable_by_key(|router| tiers[router.index()]);
    let endpoints: Vec<NodeId> = scene.endpoints().collect();
    let paths: Vec<OrderedPaths> = endpoints
        .par_iter()
        .map(|&destination| OrderedPaths::new(scene, tiers, &rising, destination))
        .collect();
    for (&destination, paths) in endpoints.iter().zip(&paths) {
        let lost = endpoints.iter().find(|source| paths.hops[source.index()] == NO_PATH);
        if let Some(&source) = lost {
            return Err(PairWithoutPath { source, destination });
        }
    }
    Ok(paths)
}

impl OrderedPaths {
    /// The paths to one destination. `rising` has all routers by rising tiers.
    fn new(scene: &Scene<'_>, tiers: &[u32], rising: &[NodeId], destination: NodeId) -> Self {
        let mut hops = vec![NO_PATH; tiers.len()];
        hops[destination.index()] = 0;
        let best = |hops: &[u32], router: NodeId, up: bool| {
            let heads =
                scene.channels_from(router).map(|channel| scene.topology.target(channel).node.index());
            let wanted = heads.filter(|&head| (tiers[head] > tiers[router.index()]) == up);
            wanted.map(|head| hops[head]).min().and_then(|least| least.checked_add(1)).unwrap_or(NO_PATH)
        };
        // All routers below are known before a router is.
        for &router in rising.iter().filter(|&&router| router != destination) {
            hops[router.index()] = best(&hops, router, false);
        }
        let descends: Vec<bool> = hops.iter().map(|&hops| hops != NO_PATH).collect();
        for &router in rising.iter().rev().filter(|router| !descends[router.index()]) {
            hops[router.index()] = best(&hops, router, true);
        }
        Self { hops, descends }
    }

    /// The channels by which a router sends packets.
    fn channels<'a>(
        &'a self,
        scene: &'a Scene<'_>,
        tiers: &'a [u32],
        router: NodeId,
    ) -> impl Iterator<Item = ChannelId> + 'a {
        let own = self.hops[router.index()];
        scene.channels_from(router).filter(move |&channel| {
            let head = scene.topology.target(channel).node.index();
            let is_down = tiers[head] < tiers[router.index()];
            own != NO_PATH
                && self.hops[head].checked_add(1) == Some(own)
                && is_down == self.descends[router.index()]
                && (self.descends[head] || !is_down)
        })
    }
}
