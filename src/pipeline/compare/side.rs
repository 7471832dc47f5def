//! One side of a comparison: a directory, or a fabric that was just compiled.

use super::topology::ReadTopology;
use crate::folder::Folder;
use crate::refusal::Refusal;
use fabc_check::MANIFEST;
use fabc_emit::compiled::CompiledFabric;
use fabc_ir::read::{AnyOcsFile, BinaryTables, Manifest, ReportFigures, TablesFile, json, parse_key, tagged};
use fabc_ir::{DiffSide, ForwardingTables, TableEntry};
use std::collections::BTreeMap;

/// One of the two builds that are compared.
pub struct BuildSide<'c, F> {
    label: String,
    source: TablesSource<'c, F>,
    pub(super) manifest: Manifest,
    pub(super) report: ReportFigures,
    /// The normal form of the spec.
    pub(super) spec: String,
    pub(super) topology: Option<ReadTopology>,
    pub(super) switches: Option<AnyOcsFile>,
    /// The size and hash of every file, by path.
    pub(super) files: BTreeMap<String, FileMark>,
}

/// Where tables are read from.
enum TablesSource<'c, F> {
    Folder(F),
    Compiled(&'c CompiledFabric),
}

/// The size and hash of a file.
#[derive(Clone, PartialEq, Eq)]
pub(super) struct FileMark {
    pub(super) bytes: u64,
    hash: blake3::Hash,
}

/// The details of a compiled fabric that its artifacts show.
pub struct SideDetails<'a> {
    /// The name of the side in the output.
    pub label: &'a str,
    /// The normal form of the spec.
    pub spec_text: &'a str,
    /// The options of the manifest.
    pub options: &'a [(String, String)],
}

/// Whether the content of a file is needed. Size and hash are enough for all others.
fn is_kept(path: &str) -> bool {
    [MANIFEST, "spec.fab", "report.json", "topology.json", "ocs.json"].contains(&path)
        || path.starts_with("simulations/") && path.ends_with(".json")
}

/// The files of a side, collected one by one.
#[derive(Default)]
struct CollectedFiles {
    files: BTreeMap<String, FileMark>,
    kept: BTreeMap<String, Vec<u8>>,
}

impl CollectedFiles {
    fn add(&mut self, path: String, bytes: Vec<u8>) {
        self.files.insert(path.clone(), FileMark { bytes: bytes.len() as u64, hash: blake3::hash(&bytes) });
        if is_kept(&path) {
            self.kept.insert(path, bytes);
        }
    }
}

impl<'c, F: Folder> BuildSide<'c, F> {
    /// Reads a directory that `fabc build` wrote.
    ///
    /// # Errors
    /// [`Refusal::NotBuilt`] if it is no build, or a compared file is damaged.
    pub fn read(folder: F) -> Result<Self, F::Error> {
        if !folder.has(MANIFEST) {
            let reason = format!("there is no `{MANIFEST}`");
            return Err(Refusal::NotBuilt { path: folder.path(), reason }.into());
        }
        let mut seen = CollectedFiles::default();
        for path in folder.paths()? {
            let bytes = folder.read(&path)?;
            seen.add(path, bytes);
        }
        let label = folder.path();
        Ok(Self::from_files(seen, TablesSource::Folder(folder), label)?)
    }

    /// The side of a compiled fabric, with the artifacts that would be written.
    ///
    /// # Errors
    /// Only errors that are bugs of fabc.
    pub fn from_compiled(compiled: &'c CompiledFabric, details: SideDetails<'_>) -> Result<Self, Refusal> {
        let mut seen = CollectedFiles::default();
        fabc_emit::each_artifact(compiled, details.spec_text, details.options, &mut |artifact| {
            seen.add(artifact.path, artifact.bytes);
            Ok::<(), std::convert::Infallible>(())
        })
        .unwrap_or_else(|never| match never {});
        Self::from_files(seen, TablesSource::Compiled(compiled), details.label.to_owned())
    }

    fn from_files(seen: CollectedFiles, source: TablesSource<'c, F>, label: String) -> Result<Self, Refusal> {
        let CollectedFiles { files, kept } = seen;
        let damaged = |path: &str, problem: String| Refusal::NotBuilt {
            path: label.clone(),
            reason: format!("`{path}`: {problem}"),
        };
        let no_manifest = || damaged(MANIFEST, "is missing".to_owned());
        let manifest: Manifest = tagged(kept.get(MANIFEST).ok_or_else(no_manifest)?)
            .map_err(|problem| damaged(MANIFEST, problem))?;
        let mut report = match kept.get("report.json") {
            Some(bytes) => ReportFigures::read(bytes).map_err(|problem| damaged("report.json", problem))?,
            // The build stopped before anything was measured.
            None => ReportFigures::default(),
        };
        for (path, bytes) in kept.iter().filter(|(path, _)| path.starts_with("simulations/")) {
            report.add_simulation(bytes).map_err(|problem| damaged(path, problem))?;
        }
        let topology = kept.get("topology.json").map(|bytes| ReadTopology::read(bytes)).transpose();
        let topology = topology.map_err(|problem| damaged("topology.json", problem))?;
        let switches: Option<AnyOcsFile> = kept
            .get("ocs.json")
            .map(|bytes| json(bytes))
            .transpose()
            .map_err(|problem| damaged("ocs.json", problem))?;
        let spec =
            kept.get("spec.fab").map(|bytes| String::from_utf8_lossy(bytes).into_owned()).unwrap_or_default();
        Ok(Self { label, source, manifest, report, spec, topology, switches, files })
    }

    /// The options of its manifest, by name.
    pub fn options(&self) -> Vec<(String, String)> {
        self.manifest.options.0.iter().map(|(name, value)| (name.clone(), value.clone())).collect()
    }

    /// The description of this side in a diff.
    pub(super) fn description(&self) -> DiffSide {
        DiffSide {
            label: self.label.clone(),
            fabric: self.manifest.fabric.clone(),
            tool: self.manifest.tool.clone(),
            options: self.options(),
            bytes: self.files.values().map(|mark| mark.bytes).sum(),
            histograms: self.report.histograms.clone(),
        }
    }

    /// The path of the tables of a scenario, in either form.
    pub(super) fn tables_path(&self, scenario: &str) -> Option<String> {
        let stem = fabc_emit::tables_path(scenario);
        ["json", "bin"]
            .map(|ending| format!("{stem}.{ending}"))
            .into_iter()
            .find(|path| self.files.contains_key(path))
    }

    /// Reads the tables of a scenario from the file at a path. `None` if they list groups of next hops.
    ///
    /// # Errors
    /// [`Refusal::NotBuilt`] if the file is damaged or the scenario was not compiled.
    pub(super) fn tables(&self, scenario: &str, path: &str) -> Result<Option<ForwardingTables>, F::Error> {
        let damaged = |problem: String| Refusal::NotBuilt {
            path: self.label.clone(),
            reason: format!("`{path}`: {problem}"),
        };
        match &self.source {
            TablesSource::Compiled(compiled) => {
                let found = compiled.scenarios.iter().find(|found| found.scenario.name == scenario);
                let found = found
                    .filter(|found| found.has_tables())
                    .ok_or_else(|| damaged("was not compiled".to_owned()))?;
                Ok(found.routed.as_ref().map(|routed| routed.tables.unpacked()))
            }
            TablesSource::Folder(folder) => {
                let topology = self.topology.as_ref().ok_or_else(|| damaged("has no topology".to_owned()))?;
                let bytes = folder.read(path)?;
                let has_groups = bytes.starts_with(b"{\"format\":\"fabc.tables/2\"");
                Ok((!has_groups).then(|| tables(&bytes, topology).map_err(damaged)).transpose()?)
            }
        }
    }
}

/// Reads tables in JSON or binary form. The error says in a sentence what violates the format.
fn tables(bytes: &[u8], topology: &ReadTopology) -> Result<ForwardingTables, String> {
    let carried =
        |canonical: bool| if canonical { topology.symmetry.clone() } else { topology.symmetry.to_trivial() };
    if BinaryTables::begins(bytes) {
        let file = BinaryTables::read(bytes)?;
        let symmetry = carried(file.is_canonical());
        let mut tables = file.tables(symmetry)?;
        tables.routers.iter_mut().for_each(|entries| entries.sort_unstable());
        return Ok(tables);
    }
    let TablesFile { scenario, vcs, canonical, key, vc, routers: lines, .. } = tagged(bytes)?;
    let key = parse_key(&key, vc.as_deref()).ok_or("its `key` is not one that fabc knows")?;
    let symmetry = carried(canonical);
    let mut routers = vec![None; symmetry.class_count()];
    for line in lines {
        let invalid = |problem: &str| format!("router {}: {problem}", line.node);
        let node = fabc_base::ids::NodeId(line.node);
        let known = (node.0 as usize) < symmetry.node_count()
            && symmetry.canonical_node(symmetry.class(node)) == node;
        if !known {
            return Err(invalid("should not be listed"));
        }
        let entries =
            line.entries.into_iter().map(|entry| entry.entry(key)).collect::<Option<Vec<TableEntry>>>();
        let mut entries = entries.ok_or_else(|| invalid("has an entry that does not fit its `key`"))?;
        if entries.iter().any(|entry| entry.dst.0 as usize >= symmetry.node_count()) {
            return Err(invalid("has an entry for a router that does not exist"));
        }
        entries.sort_unstable();
        routers[symmetry.class(node)] = Some(entries);
    }
    let routers = routers.into_iter().collect::<Option<Vec<_>>>().ok_or("a router is not listed")?;
    Ok(ForwardingTables { scenario, vcs, key, symmetry, routers })
}
