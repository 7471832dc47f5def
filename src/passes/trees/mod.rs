//! OCS-disjoint spanning trees over the cubes. They show how many OCSes could fail, one per tree, before
//! the cubes are disconnected.
//!
//! Input: cross-connects. Output: disjoint sets of OCSes, each of which alone joins all cubes, and bounds
//! on the number of such sets. Source: TONS paper, appendix D, which counts link-disjoint trees. Switches
//! are harder.
//!
//! **Reduction.** An OCS makes a partition of the cubes: two cubes are in one part if its fibers join them.
//! A set of OCSes makes the join of their partitions, and is a tree if the join has a single part. An OCS
//! that is a tree by itself (a *single*) is best used alone: replacing the tree that contains it by it
//! never loses a tree. So the number is singles + the best number for the n *others*.
//!
//! **Flats.** A flat is a partition into two parts or more that some of the others make. A set of them is
//! no tree if and only if it lies inside a maximal flat. (The set makes a flat, and some maximal flat is as
//! coarse.) So a tree is a set with an OCS outside of every maximal flat. Under translations the flats are
//! subgroups: the shifts of a tree generate the group.
//!
//! **Upper bound.** For a flat with b parts let r(o) be the number of parts that OCS o saves by joining
//! some. A tree has r-sum >= b - 1. So there are at most sum r(o) / (b - 1) trees (for two parts: the OCSes
//! across the cut), and at most n / 2.
//!
//! **Lower bound.** Let c_j be the number of OCSes outside of maximal flat j. Their minimum is the
//! connectivity in OCSes. Color each OCS with one of k colors at random. A given color stays inside flat j
//! with probability (1 - 1/k)^c_j. If the sum of that over all colors and flats, k sum_j (1 - 1/k)^c_j, is
//! below 1, some coloring has no such pair, so k trees exist.
//!
//! (Nash-Williams and Tutte need connectivity 2k only, but for single links. For switches no constant
//! suffices. With every non-zero shift of Z_2^m once, each of the maximal flats has 2^(m-1) OCSes outside.
//! Yet a tree takes m of them, so there are at most (2^m - 1) / m trees. The count above loses a factor of
//! about ln(k * flats) instead.)
//!
//! **Search.** The coloring is made by conditional expectations: each OCS takes the color that lowers the
//! expected number of (color, flat) pairs most. By the argument above this cannot fail for the k of the
//! lower bound. It is tried from the upper bound downwards and mostly ends there. If there are too many
//! flats to list, a greedy merge replaces it and the singles are the lower bound.

mod partition;

use fabc_base::ids::OcsId;
use fabc_ir::{CrossConnects, Topology, TreeBounds};
use fabc_model::Pod;
use partition::{Partition, join, join_pairs, list_flats, part_count};

/// The most steps for listing flats. A step examines one cube in one join.
const FLAT_WORK: usize = 1 << 26;
/// The most steps for coloring. A step examines one flat for one OCS and one color.
const COLOR_WORK: usize = 1 << 27;

/// Disjoint sets of OCSes, each ascending, and bounds on their number. One cube needs no OCS, so no set is
/// returned for it.
pub fn disjoint_trees(
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
) -> (Vec<Vec<OcsId>>, TreeBounds) {
    if pod.cubes < 2 {
        return (Vec::new(), TreeBounds { at_least: 0, at_most: 0, witness: Vec::new() });
    }
    let finest: Partition = (0..pod.cubes).collect();
    let partition_by = |ocs: OcsId| {
        let links = cross_connects.settings[ocs].iter().map(|setting| topology.links()[setting.link]);
        join_pairs(&finest, links.map(|link| [link.a, link.b].map(|end| pod.cube_of(end.node).0)))
    };
    let (mut trees, mut members) = (Vec::new(), Vec::new());
    for ocs in pod.ocses.ids() {
        let partition = partition_by(ocs);
        match part_count(&partition) {
            1 => trees.push(vec![ocs]),
            count if count < pod.cubes as usize => members.push((ocs, partition)),
            _ => {}
        }
    }
    let singles = trees.len();
    let (flats, complete) = list_flats(pod.cubes, &members, FLAT_WORK);
    let mut upper_bound = members.len() / 2;
    let mut witness = Vec::new();
    for flat in &flats {
        let flat_parts = part_count(&flat.partition);
        let saved: usize = members
            .iter()
            .map(|(_, partition)| flat_parts - part_count(&join(&flat.partition, partition)))
            .sum();
        if saved / (flat_parts - 1) < upper_bound {
            upper_bound = saved / (flat_parts - 1);
            witness = flat.made_by.clone();
        }
    }
    let mut sets = Vec::new();
    let mut lower_bound = 0;
    if complete {
        let outside: Vec<Vec<bool>> = flats
            .iter()
            .filter(|flat| flat.maximal)
            .map(|flat| {
                members
                    .iter()
                    .map(|(_, partition)| join(&flat.partition, partition) != flat.partition)
                    .collect()
            })
            .collect();
        let crossing: Vec<usize> =
            outside.iter().map(|flat| flat.iter().filter(|&&outside| outside).count()).collect();
        lower_bound =
            (1..=upper_bound).rev().find(|&k| expected_gaps(k, &crossing) < 1.0 - 1e-9).unwrap_or(0);
        let mut work_left = COLOR_WORK;
        for k in (1..=upper_bound).rev() {
            let work = k * members.len() * outside.len();
            if k > lower_bound && work > work_left {
                continue;
            }
            work_left = work_left.saturating_sub(work);
            if let Some(colors) = color_switches(k, &outside, &crossing) {
                sets = vec![Vec::new(); k];
                members.iter().zip(colors).for_each(|(member, color)| sets[color].push(member));
                break;
            }
        }
    }
    let colored: Vec<Vec<OcsId>> = sets.into_iter().map(|set| prune(&finest, set)).collect();
    let merged = if colored.len() < upper_bound { merge(&finest, &members) } else { Vec::new() };
    trees.extend(if merged.len() > colored.len() { merged } else { colored });
    (
        trees,
        TreeBounds {
            at_least: (singles + lower_bound) as u32,
            at_most: (singles + upper_bound) as u32,
            witness,
        },
    )
}

/// The expected number of (color, maximal flat) pairs without an OCS of the color outside of the flat.
fn expected_gaps(k: usize, crossing: &[usize]) -> f64 {
    let powers = powers(k, crossing);
    crossing.iter().map(|&count| powers[count] * k as f64).sum()
}

/// The powers of 1 - 1/k, from 0 to the largest number of OCSes outside of a flat.
fn powers(k: usize, crossing: &[usize]) -> Vec<f64> {
    let base = 1.0 - 1.0 / k as f64;
    let max_power = crossing.iter().copied().max().unwrap_or(0);
    std::iter::successors(Some(1.0), |power| Some(power * base)).take(max_power + 1).collect()
}

/// A color for every OCS, such that every color is outside of every maximal flat. `None` if the method ends
/// without one.
fn color_switches(k: usize, outside: &[Vec<bool>], crossing: &[usize]) -> Option<Vec<usize>> {
    let powers = powers(k, crossing);
    let count = outside.first()?.len();
    let mut order: Vec<usize> = (0..count).collect();
    // The most restricted ones come last: an OCS outside of few flats helps few colors.
    order.sort_by_key(|&ocs| std::cmp::Reverse(outside.iter().filter(|flat| flat[ocs]).count()));
    let mut outside_left = crossing.to_vec();
    let mut covered = vec![vec![false; outside.len()]; k];
    let mut size = vec![0usize; k];
    let mut colors = vec![0; count];
    for ocs in order {
        let across: Vec<usize> = (0..outside.len()).filter(|&flat| outside[flat][ocs]).collect();
        across.iter().for_each(|&flat| outside_left[flat] -= 1);
        let mut best: Option<(f64, usize)> = None;
        for (color, covered) in covered.iter().enumerate() {
            let gain: f64 =
                across.iter().filter(|&&flat| !covered[flat]).map(|&flat| powers[outside_left[flat]]).sum();
            let better = |&(best_gain, best_color): &(f64, usize)| {
                gain > best_gain || (gain == best_gain && size[color] < size[best_color])
            };
            if best.as_ref().is_none_or(better) {
                best = Some((gain, color));
            }
        }
        let (_, color) = best?;
        across.iter().for_each(|&flat| covered[color][flat] = true);
        size[color] += 1;
        colors[ocs] = color;
    }
    covered.iter().flatten().all(|&covered| covered).then_some(colors)
}

/// Removes every OCS that the set does not need, because fewer faults hit a smaller tree.
fn prune(finest: &Partition, mut set: Vec<&(OcsId, Partition)>) -> Vec<OcsId> {
    let mut place = 0;
    while place < set.len() {
        let others = set.iter().enumerate().filter(|&(other, _)| other != place);
        let made = others.fold(finest.clone(), |made, (_, (_, partition))| join(&made, partition));
        if part_count(&made) == 1 {
            set.remove(place);
        } else {
            place += 1;
        }
    }
    set.into_iter().map(|&(ocs, _)| ocs).collect()
}

/// Trees built one after the other, each time with the first OCS that joins the most parts.
fn merge(finest: &Partition, members: &[(OcsId, Partition)]) -> Vec<Vec<OcsId>> {
    let mut remaining: Vec<&(OcsId, Partition)> = members.iter().collect();
    let mut trees = Vec::new();
    let (mut made, mut tree) = (finest.clone(), Vec::new());
    loop {
        let next_joins = remaining
            .iter()
            .enumerate()
            .map(|(place, (_, partition))| (part_count(&join(&made, partition)), place))
            .min();
        let Some((parts_left, place)) = next_joins.filter(|&(parts, _)| parts < part_count(&made)) else {
            return trees;
        };
        made = join(&made, &remaining[place].1);
        tree.push(remaining.remove(place));
        if parts_left == 1 {
            trees.push(prune(finest, std::mem::take(&mut tree)));
            trees.last_mut().expect("just pushed").sort_unstable();
            made.clone_from(finest);
        }
    }
}
