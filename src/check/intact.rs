//! Whether new tables leave every route alone that nothing has broken.
//!
//! Comes in: the tables of the healthy fabric, new ones for what is left, and what is left. Every pair is
//! walked along the old entries. Where that walk arrives without a dark channel and without a dead router,
//! the new entries must lead the same way, over the same channels on the same virtual channels. Cost: two
//! walks of all pairs, or up to the first pair whose route is another one.

use super::CheckError;
use super::convictions::conviction_of_tables;
use fabc_base::ids::{Id, NodeId, PortId};
use fabc_ir::{ForwardingTables, Scene};
use fabc_kernel::{Forwarding, MISSING, Table};
use fabc_model::Fabric;
use rayon::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether all routes that what is left still carries are as before.
///
/// # Errors
/// Entries that name what there is not.
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
    let whole = Scene::whole(topology);
    let laid_out = |tables| {
        Forwarding::new(&whole, tables)
            .map_err(|error| conviction_of_tables(error, topology, tables, fabric.budget.vcs_span))
    };
    let (old, new) = (laid_out(before)?, laid_out(after)?);
    let walk =
        Walk { served, inputs: topology.ports() * usize::from(before.vcs) + 1, vcs: usize::from(before.vcs) };
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
            let stays = |source: NodeId| {
                let route = walk.route(old_row, source, dst);
                route.is_none() || route == walk.route(new_row, source, dst)
            };
            if !served.endpoints().filter(|&source| source != dst).all(stays) {
                changed.store(true, Ordering::Relaxed);
            }
        },
    );
    Ok(!changed.into_inner())
}

struct Walk<'a> {
    served: &'a Scene<'a>,
    /// Keys of a router for one destination.
    inputs: usize,
    vcs: usize,
}

impl Walk<'_> {
    /// The entries along a route, each as (router, output); `None` where it does not arrive over what is lit.
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
