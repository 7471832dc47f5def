//! OCS-disjoint spanning trees over the cubes: how many OCSes could fail, one per tree, before the cubes fall apart.
//!
//! In: cross-connects. Out: disjoint sets of OCSes, each of which alone joins all cubes. Found greedily (switches that join the cubes alone
//! first, then the others merged by what they add), so their number is a certified lower bound (TONS paper, appendix D).

use crate::ids::{Id, OcsId};
use crate::ir::{CrossConnects, Topology};
use crate::model::Pod;
use petgraph::unionfind::UnionFind;

/// Disjoint sets of OCSes, each ascending; one cube needs no OCS: no set is returned for it.
pub fn disjoint_trees(pod: &Pod, topology: &Topology, cross_connects: &CrossConnects) -> Vec<Vec<OcsId>> {
    if pod.cubes < 2 {
        return Vec::new();
    }
    let edges = |ocs: OcsId| {
        cross_connects.settings[ocs].iter().map(|setting| {
            let link = topology.links()[setting.link];
            (pod.cube_of(link.a.node).index(), pod.cube_of(link.b.node).index())
        })
    };
    let parts = |members: &[OcsId]| {
        let mut cubes = UnionFind::<usize>::new(pod.cubes as usize);
        members.iter().flat_map(|&ocs| edges(ocs)).filter(|&(a, b)| cubes.union(a, b)).count()
    };
    let wanted = pod.cubes as usize - 1;
    let mut left: Vec<(usize, OcsId)> = pod.ocses.ids().map(|ocs| (parts(&[ocs]), ocs)).filter(|&(joined, _)| joined > 0).collect();
    // Most joining first; ties by id.
    left.sort_by_key(|&(joined, ocs)| (std::cmp::Reverse(joined), ocs));
    let mut trees = Vec::new();
    let mut pending: Vec<OcsId> = Vec::new();
    let mut joined = 0;
    let mut rest = left.into_iter().map(|(_, ocs)| ocs).collect::<Vec<_>>();
    while !rest.is_empty() {
        // The first switch that adds the most to the set being filled.
        let mut best: Option<(usize, usize)> = None;
        for (at, &ocs) in rest.iter().enumerate() {
            pending.push(ocs);
            let now = parts(&pending);
            pending.pop();
            if best.is_none_or(|(so_far, _)| now > so_far) {
                best = Some((now, at));
            }
            if now == wanted {
                break;
            }
        }
        let (now, at) = best.expect("rest is not empty");
        if now == joined {
            break;
        }
        joined = now;
        pending.push(rest.remove(at));
        if joined == wanted {
            pending.sort_unstable();
            trees.push(std::mem::take(&mut pending));
            joined = 0;
        }
    }
    trees
}
