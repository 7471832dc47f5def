//! One of two builds that are compared: a directory, or what was compiled just now.

use super::topology::ReadTopology;
use crate::io::errors::{DriverError, Stop};
use crate::io::input_errors::needs_directory;
use crate::io::read::{self, display};
use crate::io::staging::MANIFEST;
use crate::operate::placed::is_placed;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_emit::compiled::Compiled;
use fabc_ir::read::{AnyOcsFile, BinaryTables, Manifest, Report, TablesFile, json, key_of, tagged};
use fabc_ir::{DiffSide, Entry, ForwardingTables};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// A build.
pub(crate) struct Side<'c> {
    label: String,
    source: Source<'c>,
    pub(crate) manifest: Manifest,
    pub(crate) report: Report,
    /// Its normal form.
    pub(crate) spec: String,
    pub(crate) topology: Option<ReadTopology>,
    pub(crate) switches: Option<AnyOcsFile>,
    /// By path.
    pub(crate) files: BTreeMap<String, Mark>,
}

/// Where its tables are.
enum Source<'c> {
    Directory(PathBuf),
    Compiled(&'c Compiled),
}

/// What is kept of a file.
#[derive(Clone, PartialEq, Eq)]
pub(crate) struct Mark {
    pub(crate) bytes: u64,
    hash: blake3::Hash,
}

/// What a compiled fabric is written with.
pub(crate) struct SideArgs<'a> {
    /// What it is called.
    pub(crate) label: &'a str,
    /// Its normal form.
    pub(crate) spec_text: &'a str,
    /// The options of the manifest.
    pub(crate) options: &'a [(String, String)],
}

/// Files that are read as a whole; of all others size and hash are enough.
fn is_kept(path: &str) -> bool {
    [MANIFEST, "spec.fab", "report.json", "topology.json", "ocs.json"].contains(&path)
        || path.starts_with("simulations/") && path.ends_with(".json")
}

/// Files one after the other.
#[derive(Default)]
struct Seen {
    files: BTreeMap<String, Mark>,
    kept: BTreeMap<String, Vec<u8>>,
}

impl Seen {
    fn add(&mut self, path: String, bytes: Vec<u8>) {
        self.files.insert(path.clone(), Mark { bytes: bytes.len() as u64, hash: blake3::hash(&bytes) });
        if is_kept(&path) {
            self.kept.insert(path, bytes);
        }
    }
}

impl<'c> Side<'c> {
    /// Reads a directory that `fabc build` wrote.
    ///
    /// # Errors
    /// It is none, or a file that is compared cannot be read.
    pub(crate) fn directory(directory: &Path) -> Result<Self, Stop> {
        if is_placed(directory) {
            let hint = "compare two kinds, `DIR/slices/KIND`; `fabc plan` says how placements differ";
            return Err(DriverError::OfSlices { what: "`fabc diff`".to_owned(), hint }.into());
        }
        needs_directory(directory)?;
        if !directory.join(MANIFEST).is_file() {
            return Err(DriverError::NotBuilt {
                path: display(directory),
                reason: format!("there is no `{MANIFEST}`"),
            }
            .into());
        }
        let mut seen = Seen::default();
        for path in read::paths(directory)? {
            let bytes = read::bytes(&directory.join(&path), ARTIFACT_BYTES)?;
            seen.add(path, bytes);
        }
        Ok(Self::of(seen, Source::Directory(directory.to_owned()), display(directory))?)
    }

    /// What would be written of a compiled fabric.
    ///
    /// # Errors
    /// None but bugs.
    pub(crate) fn compiled(compiled: &'c Compiled, args: SideArgs<'_>) -> Result<Self, Stop> {
        let mut seen = Seen::default();
        fabc_emit::each_artifact(compiled, args.spec_text, args.options, &mut |artifact| {
            seen.add(artifact.path, artifact.bytes);
            Ok::<(), std::convert::Infallible>(())
        })
        .unwrap_or_else(|never| match never {});
        Ok(Self::of(seen, Source::Compiled(compiled), args.label.to_owned())?)
    }

    fn of(seen: Seen, source: Source<'c>, label: String) -> Result<Self, DriverError> {
        let Seen { files, kept } = seen;
        let damaged = |path: &str, what: String| DriverError::NotBuilt {
            path: label.clone(),
            reason: format!("`{path}`: {what}"),
        };
        let no_manifest = || damaged(MANIFEST, "is missing".to_owned());
        let manifest: Manifest =
            tagged(kept.get(MANIFEST).ok_or_else(no_manifest)?).map_err(|what| damaged(MANIFEST, what))?;
        let mut report = match kept.get("report.json") {
            Some(bytes) => Report::read(bytes).map_err(|what| damaged("report.json", what))?,
            // Nothing was measured by then.
            None => Report::default(),
        };
        for (path, bytes) in kept.iter().filter(|(path, _)| path.starts_with("simulations/")) {
            report.add_simulation(bytes).map_err(|what| damaged(path, what))?;
        }
        let topology = kept.get("topology.json").map(|bytes| ReadTopology::read(bytes)).transpose();
        let topology = topology.map_err(|what| damaged("topology.json", what))?;
        let switches: Option<AnyOcsFile> = kept
            .get("ocs.json")
            .map(|bytes| json(bytes))
            .transpose()
            .map_err(|what| damaged("ocs.json", what))?;
        let spec =
            kept.get("spec.fab").map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
        Ok(Self { label, source, manifest, report, spec, topology, switches, files })
    }

    /// The options of its manifest, by name.
    pub(crate) fn options(&self) -> Vec<(String, String)> {
        self.manifest.options.0.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// What is told of it.
    pub(crate) fn told(&self) -> DiffSide {
        DiffSide {
            label: self.label.clone(),
            fabric: self.manifest.fabric.clone(),
            tool: self.manifest.tool.clone(),
            options: self.options(),
            bytes: self.files.values().map(|mark| mark.bytes).sum(),
            histograms: self.report.histograms.clone(),
        }
    }

    /// The path of the tables of a scenario.
    pub(crate) fn tables_path(&self, scenario: &str) -> Option<String> {
        let stem = fabc_emit::tables_path(scenario);
        ["json", "bin"]
            .map(|ending| format!("{stem}.{ending}"))
            .into_iter()
            .find(|path| self.files.contains_key(path))
    }

    /// The tables of a scenario in the file of that path.
    ///
    /// # Errors
    /// The file is not what its format says.
    pub(crate) fn tables(&self, scenario: &str, path: &str) -> Result<ForwardingTables, Stop> {
        let damaged = |what: String| DriverError::NotBuilt {
            path: self.label.clone(),
            reason: format!("`{path}`: {what}"),
        };
        match &self.source {
            Source::Compiled(compiled) => {
                let of = compiled
                    .scenarios
                    .iter()
                    .find(|of| of.scenario.name == scenario)
                    .and_then(|of| of.routed.as_ref());
                Ok(of.ok_or_else(|| damaged("was not compiled".to_owned()))?.tables.unpacked())
            }
            Source::Directory(directory) => {
                let topology = self.topology.as_ref().ok_or_else(|| damaged("has no topology".to_owned()))?;
                let bytes = read::bytes(&directory.join(path), ARTIFACT_BYTES)?;
                Ok(tables(&bytes, topology).map_err(damaged)?)
            }
        }
    }
}

/// Tables in either form.
fn tables(bytes: &[u8], topology: &ReadTopology) -> Result<ForwardingTables, String> {
    let carried =
        |canonical: bool| if canonical { topology.symmetry.clone() } else { topology.symmetry.without() };
    if BinaryTables::begins(bytes) {
        let file = BinaryTables::read(bytes)?;
        let symmetry = carried(file.is_canonical());
        let mut tables = file.tables(symmetry)?;
        tables.routers.iter_mut().for_each(|entries| entries.sort_unstable());
        return Ok(tables);
    }
    let TablesFile { scenario, vcs, canonical, key, vc, routers: lines, .. } = tagged(bytes)?;
    let key = key_of(&key, vc.as_deref()).ok_or("its `key` is none that fabc knows")?;
    let symmetry = carried(canonical);
    let mut routers = vec![None; symmetry.class_count()];
    for line in lines {
        let wrong = |what: &str| format!("router {}: {what}", line.node);
        let node = fabc_base::ids::NodeId(line.node);
        let known = (node.0 as usize) < symmetry.node_count()
            && symmetry.canonical_node(symmetry.class(node)) == node;
        if !known {
            return Err(wrong("is none that should be listed"));
        }
        let entries = line.entries.into_iter().map(|entry| entry.under(key)).collect::<Option<Vec<Entry>>>();
        let mut entries = entries.ok_or_else(|| wrong("has an entry that its `key` does not ask for"))?;
        if entries.iter().any(|entry| entry.dst.0 as usize >= symmetry.node_count()) {
            return Err(wrong("has an entry for a router that there is not"));
        }
        entries.sort_unstable();
        routers[symmetry.class(node)] = Some(entries);
    }
    let routers = routers.into_iter().collect::<Option<Vec<_>>>().ok_or("a router is not listed")?;
    Ok(ForwardingTables { scenario, vcs, key, symmetry, routers })
}
