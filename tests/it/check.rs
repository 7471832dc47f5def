//! The checker against small pods made by hand: it passes what is right and convicts what is wrong, in words
//! a person understands.

use crate::support::fixture;
use fabc::check::{self, CheckError};
use fabc::ids::{BlockId, IdVec, LinkId, NodeId, PortId};
use fabc::ir::*;
use fixture::*;
use miette::Diagnostic;

fn code(error: &CheckError) -> String {
    error.code().map(|code| code.to_string()).unwrap_or_default()
}

/// Routes a ring one way round, on one VC: the textbook deadlock.
fn one_way(topology: &Topology) -> ForwardingTables {
    tables_by(topology, topology.symmetry(), "nominal", 1, |_, _, _| (PortId(0), 0))
}

/// A diamond, K(2,4): routers 0 and 1 are each joined to 2, 3, 4 and 5.
fn diamond() -> Topology {
    let end = |node, port| End { node: NodeId(node), port: PortId(port) };
    let link =
        |a, b| Link { a, b, class: LinkClass::Global, link_type: fabc::ids::LinkTypeId(1), simplex: false };
    let links = (0..2)
        .flat_map(|hub| (2..6).map(move |leaf| link(end(hub, leaf as u16 - 2), end(leaf, hub as u16))))
        .collect();
    Topology::new(6, links, Symmetry::trivial(1, 6))
}

#[test]
fn a_ring_is_wired_as_declared() {
    let (fabric, topology, cross_connects) = ring(4, 2);
    check::verify_wiring(&fabric, &topology, Some(&cross_connects)).unwrap();
    check::verify_distances(
        &Scene::healthy(&topology),
        &Distances { diameter: 2, total: 16, histogram: vec![0, 8, 4] },
    )
    .unwrap();
}

#[test]
fn a_pod_of_cubes_is_wired_as_declared() {
    let fabric = pod([4, 4, 4], 4, &[0, 1, 2], 4, 0);
    let (topology, cross_connects) = wire(&fabric, [1, 2, 0]);
    check::verify_wiring(&fabric, &topology, Some(&cross_connects)).unwrap();
    assert_eq!(topology.links().len(), 4 * 144 + 4 * 48);
}

#[test]
fn a_swapped_cross_connect_is_convicted() {
    let (fabric, topology, mut cross_connects) = ring(4, 2);
    let settings = &mut cross_connects.settings[ocs(&fabric, "X[0,0]")];
    (settings[0].b, settings[1].b) = (settings[1].b, settings[0].b);
    let error = check::verify_wiring(&fabric, &topology, Some(&cross_connects)).unwrap_err();
    assert_eq!(code(&error), "FAB0403");
    assert!(error.to_string().contains("cube0.+x[0,0] - cube2.-x[0,0] is claimed to carry"), "{error}");
    let settings = &mut cross_connects.settings[ocs(&fabric, "X[0,0]")];
    settings[1].b = settings[0].b;
    let error = check::verify_wiring(&fabric, &topology, Some(&cross_connects)).unwrap_err();
    assert_eq!(error.to_string(), "X[0,0]: cube2.-x[0,0] is joined to two ports at the same time");
}

#[test]
fn a_missing_mesh_link_is_convicted() {
    let fabric = pod([2, 1, 1], 2, &[0], 1, 0);
    let (topology, _) = wire(&fabric, [1, 0, 0]);
    let links: Vec<Link> =
        topology.links().iter().filter(|link| link.class == LinkClass::Global).copied().collect();
    let topology = Topology::new(6, links, Symmetry::trivial(2, 2)).named(router_names(&fabric));
    let cross_connects = CrossConnects {
        settings: IdVec::filled(Vec::new(), 1),
        ocs_of: IdVec::filled(None, topology.links().len()),
    };
    let error = check::verify_wiring(&fabric, &topology, Some(&cross_connects)).unwrap_err();
    assert_eq!(code(&error), "FAB0402");
    assert!(
        error.to_string().contains("the copper link from cube0[0,0,0].+x to cube0[1,0,0] is missing"),
        "{error}"
    );
}

#[test]
fn a_false_symmetry_is_convicted() {
    // Two cubes in a pair and two in another pair would be. A ring of four has no swap of neighbors that
    // keeps ports.
    let fabric = pod([1, 1, 1], 4, &[0], 2, 0);
    let swap: Vec<BlockId> = [1, 0, 3, 2].map(BlockId).to_vec();
    let symmetry = Symmetry::new(1, vec![(0..4).map(BlockId).collect(), swap]);
    let (topology, cross_connects) = wire_with(&fabric, [1, 0, 0], symmetry);
    let error = check::verify_wiring(&fabric, &topology, Some(&cross_connects)).unwrap_err();
    assert_eq!(code(&error), "FAB0404");
    // A set of free permutations that is no group.
    let step: Vec<BlockId> = [1, 2, 3, 0].map(BlockId).to_vec();
    let back: Vec<BlockId> = [3, 0, 1, 2].map(BlockId).to_vec();
    let symmetry = Symmetry::new(1, vec![(0..4).map(BlockId).collect(), step, back]);
    let (topology, cross_connects) = wire_with(&fabric, [1, 0, 0], symmetry);
    let error = check::verify_wiring(&fabric, &topology, Some(&cross_connects)).unwrap_err();
    assert!(error.to_string().contains("it is not a group"), "{error}");
}

#[test]
fn two_parts_are_convicted() {
    let fabric = pod([1, 1, 1], 4, &[0], 2, 0);
    let (topology, cross_connects) = wire(&fabric, [2, 0, 0]);
    let error = check::verify_wiring(&fabric, &topology, Some(&cross_connects)).unwrap_err();
    assert_eq!(error.to_string(), "nominal: no path leads from cube0[0,0,0] to cube1[0,0,0]");
}

#[test]
fn distances_under_a_fault_that_breaks_the_symmetry() {
    let (_, topology, _) = ring(4, 2);
    let mut scene = Scene::healthy(&topology);
    scene.lit[LinkId(0)] = false;
    // A path of four.
    check::verify_distances(&scene, &Distances { diameter: 3, total: 20, histogram: vec![0, 6, 4, 2] })
        .unwrap();
    let error =
        check::verify_distances(&scene, &Distances { diameter: 3, total: 18, histogram: vec![0, 6, 4, 2] })
            .unwrap_err();
    assert_eq!(
        error.to_string(),
        "the hop distances are wrong: the sum of distances is claimed to be 18, but it is 20"
    );
}

#[test]
fn a_scene_must_say_of_every_link_whether_it_is_lit() {
    let (_, topology, _) = ring(4, 2);
    let scene = Scene { lit: IdVec::filled(true, 3), ..Scene::healthy(&topology) };
    let error =
        check::verify_distances(&scene, &Distances { diameter: 2, total: 16, histogram: vec![0, 8, 4] })
            .unwrap_err();
    assert_eq!(
        (code(&error).as_str(), error.to_string().as_str()),
        ("FAB0416", "lit links: 3 entries, but there must be 4")
    );
}

#[test]
fn the_diamond_has_its_known_bound() {
    let topology = diamond();
    let scene = Scene::healthy(&topology);
    // 16 channels, 16 ordered pairs at distance 1 and 14 at distance 2: lambda <= 16/44.
    check::verify_distances(&scene, &Distances { diameter: 2, total: 44, histogram: vec![0, 16, 14] })
        .unwrap();
    let unit = unit_lengths(&scene);
    assert_eq!((unit.volume, unit.distance), (16, 44));
    check::verify_dual(&scene, &uniform(&topology), &unit).unwrap();
    // Only the cut around leaf 2 has lengths: two channels in, two out, ten ordered pairs across it. So
    // lambda <= 4/10. The bound is weaker but true, with lengths of zero elsewhere.
    let mut cut = DualLengths { lengths: vec![0; 36], volume: 4, distance: 10 };
    for (node, port) in [(0, 0), (1, 0), (2, 0), (2, 1)] {
        cut.lengths[node * 6 + port] = 1;
    }
    check::verify_dual(&scene, &uniform(&topology), &cut).unwrap();
    cut.distance += 1;
    let error = check::verify_dual(&scene, &uniform(&topology), &cut).unwrap_err();
    assert!(error.to_string().contains("the distance is claimed to be 11, but it is 10"), "{error}");
    cut.lengths[5 * 6 + 4] = 1;
    let error = check::verify_dual(&scene, &uniform(&topology), &cut).unwrap_err();
    assert!(error.to_string().contains("channel class 34 is dark, but has the length 1"), "{error}");
}

#[test]
fn a_flow_must_conserve_and_keep_its_load() {
    let (_, topology, _) = ring(4, 2);
    let (tables, _) = hop_by_hop(&Scene::healthy(&topology), topology.symmetry(), "nominal", 2);
    let flow = flow_of(&topology, &tables);
    assert_eq!((flow.demand, flow.busiest), (1, 4));
    check::verify_flow(&Scene::healthy(&topology), &uniform(&topology), &flow).unwrap();
    let mut dark = Scene::healthy(&topology);
    dark.lit[LinkId(0)] = false;
    let error = check::verify_flow(&dark, &uniform(&topology), &flow).unwrap_err();
    assert!(error.to_string().contains("units on a dark channel"), "{error}");
    let mut leaky = flow.clone();
    let channel = leaky.flows[0].iter().position(|&units| units == 0).unwrap();
    leaky.flows[0][channel] = 1;
    let error = check::verify_flow(&Scene::healthy(&topology), &uniform(&topology), &leaky).unwrap_err();
    assert_eq!(code(&error), "FAB0408");
    assert!(error.to_string().contains("of the flow from node 0, 1 units"), "{error}");
    let error = check::verify_flow(
        &Scene::healthy(&topology),
        &uniform(&topology),
        &FlowCertificate { busiest: 2, ..flow.clone() },
    )
    .unwrap_err();
    assert!(error.to_string().contains("claimed to carry 2 units, but it carries 4"), "{error}");
    assert_eq!(
        code(
            &check::verify_flow(
                &Scene::healthy(&topology),
                &uniform(&topology),
                &FlowCertificate { demand: 2, ..flow }
            )
            .unwrap_err()
        ),
        "FAB0408"
    );
}

#[test]
fn trees_are_disjoint_and_span() {
    let fabric = pod([2, 2, 1], 4, &[0, 1], 4, 0);
    let (topology, cross_connects) = wire(&fabric, [1, 2, 0]);
    let sets = |names: &[&[&str]]| {
        names.iter().map(|set| set.iter().map(|name| ocs(&fabric, name)).collect()).collect::<Vec<Vec<_>>>()
    };
    let check = |names: &[&[&str]]| {
        check::verify_trees(plant(&fabric), &topology, &cross_connects, &sets(names))
            .map_err(|error| error.to_string())
    };
    check(&[&["X[0,0]"], &["X[1,0]", "Y[0,0]"]]).unwrap();
    assert!(
        check(&[&["Y[0,0]", "Y[1,0]"]])
            .unwrap_err()
            .contains("Y[0,0] + Y[1,0] alone does not join cube1 to cube0")
    );
    assert!(check(&[&["X[0,0]"], &["X[0,0]"]]).unwrap_err().contains("X[0,0] is in set 0 and in set 1"));
}

#[test]
fn symmetric_tables_are_walked() {
    let (fabric, topology, _) = ring(5, 2);
    let scene = Scene::healthy(&topology);
    let (tables, ranks) = hop_by_hop(&scene, topology.symmetry(), "nominal", 2);
    let (walk, proof) = check::judge_tables(&fabric, &scene, &tables, &ranks).unwrap();
    assert_eq!(walk.route_hops, [0, 10, 10]);
    assert_eq!(walk.vc_hops, [20, 10]);
    assert_eq!(walk.load_histogram, [(3, 10)]);
    assert_eq!(walk.loads[..2], [3, 3]);
    assert_eq!((walk.entries_max, walk.entries_total), (6, 30));
    assert_eq!(proof.ranks(), ranks);
    // The same tables, router by router.
    let trivial = Symmetry::trivial(1, 5);
    let routers = topology.nodes().map(|node| tables.router(node)).collect();
    let full = ForwardingTables { symmetry: trivial.clone(), routers, ..tables };
    let ranks: Vec<u32> = (0..30).flat_map(|_| [0, 1]).collect();
    let (same, _) = check::judge_tables(&fabric, &scene, &full, &ranks).unwrap();
    assert_eq!(
        (same.load_histogram, same.vc_hops, same.route_hops),
        (walk.load_histogram, walk.vc_hops, walk.route_hops)
    );
    assert_eq!((same.entries_max, same.entries_total), (walk.entries_max, walk.entries_total));
}

#[test]
fn two_orbits_of_cubes() {
    // Six cubes under the half turn: three orbits of two.
    let fabric = pod([2, 1, 1], 6, &[0, 1], 8, 0);
    let turns =
        |by: &[u32]| by.iter().map(|by| (0..6).map(|cube| BlockId((cube + by) % 6)).collect()).collect();
    let mut seen = Vec::new();
    for group in [turns(&[0]), turns(&[0, 3]), turns(&[0, 2, 4]), turns(&[0, 1, 2, 3, 4, 5])] {
        let symmetry = Symmetry::new(2, group);
        let (topology, cross_connects) = wire_with(&fabric, [1, 2, 0], symmetry);
        check::verify_wiring(&fabric, &topology, Some(&cross_connects)).unwrap();
        let scene = Scene::healthy(&topology);
        check::verify_distances(&scene, &distances(&scene)).unwrap();
        let lengths = unit_lengths(&scene);
        check::verify_dual(&scene, &uniform(&topology), &lengths).unwrap();
        let (tables, ranks) = hop_by_hop(&scene, topology.symmetry(), "nominal", 8);
        let (walk, _) = check::judge_tables(&fabric, &scene, &tables, &ranks).unwrap();
        let flow = flow_of(&topology, &tables);
        check::verify_flow(&Scene::healthy(&topology), &uniform(&topology), &flow).unwrap();
        // A link carries its two channels' loads, one of them at most the maximum channel load.
        assert!((walk.max_channel_load()..=2 * walk.max_channel_load()).contains(&flow.busiest));
        seen.push((
            walk.load_histogram,
            walk.route_hops,
            walk.vc_hops,
            walk.entries_total,
            flow.busiest,
            lengths.distance,
        ));
    }
    assert!(seen.iter().all(|report| *report == seen[0]), "{seen:?}");
}

#[test]
fn symmetric_tables_of_a_broken_pod_are_convicted() {
    let (fabric, topology, _) = ring(4, 2);
    let (tables, ranks) = hop_by_hop(&Scene::healthy(&topology), topology.symmetry(), "nominal", 2);
    let mut scene = Scene::healthy(&topology);
    scene.lit[LinkId(0)] = false;
    let error = check::judge_tables(&fabric, &scene, &tables, &ranks).unwrap_err();
    assert_eq!(code(&error), "FAB0404");
}

#[test]
fn a_ring_on_one_vc_deadlocks() {
    let (fabric, topology, _) = ring(4, 1);
    let tables = one_way(&topology);
    let error = check::judge_tables(&fabric, &Scene::healthy(&topology), &tables, &[1; 6]).unwrap_err();
    assert_eq!(code(&error), "FAB0413");
    assert_eq!(
        error.to_string(),
        "nominal: 4 channels can wait on each other in a cycle:\n\
         \x20 cube0[0,0,0].+x -> cube1[0,0,0] on VC 0, held by packets from cube0[0,0,0] to cube3[0,0,0]\n\
         \x20 cube1[0,0,0].+x -> cube2[0,0,0] on VC 0, held by packets from cube1[0,0,0] to cube0[0,0,0]\n\
         \x20 cube2[0,0,0].+x -> cube3[0,0,0] on VC 0, held by packets from cube2[0,0,0] to cube1[0,0,0]\n\
         \x20 cube3[0,0,0].+x -> cube0[0,0,0] on VC 0, held by packets from cube3[0,0,0] to cube2[0,0,0]"
    );
}

#[test]
fn a_wrong_rank_is_told_from_a_deadlock() {
    let (fabric, topology, _) = ring(5, 2);
    let scene = Scene::healthy(&topology);
    let (tables, mut ranks) = hop_by_hop(&scene, topology.symmetry(), "nominal", 2);
    ranks[1] = 0;
    let error = check::judge_tables(&fabric, &scene, &tables, &ranks).unwrap_err();
    assert_eq!(code(&error), "FAB0414");
    assert!(error.to_string().contains("only the ranks are wrong"), "{error}");
    let error = check::judge_tables(&fabric, &scene, &tables, &ranks[1..]).unwrap_err();
    assert_eq!(code(&error), "FAB0416");
}

#[test]
fn a_forwarding_loop_is_shown() {
    let (fabric, topology, _) = ring(4, 1);
    // Routers 2 and 3 each believe that the other one is nearer to router 0.
    let tables =
        tables_by(&topology, &Symmetry::trivial(1, 4), "nominal", 1, |dst, node, _| match (dst.0, node.0) {
            (0, 1 | 3) => (PortId(1), 0),
            _ => (PortId(0), 0),
        });
    let error = check::judge_tables(&fabric, &Scene::healthy(&topology), &tables, &[0; 24]).unwrap_err();
    assert_eq!(code(&error), "FAB0412");
    assert_eq!(
        error.to_string(),
        "nominal: packets from cube2[0,0,0] to cube0[0,0,0] loop forever:\n\
         \x20 cube3[0,0,0].-x -> cube2[0,0,0] on VC 0\n\
         \x20 cube2[0,0,0].+x -> cube3[0,0,0] on VC 0"
    );
}

#[test]
fn bad_entries_are_convicted() {
    let (fabric, topology, _) = ring(4, 2);
    let scene = Scene::healthy(&topology);
    let (tables, ranks) = hop_by_hop(&scene, topology.symmetry(), "nominal", 2);
    let convict = |change: &dyn Fn(&mut Vec<TableEntry>)| {
        let mut tables = tables.clone();
        change(&mut tables.routers[0]);
        let error = check::judge_tables(&fabric, &scene, &tables, &ranks).unwrap_err();
        (code(&error), error.to_string())
    };
    let (code, text) = convict(&|entries| {
        entries.remove(0);
    });
    assert_eq!(code, "FAB0410");
    assert!(text.contains("has no entry for packets to cube0[0,0,0] injected there"), "{text}");
    let bad = |change: &dyn Fn(&mut Vec<TableEntry>), expected: &str| {
        let (code, text) = convict(change);
        assert_eq!(code, "FAB0411", "{text}");
        assert!(text.contains(expected), "{text}");
    };
    bad(
        &|entries| entries.insert(1, TableEntry { out_port: 1, ..entries[0] }),
        "conflicts with the entry before it, which leaves by 0,0",
    );
    bad(&|entries| entries.insert(1, entries[0]), "conflicts");
    bad(&|entries| entries.swap(0, 1), "is out of order");
    bad(&|entries| entries[0].out_port = 2, "leaves by +y, which is dark");
    bad(&|entries| entries[0].out_port = 6, "leaves by port 6, but there are 6");
    bad(&|entries| entries[0].out_vc = 2, "sends on VC 2, but there are 2");
    bad(&|entries| entries[0].in_vc = 0, "has an input by which no packet arrives");
    bad(
        &|entries| entries.push(TableEntry { dst: NodeId(4), ..entries[0] }),
        "is for a router that does not exist",
    );
    bad(
        &|entries| entries.insert(0, TableEntry { dst: NodeId(0), ..entries[0] }),
        "is for packets that are at their destination already",
    );
    bad(
        &|entries| {
            entries.push(TableEntry { in_port: 5, in_vc: 1, ..entries[0] });
            entries.sort_unstable();
        },
        "no route uses the entry for packets to cube0[0,0,0] that came in by -z on VC 1, which leaves by +x on VC 0",
    );
}

#[test]
fn tables_must_keep_the_vc_budget() {
    let (mut fabric, topology, _) = ring(4, 2);
    let (tables, ranks) = hop_by_hop(&Scene::healthy(&topology), topology.symmetry(), "nominal", 2);
    fabric.budget.vcs = 1;
    assert_eq!(
        code(&check::judge_tables(&fabric, &Scene::healthy(&topology), &tables, &ranks).unwrap_err()),
        "FAB0415"
    );
}

#[test]
fn up_down_is_proved_on_cubes() {
    let fabric = pod([2, 2, 2], 4, &[0, 1, 2], 1, 1);
    let (topology, cross_connects) = wire(&fabric, [1, 2, 1]);
    check::verify_wiring(&fabric, &topology, Some(&cross_connects)).unwrap();
    for scenario in Scenario::tolerated(&fabric, &topology) {
        let scene = surviving_scene(&scenario.fault, &topology, Some(&cross_connects));
        let (tables, ranks) = up_down(&scene, &scenario.name);
        let (walk, _) = check::judge_tables(&fabric, &scene, &tables, &ranks).unwrap();
        assert_eq!(walk.route_hops.iter().sum::<u64>(), 32 * 31);
        check::verify_dual(&scene, &uniform(&topology), &unit_lengths(&scene)).unwrap();
    }
}

#[test]
fn a_thousand_chips_router_by_router() {
    let fabric = pod([4, 4, 4], 16, &[0, 1, 2], 1, 0);
    let (topology, cross_connects) = wire(&fabric, [1, 4, 2]);
    check::verify_wiring(&fabric, &topology, Some(&cross_connects)).unwrap();
    let scene = Scene::healthy(&topology);
    let (tables, ranks) = up_down(&scene, "nominal");
    let (walk, _) = check::judge_tables(&fabric, &scene, &tables, &ranks).unwrap();
    assert_eq!(walk.route_hops.iter().sum::<u64>(), 1024 * 1023);
}

/// The demand that all of these tests are about.
fn uniform(topology: &fabc::ir::Topology) -> fabc::model::Demand {
    fabc::model::Demand::uniform(topology.node_count())
}
