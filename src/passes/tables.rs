//! From routes to forwarding tables.
//!
//! Input: routes to every canonical destination. Output: the sorted entries of every canonical router without
//! duplicates, keyed by (dst, in_port, in_vc) or by dst alone. Routes that disagree on a key would leave two
//! entries for it, and the checker would refuse them. The loads and hops of routes are counted here from the
//! routes. The checker counts them by walking the tables.

use crate::add;
use fabc_base::ids::{ChannelId, Id, IdVec, NodeId};
use fabc_ir::{
    ForwardingTables, GroupMembers, GroupTables, GroupTablesBuilder, NextHops, RankedHops, Routes, Scene,
    Symmetry, TableEntry, TableKey, Topology, VcRule, Walk,
};
use fabc_model::{Clos, Demand, FamilyFacts, StageDigits};
use rayon::prelude::*;
use std::collections::BTreeMap;

/// Builds the tables of one scenario.
pub fn build(topology: &Topology, routes: &Routes, key: TableKey, scenario: &str) -> ForwardingTables {
    let symmetry = &routes.symmetry;
    let mut routers: Vec<Vec<TableEntry>> = vec![Vec::new(); symmetry.class_count()];
    // `[node][injected, then (in_port, in_vc)]`: the destination class + 1 for which the key was last used,
    // and its output.
    let inputs = topology.ports() * usize::from(routes.vcs) + 1;
    let mut last_uses = vec![(0u32, 0u16, 0u8); topology.node_count() * inputs];
    for dst_class in 0..symmetry.class_count() {
        let dst = symmetry.canonical_node(dst_class);
        for src in topology.nodes() {
            let (mut in_port, mut in_vc) = (-1i16, -1i8);
            for hop in routes.route(dst_class, src) {
                let from = topology.source(hop.channel);
                let input = if in_port < 0 {
                    0
                } else {
                    1 + in_port as usize * usize::from(routes.vcs) + in_vc as usize
                };
                let key_use = (dst_class as u32 + 1, from.port.0, hop.vc.0);
                let slot = &mut last_uses[from.node.index() * inputs + input];
                if *slot != key_use {
                    *slot = key_use;
                    let to_canonical = symmetry.inverse(symmetry.element_to(from.node));
                    routers[symmetry.class(from.node)].push(TableEntry {
                        dst: symmetry.image(to_canonical, dst),
                        in_port,
                        in_vc,
                        out_port: from.port.0,
                        out_vc: hop.vc.0,
                    });
                }
                if key == TableKey::DstInput {
                    (in_port, in_vc) = (topology.target(hop.channel).port.0 as i16, hop.vc.0 as i8);
                }
            }
        }
    }
    for entries in &mut routers {
        entries.sort_unstable();
        entries.dedup();
    }
    ForwardingTables {
        scenario: scenario.to_owned(),
        vcs: routes.vcs,
        key,
        symmetry: symmetry.clone(),
        routers,
    }
}

/// Counts the loads and hops of the routes over lit channels, and the entries of their tables.
///
/// The scene and `demand` must preserve the symmetry of the routes.
pub fn count(
    scene: &Scene<'_>,
    demand: &Demand,
    hop_cycles: &HopCycles,
    routes: &Routes,
    tables: &ForwardingTables,
) -> Walk {
    let (topology, symmetry) = (scene.topology, &routes.symmetry);
    let mut counts = RouteTally::new(scene, symmetry, routes.vcs);
    let times = RouteTimes::new(scene, symmetry, hop_cycles);
    let mut channels = Vec::new();
    for (dst_class, dst) in symmetry.canonical_nodes().enumerate() {
        for src in topology.nodes().filter(|&src| src != dst) {
            let (route, weight) = (routes.route(dst_class, src), u64::from(demand.weight(src, dst)));
            // A failed router has no routes. It still has a number where the tables are those of the whole
            // fabric.
            if route.is_empty() {
                continue;
            }
            channels.clear();
            for hop in route {
                counts.hop(topology, symmetry, hop.channel, hop.vc.index(), weight);
                channels.push(hop.channel);
            }
            let (total, slowest) = times.cycles_of(&channels);
            counts.route(route.len(), total, slowest);
        }
    }
    counts.into_walk(scene, symmetry, tables)
}

/// The same as [`count`], for routes given as next hops.
pub fn count_next_hops(
    scene: &Scene<'_>,
    demand: &Demand,
    hop_cycles: &HopCycles,
    hops: &RankedHops,
    tables: &ForwardingTables,
) -> Walk {
    let RankedHops { next, lanes, .. } = hops;
    let (topology, symmetry) = (scene.topology, &next.symmetry);
    let times = RouteTimes::new(scene, symmetry, hop_cycles);
    let count_destination = |mut counts: RouteTally, (index, &destination): (usize, &NodeId)| {
        for source in scene.endpoints().filter(|&source| source != destination) {
            let weight = u64::from(demand.weight(source, destination));
            let mut channels = Vec::new();
            for (channel, vc) in next.route(topology, lanes, index, source) {
                counts.hop(topology, symmetry, channel, vc as usize, weight);
                channels.push(channel);
            }
            let (total, slowest) = times.cycles_of(&channels);
            counts.route(channels.len(), total, slowest);
        }
        counts
    };
    let empty_counts = || RouteTally::new(scene, symmetry, tables.vcs);
    let destinations = next.destinations.par_iter().enumerate().with_min_len(DESTINATIONS_PER_TASK);
    destinations
        .fold(empty_counts, count_destination)
        .reduce(empty_counts, RouteTally::merged_with)
        .into_walk(scene, symmetry, tables)
}

/// Least number of destinations in a parallel task. Each task has a count of every channel.
const DESTINATIONS_PER_TASK: usize = 64;

/// `[channel]`: cycles of a hop over it.
pub type HopCycles = IdVec<ChannelId, u64>;

/// Computes the times of routes and all their images.
struct RouteTimes<'a> {
    topology: &'a Topology,
    symmetry: &'a Symmetry,
    hop_cycles: &'a HopCycles,
    /// Whether every image of a channel takes equally long. On a floor its cable may be longer.
    are_images_alike: bool,
}

impl<'a> RouteTimes<'a> {
    fn new(scene: &Scene<'a>, symmetry: &'a Symmetry, hop_cycles: &'a HopCycles) -> Self {
        let topology = scene.topology;
        let mut first = vec![None; topology.class_count(symmetry)];
        let are_images_alike = scene.channels().all(|channel| {
            let cycles = hop_cycles[channel];
            *first[topology.channel_class(symmetry, channel).index()].get_or_insert(cycles) == cycles
        });
        Self { topology, symmetry, hop_cycles, are_images_alike }
    }

    /// Total cycles of a route and all its images, and the cycles of the slowest image.
    fn cycles_of(&self, route: &[ChannelId]) -> (u64, u64) {
        let order = self.symmetry.order();
        if self.are_images_alike {
            let cycles = route.iter().map(|&channel| self.hop_cycles[channel]).sum::<u64>();
            return (cycles * order as u64, cycles);
        }
        let image = |element: usize, channel: ChannelId| {
            let source = self.topology.source(channel);
            let image = self.topology.outgoing(self.symmetry.image(element, source.node), source.port);
            image.expect("a symmetry keeps links")
        };
        let cycles = |element: usize| {
            route.iter().map(|&channel| self.hop_cycles[image(element, channel)]).sum::<u64>()
        };
        (0..order).map(cycles).fold((0, 0), |(total, slowest), cycles| (total + cycles, slowest.max(cycles)))
    }
}

/// Running counts. Each route stands for all its images.
struct RouteTally {
    order: u64,
    loads: Vec<u64>,
    vc_hops: Vec<u64>,
    route_hops: Vec<u64>,
    cycles_total: u64,
    cycles_most: u64,
}

impl RouteTally {
    fn new(scene: &Scene<'_>, symmetry: &Symmetry, vcs: u8) -> Self {
        let loads = vec![0; scene.topology.class_count(symmetry)];
        let (order, vc_hops) = (symmetry.order() as u64, vec![0; usize::from(vcs)]);
        Self { order, loads, vc_hops, route_hops: vec![0], cycles_total: 0, cycles_most: 0 }
    }

    fn hop(&mut self, topology: &Topology, symmetry: &Symmetry, channel: ChannelId, vc: usize, weight: u64) {
        // Together, all images of a route put the same load on each channel of a class.
        self.loads[topology.channel_class(symmetry, channel).index()] += weight * topology.slowness(channel);
        self.vc_hops[vc] += self.order;
    }

    fn route(&mut self, hops: usize, total: u64, slowest: u64) {
        self.route_hops.resize(self.route_hops.len().max(hops + 1), 0);
        self.route_hops[hops] += self.order;
        self.cycles_total += total;
        self.cycles_most = self.cycles_most.max(slowest);
    }

    /// The sum of two counts. They are integers, so the order does not matter.
    fn merged_with(mut self, other: Self) -> Self {
        add(&mut self.loads, &other.loads);
        add(&mut self.vc_hops, &other.vc_hops);
        add(&mut self.route_hops, &other.route_hops);
        self.cycles_total += other.cycles_total;
        self.cycles_most = self.cycles_most.max(other.cycles_most);
        self
    }

    fn into_walk(self, scene: &Scene<'_>, symmetry: &Symmetry, tables: &ForwardingTables) -> Walk {
        let mut histogram: BTreeMap<u64, u64> = BTreeMap::new();
        for channel in scene.channels() {
            *histogram
                .entry(self.loads[scene.topology.channel_class(symmetry, channel).index()])
                .or_default() += 1;
        }
        let entries = tables.routers.iter().map(|entries| entries.len() as u64);
        Walk {
            shares: 1,
            loads: self.loads,
            load_histogram: histogram.into_iter().collect(),
            vc_hops: self.vc_hops,
            route_hops: self.route_hops,
            cycles_total: self.cycles_total,
            cycles_most: self.cycles_most,
            entries_max: entries.clone().max().unwrap_or(0),
            entries_total: entries.sum::<u64>() * self.order,
        }
    }
}

/// Builds the tables of next hops: an entry for each destination whose routes pass a router.
pub fn by_destination(hops: &RankedHops, vcs: u8, scenario: &str) -> ForwardingTables {
    let RankedHops { next, lanes, .. } = hops;
    let symmetry = &next.symmetry;
    let mut routers: Vec<Vec<TableEntry>> =
        (0..symmetry.class_count()).map(|_| Vec::with_capacity(next.destinations.len())).collect();
    for (index, (&destination, ports)) in next.destinations.iter().zip(&next.ports).enumerate() {
        for node in
            (0..symmetry.node_count()).map(NodeId::new).filter(|node| ports[node.index()] != NextHops::NONE)
        {
            let to_canonical = symmetry.inverse(symmetry.element_to(node));
            let (dst, out_port) = (symmetry.image(to_canonical, destination), ports[node.index()]);
            let out_vc = if let VcRule::Listed(vcs) = lanes { vcs[index][node.index()] } else { 0 };
            routers[symmetry.class(node)].push(TableEntry { dst, in_port: -1, in_vc: -1, out_port, out_vc });
        }
    }
    routers.iter_mut().for_each(|entries| entries.sort_unstable());
    let key = match lanes {
        VcRule::Listed(_) => TableKey::Dst,
        VcRule::Counted(count) => TableKey::DstCount(*count),
    };
    ForwardingTables { scenario: scenario.to_owned(), vcs, key, symmetry: symmetry.clone(), routers }
}

/// Carries group tables along a shift: every router, destination and port moves. `None` if a router has no
/// such port.
pub fn shifted_groups(
    tables: &GroupTables,
    scenario: &str,
    clos: &Clos,
    shift: &[StageDigits],
) -> Option<GroupTables> {
    let count = tables.routers.len() as u32;
    let mut origins = vec![0; count as usize];
    (0..count).for_each(|router| origins[clos.shifted_switch(shift, router) as usize] = router);
    let is_endpoint = |node: NodeId| clos.has_hosts(node.0);
    let endpoints: Vec<NodeId> = (0..count).map(NodeId).filter(|&node| is_endpoint(node)).collect();
    let mut shifted = GroupTablesBuilder::default();
    for &origin in &origins {
        let moved = |&endpoint: &NodeId| {
            let destination = NodeId(origins[endpoint.index()]);
            let group = tables.group_members(NodeId(origin), destination);
            let mut members: Vec<(u16, u32)> = group
                .weighted()
                .map(|(port, weight)| Some((clos.shifted_port(shift, origin, port)?, weight as u32)))
                .collect::<Option<_>>()?;
            members.sort_unstable();
            let (ports, mut weights): (Vec<u16>, Vec<u32>) = members.into_iter().unzip();
            weights.truncate(group.weights.len());
            Some((endpoint, ports, weights))
        };
        let groups: Vec<(NodeId, Vec<u16>, Vec<u32>)> = endpoints.iter().map(moved).collect::<Option<_>>()?;
        let reached = groups.iter().filter(|(_, ports, _)| !ports.is_empty());
        let members = |(node, ports, weights): &'_ (NodeId, Vec<u16>, Vec<u32>)| {
            (*node, (ports.clone(), weights.clone()))
        };
        let reached: Vec<_> = reached.map(members).collect();
        shifted.push_router(
            reached.iter().map(|(node, (ports, weights))| (*node, GroupMembers { ports, weights })),
            is_endpoint,
        );
    }
    Some(shifted.finish(scenario))
}
