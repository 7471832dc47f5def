//! Files of a directory by path; what they are not ends in a conviction that names the file.

use super::Files;
use crate::CheckError;
use fabc_ir::read::{self, Tagged};
use serde::de::DeserializeOwned;

/// The bytes of a file that must be there.
pub(super) fn bytes<'a>(files: &'a Files, path: &str) -> Result<&'a [u8], CheckError> {
    files
        .get(path)
        .map(Vec::as_slice)
        .ok_or_else(|| CheckError::Files { path: path.to_owned(), what: "is missing".to_owned() })
}

/// Reads a JSON file.
pub(super) fn json<T: DeserializeOwned>(files: &Files, path: &str) -> Result<T, CheckError> {
    read::json(bytes(files, path)?).map_err(|what| unreadable(path, what))
}

/// Reads a JSON file and checks its format tag.
pub(super) fn tagged<T: Tagged>(files: &Files, path: &str) -> Result<T, CheckError> {
    read::tagged(bytes(files, path)?).map_err(|what| unreadable(path, what))
}

/// A file that is not what its format says.
pub(super) fn unreadable(path: &str, what: String) -> CheckError {
    CheckError::Unreadable { file: path.to_owned(), what }
}

/// A contradiction without a declaration to point at.
pub(super) fn contradiction(file: &str, place: impl Into<String>, what: impl Into<String>) -> CheckError {
    CheckError::Contradiction { file: file.to_owned(), place: place.into(), what: what.into(), span: None }
}
