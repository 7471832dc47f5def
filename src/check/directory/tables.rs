//! Reads the forwarding tables of one scenario.

use super::Files;
use super::read::{bytes, contradiction, tagged, unreadable};
use crate::CheckError;
use crate::faults::ToleratedFault;
use fabc_ir::read::{BinaryTables, Served, TablesFile, key_of, width_of};
use fabc_ir::{ForwardingTables, Symmetry, Topology};

/// The tables of a scenario under the symmetry that the file claims to keep, and whether it says `canonical`.
/// What the entries say is checked by the walk.
pub(super) fn tables(
    files: &Files,
    topology: &Topology,
    scenario: &ToleratedFault,
) -> Result<(ForwardingTables, bool), CheckError> {
    of_name(files, topology, &scenario.tables_path(), (&scenario.name, &scenario.images))
}

/// The tables in `tables.json` or `tables.bin`, as a repair writes them. The scenario need not be one of the
/// build, and has no images.
///
/// # Errors
/// There are none, or they are not what their format says.
pub fn read_tables(
    files: &Files,
    topology: &Topology,
    scenario: &str,
) -> Result<ForwardingTables, CheckError> {
    of_name(files, topology, "tables", (scenario, &[])).map(|(tables, _)| tables)
}

/// Those of a name, and the images that they are for, in the file of a path without its ending.
fn of_name(
    files: &Files,
    topology: &Topology,
    stem: &str,
    of: (&str, &[Served]),
) -> Result<(ForwardingTables, bool), CheckError> {
    let (scenario, _) = of;
    let path = format!("{stem}.bin");
    if files.contains_key(&path) {
        return binary(files, topology, of, &path);
    }
    let path = format!("{stem}.json");
    let file: TablesFile = tagged(files, &path)?;
    let wrong = |place: String, what: String| Err(contradiction(&path, place, what));
    if file.scenario != scenario {
        return wrong(
            "scenario".to_owned(),
            format!("says `{}`, but the file is that of `{scenario}`", file.scenario),
        );
    }
    let Some(key) = key_of(&file.key, file.vc.as_deref()) else {
        return wrong("key".to_owned(), "must be [\"dst\",\"in_port\",\"in_vc\"] or [\"dst\"]".to_owned());
    };
    same_images(&path, of, &file.images)?;
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
            return wrong(
                format!("routers[{k}].node"),
                format!("says {}, but router {node} stands there", line.node),
            );
        }
        let mut entries = Vec::with_capacity(line.entries.len());
        for (at, line) in line.entries.into_iter().enumerate() {
            let Some(entry) = line.under(key) else {
                return wrong(
                    format!("routers[{k}].entries[{at}]"),
                    format!("is no entry of {} numbers in range", width_of(key)),
                );
            };
            entries.push(entry);
        }
        routers.push(entries);
    }
    Ok((ForwardingTables { scenario: file.scenario, vcs: file.vcs, key, symmetry, routers }, file.canonical))
}

/// The same from a `fabc.tables.bin/1`.
fn binary(
    files: &Files,
    topology: &Topology,
    of: (&str, &[Served]),
    path: &str,
) -> Result<(ForwardingTables, bool), CheckError> {
    let unreadable = |what: String| unreadable(path, what);
    let file = BinaryTables::read(bytes(files, path)?).map_err(unreadable)?;
    if file.scenario() != of.0 {
        let what = format!("says `{}`, but the file is that of `{}`", file.scenario(), of.0);
        return Err(contradiction(path, "scenario", what));
    }
    same_images(path, of, file.served())?;
    let canonical = file.is_canonical();
    let tables = file.tables(symmetry(topology, canonical)).map_err(unreadable)?;
    Ok((tables, canonical))
}

fn same_images(
    path: &str,
    (scenario, expected): (&str, &[Served]),
    images: &[Served],
) -> Result<(), CheckError> {
    if images == expected {
        return Ok(());
    }
    let what = format!(
        "must be the {} faults that the symmetry makes of `{scenario}`, in its order",
        expected.len()
    );
    Err(contradiction(path, "images", what))
}

fn symmetry(topology: &Topology, canonical: bool) -> Symmetry {
    let of_topology = topology.symmetry();
    if canonical { of_topology.clone() } else { of_topology.without() }
}
