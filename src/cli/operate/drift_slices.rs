//! `fabc drift` of a pod in slices: what the switches do, beside the placement, and what it comes to for
//! every slice.

use crate::args::running::DriftArgs;
use crate::io::errors::{DriverError, Stop, as_error};
use crate::io::read::display;
use crate::io::terminal::{Terminal, print_out};
use crate::operate::live::live;
use crate::operate::placed::Placed;
use crate::operate::tables::has_scenario;
use fabc_base::diag::SourceMap;
use fabc_base::ids::{BlockId, OcsId};
use fabc_ir::{Meaning, Mirrors, SliceDrift, SlicesDrift, SwitchDrift};
use fabc_model::kind_files;
use fabc_model::{PORT_NAMES, Pod};
use fabc_passes::drift::{self, Dark};
use std::collections::{BTreeMap, BTreeSet};

/// `fabc drift LIVE DIR`, DIR a pod in slices. Exit code 0: the same; 2: not the same, but slices are apart
/// and each is whole; 3: they are not.
///
/// # Errors
/// Something cannot be read or does not fit (exit code 1).
pub(crate) fn drift(args: &DriftArgs, terminal: Terminal) -> Result<(), Stop> {
    let drift = judged(args, terminal).map_err(as_error)?;
    if let Some((_, _, ends)) = drift.across.first() {
        let [a, b] = ends.each_ref().map(|end| {
            end.as_ref().map_or("cubes of no slice".to_owned(), |slice| format!("slice `{slice}`"))
        });
        let what = format!("{a} and {b} are joined");
        return Err(DriverError::Drifted {
            what,
            hint: "slices are isolated by the settings alone: unset what joins them".to_owned(),
        }
        .into());
    }
    if let Some(slice) = drift.slices.iter().find(|slice| slice.parts > 1) {
        let what = format!("what is left of slice `{}` is in {} parts", slice.slice, slice.parts);
        return Err(DriverError::Drifted {
            what,
            hint: "no tables join what no fiber joins: set what is missing".to_owned(),
        }
        .into());
    }
    if drift.switches.is_empty() {
        Ok(())
    } else {
        Err(Stop { diagnostics: Vec::new(), sources: SourceMap::default(), exit_code: 2 })
    }
}

fn judged(args: &DriftArgs, terminal: Terminal) -> Result<SlicesDrift, Stop> {
    let placed = Placed::read(&args.directory)?;
    let pod = placed.pod();
    let live = live(&args.live, pod, args.ports.as_deref())?;
    let switches = drift::differences(pod, &placed.settings, &live, args.allow_pending);
    let owners = placed.placement.owners();
    let name = |slice: usize| placed.placement.slices[slice].name.clone();
    let ends = |ocs: OcsId, pair: [u32; 2]| {
        pod.ocses[ocs].faces(pair).map(|face| owners.get(&face.cube).map(|(slice, _)| *slice))
    };
    let within = |ocs: OcsId, pair: [u32; 2], slice: usize| ends(ocs, pair) == [Some(slice); 2];
    let mut across = Vec::new();
    for switch in &switches {
        for &pair in &switch.extra {
            let ends = ends(switch.ocs, pair);
            if ends[0].is_none() || ends[0] != ends[1] {
                across.push((switch.ocs, pair, ends.map(|end| end.map(name))));
            }
        }
    }
    let mut slices = Vec::new();
    for (at, slice) in placed.placement.slices.iter().enumerate() {
        let of = |pairs: &[[u32; 2]], ocs: OcsId| {
            pairs.iter().copied().filter(|&pair| within(ocs, pair, at)).collect::<Vec<_>>()
        };
        let own: Vec<SwitchDrift> = switches
            .iter()
            .map(|switch| SwitchDrift {
                missing: of(&switch.missing, switch.ocs),
                extra: of(&switch.extra, switch.ocs),
                ..switch.clone()
            })
            .collect();
        let foreign = own.iter().any(|switch| !switch.extra.is_empty());
        if !foreign && own.iter().all(|switch| switch.missing.is_empty()) {
            continue;
        }
        let settings: Mirrors = placed
            .settings
            .enumerate()
            .map(|(ocs, set)| set.iter().copied().filter(|&pair| within(ocs, pair, at)).collect())
            .collect();
        let names: Vec<String> =
            drift::dark(&settings, &own).into_iter().map(|dark| named(pod, dark)).collect();
        let local = placed.local(&slice.name)?;
        let folder = args.directory.join(kind_files(&local.kind.name));
        let scenario = names.join("+");
        let prepared = match local.inside(&scenario).filter(|_| !foreign) {
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
            parts: parts(pod, &slice.cubes, &settings, &own),
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

/// What is dark, as a repair takes it: a switch, or a link by one of its ends.
fn named(pod: &Pod, dark: Dark) -> String {
    match dark {
        Dark::Switch(ocs) => pod.ocses[ocs].name.clone(),
        Dark::CrossConnect(ocs, pair) => {
            let [face, _] = pod.ocses[ocs].faces(pair);
            format!("{}.{}", pod.node_name(face.node), PORT_NAMES[face.port.0 as usize])
        }
    }
}

/// Parts that the cubes of a slice are in by what is left of its settings; every cube is whole in itself.
fn parts(pod: &Pod, cubes: &[BlockId], settings: &Mirrors, drift: &[SwitchDrift]) -> usize {
    let missing: BTreeMap<OcsId, BTreeSet<[u32; 2]>> =
        drift.iter().map(|of| (of.ocs, of.missing.iter().copied().collect())).collect();
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
