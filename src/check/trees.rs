//! Verifies that sets of OCSes are disjoint, and that each of them alone connects all cubes.

use super::CheckError;
use fabc_base::ids::{Id, IdVec, OcsId};
use fabc_ir::{CrossConnects, Topology, TreeBounds};
use fabc_model::Pod;

/// Verifies the tree sets that prove `disjoint_trees`.
///
/// # Errors
/// A set that shares a switch with another one, or the cubes that it does not connect.
pub fn verify_trees(
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
    trees: &[Vec<OcsId>],
) -> Result<(), CheckError> {
    let reject = |violation: String| Err(CheckError::Trees { violation });
    let mut used_by: IdVec<OcsId, Option<usize>> = IdVec::filled(None, pod.ocses.len());
    for (tree, set) in trees.iter().enumerate() {
        if set.is_empty() {
            return reject(format!("set {tree} is empty"));
        }
        let mut parent: Vec<usize> = (0..pod.cubes as usize).collect();
        for &id in set {
            let Some(ocs) = pod.ocses.get(id) else {
                return reject(format!("set {tree} names OCS {id}, which the spec does not have"));
            };
            if let Some(other) = used_by[id].replace(tree) {
                return reject(format!("{} is in set {other} and in set {tree}", ocs.name));
            }
            for setting in cross_connects.settings.get(id).into_iter().flatten() {
                let Some(link) = topology.links().get(setting.link) else {
                    return reject(format!(
                        "{} carries link {}, which does not exist",
                        ocs.name, setting.link
                    ));
                };
                let [a, b] =
                    [link.a, link.b].map(|end| find_root(&mut parent, pod.cube_of(end.node).index()));
                parent[a] = b;
            }
        }
        let first = find_root(&mut parent, 0);
        if let Some(isolated) = (1..parent.len()).find(|&cube| find_root(&mut parent, cube) != first) {
            let names: Vec<&str> = set.iter().map(|&id| pod.ocses[id].name.as_str()).collect();
            return reject(format!("{} alone does not join cube{isolated} to cube0", names.join(" + ")));
        }
    }
    Ok(())
}

/// Verifies the bounds on the number of sets. The upper bound is recomputed from its witness. The lower
/// bound must not exceed the number of sets found.
///
/// # Errors
/// A bound that does not follow.
pub fn verify_tree_bounds(
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
    set_count: usize,
    claimed: &TreeBounds,
) -> Result<(), CheckError> {
    let reject = |violation: String| Err(CheckError::Trees { violation });
    let cubes = pod.cubes as usize;
    let connect = |parent: &mut [usize], ocs: OcsId| {
        let mut saved = 0;
        for setting in cross_connects.settings.get(ocs).into_iter().flatten() {
            let link = topology.links()[setting.link];
            let [a, b] = [link.a, link.b].map(|end| find_root(parent, pod.cube_of(end.node).index()));
            saved += usize::from(a != b);
            parent[a] = b;
        }
        saved
    };
    let separate: Vec<usize> = (0..cubes).collect();
    let saved_alone: Vec<(OcsId, usize)> =
        pod.ocses.ids().map(|ocs| (ocs, connect(&mut separate.clone(), ocs))).collect();
    let singles = saved_alone.iter().filter(|&&(_, saved)| cubes > 1 && saved + 1 == cubes).count();
    let others: Vec<OcsId> = saved_alone
        .iter()
        .filter(|&&(_, saved)| saved > 0 && saved + 1 < cubes)
        .map(|&(ocs, _)| ocs)
        .collect();
    let mut witness_parts = separate;
    for &ocs in &claimed.witness {
        if !others.contains(&ocs) {
            return reject(format!(
                "the upper bound rests on OCS {ocs}, which joins all cubes by itself, or none"
            ));
        }
        connect(&mut witness_parts, ocs);
    }
    let parts = (0..cubes).filter(|&cube| witness_parts[cube] == cube).count();
    if cubes > 1 && parts < 2 {
        return reject("the upper bound rests on OCSes that join all cubes".to_owned());
    }
    let saved: usize = others.iter().map(|&ocs| connect(&mut witness_parts.clone(), ocs)).sum();
    let max_sets = if cubes > 1 { singles + (others.len() / 2).min(saved / (parts - 1)) } else { 0 };
    if claimed.at_most as usize != max_sets {
        return reject(format!(
            "their number is claimed to be at most {}, but the argument gives {max_sets}",
            claimed.at_most
        ));
    }
    if set_count > max_sets || claimed.at_least as usize > set_count {
        return reject(format!("{set_count} sets are not between {} and {max_sets}", claimed.at_least));
    }
    Ok(())
}

fn find_root(parent: &mut [usize], mut cube: usize) -> usize {
    while parent[cube] != cube {
        parent[cube] = parent[parent[cube]];
        cube = parent[cube];
    }
    cube
}
