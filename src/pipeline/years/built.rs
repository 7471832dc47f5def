//! A built directory, whole or in slices, as a pod that is played.

use super::parts::PodParts;
use super::play::{PlayedPod, PlayedSlice, SwapExample};
use super::policy::complete_policies;
use super::query::YearsQuery;
use super::repairs::{KindRepairer, PodRepairs};
use super::run::YearsPod;
use super::sample::PlayedKind;
use crate::availability::measured_throughput;
use crate::folder::Folder;
use crate::library::Loaded;
use crate::operate::{PlacedFabric, manifest_hash, placing};
use crate::refusal::Refusal;
use fabc_base::ids::{BlockId, Id, OcsId};
use fabc_base::progress::Progress;
use fabc_emit::{OperatedKind, OperatedYears, PLACEMENT};
use fabc_ir::{Slice, SlicePlacement};
use fabc_model::{Pod, SliceKind, kind_files};
use fabc_passes::slices::{Placing, slice_plan};

/// Plays the years of a built directory.
///
/// # Errors
/// [`Refusal::Years`] for a network and for numbers that do not fit, [`Refusal::Policy`] for policies that do
/// not fit, [`Refusal::NotBuilt`] for a damaged directory, and [`Convicted`](crate::refusal::Convicted) if
/// its tables violate the proof.
pub fn operate_years<F>(
    folder: F,
    query: &YearsQuery,
    progress: &dyn Progress,
) -> Result<OperatedYears, F::Error>
where
    F: Folder + Clone + Sync + Send,
    F::Error: Send,
{
    query.check_numbers()?;
    let manifest = manifest_hash(&folder)?;
    if folder.has(PLACEMENT) {
        operate_slices(folder, query, manifest, progress)
    } else {
        operate_whole(folder, query, manifest, progress)
    }
}

/// Plays a pod in slices.
fn operate_slices<F>(
    folder: F,
    query: &YearsQuery,
    manifest: String,
    progress: &dyn Progress,
) -> Result<OperatedYears, F::Error>
where
    F: Folder + Clone + Sync + Send,
    F::Error: Send,
{
    let placed = PlacedFabric::read(folder)?;
    let (fabric, pod, placement) = (&placed.fabric, placed.pod(), &placed.placement);
    let parts = PodParts::new(pod, query.hosts_of_cube(pod, placement.slices.len())?);
    let placed_kinds: Vec<&SliceKind> = fabric
        .slices
        .kinds
        .iter()
        .filter(|kind| placement.slices.iter().any(|slice| slice.kind == kind.name))
        .collect();
    if placed_kinds.is_empty() {
        let hint = "add one: `fabc place DIR --add KIND --out NEW_DIR`".to_owned();
        return Err(Refusal::Years { problem: "no slice is placed".to_owned(), hint }.into());
    }
    let mut kinds = Vec::new();
    let mut repairers = Vec::new();
    for kind in &placed_kinds {
        let kind_folder = placed.folder.below(&kind_files(&kind.name));
        let slices = placement.slices.iter().filter(|slice| slice.kind == kind.name).count() as u32;
        let operated = OperatedKind { kind: kind.name.clone(), slices, cubes: kind.cubes() };
        let dark = kind.fabric.budget.faults.dark_ocses();
        kinds.push(PlayedKind { operated, flow: measured_throughput(&kind_folder, dark)? });
        repairers.push(KindRepairer::read(kind_folder, &parts)?);
    }
    let slices = placement.slices.iter().map(|slice| {
        let kind = placed_kinds.iter().position(|kind| kind.name == slice.kind).unwrap_or(0);
        PlayedSlice { kind, switches: kind_switches(pod, placed_kinds[kind].pod(), slice) }
    });
    let played = PlayedPod { slices: slices.collect(), placement: placement.clone(), parts };
    let faults = placed_kinds.iter().map(|kind| kind.fabric.budget.faults.dark_ocses()).max().unwrap_or(0);
    let settings: Vec<_> = placed.kinds.iter().map(|kind| kind.settings.clone()).collect();
    let years_pod = YearsPod {
        fabric,
        pod,
        played,
        kinds,
        repairs: PodRepairs { kinds: repairers },
        placing: &|| placing(fabric, &placed.kinds),
        moves: &|SwapExample { before, after }| {
            let plain = Placing::new(fabric, pod);
            let [live, new] = [before, after].map(|placement| plain.settings(placement, &settings));
            let plan = slice_plan(pod, before, &live, after, &new);
            plan.changes.iter().map(|change| change.steps.len() as u64).sum()
        },
    };
    let request = query.request(complete_policies(&query.policies, years_pod.defaults(faults))?);
    years_pod.operate(request, manifest, progress, &|repairs, kind, loss| repairs.repair(kind, loss))
}

/// Plays a pod that is a single slice of itself.
fn operate_whole<F>(
    folder: F,
    query: &YearsQuery,
    manifest: String,
    progress: &dyn Progress,
) -> Result<OperatedYears, F::Error>
where
    F: Folder + Clone + Sync + Send,
    F::Error: Send,
{
    let Loaded { fabric, .. } = folder.fabric()?;
    let Some(pod) = fabric.pod() else {
        return Err(Refusal::Years {
            problem: "a network has no cubes and no optical switches that could be played".to_owned(),
            hint: "name the directory of a pod, or of a pod in slices".to_owned(),
        }
        .into());
    };
    let parts = PodParts::new(pod, query.hosts_of_cube(pod, 1)?);
    let dark = fabric.budget.faults.dark_ocses();
    let name = fabric.name.clone();
    let cubes: Vec<_> = (0..pod.cubes).map(BlockId).collect();
    let slice = Slice { name: name.clone(), kind: name.clone(), cubes };
    let operated = OperatedKind { kind: name, slices: 1, cubes: pod.cubes };
    let kinds = vec![PlayedKind { operated, flow: measured_throughput(&folder, dark)? }];
    let repairs = PodRepairs { kinds: vec![KindRepairer::read(folder.clone(), &parts)?] };
    let switches = pod.ocses.ids().map(Some).collect();
    let placement = SlicePlacement { slices: vec![slice], ..SlicePlacement::default() };
    let played = PlayedPod { placement, slices: vec![PlayedSlice { kind: 0, switches }], parts };
    let years_pod = YearsPod {
        fabric: &fabric,
        pod,
        played,
        kinds,
        repairs,
        placing: &|| Placing::new(&fabric, pod),
        moves: &|_| 0,
    };
    let request = query.request(complete_policies(&query.policies, years_pod.defaults(dark))?);
    years_pod.operate(request, manifest, progress, &|repairs, kind, loss| repairs.repair(kind, loss))
}

/// `[switch of the pod]`: the switch of the kind that plays it for a slice.
pub(super) fn kind_switches(pod: &Pod, kind: &Pod, slice: &Slice) -> Vec<Option<OcsId>> {
    let mut switches = vec![None; pod.ocses.len()];
    let of_pod = pod.classes().into_iter().find(|class| class.cubes.contains(&slice.cubes[0]));
    let of_kind = kind.classes().into_iter().next();
    for (outside, inside) in of_pod.iter().zip(&of_kind) {
        for ((_, (outside, _)), (_, (inside, _))) in outside.served.iter().zip(&inside.served) {
            switches[outside.index()] = Some(*inside);
        }
    }
    switches
}
