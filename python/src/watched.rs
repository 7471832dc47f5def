//! Runs long work beside Python: Ctrl-C ends it, and a callback sees its progress.
//!
//! Input: a function that takes an observer of its passes. Output: its value, or the exception that ended it.
//! The work runs in a thread of its own. This thread looks for signals of Python some times a second, and tells
//! the observer to stop. The observer unwinds the work at its next step, so that nothing of it goes on.

use fabc::progress::Progress;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// How often signals are looked for, and the callback is called.
const LOOK: Duration = Duration::from_millis(100);

/// What unwinds work that was interrupted.
struct Interrupted;

/// The observer of the passes.
#[derive(Default)]
pub(crate) struct Watch {
    stop: AtomicBool,
    pass: Mutex<(String, u64)>,
    done: AtomicU64,
}

impl Watch {
    fn unwind_if_stopped(&self) {
        if self.stop.load(Ordering::Relaxed) {
            // Unlike a panic it calls no hook, which would report a bug.
            resume_unwind(Box::new(Interrupted));
        }
    }
}

impl Progress for Watch {
    fn begin(&self, pass: &str, total: u64) {
        self.unwind_if_stopped();
        *self.pass.lock().unwrap_or_else(PoisonError::into_inner) = (pass.to_owned(), total);
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self) {
        self.done.fetch_add(1, Ordering::Relaxed);
        self.unwind_if_stopped();
    }

    fn end(&self) {}
}

/// Runs the work without Python's lock. `progress` is called with the pass, the steps that are done and all
/// steps, whenever they have changed.
///
/// # Errors
/// The exception of a signal or of the callback.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    progress: Option<Py<PyAny>>,
    work: impl FnOnce(&Watch) -> T + Send,
) -> PyResult<T> {
    let watch = Watch::default();
    let mut failed: Option<PyErr> = None;
    let finished = py.detach(|| {
        std::thread::scope(|scope| {
            let (sender, receiver) = channel();
            let watch = &watch;
            scope.spawn(move || {
                let _ = sender.send(catch_unwind(AssertUnwindSafe(|| work(watch))));
            });
            let mut shown = (String::new(), 0, 0);
            loop {
                match receiver.recv_timeout(LOOK) {
                    Ok(finished) => return Some(finished),
                    Err(RecvTimeoutError::Disconnected) => return None,
                    Err(RecvTimeoutError::Timeout) if failed.is_some() => {}
                    Err(RecvTimeoutError::Timeout) => {
                        let looked = Python::attach(|py| look(py, progress.as_ref(), watch, &mut shown));
                        if let Err(error) = looked {
                            failed = Some(error);
                            watch.stop.store(true, Ordering::Relaxed);
                        }
                    }
                }
            }
        })
    });
    match (finished, failed) {
        (_, Some(error)) => Err(error),
        (Some(Ok(value)), None) => Ok(value),
        (Some(Err(panic)), None) => resume_unwind(panic),
        (None, None) => Err(pyo3::exceptions::PyRuntimeError::new_err("the thread of the build is gone")),
    }
}

/// Looks for signals, and calls the callback if the progress has changed.
fn look(
    py: Python<'_>,
    progress: Option<&Py<PyAny>>,
    watch: &Watch,
    shown: &mut (String, u64, u64),
) -> PyResult<()> {
    py.check_signals()?;
    let Some(progress) = progress else { return Ok(()) };
    let (pass, total) = watch.pass.lock().unwrap_or_else(PoisonError::into_inner).clone();
    let now = (pass, watch.done.load(Ordering::Relaxed).min(total), total);
    if now.2 > 0 && now != *shown {
        progress.call1(py, (now.0.as_str(), now.1, now.2))?;
        *shown = now;
    }
    Ok(())
}
