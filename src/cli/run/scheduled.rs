//! Directories of fabrics with scheduled vectors. It prints what a chip sends and receives in each cycle, and
//! refuses requests that need forwarding tables.

use crate::args::options::TablesArgs;
use crate::io::folder::DiskFolder;
use crate::io::stop::Stop;
use crate::io::terminal::print_out;
use fabc_base::ids::NodeId;
use fabc_emit::ChipPlans;
use fabc_model::Fabric;
use fabc_pipeline::operate::{ScheduledFabric, read_chip_plans};
use fabc_pipeline::refusal::Refusal;

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
    let scheduled = read_chip_plans(&DiskFolder::new(directory), fabric, &args.scenario)?;
    let ScheduledFabric { topology, plans, .. } = &scheduled;
    let Some(router) = &args.router else {
        print_out(&format!("{}: no tables, every vector has its cycle; jobs:", fabric.name))?;
        for (name, plan) in plans {
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
    let node = scheduled.planned_chip(chip);
    let plans = ChipPlans { topology, plans };
    print_out(&match args.json {
        false => plans.text(chip, node),
        true => plans.json(&fabric.name, chip, node),
    })?;
    Ok(())
}
