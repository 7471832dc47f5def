//! Reads the forwarding tables of one scenario.

use super::Files;
use super::read::{bytes, contradiction, tagged, unreadable};
use crate::CheckError;
use crate::faults::ToleratedFault;
use fabc_ir::read::{BinaryTables, GroupTablesFile, TablesFile, entry_width, parse_key};
use fabc_ir::{ForwardingTables, GroupTables, Image, Symmetry, Topology};
use fabc_model::{Ecmp, Spreading};

/// Reads the tables of a scenario under the symmetry that the file claims. The flag tells whether the file
/// says `canonical`. The walk verifies the entries.
pub(super) fn read_scenario_tables(
    files: &Files,
    topology: &Topology,
    scenario: &ToleratedFault,
) -> Result<(ForwardingTables, bool), CheckError> {
    read_tables_file(
        files,
        topology,
        &scenario.tables_path(),
        TablesSubject { scenario: &scenario.name, images: &scenario.images },
    )
}

/// Reads the group tables of a scenario. The kernel verifies the groups.
pub(super) fn read_group_tables(
    files: &Files,
    topology: &Topology,
    scenario: &ToleratedFault,
    spreading: Spreading,
) -> Result<GroupTables, CheckError> {
    let path = format!("{}.json", scenario.tables_path());
    let file: GroupTablesFile = tagged(files, &path)?;
    let reject = |place: &str, violation: String| Err(contradiction(&path, place.to_owned(), violation));
    if file.scenario != scenario.name {
        return reject(
            "scenario",
            format!("says `{}`, but the file belongs to `{}`", file.scenario, scenario.name),
        );
    }
    if file.spreading() != Some(spreading) {
        let wanted = match spreading {
            Spreading::Ecmp(Ecmp { hash, flows }) => {
                format!("\"ecmp\" with `hash` \"{}\" and `flows` {flows}", hash.name())
            }
            Spreading::Spray => "\"spray\" without `hash` and `flows`".to_owned(),
        };
        return reject("kind", format!("must be {wanted}, as in the spec"));
    }
    if file.vcs != 1 || file.key != ["dst"] {
        return reject("key", "must be [\"dst\"] with `vcs` 1".to_owned());
    }
    verify_images(&path, TablesSubject { scenario: &scenario.name, images: &scenario.images }, &file.images)?;
    if file.routers.len() != topology.node_count() {
        let (listed, present) = (file.routers.len(), topology.node_count());
        return reject("routers", format!("has {listed} routers, but there are {present} routers"));
    }
    let misplaced = file.routers.iter().enumerate().find(|(number, line)| line.node as usize != *number);
    if let Some((number, line)) = misplaced {
        let violation = format!("says {}, but router {number} belongs there", line.node);
        return reject(&format!("routers[{number}].node"), violation);
    }
    Ok(file.into_tables())
}

/// Reads the tables in `tables.json` or `tables.bin`, as a repair writes them. The scenario need not be one
/// of the build, and has no images.
///
/// # Errors
/// Tables that are missing or violate their format.
pub fn read_tables(
    files: &Files,
    topology: &Topology,
    scenario: &str,
) -> Result<ForwardingTables, CheckError> {
    read_tables_file(files, topology, "tables", TablesSubject { scenario, images: &[] })
        .map(|(tables, _)| tables)
}

/// The scenario that a file must name, and the faults that it must list as images.
#[derive(Clone, Copy)]
struct TablesSubject<'a> {
    scenario: &'a str,
    images: &'a [Image],
}

/// Reads the tables at a path without its extension.
fn read_tables_file(
    files: &Files,
    topology: &Topology,
    stem: &str,
    subject: TablesSubject<'_>,
) -> Result<(ForwardingTables, bool), CheckError> {
    let scenario = subject.scenario;
    let path = format!("{stem}.bin");
    if files.contains_key(&path) {
        return read_binary_tables(files, topology, subject, &path);
    }
    let path = format!("{stem}.json");
    let file: TablesFile = tagged(files, &path)?;
    let reject = |place: String, violation: String| Err(contradiction(&path, place, violation));
    if file.scenario != scenario {
        return reject(
            "scenario".to_owned(),
            format!("says `{}`, but the file belongs to `{scenario}`", file.scenario),
        );
    }
    let Some(key) = parse_key(&file.key, file.vc.as_deref()) else {
        return reject("key".to_owned(), "must be [\"dst\",\"in_port\",\"in_vc\"] or [\"dst\"]".to_owned());
    };
    verify_images(&path, subject, &file.images)?;
    let symmetry = table_symmetry(topology, file.canonical);
    if file.routers.len() != symmetry.class_count() {
        let which = if file.canonical { "canonical routers" } else { "routers" };
        return reject(
            "routers".to_owned(),
            format!("has {} routers, but there are {} {which}", file.routers.len(), symmetry.class_count()),
        );
    }
    let mut routers = Vec::with_capacity(file.routers.len());
    for (k, (line, node)) in file.routers.into_iter().zip(symmetry.canonical_nodes()).enumerate() {
        if line.node != node.0 {
            return reject(
                format!("routers[{k}].node"),
                format!("says {}, but router {node} belongs there", line.node),
            );
        }
        let mut entries = Vec::with_capacity(line.entries.len());
        for (index, line) in line.entries.into_iter().enumerate() {
            let Some(entry) = line.entry(key) else {
                return reject(
                    format!("routers[{k}].entries[{index}]"),
                    format!("is not an entry of {} numbers in range", entry_width(key)),
                );
            };
            entries.push(entry);
        }
        routers.push(entries);
    }
    Ok((ForwardingTables { scenario: file.scenario, vcs: file.vcs, key, symmetry, routers }, file.canonical))
}

/// Reads the tables of a `fabc.tables.bin/1`.
fn read_binary_tables(
    files: &Files,
    topology: &Topology,
    subject: TablesSubject<'_>,
    path: &str,
) -> Result<(ForwardingTables, bool), CheckError> {
    let unreadable = |violation: String| unreadable(path, violation);
    let file = BinaryTables::read(bytes(files, path)?).map_err(unreadable)?;
    if file.scenario() != subject.scenario {
        let violation = format!("says `{}`, but the file belongs to `{}`", file.scenario(), subject.scenario);
        return Err(contradiction(path, "scenario", violation));
    }
    verify_images(path, subject, file.served())?;
    let canonical = file.is_canonical();
    let tables = file.tables(table_symmetry(topology, canonical)).map_err(unreadable)?;
    Ok((tables, canonical))
}

fn verify_images(path: &str, subject: TablesSubject<'_>, images: &[Image]) -> Result<(), CheckError> {
    if images == subject.images {
        return Ok(());
    }
    let violation = format!(
        "must be the {} faults that the symmetry makes of `{}`, in its order",
        subject.images.len(),
        subject.scenario
    );
    Err(contradiction(path, "images", violation))
}

fn table_symmetry(topology: &Topology, canonical: bool) -> Symmetry {
    let full = topology.symmetry();
    if canonical { full.clone() } else { full.to_trivial() }
}
