//! From a network's parameters to its topology: who is joined to whom, and by which ports.
//!
//! Input: a fabric, and its network as `resolve` checked it. Output: a [`Topology`] with links, ports, hosts,
//! names, and the symmetry that preserves all of these and the demand. [`start_lengths`] gives the flow pass
//! channel lengths that the structure suggests.
//!
//! One file per family says which routers are joined. Ports are numbered here: local links first, then global
//! ones. Within a class ports go by neighbor, and parallel links in the order in which they were made. A port
//! that the family numbers keeps its number. Source: the papers of the families. `docs/passes.md` describes
//! the numbering of each. Cost: linear in the links, except for a sort of the links of each router.

mod edge;
mod families;
mod seeds;

pub use families::{NeighborLister, neighbors};
pub use seeds::start_lengths;

use edge::UnnumberedLink;
use fabc_base::ids::{BlockId, LinkTypeId, NodeId, PortId};
use fabc_ir::{End, Link, LinkClass, Symmetry, Topology, router_names};
use fabc_model::{Fabric, Family, Network};
use families::edges;
use std::collections::{BTreeMap, BTreeSet};

/// The topology of a network whose parameters determine its links.
pub fn wire(fabric: &Fabric, network: &Network) -> Topology {
    topology_of_edges(fabric, network, &edges(network, &network.family))
}

/// Links that differ only in their ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AlikeLinks {
    /// Whether they run inside groups or between groups.
    pub class: LinkClass,
    /// The declared type of these links.
    pub link_type: LinkTypeId,
    /// The pairs of routers that they join. Of simplex links the source comes first.
    pub links: Vec<[u32; 2]>,
}

/// The links of a family whose parameters determine them, by kind: local ones first, then by link type.
pub fn links_by_kind(network: &Network, family: &Family) -> Vec<AlikeLinks> {
    let mut kinds: BTreeMap<(bool, LinkTypeId), Vec<[u32; 2]>> = BTreeMap::new();
    for UnnumberedLink { ends, class, link_type, .. } in edges(network, family) {
        kinds.entry((class == LinkClass::Global, link_type)).or_default().push(ends);
    }
    let kind = |((global, link_type), links)| AlikeLinks {
        class: if global { LinkClass::Global } else { LinkClass::Local },
        link_type,
        links,
    };
    kinds.into_iter().map(kind).collect()
}

/// The topology of a permuted network. `drawn` has the pairs of every kind of `base`.
pub fn wire_permuted(
    fabric: &Fabric,
    network: &Network,
    base: &[AlikeLinks],
    drawn: &[Vec<[u32; 2]>],
) -> Topology {
    let edge = |kind: &AlikeLinks, ends| UnnumberedLink {
        ends,
        class: kind.class,
        link_type: kind.link_type,
        ports: [None, None],
    };
    let of_kind = |(kind, links): (_, &Vec<[u32; 2]>)| {
        links.iter().map(move |&ends| edge(kind, ends)).collect::<Vec<_>>()
    };
    topology_of_edges(fabric, network, &base.iter().zip(drawn).flat_map(of_kind).collect::<Vec<_>>())
}

/// The topology of a network whose links are drawn, from the pairs that they join.
pub fn wire_drawn(fabric: &Fabric, network: &Network, links: &[[u32; 2]]) -> Topology {
    let edges: Vec<UnnumberedLink> = links.iter().map(|&ends| UnnumberedLink::local(network, ends)).collect();
    topology_of_edges(fabric, network, &edges)
}

/// The topology of a network whose links are searched with a group of symmetries, from the pairs that they
/// join. `images` has the image of every router under every element of the group, the identity first.
pub fn wire_symmetric(
    fabric: &Fabric,
    network: &Network,
    links: &[[u32; 2]],
    images: &[Vec<u32>],
) -> Topology {
    let keeps_demand =
        |element: &&Vec<u32>| fabric.demand.is_kept_by(|node| NodeId(element[node.0 as usize]));
    let symmetry = if lengths_matter(fabric) {
        Symmetry::trivial(1, network.router_count() as u32)
    } else {
        let kept = images.iter().filter(keeps_demand);
        Symmetry::new(1, kept.map(|element| element.iter().copied().map(BlockId).collect()).collect())
    };
    let ports = ports_of_orbits(&symmetry, links);
    let port = |from: u32, to: u32| ports.get(&[from, to]).copied();
    let edge = |&[from, to]: &[u32; 2]| UnnumberedLink {
        ports: [port(from, to), port(to, from)],
        ..UnnumberedLink::local(network, [from, to])
    };
    let edges: Vec<UnnumberedLink> = links.iter().map(edge).collect();
    topology_with_symmetry(fabric, network, &edges, symmetry)
}

/// By router and neighbor: the port of the link. The first router of every orbit has its ports by neighbor,
/// and the symmetry takes them to the others. No two links join the same routers.
fn ports_of_orbits(symmetry: &Symmetry, links: &[[u32; 2]]) -> BTreeMap<[u32; 2], u16> {
    let mut neighbors: BTreeMap<u32, BTreeSet<u32>> = BTreeMap::new();
    for &[from, to] in links {
        neighbors.entry(from).or_default().insert(to);
        neighbors.entry(to).or_default().insert(from);
    }
    let mut ports = BTreeMap::new();
    for first in symmetry.canonical_nodes() {
        for (port, &neighbor) in (0..).zip(neighbors.get(&first.0).into_iter().flatten()) {
            for element in 0..symmetry.order() {
                let [from, to] = [first, NodeId(neighbor)].map(|node| symmetry.image(element, node).0);
                ports.insert([from, to], port);
            }
        }
    }
    ports
}

fn topology_of_edges(fabric: &Fabric, network: &Network, edges: &[UnnumberedLink]) -> Topology {
    topology_with_symmetry(fabric, network, edges, symmetry(fabric, network))
}

fn topology_with_symmetry(
    fabric: &Fabric,
    network: &Network,
    edges: &[UnnumberedLink],
    symmetry: Symmetry,
) -> Topology {
    let (port_count, links) = number_ports(network.router_count(), edges, network.family.is_simplex());
    let topology = Topology::new(port_count, links, symmetry);
    let topology = topology.with_hosts(network.hosts(fabric.router.hosts)).named(router_names(fabric));
    topology.with_capacities(fabric.capacities.clone())
}

/// Whether links of one declared type may be unlike, since their cables differ in length.
fn lengths_matter(fabric: &Fabric) -> bool {
    let has_delay_per_metre = fabric.link_types.iter().any(|link| link.per_metre_ps > 0);
    fabric.floor.as_ref().is_some_and(|floor| has_delay_per_metre || floor.by_length.is_some())
}

/// The rotations of the groups that preserve ports and demand.
fn symmetry(fabric: &Fabric, network: &Network) -> Symmetry {
    let (demand, (size, groups)) = (&fabric.demand, network.family.blocks());
    if lengths_matter(fabric) || !network.family.rotates() {
        return Symmetry::trivial(size, groups);
    }
    // Rotations that preserve the demand are the multiples of the least one, which divides the number of
    // groups.
    let keeps_demand =
        |shift: u32| demand.is_kept_by(|node| NodeId((node.0 + shift * size) % (groups * size)));
    let least_shift =
        (1..groups).find(|&shift| groups.is_multiple_of(shift) && keeps_demand(shift)).unwrap_or(groups);
    let rotation = |shift: u32| (0..groups).map(|group| BlockId((group + shift) % groups)).collect();
    Symmetry::new(size, (0..groups / least_shift).map(|step| rotation(step * least_shift)).collect())
}

/// One end of an edge, as its router sees it. The order of these values is the order of ports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct EdgeEnd {
    global: bool,
    neighbor: u32,
    edge: u32,
    side: u8,
}

/// The largest number of ports of a router, and the links with a port at either end. Outputs and inputs of
/// simplex links are numbered separately.
fn number_ports(routers: usize, edges: &[UnnumberedLink], simplex: bool) -> (usize, Vec<Link>) {
    let mut port_of = vec![[0u16; 2]; edges.len()];
    if simplex {
        number_ports_of_sides(routers, edges, &[0], &mut port_of);
        number_ports_of_sides(routers, edges, &[1], &mut port_of);
    } else {
        number_ports_of_sides(routers, edges, &[0, 1], &mut port_of);
    }
    let ports = port_of.iter().flatten().max().map_or(0, |&port| usize::from(port) + 1);
    let end = |edge: &UnnumberedLink, ports: &[u16; 2], side: usize| End {
        node: NodeId(edge.ends[side]),
        port: PortId(ports[side]),
    };
    let link = |(edge, ports): (&UnnumberedLink, &[u16; 2])| Link {
        a: end(edge, ports, 0),
        b: end(edge, ports, 1),
        class: edge.class,
        link_type: edge.link_type,
        simplex,
    };
    (ports, edges.iter().zip(&port_of).map(link).collect())
}

/// Numbers the ports of these sides of the edges. The sides share the numbers of a router.
fn number_ports_of_sides(
    routers: usize,
    edges: &[UnnumberedLink],
    sides: &[usize],
    port_of: &mut [[u16; 2]],
) {
    // The ends at router u are at `starts[u]..starts[u + 1]`.
    let mut starts = vec![0u32; routers + 1];
    for edge in edges {
        sides.iter().for_each(|&side| starts[edge.ends[side] as usize + 1] += 1);
    }
    for router in 0..routers {
        starts[router + 1] += starts[router];
    }
    let mut next = starts.clone();
    let mut edge_ends =
        vec![EdgeEnd { global: false, neighbor: 0, edge: 0, side: 0 }; edges.len() * sides.len()];
    for (id, edge) in edges.iter().enumerate() {
        for &side in sides {
            let position = &mut next[edge.ends[side] as usize];
            let global = edge.class == LinkClass::Global;
            edge_ends[*position as usize] =
                EdgeEnd { global, neighbor: edge.ends[1 - side], edge: id as u32, side: side as u8 };
            *position += 1;
        }
    }
    let mut taken = Vec::new();
    for router in 0..routers {
        let ends_of_router = &mut edge_ends[starts[router] as usize..starts[router + 1] as usize];
        ends_of_router.sort_unstable();
        let given_port = |edge_end: &EdgeEnd| edges[edge_end.edge as usize].ports[usize::from(edge_end.side)];
        taken.clear();
        taken.extend(ends_of_router.iter().filter_map(given_port));
        taken.sort_unstable();
        let (mut free, mut taken_index) = (0u16, 0);
        for edge_end in ends_of_router.iter() {
            let port = given_port(edge_end).unwrap_or_else(|| {
                while taken.get(taken_index) == Some(&free) {
                    taken_index += 1;
                    free += 1;
                }
                free += 1;
                free - 1
            });
            port_of[edge_end.edge as usize][usize::from(edge_end.side)] = port;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(ends: [u32; 2], class: LinkClass, ports: [Option<u16>; 2]) -> UnnumberedLink {
        UnnumberedLink { ends, class, link_type: LinkTypeId(0), ports }
    }

    fn ports(edges: &[UnnumberedLink], simplex: bool) -> Vec<[u16; 2]> {
        number_ports(4, edges, simplex).1.iter().map(|link| [link.a.port.0, link.b.port.0]).collect()
    }

    #[test]
    fn local_links_come_first_then_neighbors_then_copies() {
        use LinkClass::{Global, Local};
        let none = [None, None];
        let edges = [
            edge([0, 1], Global, none),
            edge([0, 3], Local, none),
            edge([0, 2], Local, none),
            edge([2, 0], Local, none),
        ];
        assert_eq!(ports(&edges, false), [[3, 0], [2, 0], [0, 0], [1, 1]]);
    }

    #[test]
    fn given_ports_are_kept_and_the_others_are_the_least_free_ones() {
        let edges = [
            edge([0, 1], LinkClass::Local, [Some(1), None]),
            edge([0, 2], LinkClass::Local, [None, None]),
            edge([0, 3], LinkClass::Local, [None, Some(7)]),
            edge([1, 3], LinkClass::Local, [Some(0), None]),
        ];
        assert_eq!(ports(&edges, false), [[1, 1], [0, 0], [2, 7], [0, 0]]);
        assert_eq!(number_ports(4, &edges, false).0, 8);
    }

    #[test]
    fn outputs_and_inputs_of_simplex_links_are_numbered_apart() {
        let none = [None, None];
        let edges = [[0, 1], [1, 0], [2, 0], [0, 2]].map(|ends| edge(ends, LinkClass::Local, none));
        assert_eq!(ports(&edges, true), [[0, 0], [0, 0], [0, 1], [1, 0]]);
    }
}
