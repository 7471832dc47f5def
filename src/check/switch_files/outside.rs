//! The switches that route by IP, and the groups that their tables give them to every leaf.
//!
//! In a network of boxes these are the switches outside. Each of their leaves stands for the GPUs whose NICs
//! are at it. In other networks all routers are switches, and a leaf is the destination itself.

use super::expected::convict;
use crate::CheckError;
use fabc_base::ids::{Id, IdVec, LinkId, NodeId};
use fabc_ir::{End, GroupTables, Link, RouterNames, Scene, Symmetry, Topology};
use fabc_model::Fabric;

/// The switches that route by IP.
#[derive(Debug)]
pub(super) struct RoutedPart {
    /// Number of routers inside of boxes. They come before the switches.
    inside: u32,
    /// The switches outside of boxes, with a host for every port of a NIC. `None` without boxes.
    outside: Option<Topology>,
    /// `[switch]`: the plane that it is in.
    planes: Vec<u32>,
}

/// The groups that the tables of a scenario give to the switches.
pub(super) struct SwitchGroups<'a> {
    part: &'a RoutedPart,
    tables: &'a GroupTables,
    /// The links that are lit, and the switches that live.
    pub(super) scene: Scene<'a>,
    /// `[switch]`: the destinations that it stands for.
    behind: Vec<Vec<NodeId>>,
}

impl RoutedPart {
    /// # Errors
    /// A GPU with NICs at two leaves of a plane has two addresses, and its groups are not those to one leaf.
    pub(super) fn new(fabric: &Fabric, whole: &Topology) -> Result<Self, CheckError> {
        let Some(boxes) = fabric.boxes() else {
            return Ok(Self { inside: 0, outside: None, planes: vec![0; whole.node_count()] });
        };
        if boxes.has_gpu_at_two_leaves() {
            return Err(convict("spec.fab", "a GPU has NICs at two leaves of a plane"));
        }
        let inside = boxes.gpu_count() + boxes.inner_count();
        let count = whole.node_count() - inside as usize;
        let (mut hosts, mut links) = (vec![0u16; count], Vec::new());
        for link in whole.links().iter().filter(|link| link.b.node.0 >= inside) {
            let moved = |end: End| End { node: NodeId(end.node.0 - inside), ..end };
            if link.a.node.0 < inside {
                hosts[moved(link.b).node.index()] += 1;
            } else {
                links.push(Link { a: moved(link.a), b: moved(link.b), ..*link });
            }
        }
        let names = (inside..).take(count).map(|router| whole.name(NodeId(router))).collect();
        let outside = Topology::new(whole.ports(), links, Symmetry::trivial(1, count as u32))
            .named(RouterNames::Listed(names))
            .with_hosts(hosts);
        let of_plane = (count as u32 / boxes.planes().max(1)).max(1);
        let planes = (0..count as u32).map(|switch| switch / of_plane).collect();
        Ok(Self { inside, outside: Some(outside), planes })
    }

    /// The switches and their links. `whole` is the topology of all routers.
    pub(super) fn topology<'a>(&'a self, whole: &'a Topology) -> &'a Topology {
        self.outside.as_ref().unwrap_or(whole)
    }

    /// The groups of the switches in a scene of the whole topology.
    pub(super) fn groups<'a>(&'a self, scene: &Scene<'a>, tables: &'a GroupTables) -> SwitchGroups<'a> {
        let count = self.planes.len();
        let Some(outside) = &self.outside else {
            let behind = (0..count).map(|switch| vec![NodeId::new(switch)]).collect();
            return SwitchGroups { part: self, tables, scene: scene.clone(), behind };
        };
        let (mut behind, mut lit) = (vec![Vec::new(); count], Vec::new());
        for (id, link) in scene.topology.links().enumerate() {
            let [below, above] = [link.a.node, link.b.node];
            if below.0 >= self.inside {
                lit.push(scene.is_lit(id));
            } else if above.0 >= self.inside && scene.is_lit(id) && scene.lives(below) {
                behind[(above.0 - self.inside) as usize].push(below);
            }
        }
        let dead: Vec<NodeId> = outside
            .nodes()
            .filter(|switch| {
                let is_unused = outside.is_endpoint(*switch) && behind[switch.index()].is_empty();
                is_unused || !scene.lives(NodeId(switch.0 + self.inside))
            })
            .collect();
        // No group of the tables leads to a leaf whose NICs are all dark, and none need lead through it.
        for (is_lit, link) in lit.iter_mut().zip(outside.links().iter()) {
            *is_lit &= !dead.contains(&link.a.node) && !dead.contains(&link.b.node);
        }
        let lit: IdVec<LinkId, bool> = lit.into();
        SwitchGroups { part: self, tables, scene: Scene { topology: outside, lit, dead }, behind }
    }
}

impl<'a> SwitchGroups<'a> {
    /// The name of the scenario.
    pub(super) fn name(&self) -> &'a str {
        &self.tables.scenario
    }

    /// The ports of the group that a switch has to a leaf, each with its weight. `None` if the destinations
    /// at the leaf have different groups.
    pub(super) fn members(&self, switch: NodeId, leaf: NodeId) -> Option<Vec<(u16, u64)>> {
        let planes = &self.part.planes;
        let has_route = switch != leaf && planes[switch.index()] == planes[leaf.index()];
        if !has_route || !self.scene.lives(switch) {
            return Some(Vec::new());
        }
        let router = NodeId(switch.0 + self.part.inside);
        let mut groups = self.behind[leaf.index()]
            .iter()
            .map(|&destination| self.tables.members(router, destination).collect::<Vec<_>>());
        let first = groups.next().unwrap_or_default();
        groups.all(|other| other == first).then_some(first)
    }
}
