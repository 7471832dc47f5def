//! Checks that channel lengths prove an upper bound of the concurrent flow, by exact sums.
//!
//! Any nonnegative lengths give a true bound. So the check recomputes the two sums of the lengths, in which
//! dark channels do not count. The same lengths bound the loads of routes of fewest hops, from below and more
//! tightly: such routes have fewer paths to choose from.

use crate::conviction::Conviction;
use crate::lit_graph::{
    LitGraph, Nearest, expect_length, expect_lit, representative_sources, scene_symmetry,
};
use fabc_topology::Demand;
use fabc_topology::ids::{Id, NodeId};
use fabc_topology::{DualLengths, Scene, Symmetry};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Recomputes volume and distance of the lengths by Dijkstra's algorithm, and compares them with the claimed
/// sums. Pairs of a dead router do not count. Where the scene does not keep the topology's symmetry, lengths
/// are `[router * ports + port]`.
///
/// # Errors
/// A length on a channel class that has no lit channel, or a sum that differs.
pub fn check_dual(scene: &Scene<'_>, demand: &Demand, claimed: &DualLengths) -> Result<(), Conviction> {
    let (volume, distance) = volume_and_distance(scene, demand, &claimed.lengths)?;
    for (what, claimed, measured) in
        [("volume", claimed.volume, volume), ("distance", claimed.distance, distance)]
    {
        if claimed != measured {
            return Err(Conviction::Lengths(format!(
                "the {what} is claimed to be {claimed}, but it is {measured}"
            )));
        }
    }
    Ok(())
}

/// The volume and the distance of channel lengths. The volume is the sum over all lit channels of length x
/// capacity. The distance is the sum over all ordered pairs of weight x shortest length. The volume is
/// positive. So is the distance, unless nobody sends.
///
/// # Errors
/// A length on a class without a lit channel, a pair without a path, or sums that give no bound.
pub fn volume_and_distance(
    scene: &Scene<'_>,
    demand: &Demand,
    lengths: &[u64],
) -> Result<(u128, u128), Conviction> {
    let symmetry = &scene_symmetry(scene);
    let ChannelLengths { graph, length_of, volume } = ChannelLengths::new(scene, symmetry, lengths)?;
    let (sources, weight) = representative_sources(scene, symmetry);
    // Short lengths use buckets, which are faster than a heap.
    let few = lengths.iter().all(|&length| length < FEW as u64);
    let sums = sources.par_iter().map(|&source| match few {
        true => sum_from(scene, &graph, demand, &length_of, source, &mut BucketQueue::new()),
        false => sum_from(scene, &graph, demand, &length_of, source, &mut BinaryHeap::new()),
    });
    let sums = sums.collect::<Vec<_>>();
    let distance = sums.into_iter().sum::<Result<u128, Conviction>>()? * u128::from(weight);
    expect_bound(scene, demand, volume, distance)?;
    Ok((volume, distance))
}

/// The volume and the distance of channel lengths, where a pair may take a path of fewest hops only. The
/// volume is as in [`volume_and_distance`]. The distance is the sum over all ordered pairs of weight x the
/// least length of a path of fewest hops. So no routes of fewest hops load all channels less than distance
/// over volume.
///
/// # Errors
/// As [`volume_and_distance`].
pub fn volume_and_shortest_distance(
    scene: &Scene<'_>,
    demand: &Demand,
    lengths: &[u64],
) -> Result<(u128, u128), Conviction> {
    let symmetry = &scene_symmetry(scene);
    let lengths = ChannelLengths::new(scene, symmetry, lengths)?;
    let (sources, weight) = representative_sources(scene, symmetry);
    let sums = sources.par_iter().map_init(Nearest::default, |nearest, &source| {
        lengths.shortest_sum_from(scene, demand, source, nearest)
    });
    let sums = sums.collect::<Vec<_>>();
    let distance = sums.into_iter().sum::<Result<u128, Conviction>>()? * u128::from(weight);
    expect_bound(scene, demand, lengths.volume, distance)?;
    Ok((lengths.volume, distance))
}

/// Lengths of the lit channels.
struct ChannelLengths {
    graph: LitGraph,
    /// `[channel]`: the length of its class. 0 where it is dark.
    length_of: Vec<u64>,
    /// Sum over all lit channels of length x capacity.
    volume: u128,
}

impl ChannelLengths {
    fn new(scene: &Scene<'_>, symmetry: &Symmetry, lengths: &[u64]) -> Result<Self, Conviction> {
        expect_lit(scene)?;
        let topology = scene.topology;
        expect_length("lengths", "channel classes", lengths.len(), topology.class_count(symmetry))?;
        let graph = LitGraph::new(scene);
        let mut lit = vec![false; lengths.len()];
        let mut length_of = vec![0u64; topology.channel_count()];
        let mut volume = 0u128;
        for channel in graph.channels() {
            let class = topology.channel_class(symmetry, channel).index();
            lit[class] = true;
            length_of[channel.index()] = lengths[class];
            volume += u128::from(lengths[class]) * u128::from(topology.channel_capacity(channel));
        }
        if let Some(class) = (0..lengths.len()).find(|&class| !lit[class] && lengths[class] != 0) {
            return Err(Conviction::Lengths(format!(
                "channel class {class} is dark, but has the length {}",
                lengths[class]
            )));
        }
        Ok(Self { graph, length_of, volume })
    }

    /// The sum of weight x least length over paths of fewest hops, from a source to all other living routers.
    fn shortest_sum_from(
        &self,
        scene: &Scene<'_>,
        demand: &Demand,
        source: NodeId,
        nearest: &mut Nearest,
    ) -> Result<u128, Conviction> {
        self.graph.search_from(source, nearest);
        let Nearest { hops, order } = nearest;
        let mut least = vec![u64::MAX; self.graph.node_count()];
        least[source.index()] = 0;
        // All routers that are a hop nearer come before.
        for &node in order.iter() {
            let length = least[node as usize];
            for &(channel, to) in self.graph.channels_from(node as usize) {
                if hops[to as usize] == hops[node as usize] + 1 {
                    let Some(longer) =
                        length.checked_add(self.length_of[channel.index()]).filter(|&sum| sum < u64::MAX)
                    else {
                        return Err(Conviction::Lengths("a path is longer than 64 bits".to_owned()));
                    };
                    least[to as usize] = least[to as usize].min(longer);
                }
            }
        }
        let mut sum = 0;
        for (node, &length) in least.iter().enumerate() {
            let to = NodeId::new(node);
            if scene.dead.contains(&to) || !scene.is_endpoint(to) {
                continue;
            }
            if length == u64::MAX {
                return Err(Conviction::Lengths(format!("node {to} cannot be reached from node {source}")));
            }
            sum += u128::from(length) * u128::from(demand.weight(source, to));
        }
        Ok(sum)
    }
}

/// Expects that a bound follows.
fn expect_bound(scene: &Scene<'_>, demand: &Demand, volume: u128, distance: u128) -> Result<(), Conviction> {
    let sends =
        || demand.endpoints().any(|source| !scene.dead.contains(&source) && sends(scene, demand, source));
    if volume == 0 || (distance == 0 && sends()) {
        return Err(Conviction::Lengths(
            "no bound follows: all of them are zero, or no pair has a positive distance".to_owned(),
        ));
    }
    Ok(())
}

/// Whether a router sends to any living router.
fn sends(scene: &Scene<'_>, demand: &Demand, source: NodeId) -> bool {
    demand.endpoints().any(|to| to != source && !scene.dead.contains(&to) && demand.weight(source, to) > 0)
}

/// The routers that a search has reached but not left, by length.
trait NearestQueue {
    fn put(&mut self, length: u64, node: u32);
    /// Takes out one of the nearest.
    fn take(&mut self) -> Option<(u64, u32)>;
}

impl NearestQueue for BinaryHeap<Reverse<(u64, u32)>> {
    fn put(&mut self, length: u64, node: u32) {
        self.push(Reverse((length, node)));
    }
    fn take(&mut self) -> Option<(u64, u32)> {
        self.pop().map(|Reverse(nearest)| nearest)
    }
}

/// The number of buckets. With buckets, every channel must be shorter than this.
const FEW: usize = 64;

/// A list of routers for each of the next [`FEW`] lengths.
struct BucketQueue {
    lists: Vec<Vec<u32>>,
    now: u64,
    waiting: usize,
}

impl BucketQueue {
    fn new() -> Self {
        Self { lists: vec![Vec::new(); FEW], now: 0, waiting: 0 }
    }
}

impl NearestQueue for BucketQueue {
    fn put(&mut self, length: u64, node: u32) {
        self.lists[length as usize % FEW].push(node);
        self.waiting += 1;
    }
    fn take(&mut self) -> Option<(u64, u32)> {
        if self.waiting == 0 {
            return None;
        }
        self.waiting -= 1;
        loop {
            match self.lists[self.now as usize % FEW].pop() {
                Some(node) => return Some((self.now, node)),
                None => self.now += 1,
            }
        }
    }
}

/// The sum of weight x shortest length from a source to all other living routers.
fn sum_from(
    scene: &Scene<'_>,
    graph: &LitGraph,
    demand: &Demand,
    length_of: &[u64],
    source: NodeId,
    open: &mut impl NearestQueue,
) -> Result<u128, Conviction> {
    let mut shortest = vec![u64::MAX; graph.node_count()];
    shortest[source.index()] = 0;
    open.put(0, source.0);
    while let Some((length, node)) = open.take() {
        if length > shortest[node as usize] {
            continue;
        }
        for &(channel, to) in graph.channels_from(node as usize) {
            let Some(longer) = length.checked_add(length_of[channel.index()]).filter(|&sum| sum < u64::MAX)
            else {
                return Err(Conviction::Lengths("a path is longer than 64 bits".to_owned()));
            };
            if longer < shortest[to as usize] {
                shortest[to as usize] = longer;
                open.put(longer, to);
            }
        }
    }
    for dead in &scene.dead {
        shortest[dead.index()] = 0;
    }
    let apart = |&node: &usize| shortest[node] == u64::MAX && scene.is_endpoint(NodeId::new(node));
    match (0..shortest.len()).find(apart) {
        None => {
            let weight = |node: usize| u128::from(demand.weight(source, NodeId::new(node)));
            Ok(shortest.iter().enumerate().map(|(node, &length)| u128::from(length) * weight(node)).sum())
        }
        Some(node) => Err(Conviction::Lengths(format!("node {node} cannot be reached from node {source}"))),
    }
}
