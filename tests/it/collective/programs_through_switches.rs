//! MSCCL XML of forests, shared trees and paths of pairs: through switches, with joined chunks.

use crate::collective::graphs::{boxes, complete, graph, grid, leaf_spine, ring, star, switched};
use crate::collective::interpreter::{Program, run};
use crate::collective::programs::{judged, written};
use fabc::emit::collective_msccl;
use fabc::ids::NodeId;
use fabc::ir::{Scene, Schedule, Topology, surviving_scene};
use fabc::model::Collective;
use fabc::passes::collective::{ScheduleRequest, forest, pair_paths, trees};
use fabc::random::Stream;

/// Forests of all collectives that have one, and paths of pairs, named.
pub(crate) fn pipelined(scene: &Scene<'_>, parts: Option<u32>) -> Vec<(String, Schedule)> {
    let request = ScheduleRequest::default;
    let mut schedules = Vec::new();
    let root = scene.endpoints().last();
    for (root, collectives) in [
        (None, &[Collective::AllGather, Collective::ReduceScatter, Collective::AllReduce][..]),
        (root, &[Collective::Broadcast, Collective::Reduce]),
    ] {
        let Ok(schedule) = forest(scene, root, parts, request()) else { continue };
        for &collective in collectives {
            let name = format!("forest, {}", collective.name());
            schedules.push((name, Schedule { collective, bounds: Vec::new(), ..schedule.clone() }));
        }
    }
    let paths = pair_paths(scene, &[], request())
        .unwrap()
        .into_iter()
        .map(|schedule| (format!("paths, {}", schedule.collective.name()), schedule));
    schedules.extend(paths);
    schedules
}

/// Written, judged, and run with numbers.
fn works(name: &str, scene: &Scene<'_>, schedule: &Schedule) {
    let file = written(scene, schedule);
    let judged_program = judged(scene, &file.text).unwrap_or_else(|error| panic!("{name}: {error:?}"));
    let in_place = schedule.collective != Collective::AllToAll;
    assert_eq!(
        (judged_program.held, judged_program.in_place, judged_program.out_of_place),
        (0, in_place, true),
        "{name}"
    );
    assert_eq!(judged_program.result, Some(schedule.collective), "{name}");
    assert_eq!(judged_program.root, schedule.root.map(|root| scene.topology.name(root)), "{name}");
    let program = Program::read(&file.text);
    let root = schedule.root.map(|root| scene.endpoints().position(|chip| chip == root).unwrap());
    for in_place in [true, false] {
        if in_place && !judged_program.in_place {
            continue;
        }
        let outcome = run(&program, in_place, 0, root, &mut Stream::new(3, 1));
        assert_eq!(outcome, Ok(()), "{name}, in place {in_place}");
    }
}

/// Fabrics of boxes, switches and links.
pub(crate) fn fabrics() -> Vec<(&'static str, Topology)> {
    vec![
        ("one switch of 8", star(8)),
        ("2 boxes of 8 at 300 and 25", boxes(2, 8, 2, [12, 1])),
        ("4 boxes of 4 at 300 and 25", boxes(4, 4, 4, [12, 1])),
        ("leaf-spine 3/2 with 3 hosts", leaf_spine(3, 2, 3)),
        ("torus 4 x 4", grid([4, 4], true)),
        ("K4", graph(4, &complete(4))),
    ]
}

#[test]
fn forests_and_paths_run_on_known_fabrics() {
    for (name, topology) in fabrics() {
        let scene = Scene::healthy(&topology);
        let schedules = pipelined(&scene, None);
        assert!(schedules.len() > 5, "{name}: {}", schedules.len());
        for (kind, schedule) in schedules {
            works(&format!("{kind} on {name}"), &scene, &schedule);
        }
    }
}

#[test]
fn forests_and_paths_run_on_random_fabrics_with_faults() {
    let (mut stream, mut count) = (Stream::new(31, 1), 0);
    for _ in 0..15 {
        let topology = switched(&mut stream, 9);
        let dark = topology.links().ids().nth(stream.below(topology.links().len())).unwrap();
        for fault in [fabc::ir::ScenarioFault::None, fabc::ir::ScenarioFault::Link(dark)] {
            let scene = surviving_scene(&fault, &topology, None);
            if forest(&scene, None, None, ScheduleRequest::default()).is_err() {
                continue;
            }
            for (kind, schedule) in pipelined(&scene, None) {
                if collective_msccl("net", &scene, &schedule).is_ok() {
                    works(&format!("{kind} under {fault:?}"), &scene, &schedule);
                    count += 1;
                }
            }
        }
    }
    assert!(count > 60, "{count}");
}

#[test]
fn shared_trees_move_a_chunk_each() {
    for topology in [ring(5), grid([4, 4], true), graph(4, &complete(4))] {
        let scene = Scene::healthy(&topology);
        works("trees", &scene, &trees(&scene, ScheduleRequest::default()).unwrap());
    }
}

/// By hand: one switch of 8 has 7 peers for a chip, each over its one channel.
#[test]
fn connections_through_a_switch_share_the_channel_of_the_sender() {
    let topology = star(8);
    let scene = Scene::healthy(&topology);
    let (_, gather) = pipelined(&scene, None).remove(0);
    let program = judged(&scene, &written(&scene, &gather).text).unwrap();
    assert_eq!((program.connections, program.channels, program.sharing), (56, 8, 7));
    assert_eq!(program.blocks, 14);
    // Two stars that nothing joins.
    let apart = graph(6, &[[0, 4], [1, 4], [2, 5], [3, 5]]).with_hosts(vec![1, 1, 1, 1, 0, 0]);
    let full = graph(4, &complete(4));
    let gather = forest(&Scene::healthy(&full), None, None, ScheduleRequest::default()).unwrap();
    let error = judged(&Scene::healthy(&apart), &written(&Scene::healthy(&full), &gather).text).unwrap_err();
    assert!(
        format!("{error:?}").contains("no lit link leads from router0 to router2, and no switches join them"),
        "{error:?}"
    );
}

/// Parts that go together over every edge are one step.
#[test]
fn parts_of_one_path_are_joined() {
    let topology = boxes(2, 8, 2, [12, 1]);
    let scene = Scene::healthy(&topology);
    let gather = forest(&scene, None, None, ScheduleRequest::default()).unwrap();
    let text = written(&scene, &gather).text;
    let joined =
        text.lines().filter(|line| line.contains("type=\"s\"") && !line.contains("cnt=\"1\"")).count();
    assert!(joined > 100, "{joined}");
}

/// Every change of a program through switches is convicted.
#[test]
fn changed_programs_through_switches_are_convicted() {
    let topology = boxes(2, 4, 2, [12, 1]);
    let scene = Scene::healthy(&topology);
    for (kind, schedule) in pipelined(&scene, None) {
        let text = written(&scene, &schedule).text;
        let lines: Vec<&str> = text.lines().collect();
        let steps: Vec<usize> = (0..lines.len()).filter(|&at| lines[at].contains("<step ")).collect();
        let mut stream = Stream::new(5, 1);
        for _ in 0..20 {
            let at = steps[stream.below(steps.len())];
            let mut dropped = lines.clone();
            dropped.remove(at);
            assert!(judged(&scene, &dropped.join("\n")).is_err(), "{kind}: without {}", lines[at]);
            let used: &[&str] = match () {
                () if lines[at].contains("type=\"s\"") => &["srcoff"],
                () if lines[at].contains("type=\"r\"") => &["dstoff"],
                () => &["srcoff", "dstoff"],
            };
            let offset = used.iter().fold(lines[at].to_owned(), |line, key| {
                line.replace(&format!("{key}=\"0\""), &format!("{key}=\"1\""))
            });
            if offset != lines[at] {
                let mut moved = lines.clone();
                moved[at] = &offset;
                assert!(judged(&scene, &moved.join("\n")).is_err(), "{kind}: {offset}");
            }
            let awaited = lines[at].find("depid=\"").map(|start| &lines[at][start..]);
            if let Some(waits) = awaited.filter(|waits| !waits.starts_with("depid=\"-1\"")) {
                let changed = lines[at].replace(waits, "depid=\"-1\" deps=\"-1\" hasdep=\"1\"/>");
                let mut unordered = lines.clone();
                unordered[at] = &changed;
                assert!(judged(&scene, &unordered.join("\n")).is_err(), "{kind}: {changed}");
            }
        }
    }
    let root = scene.endpoints().next();
    assert_eq!(root, Some(NodeId(0)));
}
