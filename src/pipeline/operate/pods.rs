//! Pods and the settings of all their switches.

use crate::refusal::Refusal;
use fabc_ir::Mirrors;
use fabc_model::{Fabric, Pod, SwitchSettings};

/// The number of face ports that switches serve.
pub fn face_port_count(pod: &Pod) -> usize {
    pod.ocses.iter().map(|ocs| ocs.a.len() + ocs.b.len()).sum()
}

/// The settings of all switches.
///
/// # Errors
/// A sentence that names the switches without settings.
pub fn complete_settings(pod: &Pod, settings: SwitchSettings) -> Result<Mirrors, String> {
    let pairs = settings.pairs;
    let missing: Vec<&str> = pairs
        .enumerate()
        .filter(|(_, set)| set.is_none())
        .map(|(id, _)| pod.ocses[id].name.as_str())
        .collect();
    match missing[..] {
        [] => Ok(pairs.iter().flatten().cloned().collect()),
        [name] => Err(format!("at `ocs`: the OCS `{name}` is missing")),
        [first, ..] => {
            Err(format!("at `ocs`: the OCS `{first}` and {} others are missing", missing.len() - 1))
        }
    }
}

/// The pod of a fabric.
///
/// # Errors
/// [`Refusal::NoSwitches`] for a network.
pub fn pod_of(fabric: &Fabric) -> Result<&Pod, Refusal> {
    fabric.pod().ok_or_else(|| Refusal::NoSwitches { fabric: fabric.name.clone() })
}
