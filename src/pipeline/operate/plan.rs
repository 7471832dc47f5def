//! The changes that take live switches to the settings of a built directory, in a safe order.

use super::pods::{complete_settings, face_port_count, pod_of};
use crate::folder::Folder;
use crate::refusal::Refusal;
use fabc_base::diag::suggestion;
use fabc_base::ids::OcsId;
use fabc_base::limits::cross_connects_bytes;
use fabc_ir::{Mirrors, SwitchPlan};
use fabc_lang::read_cross_connects;
use fabc_model::{Fabric, Pod};
use fabc_passes::plan;
use std::collections::BTreeSet;

/// A built pod with the settings of its switches, as a plan leads to them.
pub struct BuiltSwitches {
    /// The fabric that the spec declares.
    pub fabric: Fabric,
    settings: Mirrors,
}

impl BuiltSwitches {
    /// Reads the spec and the switches of a directory.
    ///
    /// # Errors
    /// [`Refusal::NotBuilt`] if a file is missing or does not fit, and [`Refusal::NoSwitches`] for a network.
    pub fn read<F: Folder>(folder: &F) -> Result<Self, F::Error> {
        let not_built = |reason: String| Refusal::NotBuilt { path: folder.path(), reason };
        for needed in ["spec.fab", "ocs.json"] {
            if !folder.has(needed) {
                return Err(not_built(format!("there is no `{needed}`")).into());
            }
        }
        let fabric = folder.spec()?.fabric;
        let pod = pod_of(&fabric)?;
        let text = folder.text("ocs.json", cross_connects_bytes(face_port_count(pod)))?;
        let settings = read_cross_connects(&pod.cube, &pod.ocses, &text)
            .map_err(|misfit| misfit.to_string())
            .and_then(|settings| complete_settings(pod, settings))
            .map_err(|problem| not_built(format!("`ocs.json` does not fit its `spec.fab`: {problem}")))?;
        Ok(Self { fabric, settings })
    }

    /// The pod of the fabric.
    ///
    /// # Errors
    /// [`Refusal::NoSwitches`] for a network.
    pub fn pod(&self) -> Result<&Pod, Refusal> {
        pod_of(&self.fabric)
    }

    /// Orders the changes from the live settings to those of the build. `replaced` names the switches whose
    /// places spare ones take.
    ///
    /// # Errors
    /// [`Refusal::NoSwitches`] for a network, and [`Refusal::UnknownWord`] for an unknown switch.
    pub fn plan_from(&self, live: &Mirrors, replaced: &[String]) -> Result<SwitchPlan, Refusal> {
        let pod = self.pod()?;
        let find = |name: &String| {
            let plain: String = name.chars().filter(|letter| *letter != ' ').collect();
            let found = pod.ocses.enumerate().find(|(_, ocs)| ocs.name == plain);
            found.map(|(id, _)| id).ok_or_else(|| {
                let known = pod.ocses.iter().map(|ocs| ocs.name.as_str());
                let hint =
                    suggestion(name, known).unwrap_or_else(|| "`ocs.json` lists all switches".to_owned());
                Refusal::UnknownWord { kind: "switch".to_owned(), name: name.clone(), hint }
            })
        };
        let replaced: BTreeSet<OcsId> = replaced.iter().map(find).collect::<Result<_, _>>()?;
        let replaced: Vec<OcsId> = replaced.into_iter().collect();
        Ok(plan::plan_with_spares(pod, live, &self.settings, &replaced))
    }
}
