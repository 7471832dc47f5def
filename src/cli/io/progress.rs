//! Progress bars, and the times of passes.
//!
//! Input: the progress that passes report. Output: bars on a terminal, the table of `--timings`, and calls of
//! an observer. Only this module reads a clock.

#![expect(
    clippy::disallowed_types,
    reason = "the commands may look at a clock; nothing that is written depends on it"
)]

use fabc_base::progress::Progress;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::io::IsTerminal;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

/// What is called with the progress: the pass, the units of it that are done, and all its units.
type Observer = Box<dyn Fn(&str, u64, u64) + Send + Sync>;

/// The observer of this process, if there is one.
static OBSERVER: OnceLock<Observer> = OnceLock::new();

/// The shortest time between two calls of the observer within a pass.
const OBSERVED_EVERY: Duration = Duration::from_millis(50);

/// Sets a function that hears of the progress of all commands in this process, as a page or a notebook wants
/// it. It is called with the name of the running pass, the units that are done, and the number of units. Only
/// the first observer counts.
pub fn observe_progress(observer: impl Fn(&str, u64, u64) + Send + Sync + 'static) {
    let _ = OBSERVER.set(Box::new(observer));
}

/// Progress bars and times of one command.
pub(crate) struct Watch {
    bars: bool,
    notes: bool,
    started: Instant,
    state: Mutex<WatchState>,
}

#[derive(Default)]
struct WatchState {
    /// The running passes, outermost first.
    running: Vec<RunningPass>,
    /// Name, depth and time of every pass, in the order in which they began.
    times: Vec<(String, usize, Duration)>,
}

struct RunningPass {
    bar: ProgressBar,
    started: Instant,
    place: usize,
    units: PassUnits,
    observed: Throttle,
}

/// How far a pass has come.
struct PassUnits {
    done: u64,
    total: u64,
}

impl Watch {
    /// Starts a watch. Bars appear only if standard error is a terminal and `bars_wanted`. Quiet runs and
    /// messages for programs do not want them.
    pub(crate) fn new(bars_wanted: bool) -> Self {
        let bars = bars_wanted && std::io::stderr().is_terminal();
        Self { notes: bars_wanted, bars, started: Instant::now(), state: Mutex::default() }
    }

    /// Measures the time of a step of the command itself.
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

    /// The time since the start: `5.9 s`, `3 min 12 s`.
    pub(crate) fn elapsed(&self) -> String {
        let seconds = self.started.elapsed().as_secs_f64();
        match seconds as u64 {
            0..60 => format!("{seconds:.1} s"),
            whole => format!("{} min {} s", whole / 60, whole % 60),
        }
    }

    /// The estimated remaining time, at the mean speed so far: `, about 3 min left`.
    pub(crate) fn remaining_time(&self, done: usize, total: usize) -> String {
        let seconds = self.started.elapsed().as_secs_f64() / done as f64 * (total - done) as f64;
        match seconds as u64 {
            _ if done == total => String::new(),
            0..100 => format!(", about {seconds:.0} s left"),
            whole => format!(", about {} min left", whole.div_ceil(60)),
        }
    }

    /// The table of `--timings`. Passes stand below the step they belong to.
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

    fn state(&self) -> MutexGuard<'_, WatchState> {
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
        let depth = state.running.len() + 1;
        state.times.push((pass.to_owned(), depth, Duration::ZERO));
        let place = state.times.len() - 1;
        let units = PassUnits { done: 0, total };
        let observed = Throttle::interval(OBSERVED_EVERY);
        state.running.push(RunningPass { bar, started: Instant::now(), place, units, observed });
        if let Some(observer) = OBSERVER.get() {
            observer(pass, 0, total);
        }
    }

    fn advance(&self) {
        let observer = OBSERVER.get();
        if !self.bars && observer.is_none() {
            return;
        }
        let mut state = self.state();
        let WatchState { running, times } = &mut *state;
        let Some(running) = running.last_mut() else { return };
        running.bar.inc(1);
        running.units.done += 1;
        if let Some(observer) = observer.filter(|_| running.observed.is_due()) {
            observer(&times[running.place].0, running.units.done, running.units.total);
        }
    }

    fn end(&self) {
        let mut state = self.state();
        if let Some(RunningPass { bar, started, place, .. }) = state.running.pop() {
            bar.finish_and_clear();
            state.times[place].2 = started.elapsed();
        }
    }

    fn expired(&self, seconds: u32) -> bool {
        self.state()
            .running
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

/// The time of this moment. It decides only which entries of the cache are removed.
pub(crate) fn now() -> std::time::SystemTime {
    std::time::SystemTime::now()
}

/// Limits how often something happens.
pub(crate) struct Throttle {
    every: Duration,
    last: Option<Instant>,
}

impl Throttle {
    /// Allows at most one time per `every` seconds.
    pub(crate) fn seconds(every: u64) -> Self {
        Self::interval(Duration::from_secs(every))
    }

    /// Allows at most one time per interval.
    fn interval(every: Duration) -> Self {
        Self { every, last: None }
    }

    /// Raises the interval to at least `times` the duration since the last time.
    pub(crate) fn slow_down(&mut self, times: u32) {
        self.every = self.every.max(self.last.map_or(Duration::ZERO, |last| last.elapsed() * times));
    }

    /// Whether the interval has passed. If so, a new one begins.
    pub(crate) fn is_due(&mut self) -> bool {
        let due = self.last.is_none_or(|last| last.elapsed() >= self.every);
        if due {
            self.last = Some(Instant::now());
        }
        due
    }
}
