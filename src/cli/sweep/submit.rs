//! `fabc sweep submit`: divides the runs of a sweep among several processes.

use super::plan::{read_plan, run_folder, runs_text, write_plan};
use super::results::is_over;
use super::run::{distinct_runs, merge};
use crate::args::sweep::SweepSubmitArgs;
use crate::io::errors::DriverError;
use crate::io::read::display;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::sweep::jobs::{self, HandedOver, ShardedJob, Share, hand_over};
use std::path::Path;

/// Runs differ in length. With several shards per worker, a worker that finishes early takes another one.
const SHARDS_OF_A_WORKER: usize = 4;

/// Plans a sweep, or reads its plan, and hands the unfinished runs to an engine.
///
/// # Errors
/// The errors of planning and of the engine, and `EngineError::Left` for unfinished shards.
pub(crate) fn submit(args: &SweepSubmitArgs, terminal: Terminal) -> Result<(), Stop> {
    let given = Path::new(args.plan.specs.first().map_or("", String::as_str));
    let (directory, plan) = if given.is_dir() {
        if args.plan.specs.len() > 1 {
            let problem = format!("`{}` is the directory of a sweep, and more follows", display(given));
            let hint = "name one planned sweep, or specs alone".to_owned();
            return Err(DriverError::Sweep { problem, hint }.into());
        }
        if !args.plan.set.is_empty() || args.plan.until.is_some() || args.plan.out.is_some() {
            let problem = format!("`{}` is the directory of a sweep that was planned", display(given));
            let hint =
                "`--set`, `--until` and `--out` belong to a spec: name that, or leave them out".to_owned();
            return Err(DriverError::Sweep { problem, hint }.into());
        }
        (given.to_owned(), read_plan(given)?)
    } else {
        write_plan(&args.plan)?
    };
    let runs = distinct_runs(&plan);
    let mut open: Vec<usize> = (0..runs.len()).collect();
    let mut list_open = || {
        open.retain(|&index| !is_over(&run_folder(&directory, runs[index]), runs[index]));
        open.clone()
    };
    let unfinished = list_open().len();
    if !args.job.dry_run {
        terminal.say(&format!(
            "{} of {} are open in {}",
            unfinished,
            runs_text(runs.len()),
            display(&directory)
        ))?;
    }
    let handed = if unfinished == 0 && !args.job.dry_run {
        HandedOver::Done
    } else {
        let fabric = runs.first().map_or("", |run| run.fabric.as_str());
        let (name, shards) =
            (format!("fabc-{fabric}"), jobs::shards(&args.job, SHARDS_OF_A_WORKER).min(runs.len()).max(1));
        let job = ShardedJob {
            name,
            directory: &directory,
            run: &["sweep", "run", "."],
            merge: &["sweep", "merge", "."],
            shards,
            share: Share::Dealt,
        };
        hand_over(&job, &args.job, &mut list_open, terminal)?
    };
    match handed {
        HandedOver::Written | HandedOver::Over => Ok(()),
        HandedOver::Done => merge(&directory, plan, terminal),
    }
}
