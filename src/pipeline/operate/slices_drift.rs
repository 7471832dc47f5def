//! How live switches differ from a placement of slices, and what that means for every slice.

use super::placed::PlacedFabric;
use super::stored::has_scenario;
use crate::folder::Folder;
use fabc_base::ids::{BlockId, OcsId};
use fabc_ir::{LiveSwitches, Meaning, Mirrors, SliceDrift, SlicesDrift, SwitchDrift};
use fabc_model::kind_files;
use fabc_model::{PORT_NAMES, Pod};
use fabc_passes::drift::{self, Dark};
use std::collections::{BTreeMap, BTreeSet};

impl<F: Folder> PlacedFabric<F> {
    /// Compares the live switches with the placement. With `soon`, pending cross-connects count as set.
    ///
    /// # Errors
    /// The tables of a kind cannot be read.
    pub fn drift(&self, live: &LiveSwitches, soon: bool) -> Result<SlicesDrift, F::Error> {
        let pod = self.pod();
        let switches = self.differences(live, soon);
        let owners = self.placement.owners();
        let slice_name = |slice: usize| self.placement.slices[slice].name.clone();
        let slice_ends = |ocs: OcsId, pair: [u32; 2]| {
            pod.ocses[ocs].faces(pair).map(|face| owners.get(&face.cube).map(|(slice, _)| *slice))
        };
        let within = |ocs: OcsId, pair: [u32; 2], slice: usize| slice_ends(ocs, pair) == [Some(slice); 2];
        let mut across = Vec::new();
        for switch in &switches {
            for &pair in &switch.extra {
                let slice_ends = slice_ends(switch.ocs, pair);
                if slice_ends[0].is_none() || slice_ends[0] != slice_ends[1] {
                    across.push((switch.ocs, pair, slice_ends.map(|end| end.map(slice_name))));
                }
            }
        }
        let mut slices = Vec::new();
        for (index, slice) in self.placement.slices.iter().enumerate() {
            let of_slice = |pairs: &[[u32; 2]], ocs: OcsId| {
                pairs.iter().copied().filter(|&pair| within(ocs, pair, index)).collect::<Vec<_>>()
            };
            let in_slice: Vec<SwitchDrift> = switches
                .iter()
                .map(|switch| SwitchDrift {
                    missing: of_slice(&switch.missing, switch.ocs),
                    extra: of_slice(&switch.extra, switch.ocs),
                    ..switch.clone()
                })
                .collect();
            let foreign = in_slice.iter().any(|switch| !switch.extra.is_empty());
            if !foreign && in_slice.iter().all(|switch| switch.missing.is_empty()) {
                continue;
            }
            let settings: Mirrors = self
                .settings
                .enumerate()
                .map(|(ocs, set)| set.iter().copied().filter(|&pair| within(ocs, pair, index)).collect())
                .collect();
            let names: Vec<String> =
                drift::dark(&settings, &in_slice).into_iter().map(|dark| part_name(pod, dark)).collect();
            let local = self.local_slice(&slice.name)?;
            let folder = self.folder.below(&kind_files(&local.kind.name));
            let scenario = names.join("+");
            let prepared = match local.to_kind(&scenario).filter(|_| !foreign) {
                Some(inside) => has_scenario(&folder, &inside)?,
                None => false,
            };
            let meaning = match (foreign, prepared) {
                (true, _) => Meaning::Foreign(names),
                (false, true) => Meaning::Scenario(scenario),
                (false, false) => Meaning::Repair(names),
            };
            slices.push(SliceDrift {
                slice: slice.name.clone(),
                meaning,
                parts: connected_parts(pod, &slice.cubes, &settings, &in_slice),
            });
        }
        Ok(SlicesDrift { switches, slices, across })
    }
}

/// The name of a dark part as a repair takes it: a switch, or a link by one of its ends.
fn part_name(pod: &Pod, dark: Dark) -> String {
    match dark {
        Dark::Switch(ocs) => pod.ocses[ocs].name.clone(),
        Dark::CrossConnect(ocs, pair) => {
            let [face, _] = pod.ocses[ocs].faces(pair);
            format!("{}.{}", pod.node_name(face.node), PORT_NAMES[face.port.0 as usize])
        }
    }
}

/// The number of connected parts of a slice's cubes by the remaining settings. Every cube is connected in
/// itself.
fn connected_parts(pod: &Pod, cubes: &[BlockId], settings: &Mirrors, drift: &[SwitchDrift]) -> usize {
    let missing: BTreeMap<OcsId, BTreeSet<[u32; 2]>> =
        drift.iter().map(|switch| (switch.ocs, switch.missing.iter().copied().collect())).collect();
    let mut part: BTreeMap<BlockId, BlockId> = cubes.iter().map(|&cube| (cube, cube)).collect();
    for (ocs, set) in settings.enumerate() {
        for &pair in
            set.iter().filter(|pair| !missing.get(&ocs).is_some_and(|missing| missing.contains(*pair)))
        {
            let [a, b] = pod.ocses[ocs].faces(pair).map(|face| part[&face.cube]);
            part.values_mut().filter(|part| **part == b).for_each(|part| *part = a);
        }
    }
    part.values().collect::<BTreeSet<_>>().len()
}
