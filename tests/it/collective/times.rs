//! How long rounds, trees and messages take, by the compiler and by the checker.

mod trees;

use crate::collective::direct::shortest;
use crate::collective::graphs::{complete, graph, passes, path, random, ring, uneven};
use fabc::check::{HopTimes, Pace, ScheduleTime, bound_time, schedule_time};
use fabc::compile::collectives::{CollectivesRequest, ScenarioCollectives};
use fabc::ids::{ChannelId, Id, IdVec, NodeId};
use fabc::ir::{
    ChannelHops, CollectiveBound, CollectiveCost, CollectiveTime, ForwardingTables, Fraction, Scenario,
    Scene, Schedule, SharedTrees, Topology, Transfers, surviving_scene,
};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{
    MessageTimetable, ScheduleRequest, Timetable, arrival_bounds, bound_delays, bounds, by_slots, by_steps,
    derive_schedule, direct, flow_bound_by_lengths, multitree, pull, tightest_bound, trees,
};
use fabc::random::Stream;

pub(super) const NS: u128 = 1_000_000_000;

/// 12.5 GB/s. A hop of so many ns, a message of so many ns.
pub(super) fn cost(hop: u128, overhead: u128, barrier: bool) -> CollectiveCost {
    CollectiveCost {
        hop: hop * NS,
        channel_hops: None,
        hop_cycles: hop as u64,
        slowest_link: "wire".to_owned(),
        overhead: overhead * NS,
        bandwidth_bps: 100_000_000_000,
        lanes: 1,
        flit_bytes: 64,
        barrier,
    }
}

/// The same with a latency of its own for every channel, none longer than it was.
pub(super) fn unlike(stream: &mut Stream, topology: &Topology, cost: CollectiveCost) -> CollectiveCost {
    let hop_times: IdVec<ChannelId, u128> =
        topology.channels().map(|_| cost.hop * (1 + stream.below(10) as u128) / 10).collect();
    let hop = hop_times.iter().copied().max().unwrap();
    let least_hop = hop_times.iter().copied().min().unwrap();
    CollectiveCost {
        hop,
        channel_hops: Some(ChannelHops {
            of_images: hop_times.clone(),
            by_channel: hop_times,
            fastest: least_hop,
        }),
        ..cost
    }
}

fn shared(schedule: &Schedule) -> &SharedTrees {
    let Transfers::Trees(shared) = &schedule.transfers else { panic!("trees") };
    shared
}

fn by_trees(topology: &Topology, capacity: Option<u32>) -> Schedule {
    trees(&Scene::healthy(topology), ScheduleRequest { chunks: capacity, ..ScheduleRequest::default() })
        .unwrap()
}

/// The same costs as the checker has them.
pub(super) fn pace(cost: &CollectiveCost) -> Pace {
    let CollectiveCost { hop, overhead, bandwidth_bps, barrier, .. } = *cost;
    let times = |hops: &ChannelHops| HopTimes {
        exact: hops.by_channel.iter().copied().collect(),
        slowest: hops.of_images.iter().copied().collect(),
    };
    Pace { hop, hops: cost.channel_hops.as_ref().map(times), overhead, bandwidth_bps, barrier }
}

/// The largest lower bound on the time of every schedule, and its witness.
pub(super) fn least_bound<'a>(
    scene: &Scene<'_>,
    bounds: &'a [CollectiveBound],
    collective: Collective,
    root: Option<NodeId>,
    cost: &CollectiveCost,
    bytes: u64,
) -> Option<(u128, &'a CollectiveBound)> {
    let delays = bound_delays(scene, cost, collective, root, bounds);
    tightest_bound(bounds, &delays, collective, cost, bytes, scene.topology.node_count() as u64)
}

/// The time by the code of the checker.
pub(super) fn checked(
    scene: &Scene<'_>,
    schedule: &Schedule,
    tables: Option<&ForwardingTables>,
    cost: &CollectiveCost,
    bytes: u64,
) -> (CollectiveTime, [u64; 2]) {
    let ScheduleTime { spent, steps, volume } =
        schedule_time(scene, tables, schedule, &pace(cost), bytes).unwrap();
    (
        CollectiveTime { volume: spent.volume, latency: spent.latency, overhead: spent.overhead },
        [steps, volume],
    )
}

/// A random graph. Of every other one links are of several lanes.
fn every_other(stream: &mut Stream, round: u64, most: usize) -> Topology {
    let topology = random(stream, most);
    if round % 2 == 1 { uneven(stream, topology) } else { topology }
}

#[test]
fn messages_by_hand() {
    for (name, topology, bytes, chunks, latency, [total, volume]) in [
        // One slot of 2 us for each of 25 kB.
        ("K4", graph(4, &complete(4)), 100_000, 1, 0, [2_020, 2_000]),
        // 50 kB are 4 us. The middle has its own chunk for each end, and relays: it came a hop late.
        ("path of 3", path(3), 150_000, 1, 0, [8_040, 8_000]),
        // In halves the first half is there while the middle still sends its own: 2 x 4 us and a hop.
        ("path of 3", path(3), 150_000, 2, 1, [8_020, 8_000]),
        // 20 kB are 1.6 us. Three shards a channel. With a slot of latency the relayed one comes last.
        ("ring of 5", ring(5), 100_000, 1, 1, [4_820, 4_800]),
    ] {
        let (scene, tables) = (Scene::healthy(&topology), shortest(&topology));
        let schedule = direct(
            &scene,
            &tables,
            ScheduleRequest { chunks: Some(chunks), latency, ..ScheduleRequest::default() },
        )
        .unwrap();
        crate::collective::direct::passes(&scene, &tables, &schedule);
        let Transfers::Sends(sends) = &schedule.transfers else { panic!("messages") };
        let sent = MessageTimetable::new(&scene, &tables, &schedule, sends).unwrap();
        let time = sent.time(&cost(20, 0, false), bytes);
        assert_eq!([time.total(), time.volume], [total * NS, volume * NS], "{name}");
        // Barriers end every slot.
        let slots = u128::from(sent.slots());
        let chunk = cost(20, 0, true).transfer_time(bytes, topology.node_count() as u64 * u64::from(chunks));
        assert_eq!(sent.time(&cost(20, 7, true), bytes).total(), slots * (chunk + 27 * NS), "{name}");
    }
}

#[test]
fn messages_keep_to_their_bounds_and_slots() {
    let mut stream = Stream::new(42, 1);
    for round in 0..80u64 {
        // However many hosts its routers have, each is one chip.
        let topology = every_other(&mut stream, round, 16);
        let hosts = vec![1 + round as u16 % 3; topology.node_count()];
        let topology = topology.with_hosts(hosts);
        let (scene, tables) = (Scene::healthy(&topology), shortest(&topology));
        let (chunks, latency) = (1 + round as u32 % 3, round as u32 % 4);
        let schedule = direct(
            &scene,
            &tables,
            ScheduleRequest { chunks: Some(chunks), latency, ..ScheduleRequest::default() },
        )
        .unwrap();
        let Transfers::Sends(sends) = &schedule.transfers else { panic!("messages") };
        let sent = MessageTimetable::new(&scene, &tables, &schedule, sends).unwrap();
        let mut found_bounds = bounds(&scene, Collective::AllToAll, None).unwrap();
        // Any lengths bound it.
        let classes = topology.class_count(topology.symmetry());
        let lit: Vec<u64> = (0..classes).map(|class| u64::from(is_channel(&topology, class))).collect();
        let lengths: Vec<u64> = lit.iter().map(|lit| lit * (1 + stream.below(5) as u64)).collect();
        found_bounds.extend(flow_bound_by_lengths(&scene, &lengths));
        fabc::check::verify_collective_bounds(&scene, Collective::AllToAll, None, &found_bounds).unwrap();
        assert_eq!(
            flow_bound_by_lengths(&scene, &lit).as_ref(),
            found_bounds.first(),
            "lengths of one count hops"
        );
        for (hop, overhead) in [(0, 0), (20, 0), (300, 40)] {
            let (bytes, nodes) = (10_000 + 333 * round, topology.node_count() as u64);
            for barrier in [false, true] {
                let cost = cost(hop, overhead, barrier);
                let cost = if round % 4 < 2 { unlike(&mut stream, &topology, cost) } else { cost };
                let mut found_bounds = found_bounds.clone();
                found_bounds.extend(arrival_bounds(&scene, &cost, Collective::AllToAll, None, None));
                let time = sent.time(&cost, bytes);
                assert_eq!(
                    checked(&scene, &schedule, Some(&tables), &cost, bytes),
                    (time, [sent.slots(); 2])
                );
                let time = time.total();
                let (least, which) =
                    least_bound(&scene, &found_bounds, Collective::AllToAll, None, &cost, bytes).unwrap();
                assert!(least <= time, "{which:?}");
                assert!(which.is_universal());
                // Where a hop is no longer than the slots that it was planned for, slots are kept.
                let message = cost.transfer_time(bytes, nodes * u64::from(chunks)) + cost.overhead;
                let even = topology.capacities().are_equal() || overhead == 0;
                if !barrier && even && cost.hop <= message * u128::from(latency) {
                    // Lanes round up.
                    assert!(time <= (message + 3) * u128::from(sent.slots()) + cost.hop);
                }
            }
        }
    }
}

fn is_channel(topology: &Topology, class: usize) -> bool {
    topology.channels().any(|channel| topology.channel_class(topology.symmetry(), channel).index() == class)
}

#[test]
fn what_the_tables_load_is_no_bound_of_all() {
    let topology = ring(4);
    let (scene, tables) = (Scene::healthy(&topology), shortest(&topology));
    let schedule = direct(&scene, &tables, ScheduleRequest::default()).unwrap();
    let load = schedule.bounds.iter().find(|bound| !bound.is_universal()).unwrap();
    // Both ways of two hops between opposite chips are as short. Tables choose one, and 2 shards a channel
    // are the least that all of them together take.
    assert!(load.volume() >= Fraction::integer(2u8), "{load:?}");
    let least_of =
        |bounds| least_bound(&scene, bounds, Collective::AllToAll, None, &cost(20, 0, false), 100_000);
    let (least, which) = least_of(&schedule.bounds).unwrap();
    assert!(which.is_universal() && least < load.volume().ceil() * 2_000 * NS, "{which:?}");
    let alone: Vec<_> = schedule.bounds.iter().filter(|bound| !bound.is_universal()).cloned().collect();
    assert!(least_of(&alone).is_none());
}

#[test]
fn what_is_written_has_the_bound_that_is_printed() {
    let compiled = crate::collective::pods::built("small_cubes");
    let mut stream = Stream::new(43, 1);
    for _ in 0..6 {
        let topology = random(&mut stream, 9);
        let scene = Scene::healthy(&topology);
        for size in [1 << 10, 1 << 20] {
            let request = collectives_request(Collective::AllReduce, size);
            let mut planned = ScenarioCollectives::new(&compiled.fabric, &scene, &request);
            let row = planned.rows("").unwrap().remove(0);
            let schedule = planned.schedule(Collective::AllReduce, size).unwrap();
            let (bound, witness) =
                least_bound(&scene, &schedule.bounds, Collective::AllReduce, None, planned.cost(), size)
                    .unwrap();
            assert_eq!((bound, witness), (row.bound, &row.witness));
        }
    }
}

fn collectives_request(collective: Collective, size: u64) -> CollectivesRequest {
    CollectivesRequest {
        collectives: vec![collective],
        sizes: vec![size],
        algorithm: None,
        chunks: None,
        root: None,
        groups: None,
        overhead_ps: 0,
        barrier: false,
        seed: 1,
    }
}

#[test]
fn a_dark_switch_costs_an_all_reduce_next_to_nothing() {
    let compiled = crate::collective::pods::built("pod_128");
    let dark = Scenario::of_ocses(&compiled.fabric, 1)
        .into_iter()
        .find(|scenario| scenario.name == "X[0,0]")
        .unwrap();
    let cross_connects = compiled.pod.as_ref().map(|pod| &pod.cross_connects);
    let next_request = collectives_request(Collective::AllReduce, 1 << 30);
    let rows_of = |scene: &Scene<'_>| {
        ScenarioCollectives::new(&compiled.fabric, scene, &next_request).rows("").unwrap().remove(0)
    };
    let healthy = rows_of(&Scene::healthy(&compiled.topology));
    let us = NS * 1000;
    assert_eq!(healthy.best().algorithm, CollectiveAlgorithm::GatherReduce);
    assert!(healthy.best().time.total() <= 2776 * us, "{healthy:?}");
    let row = rows_of(&surviving_scene(&dark.fault, &compiled.topology, cross_connects));
    assert_eq!(row.best().algorithm, CollectiveAlgorithm::Trees);
    // The lower bound is 2.7889 ms. Reduce-scatter and all-gather wait for chips with five links.
    assert!(row.bound >= 2788 * us && row.best().time.total() <= 2810 * us, "{row:?}");
    let gathers = row
        .candidates
        .iter()
        .find(|candidate| candidate.algorithm == CollectiveAlgorithm::GatherReduce)
        .unwrap();
    assert!(gathers.time.total() >= 3300 * us, "{row:?}");
    // Messages cannot be planned without tables.
    let request = CollectivesRequest {
        collectives: vec![Collective::AllToAll],
        algorithm: Some(CollectiveAlgorithm::Direct),
        ..next_request.clone()
    };
    let scene = Scene::healthy(&compiled.topology);
    let error = ScenarioCollectives::new(&compiled.fabric, &scene, &request).rows("").unwrap_err();
    assert!(error.to_string().contains("messages follow forwarding tables, but there are none"), "{error}");
    // With them it meets their load: 72 shards of 64 ns, and a hop.
    let (tables, request) = (
        crate::collective::pods::tables(&compiled, 0),
        CollectivesRequest { sizes: vec![1 << 20], ..request },
    );
    let row = ScenarioCollectives::new(&compiled.fabric, &scene, &request)
        .along(Some(&tables), &compiled.flow.dual.lengths)
        .rows("")
        .unwrap()
        .remove(0);
    assert_eq!(row.best().time.volume, 72 * 64 * NS);
    assert!(row.best().time.total() <= 4700 * NS && row.bound >= 4592 * NS && row.along.is_some(), "{row:?}");
}

/// The timetable of the compiler takes rounds as they come. The checker looks for longest paths.
#[test]
fn rounds_take_what_the_checker_finds() {
    let mut stream = Stream::new(43, 1);
    for round in 0..60u64 {
        let topology = every_other(&mut stream, round, 12);
        let scene = Scene::healthy(&topology);
        let request = |latency| ScheduleRequest {
            chunks: Some(1 + round as u32 % 3),
            latency,
            ..ScheduleRequest::default()
        };
        let root = NodeId(round as u32 % topology.node_count() as u32);
        let mut plans: Vec<(Schedule, Collective, CollectiveAlgorithm)> = Vec::new();
        for (copy, algorithm) in [
            (by_steps(&scene, request(0)).unwrap().swap_remove(0), CollectiveAlgorithm::Steps),
            (by_slots(&scene, request(round as u32 % 4)).unwrap(), CollectiveAlgorithm::Slots),
            (
                multitree(&scene, ScheduleRequest { chunks: Some(1), ..request(0) }).unwrap(),
                CollectiveAlgorithm::MultiTree,
            ),
        ] {
            for collective in [Collective::AllGather, Collective::ReduceScatter] {
                plans.push((copy.clone(), collective, algorithm));
            }
            plans.push((copy.clone(), Collective::AllReduce, CollectiveAlgorithm::GatherReduce));
            plans.push((copy, Collective::AllReduce, CollectiveAlgorithm::Local));
        }
        let copy = pull(&scene, root, request(round as u32 % 3)).unwrap();
        plans.extend(
            [Collective::Broadcast, Collective::Reduce]
                .map(|collective| (copy.clone(), collective, CollectiveAlgorithm::Pull)),
        );
        for (copy, collective, algorithm) in plans {
            let schedule = derive_schedule(&scene, &copy, collective, algorithm).unwrap();
            let rounds = schedule.rounds().unwrap();
            let table = Timetable::new(&scene, &schedule, rounds).unwrap();
            for barrier in [false, true] {
                let cost = cost([0, 20, 700][round as usize % 3], [0, 5][round as usize % 2], barrier);
                let cost = if round % 4 < 2 { unlike(&mut stream, &topology, cost) } else { cost };
                let mut schedule = schedule.clone();
                schedule.bounds.extend(arrival_bounds(&scene, &cost, collective, schedule.root, None));
                passes(&scene, &schedule);
                let bytes = 1 + 9_973 * round;
                let measured_times = checked(&scene, &schedule, None, &cost, bytes);
                let name = format!("{round}: {} by {}, {barrier}", collective.name(), algorithm.name());
                assert_eq!(
                    measured_times,
                    (table.time(&cost, bytes), [rounds.steps() as u64, rounds.volume()]),
                    "{name}"
                );
                let found_least =
                    least_bound(&scene, &schedule.bounds, collective, schedule.root, &cost, bytes);
                assert_eq!(bound_time(&scene, &schedule, &pace(&cost), bytes), found_least, "{name}");
                assert!(found_least.unwrap().0 <= measured_times.0.total(), "{name}");
            }
        }
    }
}
