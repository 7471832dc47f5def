//! OCS-disjoint spanning trees: known packings, and small wirings packed exhaustively.

use crate::support::fixture;
use fabc::check;
use fabc::ids::{BlockId, Id, IdVec, OcsId};
use fabc::ir::*;
use fabc::model::Pod;
use fabc::passes::trees::disjoint_trees;
use proptest::prelude::*;

/// Found, certain, possible. All proved.
fn packed(pod: &Pod, topology: &Topology, cross_connects: &CrossConnects) -> (u32, u32, u32) {
    let (trees, bounds) = disjoint_trees(pod, topology, cross_connects);
    check::verify_trees(pod, topology, cross_connects, &trees).unwrap();
    check::verify_tree_bounds(pod, topology, cross_connects, trees.len(), &bounds).unwrap();
    (trees.len() as u32, bounds.at_least, bounds.at_most)
}

fn shifted(cubes: u32, steps: [u32; 3]) -> (u32, u32, u32) {
    let fabric = fixture::pod([2, 2, 2], cubes, &[0, 1, 2], 2, 0);
    let (topology, cross_connects) = fixture::wire(&fabric, steps);
    packed(fixture::plant(&fabric), &topology, &cross_connects)
}

#[test]
fn switches_that_join_all_cubes_are_trees_of_their_own() {
    assert_eq!(shifted(5, [1, 2, 3]), (12, 12, 12));
    assert_eq!(shifted(4, [1, 3, 2]), (8, 8, 8));
}

#[test]
fn shifts_by_2_and_by_3_generate_z6_together_only() {
    // Eight switches with shift 2, four with shift 3: 4 pairs. By counting: 3 (2/3)^4 + 3 (2/3)^8 < 1 <= 4
    // (3/4)^4 + 4 (3/4)^8.
    assert_eq!(shifted(6, [2, 2, 3]), (4, 3, 4));
    // Four singles, and four each of the other two.
    assert_eq!(shifted(6, [1, 2, 3]), (8, 6, 8));
}

#[test]
fn three_kinds_of_shifts_are_needed_in_z30() {
    // 6, 10 and 15 generate only together. The shifts by 6 and 10 keep inside the even cubes.
    assert_eq!(shifted(30, [6, 10, 15]), (4, 2, 4));
}

#[test]
fn one_cube_needs_no_tree() {
    assert_eq!(shifted(1, [0, 0, 0]), (0, 0, 0));
}

#[test]
fn a_forged_bound_is_convicted() {
    let fabric = fixture::pod([2, 2, 2], 6, &[0, 1, 2], 2, 0);
    let pod = fixture::plant(&fabric);
    let (topology, cross_connects) = fixture::wire(&fabric, [2, 2, 3]);
    let (trees, bounds) = disjoint_trees(pod, &topology, &cross_connects);
    for forged in [
        TreeBounds { at_most: 5, ..bounds.clone() },
        TreeBounds { at_most: 3, ..bounds.clone() },
        TreeBounds { at_least: 5, ..bounds.clone() },
        TreeBounds { witness: pod.ocses.ids().collect(), ..bounds },
    ] {
        assert!(check::verify_tree_bounds(pod, &topology, &cross_connects, trees.len(), &forged).is_err());
    }
}

/// Every switch set to a permutation of its own.
fn wire(pod: &Pod, permutations: &[Vec<u32>]) -> (Topology, CrossConnects) {
    let mut links = Vec::new();
    for (ocs, permutation) in pod.ocses.iter().zip(permutations) {
        for (from, &to) in ocs.a.iter().zip(permutation) {
            let [a, b] = [from, &ocs.b[to as usize]].map(|face| End { node: face.node, port: face.port });
            links.push(Link { a, b, class: LinkClass::Global, link_type: ocs.link, simplex: false });
        }
    }
    let identity = vec![(0..pod.cubes).map(BlockId).collect()];
    let topology = Topology::new(6, links, Symmetry::new(pod.chips_per_cube(), identity));
    let mut cross_connects = CrossConnects {
        settings: IdVec::filled(Vec::new(), pod.ocses.len()),
        ocs_of: IdVec::filled(None, topology.links().len()),
    };
    for (id, ocs) in pod.ocses.enumerate() {
        let Some(permutation) = permutations.get(id.index()) else { continue };
        for (a, (from, &b)) in ocs.a.iter().zip(permutation).enumerate() {
            let link = topology.link_of(topology.outgoing(from.node, from.port).unwrap());
            cross_connects.settings[id].push(CrossConnect { a: a as u32, b, link });
            cross_connects.ocs_of[link] = Some(id);
        }
    }
    (topology, cross_connects)
}

/// The largest packing of the first `switches` OCSes, by trying all.
fn best(pod: &Pod, topology: &Topology, cross_connects: &CrossConnects, switches: usize) -> u32 {
    let spans = |mask: usize| {
        let set: Vec<OcsId> = (0..switches).filter(|ocs| mask >> ocs & 1 == 1).map(OcsId::new).collect();
        !set.is_empty() && check::verify_trees(pod, topology, cross_connects, &[set]).is_ok()
    };
    let spanning: Vec<bool> = (0..1usize << switches).map(spans).collect();
    let mut most_trees = vec![0; 1 << switches];
    for mask in 1..1usize << switches {
        let mut part = mask;
        while part > 0 {
            if spanning[part] {
                most_trees[mask] = most_trees[mask].max(1 + most_trees[mask ^ part]);
            }
            part = (part - 1) & mask;
        }
    }
    most_trees[most_trees.len() - 1]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_bounds_enclose_the_best_packing(permutations in proptest::collection::vec(Just((0..6u32).collect::<Vec<_>>()).prop_shuffle(), 3..9), calm in 0..3usize) {
        let fabric = fixture::pod([2, 2, 2], 6, &[0, 1, 2], 2, 0);
        let pod = fixture::plant(&fabric);
        // Calm switches exchange a few cubes only.
        let permutations: Vec<Vec<u32>> = permutations
            .into_iter()
            .map(|full| {
                let mut few: Vec<u32> = (0..6).collect();
                (0..calm).for_each(|index| few.swap(full[index] as usize, full[index + 1] as usize));
                if calm == 0 { full } else { few }
            })
            .collect();
        let (topology, cross_connects) = wire(pod, &permutations);
        let (trees_found, least, most) = packed(pod, &topology, &cross_connects);
        let best = best(pod, &topology, &cross_connects, permutations.len());
        prop_assert!(least <= trees_found && trees_found <= best && best <= most, "{least} {trees_found} {best} {most}");
        prop_assert!(trees_found + 1 >= best, "{trees_found} of {best}");
    }
}
