//! Progress bars, and how long passes took.
//!
//! Comes in: what passes tell. Goes out: bars on a terminal, silence elsewhere, and the table of `--timings`.
//! Only here is a clock.

#![expect(
    clippy::disallowed_types,
    reason = "the commands may look at a clock; nothing that is written depends on it"
)]

use fabc_base::progress::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// Bars for people, and times.
pub(crate) struct Watch {
    bars: bool,
    notes: bool,
    started: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// The passes that run, outermost first.
    open: Vec<Running>,
    /// Name, nesting and time, in the order of begin.
    times: Vec<(String, usize, Duration)>,
}

struct Running {
    bar: ProgressBar,
    started: Instant,
    place: usize,
}

impl Watch {
    /// A watch; bars appear only if standard error is a terminal and nobody asked for quiet or for
    /// machine-readable messages.
    pub(crate) fn new(bars_wanted: bool) -> Self {
        let bars = bars_wanted && std::io::stderr().is_terminal();
        Self { notes: bars_wanted, bars, started: Instant::now(), state: Mutex::default() }
    }

    /// Times a step of the command itself.
    pub(crate) fn time<T>(&self, step: &str, work: impl FnOnce() -> T) -> T {
        let started = Instant::now();
        let place = {
            let mut state = self.state();
            state.times.push((step.to_owned(), 0, Duration::ZERO));
            state.times.len() - 1
        };
        let result = work();
        self.state().times[place].2 = started.elapsed();
        result
    }

    /// How long all of it has taken: `5.9 s`, `3 min 12 s`.
    pub(crate) fn elapsed(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        match seconds as u64 {
            0..60 => format!("{seconds:.1} s"),
            whole => format!("{} min {} s", whole / 60, whole % 60),
        }
    }

    /// How long what is left will take, if all takes as long as what is done: `, about 3 min left`.
    pub(crate) fn left(&self, done: usize, of: usize) -> String {
        let seconds = self.started.elapsed().as_secs_f64() / done as f64 * (of - done) as f64;
        match seconds as u64 {
            _ if done == of => String::new(),
            0..100 => format!(", about {seconds:.0} s left"),
            whole => format!(", about {} min left", whole.div_ceil(60)),
        }
    }

    /// The table of `--timings`; passes stand below the step they belong to.
    pub(crate) fn table(&self) -> String {
        let state = self.state();
        let width = state.times.iter().map(|(name, depth, _)| name.len() + 2 * depth).max().unwrap_or(0);
        let mut out = String::from("timings\n");
        for (name, depth, time) in &state.times {
            let name = format!("{}{name}", "  ".repeat(*depth));
            out += &format!("  {name:<width$}  {:>10.3} s\n", time.as_secs_f64());
        }
        out
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Progress for Watch {
    fn note(&self, text: &str) {
        if self.notes {
            crate::io::terminal::print_err(&format!("note: {text}"));
        }
    }

    fn begin(&self, pass: &str, total: u64) {
        let bar = if self.bars { bar(pass, total) } else { ProgressBar::hidden() };
        let mut state = self.state();
        let depth = state.open.len() + 1;
        state.times.push((pass.to_owned(), depth, Duration::ZERO));
        let place = state.times.len() - 1;
        state.open.push(Running { bar, started: Instant::now(), place });
    }

    fn advance(&self) {
        if !self.bars {
            return;
        }
        if let Some(running) = self.state().open.last() {
            running.bar.inc(1);
        }
    }

    fn end(&self) {
        let mut state = self.state();
        if let Some(Running { bar, started, place }) = state.open.pop() {
            bar.finish_and_clear();
            state.times[place].2 = started.elapsed();
        }
    }

    fn expired(&self, seconds: u32) -> bool {
        self.state()
            .open
            .last()
            .is_some_and(|running| running.started.elapsed() >= Duration::from_secs(u64::from(seconds)))
    }
}

fn bar(pass: &str, total: u64) -> ProgressBar {
    let style = "{spinner} {msg:<24} [{bar:30}] {pos}/{len} {elapsed}, about {eta} left";
    let style = ProgressStyle::with_template(style)
        .map_or_else(|_| ProgressStyle::default_bar(), |style| style.progress_chars("=> "));
    let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::stderr_with_hz(10))
        .with_style(style)
        .with_message(pass.to_owned());
    bar.enable_steady_tick(Duration::from_millis(200));
    bar
}

/// Whether it is time again to say something.
pub(crate) struct Pace {
    every: Duration,
    last: Option<Instant>,
}

impl Pace {
    /// At most once in so many seconds.
    pub(crate) fn seconds(every: u64) -> Self {
        Self { every: Duration::from_secs(every), last: None }
    }

    /// From now on at least so many times as long between two times as what was done since the last one took.
    pub(crate) fn slow_down(&mut self, times: u32) {
        self.every = self.every.max(self.last.map_or(Duration::ZERO, |last| last.elapsed() * times));
    }

    /// Whether it is time; if so, the next time is later.
    pub(crate) fn is_due(&mut self) -> bool {
        let due = self.last.is_none_or(|last| last.elapsed() >= self.every);
        if due {
            self.last = Some(Instant::now());
        }
        due
    }
}
