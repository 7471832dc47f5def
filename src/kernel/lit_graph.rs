//! The lit channels of a topology, laid out for searches.

use crate::conviction::Conviction;
use fabc_topology::ids::{ChannelId, Id, NodeId};
use fabc_topology::{Scene, Symmetry};
use std::fmt::Display;

/// The lit channels, by the router that they leave.
pub struct LitGraph {
    /// `[node]`: where its channels start in `hops`, with one more number at the end.
    starts: Vec<u32>,
    /// (channel, router that it leads to), by router and port.
    hops: Vec<(ChannelId, u32)>,
}

/// The nodes by their hops from a source.
#[derive(Default)]
pub struct Nearest {
    /// `[node]`: hops from the source, `u32::MAX` where no path leads.
    pub hops: Vec<u32>,
    /// The nodes with a path, nearest first.
    pub order: Vec<u32>,
}

impl LitGraph {
    /// The lit channels of a scene.
    pub fn new(scene: &Scene<'_>) -> Self {
        let mut starts = vec![0];
        let mut hops = Vec::new();
        for node in scene.topology.nodes() {
            hops.extend(
                scene.channels_from(node).map(|channel| (channel, scene.topology.target(channel).node.0)),
            );
            starts.push(hops.len() as u32);
        }
        Self { starts, hops }
    }

    /// The number of routers, dead ones included.
    pub fn node_count(&self) -> usize {
        self.starts.len() - 1
    }

    /// All lit channels, by the router that they leave.
    pub fn channels(&self) -> impl Iterator<Item = ChannelId> {
        self.hops.iter().map(|&(channel, _)| channel)
    }

    /// The lit channels that leave a router, and the routers that they lead to, in port order.
    pub fn channels_from(&self, node: usize) -> &[(ChannelId, u32)] {
        &self.hops[self.starts[node] as usize..self.starts[node + 1] as usize]
    }

    /// Finds the hops from `source` to every node. A breadth-first search. `nearest` then holds the result,
    /// and the next search uses its memory again.
    pub fn search_from(&self, source: NodeId, nearest: &mut Nearest) {
        let Nearest { hops, order } = nearest;
        hops.clear();
        hops.resize(self.node_count(), u32::MAX);
        hops[source.index()] = 0;
        order.clear();
        order.push(source.0);
        let mut next = 0;
        while let Some(&node) = order.get(next) {
            next += 1;
            for &(_, to) in self.channels_from(node as usize) {
                if hops[to as usize] == u32::MAX {
                    hops[to as usize] = hops[node as usize] + 1;
                    order.push(to);
                }
            }
        }
    }
}

/// Checks that a scene says of every link whether it is lit.
pub fn expect_lit(scene: &Scene<'_>) -> Result<(), Conviction> {
    expect_length("lit links", "entries", scene.lit.len(), scene.topology.links().len())
}

/// Checks that a list has as many entries as it must. `subject` names what the list belongs to.
pub fn expect_length(
    subject: &str,
    entries: impl Display,
    count: usize,
    expected: usize,
) -> Result<(), Conviction> {
    if count == expected {
        return Ok(());
    }
    Err(Conviction::Shape {
        subject: subject.to_owned(),
        what: format!("{count} {entries}, but there must be {expected}"),
    })
}

/// The symmetry of a scene. It is that of the topology if the lit links keep it and no router is dead,
/// otherwise the trivial one.
pub fn scene_symmetry(scene: &Scene<'_>) -> Symmetry {
    let symmetry = scene.topology.symmetry();
    if scene.dead.is_empty() && keeps_dark(scene, symmetry) {
        symmetry.clone()
    } else {
        symmetry.to_trivial()
    }
}

/// The canonical routers that send, and how many routers each of them stands for.
pub(crate) fn representative_sources(scene: &Scene<'_>, symmetry: &Symmetry) -> (Vec<NodeId>, u64) {
    (symmetry.canonical_nodes().filter(|&node| scene.is_endpoint(node)).collect(), symmetry.order() as u64)
}

/// Whether every image of a dark link is dark. The symmetry must be one of the topology.
pub(crate) fn keeps_dark(scene: &Scene<'_>, symmetry: &Symmetry) -> bool {
    let topology = scene.topology;
    topology.links().enumerate().filter(|&(id, _)| !scene.is_lit(id)).all(|(_, link)| {
        (1..symmetry.order()).all(|g| {
            topology
                .outgoing(symmetry.image(g, link.a.node), link.a.port)
                .is_some_and(|image| !scene.is_channel_lit(image))
        })
    })
}

/// `+x`, or the number of a port that has no name.
pub fn port_name(port: usize) -> String {
    fabc_topology::PORT_NAMES.get(port).map_or_else(|| format!("port{port}"), |&name| name.to_owned())
}
