//! How many cables run between cabinets.

use crate::ir::Topology;
use std::collections::BTreeMap;

/// How many cables run between cabinets.
pub(super) struct Cables {
    /// `[cabinet]`: (other cabinet, cables), ascending.
    pub(super) to: Vec<Vec<(u32, u32)>>,
}

impl Cables {
    pub(super) fn new(topology: &Topology, cabinet_of: &[u32], cabinets: usize) -> Self {
        let mut to: Vec<BTreeMap<u32, u32>> = vec![BTreeMap::new(); cabinets];
        for link in topology.links().iter() {
            let [one, other] = [link.a.node, link.b.node].map(|end| cabinet_of[end.0 as usize]);
            if one != other {
                *to[one as usize].entry(other).or_default() += 1;
                *to[other as usize].entry(one).or_default() += 1;
            }
        }
        Self { to: to.into_iter().map(|of| of.into_iter().collect()).collect() }
    }
}
