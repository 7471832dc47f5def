//! Whether sets of OCSes are disjoint and each of them alone joins all cubes.

use super::CheckError;
use crate::ids::{Id, IdVec, OcsId};
use crate::ir::{CrossConnects, Topology};
use crate::model::Pod;

/// Checks the tree sets that prove `disjoint_trees`.
///
/// # Errors
/// The set that shares a switch with another, or the cubes that it does not join.
pub fn trees(pod: &Pod, topology: &Topology, cross_connects: &CrossConnects, trees: &[Vec<OcsId>]) -> Result<(), CheckError> {
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
                    return wrong(format!("{} carries link {}, which does not exist", ocs.name, setting.link));
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

fn root(parent: &mut [usize], mut cube: usize) -> usize {
    while parent[cube] != cube {
        parent[cube] = parent[parent[cube]];
        cube = parent[cube];
    }
    cube
}
