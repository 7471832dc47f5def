//! How long the pieces of an all-reduce by trees take.

use super::{NS, by_trees, checked, cost, every_other, least_bound, shared, unlike};
use crate::collective::graphs::{path, ring};
use fabc::ids::{ChannelId, Id, NodeId};
use fabc::ir::{CollectiveCost, Scene, Schedule, SharedTrees, Topology};
use fabc::model::Collective;
use fabc::passes::collective::{PieceCrossing, PipelinedTrees, bounds};
use fabc::random::Stream;
use std::collections::BTreeMap;

/// Every piece on every channel: the channel, its start and its number.
fn pieces(
    topology: &Topology,
    shared: &SharedTrees,
    crossings: &[PieceCrossing],
    count: u128,
    period: u128,
) -> Vec<(ChannelId, u128, u128)> {
    assert_eq!(
        crossings.len(),
        shared.trees.iter().map(|tree| 2 * tree.up.iter().flatten().count()).sum::<usize>()
    );
    let all_crossings = crossings.iter().flat_map(|crossing| {
        (0..count).map(move |piece| (crossing.channel, crossing.start + piece * period, piece))
    });
    let planned_crossings: Vec<_> = all_crossings.collect();
    assert!(planned_crossings.iter().all(|(channel, ..)| channel.index() < topology.channel_count()));
    planned_crossings
}

/// When the last copy of the first piece arrives. `times` has the start and the arrival of that piece on a
/// channel of a tree. Sums wait for all children, copies for the parent, and the root for all routers below
/// it.
fn last_arrival(
    topology: &Topology,
    shared: &SharedTrees,
    times: &dyn Fn(usize, ChannelId) -> (u128, u128),
) -> u128 {
    let mut end = 0;
    for (number, tree) in shared.trees.iter().enumerate() {
        let edges: Vec<(NodeId, ChannelId)> = topology
            .nodes()
            .filter_map(|node| tree.up[node.index()].map(|channel| (node, channel)))
            .collect();
        for &(node, up) in &edges {
            let parent = topology.target(up).node;
            let below = edges.iter().filter(|(_, other)| topology.target(*other).node == node);
            assert!(below.clone().all(|&(_, child)| times(number, child).1 <= times(number, up).0), "up");
            let ready = if parent == tree.root {
                edges
                    .iter()
                    .filter(|(_, top)| topology.target(*top).node == tree.root)
                    .map(|&(_, top)| times(number, top).1)
                    .max()
            } else {
                tree.up[parent.index()].map(|above| times(number, topology.reverse(above).unwrap()).1)
            };
            assert!(ready.unwrap() <= times(number, topology.reverse(up).unwrap()).0, "down");
            end = end.max(times(number, topology.reverse(up).unwrap()).1);
        }
    }
    end
}

#[test]
fn pieces_of_trees_meet_nowhere_and_wait_for_what_they_need() {
    let mut stream = Stream::new(41, 1);
    let mut shared_links = 0;
    for round in 0..40u64 {
        let topology = every_other(&mut stream, round, 14);
        let schedule = by_trees(&topology, (round % 3 == 0).then_some(1 + round as u32 % 5));
        let shared = shared(&schedule);
        let cost = cost([0, 3, 20, 700][round as usize % 4], [0, 0, 5][round as usize % 3], false);
        let cost = if round % 4 < 2 { unlike(&mut stream, &topology, cost) } else { cost };
        let (bytes, count) = (64_000 + 997 * round, 1 + round as u32 % 7);
        let pipelined = PipelinedTrees::new(&topology, shared);
        let crossings = pipelined.crossings(&cost, bytes, count);
        let chunk = cost.transfer_time(bytes, shared.trees.len() as u64 * u64::from(count));
        let message = |channel: ChannelId| {
            chunk.div_ceil(u128::from(topology.channel_capacity(channel))) + cost.overhead
        };
        // How many trees cross each channel.
        let mut crossed = BTreeMap::new();
        crossings.iter().for_each(|crossing| *crossed.entry(crossing.channel).or_insert(0u128) += 1);
        let period = crossed.iter().map(|(&channel, &trees)| trees * message(channel)).max().unwrap();
        shared_links += usize::from(crossed.values().any(|&trees| trees > 1));
        // No two messages at once on a channel.
        let mut all_pieces = pieces(&topology, shared, &crossings, count.into(), period);
        all_pieces.sort_unstable();
        for pair in all_pieces.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            assert!(pair[0].1 + message(pair[0].0) <= pair[1].1, "{pair:?}");
        }
        let times = |tree: usize, channel: ChannelId| {
            let crossing =
                crossings.iter().find(|crossing| (crossing.tree, crossing.channel) == (tree, channel));
            let start = crossing.expect("it crosses").start;
            (start, start + message(channel) + cost.hop_over(channel))
        };
        let end = last_arrival(&topology, shared, &times);
        let time = pipelined.time(&cost, bytes, count);
        assert_eq!(time.total(), end + u128::from(count - 1) * period);
        // The checker counts the same.
        let cut = Schedule { chunks: count, ..schedule.clone() };
        let extent = [pipelined.steps(count), pipelined.volume(count)];
        assert_eq!(checked(&Scene::healthy(&topology), &cut, None, &cost, bytes), (time, extent));
        let waiting = CollectiveCost { barrier: true, ..cost.clone() };
        assert_eq!(
            checked(&Scene::healthy(&topology), &cut, None, &waiting, bytes),
            (pipelined.time(&waiting, bytes, count), extent)
        );
        // Nothing beats the bounds.
        let found_bounds = bounds(&Scene::healthy(&topology), Collective::AllReduce, None).unwrap();
        let least_of = |cost| {
            least_bound(&Scene::healthy(&topology), &found_bounds, Collective::AllReduce, None, cost, bytes)
                .unwrap()
                .0
        };
        assert!(least_of(&cost) <= time.total());
        assert!(least_of(&waiting) <= pipelined.time(&waiting, bytes, count).total());
    }
    assert!(shared_links > 5, "{shared_links}");
}

#[test]
fn a_path_of_three_by_hand() {
    let topology = path(3);
    let schedule = by_trees(&topology, None);
    let pipelined = PipelinedTrees::new(&topology, shared(&schedule));
    // Up to the middle and back: 100 kB in four pieces of 2 us. Hops of 20 ns.
    let cost = |overhead, barrier| cost(20, overhead, barrier);
    let time = pipelined.time(&cost(0, false), 100_000, 4);
    assert_eq!(
        (time.total(), time.volume, time.latency, time.overhead),
        (10_040 * NS, 10_000 * NS, 40 * NS, 0)
    );
    assert_eq!((pipelined.steps(4), pipelined.volume(4)), (5, 5));
    // Five messages of the longest chain have an overhead of 100 ns.
    let time = pipelined.time(&cost(100, false), 100_000, 4);
    assert_eq!((time.total(), time.overhead), (10_540 * NS, 500 * NS));
    // Five rounds, a hop in each.
    assert_eq!(pipelined.time(&cost(100, true), 100_000, 4).total(), 5 * 2_120 * NS);
    // Without overhead more pieces are always better, down to a flit of 64 B. With it, about sqrt(8 us / o).
    assert_eq!(pipelined.pieces(&cost(0, false), 100_000, None), 1562);
    assert_eq!(pipelined.pieces(&cost(0, false), 100_000, Some(9999)), 1562);
    assert_eq!(pipelined.pieces(&cost(500, false), 100_000, None), 4);
    assert_eq!(pipelined.pieces(&cost(0, false), 63, None), 1);
    assert_eq!(pipelined.pieces(&cost(0, false), 1 << 40, None), 1 << 16);
}

#[test]
fn shared_links_take_turns() {
    // Four paths around a ring of four, each link in three of them: K / m = 4/3.
    let topology = ring(4);
    let schedule = by_trees(&topology, None);
    let shared = shared(&schedule);
    assert_eq!((shared.trees.len(), shared.capacity, shared.height(&topology)), (4, 3, 2));
    let pipelined = PipelinedTrees::new(&topology, shared);
    // 128 kB: pieces of 2 kB take 160 ns, three of them 480 ns. 2 hops up, 2 hops down, 15 pieces follow.
    let with = pipelined.time(&cost(20, 0, true), 128_000, 16);
    assert_eq!((pipelined.steps(16), with.total()), (19, 19 * 500 * NS));
    let without = pipelined.time(&cost(20, 0, false), 128_000, 16).total();
    assert!(((15 * 480 + 4 * 180) * NS..=19 * 500 * NS).contains(&without), "{without}");
}
