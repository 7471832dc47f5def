//! The directory of a pod in slices: its spec, its kinds, and the placement of slices on cubes.

use crate::args::sim::NOMINAL;
use crate::io::errors::DriverError;
use crate::io::input_errors::needs_directory;
use crate::io::read::{self, display};
use crate::io::staging::{MANIFEST, Staging};
use crate::io::stop::Stop;
use crate::operate::switches::complete_settings;
use crate::verify::reported::reported_metrics;
use fabc_base::diag::SourceMap;
use fabc_base::ids::BlockId;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{CheckError, Isolation, verify_isolation};
use fabc_emit::{
    Artifact, ManifestEntry, PLACEMENT, PlacedKind, PlacedPod, TOOL, manifest_json, placed_artifacts,
};
use fabc_ir::read::{Manifest, OcsFile, PlacementFile, json, tagged};
use fabc_ir::{Mirrors, Slice, SlicePlacement};
use fabc_lang::read_cross_connects;
use fabc_model::kind_files;
use fabc_model::{Fabric, Pod, SliceKind};
use fabc_passes::slices::{PlaceError, Placing};
use fabc_pipeline::library::Loaded;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A pod in slices, read from its directory.
pub(crate) struct PlacedDirectory {
    pub(crate) directory: PathBuf,
    pub(crate) fabric: Fabric,
    pub(crate) sources: SourceMap,
    /// The normal form of the spec.
    pub(crate) spec_text: String,
    pub(crate) kinds: Vec<PlacedKind>,
    pub(crate) placement: SlicePlacement,
    /// The settings of the switches for the placement.
    pub(crate) settings: Mirrors,
    /// The proof that the slices are isolated from each other.
    pub(crate) isolation: Isolation,
}

impl From<PlaceError> for Stop {
    fn from(error: PlaceError) -> Self {
        let exit_code = if let PlaceError::NoRoom { .. } = error { 3 } else { 2 };
        Stop { diagnostics: vec![Box::new(error)], sources: SourceMap::default(), exit_code }
    }
}

/// Whether a directory holds a pod in slices.
pub(crate) fn is_placed(directory: &Path) -> bool {
    directory.join(PLACEMENT).is_file()
}

/// The pod of a fabric in slices.
///
/// # Panics
/// Never: the language allows slices in pods only.
pub(crate) fn pod_of_slices(fabric: &Fabric) -> &Pod {
    fabric.pod().expect("only pods are divided")
}

/// A kind of slice from the files of its directory.
pub(crate) fn read_kind(
    kind: &SliceKind,
    read: &dyn Fn(&str) -> Result<Vec<u8>, DriverError>,
) -> Result<PlacedKind, DriverError> {
    let folder = kind_files(&kind.name);
    let damaged = |file: &str, problem: String| DriverError::NotBuilt {
        path: format!("{folder}{file}"),
        reason: problem,
    };
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
pub(crate) fn placement_settings(
    fabric: &Fabric,
    kinds: &[PlacedKind],
    placement: &SlicePlacement,
) -> Mirrors {
    let of_kinds: Vec<Mirrors> = kinds.iter().map(|kind| kind.settings.clone()).collect();
    Placing::new(fabric, pod_of_slices(fabric)).settings(placement, &of_kinds)
}

/// Writes the files that belong to no kind: spec, placement, settings, report, and the manifest of all files.
/// `lines` are the manifest entries of the kinds' files. Returns the numbers of files and bytes, without
/// those of the kinds.
pub(crate) fn write_placed(
    staging: &mut Staging,
    placed: PlacedPod<'_>,
    spec_text: &str,
    options: &[(String, String)],
    mut lines: Vec<ManifestEntry>,
) -> Result<(usize, usize), DriverError> {
    let mut artifacts = placed_artifacts(placed);
    artifacts.push(Artifact { path: "spec.fab".to_owned(), bytes: spec_text.as_bytes().to_vec() });
    lines.extend(artifacts.iter().map(|artifact| ManifestEntry::for_file(&artifact.path, &artifact.bytes)));
    lines.sort();
    let contract = fabc_emit::placed_contract(placed.kinds);
    let manifest = manifest_json(TOOL, &placed.fabric.name, spec_text, contract, options, &lines);
    artifacts.push(Artifact { path: MANIFEST.to_owned(), bytes: manifest.into_bytes() });
    let mut bytes = 0;
    for artifact in &artifacts {
        bytes += artifact.bytes.len();
        staging.write(&artifact.path, &artifact.bytes)?;
    }
    Ok((artifacts.len(), bytes))
}

/// The verdict on a file that differs from what fabc writes.
fn false_file_stop(path: &str, problem: &str) -> Stop {
    let error = CheckError::Files { path: path.to_owned(), violation: problem.to_owned() };
    Stop { diagnostics: vec![Box::new(error)], sources: SourceMap::default(), exit_code: 3 }
}

impl PlacedDirectory {
    /// Reads the directory, and proves that its slices are isolated. Properties of the kinds are taken from
    /// their files.
    ///
    /// # Errors
    /// `DriverError::NotBuilt` if a file is missing or damaged, and a `CheckError` with exit code 3 if slices
    /// are not isolated.
    pub(crate) fn read(directory: &Path) -> Result<Self, Stop> {
        needs_directory(directory)?;
        Self::read_or(directory, &Stop::from)
    }

    /// Reads the directory for a verdict: any difference from what `fabc build` writes is convicted.
    ///
    /// # Errors
    /// As [`PlacedDirectory::read`], but all with exit code 3.
    pub(crate) fn read_proved(directory: &Path) -> Result<Self, Stop> {
        Self::read_or(directory, &|error| match error {
            DriverError::NotBuilt { path, reason } => false_file_stop(&path, &reason),
            other => Stop { exit_code: 3, ..Stop::from(other) },
        })
    }

    fn read_or(directory: &Path, stop: &dyn Fn(DriverError) -> Stop) -> Result<Self, Stop> {
        let not_built = |reason: String| stop(DriverError::NotBuilt { path: display(directory), reason });
        for needed in ["spec.fab", PLACEMENT, "ocs.json"] {
            if !directory.join(needed).is_file() {
                let hint = "`fabc build` writes it for a fabric with slices";
                return Err(not_built(format!("there is no `{needed}`: {hint}")));
            }
        }
        let Loaded { fabric, spec, sources, .. } = read::built_spec(directory)?;
        let Some(pod) = fabric.pod().filter(|_| !fabric.slices.kinds.is_empty()) else {
            return Err(not_built("its `spec.fab` has no slices".to_owned()));
        };
        let mut kinds = Vec::new();
        let mut files = BTreeMap::new();
        for kind in &fabric.slices.kinds {
            let folder = directory.join(kind_files(&kind.name));
            let read = |file: &str| read::read_bytes(&folder.join(file), ARTIFACT_BYTES);
            kinds.push(read_kind(kind, &read).map_err(stop)?);
            let ocs: OcsFile = tagged(&read("ocs.json").map_err(stop)?)
                .map_err(|problem| not_built(format!("`ocs.json` of `{}`: {problem}", kind.name)))?;
            files.insert(kind.name.clone(), (kind.cubes(), ocs));
        }
        let file: PlacementFile =
            tagged(&read::read_bytes(&directory.join(PLACEMENT), ARTIFACT_BYTES).map_err(stop)?)
                .map_err(|problem| not_built(format!("`{PLACEMENT}`: {problem}")))?;
        let ocs: OcsFile =
            tagged(&read::read_bytes(&directory.join("ocs.json"), ARTIFACT_BYTES).map_err(stop)?)
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
            .map_err(|errors| isolation_stop(errors, &sources))?;
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
        Ok(Self {
            directory: directory.to_owned(),
            sources,
            spec_text,
            kinds,
            placement,
            settings,
            isolation,
            fabric,
        })
    }

    pub(crate) fn pod(&self) -> &Pod {
        pod_of_slices(&self.fabric)
    }

    /// The pod as emitters take it.
    pub(crate) fn as_emitted(&self) -> PlacedPod<'_> {
        let Self { fabric, kinds, placement, settings, .. } = self;
        PlacedPod { fabric, pod: self.pod(), kinds, placement, settings }
    }

    /// A slice with its kind, and the names of the switches in both.
    ///
    /// # Errors
    /// `DriverError::UnknownWord` if there is no such slice.
    pub(crate) fn local_slice(&self, name: &str) -> Result<LocalSlice<'_>, DriverError> {
        let slice = self.placement.slice(name);
        let kind =
            slice.and_then(|slice| self.fabric.slices.kinds.iter().find(|kind| kind.name == slice.kind));
        let (Some(slice), Some(kind)) = (slice, kind) else {
            let known = self.placement.slices.iter().map(|slice| slice.name.as_str());
            let hint = fabc_base::diag::suggestion(name, known)
                .unwrap_or_else(|| "`report.txt` lists all slices".to_owned());
            return Err(DriverError::UnknownWord { kind: "slice".to_owned(), name: name.to_owned(), hint });
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

/// A slice with its kind. It translates names of the pod into names of the kind, and back.
pub(crate) struct LocalSlice<'a> {
    pub(crate) slice: &'a Slice,
    pub(crate) kind: &'a SliceKind,
    /// From the name of a switch in the pod to its name in the kind.
    switches: BTreeMap<String, String>,
}

impl LocalSlice<'_> {
    /// Translates the name of a scenario or part of the pod into the names of the kind. `None` if some part
    /// does not belong to the slice.
    pub(crate) fn to_kind(&self, name: &str) -> Option<String> {
        let cube = |cube: u32| {
            self.slice.cubes.iter().position(|own_cube| own_cube.0 == cube).map(|index| index as u32)
        };
        if name == NOMINAL {
            Some(name.to_owned())
        } else {
            translated(name, |switch| self.switches.get(switch).cloned(), cube)
        }
    }

    /// Translates a name of the kind into the names of the pod.
    pub(crate) fn to_pod(&self, name: &str) -> String {
        let switch = |name: &str| {
            self.switches.iter().find(|(_, inside)| *inside == name).map(|(outside, _)| outside.clone())
        };
        translated(name, switch, |index| self.slice.cubes.get(index as usize).map(|cube| cube.0))
            .unwrap_or_else(|| name.to_owned())
    }

    /// The numbers of its cubes, for people.
    pub(crate) fn cubes(&self) -> String {
        self.slice.cubes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// Translates the parts of a name that `+` separates: switches, and names that begin with a cube. `None` if a
/// part has no translation. The `+` behind a `.` belongs to a port.
fn translated(
    name: &str,
    switch: impl Fn(&str) -> Option<String>,
    cube: impl Fn(u32) -> Option<u32>,
) -> Option<String> {
    let translate_part = |part: &str| {
        switch(part).or_else(|| {
            let rest = part.strip_prefix("cube")?;
            let end = rest.find(|sign: char| !sign.is_ascii_digit()).unwrap_or(rest.len());
            Some(format!("cube{}{}", cube(rest[..end].parse().ok()?)?, &rest[end..]))
        })
    };
    let mut parts: Vec<String> = vec![String::new()];
    for sign in name.chars() {
        let last = parts.last_mut().expect("there is always one");
        if sign == '+' && !last.ends_with('.') { parts.push(String::new()) } else { last.push(sign) }
    }
    parts.iter().map(|part| translate_part(part)).collect::<Option<Vec<_>>>().map(|parts| parts.join("+"))
}

/// Ends a command because the placement violates isolation.
pub(crate) fn isolation_stop(errors: Vec<CheckError>, sources: &SourceMap) -> Stop {
    let diagnostics = errors.into_iter().map(|error| Box::new(error) as _).collect();
    Stop { diagnostics, sources: sources.clone(), exit_code: 3 }
}
