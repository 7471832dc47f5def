//! Files and directories, read.

use crate::io::errors::{DriverError, Stop};
use crate::io::input_errors::{needs_directory, needs_spec};
use fabc_base::diag::{Failure, SourceMap, Span};
use fabc_base::limits::{ARTIFACT_BYTES, DIRECTORY_BYTES, SPEC_BYTES};
use fabc_emit::PLACEMENT;
use fabc_lang::syntax::{
    Loader, ParseError, bind, input_copy, normalize, parse_with, print_spec, too_long, with_inputs,
};
use fabc_pipeline::library::{Loaded, load};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::io::Read;
use std::path::{Path, PathBuf};

/// What `-` is called in messages.
pub(crate) const STDIN: &str = "<stdin>";

/// Reads and resolves a spec, with `name=value` for some parameters; `-` is standard input.
///
/// # Errors
/// The spec cannot be read, or has errors.
pub(crate) fn spec(path: &str, sets: &[String]) -> Result<Loaded, Stop> {
    // Read up front: that a spec is missing is not an error *in* the spec. Standard input can be read only
    // once.
    let text = spec_text(path)?;
    spec_from(path, text, sets)
}

/// The same of a spec whose text is known.
///
/// # Errors
/// The spec has errors.
pub(crate) fn spec_from(path: &str, text: String, sets: &[String]) -> Result<Loaded, Stop> {
    let root = if path == "-" { STDIN } else { path };
    Ok(load(root, &After { first: Cell::new(Some(text)), path: &str::to_owned }, sets)?)
}

/// A spec that has no meaning with some values of its parameters, as far as it was read.
pub(crate) struct Unresolved {
    /// The name of its fabric.
    pub(crate) fabric: String,
    /// Its parameters, as far as they have values, and what it changes in the files that it uses.
    pub(crate) settings: Vec<(String, String)>,
    /// Its normal form; `None` where an error keeps it from having one, or where it names input files.
    pub(crate) text: Option<String>,
}

/// What a spec is that [`spec_from`] could not resolve; `None` if it cannot be parsed.
pub(crate) fn unresolved(path: &str, text: String, sets: &[String]) -> Option<Unresolved> {
    struct Counted(Cell<u32>);
    impl Loader for Counted {
        fn load(&self, path: &str, most: u64) -> Result<String, String> {
            self.0.set(self.0.get() + 1);
            Disk.load(path, most)
        }
    }
    let root = if path == "-" { STDIN } else { path };
    let (parsed, _) = parse_with(root, &After { first: Cell::new(Some(text)), path: &str::to_owned }, sets);
    let spec = parsed.ok()?;
    let bound = bind(&spec);
    let inputs = Counted(Cell::new(0));
    let _ = fabc_lang::resolve(&spec, &inputs);
    let is_whole = bound.errors.is_empty() && inputs.0.get() == 0;
    let text = is_whole.then(|| print_spec(&with_inputs(normalize(&spec))));
    Some(Unresolved { fabric: spec.fabric().name.value.to_string(), settings: bound.settings, text })
}

/// Reads and resolves the spec of a built directory from its own files.
///
/// # Errors
/// There is no `spec.fab`, or it has errors.
pub(crate) fn built_spec(directory: &Path) -> Result<Loaded, Stop> {
    let spec = display(&directory.join("spec.fab"));
    let text = spec_text(&spec)?;
    let path = |wanted: &str| display(&directory.join(&*input_copy(&spec, wanted)));
    let (fabric, spec, sources) =
        fabc_lang::read_normal(&spec, &After { first: Cell::new(Some(text)), path: &path })?;
    Ok(Loaded { text: print_spec(&spec), fabric, spec, sources, warnings: Vec::new(), settings: Vec::new() })
}

/// The same of a directory that has a topology.
///
/// # Errors
/// A file is missing, or the spec has errors.
pub(crate) fn built_fabric(directory: &Path) -> Result<Loaded, Stop> {
    needs_directory(directory)?;
    for needed in ["spec.fab", "topology.json"] {
        if !directory.join(needed).is_file() {
            let in_slices = directory.join(PLACEMENT).is_file();
            let hint = if in_slices { ": it is a pod in slices, and its kinds are in `slices/`" } else { "" };
            return Err(DriverError::NotBuilt {
                path: display(directory),
                reason: format!("there is no `{needed}`{hint}"),
            }
            .into());
        }
    }
    built_spec(directory)
}

/// The text of a spec; `-` is standard input.
///
/// # Errors
/// It cannot be read, or is longer than any spec.
pub(crate) fn spec_text(path: &str) -> Result<String, Stop> {
    needs_spec(path)?;
    match text(path, SPEC_BYTES as u64) {
        // As if it had been read and then found too long: the error has the code and the place that it has in
        // a file of `use`.
        Err(DriverError::TooLong { .. }) => {
            let mut sources = SourceMap::default();
            let base = sources.add(if path == "-" { STDIN } else { path }, "");
            let span = Span { start: base, end: base };
            Err((Failure::spec(ParseError::TooLarge { limit: SPEC_BYTES, span }), sources).into())
        }
        other => Ok(other?),
    }
}

/// Hands over files.
pub(crate) struct Disk;

impl Loader for Disk {
    fn load(&self, path: &str, most: u64) -> Result<String, String> {
        text(path, most).map_err(|error| reason(&error))
    }

    fn identity(&self, path: &str) -> String {
        std::fs::canonicalize(path).map_or_else(|_| path.to_owned(), |path| display(&path))
    }
}

/// The files below a directory, for [`fabc_pipeline::library::Options::files`].
pub struct Directory(PathBuf);

impl Directory {
    /// Paths that a spec names begin here.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Directory(path.into())
    }
}

impl Loader for Directory {
    fn load(&self, path: &str, most: u64) -> Result<String, String> {
        Disk.load(&display(&self.0.join(path)), most)
    }

    fn identity(&self, path: &str) -> String {
        Disk.identity(&display(&self.0.join(path)))
    }
}

/// Hands over a text that was read already, and then files.
struct After<'a> {
    first: Cell<Option<String>>,
    /// Where a file stands that a spec names.
    path: &'a dyn Fn(&str) -> String,
}

impl Loader for After<'_> {
    fn load(&self, wanted: &str, most: u64) -> Result<String, String> {
        match self.first.take() {
            Some(text) => Ok(text),
            None => Disk.load(&(self.path)(wanted), most),
        }
    }

    fn identity(&self, path: &str) -> String {
        Disk.identity(&(self.path)(path))
    }
}

/// The text of a file of at most `most` bytes; `-` is standard input.
///
/// # Errors
/// It cannot be read, is longer, or is not UTF-8.
pub(crate) fn text(path: &str, most: u64) -> Result<String, DriverError> {
    let bytes = if path == "-" {
        limited(std::io::stdin().lock(), STDIN, most)?
    } else {
        bytes(Path::new(path), most)?
    };
    String::from_utf8(bytes).map_err(|error| DriverError::NotText {
        path: path.to_owned(),
        offset: error.utf8_error().valid_up_to(),
    })
}

/// The content of a file of at most `most` bytes.
///
/// Only regular files are read, and what the shell hands over by its number (`/dev/stdin`, `/dev/fd/N`):
/// anything else may have no end, or keep us waiting for a beginning.
///
/// # Errors
/// It cannot be read, is no regular file, or is longer.
pub(crate) fn bytes(path: &Path, most: u64) -> Result<Vec<u8>, DriverError> {
    let unreadable = |reason: String| DriverError::Unreadable { path: display(path), reason };
    let plain = |error: std::io::Error| unreadable(plain(&error));
    let handed_over = path == Path::new("/dev/stdin") || path.starts_with("/dev/fd");
    // Asked before it is opened: opening a pipe waits for somebody to write.
    let what = std::fs::metadata(path).map_err(plain)?;
    if !what.is_file() && !handed_over {
        let what = if what.is_dir() { "a directory" } else { "a device, a pipe or a socket" };
        return Err(unreadable(format!("it is {what}, not a regular file")));
    }
    if what.is_file() && what.len() > most {
        return Err(DriverError::TooLong { path: display(path), most });
    }
    limited(std::fs::File::open(path).map_err(plain)?, &display(path), most)
}

/// All that can be read, if that is no more than `most` bytes.
fn limited(from: impl Read, path: &str, most: u64) -> Result<Vec<u8>, DriverError> {
    let mut bytes = Vec::new();
    let unreadable =
        |error: std::io::Error| DriverError::Unreadable { path: path.to_owned(), reason: plain(&error) };
    from.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > most {
        Err(DriverError::TooLong { path: path.to_owned(), most })
    } else {
        Ok(bytes)
    }
}

/// All files below a directory: relative path with `/`, and content.
///
/// # Errors
/// Something cannot be read, or all together are longer than [`DIRECTORY_BYTES`].
pub(crate) fn directory(directory: &Path) -> Result<BTreeMap<String, Vec<u8>>, DriverError> {
    let mut files = BTreeMap::new();
    let mut left = DIRECTORY_BYTES;
    for path in paths(directory)? {
        let full = directory.join(&path);
        let content = bytes(&full, left.min(ARTIFACT_BYTES))?;
        left -= content.len() as u64;
        files.insert(path, content);
    }
    Ok(files)
}

/// The paths of all files below a directory, relative and with `/`, sorted. Symbolic links count as files.
///
/// # Errors
/// A directory cannot be listed.
pub(crate) fn paths(directory: &Path) -> Result<Vec<String>, DriverError> {
    let mut found = Vec::new();
    let mut open = vec![String::new()];
    while let Some(below) = open.pop() {
        let here = directory.join(&below);
        let unreadable =
            |error: std::io::Error| DriverError::Unreadable { path: display(&here), reason: plain(&error) };
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
pub(crate) fn display(path: &Path) -> String {
    path.display().to_string()
}

/// An error of the system in a few lower-case words, without its number.
pub(crate) fn plain(error: &std::io::Error) -> String {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or_default();
    let mut letters = text.chars();
    letters.next().map_or(String::new(), |first| first.to_lowercase().chain(letters).collect())
}

fn reason(error: &DriverError) -> String {
    match error {
        DriverError::Unreadable { reason, .. } => reason.clone(),
        DriverError::TooLong { most, .. } => too_long(*most),
        DriverError::NotText { offset, .. } => format!("it is not UTF-8 text (byte {offset})"),
        other => other.to_string(),
    }
}
