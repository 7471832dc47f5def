//! Pods and networks: canonical plans, what they stand for, floors.

use crate::collective::graphs::{passes, size};
use fabc::compile::{Stage, compile};
use fabc::ids::{ChannelId, Id, NodeId};
use fabc::ir::{Fraction, GatherRound, Pull, Rounds, Scene, Schedule, Topology, Transfers};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{
    ScheduleRequest, by_slots, by_steps, derive_schedule, multitree, natural_chunks,
};
use fabc::progress::Silent;

fn topology(name: &str) -> Topology {
    let read = |path: &str| std::fs::read_to_string(path).map_err(|error| error.to_string());
    let fabric = fabc::lang::read_normal(&format!("specs/{name}.fab"), &read)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}"))
        .0;
    compile(fabric, Stage::Synthesize, &Silent).unwrap_or_else(|failure| panic!("{failure:?}")).topology
}

/// All that a canonical plan stands for.
fn expanded(topology: &Topology, schedule: &Schedule) -> Schedule {
    let rounds = schedule.rounds().unwrap();
    let symmetry = topology.symmetry();
    let image = |g: usize, pull: &Pull| {
        let (from, to) = (topology.source(pull.channel), topology.target(pull.channel));
        let channel = topology.outgoing(symmetry.image(g, from.node), from.port).unwrap();
        assert_eq!(topology.target(channel).node, symmetry.image(g, to.node));
        let chunk = |chunk: u32| {
            symmetry.image(g, NodeId(chunk / schedule.chunks)).0 * schedule.chunks + chunk % schedule.chunks
        };
        Pull { channel, chunks: pull.chunks.iter().map(|&id| chunk(id)).collect() }
    };
    let pulls_of = |round: &GatherRound| {
        let mut pulls: Vec<Pull> =
            (0..symmetry.order()).flat_map(|g| round.pulls.iter().map(move |pull| image(g, pull))).collect();
        pulls.sort_by_key(|pull| pull.channel);
        GatherRound { width: round.width, pulls }
    };
    let rounds =
        Rounds { canonical: false, rounds: rounds.rounds.iter().map(pulls_of).collect(), ..rounds.clone() };
    Schedule { transfers: Transfers::Rounds(rounds), ..schedule.clone() }
}

#[test]
fn a_pod_reaches_its_bound_in_as_many_steps_as_its_diameter() {
    for (name, steps, expected) in
        [("pod_128", 6, 127), ("torus_4x4x8", 8, 127), ("paper/twisted_4x4x8", 6, 127)]
    {
        let topology = topology(name);
        let scene = Scene::healthy(&topology);
        assert_eq!(natural_chunks(&scene), Ok(6));
        let slots = by_slots(&scene, ScheduleRequest::default()).unwrap();
        passes(&scene, &slots);
        assert_eq!(size(&slots).1, expected, "{name}");
        assert_eq!(slots.bounds[0].volume(), Fraction::new(127u8, 6u8));
        let found_schedules = by_steps(&scene, ScheduleRequest::default()).unwrap();
        found_schedules.iter().for_each(|schedule| passes(&scene, schedule));
        let sizes: Vec<_> = found_schedules.iter().map(size).collect();
        assert!(sizes.contains(&(steps, expected)), "{name}: {sizes:?}");
    }
}

#[test]
fn a_canonical_plan_stands_for_a_whole_one() {
    let topology = topology("small_cubes");
    let scene = Scene::healthy(&topology);
    assert!(topology.symmetry().order() > 1);
    let slots = by_slots(&scene, ScheduleRequest::default()).unwrap();
    let steps = by_steps(&scene, ScheduleRequest::default()).unwrap();
    for gather in steps.iter().chain([&slots]) {
        assert!(gather.rounds().unwrap().canonical);
        let scatter = derive_schedule(&scene, gather, Collective::ReduceScatter, gather.algorithm).unwrap();
        let derived =
            derive_schedule(&scene, gather, Collective::AllReduce, CollectiveAlgorithm::GatherReduce)
                .unwrap();
        for schedule in [gather, &scatter, &derived] {
            passes(&scene, schedule);
            passes(&scene, &expanded(&topology, schedule));
        }
    }
    // The other way round: a plan for all is none for canonical routers.
    let mut whole_round = multitree(&scene, ScheduleRequest::default()).unwrap();
    let Transfers::Rounds(rounds) = &mut whole_round.transfers else { panic!("rounds") };
    rounds.canonical = true;
    assert!(fabc::check::verify_schedule(&scene, &whole_round).is_err());
    let mut part = slots.clone();
    let Transfers::Rounds(rounds) = &mut part.transfers else { panic!("rounds") };
    rounds.canonical = false;
    assert!(fabc::check::verify_schedule(&scene, &part).is_err());
}

#[test]
fn any_number_of_threads_plans_the_same() {
    let topology = topology("small_cubes");
    let made = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            let scene = Scene::healthy(&topology);
            let request = ScheduleRequest { latency: 2, chunks: Some(3), seed: 5 };
            (by_slots(&scene, request).unwrap(), by_steps(&scene, request).unwrap())
        })
    };
    assert!(made(1) == made(16));
}

#[test]
fn a_channel_of_another_link_is_convicted() {
    let topology = topology("small_cubes");
    let scene = Scene::healthy(&topology);
    let mut slots = by_slots(&scene, ScheduleRequest::default()).unwrap();
    let Transfers::Rounds(rounds) = &mut slots.transfers else { panic!("rounds") };
    rounds.rounds[0].pulls[0].channel = ChannelId::new(topology.channel_count());
    assert!(fabc::check::verify_schedule(&scene, &slots).unwrap_err().to_string().contains("does not exist"));
}
