//! Clusters of the points of a projective plane, told from the links alone.
//!
//! In: a network whose wiring was checked, the order of its plane and the routers of a point. Out: which
//! points form a cluster. A quadric has one neighbor less than other points, and any two points meet in one:
//! so a point that is no quadric belongs to the one neighbor that it shares with the first quadric, or is
//! that itself.

use fabc_ir::{Clusters, Topology};
use std::collections::{BTreeMap, BTreeSet};

/// The points and their clusters.
pub(super) struct Points {
    size: u32,
    /// `[point]`: those that links join it to.
    joined: Vec<BTreeSet<u32>>,
    /// `[point]`: the middle of its cluster; `None` for a quadric.
    middle: Vec<Option<u32>>,
}

/// Finds the clusters.
pub(super) fn clusters(topology: &Topology, q: u32, size: u32) -> Result<Points, String> {
    let mut joined = vec![BTreeSet::new(); topology.node_count() / size as usize];
    for link in topology.links().iter() {
        let (one, other) = (link.a.node.0 / size, link.b.node.0 / size);
        if one != other {
            joined[one as usize].insert(other);
            joined[other as usize].insert(one);
        }
    }
    let quadric = |point: u32| joined[point as usize].len() == q as usize;
    let points = || 0..joined.len() as u32;
    let first =
        points().find(|&point| quadric(point)).ok_or_else(|| "a plane without quadrics".to_owned())?;
    let of_first = &joined[first as usize];
    let mut middle = Vec::new();
    for point in points() {
        middle.push(match point {
            _ if quadric(point) => None,
            _ if of_first.contains(&point) => Some(point),
            _ => match joined[point as usize].intersection(of_first).collect::<Vec<_>>()[..] {
                [shared] => Some(*shared),
                _ => return Err(format!("point {point} does not share one neighbor with the first quadric")),
            },
        });
    }
    Ok(Points { size, joined, middle })
}

impl Points {
    /// `[router]`: the cabinet it must stand in, of so many routers.
    pub(super) fn cabinets(&self, most: u32) -> Vec<u32> {
        let mut clusters: BTreeMap<Option<u32>, Vec<usize>> = BTreeMap::new();
        for (point, middle) in self.middle.iter().enumerate() {
            clusters.entry(*middle).or_default().push(point);
        }
        let (size, points) = (self.size as usize, (most / self.size) as usize);
        let mut cabinets = vec![0; self.middle.len() * size];
        let mut first = 0;
        for members in clusters.values() {
            for (at, point) in members.iter().enumerate() {
                (0..size).for_each(|router| cabinets[point * size + router] = (first + at / points) as u32);
            }
            first += members.len().div_ceil(points);
        }
        cabinets
    }

    /// How the points are joined.
    pub(super) fn counted(&self) -> Clusters {
        let middles: BTreeSet<Option<u32>> = self.middle.iter().copied().collect();
        let mut counts = Clusters { count: middles.len() as u64, inside: 0, to_quadrics: 0, between: 0 };
        for (point, joined) in (0u32..).zip(&self.joined) {
            for &other in joined.range(point..) {
                match (self.middle[point as usize], self.middle[other as usize]) {
                    (one, same) if one == same => counts.inside += 1,
                    (None, _) | (_, None) => counts.to_quadrics += 1,
                    _ => counts.between += 1,
                }
            }
        }
        counts
    }
}
