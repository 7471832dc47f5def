//! Next-hop groups: many paths for every pair.
//!
//! Input: a scene whose topology has tiers. Output: [`GroupTables`], in which the group of a router and a
//! destination is the set of all ports on shortest valid paths. A path is valid if it goes up and then down.
//!
//! Every router gets its *layers*: layer 0 has the endpoints below it, layer j those that it reaches by j
//! hops up and then down, unless a lower layer has them. A port up belongs to the group of a destination in
//! layer j if the router above has the destination in layer j - 1. Packets never turn up again after a hop
//! down, so they cannot deadlock, whichever member a router takes.

use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{GroupMembers, GroupTables, GroupTablesBuilder, Scene};
use fixedbitset::FixedBitSet;

/// A pair of endpoints that no valid path joins.
#[derive(Clone, Copy, Debug)]
pub struct PairWithoutPath {
    /// The endpoint at the start of the missing path.
    pub source: NodeId,
    /// The endpoint that is not reached.
    pub destination: NodeId,
}

/// What is known of the routers of a scene.
struct Layers {
    /// The living endpoints, ascending. Sets of endpoints count them in this order.
    endpoints: Vec<NodeId>,
    /// `[router][layer]`: a set of endpoints.
    layers: Vec<Vec<FixedBitSet>>,
}

/// Checks that a valid path joins every living endpoint to every other one. `tiers` is `[router]`: its tier
/// in the healthy topology.
///
/// # Errors
/// A living endpoint that has no valid path to another one.
pub fn check_joined(scene: &Scene<'_>, tiers: &[u32]) -> Result<(), PairWithoutPath> {
    Layers::new(scene, tiers).check_joined()
}

/// Builds the group tables of a scene. `tiers` is `[router]`: its tier in the healthy topology.
///
/// # Errors
/// A living endpoint that has no valid path to another one.
pub fn route(scene: &Scene<'_>, tiers: &[u32], scenario: &str) -> Result<GroupTables, PairWithoutPath> {
    let layers = Layers::new(scene, tiers);
    layers.check_joined()?;
    let mut tables = GroupTablesBuilder::default();
    let mut members: Vec<Vec<u16>> = vec![Vec::new(); layers.endpoints.len()];
    for router in scene.topology.nodes() {
        layers.fill_members(scene, tiers, router, &mut members);
        let groups = layers.endpoints.iter().copied().zip(&members);
        let reached = groups.filter(|(_, ports)| !ports.is_empty());
        let reached = reached.map(|(node, ports)| (node, GroupMembers { ports, weights: &[] }));
        tables.push_router(reached, |node| scene.topology.is_endpoint(node));
    }
    Ok(tables.finish(scenario))
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
        let mut layers: Vec<Vec<FixedBitSet>> = below.into_iter().map(|below| vec![below]).collect();
        for &router in by_tier.iter().rev() {
            let mut own = std::mem::take(&mut layers[router.index()]);
            let mut known = own[0].clone();
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
        Self { endpoints, layers }
    }

    /// Checks that every endpoint has every other one in some layer.
    fn check_joined(&self) -> Result<(), PairWithoutPath> {
        for &source in &self.endpoints {
            let mut known = FixedBitSet::with_capacity(self.endpoints.len());
            self.layers[source.index()].iter().for_each(|layer| known.union_with(layer));
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
            if tiers[next.index()] < tiers[router.index()] {
                theirs[0].ones().for_each(|place| members[place].push(port));
            } else {
                for (layer, set) in own.iter().skip(1).zip(theirs) {
                    set.intersection(layer).for_each(|place| members[place].push(port));
                }
            }
        }
    }
}

/// The routers at the other ends of the lit channels of a router, in port order.
fn neighbors(scene: &Scene<'_>, router: NodeId) -> impl Iterator<Item = NodeId> {
    scene.channels_from(router).map(|channel| scene.topology.target(channel).node)
}
