//! Forests: trees over chips whose edges are paths through routers that only forward.

use crate::collective::graphs::{boxes, complete, graph, leaf_spine, passes, path, ring, star, switched};
use fabc::ids::{ChannelId, NodeId};
use fabc::ir::{Forest, Fraction, Scene, Schedule, Topology, Transfers, surviving_scene};
use fabc::model::Collective;
use fabc::passes::collective::{CollectiveError, ScheduleRequest, bounds, forest};
use fabc::random::Stream;

fn found_forest(schedule: &Schedule) -> &Forest {
    let Transfers::Forest(forest) = &schedule.transfers else { panic!("a forest") };
    forest
}

/// A forest that the checker accepts, also for what derives from it.
fn packed(scene: &Scene<'_>, root: Option<NodeId>, parts: Option<u32>) -> Schedule {
    let schedule = forest(scene, root, parts, ScheduleRequest::default()).unwrap();
    passes(scene, &schedule);
    let derived = match root {
        Some(_) => &[Collective::Reduce][..],
        None => &[Collective::ReduceScatter, Collective::AllReduce],
    };
    for &collective in derived {
        let bounds = bounds(scene, collective, root).unwrap();
        passes(scene, &Schedule { collective, bounds, ..schedule.clone() });
    }
    schedule
}

/// Shards on the busiest channel, per lane.
fn volume(schedule: &Schedule) -> Fraction {
    let forest = found_forest(schedule);
    Fraction::new(forest.load.parts, forest.load.lanes).over(Fraction::integer(forest.parts))
}

#[test]
fn known_fabrics_reach_their_optimum() {
    // In units of the slower link: 25, 50, 25 and 10 GB/s.
    for (name, topology, [over, under]) in [
        ("one switch of 8", star(8), [7u64, 1u64]),
        ("2 boxes of 8 at 300 and 25", boxes(2, 8, 2, [12, 1]), [15, 13]),
        ("2 boxes of 8 at 450 and 50", boxes(2, 8, 8, [9, 1]), [3, 2]),
        ("4 boxes of 4 at 300 and 25", boxes(4, 4, 4, [12, 1]), [3, 1]),
        ("leaf-spine 3/2 with 3 hosts", leaf_spine(3, 2, 3), [8, 1]),
        ("leaf-spine 4/2 with 4 hosts", leaf_spine(4, 2, 4), [15, 1]),
        ("leaf-spine 2/1 with 4 hosts", leaf_spine(2, 1, 4), [7, 1]),
        ("ring of 5", ring(5), [2, 1]),
        ("K4", graph(4, &complete(4)), [1, 1]),
        ("path of 3", path(3), [2, 1]),
    ] {
        let scene = Scene::healthy(&topology);
        assert_eq!(volume(&packed(&scene, None, None)), Fraction::new(over, under), "{name}");
    }
}

/// One tree per root, and its images under the rotations of the fabric.
#[test]
fn rotated_trees_are_low() {
    for (name, topology, parts, volume_of_parts, height) in [
        ("one switch of 9", star(9), Some(1), [8u64, 1u64], 1),
        ("2 boxes of 8 at 300 and 25", boxes(2, 8, 2, [12, 1]), Some(1), [7, 6], 2),
        ("4 boxes of 4 at 300 and 25", boxes(4, 4, 4, [12, 1]), Some(1), [3, 1], 2),
        ("leaf-spine 3/2 with 3 hosts", leaf_spine(3, 2, 3), Some(1), [8, 1], 2),
        ("10 boxes of 8 at 450 and 50", boxes(10, 8, 8, [9, 1]), None, [9, 1], 2),
        ("40 boxes of 8 at 450 and 50", boxes(40, 8, 8, [9, 1]), None, [39, 1], 2),
        ("a switch of 65", star(65), None, [64, 1], 1),
    ] {
        let scene = Scene::healthy(&topology);
        let schedule = packed(&scene, None, parts);
        let [over, under] = volume_of_parts;
        assert_eq!(volume(&schedule), Fraction::new(over, under), "{name}");
        assert_eq!(found_forest(&schedule).height(topology.node_count()), height, "{name}");
    }
}

/// Switches spread what they receive over all chips, so that trees stay low.
#[test]
fn trees_are_low() {
    for (name, topology, height) in [("one switch of 8", star(8), 1), ("K4", graph(4, &complete(4)), 1)] {
        let scene = Scene::healthy(&topology);
        let schedule = packed(&scene, None, None);
        assert_eq!(found_forest(&schedule).height(topology.node_count()), height, "{name}");
    }
}

#[test]
fn broadcasts_fill_the_least_cut_of_the_root() {
    for (name, topology, lanes) in [
        ("one switch of 8", star(8), 1u32),
        ("2 boxes of 8 at 300 and 25", boxes(2, 8, 2, [12, 1]), 8),
        ("leaf-spine 3/2 with 3 hosts", leaf_spine(3, 2, 3), 1),
        ("K4", graph(4, &complete(4)), 3),
    ] {
        let scene = Scene::healthy(&topology);
        let schedule = packed(&scene, Some(NodeId(1)), None);
        assert_eq!(volume(&schedule), Fraction::new(1u32, lanes), "{name}");
    }
}

#[test]
fn random_fabrics_meet_the_bound() {
    for seed in 0..40 {
        let mut stream = Stream::new(seed, 44);
        let nodes = 4 + stream.below(9);
        let topology = switched(&mut stream, nodes);
        let scene = Scene::healthy(&topology);
        if scene.endpoints().count() < 2 {
            continue;
        }
        let schedule = packed(&scene, None, None);
        assert_eq!(volume(&schedule), schedule.bounds[0].volume(), "seed {seed}");
        let root = scene.endpoints().last();
        let rooted = packed(&scene, root, None);
        assert_eq!(volume(&rooted), rooted.bounds[0].volume(), "seed {seed}");
        // Fewer parts never do better, and as many as the optimum has do as well.
        let parts = found_forest(&schedule).parts;
        for fewer in [1, 2, parts] {
            let whole = packed(&scene, None, Some(fewer));
            assert!(volume(&whole) >= volume(&schedule), "seed {seed}");
            assert!(fewer != parts || volume(&whole) == volume(&schedule), "seed {seed}");
        }
    }
}

#[test]
fn dark_links_and_dead_routers() {
    let topology = boxes(2, 4, 2, [12, 1]);
    for fault in [
        fabc::ir::ScenarioFault::Router(NodeId(3)),
        fabc::ir::ScenarioFault::Router(NodeId(11)),
        fabc::ir::ScenarioFault::Router(NodeId(10)),
    ] {
        let scene = surviving_scene(&fault, &topology, None);
        let schedule = packed(&scene, None, None);
        assert_eq!(volume(&schedule), schedule.bounds[0].volume(), "{fault:?}");
    }
    let mut scene = Scene::healthy(&topology);
    for link in topology.links().ids().step_by(7) {
        scene.lit[link] = false;
    }
    let schedule = packed(&scene, None, None);
    assert_eq!(volume(&schedule), schedule.bounds[0].volume());
    assert!(fabc::check::verify_schedule(&Scene::healthy(&topology), &schedule).is_err());
}

#[test]
fn what_cannot_be_packed() {
    let refuse = |topology: &Topology, root: Option<u32>| {
        forest(&Scene::healthy(topology), root.map(NodeId), None, ScheduleRequest::default()).unwrap_err()
    };
    assert!(matches!(refuse(&star(1), None), CollectiveError::TooFew { chips: 1 }));
    assert!(matches!(refuse(&path(65), None), CollectiveError::ForestTooLarge { chips: 65, .. }));
    assert!(matches!(refuse(&star(65), Some(0)), CollectiveError::ForestTooLarge { chips: 65, .. }));
    assert!(matches!(refuse(&star(4), Some(4)), CollectiveError::Root { .. }));
    let apart = graph(4, &[[0, 1], [2, 3]]);
    assert!(matches!(refuse(&apart, None), CollectiveError::Disconnected { .. }));
}

/// A schedule after one change, and the word by which the checker convicts it.
fn tampered(schedule: &Schedule, kind: usize) -> (Schedule, &'static str) {
    let mut changed = schedule.clone();
    let Transfers::Forest(forest) = &mut changed.transfers else { panic!("a forest") };
    let tree = &mut forest.trees[0];
    let last = tree.sends.len() - 1;
    let word = match kind {
        0 => {
            tree.sends.pop();
            "does not reach"
        }
        1 => {
            let again = tree.sends[last].clone();
            tree.sends.push(again);
            "twice"
        }
        2 => {
            tree.sends.reverse();
            "no earlier edge"
        }
        3 => {
            tree.sends[last].to = NodeId(8);
            "not a surviving chip"
        }
        4 => {
            tree.root = NodeId(8);
            "is not a surviving chip"
        }
        5 => {
            tree.multiplicity += 1;
            "parts of"
        }
        6 => {
            tree.sends[0].paths[0].amount += 1;
            "parts of"
        }
        7 => {
            tree.sends[0].paths[0].channels.pop();
            "ends elsewhere"
        }
        8 => {
            tree.sends[0].paths[0].channels.remove(0);
            "breaks off"
        }
        9 => {
            tree.sends[0].paths[0].channels[0] = ChannelId(9999);
            "no lit duplex channel"
        }
        10 => {
            forest.parts += 1;
            "carry"
        }
        11 => {
            forest.trees.pop();
            "parts"
        }
        12 => {
            forest.trees.clear();
            "carry 0 of"
        }
        13 => {
            forest.load.lanes += 1;
            "per lane"
        }
        14 => {
            changed.collective = Collective::AllToAll;
            "cannot perform"
        }
        _ => {
            // The schedule would be faster than the cut allows.
            forest.parts *= 2;
            forest.trees.iter_mut().for_each(|tree| {
                tree.multiplicity *= 2;
                tree.sends.iter_mut().for_each(|send| send.paths[0].amount += tree.multiplicity / 2);
            });
            return (changed, "per lane");
        }
    };
    (changed, word)
}

#[test]
fn every_change_is_convicted() {
    let topology = boxes(2, 4, 2, [12, 1]);
    let scene = Scene::healthy(&topology);
    let schedule = packed(&scene, None, None);
    for kind in 0..=15 {
        let (changed, word) = tampered(&schedule, kind);
        let error = fabc::check::verify_schedule(&scene, &changed).unwrap_err().to_string();
        assert!(error.contains(word), "kind {kind}: {error}");
    }
    // A path through a chip: the first box has a switch, and chip 1 lies between chips 0 and 2.
    let line = path(3);
    let scene = Scene::healthy(&line);
    let mut through = packed(&scene, None, None);
    let Transfers::Forest(forest) = &mut through.transfers else { panic!("a forest") };
    let tree = forest.trees.iter_mut().find(|tree| tree.root == NodeId(0)).unwrap();
    let first = tree.sends[0].paths[0].channels.clone();
    tree.sends[1].from = NodeId(0);
    tree.sends[1].paths[0].channels.splice(0..0, first);
    let error = fabc::check::verify_schedule(&scene, &through).unwrap_err().to_string();
    assert!(error.contains("does not only forward"), "{error}");
}

#[test]
fn any_number_of_threads_packs_the_same() {
    let topology = boxes(2, 8, 2, [12, 1]);
    let packed_with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| packed(&Scene::healthy(&topology), None, None))
    };
    assert!(packed_with(1) == packed_with(16));
}
