//! Bounds against plain enumeration.

use crate::collective::graphs::{graph, random};
use fabc::ir::{CollectiveBound, Fraction, Scene, Topology};
use fabc::model::Collective;
use fabc::passes::collective::bounds;
use fabc::random::Stream;

/// The most shards per channel over all sets of routers.
fn densest(topology: &Topology, root: Option<u32>) -> Fraction {
    let nodes = topology.node_count();
    let crossing = |set: u32| {
        let inside = |node: fabc::ids::NodeId| set >> node.0 & 1 == 1;
        let out = topology.channels().filter(|&channel| {
            inside(topology.source(channel).node) && !inside(topology.target(channel).node)
        });
        Fraction::new(if root.is_some() { 1 } else { set.count_ones() }, out.count() as u32)
    };
    (1..(1u32 << nodes) - 1)
        .filter(|set| root.is_none_or(|root| set >> root & 1 == 1))
        .map(crossing)
        .max()
        .unwrap()
}

#[test]
fn cuts_are_those_of_all_subsets() {
    let mut stream = Stream::new(7, 1);
    for _ in 0..150 {
        let topology = random(&mut stream, 10);
        let scene = Scene::healthy(&topology);
        let gather = bounds(&scene, Collective::AllGather, None).unwrap();
        assert_eq!(gather[0].volume(), densest(&topology, None), "{topology:?}");
        fabc::check::verify_collective_bounds(&scene, Collective::AllGather, None, &gather).unwrap();
        let root = topology.nodes().last().unwrap();
        let broadcast = bounds(&scene, Collective::Broadcast, Some(root)).unwrap();
        assert_eq!(broadcast[0].volume(), densest(&topology, Some(root.0)), "{topology:?}");
        fabc::check::verify_collective_bounds(&scene, Collective::Broadcast, Some(root), &broadcast).unwrap();
        let all_reduce = bounds(&scene, Collective::AllReduce, None).unwrap();
        fabc::check::verify_collective_bounds(&scene, Collective::AllReduce, None, &all_reduce).unwrap();
    }
}

#[test]
fn bounds_do_not_depend_on_numbers() {
    let mut stream = Stream::new(8, 1);
    for _ in 0..50 {
        let topology = random(&mut stream, 20);
        let mut names: Vec<u32> = topology.nodes().map(|node| node.0).collect();
        stream.shuffle(&mut names);
        let pairs: Vec<[u32; 2]> = topology
            .links()
            .iter()
            .map(|link| [link.b, link.a].map(|end| names[end.node.0 as usize]))
            .collect();
        let renamed = graph(names.len() as u32, &pairs);
        let cuts_of = |topology: &Topology| -> Vec<(Fraction, u32)> {
            let found_bounds = bounds(&Scene::healthy(topology), Collective::AllGather, None).unwrap();
            found_bounds.iter().map(|bound| (bound.volume(), bound.hops())).collect()
        };
        assert_eq!(cuts_of(&topology), cuts_of(&renamed), "{topology:?}");
    }
}

#[test]
fn a_bound_that_says_more_than_its_witness_is_convicted() {
    let mut stream = Stream::new(9, 1);
    for _ in 0..50 {
        let topology = random(&mut stream, 12);
        let scene = Scene::healthy(&topology);
        for collective in [Collective::AllGather, Collective::AllReduce] {
            let found_bounds = bounds(&scene, collective, None).unwrap();
            for index in 0..found_bounds.len() {
                let mut tampered = found_bounds.clone();
                match &mut tampered[index] {
                    CollectiveBound::Cut { shards, .. } | CollectiveBound::Latency { shards, .. } => {
                        *shards += 1
                    }
                    CollectiveBound::Partition { channels, .. } => *channels += 1,
                    other => panic!("{other:?} is of an all-to-all"),
                }
                assert!(
                    fabc::check::verify_collective_bounds(&scene, collective, None, &tampered).is_err(),
                    "{tampered:?}"
                );
            }
        }
    }
}
