//! The output directory, whole or not at all.
//!
//! Comes in: files, one by one. Goes out: `DIR/<fabric>/`, replaced in one step. Everything is written beside, into
//! `DIR/.<fabric>.fabc-tmp-<pid>`; [`Staging::publish`] renames. Invariant: whatever happens before (an error, Ctrl-C, a panic), the old
//! directory stays as it was and the temporary one goes away.

use super::errors::DriverError;
use super::read::{self, display, plain};
use crate::limits::ARTIFACT_BYTES;
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a Ctrl-C has to remove. Whoever holds the lock may touch the disk: the handler never lets go of it.
static TEMPORARY: Mutex<Vec<Temporary>> = Mutex::new(Vec::new());

/// A temporary directory, and the parents that were made for it, outermost first.
#[derive(Clone, Debug)]
struct Temporary {
    path: PathBuf,
    made: Vec<PathBuf>,
}

impl Temporary {
    fn remove(&self) {
        let _ = std::fs::remove_dir_all(&self.path);
        for parent in self.made.iter().rev() {
            // Removes nothing that holds anything.
            let _ = std::fs::remove_dir(parent);
        }
    }
}

/// An output directory in the making.
#[derive(Debug)]
pub(super) struct Staging {
    target: PathBuf,
    temporary: Temporary,
    old: PathBuf,
    published: bool,
}

impl Staging {
    /// Makes the temporary directory for `parent/name`.
    ///
    /// # Errors
    /// What stands at `parent/name` is not fabc's own, or the disk does not let us write.
    pub(super) fn begin(parent: &Path, name: &str) -> Result<Self, DriverError> {
        let target = parent.join(name);
        refuse_foreign(&target)?;
        let beside = |what: &str| parent.join(format!(".{name}.fabc-{what}-{}", std::process::id()));
        let mut made: Vec<PathBuf> =
            parent.ancestors().filter(|above| !above.as_os_str().is_empty() && !above.exists()).map(Path::to_owned).collect();
        made.reverse();
        let mut registered = lock();
        // From here on `drop` cleans up.
        let temporary = Temporary { path: beside("tmp"), made };
        let staging = Staging { target, temporary, old: beside("old"), published: false };
        registered.push(staging.temporary.clone());
        let outcome = std::fs::create_dir_all(parent).and_then(|()| std::fs::create_dir(&staging.temporary.path));
        drop(registered);
        match outcome {
            Ok(()) => Ok(staging),
            Err(error) => Err(unwritable(parent, &error)),
        }
    }

    /// Writes one file, given by its path below the directory, with `/`.
    ///
    /// # Errors
    /// The disk does not let us.
    pub(super) fn write(&self, path: &str, bytes: &[u8]) -> Result<(), DriverError> {
        let full = self.temporary.path.join(path);
        let _held = lock();
        full.parent()
            .map_or(Ok(()), std::fs::create_dir_all)
            .and_then(|()| std::fs::write(&full, bytes))
            .map_err(|error| unwritable(&self.target.join(path), &error))
    }

    /// Puts the new directory in the place of the old one and returns its path.
    ///
    /// # Errors
    /// The old directory got files of somebody else meanwhile, or the disk does not let us; the old directory is then where it was.
    pub(super) fn publish(mut self) -> Result<PathBuf, DriverError> {
        refuse_foreign(&self.target)?;
        let held = lock();
        let replaces = self.target.symlink_metadata().is_ok();
        if replaces {
            std::fs::rename(&self.target, &self.old).map_err(|error| unwritable(&self.target, &error))?;
        }
        if let Err(error) = std::fs::rename(&self.temporary.path, &self.target) {
            if replaces {
                let _ = std::fs::rename(&self.old, &self.target);
            }
            return Err(unwritable(&self.target, &error));
        }
        self.published = true;
        if replaces {
            let _ = std::fs::remove_dir_all(&self.old);
        }
        drop(held);
        Ok(self.target.clone())
    }
}

impl Drop for Staging {
    fn drop(&mut self) {
        let mut registered = lock();
        registered.retain(|other| other.path != self.temporary.path);
        if !self.published {
            self.temporary.remove();
        }
    }
}

/// Makes Ctrl-C (and a termination request) remove what is half written and exit with 130.
pub(super) fn clean_up_on_interrupt() {
    // It fails only if a handler is set already, as when tests run several commands in one process.
    let _ = ctrlc::set_handler(|| {
        let registered = lock();
        registered.iter().for_each(Temporary::remove);
        // The lock is held to the end, so nobody writes another file.
        std::process::exit(130);
    });
}

/// Complains unless a directory is absent, empty, or holds only what its own manifest lists.
///
/// # Errors
/// [`DriverError::Foreign`] with the first foreign file.
pub(super) fn refuse_foreign(target: &Path) -> Result<(), DriverError> {
    let foreign = |found: String| DriverError::Foreign { path: display(target), found };
    let Ok(kind) = target.symlink_metadata() else { return Ok(()) };
    if !kind.is_dir() {
        return Err(foreign("it is not a directory".to_owned()));
    }
    let found = read::paths(target)?;
    if found.is_empty() {
        return Ok(());
    }
    let Ok(manifest) = read::bytes(&target.join(MANIFEST), ARTIFACT_BYTES) else {
        return Err(foreign(format!("`{}`, and there is no `{MANIFEST}`", found[0])));
    };
    let Some(known) = listed_files(&manifest) else {
        return Err(foreign(format!("a `{MANIFEST}` of something else")));
    };
    match found.iter().find(|path| *path != MANIFEST && !known.contains(path)) {
        Some(path) => Err(foreign(format!("`{path}`, which its `{MANIFEST}` does not list"))),
        None => Ok(()),
    }
}

/// The name of the manifest.
pub(super) const MANIFEST: &str = "manifest.json";

/// The paths that a manifest lists; `None` if it is none of fabc's.
pub(super) fn listed_files(manifest: &[u8]) -> Option<Vec<String>> {
    let manifest: Value = serde_json::from_slice(manifest).ok()?;
    manifest["format"].as_str().filter(|format| format.starts_with("fabc.manifest/"))?;
    manifest["files"].as_array()?.iter().map(|file| file["path"].as_str().map(str::to_owned)).collect()
}

fn unwritable(path: &Path, error: &std::io::Error) -> DriverError {
    DriverError::Unwritable { path: display(path), reason: plain(error) }
}

fn lock() -> MutexGuard<'static, Vec<Temporary>> {
    TEMPORARY.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OURS: &[u8] = br#"{"format":"fabc.manifest/1","files":[{"path":"a/b.json"}]}"#;

    fn publish(parent: &Path, content: &str) -> Result<PathBuf, DriverError> {
        let staging = Staging::begin(parent, "pod")?;
        staging.write("manifest.json", OURS)?;
        staging.write("a/b.json", content.as_bytes())?;
        staging.publish()
    }

    fn names(directory: &Path) -> Vec<String> {
        read::paths(directory).expect("the directory can be listed")
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
        let staging = Staging::begin(&root.path().join("deep/out"), "pod").unwrap();
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
}
