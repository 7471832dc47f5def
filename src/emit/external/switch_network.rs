//! The switches outside of boxes as a network of their own, whose hosts are the NICs of the boxes.
//!
//! Switches that route by IP know the boxes as hosts only. Input: the topology of boxes, and group tables.
//! Output: the same for the switches outside, which are numbered from 0. Ports keep their numbers.

use fabc_base::ids::{Id, LinkId, NodeId};
use fabc_ir::{
    End, GroupMembers, GroupTables, GroupTablesBuilder, Link, RouterNames, Scene, Symmetry, Topology,
};
use fabc_model::{Boxes, Outside};

/// The switches outside of boxes.
pub(super) struct SwitchNetwork {
    /// The switches and the links between them. A leaf has a host for every port of a NIC. Planes are not
    /// joined.
    pub(super) topology: Topology,
    /// The number of the first switch in the topology of boxes.
    first: u32,
    /// Number of switches of a plane.
    plane_size: u32,
    /// `[switch]`: the GPUs at it, by rising numbers, each with a link.
    nics: Vec<Vec<(NodeId, LinkId)>>,
}

impl SwitchNetwork {
    /// The switches outside of these boxes. `topology` is that of the boxes.
    pub(super) fn new(boxes: &Boxes, topology: &Topology) -> Self {
        let first = boxes.gpu_count() + boxes.inner_count();
        let count = topology.node_count() as u32 - first;
        let outside = |end: End| Some(End { node: NodeId(end.node.0.checked_sub(first)?), port: end.port });
        let mut links = Vec::new();
        let mut nics = vec![Vec::new(); count as usize];
        for (id, link) in topology.links().enumerate() {
            match (outside(link.a), outside(link.b)) {
                (Some(a), Some(b)) => links.push(Link { a, b, ..*link }),
                (None, Some(leaf)) => nics[leaf.node.index()].push((link.a.node, id)),
                _ => {}
            }
        }
        let hosts = nics.iter().map(|nics| nics.len() as u16).collect();
        let names = (0..count).map(|switch| topology.name(NodeId(first + switch))).collect();
        let topology = Topology::new(topology.ports(), links, Symmetry::trivial(1, count))
            .named(RouterNames::Listed(names))
            .with_hosts(hosts);
        let plane_size = boxes.outside.as_ref().map_or(1, Outside::plane_size);
        Self { topology, first, plane_size, nics }
    }

    /// The tables of a scene for the switches outside. To a leaf without a living NIC there is no group.
    ///
    /// The groups to all GPUs at a leaf are the same, if no GPU has NICs at two leaves of a plane.
    pub(super) fn tables(&self, scene: &Scene<'_>, tables: &GroupTables) -> GroupTables {
        let living = |leaf: NodeId| {
            let lives = |&&(gpu, link): &&(NodeId, LinkId)| scene.is_lit(link) && scene.lives(gpu);
            self.nics[leaf.index()].iter().find(lives).map(|&(gpu, _)| gpu)
        };
        let plane = |switch: NodeId| switch.0 / self.plane_size;
        let mut view = GroupTablesBuilder::default();
        for switch in self.topology.nodes() {
            let router = NodeId(self.first + switch.0);
            let others =
                self.topology.endpoints().filter(|&leaf| leaf != switch && plane(leaf) == plane(switch));
            let destinations = others.filter_map(|leaf| {
                let group = tables.group_number(router, living(leaf)?)? as usize;
                Some((leaf, GroupMembers { ports: &tables.groups[group], weights: &tables.weights[group] }))
            });
            view.push_router(destinations, |node| self.topology.is_endpoint(node));
        }
        view.finish(&tables.scenario)
    }
}
