//! Decides whether new tables keep every route that no failure has broken.
//!
//! Input: the tables of the healthy fabric, new tables, and the surviving fabric. Every pair is walked along
//! the old entries. If that walk arrives without a dark channel or a dead router, the new entries must use
//! the same channels on the same virtual channels. Cost: two walks of all pairs, or up to the first pair
//! whose route differs.

use super::CheckError;
use super::convictions::conviction_of_tables;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{ForwardingTables, Scene};
use fabc_kernel::{Forwarding, LookupTable, MISSING};
use fabc_model::Fabric;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether all routes that survive are unchanged.
///
/// # Errors
/// Entries that name routers, ports or virtual channels that do not exist.
pub fn keeps_intact_routes(
    fabric: &Fabric,
    served: &Scene<'_>,
    before: &ForwardingTables,
    after: &ForwardingTables,
) -> Result<bool, CheckError> {
    if (before.vcs, before.key) != (after.vcs, after.key) {
        return Ok(false);
    }
    let topology = served.topology;
    let healthy = Scene::healthy(topology);
    let to_forwarding = |tables| {
        Forwarding::new(&healthy, tables)
            .map_err(|error| conviction_of_tables(error, topology, tables, fabric.budget.vcs_span))
    };
    let (old, new) = (to_forwarding(before)?, to_forwarding(after)?);
    let walk = IntactWalk {
        served,
        inputs: topology.ports() * usize::from(before.vcs) + 1,
        vcs: usize::from(before.vcs),
    };
    let destinations: Vec<NodeId> = served.endpoints().collect();
    let changed = AtomicBool::new(false);
    destinations.par_iter().for_each_init(
        || (Vec::new(), Vec::new()),
        |(old_row, new_row), &dst| {
            if changed.load(Ordering::Relaxed) {
                return;
            }
            old.fill(dst.index(), old_row);
            new.fill(dst.index(), new_row);
            let is_kept = |source: NodeId| {
                let route = walk.route(old_row, source, dst);
                route.is_none() || route == walk.route(new_row, source, dst)
            };
            if !served.endpoints().filter(|&source| source != dst).all(is_kept) {
                changed.store(true, Ordering::Relaxed);
            }
        },
    );
    Ok(!changed.into_inner())
}

struct IntactWalk<'a> {
    served: &'a Scene<'a>,
    /// Number of keys of a router for one destination.
    inputs: usize,
    vcs: usize,
}

impl IntactWalk<'_> {
    /// The entries along a route, each as (router, output). `None` if it does not arrive over lit channels.
    fn route(&self, row: &[u32], source: NodeId, dst: NodeId) -> Option<Vec<(NodeId, u32)>> {
        let topology = self.served.topology;
        let (mut node, mut key, mut route) = (source, source.index() * self.inputs, Vec::new());
        while node != dst {
            let output = *row.get(key)?;
            if output == MISSING || route.len() > row.len() {
                return None;
            }
            route.push((node, output));
            let end = topology.target(self.served.outgoing(node, PortId::new((output & 0xffff) as usize))?);
            if !self.served.lives(end.node) {
                return None;
            }
            node = end.node;
            key = node.index() * self.inputs + 1 + end.port.index() * self.vcs + (output >> 16) as usize;
        }
        Some(route)
    }
}
