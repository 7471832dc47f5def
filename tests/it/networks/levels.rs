//! Nested groups: their two-level form against the dragonfly, their symmetry, their cables, and built whole.

use super::builds::built;
use super::{GLOBAL, LOCAL, conviction, degree, dragonfly, fabric, histograms, roomy, wired};
use fabc::check;
use fabc::ids::{NodeId, PortId};
use fabc::ir::{Link, LinkClass, Topology};
use fabc::model::{Arrangement, Family, Level, Levels};
use std::collections::{BTreeMap, BTreeSet};

/// A level of a palmtree, over the local link.
pub(crate) fn level(blocks: u32, joined: u32, ports: u32) -> LevelDraft {
    LevelDraft(Level { blocks, joined, ports, arrangement: Arrangement::Palmtree, spare: false, link: LOCAL })
}

/// A level in the making.
#[derive(Clone, Copy)]
pub(crate) struct LevelDraft(Level);

impl LevelDraft {
    pub(crate) fn arranged(self, arrangement: Arrangement) -> Self {
        Self(Level { arrangement, ..self.0 })
    }
    pub(crate) fn spare(self) -> Self {
        Self(Level { spare: true, ..self.0 })
    }
}

/// Levels, by turns over the local and the global link.
pub(crate) fn nested(levels: &[LevelDraft]) -> Family {
    let link = |depth: usize| if depth.is_multiple_of(2) { LOCAL } else { GLOBAL };
    let levels =
        levels.iter().enumerate().map(|(depth, &LevelDraft(level))| Level { link: link(depth), ..level });
    Family::Levels(Levels(levels.collect()))
}

/// 145 racks of 9 nodes of 8 routers.
pub(crate) fn racks() -> Family {
    nested(&[
        level(8, 1, 7),
        level(9, 2, 2).arranged(Arrangement::Consecutive),
        level(145, 1, 2).arranged(Arrangement::Fold),
    ])
}

fn links(topology: &Topology) -> Vec<Link> {
    topology.links().iter().copied().collect()
}

#[test]
fn two_levels_are_a_dragonfly() {
    for (a, h, g) in [(4, 2, 9), (8, 4, 33), (4, 2, 5), (4, 4, 7), (2, 2, 3), (6, 2, 13), (4, 2, 7)] {
        let joined = a * h / (g - 1);
        for arrangement in [Arrangement::Palmtree, Arrangement::Fold] {
            let [levels, groups] = [
                nested(&[level(a, 1, a - 1), level(g, joined, h).arranged(arrangement)]),
                dragonfly(a, h, g, arrangement),
            ]
            .map(|family| wired(&roomy(family)));
            assert_eq!(links(&levels), links(&groups), "a={a} h={h} g={g} {arrangement:?}");
            assert_eq!(levels.names(), groups.names());
            assert_eq!(levels.symmetry(), groups.symmetry());
        }
        // Counted from its own block, `consecutive` is the palmtree in a mirror, not the order of the groups.
        // Where every router gets one port of a copy, it is neither.
        let consecutive = wired(&roomy(nested(&[
            level(a, 1, a - 1),
            level(g, joined, h).arranged(Arrangement::Consecutive),
        ])));
        let palmtree = wired(&roomy(dragonfly(a, h, g, Arrangement::Palmtree)));
        let mirrored = |node: NodeId| NodeId((g - node.0 / a) % g * a + node.0 % a);
        let pairs = |topology: &Topology, map: &dyn Fn(NodeId) -> NodeId| -> Vec<[NodeId; 2]> {
            let nodes_of = |link: &Link| {
                let [a, b] = [map(link.a.node), map(link.b.node)];
                [a.min(b), a.max(b)]
            };
            let mut pairs: Vec<_> = topology.links().iter().map(nodes_of).collect();
            pairs.sort_unstable();
            pairs
        };
        assert_eq!(
            pairs(&consecutive, &mirrored) == pairs(&palmtree, &|node| node),
            g - 1 != a,
            "a={a} h={h} g={g}"
        );
        let in_order = wired(&roomy(dragonfly(a, h, g, Arrangement::Consecutive)));
        assert!(g == 3 || links(&consecutive) != links(&in_order), "a={a} h={h} g={g}");
    }
}

#[test]
fn rotations_of_the_outermost_blocks_keep_every_port() {
    for arrangement in [Arrangement::Palmtree, Arrangement::Consecutive, Arrangement::Fold] {
        for middle in [level(5, 2, 2), level(5, 1, 4).arranged(Arrangement::Fold), level(4, 3, 4).spare()] {
            let outer = level(7, 2, 2).arranged(arrangement);
            for (outer, order) in [(outer, 7), (outer.spare(), 1)] {
                let fabric = roomy(nested(&[level(4, 1, 3), middle, outer]));
                let topology = wired(&fabric);
                check::verify_wiring(&fabric, &topology, None).expect("rotations keep ports");
                assert_eq!(topology.symmetry().order(), order, "{arrangement:?}");
            }
        }
    }
    // Routers of one level are joined in the order of their numbers.
    let topology = wired(&roomy(nested(&[level(5, 1, 4)])));
    assert_eq!(topology.symmetry().order(), 1);
}

#[test]
fn every_two_blocks_are_joined_as_often_as_it_says() {
    let fabric = roomy(racks());
    let topology = wired(&fabric);
    check::verify_wiring(&fabric, &topology, None).expect("as its parameters say");
    // Links by their level and the blocks of it that they join.
    let mut between: BTreeMap<(u32, u32, u32), Vec<&Link>> = BTreeMap::new();
    for link in topology.links().iter() {
        let (a, b) = (link.a.node.0, link.b.node.0);
        let size = if a / 8 == b / 8 {
            1
        } else if a / 72 == b / 72 {
            8
        } else {
            72
        };
        between.entry((size, (a / size).min(b / size), (a / size).max(b / size))).or_default().push(link);
        assert_eq!(link.class, if size == 1 { LinkClass::Local } else { LinkClass::Global });
        assert_eq!(link.link_type, if size == 8 { GLOBAL } else { LOCAL });
        let ports = match size {
            1 => 0..7,
            8 => 7..9,
            _ => 9..11,
        };
        assert!(ports.contains(&link.a.port.0) && ports.contains(&link.b.port.0), "level by level");
    }
    for (&(size, ..), links) in &between {
        assert_eq!(links.len(), if size == 8 { 2 } else { 1 });
        let end_nodes: BTreeSet<NodeId> = links.iter().flat_map(|link| [link.a.node, link.b.node]).collect();
        assert_eq!(end_nodes.len(), 2 * links.len(), "cables of two nodes hang on different routers");
    }
    let pairs = |n: usize| n * (n - 1) / 2;
    assert_eq!(between.len(), 145 * 9 * pairs(8) + 145 * pairs(9) + pairs(145));
    // Both ends of a cable between racks stand at the same place.
    assert!(
        between
            .iter()
            .filter(|(key, _)| key.0 == 72)
            .all(|(_, links)| links[0].a.node.0 % 72 == links[0].b.node.0 % 72)
    );
    assert!(topology.nodes().all(|node| degree(&topology, node) == 11));
    assert_eq!((topology.symmetry().order(), topology.ports()), (145, 11));
    assert_eq!(topology.name(NodeId(72 * 3 + 8 * 2 + 5)), "group3.2[5]");
}

#[test]
fn what_is_left_over_is_dark() {
    // Of the two ports that a router has for the other three nodes, one is in use. Those of the next level
    // come after both.
    let topology = wired(&roomy(nested(&[
        level(3, 1, 2),
        level(4, 1, 2).arranged(Arrangement::Consecutive),
        level(3, 1, 1),
    ])));
    for node in topology.nodes() {
        let lit: Vec<u16> = (0..5).filter(|&port| topology.outgoing(node, PortId(port)).is_some()).collect();
        // Two of the twelve routers of a block lead to the two others.
        let outer: &[u16] = if node.0 % 12 < 2 { &[0, 1, 2, 4] } else { &[0, 1, 2] };
        assert_eq!(lit, outer, "{}", topology.name(node));
    }
}

#[test]
fn spare_blocks_have_no_hosts() {
    let fabric = fabric(nested(&[level(3, 1, 2), level(4, 1, 1).spare(), level(3, 2, 1).spare()]), 2, 16);
    let topology = wired(&fabric);
    check::verify_wiring(&fabric, &topology, None).expect("a network with spares");
    let with_hosts: Vec<u32> = topology.endpoints().map(|node| node.0).collect();
    let expected: Vec<u32> = (0..36).filter(|router| router / 3 % 4 < 3 && router / 12 < 2).collect();
    assert_eq!(with_hosts, expected);
    assert!(histograms(&topology)[1].iter().sum::<u64>() == 18 * 18);
    assert!(conviction(&fabric, &topology.clone().with_hosts(vec![2; 36])).contains("hosts"));
}

#[test]
fn levels_are_built_and_proved() {
    let text = "fabric cells { clock = 1 GHz; link near { bandwidth = 100 Gbps; latency = 10 ns; }
        link rack { bandwidth = 200 Gbps; latency = 20 ns; } link row { bandwidth = 100 Gbps; latency = 30 m; }
        router { radix = 12; hosts = 2; vcs = 8; flit = 64 B; buffer = 64 flits; latency = 10 cycles; }
        budget { vcs = 7; faults = 1 link; }
        topology = levels {
            level 4 over near;
            level 5 joined 2 over rack { ports = 2; arrangement = consecutive; spare = 1; }
            level 3 joined 4 over row { arrangement = fold; }
        }
        routing = minimal; require routers == 60; require hosts == 96; }";
    let (compiled, _) = built(text);
    assert_eq!(compiled.topology.symmetry().order(), 3);
    assert_eq!(compiled.topology.node_count(), 60);
}
