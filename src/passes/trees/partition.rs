//! Partitions of the cubes, and the partitions that sets of OCSes can make.

use fabc_base::ids::OcsId;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// `[cube]`: the smallest cube of its part.
pub(super) type Partition = Vec<u32>;

/// The number of parts of a partition.
pub(super) fn part_count(partition: &Partition) -> usize {
    partition.iter().enumerate().filter(|&(cube, &first)| cube == first as usize).count()
}

/// The finest partition that joins all cubes that either of the two joins.
pub(super) fn join(first: &Partition, second: &Partition) -> Partition {
    join_pairs(first, second.iter().enumerate().map(|(cube, &first)| [cube as u32, first]))
}

/// A partition after some pairs of cubes were joined.
pub(super) fn join_pairs(partition: &Partition, pairs: impl Iterator<Item = [u32; 2]>) -> Partition {
    let mut first = partition.clone();
    for pair in pairs {
        let [a, b] = pair.map(|cube| root(&mut first, cube));
        first[a.max(b) as usize] = a.min(b);
    }
    (0..first.len() as u32).map(|cube| root(&mut first, cube)).collect()
}

fn root(first: &mut [u32], mut cube: u32) -> u32 {
    while first[cube as usize] != cube {
        first[cube as usize] = first[first[cube as usize] as usize];
        cube = first[cube as usize];
    }
    cube
}

/// A partition into two parts or more that some OCSes make together.
pub(super) struct Flat {
    pub(super) partition: Partition,
    /// OCSes that make the partition.
    pub(super) made_by: Vec<OcsId>,
    /// Whether any OCS that is not inside it joins all its parts.
    pub(super) maximal: bool,
}

/// All flats of these OCSes, the one of no OCS first, and whether the list is complete. It is not if it
/// took too much work.
pub(super) fn list_flats(cubes: u32, members: &[(OcsId, Partition)], work: usize) -> (Vec<Flat>, bool) {
    let mut kinds: BTreeMap<&Partition, OcsId> = BTreeMap::new();
    for (ocs, partition) in members {
        kinds.entry(partition).or_insert(*ocs);
    }
    let finest: Partition = (0..cubes).collect();
    let mut known: BTreeSet<Partition> = BTreeSet::from([finest.clone()]);
    let mut open = VecDeque::from([(finest, Vec::new())]);
    let mut flats = Vec::new();
    let per_flat = (kinds.len() * cubes as usize).max(1);
    while let Some((partition, made_by)) = open.pop_front() {
        if flats.len() * per_flat > work {
            return (flats, false);
        }
        let mut maximal = true;
        for (&kind, &ocs) in &kinds {
            let joined = join(&partition, kind);
            if joined == partition || joined.iter().all(|&first| first == 0) {
                continue;
            }
            maximal = false;
            if known.insert(joined.clone()) {
                let mut made_by: Vec<OcsId> = made_by.clone();
                made_by.push(ocs);
                made_by.sort_unstable();
                open.push_back((joined, made_by));
            }
        }
        flats.push(Flat { partition, made_by, maximal });
    }
    (flats, true)
}
