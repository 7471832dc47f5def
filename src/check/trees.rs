//! Whether sets of OCSes are disjoint and each of them alone joins all cubes.

use super::CheckError;
use fabc_base::ids::{Id, IdVec, OcsId};
use fabc_ir::{CrossConnects, Topology, TreeBounds};
use fabc_model::Pod;

/// Checks the tree sets that prove `disjoint_trees`.
///
/// # Errors
/// The set that shares a switch with another, or the cubes that it does not join.
pub fn trees(
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
    trees: &[Vec<OcsId>],
) -> Result<(), CheckError> {
    let wrong = |what: String| Err(CheckError::Trees { what });
    let mut used_by: IdVec<OcsId, Option<usize>> = IdVec::filled(None, pod.ocses.len());
    for (tree, set) in trees.iter().enumerate() {
        if set.is_empty() {
            return wrong(format!("set {tree} is empty"));
        }
        let mut parent: Vec<usize> = (0..pod.cubes as usize).collect();
        for &id in set {
            let Some(ocs) = pod.ocses.get(id) else {
                return wrong(format!("set {tree} names OCS {id}, which the spec does not have"));
            };
            if let Some(other) = used_by[id].replace(tree) {
                return wrong(format!("{} is in set {other} and in set {tree}", ocs.name));
            }
            for setting in cross_connects.settings.get(id).into_iter().flatten() {
                let Some(link) = topology.links().get(setting.link) else {
                    return wrong(format!(
                        "{} carries link {}, which does not exist",
                        ocs.name, setting.link
                    ));
                };
                let [a, b] = [link.a, link.b].map(|end| root(&mut parent, pod.cube_of(end.node).index()));
                parent[a] = b;
            }
        }
        let first = root(&mut parent, 0);
        if let Some(apart) = (1..parent.len()).find(|&cube| root(&mut parent, cube) != first) {
            let names: Vec<&str> = set.iter().map(|&id| pod.ocses[id].name.as_str()).collect();
            return wrong(format!("{} alone does not join cube{apart} to cube0", names.join(" + ")));
        }
    }
    Ok(())
}

/// Checks the bounds on the number of sets: the upper one is counted again from its witness, and the lower
/// one must not exceed what was found.
///
/// # Errors
/// A bound that does not follow.
pub fn tree_bounds(
    pod: &Pod,
    topology: &Topology,
    cross_connects: &CrossConnects,
    found: usize,
    claimed: &TreeBounds,
) -> Result<(), CheckError> {
    let wrong = |what: String| Err(CheckError::Trees { what });
    let cubes = pod.cubes as usize;
    let join = |parent: &mut [usize], ocs: OcsId| {
        let mut saved = 0;
        for setting in cross_connects.settings.get(ocs).into_iter().flatten() {
            let link = topology.links()[setting.link];
            let [a, b] = [link.a, link.b].map(|end| root(parent, pod.cube_of(end.node).index()));
            saved += usize::from(a != b);
            parent[a] = b;
        }
        saved
    };
    let apart: Vec<usize> = (0..cubes).collect();
    let alone: Vec<(OcsId, usize)> =
        pod.ocses.ids().map(|ocs| (ocs, join(&mut apart.clone(), ocs))).collect();
    let singles = alone.iter().filter(|&&(_, saved)| cubes > 1 && saved + 1 == cubes).count();
    let others: Vec<OcsId> =
        alone.iter().filter(|&&(_, saved)| saved > 0 && saved + 1 < cubes).map(|&(ocs, _)| ocs).collect();
    let mut together = apart;
    for &ocs in &claimed.witness {
        if !others.contains(&ocs) {
            return wrong(format!(
                "the upper bound rests on OCS {ocs}, which joins all cubes by itself, or none"
            ));
        }
        join(&mut together, ocs);
    }
    let parts = (0..cubes).filter(|&cube| together[cube] == cube).count();
    if cubes > 1 && parts < 2 {
        return wrong("the upper bound rests on OCSes that join all cubes".to_owned());
    }
    let saved: usize = others.iter().map(|&ocs| join(&mut together.clone(), ocs)).sum();
    let most = if cubes > 1 { singles + (others.len() / 2).min(saved / (parts - 1)) } else { 0 };
    if claimed.at_most as usize != most {
        return wrong(format!(
            "their number is said to be at most {}, but the argument gives {most}",
            claimed.at_most
        ));
    }
    if found > most || claimed.at_least as usize > found {
        return wrong(format!("{found} sets are not between {} and {most}", claimed.at_least));
    }
    Ok(())
}

fn root(parent: &mut [usize], mut cube: usize) -> usize {
    while parent[cube] != cube {
        parent[cube] = parent[parent[cube]];
        cube = parent[cube];
    }
    cube
}
