//! Where some routers only forward, or links run one way: messages along the tables.

use crate::collective::direct::{passes, shortest};
use crate::collective::graphs::{graph, random, uneven};
use fabc::check;
use fabc::ids::{LinkTypeId, NodeId, PortId};
use fabc::ir::{
    CollectiveBound, End, Fraction, Link, LinkClass, RoutedMessage, Scene, Schedule, Symmetry, Topology,
    Transfers,
};
use fabc::model::{Collective, CollectiveAlgorithm};
use fabc::passes::collective::{
    ScheduleRequest, bounds, by_slots, by_steps, derive_schedule, direct, multitree, pull, rooted, trees,
};
use fabc::random::Stream;

/// Four chips around a hub.
fn star() -> Topology {
    graph(5, &[[0, 1], [0, 2], [0, 3], [0, 4]]).with_hosts(vec![0, 1, 1, 1, 1])
}

/// Two hubs with a link between them. Three chips at each, by two links.
fn two_hubs() -> Topology {
    let mut pairs = vec![[0, 1]];
    pairs.extend((2..8).flat_map(|chip| [[u32::from(chip > 4), chip]; 2]));
    graph(8, &pairs).with_hosts(vec![0, 0, 1, 1, 1, 1, 1, 1])
}

/// A ring that runs one way.
fn one_way_ring(nodes: u32) -> Topology {
    let end = |node: u32, port: u16| End { node: NodeId(node), port: PortId(port) };
    let link = |node: u32| {
        let (a, b) = (end(node, 0), end((node + 1) % nodes, 1));
        Link { a, b, class: LinkClass::Local, link_type: LinkTypeId(0), simplex: true }
    };
    Topology::new(2, (0..nodes).map(link).collect(), Symmetry::trivial(1, nodes))
}

/// Every collective that is sent, as messages.
fn sent(topology: &Topology) -> Vec<Schedule> {
    let (scene, tables) = (Scene::healthy(topology), shortest(topology));
    let schedule = direct(&scene, &tables, ScheduleRequest::default()).unwrap();
    let kinds =
        [Collective::AllToAll, Collective::AllGather, Collective::ReduceScatter, Collective::AllReduce];
    let schedules: Vec<Schedule> = kinds
        .iter()
        .map(|&collective| {
            derive_schedule(&scene, &schedule, collective, CollectiveAlgorithm::Direct).unwrap()
        })
        .collect();
    schedules.iter().for_each(|schedule| passes(&scene, &tables, schedule));
    schedules
}

/// A broadcast from a chip and a reduction to it.
fn around(topology: &Topology, root: NodeId) -> [Schedule; 2] {
    let (scene, tables) = (Scene::healthy(topology), shortest(topology));
    let rooted_schedule =
        |collective| rooted(&scene, &tables, collective, root, ScheduleRequest::default()).unwrap();
    let rooted_pair = [rooted_schedule(Collective::Broadcast), rooted_schedule(Collective::Reduce)];
    rooted_pair.iter().for_each(|schedule| passes(&scene, &tables, schedule));
    rooted_pair
}

fn slots(schedule: &Schedule) -> u64 {
    let Transfers::Sends(sends) = &schedule.transfers else { panic!("messages") };
    u64::from(sends.slots()) * schedule.sent_times()
}

/// The largest volume that is a bound of all, in shards of `chips`.
fn bound(schedule: &Schedule, chips: u64) -> Fraction {
    let volume = |bound: &CollectiveBound| match bound {
        CollectiveBound::Partition { .. } => bound.volume().times(Fraction::integer(chips)),
        _ => bound.volume(),
    };
    schedule.bounds.iter().filter(|bound| bound.is_universal()).map(volume).max().unwrap()
}

#[test]
fn small_fabrics_by_hand() {
    // Three shards into every chip, the first of them a hop after it came to the hub. An all-reduce of four
    // takes in six messages of every byte, by four channels: six shards.
    let star = sent(&star());
    let [apart, .., twice] = [0, 1, 2, 3].map(|index| slots(&star[index]));
    assert!((4..=5).contains(&apart) && twice == 2 * apart, "{apart}, {twice}");
    assert_eq!(
        star.iter().map(|factor| bound(factor, 4)).collect::<Vec<_>>(),
        [3, 3, 3, 6].map(|bound: u32| Fraction::integer(bound))
    );
    let all_reduce = &star[3].bounds;
    assert!(
        all_reduce.contains(&CollectiveBound::Partition { part_of: Vec::new(), parts: 4, channels: 4 }),
        "{all_reduce:?}"
    );
    assert!(
        all_reduce.contains(&CollectiveBound::Channel {
            channel: fabc::ids::ChannelId(0),
            shards: 6,
            lanes: 1
        }),
        "{all_reduce:?}"
    );
    let two = CollectiveBound::Latency { node: NodeId(1), distance: 1, channels: 1, shards: 3 };
    assert!(star[1].bounds.contains(&two), "{:?}", star[1].bounds);

    // All of one side comes to the other by one link, each shard once if it is copied there. What is sent to
    // every vector crosses three times.
    let hubs = sent(&two_hubs());
    assert_eq!(bound(&hubs[1], 6), Fraction::integer(3u32));
    let cut = hubs[1].bounds.iter().find_map(|bound| match bound {
        CollectiveBound::Cut { all_but, channels, shards } => Some((all_but.len(), *channels, *shards)),
        _ => None,
    });
    assert_eq!(cut, Some((4, 1, 3)));
    assert_eq!(hubs[1].bounds[0].volume(), Fraction::integer(9u32));
    assert!((9..=12).contains(&slots(&hubs[1])), "{}", slots(&hubs[1]));

    // 1 + 2 + 3 + 4 messages on every channel. Four shards come into every chip at least.
    let sent_around = sent(&one_way_ring(5));
    assert_eq!(sent_around[1].bounds[0].volume(), Fraction::integer(10u32));
    assert_eq!(bound(&sent_around[1], 5), Fraction::integer(4u32));
    assert_eq!(bound(&sent_around[0], 5), Fraction::integer(10u32));
    assert!((10..=12).contains(&slots(&sent_around[1])), "{}", slots(&sent_around[1]));
}

#[test]
fn small_fabrics_with_a_root_by_hand() {
    // Of four shards three leave the root, the last of them two hops away. Then it has its own for three, and
    // the others tell each other theirs. One channel leaves the root: the bound is a vector, four shards.
    let [broadcast, reduce] = around(&star(), NodeId(1));
    for schedule in [&broadcast, &reduce] {
        assert!((8..=9).contains(&slots(schedule)), "{schedule:?}");
        let cut = CollectiveBound::Cut { all_but: vec![NodeId(2)], channels: 1, shards: 1 };
        let Some(CollectiveBound::Cut { channels, shards, .. }) = schedule.bounds.get(1) else {
            panic!("{:?}", schedule.bounds)
        };
        assert_eq!((*channels, *shards, cut.volume()), (1, 1, Fraction::integer(1u32)));
        assert!(matches!(
            schedule.bounds[2],
            CollectiveBound::Latency { distance: 1, channels: 1, shards: 1, .. }
        ));
    }
    // Three shards on the way out, and the root's own three times. As many come to it.
    assert_eq!(
        broadcast.bounds[0],
        CollectiveBound::Channel { channel: fabc::ids::ChannelId(1), shards: 6, lanes: 1 }
    );
    assert_eq!(
        reduce.bounds[0],
        CollectiveBound::Channel { channel: fabc::ids::ChannelId(0), shards: 6, lanes: 1 }
    );

    // A ring that runs one way takes 1 + 2 + 3 + 4 steps out. The other direction takes as many.
    let [broadcast, reduce] = around(&one_way_ring(5), NodeId(2));
    assert_eq!(
        broadcast.bounds[2],
        CollectiveBound::Latency { node: NodeId(1), distance: 3, channels: 1, shards: 1 }
    );
    assert_eq!(
        reduce.bounds[2],
        CollectiveBound::Latency { node: NodeId(2), distance: 3, channels: 1, shards: 1 }
    );
}

#[test]
fn cuts_around_a_root_are_the_least_of_all_sets() {
    let mut stream = Stream::new(73, 1);
    for _ in 0..60 {
        let topology = random(&mut stream, 8);
        let topology = uneven(&mut stream, topology);
        if topology.node_count() < 3 {
            continue;
        }
        let mut hosts: Vec<u16> = topology.nodes().map(|_| stream.below(2) as u16).collect();
        (hosts[0], *hosts.last_mut().unwrap()) = (1, 1);
        // A router that only forwards, so that messages are what is planned.
        if hosts.iter().all(|&hosts| hosts > 0) {
            hosts[1] = 0;
        }
        let topology = topology.with_hosts(hosts);
        let chips: Vec<NodeId> = topology.endpoints().collect();
        let root = chips[stream.below(chips.len())];
        let into = |set: u32| {
            let inside = |node: NodeId| set >> node.0 & 1 == 1;
            let across = |channel: &fabc::ids::ChannelId| {
                inside(topology.target(*channel).node) && !inside(topology.source(*channel).node)
            };
            let parts = !inside(root) && chips.iter().any(|&chip| inside(chip));
            parts.then(|| {
                topology
                    .channels()
                    .filter(across)
                    .map(|channel| topology.channel_capacity(channel))
                    .sum::<u64>()
            })
        };
        let least_cut = (1..1u32 << topology.node_count()).filter_map(into).min().unwrap();
        for schedule in around(&topology, root) {
            let Some(CollectiveBound::Cut { channels, .. }) = schedule.bounds.get(1) else {
                panic!("{:?}", schedule.bounds)
            };
            assert_eq!(u64::from(*channels), least_cut, "{topology:?}");
        }
    }
}

/// A message that is missing, double, another one, too early, or that a root has no need of, is convicted.
#[test]
fn tampered_messages_around_a_root_are_convicted() {
    let topology = two_hubs();
    let (scene, tables) = (Scene::healthy(&topology), shortest(&topology));
    for schedule in around(&topology, NodeId(3)) {
        let Transfers::Sends(sends) = &schedule.transfers else { panic!("messages") };
        let lists = |change: &dyn Fn(&mut Vec<RoutedMessage>)| {
            [true, false].map(|of_root| {
                let mut sends = sends.clone();
                change(if of_root { &mut sends.rooted } else { &mut sends.messages });
                Schedule { transfers: Transfers::Sends(sends), ..schedule.clone() }
            })
        };
        let tampered = [
            lists(&|list| drop(list.remove(0))),
            lists(&|list| list.push(list[0].clone())),
            lists(&|list| list[1] = list[0].clone()),
            lists(&|list| {
                let message = &mut list[0];
                (message.source, message.destination) = (message.destination, message.source);
            }),
            lists(&|list| list.iter_mut().find(|message| message.slots.len() > 1).unwrap().slots.reverse()),
            lists(&|list| list[0].part = 1),
        ];
        for (index, changed) in tampered
            .iter()
            .flatten()
            .enumerate()
            .filter(|(_, changed)| changed.transfers != schedule.transfers)
        {
            assert!(
                check::verify_message_schedule(&scene, &tables, changed).is_err(),
                "{index} of {:?}",
                schedule.collective
            );
        }
        let mut elsewhere = schedule.clone();
        elsewhere.root = Some(NodeId(4));
        assert!(check::verify_message_schedule(&scene, &tables, &elsewhere).is_err());
        let mut other_kind = schedule.clone();
        other_kind.collective = if schedule.collective == Collective::Reduce {
            Collective::Broadcast
        } else {
            Collective::Reduce
        };
        assert!(check::verify_message_schedule(&scene, &tables, &other_kind).is_err());
        for index in 0..schedule.bounds.len() {
            let mut changed_schedule = schedule.clone();
            match &mut changed_schedule.bounds[index] {
                CollectiveBound::Cut { channels, .. } => *channels -= 1,
                CollectiveBound::Latency { distance, .. } => *distance += 1,
                CollectiveBound::Channel { shards, .. } => *shards += 1,
                other_kind => panic!("{other_kind:?}"),
            }
            assert!(
                check::verify_message_schedule(&scene, &tables, &changed_schedule).is_err(),
                "bound {index}"
            );
        }
    }
}

#[test]
fn cuts_are_those_of_all_sets_with_chips_on_both_sides() {
    let mut stream = Stream::new(71, 1);
    for round in 0..150 {
        let mut topology = random(&mut stream, 10);
        if round % 2 == 1 {
            topology = uneven(&mut stream, topology);
        }
        let mut hosts: Vec<u16> = topology.nodes().map(|_| stream.below(2) as u16).collect();
        hosts[0] = 1;
        *hosts.last_mut().unwrap() = 1;
        let topology = topology.with_hosts(hosts);
        let crossing = |set: u32| {
            let inside = |node: NodeId| set >> node.0 & 1 == 1;
            let within = topology.endpoints().filter(|&chip| inside(chip)).count();
            let out = topology.channels().filter(|&channel| {
                inside(topology.source(channel).node) && !inside(topology.target(channel).node)
            });
            (within > 0 && within < topology.endpoints().count()).then(|| {
                Fraction::new(
                    within as u64,
                    out.map(|channel| topology.channel_capacity(channel)).sum::<u64>(),
                )
            })
        };
        let scene = Scene::healthy(&topology);
        let gather = bounds(&scene, Collective::AllGather, None).unwrap();
        let densest = (1..(1u32 << topology.node_count()) - 1).filter_map(crossing).max().unwrap();
        assert_eq!(gather[0].volume(), densest, "{topology:?}");
        check::verify_collective_bounds(&scene, Collective::AllGather, None, &gather).unwrap();
        for schedule in sent(&topology) {
            assert!(
                u128::from(slots(&schedule)) >= bound(&schedule, topology.endpoints().count() as u64).ceil()
            );
        }
    }
}

/// Bounds that claim too much are errors, and so are messages that do not belong to the collective.
#[test]
fn wrong_claims_are_convicted() {
    let topology = star();
    let (scene, tables) = (Scene::healthy(&topology), shortest(&topology));
    let all_reduce = sent(&topology).pop().unwrap();
    for index in 0..all_reduce.bounds.len() {
        let mut tampered = all_reduce.clone();
        match &mut tampered.bounds[index] {
            CollectiveBound::Cut { shards, .. }
            | CollectiveBound::Latency { shards, .. }
            | CollectiveBound::Channel { shards, .. } => {
                *shards += 1;
            }
            CollectiveBound::Partition { channels, .. } => *channels -= 1,
            other => panic!("{other:?} is not of a sum"),
        }
        assert!(check::verify_message_schedule(&scene, &tables, &tampered).is_err(), "{tampered:?}");
    }
    // A hub is in no part, and is no chip that a set could stand on alone.
    for changed in [
        CollectiveBound::Partition {
            part_of: vec![Some(0), Some(1), Some(2), Some(3), Some(0)],
            parts: 4,
            channels: 4,
        },
        CollectiveBound::Partition {
            part_of: vec![None, Some(0), Some(1), Some(2), None],
            parts: 3,
            channels: 3,
        },
    ] {
        assert!(check::verify_collective_bounds(&scene, Collective::AllReduce, None, &[changed]).is_err());
    }
    let alone = CollectiveBound::Cut { all_but: vec![NodeId(0)], channels: 4, shards: 4 };
    assert!(check::verify_collective_bounds(&scene, Collective::AllGather, None, &[alone]).is_err());
    let mut rooted = all_reduce.clone();
    (rooted.collective, rooted.root) = (Collective::Broadcast, Some(NodeId(1)));
    assert!(check::verify_message_schedule(&scene, &tables, &rooted).is_err());
    let Transfers::Sends(sends) = &all_reduce.transfers else { panic!("messages") };
    let mut lost = all_reduce.clone();
    let fewer = fabc::ir::Sends { messages: sends.messages[1..].to_vec(), ..sends.clone() };
    lost.transfers = Transfers::Sends(fewer);
    assert!(check::verify_message_schedule(&scene, &tables, &lost).is_err());
}

#[test]
fn nothing_rests_where_nothing_can() {
    for (topology, word) in [(star(), "router0 only forwards"), (one_way_ring(4), "runs one way only")] {
        let scene = Scene::healthy(&topology);
        let request = ScheduleRequest::default();
        let errors = [
            by_steps(&scene, request).unwrap_err(),
            by_slots(&scene, request).unwrap_err(),
            multitree(&scene, request).unwrap_err(),
            pull(&scene, NodeId(1), request).unwrap_err(),
            trees(&scene, request).unwrap_err(),
        ];
        assert!(errors.iter().all(|error| error.to_string().contains(word)), "{errors:?}");
    }
}
