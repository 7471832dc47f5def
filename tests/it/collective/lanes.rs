//! Links that carry unlike: a channel of several lanes is as good as that many channels.

use crate::collective::direct::shortest;
use crate::collective::graphs::{graph, laned, lanes, passes, path, random, ring, size, uneven};
use fabc::check;
use fabc::ir::{CollectiveBound, Fraction, Scene, Topology, Transfers};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{
    ScheduleRequest, bounds, by_slots, by_steps, derive_schedule, direct, multitree, pull, trees,
};
use fabc::random::Stream;

/// A link for each lane.
fn parallel(topology: &Topology) -> Topology {
    let link_ends = topology.links().enumerate().flat_map(|(id, link)| {
        let times = topology.capacity(id) as usize;
        std::iter::repeat_n([link.a.node.0, link.b.node.0], times)
    });
    graph(topology.node_count() as u32, &link_ends.collect::<Vec<_>>())
}

fn schedule_request(chunks: u32) -> ScheduleRequest {
    ScheduleRequest { chunks: Some(chunks), ..ScheduleRequest::default() }
}

#[test]
fn small_graphs_by_hand() {
    // Two chips by links of one, two and three lanes: six chunks of a shard in one slot.
    let pair = laned(graph(2, &[[0, 1]; 3]), &[1, 2, 3]);
    let scene = Scene::healthy(&pair);
    let slots = by_slots(&scene, schedule_request(6)).unwrap();
    passes(&scene, &slots);
    assert_eq!(size(&slots), (1, 1));
    assert_eq!(slots.bounds[0].volume(), Fraction::new(1u32, 6u32));
    let carried: Vec<usize> =
        slots.rounds().unwrap().rounds[0].pulls.iter().map(|pull| pull.chunks.len()).collect();
    assert_eq!(carried, [1, 1, 2, 2, 3, 3]);
    assert_eq!(size(&by_steps(&scene, schedule_request(12)).unwrap()[0]), (1, 2));

    // A ring of four, two links of which are twice as wide: every chip has three lanes in, and the bound is a
    // shard a lane. With one chunk a shard the two wide links bring two of three in the first slot.
    let wide = laned(ring(4), &[1, 2, 2, 1]);
    let scene = Scene::healthy(&wide);
    let found_bounds = bounds(&scene, Collective::AllGather, None).unwrap();
    let least_wide = wide
        .nodes()
        .map(|node| scene.channels_into(node).map(|channel| wide.channel_capacity(channel)).sum::<u64>())
        .min();
    assert_eq!(found_bounds[0].volume(), Fraction::new(3u64, least_wide.unwrap()));

    // Six lanes join four chips: two trees fill them.
    let schedule = trees(&scene, ScheduleRequest::default()).unwrap();
    passes(&scene, &schedule);
    let Transfers::Trees(shared) = &schedule.transfers else { panic!("trees") };
    assert_eq!(
        (shared.rate(), schedule.bounds[0].volume()),
        (Fraction::integer(2u32), Fraction::new(1u32, 2u32))
    );

    // A message over a path takes as long as its narrow link needs.
    let path = laned(path(3), &[3, 1]);
    let (scene, tables) = (Scene::healthy(&path), shortest(&path));
    let schedule = direct(&scene, &tables, ScheduleRequest::default()).unwrap();
    check::verify_message_schedule(&scene, &tables, &schedule).unwrap();
    let CollectiveBound::Channel { shards, lanes, .. } = schedule.bounds[0] else {
        panic!("{:?}", schedule.bounds)
    };
    assert_eq!((shards, lanes), (2, 1));
    let Transfers::Sends(sends) = &schedule.transfers else { panic!("messages") };
    assert_eq!(sends.slots(), 2);
}

#[test]
fn lanes_are_as_good_as_links() {
    let mut stream = Stream::new(91, 1);
    for round in 0..24u32 {
        let topology = random(&mut stream, 10);
        let topology = uneven(&mut stream, topology);
        let links = parallel(&topology);
        let (scene, parted) = (Scene::healthy(&topology), Scene::healthy(&links));
        let root = topology.nodes().nth(stream.below(topology.node_count())).unwrap();
        for collective in Collective::ALL {
            let root = Some(root).filter(|_| collective.is_rooted());
            let bounds_of = |scene: &Scene<'_>| -> Vec<(Fraction, u32)> {
                let found_bounds = bounds(scene, collective, root).unwrap();
                check::verify_collective_bounds(scene, collective, root, &found_bounds).unwrap();
                found_bounds.iter().map(|bound| (bound.volume(), bound.hops())).collect()
            };
            assert_eq!(bounds_of(&scene), bounds_of(&parted), "{collective:?} of {topology:?}");
        }
        let packed = [&scene, &parted].map(|scene| trees(scene, ScheduleRequest::default()).unwrap());
        packed.iter().zip([&scene, &parted]).for_each(|(schedule, scene)| passes(scene, schedule));
        let rates = packed.each_ref().map(|schedule| match &schedule.transfers {
            Transfers::Trees(shared) => (shared.rate(), schedule.bounds[0].volume()),
            other_load => panic!("{other_load:?}"),
        });
        assert_eq!(rates[0], rates[1], "{topology:?}");
        let gathers = |scene: &Scene<'_>| {
            let slots = by_slots(scene, schedule_request(1 + round % 3)).unwrap();
            let steps = by_steps(scene, schedule_request(1 + round % 3)).unwrap().swap_remove(0);
            let schedules = [slots, steps, multitree(scene, schedule_request(1)).unwrap()];
            for schedule in &schedules {
                passes(scene, schedule);
                passes(
                    scene,
                    &derive_schedule(
                        scene,
                        schedule,
                        Collective::AllReduce,
                        CollectiveAlgorithm::GatherReduce,
                    )
                    .unwrap(),
                );
                assert!(
                    u128::from(size(schedule).1)
                        >= schedule.bounds[0].volume().times(Fraction::integer(schedule.chunks)).ceil()
                );
            }
            let broadcast = pull(scene, root, schedule_request(1 + round % 4)).unwrap();
            passes(scene, &broadcast);
            passes(
                scene,
                &derive_schedule(scene, &broadcast, Collective::Reduce, CollectiveAlgorithm::Pull).unwrap(),
            );
            schedules.map(|schedule| size(&schedule).1)
        };
        // Ties fall otherwise, so that by chance one more slot may be needed on one side.
        let [wide, parted] = [gathers(&scene), gathers(&parted)];
        assert!(
            wide.iter().zip(parted).all(|(&load, other_load)| load.abs_diff(other_load) <= 2),
            "{wide:?} and {parted:?} on {topology:?}"
        );
    }
}

#[test]
fn what_is_too_wide_for_its_lanes_is_convicted() {
    let pair = |lanes: [u64; 3]| laned(graph(2, &[[0, 1]; 3]), &lanes);
    let (wide, narrow) = (pair([3, 1, 2]), pair([1, 1, 1]));
    let scene = Scene::healthy(&wide);
    let (steps, packed) = (
        by_steps(&scene, schedule_request(12)).unwrap().swap_remove(0),
        trees(&scene, ScheduleRequest::default()).unwrap(),
    );
    for schedule in [&steps, &packed] {
        passes(&scene, schedule);
        assert!(check::verify_schedule(&Scene::healthy(&narrow), schedule).is_err());
        let mut tampered = schedule.clone();
        match &mut tampered.transfers {
            Transfers::Rounds(rounds) => rounds.rounds[0].width -= 1,
            Transfers::Trees(shared) => shared.capacity -= 1,
            other => panic!("{other:?}"),
        }
        assert!(check::verify_schedule(&scene, &tampered).is_err());
    }
    // By the first link, three at once.
    let tables = shortest(&wide);
    let sent = direct(&scene, &tables, schedule_request(6)).unwrap();
    check::verify_message_schedule(&scene, &tables, &sent).unwrap();
    let Transfers::Sends(sends) = &sent.transfers else { panic!("messages") };
    assert_eq!(sends.slots(), 2);
    let message =
        check::verify_message_schedule(&Scene::healthy(&narrow), &tables, &sent).unwrap_err().to_string();
    assert!(message.contains("slot 0"), "{message}");
    let mut tampered = sent.clone();
    let Some(CollectiveBound::Channel { lanes, .. }) = tampered.bounds.first_mut() else {
        panic!("{:?}", sent.bounds)
    };
    *lanes += 1;
    assert!(check::verify_message_schedule(&scene, &tables, &tampered).is_err());
}

#[test]
fn a_link_of_very_many_lanes_is_for_messages() {
    let topology = laned(ring(4), &[1, 100, 1, 1]);
    let (scene, tables) = (Scene::healthy(&topology), shortest(&topology));
    let message = by_steps(&scene, ScheduleRequest::default()).unwrap_err().to_string();
    assert!(message.contains("carries 100 times the common unit of all bandwidths, at most 64"), "{message}");
    let sent = direct(&scene, &tables, ScheduleRequest::default()).unwrap();
    check::verify_message_schedule(&scene, &tables, &sent).unwrap();
    assert_eq!(lanes(&topology).into_iter().max(), Some(100));
}
