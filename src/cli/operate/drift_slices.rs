//! `fabc drift` of a pod in slices: compares the live switches with the placement, and says what the
//! difference means for every slice.

use crate::args::running::DriftArgs;
use crate::io::errors::DriverError;
use crate::io::read::display;
use crate::io::stop::{Stop, with_error_code};
use crate::io::terminal::{Terminal, print_out};
use crate::operate::live::read_live;
use crate::operate::placed::PlacedDirectory;
use crate::operate::tables::has_scenario;
use fabc_base::diag::SourceMap;
use fabc_base::ids::{BlockId, OcsId};
use fabc_ir::{Meaning, Mirrors, SliceDrift, SlicesDrift, SwitchDrift};
use fabc_model::kind_files;
use fabc_model::{PORT_NAMES, Pod};
use fabc_passes::drift::{self, Dark};
use std::collections::{BTreeMap, BTreeSet};

/// `fabc drift LIVE DIR` where DIR is a pod in slices. Exit code 0 for no difference. Exit code 2 for a
/// difference that leaves every slice isolated and connected. Exit code 3 otherwise.
///
/// # Errors
/// Exit code 1 if something cannot be read or does not fit.
pub(crate) fn drift(args: &DriftArgs, terminal: Terminal) -> Result<(), Stop> {
    let drift = print_drift(args, terminal).map_err(with_error_code)?;
    if let Some((_, _, ends)) = drift.across.first() {
        let [a, b] = ends.each_ref().map(|end| {
            end.as_ref().map_or("cubes of no slice".to_owned(), |slice| format!("slice `{slice}`"))
        });
        let problem = format!("{a} and {b} are joined");
        return Err(DriverError::Drifted {
            problem,
            hint: "only the settings of the switches isolate slices: remove the cross-connects between them"
                .to_owned(),
        }
        .into());
    }
    if let Some(slice) = drift.slices.iter().find(|slice| slice.parts > 1) {
        let problem = format!(
            "the surviving part of slice `{}` is disconnected into {} parts",
            slice.slice, slice.parts
        );
        return Err(DriverError::Drifted {
            problem,
            hint: "tables cannot connect parts without a fiber between them: set the missing cross-connects"
                .to_owned(),
        }
        .into());
    }
    if drift.switches.is_empty() {
        Ok(())
    } else {
        Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code: 2 })
    }
}

fn print_drift(args: &DriftArgs, terminal: Terminal) -> Result<SlicesDrift, Stop> {
    let placed = PlacedDirectory::read(&args.directory)?;
    let pod = placed.pod();
    let live = read_live(&args.live, pod, args.ports.as_deref())?;
    let switches = drift::differences(pod, &placed.settings, &live, args.allow_pending);
    let owners = placed.placement.owners();
    let slice_name = |slice: usize| placed.placement.slices[slice].name.clone();
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
    for (index, slice) in placed.placement.slices.iter().enumerate() {
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
        let settings: Mirrors = placed
            .settings
            .enumerate()
            .map(|(ocs, set)| set.iter().copied().filter(|&pair| within(ocs, pair, index)).collect())
            .collect();
        let names: Vec<String> =
            drift::dark(&settings, &in_slice).into_iter().map(|dark| part_name(pod, dark)).collect();
        let local = placed.local_slice(&slice.name)?;
        let folder = args.directory.join(kind_files(&local.kind.name));
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
    let drift = SlicesDrift { switches, slices, across };
    match args.json {
        true => print_out(&fabc_emit::slices_drift_json(&placed.fabric.name, pod, &drift))?,
        false => terminal.say(&fabc_emit::slices_drift_text(
            &placed.fabric.name,
            pod,
            &drift,
            &display(&args.directory),
        ))?,
    }
    Ok(drift)
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
