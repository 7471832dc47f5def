//! `fabc sweep`: one spec with many values of its parameters.
//!
//! Comes in: a spec and the values. Goes out: a directory with the plan (`sweep.json`), a folder below
//! `runs/` for every different run, the table and the page. `sweep plan` writes the plan, `sweep run` the
//! runs, `sweep merge` the table and the page; `sweep` without a step does all three. A run is named by the
//! hash of its normal form, its input files, the stage and the version of fabc: what is there is not run
//! again, by whoever it was run. Invariants: a run is there whole or not at all; the table and the page are
//! the same bytes however the runs were shared out.

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
use crate::io::errors::Stop;
use crate::io::read::display;
use crate::io::terminal::Terminal;

/// `fabc sweep`.
///
/// # Errors
/// The spec has errors with some of the values, files cannot be read or written, runs are missing that are to
/// be merged, or others refuse to run them. A run that cannot be had is no error: the table says so.
pub(crate) fn sweep(args: &SweepArgs, terminal: Terminal) -> Result<(), Stop> {
    match &args.step {
        Some(SweepStep::Plan(of)) => {
            let (directory, planned) = plan::write_plan(of)?;
            terminal.say(&format!(
                "planned {} in {}",
                plan::runs_text(planned.runs.len()),
                display(&directory)
            ))?;
            Ok(())
        }
        Some(SweepStep::Run { directory, shard }) => {
            run::run(directory, &plan::read_plan(directory)?, *shard, terminal)
        }
        Some(SweepStep::Merge { directory }) => run::merge(directory, plan::read_plan(directory)?, terminal),
        Some(SweepStep::Verify { directory, remake }) => {
            verify::verify(directory, plan::read_plan(directory)?, remake.remake(), terminal)
        }
        Some(SweepStep::Submit(of)) => submit::submit(of, terminal),
        None => {
            let (directory, planned) = plan::write_plan(&args.plan)?;
            run::run(&directory, &planned, Shard::WHOLE, terminal)?;
            run::merge(&directory, planned, terminal)
        }
    }
}
