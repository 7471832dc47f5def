//! Number of cables between cabinets.

use fabc_base::ids::Id;
use fabc_ir::Topology;
use fabc_model::Pod;
use std::collections::BTreeMap;

/// Number of cables between cabinets.
pub(super) struct Cables {
    /// `[cabinet]`: (other cabinet, cables), ascending.
    pub(super) to: Vec<Vec<(u32, u32)>>,
}

impl Cables {
    pub(super) fn new(topology: &Topology, cabinet_of: &[u32], cabinets: usize) -> Self {
        let links = topology.links().iter();
        Self::count_pairs(
            links.map(|link| [link.a.node, link.b.node].map(|node| cabinet_of[node.0 as usize])),
            cabinets,
        )
    }

    /// The fibers between the cubes of a pod and the racks of its switches, `rack_of` by switch.
    pub(super) fn of_pod(pod: &Pod, rack_of: &[u32], cabinets: usize) -> Self {
        let fibers = pod.ocses.enumerate().flat_map(|(id, ocs)| {
            let rack = rack_of[id.index()];
            ocs.a.iter().chain(&ocs.b).map(move |face| [face.cube.0, rack])
        });
        Self::count_pairs(fibers, cabinets)
    }

    fn count_pairs(pairs: impl Iterator<Item = [u32; 2]>, cabinets: usize) -> Self {
        let mut to: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); cabinets];
        for [first, second] in pairs {
            if first != second {
                *to[first as usize].entry(second).or_default() += 1;
                *to[second as usize].entry(first).or_default() += 1;
            }
        }
        Self { to: to.into_iter().map(|counts| counts.into_iter().collect()).collect() }
    }
}
