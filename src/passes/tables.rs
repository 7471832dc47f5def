//! From routes to forwarding tables.
//!
//! In: routes to every canonical destination. Out: the entries of every canonical router, keyed by (dst, in_port, in_vc) or by dst alone, sorted,
//! each once. Routes that disagree on a key would leave two entries for it; the checker convicts them.

use crate::ids::{Id, NodeId};
use crate::ir::{Entry, ForwardingTables, NextHops, Routes, TableKey, Topology};

/// Builds the tables of one scenario.
pub fn build(topology: &Topology, routes: &Routes, key: TableKey, scenario: &str) -> ForwardingTables {
    let symmetry = &routes.symmetry;
    let mut routers: Vec<Vec<Entry>> = vec![Vec::new(); symmetry.class_count()];
    // `[node][injected, then (in_port, in_vc)]`: the destination class (+1) that the key was last seen with, and how it left.
    let inputs = topology.ports() * usize::from(routes.vcs) + 1;
    let mut seen = vec![(0u32, 0u16, 0u8); topology.node_count() * inputs];
    for dst_class in 0..symmetry.class_count() {
        let dst = symmetry.canonical_node(dst_class);
        for src in topology.nodes() {
            let (mut in_port, mut in_vc) = (-1i16, -1i8);
            for hop in routes.route(dst_class, src) {
                let from = topology.source(hop.channel);
                let input = if in_port < 0 { 0 } else { 1 + in_port as usize * usize::from(routes.vcs) + in_vc as usize };
                let now = (dst_class as u32 + 1, from.port.0, hop.vc.0);
                let slot = &mut seen[from.node.index() * inputs + input];
                if *slot != now {
                    *slot = now;
                    let home = symmetry.inverse(symmetry.element_to(from.node));
                    routers[symmetry.class(from.node)].push(Entry {
                        dst: symmetry.image(home, dst),
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
    ForwardingTables { scenario: scenario.to_owned(), vcs: routes.vcs, key, symmetry: symmetry.clone(), routers }
}

/// Builds the tables of next hops: a line per destination that a route passes to.
pub fn by_destination(next: &NextHops, vcs: u8, scenario: &str) -> ForwardingTables {
    let symmetry = &next.symmetry;
    let mut routers: Vec<Vec<Entry>> = vec![Vec::new(); symmetry.class_count()];
    for (&destination, ports) in next.destinations.iter().zip(&next.ports) {
        for node in (0..symmetry.node_count()).map(NodeId::new).filter(|node| ports[node.index()] != NextHops::NONE) {
            let home = symmetry.inverse(symmetry.element_to(node));
            let (dst, out_port) = (symmetry.image(home, destination), ports[node.index()]);
            routers[symmetry.class(node)].push(Entry { dst, in_port: -1, in_vc: -1, out_port, out_vc: 0 });
        }
    }
    routers.iter_mut().for_each(|entries| entries.sort_unstable());
    ForwardingTables { scenario: scenario.to_owned(), vcs, key: TableKey::DstHop, symmetry: symmetry.clone(), routers }
}
