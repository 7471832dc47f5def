//! Compares the files of a folder with those that fabc writes from proved values.

use crate::folder::Folder;
use fabc_check::CheckError;
use fabc_emit::Artifact;
use std::collections::BTreeSet;

/// The error for a file that violates its format.
pub(super) fn format_error(file: &str, problem: String) -> CheckError {
    CheckError::Files { path: file.to_owned(), violation: format!("is not what fabc writes: {problem}") }
}

/// Compares a folder with the files that fabc writes from what was proved.
pub(super) struct FolderComparison<'a, F> {
    folder: &'a F,
    paths: BTreeSet<String>,
}

impl<'a, F: Folder> FolderComparison<'a, F> {
    /// A comparison with a folder.
    pub(super) fn new(folder: &'a F) -> Self {
        Self { folder, paths: BTreeSet::new() }
    }

    /// Compares one file byte by byte.
    ///
    /// # Errors
    /// A `CheckError` if the file is missing or different.
    pub(super) fn compare(&mut self, Artifact { path, bytes }: Artifact) -> Result<(), CheckError> {
        let file_error =
            |problem: &str| CheckError::Files { path: path.clone(), violation: problem.to_owned() };
        match self.folder.read(&path) {
            Ok(found) if found == bytes => {}
            Ok(_) => return Err(file_error("is not reproduced from what was proved")),
            Err(_) => return Err(file_error("is missing")),
        }
        self.paths.insert(path);
        Ok(())
    }

    /// Checks that the folder holds no other files.
    ///
    /// # Errors
    /// A `CheckError` that names the first other file.
    pub(super) fn finish(self) -> Result<(), CheckError> {
        let file_error = |path: &str, problem: &str| CheckError::Files {
            path: path.to_owned(),
            violation: problem.to_owned(),
        };
        let paths = self.folder.paths().map_err(|_| file_error(".", "cannot be listed"))?;
        let strange = paths.iter().find(|path| !self.paths.contains(*path));
        strange.map_or(Ok(()), |path| Err(file_error(path, "is not a file that fabc writes here")))
    }
}
