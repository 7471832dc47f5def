//! How the switches of a pod differ from the settings of a build.
//!
//! Input: both settings. Output: for every switch the missing and the extra cross-connects, and the smallest
//! set of dark parts that explains them. A switch is dark if all its cross-connects are missing. Otherwise
//! the single cross-connects are dark. Cost: one look at every port.

use fabc_base::ids::OcsId;
use fabc_ir::{LiveSwitches, Mirrors, SwitchDrift};
use fabc_model::{FacePort, Pod};
use std::collections::BTreeSet;

/// A part that is dark.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Dark {
    /// A switch, none of whose cross-connects is lit.
    Switch(OcsId),
    /// One cross-connect of a switch.
    CrossConnect(OcsId, [u32; 2]),
}

/// The switches that differ. With `count_pending`, a pending cross-connect counts as set. This does not hold
/// if the switch has done nothing yet, or if another cross-connect is lit on one of the ports.
pub fn differences(pod: &Pod, built: &Mirrors, live: &LiveSwitches, count_pending: bool) -> Vec<SwitchDrift> {
    let drift_of_switch = |ocs: OcsId| {
        let mut lit = live.lit[ocs].clone();
        if count_pending && !live.idle.contains(&ocs) {
            let occupied: BTreeSet<FacePort> =
                lit.iter().flat_map(|&pair| pod.ocses[ocs].faces(pair)).collect();
            let free =
                |pair: &&[u32; 2]| !pod.ocses[ocs].faces(**pair).iter().any(|face| occupied.contains(face));
            lit.extend(live.pending[ocs].iter().filter(free));
        }
        let missing: Vec<[u32; 2]> = built[ocs].difference(&lit).copied().collect();
        let extra: Vec<[u32; 2]> = lit.difference(&built[ocs]).copied().collect();
        let freed: BTreeSet<FacePort> = missing.iter().flat_map(|&pair| pod.ocses[ocs].faces(pair)).collect();
        let uses_freed_port =
            |extra: &&[u32; 2]| pod.ocses[ocs].faces(**extra).iter().any(|face| freed.contains(face));
        let moved = extra.iter().filter(uses_freed_port).copied().collect();
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
            || !count_pending && !pending.is_empty()
    };
    built.ids().map(drift_of_switch).filter(differs).collect()
}

/// The smallest set of dark parts that explains exactly these missing cross-connects.
pub fn dark(built: &Mirrors, switches: &[SwitchDrift]) -> Vec<Dark> {
    let mut dark_parts = Vec::new();
    for SwitchDrift { ocs, missing, .. } in switches {
        if missing.len() == built[*ocs].len() && !missing.is_empty() {
            dark_parts.push(Dark::Switch(*ocs));
        } else {
            dark_parts.extend(missing.iter().map(|&pair| Dark::CrossConnect(*ocs, pair)));
        }
    }
    dark_parts
}
