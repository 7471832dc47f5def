//! Next-hop groups: many paths for every pair.
//!
//! Input: a scene whose topology has tiers. Output: [`GroupTables`], in which the group of a router and a
//! destination is the set of all ports on shortest valid paths. A path is valid if it goes up and then down.
//!
//! Every router gets its *layers*: layer 0 has the endpoints below it, layer j those that it reaches by j
//! hops up and then down, unless a lower layer has them. A port up belongs to the group of a destination in
//! layer j if the router above has the destination in layer j - 1. Packets never turn up again after a hop
//! down, so they cannot deadlock, whichever member a router takes.
//!
//! A link between two endpoints is a path of its own. Of equally short paths, an endpoint takes those that
//! begin with a local link, where there are any: those inside its box.

pub use super::relays::PairWithoutPath;
use super::relays::Reach;

use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{GroupMembers, GroupTables, GroupTablesBuilder, LinkClass, Relay, Scene};
use fixedbitset::FixedBitSet;
use std::collections::BTreeMap;

/// What is known of the routers of a scene.
struct Layers {
    /// The living endpoints, ascending. Sets of endpoints count them in this order.
    endpoints: Vec<NodeId>,
    /// `[router][layer]`: a set of endpoints.
    layers: Vec<Vec<FixedBitSet>>,
    /// `[router]`: the endpoints that a link joins to this endpoint. Empty sets above the endpoints.
    direct: Vec<FixedBitSet>,
}

/// Checks that a valid path, or at most so many relays, joins every living endpoint to every other one.
/// `tiers` is `[router]`: its tier in the healthy topology.
///
/// # Errors
/// A living endpoint that has no valid path to another one.
pub fn check_joined(scene: &Scene<'_>, tiers: &[u32], relays: u32) -> Result<(), PairWithoutPath> {
    let layers = Layers::new(scene, tiers);
    match relays {
        0 => layers.check_joined(),
        most => layers.relays(scene, tiers, most).map(|_| ()),
    }
}

/// Builds the group tables of a scene. `tiers` is `[router]`: its tier in the healthy topology. A pair that
/// no valid path joins goes by at most so many relays.
///
/// # Errors
/// A living endpoint that has no valid path to another one.
pub fn route(
    scene: &Scene<'_>,
    tiers: &[u32],
    relays: u32,
    scenario: &str,
) -> Result<GroupTables, PairWithoutPath> {
    let layers = Layers::new(scene, tiers);
    let relays = match relays {
        0 => layers.check_joined().map(|()| Vec::new())?,
        most => layers.relays(scene, tiers, most)?,
    };
    let mut tables = GroupTablesBuilder::default();
    let mut members: Vec<Vec<u16>> = vec![Vec::new(); layers.endpoints.len()];
    for router in scene.topology.nodes() {
        layers.fill_members(scene, tiers, router, &mut members);
        let groups = layers.endpoints.iter().copied().zip(&members);
        let reached = groups.filter(|(_, ports)| !ports.is_empty());
        let reached = reached.map(|(node, ports)| (node, GroupMembers { ports, weights: &[] }));
        tables.push_router(reached, |node| scene.topology.is_endpoint(node));
    }
    Ok(GroupTables { relays, ..tables.finish(scenario) })
}

impl Layers {
    fn new(scene: &Scene<'_>, tiers: &[u32]) -> Self {
        let topology = scene.topology;
        let endpoints: Vec<NodeId> = scene.endpoints().collect();
        let mut by_tier: Vec<NodeId> = topology.nodes().collect();
        by_tier.sort_by_key(|node| tiers[node.index()]);
        let empty = || FixedBitSet::with_capacity(endpoints.len());
        let mut below: Vec<FixedBitSet> = topology.nodes().map(|_| empty()).collect();
        for (place, endpoint) in endpoints.iter().enumerate() {
            below[endpoint.index()].insert(place);
        }
        for &router in &by_tier {
            let mut reached = std::mem::take(&mut below[router.index()]);
            for next in neighbors(scene, router).filter(|next| tiers[next.index()] < tiers[router.index()]) {
                reached.union_with(&below[next.index()]);
            }
            below[router.index()] = reached;
        }
        let mut direct: Vec<FixedBitSet> = topology.nodes().map(|_| FixedBitSet::new()).collect();
        for (place, &endpoint) in endpoints.iter().enumerate() {
            let peers = neighbors(scene, endpoint).filter(|next| tiers[next.index()] == 0);
            for peer in peers {
                direct[peer.index()].grow(endpoints.len());
                direct[peer.index()].insert(place);
            }
        }
        let mut layers: Vec<Vec<FixedBitSet>> = below.into_iter().map(|below| vec![below]).collect();
        for &router in by_tier.iter().rev() {
            let mut own = std::mem::take(&mut layers[router.index()]);
            let mut known = own[0].clone();
            known.union_with(&direct[router.index()]);
            let above: Vec<NodeId> =
                neighbors(scene, router).filter(|next| tiers[next.index()] > tiers[router.index()]).collect();
            let deepest = above.iter().map(|next| layers[next.index()].len()).max().unwrap_or(0);
            for layer in 0..deepest {
                let mut reached = empty();
                for next in &above {
                    if let Some(set) = layers[next.index()].get(layer) {
                        reached.union_with(set);
                    }
                }
                reached.difference_with(&known);
                known.union_with(&reached);
                own.push(reached);
            }
            layers[router.index()] = own;
        }
        Self { endpoints, layers, direct }
    }

    /// The relays of all pairs that no valid path joins.
    fn relays(&self, scene: &Scene<'_>, tiers: &[u32], most: u32) -> Result<Vec<Relay>, PairWithoutPath> {
        let reached = |endpoint: &NodeId| {
            let mut reached = self.direct[endpoint.index()].clone();
            reached.grow(self.endpoints.len());
            self.layers[endpoint.index()].iter().for_each(|layer| reached.union_with(layer));
            reached
        };
        // Links inside a box lead to other endpoints or to switches that have them below.
        let inside = |&endpoint: &NodeId| {
            let mut inside = FixedBitSet::with_capacity(self.endpoints.len());
            let local = scene.channels_from(endpoint);
            let local = local.filter(|&channel| scene.topology.link(channel).class == LinkClass::Local);
            for next in local.map(|channel| scene.topology.target(channel).node) {
                match tiers[next.index()] {
                    0 => inside.extend(self.endpoints.binary_search(&next).ok()),
                    _ => inside.union_with(&self.layers[next.index()][0]),
                }
            }
            inside
        };
        let reach = Reach {
            endpoints: &self.endpoints,
            reached: self.endpoints.iter().map(reached).collect(),
            inside: self.endpoints.iter().map(inside).collect(),
            links: self.links_of_endpoints(scene),
        };
        reach.relays(most)
    }

    /// The number of links between endpoints, as places.
    fn links_of_endpoints(&self, scene: &Scene<'_>) -> BTreeMap<(usize, usize), u64> {
        let mut links = BTreeMap::new();
        for (place, &endpoint) in self.endpoints.iter().enumerate() {
            for next in neighbors(scene, endpoint) {
                if let Ok(other) = self.endpoints.binary_search(&next) {
                    *links.entry((place, other)).or_default() += 1;
                }
            }
        }
        links
    }

    /// Checks that every endpoint has every other one in some layer.
    fn check_joined(&self) -> Result<(), PairWithoutPath> {
        for &source in &self.endpoints {
            let mut known = FixedBitSet::with_capacity(self.endpoints.len());
            self.layers[source.index()].iter().for_each(|layer| known.union_with(layer));
            known.union_with(&self.direct[source.index()]);
            if let Some(place) = known.zeroes().next() {
                return Err(PairWithoutPath { source, destination: self.endpoints[place] });
            }
        }
        Ok(())
    }

    /// Fills in `[endpoint]`: the ports by which a router may send packets to it, ascending.
    fn fill_members(&self, scene: &Scene<'_>, tiers: &[u32], router: NodeId, members: &mut [Vec<u16>]) {
        members.iter_mut().for_each(Vec::clear);
        let own = &self.layers[router.index()];
        for channel in scene.channels_from(router) {
            let PortId(port) = scene.topology.source(channel).port;
            let next = scene.topology.target(channel).node;
            let theirs = &self.layers[next.index()];
            if tiers[router.index()] == 0 && tiers[next.index()] == 0 {
                if let Ok(place) = self.endpoints.binary_search(&next) {
                    members[place].push(port);
                }
            } else if tiers[next.index()] < tiers[router.index()] {
                theirs[0].ones().for_each(|place| members[place].push(port));
            } else {
                for (layer, set) in own.iter().skip(1).zip(theirs) {
                    set.intersection(layer).for_each(|place| members[place].push(port));
                }
            }
        }
        if tiers[router.index()] == 0 {
            members.iter_mut().for_each(|ports| keep_local(scene, router, ports));
        }
    }
}

/// Leaves only the ports of local links, if there are any.
fn keep_local(scene: &Scene<'_>, router: NodeId, ports: &mut Vec<u16>) {
    let is_local = |port: &u16| {
        let channel = scene.outgoing(router, PortId(*port));
        channel.is_some_and(|channel| scene.topology.link(channel).class == LinkClass::Local)
    };
    if ports.iter().any(is_local) {
        ports.retain(is_local);
    }
}

/// The routers at the other ends of the lit channels of a router, in port order.
fn neighbors(scene: &Scene<'_>, router: NodeId) -> impl Iterator<Item = NodeId> {
    scene.channels_from(router).map(|channel| scene.topology.target(channel).node)
}
