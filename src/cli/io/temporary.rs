//! What is written beside the place that it shall have: temporary files and directories.
//!
//! Comes in: a place, as its parent and its name. Goes out: something to write into, `.NAME.fabc-tmp-PID`
//! beside it, and the renaming. Invariants: it goes away unless it gets its place, on an error, a panic and
//! Ctrl-C; what a killed process leaves is taken away by the next run that writes there. Each is locked by
//! the process that writes it, a file by itself, a directory by `.NAME.fabc-lock-PID` beside it, which is
//! made before it and removed after it. Nobody takes away what is locked: a lock ends with its process, which
//! a process id in a name does not tell (ids are used again, and containers have their own). Where a file
//! system knows no locks, nothing is taken away.

use crate::io::interrupted::Doomed;
pub(crate) use crate::io::interrupted::{Held, clean_up_on_interrupt, hold, remove};
use crate::io::lock::{LockFile, is_at};
use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// How many names are tried for something new.
const ATTEMPTS: u32 = 1000;

/// The longest part of a name, in bytes, that the name beside it repeats: most systems allow 255.
const REPEATED: usize = 180;

/// A file or directory without a place yet; it goes away with this value.
#[derive(Debug)]
pub(crate) struct Temporary {
    doomed: Doomed,
    /// Of a file: locked for as long as it is open.
    handle: Option<File>,
    /// Where a directory goes that this one replaces.
    aside: PathBuf,
    placed: bool,
    /// Of a directory: dropped last.
    _lock: Option<LockFile>,
}

/// What was made, and what it is locked by.
struct Made {
    path: PathBuf,
    handle: Option<File>,
    aside: PathBuf,
    lock: Option<LockFile>,
}

impl Temporary {
    /// Makes a directory for `parent/name`, with all parents that are missing.
    ///
    /// # Errors
    /// The disk does not let us.
    pub(crate) fn directory(parent: &Path, name: &str) -> io::Result<Self> {
        Self::create(parent, |made, list| {
            numbered(|attempt| {
                let [path, aside, lock] =
                    ["tmp", "old", "lock"].map(|what| beside(parent, name, what, attempt));
                // The lock comes first: what has none is a leftover.
                let Some(lock) = LockFile::create(&lock, made.to_vec(), list)? else { return Ok(None) };
                let outcome = match aside.symlink_metadata() {
                    Ok(_) => Err(io::ErrorKind::AlreadyExists.into()),
                    Err(_) => std::fs::create_dir(&path),
                };
                match outcome {
                    Ok(()) => return Ok(Some(Made { path, handle: None, aside, lock: Some(lock) })),
                    Err(_) => lock.give_up(list),
                }
                outcome.map(|()| None).or_else(|error| {
                    if error.kind() == io::ErrorKind::AlreadyExists { Ok(None) } else { Err(error) }
                })
            })
        })
    }

    /// Makes a file for `parent/name`, with all parents that are missing.
    ///
    /// # Errors
    /// The disk does not let us.
    pub(crate) fn file(parent: &Path, name: &str) -> io::Result<Self> {
        Self::create(parent, |_, _| {
            numbered(|attempt| {
                let [path, aside] = ["tmp", "old"].map(|what| beside(parent, name, what, attempt));
                let file = match OpenOptions::new().write(true).create_new(true).open(&path) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => return Ok(None),
                    other => other?,
                };
                // Between the making and the locking, another run may take it for a leftover: then it holds
                // the lock, or it is gone.
                let taken = matches!(file.try_lock(), Err(TryLockError::WouldBlock))
                    || (cfg!(unix) && !is_at(&file, &path));
                Ok((!taken).then_some(Made { path, handle: Some(file), aside, lock: None }))
            })
        })
    }

    fn create(
        parent: &Path,
        make: impl FnOnce(&[PathBuf], &mut Held) -> io::Result<Made>,
    ) -> io::Result<Self> {
        let missing = parent.ancestors().filter(|above| !above.as_os_str().is_empty() && !above.exists());
        let mut made: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        made.reverse();
        let mut list = hold();
        match std::fs::create_dir_all(parent).and_then(|()| make(&made, &mut list)) {
            Ok(Made { path, handle, aside, lock }) => {
                let doomed = Doomed { path, made };
                list.register(doomed.clone());
                Ok(Temporary { doomed, handle, aside, placed: false, _lock: lock })
            }
            Err(error) => {
                made.iter().rev().for_each(|parent| drop(std::fs::remove_dir(parent)));
                Err(error)
            }
        }
    }

    /// Where it is so far.
    pub(crate) fn path(&self) -> &Path {
        &self.doomed.path
    }

    /// Where a directory goes that this one replaces: `.NAME.fabc-old-PID`.
    pub(crate) fn aside(&self) -> &Path {
        &self.aside
    }

    /// The open file; `None` for a directory.
    pub(crate) fn handle(&self) -> Option<&File> {
        self.handle.as_ref()
    }

    /// Gives it its place. A file replaces a file that is there; a directory needs the place free.
    ///
    /// # Errors
    /// The disk does not let us.
    pub(crate) fn place(&mut self, target: &Path, held: &mut Held) -> io::Result<()> {
        std::fs::rename(&self.doomed.path, target)?;
        self.placed = true;
        held.forget(&self.doomed.path);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.placed {
            let mut held = hold();
            held.forget(&self.doomed.path);
            self.doomed.remove();
        }
    }
}

/// The first of many attempts that makes something.
fn numbered(mut make: impl FnMut(u32) -> io::Result<Option<Made>>) -> io::Result<Made> {
    for attempt in 0..ATTEMPTS {
        if let Some(made) = make(attempt)? {
            return Ok(made);
        }
    }
    Err(io::Error::other("too many temporary files stand beside it"))
}

fn beside(parent: &Path, name: &str, what: &str, attempt: u32) -> PathBuf {
    let repeated = &name[..name.floor_char_boundary(REPEATED)];
    let again = if attempt == 0 { String::new() } else { format!("-{attempt}") };
    parent.join(format!(".{repeated}.fabc-{what}-{}{again}", std::process::id()))
}

/// Takes away what killed runs left beside `parent/name`. An old directory whose place is free is put back
/// there if it `is_whole`.
pub(crate) fn take_away_leftovers(parent: &Path, name: &str, is_whole: impl Fn(&Path) -> bool) {
    take_away(parent, |found| found == name, is_whole);
}

/// Takes away what killed runs left of temporary files in a directory, whatever they were for.
pub(crate) fn take_away_all_leftovers(parent: &Path) {
    take_away(parent, |_| true, |_| false);
}

/// What a name beside another one says: that name, `tmp`, `old` or `lock`, and a number.
fn leftover(entry: &str) -> Option<(&str, &str, &str)> {
    let (name, rest) = entry.strip_prefix('.')?.rsplit_once(".fabc-")?;
    let (what, number) = rest.split_once('-')?;
    let plain = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-');
    // The name beside a longer one does not tell whose it is.
    (plain && ["tmp", "old", "lock"].contains(&what) && name.len() + 4 <= REPEATED)
        .then_some((name, what, number))
}

fn take_away(parent: &Path, is_wanted: impl Fn(&str) -> bool, is_whole: impl Fn(&Path) -> bool) {
    let listed = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let Ok(entries) = std::fs::read_dir(listed) else { return };
    let mut found: Vec<String> =
        entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    found.sort();
    for entry in &found {
        let Some((name, what, number)) = leftover(entry).filter(|(name, ..)| is_wanted(name)) else {
            continue;
        };
        let path = parent.join(entry);
        // To open something else, such as a pipe, might take forever.
        let Ok(kind) = path.symlink_metadata() else { continue };
        if !kind.is_dir() && !kind.is_file() {
            continue;
        }
        // What is listed without a lock may have one all the same, which is made first.
        let lock = parent.join(format!(".{name}.fabc-lock-{number}"));
        let locked_by = if lock.is_file() { &lock } else { &path };
        let Ok(handle) =
            OpenOptions::new().read(true).write(true).open(locked_by).or_else(|_| File::open(locked_by))
        else {
            continue;
        };
        let _held = hold();
        if handle.try_lock().is_err() || !is_at(&handle, locked_by) {
            continue;
        }
        let target = parent.join(name);
        let free = target.symlink_metadata().is_err();
        let put_back = what == "old" && free && is_whole(&path) && std::fs::rename(&path, &target).is_ok();
        // A lock goes when nothing is left that it stands for.
        let is_needed = what == "lock"
            && ["tmp", "old"]
                .iter()
                .any(|what| parent.join(format!(".{name}.fabc-{what}-{number}")).exists());
        if !put_back && !is_needed {
            remove(&path);
        }
        let rest =
            ["tmp", "old"].iter().any(|what| parent.join(format!(".{name}.fabc-{what}-{number}")).exists());
        if locked_by == &lock && !rest {
            remove(&lock);
        }
    }
}

/// Brings the names in a directory to the disk. Some systems cannot; what is in the files is there in any
/// case.
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
        take_away_leftovers(root.path(), "pod", |_| true);
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
        file.place(&root.path().join(&name), &mut hold()).unwrap();
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
