//! Groups routers into cabinets by short random walks. Routers whose walks arrive at the same places stand
//! together.
//!
//! Every router starts as a cluster of its own, with the distribution of a walk of a few steps from it. A
//! step may stay. Of all adjacent clusters whose sum fits a cabinet, the two nearest ones are joined, again
//! and again. Ties go to the lowest ids. The clusters are then packed into cabinets, the largest first, each
//! into the first that has room. A cluster that fits no cabinet is split. Each of its routers goes to the
//! cabinet with room that it has most links to. Then routers change cabinets while that keeps more links
//! within (see `refine`). Source: Pons and Latapy 2005. The packing is ours. Memory: 4 bytes for every two
//! routers. Cost: routers x links for the walks, and a row per adjacent cluster for every join.

use super::neighbors::neighbors;
use super::refine::refine_cabinets;
use fabc_ir::Topology;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// `[router]`: its cabinet, 0..`cabinets`, with at most `capacity` routers each.
pub(super) fn cabinets(topology: &Topology, capacity: u32, cabinets: u32, steps: u32) -> Vec<u32> {
    let neighbors = neighbors(topology);
    let clusters = WalkClusters::new(&neighbors, steps).join_clusters(capacity);
    pack_clusters(&neighbors, clusters, capacity, cabinets)
}

/// The clusters while they are joined.
struct WalkClusters {
    /// `[cluster]`: its routers. Empty once it is part of another cluster.
    members: Vec<Vec<u32>>,
    /// `[cluster]`: share of walks from it that arrive at each router, over the root of the router's degree.
    arrivals: Vec<Vec<f32>>,
    /// `[cluster]`: clusters with a link to it.
    adjacent: Vec<BTreeSet<u32>>,
    /// `[cluster]`: number of times that it has changed.
    version: Vec<u32>,
}

/// (bits of the distance, clusters, their versions) of two clusters that may be joined, the nearest first.
/// Distances are not negative, so they compare like their bits.
type Candidate = Reverse<(u32, [u32; 2], [u32; 2])>;

impl WalkClusters {
    fn new(neighbors: &[Vec<u32>], steps: u32) -> Self {
        let routers = neighbors.len();
        let row = |start: usize| {
            let mut shares = vec![0f32; routers];
            shares[start] = 1.0;
            for _ in 0..steps {
                let mut next = vec![0f32; routers];
                for (router, &share) in shares.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                    let part = share / (neighbors[router].len() + 1) as f32;
                    next[router] += part;
                    neighbors[router].iter().for_each(|&neighbor| next[neighbor as usize] += part);
                }
                shares = next;
            }
            shares
                .iter_mut()
                .zip(neighbors)
                .for_each(|(share, neighbor)| *share /= ((neighbor.len() + 1) as f32).sqrt());
            shares
        };
        Self {
            members: (0..routers as u32).map(|router| vec![router]).collect(),
            arrivals: (0..routers).into_par_iter().map(row).collect(),
            adjacent: neighbors.iter().map(|neighbor| neighbor.iter().copied().collect()).collect(),
            version: vec![0; routers],
        }
    }

    /// Two clusters with the growth of the variance inside clusters if they are joined.
    fn candidate(&self, first: u32, second: u32) -> Candidate {
        let pair = [first.min(second), first.max(second)];
        let [a, b] = pair.map(|cluster| self.members[cluster as usize].len() as f32);
        let distance = squared_distance(&self.arrivals[pair[0] as usize], &self.arrivals[pair[1] as usize]);
        Reverse((
            (a * b / (a + b) * distance).to_bits(),
            pair,
            pair.map(|cluster| self.version[cluster as usize]),
        ))
    }

    /// Joins clusters until no two adjacent ones fit one cabinet.
    fn join_clusters(mut self, capacity: u32) -> Vec<Vec<u32>> {
        let pairs: Vec<[u32; 2]> = (0u32..)
            .zip(&self.adjacent)
            .flat_map(|(first, neighbors)| neighbors.range(first + 1..).map(move |&second| [first, second]))
            .collect();
        let mut heap: BinaryHeap<Candidate> =
            pairs.par_iter().map(|&[first, second]| self.candidate(first, second)).collect::<Vec<_>>().into();
        while let Some(Reverse((_, [first, second], versions))) = heap.pop() {
            let fits =
                self.members[first as usize].len() + self.members[second as usize].len() <= capacity as usize;
            if !fits || [first, second].map(|cluster| self.version[cluster as usize]) != versions {
                continue;
            }
            self.merge_pair(first, second);
            let fits_with = |neighbors: &&u32| {
                self.members[first as usize].len() + self.members[**neighbors as usize].len()
                    <= capacity as usize
            };
            let neighbors: Vec<u32> =
                self.adjacent[first as usize].iter().filter(fits_with).copied().collect();
            heap.extend(
                neighbors.par_iter().map(|&second| self.candidate(first, second)).collect::<Vec<_>>(),
            );
        }
        self.members.retain(|members| !members.is_empty());
        self.members
    }

    /// Makes the second cluster part of the first.
    fn merge_pair(&mut self, first: u32, second: u32) {
        let (into, from) = (first as usize, second as usize);
        let (moved, arrivals) =
            (std::mem::take(&mut self.members[from]), std::mem::take(&mut self.arrivals[from]));
        let [a, b] = [self.members[into].len() as f32, moved.len() as f32];
        self.arrivals[into]
            .iter_mut()
            .zip(arrivals)
            .for_each(|(share, other_share)| *share = (a * *share + b * other_share) / (a + b));
        self.members[into].extend(moved);
        for neighbor in std::mem::take(&mut self.adjacent[from]) {
            self.adjacent[neighbor as usize].remove(&second);
            if neighbor != first {
                self.adjacent[neighbor as usize].insert(first);
                self.adjacent[into].insert(neighbor);
            }
        }
        self.version[into] += 1;
        self.version[from] += 1;
    }
}

/// The sum of squared differences. Eight partial sums give the same order of additions on every machine.
fn squared_distance(first: &[f32], second: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    let (ones, others) = (first.chunks_exact(8), second.chunks_exact(8));
    let remainder =
        ones.remainder().iter().zip(others.remainder()).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
    for (a, b) in ones.zip(others) {
        for lane in 0..8 {
            let difference = a[lane] - b[lane];
            sums[lane] += difference * difference;
        }
    }
    sums.iter().sum::<f32>() + remainder
}

/// Packs clusters into cabinets, the largest first. Routers of a cluster that fits nowhere go where most of
/// their links lead.
fn pack_clusters(
    neighbors: &[Vec<u32>],
    mut clusters: Vec<Vec<u32>>,
    capacity: u32,
    cabinets: u32,
) -> Vec<u32> {
    clusters.iter_mut().for_each(|members| members.sort_unstable());
    clusters.sort_by_key(|members| (Reverse(members.len()), members[0]));
    const NOWHERE: u32 = u32::MAX;
    let mut cabinet_of = vec![NOWHERE; neighbors.len()];
    let mut room = vec![capacity as usize; cabinets as usize];
    let mut remaining = Vec::new();
    for members in clusters {
        match room.iter().position(|&room| room >= members.len()) {
            Some(cabinet) => {
                room[cabinet] -= members.len();
                members.iter().for_each(|&router| cabinet_of[router as usize] = cabinet as u32);
            }
            None => remaining.extend(members),
        }
    }
    for router in remaining {
        let mut link_counts: BTreeMap<u32, usize> = BTreeMap::new();
        let neighbor = neighbors[router as usize].iter().map(|&neighbor| cabinet_of[neighbor as usize]);
        neighbor
            .filter(|&cabinet| cabinet != NOWHERE && room[cabinet as usize] > 0)
            .for_each(|cabinet| *link_counts.entry(cabinet).or_default() += 1);
        let nearest = link_counts
            .into_iter()
            .max_by_key(|&(cabinet, count)| (count, Reverse(cabinet)))
            .map(|(cabinet, _)| cabinet as usize);
        let cabinet = nearest
            .or_else(|| room.iter().position(|&room| room > 0))
            .expect("cabinets have room for all routers");
        room[cabinet] -= 1;
        cabinet_of[router as usize] = cabinet as u32;
    }
    renumber_cabinets(&refine_cabinets(neighbors, cabinet_of, capacity))
}

/// The same cabinets, numbered in the order of their first routers.
fn renumber_cabinets(cabinet_of: &[u32]) -> Vec<u32> {
    let mut number = BTreeMap::new();
    cabinet_of
        .iter()
        .map(|&cabinet| {
            let next = number.len() as u32;
            *number.entry(cabinet).or_insert(next)
        })
        .collect()
}
