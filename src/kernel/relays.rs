//! The legs of relayed routes, and what is sent over them.

use crate::judge::Judged;
use fabc_topology::ids::{Id, NodeId};
use fabc_topology::{GroupTables, Relay};
use std::collections::BTreeMap;

/// The relayed routes that share a leg.
#[derive(Clone, Copy, Default)]
pub(crate) struct RelayedLoad {
    /// Number of routes that take the leg.
    pub routes: u128,
    /// The sum of their weights.
    pub weight: u128,
}

/// The length of a leg.
#[derive(Clone, Copy)]
pub(crate) struct LegLength {
    pub hops: u32,
    /// Cycles of its slowest path.
    pub cycles: u64,
}

/// The legs of all relayed routes.
pub(crate) struct RelayedLegs {
    /// `[router]`: the sources of the legs that end at it, ascending.
    by_end: Vec<Vec<(NodeId, RelayedLoad)>>,
}

impl RelayedLegs {
    /// Follows the relays of every pair that has one.
    ///
    /// # Errors
    /// A relay that is no living endpoint other than the two, stands in a circle, or is listed out of order.
    pub(crate) fn new(judged: &Judged<'_>, tables: &GroupTables) -> Result<Self, Relay> {
        let scene = judged.scene;
        let nodes = scene.topology.node_count();
        let mut loads: Vec<BTreeMap<NodeId, RelayedLoad>> = vec![BTreeMap::new(); nodes];
        for (place, &relayed) in tables.relays.iter().enumerate() {
            let Relay { source, destination, relay } = relayed;
            let lives = |node: NodeId| node.index() < nodes && scene.is_endpoint(node);
            let ascends = tables
                .relays
                .get(place + 1)
                .is_none_or(|next| (source, destination) < (next.source, next.destination));
            let legs = tables.legs(source, destination);
            let is_circle = legs.last().is_some_and(|&(from, to)| tables.relay(from, to).is_some());
            let differ = source != destination && relay != source && relay != destination;
            if ![source, destination, relay].into_iter().all(lives) || !ascends || is_circle || !differ {
                return Err(relayed);
            }
            for (from, to) in legs {
                let load = loads[to.index()].entry(from).or_default();
                load.routes += 1;
                load.weight += u128::from(judged.demand.weight(source, destination));
            }
        }
        Ok(Self { by_end: loads.into_iter().map(|loads| loads.into_iter().collect()).collect() })
    }

    /// The sources of the legs that end at an endpoint.
    pub(crate) fn to(&self, end: NodeId) -> &[(NodeId, RelayedLoad)] {
        &self.by_end[end.index()]
    }
}
