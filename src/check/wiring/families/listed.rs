//! Verifies that a network is the graph of its file: it has the listed links and no others, each on the
//! ports that follow from the file.

use crate::wiring::rule::verify_hosts;
use fabc_base::ids::{LinkTypeId, NodeId, PortId};
use fabc_ir::{LinkClass, Topology};
use fabc_model::{Arcs, Fabric, Listed};
use std::collections::BTreeMap;

/// Verifies routers, links and ports of a graph from a file.
pub(super) fn verify_wiring(fabric: &Fabric, listed: &Listed, topology: &Topology) -> Result<(), String> {
    let (count, expected) = (topology.node_count(), listed.routers.len());
    if count != expected {
        return Err(format!("{count} routers, but the file lists {expected}"));
    }
    for (node, router) in topology.nodes().zip(&listed.routers) {
        verify_hosts(topology, node, router.hosts.unwrap_or(fabric.router.hosts.max(1)))?;
    }
    let simplex = listed.arcs == Arcs::Simplex;
    for (id, link) in topology.links().enumerate() {
        if link.simplex != simplex || link.class != LinkClass::Local {
            let expected = if simplex { "one channel" } else { "two channels" };
            return Err(format!("{} must be {expected}, and inside a group", topology.link_name(id)));
        }
    }
    let ports = [ports(listed, 0, simplex), ports(listed, 1, simplex)];
    for (line, link) in listed.links.iter().enumerate() {
        let [from, to] = link.ends.map(NodeId);
        let [output, input] = [ports[0][line], ports[1][line]];
        let names = || format!("{}.port{output} to {}.port{input}", topology.name(from), topology.name(to));
        let channel = Some(output)
            .filter(|port| usize::from(port.0) < topology.ports())
            .and_then(|port| topology.outgoing(from, port))
            .filter(|&channel| (topology.target(channel).node, topology.target(channel).port) == (to, input));
        let Some(channel) = channel else {
            return Err(format!("the link from {} is missing", names()));
        };
        if topology.link(channel).link_type != link.link {
            return Err(format!(
                "the link from {} must be one of `{}`",
                names(),
                fabric.link_types[link.link].name
            ));
        }
    }
    // Every listed link has ports of its own. So if the numbers agree, the links are the same.
    match topology.links().len() {
        count if count == listed.links.len() => Ok(()),
        count => Err(format!(
            "there are {count} links, but the file lists {}{}",
            listed.links.len(),
            surplus(listed, topology)
        )),
    }
}

/// The port of every link at its first or its second end: that of the file, otherwise the smallest free one,
/// by neighbor, then by line.
fn ports(listed: &Listed, side: usize, simplex: bool) -> Vec<PortId> {
    // Both ends of duplex links share the port numbers of a router.
    let sides: &[usize] = if simplex { &[side] } else { &[0, 1] };
    let mut ends_at: BTreeMap<u32, Vec<(u32, usize, usize)>> = BTreeMap::new();
    for (line, link) in listed.links.iter().enumerate() {
        for &end in sides {
            ends_at.entry(link.ends[end]).or_default().push((link.ends[1 - end], line, end));
        }
    }
    let mut ports = vec![PortId(0); listed.links.len()];
    for mut link_ends in ends_at.into_values() {
        link_ends.sort_unstable();
        let given: Vec<u16> =
            link_ends.iter().filter_map(|&(_, line, end)| listed.links[line].ports[end]).collect();
        let mut used =
            vec![false; link_ends.len() + given.iter().max().map_or(0, |&port| usize::from(port) + 1)];
        given.iter().for_each(|&port| used[usize::from(port)] = true);
        let mut free = (0..used.len()).filter(|&port| !used[port]);
        for &(_, line, end) in &link_ends {
            let port = listed.links[line].ports[end]
                .unwrap_or_else(|| free.next().expect("every link has a free port number") as u16);
            if end == side {
                ports[line] = PortId(port);
            }
        }
    }
    ports
}

/// A link that no line has, such as `, r0.port3 -> r5 among the others`, if its ends and type show one.
fn surplus(listed: &Listed, topology: &Topology) -> String {
    let key = |ends: [u32; 2], link: LinkTypeId| ([ends[0].min(ends[1]), ends[0].max(ends[1])], link);
    let mut remaining: BTreeMap<_, i64> = BTreeMap::new();
    listed.links.iter().for_each(|link| *remaining.entry(key(link.ends, link.link)).or_default() += 1);
    for (id, link) in topology.links().enumerate() {
        let count = remaining.entry(key([link.a.node.0, link.b.node.0], link.link_type)).or_default();
        *count -= 1;
        if *count < 0 {
            return format!(", and {} is not among them", topology.link_name(id));
        }
    }
    String::new()
}
