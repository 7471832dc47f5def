//! Tori of hosts, for the plugin `topology/torus3d` of Slurm.
//!
//! A pod, a slice or a network has one if its topology is a plain `torus`, and if every host has a block of
//! its chips, all of the same sides. The torus of hosts then has the sides of the topology over those of a
//! block.

use super::cluster::{Cluster, ClusterHost, whole_name};
use fabc_base::ids::{BlockId, NodeId};
use fabc_model::{Family, Pod, TopologyChoice};
use std::collections::BTreeMap;

/// A torus of hosts, as `topology/torus3d` knows it.
pub(super) struct HostTorus {
    pub(super) name: String,
    /// Sides along x, y and z, in hosts.
    pub(super) dims: [u32; 3],
    /// The hosts by number, x fastest.
    pub(super) hosts: Vec<usize>,
    /// Sides of the boxes of hosts that a job may get: one cube, and the torus.
    pub(super) placements: Vec<[u32; 3]>,
}

/// The tori of a cluster: one per slice, or one for a fabric without slices.
pub(super) fn host_tori(cluster: &Cluster<'_>) -> Vec<HostTorus> {
    let fabric = cluster.fabric;
    match (cluster.placement, fabric.pod(), fabric.family()) {
        (Some(placement), ..) => placement
            .slices
            .iter()
            .enumerate()
            .filter_map(|(index, slice)| {
                let kind = fabric.slices.kinds.iter().find(|kind| kind.name == slice.kind)?;
                let is_in = |host: &ClusterHost| host.slice == Some(index);
                let local: BTreeMap<BlockId, BlockId> =
                    slice.cubes.iter().zip(0..).map(|(&cube, place)| (cube, BlockId(place))).collect();
                let pod = kind.pod();
                let at = |node: NodeId| {
                    let cube = *local.get(&pod.cube_of(node))?;
                    pod.torus_place(pod.node(cube, pod.coordinates(node)))
                };
                torus_of_pod(cluster, &format!("slice-{}", slice.name), pod, &is_in, &at)
            })
            .collect(),
        (None, Some(pod), _) => {
            let name = whole_name("pod", &fabric.name);
            torus_of_pod(cluster, &name, pod, &|_| true, &|node| pod.torus_place(node)).into_iter().collect()
        }
        (None, None, Some(Family::Torus(torus))) => torus_of_network(cluster, &torus.0).into_iter().collect(),
        _ => Vec::new(),
    }
}

/// The torus of the hosts of a pod that `is_in` selects. `at` gives the place of a chip in the topology.
fn torus_of_pod(
    cluster: &Cluster<'_>,
    name: &str,
    pod: &Pod,
    is_in: &dyn Fn(&ClusterHost) -> bool,
    at: &dyn Fn(NodeId) -> Option<[u32; 3]>,
) -> Option<HostTorus> {
    let TopologyChoice::Torus(chips) = pod.topology else { return None };
    let hosts = cluster.hosts.iter().enumerate().filter(|(_, host)| is_in(host));
    let mut sides = None;
    let mut host_at: BTreeMap<[u32; 3], usize> = BTreeMap::new();
    for (number, host) in hosts {
        let places: Vec<[u32; 3]> = host.routers.iter().map(|&node| at(node)).collect::<Option<_>>()?;
        let low = corner(&places, &|a, b| a.min(b));
        let high = corner(&places, &|a, b| a.max(b));
        let block = [0, 1, 2].map(|axis| high[axis] - low[axis] + 1);
        let is_block = block.iter().product::<u32>() as usize == places.len()
            && (0..3).all(|axis| low[axis].is_multiple_of(block[axis]));
        if !is_block || *sides.get_or_insert(block) != block {
            return None;
        }
        host_at.insert([2, 1, 0].map(|axis: usize| low[axis] / block[axis]), number);
    }
    let sides = sides?;
    let in_hosts = |chips: [u32; 3]| {
        let whole = (0..3).all(|axis| chips[axis].is_multiple_of(sides[axis]));
        whole.then(|| [0, 1, 2].map(|axis| chips[axis] / sides[axis]))
    };
    let dims = in_hosts(chips)?;
    (host_at.len() == dims.iter().product::<u32>() as usize).then_some(())?;
    let mut placements: Vec<[u32; 3]> = in_hosts(pod.cube.dims).into_iter().chain([dims]).collect();
    placements.dedup();
    Some(HostTorus { name: name.to_owned(), dims, hosts: host_at.into_values().collect(), placements })
}

/// The corner of some places: along every axis the smallest or the largest coordinate.
fn corner(places: &[[u32; 3]], choose: &dyn Fn(u32, u32) -> u32) -> [u32; 3] {
    places.iter().copied().reduce(|a, b| [0, 1, 2].map(|axis| choose(a[axis], b[axis]))).unwrap_or_default()
}

/// The torus of a network whose routers have one host each.
fn torus_of_network(cluster: &Cluster<'_>, sides: &[u32]) -> Option<HostTorus> {
    let count: u32 = sides.iter().product();
    // Routers are numbered with the last axis fastest.
    let mut dims = [1; 3];
    sides.iter().rev().enumerate().try_for_each(|(axis, &side)| {
        *dims.get_mut(axis)? = side;
        Some(())
    })?;
    let mut hosts = vec![None; count as usize];
    for (number, host) in cluster.hosts.iter().enumerate() {
        let [router] = host.routers[..] else { return None };
        if hosts.get_mut(router.0 as usize)?.replace(number).is_some() {
            return None;
        }
    }
    let hosts = hosts.into_iter().collect::<Option<Vec<usize>>>()?;
    let name = whole_name("network", &cluster.fabric.name);
    Some(HostTorus { name, dims, hosts, placements: vec![dims] })
}
