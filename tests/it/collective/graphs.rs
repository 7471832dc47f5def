//! Small graphs.

use fabc::ids::{LinkTypeId, NodeId, PortId};
use fabc::ir::{End, Link, LinkClass, Scene, Schedule, Symmetry, Topology};
use fabc::model::Capacities;
use fabc::random::Stream;

/// The graph of these pairs, each a duplex link. Ports in order of the pairs.
pub(crate) fn graph(nodes: u32, pairs: &[[u32; 2]]) -> Topology {
    let mut ports = vec![0u16; nodes as usize];
    let mut end = |node: u32| {
        let port = ports[node as usize];
        ports[node as usize] += 1;
        End { node: NodeId(node), port: PortId(port) }
    };
    let links: Vec<Link> = pairs
        .iter()
        .map(|&[a, b]| Link {
            a: end(a),
            b: end(b),
            class: LinkClass::Local,
            link_type: LinkTypeId(0),
            simplex: false,
        })
        .collect();
    Topology::new(ports.into_iter().max().unwrap_or(0).into(), links, Symmetry::trivial(1, nodes))
}

/// A grid. Every line is closed to a ring where `closed`, lines of two by a second link.
pub(crate) fn grid(sides: [u32; 2], closed: bool) -> Topology {
    let [wide, high] = sides;
    let mut pairs = Vec::new();
    for y in 0..high {
        for x in 0..wide {
            if x + 1 < wide || closed && wide > 1 {
                pairs.push([y * wide + x, y * wide + (x + 1) % wide]);
            }
            if y + 1 < high || closed && high > 1 {
                pairs.push([y * wide + x, (y + 1) % high * wide + x]);
            }
        }
    }
    graph(wide * high, &pairs)
}

pub(crate) fn ring(nodes: u32) -> Topology {
    graph(nodes, &(0..nodes).map(|node| [node, (node + 1) % nodes]).collect::<Vec<_>>())
}

pub(crate) fn path(nodes: u32) -> Topology {
    graph(nodes, &(1..nodes).map(|node| [node - 1, node]).collect::<Vec<_>>())
}

pub(crate) fn complete(nodes: u32) -> Vec<[u32; 2]> {
    (0..nodes).flat_map(|a| (0..a).map(move |b| [b, a])).collect()
}

/// Two complete graphs of four and a link.
pub(crate) fn dumbbell() -> Topology {
    let mut pairs = complete(4);
    pairs.extend(complete(4).iter().map(|pair| pair.map(|node| node + 4)));
    pairs.push([0, 4]);
    graph(8, &pairs)
}

/// A connected graph with parallel links: a random tree, and a few links more.
pub(crate) fn random(stream: &mut Stream, most: usize) -> Topology {
    let nodes = 2 + stream.below(most - 1);
    let mut pairs: Vec<[u32; 2]> = (1..nodes).map(|node| [stream.below(node) as u32, node as u32]).collect();
    for _ in 0..stream.below(2 * nodes) {
        let [a, b] = [stream.below(nodes), stream.below(nodes)];
        if a != b {
            pairs.push([a as u32, b as u32]);
        }
    }
    graph(nodes as u32, &pairs)
}

/// The same with links of so many lanes, in their order.
pub(crate) fn laned(topology: Topology, lanes: &[u64]) -> Topology {
    let mut links: Vec<Link> = topology.links().iter().cloned().collect();
    links.iter_mut().zip(0..).for_each(|(link, kind)| link.link_type = LinkTypeId(kind));
    let bandwidths: Vec<Option<u64>> = lanes.iter().map(|lanes| Some(lanes * 100_000_000_000)).collect();
    let ports = topology.ports();
    let wired = Topology::new(ports, links, topology.symmetry().clone());
    wired.with_capacities(Capacities::new(&bandwidths, fabc::limits::CAPACITY_PARTS).unwrap())
}

/// The same with links of one to three lanes.
pub(crate) fn uneven(stream: &mut Stream, topology: Topology) -> Topology {
    let lanes: Vec<u64> = topology.links().iter().map(|_| 1 + stream.below(3) as u64).collect();
    laned(topology, &lanes)
}

/// The number of lanes of every link.
pub(crate) fn lanes(topology: &Topology) -> Vec<u64> {
    topology.links().ids().map(|link| topology.capacity(link)).collect()
}

/// The number of rounds and of chunk times.
pub(crate) fn size(schedule: &Schedule) -> (usize, u64) {
    let rounds = schedule.rounds().expect("rounds");
    (rounds.steps(), rounds.volume())
}

/// Asserts that a schedule passes the checker.
pub(crate) fn passes(scene: &Scene<'_>, schedule: &Schedule) {
    if let Err(error) = fabc::check::verify_schedule(scene, schedule) {
        panic!("{error}: {schedule:?}");
    }
}

/// Boxes of chips around a switch each. Chip i of every box also has a link to switch i mod `rails`. `lanes`
/// are those of the two kinds of links.
pub(crate) fn boxes(count: u32, chips: u32, rails: u32, lanes: [u64; 2]) -> Topology {
    let (all, first_rail) = (count * chips, count * chips + count);
    let inside = (0..all).map(|chip| [chip, all + chip / chips]);
    let outside = (0..all).map(|chip| [chip, first_rail + chip % chips % rails]);
    let pairs: Vec<[u32; 2]> = inside.chain(outside).collect();
    let hosts = (0..first_rail + rails).map(|node| u16::from(node < all)).collect();
    let topology = graph(first_rail + rails, &pairs);
    let of_link = |link: &Link| lanes[usize::from(link.b.node.0 >= first_rail)];
    let lanes: Vec<u64> = topology.links().iter().map(of_link).collect();
    laned(topology, &lanes).with_hosts(hosts)
}

/// Leaves with hosts, each joined to every spine.
pub(crate) fn leaf_spine(leaves: u32, spines: u32, hosts: u32) -> Topology {
    let (chips, first_spine) = (leaves * hosts, leaves * hosts + leaves);
    let below = (0..chips).map(|chip| [chip, chips + chip / hosts]);
    let above =
        (0..leaves).flat_map(|leaf| (0..spines).map(move |spine| [chips + leaf, first_spine + spine]));
    let pairs: Vec<[u32; 2]> = below.chain(above).collect();
    let nodes = first_spine + spines;
    graph(nodes, &pairs).with_hosts((0..nodes).map(|node| u16::from(node < chips)).collect())
}

/// One switch.
pub(crate) fn star(chips: u32) -> Topology {
    let pairs: Vec<[u32; 2]> = (0..chips).map(|chip| [chip, chips]).collect();
    graph(chips + 1, &pairs).with_hosts((0..=chips).map(|node| u16::from(node < chips)).collect())
}

/// A random connected graph, every third router of which only forwards.
pub(crate) fn switched(stream: &mut Stream, nodes: usize) -> Topology {
    let topology = random(stream, nodes);
    let hosts: Vec<u16> = topology.nodes().map(|node| u16::from(node.0 % 3 != 1)).collect();
    uneven(stream, topology).with_hosts(hosts)
}
