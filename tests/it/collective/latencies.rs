//! Latencies of single channels: in times of schedules, and in the bounds by arrival.

use crate::collective::graphs::{boxes, passes, path, random, star, switched};
use crate::collective::times::{NS, checked, cost, least_bound, pace, unlike};
use fabc::check::bound_time;
use fabc::ids::{ChannelId, IdVec, NodeId};
use fabc::ir::{
    ChannelHops, ChipGroups, CollectiveBound, CollectiveCost, Scene, Schedule, Topology, Transfers,
};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{
    ForestTimetable, PathTimetable, ScheduleRequest, Timetable, arrival_bounds, bound_delays, bounds,
    by_steps, derive_schedule, forest, pair_paths, pull,
};
use fabc::random::Stream;

/// The cost of channels with these latencies in ns.
fn with_hops(
    topology: &Topology,
    cost: CollectiveCost,
    ns: impl Fn(NodeId, NodeId) -> u128,
) -> CollectiveCost {
    let hop = |channel: ChannelId| ns(topology.source(channel).node, topology.target(channel).node) * NS;
    let hops: IdVec<ChannelId, u128> = topology.channels().map(hop).collect();
    CollectiveCost {
        hop: hops.iter().copied().max().unwrap(),
        channel_hops: Some(ChannelHops {
            fastest: hops.iter().copied().min().unwrap(),
            of_images: hops.clone(),
            by_channel: hops,
        }),
        ..cost
    }
}

/// A fast link of 20 ns and a slow one of 200 ns: 0 - 1 = 2.
fn fast_and_slow(topology: &Topology, barrier: bool) -> CollectiveCost {
    with_hops(topology, cost(0, 0, barrier), |from, to| if from.0.max(to.0) == 1 { 20 } else { 200 })
}

#[test]
fn a_fast_and_a_slow_link_by_hand() {
    let topology = path(3);
    let scene = Scene::healthy(&topology);
    let request = ScheduleRequest { chunks: Some(1), ..ScheduleRequest::default() };
    // A shard of 12.5 kB is 1 us. The middle gives its own shard to both ends, and then passes on the others:
    // that of chip 0 leaves at 1,020 (the channel is free at 1,000) and is there at 2,220 ns. That of chip 2
    // is at the middle at 1,200, and at chip 0 at 2,220 ns. With the slow link everywhere it were 2,400.
    let gather = by_steps(&scene, request).unwrap().swap_remove(0);
    let time = |schedule: &Schedule, barrier: bool, bytes: u64| {
        let cost = fast_and_slow(&topology, barrier);
        let table = Timetable::new(&scene, schedule, schedule.rounds().unwrap()).unwrap();
        let time = table.time(&cost, bytes);
        assert_eq!(checked(&scene, schedule, None, &cost, bytes).0, time);
        (time.total() / NS, time.volume / NS)
    };
    assert_eq!(time(&gather, false, 37_500), (2_220, 2_000));
    // Both steps use both links.
    assert_eq!(time(&gather, true, 37_500), (2_400, 2_000));
    // A broadcast from chip 0 uses the fast link in its first step, and the slow one in its second.
    let broadcast = pull(&scene, NodeId(0), request).unwrap();
    assert_eq!(time(&broadcast, false, 12_500), (2_220, 2_000));
    assert_eq!(time(&broadcast, true, 12_500), (2_220, 2_000));
    // From chip 2 the slow one comes first.
    let reduce = derive_schedule(&scene, &broadcast, Collective::Reduce, CollectiveAlgorithm::Pull).unwrap();
    assert_eq!(time(&reduce, true, 12_500), (2_220, 2_000));
}

#[test]
fn a_walk_of_fast_links_is_near() {
    // 0 - 1 - 2 - 3 by fast links of 20 ns, and 0 = 3 by a slow one of 200 ns: chip 3 is one hop from chip 0,
    // and nearer by three.
    let topology = crate::collective::graphs::ring(4);
    let scene = Scene::healthy(&topology);
    let slow = |from: NodeId, to: NodeId| from.0.abs_diff(to.0) == 3;
    let cost = with_hops(&topology, cost(0, 0, false), |from, to| if slow(from, to) { 200 } else { 20 });
    let found = arrival_bounds(&scene, &cost, Collective::AllGather, None, None);
    let delays = bound_delays(&scene, &cost, Collective::AllGather, None, &found);
    let lines: Vec<(u128, usize, u32)> = found
        .iter()
        .zip(&delays)
        .map(|(bound, delay)| match bound {
            CollectiveBound::Arrival { far, channels, .. } => (delay / NS, far.len(), *channels),
            _ => panic!("{bound:?}"),
        })
        .collect();
    // Chip 0 has the others at 20, 40 and 60 ns. What comes after 40 ns is never more than both others.
    assert_eq!(lines, [(20, 3, 2), (60, 1, 2)]);
    assert!(
        matches!(&found[1], CollectiveBound::Arrival { node: NodeId(0), far, .. } if far == &[NodeId(3)])
    );
    // Shards of 25 kB: three of them by two channels are 3 us. Tiny ones take 60 ns.
    let bound =
        |bytes| least_bound(&scene, &found, Collective::AllGather, None, &cost, bytes).unwrap().0 / NS;
    assert_eq!((bound(100_000), bound(4)), (3_020, 60));
}

/// Two boxes of two, 50 GB/s inside and 12.5 GB/s outside. A GPU takes 10 ns, the switch of a box 50 ns, a
/// leaf 300 ns. A cable takes 100 ns inside and 200 ns outside.
fn box_hops(topology: &Topology, cost: CollectiveCost) -> CollectiveCost {
    with_hops(topology, cost, |from, to| {
        let router = [10, 50, 300][(from.0 as usize / 4) + usize::from(from.0 >= 6)];
        router + if from.0.max(to.0) >= 6 { 200 } else { 100 }
    })
}

#[test]
fn boxes_by_hand() {
    let topology = boxes(2, 2, 2, [4, 1]);
    let scene = Scene::healthy(&topology);
    let costs = |overhead, barrier| box_hops(&topology, cost(0, overhead, barrier));
    // In the box 110 + 150 ns, on the rail 210 + 500 ns, and the other one by both: 970 ns.
    let found = arrival_bounds(&scene, &costs(0, false), Collective::AllGather, None, None);
    let delays = bound_delays(&scene, &costs(0, false), Collective::AllGather, None, &found);
    assert_eq!(delays.iter().map(|delay| delay / NS).collect::<Vec<_>>(), [260, 710, 970]);
    let far: Vec<&[NodeId]> = found
        .iter()
        .map(|bound| match bound {
            CollectiveBound::Arrival { node: NodeId(0), far, channels: 5, .. } => &far[..],
            _ => panic!("{bound:?}"),
        })
        .collect();
    assert_eq!(far, [&[NodeId(1), NodeId(2), NodeId(3)][..], &[NodeId(2), NodeId(3)], &[NodeId(3)]]);
    // A barrier adds an overhead to every hop of the longest of them: 970 ns and 4 times 5 ns.
    let delays = bound_delays(&scene, &costs(5, true), Collective::AllGather, None, &found);
    assert!(delays.iter().all(|delay| delay / NS == 990), "{delays:?}");
    // A forest of one part: its root to its own rail and its box, and one of these two on to the last chip.
    let schedule = forest(&scene, None, Some(1), ScheduleRequest::default()).unwrap();
    passes(&scene, &schedule);
    let Transfers::Forest(trees) = &schedule.transfers else { panic!("a forest") };
    let table = ForestTimetable::new(&scene, &schedule, trees);
    let time = table.time(&costs(0, false), 50_000, 1);
    // Two periods of its load, 710 ns on the rail and 260 ns in the box.
    assert_eq!(time.latency / NS, 970);
    assert_eq!(checked(&scene, &schedule, None, &costs(0, false), 50_000).0, time);
    // With barriers both rounds wait for the rail.
    assert_eq!(table.time(&costs(0, true), 50_000, 1).latency / NS, 2 * 710);
}

#[test]
fn a_switch_is_left_at_its_own_latency() {
    // Chips of 10 ns and 100 ns of cable to a switch of 300 ns: 110 ns there, 400 ns back.
    let topology = star(4);
    let scene = Scene::healthy(&topology);
    let costs = with_hops(&topology, cost(0, 0, false), |from, _| if from.0 < 4 { 110 } else { 400 });
    let known = bounds(&scene, Collective::AllToAll, None).unwrap();
    let schedule = pair_paths(&scene, &known, ScheduleRequest::default()).unwrap().swap_remove(0);
    let Transfers::Paths(paths) = &schedule.transfers else { panic!("paths") };
    let time = PathTimetable::new(&scene, &schedule, paths).time(&costs, 50_000, 1);
    assert_eq!((time.volume / NS, time.latency / NS), (3_000, 510));
    assert_eq!(checked(&scene, &schedule, None, &costs, 50_000).0, time);
    for collective in [Collective::AllGather, Collective::ReduceScatter, Collective::AllReduce] {
        let gather = forest(&scene, None, Some(1), ScheduleRequest::default()).unwrap();
        let schedule = Schedule { collective, ..gather };
        let Transfers::Forest(trees) = &schedule.transfers else { panic!("a forest") };
        let time = ForestTimetable::new(&scene, &schedule, trees).time(&costs, 50_000, 1);
        let runs = if collective == Collective::AllReduce { 2 } else { 1 };
        assert_eq!(time.latency / NS, 510 * runs, "{}", collective.name());
        assert_eq!(checked(&scene, &schedule, None, &costs, 50_000).0, time);
    }
}

/// Random latencies of every channel: the checker finds the same times, and no bound is beaten.
#[test]
fn forests_and_paths_take_what_the_checker_finds() {
    let mut stream = Stream::new(45, 1);
    for round in 0..60u64 {
        let topology = switched(&mut stream, 4 + round as usize % 7);
        let scene = Scene::healthy(&topology);
        if scene.endpoints().count() < 2 {
            continue;
        }
        let costs = cost([20, 700][round as usize % 2], [0, 5][round as usize % 3 / 2], round % 4 == 3);
        let costs = unlike(&mut stream, &topology, costs);
        let bytes = 1 + 9_973 * round;
        let root = scene.endpoints().last().unwrap();
        let mut plans = Vec::new();
        for root in [None, Some(root)] {
            let copy = forest(&scene, root, None, ScheduleRequest::default()).unwrap();
            let kinds: &[Collective] = match root {
                None => &[Collective::AllGather, Collective::ReduceScatter, Collective::AllReduce],
                Some(_) => &[Collective::Broadcast, Collective::Reduce],
            };
            plans.extend(kinds.iter().map(|&collective| Schedule { collective, ..copy.clone() }));
        }
        let known = bounds(&scene, Collective::AllToAll, None).unwrap();
        plans.extend(pair_paths(&scene, &known, ScheduleRequest::default()).unwrap());
        for schedule in plans {
            let Schedule { collective, root, .. } = schedule;
            let mut found = bounds(&scene, collective, root).unwrap();
            found.extend(arrival_bounds(&scene, &costs, collective, root, None));
            let pieces = 1 + round as u32 % 5;
            let schedule = Schedule { bounds: found, chunks: pieces, ..schedule };
            passes(&scene, &schedule);
            let time = match &schedule.transfers {
                Transfers::Forest(forest) => {
                    ForestTimetable::new(&scene, &schedule, forest).time(&costs, bytes, pieces)
                }
                Transfers::Paths(paths) => {
                    PathTimetable::new(&scene, &schedule, paths).time(&costs, bytes, pieces)
                }
                _ => panic!("a forest or paths"),
            };
            let name = format!("{round}: {}", collective.name());
            assert_eq!(checked(&scene, &schedule, None, &costs, bytes).0, time, "{name}");
            let chips = scene.endpoints().count() as u64;
            let delays = bound_delays(&scene, &costs, collective, root, &schedule.bounds);
            let least = fabc::passes::collective::tightest_bound(
                &schedule.bounds,
                &delays,
                collective,
                &costs,
                bytes,
                chips,
            );
            assert_eq!(bound_time(&scene, &schedule, &pace(&costs), bytes), least, "{name}");
            assert!(least.unwrap().0 <= time.total(), "{name}");
        }
    }
}

/// The highest bounds of all sets of far chips are those that are found.
#[test]
fn no_set_of_far_chips_bounds_more() {
    let mut stream = Stream::new(46, 1);
    for round in 0..20u64 {
        let topology = random(&mut stream, 7);
        let scene = Scene::healthy(&topology);
        let costs = unlike(&mut stream, &topology, cost(700, 0, false));
        let chips: Vec<NodeId> = scene.endpoints().collect();
        for collective in [Collective::AllGather, Collective::ReduceScatter, Collective::AllReduce] {
            let found = arrival_bounds(&scene, &costs, collective, None, None);
            let mut all = Vec::new();
            for &node in &chips {
                let others: Vec<NodeId> = chips.iter().copied().filter(|&chip| chip != node).collect();
                for set in 1..1u32 << others.len() {
                    let far: Vec<NodeId> = others
                        .iter()
                        .copied()
                        .enumerate()
                        .filter(|(bit, _)| set >> bit & 1 == 1)
                        .map(|(_, chip)| chip)
                        .collect();
                    let shards = match collective {
                        Collective::AllReduce => chips.len(),
                        _ => far.len(),
                    };
                    let channels = topology.channels_from(node).count() as u32;
                    all.push(CollectiveBound::Arrival { node, far, channels, shards: shards as u32 });
                }
            }
            fabc::check::verify_collective_bounds(&scene, collective, None, &all).unwrap();
            for bytes in [1, 10_000, 100_000, 10_000_000] {
                let bound = |bounds: &[CollectiveBound]| {
                    least_bound(&scene, bounds, collective, None, &costs, bytes).unwrap().0
                };
                assert_eq!(bound(&found), bound(&all), "{round}: {} of {bytes}", collective.name());
            }
        }
    }
}

/// Ranks of a job come in any order, and so do the chips of a group.
#[test]
fn groups_in_any_order_have_bounds() {
    let topology = boxes(2, 2, 2, [4, 1]);
    let scene = Scene::healthy(&topology);
    let costs = box_hops(&topology, cost(0, 0, false));
    let groups = ChipGroups::new(vec![vec![NodeId(3), NodeId(2), NodeId(0), NodeId(1)]]);
    for collective in
        [Collective::AllGather, Collective::ReduceScatter, Collective::AllReduce, Collective::AllToAll]
    {
        let found = arrival_bounds(&scene, &costs, collective, None, Some(&groups));
        assert!(!found.is_empty(), "{}", collective.name());
        fabc::check::verify_group_bounds(&scene, collective, &groups, &found).unwrap();
        let delays = bound_delays(&scene, &costs, collective, None, &found);
        assert_eq!(delays.last().unwrap() / NS, 970, "{}", collective.name());
    }
}

#[test]
fn wrong_arrivals_are_convicted() {
    let topology = boxes(2, 2, 2, [4, 1]);
    let scene = Scene::healthy(&topology);
    let arrival = |node: u32, far: &[u32], channels: u32, shards: u32| CollectiveBound::Arrival {
        node: NodeId(node),
        far: far.iter().map(|&chip| NodeId(chip)).collect(),
        channels,
        shards,
    };
    let verdict = |collective: Collective, root: Option<u32>, bound: CollectiveBound| {
        fabc::check::verify_collective_bounds(&scene, collective, root.map(NodeId), &[bound])
            .err()
            .map(|error| error.to_string())
    };
    let gather = |bound| verdict(Collective::AllGather, None, bound);
    assert_eq!(gather(arrival(0, &[1, 3], 5, 2)), None);
    assert_eq!(verdict(Collective::AllReduce, None, arrival(0, &[3], 5, 4)), None);
    assert_eq!(verdict(Collective::Broadcast, Some(3), arrival(0, &[3], 5, 1)), None);
    for (bound, word) in [
        (arrival(0, &[1, 3], 4, 2), "channels"),
        (arrival(0, &[1, 3], 5, 3), "shards"),
        (arrival(4, &[1, 3], 5, 2), "surviving chip"),
        (arrival(99, &[1, 3], 5, 2), "surviving chip"),
        (arrival(0, &[0, 3], 5, 2), "set of surviving chips"),
        (arrival(0, &[3, 1], 5, 2), "set of surviving chips"),
        (arrival(0, &[3, 99], 5, 2), "set of surviving chips"),
        (arrival(0, &[], 5, 0), "set of surviving chips"),
    ] {
        let error = gather(bound.clone()).unwrap_or_else(|| panic!("{bound:?} passes"));
        assert!(error.contains(word), "{bound:?}: {error}");
    }
    let error = verdict(Collective::Broadcast, Some(3), arrival(0, &[2, 3], 5, 1)).unwrap();
    assert!(error.contains("does not bound broadcast"), "{error}");
    let error = verdict(Collective::Reduce, Some(3), arrival(0, &[1], 5, 1)).unwrap();
    assert!(error.contains("does not bound reduce"), "{error}");
}
