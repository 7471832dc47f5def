//! `fabc submit`: a build in parts, by several processes.

use crate::args::merge_submit::{MergeArgs, SubmitArgs};
use crate::args::options::CompileArgs;
use crate::build::front;
use crate::build::parts::{self, Parts};
use crate::io::errors::{DriverError, Stop};
use crate::io::read::display;
use crate::io::terminal::Terminal;
use crate::sweep::jobs::{self, Handed, Job, hand_over};
use std::path::Path;

/// `fabc submit`.
///
/// # Errors
/// The spec has errors, no engine takes the job, or shards have left work open.
pub(crate) fn submit(args: &SubmitArgs, terminal: Terminal) -> Result<(), Stop> {
    // Every shard finds the healthy fabric anew: no more of them than there are workers.
    let shards = jobs::shards(&args.job, 1);
    let parts = if Path::new(&args.spec).is_dir() {
        if !args.set.is_empty() || args.stop_after.is_some() || args.out.is_some() {
            let hint = "`--set`, `--stop-after` and `--out` belong to a spec: name that, or leave them out"
                .to_owned();
            return Err(DriverError::Shards {
                what: format!("`{}` is a directory of shards", args.spec),
                hint,
            }
            .into());
        }
        Parts::read(Path::new(&args.spec))?.in_parts(shards)?
    } else {
        let compile = CompileArgs {
            set: args.set.clone(),
            stop_after: args.stop_after,
            dump: Vec::new(),
            timings: false,
        };
        let to = (args.out.as_deref(), args.tables);
        match Parts::of_spec(&args.spec, shards, &compile, to, &front::watch(terminal), terminal)? {
            Some(parts) => parts,
            None => return Ok(()),
        }
    };
    let job = Job {
        name: format!("fabc-{}", parts.plan.fabric),
        directory: &parts.directory,
        run: &["build", "."],
        merge: &["merge", ".", "--out", ".."],
        shards,
    };
    let mut open = || parts.open().iter().map(|piece| piece.number).collect();
    let handed = if !args.job.dry_run && parts.open().is_empty() {
        Handed::Done
    } else {
        hand_over(&job, &args.job, &mut open, terminal)?
    };
    match handed {
        Handed::Written => Ok(()),
        Handed::Over => Ok(terminal
            .say(&format!("until then, `fabc merge {}` says what is missing", display(&parts.directory)))?),
        Handed::Done => parts::merge(&MergeArgs { directory: parts.directory.clone(), out: None }, terminal),
    }
}
