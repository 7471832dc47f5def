//! Temporary files and directories beside their final place.
//!
//! Input: a final place, as its parent and its name. Output: a file or directory `.NAME.fabc-tmp-PID` beside
//! it, and the renaming.
//!
//! Invariants: unless it is placed, it is removed after an error, a panic or Ctrl-C. The next run that writes
//! to the same place removes what a killed process left. Every process locks what it writes. A file is locked
//! itself. For a directory, `.NAME.fabc-lock-PID` beside it is created before it and removed after it. Nobody
//! removes anything locked. A lock ends with its process, but a process id in a name proves nothing: ids are
//! reused, and containers have their own. On a file system without locks, nothing is removed.

use crate::io::interrupted::Doomed;
pub(crate) use crate::io::interrupted::{DiskGuard, clean_up_on_interrupt, hold_disk, remove};
use crate::io::lock::{LockFile, is_at};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// How many names are tried for a new file or directory.
const ATTEMPTS: u32 = 1000;

/// The longest part of a name, in bytes, that a temporary name repeats. Most systems allow 255.
const REPEATED: usize = 180;

/// A file or directory that is not at its final place yet. It is removed with this value unless it is placed.
#[derive(Debug)]
pub(crate) struct Temporary {
    doomed: Doomed,
    /// For a file: its handle, which also holds its lock.
    handle: Option<File>,
    /// The path for the directory that this one replaces.
    aside: PathBuf,
    placed: bool,
    /// For a directory: its lock. Fields are dropped in order, so it goes last.
    _lock: Option<LockFile>,
}

/// A new file or directory with its lock.
struct NewTemporary {
    path: PathBuf,
    handle: Option<File>,
    aside: PathBuf,
    lock: Option<LockFile>,
}

impl Temporary {
    /// Creates a directory for `parent/name`, with all missing parents.
    ///
    /// # Errors
    /// The error of the system if it cannot be created.
    pub(crate) fn directory(parent: &Path, name: &str) -> io::Result<Self> {
        Self::create(parent, |parents, guard| {
            first_success(|attempt| {
                let [path, aside, lock] =
                    ["tmp", "old", "lock"].map(|kind| temporary_path(parent, name, kind, attempt));
                // The lock comes first, because a directory without one counts as a leftover.
                let Some(lock) = LockFile::create(&lock, parents.to_vec(), guard)? else { return Ok(None) };
                let outcome = match aside.symlink_metadata() {
                    Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                    Err(_) => std::fs::create_dir(&path),
                };
                match outcome {
                    Ok(()) => return Ok(Some(NewTemporary { path, handle: None, aside, lock: Some(lock) })),
                    Err(_) => lock.give_up(guard),
                }
                outcome.map(|()| None).or_else(|error| {
                    if error.kind() == io::ErrorKind::AlreadyExists { Ok(None) } else { Err(error) }
                })
            })
        })
    }

    /// Creates a file for `parent/name`, with all missing parents.
    ///
    /// # Errors
    /// The error of the system if it cannot be created.
    pub(crate) fn file(parent: &Path, name: &str) -> io::Result<Self> {
        Self::create(parent, |_, _| {
            first_success(|attempt| {
                let [path, aside] = ["tmp", "old"].map(|kind| temporary_path(parent, name, kind, attempt));
                let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
                    other => other?,
                };
                // Another run may remove the file as a leftover before we lock it. Then that run holds the
                // lock, or the file is gone.
                let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock))
                    || (cfg!(unix) && !is_at(&file, &path));
                Ok((!taken).then_some(NewTemporary { path, handle: Some(file), aside, lock: None }))
            })
        })
    }

    fn create(
        parent: &Path,
        make: impl FnOnce(&[PathBuf], &mut DiskGuard) -> io::Result<NewTemporary>,
    ) -> io::Result<Self> {
        let missing = parent.ancestors().filter(|above| !above.as_os_str().is_empty() && !above.exists());
        let mut parents: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        parents.reverse();
        let mut guard = hold_disk();
        match std::fs::create_dir_all(parent).and_then(|()| make(&parents, &mut guard)) {
            Ok(NewTemporary { path, handle, aside, lock }) => {
                let doomed = Doomed { path, parents };
                guard.register(doomed.clone());
                Ok(Temporary { doomed, handle, aside, placed: false, _lock: lock })
            }
            Err(error) => {
                parents.iter().rev().for_each(|parent| drop(std::fs::remove_dir(parent)));
                Err(error)
            }
        }
    }

    pub(crate) fn path(&self) -> &Path {
        &self.doomed.path
    }

    /// The path for the directory that this one replaces: `.NAME.fabc-old-PID`.
    pub(crate) fn aside(&self) -> &Path {
        &self.aside
    }

    /// The handle of a file. `None` for a directory.
    pub(crate) fn handle(&self) -> Option<&File> {
        self.handle.as_ref()
    }

    /// Renames it to its final place. A file replaces an old file. A directory needs the place to be free.
    ///
    /// # Errors
    /// The error of the system if it cannot be renamed.
    pub(crate) fn place(&mut self, target: &Path, guard: &mut DiskGuard) -> io::Result<()> {
        std::fs::rename(&self.doomed.path, target)?;
        self.placed = true;
        guard.forget(&self.doomed.path);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.placed {
            let mut guard = hold_disk();
            guard.forget(&self.doomed.path);
            self.doomed.remove();
        }
    }
}

/// Tries attempts until one creates something.
fn first_success(mut make: impl FnMut(u32) -> io::Result<Option<NewTemporary>>) -> io::Result<NewTemporary> {
    for attempt in 0..ATTEMPTS {
        if let Some(made) = make(attempt)? {
            return Ok(made);
        }
    }
    Err(io::Error::other("too many temporary files stand beside it"))
}

fn temporary_path(parent: &Path, name: &str, kind: &str, attempt: u32) -> PathBuf {
    let repeated = &name[..name.floor_char_boundary(REPEATED)];
    let again = if attempt == 0 { String::new() } else { format!("-{attempt}") };
    // A browser has no other processes, and no number for this one.
    let process = if cfg!(target_family = "wasm") { 1 } else { std::process::id() };
    parent.join(format!(".{repeated}.fabc-{kind}-{process}{again}"))
}

/// Removes what killed runs left beside `parent/name`. If the final place is free, an old directory is put
/// back there when it `is_whole`.
pub(crate) fn remove_leftovers(parent: &Path, name: &str, is_whole: impl Fn(&Path) -> bool) {
    remove_matching(parent, |final_name| final_name == name, is_whole);
}

/// Removes all temporary files that killed runs left in a directory.
pub(crate) fn remove_all_leftovers(parent: &Path) {
    remove_matching(parent, |_| true, |_| false);
}

/// Splits a temporary name into the final name, the kind (`tmp`, `old` or `lock`), and a number.
fn parse_temporary_name(entry: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = entry.strip_prefix('.')?.rsplit_once(".fabc-")?;
    let (kind, number) = rest.split_once('-')?;
    let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    // A shortened name does not say whose it is.
    (plain && ["tmp", "old", "lock"].contains(&kind) && name.len() + 4 <= REPEATED)
        .then_some((name, kind, number))
}

fn remove_matching(parent: &Path, is_wanted: impl Fn(&str) -> bool, is_whole: impl Fn(&Path) -> bool) {
    let listed = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let Ok(entries) = std::fs::read_dir(listed) else { return };
    let mut names: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    names.sort();
    for entry in &names {
        let Some((name, kind, number)) = parse_temporary_name(entry).filter(|(name, ..)| is_wanted(name))
        else {
            continue;
        };
        let path = parent.join(entry);
        // Opening anything else, such as a pipe, might block.
        let Ok(metadata) = path.symlink_metadata() else { continue };
        if !metadata.is_dir() && !metadata.is_file() {
            continue;
        }
        // A directory that was listed before its lock may have one now, because the lock is created first.
        let lock = parent.join(format!(".{name}.fabc-lock-{number}"));
        let locked_by = if lock.is_file() { &lock } else { &path };
        let Ok(handle) =
            OpenOptions::new().read(true).write(true).open(locked_by).or_else(|_| File::open(locked_by))
        else {
            continue;
        };
        let _held = hold_disk();
        if handle.try_lock().is_err() || !is_at(&handle, locked_by) {
            continue;
        }
        let target = parent.join(name);
        let free = target.symlink_metadata().is_err();
        let put_back = kind == "old" && free && is_whole(&path) && std::fs::rename(&path, &target).is_ok();
        // A lock is removed when nothing is left that it protects.
        let is_needed = kind == "lock"
            && ["tmp", "old"]
                .iter()
                .any(|kind| parent.join(format!(".{name}.fabc-{kind}-{number}")).exists());
        if !put_back && !is_needed {
            remove(&path);
        }
        let rest =
            ["tmp", "old"].iter().any(|kind| parent.join(format!(".{name}.fabc-{kind}-{number}")).exists());
        if locked_by == &lock && !rest {
            remove(&lock);
        }
    }
}

/// Flushes the names in a directory to the disk. Some systems cannot. The contents of the files are on the
/// disk in any case.
pub(crate) fn sync_directory(directory: &Path) {
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(directory)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn leftovers_go_and_what_is_being_written_stays() {
        let root = tempfile::tempdir().unwrap();
        let (alive, alive_file) =
            (Temporary::directory(root.path(), "pod").unwrap(), Temporary::file(root.path(), "pod").unwrap());
        std::fs::create_dir_all(root.path().join(".pod.fabc-tmp-1/tables")).unwrap();
        std::fs::write(root.path().join(".pod.fabc-tmp-1-7"), "half").unwrap();
        let strangers =
            [".pod.fabc-tmp-", ".pod.fabc-tmp-x", ".pod.fabc-new-1", ".pod2.fabc-tmp-1", "pod.fabc-tmp-1"];
        strangers.iter().for_each(|name| std::fs::write(root.path().join(name), "mine").unwrap());
        remove_leftovers(root.path(), "pod", |_| true);
        let ours =
            [&alive, &alive_file].map(|one| one.path().file_name().unwrap().to_str().unwrap().to_owned());
        let lock = ours[0].replace("-tmp-", "-lock-");
        let mut expected: Vec<String> =
            strangers.into_iter().map(str::to_owned).chain(ours).chain([lock]).collect();
        expected.sort();
        assert_eq!(names(root.path()), expected);
        drop((alive, alive_file));
        assert_eq!(names(root.path()).len(), strangers.len());
    }

    #[test]
    fn what_another_one_made_is_not_ours() {
        let root = tempfile::tempdir().unwrap();
        let first = Temporary::directory(root.path(), "pod").unwrap();
        let second = Temporary::directory(root.path(), "pod").unwrap();
        assert_ne!(first.path(), second.path());
        drop(second);
        assert!(first.path().is_dir());
    }

    #[test]
    fn long_names_have_room_beside_them() {
        let root = tempfile::tempdir().unwrap();
        let name = "é".repeat(127);
        let mut file = Temporary::file(root.path(), &name).unwrap();
        file.place(&root.path().join(&name), &mut hold_disk()).unwrap();
        drop(file);
        assert_eq!(names(root.path()), [name]);
    }

    #[test]
    fn parents_that_were_made_go_too() {
        let root = tempfile::tempdir().unwrap();
        drop(Temporary::file(&root.path().join("deep/er"), "pod").unwrap());
        std::fs::write(root.path().join("file"), "").unwrap();
        assert!(Temporary::file(&root.path().join("file/deep"), "pod").is_err());
        assert_eq!(names(root.path()), ["file"]);
    }
}
