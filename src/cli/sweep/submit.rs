//! `fabc sweep submit`: the runs of a sweep, shared out to several processes by whoever runs them.

use super::plan::{read_plan, run_folder, runs_text, write_plan};
use super::results::is_over;
use super::run::{distinct_runs, merge};
use crate::args::sweep::SweepSubmitArgs;
use crate::io::errors::{DriverError, Stop};
use crate::io::read::display;
use crate::io::terminal::Terminal;
use crate::sweep::jobs::{self, Handed, Job, hand_over};
use std::path::Path;

/// Runs take unlike times: who is done early takes another shard.
const SHARDS_OF_A_WORKER: usize = 4;

/// Plans, unless a plan is what was given, and hands over what is not there yet.
///
/// # Errors
/// What cannot be planned, what no engine takes, and what was left open.
pub(crate) fn submit(args: &SweepSubmitArgs, terminal: Terminal) -> Result<(), Stop> {
    let given = Path::new(args.plan.spec.as_deref().unwrap_or_default());
    let (directory, plan) = if given.is_dir() {
        if !args.plan.set.is_empty() || args.plan.until.is_some() || args.plan.out.is_some() {
            let what = format!("`{}` is the directory of a sweep that was planned", display(given));
            let hint =
                "`--set`, `--until` and `--out` belong to a spec: name that, or leave them out".to_owned();
            return Err(DriverError::Sweep { what, hint }.into());
        }
        (given.to_owned(), read_plan(given)?)
    } else {
        write_plan(&args.plan)?
    };
    let all = distinct_runs(&plan);
    let mut open: Vec<usize> = (0..all.len()).collect();
    let mut ask = || {
        open.retain(|&at| !is_over(&run_folder(&directory, all[at]), all[at]));
        open.clone()
    };
    let left = ask().len();
    if !args.job.dry_run {
        terminal.say(&format!("{} of {} are open in {}", left, runs_text(all.len()), display(&directory)))?;
    }
    let handed = if left == 0 && !args.job.dry_run {
        Handed::Done
    } else {
        let fabric = all.first().map_or("", |run| run.fabric.as_str());
        let (name, shards) =
            (format!("fabc-{fabric}"), jobs::shards(&args.job, SHARDS_OF_A_WORKER).min(all.len()).max(1));
        let job = Job {
            name,
            directory: &directory,
            run: &["sweep", "run", "."],
            merge: &["sweep", "merge", "."],
            shards,
        };
        hand_over(&job, &args.job, &mut ask, terminal)?
    };
    match handed {
        Handed::Written | Handed::Over => Ok(()),
        Handed::Done => merge(&directory, plan, terminal),
    }
}
