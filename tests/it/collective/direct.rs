//! All-to-all along forwarding tables.

use crate::collective::graphs::{complete, graph, path, random, ring};
use crate::collective::pods::{built, tables};
use fabc::check::verify_message_schedule;
use fabc::ids::{Id, NodeId};
use fabc::ir::{
    CollectiveBound, DualLengths, ForwardingTables, RoutedMessage, Scene, Schedule, Sends, TableEntry,
    TableKey, Topology, Transfers,
};
use fabc::passes::collective::{ScheduleRequest, bound_from_flow_proof, direct};
use fabc::random::Stream;
use std::collections::VecDeque;

/// Shortest ways by destination alone, the first port that is on one.
pub(crate) fn shortest(topology: &Topology) -> ForwardingTables {
    let mut routers = vec![Vec::new(); topology.node_count()];
    for dst in topology.nodes() {
        let mut hops = vec![usize::MAX; topology.node_count()];
        hops[dst.index()] = 0;
        let mut open = VecDeque::from([dst]);
        while let Some(node) = open.pop_front() {
            for channel in topology.channels_into(node) {
                let from = topology.source(channel);
                if hops[from.node.index()] == usize::MAX {
                    hops[from.node.index()] = hops[node.index()] + 1;
                    open.push_back(from.node);
                    routers[from.node.index()].push(TableEntry {
                        dst,
                        in_port: -1,
                        in_vc: -1,
                        out_port: from.port.0,
                        out_vc: 0,
                    });
                }
            }
        }
    }
    routers.iter_mut().for_each(|entries: &mut Vec<TableEntry>| entries.sort());
    let symmetry = topology.symmetry().to_trivial();
    ForwardingTables { scenario: "nominal".to_owned(), vcs: 1, key: TableKey::Dst, symmetry, routers }
}

fn sends(schedule: &Schedule) -> &Sends {
    let Transfers::Sends(sends) = &schedule.transfers else { panic!("messages") };
    sends
}

pub(crate) fn passes(scene: &Scene<'_>, tables: &ForwardingTables, schedule: &Schedule) {
    if let Err(error) = verify_message_schedule(scene, tables, schedule) {
        panic!("{error}: {schedule:?}");
    }
}

#[test]
fn small_graphs_take_as_many_slots_as_their_busiest_channel_has_messages() {
    for (name, topology, slots) in [
        ("K4", graph(4, &complete(4)), 1),
        ("path of 3", path(3), 2),
        ("path of 4", path(4), 4),
        ("ring of 5", ring(5), 3),
    ] {
        let scene = Scene::healthy(&topology);
        let tables = shortest(&topology);
        let schedule = direct(&scene, &tables, ScheduleRequest::default()).unwrap();
        passes(&scene, &tables, &schedule);
        assert_eq!(sends(&schedule).slots(), slots, "{name}");
        assert_eq!(schedule.bounds[0].volume().ceil() as u32, slots, "{name}");
    }
}

#[test]
fn random_graphs_are_near_their_bound() {
    let mut stream = Stream::new(21, 1);
    let mut over = [0usize; 3];
    for _ in 0..100 {
        let topology = random(&mut stream, 24);
        let (scene, tables) = (Scene::healthy(&topology), shortest(&topology));
        for (chunks, latency) in [(1, 0), (3, 0), (2, 4)] {
            let schedule = direct(
                &scene,
                &tables,
                ScheduleRequest { chunks: Some(chunks), latency, ..ScheduleRequest::default() },
            )
            .unwrap();
            passes(&scene, &tables, &schedule);
            let CollectiveBound::Channel { shards, .. } = schedule.bounds[0] else {
                panic!("{:?}", schedule.bounds)
            };
            let ways = schedule.bounds.iter().map(CollectiveBound::hops).max().unwrap();
            let least_slots = (shards * chunks).max((ways - 1) * (latency + 1) + 1);
            assert!(sends(&schedule).slots() >= least_slots);
            if latency == 0 {
                over[((sends(&schedule).slots() - least_slots) as usize).min(2)] += 1;
            }
        }
    }
    println!("slots over the bound: {over:?}");
    assert!(over[0] >= 150, "{over:?}");
}

#[test]
fn tables_without_symmetry_are_planned_router_by_router() {
    let compiled = built("torus_4x4x8");
    let (scene, tables) = (Scene::healthy(&compiled.topology), tables(&compiled, 0));
    let schedule = direct(&scene, &tables, ScheduleRequest::default()).unwrap();
    passes(&scene, &tables, &schedule);
    // Datelines break the symmetry.
    assert!(!sends(&schedule).canonical);
    assert_eq!(sends(&schedule).slots(), 128);
}

#[test]
fn a_pod_meets_the_load_of_its_tables_to_the_slot() {
    let compiled = built("pod_128");
    let tables = tables(&compiled, 0);
    let scene = Scene::healthy(&compiled.topology);
    let mut schedule = direct(&scene, &tables, ScheduleRequest::default()).unwrap();
    schedule.bounds.extend(bound_from_flow_proof(&scene, &compiled.flow.dual));
    passes(&scene, &tables, &schedule);
    assert!(sends(&schedule).canonical);
    assert_eq!(u128::from(sends(&schedule).slots()), schedule.bounds[0].volume().ceil());
    assert_eq!(sends(&schedule).slots(), 72);
    assert!(schedule.bounds.iter().any(|bound| matches!(bound, CollectiveBound::Flow { .. })));
    // All that it stands for, router by router.
    let symmetry = compiled.topology.symmetry();
    let image = |g: usize, message: &RoutedMessage| RoutedMessage {
        source: symmetry.image(g, message.source),
        destination: symmetry.image(g, message.destination),
        ..message.clone()
    };
    let messages: Vec<RoutedMessage> = (0..symmetry.order())
        .flat_map(|g| sends(&schedule).messages.iter().map(move |message| image(g, message)))
        .collect();
    let whole_sends = Sends { canonical: false, latency: 0, messages, rooted: Vec::new() };
    let whole_schedule = Schedule { transfers: Transfers::Sends(whole_sends), ..schedule.clone() };
    passes(&scene, &tables, &whole_schedule);
    // A plan for canonical routers is none for all, and the other way round.
    for (mut changed, canonical) in [(schedule.clone(), false), (whole_schedule, true)] {
        let Transfers::Sends(sends) = &mut changed.transfers else { panic!("messages") };
        sends.canonical = canonical;
        assert!(verify_message_schedule(&scene, &tables, &changed).is_err());
    }
    let lengths = DualLengths { distance: compiled.flow.dual.distance + 1, ..compiled.flow.dual.clone() };
    schedule.bounds = bound_from_flow_proof(&scene, &lengths).into_iter().collect();
    assert!(verify_message_schedule(&scene, &tables, &schedule).is_err());
}

#[test]
fn any_number_of_threads_sends_the_same() {
    let topology = random(&mut Stream::new(22, 1), 40);
    let (scene, tables) = (Scene::healthy(&topology), shortest(&topology));
    let made = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
        pool.install(|| {
            direct(&scene, &tables, ScheduleRequest { chunks: Some(2), latency: 1, seed: 3 }).unwrap()
        })
    };
    assert!(made(1) == made(16));
}

#[test]
fn tables_that_do_not_deliver_are_told() {
    let topology = ring(4);
    let scene = Scene::healthy(&topology);
    let good = shortest(&topology);
    let error_of = |tables: &ForwardingTables| {
        direct(&scene, tables, ScheduleRequest::default()).unwrap_err().to_string()
    };
    let mut lacking = good.clone();
    lacking.routers[1].remove(0);
    assert_eq!(
        error_of(&lacking),
        "the tables have no route from router1 to router0: packets are lost at router1"
    );
    let mut looping = good.clone();
    // 0 and 1 hand each other what is for 2.
    for (router, other) in [(0usize, NodeId(1)), (1, NodeId(0))] {
        let port = topology
            .channels_from(NodeId::new(router))
            .find(|&channel| topology.target(channel).node == other)
            .unwrap();
        let entry = looping.routers[router].iter_mut().find(|entry| entry.dst == NodeId(2)).unwrap();
        entry.out_port = topology.source(port).port.0;
    }
    assert!(
        error_of(&looping).starts_with("the tables have no route from router0 to router2"),
        "{}",
        error_of(&looping)
    );
    let mut wide = good.clone();
    wide.routers[3][0].out_port = 77;
    assert!(error_of(&wide).contains("lost at router3"), "{}", error_of(&wide));
    assert_eq!(error_of(&shortest(&ring(5))), "the tables are for 5 routers, but there are 4");
}

/// A tampered schedule, or none where this kind of change is none here.
fn tampered(stream: &mut Stream, schedule: &Schedule, kind: usize) -> Option<Schedule> {
    let mut changed_schedule = schedule.clone();
    let Transfers::Sends(Sends { messages, latency, .. }) = &mut changed_schedule.transfers else {
        panic!("messages")
    };
    let (at, other) = (stream.below(messages.len()), stream.below(messages.len()));
    let hop = stream.below(messages[at].slots.len());
    match kind {
        // Dropped.
        0 => drop(messages.remove(at)),
        // Another one twice instead.
        1 if at != other => messages[at] = messages[other].clone(),
        // Once more.
        2 => messages.push(messages[at].clone()),
        // For itself.
        3 => messages[at].destination = messages[at].source,
        // A hop too many, a hop too few.
        4 => {
            let last = messages[at].slots.last()? + 1 + *latency;
            messages[at].slots.push(last);
        }
        5 => drop(messages[at].slots.pop()),
        // Sent on before it is there.
        6 if hop > 0 => messages[at].slots[hop] = messages[at].slots[hop - 1] + *latency,
        // A router or a part that is not.
        7 => messages[at].source = NodeId(schedule.nodes),
        8 => messages[at].part = schedule.chunks,
        // More on the busiest channel than is claimed.
        9 => match &mut changed_schedule.bounds[0] {
            CollectiveBound::Channel { shards, .. } => *shards += 1,
            _ => return None,
        },
        // All at once.
        10 => {
            messages.iter_mut().for_each(|message| {
                message.slots = (0..message.slots.len() as u32).map(|hop| hop * (1 + *latency)).collect()
            });
            let CollectiveBound::Channel { shards, .. } = schedule.bounds[0] else { return None };
            if shards * schedule.chunks < 2 {
                return None;
            }
        }
        _ => return None,
    }
    Some(changed_schedule)
}

#[test]
fn every_change_of_a_message_is_convicted() {
    let mut stream = Stream::new(23, 1);
    let mut convicted = [0usize; 11];
    for round in 0..60 {
        let topology = random(&mut stream, 12);
        let (scene, tables) = (Scene::healthy(&topology), shortest(&topology));
        let schedule = direct(
            &scene,
            &tables,
            ScheduleRequest { chunks: Some(2), latency: round % 3, ..ScheduleRequest::default() },
        )
        .unwrap();
        passes(&scene, &tables, &schedule);
        assert!(fabc::check::verify_schedule(&scene, &schedule).is_err(), "without the tables it is no plan");
        for kind in (0..11).flat_map(|kind| [kind; 5]) {
            let Some(changed) = tampered(&mut stream, &schedule, kind) else { continue };
            assert!(
                verify_message_schedule(&scene, &tables, &changed).is_err(),
                "kind {kind}: {schedule:?} became {changed:?}"
            );
            convicted[kind] += 1;
        }
        // Tables that lead another way.
        let mut other_tables = tables.clone();
        let entry = other_tables.routers.iter_mut().flatten().find(|entry| entry.out_port > 0);
        if let Some(entry) = entry {
            entry.out_port -= 1;
            assert!(verify_message_schedule(&scene, &other_tables, &schedule).is_err());
        }
    }
    println!("convicted: {convicted:?}");
    assert!(convicted.iter().all(|&count| count > 50), "{convicted:?}");
}
