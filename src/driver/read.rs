//! Files and directories, read.

use super::errors::{DriverError, Stop};
use crate::diag::SourceMap;
use crate::model::{self, Pod};
use std::collections::BTreeMap;
use std::io::Read;
use std::path::Path;

/// What `-` is called in messages.
pub(super) const STDIN: &str = "<stdin>";

/// A spec that was read, parsed and resolved.
pub(super) struct Loaded {
    /// What it means.
    pub(super) pod: Pod,
    /// Its normal form.
    pub(super) spec: crate::syntax::ast::Spec,
    /// The text of all its files.
    pub(super) sources: SourceMap,
}

/// Reads and resolves a spec; `-` is standard input.
///
/// # Errors
/// The spec cannot be read, or has errors.
pub(super) fn spec(path: &str) -> Result<Loaded, Stop> {
    // Read up front: that a spec is missing is not an error *in* the spec. Standard input can be read only once.
    let text = text(path)?;
    let root = if path == "-" { STDIN } else { path };
    let first = std::cell::Cell::new(true);
    let loader = |wanted: &str| if first.replace(false) { Ok(text.clone()) } else { self::text(wanted).map_err(|error| reason(&error)) };
    let identity = |path: &str| std::fs::canonicalize(path).map_or_else(|_| path.to_owned(), |path| display(&path));
    let (pod, spec, sources) = model::load_files(root, &loader, &identity)?;
    Ok(Loaded { pod, spec, sources })
}

/// Reads and resolves the spec of a built directory from its own files.
///
/// # Errors
/// There is no `spec.fab`, or it has errors.
pub(super) fn built_spec(directory: &Path) -> Result<Loaded, Stop> {
    let text = |path: &str| text(&display(&directory.join(path))).map_err(|error| reason(&error));
    let (pod, spec, sources) = crate::verify::load(&display(directory), &text)?;
    Ok(Loaded { pod, spec, sources })
}

/// The text of a file; `-` is standard input.
///
/// # Errors
/// It cannot be read, or is not UTF-8.
pub(super) fn text(path: &str) -> Result<String, DriverError> {
    let unreadable = |error: std::io::Error| DriverError::Unreadable { path: path.to_owned(), reason: plain(&error) };
    let bytes = if path == "-" {
        let mut bytes = Vec::new();
        std::io::stdin().lock().read_to_end(&mut bytes).map_err(unreadable)?;
        bytes
    } else {
        std::fs::read(path).map_err(unreadable)?
    };
    String::from_utf8(bytes).map_err(|error| DriverError::NotText { path: path.to_owned(), offset: error.utf8_error().valid_up_to() })
}

/// The content of a file.
///
/// # Errors
/// It cannot be read.
pub(super) fn bytes(path: &Path) -> Result<Vec<u8>, DriverError> {
    std::fs::read(path).map_err(|error| DriverError::Unreadable { path: display(path), reason: plain(&error) })
}

/// All files below a directory: relative path with `/`, and content.
///
/// # Errors
/// Something cannot be read.
pub(super) fn directory(directory: &Path) -> Result<BTreeMap<String, Vec<u8>>, DriverError> {
    let mut files = BTreeMap::new();
    for path in paths(directory)? {
        let full = directory.join(&path);
        files.insert(path, bytes(&full)?);
    }
    Ok(files)
}

/// The paths of all files below a directory, relative and with `/`, sorted. Symbolic links count as files.
///
/// # Errors
/// A directory cannot be listed.
pub(super) fn paths(directory: &Path) -> Result<Vec<String>, DriverError> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(below) = open.pop() {
        let here = directory.join(&below);
        let unreadable = |error: std::io::Error| DriverError::Unreadable { path: display(&here), reason: plain(&error) };
        for entry in std::fs::read_dir(&here).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            if entry.file_type().map_err(unreadable)?.is_dir() { open.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    Ok(found)
}

/// A path for people.
pub(super) fn display(path: &Path) -> String {
    path.display().to_string()
}

/// An error of the system in a few lower-case words, without its number.
pub(super) fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

fn reason(error: &DriverError) -> String {
    match error {
        DriverError::Unreadable { reason, .. } => reason.clone(),
        DriverError::NotText { offset, .. } => format!("it is not UTF-8 text (byte {offset})"),
        other => other.to_string(),
    }
}
