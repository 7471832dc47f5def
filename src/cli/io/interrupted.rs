//! What a Ctrl-C has to remove.
//!
//! Comes in: paths that are to go unless somebody takes them off the list. Invariant: whoever holds the list
//! may touch the disk, and meanwhile a Ctrl-C waits.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The list. The handler never lets go of it.
static REGISTERED: Mutex<Vec<Doomed>> = Mutex::new(Vec::new());

/// Something to remove, and the parents that were made for it, outermost first.
#[derive(Clone, Debug)]
pub(crate) struct Doomed {
    pub(crate) path: PathBuf,
    pub(crate) made: Vec<PathBuf>,
}

impl Doomed {
    /// Removes it, and those of the parents that are empty then.
    pub(crate) fn remove(&self) {
        remove(&self.path);
        for parent in self.made.iter().rev() {
            // Removes nothing that holds anything.
            let _ = std::fs::remove_dir(parent);
        }
    }
}

/// The right to touch the disk: while it is held, a Ctrl-C waits.
pub(crate) struct Held(MutexGuard<'static, Vec<Doomed>>);

impl Held {
    /// Puts something on the list, behind all others.
    pub(crate) fn register(&mut self, doomed: Doomed) {
        self.0.push(doomed);
    }

    /// Takes a path off the list.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.0.retain(|other| other.path != path);
    }
}

/// Waits for the right to touch the disk.
pub(crate) fn hold() -> Held {
    Held(REGISTERED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Makes Ctrl-C (and a termination request) remove what is half written and exit with 130.
pub(crate) fn clean_up_on_interrupt() {
    // It fails only if a handler is set already, as when tests run several commands in one process.
    let _ = ctrlc::set_handler(|| {
        let registered = hold();
        // What is behind a lock goes before it.
        registered.0.iter().rev().for_each(Doomed::remove);
        // The lock is held to the end, so nobody writes another file.
        std::process::exit(130);
    });
}

/// Removes a file, or a directory with everything in it.
pub(crate) fn remove(path: &Path) {
    let _ = match path.symlink_metadata() {
        Ok(kind) if kind.is_dir() => std::fs::remove_dir_all(path),
        _ => std::fs::remove_file(path),
    };
}
