//! Placements of slices on the cubes of a pod: the first one, the next one, and the changes between two.

use super::placed::{PlacedFabric, pod_of_slices};
use crate::folder::Folder;
use crate::refusal::Refusal;
use fabc_check::{MANIFEST, SPEC};
use fabc_emit::{Artifact, ManifestEntry, PlacedPod, TOOL, manifest_json, placed_artifacts, placed_contract};
use fabc_ir::{LiveSwitches, Mirrors, PlaceStep, SlicePlacement, SlicePlan, SwitchDrift};
use fabc_model::Fabric;
use fabc_passes::drift;
use fabc_passes::slices::{Placing, slice_plan};

/// The placement that a build of a fabric in slices begins with.
///
/// # Errors
/// [`Refusal::Unplaced`] if the slices do not fit the pod.
pub fn initial_placement(fabric: &Fabric) -> Result<SlicePlacement, Refusal> {
    Ok(Placing::new(fabric, pod_of_slices(fabric)).initial(fabric.slices.spare)?)
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
        Ok(Placing::new(&self.fabric, self.pod()).after(&self.placement, steps)?)
    }

    /// The switches whose live settings differ from the placement. With `soon`, pending cross-connects count
    /// as set.
    pub fn differences(&self, live: &LiveSwitches, soon: bool) -> Vec<SwitchDrift> {
        drift::differences(self.pod(), &self.settings, live, soon)
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
