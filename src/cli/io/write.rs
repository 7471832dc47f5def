//! Writes single files, completely or not at all.
//!
//! Input: a path and bytes. Output: the file, replaced in one step. The bytes are first written and flushed
//! beside it, and then renamed. Invariants: until then the old file is unchanged. A symbolic link stays a
//! link, and its target is replaced. The permissions stay. A file that is not regular, such as a pipe or a
//! device, cannot be replaced and is written directly.

use crate::io::errors::DriverError;
use crate::io::read::{display, error_words};
use crate::io::temporary::{self, Temporary, hold_disk, sync_directory};
use std::collections::BTreeMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The most symbolic links from a path to its file.
const LINKS: usize = 40;

/// Writes a file, completely or not at all.
///
/// # Errors
/// `DriverError::Unwritable`. The old file is then unchanged.
pub(crate) fn write_file(path: &Path, bytes: &[u8]) -> Result<(), DriverError> {
    let mut file = WholeFile::start(path)?;
    file.append(bytes)?;
    file.finish()
}

/// Creates a directory with all its parents.
///
/// # Errors
/// `DriverError::Unwritable` if it cannot be created.
pub(crate) fn make_directory(path: &Path) -> Result<(), DriverError> {
    std::fs::create_dir_all(path).map_err(|error| unwritable(path, &error))
}

/// Removes what killed runs left beside a file that is to be written.
pub(crate) fn remove_leftovers(path: &Path) {
    if let Ok((parent, name)) = behind_links(path).and_then(|target| parent_and_name(&target)) {
        temporary::remove_leftovers(&parent, &name, |_| false);
    }
}

/// Removes what killed runs left in a directory of any file.
pub(crate) fn remove_all_leftovers(directory: &Path) {
    temporary::remove_all_leftovers(directory);
}

/// A file that gets its name only when it is complete.
pub(crate) struct WholeFile {
    /// The path as the caller gave it.
    path: PathBuf,
    file: BufWriter<File>,
    /// The temporary file, and its final path. `None` for a file that is not regular.
    beside: Option<(Temporary, PathBuf)>,
}

impl WholeFile {
    /// Opens a temporary file beside the path.
    ///
    /// # Errors
    /// `DriverError::Unwritable` if it cannot be created.
    pub(crate) fn start(path: &Path) -> Result<Self, DriverError> {
        Self::open(path).map_err(|error| unwritable(path, &error))
    }

    fn open(path: &Path) -> io::Result<Self> {
        let old = std::fs::metadata(path).ok();
        if old.as_ref().is_some_and(Metadata::is_dir) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if old.as_ref().is_some_and(|old| !old.is_file()) {
            let file = OpenOptions::new().write(true).open(path)?;
            return Ok(Self { path: path.to_owned(), file: BufWriter::new(file), beside: None });
        }
        let target = behind_links(path)?;
        if old.is_some() {
            // Renaming needs permission for the directory only, so permission for the file is checked here.
            OpenOptions::new().write(true).open(&target)?;
        }
        temporary::clean_up_on_interrupt();
        let (parent, name) = parent_and_name(&target)?;
        let temporary = Temporary::file(&parent, &name)?;
        let file = temporary.handle().ok_or(io::ErrorKind::NotFound)?.try_clone()?;
        if let Some(old) = old {
            keep_owner(&file, &old);
            file.set_permissions(old.permissions())?;
        }
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file), beside: Some((temporary, target)) })
    }

    /// Appends bytes to the temporary file.
    ///
    /// # Errors
    /// `DriverError::Unwritable` if the disk fails.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), DriverError> {
        self.file.write_all(bytes).map_err(|error| unwritable(&self.path, &error))
    }

    /// Flushes the file and gives it its name.
    ///
    /// # Errors
    /// `DriverError::Unwritable`. The old file is then unchanged.
    pub(crate) fn finish(mut self) -> Result<(), DriverError> {
        self.publish().map_err(|error| unwritable(&self.path, &error))
    }

    fn publish(&mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some((temporary, target)) = &mut self.beside else { return Ok(()) };
        // Some systems report a full disk only now.
        self.file.get_ref().sync_all()?;
        temporary.place(target, &mut hold_disk())?;
        sync_directory(target.parent().unwrap_or(Path::new("")));
        Ok(())
    }
}

/// Follows symbolic links to the end. The last one may lead to a file that does not exist.
fn behind_links(path: &Path) -> io::Result<PathBuf> {
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        match std::fs::read_link(&path) {
            Ok(to) => path = path.parent().unwrap_or(Path::new("")).join(to),
            Err(_) => return Ok(path),
        }
    }
    Err(io::Error::other("too many symbolic links"))
}

/// The directory of a file, and its name.
fn parent_and_name(path: &Path) -> io::Result<(PathBuf, String)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy().into_owned();
    Ok((path.parent().unwrap_or(Path::new("")).to_owned(), name))
}

/// Gives the new file the owner of the old one, as far as permissions allow.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

fn unwritable(path: &Path, error: &io::Error) -> DriverError {
    DriverError::Unwritable { path: display(path), reason: error_words(error) }
}

/// The paths of files that are written together. It detects two files with one name, also on file systems
/// that ignore case.
#[derive(Debug, Default)]
pub(crate) struct DistinctPaths(BTreeMap<String, String>);

impl DistinctPaths {
    /// Registers a path.
    ///
    /// # Errors
    /// `DriverError::Bug` if it was registered before.
    pub(crate) fn claim(&mut self, path: &str) -> Result<(), DriverError> {
        match self.0.insert(path.to_lowercase(), path.to_owned()) {
            Some(first) => Err(DriverError::Bug {
                message: format!("two outputs have one file name, `{first}` and `{path}`"),
            }),
            None => Ok(()),
        }
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_link_stays_and_its_file_keeps_its_permissions() {
        let root = tempfile::tempdir().unwrap();
        let [file, link, again, nowhere] =
            ["deep/file", "link", "again", "nowhere"].map(|name| root.path().join(name));
        std::fs::create_dir(root.path().join("deep")).unwrap();
        std::fs::write(&file, "old").unwrap();
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o640)).unwrap();
        symlink("deep/file", &link).unwrap();
        symlink(&link, &again).unwrap();
        symlink("new", &nowhere).unwrap();
        write_file(&again, b"new").unwrap();
        write_file(&nowhere, b"made").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(std::fs::read_link(&link).unwrap(), Path::new("deep/file"));
        assert_eq!(std::fs::read_to_string(root.path().join("new")).unwrap(), "made");
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 5);
        symlink("circle", root.path().join("circle")).unwrap();
        assert!(write_file(&root.path().join("circle"), b"").is_err());
        assert!(write_file(root.path(), b"").is_err());
    }

    #[test]
    fn a_file_that_is_not_finished_changes_nothing() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("file");
        std::fs::write(&path, "old").unwrap();
        let mut file = WholeFile::start(&path).unwrap();
        file.append(b"half").unwrap();
        drop(file);
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 1);
    }

    #[test]
    fn a_device_is_written_and_stays_one() {
        assert!(write_file(Path::new("/dev/null"), b"gone").is_ok());
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
        let error = write_file(Path::new("/dev/full"), b"gone").unwrap_err();
        assert!(matches!(error, DriverError::Unwritable { .. }), "{error}");
    }

    #[test]
    fn one_path_is_written_once() {
        let mut distinct = DistinctPaths::default();
        distinct.claim("ocs/X_1_0.config_db.json").unwrap();
        distinct.claim("tables/X_1_0.config_db.json").unwrap();
        let error = distinct.claim("ocs/x_1_0.config_db.json").unwrap_err();
        assert!(matches!(error, DriverError::Bug { .. }) && error.to_string().contains("X_1_0"), "{error}");
    }
}
