//! Writes an output directory, completely or not at all.
//!
//! Input: files, one by one. Output: `DIR/<fabric>/`, replaced in one step. Files are first written to
//! `DIR/.<fabric>.fabc-tmp-<pid>`. [`Staging::publish`] flushes them to the disk and renames the directory.
//! Invariants: until then, after an error, Ctrl-C or a panic, the old directory is unchanged and the
//! temporary one is removed. No two files have the same name, even on a file system that ignores case.

use crate::io::errors::DriverError;
use crate::io::read::{self, display, error_words};
use crate::io::temporary::{self, Temporary, hold_disk, remove, sync_directory};
use crate::io::write::DistinctPaths;
use fabc_base::limits::ARTIFACT_BYTES;
use serde_json::Value;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// Files that are flushed to the disk at the same time.
const SYNCS: usize = 16;

/// Attempts to replace a directory that other processes replace at the same time.
const ATTEMPTS: u32 = 20;

/// Rules for what may already be in the place of an output directory.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutputRules {
    /// Refuses files that fabc did not write.
    pub(crate) refuse_foreign: fn(&Path) -> Result<(), DriverError>,
    /// Whether no file of a former output is missing.
    pub(crate) is_whole: fn(&Path) -> bool,
}

/// The output directory of a build. Its manifest lists its files.
pub(crate) const BUILT: OutputRules = OutputRules { refuse_foreign, is_whole };

/// An output directory that is being written.
#[derive(Debug)]
pub(crate) struct Staging {
    parent: PathBuf,
    name: String,
    rules: OutputRules,
    temporary: Temporary,
    distinct: DistinctPaths,
    /// The current folder below the directory. Empty, or with `/` at its end.
    folder: String,
    /// The paths of all files, below the directory.
    written: Vec<PathBuf>,
}

impl Staging {
    /// Creates the temporary directory for `parent/name`, and removes what killed builds left beside it.
    ///
    /// # Errors
    /// `DriverError::Foreign` if `parent/name` holds foreign files, and `DriverError::Unwritable` if the
    /// directory cannot be created.
    pub(crate) fn begin(parent: &Path, name: &str, rules: OutputRules) -> Result<Self, DriverError> {
        temporary::clean_up_on_interrupt();
        temporary::remove_leftovers(parent, name, rules.is_whole);
        (rules.refuse_foreign)(&parent.join(name))?;
        let temporary = Temporary::directory(parent, name).map_err(|error| unwritable(parent, &error))?;
        let (parent, name) = (parent.to_owned(), name.to_owned());
        Ok(Staging {
            parent,
            name,
            rules,
            temporary,
            distinct: DistinctPaths::default(),
            folder: String::new(),
            written: Vec::new(),
        })
    }

    /// Stages a directory that the user names. The path is made canonical, since `.` and `..` have no name.
    ///
    /// # Errors
    /// As [`Staging::begin`].
    pub(crate) fn for_directory(directory: &Path, rules: OutputRules) -> Result<Self, DriverError> {
        let target = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
        let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        Self::begin(target.parent().unwrap_or(Path::new("")), &name, rules)
    }

    /// Sets the folder for the next files, with `/` at its end.
    pub(crate) fn enter(&mut self, folder: String) {
        self.folder = folder;
    }

    /// Writes one file. Its path is relative to the current folder, with `/` between parts.
    ///
    /// # Errors
    /// `DriverError::Unwritable`, or `DriverError::Bug` for a second file with this name in any case of
    /// letters.
    pub(crate) fn write(&mut self, path: &str, bytes: &[u8]) -> Result<(), DriverError> {
        let path = &format!("{}{path}", self.folder);
        self.distinct.claim(path)?;
        let full = self.temporary.path().join(path);
        let guard = hold_disk();
        let write = || File::create_new(&full)?.write_all(bytes);
        let outcome = full.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| write());
        drop(guard);
        self.written.push(PathBuf::from(path));
        outcome.map_err(|error| unwritable(&self.target().join(path), &error))
    }

    /// Replaces the old directory by the new one, and returns its path.
    ///
    /// # Errors
    /// `DriverError::Foreign` if foreign files appeared in the old directory, and `DriverError::Unwritable`.
    /// The old directory is then unchanged.
    pub(crate) fn publish(mut self) -> Result<PathBuf, DriverError> {
        let target = self.target();
        self.sync().map_err(|error| unwritable(&target, &error))?;
        for _ in 0..ATTEMPTS {
            (self.rules.refuse_foreign)(&target)?;
            if self.replace(&target).map_err(|error| unwritable(&target, &error))? {
                return Ok(target);
            }
        }
        Err(unwritable(&target, &io::Error::other("others keep writing it")))
    }

    fn target(&self) -> PathBuf {
        self.parent.join(&self.name)
    }

    /// Flushes all files to the disk before anything is replaced. Some systems report a full disk only now.
    fn sync(&self) -> io::Result<()> {
        let root = self.temporary.path();
        let sync = |path: &PathBuf| File::open(root.join(path))?.sync_all();
        if cfg!(target_family = "wasm") {
            return Ok(()); // The disk of a browser is memory, and it has no threads.
        }
        // Disks flush many files together in the time of one.
        let share = self.written.len().div_ceil(SYNCS).max(1);
        std::thread::scope(|scope| {
            let shares =
                self.written.chunks(share).map(|share| scope.spawn(move || share.iter().try_for_each(sync)));
            let shares: Vec<_> = shares.collect();
            shares
                .into_iter()
                .try_for_each(|share| share.join().unwrap_or_else(|_| Err(io::Error::other("it panicked"))))
        })?;
        let directories: BTreeSet<&Path> =
            self.written.iter().flat_map(|path| path.ancestors().skip(1)).collect();
        directories.into_iter().for_each(|directory| sync_directory(&root.join(directory)));
        Ok(())
    }

    /// Renames the directories. `false` if another process put a directory there at the same time. The next
    /// attempt replaces that one.
    fn replace(&mut self, target: &Path) -> io::Result<bool> {
        let mut guard = hold_disk();
        // The lock of the new directory also covers the old one, so that no other process removes it as a
        // leftover.
        let aside = self.temporary.aside().to_owned();
        match std::fs::rename(target, &aside) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        let placed = self.temporary.place(target, &mut guard);
        match &placed {
            Err(_) if target.symlink_metadata().is_err() => drop(std::fs::rename(&aside, target)),
            _ => remove(&aside),
        }
        sync_directory(&self.parent);
        match placed {
            Ok(()) => Ok(true),
            Err(error)
                if matches!(
                    error.kind(),
                    io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::AlreadyExists
                ) =>
            {
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

/// Whether a directory holds every file that its manifest lists.
fn is_whole(directory: &Path) -> bool {
    let listed = std::fs::read(directory.join(MANIFEST)).ok().and_then(|manifest| listed_files(&manifest));
    listed.is_some_and(|listed| listed.iter().all(|path| directory.join(path).is_file()))
}

/// Refuses a directory unless it is absent, empty, or holds only files of its own manifest.
///
/// # Errors
/// [`DriverError::Foreign`] with the first foreign file.
pub(crate) fn refuse_foreign(target: &Path) -> Result<(), DriverError> {
    let foreign = |content: String| DriverError::Foreign { path: display(target), content };
    let Ok(kind) = target.symlink_metadata() else { return Ok(()) };
    if !kind.is_dir() {
        return Err(foreign("it is not a directory".to_owned()));
    }
    let paths = read::file_paths(target)?;
    if paths.is_empty() {
        return Ok(());
    }
    let Ok(manifest) = read::read_bytes(&target.join(MANIFEST), ARTIFACT_BYTES) else {
        return Err(foreign(format!("`{}`, and there is no `{MANIFEST}`", paths[0])));
    };
    let Some(listed) = listed_files(&manifest) else {
        return Err(foreign(format!("a `{MANIFEST}` of something else")));
    };
    match paths.iter().find(|path| *path != MANIFEST && !listed.contains(path)) {
        Some(path) => Err(foreign(format!("`{path}`, which its `{MANIFEST}` does not list"))),
        None => Ok(()),
    }
}

/// The name of the manifest in every output directory.
pub(crate) const MANIFEST: &str = "manifest.json";

/// Refuses a folder unless it is absent, or all its files are accepted by `is_ours`.
///
/// # Errors
/// [`DriverError::Foreign`] with the first other file, and errors of listing the folder.
pub(crate) fn refuse_others(directory: &Path, is_ours: impl Fn(&str) -> bool) -> Result<(), DriverError> {
    let old = if directory.exists() { read::file_paths(directory)? } else { Vec::new() };
    match old.iter().find(|path| !is_ours(path)) {
        Some(foreign) => {
            Err(DriverError::Foreign { path: display(directory), content: format!("`{foreign}`") })
        }
        None => Ok(()),
    }
}

/// The paths that a manifest lists. `None` if fabc did not write it.
pub(crate) fn listed_files(manifest: &[u8]) -> Option<Vec<String>> {
    let manifest: Value = serde_json::from_slice(manifest).ok()?;
    manifest["format"].as_str().filter(|format| format.starts_with("fabc.manifest/"))?;
    manifest["files"].as_array()?.iter().map(|file| file["path"].as_str().map(str::to_owned)).collect()
}

fn unwritable(path: &Path, error: &std::io::Error) -> DriverError {
    DriverError::Unwritable { path: display(path), reason: error_words(error) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &[u8] = br#"{"format":"fabc.manifest/1","files":[{"path":"a/b.json"}]}"#;

    fn publish(parent: &Path, content: &str) -> Result<PathBuf, DriverError> {
        let mut staging = Staging::begin(parent, "pod", BUILT)?;
        staging.write("manifest.json", OURS)?;
        staging.write("a/b.json", content.as_bytes())?;
        staging.publish()
    }

    fn names(directory: &Path) -> Vec<String> {
        read::file_paths(directory).expect("the directory can be listed")
    }

    #[test]
    fn a_directory_is_published_and_replaced_whole() {
        let root = tempfile::tempdir().unwrap();
        let parent = root.path().join("deep/out");
        let target = publish(&parent, "one").unwrap();
        assert_eq!(publish(&parent, "two").unwrap(), target);
        assert_eq!(std::fs::read_to_string(target.join("a/b.json")).unwrap(), "two");
        assert_eq!(names(&parent), ["pod/a/b.json", "pod/manifest.json"]);
    }

    #[test]
    fn what_is_not_published_leaves_nothing_behind() {
        let root = tempfile::tempdir().unwrap();
        let mut staging = Staging::begin(&root.path().join("deep/out"), "pod", BUILT).unwrap();
        staging.write("a/b.json", b"half").unwrap();
        drop(staging);
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
    }

    #[test]
    fn foreign_files_are_never_replaced() {
        let root = tempfile::tempdir().unwrap();
        let target = root.path().join("pod");
        std::fs::create_dir(&target).unwrap();
        std::fs::write(target.join("notes.txt"), "mine").unwrap();
        assert!(matches!(publish(root.path(), "new"), Err(DriverError::Foreign { .. })));
        std::fs::write(target.join("manifest.json"), r#"{"name":"a web page"}"#).unwrap();
        assert!(matches!(publish(root.path(), "new"), Err(DriverError::Foreign { .. })));
        std::fs::write(target.join("manifest.json"), OURS).unwrap();
        let error = publish(root.path(), "new").unwrap_err();
        assert!(error.to_string().contains("notes.txt"), "{error}");
        assert_eq!(names(root.path()), ["pod/manifest.json", "pod/notes.txt"]);
    }

    #[test]
    fn two_files_of_one_name_are_a_bug() {
        let root = tempfile::tempdir().unwrap();
        let mut staging = Staging::begin(root.path(), "pod", BUILT).unwrap();
        staging.write("ocs/X_1_0.config_db.json", b"one").unwrap();
        let error = staging.write("ocs/x_1_0.config_db.json", b"another").unwrap_err();
        assert_eq!(error.exit_code(), 4, "{error}");
    }

    #[test]
    fn two_builds_of_one_name_end_with_one_whole_directory() {
        let root = tempfile::tempdir().unwrap();
        let mut first = Staging::begin(root.path(), "pod", BUILT).unwrap();
        first.write("manifest.json", OURS).unwrap();
        first.write("a/b.json", b"first").unwrap();
        publish(root.path(), "second").unwrap();
        let target = first.publish().unwrap();
        assert_eq!(std::fs::read_to_string(target.join("a/b.json")).unwrap(), "first");
        assert_eq!(names(root.path()), ["pod/a/b.json", "pod/manifest.json"]);
    }

    /// A directory as a build leaves it that was killed while it replaced the old one.
    fn put_aside(parent: &Path, content: &str) {
        let target = publish(parent, content).unwrap();
        std::fs::rename(target, parent.join(".pod.fabc-old-1")).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn an_old_directory_whose_new_one_never_came_is_put_back() {
        let root = tempfile::tempdir().unwrap();
        put_aside(root.path(), "one");
        drop(Staging::begin(root.path(), "pod", BUILT).unwrap());
        assert_eq!(names(root.path()), ["pod/a/b.json", "pod/manifest.json"]);
        // The new one came: the old one is a leftover.
        put_aside(root.path(), "one");
        std::fs::create_dir(root.path().join("pod")).unwrap();
        drop(Staging::begin(root.path(), "pod", BUILT).unwrap());
        assert_eq!(names(root.path()), [] as [&str; 0]);
        // The old one was being removed.
        put_aside(root.path(), "one");
        std::fs::remove_file(root.path().join(".pod.fabc-old-1/a/b.json")).unwrap();
        drop(Staging::begin(root.path(), "pod", BUILT).unwrap());
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 0);
    }
}
