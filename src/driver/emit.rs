//! `--emit`: single formats to chosen places.

use super::build::size;
use super::errors::DriverError;
use super::read::plain;
use super::terminal::{print_out, write_out};
use crate::compiled::Compiled;
use crate::emit::{self, Artifact, Format};
use std::io::Write;
use std::path::{Path, PathBuf};

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
        print_out(&format!("{:<15}{:<26}{}", format.name, format.path, format.description));
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
    if let Some(format) = emit::FORMATS.iter().find(|format| format.name == *name && format.is_external()) {
        return external(format, path, compiled);
    }
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

/// Writes an external format, each file whole or not at all.
fn external(format: &Format, path: &str, compiled: &Compiled) -> Result<Vec<String>, DriverError> {
    if path == "-" {
        if format.is_several() {
            return Err(DriverError::SeveralFiles { name: format.name.to_owned() });
        }
        let mut any = false;
        emit::each_chunk(format, compiled, &mut |_, bytes| {
            any = true;
            write_out(bytes);
            Ok::<(), DriverError>(())
        })?;
        return if any { Ok(Vec::new()) } else { Err(DriverError::NothingToEmit { name: format.name.to_owned() }) };
    }
    let folder = format.is_several() || path.ends_with('/') || Path::new(path).is_dir();
    let (mut files, mut bytes_written) = (0_usize, 0_usize);
    let mut open: Option<(String, OpenFile)> = None;
    emit::each_chunk(format, compiled, &mut |file, bytes| {
        if open.as_ref().is_none_or(|(current, _)| current != file) {
            let target = if folder { Path::new(path).join(file) } else { PathBuf::from(path) };
            let started = OpenFile::start(target)?;
            if let Some((_, finished)) = open.replace((file.to_owned(), started)) {
                finished.finish()?;
            }
            files += 1;
        }
        bytes_written += bytes.len();
        open.as_mut().map_or(Ok(()), |(_, file)| file.append(bytes))
    })?;
    let Some((_, last)) = open else { return Err(DriverError::NothingToEmit { name: format.name.to_owned() }) };
    last.finish()?;
    let count = if files == 1 { String::new() } else { format!("{files} files, ") };
    Ok(vec![format!("wrote {path} ({count}{})", size(bytes_written))])
}

/// A file that gets its name only when it is whole.
struct OpenFile {
    target: PathBuf,
    temporary: PathBuf,
    file: std::io::BufWriter<std::fs::File>,
    finished: bool,
}

impl OpenFile {
    fn start(target: PathBuf) -> Result<Self, DriverError> {
        let name = target.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        let temporary = target.with_file_name(format!(".{name}.fabc-tmp-{}", std::process::id()));
        let file = target.parent().map_or(Ok(()), std::fs::create_dir_all).and_then(|()| std::fs::File::create(&temporary));
        let file = std::io::BufWriter::new(file.map_err(|error| unwritable(&target, &error))?);
        Ok(Self { target, temporary, file, finished: false })
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), DriverError> {
        self.file.write_all(bytes).map_err(|error| unwritable(&self.target, &error))
    }

    fn finish(mut self) -> Result<(), DriverError> {
        let renamed = self.file.flush().and_then(|()| std::fs::rename(&self.temporary, &self.target));
        self.finished = renamed.is_ok();
        renamed.map_err(|error| unwritable(&self.target, &error))
    }
}

impl Drop for OpenFile {
    fn drop(&mut self) {
        if !self.finished {
            let _ = std::fs::remove_file(&self.temporary);
        }
    }
}

fn unwritable(path: &Path, error: &std::io::Error) -> DriverError {
    DriverError::Unwritable { path: path.display().to_string(), reason: plain(error) }
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
