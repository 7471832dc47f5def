//! Collectives in groups: known answers by hand, and what the checker convicts.

use crate::collective::graphs::{graph, grid, passes, path, ring};
use fabc::ids::NodeId;
use fabc::ir::{
    ChipGroups, CollectiveBound, Forest, Fraction, LaneLoad, Scene, Schedule, Topology, Transfers,
};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{
    CollectiveError, ScheduleRequest, check_within, group_bounds, pair_paths_in_groups, relayed, within,
};

/// A torus of 4 x 4 x 4 chips, numbered with x innermost.
fn cube() -> Topology {
    let number = |x: u32, y: u32, z: u32| x % 4 + 4 * (y % 4) + 16 * (z % 4);
    let mut pairs = Vec::new();
    for chip in 0..64 {
        let (x, y, z) = (chip % 4, chip / 4 % 4, chip / 16);
        pairs
            .extend([number(x + 1, y, z), number(x, y + 1, z), number(x, y, z + 1)].map(|next| [chip, next]));
    }
    graph(64, &pairs)
}

fn consecutive(topology: &Topology, size: usize) -> ChipGroups {
    ChipGroups::consecutive(topology.endpoints(), size)
}

/// The groups of chips that a key tells apart.
fn groups_by(topology: &Topology, key: impl Fn(u32) -> u32) -> ChipGroups {
    let most = topology.nodes().map(|node| key(node.0)).max().unwrap();
    let group = |number: u32| topology.nodes().filter(|node| key(node.0) == number).collect();
    ChipGroups::new((0..=most).map(group).collect())
}

fn blocks(topology: &Topology) -> ChipGroups {
    groups_by(topology, |chip| (chip % 4) / 2 + (chip / 4 % 4) / 2 * 2 + (chip / 16) / 2 * 4)
}

fn forest_of(schedule: &Schedule) -> &Forest {
    let Transfers::Forest(forest) = &schedule.transfers else { panic!("a forest") };
    forest
}

/// Shards on the busiest channel per lane.
fn volume(schedule: &Schedule) -> Fraction {
    let (LaneLoad { parts, lanes }, all_parts) = match &schedule.transfers {
        Transfers::Forest(forest) => (forest.load, forest.parts),
        Transfers::Paths(paths) => (paths.load, paths.parts),
        _ => panic!("a forest or paths"),
    };
    Fraction::new(parts, lanes).over(Fraction::integer(all_parts))
}

/// The schedule with the bounds of all schedules, which the checker accepts. So it does as a reduction.
fn accepted(scene: &Scene<'_>, schedule: &Schedule) -> Schedule {
    let groups = schedule.groups.as_ref().unwrap();
    let with_bounds = |collective: Collective| {
        let own = schedule.bounds.iter().filter(|bound| {
            matches!(bound, CollectiveBound::Inside { .. }) && collective != Collective::AllReduce
        });
        let bounds = own.cloned().chain(group_bounds(scene, collective, groups, &[]).unwrap()).collect();
        let schedule = Schedule { collective, bounds, ..schedule.clone() };
        passes(scene, &schedule);
        schedule
    };
    if schedule.collective == Collective::AllToAll {
        return with_bounds(Collective::AllToAll);
    }
    with_bounds(Collective::ReduceScatter);
    with_bounds(Collective::AllReduce);
    with_bounds(Collective::AllGather)
}

fn within_groups(topology: &Topology, groups: &ChipGroups) -> Schedule {
    let scene = Scene::healthy(topology);
    accepted(&scene, &within(&scene, groups, None, ScheduleRequest::default()).unwrap())
}

#[test]
fn known_answers_within_groups() {
    let (cube, open, double) = (cube(), grid([4, 2], false), graph(2, &[[0, 1], [0, 1]]));
    for (name, topology, groups, over, under) in [
        ("blocks of 2 x 2 x 2", &cube, blocks(&cube), 7u64, 3u64),
        ("rows of 8, two closed rings of 4", &cube, consecutive(&cube, 8), 7, 3),
        ("4 x 2 without closing rings", &open, consecutive(&open, 8), 7, 2),
        ("a ring of 8", &ring(8), consecutive(&ring(8), 8), 7, 2),
        ("closed rings of 4", &cube, consecutive(&cube, 4), 3, 2),
        (
            "squares",
            &cube,
            groups_by(&cube, |chip| chip % 4 / 2 + chip / 4 % 4 / 2 * 2 + chip / 16 * 4),
            3,
            2,
        ),
        ("pairs over one link", &cube, consecutive(&cube, 2), 1, 1),
        ("pairs over two links", &double, consecutive(&double, 2), 1, 2),
    ] {
        assert_eq!(volume(&within_groups(topology, &groups)), Fraction::new(over, under), "{name}");
    }
}

/// Every chip of a ring of 8 hears its group of 4 by one channel from outside, at the ends.
#[test]
fn trees_pass_foreign_chips_where_a_group_is_thin() {
    let cube = cube();
    let scene = Scene::healthy(&cube);
    // An open 4 x 2 in every group: x in 0..4, y in steps of two, so that no ring of four closes in y.
    let thin = groups_by(&cube, |chip| chip / 4 % 4 % 2 + chip / 16 * 2);
    assert!(matches!(check_within(&scene, &thin), Err(CollectiveError::ApartInGroup { .. })));
    let corners = groups_by(&cube, |chip| (chip % 4) / 2 + chip / 16 * 2);
    let inside = within_groups(&cube, &corners);
    let bounds = group_bounds(&scene, Collective::AllGather, &corners, &[]).unwrap();
    for groups in [&thin, &corners] {
        let outside = relayed(&scene, groups, 6, &bounds, ScheduleRequest::default()).unwrap();
        let outside = accepted(&scene, &outside);
        assert!(volume(&outside) <= volume(&inside).times(Fraction::new(3u64, 2u64)));
    }
    // A ring of 8 in groups of 4: within, three shards cross the link in the middle of a path of four.
    let ring = ring(8);
    let (scene, groups) = (Scene::healthy(&ring), consecutive(&ring, 4));
    assert_eq!(volume(&within_groups(&ring, &groups)), Fraction::integer(3u64));
    let bounds = group_bounds(&scene, Collective::AllGather, &groups, &[]).unwrap();
    let outside = relayed(&scene, &groups, 2, &bounds, ScheduleRequest::default()).unwrap();
    assert!(volume(&accepted(&scene, &outside)) <= Fraction::integer(3u64));
}

#[test]
fn balanced_paths_exchange_within_groups() {
    let cube = cube();
    let scene = Scene::healthy(&cube);
    for (size, over, under) in [(64, 32u64, 1u64), (4, 2, 1), (2, 1, 1)] {
        let groups = consecutive(&cube, size);
        let bounds = group_bounds(&scene, Collective::AllToAll, &groups, &[]).unwrap();
        let found = pair_paths_in_groups(&scene, &groups, &bounds, ScheduleRequest::default()).unwrap();
        let best = found.iter().map(|schedule| volume(&accepted(&scene, schedule))).min().unwrap();
        assert!(best <= Fraction::new(over, under).times(Fraction::new(101u64, 100u64)), "{size}: {best:?}");
    }
}

/// The bounds by hand: 64 chips with 6 channels each, of which 3 are in blocks of 8.
#[test]
fn bounds_count_every_group() {
    let cube = cube();
    let (scene, groups) = (Scene::healthy(&cube), blocks(&cube));
    let bounds = group_bounds(&scene, Collective::AllGather, &groups, &[]).unwrap();
    let relays = CollectiveBound::Relays { received: 448, channels: 384, inside: 192, fan: 5 };
    assert_eq!(bounds[0], relays);
    assert_eq!(relays.volume(), Fraction::new(14u64, 11u64));
    assert_eq!(bounds[1], CollectiveBound::Cut { all_but: vec![NodeId(0)], channels: 6, shards: 7 });
    let sums = group_bounds(&scene, Collective::AllReduce, &groups, &[]).unwrap();
    assert_eq!(sums[0], CollectiveBound::Partition { part_of: Vec::new(), parts: 57, channels: 384 });
    let pairs = group_bounds(&scene, Collective::AllToAll, &consecutive(&cube, 64), &[]).unwrap();
    assert_eq!(pairs[0].volume(), Fraction::integer(32u64));
}

fn refused(scene: &Scene<'_>, schedule: &Schedule, word: &str) {
    let error = fabc::check::verify_schedule(scene, schedule).unwrap_err().to_string();
    assert!(error.contains(word), "{word}: {error}");
}

#[test]
fn the_checker_convicts_changed_groups() {
    let cube = cube();
    let scene = Scene::healthy(&cube);
    let schedule = within_groups(&cube, &blocks(&cube));
    let lists = || schedule.groups.as_ref().unwrap().lists().to_vec();
    let with_groups = |lists| Schedule { groups: Some(ChipGroups::new(lists)), ..schedule.clone() };
    let mut swapped = lists();
    let [first, second] = [swapped[0][0], swapped[1][0]];
    (swapped[0][0], swapped[1][0]) = (second, first);
    refused(&scene, &with_groups(swapped), "another group");
    let mut missing = lists();
    missing[3].pop();
    refused(&scene, &with_groups(missing), "7 chips");
    let mut twice = lists();
    twice[2][0] = twice[1][0];
    refused(&scene, &with_groups(twice), "in two groups");
    let mut unknown = lists();
    unknown[2][0] = NodeId(64);
    refused(&scene, &with_groups(unknown), "no surviving chip");
    // The chips of a group that is left out are idle, so nothing may start there.
    refused(&scene, &with_groups(lists()[1..].to_vec()), "is not a root");
    refused(&scene, &with_groups(Vec::new()), "fewer than two");
    refused(&scene, &Schedule { groups: None, ..schedule.clone() }, "does not reach");
}

#[test]
fn the_checker_convicts_changed_trees_and_bounds() {
    let cube = cube();
    let scene = Scene::healthy(&cube);
    let schedule = within_groups(&cube, &blocks(&cube));
    let with_forest = |change: &dyn Fn(&mut Forest)| {
        let mut forest = forest_of(&schedule).clone();
        change(&mut forest);
        Schedule { transfers: Transfers::Forest(forest), ..schedule.clone() }
    };
    refused(&scene, &with_forest(&|forest| drop(forest.trees[4].sends.pop())), "does not reach");
    refused(&scene, &with_forest(&|forest| forest.trees[4].multiplicity += 1), "parts");
    refused(&scene, &with_forest(&|forest| drop(forest.trees.pop())), "parts");
    refused(&scene, &with_forest(&|forest| forest.load.parts -= 1), "more than");
    for algorithm in [CollectiveAlgorithm::Direct, CollectiveAlgorithm::Ring] {
        refused(&scene, &Schedule { algorithm, ..schedule.clone() }, "tree 0");
    }
    refused(&scene, &Schedule { algorithm: CollectiveAlgorithm::Trees, ..schedule.clone() }, "within");
    refused(&scene, &Schedule { algorithm: CollectiveAlgorithm::Forest, ..schedule.clone() }, "`forest`");
    for index in 0..schedule.bounds.len() {
        let mut raised = schedule.clone();
        match &mut raised.bounds[index] {
            CollectiveBound::Cut { shards, .. }
            | CollectiveBound::Inside { shards, .. }
            | CollectiveBound::Latency { shards, .. } => *shards += 1,
            CollectiveBound::Relays { received, .. } => *received += 1,
            other => panic!("{other:?}"),
        }
        refused(&scene, &raised, "bound");
    }
    // A path out of the group and back.
    let groups = schedule.groups.clone().unwrap();
    let outside = relayed(&scene, &groups, 6, &[], ScheduleRequest::default()).unwrap();
    let leaves = |schedule: &Schedule| {
        let trees = forest_of(schedule).trees.iter();
        trees.flat_map(|tree| &tree.sends).any(|send| send.paths[0].channels.len() > 1)
    };
    assert!(leaves(&outside));
    let claimed = Schedule { algorithm: CollectiveAlgorithm::Within, ..outside };
    refused(&scene, &claimed, "out of the group");
}

#[test]
fn groups_that_cannot_stay_within_are_refused() {
    let path = path(4);
    let scene = Scene::healthy(&path);
    let apart = groups_by(&path, |chip| chip % 2);
    let error = within(&scene, &apart, None, ScheduleRequest::default()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "`within` uses only links between chips of one group, and over these no path leads from router0 to router2"
    );
    let relayed = relayed(&scene, &apart, 1, &[], ScheduleRequest::default()).unwrap();
    accepted(&scene, &relayed);
}
