//! All-reduce over spanning trees that share the links evenly. Each tree sums its share of the data at its
//! root and sends the sum back down.
//!
//! K trees with at most m on a link move the full vector at K / m times the rate of a channel. That comes as
//! close to the partition bound as wanted (Tutte 1961, Nash-Williams 1961), also where chips have different
//! degrees. Where K trees do not fit, the packing shows a partition with a tighter bound. Another K is then
//! chosen for that bound. The final bound is exact, or trees come near it.

use super::bounds::collective_bounds;
use super::canonical::{CanonicalScene, check_chunks_can_rest};
use super::error::CollectiveError;
use super::heights::{RootedTree, height, lower_trees};
use super::packing::{LinkGraph, NONE, pack_trees};
use super::request::ScheduleRequest;
use fabc_base::ids::{ChannelId, Id, LinkId, NodeId};
use fabc_base::random::Stream;
use fabc_ir::{CollectiveBound, Fraction, Scene, Schedule, SharedTrees, SpanningTree, Transfers};
use fabc_model::{Collective, CollectiveAlgorithm};
use rayon::prelude::*;

/// Random stream of the first search. Each further search adds its number.
const STREAM: u64 = 0x7472_6565;
/// Searches for low trees. The best result is kept.
const SEARCHES: u64 = 4;
/// Largest number of trees on a link that is accepted to reach the bound exactly.
const EXACT_CAPACITY: u128 = 8;
/// Share of the bound, as a fraction, to reach with as few trees on a link as possible otherwise.
const REACHED_SHARE: (u128, u128) = (24, 25);
/// Limit on copies of links times trees.
const WORK_LIMIT: u64 = 1 << 28;

/// An all-reduce by trees. `request.chunks` says how many trees may share a link. Without it the number is
/// small enough to keep trees low and large enough to reach 96 % of the partition bound. The bounds of the
/// schedule are the tightest partition found and the latency of the farthest pair.
///
/// # Errors
/// Refuses a scene in which nothing can be planned, one in which chunks cannot rest, and too much work.
pub fn trees(scene: &Scene<'_>, request: ScheduleRequest) -> Result<Schedule, CollectiveError> {
    check_chunks_can_rest(scene)?;
    let canonical = CanonicalScene::new(scene)?;
    let mut bounds = collective_bounds(&canonical, Collective::AllReduce, None);
    let chips: Vec<NodeId> = scene.endpoints().collect();
    let mut number = vec![NONE; scene.topology.node_count()];
    chips.iter().zip(0..).for_each(|(chip, index)| number[chip.index()] = index);
    let lit: Vec<LinkId> = scene.links().collect();
    let endpoints = lit.iter().map(|&link| {
        let link = &scene.topology.links()[link];
        [link.a, link.b].map(|end| number[end.node.index()])
    });
    let lanes: Vec<u32> = lit.iter().map(|&link| scene.topology.capacity(link) as u32).collect();
    let copies: u64 = lanes.iter().map(|&lanes| u64::from(lanes)).sum();
    let links = LinkGraph::new(chips.len(), endpoints.collect(), lanes);
    let (capacity, rooted) = loop {
        let (count, capacity) = tree_count_and_capacity(bounds[0].volume(), request.chunks);
        let work = copies * u64::from(capacity) * u64::from(count);
        if work > WORK_LIMIT {
            return Err(CollectiveError::TooLarge { chips: chips.len(), chunks: work, most: WORK_LIMIT });
        }
        match lowest_trees(&links, count as usize, capacity, request.seed) {
            Ok(trees) => break (capacity, trees),
            Err(parts) => bounds[0] = partition(&links, &parts, &number),
        }
    };
    let tree = |rooted: &RootedTree| {
        let up = |node: &u32| {
            let (_, link) = if *node == NONE { (NONE, NONE) } else { rooted.up[*node as usize] };
            let link = *lit.get(link as usize)?;
            let is_forward = number[scene.topology.links()[link].a.node.index()] == *node;
            let forward = scene.topology.forward(link);
            if is_forward { Some(forward) } else { scene.topology.reverse(forward) }
        };
        let up: Vec<Option<ChannelId>> = number.iter().map(up).collect();
        SpanningTree { root: chips[rooted.root as usize], up }
    };
    Ok(Schedule {
        collective: Collective::AllReduce,
        algorithm: CollectiveAlgorithm::Trees,
        seed: request.seed,
        nodes: canonical.nodes() as u32,
        chunks: 1,
        root: None,
        groups: None,
        transfers: Transfers::Trees(SharedTrees { capacity, trees: rooted.iter().map(tree).collect() }),
        bounds,
    })
}

/// Number of trees, and of trees on a link, for a bound in units of M / b.
fn tree_count_and_capacity(bound: Fraction, capacity: Option<u32>) -> (u32, u32) {
    let rate = Fraction::integer(1u8).over(bound);
    let count = |capacity: u32| rate.times(Fraction::integer(capacity)).floor();
    let reaches_bound = |&capacity: &u32| {
        let exact = rate.denominator() <= EXACT_CAPACITY;
        let reached = Fraction::new(count(capacity), capacity);
        if exact {
            reached == rate
        } else {
            reached >= rate.times(Fraction::new(REACHED_SHARE.0, REACHED_SHARE.1))
        }
    };
    let capacity =
        capacity.map_or_else(|| (1..).find(reaches_bound).unwrap_or(1), |capacity| capacity.max(1));
    (u32::try_from(count(capacity)).unwrap_or(u32::MAX).max(1), capacity)
}

/// The lowest trees of all searches, or the parts of a partition that proves that there are none.
fn lowest_trees(
    links: &LinkGraph,
    count: usize,
    capacity: u32,
    seed: u64,
) -> Result<Vec<RootedTree>, Vec<u32>> {
    // Either all searches succeed or none does.
    let search = |number: u64| {
        let mut stream = Stream::new(seed, STREAM + number);
        let trees = pack_trees(links, count, capacity, &mut stream)?;
        Ok(lower_trees(links, &trees, capacity, &mut stream))
    };
    let searches: Vec<Result<Vec<RootedTree>, Vec<u32>>> =
        (0..SEARCHES).into_par_iter().map(search).collect();
    let searches: Result<Vec<Vec<RootedTree>>, Vec<u32>> = searches.into_iter().collect();
    Ok(searches?.into_iter().min_by_key(|trees| height(trees)).unwrap_or_default())
}

/// The bound that a partition of the chips proves.
fn partition(links: &LinkGraph, parts: &[u32], number: &[u32]) -> CollectiveBound {
    let mut labels = parts.to_vec();
    labels.sort_unstable();
    labels.dedup();
    let part = |node: u32| labels.binary_search(&parts[node as usize]).unwrap_or(0) as u32;
    let part_of = number.iter().map(|&node| (node != NONE).then(|| part(node))).collect();
    let apart = |([a, b], lanes): (&[u32; 2], &u32)| {
        if parts[*a as usize] == parts[*b as usize] { 0 } else { *lanes }
    };
    let apart: u32 = links.ends.iter().zip(&links.lanes).map(apart).sum();
    CollectiveBound::Partition { part_of, parts: labels.len() as u32, channels: 2 * apart }
}
