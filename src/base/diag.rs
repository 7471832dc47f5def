//! Places in the source, and classes of failures.
//!
//! In: the text of every file of a spec. Out: [`Span`]s over one shared offset space, and a [`SourceMap`]
//! that miette can draw from. So one diagnostic can point into several files. The diagnostics themselves
//! stand beside their phases. Invariant: every file has a range of offsets of its own, so a span never
//! crosses two files.

mod codes;
mod suggest;

pub use codes::{CodeDoc, codes, errors_markdown, explain};
pub use suggest::{closest, list, plain, suggestion};

use miette::{Diagnostic, MietteError, MietteSpanContents, SourceCode, SourceSpan, SpanContents};
use std::sync::Arc;

/// A range of bytes in the [`SourceMap`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Span {
    /// Offset of the first byte.
    pub start: u32,
    /// One past the last byte.
    pub end: u32,
}

impl Span {
    /// The smallest span that covers both.
    pub fn to(self, other: Span) -> Span {
        Span { start: self.start.min(other.start), end: self.end.max(other.end) }
    }
}

impl From<Span> for SourceSpan {
    fn from(span: Span) -> Self {
        (span.start as usize, (span.end - span.start) as usize).into()
    }
}

/// A value and the place it was written at.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Spanned<T> {
    /// The value, without its place.
    pub value: T,
    /// The place where it is written.
    pub span: Span,
}

/// One file of a spec.
#[derive(Clone, Debug)]
struct SourceFile {
    name: String,
    base: u32,
    text: Arc<str>,
}

/// All files that were read for one spec, in one offset space.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file and returns the offset of its first byte.
    pub fn add(&mut self, name: &str, text: &str) -> u32 {
        let base = self.files.last().map_or(0, |file| file.base + file.text.len() as u32 + 1);
        self.files.push(SourceFile { name: name.to_owned(), base, text: text.into() });
        base
    }

    /// The text of a span.
    pub fn text(&self, span: Span) -> &str {
        let Some(file) = self.file_at(span.start) else { return "" };
        file.text.get((span.start - file.base) as usize..(span.end - file.base) as usize).unwrap_or("")
    }

    /// File name, line and column (both from 1, columns in characters) of a byte.
    pub fn position(&self, offset: u32) -> Option<(&str, usize, usize)> {
        let file = self.file_at(offset)?;
        let before = &file.text[..file.text.floor_char_boundary((offset - file.base) as usize)];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Some((&file.name, before.matches('\n').count() + 1, before[line_start..].chars().count() + 1))
    }

    /// Name, text and first offset of the file that holds a byte.
    pub fn file(&self, offset: u32) -> Option<(&str, &str, u32)> {
        self.file_at(offset).map(|file| (file.name.as_str(), &*file.text, file.base))
    }

    /// Names and texts of all files, the spec first.
    pub fn files(&self) -> impl Iterator<Item = (&str, &str)> {
        self.files.iter().map(|file| (file.name.as_str(), &*file.text))
    }

    fn file_at(&self, offset: u32) -> Option<&SourceFile> {
        self.files.iter().rev().find(|file| file.base <= offset)
    }
}

impl SourceCode for SourceMap {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        lines_before: usize,
        lines_after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let file = self.file_at(span.offset() as u32).ok_or(MietteError::OutOfBounds)?;
        let local = SourceSpan::from((span.offset() - file.base as usize, span.len()));
        let contents = file.text.as_bytes().read_span(&local, lines_before, lines_after)?;
        let shifted =
            SourceSpan::from((contents.span().offset() + file.base as usize, contents.span().len()));
        Ok(Box::new(MietteSpanContents::new_named(
            file.name.clone(),
            contents.data(),
            shifted,
            contents.line(),
            contents.column(),
            contents.line_count(),
        )))
    }
}

/// Why a compilation stopped. It decides the exit code.
#[derive(Debug)]
pub enum Failure {
    /// The spec has errors, in source order (exit code 1).
    Spec(Vec<Box<dyn Diagnostic + Send + Sync>>),
    /// The spec cannot be met, or a `require` does not hold (exit code 3).
    Infeasible(Vec<Box<dyn Diagnostic + Send + Sync>>),
    /// fabc contradicts itself: a bug (exit code 4).
    Internal(Box<dyn Diagnostic + Send + Sync>),
}

impl Failure {
    /// One error of the spec.
    pub fn spec(error: impl Diagnostic + Send + Sync + 'static) -> Self {
        Failure::Spec(vec![Box::new(error)])
    }
    /// Errors of the spec, in source order.
    pub fn spec_errors<E: Diagnostic + Send + Sync + 'static>(errors: Vec<E>) -> Self {
        Failure::Spec(errors.into_iter().map(|error| Box::new(error) as _).collect())
    }
    /// One reason why the spec cannot be met.
    pub fn infeasible(error: impl Diagnostic + Send + Sync + 'static) -> Self {
        Failure::Infeasible(vec![Box::new(error)])
    }
    /// A failure because fabc contradicts itself.
    pub fn internal(error: impl Diagnostic + Send + Sync + 'static) -> Self {
        Failure::Internal(Box::new(error))
    }
    /// The process exit code of this failure.
    pub fn exit_code(&self) -> u8 {
        match self {
            Failure::Spec(_) => 1,
            Failure::Infeasible(_) => 3,
            Failure::Internal(_) => 4,
        }
    }
    /// The diagnostics, in the order they should be shown.
    pub fn diagnostics(self) -> Vec<Box<dyn Diagnostic + Send + Sync>> {
        match self {
            Failure::Spec(all) | Failure::Infeasible(all) => all,
            Failure::Internal(one) => vec![one],
        }
    }
}
