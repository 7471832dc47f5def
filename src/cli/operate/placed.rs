//! The directory of a pod in slices: its spec, its kinds, which slice has which cubes.

use crate::args::sim::NOMINAL;
use crate::io::errors::{DriverError, Stop};
use crate::io::input_errors::needs_directory;
use crate::io::read::{self, display};
use crate::io::staging::{MANIFEST, Staging};
use crate::operate::switches::complete;
use crate::verify::reported::metrics;
use fabc_base::diag::SourceMap;
use fabc_base::ids::BlockId;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{CheckError, Isolation, isolated};
use fabc_emit::{
    Artifact, ManifestLine, PLACEMENT, PlacedKind, PlacedPod, TOOL, manifest_json, placed_artifacts,
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

/// A placed pod, as its directory has it.
pub(crate) struct Placed {
    pub(crate) directory: PathBuf,
    pub(crate) fabric: Fabric,
    pub(crate) sources: SourceMap,
    /// The normal form of its spec.
    pub(crate) spec_text: String,
    pub(crate) kinds: Vec<PlacedKind>,
    pub(crate) placement: SlicePlacement,
    /// What its switches are set to.
    pub(crate) settings: Mirrors,
    /// That the slices are apart.
    pub(crate) isolation: Isolation,
}

impl From<PlaceError> for Stop {
    fn from(error: PlaceError) -> Self {
        let exit_code = if let PlaceError::NoRoom { .. } = error { 3 } else { 2 };
        Stop { diagnostics: vec![Box::new(error)], sources: SourceMap::default(), exit_code }
    }
}

/// Whether a directory is that of a pod in slices.
pub(crate) fn is_placed(directory: &Path) -> bool {
    directory.join(PLACEMENT).is_file()
}

/// The pod of a fabric in slices.
///
/// # Panics
/// Never: only pods are divided.
pub(crate) fn of_slices(fabric: &Fabric) -> &Pod {
    fabric.pod().expect("only pods are divided")
}

/// A kind by the files of its directory.
pub(crate) fn kind(
    kind: &SliceKind,
    read: &dyn Fn(&str) -> Result<Vec<u8>, DriverError>,
) -> Result<PlacedKind, DriverError> {
    let folder = kind_files(&kind.name);
    let damaged =
        |file: &str, what: String| DriverError::NotBuilt { path: format!("{folder}{file}"), reason: what };
    let manifest_bytes = read(MANIFEST)?;
    let manifest: Manifest = tagged(&manifest_bytes).map_err(|what| damaged(MANIFEST, what))?;
    let report = json(&read("report.json")?).map_err(|what| damaged("report.json", what))?;
    let ocs = String::from_utf8(read("ocs.json")?)
        .map_err(|_| damaged("ocs.json", "it is not UTF-8 text".to_owned()))?;
    let pod = kind.pod();
    let settings = read_cross_connects(&pod.cube, &pod.ocses, &ocs).map_err(|misfit| misfit.to_string());
    let settings =
        settings.and_then(|settings| complete(pod, settings)).map_err(|what| damaged("ocs.json", what))?;
    Ok(PlacedKind {
        name: kind.name.clone(),
        cubes: kind.cubes(),
        manifest: blake3::hash(&manifest_bytes).to_hex().to_string(),
        contract: manifest.contract,
        metrics: metrics(&report),
        settings,
    })
}

/// The settings of a placement.
pub(crate) fn settings(fabric: &Fabric, kinds: &[PlacedKind], placement: &SlicePlacement) -> Mirrors {
    let of_kinds: Vec<Mirrors> = kinds.iter().map(|kind| kind.settings.clone()).collect();
    Placing::of(fabric, of_slices(fabric)).settings(placement, &of_kinds)
}

/// Writes what is not of a kind: spec, placement, settings, report, and the manifest of all; `lines` are
/// those of the files of the kinds. Returns the files and bytes written, those of the kinds not counted.
pub(crate) fn write_placed(
    staging: &mut Staging,
    placed: PlacedPod<'_>,
    (spec_text, options): (&str, &[(String, String)]),
    mut lines: Vec<ManifestLine>,
) -> Result<(usize, usize), DriverError> {
    let mut all = placed_artifacts(placed);
    all.push(Artifact { path: "spec.fab".to_owned(), bytes: spec_text.as_bytes().to_vec() });
    lines.extend(all.iter().map(|artifact| ManifestLine::of(&artifact.path, &artifact.bytes)));
    lines.sort();
    let contract = fabc_emit::placed_contract(placed.kinds);
    let manifest = manifest_json(TOOL, &placed.fabric.name, spec_text, contract, options, &lines);
    all.push(Artifact { path: MANIFEST.to_owned(), bytes: manifest.into_bytes() });
    let mut bytes = 0;
    for artifact in &all {
        bytes += artifact.bytes.len();
        staging.write(&artifact.path, &artifact.bytes)?;
    }
    Ok((all.len(), bytes))
}

/// The verdict on a file that is not as fabc writes it.
fn false_file(path: &str, what: &str) -> Stop {
    let error = CheckError::Files { path: path.to_owned(), what: what.to_owned() };
    Stop { diagnostics: vec![Box::new(error)], sources: SourceMap::default(), exit_code: 3 }
}

impl Placed {
    /// Reads it, and proves that its slices are apart; what its kinds are is taken from their files.
    ///
    /// # Errors
    /// A file is missing or damaged, or the slices are not apart (exit code 3).
    pub(crate) fn read(directory: &Path) -> Result<Self, Stop> {
        needs_directory(directory)?;
        Self::read_or(directory, &Stop::from)
    }

    /// The same for a verdict: what is not as `fabc build` writes it is convicted.
    ///
    /// # Errors
    /// As [`Placed::read`], all of it with exit code 3.
    pub(crate) fn proved(directory: &Path) -> Result<Self, Stop> {
        Self::read_or(directory, &|error| match error {
            DriverError::NotBuilt { path, reason } => false_file(&path, &reason),
            other => Stop { exit_code: 3, ..Stop::from(other) },
        })
    }

    fn read_or(directory: &Path, stop: &dyn Fn(DriverError) -> Stop) -> Result<Self, Stop> {
        let not_built = |reason: String| stop(DriverError::NotBuilt { path: display(directory), reason });
        for needed in ["spec.fab", PLACEMENT, "ocs.json"] {
            if !directory.join(needed).is_file() {
                let what = "`fabc build` writes it for a fabric with slices";
                return Err(not_built(format!("there is no `{needed}`: {what}")));
            }
        }
        let Loaded { fabric, spec, sources, .. } = read::built_spec(directory)?;
        let Some(pod) = fabric.pod().filter(|_| !fabric.slices.kinds.is_empty()) else {
            return Err(not_built("its `spec.fab` has no slices".to_owned()));
        };
        let mut kinds = Vec::new();
        let mut files = BTreeMap::new();
        for of in &fabric.slices.kinds {
            let folder = directory.join(kind_files(&of.name));
            let read = |file: &str| read::bytes(&folder.join(file), ARTIFACT_BYTES);
            kinds.push(kind(of, &read).map_err(stop)?);
            let ocs: OcsFile = tagged(&read("ocs.json").map_err(stop)?)
                .map_err(|what| not_built(format!("`ocs.json` of `{}`: {what}", of.name)))?;
            files.insert(of.name.clone(), (of.cubes(), ocs));
        }
        let file: PlacementFile =
            tagged(&read::bytes(&directory.join(PLACEMENT), ARTIFACT_BYTES).map_err(stop)?)
                .map_err(|what| not_built(format!("`{PLACEMENT}`: {what}")))?;
        let ocs: OcsFile = tagged(&read::bytes(&directory.join("ocs.json"), ARTIFACT_BYTES).map_err(stop)?)
            .map_err(|what| not_built(format!("`ocs.json`: {what}")))?;
        if file.fabric != fabric.name {
            return Err(not_built(format!("`{PLACEMENT}` is of the fabric `{}`", file.fabric)));
        }
        for of in &kinds {
            let line = file.kinds.0.get(&of.name);
            let same = line.is_some_and(|line| {
                line.manifest == of.manifest && format!("{}/", line.dir) == kind_files(&of.name)
            });
            if !same || file.kinds.0.len() != kinds.len() {
                return Err(not_built(format!(
                    "`{PLACEMENT}` speaks of other kinds than those in `slices/`"
                )));
            }
        }
        let isolation =
            isolated(&file, &ocs, &files, pod.cubes).map_err(|errors| isolation_stop(errors, &sources))?;
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
        let settings = settings(&fabric, &kinds, &placement);
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
        of_slices(&self.fabric)
    }

    /// What emitters take.
    pub(crate) fn emitted(&self) -> PlacedPod<'_> {
        let Self { fabric, kinds, placement, settings, .. } = self;
        PlacedPod { fabric, pod: self.pod(), kinds, placement, settings }
    }

    /// A slice, beside its kind.
    ///
    /// # Errors
    /// There is no such slice.
    pub(crate) fn local(&self, name: &str) -> Result<Local<'_>, DriverError> {
        let slice = self.placement.slice(name);
        let kind =
            slice.and_then(|slice| self.fabric.slices.kinds.iter().find(|kind| kind.name == slice.kind));
        let (Some(slice), Some(kind)) = (slice, kind) else {
            let known = self.placement.slices.iter().map(|slice| slice.name.as_str());
            let hint = fabc_base::diag::suggestion(name, known)
                .unwrap_or_else(|| "`report.txt` lists all slices".to_owned());
            return Err(DriverError::UnknownWord { what: "slice".to_owned(), name: name.to_owned(), hint });
        };
        let (pod, alone) = (self.pod(), kind.pod());
        let here = pod.classes().into_iter().find(|class| class.cubes.contains(&slice.cubes[0]));
        let of_kind = alone.classes().into_iter().next();
        let both =
            here.iter().flat_map(|here| &here.served).zip(of_kind.iter().flat_map(|of_kind| &of_kind.served));
        let switches = both.map(|((_, (outside, _)), (_, (inside, _)))| {
            (pod.ocses[*outside].name.clone(), alone.ocses[*inside].name.clone())
        });
        Ok(Local { slice, kind, switches: switches.collect() })
    }
}

/// A slice beside its kind: what is called how.
pub(crate) struct Local<'a> {
    pub(crate) slice: &'a Slice,
    pub(crate) kind: &'a SliceKind,
    /// Names of switches: of the pod, and of the kind.
    switches: BTreeMap<String, String>,
}

impl Local<'_> {
    /// A scenario of the pod, or something that is down, by the names of the kind; `None` where the slice
    /// does not have all of it.
    pub(crate) fn inside(&self, name: &str) -> Option<String> {
        let cube = |cube: u32| self.slice.cubes.iter().position(|one| one.0 == cube).map(|at| at as u32);
        if name == NOMINAL {
            Some(name.to_owned())
        } else {
            renamed(name, |switch| self.switches.get(switch).cloned(), cube)
        }
    }

    /// The other way round.
    pub(crate) fn outside(&self, name: &str) -> String {
        let switch = |name: &str| {
            self.switches.iter().find(|(_, inside)| *inside == name).map(|(outside, _)| outside.clone())
        };
        renamed(name, switch, |at| self.slice.cubes.get(at as usize).map(|cube| cube.0))
            .unwrap_or_else(|| name.to_owned())
    }

    /// Its cubes, for people.
    pub(crate) fn cubes(&self) -> String {
        self.slice.cubes.iter().map(ToString::to_string).collect::<Vec<_>>().join(", ")
    }
}

/// The parts of a name with `+` between them, each by its new name: switches, and what begins with a cube;
/// `None` where one has none. The `+` of a port is none between parts.
fn renamed(
    name: &str,
    switch: impl Fn(&str) -> Option<String>,
    cube: impl Fn(u32) -> Option<u32>,
) -> Option<String> {
    let one = |part: &str| {
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
    parts.iter().map(|part| one(part)).collect::<Option<Vec<_>>>().map(|parts| parts.join("+"))
}

/// Convictions of a placement.
pub(crate) fn isolation_stop(errors: Vec<CheckError>, sources: &SourceMap) -> Stop {
    let diagnostics = errors.into_iter().map(|error| Box::new(error) as _).collect();
    Stop { diagnostics, sources: sources.clone(), exit_code: 3 }
}
