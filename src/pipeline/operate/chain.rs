//! The manifest of a repair or a plan, which names the directories that it starts from by the hashes of their
//! manifests. So whoever signs manifests signs a chain of changes.

use super::built::{BuiltFabric, manifest_hash};
use crate::folder::Folder;
use fabc_check::{CheckError, MANIFEST};
use fabc_emit::{Artifact, ManifestEntry, TOOL, change_manifest_json};
use serde_json::Value;

/// The directories that a change may start from or lead to, and what messages call them.
const PARTS: [(&str, &str); 4] =
    [("built", "build"), ("earlier", "earlier repair"), ("running", "running plan"), ("new", "new build")];

/// The hash of the manifest of a directory. `None` if it has none, such as a folder with files of switches.
fn hash<F: Folder>(folder: &F) -> Option<String> {
    manifest_hash(folder).ok()
}

/// The manifest of a change, while its files are written or compared.
pub struct ChangeManifest {
    /// The version that writes it.
    tool: String,
    kind: &'static str,
    fabric: String,
    /// (part, hash of its manifest).
    starts: Vec<(&'static str, String)>,
    lines: Vec<ManifestEntry>,
}

impl ChangeManifest {
    /// The manifest of the repair of a build. `earlier` is the repair that it changes.
    pub fn of_repair<F: Folder>(built: &BuiltFabric<F>, earlier: Option<&F>) -> Self {
        let starts = [("built", hash(&built.folder)), ("earlier", earlier.and_then(hash))];
        Self::new("repair", built, starts, ("running", built.running.clone()))
    }

    /// The manifest of the plan that leads from one build to another.
    pub fn of_plan<F: Folder>(old: &BuiltFabric<F>, new: &BuiltFabric<F>) -> Self {
        let starts = [("built", hash(&old.folder)), ("running", old.running.clone())];
        Self::new("plan", new, starts, ("new", hash(&new.folder)))
    }

    fn new<F>(
        kind: &'static str,
        built: &BuiltFabric<F>,
        first: [(&'static str, Option<String>); 2],
        last: (&'static str, Option<String>),
    ) -> Self {
        let starts = first.into_iter().chain([last]).filter_map(|(part, hash)| Some((part, hash?))).collect();
        Self { tool: TOOL.to_owned(), kind, fabric: built.fabric.name.clone(), starts, lines: Vec::new() }
    }

    /// Adds a file of the change, with its size and hash.
    pub fn list(&mut self, file: &Artifact) {
        self.lines.push(ManifestEntry::for_file(&file.path, &file.bytes));
    }

    /// The manifest as the version wrote it that the one in a folder names, if that starts from the same
    /// directories.
    ///
    /// # Errors
    /// A `CheckError` with the first part whose manifest is another one.
    pub(crate) fn claimed_in<F: Folder>(mut self, out: &F) -> Result<Self, CheckError> {
        let found: Value =
            out.read(MANIFEST).ok().and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let named = |part: &str| found["starts"][part].as_str();
        let own =
            |part: &str| self.starts.iter().find(|(own, _)| *own == part).map(|(_, hash)| hash.as_str());
        if let Some((_, words)) = PARTS.into_iter().find(|(part, _)| named(part) != own(part)) {
            return Err(CheckError::Files {
                path: MANIFEST.to_owned(),
                violation: format!("starts from another manifest than that of its {words}"),
            });
        }
        self.tool = found["tool"].as_str().unwrap_or(TOOL).to_owned();
        Ok(self)
    }

    /// The file of the manifest.
    pub fn file(mut self) -> Artifact {
        self.lines.sort();
        let text = change_manifest_json(&self.tool, self.kind, &self.fabric, &self.starts, &self.lines);
        Artifact { path: MANIFEST.to_owned(), bytes: text.into_bytes() }
    }
}
