//! up*/down* routing.
//!
//! When: any connected topology and any fault. One VC suffices. Routers are ordered by (hops from a root,
//! id). A route climbs towards smaller ones first and then only descends, so no cycle of channels can
//! arise. Guarantees: delivery and deadlock freedom. Routes are the shortest legal ones, and routers near
//! the root carry more than their share. In a network with tiers the order is that of the tiers. Routes are
//! then the shortest ones, balanced by [`minimal`]. Several VCs serve as parallel layers, one per
//! destination. Source: Schroeder et al., Autonet (1991). Cost: N searches over 2 N states.

use super::minimal::{self, BalanceSettings};
use super::ranks;
use super::tiers::Tiers;
use fabc_base::ids::{ChannelId, Id, NodeId, PortId, Vc};
use fabc_ir::{Hop, NextHops, Routes, Scene};
use fabc_model::Demand;
use std::collections::VecDeque;

const FAR: u32 = u32::MAX;

/// Routes any scene whose lit links connect its surviving routers. `settings` are those of the balance over
/// tiers.
pub fn route(scene: &Scene<'_>, demand: &Demand, settings: BalanceSettings, vcs: u8) -> Routes {
    let over_tiers = Tiers::of_topology(scene.topology).and_then(|tiers| {
        routes_over_tiers(scene, &tiers, &minimal::route(scene, demand, settings).next, vcs)
    });
    over_tiers.unwrap_or_else(|| routes_over_tree(scene, vcs))
}

/// Shortest routes, where all of them go up over tiers and then down. `None` where one does not, as around
/// some faults.
fn routes_over_tiers(scene: &Scene<'_>, tiers: &Tiers, next: &NextHops, vcs: u8) -> Option<Routes> {
    let topology = scene.topology;
    let nodes = topology.node_count();
    let (mut offsets, mut hops) = (Vec::with_capacity(nodes * nodes + 1), Vec::new());
    offsets.push(0);
    let mut trees = next.destinations.iter().zip(&next.ports).peekable();
    for dst in topology.nodes() {
        let ports = trees.next_if(|(destination, _)| **destination == dst).map(|(_, ports)| ports);
        let vc = Vc((dst.index() % usize::from(vcs)) as u8);
        for src in topology.nodes() {
            let (mut node, mut may_climb) = (src, true);
            while let Some(ports) = ports.filter(|_| node != dst && scene.is_endpoint(src)) {
                let channel = topology.outgoing(node, PortId(ports[node.index()]))?;
                let head = topology.target(channel).node;
                let climbs = tiers.climbs(node.0, head.0);
                if climbs && !may_climb {
                    return None;
                }
                hops.push(Hop { channel, vc });
                (node, may_climb) = (head, climbs);
            }
            offsets.push(hops.len() as u32);
        }
    }
    Some(ranks::with_ranks(topology, vcs, offsets, hops))
}

/// Routes over the tree of a root, by the least loaded channels.
fn routes_over_tree(scene: &Scene<'_>, vcs: u8) -> Routes {
    let topology = scene.topology;
    let nodes = topology.node_count();
    let order = levels(scene, root(scene));
    let climbs = |channel: ChannelId| {
        order[topology.target(channel).node.index()] < order[topology.source(channel).node.index()]
    };
    let lit = |node: NodeId| scene.channels_from(node);
    let mut ascending: Vec<NodeId> = topology.nodes().collect();
    ascending.sort_by_key(|node| order[node.index()]);

    let mut load = vec![0u64; topology.channel_count()];
    let mut offsets = Vec::with_capacity(nodes * nodes + 1);
    let mut hops: Vec<Hop> = Vec::new();
    offsets.push(0);
    for dst in topology.nodes() {
        let vc = Vc((dst.index() % usize::from(vcs)) as u8);
        // Hops to go when only descending, by a backward search from the destination.
        let mut descend = vec![FAR; nodes];
        descend[dst.index()] = 0;
        let mut open = VecDeque::from([dst]);
        while let Some(node) = open.pop_front() {
            for out in lit(node) {
                // `out` climbs from the node, so its reverse descends to it.
                let from = topology.target(out).node;
                if climbs(out) && descend[from.index()] == FAR {
                    descend[from.index()] = descend[node.index()] + 1;
                    open.push_back(from);
                }
            }
        }
        // Hops to go while climbing is still allowed. Smaller routers come first, because a climb leads to
        // them.
        let mut mixed = descend.clone();
        for &node in &ascending {
            for out in lit(node).filter(|&out| climbs(out)) {
                let through = mixed[topology.target(out).node.index()];
                if through != FAR {
                    mixed[node.index()] = mixed[node.index()].min(through + 1);
                }
            }
        }
        // One choice per (router, may still climb): the least loaded channel of the shortest legal paths.
        let mut choice = [vec![None; nodes], vec![None; nodes]];
        let mut decide = |node: NodeId, may_climb: bool, load: &[u64]| -> ChannelId {
            *choice[usize::from(may_climb)][node.index()].get_or_insert_with(|| {
                let hops_left = if may_climb { mixed[node.index()] } else { descend[node.index()] };
                lit(node)
                    .filter(|&out| {
                        let to = topology.target(out).node.index();
                        if climbs(out) {
                            may_climb && mixed[to] != FAR && mixed[to] + 1 == hops_left
                        } else {
                            descend[to] != FAR && descend[to] + 1 == hops_left
                        }
                    })
                    .min_by_key(|out| (load[out.index()], out.index()))
                    .expect("every router is above or below the root")
            })
        };
        for src in topology.nodes() {
            let served = scene.is_endpoint(src) && scene.is_endpoint(dst);
            let (mut node, mut may_climb) = (if served { src } else { dst }, true);
            while node != dst {
                let channel = decide(node, may_climb, &load);
                load[channel.index()] += 1;
                hops.push(Hop { channel, vc });
                may_climb = climbs(channel);
                node = topology.target(channel).node;
            }
            offsets.push(hops.len() as u32);
        }
    }
    ranks::with_ranks(topology, vcs, offsets, hops)
}

/// The node with the smallest sum of distances. The smaller id breaks ties.
fn root(scene: &Scene<'_>) -> NodeId {
    let candidates = scene.topology.symmetry().canonical_nodes();
    candidates
        .min_by_key(|&node| {
            (levels(scene, node).iter().map(|&(level, _)| u64::from(level)).sum::<u64>(), node)
        })
        .expect("a fabric has routers")
}

/// `[node]`: (hops from the root, id).
fn levels(scene: &Scene<'_>, root: NodeId) -> Vec<(u32, u32)> {
    let topology = scene.topology;
    let mut levels: Vec<(u32, u32)> = topology.nodes().map(|node| (FAR, node.0)).collect();
    levels[root.index()].0 = 0;
    let mut open = VecDeque::from([root]);
    while let Some(node) = open.pop_front() {
        for channel in scene.channels_from(node) {
            let to = topology.target(channel).node;
            if levels[to.index()].0 == FAR {
                levels[to.index()].0 = levels[node.index()].0 + 1;
                open.push_back(to);
            }
        }
    }
    levels
}
