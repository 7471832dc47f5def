//! A diagnostic cut to what can be read: long names shortened, long lines in a window around what is wrong
//! with them.
//!
//! Comes in: a diagnostic and the files it points into. Goes out: an [`Excerpt`], a diagnostic of its own
//! with a source of its own that holds only the lines shown, but knows their true numbers and columns.
//! Invariant: whatever the input, an excerpt is some kilobytes long.

use fabc_base::diag::{SourceMap, Span};
use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, Severity, SourceCode, SourceSpan, SpanContents,
};
use std::fmt;

/// The longest word of a message, in letters; paths are words too.
const WORD: usize = 256;
/// What stays of a longer one: so many letters at its start, and so many at its end.
const WORD_KEPT: [usize; 2] = [48, 16];
/// The longest message, in bytes.
const MESSAGE: usize = 16_384;
/// The longest line of source that is shown whole, in bytes.
const LINE: usize = 240;
/// What is shown of a longer one: so many bytes on both sides of either end of a label.
const BESIDE: usize = 60;
/// Most lines of one label; of a longer one the first is shown.
const LABEL_LINES: usize = 10;
/// Labels that are at most so many lines apart share one piece.
const APART: usize = 4;
/// Stands for what was left out.
const LEFT_OUT: &str = "…";

/// Whether a letter would act on the terminal instead of being seen: controls, and what turns the direction
/// of writing. The ends of lines and tabs do no harm.
fn acts(letter: char) -> bool {
    let turns = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    letter.is_control() && !matches!(letter, '\n' | '\t') || turns
}

/// A text in which what would act on the terminal is escaped.
pub fn harmless(text: &str) -> String {
    text.chars()
        .map(|letter| if acts(letter) { letter.escape_unicode().to_string() } else { letter.into() })
        .collect()
}

/// A text with its longest words, and then itself, shortened in the middle; what would act on the terminal is
/// escaped.
pub(super) fn shortened(text: &str) -> String {
    let text = harmless(text);
    let mut out = String::new();
    for part in text.split_inclusive(char::is_whitespace) {
        if part.len() <= WORD || part.chars().count() <= WORD {
            out.push_str(part);
            continue;
        }
        let [head, tail] = WORD_KEPT;
        let from_end = part.char_indices().rev().nth(tail - 1).map_or(0, |(at, _)| at);
        out.extend(part.chars().take(head));
        out.push_str(LEFT_OUT);
        out.push_str(&part[from_end..]);
    }
    if out.len() > MESSAGE {
        let (head, tail) =
            (out.floor_char_boundary(MESSAGE / 4 * 3), out.ceil_char_boundary(out.len() - MESSAGE / 8));
        out = format!("{}\n{LEFT_OUT}\n{}", &out[..head], &out[tail..]);
    }
    out
}

/// A diagnostic as it is shown, and the source that its labels point into.
pub(super) struct Excerpt {
    message: String,
    code: Option<String>,
    severity: Option<Severity>,
    help: Option<String>,
    labels: Vec<LabeledSpan>,
    pieces: Pieces,
}

impl Excerpt {
    /// Cuts a diagnostic; labels outside all files are left out.
    pub(super) fn new(diagnostic: &dyn Diagnostic, sources: &SourceMap) -> Self {
        let mut found: Vec<Found<'_>> = Vec::new();
        for label in diagnostic.labels().into_iter().flatten() {
            let span = Span { start: label.offset() as u32, end: (label.offset() + label.len()) as u32 };
            let (Some((file, text, base)), Some((_, line, column))) =
                (sources.file(span.start), sources.position(span.start))
            else {
                continue;
            };
            let start = text.floor_char_boundary((span.start - base) as usize);
            let mut end = text.ceil_char_boundary((span.end - base) as usize);
            if text[start..end].matches('\n').count() >= LABEL_LINES {
                end = line_end(text, start);
            }
            found.push(Found { file, text, base, start, end, line: line - 1, column: column - 1, label });
        }
        found.sort_by_key(|found| (found.base, found.start, found.end));
        let mut pieces = Pieces::default();
        let mut labels = Vec::new();
        let mut rest = &found[..];
        while let Some(first) = rest.first() {
            let last =
                |found: &Found<'_>| found.line + found.text[found.start..found.end].matches('\n').count();
            let (mut count, mut end) = (1, last(first));
            while let Some(next) =
                rest.get(count).filter(|next| next.base == first.base && next.line <= end + APART)
            {
                (count, end) = (count + 1, end.max(last(next)));
            }
            let (together, others) = rest.split_at(count);
            labels.extend(pieces.add(together));
            rest = others;
        }
        Excerpt {
            message: shortened(&diagnostic.to_string()),
            code: diagnostic.code().map(|code| code.to_string()),
            severity: diagnostic.severity(),
            help: diagnostic.help().map(|help| shortened(&help.to_string())),
            labels,
            pieces,
        }
    }

    /// As miette draws it for people.
    pub(super) fn draw(mut self) -> String {
        let pieces = std::mem::take(&mut self.pieces);
        let report = miette::Report::new(self);
        if pieces.all.is_empty() {
            format!("{report:?}")
        } else {
            format!("{:?}", report.with_source_code(pieces))
        }
    }
}

impl fmt::Display for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for Excerpt {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Excerpt {}

impl Diagnostic for Excerpt {
    fn code<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.code.as_ref().map(|code| Box::new(code) as _)
    }
    fn severity(&self) -> Option<Severity> {
        self.severity
    }
    fn help<'a>(&'a self) -> Option<Box<dyn fmt::Display + 'a>> {
        self.help.as_ref().map(|help| Box::new(help) as _)
    }
    fn labels(&self) -> Option<Box<dyn Iterator<Item = LabeledSpan> + '_>> {
        (!self.labels.is_empty()).then(|| Box::new(self.labels.iter().cloned()) as _)
    }
}

/// A label and where it stands: bytes of its file, line and column from 0, the column in letters.
struct Found<'a> {
    file: &'a str,
    text: &'a str,
    base: u32,
    start: usize,
    end: usize,
    line: usize,
    column: usize,
    label: LabeledSpan,
}

/// Where the line around an offset begins.
fn line_start(text: &str, at: usize) -> usize {
    text[..at].rfind('\n').map_or(0, |newline| newline + 1)
}

/// Where the line around an offset ends, without its line feed.
fn line_end(text: &str, at: usize) -> usize {
    text[at..].find('\n').map_or(text.len(), |length| at + length)
}

/// Parts of files, one after the other in one offset space; no span crosses two of them.
#[derive(Debug, Default)]
struct Pieces {
    all: Vec<Piece>,
    /// Offset, line and column of every label; the last two as in its file, from 0.
    places: Vec<(usize, usize, usize)>,
}

#[derive(Debug)]
struct Piece {
    file: String,
    /// Its first line in the file, from 0.
    line: usize,
    /// Its first offset.
    base: usize,
    text: String,
}

impl Pieces {
    /// Adds the lines around some labels of one file; returns the labels as they lie in the piece.
    fn add(&mut self, found: &[Found<'_>]) -> Vec<LabeledSpan> {
        let (text, first) = (found[0].text, &found[0]);
        let last = found.iter().map(|found| found.end).max().unwrap_or(first.end);
        let start = line_start(text, first.start);
        // One more line on either side, as miette shows it.
        let begin = if start == 0 { 0 } else { line_start(text, start - 1) };
        let end = line_end(text, last);
        let end = if end == text.len() { end } else { (line_end(text, end + 1) + 1).min(text.len()) };
        let base = self.all.last().map_or(0, |piece| piece.base + piece.text.len() + 1);
        let clipped = Clipped::new(
            &text[begin..end],
            &found.iter().map(|found| [found.start - begin, found.end - begin]).collect::<Vec<_>>(),
        );
        let labels = found.iter().map(|found| {
            let (from, to) =
                (base + clipped.place(found.start - begin), base + clipped.place(found.end - begin));
            self.places.push((from, found.line, found.column));
            let (said, span) = (found.label.label().map(shortened), (from, to - from));
            if found.label.primary() {
                LabeledSpan::new_primary_with_span(said, span)
            } else {
                LabeledSpan::new_with_span(said, span)
            }
        });
        let labels = labels.collect();
        let line = first.line - usize::from(start > 0);
        self.all.push(Piece { file: shortened(first.file), line, base, text: clipped.text });
        labels
    }
}

impl SourceCode for Pieces {
    fn read_span<'a>(
        &'a self,
        span: &SourceSpan,
        before: usize,
        after: usize,
    ) -> Result<Box<dyn SpanContents<'a> + 'a>, MietteError> {
        let piece = self
            .all
            .iter()
            .rev()
            .find(|piece| piece.base <= span.offset())
            .ok_or(MietteError::OutOfBounds)?;
        let local = SourceSpan::from((span.offset() - piece.base, span.len()));
        let read = piece.text.as_bytes().read_span(&local, before, after)?;
        let place = self.places.iter().find(|place| before + after == 0 && place.0 == span.offset());
        let (line, column) =
            place.map_or((piece.line + read.line(), read.column()), |&(_, line, column)| (line, column));
        let shifted = SourceSpan::from((read.span().offset() + piece.base, read.span().len()));
        Ok(Box::new(MietteSpanContents::new_named(
            piece.file.clone(),
            read.data(),
            shifted,
            line,
            column,
            read.line_count(),
        )))
    }
}

/// Some lines of a file of which the long ones are cut.
struct Clipped {
    text: String,
    /// Parts that stay: first byte, one past the last, first byte in `text`.
    kept: Vec<(usize, usize, usize)>,
}

impl Clipped {
    fn new(text: &str, labels: &[[usize; 2]]) -> Self {
        let mut clipped = Clipped { text: String::new(), kept: Vec::new() };
        let mut from = 0;
        for line in text.split_inclusive('\n') {
            let (end, bare) = (from + line.len(), from + line.trim_end_matches(['\n', '\r']).len());
            if line.len() <= LINE {
                clipped.keep(text, from, end);
                from = end;
                continue;
            }
            let ends = labels.iter().flatten().copied().filter(|at| (from..=bare).contains(at));
            let mut windows: Vec<[usize; 2]> =
                ends.map(|at| [at.saturating_sub(BESIDE).max(from), (at + BESIDE).min(bare)]).collect();
            if windows.is_empty() {
                windows.push([from, from + 2 * BESIDE]);
            }
            windows.sort_unstable();
            let mut upto = from;
            for [low, high] in windows {
                let (low, high) =
                    (text.floor_char_boundary(low).max(upto), text.ceil_char_boundary(high).min(bare));
                if low > upto {
                    clipped.text.push_str(LEFT_OUT);
                }
                if high > low {
                    clipped.keep(text, low, high);
                    upto = high;
                }
            }
            if upto < bare {
                clipped.text.push_str(LEFT_OUT);
            }
            clipped.keep(text, bare, end);
            from = end;
        }
        clipped
    }

    fn keep(&mut self, text: &str, mut from: usize, to: usize) {
        let start = from;
        for (at, letter) in text[start..to].char_indices().map(|(at, letter)| (start + at, letter)) {
            // A carriage return before a line feed is a part of it.
            if acts(letter) && !text[at..].starts_with("\r\n") {
                self.keep_plain(text, from, at);
                self.text.extend(letter.escape_unicode());
                from = at + letter.len_utf8();
            }
        }
        self.keep_plain(text, from, to);
    }

    fn keep_plain(&mut self, text: &str, from: usize, to: usize) {
        self.kept.push((from, to, self.text.len()));
        self.text.push_str(&text[from..to]);
    }

    /// Where an offset came to lie; what was left out, after it.
    fn place(&self, at: usize) -> usize {
        let part = self.kept.iter().find(|(_, to, _)| at <= *to);
        part.map_or(self.text.len(), |&(from, _, now)| now + at.saturating_sub(from))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_long_words_and_long_texts_are_shortened() {
        let plain = "the link `fiber` is not declared\n  in here";
        assert_eq!(shortened(plain), plain);
        let long = format!("the link `{}é{}` is not", "a".repeat(300), "b".repeat(65_000));
        assert_eq!(shortened(&long), format!("the link `{}…{}` is not", "a".repeat(47), "b".repeat(14)));
        let lines = "a line of a circle\n".repeat(10_000);
        assert!(
            shortened(&lines).len() <= MESSAGE && shortened(&lines).starts_with("a line of a circle\na line")
        );
    }

    #[test]
    fn what_acts_on_a_terminal_is_escaped() {
        assert_eq!(
            shortened("a\u{1b}[31m b\u{9b}c\r\u{202e}\tx\n"),
            "a\\u{1b}[31m b\\u{9b}c\\u{d}\\u{202e}\tx\n"
        );
        let text = "x = \u{1b}[2J;\r\ny\rz\u{7f}\r\n";
        let clipped = Clipped::new(text, &[[4, 5]]);
        assert_eq!(clipped.text, "x = \\u{1b}[2J;\r\ny\\u{d}z\\u{7f}\r\n");
        assert_eq!(&clipped.text[clipped.place(4)..clipped.place(5)], "\\u{1b}");
        assert_eq!(&clipped.text[clipped.place(5)..clipped.place(9)], "[2J;");
    }

    #[test]
    fn every_offset_of_a_clipped_line_has_a_place() {
        let text = format!("short\n{}é{}\nend", "a".repeat(1000), "b".repeat(70_000));
        let label = 6 + 1000;
        let clipped = Clipped::new(&text, &[[label, label + 2]]);
        let lines: Vec<&str> = clipped.text.lines().collect();
        assert_eq!(lines, ["short", &*format!("…{}é{}…", "a".repeat(60), "b".repeat(60)), "end"]);
        assert_eq!(&clipped.text[clipped.place(label)..clipped.place(label + 2)], "é");
        for at in 0..=text.len() {
            assert!(clipped.text.is_char_boundary(clipped.place(at)) || !text.is_char_boundary(at), "{at}");
        }
        let short = "a\r\nb\n\n";
        assert_eq!(Clipped::new(short, &[[0, 1]]).text, short);
    }
}
