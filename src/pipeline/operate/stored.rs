//! The tables that a directory stores: which scenarios have them, and the tables of one scenario.
//!
//! In: the folder of a build, with its resolved spec. Out: names, or tables that have no entry out of range.
//! A scenario may be the image of another one. Then the tables of that one are carried along.

use super::carried::carried_along;
use crate::folder::Folder;
use crate::refusal::Refusal;
use crate::scenarios::NOMINAL;
use fabc_base::ids::NodeId;
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_emit::tables_path;
use fabc_ir::read::{
    BinaryTables, EntryNumbers, Generators, GroupTablesFile, RouterLine, TablesFile, TablesHead, json,
    of_blocks, parse_key, tagged,
};
use fabc_ir::{FaultSymmetry, ForwardingTables, GroupTables, Symmetry, TableEntry};
use fabc_model::{Fabric, PORT_NAMES};
use serde::Deserialize;

/// The path of the tables of a scenario, in whichever form they exist. `stem` is the path without its ending.
pub(super) fn tables_file(folder: &impl Folder, stem: &str) -> Option<String> {
    ["json", "bin"].map(|ending| format!("{stem}.{ending}")).into_iter().find(|path| folder.has(path))
}

/// Reads the group tables of a scenario. If it is the image of another one, they are carried along. They need
/// not be proved: they are only printed.
///
/// # Errors
/// [`Refusal::UnknownScenario`] without such tables, and [`Refusal::NotBuilt`] for a damaged file.
pub fn read_group_tables<F: Folder>(
    folder: &F,
    fabric: &Fabric,
    scenario: &str,
) -> Result<GroupTables, F::Error> {
    let mut path = tables_path(scenario) + ".json";
    let mut shift = None;
    if !folder.has(&path) {
        match image_of(folder, scenario)? {
            Some((original, FaultSymmetry::Shift(digits))) => {
                (path, shift) = (tables_path(&original) + ".json", Some(digits));
            }
            _ => return Err(unknown_scenario(folder, scenario)?.into()),
        }
    }
    let damaged =
        |reason: String| Refusal::NotBuilt { path: folder.path(), reason: format!("`{path}`: {reason}") };
    let text = folder.text(&path, ARTIFACT_BYTES)?;
    let file: GroupTablesFile = tagged(text.as_bytes()).map_err(damaged)?;
    let nodes = fabric.node_count() as u32;
    let is_fitting = |&[first, last, group]: &[u32; 3]| {
        first < nodes && last < nodes && (group as usize) < file.groups.len()
    };
    let listed = file.routers.iter().map(|line| line.node).eq(0..nodes);
    if !listed || !file.routers.iter().flat_map(|line| &line.entries).all(is_fitting) {
        return Err(damaged("a router or an entry is out of range".to_owned()).into());
    }
    let tables = file.into_tables();
    let Some(shift) = shift else { return Ok(tables) };
    let Some(shifts) = fabric.clos_shifts() else {
        return Err(damaged("an image is shifted, but the network has no tiers of digits".to_owned()).into());
    };
    if shift.len() != shifts.clos.stages.len() {
        return Err(damaged("the shift of an image has another number of stages".to_owned()).into());
    }
    fabc_passes::tables::shifted_groups(&tables, scenario, shifts.clos, &shift)
        .ok_or_else(|| damaged("a group has a port that its router does not have".to_owned()).into())
}

/// The error for a scenario without tables.
pub(super) fn unknown_scenario<F: Folder>(folder: &F, scenario: &str) -> Result<Refusal, F::Error> {
    let hint = match stored_scenarios(folder)?.len() {
        0 => "the directory has no tables: its build stopped before routing".to_owned(),
        _ => format!("`fabc tables {}` lists the scenarios", folder.path()),
    };
    Ok(Refusal::UnknownScenario { name: scenario.to_owned(), hint })
}

/// Reads the tables of a scenario. If it is the image of another one, they are carried along.
///
/// # Errors
/// [`Refusal::UnknownScenario`] without such tables, and [`Refusal::NotBuilt`] for a damaged file.
pub fn read_scenario_tables<F: Folder>(
    folder: &F,
    fabric: &Fabric,
    scenario: &str,
) -> Result<ForwardingTables, F::Error> {
    let not_built = |reason: String| Refusal::NotBuilt { path: folder.path(), reason };
    let (stem, image) = match Some(tables_path(scenario)).filter(|stem| tables_file(folder, stem).is_some()) {
        Some(stem) => (stem, None),
        None => match image_of(folder, scenario)? {
            Some((original, FaultSymmetry::Blocks(cubes))) => (tables_path(&original), Some(cubes)),
            _ => (tables_path(scenario), None),
        },
    };
    let Some(path) = tables_file(folder, &stem) else {
        return Err(unknown_scenario(folder, scenario)?.into());
    };
    let (block, blocks) = fabric.blocks();
    let symmetry = |canonical: bool| -> Result<Symmetry, F::Error> {
        if !canonical {
            return Ok(Symmetry::trivial(block, blocks));
        }
        let Generators { symmetry } = read_json(folder, "topology.json")?;
        let invalid =
            |_| not_built("the symmetry in `topology.json` is not a translation of cubes".to_owned());
        Ok(of_blocks(block, blocks, &symmetry.generators).map_err(invalid)?)
    };
    let damaged = |reason: String| not_built(format!("`{path}`: {reason}"));
    let ports = fabric.pod().map_or(fabric.router.radix, |_| PORT_NAMES.len() as u32);
    let mut tables = if path.ends_with(".bin") {
        let file = BinaryTables::read(&folder.read(&path)?).map_err(damaged)?;
        let symmetry = symmetry(file.is_canonical())?;
        file.tables(symmetry).map_err(damaged)?
    } else {
        let text = folder.text(&path, ARTIFACT_BYTES)?;
        let file: TablesFile = tagged(text.as_bytes())
            .map_err(|problem| not_built(format!("`{path}` is damaged: {problem}")))?;
        let symmetry = symmetry(file.canonical)?;
        forwarding_tables(file, symmetry, ports).map_err(damaged)?
    };
    if tables.routers.iter().flatten().any(|entry| !is_in_range(entry, ports)) {
        return Err(damaged("an entry is out of range".to_owned()).into());
    }
    if let Some(cubes) = image {
        tables = carried_along(&tables, scenario, &cubes, block)
            .ok_or_else(|| damaged("an image permutes no cubes".to_owned()))?;
    }
    Ok(tables)
}

/// Whether a directory has tables for a scenario, or for one that it is the image of.
///
/// # Errors
/// [`Refusal::NotBuilt`] if a file of tables is damaged.
pub(crate) fn has_scenario<F: Folder>(folder: &F, scenario: &str) -> Result<bool, F::Error> {
    Ok(tables_file(folder, &tables_path(scenario)).is_some() || image_of(folder, scenario)?.is_some())
}

/// The scenario with the tables for a fault that is its image, and the symmetry that leads there.
fn image_of<F: Folder>(folder: &F, name: &str) -> Result<Option<(String, FaultSymmetry)>, F::Error> {
    for TablesHead { scenario, images } in table_heads(folder)? {
        if let Some(image) = images.into_iter().find(|image| image.scenario == name) {
            return Ok(Some((scenario, image.symmetry)));
        }
    }
    Ok(None)
}

/// Whether an entry names ports that a router has.
fn is_in_range(entry: &TableEntry, ports: u32) -> bool {
    i64::from(entry.in_port) < i64::from(ports) && u32::from(entry.out_port) < ports
}

/// The tables of a file, checked against the symmetry under which they list canonical routers.
fn forwarding_tables(file: TablesFile, symmetry: Symmetry, ports: u32) -> Result<ForwardingTables, String> {
    if !file.routers.iter().map(|router| NodeId(router.node)).eq(symmetry.canonical_nodes()) {
        return Err(format!("it should list {} routers, ascending", symmetry.class_count()));
    }
    let nodes = symmetry.node_count() as u32;
    let key = parse_key(&file.key, file.vc.as_deref()).ok_or("its key is unknown")?;
    let entry = |line: EntryNumbers| {
        let fits = line.entry(key).filter(|entry| entry.dst.0 < nodes && is_in_range(entry, ports));
        fits.ok_or("an entry is out of range".to_owned())
    };
    let table = |router: RouterLine| router.entries.into_iter().map(entry).collect();
    let routers = file.routers.into_iter().map(table).collect::<Result<Vec<Vec<_>>, String>>()?;
    Ok(ForwardingTables { scenario: file.scenario, vcs: file.vcs, key, symmetry, routers })
}

/// The head of every file of tables: its scenario, and the images that it serves.
fn table_heads<F: Folder>(folder: &F) -> Result<Vec<TablesHead>, F::Error> {
    if !folder.has_folder("tables") {
        return Ok(Vec::new());
    }
    let tables = folder.below("tables");
    let paths = tables.paths()?.into_iter().filter(|path| path.ends_with(".json") || path.ends_with(".bin"));
    let served = |path: String| {
        if path.ends_with(".json") {
            return read_json(&tables, &path);
        }
        let file = BinaryTables::read(&tables.read(&path)?);
        let file = file.map_err(|reason| Refusal::NotBuilt {
            path: folder.path(),
            reason: format!("`{path}`: {reason}"),
        })?;
        Ok(TablesHead { scenario: file.scenario().to_owned(), images: file.served().to_vec() })
    };
    paths.map(served).collect()
}

/// The names of the scenarios with tables of their own, nominal first.
///
/// # Errors
/// [`Refusal::NotBuilt`] if a file of tables is damaged.
pub fn stored_scenarios<F: Folder>(folder: &F) -> Result<Vec<String>, F::Error> {
    let mut names: Vec<String> = table_heads(folder)?.into_iter().map(|served| served.scenario).collect();
    names.sort_by_key(|name| (name != NOMINAL, name.matches('+').count()));
    Ok(names)
}

fn read_json<T: for<'a> Deserialize<'a>, F: Folder>(folder: &F, path: &str) -> Result<T, F::Error> {
    let text = folder.text(path, ARTIFACT_BYTES)?;
    let damaged =
        |error| Refusal::NotBuilt { path: folder.path(), reason: format!("`{path}` is damaged: {error}") };
    Ok(json(text.as_bytes()).map_err(damaged)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The nodes of a pod with two chips a cube, when cube k moves to `images[k]`.
    fn nodes(images: [u32; 4]) -> Vec<u32> {
        images.iter().flat_map(|cube| [cube * 2, cube * 2 + 1]).collect()
    }

    #[test]
    fn tables_list_exactly_the_canonical_routers() {
        let file = |nodes: [u32; 2], dst: u32| {
            let line = |node: u32| format!(r#"{{"node":{node},"entries":[[{dst},-1,-1,0,1]]}}"#);
            let text = format!(
                r#"{{"format":"fabc.tables/1","scenario":"nominal","vcs":2,"canonical":true,"key":["dst","in_port","in_vc"],"routers":[{},{}]}}"#,
                line(nodes[0]),
                line(nodes[1])
            );
            tagged::<TablesFile>(text.as_bytes()).unwrap()
        };
        let symmetry = || of_blocks(2, 4, &[nodes([1, 2, 3, 0])]).unwrap();
        let tables = forwarding_tables(file([0, 1], 7), symmetry(), 1).unwrap();
        // The image of node 0 and of destination 7 under the move by one cube.
        assert_eq!(tables.router(NodeId(2))[0].dst, NodeId(1));
        assert!(forwarding_tables(file([0, 2], 7), symmetry(), 1).is_err());
        assert!(forwarding_tables(file([0, 1], 8), symmetry(), 1).is_err());
        assert!(forwarding_tables(file([0, 1], 7), symmetry(), 0).is_err());
    }
}
