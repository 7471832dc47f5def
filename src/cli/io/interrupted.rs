//! The files that Ctrl-C must remove.
//!
//! Input: paths that are removed unless they are taken off the list. Invariant: only the holder of the list
//! touches the disk, and meanwhile Ctrl-C waits.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The list. The handler of Ctrl-C never releases it.
static REGISTERED: Mutex<Vec<Doomed>> = Mutex::new(Vec::new());

/// A path to remove, and the parents that were created for it, outermost first.
#[derive(Clone, Debug)]
pub(crate) struct Doomed {
    pub(crate) path: PathBuf,
    pub(crate) parents: Vec<PathBuf>,
}

impl Doomed {
    /// Removes the path, and those parents that are then empty.
    pub(crate) fn remove(&self) {
        remove(&self.path);
        for parent in self.parents.iter().rev() {
            // Fails for a directory that is not empty.
            let _ = std::fs::remove_dir(parent);
        }
    }
}

/// The exclusive right to touch the disk. While it is held, Ctrl-C waits.
pub(crate) struct DiskGuard(MutexGuard<'static, Vec<Doomed>>);

impl DiskGuard {
    /// Appends an entry to the list.
    pub(crate) fn register(&mut self, doomed: Doomed) {
        self.0.push(doomed);
    }

    /// Takes a path off the list.
    pub(crate) fn forget(&mut self, path: &Path) {
        self.0.retain(|other| other.path != path);
    }
}

pub(crate) fn hold_disk() -> DiskGuard {
    DiskGuard(REGISTERED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Makes Ctrl-C and a termination request remove unfinished files, and exit with code 130. In a browser the
/// page drops the files of a command that it stops.
pub(crate) fn clean_up_on_interrupt() {
    // It fails only if a handler is set already, as when tests run several commands in one process.
    #[cfg(not(target_family = "wasm"))]
    let _ = ctrlc::set_handler(|| {
        let registered = hold_disk();
        // Files go before their locks.
        registered.0.iter().rev().for_each(Doomed::remove);
        // The list is held to the end, so that no other thread writes a file.
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
