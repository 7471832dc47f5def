//! From a network's parameters to its topology: who is joined to whom, and by which ports.
//!
//! In: a fabric, and its network as `resolve` checked it. Out: a [`Topology`] with links, ports, hosts,
//! names, and the symmetry that keeps all of it and the demand; [`start_lengths`] hands the flow channel
//! lengths that the structure makes plausible. One file per family says which routers are joined; ports are
//! numbered here: local links first, then global ones, within a class by neighbor, of parallel links as they
//! were made, unless the family numbers the port. Source: the papers of the families; `docs/passes.md` has
//! the numbering of each. Cost: linear in the links, but for a sort of the links of each router.

mod bundlefly;
mod dragonfly;
mod edge;
mod fat_tree;
mod gen_kautz;
mod generators;
mod grid;
mod hypercube;
mod kautz;
mod levels;
mod listed;
mod megafly;
mod polarfly;
mod polarstar;
mod seeds;
mod slim_fly;
mod spectralfly;

pub use generators::{Neighbors, neighbors};
pub use seeds::start_lengths;

use edge::Edge;
use fabc_base::ids::{BlockId, LinkTypeId, NodeId, PortId};
use fabc_ir::{End, Link, LinkClass, Symmetry, Topology, router_names};
use fabc_model::{Fabric, Family, Network};
use generators::edges;
use std::collections::BTreeMap;

/// The topology of a network whose parameters tell its links.
pub fn wire(fabric: &Fabric, network: &Network) -> Topology {
    of_edges(fabric, network, &edges(network, &network.family))
}

/// Links that are alike but for their ends.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Kind {
    /// Where they run.
    pub class: LinkClass,
    /// Which declared link they are.
    pub link_type: LinkTypeId,
    /// The pairs that they join.
    pub links: Vec<[u32; 2]>,
}

/// The links of a family whose parameters tell them, by kind: local ones first, then by declared link.
pub fn kinds(network: &Network, family: &Family) -> Vec<Kind> {
    let mut kinds: BTreeMap<(bool, LinkTypeId), Vec<[u32; 2]>> = BTreeMap::new();
    for Edge { ends, class, link_type, .. } in edges(network, family) {
        kinds.entry((class == LinkClass::Global, link_type)).or_default().push(ends);
    }
    let kind = |((global, link_type), links)| Kind {
        class: if global { LinkClass::Global } else { LinkClass::Local },
        link_type,
        links,
    };
    kinds.into_iter().map(kind).collect()
}

/// The topology of a permuted network, whose links of every kind join other pairs than those of the base.
pub fn wire_permuted(fabric: &Fabric, network: &Network, base: &[Kind], drawn: &[Vec<[u32; 2]>]) -> Topology {
    let edge =
        |kind: &Kind, ends| Edge { ends, class: kind.class, link_type: kind.link_type, ports: [None, None] };
    let of_kind = |(kind, links): (_, &Vec<[u32; 2]>)| {
        links.iter().map(move |&ends| edge(kind, ends)).collect::<Vec<_>>()
    };
    of_edges(fabric, network, &base.iter().zip(drawn).flat_map(of_kind).collect::<Vec<_>>())
}

/// The topology of a network whose links are drawn, from the pairs that they join.
pub fn wire_drawn(fabric: &Fabric, network: &Network, links: &[[u32; 2]]) -> Topology {
    let edges: Vec<Edge> = links.iter().map(|&ends| Edge::local(network, ends)).collect();
    of_edges(fabric, network, &edges)
}

fn of_edges(fabric: &Fabric, network: &Network, edges: &[Edge]) -> Topology {
    let (ports, links) = number(network.router_count(), edges, network.family.is_simplex());
    let topology = Topology::new(ports, links, symmetry(fabric, network));
    let topology = topology.with_hosts(network.hosts(fabric.router.hosts)).named(router_names(fabric));
    topology.with_capacities(fabric.capacities.clone())
}

/// The rotations of the groups that keep ports and demand.
fn symmetry(fabric: &Fabric, network: &Network) -> Symmetry {
    let (demand, (size, groups)) = (&fabric.demand, network.family.blocks());
    // Cables of one link differ in length.
    let runs = fabric.link_types.iter().any(|link| link.per_metre_ps > 0);
    let unlike = fabric.floor.as_ref().is_some_and(|floor| runs || floor.by_length.is_some());
    if unlike || !network.family.rotates() {
        return Symmetry::trivial(size, groups);
    }
    // Rotations that keep the demand are the multiples of the least one, which divides the number of groups.
    let kept = |by: u32| demand.is_kept_by(|node| NodeId((node.0 + by * size) % (groups * size)));
    let least = (1..groups).find(|&by| groups.is_multiple_of(by) && kept(by)).unwrap_or(groups);
    let rotation = |by: u32| (0..groups).map(|group| BlockId((group + by) % groups)).collect();
    Symmetry::new(size, (0..groups / least).map(|step| rotation(step * least)).collect())
}

/// One end of an edge, as its router sees it; the order is that of the ports.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Half {
    global: bool,
    neighbor: u32,
    edge: u32,
    side: u8,
}

/// The most ports of a router, and the links with a port at either end. Outputs and inputs of simplex links
/// are numbered apart.
fn number(routers: usize, edges: &[Edge], simplex: bool) -> (usize, Vec<Link>) {
    let mut port_of = vec![[0u16; 2]; edges.len()];
    if simplex {
        number_sides(routers, edges, &[0], &mut port_of);
        number_sides(routers, edges, &[1], &mut port_of);
    } else {
        number_sides(routers, edges, &[0, 1], &mut port_of);
    }
    let ports = port_of.iter().flatten().max().map_or(0, |&port| usize::from(port) + 1);
    let end = |edge: &Edge, ports: &[u16; 2], side: usize| End {
        node: NodeId(edge.ends[side]),
        port: PortId(ports[side]),
    };
    let link = |(edge, ports): (&Edge, &[u16; 2])| Link {
        a: end(edge, ports, 0),
        b: end(edge, ports, 1),
        class: edge.class,
        link_type: edge.link_type,
        simplex,
    };
    (ports, edges.iter().zip(&port_of).map(link).collect())
}

/// Numbers the ports of these sides of the edges, which share the numbers of a router.
fn number_sides(routers: usize, edges: &[Edge], sides: &[usize], port_of: &mut [[u16; 2]]) {
    // The halves of router u stand at `starts[u]..starts[u + 1]`.
    let mut starts = vec![0u32; routers + 1];
    for edge in edges {
        sides.iter().for_each(|&side| starts[edge.ends[side] as usize + 1] += 1);
    }
    for router in 0..routers {
        starts[router + 1] += starts[router];
    }
    let mut next = starts.clone();
    let mut halves = vec![Half { global: false, neighbor: 0, edge: 0, side: 0 }; edges.len() * sides.len()];
    for (id, edge) in edges.iter().enumerate() {
        for &side in sides {
            let at = &mut next[edge.ends[side] as usize];
            let global = edge.class == LinkClass::Global;
            halves[*at as usize] =
                Half { global, neighbor: edge.ends[1 - side], edge: id as u32, side: side as u8 };
            *at += 1;
        }
    }
    let mut taken = Vec::new();
    for router in 0..routers {
        let own = &mut halves[starts[router] as usize..starts[router + 1] as usize];
        own.sort_unstable();
        let given = |half: &Half| edges[half.edge as usize].ports[usize::from(half.side)];
        taken.clear();
        taken.extend(own.iter().filter_map(given));
        taken.sort_unstable();
        let (mut free, mut passed) = (0u16, 0);
        for half in own.iter() {
            let port = given(half).unwrap_or_else(|| {
                while taken.get(passed) == Some(&free) {
                    passed += 1;
                    free += 1;
                }
                free += 1;
                free - 1
            });
            port_of[half.edge as usize][usize::from(half.side)] = port;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edge(ends: [u32; 2], class: LinkClass, ports: [Option<u16>; 2]) -> Edge {
        Edge { ends, class, link_type: LinkTypeId(0), ports }
    }

    fn ports(edges: &[Edge], simplex: bool) -> Vec<[u16; 2]> {
        number(4, edges, simplex).1.iter().map(|link| [link.a.port.0, link.b.port.0]).collect()
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
        assert_eq!(number(4, &edges, false).0, 8);
    }

    #[test]
    fn outputs_and_inputs_of_simplex_links_are_numbered_apart() {
        let none = [None, None];
        let edges = [[0, 1], [1, 0], [2, 0], [0, 2]].map(|ends| edge(ends, LinkClass::Local, none));
        assert_eq!(ports(&edges, true), [[0, 0], [0, 0], [0, 1], [1, 0]]);
    }
}
