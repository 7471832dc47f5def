//! `--emit`: single formats to chosen places.

use super::build::size;
use super::errors::DriverError;
use super::read::plain;
use super::terminal::{print_out, write_out};
use crate::compiled::Compiled;
use crate::emit::{self, Artifact};
use std::path::Path;

/// One `FORMAT[=PATH]`.
#[derive(Debug)]
pub(super) struct Request {
    format: &'static str,
    /// `-` is standard output; a folder ends with `/` or exists.
    path: String,
}

impl Request {
    /// Whether it goes to standard output.
    pub(super) fn is_stdout(&self) -> bool {
        self.path == "-"
    }
}

/// Prints all formats.
pub(super) fn list() {
    for format in emit::FORMATS {
        print_out(&format!("{:<14}{:<26}{}", format.name, format.path, format.description));
    }
}

/// Reads the values of `--emit`.
///
/// # Errors
/// [`DriverError::UnknownFormat`].
pub(super) fn requests(values: &[String]) -> Result<Vec<Request>, DriverError> {
    values
        .iter()
        .map(|value| {
            let (name, path) = value.split_once('=').unwrap_or((value, "-"));
            match emit::FORMATS.iter().find(|format| format.name == name) {
                Some(format) => Ok(Request { format: format.name, path: path.to_owned() }),
                None => {
                    let near = emit::FORMATS
                        .iter()
                        .map(|format| format.name)
                        .max_by(|a, b| strsim::jaro_winkler(a, name).total_cmp(&strsim::jaro_winkler(b, name)).then(b.cmp(a)));
                    let hint = match near.filter(|near| strsim::jaro_winkler(near, name) > 0.8) {
                        Some(near) => format!("did you mean `{near}`? `--emit list` lists all formats"),
                        None => "`--emit list` lists all formats".to_owned(),
                    };
                    Err(DriverError::UnknownFormat { name: name.to_owned(), hint })
                }
            }
        })
        .collect()
}

/// Writes one format; returns what to say about it.
///
/// # Errors
/// Nothing of this format was compiled, it does not fit the place, or the disk does not let us.
pub(super) fn emit(request: &Request, compiled: &Compiled, spec_text: &str) -> Result<Vec<String>, DriverError> {
    let Request { format: name, path } = request;
    let files = emit::one(name, compiled, spec_text).unwrap_or_default();
    let folder = path.ends_with('/') || Path::new(path).is_dir();
    match &files[..] {
        [] => Err(DriverError::NothingToEmit { name: (*name).to_owned() }),
        [file] if request.is_stdout() => {
            write_out(&file.bytes);
            Ok(Vec::new())
        }
        [file] if !folder => Ok(vec![write(Path::new(path), file)?]),
        _ if !folder => Err(DriverError::ManyFiles { name: (*name).to_owned(), files: files.len(), path: path.clone() }),
        // The folder stands for the one that the format has in the output directory.
        _ => files.iter().map(|file| write(&Path::new(path).join(file.path.rsplit('/').next().unwrap_or(&file.path)), file)).collect(),
    }
}

/// Writes a file whole or not at all.
///
/// # Errors
/// The disk does not let us.
pub(super) fn write(path: &Path, file: &Artifact) -> Result<String, DriverError> {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    let temporary = path.with_file_name(format!(".{name}.fabc-tmp-{}", std::process::id()));
    path.parent()
        .map_or(Ok(()), std::fs::create_dir_all)
        .and_then(|()| std::fs::write(&temporary, &file.bytes))
        .and_then(|()| std::fs::rename(&temporary, path))
        .map_err(|error| {
            let _ = std::fs::remove_file(&temporary);
            DriverError::Unwritable { path: path.display().to_string(), reason: plain(&error) }
        })?;
    Ok(format!("wrote {} ({})", path.display(), size(file.bytes.len())))
}
