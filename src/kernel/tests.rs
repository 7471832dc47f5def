//! Tests every property on a ring of four routers, whose numbers can be worked out by hand.

use crate::*;
use fabc_topology::ids::{BlockId, ChannelId, IdVec, LinkId, LinkTypeId, NodeId, PortId};
use fabc_topology::{
    Demand, Distances, DualLengths, End, FlowCertificate, ForwardingTables, GroupEntry, GroupTables, Link,
    LinkClass, Scene, Symmetry, TableEntry, TableKey, Topology, VcCount, Walk,
};

const FORWARD: u16 = 0;
const BACK: u16 = 1;

fn rotations() -> Symmetry {
    Symmetry::new(1, (0..4).map(|by| (0..4).map(|block| BlockId((block + by) % 4)).collect()).collect())
}

/// Port 0 of each router leads to port 1 of the next one.
fn ring(symmetry: Symmetry) -> Topology {
    let end = |node: u32, port| End { node: NodeId(node % 4), port: PortId(port) };
    let link = |node| Link {
        a: end(node, FORWARD),
        b: end(node + 1, BACK),
        class: LinkClass::Local,
        link_type: LinkTypeId(0),
        simplex: false,
    };
    Topology::new(2, (0..4).map(link).collect(), symmetry)
}

/// Tables under which all packets go forward.
fn forward(topology: &Topology, key: TableKey, vcs: u8) -> ForwardingTables {
    let symmetry = topology.symmetry().clone();
    let entry = |dst| TableEntry { dst, in_port: -1, in_vc: -1, out_port: FORWARD, out_vc: 0 };
    let router = |node| topology.nodes().filter(|&dst| dst != node).map(entry).collect();
    let routers = symmetry.canonical_nodes().map(router).collect();
    ForwardingTables { scenario: "nominal".to_owned(), vcs, key, symmetry, routers }
}

fn judged(
    topology: &Topology,
    tables: &ForwardingTables,
    ranks: &[u32],
    shortest: bool,
) -> Result<(Walk, DeadlockFree), TableConviction> {
    let (scene, demand) = (Scene::healthy(topology), Demand::uniform(4));
    let hop_cycles: IdVec<ChannelId, u64> = IdVec::filled(10, topology.channel_count());
    judge(
        &Judged { scene: &scene, demand: &demand, hop_cycles: &hop_cycles, vcs: 3, shortest },
        tables,
        ranks,
    )
}

/// The rank of a channel is its virtual channel.
fn ranks(topology: &Topology, vcs: u32) -> Vec<u32> {
    (0..topology.class_count(topology.symmetry())).flat_map(|_| 0..vcs).collect()
}

const BY_HOPS: TableKey = TableKey::DstCount(VcCount::Hops);

#[test]
fn a_walk_counts_what_one_counts_by_hand() {
    for symmetry in [Symmetry::trivial(1, 4), rotations()] {
        let topology = ring(symmetry);
        let (walk, proof) =
            judged(&topology, &forward(&topology, BY_HOPS, 3), &ranks(&topology, 3), false).unwrap();
        // From each router one route of 1, 2 and 3 hops. A channel lies on 1 + 2 + 3 of them.
        assert_eq!(walk.load_histogram, [(0, 4), (6, 4)]);
        assert_eq!((walk.route_hops, walk.vc_hops), (vec![0, 4, 4, 4], vec![12, 8, 4]));
        assert_eq!((walk.cycles_total, walk.cycles_most), (240, 30));
        assert_eq!((walk.entries_max, walk.entries_total), (3, 12));
        assert_eq!(proof.ranks(), ranks(&topology, 3));
    }
}

#[test]
fn a_ring_on_one_virtual_channel_deadlocks() {
    for symmetry in [Symmetry::trivial(1, 4), rotations()] {
        let topology = ring(symmetry);
        let tables = forward(&topology, TableKey::Dst, 1);
        let conviction = judged(&topology, &tables, &ranks(&topology, 1), false).unwrap_err();
        let TableConviction::Fault(TableFault::Deadlock(cycle)) = conviction else {
            panic!("{conviction:?}")
        };
        assert_eq!(cycle.iter().map(|waiting| waiting.held.slot).collect::<Vec<_>>(), [0, 2, 4, 6]);
        for WaitingPacket { held, pair } in cycle {
            // The packet goes over the channel that it holds, and over the next one.
            let (source, destination) = pair.unwrap();
            let (router, hops) = (held.slot / 2, (destination + 4 - source) % 4);
            assert!((router + 4 - source) % 4 + 2 <= hops, "{source} to {destination} at {router}");
        }
        // The same without ranks.
        let scene = Scene::healthy(&topology);
        let forwarding = Forwarding::new(&scene, &tables).unwrap();
        match judge_third_party(&PortGraph::of_topology(&topology), &forwarding, |_, _| 1) {
            Err(Rejection::Faulty { lost: 0, pairs: 12, faults }) => {
                assert!(matches!(&faults[..], [TableFault::Deadlock(cycle)] if cycle.len() == 4))
            }
            _ => panic!("it is not convicted"),
        }
    }
}

#[test]
fn third_party_tables_without_a_cycle_are_accepted() {
    let topology = ring(Symmetry::trivial(1, 4));
    let (scene, tables) = (Scene::healthy(&topology), forward(&topology, BY_HOPS, 3));
    let forwarding = Forwarding::new(&scene, &tables).unwrap();
    let Ok(found) = judge_third_party(&PortGraph::of_topology(&topology), &forwarding, |_, _| 1) else {
        panic!("it is convicted")
    };
    // Every channel waits for the next one, on virtual channel 1 behind 0 and 2 behind 1.
    assert_eq!((found.walked.loads, found.dependencies), (vec![6, 0, 6, 0, 6, 0, 6, 0], 8));
}

#[test]
fn packets_that_do_not_arrive_are_found() {
    let topology = ring(Symmetry::trivial(1, 4));
    let fault = |tables: &ForwardingTables| match judged(
        &topology,
        tables,
        &ranks(&topology, u32::from(tables.vcs)),
        false,
    ) {
        Err(TableConviction::Fault(fault)) => fault,
        other => panic!("{other:?}"),
    };
    let mut without = forward(&topology, BY_HOPS, 3);
    without.routers[1].retain(|entry| entry.dst != NodeId(3));
    let position = |router, input| Position { router, input };
    // From 0 to 3 packets come to router 1 with one hop behind them.
    let lost = TableFault::Lost {
        source: 0,
        destination: 3,
        positions: vec![position(0, 0), position(1, 1)],
        loss: Loss::NoEntry,
    };
    assert_eq!(fault(&without), lost);
    let counted_out = fault(&forward(&topology, BY_HOPS, 2));
    assert!(
        matches!(counted_out, TableFault::Lost { source: 1, destination: 0, loss: Loss::NoCount, .. }),
        "{counted_out:?}"
    );
    let mut turned = forward(&topology, TableKey::Dst, 1);
    turned.routers[1]
        .iter_mut()
        .filter(|entry| entry.dst == NodeId(3))
        .for_each(|entry| entry.out_port = BACK);
    let cycle = vec![HeldChannel { slot: 0, vc: 0 }, HeldChannel { slot: 3, vc: 0 }];
    assert_eq!(fault(&turned), TableFault::Looping { source: 0, destination: 3, cycle });
}

#[test]
fn an_entry_that_nobody_uses_is_found() {
    let topology = ring(Symmetry::trivial(1, 4));
    let mut tables = forward(&topology, TableKey::DstInput, 3);
    let entries = |node: NodeId| {
        let to = |dst: NodeId| {
            // Forward all the way, on the virtual channel of the hop.
            let before = (node.0 + 4 - dst.0 - 1) % 4;
            let arrived = |vc: u8| TableEntry {
                dst,
                in_port: BACK as i16,
                in_vc: vc as i8,
                out_port: FORWARD,
                out_vc: vc + 1,
            };
            let injected = TableEntry { dst, in_port: -1, in_vc: -1, out_port: FORWARD, out_vc: 0 };
            std::iter::once(injected).chain((0..before as u8).map(arrived)).collect::<Vec<_>>()
        };
        topology.nodes().filter(|&dst| dst != node).flat_map(to).collect::<Vec<_>>()
    };
    tables.routers = topology.nodes().map(entries).collect();
    judged(&topology, &tables, &ranks(&topology, 3), false).unwrap();
    let unused =
        TableEntry { dst: NodeId(1), in_port: FORWARD as i16, in_vc: 0, out_port: FORWARD, out_vc: 1 };
    tables.routers[0].push(unused);
    tables.routers[0].sort_unstable();
    let conviction = judged(&topology, &tables, &ranks(&topology, 3), false).unwrap_err();
    let position = Position { router: 0, input: 1 };
    assert_eq!(
        conviction,
        TableConviction::Fault(TableFault::Unused { destination: 1, position, port: 0, vc: 1 })
    );
}

#[test]
fn wrong_ranks_and_long_routes_are_found() {
    let topology = ring(rotations());
    let tables = forward(&topology, BY_HOPS, 3);
    let flat = vec![0; ranks(&topology, 3).len()];
    let conviction = judged(&topology, &tables, &flat, false).unwrap_err();
    let (held, next) = (HeldChannel { slot: 0, vc: 0 }, HeldChannel { slot: 2, vc: 1 });
    assert_eq!(conviction, TableConviction::Fault(TableFault::Rank { held, next, rank: 0, next_rank: 0 }));
    let conviction = judged(&topology, &tables, &ranks(&topology, 3), true).unwrap_err();
    let TableConviction::Other(Conviction::Distances { what, .. }) = conviction else {
        panic!("{conviction:?}")
    };
    assert_eq!(what, "the hops of shortest routes");
}

#[test]
fn certificates_are_those_of_the_ring() {
    let topology = ring(rotations());
    let (scene, demand) = (Scene::healthy(&topology), Demand::uniform(4));
    // 1 + 2 + 1 hops from each router.
    let true_distances = Distances { diameter: 2, total: 16, histogram: vec![0, 8, 4] };
    check_distances(&scene, &true_distances).unwrap();
    check_distances(&scene, &Distances { total: 15, ..true_distances }).unwrap_err();
    let lengths = DualLengths { lengths: vec![1, 1], volume: 8, distance: 16 };
    check_dual(&scene, &demand, &lengths).unwrap();
    check_dual(&scene, &demand, &DualLengths { distance: 15, ..lengths.clone() }).unwrap_err();
    check_dual(&scene, &demand, &DualLengths { lengths: vec![1], ..lengths }).unwrap_err();
    // From router 0 three units go forward, of which one stays at each router.
    let mut flows = vec![vec![0; topology.channel_count()]];
    for (node, units) in [(0, 3), (1, 2), (2, 1)] {
        let channel = topology.outgoing(NodeId(node), PortId(FORWARD)).unwrap();
        flows[0][channel.0 as usize] = units;
    }
    let forward_flow = FlowCertificate { demand: 1, mirrored: false, busiest: 6, parts: 1, flows };
    check_flow(&scene, &demand, &forward_flow).unwrap();
    check_flow(&scene, &demand, &FlowCertificate { busiest: 5, ..forward_flow.clone() }).unwrap_err();
    let mut leaking = forward_flow;
    leaking.flows[0][topology.outgoing(NodeId(1), PortId(FORWARD)).unwrap().0 as usize] = 1;
    check_flow(&scene, &demand, &leaking).unwrap_err();
}

/// Group tables from `[router]`: (destination, ports).
fn groups(routers: [&[(u32, &[u16])]; 4]) -> GroupTables {
    let mut groups: Vec<Vec<u16>> = Vec::new();
    let routers = routers.map(|entries| {
        let entry = |&(destination, ports): &(u32, &[u16])| {
            let known = groups.iter().position(|group| group == ports);
            let group = known.unwrap_or_else(|| {
                groups.push(ports.to_vec());
                groups.len() - 1
            });
            GroupEntry { first: NodeId(destination), last: NodeId(destination), group: group as u32 }
        };
        entries.iter().map(entry).collect()
    });
    let weights = vec![Vec::new(); groups.len()];
    let (scenario, relays) = ("nominal".to_owned(), Vec::new());
    GroupTables { scenario, groups, weights, routers: routers.to_vec(), relays }
}

/// A ring of four with hosts at two opposite routers: two leaves below two spines.
#[test]
fn groups_hold_all_shortest_ways_up_and_down() {
    let topology = ring(Symmetry::trivial(1, 4)).with_hosts(vec![1, 0, 1, 0]);
    let (mut scene, demand) = (Scene::healthy(&topology), Demand::uniform(4));
    let hop_cycles: IdVec<ChannelId, u64> = IdVec::filled(10, topology.channel_count());
    let judge_by = |scene: &Scene<'_>, tables: &GroupTables, tiers: &[u32]| {
        let judged = Judged { scene, demand: &demand, hop_cycles: &hop_cycles, vcs: 1, shortest: false };
        judge_groups(&judged, tables, tiers).map(|(walk, _)| walk)
    };
    let judge_in = |scene: &Scene<'_>, tables: &GroupTables| judge_by(scene, tables, &[0, 1, 0, 1]);
    let both = [FORWARD, BACK];
    let all = groups([
        &[(2, &both)],
        &[(0, &[BACK]), (2, &[FORWARD])],
        &[(0, &both)],
        &[(0, &[FORWARD]), (2, &[BACK])],
    ]);
    let walk = judge_in(&scene, &all).unwrap();
    assert_eq!((walk.shares, &walk.loads[..], &walk.route_hops[..]), (2, &[1; 8][..], &[0, 0, 2][..]));
    assert_eq!((walk.cycles_total, walk.cycles_most, walk.entries_max), (80, 20, 2));
    // A third of the packets from 0 and from 2 go forward.
    let mut weighted = all.clone();
    weighted.weights[0] = vec![1, 2];
    let walk = judge_in(&scene, &weighted).unwrap();
    assert_eq!((walk.shares, &walk.loads[..]), (3, &[1, 2, 1, 2, 1, 2, 1, 2][..]));
    weighted.weights[0] = vec![1, 0];
    judge_in(&scene, &weighted).unwrap_err();
    // Without the link between routers 0 and 1, spine 1 has no way down to 0, and must not send it up.
    scene.lit[LinkId(0)] = false;
    judge_in(&scene, &all).unwrap_err();
    let fewer: [&[(u32, &[u16])]; 4] =
        [&[(2, &[BACK])], &[(2, &[FORWARD])], &[(0, &[FORWARD])], &[(0, &[FORWARD]), (2, &[BACK])]];
    judge_in(&scene, &groups(fewer)).unwrap();
    let around = [fewer[0], &[(0, &[FORWARD]), (2, &[FORWARD])], fewer[2], fewer[3]];
    judge_in(&scene, &groups(around)).unwrap_err();
    let flat = ring(Symmetry::trivial(1, 4)).with_hosts(vec![1, 1, 0, 0]);
    judge_by(&Scene::healthy(&flat), &all, &[0, 0, 1, 1]).unwrap_err();
}

#[test]
fn a_reflection_is_no_symmetry_of_the_ports() {
    let topology = ring(Symmetry::trivial(1, 4));
    check_automorphisms(&topology, &rotations()).unwrap();
    let blocks = |images: [u32; 4]| images.map(BlockId).to_vec();
    let reflection = Symmetry::new(1, vec![blocks([0, 1, 2, 3]), blocks([1, 0, 3, 2])]);
    check_automorphisms(&topology, &reflection).unwrap_err();
    // A group, but not one that moves every block.
    check_demand_symmetry(&rotations(), &Demand::uniform(4)).unwrap();
    let uneven: Vec<u32> = (0..16).map(|cell| u32::from(cell == 1)).collect();
    check_demand_symmetry(&rotations(), &Demand::matrix(4, uneven)).unwrap_err();
}
