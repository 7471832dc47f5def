//! Single files, written whole or not at all.
//!
//! Comes in: a path and bytes. Goes out: the file, replaced in one step: the bytes go beside it, to the disk,
//! and then get its name. Invariants: until then the old file stays as it was; a symbolic link stays one, and
//! what it leads to is replaced; the permissions stay. What is no regular file (a pipe, a device) cannot be
//! replaced and is written as it is.

use crate::io::errors::DriverError;
use crate::io::read::{display, plain};
use crate::io::temporary::{self, Temporary, hold, sync_directory};
use std::collections::BTreeMap;
use std::fs::{File, Metadata, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};

/// The most symbolic links from a path to its file.
const LINKS: usize = 40;

/// Writes a file whole or not at all.
///
/// # Errors
/// The disk does not let us; the file is then as it was.
pub(crate) fn write(path: &Path, bytes: &[u8]) -> Result<(), DriverError> {
    let mut file = WholeFile::start(path)?;
    file.append(bytes)?;
    file.finish()
}

/// Makes a directory with all its parents.
///
/// # Errors
/// The disk does not let us.
pub(crate) fn make_directory(path: &Path) -> Result<(), DriverError> {
    std::fs::create_dir_all(path).map_err(|error| unwritable(path, &error))
}

/// Takes away what killed runs left beside a file that is to be written.
pub(crate) fn take_away_leftovers(path: &Path) {
    if let Ok((parent, name)) = behind_links(path).and_then(|target| parts(&target)) {
        temporary::take_away_leftovers(&parent, &name, |_| false);
    }
}

/// Takes away what killed runs left of files in a directory, whatever their names.
pub(crate) fn take_away_all_leftovers(directory: &Path) {
    temporary::take_away_all_leftovers(directory);
}

/// A file that gets its name only when it is whole.
pub(crate) struct WholeFile {
    /// As given.
    path: PathBuf,
    file: BufWriter<File>,
    /// The temporary file, and the place that it shall have; `None` for what is no regular file.
    beside: Option<(Temporary, PathBuf)>,
}

impl WholeFile {
    /// Begins a file.
    ///
    /// # Errors
    /// The disk does not let us.
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
            // The renaming would ask nobody but the directory.
            OpenOptions::new().write(true).open(&target)?;
        }
        temporary::clean_up_on_interrupt();
        let (parent, name) = parts(&target)?;
        let temporary = Temporary::file(&parent, &name)?;
        let file = temporary.handle().ok_or(io::ErrorKind::NotFound)?.try_clone()?;
        if let Some(old) = old {
            keep_owner(&file, &old);
            file.set_permissions(old.permissions())?;
        }
        Ok(Self { path: path.to_owned(), file: BufWriter::new(file), beside: Some((temporary, target)) })
    }

    /// Adds to the file.
    ///
    /// # Errors
    /// The disk does not let us.
    pub(crate) fn append(&mut self, bytes: &[u8]) -> Result<(), DriverError> {
        self.file.write_all(bytes).map_err(|error| unwritable(&self.path, &error))
    }

    /// Gives the file its name.
    ///
    /// # Errors
    /// The disk does not let us; the old file is then as it was.
    pub(crate) fn finish(mut self) -> Result<(), DriverError> {
        self.place().map_err(|error| unwritable(&self.path, &error))
    }

    fn place(&mut self) -> io::Result<()> {
        self.file.flush()?;
        let Some((temporary, target)) = &mut self.beside else { return Ok(()) };
        // Some systems say only now that the disk is full.
        self.file.get_ref().sync_all()?;
        temporary.place(target, &mut hold())?;
        sync_directory(target.parent().unwrap_or(Path::new("")));
        Ok(())
    }
}

/// Follows symbolic links to the end; the last one may lead to nothing yet.
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
fn parts(path: &Path) -> io::Result<(PathBuf, String)> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?.to_string_lossy().into_owned();
    Ok((path.parent().unwrap_or(Path::new("")).to_owned(), name))
}

/// The new file belongs to whom the old one belonged, as far as we may give it away.
#[cfg(unix)]
fn keep_owner(file: &File, old: &Metadata) {
    use std::os::unix::fs::{MetadataExt, fchown};
    let _ = fchown(file, Some(old.uid()), Some(old.gid()));
}

#[cfg(not(unix))]
fn keep_owner(_: &File, _: &Metadata) {}

fn unwritable(path: &Path, error: &io::Error) -> DriverError {
    DriverError::Unwritable { path: display(path), reason: plain(error) }
}

/// The paths of what is written together, to see that none is written twice; some disks do not tell capitals
/// from small letters.
#[derive(Debug, Default)]
pub(crate) struct Distinct(BTreeMap<String, String>);

impl Distinct {
    /// Takes a path.
    ///
    /// # Errors
    /// It was taken before: fabc is wrong about its own names.
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
        write(&again, b"new").unwrap();
        write(&nowhere, b"made").unwrap();
        assert_eq!(std::fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o640);
        assert_eq!(std::fs::read_link(&link).unwrap(), Path::new("deep/file"));
        assert_eq!(std::fs::read_to_string(root.path().join("new")).unwrap(), "made");
        assert_eq!(std::fs::read_dir(root.path()).unwrap().count(), 5);
        symlink("circle", root.path().join("circle")).unwrap();
        assert!(write(&root.path().join("circle"), b"").is_err());
        assert!(write(root.path(), b"").is_err());
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
        assert!(write(Path::new("/dev/null"), b"gone").is_ok());
        assert!(!Path::new("/dev/null").metadata().unwrap().is_file());
        let error = write(Path::new("/dev/full"), b"gone").unwrap_err();
        assert!(matches!(error, DriverError::Unwritable { .. }), "{error}");
    }

    #[test]
    fn one_path_is_written_once() {
        let mut distinct = Distinct::default();
        distinct.claim("ocs/X_1_0.config_db.json").unwrap();
        distinct.claim("tables/X_1_0.config_db.json").unwrap();
        let error = distinct.claim("ocs/x_1_0.config_db.json").unwrap_err();
        assert!(matches!(error, DriverError::Bug { .. }) && error.to_string().contains("X_1_0"), "{error}");
    }
}
