//! The formats that `--emit` asks for, and the places they go to.
//!
//! Input: the values of the option. Output: requests that fit each other and the fabric. Later, the files of
//! each request.

use crate::io::errors::DriverError;
use crate::io::terminal::{Terminal, print_out, size_text, write_out};
use crate::io::write::{self, DistinctPaths, WholeFile};
use fabc_base::diag::{closest, list};
use fabc_emit::compiled::{CompiledFabric, WiredFabric};
use fabc_emit::{Artifact, Format, HostNaming, LaunchedJobs, Scheduled, Take};
use fabc_lang::syntax::join;
use fabc_model::Fabric;
use fabc_pipeline::compile::Stage;
use std::path::{Path, PathBuf};

/// One `FORMAT[=PATH]` of the command line.
#[derive(Debug)]
pub(crate) struct EmitRequest {
    format: &'static Format,
    /// `-` is standard output. A folder ends with `/` or exists.
    path: String,
}

impl EmitRequest {
    /// Whether it goes to standard output.
    pub(crate) fn is_stdout(&self) -> bool {
        self.path == "-"
    }

    /// Whether the format needs nothing but the links of the fabric.
    pub(crate) fn needs_links_only(&self) -> bool {
        self.format.holds_only_links()
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
/// `DriverError::Stdout` if standard output cannot be written.
pub(crate) fn print_formats() -> Result<(), DriverError> {
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
/// [`DriverError::UnknownFormat`], or [`DriverError::OnePlace`] for two requests with the same file.
pub(crate) fn parse_requests(values: &[String]) -> Result<Vec<EmitRequest>, DriverError> {
    let requests =
        values.iter().map(|value| parse_request(value)).collect::<Result<Vec<EmitRequest>, DriverError>>()?;
    for (index, second) in requests.iter().enumerate().filter(|(_, request)| !request.is_stdout()) {
        let one_file = |first: &&EmitRequest| {
            join("", &first.path) == join("", &second.path)
                && (first.format == second.format || !second.is_folder())
        };
        if let Some(first) = requests[..index].iter().find(one_file) {
            return Err(DriverError::OnePlace {
                first: first.format.name,
                second: second.format.name,
                path: second.path.clone(),
            });
        }
    }
    Ok(requests)
}

fn parse_request(value: &str) -> Result<EmitRequest, DriverError> {
    let (name, path) = value.split_once('=').unwrap_or((value, "-"));
    match fabc_emit::FORMATS.iter().find(|format| format.name == name) {
        Some(format) => Ok(EmitRequest { format, path: path.to_owned() }),
        None => {
            let hint = match closest(name, fabc_emit::FORMATS.iter().map(|format| format.name)) {
                Some(near) => format!("did you mean `{near}`? `--emit list` lists all formats"),
                None => "`--emit list` lists all formats".to_owned(),
            };
            Err(DriverError::UnknownFormat { name: name.to_owned(), hint })
        }
    }
}

/// Reads the values of `--emit` of a command that writes formats about jobs alone.
///
/// # Errors
/// Those of [`parse_requests`], and [`DriverError::UnknownFormat`] for a format about something else.
pub(crate) fn parse_job_requests(values: &[String]) -> Result<Vec<EmitRequest>, DriverError> {
    let requests = parse_requests(values)?;
    if let Some(request) = requests.iter().find(|request| !request.format.is_about_jobs()) {
        let known = fabc_emit::FORMATS.iter().filter(|format| format.is_about_jobs());
        let names: Vec<&str> = known.map(|format| format.name).collect();
        let hint = format!("formats of jobs are {}. `fabc build` writes the others", list(&names));
        return Err(DriverError::UnknownFormat { name: request.format.name.to_owned(), hint });
    }
    Ok(requests)
}

/// Refuses formats that are not for schedulers, where a pod has slices.
///
/// # Errors
/// [`DriverError::OfSlices`] for the first such format.
pub(crate) fn check_for_slices(requests: &[EmitRequest]) -> Result<(), DriverError> {
    let other = requests.iter().find(|request| !request.format.is_for_schedulers());
    other.map_or(Ok(()), |request| {
        let hint = "build the spec of a kind of slice, `DIR/slices/KIND/spec.fab`. `slurm_topology`, `kueue`, `topograph` and `slices_json` are of the whole pod";
        Err(DriverError::OfSlices { option: format!("`--emit {}`", request.format.name), hint })
    })
}

/// Refuses formats that a build does not reach before it stops.
///
/// # Errors
/// [`DriverError::NothingToEmit`] names the first such format.
pub(crate) fn check_stage(requests: &[EmitRequest], last: Option<Stage>) -> Result<(), DriverError> {
    let first = |format: &Format| match format.name {
        "spec" => Stage::Resolve,
        _ if format.needs_tables() => Stage::Route,
        _ => Stage::Synthesize,
    };
    let early = requests.iter().find(|request| last.is_some_and(|last| last < first(request.format)));
    early.map_or(Ok(()), |request| Err(DriverError::NothingToEmit { name: request.format.name.to_owned() }))
}

/// Refuses `--json` of a build that stops before anything is measured.
///
/// # Errors
/// [`DriverError::NothingToEmit`].
pub(crate) fn check_report_stage(json: bool, last: Option<Stage>) -> Result<(), DriverError> {
    match last {
        Some(last) if json && last < Stage::Analyze => {
            Err(DriverError::NothingToEmit { name: REPORT.to_owned() })
        }
        _ => Ok(()),
    }
}

/// The format of the results of a build.
const REPORT: &str = "report_json";

/// Prints the report of a build if `--json` asks for it: the bytes of its `report.json`.
///
/// # Errors
/// `DriverError::Stdout` if standard output cannot be written.
pub(crate) fn say_report(
    compiled: &CompiledFabric,
    spec_text: &str,
    terminal: Terminal,
) -> Result<(), DriverError> {
    let files = terminal.json.then(|| fabc_emit::artifacts_of_format(REPORT, compiled, spec_text));
    files.flatten().unwrap_or_default().iter().try_for_each(|file| write_out(&file.bytes))
}

/// Refuses a format that cannot hold the fabric, before anything is compiled.
///
/// # Errors
/// The format cannot represent a fabric of this kind.
pub(crate) fn check_fit(
    request: &EmitRequest,
    fabric: &Fabric,
    naming: &HostNaming,
) -> Result<(), DriverError> {
    if request.format.is_about_jobs() || request.format.is_for_schedulers() {
        return fabc_emit::check_hosts(request.format, fabric, naming).map_err(DriverError::from);
    }
    fabc_emit::check_fabric(request.format, fabric).map_err(DriverError::from)
}

/// Writes one format, and returns the lines to print about it.
///
/// # Errors
/// Nothing of this format was compiled, several files do not fit a single path, or the disk fails.
pub(crate) fn write_format(
    request: &EmitRequest,
    compiled: &CompiledFabric,
    spec_text: &str,
    naming: &HostNaming,
    terminal: Terminal,
) -> Result<Vec<String>, DriverError> {
    let format = request.format;
    if format.is_about_jobs() {
        return write_launched(request, &LaunchedJobs::new(compiled, naming), terminal);
    }
    if format.is_for_schedulers() {
        return write_scheduled(request, Scheduled::Whole(compiled), naming);
    }
    if format.is_external() {
        return write_external(request, &mut |take| fabc_emit::each_chunk(format, compiled, take));
    }
    let name = format.name;
    fabc_emit::refuse_unwritable_format(name, compiled)?;
    write_files(request, &fabc_emit::artifacts_of_format(name, compiled, spec_text).unwrap_or_default())
}

/// Writes one format of a fabric that was only wired.
///
/// # Errors
/// The format needs more than links, several files do not fit a single path, or the disk fails.
pub(crate) fn write_links(request: &EmitRequest, wired: &WiredFabric) -> Result<Vec<String>, DriverError> {
    let files: Vec<Artifact> =
        fabc_emit::wiring_artifact(request.format, wired.wiring()).into_iter().collect();
    write_files(request, &files)
}

/// Writes the files of a format to the path of the request.
fn write_files(request: &EmitRequest, files: &[Artifact]) -> Result<Vec<String>, DriverError> {
    let (name, path, folder) = (request.format.name, &request.path, request.is_folder());
    match files {
        [] => Err(DriverError::NothingToEmit { name: name.to_owned() }),
        [file] if request.is_stdout() => {
            write_out(&file.bytes)?;
            Ok(Vec::new())
        }
        [file] if !folder => {
            write::remove_leftovers(Path::new(path));
            Ok(vec![write_file(Path::new(path), file)?])
        }
        _ if !folder => {
            Err(DriverError::ManyFiles { name: name.to_owned(), files: files.len(), path: path.clone() })
        }
        _ => {
            let mut distinct = DistinctPaths::default();
            let write_one = |file: &Artifact| {
                // The file name replaces the folder that the format has in the output directory.
                let name = file.path.rsplit('/').next().unwrap_or(&file.path);
                distinct.claim(name)?;
                write_file(&Path::new(path).join(name), file)
            };
            files.iter().map(write_one).collect()
        }
    }
}

/// Writes a format about jobs, and returns the lines to print about it. Notes say what it leaves out.
///
/// # Errors
/// The jobs or names of hosts do not fit the format, its files have no folder, or the disk fails.
pub(crate) fn write_launched(
    request: &EmitRequest,
    launched: &LaunchedJobs<'_>,
    terminal: Terminal,
) -> Result<Vec<String>, DriverError> {
    let mut notes = Vec::new();
    let lines = write_external(request, &mut |take| {
        notes = fabc_emit::each_launch_chunk(request.format, launched, take)?;
        Ok(())
    })?;
    notes.iter().for_each(|note| terminal.note(note));
    Ok(lines)
}

/// Writes a format for schedulers, and returns the lines to print about it.
///
/// # Errors
/// The fabric or the names of its hosts do not fit the format, its files have no folder, or the disk fails.
pub(crate) fn write_scheduled(
    request: &EmitRequest,
    scheduled: Scheduled<'_>,
    naming: &HostNaming,
) -> Result<Vec<String>, DriverError> {
    write_external(request, &mut |take| {
        fabc_emit::each_scheduler_chunk(request.format, scheduled, naming, take)
    })
}

/// Hands over the files of a format, chunk by chunk.
type EachChunk<'c> = dyn FnMut(&mut Take<'_, DriverError>) -> Result<(), DriverError> + 'c;

/// Writes an external format, each file completely or not at all.
fn write_external(request: &EmitRequest, each_chunk: &mut EachChunk<'_>) -> Result<Vec<String>, DriverError> {
    let EmitRequest { format, path } = request;
    if path == "-" {
        if format.has_several_files() {
            return Err(DriverError::SeveralFiles { name: format.name.to_owned() });
        }
        let mut any = false;
        each_chunk(&mut |_, bytes| {
            any = true;
            write_out(bytes)
        })?;
        return if any {
            Ok(Vec::new())
        } else {
            Err(DriverError::NothingToEmit { name: format.name.to_owned() })
        };
    }
    let folder = format.has_several_files() || is_folder(path);
    if !folder {
        write::remove_leftovers(Path::new(path));
    }
    let (mut files, mut bytes_written) = (0_usize, 0_usize);
    let mut distinct = DistinctPaths::default();
    let mut open: Option<(String, WholeFile)> = None;
    each_chunk(&mut |file, bytes| {
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
    Ok(vec![format!("wrote {path} ({count}{})", size_text(bytes_written))])
}

/// Writes a file completely or not at all, and returns the line to print about it.
///
/// # Errors
/// `DriverError::Unwritable` if the file cannot be written.
fn write_file(path: &Path, file: &Artifact) -> Result<String, DriverError> {
    write::write_file(path, &file.bytes)?;
    Ok(format!("wrote {} ({})", path.display(), size_text(file.bytes.len())))
}
