//! Routers into cabinets by short random walks: routers from which walks arrive at the same places stand
//! together.
//!
//! Every router starts as a cluster of its own, with the distribution of a walk of a few steps from it (with
//! a step that stays). Of all adjacent clusters whose sum fits a cabinet, the two that come nearest are
//! joined, again and again; ties go to the least ids. What is left over is packed into cabinets, the largest
//! first, each into the first that has room; what fits nowhere is dealt out router by router to the cabinet
//! with room that it has most links to. Then routers change cabinets while that keeps more links within (see
//! `refine`). Source: Pons and Latapy 2005; the packing is ours. Memory: 4 bytes for every two routers.
//! Cost: routers x links for the walks, and for every join a row per adjacent cluster.

use super::neighbors::neighbors;
use super::refine::refined;
use fabc_ir::Topology;
use rayon::prelude::*;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

/// `[router]`: its cabinet, 0..`cabinets`, of at most `most` routers each.
pub(super) fn cabinets(topology: &Topology, most: u32, cabinets: u32, steps: u32) -> Vec<u32> {
    let neighbors = neighbors(topology);
    let clusters = Clusters::of(&neighbors, steps).joined(most);
    packed(&neighbors, clusters, most, cabinets)
}

/// Clusters while they are joined.
struct Clusters {
    /// `[cluster]`: its routers; empty once it is part of another one.
    members: Vec<Vec<u32>>,
    /// `[cluster]`: where walks from it arrive, each entry over the root of the router's degree.
    arrivals: Vec<Vec<f32>>,
    /// `[cluster]`: clusters with a link to it.
    adjacent: Vec<BTreeSet<u32>>,
    /// `[cluster]`: how often it has changed.
    version: Vec<u32>,
}

/// Two clusters that may be joined; the nearest come first. A distance that is not negative compares as its
/// bits do.
type Candidate = Reverse<(u32, [u32; 2], [u32; 2])>;

impl Clusters {
    fn of(neighbors: &[Vec<u32>], steps: u32) -> Self {
        let routers = neighbors.len();
        let row = |start: usize| {
            let mut now = vec![0f32; routers];
            now[start] = 1.0;
            for _ in 0..steps {
                let mut next = vec![0f32; routers];
                for (router, &share) in now.iter().enumerate().filter(|(_, share)| **share > 0.0) {
                    let part = share / (neighbors[router].len() + 1) as f32;
                    next[router] += part;
                    neighbors[router].iter().for_each(|&met| next[met as usize] += part);
                }
                now = next;
            }
            now.iter_mut().zip(neighbors).for_each(|(share, met)| *share /= ((met.len() + 1) as f32).sqrt());
            now
        };
        Self {
            members: (0..routers as u32).map(|router| vec![router]).collect(),
            arrivals: (0..routers).into_par_iter().map(row).collect(),
            adjacent: neighbors.iter().map(|met| met.iter().copied().collect()).collect(),
            version: vec![0; routers],
        }
    }

    /// By how much the clusters grow less alike if two are joined.
    fn candidate(&self, one: u32, other: u32) -> Candidate {
        let pair = [one.min(other), one.max(other)];
        let [a, b] = pair.map(|cluster| self.members[cluster as usize].len() as f32);
        let apart = squared_distance(&self.arrivals[pair[0] as usize], &self.arrivals[pair[1] as usize]);
        Reverse((
            (a * b / (a + b) * apart).to_bits(),
            pair,
            pair.map(|cluster| self.version[cluster as usize]),
        ))
    }

    /// Joins until no two adjacent clusters fit one cabinet.
    fn joined(mut self, most: u32) -> Vec<Vec<u32>> {
        let pairs: Vec<[u32; 2]> = (0u32..)
            .zip(&self.adjacent)
            .flat_map(|(one, met)| met.range(one + 1..).map(move |&other| [one, other]))
            .collect();
        let mut heap: BinaryHeap<Candidate> =
            pairs.par_iter().map(|&[one, other]| self.candidate(one, other)).collect::<Vec<_>>().into();
        while let Some(Reverse((_, [one, other], versions))) = heap.pop() {
            let fits = self.members[one as usize].len() + self.members[other as usize].len() <= most as usize;
            if !fits || [one, other].map(|cluster| self.version[cluster as usize]) != versions {
                continue;
            }
            self.join(one, other);
            let small = |met: &&u32| {
                self.members[one as usize].len() + self.members[**met as usize].len() <= most as usize
            };
            let met: Vec<u32> = self.adjacent[one as usize].iter().filter(small).copied().collect();
            heap.extend(met.par_iter().map(|&other| self.candidate(one, other)).collect::<Vec<_>>());
        }
        self.members.retain(|members| !members.is_empty());
        self.members
    }

    /// Makes the second cluster part of the first.
    fn join(&mut self, one: u32, other: u32) {
        let (into, from) = (one as usize, other as usize);
        let (moved, gone) =
            (std::mem::take(&mut self.members[from]), std::mem::take(&mut self.arrivals[from]));
        let [a, b] = [self.members[into].len() as f32, moved.len() as f32];
        self.arrivals[into]
            .iter_mut()
            .zip(gone)
            .for_each(|(share, more)| *share = (a * *share + b * more) / (a + b));
        self.members[into].extend(moved);
        for met in std::mem::take(&mut self.adjacent[from]) {
            self.adjacent[met as usize].remove(&other);
            if met != one {
                self.adjacent[met as usize].insert(one);
                self.adjacent[into].insert(met);
            }
        }
        self.version[into] += 1;
        self.version[from] += 1;
    }
}

/// The sum of squared differences, in an order that is the same everywhere: eight sums side by side.
fn squared_distance(one: &[f32], other: &[f32]) -> f32 {
    let mut sums = [0f32; 8];
    let (ones, others) = (one.chunks_exact(8), other.chunks_exact(8));
    let rest = ones.remainder().iter().zip(others.remainder()).map(|(a, b)| (a - b) * (a - b)).sum::<f32>();
    for (a, b) in ones.zip(others) {
        for lane in 0..8 {
            let apart = a[lane] - b[lane];
            sums[lane] += apart * apart;
        }
    }
    sums.iter().sum::<f32>() + rest
}

/// Clusters into cabinets: full ones and the largest first; what fits nowhere goes where most of its links
/// lead.
fn packed(neighbors: &[Vec<u32>], mut clusters: Vec<Vec<u32>>, most: u32, cabinets: u32) -> Vec<u32> {
    clusters.iter_mut().for_each(|members| members.sort_unstable());
    clusters.sort_by_key(|members| (Reverse(members.len()), members[0]));
    const NOWHERE: u32 = u32::MAX;
    let mut cabinet_of = vec![NOWHERE; neighbors.len()];
    let mut room = vec![most as usize; cabinets as usize];
    let mut left = Vec::new();
    for members in clusters {
        match room.iter().position(|&room| room >= members.len()) {
            Some(cabinet) => {
                room[cabinet] -= members.len();
                members.iter().for_each(|&router| cabinet_of[router as usize] = cabinet as u32);
            }
            None => left.extend(members),
        }
    }
    for router in left {
        let mut links: BTreeMap<u32, usize> = BTreeMap::new();
        let met = neighbors[router as usize].iter().map(|&met| cabinet_of[met as usize]);
        met.filter(|&cabinet| cabinet != NOWHERE && room[cabinet as usize] > 0)
            .for_each(|cabinet| *links.entry(cabinet).or_default() += 1);
        let nearest = links
            .into_iter()
            .max_by_key(|&(cabinet, count)| (count, Reverse(cabinet)))
            .map(|(cabinet, _)| cabinet as usize);
        let cabinet = nearest
            .or_else(|| room.iter().position(|&room| room > 0))
            .expect("cabinets have room for all routers");
        room[cabinet] -= 1;
        cabinet_of[router as usize] = cabinet as u32;
    }
    numbered(&refined(neighbors, cabinet_of, most))
}

/// The same cabinets, in the order of their first routers.
fn numbered(cabinet_of: &[u32]) -> Vec<u32> {
    let mut number = BTreeMap::new();
    cabinet_of
        .iter()
        .map(|&cabinet| {
            let next = number.len() as u32;
            *number.entry(cabinet).or_insert(next)
        })
        .collect()
}
