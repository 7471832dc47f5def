//! Reads the forwarding tables of one scenario.

use super::read::{TablesFile, bytes, contradiction, tagged};
use super::{BinaryTables, Files};
use crate::check::CheckError;
use crate::ir::{EntryLine, ForwardingTables, Image, Scenario, Symmetry, TableKey, Topology};

/// The path of a scenario's tables, without its ending: `.json`, or `.bin` for `fabc.tables.bin/1`.
pub(super) fn tables_path(scenario: &Scenario) -> String {
    if scenario.is_nominal() { "tables/nominal".to_owned() } else { format!("tables/fault-{}", scenario.file_stem()) }
}

/// The tables of a scenario under the symmetry that the file claims to keep, and whether it says `canonical`. What the entries say is checked by the walk.
pub(super) fn tables(files: &Files, topology: &Topology, scenario: &Scenario) -> Result<(ForwardingTables, bool), CheckError> {
    let path = tables_path(scenario) + ".bin";
    if files.contains_key(&path) {
        return binary(files, topology, scenario, &path);
    }
    let path = tables_path(scenario) + ".json";
    let file: TablesFile = tagged(files, &path)?;
    let wrong = |place: String, what: String| Err(contradiction(&path, place, what));
    if file.scenario != scenario.name {
        return wrong("scenario".to_owned(), format!("says `{}`, but the file is that of `{}`", file.scenario, scenario.name));
    }
    let Some(key) = TableKey::ALL.into_iter().find(|key| file.key == key.columns()) else {
        return wrong("key".to_owned(), "must be [\"dst\",\"in_port\",\"in_vc\"] or [\"dst\"]".to_owned());
    };
    same_images(&path, scenario, &file.images)?;
    let symmetry = symmetry(topology, file.canonical);
    if file.routers.len() != symmetry.class_count() {
        let which = if file.canonical { "canonical routers" } else { "routers" };
        return wrong(
            "routers".to_owned(),
            format!("has {} routers, but there are {} {which}", file.routers.len(), symmetry.class_count()),
        );
    }
    let mut routers = Vec::with_capacity(file.routers.len());
    for (k, (line, node)) in file.routers.into_iter().zip(symmetry.canonical_nodes()).enumerate() {
        if line.node != node.0 {
            return wrong(format!("routers[{k}].node"), format!("says {}, but router {node} stands there", line.node));
        }
        let entry = |(at, line): (usize, EntryLine)| {
            let what = || format!("is no entry of {} numbers in range", key.columns().len() + 2);
            line.entry(key).ok_or_else(|| contradiction(&path, format!("routers[{k}].entries[{at}]"), what()))
        };
        routers.push(line.entries.into_iter().enumerate().map(entry).collect::<Result<_, _>>()?);
    }
    Ok((ForwardingTables { scenario: file.scenario, vcs: file.vcs, key, symmetry, routers }, file.canonical))
}

/// The same from a `fabc.tables.bin/1`.
fn binary(files: &Files, topology: &Topology, scenario: &Scenario, path: &str) -> Result<(ForwardingTables, bool), CheckError> {
    let unreadable = |what: String| CheckError::Unreadable { file: path.to_owned(), what };
    let file = BinaryTables::read(bytes(files, path)?).map_err(unreadable)?;
    if file.scenario() != scenario.name {
        let what = format!("says `{}`, but the file is that of `{}`", file.scenario(), scenario.name);
        return Err(contradiction(path, "scenario", what));
    }
    same_images(path, scenario, file.images())?;
    let canonical = file.is_canonical();
    let tables = file.tables(symmetry(topology, canonical)).map_err(unreadable)?;
    Ok((tables, canonical))
}

fn same_images(path: &str, scenario: &Scenario, images: &[Image]) -> Result<(), CheckError> {
    if images == scenario.images {
        return Ok(());
    }
    let what = format!("must be the {} faults that the symmetry makes of `{}`, in its order", scenario.images.len(), scenario.name);
    Err(contradiction(path, "images", what))
}

fn symmetry(topology: &Topology, canonical: bool) -> Symmetry {
    let of_topology = topology.symmetry();
    if canonical { of_topology.clone() } else { of_topology.without() }
}
