//! Schedules on random connected graphs with parallel links.

use crate::collective::graphs::{passes, random, size};
use fabc::ir::{CollectiveBound, Fraction, Scene, Schedule, surviving_scene};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{ScheduleRequest, by_slots, by_steps, derive_schedule, multitree, pull};
use fabc::random::Stream;

/// (Least slots by volume, diameter).
fn lower_bounds(schedule: &Schedule, chunks: u32) -> (u64, u64) {
    let volume = schedule.bounds[0].volume().times(Fraction::integer(chunks)).ceil() as u64;
    let hops = schedule.bounds.iter().map(CollectiveBound::hops).max().unwrap_or(0);
    (volume, u64::from(hops))
}

#[test]
fn small_ones_are_optimal_but_for_a_few() {
    let mut stream = Stream::new(1, 1);
    let mut over = [0usize; 3];
    let mut exact = 0;
    for _ in 0..150 {
        let topology = random(&mut stream, 10);
        let scene = Scene::healthy(&topology);
        for chunks in [1, 2] {
            let request = ScheduleRequest { chunks: Some(chunks), ..ScheduleRequest::default() };
            let slots = by_slots(&scene, request).unwrap();
            passes(&scene, &slots);
            let (volume, diameter) = lower_bounds(&slots, chunks);
            over[((size(&slots).1 - volume.max(diameter)) as usize).min(2)] += 1;
            passes(
                &scene,
                &derive_schedule(&scene, &slots, Collective::ReduceScatter, CollectiveAlgorithm::Slots)
                    .unwrap(),
            );
            let steps = by_steps(&scene, request).unwrap();
            for schedule in &steps {
                passes(&scene, schedule);
                assert!(size(schedule).0 as u64 >= diameter && size(schedule).1 >= volume);
            }
            exact += usize::from(
                chunks == 1 && steps.iter().any(|schedule| size(schedule).1 == volume.max(diameter)),
            );
        }
    }
    println!("slots above the bounds: {over:?} of 300; steps with that volume: {exact} of 150");
    assert!(over[0] >= 280 && over[2] <= 5, "{over:?}");
    assert!(exact >= 130, "{exact}");
}

#[test]
fn larger_ones_pass_with_latency_and_with_roots() {
    let mut stream = Stream::new(2, 1);
    for round in 0..20 {
        let topology = random(&mut stream, 40);
        let scene = Scene::healthy(&topology);
        let request =
            ScheduleRequest { chunks: Some(1 + round % 4), seed: u64::from(round), latency: round % 3 };
        let slots = by_slots(&scene, request).unwrap();
        passes(&scene, &slots);
        passes(
            &scene,
            &derive_schedule(&scene, &slots, Collective::AllReduce, CollectiveAlgorithm::GatherReduce)
                .unwrap(),
        );
        let root = topology.nodes().nth(stream.below(topology.node_count())).unwrap();
        let broadcast = pull(&scene, root, request).unwrap();
        passes(&scene, &broadcast);
        passes(
            &scene,
            &derive_schedule(&scene, &broadcast, Collective::Reduce, CollectiveAlgorithm::Pull).unwrap(),
        );
        passes(&scene, &multitree(&scene, request).unwrap());
    }
}

#[test]
fn dead_chips_and_dark_links_are_left_out() {
    use fabc::ir::ScenarioFault;
    let mut stream = Stream::new(3, 1);
    let mut planned = 0;
    for _ in 0..40 {
        let topology = random(&mut stream, 16);
        let dead = topology.nodes().nth(stream.below(topology.node_count())).unwrap();
        let dark = topology.links().ids().nth(stream.below(topology.links().len())).unwrap();
        for fault in [ScenarioFault::Router(dead), ScenarioFault::Link(dark)] {
            let scene = surviving_scene(&fault, &topology, None);
            if let (Ok(slots), Ok(steps)) =
                (by_slots(&scene, ScheduleRequest::default()), by_steps(&scene, ScheduleRequest::default()))
            {
                passes(&scene, &slots);
                passes(&scene, &steps[0]);
                passes(
                    &scene,
                    &derive_schedule(
                        &scene,
                        &slots,
                        Collective::AllReduce,
                        CollectiveAlgorithm::GatherReduce,
                    )
                    .unwrap(),
                );
                planned += 1;
                // A schedule with the link or the chip is an error without it.
                let schedule = by_slots(&Scene::healthy(&topology), ScheduleRequest::default()).unwrap();
                assert!(fabc::check::verify_schedule(&scene, &schedule).is_err());
            }
        }
    }
    assert!(planned > 20, "{planned}");
}
