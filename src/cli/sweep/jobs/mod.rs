//! Work that several processes share, handed to whoever runs them: this machine, HyperQueue, Slurm.
//!
//! Comes in: what one process does of it (a command that takes `--shard i/n`), and how to tell what is open.
//! Goes out: the files of a job below `DIR/jobs/ENGINE/`, which are the same however often they are written,
//! and the job itself. Invariant: what counts is what stands on the disk. A shard that says it failed and
//! left nothing open has not failed, and one that says nothing and left something open has.

mod errors;
mod failed;
mod files;
mod hyperqueue;
mod local;
mod slurm;

pub(crate) use errors::EngineError;
pub(crate) use failed::Failed;
pub(crate) use files::Job;

use crate::args::sweep::{Engine, JobArgs, MOST_SHARDS};
use crate::io::errors::Stop;
use crate::io::progress::{Pace, Watch};
use crate::io::read::display;
use crate::io::terminal::{Terminal, print_err};
use fabc_pipeline::show::MessageFormat;
use failed::ASKED_EVERY;

/// What became of a job.
pub(crate) enum Handed {
    /// It was only written down.
    Written,
    /// It runs elsewhere, and merges in the end.
    Over,
    /// Every shard is done; nothing is merged yet.
    Done,
}

/// Workers, where nobody says how many and shards depend on it.
const WORKERS: usize = 4;

/// Shards of a job: as many as are asked for, otherwise so many for every worker.
pub(crate) fn shards(args: &JobArgs, for_each: usize) -> usize {
    let default = for_each * args.workers.map_or(WORKERS, usize::from);
    args.shards.map_or(default, usize::from).clamp(1, MOST_SHARDS as usize)
}

/// Hands a job over; `open` lists the pieces of work that are not done, the k-th of which is of the shard
/// `k % shards + 1`.
///
/// # Errors
/// The engine cannot be asked or refuses the job, the disk does not let us, or shards have left work open.
pub(crate) fn hand_over(
    job: &Job<'_>,
    args: &JobArgs,
    open: &mut dyn FnMut() -> Vec<usize>,
    terminal: Terminal,
) -> Result<Handed, Stop> {
    files::write(job, args)?;
    if args.dry_run {
        for line in files::commands(job, args) {
            terminal.say(&line)?;
        }
        return Ok(Handed::Written);
    }
    let mut told =
        Told { all: open().len(), watch: Watch::new(false), pace: Pace::seconds(1), last: 0, terminal };
    let mut tell = || told.look(open);
    let failed = match args.engine {
        Engine::Local => local::run(job, args, &mut tell)?,
        Engine::Hyperqueue => match hyperqueue::submit(job, args.wait, &mut tell, terminal)? {
            Some(failed) => failed,
            None => return Ok(Handed::Over),
        },
        Engine::Slurm => match slurm::submit(job, args.wait, &mut tell, terminal)? {
            Some(failed) => failed,
            None => return Ok(Handed::Over),
        },
    };
    let left = open();
    told.say(left.len());
    if left.is_empty() {
        return Ok(Handed::Done);
    }
    let mut shards: Vec<usize> = left.iter().map(|piece| piece % job.shards + 1).collect();
    shards.sort_unstable();
    shards.dedup();
    let which = shards.iter().map(|&shard| {
        let how = failed.iter().find(|failed| failed.shard == shard).map(|failed| failed.how.clone());
        format!(
            "{shard} ({})",
            how.or_else(|| files::last_word(job, args.engine, shard)).unwrap_or("it said nothing".to_owned())
        )
    });
    let which = files::few(which.collect());
    let logs = display(&files::folder(job, args.engine));
    Err(Stop::from(EngineError::Left { shards: shards.len(), of: job.shards, which, logs }))
}

/// Progress, for people.
struct Told {
    all: usize,
    watch: Watch,
    pace: Pace,
    last: usize,
    terminal: Terminal,
}

impl Told {
    /// Says how far it is, if that is wanted and it is time. A look reads what was kept, which may be much:
    /// looks take a hundredth of the time at most.
    fn look(&mut self, open: &mut dyn FnMut() -> Vec<usize>) {
        if self.is_wanted() && self.pace.is_due() {
            let open = open().len();
            self.pace.slow_down(100);
            self.say(open);
        }
    }

    fn say(&mut self, open: usize) {
        // Of a build the scenarios are known as soon as the first shard has the healthy fabric.
        self.all = self.all.max(open);
        let done = self.all - open;
        if self.is_wanted() && done > self.last {
            self.last = done;
            print_err(&format!("{done} of {} done{}", self.all, self.watch.left(done, self.all)));
        }
    }

    fn is_wanted(&self) -> bool {
        !self.terminal.quiet && self.terminal.format == MessageFormat::Human
    }
}
