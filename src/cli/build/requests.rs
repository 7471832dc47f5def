//! What `--emit` asks for: single formats at chosen places.
//!
//! In: the values of the option. Out: requests that fit each other and the fabric; of each, later, the files.

use crate::io::errors::DriverError;
use crate::io::terminal::{print_out, size, write_out};
use crate::io::write::{self, Distinct, WholeFile};
use fabc_base::diag::closest;
use fabc_emit::compiled::{Compiled, WiredFabric};
use fabc_emit::{Artifact, Format};
use fabc_lang::syntax::join;
use fabc_model::Fabric;
use fabc_pipeline::compile::Stage;
use std::path::{Path, PathBuf};

/// One `FORMAT[=PATH]`.
#[derive(Debug)]
pub(crate) struct Request {
    format: &'static Format,
    /// `-` is standard output; a folder ends with `/` or exists.
    path: String,
}

impl Request {
    /// Whether it goes to standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        self.path == "-"
    }

    /// Whether it says who is wired to whom, and nothing else.
    pub(crate) fn is_of_links(&self) -> bool {
        self.format.is_of_links()
    }

    fn is_folder(&self) -> bool {
        is_folder(&self.path)
    }
}

fn is_folder(path: &str) -> bool {
    path.ends_with('/') || Path::new(path).is_dir()
}

/// Prints all formats.
///
/// # Errors
/// Standard output cannot be written.
pub(crate) fn list() -> Result<(), DriverError> {
    let width = |text: fn(&Format) -> &'static str| {
        fabc_emit::FORMATS.iter().map(|format| text(format).len()).max().unwrap_or(0) + 2
    };
    let [name, path] = [width(|format| format.name), width(|format| format.path)];
    fabc_emit::FORMATS.iter().try_for_each(|format| {
        print_out(&format!("{:<name$}{:<path$}{}", format.name, format.path, format.description))
    })
}

/// Reads the values of `--emit`.
///
/// # Errors
/// [`DriverError::UnknownFormat`], or [`DriverError::OnePlace`] of two that would be one file.
pub(crate) fn read(values: &[String]) -> Result<Vec<Request>, DriverError> {
    let requests =
        values.iter().map(|value| request(value)).collect::<Result<Vec<Request>, DriverError>>()?;
    for (at, second) in requests.iter().enumerate().filter(|(_, request)| !request.is_stdout()) {
        let one_file = |first: &&Request| {
            join("", &first.path) == join("", &second.path)
                && (first.format == second.format || !second.is_folder())
        };
        if let Some(first) = requests[..at].iter().find(one_file) {
            return Err(DriverError::OnePlace {
                first: first.format.name,
                second: second.format.name,
                path: second.path.clone(),
            });
        }
    }
    Ok(requests)
}

fn request(value: &str) -> Result<Request, DriverError> {
    let (name, path) = value.split_once('=').unwrap_or((value, "-"));
    match fabc_emit::FORMATS.iter().find(|format| format.name == name) {
        Some(format) => Ok(Request { format, path: path.to_owned() }),
        None => {
            let hint = match closest(name, fabc_emit::FORMATS.iter().map(|format| format.name)) {
                Some(near) => format!("did you mean `{near}`? `--emit list` lists all formats"),
                None => "`--emit list` lists all formats".to_owned(),
            };
            Err(DriverError::UnknownFormat { name: name.to_owned(), hint })
        }
    }
}

/// Refuses a format that a build which stops after a stage does not come to.
///
/// # Errors
/// [`DriverError::NothingToEmit`].
pub(crate) fn reached(requests: &[Request], last: Option<Stage>) -> Result<(), DriverError> {
    let first = |format: &Format| match format.name {
        "spec" => Stage::Resolve,
        _ if format.is_after_routing() => Stage::Route,
        _ => Stage::Synthesize,
    };
    let early = requests.iter().find(|request| last.is_some_and(|last| last < first(request.format)));
    early.map_or(Ok(()), |request| Err(DriverError::NothingToEmit { name: request.format.name.to_owned() }))
}

/// Refuses what could not be written, before it is compiled.
///
/// # Errors
/// The format never holds this fabric.
pub(crate) fn fits(request: &Request, fabric: &Fabric) -> Result<(), DriverError> {
    fabc_emit::fits(request.format, fabric).map_err(DriverError::from)
}

/// Writes one format; returns what to say about it.
///
/// # Errors
/// Nothing of this format was compiled, it does not fit the place, or the disk does not let us.
pub(crate) fn write(
    request: &Request,
    compiled: &Compiled,
    spec_text: &str,
) -> Result<Vec<String>, DriverError> {
    let Request { format, path } = request;
    if format.is_external() {
        return external(format, path, compiled);
    }
    let name = format.name;
    fabc_emit::refuse_unwritable_format(name, compiled)?;
    place(request, &fabc_emit::artifacts_of_format(name, compiled, spec_text).unwrap_or_default())
}

/// The same of a fabric that was only wired.
///
/// # Errors
/// The format needs more, does not fit the place, or the disk does not let us.
pub(crate) fn write_links(request: &Request, wired: &WiredFabric) -> Result<Vec<String>, DriverError> {
    let files: Vec<Artifact> = fabc_emit::of_wiring(request.format, wired.wiring()).into_iter().collect();
    place(request, &files)
}

/// Writes the files of a format to where it is to go.
fn place(request: &Request, files: &[Artifact]) -> Result<Vec<String>, DriverError> {
    let (name, path, folder) = (request.format.name, &request.path, request.is_folder());
    match files {
        [] => Err(DriverError::NothingToEmit { name: name.to_owned() }),
        [file] if request.is_stdout() => {
            write_out(&file.bytes)?;
            Ok(Vec::new())
        }
        [file] if !folder => {
            write::take_away_leftovers(Path::new(path));
            Ok(vec![write_file(Path::new(path), file)?])
        }
        _ if !folder => {
            Err(DriverError::ManyFiles { name: name.to_owned(), files: files.len(), path: path.clone() })
        }
        _ => {
            let mut distinct = Distinct::default();
            let one = |file: &Artifact| {
                // The folder stands for the one that the format has in the output directory.
                let name = file.path.rsplit('/').next().unwrap_or(&file.path);
                distinct.claim(name)?;
                write_file(&Path::new(path).join(name), file)
            };
            files.iter().map(one).collect()
        }
    }
}

/// Writes an external format, each file whole or not at all.
fn external(format: &Format, path: &str, compiled: &Compiled) -> Result<Vec<String>, DriverError> {
    if path == "-" {
        if format.is_several() {
            return Err(DriverError::SeveralFiles { name: format.name.to_owned() });
        }
        let mut any = false;
        fabc_emit::each_chunk(format, compiled, &mut |_, bytes| {
            any = true;
            write_out(bytes)
        })?;
        return if any {
            Ok(Vec::new())
        } else {
            Err(DriverError::NothingToEmit { name: format.name.to_owned() })
        };
    }
    let folder = format.is_several() || is_folder(path);
    if !folder {
        write::take_away_leftovers(Path::new(path));
    }
    let (mut files, mut bytes_written) = (0_usize, 0_usize);
    let mut distinct = Distinct::default();
    let mut open: Option<(String, WholeFile)> = None;
    fabc_emit::each_chunk(format, compiled, &mut |file, bytes| {
        if open.as_ref().is_none_or(|(current, _)| current != file) {
            let target = if folder { Path::new(path).join(file) } else { PathBuf::from(path) };
            distinct.claim(file)?;
            let started = WholeFile::start(&target)?;
            if let Some((_, finished)) = open.replace((file.to_owned(), started)) {
                finished.finish()?;
            }
            files += 1;
        }
        bytes_written += bytes.len();
        open.as_mut().map_or(Ok(()), |(_, file)| file.append(bytes))
    })?;
    let Some((_, last)) = open else {
        return Err(DriverError::NothingToEmit { name: format.name.to_owned() });
    };
    last.finish()?;
    let count = if files == 1 { String::new() } else { format!("{files} files, ") };
    Ok(vec![format!("wrote {path} ({count}{})", size(bytes_written))])
}

/// Writes a file whole or not at all; returns what to say about it.
///
/// # Errors
/// The disk does not let us.
fn write_file(path: &Path, file: &Artifact) -> Result<String, DriverError> {
    write::write(path, &file.bytes)?;
    Ok(format!("wrote {} ({})", path.display(), size(file.bytes.len())))
}
