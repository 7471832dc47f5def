//! Bounds of an all-reduce in which switches add and copy.

use crate::collective::graphs::{boxes, graph, leaf_spine, star, switched};
use fabc::ids::{Id, NodeId};
use fabc::ir::{CollectiveBound, Fraction, Scene, Topology};
use fabc::passes::collective::switch_bound;
use fabc::random::Stream;

fn bound(topology: &Topology, adders: &[u32]) -> Option<CollectiveBound> {
    let scene = Scene::healthy(topology);
    let adders: Vec<NodeId> = adders.iter().map(|&node| NodeId(node)).collect();
    let bound = switch_bound(&scene, &adders).unwrap();
    if let Some(bound) = &bound {
        fabc::check::verify_switch_bound(&scene, &adders, bound).unwrap();
    }
    bound
}

/// Vectors over a channel of one lane.
fn volume(topology: &Topology, adders: &[u32]) -> Fraction {
    bound(topology, adders).unwrap().volume()
}

#[test]
fn known_fabrics_by_hand() {
    // One switch of 8: every vector leaves its chip once, and without the switch 2 x 7/8 of it.
    assert_eq!(volume(&star(8), &[8]), Fraction::integer(1u8));
    assert_eq!(bound(&star(8), &[]), None);
    // Four boxes of 8 on rails, 9 lanes inside and 1 outside. In the boxes: four parts with 8 lanes into
    // each, 2 x 3 vectors over 32 lanes.
    let rails = boxes(4, 8, 8, [9, 1]);
    let inner = [32, 33, 34, 35];
    assert_eq!(volume(&rails, &inner), Fraction::new(3u8, 16u8));
    // In the leaves, too: a vector leaves a box by 8 lanes.
    let all: Vec<u32> = (32..44).collect();
    assert_eq!(volume(&rails, &all), Fraction::new(1u8, 8u8));
    // One leaf that adds in a fabric of three: hosts of the others still send for themselves.
    let three = leaf_spine(3, 1, 3);
    assert!(volume(&three, &[9]) > volume(&three, &[9, 10, 11, 12]));
    assert_eq!(volume(&three, &[9, 10, 11, 12]), Fraction::integer(1u8));
}

/// Every partition of the chips with every place of the other routers, which adders must have.
fn largest_of_all(topology: &Topology, adders: &[NodeId]) -> Fraction {
    fn places(
        topology: &Topology,
        adders: &[NodeId],
        node: usize,
        part_of: &mut Vec<Option<u32>>,
        best: &mut Fraction,
    ) {
        let scene = Scene::healthy(topology);
        if node < topology.node_count() {
            let parts = part_of.iter().flatten().max().map_or(0, |most| most + 1);
            let must = scene.is_endpoint(NodeId(node as u32)) || adders.contains(&NodeId(node as u32));
            let choices = (0..=parts).map(Some).chain((!must).then_some(None));
            for choice in choices {
                part_of.push(choice);
                places(topology, adders, node + 1, part_of, best);
                part_of.pop();
            }
            return;
        }
        let parts = part_of.iter().flatten().max().map_or(0, |most| most + 1);
        let has_chip = |part: u32| scene.endpoints().any(|chip| part_of[chip.index()] == Some(part));
        if parts < 2 || !(0..parts).all(has_chip) {
            return;
        }
        let crosses = |channel: &_| {
            let to = part_of[topology.target(*channel).node.index()];
            to.is_some() && part_of[topology.source(*channel).node.index()] != to
        };
        let channels: u64 =
            topology.channels().filter(crosses).map(|channel| topology.channel_capacity(channel)).sum();
        *best = (*best).max(Fraction::new(2 * u64::from(parts - 1), channels));
    }
    let mut best = Fraction::ZERO;
    places(topology, adders, 0, &mut Vec::new(), &mut best);
    best
}

#[test]
fn random_fabrics_have_no_larger_bound_than_all_partitions() {
    let mut stream = Stream::new(47, 1);
    let mut equal = 0;
    for _ in 0..40 {
        let topology = switched(&mut stream, 6);
        let scene = Scene::healthy(&topology);
        let switches: Vec<NodeId> = topology.nodes().filter(|&node| !scene.is_endpoint(node)).collect();
        if switches.is_empty() || scene.endpoints().count() < 2 {
            continue;
        }
        let adders = &switches[..1 + stream.below(switches.len())];
        let found = switch_bound(&scene, adders).unwrap().unwrap();
        fabc::check::verify_switch_bound(&scene, adders, &found).unwrap();
        let largest = largest_of_all(&topology, adders);
        assert!(found.volume() <= largest, "{found:?}");
        equal += u32::from(found.volume() == largest);
    }
    assert!(equal >= 25, "{equal}");
}

#[test]
fn wrong_bounds_are_convicted() {
    let topology = boxes(2, 2, 2, [4, 1]);
    let scene = Scene::healthy(&topology);
    let adders = [NodeId(4), NodeId(5)];
    let right = switch_bound(&scene, &adders).unwrap().unwrap();
    let CollectiveBound::Partition { part_of, parts, channels } = right.clone() else { panic!("{right:?}") };
    let verdict = |bound: CollectiveBound| {
        fabc::check::verify_switch_bound(&scene, &adders, &bound).unwrap_err().to_string()
    };
    let partition = |part_of, parts, channels| CollectiveBound::Partition { part_of, parts, channels };
    let mut outside = part_of.clone();
    outside[4] = None;
    assert!(verdict(partition(outside, parts, channels)).contains("in no part"));
    // Chips apart, the switch of the box in none of the parts: what the bound without arithmetic counts.
    assert!(verdict(partition(Vec::new(), 4, 20)).contains("in no part"));
    assert!(verdict(partition(part_of.clone(), parts, channels - 1)).contains("channels"));
    let cut = CollectiveBound::Cut { all_but: vec![NodeId(0)], channels: 5, shards: 3 };
    assert!(verdict(cut).contains("no partition"));
    // A leaf that adds as well must be in a part.
    let more = [NodeId(4), NodeId(5), NodeId(6)];
    assert!(fabc::check::verify_switch_bound(&scene, &more, &right).is_err() || part_of[6].is_some());
}

#[test]
fn chips_that_nothing_joins_have_no_bound() {
    let apart = graph(4, &[[0, 2], [1, 3]]).with_hosts(vec![1, 1, 0, 0]);
    assert!(switch_bound(&Scene::healthy(&apart), &[NodeId(2)]).is_err());
}
