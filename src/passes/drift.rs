//! Drift: how the switches of a pod differ from what a build set.
//!
//! In: both settings. Out: per switch what is missing, what is joined besides, and the least that is down for
//! that: a switch of whose cross-connects none is left, else single cross-connects. Cost: one look at every
//! port.

use fabc_base::ids::OcsId;
use fabc_ir::{Live, Mirrors, SwitchDrift};
use fabc_model::{FacePort, Pod};
use std::collections::BTreeSet;

/// Something that is down.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dark {
    /// A switch: all that it is set to is missing.
    Switch(OcsId),
    /// One of its cross-connects.
    CrossConnect(OcsId, [u32; 2]),
}

/// The switches that differ. `soon` takes what is pending for set, unless the switch has done nothing yet, or
/// another cross-connect is lit on one of the ports.
pub fn differences(pod: &Pod, built: &Mirrors, live: &Live, soon: bool) -> Vec<SwitchDrift> {
    let of = |ocs: OcsId| {
        let mut lit = live.lit[ocs].clone();
        if soon && !live.idle.contains(&ocs) {
            let taken: BTreeSet<FacePort> = lit.iter().flat_map(|&pair| pod.ocses[ocs].faces(pair)).collect();
            let free =
                |pair: &&[u32; 2]| !pod.ocses[ocs].faces(**pair).iter().any(|face| taken.contains(face));
            lit.extend(live.pending[ocs].iter().filter(free));
        }
        let missing: Vec<[u32; 2]> = built[ocs].difference(&lit).copied().collect();
        let extra: Vec<[u32; 2]> = lit.difference(&built[ocs]).copied().collect();
        let freed: BTreeSet<FacePort> = missing.iter().flat_map(|&pair| pod.ocses[ocs].faces(pair)).collect();
        let takes = |extra: &&[u32; 2]| pod.ocses[ocs].faces(**extra).iter().any(|face| freed.contains(face));
        let moved = extra.iter().filter(takes).copied().collect();
        let blocked = live.blocked[ocs].iter().cloned().collect();
        let list = |pairs: &BTreeSet<[u32; 2]>| pairs.iter().copied().collect();
        let (pending, failed) = (list(&live.pending[ocs]), list(&live.failed[ocs]));
        SwitchDrift { ocs, missing, extra, moved, blocked, pending, failed, idle: live.idle.contains(&ocs) }
    };
    let differs = |drift: &SwitchDrift| {
        let SwitchDrift { missing, extra, blocked, pending, failed, .. } = drift;
        !missing.is_empty()
            || !extra.is_empty()
            || !blocked.is_empty()
            || !failed.is_empty()
            || !soon && !pending.is_empty()
    };
    built.ids().map(of).filter(differs).collect()
}

/// The least that is down where just this is missing.
pub fn dark(built: &Mirrors, switches: &[SwitchDrift]) -> Vec<Dark> {
    let mut down = Vec::new();
    for SwitchDrift { ocs, missing, .. } in switches {
        if missing.len() == built[*ocs].len() && !missing.is_empty() {
            down.push(Dark::Switch(*ocs));
        } else {
            down.extend(missing.iter().map(|&pair| Dark::CrossConnect(*ocs, pair)));
        }
    }
    down
}
