//! Hands work to an engine that runs several processes: this machine, HyperQueue, Slurm, or Kubernetes.
//!
//! Input: the command of one process, which takes `--shard i/n`, and a function that lists the unfinished
//! work. Output: the files of a job below `DIR/jobs/ENGINE/`, which are the same however often they are
//! written, and the job itself. Invariant: the files on the disk decide. A shard that reports a failure but
//! leaves no work unfinished has not failed. A shard that reports nothing and leaves work unfinished has
//! failed.

mod client;
mod failed;
mod files;
mod hyperqueue;
mod job;
mod kubernetes;
mod local;
mod slurm;

pub(crate) use failed::FailedShard;
pub(crate) use job::{PROGRAM, ShardedJob, Share};

use crate::args::sweep::{Engine, EngineArgs, MOST_SHARDS};
use crate::io::engine_errors::EngineError;
use crate::io::progress::{Throttle, Watch};
use crate::io::read::display;
use crate::io::stop::Stop;
use crate::io::terminal::{Terminal, print_err};
use fabc_pipeline::show::MessageFormat;
use failed::ASKED_EVERY;

/// The result of handing over a job.
pub(crate) enum HandedOver {
    /// Its files were written, and nothing was run.
    Written,
    /// It runs elsewhere, and is merged at the end: by the engine, or by hand where the engine is Kubernetes.
    Over,
    /// Every shard is finished. Nothing is merged yet.
    Done,
}

/// The number of workers that shards are computed from, if `--workers` is not given.
const WORKERS: usize = 4;

/// The number of shards: as requested, or `for_each` per worker.
pub(crate) fn shards(args: &EngineArgs, for_each: usize) -> usize {
    let default = for_each * args.workers.map_or(WORKERS, usize::from);
    args.shards.map_or(default, usize::from).clamp(1, MOST_SHARDS as usize)
}

/// Hands over a job. `list_open` lists the numbers of unfinished pieces.
///
/// # Errors
/// `EngineError` if the engine is missing, refuses the job, or leaves work unfinished, and errors of the
/// disk.
pub(crate) fn hand_over(
    job: &ShardedJob<'_>,
    args: &EngineArgs,
    list_open: &mut dyn FnMut() -> Vec<usize>,
    terminal: Terminal,
) -> Result<HandedOver, Stop> {
    files::write_scripts(job, args)?;
    if args.dry_run {
        for line in files::commands(job, args) {
            terminal.say(&line)?;
        }
        return Ok(HandedOver::Written);
    }
    let mut progress = JobProgress {
        all: list_open().len(),
        watch: Watch::new(false),
        pace: Throttle::seconds(1),
        last: 0,
        terminal,
    };
    let mut report = || progress.update(list_open);
    let failed = match args.engine {
        Engine::Local => local::run(job, args, &mut report)?,
        Engine::Hyperqueue => match hyperqueue::submit(job, args.wait, &mut report, terminal)? {
            Some(failed) => failed,
            None => return Ok(HandedOver::Over),
        },
        Engine::Kubernetes => match kubernetes::submit(job, args.wait, &mut report, terminal)? {
            Some(failed) => failed,
            None => return Ok(HandedOver::Over),
        },
        Engine::Slurm => match slurm::submit(job, args.wait, &mut report, terminal)? {
            Some(failed) => failed,
            None => return Ok(HandedOver::Over),
        },
    };
    let unfinished = list_open();
    progress.print(unfinished.len());
    if unfinished.is_empty() {
        return Ok(HandedOver::Done);
    }
    let mut shards: Vec<usize> = match job.share {
        Share::Dealt => unfinished.iter().map(|piece| piece % job.shards + 1).collect(),
        Share::Queued if failed.is_empty() => (1..=job.shards).collect(),
        Share::Queued => failed.iter().map(|failed| failed.shard).collect(),
    };
    shards.sort_unstable();
    shards.dedup();
    let endings = shards.iter().map(|&shard| {
        let how = failed.iter().find(|failed| failed.shard == shard).map(|failed| failed.how.clone());
        format!(
            "{shard} ({})",
            how.or_else(|| files::last_log_line(job, args.engine, shard))
                .unwrap_or("it said nothing".to_owned())
        )
    });
    let listed = files::first_few(endings.collect());
    let logs = match args.engine {
        Engine::Kubernetes => format!("kubectl logs --selector=job-name={}", kubernetes::job_name(job)),
        _ => display(&files::engine_folder(job, args.engine)),
    };
    Err(Stop::from(EngineError::Left { shards: shards.len(), total: job.shards, listed, logs }))
}

/// Prints the progress of a job.
struct JobProgress {
    all: usize,
    watch: Watch,
    pace: Throttle,
    last: usize,
    terminal: Terminal,
}

impl JobProgress {
    /// Prints the progress if it is wanted and due. Listing the unfinished work reads many files, so it may
    /// take a hundredth of the time at most.
    fn update(&mut self, list_open: &mut dyn FnMut() -> Vec<usize>) {
        if self.is_wanted() && self.pace.is_due() {
            let list_open = list_open().len();
            self.pace.slow_down(100);
            self.print(list_open);
        }
    }

    fn print(&mut self, list_open: usize) {
        // During a build the number of pieces is unknown until the healthy fabric is found.
        self.all = self.all.max(list_open);
        let done = self.all - list_open;
        if self.is_wanted() && done > self.last {
            self.last = done;
            print_err(&format!("{done} of {} done{}", self.all, self.watch.remaining_time(done, self.all)));
        }
    }

    fn is_wanted(&self) -> bool {
        !self.terminal.quiet && self.terminal.format == MessageFormat::Human
    }
}
