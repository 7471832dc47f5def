//! Locks between processes: files that are opened for writing, and locked (`flock`) for as long as they are.
//!
//! Comes in: the path of a lock file. Goes out: the right that it stands for, which ends with its process,
//! however that ends. Invariants: the file is locked before anybody counts on it, and removed before the lock
//! is given up, so that no lock file stays. A file that is open for reading only, such as a directory, cannot
//! be locked over NFS, where `flock` becomes a lock of a range for writing. Where a file system knows no
//! locks at all, everybody has every right.

use crate::io::interrupted::{Doomed, Held, hold};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A lock file that is held. It goes away with this value.
#[derive(Debug)]
pub(crate) struct LockFile {
    doomed: Doomed,
    is_gone: bool,
    _file: File,
}

impl LockFile {
    /// Makes a lock file that is not there yet, and takes it; `None` if somebody else has it. `made` are the
    /// parents that go away with it.
    ///
    /// # Errors
    /// The disk does not let us.
    pub(crate) fn create(path: &Path, made: Vec<PathBuf>, list: &mut Held) -> io::Result<Option<Self>> {
        match OpenOptions::new().read(true).write(true).create_new(true).open(path) {
            Ok(file) => Ok(Self::taken(file, path, made, list)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Takes a lock file, which is made if need be; `None` if somebody else has it.
    ///
    /// # Errors
    /// The disk does not let us.
    pub(crate) fn try_take(path: &Path) -> io::Result<Option<Self>> {
        Ok(Self::taken(open(path)?, path, Vec::new(), &mut hold()))
    }

    /// Takes a lock file as soon as nobody else has it.
    ///
    /// # Errors
    /// The disk does not let us.
    pub(crate) fn wait(path: &Path) -> io::Result<Self> {
        loop {
            let file = open(path)?;
            let _ = file.lock();
            if let Some(lock) = Self::held(file, path, Vec::new(), &mut hold()) {
                return Ok(lock);
            }
        }
    }

    fn taken(file: File, path: &Path, made: Vec<PathBuf>, list: &mut Held) -> Option<Self> {
        if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
            return None;
        }
        Self::held(file, path, made, list)
    }

    /// Whoever had the lock before may have removed the file: then another one counts.
    fn held(file: File, path: &Path, made: Vec<PathBuf>, list: &mut Held) -> Option<Self> {
        if cfg!(unix) && !is_at(&file, path) {
            return None;
        }
        let doomed = Doomed { path: path.to_owned(), made };
        list.register(doomed.clone());
        Some(Self { doomed, is_gone: false, _file: file })
    }

    /// Gives it up where the list is held already.
    pub(crate) fn give_up(mut self, list: &mut Held) {
        self.remove(list);
    }

    fn remove(&mut self, list: &mut Held) {
        list.forget(&self.doomed.path);
        self.doomed.remove();
        self.is_gone = true;
    }
}

impl Drop for LockFile {
    fn drop(&mut self) {
        if !self.is_gone {
            self.remove(&mut hold());
        }
    }
}

fn open(path: &Path) -> io::Result<File> {
    OpenOptions::new().read(true).write(true).create(true).truncate(false).open(path)
}

/// Whether an open file is the one that a path names now.
#[cfg(unix)]
pub(crate) fn is_at(handle: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open), Ok(named)) = (handle.metadata(), path.symlink_metadata()) else { return false };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

/// Elsewhere this cannot be told: leftovers stay.
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
        assert!(LockFile::create(&path, Vec::new(), &mut hold()).unwrap().is_none());
        let waiting = std::thread::spawn({
            let path = path.clone();
            move || drop(LockFile::wait(&path).unwrap())
        });
        std::thread::sleep(std::time::Duration::from_millis(20));
        assert!(!waiting.is_finished());
        drop(first);
        waiting.join().unwrap();
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
        // What a killed process left is taken over.
        std::fs::write(&path, "").unwrap();
        drop(LockFile::try_take(&path).unwrap().unwrap());
        assert!(!path.exists());
    }
}
