//! Graphs whose optimum can be found by hand.

use crate::collective::graphs::{complete, dumbbell, graph, grid, passes, path, ring, size};
use fabc::ids::NodeId;
use fabc::ir::{CollectiveBound, Fraction, Scene, Topology};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{
    ScheduleRequest, bounds, by_slots, by_steps, derive_schedule, multitree, pull,
};

/// Name, graph, cut bound of a gather in shard times, (chunks, slots), (chunks, steps, volume), bound of an
/// all-reduce in M/b.
type Answer = (&'static str, Topology, [u64; 2], &'static [(u32, usize)], (u32, usize, u64), [u64; 2]);

fn answers() -> Vec<Answer> {
    vec![
        ("ring of 4", ring(4), [3, 2], &[(1, 2), (2, 3)], (2, 2, 3), [3, 4]),
        ("2x2", grid([2, 2], true), [3, 4], &[(1, 2), (2, 2), (4, 3)], (4, 2, 3), [3, 8]),
        ("K4", graph(4, &complete(4)), [1, 1], &[(1, 1), (2, 2)], (1, 1, 1), [1, 2]),
        ("path of 3", path(3), [2, 1], &[(1, 2), (2, 4)], (1, 2, 2), [1, 1]),
        ("ring of 5", ring(5), [2, 1], &[(1, 2), (2, 4)], (1, 2, 2), [4, 5]),
        ("3x3", grid([3, 3], true), [2, 1], &[(1, 2), (2, 4)], (1, 2, 2), [4, 9]),
        ("mesh 4x4", grid([4, 4], false), [15, 2], &[(2, 15)], (2, 6, 15), [15, 24]),
        ("star of 5", graph(6, &[1, 2, 3, 4, 5].map(|leaf| [0, leaf])), [5, 1], &[(1, 5)], (1, 2, 5), [1, 1]),
    ]
}

#[test]
fn small_graphs_reach_their_known_optimum() {
    for (name, topology, cut, slots, (chunks, steps, volume), all_reduce) in answers() {
        let scene = Scene::healthy(&topology);
        let gather_bounds = bounds(&scene, Collective::AllGather, None).unwrap();
        assert_eq!(gather_bounds[0].volume(), Fraction::new(cut[0], cut[1]), "{name}: {gather_bounds:?}");
        let found_bounds = bounds(&scene, Collective::AllReduce, None).unwrap();
        assert_eq!(
            found_bounds[0].volume(),
            Fraction::new(all_reduce[0], all_reduce[1]),
            "{name}: {found_bounds:?}"
        );
        for &(chunks, slots) in slots {
            let schedule =
                by_slots(&scene, ScheduleRequest { chunks: Some(chunks), ..ScheduleRequest::default() })
                    .unwrap();
            passes(&scene, &schedule);
            assert_eq!(size(&schedule), (slots, slots as u64), "{name}, {chunks} chunks");
        }
        let schedules =
            by_steps(&scene, ScheduleRequest { chunks: Some(chunks), ..ScheduleRequest::default() }).unwrap();
        schedules.iter().for_each(|schedule| passes(&scene, schedule));
        let sizes: Vec<_> = schedules.iter().map(size).collect();
        assert!(sizes.contains(&(steps, volume)), "{name}: {sizes:?}");
    }
}

#[test]
fn a_gather_backwards_is_a_reduction() {
    for (name, topology, ..) in answers() {
        let scene = Scene::healthy(&topology);
        let gather = by_slots(&scene, ScheduleRequest::default()).unwrap();
        let scatter =
            derive_schedule(&scene, &gather, Collective::ReduceScatter, CollectiveAlgorithm::Slots).unwrap();
        passes(&scene, &scatter);
        assert_eq!(size(&scatter), size(&gather), "{name}");
        let derived =
            derive_schedule(&scene, &gather, Collective::AllReduce, CollectiveAlgorithm::GatherReduce)
                .unwrap();
        passes(&scene, &derived);
        assert_eq!(size(&derived).0, 2 * size(&gather).0, "{name}");
        passes(
            &scene,
            &derive_schedule(&scene, &gather, Collective::AllReduce, CollectiveAlgorithm::Local).unwrap(),
        );
    }
}

#[test]
fn the_widths_of_a_ring_of_four_and_of_a_star() {
    for (topology, chunks, widths) in
        [(ring(4), 2, [2, 1]), (graph(6, &[1, 2, 3, 4, 5].map(|leaf| [0, leaf])), 1, [1, 4])]
    {
        let schedules = by_steps(
            &Scene::healthy(&topology),
            ScheduleRequest { chunks: Some(chunks), ..ScheduleRequest::default() },
        )
        .unwrap();
        let round_widths: Vec<u32> =
            schedules[0].rounds().unwrap().rounds.iter().map(|round| round.width).collect();
        assert_eq!(round_widths, widths);
    }
}

#[test]
fn a_thin_cut_is_its_own_witness() {
    let topology = dumbbell();
    let scene = Scene::healthy(&topology);
    let side = |first: u32| (first..first + 4).map(NodeId).collect::<Vec<_>>();
    let cut_bounds = bounds(&scene, Collective::AllGather, None).unwrap();
    let CollectiveBound::Cut { all_but, channels: 1, shards: 4 } = &cut_bounds[0] else {
        panic!("{cut_bounds:?}")
    };
    assert!(*all_but == side(0) || *all_but == side(4));
    fabc::check::verify_collective_bounds(&scene, Collective::AllGather, None, &cut_bounds).unwrap();
    // One link between two halves of an all-reduce carries all of the vector.
    let found_bounds = bounds(&scene, Collective::AllReduce, None).unwrap();
    assert_eq!(found_bounds[0].volume(), Fraction::integer(1u8));
    fabc::check::verify_collective_bounds(&scene, Collective::AllReduce, None, &found_bounds).unwrap();
    let slots = |chunks| {
        size(
            &by_slots(&scene, ScheduleRequest { chunks: Some(chunks), ..ScheduleRequest::default() })
                .unwrap(),
        )
        .0
    };
    assert_eq!(slots(1), 5);
    assert!(slots(2) <= 10);
}

#[test]
fn broadcasts_are_bounded_by_the_least_cut_and_near_it() {
    for (name, topology, ..) in answers() {
        let scene = Scene::healthy(&topology);
        for root in topology.nodes() {
            let schedule =
                pull(&scene, root, ScheduleRequest { chunks: Some(12), ..ScheduleRequest::default() })
                    .unwrap();
            passes(&scene, &schedule);
            let least_slots = schedule.bounds[0].volume().times(Fraction::integer(12u8)).ceil() as usize;
            assert!(
                (least_slots..=least_slots + 5).contains(&size(&schedule).0),
                "{name}, {root}: {:?} against {least_slots}",
                size(&schedule)
            );
            passes(
                &scene,
                &derive_schedule(&scene, &schedule, Collective::Reduce, CollectiveAlgorithm::Pull).unwrap(),
            );
        }
    }
}

#[test]
fn multitree_gathers_in_whole_shards() {
    for (name, topology, cut, ..) in answers() {
        let scene = Scene::healthy(&topology);
        let schedule = multitree(&scene, ScheduleRequest::default()).unwrap();
        passes(&scene, &schedule);
        assert!(size(&schedule).1 >= cut[0].div_ceil(cut[1]), "{name}");
    }
}

#[test]
fn what_cannot_be_planned_is_told() {
    let alone = graph(1, &[]);
    let apart = graph(4, &[[0, 1], [2, 3]]);
    let forwards = path(3).with_hosts(vec![1, 0, 1]);
    let error_of = |topology: &Topology| {
        by_steps(&Scene::healthy(topology), ScheduleRequest::default()).unwrap_err().to_string()
    };
    assert_eq!(error_of(&alone), "a collective is between two chips or more, and there is 1");
    assert!(error_of(&apart).starts_with("no path leads from "), "{}", error_of(&apart));
    assert!(error_of(&forwards).contains("only forwards"), "{}", error_of(&forwards));
    let ring = ring(4);
    let scene = Scene::healthy(&ring);
    assert_eq!(
        pull(&scene, NodeId(9), ScheduleRequest::default()).unwrap_err().to_string(),
        "the root is router 9, which is not a surviving chip"
    );
    let huge = by_slots(&scene, ScheduleRequest { chunks: Some(u32::MAX), ..ScheduleRequest::default() })
        .unwrap_err();
    assert!(huge.to_string().contains("at most"), "{huge}");
}
