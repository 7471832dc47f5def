//! MSCCL XML of fabc: run with numbers, judged, and as large as it should be.

use crate::collective::graphs::{complete, graph, grid, path, random, ring};
use crate::collective::interpreter::{Program, run};
use fabc::check::{JudgedProgram, NamedFile, Rejected, program_on};
use fabc::compile::{Stage, compile};
use fabc::compiled::CompiledFabric;
use fabc::emit::{MscclFile, collective_msccl};
use fabc::ir::{Scenario, ScenarioFault, Scene, Schedule, Topology, surviving_scene};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{ScheduleRequest, by_slots, by_steps, derive_schedule, multitree, pull};
use fabc::progress::Silent;
use fabc::random::Stream;

pub(crate) fn judged(scene: &Scene<'_>, text: &str) -> Result<JudgedProgram, Rejected> {
    program_on(scene, NamedFile { name: "program.xml", bytes: text.as_bytes() })
}

pub(crate) fn written(scene: &Scene<'_>, schedule: &Schedule) -> MscclFile {
    collective_msccl("net", scene, schedule).unwrap_or_else(|error| panic!("{error}"))
}

/// A schedule of every kind, named. Roots are the last chip.
pub(crate) fn schedules(scene: &Scene<'_>, chunks: u32) -> Vec<(&'static str, Schedule)> {
    let request = |latency| ScheduleRequest { chunks: Some(chunks), latency, ..ScheduleRequest::default() };
    let steps = by_steps(scene, request(0)).unwrap().remove(0);
    let slots = by_slots(scene, request(1)).unwrap();
    let root = scene.endpoints().last().unwrap();
    let broadcast = pull(scene, root, request(0)).unwrap();
    let turned =
        |schedule, collective, algorithm| derive_schedule(scene, schedule, collective, algorithm).unwrap();
    vec![
        ("scatter by steps", turned(&steps, Collective::ReduceScatter, CollectiveAlgorithm::Steps)),
        ("scatter by slots", turned(&slots, Collective::ReduceScatter, CollectiveAlgorithm::Slots)),
        ("both by steps", turned(&steps, Collective::AllReduce, CollectiveAlgorithm::GatherReduce)),
        ("both by slots", turned(&slots, Collective::AllReduce, CollectiveAlgorithm::GatherReduce)),
        ("local", turned(&steps, Collective::AllReduce, CollectiveAlgorithm::Local)),
        ("reduce", turned(&broadcast, Collective::Reduce, CollectiveAlgorithm::Pull)),
        ("multitree", multitree(scene, ScheduleRequest::default()).unwrap()),
        ("steps", steps),
        ("slots", slots),
        ("broadcast", broadcast),
    ]
}

/// Written, judged, and run with numbers.
fn works(name: &str, scene: &Scene<'_>, schedule: &Schedule, runs: u64) -> (MscclFile, Program) {
    let file = written(scene, schedule);
    let judged_program = judged(scene, &file.text).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    assert_eq!(
        (judged_program.held, judged_program.in_place, judged_program.out_of_place),
        (0, true, true),
        "{name}"
    );
    assert_eq!(
        (judged_program.steps as usize, judged_program.blocks as usize),
        (file.steps, file.blocks),
        "{name}"
    );
    assert_eq!(judged_program.result, Some(schedule.collective), "{name}");
    assert_eq!(
        judged_program.sharing,
        if judged_program.connections > judged_program.channels { 2 } else { 1 },
        "{name}"
    );
    assert_eq!(judged_program.root, schedule.root.map(|root| scene.topology.name(root)), "{name}");
    let program = Program::read(&file.text);
    assert_eq!(program.size(), (file.steps, file.blocks), "{name}");
    let root = schedule.root.map(|root| scene.endpoints().position(|chip| chip == root).unwrap());
    for seed in 0..runs {
        for in_place in [true, false] {
            let outcome = run(&program, in_place, 0, root, &mut Stream::new(seed, 1));
            assert_eq!(outcome, Ok(()), "{name}, in place {in_place}, seed {seed}");
        }
    }
    (file, program)
}

fn compiled(name: &str) -> CompiledFabric {
    let read = |path: &str| std::fs::read_to_string(path).map_err(|error| error.to_string());
    let fabric = fabc::lang::read_normal(&format!("specs/{name}.fab"), &read)
        .unwrap_or_else(|(failure, _)| panic!("{failure:?}"))
        .0;
    compile(fabric, Stage::Synthesize, &Silent).unwrap_or_else(|failure| panic!("{failure:?}"))
}

#[test]
fn every_collective_on_small_graphs() {
    let star = graph(6, &[1, 2, 3, 4, 5].map(|leaf| [0, leaf]));
    let graphs: [(&str, Topology); 7] = [
        ("ring 4", ring(4)),
        ("2x2", grid([2, 2], true)),
        ("path 3", path(3)),
        ("3x3", grid([3, 3], true)),
        ("K4", graph(4, &complete(4))),
        ("star", star),
        ("two", graph(2, &[[0, 1], [0, 1], [0, 1]])),
    ];
    for (name, topology) in &graphs {
        for chunks in [1, 2, 5] {
            let scene = Scene::healthy(topology);
            for (kind, schedule) in schedules(&scene, chunks) {
                works(&format!("{kind} on {name}, {chunks}"), &scene, &schedule, 6);
            }
        }
    }
}

#[test]
fn random_graphs_with_dark_links_and_dead_chips() {
    let mut stream = Stream::new(8, 2);
    let mut run = 0;
    for _ in 0..25 {
        let topology = random(&mut stream, 12);
        let dead = topology.nodes().nth(stream.below(topology.node_count())).unwrap();
        let dark = topology.links().ids().nth(stream.below(topology.links().len())).unwrap();
        for fault in [ScenarioFault::None, ScenarioFault::Router(dead), ScenarioFault::Link(dark)] {
            let scene = surviving_scene(&fault, &topology, None);
            if by_steps(&scene, ScheduleRequest::default()).is_ok() {
                for (kind, schedule) in schedules(&scene, 2) {
                    works(&format!("{kind} under {fault:?}"), &scene, &schedule, 2);
                    run += 1;
                }
            }
        }
    }
    assert!(run > 250, "{run}");
}

#[test]
fn parallel_links_have_numbers_of_their_own() {
    let topology = grid([2, 2], true);
    let scene = Scene::healthy(&topology);
    let gather = by_slots(&scene, ScheduleRequest { chunks: Some(4), ..ScheduleRequest::default() }).unwrap();
    let (file, program) = works("2x2", &scene, &gather, 1);
    assert!(file.text.contains("nchannels=\"2\""), "{}", file.text.lines().next().unwrap());
    let chans: Vec<i64> = program.gpus[0].1.iter().map(|block| block.chan).collect();
    assert_eq!(chans.iter().filter(|chan| **chan == 1).count(), 4, "{chans:?}");
    // One number has 32 peers each way.
    let full = graph(40, &complete(40));
    let scene = Scene::healthy(&full);
    let gather = by_steps(&scene, ScheduleRequest { chunks: Some(1), ..ScheduleRequest::default() })
        .unwrap()
        .remove(0);
    let (file, _) = works("K40", &scene, &gather, 1);
    assert!(!file.text.contains("nchannels=\"1\"") && file.blocks == 78, "{}", file.blocks);
}

#[test]
fn a_pod_of_128_has_as_many_steps_as_its_plan() {
    let CompiledFabric { topology, fabric, pod, .. } = compiled("pod_128");
    let scenarios = Scenario::of_ocses(&fabric, 1);
    let dark = scenarios.iter().find(|scenario| scenario.name == "X[0,0]").unwrap();
    let dark = surviving_scene(&dark.fault, &topology, pod.as_ref().map(|pod| &pod.cross_connects));
    let request = |chunks| ScheduleRequest { chunks: Some(chunks), ..ScheduleRequest::default() };
    let megabytes = |file: &MscclFile| (file.text.len() as f64 / 1e5).round() / 10.0;
    let scene = Scene::healthy(&topology);
    let steps = by_steps(&scene, request(1)).unwrap().remove(0);
    let scatter =
        derive_schedule(&scene, &steps, Collective::ReduceScatter, CollectiveAlgorithm::Steps).unwrap();
    let derived =
        derive_schedule(&scene, &steps, Collective::AllReduce, CollectiveAlgorithm::GatherReduce).unwrap();
    for (schedule, count, size) in [(&steps, 22, 3.6), (&scatter, 22, 3.6), (&derived, 44, 7.2)] {
        let (file, _) = works("pod_128", &scene, schedule, 1);
        assert_eq!(
            (file.steps, file.blocks, megabytes(&file)),
            (count, 12, size),
            "{:?}",
            schedule.collective
        );
        assert!(file.notes.is_empty());
    }
    let fine = by_slots(&scene, request(6)).unwrap();
    let (file, _) = works("pod_128, 6 chunks", &scene, &fine, 1);
    assert!(
        (127..=128).contains(&file.steps) && file.blocks == 12 && megabytes(&file) < 22.5,
        "{} {}",
        file.steps,
        megabytes(&file)
    );
    assert!(file.notes[0].contains("RCCL 64"), "{:?}", file.notes);
    let gather = by_steps(&dark, request(1)).unwrap().remove(0);
    works("pod_128 without X[0,0]", &dark, &gather, 1);
    works(
        "sum without X[0,0]",
        &dark,
        &derive_schedule(&dark, &gather, Collective::AllReduce, CollectiveAlgorithm::GatherReduce).unwrap(),
        1,
    );
    // A program that uses a dark link is no program for the surviving network.
    let error = judged(&dark, &written(&scene, &steps).text).unwrap_err();
    assert!(format!("{error:?}").contains("no lit link leads from"), "{error:?}");
}

#[test]
fn too_large_a_schedule_is_refused_with_its_numbers() {
    let refused = |topology: &Topology, made: &dyn Fn(&Scene<'_>) -> Schedule| {
        let scene = Scene::healthy(topology);
        collective_msccl("net", &scene, &made(&scene)).unwrap_err().to_string()
    };
    let gather = |chunks: u32| {
        move |scene: &Scene<'_>| {
            by_steps(scene, ScheduleRequest { chunks: Some(chunks), ..ScheduleRequest::default() })
                .unwrap()
                .remove(0)
        }
    };
    let error = refused(&ring(16), &gather(40));
    assert!(error.contains("(16 chips, 40 chunks each)") && error.contains("256 are the most"), "{error}");
    // Each of two runs has its own connections.
    let ring = ring(16);
    let scene = Scene::healthy(&ring);
    let derived = derive_schedule(
        &scene,
        &gather(20)(&scene),
        Collective::AllReduce,
        CollectiveAlgorithm::GatherReduce,
    )
    .unwrap();
    let (file, _) = works("16 in a ring", &scene, &derived, 1);
    assert!((150..256).contains(&file.steps) && file.blocks == 8, "{} {}", file.steps, file.blocks);
    let star = graph(112, &(1..112).map(|leaf| [0, leaf]).collect::<Vec<_>>());
    let error = refused(&star, &gather(1));
    assert!(error.contains("222 thread blocks, 111 that receive, 111 that send"), "{error}");
    let long = path(300);
    let error = refused(&long, &|scene| {
        derive_schedule(scene, &gather(1)(scene), Collective::AllReduce, CollectiveAlgorithm::Local).unwrap()
    });
    assert!(error.contains("are the most"), "{error}");
}
