//! What is written beside the place that it shall have: temporary files and directories.
//!
//! Comes in: a place, as its parent and its name. Goes out: something to write into, `.NAME.fabc-tmp-PID`
//! beside it, and the renaming. Invariants: it goes away unless it gets its place, on an error, a panic and
//! Ctrl-C; what a killed process leaves is taken away by the next run that writes there. Each is locked
//! (`flock`) by the process that writes it, and nobody takes away what is locked: a lock ends with its
//! process, which a process id in a name does not tell (ids are used again, and containers have their own).
//! Where a file system knows no locks, nothing is taken away.

use std::fs::{File, OpenOptions, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a Ctrl-C has to remove. Whoever holds the lock may touch the disk: the handler never lets go of it.
static REGISTERED: Mutex<Vec<Doomed>> = Mutex::new(Vec::new());

/// How many names are tried for something new.
const ATTEMPTS: u32 = 1000;

/// The longest part of a name, in bytes, that the name beside it repeats: most systems allow 255.
const REPEATED: usize = 180;

/// Something to remove, and the parents that were made for it, outermost first.
#[derive(Clone, Debug)]
struct Doomed {
    path: PathBuf,
    made: Vec<PathBuf>,
}

impl Doomed {
    fn remove(&self) {
        remove(&self.path);
        for parent in self.made.iter().rev() {
            // Removes nothing that holds anything.
            let _ = std::fs::remove_dir(parent);
        }
    }
}

/// The right to touch the disk: while it is held, a Ctrl-C waits.
pub(super) struct Held(MutexGuard<'static, Vec<Doomed>>);

/// Waits for the right to touch the disk.
pub(super) fn hold() -> Held {
    Held(REGISTERED.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Makes Ctrl-C (and a termination request) remove what is half written and exit with 130.
pub(super) fn clean_up_on_interrupt() {
    // It fails only if a handler is set already, as when tests run several commands in one process.
    let _ = ctrlc::set_handler(|| {
        let registered = hold();
        registered.0.iter().for_each(Doomed::remove);
        // The lock is held to the end, so nobody writes another file.
        std::process::exit(130);
    });
}

/// A file or directory without a place yet; it goes away with this value.
#[derive(Debug)]
pub(super) struct Temporary {
    doomed: Doomed,
    /// Locked for as long as it is open. Absent for a directory where directories cannot be opened.
    handle: Option<File>,
    placed: bool,
}

impl Temporary {
    /// Makes a directory for `parent/name`, with all parents that are missing.
    ///
    /// # Errors
    /// The disk does not let us.
    pub(super) fn directory(parent: &Path, name: &str) -> io::Result<Self> {
        Self::create(parent, name, |path| {
            std::fs::create_dir(path)?;
            Ok(File::open(path).ok())
        })
    }

    /// Makes a file for `parent/name`, with all parents that are missing.
    ///
    /// # Errors
    /// The disk does not let us.
    pub(super) fn file(parent: &Path, name: &str) -> io::Result<Self> {
        Self::create(parent, name, |path| OpenOptions::new().write(true).create_new(true).open(path).map(Some))
    }

    fn create(parent: &Path, name: &str, make: impl Fn(&Path) -> io::Result<Option<File>>) -> io::Result<Self> {
        let missing = parent.ancestors().filter(|above| !above.as_os_str().is_empty() && !above.exists());
        let mut made: Vec<PathBuf> = missing.map(Path::to_owned).collect();
        made.reverse();
        let mut held = hold();
        let outcome = std::fs::create_dir_all(parent).and_then(|()| first_free(parent, name, make));
        match outcome {
            Ok((path, handle)) => {
                let doomed = Doomed { path, made };
                held.0.push(doomed.clone());
                Ok(Temporary { doomed, handle, placed: false })
            }
            Err(error) => {
                made.iter().rev().for_each(|parent| drop(std::fs::remove_dir(parent)));
                Err(error)
            }
        }
    }

    /// Where it is so far.
    pub(super) fn path(&self) -> &Path {
        &self.doomed.path
    }

    /// The open file; `None` for a directory where directories cannot be opened.
    pub(super) fn handle(&self) -> Option<&File> {
        self.handle.as_ref()
    }

    /// Gives it its place. A file replaces a file that is there; a directory needs the place free.
    ///
    /// # Errors
    /// The disk does not let us.
    pub(super) fn place(&mut self, target: &Path, held: &mut Held) -> io::Result<()> {
        std::fs::rename(&self.doomed.path, target)?;
        self.placed = true;
        held.0.retain(|other| other.path != self.doomed.path);
        Ok(())
    }
}

impl Drop for Temporary {
    fn drop(&mut self) {
        if !self.placed {
            let mut held = hold();
            held.0.retain(|other| other.path != self.doomed.path);
            self.doomed.remove();
        }
    }
}

/// Makes the first of `.NAME.fabc-tmp-PID`, `.NAME.fabc-tmp-PID-1`, .. that is free, and locks it.
fn first_free(parent: &Path, name: &str, make: impl Fn(&Path) -> io::Result<Option<File>>) -> io::Result<(PathBuf, Option<File>)> {
    for attempt in 0..ATTEMPTS {
        let path = beside(parent, name, "tmp", attempt);
        let handle = match make(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            other => other?,
        };
        // Between the making and the locking, another run may take it for a leftover: then it holds the lock,
        // or it is gone.
        let taken = handle.as_ref().is_some_and(|handle| matches!(handle.try_lock(), Err(TryLockError::WouldBlock)));
        if !taken && (!cfg!(unix) || handle.as_ref().is_some_and(|handle| is_at(handle, &path))) {
            return Ok((path, handle));
        }
    }
    Err(io::Error::other("too many temporary files stand beside it"))
}

/// A free name for the directory that is to be replaced: `.NAME.fabc-old-PID`.
pub(super) fn aside(parent: &Path, name: &str) -> PathBuf {
    let mut paths = (0..ATTEMPTS).map(|attempt| beside(parent, name, "old", attempt));
    paths.find(|path| path.symlink_metadata().is_err()).unwrap_or_else(|| beside(parent, name, "old", ATTEMPTS))
}

fn beside(parent: &Path, name: &str, what: &str, attempt: u32) -> PathBuf {
    let repeated = &name[..name.floor_char_boundary(REPEATED)];
    let again = if attempt == 0 { String::new() } else { format!("-{attempt}") };
    parent.join(format!(".{repeated}.fabc-{what}-{}{again}", std::process::id()))
}

/// Takes away what killed runs left beside `parent/name`. An old directory whose place is free is put back
/// there if it `is_whole`.
pub(super) fn take_away_leftovers(parent: &Path, name: &str, is_whole: impl Fn(&Path) -> bool) {
    // The name beside a longer one does not tell whose it is.
    if name.len() > REPEATED {
        return;
    }
    let listed = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let Ok(entries) = std::fs::read_dir(listed) else { return };
    let mut found: Vec<String> = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).collect();
    found.sort();
    let target = parent.join(name);
    for entry in found {
        let Some(rest) = entry.strip_prefix(&format!(".{name}.fabc-")) else { continue };
        let Some((what @ ("tmp" | "old"), number)) = rest.split_once('-') else { continue };
        if number.is_empty() || !number.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-') {
            continue;
        }
        let path = parent.join(&entry);
        // To open something else, such as a pipe, might take forever.
        if !path.symlink_metadata().is_ok_and(|kind| kind.is_dir() || kind.is_file()) {
            continue;
        }
        let Ok(handle) = File::open(&path) else { continue };
        let _held = hold();
        if handle.try_lock().is_err() || !is_at(&handle, &path) {
            continue;
        }
        let free = target.symlink_metadata().is_err();
        let put_back = what == "old" && free && is_whole(&path) && std::fs::rename(&path, &target).is_ok();
        if !put_back {
            remove(&path);
        }
    }
}

/// Removes a file, or a directory with everything in it.
pub(super) fn remove(path: &Path) {
    let _ = match path.symlink_metadata() {
        Ok(kind) if kind.is_dir() => std::fs::remove_dir_all(path),
        _ => std::fs::remove_file(path),
    };
}

/// Brings the names in a directory to the disk. Some systems cannot; what is in the files is there in any
/// case.
pub(super) fn sync_directory(directory: &Path) {
    let directory = if directory.as_os_str().is_empty() { Path::new(".") } else { directory };
    let _ = File::open(directory).and_then(|directory| directory.sync_all());
}

/// Whether an open file is the one that a path names now.
#[cfg(unix)]
fn is_at(handle: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let (Ok(open), Ok(named)) = (handle.metadata(), path.symlink_metadata()) else { return false };
    (open.dev(), open.ino()) == (named.dev(), named.ino())
}

/// Elsewhere this cannot be told: leftovers stay.
#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    false
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn names(directory: &Path) -> Vec<String> {
        let mut names: Vec<String> =
            std::fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn leftovers_go_and_what_is_being_written_stays() {
        let root = tempfile::tempdir().unwrap();
        let (alive, alive_file) = (Temporary::directory(root.path(), "pod").unwrap(), Temporary::file(root.path(), "pod").unwrap());
        std::fs::create_dir_all(root.path().join(".pod.fabc-tmp-1/tables")).unwrap();
        std::fs::write(root.path().join(".pod.fabc-tmp-1-7"), "half").unwrap();
        let strangers = [".pod.fabc-tmp-", ".pod.fabc-tmp-x", ".pod.fabc-new-1", ".pod2.fabc-tmp-1", "pod.fabc-tmp-1"];
        strangers.iter().for_each(|name| std::fs::write(root.path().join(name), "mine").unwrap());
        take_away_leftovers(root.path(), "pod", |_| true);
        let ours = [&alive, &alive_file].map(|one| one.path().file_name().unwrap().to_str().unwrap().to_owned());
        let mut expected: Vec<String> = strangers.into_iter().map(str::to_owned).chain(ours).collect();
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
