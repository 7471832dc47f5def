//! `fabc tables`: prints the forwarding table of one router from a built directory. It compiles nothing.

use crate::args::options::{TableFormat, TablesArgs};
use crate::io::errors::DriverError;
use crate::io::input_errors::needs_directory;
use crate::io::read::{self, display};
use crate::io::stop::Stop;
use crate::io::terminal::print_out;
use crate::operate::placed::{PlacedDirectory, is_placed};
use crate::run::scheduled;
use fabc_base::ids::{BlockId, Id, NodeId};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_emit::{router_groups_json, router_groups_text, router_table_json, router_table_text, tables_path};
use fabc_ir::read::{
    BinaryTables, EntryNumbers, Generators, GroupTablesFile, RouterLine, TablesFile, TablesHead, of_blocks,
    parse_key, tagged,
};
use fabc_ir::{
    FaultSymmetry, ForwardingTables, GroupTables, RouterNames, Symmetry, TableEntry, router_names,
};
use fabc_model::kind_files;
use fabc_model::{Fabric, PORT_NAMES};
use serde::Deserialize;
use std::path::Path;

/// `fabc tables`: prints a router's table, or lists the scenarios.
///
/// # Errors
/// `DriverError::NotBuilt` for a foreign directory, `DriverError::UnknownScenario` and
/// `DriverError::UnknownRouter` for unknown names.
pub(crate) fn tables(args: &TablesArgs) -> Result<(), Stop> {
    let directory = &args.directory;
    needs_directory(directory)?;
    if !directory.join("spec.fab").is_file() {
        let reason = "there is no `spec.fab`".to_owned();
        return Err(DriverError::NotBuilt { path: display(directory), reason }.into());
    }
    if is_placed(directory) {
        return print_slice_table(args);
    }
    if args.slice.is_some() {
        let reason = "it is not a pod in slices".to_owned();
        return Err(DriverError::NotBuilt { path: display(directory), reason }.into());
    }
    let fabric = read::built_spec(directory)?.fabric;
    let names = router_names(&fabric);
    if fabric.routing.is_scheduled() {
        return scheduled::print_chip_plan(args, &fabric, |router| {
            parse_router(&names, fabric.node_count(), router)
        });
    }
    let Some(router) = &args.router else {
        list_scenarios(directory, &fabric, &names)?;
        return Ok(());
    };
    let node = parse_router(&names, fabric.node_count(), router)?;
    if let Some(spreading) = fabric.routing.spreading() {
        let tables = read_group_tables(directory, &fabric, &args.scenario)?;
        print_out(&match args.format {
            TableFormat::Text => router_groups_text(&names, &tables, node),
            TableFormat::Json => router_groups_json(&tables, spreading, node),
        })?;
        return Ok(());
    }
    let tables = read_scenario_tables(directory, &fabric, &args.scenario)?;
    print_table(args.format, &names, &tables, node)
}

/// Reads the group tables of a scenario. If it is the image of another one, they are carried along. They need
/// not be proved: they are only printed.
fn read_group_tables(directory: &Path, fabric: &Fabric, scenario: &str) -> Result<GroupTables, Stop> {
    let mut path = tables_path(scenario) + ".json";
    let mut shift = None;
    if !directory.join(&path).is_file() {
        match image_of(directory, scenario)? {
            Some((original, FaultSymmetry::Shift(digits))) => {
                (path, shift) = (tables_path(&original) + ".json", Some(digits));
            }
            _ => return Err(unknown_scenario(directory, scenario)?.into()),
        }
    }
    let damaged = |reason: String| DriverError::NotBuilt {
        path: display(directory),
        reason: format!("`{path}`: {reason}"),
    };
    let text = read::read_text(&display(&directory.join(&path)), ARTIFACT_BYTES)?;
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
fn unknown_scenario(directory: &Path, scenario: &str) -> Result<DriverError, DriverError> {
    let hint = match scenarios(directory)?.len() {
        0 => "the directory has no tables: its build stopped before routing".to_owned(),
        _ => format!("`fabc tables {}` lists the scenarios", display(directory)),
    };
    Ok(DriverError::UnknownScenario { name: scenario.to_owned(), hint })
}

fn print_table(
    format: TableFormat,
    names: &RouterNames,
    tables: &ForwardingTables,
    node: NodeId,
) -> Result<(), Stop> {
    print_out(&match format {
        TableFormat::Text => router_table_text(names, tables, node),
        TableFormat::Json => router_table_json(tables, node),
    })?;
    Ok(())
}

/// `fabc tables` of a slice: the tables of its kind, with the names of the slice's own cubes.
fn print_slice_table(args: &TablesArgs) -> Result<(), Stop> {
    let placed = PlacedDirectory::read(&args.directory)?;
    let Some(name) = &args.slice else {
        for slice in &placed.placement.slices {
            print_out(&format!("{}: --slice {} (kind {})", placed.fabric.name, slice.name, slice.kind))?;
        }
        return Ok(());
    };
    let local = placed.local_slice(name)?;
    let (kind, slice) = (&local.kind.fabric, local.slice);
    let directory = args.directory.join(kind_files(&local.kind.name));
    let (pod, names) = (placed.pod(), router_names(&placed.fabric));
    let Some(router) = &args.router else {
        print_out(&format!(
            "slice {name}: {} routers, of the cubes {}; scenarios with tables:",
            kind.node_count(),
            local.cubes()
        ))?;
        for scenario in scenarios(&directory)? {
            print_out(&format!("  {}", local.to_pod(&scenario)))?;
        }
        return Ok(());
    };
    let node = parse_router(&names, pod.node_count(), router)?;
    let chips = pod.chips_per_cube();
    let Some(at) = slice.cubes.iter().position(|cube| *cube == pod.cube_of(node)) else {
        let range = format!("those of the cubes {}, which slice `{name}` has", local.cubes());
        return Err(DriverError::UnknownRouter { name: router.clone(), range }.into());
    };
    let Some(scenario) = local.to_kind(&args.scenario) else {
        let hint = format!(
            "slice `{name}` has other switches and cubes: leave `--router` out to list its scenarios"
        );
        return Err(DriverError::UnknownScenario { name: args.scenario.clone(), hint }.into());
    };
    let tables = read_scenario_tables(&directory, kind, &scenario)?;
    let inside = NodeId(at as u32 * chips + node.0 % chips);
    let outside = |dst: NodeId| NodeId(slice.cubes[(dst.0 / chips) as usize].0 * chips + dst.0 % chips);
    let mut entries: Vec<TableEntry> = tables
        .router(inside)
        .into_iter()
        .map(|entry| TableEntry { dst: outside(entry.dst), ..entry })
        .collect();
    entries.sort_unstable();
    let mut routers = vec![Vec::new(); pod.node_count()];
    routers[node.index()] = entries;
    let tables = ForwardingTables {
        symmetry: Symmetry::trivial(chips, pod.cubes),
        routers,
        scenario: args.scenario.clone(),
        ..tables
    };
    print_table(args.format, &names, &tables, node)
}

/// Reads the tables of a scenario. If it is the image of another one, they are carried along.
fn read_scenario_tables(directory: &Path, fabric: &Fabric, scenario: &str) -> Result<ForwardingTables, Stop> {
    let not_built = |reason: String| DriverError::NotBuilt { path: display(directory), reason };
    let (stem, image) =
        match Some(tables_path(scenario)).filter(|stem| tables_file(directory, stem).is_some()) {
            Some(stem) => (stem, None),
            None => match image_of(directory, scenario)? {
                Some((original, FaultSymmetry::Blocks(cubes))) => (tables_path(&original), Some(cubes)),
                _ => (tables_path(scenario), None),
            },
        };
    let Some(path) = tables_file(directory, &stem) else {
        return Err(unknown_scenario(directory, scenario)?.into());
    };
    let (block, blocks) = fabric.blocks();
    let symmetry = |canonical: bool| -> Result<Symmetry, DriverError> {
        if !canonical {
            return Ok(Symmetry::trivial(block, blocks));
        }
        let Generators { symmetry } = read_json(directory, "topology.json")?;
        let invalid =
            |_| not_built("the symmetry in `topology.json` is not a translation of cubes".to_owned());
        of_blocks(block, blocks, &symmetry.generators).map_err(invalid)
    };
    let damaged = |reason: String| not_built(format!("`{path}`: {reason}"));
    let ports = fabric.pod().map_or(fabric.router.radix, |_| PORT_NAMES.len() as u32);
    let mut tables = if path.ends_with(".bin") {
        let file = BinaryTables::read(&read::read_bytes(&directory.join(&path), ARTIFACT_BYTES)?)
            .map_err(damaged)?;
        let symmetry = symmetry(file.is_canonical())?;
        file.tables(symmetry).map_err(damaged)?
    } else {
        let text = read::read_text(&display(&directory.join(&path)), ARTIFACT_BYTES)?;
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
pub(crate) fn has_scenario(directory: &Path, scenario: &str) -> Result<bool, DriverError> {
    Ok(tables_file(directory, &tables_path(scenario)).is_some() || image_of(directory, scenario)?.is_some())
}

/// The scenario with the tables for a fault that is its image, and the symmetry that leads there.
fn image_of(directory: &Path, name: &str) -> Result<Option<(String, FaultSymmetry)>, DriverError> {
    for TablesHead { scenario, images } in table_heads(directory)? {
        if let Some(image) = images.into_iter().find(|image| image.scenario == name) {
            return Ok(Some((scenario, image.symmetry)));
        }
    }
    Ok(None)
}

/// Carries tables along a permutation of the cubes: every router and destination moves. `None` if it is no
/// permutation.
pub(crate) fn carried_along(
    tables: &ForwardingTables,
    scenario: &str,
    cubes: &[BlockId],
    chips: u32,
) -> Option<ForwardingTables> {
    let image = |node: NodeId| {
        cubes.get((node.0 / chips) as usize).map(|cube| NodeId(cube.0 * chips + node.0 % chips))
    };
    let mut routers = vec![Vec::new(); tables.routers.len()];
    for (node, entries) in tables.symmetry.canonical_nodes().zip(&tables.routers) {
        let mut moved = entries
            .iter()
            .map(|entry| Some(TableEntry { dst: image(entry.dst)?, ..*entry }))
            .collect::<Option<Vec<TableEntry>>>()?;
        moved.sort_unstable();
        *routers.get_mut(image(node)?.0 as usize)? = moved;
    }
    Some(ForwardingTables { scenario: scenario.to_owned(), routers, ..tables.clone() })
}

/// The file of the tables, in whichever form it exists.
pub(crate) fn tables_file(directory: &Path, stem: &str) -> Option<String> {
    ["json", "bin"]
        .map(|ending| format!("{stem}.{ending}"))
        .into_iter()
        .find(|path| directory.join(path).is_file())
}

/// The node with a name such as `cube3[1,2,3]`, or with this number.
fn parse_router(names: &RouterNames, count: usize, name: &str) -> Result<NodeId, DriverError> {
    let compact = || name.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    let number = name.parse().ok().filter(|id| (*id as usize) < count).map(NodeId);
    number.or_else(|| names.find(name, count)).or_else(|| names.find(&compact(), count)).ok_or_else(|| {
        let last = NodeId(count as u32 - 1);
        let range = format!("`{}` to `{}`, or 0 to {last}", names.node(NodeId(0)), names.node(last));
        DriverError::UnknownRouter { name: name.to_owned(), range }
    })
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

/// Prints the scenarios of a directory.
fn list_scenarios(directory: &Path, fabric: &Fabric, names: &RouterNames) -> Result<(), DriverError> {
    let last = names.node(NodeId(fabric.node_count() as u32 - 1));
    print_out(&format!(
        "{}: routers {} to {last}; scenarios with tables:",
        fabric.name,
        names.node(NodeId(0))
    ))?;
    scenarios(directory)?.iter().try_for_each(|scenario| print_out(&format!("  {scenario}")))
}

/// The head of every file of tables: its scenario, and the images that it serves.
fn table_heads(directory: &Path) -> Result<Vec<TablesHead>, DriverError> {
    let folder = directory.join("tables");
    if !folder.is_dir() {
        return Ok(Vec::new());
    }
    let paths = read::file_paths(&folder)?
        .into_iter()
        .filter(|path| path.ends_with(".json") || path.ends_with(".bin"));
    let served = |path: String| {
        if path.ends_with(".json") {
            return read_json(&folder, &path);
        }
        let file = BinaryTables::read(&read::read_bytes(&folder.join(&path), ARTIFACT_BYTES)?);
        let file = file.map_err(|reason| DriverError::NotBuilt {
            path: display(directory),
            reason: format!("`{path}`: {reason}"),
        })?;
        Ok(TablesHead { scenario: file.scenario().to_owned(), images: file.served().to_vec() })
    };
    paths.map(served).collect()
}

/// The names of the scenarios with tables of their own, nominal first.
fn scenarios(directory: &Path) -> Result<Vec<String>, DriverError> {
    let mut names: Vec<String> = table_heads(directory)?.into_iter().map(|served| served.scenario).collect();
    names.sort_by_key(|name| (name != "nominal", name.matches('+').count()));
    Ok(names)
}

fn read_json<T: for<'a> Deserialize<'a>>(directory: &Path, path: &str) -> Result<T, DriverError> {
    let text = read::read_text(&display(&directory.join(path)), ARTIFACT_BYTES)?;
    fabc_ir::read::json(text.as_bytes()).map_err(|error| DriverError::NotBuilt {
        path: display(directory),
        reason: format!("`{path}` is damaged: {error}"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use fabc_ir::TableKey;

    /// The nodes of a pod with two chips a cube, when cube k moves to `images[k]`.
    fn nodes(images: [u32; 4]) -> Vec<u32> {
        images.iter().flat_map(|cube| [cube * 2, cube * 2 + 1]).collect()
    }

    #[test]
    fn an_image_has_the_tables_of_its_fault_carried_along() {
        let entry = |dst| TableEntry { dst: NodeId(dst), in_port: -1, in_vc: -1, out_port: 0, out_vc: 1 };
        let routers = vec![vec![entry(1), entry(3)], vec![], vec![], vec![entry(0)]];
        let tables = ForwardingTables {
            scenario: "cube0[1,0,0]".to_owned(),
            vcs: 2,
            key: TableKey::DstInput,
            symmetry: Symmetry::trivial(2, 2),
            routers,
        };
        let image = carried_along(&tables, "cube1[1,0,0]", &[BlockId(1), BlockId(0)], 2).unwrap();
        assert_eq!(image.routers, [vec![], vec![entry(2)], vec![entry(1), entry(3)], vec![]]);
        assert!(carried_along(&tables, "cube1[1,0,0]", &[BlockId(1), BlockId(9)], 2).is_none());
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
