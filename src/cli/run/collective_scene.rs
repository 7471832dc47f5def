//! Reads one scenario of a directory for `fabc collective`: its wiring, and forwarding tables where messages
//! follow them.

use crate::io::errors::DriverError;
use crate::io::read::{self, display};
use crate::io::stop::{Stop, convicted};
use fabc_base::diag::SourceMap;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{Files, ReadScenario, ReadScene};
use fabc_ir::ForwardingTables;
use fabc_ir::read::{Certificates, tagged};
use fabc_model::Fabric;
use fabc_passes::collective::check_chunks_can_rest;
use std::path::Path;

/// Lengths of channels are not read from a longer `certificates.json`, which lists mostly flows.
const CERTIFICATE_BYTES: u64 = 64 << 20;

/// A scenario with its tables.
pub(crate) struct ScenarioInput {
    pub(crate) scene: ReadScene,
    /// The tables, if they were requested and exist.
    pub(crate) tables: Option<ForwardingTables>,
    /// `[channel]`: the lengths that certify the flow of the scenario. Empty if the directory has none.
    pub(crate) lengths: Vec<u64>,
}

/// Reads a scenario. `None` if the spec tolerates no such fault. Tables are read if `tabled`, or if chips
/// cannot pass chunks on, but not where they list next-hop groups.
///
/// # Errors
/// The errors of reading the files, and a `CheckError` if they do not fit the spec.
pub(crate) fn read_scenario(
    directory: &Path,
    fabric: &Fabric,
    sources: &SourceMap,
    name: &str,
    tabled: bool,
) -> Result<Option<ScenarioInput>, Stop> {
    let stop = |error| convicted(error, sources);
    let mut files = wiring_files(directory)?;
    if !tabled {
        let Some(read) = fabc_check::read_scene(&files, fabric, name).map_err(stop)? else { return Ok(None) };
        let scene = read.scene();
        if check_chunks_can_rest(&scene).is_ok() {
            return Ok(Some(ScenarioInput { scene: read, tables: None, lengths: Vec::new() }));
        }
    }
    for path in ["json", "bin"].map(|ending| format!("{}.{ending}", fabc_emit::tables_path(name))) {
        files.extend(optional_file(directory, path, ARTIFACT_BYTES)?);
    }
    // Next-hop groups are no paths that a message follows.
    if fabric.routing.has_many_paths() || !files.keys().any(|path| path.starts_with("tables/")) {
        let scene = fabc_check::read_scene(&files, fabric, name).map_err(stop)?;
        return Ok(scene.map(|scene| ScenarioInput { scene, tables: None, lengths: Vec::new() }));
    }
    let read = fabc_check::read_scenario(&files, fabric, name).map_err(stop)?;
    let Some(ReadScenario { topology, lit, dead, tables }) = read else { return Ok(None) };
    Ok(Some(ScenarioInput {
        scene: ReadScene { topology, lit, dead },
        tables: Some(tables),
        lengths: read_lengths(directory, name)?,
    }))
}

/// What collectives that follow forwarding tables lack in a directory.
pub(crate) struct MissingTables<'a> {
    pub(crate) fabric: &'a Fabric,
    pub(crate) directory: &'a Path,
    /// The name of the scenario.
    pub(crate) name: &'a str,
}

impl MissingTables<'_> {
    /// The error for a collective that was named.
    pub(crate) fn error(&self) -> DriverError {
        let (path, tables) = (display(self.directory), self.directory.join("tables"));
        if self.fabric.routing.has_many_paths() {
            let hint = "build with `routing = minimal;`, or let chips hand data on: `--algorithm forest`, or `paths` for an all-to-all";
            return DriverError::ManyPaths { command: "direct", path, hint };
        }
        let hint = match tables.is_dir() {
            true => format!("messages follow forwarding tables: `fabc tables {path}` lists the scenarios that have tables"),
            false => "messages follow forwarding tables, but the build stopped before routing: build without `--stop-after`".to_owned(),
        };
        DriverError::UnknownScenario { name: self.name.to_owned(), hint }
    }

    /// The reason why a collective that was not named is left out.
    pub(crate) fn reason(&self) -> &'static str {
        match self.fabric.routing.has_many_paths() {
            true => "it follows one path per pair, and this directory has groups of next hops",
            false => {
                "it follows forwarding tables, and this directory has none: its build stopped before routing"
            }
        }
    }
}

/// Reads the files with the wiring.
///
/// # Errors
/// The errors of reading the files.
pub(crate) fn wiring_files(directory: &Path) -> Result<Files, DriverError> {
    let existing =
        ["topology.json", "ocs.json"].map(|path| optional_file(directory, path.to_owned(), ARTIFACT_BYTES));
    Ok(existing.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// A file with its path, if it exists.
fn optional_file(
    directory: &Path,
    path: String,
    limit: u64,
) -> Result<Option<(String, Vec<u8>)>, DriverError> {
    let full = directory.join(&path);
    if full.is_file() { Ok(Some((path, read::read_bytes(&full, limit)?))) } else { Ok(None) }
}

/// Any lengths give a valid bound, so a wrong file cannot make the result wrong.
fn read_lengths(directory: &Path, name: &str) -> Result<Vec<u64>, DriverError> {
    let path = directory.join("certificates.json");
    if std::fs::metadata(&path).map_or(true, |file| file.len() > CERTIFICATE_BYTES) {
        return Ok(Vec::new());
    }
    let read: Option<Certificates> = tagged(&read::read_bytes(&path, CERTIFICATE_BYTES)?).ok();
    let lines = read.into_iter().flat_map(|read| read.scenarios);
    Ok(lines.into_iter().find(|line| line.scenario == name).map(|line| line.lengths).unwrap_or_default())
}
