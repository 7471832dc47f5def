//! Whether channel lengths prove the upper end of the concurrent flow: both sums recomputed exactly.
//!
//! Any nonnegative lengths give a true bound, so all there is to check is that the two sums are those of the
//! lengths (and that dark channels, which can carry nothing, are not counted).

use crate::conviction::Conviction;
use crate::lit_graph::{LitGraph, expect_length, expect_lit, representative_sources, symmetry_of};
use fabc_topology::Demand;
use fabc_topology::ids::{Id, NodeId};
use fabc_topology::{DualLengths, Scene};
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Recomputes volume and distance of the lengths by Dijkstra's algorithm, without the pairs of a dead router,
/// and compares them with the claimed sums. Where the scene does not keep the topology's symmetry, lengths
/// are `[router * ports + port]`.
///
/// # Errors
/// A length on a channel class that has no lit channel, or a sum that differs.
pub fn dual(scene: &Scene<'_>, demand: &Demand, claimed: &DualLengths) -> Result<(), Conviction> {
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

/// (Sum over all lit channels of length x capacity, sum of weight x shortest length over all ordered pairs),
/// the first positive, the second too where anybody sends.
pub fn volume_and_distance(
    scene: &Scene<'_>,
    demand: &Demand,
    lengths: &[u64],
) -> Result<(u128, u128), Conviction> {
    expect_lit(scene)?;
    let topology = scene.topology;
    let symmetry = &symmetry_of(scene);
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
    let (sources, weight) = representative_sources(scene, symmetry);
    // Lengths of a few units come in turn, which is faster than sorting them.
    let few = lengths.iter().all(|&length| length < FEW as u64);
    let sums = sources.par_iter().map(|&source| match few {
        true => sum_from(scene, &graph, demand, &length_of, source, &mut Turns::new()),
        false => sum_from(scene, &graph, demand, &length_of, source, &mut BinaryHeap::new()),
    });
    let sums = sums.collect::<Vec<_>>();
    let distance = sums.into_iter().sum::<Result<u128, Conviction>>()? * u128::from(weight);
    let sends =
        || demand.endpoints().any(|source| !scene.dead.contains(&source) && sends(scene, demand, source));
    if volume == 0 || (distance == 0 && sends()) {
        return Err(Conviction::Lengths(
            "they are all zero, or no pair has a positive distance: no bound follows".to_owned(),
        ));
    }
    Ok((volume, distance))
}

/// Whether a router sends to any that lives.
fn sends(scene: &Scene<'_>, demand: &Demand, source: NodeId) -> bool {
    demand.endpoints().any(|to| to != source && !scene.dead.contains(&to) && demand.weight(source, to) > 0)
}

/// Routers that were reached, by length.
trait Open {
    fn put(&mut self, length: u64, node: u32);
    /// One of the nearest.
    fn take(&mut self) -> Option<(u64, u32)>;
}

impl Open for BinaryHeap<Reverse<(u64, u32)>> {
    fn put(&mut self, length: u64, node: u32) {
        self.push(Reverse((length, node)));
    }
    fn take(&mut self) -> Option<(u64, u32)> {
        self.pop().map(|Reverse(nearest)| nearest)
    }
}

/// Every channel is shorter than this.
const FEW: usize = 64;

/// A list for each of the next [`FEW`] lengths.
struct Turns {
    lists: Vec<Vec<u32>>,
    now: u64,
    waiting: usize,
}

impl Turns {
    fn new() -> Self {
        Self { lists: vec![Vec::new(); FEW], now: 0, waiting: 0 }
    }
}

impl Open for Turns {
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

/// Sum of weight x shortest length from a source to all other routers that live.
fn sum_from(
    scene: &Scene<'_>,
    graph: &LitGraph,
    demand: &Demand,
    length_of: &[u64],
    source: NodeId,
    open: &mut impl Open,
) -> Result<u128, Conviction> {
    let mut shortest = vec![u64::MAX; graph.node_count()];
    shortest[source.index()] = 0;
    open.put(0, source.0);
    while let Some((length, node)) = open.take() {
        if length > shortest[node as usize] {
            continue;
        }
        for &(channel, to) in graph.from(node as usize) {
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
