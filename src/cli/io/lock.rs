//! Locks between processes: files that are opened for writing, and locked with `flock`.
//!
//! Input: the path of a lock file. Output: the lock, which ends with its process in any case. Invariants: the
//! file is locked before anybody relies on it. It is removed before the lock is released, so that no lock
//! file stays.
//!
//! A directory cannot serve as a lock. It can only be opened for reading, and over NFS `flock` needs a file
//! that is open for writing. On a file system without locks, every process gets every lock.

use crate::io::interrupted::{DiskGuard, Doomed, hold_disk};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A lock file that this process holds. It is removed with this value.
#[derive(Debug)]
pub(crate) struct LockFile {
    doomed: Doomed,
    is_gone: bool,
    _file: File,
}

impl LockFile {
    /// Creates a lock file and locks it. `None` if the file exists. `parents` are removed with it.
    ///
    /// # Errors
    /// The error of the system if the file cannot be created.
    pub(crate) fn create(
        path: &Path,
        parents: Vec<PathBuf>,
        guard: &mut DiskGuard,
    ) -> io::Result<Option<Self>> {
        match OpenOptions::new().read(true).write(true).create_new(true).open(path) {
            Ok(file) => Ok(Self::locked(file, path, parents, guard)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Locks a lock file, and creates it if it is missing. `None` if another process holds it.
    ///
    /// # Errors
    /// The error of the system if the file cannot be opened.
    pub(crate) fn try_take(path: &Path) -> io::Result<Option<Self>> {
        Ok(Self::locked(open(path)?, path, Vec::new(), &mut hold_disk()))
    }

    /// Waits until no other process holds a lock file, and locks it.
    ///
    /// # Errors
    /// The error of the system if the file cannot be opened.
    pub(crate) fn wait(path: &Path) -> io::Result<Self> {
        loop {
            let file = open(path)?;
            let _ = file.lock();
            if let Some(lock) = Self::registered(file, path, Vec::new(), &mut hold_disk()) {
                return Ok(lock);
            }
        }
    }

    fn locked(file: File, path: &Path, parents: Vec<PathBuf>, guard: &mut DiskGuard) -> Option<Self> {
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return None;
        }
        Self::registered(file, path, parents, guard)
    }

    /// The former holder may have removed the file before we locked it. Then the path names another file.
    fn registered(file: File, path: &Path, parents: Vec<PathBuf>, guard: &mut DiskGuard) -> Option<Self> {
        if cfg!(unix) && !is_at(&file, path) {
            return None;
        }
        let doomed = Doomed { path: path.to_owned(), parents };
        guard.register(doomed.clone());
        Some(Self { doomed, is_gone: false, _file: file })
    }

    /// Releases the lock while the list is held.
    pub(crate) fn give_up(mut self, guard: &mut DiskGuard) {
        self.remove(guard);
    }

    fn remove(&mut self, guard: &mut DiskGuard) {
        guard.forget(&self.doomed.path);
        self.doomed.remove();
        self.is_gone = true;
    }
}

/// The lock of a piece of work, held by one process at a time. It ends with the process in any case. On a
/// file system without locks every process holds it, and a piece may be done twice with the same result.
pub(crate) struct WorkLock {
    _lock: Option<LockFile>,
}

impl WorkLock {
    /// Takes the lock, unless another process holds it.
    pub(crate) fn try_take(path: &Path) -> Option<Self> {
        match LockFile::try_take(path) {
            Ok(None) => None,
            Ok(lock) => Some(Self { _lock: lock }),
            // An error of the disk is reported when the result is written.
            Err(_) => Some(Self { _lock: None }),
        }
    }

    /// Waits until no other process holds the lock, and takes it.
    pub(crate) fn wait(path: &Path) -> Self {
        Self { _lock: LockFile::wait(path).ok() }
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        if !self.is_gone {
            self.remove(&mut hold_disk());
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Whether a path still names this open file.
#[cfg(unix)]
pub(crate) fn is_at(handle: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open), Ok(named)) = (handle.metadata(), path.symlink_metadata()) else { return false };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

/// Other systems cannot tell, so leftovers stay.
#[cfg(not(unix))]
pub(crate) fn is_at(_: &File, _: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_has_it_and_no_file_stays() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join(".lock");
        let first = LockFile::try_take(&path).unwrap().unwrap();
        assert!(LockFile::try_take(&path).unwrap().is_none());
        assert!(LockFile::create(&path, Vec::new(), &mut hold_disk()).unwrap().is_none());
        let waiting = std::thread::spawn({
            let path = path.clone();
            move || drop(LockFile::wait(&path).unwrap())
        });
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!waiting.is_finished());
        drop(first);
        waiting.join().unwrap();
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
        // A lock file of a killed process can be locked.
        std::fs::write(&path, "").unwrap();
        drop(LockFile::try_take(&path).unwrap().unwrap());
        assert!(!path.exists());
    }
}
