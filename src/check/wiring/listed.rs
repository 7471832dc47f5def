//! Whether a network is the graph of its file: the links that the file lists and no others, each on the ports
//! that follow from it.

use super::rule::hosts;
use fabc_base::ids::{LinkTypeId, NodeId, PortId};
use fabc_ir::{LinkClass, Topology};
use fabc_model::{Arcs, Fabric, Listed};
use std::collections::BTreeMap;

/// Checks routers, links and ports of a graph from a file.
pub(super) fn wiring(fabric: &Fabric, listed: &Listed, topology: &Topology) -> Result<(), String> {
    let (has, must) = (topology.node_count(), listed.routers.len());
    if has != must {
        return Err(format!("{has} routers, but the file lists {must}"));
    }
    for (node, router) in topology.nodes().zip(&listed.routers) {
        hosts(topology, node, router.hosts.unwrap_or(fabric.router.hosts.max(1)))?;
    }
    let simplex = listed.arcs == Arcs::Simplex;
    for (id, link) in topology.links().enumerate() {
        if link.simplex != simplex || link.class != LinkClass::Local {
            let must = if simplex { "one channel" } else { "two channels" };
            return Err(format!("{} must be {must}, and inside a group", topology.link_name(id)));
        }
    }
    let ports = [ports(listed, 0, simplex), ports(listed, 1, simplex)];
    for (line, link) in listed.links.iter().enumerate() {
        let [from, to] = link.ends.map(NodeId);
        let [out, into] = [ports[0][line], ports[1][line]];
        let names = || format!("{}.port{out} to {}.port{into}", topology.name(from), topology.name(to));
        let channel = Some(out)
            .filter(|port| usize::from(port.0) < topology.ports())
            .and_then(|port| topology.outgoing(from, port))
            .filter(|&channel| (topology.target(channel).node, topology.target(channel).port) == (to, into));
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
    // Every listed link stands on ports of its own, so that as many links are the same links.
    match topology.links().len() {
        has if has == listed.links.len() => Ok(()),
        has => Err(format!(
            "there are {has} links, but the file lists {}{}",
            listed.links.len(),
            surplus(listed, topology)
        )),
    }
}

/// The port of every link at its first or its second end: that of the file, else the least free one, by
/// neighbor, then by line.
fn ports(listed: &Listed, side: usize, simplex: bool) -> Vec<PortId> {
    // Of duplex links both ends share the numbers of a router.
    let sides: &[usize] = if simplex { &[side] } else { &[0, 1] };
    let mut at: BTreeMap<u32, Vec<(u32, usize, usize)>> = BTreeMap::new();
    for (line, link) in listed.links.iter().enumerate() {
        for &end in sides {
            at.entry(link.ends[end]).or_default().push((link.ends[1 - end], line, end));
        }
    }
    let mut ports = vec![PortId(0); listed.links.len()];
    for mut own in at.into_values() {
        own.sort_unstable();
        let given: Vec<u16> =
            own.iter().filter_map(|&(_, line, end)| listed.links[line].ports[end]).collect();
        let mut used = vec![false; own.len() + given.iter().max().map_or(0, |&port| usize::from(port) + 1)];
        given.iter().for_each(|&port| used[usize::from(port)] = true);
        let mut free = (0..used.len()).filter(|&port| !used[port]);
        for &(_, line, end) in &own {
            let port = listed.links[line].ports[end]
                .unwrap_or_else(|| free.next().expect("one number for every link is left") as u16);
            if end == side {
                ports[line] = PortId(port);
            }
        }
    }
    ports
}

/// `, r0.port3 -> r5 among the others`: a link that no line has, if there is one by its ends and type.
fn surplus(listed: &Listed, topology: &Topology) -> String {
    let key = |ends: [u32; 2], link: LinkTypeId| ([ends[0].min(ends[1]), ends[0].max(ends[1])], link);
    let mut left: BTreeMap<_, i64> = BTreeMap::new();
    listed.links.iter().for_each(|link| *left.entry(key(link.ends, link.link)).or_default() += 1);
    for (id, link) in topology.links().enumerate() {
        let count = left.entry(key([link.a.node.0, link.b.node.0], link.link_type)).or_default();
        *count -= 1;
        if *count < 0 {
            return format!(", and {} is not among them", topology.link_name(id));
        }
    }
    String::new()
}
