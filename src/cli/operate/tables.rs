//! `fabc tables`: prints the forwarding table of one router from a built directory. It compiles nothing.

use crate::args::options::TablesArgs;
use crate::io::folder::DiskFolder;
use crate::io::input_errors::needs_directory;
use crate::io::read::{self, display};
use crate::io::stop::Stop;
use crate::io::terminal::print_out;
use crate::operate::placed::{is_placed, read_placed};
use crate::run::scheduled;
use fabc_base::ids::NodeId;
use fabc_emit::{router_groups_json, router_groups_text, router_table_json, router_table_text};
use fabc_ir::{ForwardingTables, RouterNames, router_names};
use fabc_model::Fabric;
use fabc_pipeline::operate::{
    NamedRouter, SliceScenarios, read_group_tables, read_scenario_tables, stored_scenarios,
};
use fabc_pipeline::refusal::Refusal;
use std::path::Path;

/// `fabc tables`: prints a router's table, or lists the scenarios.
///
/// # Errors
/// `Refusal::NotBuilt` for a foreign directory, `Refusal::UnknownScenario` and
/// `Refusal::UnknownRouter` for unknown names.
pub(crate) fn tables(args: &TablesArgs) -> Result<(), Stop> {
    let directory = &args.directory;
    needs_directory(directory)?;
    if !directory.join("spec.fab").is_file() {
        let reason = "there is no `spec.fab`".to_owned();
        return Err(Refusal::NotBuilt { path: display(directory), reason }.into());
    }
    if is_placed(directory) {
        return print_slice_table(args);
    }
    if args.slice.is_some() {
        let reason = "it is not a pod in slices".to_owned();
        return Err(Refusal::NotBuilt { path: display(directory), reason }.into());
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
        let tables = read_group_tables(&DiskFolder::new(directory), &fabric, &args.scenario)?;
        print_out(&match args.json {
            false => router_groups_text(&names, &tables, node),
            true => router_groups_json(&tables, spreading, node),
        })?;
        return Ok(());
    }
    let tables = read_scenario_tables(&DiskFolder::new(directory), &fabric, &args.scenario)?;
    print_table(args.json, &names, &tables, node)
}

fn print_table(json: bool, names: &RouterNames, tables: &ForwardingTables, node: NodeId) -> Result<(), Stop> {
    print_out(&match json {
        false => router_table_text(names, tables, node),
        true => router_table_json(tables, node),
    })?;
    Ok(())
}

/// `fabc tables` of a slice: the tables of its kind, with the names of the slice's own cubes.
fn print_slice_table(args: &TablesArgs) -> Result<(), Stop> {
    let placed = read_placed(&args.directory)?;
    let Some(name) = &args.slice else {
        for slice in &placed.placement.slices {
            print_out(&format!("{}: --slice {} (kind {})", placed.fabric.name, slice.name, slice.kind))?;
        }
        return Ok(());
    };
    let Some(router) = &args.router else {
        let SliceScenarios { routers, cubes, scenarios } = placed.slice_scenarios(name)?;
        print_out(&format!("slice {name}: {routers} routers, of the cubes {cubes}; scenarios with tables:"))?;
        for scenario in scenarios {
            print_out(&format!("  {scenario}"))?;
        }
        return Ok(());
    };
    placed.local_slice(name)?;
    let names = router_names(&placed.fabric);
    let node = parse_router(&names, placed.pod().node_count(), router)?;
    let tables = placed.slice_tables(name, &args.scenario, NamedRouter { name: router, node })?;
    print_table(args.json, &names, &tables, node)
}

/// The node with a name such as `cube3[1,2,3]`, or with this number.
pub(crate) fn parse_router(names: &RouterNames, count: usize, name: &str) -> Result<NodeId, Refusal> {
    let compact = || name.chars().filter(|letter| !letter.is_whitespace()).collect::<String>();
    let number = name.parse().ok().filter(|id| (*id as usize) < count).map(NodeId);
    number.or_else(|| names.find(name, count)).or_else(|| names.find(&compact(), count)).ok_or_else(|| {
        let last = NodeId(count as u32 - 1);
        let range = format!("`{}` to `{}`, or 0 to {last}", names.node(NodeId(0)), names.node(last));
        Refusal::UnknownRouter { name: name.to_owned(), range }
    })
}

/// Prints the scenarios of a directory.
fn list_scenarios(directory: &Path, fabric: &Fabric, names: &RouterNames) -> Result<(), Stop> {
    let last = names.node(NodeId(fabric.node_count() as u32 - 1));
    print_out(&format!(
        "{}: routers {} to {last}; scenarios with tables:",
        fabric.name,
        names.node(NodeId(0))
    ))?;
    stored_scenarios(&DiskFolder::new(directory))?
        .iter()
        .try_for_each(|scenario| Ok(print_out(&format!("  {scenario}"))?))
}
