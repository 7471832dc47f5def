//! OCS-disjoint spanning trees over the cubes: how many OCSes could fail, one per tree, before the cubes fall
//! apart.
//!
//! In: cross-connects. Out: disjoint sets of OCSes, each of which alone joins all cubes, and bounds on how
//! many such sets there are. Source: TONS paper, appendix D, which counts link-disjoint trees; switches are
//! harder.
//!
//! **Reduction.** An OCS parts the cubes into those that its fibers join; a set of OCSes makes the join of
//! their partitions, and is a tree if that is a single part. An OCS that is a tree by itself (a *single*) is
//! best used alone: replacing the tree that contains it by it never loses a tree. So the number is singles +
//! the best number for the n *others*.
//!
//! **Flats.** A flat is a partition into two parts or more that some of the others make. A set of them is no
//! tree if and only if it lies inside a maximal flat (what it makes is a flat, and some maximal one is as
//! coarse). So a tree is a set with an OCS outside of every maximal flat. Under translations the flats are
//! subgroups: the shifts of a tree generate the group.
//!
//! **Upper bound.** For a flat with b parts let r(o) be the number of parts that OCS o saves by joining some;
//! a tree has r-sum >= b - 1. So there are at most sum r(o) / (b - 1) trees (for two parts: the OCSes across
//! the cut), and at most n / 2.
//!
//! **Lower bound.** Let c_j be the number of OCSes outside of maximal flat j (their minimum is the
//! connectivity in OCSes). Color each OCS with one of k colors at random. A given color stays inside flat j
//! with probability (1 - 1/k)^c_j. If the sum of that over all colors and flats, k sum_j (1 - 1/k)^c_j, is
//! below 1, some coloring has no such pair: k trees exist. (Nash-Williams and Tutte need connectivity 2k
//! only, but for single links. For switches no constant does: with every non-zero shift of Z_2^m once, each
//! of the maximal flats has 2^(m-1) OCSes outside, yet a tree takes m of them, so there are at most (2^m - 1)
//! / m trees. The count above loses a factor of about ln(k * flats) instead.)
//!
//! **Search.** The coloring is made by conditional expectations: each OCS takes the color that lowers the
//! expected number of (color, flat) pairs most. By the argument above this cannot fail for the k of the lower
//! bound; it is tried from the upper bound downwards and mostly ends there. Where there are too many flats to
//! list, a greedy merge is used and singles are the lower bound.

mod partition;

use fabc_base::ids::OcsId;
use fabc_ir::{CrossConnects, Topology, TreeBounds};
use fabc_model::Pod;
use partition::{Partition, flats, join, joined, parts};

/// Steps (a cube looked at in one join) for listing flats.
const FLAT_WORK: usize = 1 << 26;
/// Steps (a flat looked at for one OCS and one color) for coloring.
const COLOR_WORK: usize = 1 << 27;

/// Disjoint sets of OCSes, each ascending, and bounds on their number; one cube needs no OCS: no set is
/// returned for it.
pub fn disjoint_trees(
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
) -> (Vec<Vec<OcsId>>, TreeBounds) {
    if pod.cubes < 2 {
        return (Vec::new(), TreeBounds { at_least: 0, at_most: 0, witness: Vec::new() });
    }
    let apart: Partition = (0..pod.cubes).collect();
    let made_by = |ocs: OcsId| {
        let links = cross_connects.settings[ocs].iter().map(|setting| topology.links()[setting.link]);
        joined(&apart, links.map(|link| [link.a, link.b].map(|end| pod.cube_of(end.node).0)))
    };
    let (mut trees, mut others) = (Vec::new(), Vec::new());
    for ocs in pod.ocses.ids() {
        let partition = made_by(ocs);
        match parts(&partition) {
            1 => trees.push(vec![ocs]),
            count if count < pod.cubes as usize => others.push((ocs, partition)),
            _ => {}
        }
    }
    let singles = trees.len();
    let (flats, complete) = flats(pod.cubes, &others, FLAT_WORK);
    let mut most = others.len() / 2;
    let mut witness = Vec::new();
    for flat in &flats {
        let left = parts(&flat.partition);
        let saved: usize =
            others.iter().map(|(_, partition)| left - parts(&join(&flat.partition, partition))).sum();
        if saved / (left - 1) < most {
            most = saved / (left - 1);
            witness = flat.made_by.clone();
        }
    }
    let mut found = Vec::new();
    let mut least = 0;
    if complete {
        let outside: Vec<Vec<bool>> = flats
            .iter()
            .filter(|flat| flat.maximal)
            .map(|flat| {
                others
                    .iter()
                    .map(|(_, partition)| join(&flat.partition, partition) != flat.partition)
                    .collect()
            })
            .collect();
        let crossing: Vec<usize> =
            outside.iter().map(|flat| flat.iter().filter(|&&outside| outside).count()).collect();
        least = (1..=most).rev().find(|&k| expected(k, &crossing) < 1.0 - 1e-9).unwrap_or(0);
        let mut left = COLOR_WORK;
        for k in (1..=most).rev() {
            let work = k * others.len() * outside.len();
            if k > least && work > left {
                continue;
            }
            left = left.saturating_sub(work);
            if let Some(colors) = color(k, &outside, &crossing) {
                found = vec![Vec::new(); k];
                others.iter().zip(colors).for_each(|(member, color)| found[color].push(member));
                break;
            }
        }
    }
    let found: Vec<Vec<OcsId>> = found.into_iter().map(|set| prune(&apart, set)).collect();
    let merged = if found.len() < most { merge(&apart, &others) } else { Vec::new() };
    trees.extend(if merged.len() > found.len() { merged } else { found });
    (trees, TreeBounds { at_least: (singles + least) as u32, at_most: (singles + most) as u32, witness })
}

/// Expected number of (color, maximal flat) pairs without an OCS of the color outside of the flat.
fn expected(k: usize, crossing: &[usize]) -> f64 {
    let powers = powers(k, crossing);
    crossing.iter().map(|&count| powers[count] * k as f64).sum()
}

/// Powers of 1 - 1/k.
fn powers(k: usize, crossing: &[usize]) -> Vec<f64> {
    let base = 1.0 - 1.0 / k as f64;
    let most = crossing.iter().copied().max().unwrap_or(0);
    std::iter::successors(Some(1.0), |power| Some(power * base)).take(most + 1).collect()
}

/// A color for every OCS, such that every color is outside of every maximal flat; `None` if the method ends
/// without.
fn color(k: usize, outside: &[Vec<bool>], crossing: &[usize]) -> Option<Vec<usize>> {
    let powers = powers(k, crossing);
    let count = outside.first()?.len();
    let mut order: Vec<usize> = (0..count).collect();
    // The choosy ones last: an OCS outside of few flats helps few colors.
    order.sort_by_key(|&ocs| std::cmp::Reverse(outside.iter().filter(|flat| flat[ocs]).count()));
    let mut left = crossing.to_vec();
    let mut covered = vec![vec![false; outside.len()]; k];
    let mut size = vec![0usize; k];
    let mut colors = vec![0; count];
    for ocs in order {
        let across: Vec<usize> = (0..outside.len()).filter(|&flat| outside[flat][ocs]).collect();
        across.iter().for_each(|&flat| left[flat] -= 1);
        let mut best: Option<(f64, usize)> = None;
        for (color, covered) in covered.iter().enumerate() {
            let gain: f64 =
                across.iter().filter(|&&flat| !covered[flat]).map(|&flat| powers[left[flat]]).sum();
            let better = |&(most, at): &(f64, usize)| gain > most || (gain == most && size[color] < size[at]);
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

/// Leaves out every OCS that the set can do without: fewer faults hit a smaller tree.
fn prune(apart: &Partition, mut set: Vec<&(OcsId, Partition)>) -> Vec<OcsId> {
    let mut at = 0;
    while at < set.len() {
        let rest = set.iter().enumerate().filter(|&(other, _)| other != at);
        let made = rest.fold(apart.clone(), |made, (_, (_, partition))| join(&made, partition));
        if parts(&made) == 1 {
            set.remove(at);
        } else {
            at += 1;
        }
    }
    set.into_iter().map(|&(ocs, _)| ocs).collect()
}

/// Sets filled one after the other, each time with the first OCS that joins most.
fn merge(apart: &Partition, others: &[(OcsId, Partition)]) -> Vec<Vec<OcsId>> {
    let mut rest: Vec<&(OcsId, Partition)> = others.iter().collect();
    let mut trees = Vec::new();
    let (mut made, mut pending) = (apart.clone(), Vec::new());
    loop {
        let after =
            rest.iter().enumerate().map(|(at, (_, partition))| (parts(&join(&made, partition)), at)).min();
        let Some((left, at)) = after.filter(|&(left, _)| left < parts(&made)) else { return trees };
        made = join(&made, &rest[at].1);
        pending.push(rest.remove(at));
        if left == 1 {
            trees.push(prune(apart, std::mem::take(&mut pending)));
            trees.last_mut().expect("just pushed").sort_unstable();
            made.clone_from(apart);
        }
    }
}
