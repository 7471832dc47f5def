//! What `fabc collective` reads of one scenario of a directory: who is wired to whom, and forwarding tables
//! where messages follow them.

use crate::io::errors::{DriverError, Stop, convicted};
use crate::io::read::{self, display};
use fabc_base::diag::SourceMap;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::{Files, ReadScenario, ReadScene};
use fabc_ir::ForwardingTables;
use fabc_ir::read::{Certificates, tagged};
use fabc_model::Fabric;
use fabc_passes::collective::copyable;
use std::path::Path;

/// Of a longer `certificates.json` the lengths of channels are not looked for: it lists flows for the most
/// part.
const CERTIFICATE_BYTES: u64 = 64 << 20;

/// A scenario.
pub(crate) struct ReadTabled {
    pub(crate) scene: ReadScene,
    /// Where they were asked for and are there.
    pub(crate) tables: Option<ForwardingTables>,
    /// The lengths of channels that certify the flow of the scenario, as the directory says; none where it
    /// does not.
    pub(crate) lengths: Vec<u64>,
}

/// Reads a scenario; none if the spec tolerates no such fault. Tables are read where they are asked for
/// (`tabled`), and where nothing else can be planned along.
///
/// # Errors
/// A file that is no regular one, is not what its format says, or does not fit the spec.
pub(crate) fn scenario(
    directory: &Path,
    fabric: &Fabric,
    sources: &SourceMap,
    name: &str,
    tabled: bool,
) -> Result<Option<ReadTabled>, Stop> {
    let stop = |error| convicted(error, sources);
    let mut files = files(directory)?;
    if !tabled {
        let Some(read) = fabc_check::read_scene(&files, fabric, name).map_err(stop)? else { return Ok(None) };
        let scene = read.scene();
        if copyable(&scene).is_ok() {
            return Ok(Some(ReadTabled { scene: read, tables: None, lengths: Vec::new() }));
        }
    }
    for path in ["json", "bin"].map(|ending| format!("{}.{ending}", fabc_emit::tables_path(name))) {
        files.extend(file(directory, path, ARTIFACT_BYTES)?);
    }
    if !files.keys().any(|path| path.starts_with("tables/")) {
        let scene = fabc_check::read_scene(&files, fabric, name).map_err(stop)?;
        return Ok(scene.map(|scene| ReadTabled { scene, tables: None, lengths: Vec::new() }));
    }
    let read = fabc_check::read_scenario(&files, fabric, name).map_err(stop)?;
    let Some(ReadScenario { topology, lit, dead, tables }) = read else { return Ok(None) };
    Ok(Some(ReadTabled {
        scene: ReadScene { topology, lit, dead },
        tables: Some(tables),
        lengths: lengths(directory, name)?,
    }))
}

/// That there is nothing that messages could follow.
pub(crate) fn untabled(directory: &Path, name: &str) -> DriverError {
    let hint = match directory.join("tables").is_dir() {
        true => format!("messages follow forwarding tables; `fabc tables {}` lists the scenarios that have some", display(directory)),
        false => "messages follow forwarding tables; the build of this directory stopped before routing, let it go on".to_owned(),
    };
    DriverError::UnknownScenario { name: name.to_owned(), hint }
}

/// The files that tell who is wired to whom.
///
/// # Errors
/// A file that cannot be read.
pub(crate) fn files(directory: &Path) -> Result<Files, DriverError> {
    let there = ["topology.json", "ocs.json"].map(|path| file(directory, path.to_owned(), ARTIFACT_BYTES));
    Ok(there.into_iter().collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// A file with its path, if it is there.
fn file(directory: &Path, path: String, most: u64) -> Result<Option<(String, Vec<u8>)>, DriverError> {
    let full = directory.join(&path);
    if full.is_file() { Ok(Some((path, read::bytes(&full, most)?))) } else { Ok(None) }
}

/// Lengths prove what they prove, so that wherever they come from nothing has to be trusted.
fn lengths(directory: &Path, name: &str) -> Result<Vec<u64>, DriverError> {
    let path = directory.join("certificates.json");
    if std::fs::metadata(&path).map_or(true, |file| file.len() > CERTIFICATE_BYTES) {
        return Ok(Vec::new());
    }
    let read: Option<Certificates> = tagged(&read::bytes(&path, CERTIFICATE_BYTES)?).ok();
    let lines = read.into_iter().flat_map(|read| read.scenarios);
    Ok(lines.into_iter().find(|line| line.scenario == name).map(|line| line.lengths).unwrap_or_default())
}
