//! All-reduce over spanning trees that share the links evenly: each sums its share of the data at its root
//! and sends it back down.
//!
//! K trees with at most m on a link move the full vector at K / m times what a channel carries, which comes
//! as close to the partition bound as wanted (Tutte 1961, Nash-Williams 1961), also where chips have
//! different degrees. Where so many trees do not fit, the packing shows a partition that bounds more; with
//! that bound another K is chosen, so that what is left is the exact bound or one that trees come near.

use super::asked::Asked;
use super::bounds::bounds;
use super::error::CollectiveError;
use super::ground::{Ground, copyable};
use super::heights::{Rooted, height, lowered};
use super::packing::{Links, NONE, packed};
use fabc_base::ids::{ChannelId, Id, LinkId, NodeId};
use fabc_base::random::Stream;
use fabc_ir::{CollectiveBound, Fraction, Scene, Schedule, SharedTrees, SpanningTree, Transfers};
use fabc_model::{Collective, CollectiveAlgorithm};
use rayon::prelude::*;

/// The stream of searches; each adds its number.
const STREAM: u64 = 0x7472_6565;
/// Searches for low trees, of which the best is kept.
const SEARCHES: u64 = 4;
/// Trees may share a link in as many ways as this if that reaches the bound exactly.
const EXACT: u128 = 8;
/// Otherwise as few as reach so much of it.
const SHARE: (u128, u128) = (24, 25);
/// Copies of links times trees, at most.
const MOST_WORK: u64 = 1 << 28;

/// An all-reduce by trees; `asked.chunks` says how many may share a link (if nothing is said, few enough to
/// stay low and enough to reach 96 % of the partition bound). Its bounds: the tightest partition that was
/// seen, then the latency of the farthest pair.
///
/// # Errors
/// A scene for which nothing can be planned, or too much of it.
pub fn trees(scene: &Scene<'_>, asked: Asked) -> Result<Schedule, CollectiveError> {
    copyable(scene)?;
    let ground = Ground::new(scene)?;
    let mut bounds = bounds(&ground, Collective::AllReduce, None);
    let chips: Vec<NodeId> = scene.endpoints().collect();
    let mut number = vec![NONE; scene.topology.node_count()];
    chips.iter().zip(0..).for_each(|(chip, at)| number[chip.index()] = at);
    let lit: Vec<LinkId> = scene.links().collect();
    let ends = lit.iter().map(|&link| {
        let link = &scene.topology.links()[link];
        [link.a, link.b].map(|end| number[end.node.index()])
    });
    let lanes: Vec<u32> = lit.iter().map(|&link| scene.topology.capacity(link) as u32).collect();
    let copies: u64 = lanes.iter().map(|&lanes| u64::from(lanes)).sum();
    let links = Links::new(chips.len(), ends.collect(), lanes);
    let (capacity, rooted) = loop {
        let (count, capacity) = shape(bounds[0].volume(), asked.chunks);
        let work = copies * u64::from(capacity) * u64::from(count);
        if work > MOST_WORK {
            return Err(CollectiveError::TooLarge { chips: chips.len(), chunks: work, most: MOST_WORK });
        }
        match found(&links, count as usize, capacity, asked.seed) {
            Ok(trees) => break (capacity, trees),
            Err(parts) => bounds[0] = partition(&links, &parts, &number),
        }
    };
    let tree = |rooted: &Rooted| {
        let up = |node: &u32| {
            let (_, link) = if *node == NONE { (NONE, NONE) } else { rooted.up[*node as usize] };
            let link = *lit.get(link as usize)?;
            let forth = number[scene.topology.links()[link].a.node.index()] == *node;
            let forward = scene.topology.forward(link);
            if forth { Some(forward) } else { scene.topology.reverse(forward) }
        };
        let up: Vec<Option<ChannelId>> = number.iter().map(up).collect();
        SpanningTree { root: chips[rooted.root as usize], up }
    };
    Ok(Schedule {
        collective: Collective::AllReduce,
        algorithm: CollectiveAlgorithm::Trees,
        seed: asked.seed,
        nodes: ground.nodes() as u32,
        chunks: 1,
        root: None,
        transfers: Transfers::Trees(SharedTrees { capacity, trees: rooted.iter().map(tree).collect() }),
        bounds,
    })
}

/// How many trees, and how many to a link, for a bound in M / b.
fn shape(bound: Fraction, capacity: Option<u32>) -> (u32, u32) {
    let rate = Fraction::whole(1u8).over(bound);
    let count = |capacity: u32| rate.times(Fraction::whole(capacity)).floor();
    let enough = |&capacity: &u32| {
        let exact = rate.denominator() <= EXACT;
        let reached = Fraction::new(count(capacity), capacity);
        if exact { reached == rate } else { reached >= rate.times(Fraction::new(SHARE.0, SHARE.1)) }
    };
    let capacity = capacity.map_or_else(|| (1..).find(enough).unwrap_or(1), |capacity| capacity.max(1));
    (u32::try_from(count(capacity)).unwrap_or(u32::MAX).max(1), capacity)
}

/// The lowest trees of all searches, or the parts that show that there are none.
fn found(links: &Links, count: usize, capacity: u32, seed: u64) -> Result<Vec<Rooted>, Vec<u32>> {
    // All searches pack, or none.
    let search = |number: u64| {
        let mut stream = Stream::new(seed, STREAM + number);
        let trees = packed(links, count, capacity, &mut stream)?;
        Ok(lowered(links, &trees, capacity, &mut stream))
    };
    let searches: Vec<Result<Vec<Rooted>, Vec<u32>>> = (0..SEARCHES).into_par_iter().map(search).collect();
    let searches: Result<Vec<Vec<Rooted>>, Vec<u32>> = searches.into_iter().collect();
    Ok(searches?.into_iter().min_by_key(|trees| height(trees)).unwrap_or_default())
}

/// A partition of the chips as a bound.
fn partition(links: &Links, parts: &[u32], number: &[u32]) -> CollectiveBound {
    let mut names = parts.to_vec();
    names.sort_unstable();
    names.dedup();
    let part = |node: u32| names.binary_search(&parts[node as usize]).unwrap_or(0) as u32;
    let part_of = number.iter().map(|&node| (node != NONE).then(|| part(node))).collect();
    let apart = |([a, b], lanes): (&[u32; 2], &u32)| {
        if parts[*a as usize] == parts[*b as usize] { 0 } else { *lanes }
    };
    let apart: u32 = links.ends.iter().zip(&links.lanes).map(apart).sum();
    CollectiveBound::Partition { part_of, parts: names.len() as u32, channels: 2 * apart }
}
