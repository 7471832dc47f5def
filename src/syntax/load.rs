//! A spec and the files it uses.
//!
//! Comes in: a path and a loader. Goes out: all files in one [`Spec`] and one [`SourceMap`]. Invariants: each file stands in the
//! spec once, however often it is used; only the first file has a `fabric`.

use super::ast::{Entry, File, Item, ItemKind, Spec};
use super::errors::ParseError;
use super::parse::parse_text;
use crate::diag::{SourceMap, Span};

/// Reads the text of a file; the error says why it cannot.
pub type Loader<'a> = dyn Fn(&str) -> Result<String, String> + 'a;

/// The one name of the file behind a path: two paths that lead to one file, through links or otherwise, have the same.
pub type Identity<'a> = dyn Fn(&str) -> String + 'a;

/// Parses a spec and every file it uses; a path is a file of its own.
///
/// # Errors
/// All syntax errors of all files, in source order. The source map holds whatever was read.
pub fn parse(path: &str, loader: &Loader<'_>) -> (Result<Spec, Vec<ParseError>>, SourceMap) {
    parse_files(path, loader, &str::to_owned)
}

/// As [`parse`], where several paths may lead to one file.
///
/// # Errors
/// The same.
pub fn parse_files(path: &str, loader: &Loader<'_>, identity: &Identity<'_>) -> (Result<Spec, Vec<ParseError>>, SourceMap) {
    let (files, sources, stack, seen, errors) = Default::default();
    let mut load = Load { loader, identity, files, sources, stack, seen, errors };
    let path = join("", path);
    load.file(&path, None);
    let Load { files, sources, mut errors, .. } = load;
    // A file that failed to parse leaves a hole, but then there are errors and no spec.
    let files: Vec<File> = files.into_iter().flatten().collect();
    if errors.is_empty() {
        errors.extend(fabrics(&files));
    }
    errors.sort_by_key(ParseError::span);
    (if errors.is_empty() { Ok(Spec { files }) } else { Err(errors) }, sources)
}

/// Parses one file on its own; its `use` items are not followed.
///
/// # Errors
/// All syntax errors, in source order.
pub fn parse_file(path: &str, text: &str) -> (Result<File, Vec<ParseError>>, SourceMap) {
    let mut sources = SourceMap::default();
    let base = sources.add(path, text);
    (parse_text(path, text, base), sources)
}

/// The path of a file named in another one, `.` and `..` taken away.
pub fn join(from_file: &str, path: &str) -> String {
    let directory = from_file.rfind('/').map_or("", |slash| &from_file[..slash]);
    let directory = if from_file.rfind('/') == Some(0) { "/" } else { directory };
    let joined = if path.starts_with('/') || directory.is_empty() { path.to_owned() } else { format!("{directory}/{path}") };
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

struct Load<'a> {
    loader: &'a Loader<'a>,
    identity: &'a Identity<'a>,
    files: Vec<Option<File>>,
    sources: SourceMap,
    /// The files being read, outermost first: identity, and path as used.
    stack: Vec<(String, String)>,
    /// The identity of every file met so far, with its place in `files`.
    seen: Vec<(String, Option<usize>)>,
    errors: Vec<ParseError>,
}

impl Load<'_> {
    /// Reads a file unless it is known; returns its place.
    fn file(&mut self, path: &str, used_at: Option<Span>) -> Option<usize> {
        let identity = (self.identity)(path);
        if let (Some(start), Some(span)) = (self.stack.iter().position(|(open, _)| *open == identity), used_at) {
            let circle: Vec<&str> = self.stack[start..].iter().map(|(_, open)| open.as_str()).chain([path]).collect();
            self.errors.push(ParseError::UseCycle { path: path.to_owned(), circle: circle.join(" -> "), span });
            return None;
        }
        if let Some((_, place)) = self.seen.iter().find(|(seen, _)| *seen == identity) {
            return *place;
        }
        let text = match (self.loader)(path) {
            Ok(text) => text,
            Err(reason) => {
                self.errors.push(ParseError::Unreadable { path: path.to_owned(), reason, span: used_at });
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
                self.follow(path, &mut file);
                self.stack.pop();
                self.files[place] = Some(file);
            }
            Err(errors) => self.errors.extend(errors),
        }
        Some(place)
    }

    /// Reads what a file uses.
    fn follow(&mut self, path: &str, file: &mut File) {
        let items = file.entries.iter_mut().flat_map(|entry| match entry {
            Entry::Fabric(fabric) => &mut fabric.items[..],
            Entry::Item(item) => std::slice::from_mut(item),
        });
        for Item { kind, .. } in items {
            if let ItemKind::Use(used) = kind {
                used.file = self.file(&join(path, &used.path.value), Some(used.path.span));
            }
        }
    }
}

/// Complains unless the first file has one fabric and the others have none.
fn fabrics(files: &[File]) -> Vec<ParseError> {
    let mut spans = files.iter().enumerate().flat_map(|(place, file)| {
        file.entries.iter().filter_map(move |entry| match entry {
            Entry::Fabric(fabric) => Some((place, fabric.head)),
            Entry::Item(_) => None,
        })
    });
    match spans.next() {
        Some((0, first)) => spans.map(|(_, span)| ParseError::SecondFabric { span, first }).collect(),
        _ => vec![ParseError::NoFabric { span: Span::default() }],
    }
}
