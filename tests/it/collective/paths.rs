//! All-to-alls over balanced paths of pairs.

use crate::collective::graphs::{
    boxes, complete, graph, grid, leaf_spine, passes, path, ring, star, switched,
};
use fabc::check::{Pace, schedule_time};
use fabc::ids::{ChannelId, NodeId};
use fabc::ir::{
    CollectiveBound, CollectiveCost, Fraction, PairPaths, Scene, Schedule, Topology, Transfers,
    surviving_scene,
};
use fabc::model::{Collective, Demand};
use fabc::passes::collective::{CollectiveError, PathTimetable, ScheduleRequest, pair_paths};
use fabc::passes::flow;
use fabc::progress::Silent;
use fabc::random::Stream;

fn found_paths(schedule: &Schedule) -> &PairPaths {
    let Transfers::Paths(pair_paths) = &schedule.transfers else { panic!("paths of pairs") };
    pair_paths
}

/// Schedules that the checker accepts, and the bound of the concurrent flow by another method.
fn balanced(scene: &Scene<'_>) -> (Vec<Schedule>, Fraction) {
    let topology = scene.topology;
    let demand = Demand::uniform(topology.endpoints().count())
        .among_endpoints(topology.node_count(), topology.endpoints().collect());
    let settings = flow::FlowSettings::certificate(1);
    let found = flow::concurrent(scene, &demand, flow::StartLengths::Seeds(&[]), settings, &Silent);
    let bound = fabc::passes::collective::flow_bound_by_lengths(scene, &found.dual.lengths);
    let known: Vec<CollectiveBound> = bound.into_iter().collect();
    let schedules = pair_paths(scene, &known, ScheduleRequest::default()).unwrap();
    for schedule in &schedules {
        passes(scene, &Schedule { bounds: [&schedule.bounds[..], &known[..]].concat(), ..schedule.clone() });
    }
    let volumes = schedules[0].bounds.iter().chain(&known).map(CollectiveBound::volume);
    let bound = volumes.max().unwrap();
    (schedules, bound)
}

/// Shards on the busiest channel, per lane.
fn volume(schedule: &Schedule) -> Fraction {
    let pair_paths = found_paths(schedule);
    Fraction::new(pair_paths.load.parts, pair_paths.load.lanes).over(Fraction::integer(pair_paths.parts))
}

/// Shards on the busiest channel of a lane, at the optimum. Boxes of 8 with a network card of 1 lane at every
/// chip pass 8 shards through each. One switch passes what comes to a chip. In a torus of 4 x 4 all pairs
/// together make 512 hops over 64 channels.
#[test]
fn known_fabrics_reach_their_optimum() {
    for (name, topology, [over, under], parts) in [
        ("one switch of 8", star(8), [7u64, 1u64], 1),
        ("2 boxes of 8 at 300 and 25", boxes(2, 8, 2, [12, 1]), [8, 1], 1),
        ("2 boxes of 8 at 450 and 50", boxes(2, 8, 8, [9, 1]), [8, 1], 1),
        ("4 boxes of 8 at 450 and 50", boxes(4, 8, 8, [9, 1]), [24, 1], 1),
        ("leaf-spine 4/2 with 4 hosts", leaf_spine(4, 2, 4), [24, 1], 1),
        ("torus 4 x 4", grid([4, 4], true), [8, 1], 4),
        ("ring of 5", ring(5), [3, 1], 1),
        ("ring of 4", ring(4), [2, 1], 2),
        ("K4", graph(4, &complete(4)), [1, 1], 1),
        ("path of 3", path(3), [2, 1], 1),
    ] {
        let scene = Scene::healthy(&topology);
        let (schedules, bound) = balanced(&scene);
        assert_eq!(bound, Fraction::new(over, under), "{name}");
        let best = schedules.last().unwrap();
        assert_eq!(volume(best), bound, "{name}");
        assert!(found_paths(best).parts <= parts, "{name}: {} parts", found_paths(best).parts);
    }
}

/// The bound comes from another method, so both must be close to the optimum.
#[test]
fn random_fabrics_come_close_to_the_bound() {
    let mut worst = 1.0f64;
    for seed in 0..40 {
        let mut stream = Stream::new(seed, 45);
        let nodes = 4 + stream.below(13);
        let topology = switched(&mut stream, nodes);
        let scene = Scene::healthy(&topology);
        if scene.endpoints().count() < 2 {
            continue;
        }
        let (schedules, bound) = balanced(&scene);
        let ratio = volume(schedules.last().unwrap()).over(bound).as_f64();
        assert!((1.0..=1.006).contains(&ratio), "seed {seed}: {ratio}");
        worst = worst.max(ratio);
        // More parts come closer.
        assert!(schedules.windows(2).all(|pair| volume(&pair[1]) < volume(&pair[0])), "seed {seed}");
    }
    assert!(worst > 1.0, "the bound of some fabric is not exact");
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
        let schedules = pair_paths(&scene, &[], ScheduleRequest::default()).unwrap();
        schedules.iter().for_each(|schedule| passes(&scene, schedule));
    }
    let mut scene = Scene::healthy(&topology);
    for link in topology.links().ids().step_by(7) {
        scene.lit[link] = false;
    }
    let healthy = pair_paths(&Scene::healthy(&topology), &[], ScheduleRequest::default()).unwrap();
    let schedules = pair_paths(&scene, &[], ScheduleRequest::default()).unwrap();
    passes(&scene, &schedules[0]);
    assert!(volume(&schedules[0]) > volume(&healthy[0]));
    let error = fabc::check::verify_schedule(&scene, &healthy[0]).unwrap_err().to_string();
    assert!(error.contains("which is dark"), "{error}");
}

const NS: u128 = 1_000_000_000;

/// 12.5 GB/s on a lane. A hop of 100 ns, a message of so many ns.
fn cost(overhead: u128, barrier: bool) -> CollectiveCost {
    CollectiveCost {
        hop: 100 * NS,
        channel_hops: None,
        hop_cycles: 100,
        slowest_link: "wire".to_owned(),
        overhead: overhead * NS,
        bandwidth_bps: 100_000_000_000,
        lanes: 1,
        flit_bytes: 64,
        barrier,
    }
}

/// The time in ns for so many pieces, which the checker counts as well.
fn time(scene: &Scene<'_>, schedule: &Schedule, cost: &CollectiveCost, bytes: u64, pieces: u32) -> u128 {
    let table = PathTimetable::new(scene, schedule, found_paths(schedule));
    let time = table.time(cost, bytes, pieces);
    let CollectiveCost { hop, overhead, bandwidth_bps, barrier, .. } = *cost;
    let pace = Pace { hop, hops: None, overhead, bandwidth_bps, barrier };
    let schedule = Schedule { chunks: pieces, ..schedule.clone() };
    let checked = schedule_time(scene, None, &schedule, &pace, bytes).unwrap();
    assert_eq!(checked.spent.total(), time.total());
    assert_eq!(
        (checked.spent.volume, checked.spent.latency, checked.spent.overhead),
        (time.volume, time.latency, time.overhead)
    );
    assert_eq!((checked.steps, checked.volume), (table.steps(pieces), table.volume(pieces)));
    assert_eq!(time.total(), table.total_time(cost, bytes, pieces));
    time.total().div_ceil(NS)
}

#[test]
fn times_by_hand() {
    // One switch of 4: 3 shards of 12,500 B come to a chip in 3 us, over two hops. A message has an overhead,
    // and there are 3 of them on a channel.
    let topology = star(4);
    let scene = Scene::healthy(&topology);
    let schedule = balanced(&scene).0.pop().unwrap();
    assert_eq!(time(&scene, &schedule, &cost(0, false), 50_000, 1), 3_200);
    assert_eq!(time(&scene, &schedule, &cost(0, false), 50_000, 10), 3_200);
    assert_eq!(time(&scene, &schedule, &cost(50, false), 50_000, 1), 3_350);
    // In 3 rounds of a third of the data. The paths have two channels and one leg.
    assert_eq!(time(&scene, &schedule, &cost(50, true), 60_000, 3), 3 * (1_200 + 3 * 50 + 200 + 50));
    // A path of 3 with 10,000 B for each pair: 2 messages of 800 ns cross each channel. What goes from end to
    // end crosses two of them, one after the other, and then further pieces follow.
    let topology = path(3);
    let scene = Scene::healthy(&topology);
    let schedule = balanced(&scene).0.pop().unwrap();
    assert_eq!(time(&scene, &schedule, &cost(0, false), 30_000, 1), 2 * (1_600 + 100));
    assert_eq!(time(&scene, &schedule, &cost(0, false), 30_000, 2), 2 * (800 + 100) + 800);
    assert_eq!(time(&scene, &schedule, &cost(0, false), 30_000, 4), 2 * (400 + 100) + 3 * 400);
    assert_eq!(time(&scene, &schedule, &cost(30, true), 30_000, 2), 3 * (800 + 60 + 100));
}

/// A leg over wide channels takes no longer than they do: 2 boxes of 2 chips at one rail each, 4 lanes
/// inside.
#[test]
fn wide_legs_are_short() {
    let topology = boxes(2, 2, 1, [4, 1]);
    let scene = Scene::healthy(&topology);
    let schedule = balanced(&scene).0.pop().unwrap();
    // Each card sends the shards of its chip to the other box, 2 of 12,500 B, straight over the one rail.
    assert_eq!(time(&scene, &schedule, &cost(0, false), 50_000, 1), 2_200);
    let topology = boxes(2, 2, 2, [4, 1]);
    let scene = Scene::healthy(&topology);
    let schedule = balanced(&scene).0.pop().unwrap();
    // Two rails. The shard for the other number goes inside one box, together with that of its neighbor: 2
    // shards on 4 lanes, 0.5 us. Then or before it takes 2 us on its rail.
    assert_eq!(time(&scene, &schedule, &cost(0, false), 50_000, 1), 2_200 + 500 + 200);
}

#[test]
fn what_cannot_be_balanced() {
    let refuse = |topology: &Topology| {
        pair_paths(&Scene::healthy(topology), &[], ScheduleRequest::default()).unwrap_err()
    };
    assert!(matches!(refuse(&star(1)), CollectiveError::TooFew { chips: 1 }));
    assert!(matches!(refuse(&star(257)), CollectiveError::PathsTooLarge { chips: 257, most: 256 }));
    let apart = graph(4, &[[0, 1], [2, 3]]);
    assert!(matches!(refuse(&apart), CollectiveError::Disconnected { .. }));
}

/// A schedule after one change, and the words by which the checker convicts it.
fn tampered(schedule: &Schedule, kind: usize) -> Option<(Schedule, &'static str)> {
    let mut changed = schedule.clone();
    let Transfers::Paths(pair_paths) = &mut changed.transfers else { panic!("paths of pairs") };
    let relayed = pair_paths.paths.iter().position(|path| path.legs.len() == 2).unwrap();
    let words = match kind {
        // A send that was dropped.
        0 => {
            pair_paths.paths.pop();
            "carry 0 of"
        }
        // A send that was doubled.
        1 => {
            pair_paths.paths.push(pair_paths.paths[0].clone());
            "of 1 parts"
        }
        // A chip sends on before the data came.
        2 => {
            pair_paths.paths[relayed].legs.reverse();
            "but the data is at"
        }
        3 => {
            pair_paths.paths[relayed].legs.remove(0);
            "but the data is at"
        }
        4 => {
            pair_paths.paths[relayed].legs.pop();
            "instead of"
        }
        // A chip forwards.
        5 => {
            let second = pair_paths.paths[relayed].legs.remove(1);
            pair_paths.paths[relayed].legs[0].extend(second);
            "does not only forward"
        }
        // A switch stores.
        6 => {
            let leg = pair_paths.paths[0].legs[0].clone();
            pair_paths.paths[0].legs = leg.into_iter().map(|channel| vec![channel]).collect();
            "not at another surviving chip"
        }
        7 => {
            pair_paths.paths[0].legs.push(Vec::new());
            "not at another surviving chip"
        }
        8 => {
            pair_paths.paths[0].legs.clear();
            "instead of"
        }
        9 => {
            pair_paths.paths[0].legs[0][0] = ChannelId(9999);
            "does not exist"
        }
        10 => {
            pair_paths.paths[0].destination = pair_paths.paths[0].source;
            "between two surviving chips"
        }
        11 => {
            pair_paths.paths[0].destination = NodeId(8);
            "between two surviving chips"
        }
        12 => {
            pair_paths.paths[0].amount = 0;
            "between two surviving chips"
        }
        13 => {
            pair_paths.paths[0].amount += 1;
            "of 1 parts"
        }
        14 => {
            pair_paths.parts += 1;
            "of 2 parts"
        }
        _ => return tampered_whole(changed, kind),
    };
    Some((changed, words))
}

/// The same for changes of what all paths have together.
fn tampered_whole(mut changed: Schedule, kind: usize) -> Option<(Schedule, &'static str)> {
    let Transfers::Paths(pair_paths) = &mut changed.transfers else { panic!("paths of pairs") };
    let words = match kind {
        // A load that is not the one of the busiest channel.
        15 => {
            pair_paths.load.parts *= 2;
            "the busiest channel carries"
        }
        16 => {
            pair_paths.load.lanes += 1;
            "the busiest channel carries"
        }
        // A channel that carries twice as much as is claimed.
        17 => {
            let [source, destination] = [pair_paths.paths[0].source, pair_paths.paths[0].destination];
            let through = pair_paths.paths.iter().find(|path| path.source == source && path.legs.len() == 2);
            let through = through.unwrap().clone();
            let back = pair_paths
                .paths
                .iter()
                .find(|path| path.source == through.destination && path.destination == destination)
                .unwrap();
            let legs = [&through.legs[..], &back.legs[..]].concat();
            pair_paths.paths[0].legs = legs;
            "the busiest channel carries"
        }
        18 => {
            changed.collective = Collective::AllGather;
            "cannot perform"
        }
        // Bounds that do not follow.
        19 => {
            let Some(CollectiveBound::Flow { distance, .. }) = changed.bounds.first_mut() else { panic!() };
            *distance += 1;
            "but its witness gives"
        }
        20 => {
            let Some(CollectiveBound::Cut { shards, .. }) = changed.bounds.get_mut(1) else { panic!() };
            *shards += 1;
            "but its witness gives"
        }
        _ => return None,
    };
    Some((changed, words))
}

#[test]
fn every_change_is_convicted() {
    let topology = boxes(2, 4, 2, [12, 1]);
    let scene = Scene::healthy(&topology);
    let schedule = balanced(&scene).0.pop().unwrap();
    let mut kinds = 0;
    while let Some((changed, words)) = tampered(&schedule, kinds) {
        let error = fabc::check::verify_schedule(&scene, &changed).unwrap_err().to_string();
        assert!(error.contains(words), "kind {kinds}: {error}");
        kinds += 1;
    }
    assert_eq!(kinds, 21);
}

#[test]
fn any_number_of_threads_balances_the_same() {
    let topology = boxes(2, 8, 2, [12, 1]);
    let balanced_with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| pair_paths(&Scene::healthy(&topology), &[], ScheduleRequest::default()).unwrap())
    };
    assert!(balanced_with(1) == balanced_with(16));
}
