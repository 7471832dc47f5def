//! The start of routes in a folded Clos network: an even spread over its tiers.

use super::TreeBalance;
use super::tree::{NearerChannels, RouteTree};
use crate::route::tiers::Tiers;
use fabc_base::ids::NodeId;
use fabc_ir::NextHops;
use rayon::prelude::*;

impl TreeBalance<'_> {
    /// Lays every tree by the spread of [`Tiers`], and counts the loads.
    pub(super) fn spread_over_tiers(&mut self, tiers: &Tiers) {
        let balance = &*self;
        let trees: Vec<Vec<u16>> =
            balance.trees.par_iter().map(|tree| balance.spread_tree(tree, tiers)).collect();
        self.adopt(&trees);
    }

    /// The output ports of a tree by the spread.
    fn spread_tree(&self, tree: &RouteTree, tiers: &Tiers) -> Vec<u16> {
        let TreeBalance { topology, starts, heads, local, outputs, .. } = self;
        let nearer_channels =
            NearerChannels { starts, heads, local, distance: &tree.distance, by_local: &tree.by_local };
        let destination = tiers.destination(topology, tree.destination);
        let mut ports = vec![NextHops::NONE; topology.node_count()];
        let mut passes = vec![false; topology.node_count()];
        let mut choices: Vec<(usize, usize)> = Vec::new();
        for &node in tree.order.iter().skip(1).rev() {
            if !topology.is_endpoint(NodeId(node)) && !passes[node as usize] {
                continue;
            }
            // Neighbors come first, then further cables to them.
            choices.clear();
            for channel in nearer_channels.nearer(node as usize) {
                let head = heads[channel];
                let copy = match choices.last() {
                    Some(&(copy, earlier)) if heads[earlier] == head => copy + 1,
                    _ => 0,
                };
                choices.push((copy, channel));
            }
            choices.sort_by_key(|&(copy, _)| copy);
            let climbs = tiers.climbs(node, heads[choices[0].1]);
            let (_, channel) = choices[tiers.choice(node, &destination, climbs) % choices.len()];
            ports[node as usize] = outputs[channel];
            passes[heads[channel] as usize] = true;
        }
        ports
    }
}
