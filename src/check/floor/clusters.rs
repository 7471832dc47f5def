//! Clusters of the points of a projective plane, from the links alone.
//!
//! Input: a network whose wiring was verified, the order of its plane and the routers per point. Output: the
//! points of each cluster. A quadric has one neighbor less than other points. Two points share exactly one
//! neighbor. Hence a point that is no quadric belongs to the one neighbor that it shares with the first
//! quadric, or is that neighbor itself.

use fabc_ir::{ClusterPairs, Topology};
use std::collections::{BTreeMap, BTreeSet};

/// The points of a plane and their clusters.
pub(super) struct PointClusters {
    size: u32,
    /// `[point]`: the points that links connect it to.
    neighbors: Vec<BTreeSet<u32>>,
    /// `[point]`: the middle of its cluster. `None` for a quadric.
    middle: Vec<Option<u32>>,
}

/// Finds the cluster of every point.
pub(super) fn find_clusters(topology: &Topology, q: u32, size: u32) -> Result<PointClusters, String> {
    let mut joined = vec![BTreeSet::new(); topology.node_count() / size as usize];
    for link in topology.links().iter() {
        let (from, to) = (link.a.node.0 / size, link.b.node.0 / size);
        if from != to {
            joined[from as usize].insert(to);
            joined[to as usize].insert(from);
        }
    }
    let quadric = |point: u32| joined[point as usize].len() == q as usize;
    let points = || 0..joined.len() as u32;
    let first =
        points().find(|&point| quadric(point)).ok_or_else(|| "a plane without quadrics".to_owned())?;
    let quadric_neighbors = &joined[first as usize];
    let mut middle = Vec::new();
    for point in points() {
        middle.push(match point {
            _ if quadric(point) => None,
            _ if quadric_neighbors.contains(&point) => Some(point),
            _ => match joined[point as usize].intersection(quadric_neighbors).collect::<Vec<_>>()[..] {
                [shared] => Some(*shared),
                _ => return Err(format!("point {point} does not share one neighbor with the first quadric")),
            },
        });
    }
    Ok(PointClusters { size, neighbors: joined, middle })
}

impl PointClusters {
    /// `[router]`: the cabinet that it must stand in, with at most `routers_per_cabinet` each.
    pub(super) fn cabinets_of_routers(&self, routers_per_cabinet: u32) -> Vec<u32> {
        let mut clusters: BTreeMap<Option<u32>, Vec<usize>> = BTreeMap::new();
        for (point, middle) in self.middle.iter().enumerate() {
            clusters.entry(*middle).or_default().push(point);
        }
        let (size, points) = (self.size as usize, (routers_per_cabinet / self.size) as usize);
        let mut cabinets = vec![0; self.middle.len() * size];
        let mut first = 0;
        for members in clusters.values() {
            for (index, point) in members.iter().enumerate() {
                (0..size)
                    .for_each(|router| cabinets[point * size + router] = (first + index / points) as u32);
            }
            first += members.len().div_ceil(points);
        }
        cabinets
    }

    /// The numbers of links within and between clusters.
    pub(super) fn link_counts(&self) -> ClusterPairs {
        let middles: BTreeSet<Option<u32>> = self.middle.iter().copied().collect();
        let mut counts = ClusterPairs { count: middles.len() as u64, inside: 0, to_quadrics: 0, between: 0 };
        for (point, joined) in (0u32..).zip(&self.neighbors) {
            for &other in joined.range(point..) {
                match (self.middle[point as usize], self.middle[other as usize]) {
                    (middle, other_middle) if middle == other_middle => counts.inside += 1,
                    (None, _) | (_, None) => counts.to_quadrics += 1,
                    _ => counts.between += 1,
                }
            }
        }
        counts
    }
}
