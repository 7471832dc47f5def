//! Reads files of a directory by path. Convictions name the file.

use super::Files;
use crate::CheckError;
use fabc_ir::read::{self, Tagged};
use serde::de::DeserializeOwned;

/// The bytes of a file that must exist.
pub(super) fn bytes<'a>(files: &'a Files, path: &str) -> Result<&'a [u8], CheckError> {
    files
        .get(path)
        .map(Vec::as_slice)
        .ok_or_else(|| CheckError::Files { path: path.to_owned(), violation: "is missing".to_owned() })
}

/// Reads a JSON file. Convicts content that does not parse.
pub(super) fn json<T: DeserializeOwned>(files: &Files, path: &str) -> Result<T, CheckError> {
    read::json(bytes(files, path)?).map_err(|error| unreadable(path, error))
}

/// Reads a JSON file and checks its format tag.
pub(super) fn tagged<T: Tagged>(files: &Files, path: &str) -> Result<T, CheckError> {
    read::tagged(bytes(files, path)?).map_err(|error| unreadable(path, error))
}

/// The conviction of a file that violates its format.
pub(super) fn unreadable(path: &str, reason: String) -> CheckError {
    CheckError::Unreadable { file: path.to_owned(), reason }
}

/// The conviction of a contradiction without a declaration to point at.
pub(super) fn contradiction(
    file: &str,
    place: impl Into<String>,
    violation: impl Into<String>,
) -> CheckError {
    CheckError::Contradiction {
        file: file.to_owned(),
        place: place.into(),
        violation: violation.into(),
        span: None,
    }
}
