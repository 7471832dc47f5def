//! `fabc sweep`: one spec with many values of its parameters.
//!
//! Input: a spec and the values. Output: a directory with the plan (`sweep.json`), a folder below `runs/` for
//! every distinct run, the table and the page. `sweep plan` writes the plan, `sweep run` the runs, and `sweep
//! merge` the table and the page. `sweep` without a step does all three.
//!
//! The name of a run is the hash of its normal form, its input files, the stage and the version of fabc. An
//! existing run is not repeated, whoever ran it. Invariants: a run exists completely or not at all. The table
//! and the page have the same bytes however the runs were divided.

pub(crate) mod jobs;
mod plan;
mod results;
mod run;
mod submit;
pub(crate) mod submit_build;
mod values;
mod verify;

use crate::args::shard::Shard;
use crate::args::sweep::{SweepArgs, SweepStep};
use crate::io::read::display;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;

/// `fabc sweep`: runs one step of a sweep, or all of them.
///
/// # Errors
/// The errors of the spec and of files, `DriverError::Sweep` for missing runs, and the errors of engines. A
/// run that fails is no error: the table lists it.
pub(crate) fn sweep(args: &SweepArgs, terminal: Terminal) -> Result<(), Stop> {
    match &args.step {
        Some(SweepStep::Prepare(of)) => {
            let (directory, planned) = plan::write_plan(of)?;
            let terminal = terminal.for_json(of.json);
            terminal.say(&format!(
                "planned {} in {}",
                plan::runs_text(planned.runs.len()),
                display(&directory)
            ))?;
            Ok(terminal.say_document(&fabc_emit::sweep_json(&planned))?)
        }
        Some(SweepStep::Run { directory, shard }) => {
            run::run(directory, &plan::read_plan(directory)?, *shard, terminal)
        }
        Some(SweepStep::Merge { directory, json }) => {
            run::merge(directory, plan::read_plan(directory)?, terminal.for_json(*json))
        }
        Some(SweepStep::Verify { directory, remake, json }) => {
            verify::verify(directory, plan::read_plan(directory)?, remake.remake(), terminal.for_json(*json))
        }
        Some(SweepStep::Submit(of)) => submit::submit(of, terminal.for_json(of.plan.json)),
        None => {
            let (directory, planned) = plan::write_plan(&args.plan)?;
            let terminal = terminal.for_json(args.plan.json);
            run::run(&directory, &planned, Shard::WHOLE, terminal)?;
            run::merge(&directory, planned, terminal)
        }
    }
}
