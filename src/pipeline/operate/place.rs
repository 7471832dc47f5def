//! Placements of slices on the cubes of a pod: the first one, the next one, and the changes between two.

use super::placed::{PlacedFabric, pod_of_slices};
use crate::folder::Folder;
use crate::refusal::Refusal;
use fabc_base::ids::BlockId;
use fabc_check::{MANIFEST, SPEC};
use fabc_emit::{
    Artifact, ManifestEntry, PlacedKind, PlacedPod, TOOL, manifest_json, placed_artifacts, placed_contract,
};
use fabc_ir::{
    LightBudgets, LightDrift, LiveSwitches, MeasuredPower, Mirrors, PlaceStep, SlicePlacement, SlicePlan,
    SwitchDrift, face_end_name,
};
use fabc_model::Fabric;
use fabc_passes::drift;
use fabc_passes::light::{self, NotClosing, SliceLight};
use fabc_passes::slices::{CubePreference, Placing, slice_plan};
use std::collections::BTreeMap;

/// The placement that a build of a fabric in slices begins with.
///
/// # Errors
/// [`Refusal::Unplaced`] if the slices do not fit the pod.
pub fn initial_placement(fabric: &Fabric) -> Result<SlicePlacement, Refusal> {
    Ok(Placing::new(fabric, pod_of_slices(fabric)).initial(fabric.slices.spare)?)
}

/// The placement that a build begins with, once its kinds are built. Where light loses more on some pairs of
/// ports than on others, slices have cubes with much margin.
///
/// # Errors
/// [`Refusal::Unplaced`] if the slices do not fit the pod.
pub fn lit_placement(fabric: &Fabric, kinds: &[PlacedKind]) -> Result<SlicePlacement, Refusal> {
    Ok(placing(fabric, kinds).initial(fabric.slices.spare)?)
}

/// The slices of a fabric, which prefer cubes with much margin.
pub(crate) fn placing<'a>(fabric: &'a Fabric, kinds: &[PlacedKind]) -> Placing<'a> {
    let settings: Vec<Mirrors> = kinds.iter().map(|kind| kind.settings.clone()).collect();
    let pod = pod_of_slices(fabric);
    let light = SliceLight::new(fabric, pod, &settings);
    Placing::new(fabric, pod).preferring(light.map(|light| Box::new(PreferLight(light)) as _))
}

/// Prefers cubes by the light of their slices.
struct PreferLight<'a>(SliceLight<'a>);

impl CubePreference for PreferLight<'_> {
    fn improve(&self, kind: usize, cubes: &mut [BlockId], free: &[BlockId]) {
        self.0.improve(kind, cubes, free);
    }

    fn is_better(&self, kind: usize, first: &[BlockId], second: &[BlockId]) -> bool {
        self.0.is_better(kind, first, second)
    }
}

/// The light budgets of a placement. `None` where no link has light.
///
/// # Errors
/// [`NotClosing`] if the light of a cross-connect does not reach its receiver.
pub fn placed_light(fabric: &Fabric, settings: &Mirrors) -> Result<Option<LightBudgets>, NotClosing> {
    let pod = pod_of_slices(fabric);
    let budgets = light::pod_budgets(fabric, pod, settings, None);
    if let Some(budgets) = &budgets {
        light::refuse_dark(fabric, budgets, &|end| face_end_name(pod, end))?;
    }
    Ok(budgets)
}

/// Refuses a pod in slices with a face port whose light reaches no other port, wherever slices are placed.
///
/// # Errors
/// [`NotClosing`] with the worst port.
pub fn refuse_dark_pod(fabric: &Fabric) -> Result<(), NotClosing> {
    light::refuse_dark_ports(fabric, pod_of_slices(fabric), None)
}

/// The files of a pod in slices that belong to no kind: spec, placement, settings, report, and the manifest
/// of all files. `lines` are the manifest entries of the kinds' files.
pub fn placed_files(
    placed: PlacedPod<'_>,
    spec_text: &str,
    options: &[(String, String)],
    mut lines: Vec<ManifestEntry>,
) -> Vec<Artifact> {
    let mut files = placed_artifacts(placed);
    files.push(Artifact { path: SPEC.to_owned(), bytes: spec_text.as_bytes().to_vec() });
    lines.extend(files.iter().map(|file| ManifestEntry::for_file(&file.path, &file.bytes)));
    lines.sort();
    let contract = placed_contract(placed.kinds);
    let manifest = manifest_json(TOOL, &placed.fabric.name, spec_text, contract, options, &lines);
    files.push(Artifact { path: MANIFEST.to_owned(), bytes: manifest.into_bytes() });
    files
}

/// A slice that keeps its cubes and changes its kind.
pub struct ConvertedSlice {
    /// The name of the slice.
    pub name: String,
    /// The kind that it had.
    pub old_kind: String,
    /// The kind that it gets.
    pub new_kind: String,
}

/// The changes that lead to a placement.
pub struct PlacementChange {
    /// The changes of the switches, slice by slice.
    pub plan: SlicePlan,
    /// The slices that keep their cubes and change their kinds.
    pub converted: Vec<ConvertedSlice>,
}

impl<F: Folder> PlacedFabric<F> {
    /// The placement after some steps.
    ///
    /// # Errors
    /// [`Refusal::Unplaced`] if a step is impossible.
    pub fn after(&self, steps: &[PlaceStep]) -> Result<SlicePlacement, Refusal> {
        Ok(placing(&self.fabric, &self.kinds).after(&self.placement, steps)?)
    }

    /// The switches whose live settings differ from the placement. With `soon`, pending cross-connects count
    /// as set.
    pub fn differences(&self, live: &LiveSwitches, soon: bool) -> Vec<SwitchDrift> {
        drift::differences(self.pod(), &self.settings, live, soon)
    }

    /// Compares measured light with the budgets of the links that are lit as placed. `None` where the spec
    /// gives no light.
    pub fn light_drift(
        &self,
        live: &LiveSwitches,
        powers: &BTreeMap<String, MeasuredPower>,
    ) -> Option<LightDrift> {
        let budgets = self.light.as_ref()?;
        Some(light::weak_receivers(&self.fabric, self.pod(), budgets, &live.lit, powers))
    }

    /// The changes from live settings to this placement. `old` is the placement that is live. Without it, the
    /// owners of the live cross-connects are taken from this placement.
    pub fn change_from(&self, old: Option<&SlicePlacement>, live: &Mirrors) -> PlacementChange {
        let old = old.unwrap_or(&self.placement);
        let converted = self.placement.slices.iter().filter_map(|new_slice| {
            let old_slice = old.slice(&new_slice.name)?;
            (old_slice.cubes == new_slice.cubes && old_slice.kind != new_slice.kind).then(|| ConvertedSlice {
                name: new_slice.name.clone(),
                old_kind: old_slice.kind.clone(),
                new_kind: new_slice.kind.clone(),
            })
        });
        let converted = converted.collect();
        let plan = slice_plan(self.pod(), old, live, &self.placement, &self.settings);
        PlacementChange { plan, converted }
    }
}
