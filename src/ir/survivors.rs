//! The surviving network of a fault that keeps no symmetry.
//!
//! In: a scene. Out: a topology of the lit links alone, with router numbers without a gap and the trivial
//! symmetry, and conversions in both directions. A value for a class of the fabric is copied to all survivors
//! of the class. Invariant: survivors keep their order, so the smaller end of a link stays the smaller one.

use super::{DualLengths, End, ForwardingTables, Hop, Link, Routes, Scene, Symmetry, TableEntry, Topology};
use fabc_base::ids::{Id, LinkId, LinkTypeId, NodeId};
use fabc_model::Demand;

/// The surviving network of a fabric, as a topology of its own.
#[derive(Clone, Debug)]
pub struct Survivors {
    /// The routers that live and the links that are lit.
    pub topology: Topology,
    /// The demand among the surviving routers.
    pub demand: Demand,
    /// `[surviving router]`: its number in the fabric.
    nodes: Vec<NodeId>,
    /// `[router of the fabric]`: its number among the survivors.
    numbers: Vec<Option<NodeId>>,
    /// The trivial symmetry of the whole fabric.
    fabric_symmetry: Symmetry,
}

impl Survivors {
    /// The surviving network of a scene, without its dead router.
    pub fn new(scene: &Scene<'_>, demand: &Demand) -> Self {
        let fabric = scene.topology;
        let fabric_symmetry = fabric.symmetry().to_trivial();
        let nodes: Vec<NodeId> = fabric.nodes().filter(|&node| scene.lives(node)).collect();
        let mut numbers = vec![None; fabric.node_count()];
        for (k, node) in nodes.iter().enumerate() {
            numbers[node.index()] = Some(NodeId::new(k));
        }
        let end = |end: End| Some(End { node: numbers[end.node.index()]?, port: end.port });
        let moved = |id: LinkId| {
            let link = &fabric.links()[id];
            Some((Link { a: end(link.a)?, b: end(link.b)?, ..*link }, (fabric.length(id), link.link_type)))
        };
        // Survivors keep their order, so the links stay sorted and every cable finds its link.
        let (links, cables): (Vec<Link>, Vec<(u32, LinkTypeId)>) = scene.links().filter_map(moved).unzip();
        // Without a router the blocks are no longer alike: every router is a block of its own.
        let symmetry = if scene.dead.is_empty() {
            fabric_symmetry.clone()
        } else {
            Symmetry::trivial(1, nodes.len() as u32)
        };
        let hosts = nodes.iter().map(|&node| fabric.hosts(node)).collect();
        let topology = Topology::new(fabric.ports(), links, symmetry)
            .with_hosts(hosts)
            .with_capacities(fabric.capacities().clone());
        let topology = if fabric.has_cables() { topology.with_cables(cables) } else { topology };
        Self { topology, demand: demand.among(&nodes), nodes, numbers, fabric_symmetry }
    }

    /// The trivial symmetry of the whole fabric.
    pub fn whole_symmetry(&self) -> &Symmetry {
        &self.fabric_symmetry
    }

    /// The scene with all of the surviving network.
    pub fn scene(&self) -> Scene<'_> {
        Scene::healthy(&self.topology)
    }

    /// Converts values per router class of the fabric to values per surviving router, `row` values each.
    pub fn from_whole<T: Copy>(&self, symmetry: &Symmetry, row: usize, values: &[T]) -> Vec<T> {
        self.nodes
            .iter()
            .flat_map(|&node| values[symmetry.class(node) * row..][..row].iter().copied())
            .collect()
    }

    /// Converts values per surviving router to values per router of the fabric, `row` values each. A dead
    /// router gets `dead`.
    pub fn to_whole<T: Copy>(&self, row: usize, values: &[T], dead: T) -> Vec<T> {
        let row_of = |number: &Option<NodeId>| number.map(|number| &values[number.index() * row..][..row]);
        self.numbers
            .iter()
            .flat_map(|number| (0..row).map(move |k| row_of(number).map_or(dead, |values| values[k])))
            .collect()
    }

    /// Converts channel lengths of the fabric to the surviving channels. The sums are 0 and must be computed
    /// afresh.
    pub fn lengths_from_whole(&self, all: &Topology, lengths: &DualLengths) -> DualLengths {
        DualLengths {
            lengths: self.from_whole(all.symmetry(), all.ports(), &lengths.lengths),
            volume: 0,
            distance: 0,
        }
    }

    /// Converts channel lengths to the channels of the fabric, where every channel is a class of its own.
    pub fn lengths_to_whole(&self, lengths: &DualLengths) -> DualLengths {
        DualLengths { lengths: self.to_whole(self.topology.ports(), &lengths.lengths, 0), ..*lengths }
    }

    /// The routes of the healthy fabric on the surviving network, with the ranks (of `vcs` virtual channels)
    /// by which they rise there. A route that needs something dark is empty.
    pub fn routes_from_whole(&self, all: &Topology, routes: &Routes, ranks: &[u32], vcs: u8) -> Routes {
        let symmetry = &routes.symmetry;
        let mut offsets = vec![0];
        let mut hops = Vec::new();
        for &dst in &self.nodes {
            let (class, g) = (symmetry.class(dst), symmetry.element_to(dst));
            let back = symmetry.inverse(g);
            for &src in &self.nodes {
                let start = hops.len();
                for hop in routes.route(class, symmetry.image(back, src)) {
                    let from = all.source(hop.channel);
                    let channel = self.numbers[symmetry.image(g, from.node).index()]
                        .and_then(|node| self.topology.outgoing(node, from.port));
                    let Some(channel) = channel else {
                        hops.truncate(start);
                        break;
                    };
                    hops.push(Hop { channel, vc: hop.vc });
                }
                offsets.push(hops.len() as u32);
            }
        }
        Routes { vcs, symmetry: self.topology.symmetry().clone(), offsets, hops, ranks: ranks.to_vec() }
    }

    /// Converts tables to the router numbers of the fabric. A dead router has an empty table.
    pub fn tables_to_whole(&self, tables: &ForwardingTables) -> ForwardingTables {
        let mut routers = vec![Vec::new(); self.numbers.len()];
        for (&node, entries) in self.nodes.iter().zip(&tables.routers) {
            // Survivors keep their order, so the entries stay sorted.
            routers[node.index()] = entries
                .iter()
                .map(|entry| TableEntry { dst: self.nodes[entry.dst.index()], ..*entry })
                .collect();
        }
        ForwardingTables {
            scenario: tables.scenario.clone(),
            vcs: tables.vcs,
            key: tables.key,
            symmetry: self.fabric_symmetry.clone(),
            routers,
        }
    }
}
