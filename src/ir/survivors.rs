//! What a fault that keeps no symmetry leaves of a fabric.
//!
//! In: a scene. Out: a topology of the lit links alone, on router numbers without a gap and with the trivial
//! symmetry, and the ways there and back: what holds for every class of the fabric is copied to all that
//! survive. Invariant: survivors keep their order, so the smaller end of a link stays the smaller one.

use super::{DualLengths, End, Entry, ForwardingTables, Hop, Link, Routes, Scene, Symmetry, Topology};
use fabc_base::ids::{Id, LinkId, LinkTypeId, NodeId};
use fabc_model::Demand;

/// The lit part of a fabric as a topology of its own.
#[derive(Clone, Debug)]
pub struct Survivors {
    /// The routers that live and the links that are lit.
    pub topology: Topology,
    /// What they send each other.
    pub demand: Demand,
    /// `[router]`: its number in the fabric.
    nodes: Vec<NodeId>,
    /// `[router of the fabric]`: its number here.
    here: Vec<Option<NodeId>>,
    /// The trivial symmetry of the whole fabric.
    whole: Symmetry,
}

impl Survivors {
    /// The lit links without the dead router.
    pub fn new(scene: &Scene<'_>, demand: &Demand) -> Self {
        let all = scene.topology;
        let whole = all.symmetry().without();
        let nodes: Vec<NodeId> = all.nodes().filter(|&node| scene.lives(node)).collect();
        let mut here = vec![None; all.node_count()];
        for (k, node) in nodes.iter().enumerate() {
            here[node.index()] = Some(NodeId::new(k));
        }
        let end = |end: End| Some(End { node: here[end.node.index()]?, port: end.port });
        let moved = |id: LinkId| {
            let link = &all.links()[id];
            Some((Link { a: end(link.a)?, b: end(link.b)?, ..*link }, (all.length(id), link.link_type)))
        };
        // Survivors keep their order, so the links stay sorted and every cable finds its link.
        let (links, cables): (Vec<Link>, Vec<(u32, LinkTypeId)>) = scene.links().filter_map(moved).unzip();
        // Without a router the blocks are no longer alike: every router is a block of its own.
        let symmetry =
            if scene.dead.is_empty() { whole.clone() } else { Symmetry::trivial(1, nodes.len() as u32) };
        let hosts = nodes.iter().map(|&node| all.hosts(node)).collect();
        let topology = Topology::new(all.ports(), links, symmetry)
            .with_hosts(hosts)
            .with_capacities(all.capacities().clone());
        let topology = if all.has_cables() { topology.with_cables(cables) } else { topology };
        Self { topology, demand: demand.among(&nodes), nodes, here, whole }
    }

    /// The trivial symmetry of the whole fabric.
    pub fn whole_symmetry(&self) -> &Symmetry {
        &self.whole
    }

    /// All of it.
    pub fn scene(&self) -> Scene<'_> {
        Scene::whole(&self.topology)
    }

    /// Values per class of the fabric's routers, `row` each, as values per router.
    pub fn from_whole<T: Copy>(&self, symmetry: &Symmetry, row: usize, values: &[T]) -> Vec<T> {
        self.nodes
            .iter()
            .flat_map(|&node| values[symmetry.class(node) * row..][..row].iter().copied())
            .collect()
    }

    /// Values per router, `row` each, as values per router of the fabric; `dead` for the dead router.
    pub fn to_whole<T: Copy>(&self, row: usize, values: &[T], dead: T) -> Vec<T> {
        let of = |here: &Option<NodeId>| here.map(|here| &values[here.index() * row..][..row]);
        self.here
            .iter()
            .flat_map(|here| (0..row).map(move |k| of(here).map_or(dead, |values| values[k])))
            .collect()
    }

    /// Lengths of the fabric, for channels that survive; the sums are to be measured afresh.
    pub fn lengths_from_whole(&self, all: &Topology, lengths: &DualLengths) -> DualLengths {
        DualLengths {
            lengths: self.from_whole(all.symmetry(), all.ports(), &lengths.lengths),
            volume: 0,
            distance: 0,
        }
    }

    /// Lengths as the fabric numbers its channels, every channel a class of its own.
    pub fn lengths_to_whole(&self, lengths: &DualLengths) -> DualLengths {
        DualLengths { lengths: self.to_whole(self.topology.ports(), &lengths.lengths, 0), ..*lengths }
    }

    /// The routes of the healthy fabric, with the ranks (of `vcs` virtual channels) that they rise by here; a
    /// route that needs what is dark is empty.
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
                    let channel = self.here[symmetry.image(g, from.node).index()]
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

    /// The tables of all routers as the fabric numbers them; a dead router has none.
    pub fn tables_to_whole(&self, tables: &ForwardingTables) -> ForwardingTables {
        let mut routers = vec![Vec::new(); self.here.len()];
        for (&node, entries) in self.nodes.iter().zip(&tables.routers) {
            // Survivors keep their order, so the entries stay sorted.
            routers[node.index()] =
                entries.iter().map(|entry| Entry { dst: self.nodes[entry.dst.index()], ..*entry }).collect();
        }
        ForwardingTables {
            scenario: tables.scenario.clone(),
            vcs: tables.vcs,
            key: tables.key,
            symmetry: self.whole.clone(),
            routers,
        }
    }
}
