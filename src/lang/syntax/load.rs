//! The entry points of the parser: a spec and the files it uses. `parse` itself reads one text.
//!
//! In: a path and a loader. Out: all files in one [`Spec`] and one [`SourceMap`]. Invariants: the spec holds
//! each file once, however often it is used. Only the first file has a `fabric`.

use super::ast::{Block, FileEntry, Item, ItemKind, PartSubject, Spec, SpecFile, StatementKind};
use super::errors::ParseError;
use super::listed_links::parse_listed_links;
use super::parse::{self, parse_given, parse_text};
use super::scan::count_tokens;
use fabc_base::diag::{SourceMap, Span};
use fabc_base::limits::{SPEC_BYTES, SPEC_FILES, SPEC_TOKENS};

/// Loads the text of files. A function from paths to texts is a loader.
pub trait Loader {
    /// Loads the text of a file of at most `max_bytes` bytes.
    ///
    /// # Errors
    /// The reason why the file cannot be read.
    fn load(&self, path: &str, max_bytes: u64) -> Result<String, String>;

    /// Loads the bytes of a file of at most `max_bytes` bytes.
    ///
    /// # Errors
    /// The reason why the file cannot be read.
    fn load_bytes(&self, path: &str, max_bytes: u64) -> Result<Vec<u8>, String> {
        self.load(path, max_bytes).map(String::into_bytes)
    }

    /// The unique name of the file behind a path. Two paths that lead to one file, through links or
    /// otherwise, have the same identity.
    fn identity(&self, path: &str) -> String {
        path.to_owned()
    }
}

impl<F: Fn(&str) -> Result<String, String>> Loader for F {
    fn load(&self, path: &str, max_bytes: u64) -> Result<String, String> {
        self(path)
            .and_then(|text| if text.len() as u64 > max_bytes { Err(too_long(max_bytes)) } else { Ok(text) })
    }
}

/// The reason for not reading a file of more than `max_bytes` bytes.
pub fn too_long(max_bytes: u64) -> String {
    format!("it has more than {max_bytes} bytes")
}

/// Parses the spec at a path, and every file it uses.
///
/// # Errors
/// All syntax errors of all files, in source order. The source map holds every text that was read.
pub fn parse(path: &str, loader: &dyn Loader) -> (Result<Spec, Vec<ParseError>>, SourceMap) {
    parse_with(path, loader, &[])
}

/// The source name of values from the command line, in errors that point at them.
pub const COMMAND_LINE: &str = "--set";

/// As [`parse`], with `name=value` for some parameters. Each is a source of its own, called [`COMMAND_LINE`].
///
/// # Errors
/// All syntax errors of all files and of the values that are set, in source order.
pub fn parse_with(
    path: &str,
    loader: &dyn Loader,
    sets: &[String],
) -> (Result<Spec, Vec<ParseError>>, SourceMap) {
    let mut load = SpecLoading {
        loader,
        files: Vec::new(),
        sources: SourceMap::default(),
        stack: Vec::new(),
        seen: Vec::new(),
        errors: Vec::new(),
        bytes: 0,
        tokens: 0,
    };
    let path = join("", path);
    load.load_file(&path, None);
    let SpecLoading { files, mut sources, mut errors, .. } = load;
    let mut given = Vec::new();
    for set in sets {
        let base = sources.add(COMMAND_LINE, set);
        match parse_given(set, base) {
            Ok(set) => given.push(set),
            Err(error) => errors.push(error),
        }
    }
    // A file that failed to parse leaves a hole. Then there are errors, and no spec.
    let files: Vec<SpecFile> = files.into_iter().flatten().collect();
    if errors.is_empty() {
        errors.extend(check_fabrics(&files));
    }
    errors.sort_by_cached_key(ParseError::span);
    (if errors.is_empty() { Ok(Spec { files, given }) } else { Err(errors) }, sources)
}

/// Parses one file on its own, without following its `use` items.
///
/// # Errors
/// All syntax errors, in source order.
pub fn parse_file(path: &str, text: &str) -> (Result<SpecFile, Vec<ParseError>>, SourceMap) {
    let mut sources = SourceMap::default();
    let base = sources.add(path, text);
    (parse_text(path, text, base), sources)
}

/// Parses the settings of a block that stand on the command line, without braces.
///
/// # Errors
/// All syntax errors, in source order.
pub fn parse_settings(source_name: &str, text: &str) -> (Result<Block, Vec<ParseError>>, SourceMap) {
    let mut sources = SourceMap::default();
    let base = sources.add(source_name, text);
    (parse::settings_block(text, base), sources)
}

/// The path of a file that is named in another one, without `.` and `..`.
pub fn join(from_file: &str, path: &str) -> String {
    let directory = from_file.rfind('/').map_or("", |slash| &from_file[..slash]);
    let directory = if from_file.rfind('/') == Some(0) { "/" } else { directory };
    let joined = if path.starts_with('/') || directory.is_empty() {
        path.to_owned()
    } else {
        format!("{directory}/{path}")
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in joined.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{}{}", if joined.starts_with('/') { "/" } else { "" }, parts.join("/"))
}

struct SpecLoading<'a> {
    loader: &'a dyn Loader,
    files: Vec<Option<SpecFile>>,
    sources: SourceMap,
    /// The files that are being read, outermost first: identity, and path as used.
    stack: Vec<(String, String)>,
    /// The identity of every file so far, with its index in `files`.
    seen: Vec<(String, Option<usize>)>,
    errors: Vec<ParseError>,
    /// The number of bytes of all files together.
    bytes: usize,
    /// The number of tokens of all files together.
    tokens: usize,
}

impl SpecLoading<'_> {
    /// Reads a file unless it was read before. Returns its index.
    fn load_file(&mut self, path: &str, used_at: Option<Span>) -> Option<usize> {
        let identity = self.loader.identity(path);
        if let (Some(start), Some(span)) =
            (self.stack.iter().position(|(open, _)| *open == identity), used_at)
        {
            let cycle: Vec<&str> =
                self.stack[start..].iter().map(|(_, open)| open.as_str()).chain([path]).collect();
            self.errors.push(ParseError::UseCycle { path: path.to_owned(), cycle: cycle.join(" -> "), span });
            return None;
        }
        if let Some((_, place)) = self.seen.iter().find(|(seen, _)| *seen == identity) {
            return *place;
        }
        if let (true, Some(span)) = (self.seen.len() >= SPEC_FILES, used_at) {
            self.errors.push(ParseError::TooManyFiles { limit: SPEC_FILES, span });
            return None;
        }
        let text = match self.load_text(path, used_at) {
            Ok(text) => text,
            Err(error) => {
                if !matches!(error, ParseError::Unreadable { .. }) {
                    self.seen.push((identity, None));
                }
                self.errors.push(error);
                return None;
            }
        };
        let base = self.sources.add(path, &text);
        let place = self.files.len();
        self.files.push(None);
        self.seen.push((identity.clone(), Some(place)));
        match parse_text(path, &text, base) {
            Ok(mut file) => {
                self.stack.push((identity, path.to_owned()));
                self.load_used_files(path, &mut file);
                self.load_listed_links(path, &mut file);
                self.stack.pop();
                self.files[place] = Some(file);
            }
            Err(errors) => self.errors.extend(errors),
        }
        Some(place)
    }

    /// Reads the text of a file, and counts it. The first file may be as large as a file can be.
    ///
    /// # Errors
    /// A file that cannot be read, or with which all files together are too large.
    fn load_text(&mut self, path: &str, used_at: Option<Span>) -> Result<String, ParseError> {
        let text = self.loader.load(path, SPEC_BYTES as u64).map_err(|reason| ParseError::Unreadable {
            path: path.to_owned(),
            reason,
            span: used_at,
        })?;
        (self.bytes, self.tokens) = (self.bytes + text.len(), self.tokens + count_tokens(&text));
        match used_at {
            Some(span) if self.bytes > SPEC_BYTES => Err(ParseError::TooLarge { limit: SPEC_BYTES, span }),
            Some(span) if self.tokens > SPEC_TOKENS => {
                Err(ParseError::TooManyTokens { limit: SPEC_TOKENS, span })
            }
            _ => Ok(text),
        }
    }

    /// Reads the files that a file uses.
    fn load_used_files(&mut self, path: &str, file: &mut SpecFile) {
        for Item { kind, .. } in items_of_file(file) {
            if let ItemKind::Use(used) = kind {
                used.file = self.load_file(&join(path, &used.path.value), Some(used.path.span));
            }
        }
    }

    /// Reads the links of boxes that a file of the spec names.
    fn load_listed_links(&mut self, path: &str, file: &mut SpecFile) {
        let blocks = items_of_file(file).filter_map(|item| match &mut item.kind {
            ItemKind::Box(_, block) => Some(block),
            _ => None,
        });
        for statement in blocks.flat_map(|block| &mut block.statements) {
            let StatementKind::Part(part) = &mut statement.kind else { continue };
            let PartSubject::Listed(written, pairs) = &mut part.subject else { continue };
            let (listed, span) = (join(path, &written.value), written.span);
            let read = self.load_text(&listed, Some(span)).and_then(|text| {
                let wrong = |(line, problem)| ParseError::ListedLinks { path: listed, line, problem, span };
                parse_listed_links(&text).map_err(wrong)
            });
            match read {
                Ok(found) => *pairs = found,
                Err(error) => self.errors.push(error),
            }
        }
    }
}

/// The items of a file, to be changed.
pub(super) fn items_of_file(file: &mut SpecFile) -> impl Iterator<Item = &mut Item> {
    file.entries.iter_mut().flat_map(|entry| match entry {
        FileEntry::Fabric(fabric) => &mut fabric.items[..],
        FileEntry::Item(item) => std::slice::from_mut(item),
    })
}

/// Checks that the first file has one fabric, and the others have none.
fn check_fabrics(files: &[SpecFile]) -> Vec<ParseError> {
    let mut spans = files.iter().enumerate().flat_map(|(place, file)| {
        file.entries.iter().filter_map(move |entry| match entry {
            FileEntry::Fabric(fabric) => Some((place, fabric.head)),
            FileEntry::Item(_) => None,
        })
    });
    match spans.next() {
        Some((0, first)) => spans.map(|(_, span)| ParseError::SecondFabric { span, first }).collect(),
        _ => vec![ParseError::NoFabric { span: Span::default() }],
    }
}
