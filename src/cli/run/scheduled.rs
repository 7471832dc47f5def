//! Directories of fabrics with scheduled vectors. It prints what a chip sends and receives in each cycle, and
//! refuses requests that need forwarding tables.

use crate::args::options::{TableFormat, TablesArgs};
use crate::args::sim::NOMINAL;
use crate::io::read::{self, display};
use crate::io::stop::{Stop, convicted};
use crate::io::terminal::print_out;
use crate::run::collective_scene::wiring_files;
use fabc_base::diag::SourceMap;
use fabc_base::ids::{Id, NodeId};
use fabc_base::limits::ARTIFACT_BYTES;
use fabc_check::ReadScene;
use fabc_emit::ChipPlans;
use fabc_ir::read::ScheduleFile;
use fabc_ir::{Schedule, Topology};
use fabc_model::Fabric;
use fabc_pipeline::refusal::Refusal;
use std::path::Path;

/// The file of all plans, in either form.
const SCHEDULES: [&str; 2] = ["schedule.json", "schedule.bin"];

/// The prefix of scenario names: in scenario `block3` the spare block replaces block 3.
const REPLACED: &str = "block";

/// `fabc tables` of such a directory: prints the jobs, or the plan of one chip. `node` finds a chip by its
/// name.
///
/// # Errors
/// `Refusal::NotBuilt` for missing or damaged files, `Refusal::UnknownScenario`, and the error of
/// `node`.
pub(crate) fn print_chip_plan(
    args: &TablesArgs,
    fabric: &Fabric,
    node: impl Fn(&str) -> Result<NodeId, Refusal>,
) -> Result<(), Stop> {
    let directory = &args.directory;
    let not_built = |reason: String| Refusal::NotBuilt { path: display(directory), reason };
    let unknown = || {
        let hint = match fabric.failover() {
            Some((_, blocks)) => {
                format!("block0 to block{}: the spare block replaces the named one", blocks - 1)
            }
            None => planned_hint(directory),
        };
        Refusal::UnknownScenario { name: args.scenario.clone(), hint }
    };
    // The number of routers by which the network moves, so that the spare block takes the failed one's place.
    let moved = match args
        .scenario
        .strip_prefix(REPLACED)
        .and_then(|block| block.parse::<u32>().ok())
        .zip(fabric.failover())
    {
        _ if args.scenario == NOMINAL => 0,
        Some((block, (size, blocks))) if block < blocks => (block + 1) % blocks * size,
        _ => return Err(unknown().into()),
    };
    let Some(schedule) = SCHEDULES.into_iter().find(|path| directory.join(path).is_file()) else {
        return Err(not_built(format!("there is no `{}`", SCHEDULES[0])).into());
    };
    let read = fabc_check::read_scene(&wiring_files(directory)?, fabric, NOMINAL)
        .map_err(|error| convicted(error, &SourceMap::default()))?;
    let ReadScene { topology, .. } = read.ok_or_else(|| not_built("it has no healthy fabric".to_owned()))?;
    let damaged = |problem: String| not_built(format!("`{schedule}` is damaged: {problem}"));
    let file =
        ScheduleFile::read(&read::read_bytes(&directory.join(schedule), ARTIFACT_BYTES)?).map_err(damaged)?;
    let plans = file.plans().map_err(damaged)?;
    if let Some((name, _)) = plans.iter().find(|(_, plan)| !fits_topology(plan, &topology)) {
        return Err(damaged(format!("`{name}` sends from chips or ports that do not exist")).into());
    }
    let Some(router) = &args.router else {
        print_out(&format!("{}: no tables, every vector has its cycle; jobs:", fabric.name))?;
        for (name, plan) in &plans {
            let Some(timed) = plan.timed() else { continue };
            let (collective, algorithm) = (plan.collective.name(), plan.algorithm.name());
            print_out(&format!(
                "  {name}: {collective} by {algorithm}, cycles {} to {}",
                timed.start, timed.end
            ))?;
        }
        return Ok(());
    };
    let chip = node(router)?;
    let nodes = fabric.node_count() as u32;
    let node = NodeId((chip.0 + nodes - moved) % nodes);
    let plans = ChipPlans { topology: &topology, plans: &plans };
    print_out(&match args.format {
        TableFormat::Text => plans.text(chip, node),
        TableFormat::Json => plans.json(&fabric.name, chip, node),
    })?;
    Ok(())
}

/// A hint for a command that needs tables.
pub(crate) fn planned_hint(directory: &Path) -> String {
    let directory = display(directory);
    format!(
        "every vector has its cycle, planned at compile time: `fabc tables {directory} --router 0` prints what a chip sends and receives"
    )
}

fn fits_topology(plan: &Schedule, topology: &Topology) -> bool {
    let of_topology = plan.nodes as usize == topology.node_count() && plan.chunks > 0;
    of_topology
        && plan.timed().is_some_and(|timed| {
            timed
                .sends
                .iter()
                .all(|send| send.chip.index() < topology.node_count() && send.port.index() < topology.ports())
        })
}
