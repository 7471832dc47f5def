//! Reads files and directories.

use crate::io::errors::DriverError;
use crate::io::input_errors::{needs_directory, needs_spec};
use crate::io::stop::Stop;
use fabc_base::diag::{Failure, SourceMap, Span};
use fabc_base::limits::{ARTIFACT_BYTES, DIRECTORY_BYTES, SPEC_BYTES};
use fabc_emit::PLACEMENT;
use fabc_lang::syntax::ast::{Item, ItemKind};
use fabc_lang::syntax::{
    Loader, ParseError, bind, input_copy, normalize, parse_with, print_spec, too_long, with_inputs,
};
use fabc_pipeline::library::{Loaded, load};
use fabc_pipeline::refusal::Refusal;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// The name of standard input in messages.
pub(crate) const STDIN: &str = "<stdin>";

/// Reads and resolves a spec with `name=value` for some parameters. The path `-` is standard input.
///
/// # Errors
/// The errors of reading the file, and those of the spec.
pub(crate) fn read_spec(path: &str, sets: &[String]) -> Result<Loaded, Stop> {
    // Read before parsing, because a missing file is not an error in the spec. Standard input can be read
    // only once.
    let text = spec_text(path)?;
    spec_from_text(path, text, sets)
}

/// Resolves a spec whose text is known.
///
/// # Errors
/// The errors of the spec.
pub(crate) fn spec_from_text(path: &str, text: String, sets: &[String]) -> Result<Loaded, Stop> {
    let root = if path == "-" { STDIN } else { path };
    Ok(load(root, &PreloadedLoader { first: Cell::new(Some(text)), path: &str::to_owned }, sets)?)
}

/// A spec that has errors with some values of its parameters, as far as it was read.
pub(crate) struct Unresolved {
    /// The name of the fabric.
    pub(crate) fabric: String,
    /// The parameters that have values, and what the spec changes in the files that it uses.
    pub(crate) settings: Vec<(String, String)>,
    /// The normal form. `None` if an error prevents it, or if the spec names input files.
    pub(crate) text: Option<String>,
}

/// The readable part of a spec that [`spec_from_text`] refuses. `None` if it cannot be parsed.
pub(crate) fn unresolved(path: &str, text: String, sets: &[String]) -> Option<Unresolved> {
    struct CountingLoader(Cell<u32>);
    impl Loader for CountingLoader {
        fn load(&self, path: &str, limit: u64) -> Result<String, String> {
            self.0.set(self.0.get() + 1);
            Disk.load(path, limit)
        }

        fn load_bytes(&self, path: &str, limit: u64) -> Result<Vec<u8>, String> {
            self.0.set(self.0.get() + 1);
            Disk.load_bytes(path, limit)
        }
    }
    let root = if path == "-" { STDIN } else { path };
    let (parsed, _) =
        parse_with(root, &PreloadedLoader { first: Cell::new(Some(text)), path: &str::to_owned }, sets);
    let spec = parsed.ok()?;
    let bound = bind(&spec);
    let inputs = CountingLoader(Cell::new(0));
    let _ = fabc_lang::resolve(&spec, &inputs);
    let is_whole = bound.errors.is_empty() && inputs.0.get() == 0;
    let text = is_whole.then(|| print_spec(&with_inputs(normalize(&spec))));
    Some(Unresolved { fabric: spec.fabric().name.value.to_string(), settings: bound.settings, text })
}

/// The names of the parameters that a spec declares, itself or in the files that it uses. Empty if it cannot
/// be parsed.
pub(crate) fn parameters(path: &str, text: &str) -> Vec<String> {
    let root = if path == "-" { STDIN } else { path };
    let loader = PreloadedLoader { first: Cell::new(Some(text.to_owned())), path: &str::to_owned };
    let Ok(spec) = parse_with(root, &loader, &[]).0 else { return Vec::new() };
    let name = |item: &Item| match &item.kind {
        ItemKind::Param(param) => Some(param.name.value.to_string()),
        _ => None,
    };
    spec.items().into_iter().filter_map(name).collect()
}

/// Reads and resolves the spec of a built directory from its own files.
///
/// # Errors
/// `spec.fab` cannot be read, or has errors.
pub(crate) fn built_spec(directory: &Path) -> Result<Loaded, Stop> {
    changed_spec(directory, Ok)
}

/// The same with a change of its text.
fn changed_spec(
    directory: &Path,
    change: impl FnOnce(String) -> Result<String, DriverError>,
) -> Result<Loaded, Stop> {
    let spec = display(&directory.join("spec.fab"));
    let text = change(spec_text(&spec)?)?;
    let path = |wanted: &str| display(&directory.join(&*input_copy(&spec, wanted)));
    let (fabric, spec, sources) =
        fabc_lang::read_normal(&spec, &PreloadedLoader { first: Cell::new(Some(text)), path: &path })?;
    Ok(Loaded { text: print_spec(&spec), fabric, spec, sources, warnings: Vec::new(), settings: Vec::new() })
}

/// Reads and resolves the spec of a built directory with a topology.
///
/// # Errors
/// `Refusal::NotBuilt` if a file is missing, and the errors of the spec.
pub(crate) fn built_fabric(directory: &Path) -> Result<Loaded, Stop> {
    changed_fabric(directory, Ok)
}

/// The same with a change of the text of its spec.
///
/// # Errors
/// As [`built_fabric`], and those of the change.
pub(crate) fn changed_fabric(
    directory: &Path,
    change: impl FnOnce(String) -> Result<String, DriverError>,
) -> Result<Loaded, Stop> {
    needs_directory(directory)?;
    for needed in ["spec.fab", "topology.json"] {
        if !directory.join(needed).is_file() {
            let in_slices = directory.join(PLACEMENT).is_file();
            let hint = if in_slices { ": it is a pod in slices, and its kinds are in `slices/`" } else { "" };
            return Err(Refusal::NotBuilt {
                path: display(directory),
                reason: format!("there is no `{needed}`{hint}"),
            }
            .into());
        }
    }
    changed_spec(directory, change)
}

/// Reads the text of a spec. The path `-` is standard input.
///
/// # Errors
/// The errors of reading the file, and `ParseError::TooLarge` if it is too long.
pub(crate) fn spec_text(path: &str) -> Result<String, Stop> {
    needs_spec(path)?;
    match read_text(path, SPEC_BYTES as u64) {
        // The error has the code and place of a too long file in `use`.
        Err(DriverError::TooLong { .. }) => {
            let mut sources = SourceMap::default();
            let base = sources.add(if path == "-" { STDIN } else { path }, "");
            let span = Span { start: base, end: base };
            Err((Failure::spec(ParseError::TooLarge { limit: SPEC_BYTES, span }), sources).into())
        }
        other => Ok(other?),
    }
}

/// Loads files from the disk.
pub(crate) struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str, limit: u64) -> Result<String, String> {
        read_text(path, limit).map_err(|error| error_reason(&error))
    }

    fn load_bytes(&self, path: &str, limit: u64) -> Result<Vec<u8>, String> {
        read_bytes(Path::new(path), limit).map_err(|error| error_reason(&error))
    }

    fn identity(&self, path: &str) -> String {
        std::fs::canonicalize(path).map_or_else(|_| path.to_owned(), |path| display(&path))
    }
}

/// A loader for the files below a directory, for [`fabc_pipeline::library::Options::files`].
pub struct Directory(PathBuf);

impl Directory {
    /// A loader that resolves the paths of a spec relative to this directory.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Directory(path.into())
    }
}

impl Loader for Directory {
    fn load(&self, path: &str, limit: u64) -> Result<String, String> {
        Disk.load(&display(&self.0.join(path)), limit)
    }

    fn load_bytes(&self, path: &str, limit: u64) -> Result<Vec<u8>, String> {
        Disk.load_bytes(&display(&self.0.join(path)), limit)
    }

    fn identity(&self, path: &str) -> String {
        Disk.identity(&display(&self.0.join(path)))
    }
}

/// A loader that returns a known text first, and then files of the disk.
struct PreloadedLoader<'a> {
    first: Cell<Option<String>>,
    /// From a path in a spec to the path of the file.
    path: &'a dyn Fn(&str) -> String,
}

impl Loader for PreloadedLoader<'_> {
    fn load(&self, wanted: &str, limit: u64) -> Result<String, String> {
        match self.first.take() {
            Some(text) => Ok(text),
            None => Disk.load(&(self.path)(wanted), limit),
        }
    }

    fn load_bytes(&self, wanted: &str, limit: u64) -> Result<Vec<u8>, String> {
        Disk.load_bytes(&(self.path)(wanted), limit)
    }

    fn identity(&self, path: &str) -> String {
        Disk.identity(&(self.path)(path))
    }
}

/// Reads a text file of at most `limit` bytes. The path `-` is standard input.
///
/// # Errors
/// `DriverError::Unreadable`, `DriverError::TooLong` or `DriverError::NotText`.
pub(crate) fn read_text(path: &str, limit: u64) -> Result<String, DriverError> {
    let bytes = if path == "-" {
        read_limited(std::io::stdin().lock(), STDIN, limit)?
    } else {
        read_bytes(Path::new(path), limit)?
    };
    String::from_utf8(bytes).map_err(|error| DriverError::NotText {
        path: path.to_owned(),
        offset: error.utf8_error().valid_up_to(),
    })
}

/// Reads a file of at most `limit` bytes.
///
/// It reads only regular files, and files that the shell passes by number (`/dev/stdin`, `/dev/fd/N`). Any
/// other file may have no end, or block before its beginning.
///
/// # Errors
/// `DriverError::Unreadable` also for a file that is not regular, or `DriverError::TooLong`.
pub(crate) fn read_bytes(path: &Path, limit: u64) -> Result<Vec<u8>, DriverError> {
    let unreadable = |reason: String| DriverError::Unreadable { path: display(path), reason };
    let plain = |error: std::io::Error| unreadable(error_words(&error));
    let handed_over = path == Path::new("/dev/stdin") || path.starts_with("/dev/fd");
    // Checked before opening, because opening a pipe waits for a writer.
    let metadata = std::fs::metadata(path).map_err(plain)?;
    if !metadata.is_file() && !handed_over {
        let kind = if metadata.is_dir() { "a directory" } else { "a device, a pipe or a socket" };
        return Err(unreadable(format!("it is {kind}, not a regular file")));
    }
    if metadata.is_file() && metadata.len() > limit {
        return Err(DriverError::TooLong { path: display(path), limit });
    }
    read_limited(std::fs::File::open(path).map_err(plain)?, &display(path), limit)
}

/// Reads to the end, which must come within `limit` bytes.
fn read_limited(from: impl Read, path: &str, limit: u64) -> Result<Vec<u8>, DriverError> {
    let mut bytes = Vec::new();
    let unreadable = |error: std::io::Error| DriverError::Unreadable {
        path: path.to_owned(),
        reason: error_words(&error),
    };
    from.take(limit + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > limit {
        Err(DriverError::TooLong { path: path.to_owned(), limit })
    } else {
        Ok(bytes)
    }
}

/// Reads all files below a directory. The keys are relative paths with `/`.
///
/// # Errors
/// The errors of reading a file, and `DriverError::TooLong` if all files together exceed [`DIRECTORY_BYTES`].
pub(crate) fn read_directory(directory: &Path) -> Result<BTreeMap<String, Vec<u8>>, DriverError> {
    let mut files = BTreeMap::new();
    let mut remaining = DIRECTORY_BYTES;
    for path in file_paths(directory)? {
        let full = directory.join(&path);
        let content = read_bytes(&full, remaining.min(ARTIFACT_BYTES))?;
        remaining -= content.len() as u64;
        files.insert(path, content);
    }
    Ok(files)
}

/// The signature of a manifest, beside it. It belongs to whoever signs, and is no file of fabc.
pub(crate) const SIGNATURE: &str = "manifest.json.sig";

/// The paths of all files below a directory, relative and with `/`, sorted. Symbolic links count as files,
/// and signatures are left out.
///
/// # Errors
/// `DriverError::Unreadable` if a directory cannot be listed.
pub(crate) fn file_paths(directory: &Path) -> Result<Vec<String>, DriverError> {
    let mut paths = Vec::new();
    let mut open = vec![String::new()];
    while let Some(below) = open.pop() {
        let folder = directory.join(&below);
        let unreadable = |error: std::io::Error| DriverError::Unreadable {
            path: display(&folder),
            reason: error_words(&error),
        };
        for entry in std::fs::read_dir(&folder).map_err(unreadable)? {
            let entry = entry.map_err(unreadable)?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if below.is_empty() { name } else { format!("{below}/{name}") };
            if entry.file_type().map_err(unreadable)?.is_dir() {
                open.push(path);
            } else if path.rsplit('/').next() != Some(SIGNATURE) {
                paths.push(path);
            }
        }
    }
    paths.sort();
    Ok(paths)
}

/// A path as messages show it.
pub(crate) fn display(path: &Path) -> String {
    path.display().to_string()
}

/// An error of the system in a few lower-case words, without its number.
pub(crate) fn error_words(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

fn error_reason(error: &DriverError) -> String {
    match error {
        DriverError::Unreadable { reason, .. } => reason.clone(),
        DriverError::TooLong { limit, .. } => too_long(*limit),
        DriverError::NotText { offset, .. } => format!("it is not UTF-8 text (byte {offset})"),
        other => other.to_string(),
    }
}
