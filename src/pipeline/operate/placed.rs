//! A pod in slices as its directory describes it: its spec, its kinds, and the placement of slices on cubes.

use super::local_slice::LocalSlice;
use super::pods::complete_settings;
use super::reported::reported_metrics;
use crate::folder::Folder;
use crate::library::Loaded;
use crate::refusal::{Convicted, Refusal};
use fabc_base::diag::SourceMap;
use fabc_base::ids::BlockId;
use fabc_check::{Isolation, MANIFEST, verify_isolation, verify_placed_light};
use fabc_emit::{PLACEMENT, PlacedKind, PlacedPod};
use fabc_ir::read::{Manifest, OcsFile, PlacementFile, json, tagged};
use fabc_ir::{LightBudgets, Mirrors, Slice, SlicePlacement};
use fabc_lang::read_cross_connects;
use fabc_model::kind_files;
use fabc_model::{Fabric, Pod, SliceKind};
use fabc_passes::slices::Placing;
use std::collections::BTreeMap;

/// A pod in slices, read from its directory.
pub struct PlacedFabric<F> {
    /// The folder that was read.
    pub folder: F,
    /// The resolved spec of the pod.
    pub fabric: Fabric,
    /// The text of the spec, for messages.
    pub sources: SourceMap,
    /// The normal form of the spec.
    pub spec_text: String,
    /// The kinds of slices, as their builds describe them.
    pub kinds: Vec<PlacedKind>,
    /// The cubes of every slice.
    pub placement: SlicePlacement,
    /// The settings of the switches for the placement.
    pub settings: Mirrors,
    /// The proof that the slices are isolated from each other.
    pub isolation: Isolation,
    /// The proved light budgets. `None` where no link has light.
    pub light: Option<LightBudgets>,
}

/// The pod of a fabric in slices.
///
/// # Panics
/// Never: the language allows slices in pods only.
pub fn pod_of_slices(fabric: &Fabric) -> &Pod {
    fabric.pod().expect("only pods are divided")
}

/// A kind of slice from the files of its directory.
///
/// # Errors
/// [`Refusal::NotBuilt`] for a damaged file, and those of `read`.
pub fn read_kind<E: From<Refusal>>(
    kind: &SliceKind,
    read: &dyn Fn(&str) -> Result<Vec<u8>, E>,
) -> Result<PlacedKind, E> {
    read_kind_or(kind, read, &E::from)
}

/// A kind of slice from the files of its directory. `refuse` makes errors of refusals.
fn read_kind_or<E>(
    kind: &SliceKind,
    read: &dyn Fn(&str) -> Result<Vec<u8>, E>,
    refuse: &dyn Fn(Refusal) -> E,
) -> Result<PlacedKind, E> {
    let folder = kind_files(&kind.name);
    let damaged =
        |file: &str, reason: String| refuse(Refusal::NotBuilt { path: format!("{folder}{file}"), reason });
    let manifest_bytes = read(MANIFEST)?;
    let manifest: Manifest = tagged(&manifest_bytes).map_err(|problem| damaged(MANIFEST, problem))?;
    let report = json(&read("report.json")?).map_err(|problem| damaged("report.json", problem))?;
    let ocs = String::from_utf8(read("ocs.json")?)
        .map_err(|_| damaged("ocs.json", "it is not UTF-8 text".to_owned()))?;
    let pod = kind.pod();
    let settings = read_cross_connects(&pod.cube, &pod.ocses, &ocs).map_err(|misfit| misfit.to_string());
    let settings = settings
        .and_then(|settings| complete_settings(pod, settings))
        .map_err(|problem| damaged("ocs.json", problem))?;
    Ok(PlacedKind {
        name: kind.name.clone(),
        cubes: kind.cubes(),
        manifest: blake3::hash(&manifest_bytes).to_hex().to_string(),
        contract: manifest.contract,
        metrics: reported_metrics(&report),
        settings,
    })
}

/// The switch settings for a placement.
pub fn placement_settings(fabric: &Fabric, kinds: &[PlacedKind], placement: &SlicePlacement) -> Mirrors {
    let of_kinds: Vec<Mirrors> = kinds.iter().map(|kind| kind.settings.clone()).collect();
    Placing::new(fabric, pod_of_slices(fabric)).settings(placement, &of_kinds)
}

impl<F: Folder> PlacedFabric<F> {
    /// Reads the directory, and proves that its slices are isolated. Properties of the kinds are taken from
    /// their files.
    ///
    /// # Errors
    /// [`Refusal::NotBuilt`] if a file is missing or damaged, and [`Convicted`] if slices are not isolated.
    pub fn read(folder: F) -> Result<Self, F::Error> {
        Self::read_or(folder, &F::Error::from, &|error| error)
    }

    /// Reads the directory for a verdict: any difference from what `fabc build` writes is convicted.
    ///
    /// # Errors
    /// As [`PlacedFabric::read`], but all of them convict.
    pub fn read_proved(folder: F) -> Result<Self, F::Error> {
        let convict = |refusal| match refusal {
            Refusal::NotBuilt { path, reason } => {
                Convicted::file(&path, &reason, &SourceMap::default()).into()
            }
            other => F::convicting(other.into()),
        };
        Self::read_or(folder, &convict, &F::convicting)
    }

    /// Reads the directory. `refuse` makes errors of refusals, and `unread` those of files without content.
    fn read_or(
        folder: F,
        refuse: &dyn Fn(Refusal) -> F::Error,
        unread: &dyn Fn(F::Error) -> F::Error,
    ) -> Result<Self, F::Error> {
        let not_built = |reason: String| refuse(Refusal::NotBuilt { path: folder.path(), reason });
        for needed in ["spec.fab", PLACEMENT, "ocs.json"] {
            if !folder.has(needed) {
                let hint = "`fabc build` writes it for a fabric with slices";
                return Err(not_built(format!("there is no `{needed}`: {hint}")));
            }
        }
        let Loaded { fabric, spec, sources, .. } = folder.spec()?;
        let Some(pod) = fabric.pod().filter(|_| !fabric.slices.kinds.is_empty()) else {
            return Err(not_built("its `spec.fab` has no slices".to_owned()));
        };
        let mut kinds = Vec::new();
        let mut files = BTreeMap::new();
        for kind in &fabric.slices.kinds {
            let kind_folder = folder.below(&kind_files(&kind.name));
            let read = |file: &str| kind_folder.read(file).map_err(unread);
            kinds.push(read_kind_or(kind, &read, refuse)?);
            let ocs: OcsFile = tagged(&read("ocs.json")?)
                .map_err(|problem| not_built(format!("`ocs.json` of `{}`: {problem}", kind.name)))?;
            files.insert(kind.name.clone(), (kind.cubes(), ocs));
        }
        let file: PlacementFile = tagged(&folder.read(PLACEMENT).map_err(unread)?)
            .map_err(|problem| not_built(format!("`{PLACEMENT}`: {problem}")))?;
        let ocs: OcsFile = tagged(&folder.read("ocs.json").map_err(unread)?)
            .map_err(|problem| not_built(format!("`ocs.json`: {problem}")))?;
        if file.fabric != fabric.name {
            return Err(not_built(format!("`{PLACEMENT}` belongs to the fabric `{}`", file.fabric)));
        }
        for kind in &kinds {
            let line = file.kinds.0.get(&kind.name);
            let same = line.is_some_and(|line| {
                line.manifest == kind.manifest && format!("{}/", line.dir) == kind_files(&kind.name)
            });
            if !same || file.kinds.0.len() != kinds.len() {
                return Err(not_built(format!("`{PLACEMENT}` and `slices/` list different kinds")));
            }
        }
        let isolation = verify_isolation(&file, &ocs, &files, pod.cubes)
            .map_err(|errors| Convicted { errors, sources: sources.clone() })?;
        let cubes = |list: Vec<u32>| list.into_iter().map(BlockId);
        let slices = file.slices.into_iter().map(|line| Slice {
            name: line.name,
            kind: line.kind,
            cubes: cubes(line.cubes).collect(),
        });
        let placement = SlicePlacement {
            slices: slices.collect(),
            spare: cubes(file.spare).collect(),
            down: cubes(file.down).collect(),
        };
        let settings = placement_settings(&fabric, &kinds, &placement);
        let spec_text = fabc_lang::syntax::print_spec(&spec);
        let light = verify_placed_light(&fabric, pod_of_slices(&fabric), &settings)
            .map_err(|error| Convicted { errors: vec![error], sources: sources.clone() })?;
        Ok(Self { folder, sources, spec_text, kinds, placement, settings, isolation, light, fabric })
    }

    /// The pod of the fabric.
    pub fn pod(&self) -> &Pod {
        pod_of_slices(&self.fabric)
    }

    /// The pod as emitters take it.
    pub fn as_emitted(&self) -> PlacedPod<'_> {
        let Self { fabric, kinds, placement, settings, light, .. } = self;
        PlacedPod { fabric, pod: self.pod(), kinds, placement, settings, light: light.as_ref() }
    }

    /// A slice with its kind, and the names of the switches in both.
    ///
    /// # Errors
    /// [`Refusal::UnknownWord`] if there is no such slice.
    pub fn local_slice(&self, name: &str) -> Result<LocalSlice<'_>, Refusal> {
        let slice = self.placement.slice(name);
        let kind =
            slice.and_then(|slice| self.fabric.slices.kinds.iter().find(|kind| kind.name == slice.kind));
        let (Some(slice), Some(kind)) = (slice, kind) else {
            let known = self.placement.slices.iter().map(|slice| slice.name.as_str());
            let hint = fabc_base::diag::suggestion(name, known)
                .unwrap_or_else(|| "`report.txt` lists all slices".to_owned());
            return Err(Refusal::UnknownWord { kind: "slice".to_owned(), name: name.to_owned(), hint });
        };
        let (pod, kind_pod) = (self.pod(), kind.pod());
        let pod_class = pod.classes().into_iter().find(|class| class.cubes.contains(&slice.cubes[0]));
        let kind_class = kind_pod.classes().into_iter().next();
        let pairs = pod_class
            .iter()
            .flat_map(|pod_class| &pod_class.served)
            .zip(kind_class.iter().flat_map(|kind_class| &kind_class.served));
        let switches = pairs.map(|((_, (outside, _)), (_, (inside, _)))| {
            (pod.ocses[*outside].name.clone(), kind_pod.ocses[*inside].name.clone())
        });
        Ok(LocalSlice { slice, kind, switches: switches.collect() })
    }
}
