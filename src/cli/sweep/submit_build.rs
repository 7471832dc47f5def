//! `fabc shards submit`: has several processes share a build.

use crate::args::options::CompileArgs;
use crate::args::shards::{MergeArgs, REMADE_PIECES, SubmitArgs};
use crate::build::front;
use crate::build::parts::BuildParts;
use crate::build::shards;
use crate::io::errors::DriverError;
use crate::io::read::display;
use crate::io::stop::Stop;
use crate::io::terminal::Terminal;
use crate::sweep::jobs::{self, HandedOver, ShardedJob, Share, hand_over};
use std::path::Path;

/// `fabc shards submit`: hands a build to an engine, and builds from its results.
///
/// # Errors
/// The errors of the spec, of the engine, and `EngineError::Left` for unfinished shards.
pub(crate) fn submit(args: &SubmitArgs, terminal: Terminal) -> Result<(), Stop> {
    // A shard takes pieces until none is open, so there is only one per worker.
    let shards = jobs::shards(&args.job, 1);
    let parts = if Path::new(&args.spec).is_dir() {
        if !args.set.is_empty() || args.until.is_some() || args.out.is_some() {
            let hint =
                "`--set`, `--until` and `--out` belong to a spec: name that, or leave them out".to_owned();
            return Err(DriverError::Shards {
                problem: format!("`{}` is a directory of shards", args.spec),
                hint,
            }
            .into());
        }
        BuildParts::read(Path::new(&args.spec))?
    } else {
        let compile = CompileArgs {
            set: args.set.clone(),
            until: args.until,
            dump: Vec::new(),
            timings: false,
            no_cache: false,
            cache: None,
        };
        match BuildParts::from_spec(
            &args.spec,
            &compile,
            args.out.as_deref(),
            args.tables,
            &front::new_watch(terminal),
            terminal,
        )? {
            Some(parts) => parts,
            None => return Ok(()),
        }
    };
    let job = ShardedJob {
        name: format!("fabc-{}", parts.plan.fabric),
        directory: &parts.directory,
        run: &["build", "."],
        merge: &["shards", "merge", ".", "--out", ".."],
        shards,
        share: Share::Queued,
    };
    // The healthy fabric is one piece until the others are listed.
    let mut open = || (0..parts.open_pieces().map_or(1, |open| open.len())).collect::<Vec<_>>();
    let handed = if !args.job.dry_run && open().is_empty() {
        HandedOver::Done
    } else {
        hand_over(&job, &args.job, &mut open, terminal)?
    };
    match handed {
        HandedOver::Written => Ok(()),
        HandedOver::Over => Ok(terminal.say(&format!(
            "until then, `fabc shards merge {}` lists what is missing",
            display(&parts.directory)
        ))?),
        HandedOver::Done => shards::merge(
            &MergeArgs {
                directory: parts.directory.clone(),
                out: None,
                remake: REMADE_PIECES,
                json: terminal.json,
            },
            terminal,
        ),
    }
}
