//! Cuts a diagnostic down to a readable size: it shortens long names, and long lines to windows around the
//! labels.
//!
//! In: a diagnostic and the files that it points into. Out: an [`Excerpt`], which is a diagnostic with a
//! source of its own. That source holds only the lines shown, but knows their true numbers and columns.
//! Invariant: whatever the input, an excerpt is some kilobytes long.

use fabc_base::diag::{SourceMap, Span};
use miette::{
    Diagnostic, LabeledSpan, MietteError, MietteSpanContents, Severity, SourceCode, SourceSpan, SpanContents,
};
use std::fmt;

/// The longest word of a message, in letters. Paths are words too.
const MAX_WORD: usize = 256;
/// The letters of a longer word that stay, at its start and at its end.
const KEPT_OF_WORD: [usize; 2] = [48, 16];
/// The longest message, in bytes.
const MAX_MESSAGE: usize = 16_384;
/// The longest line of source that is shown as a whole, in bytes.
const MAX_LINE: usize = 240;
/// The bytes of a longer line that are shown on both sides of either end of a label.
const KEPT_BESIDE_LABEL: usize = 60;
/// The most lines of one label. Of a longer label, only the first line is shown.
const LABEL_LINES: usize = 10;
/// Labels that are at most so many lines apart share one piece.
const MAX_GAP: usize = 4;
/// The mark for omitted text.
const ELLIPSIS: &str = "…";

/// Whether a letter would act on the terminal instead of being shown. These are controls, and letters that
/// change the direction of writing. Line feeds and tabs do no harm.
fn is_unsafe(letter: char) -> bool {
    let turns = matches!(letter, '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    letter.is_control() && !matches!(letter, '\n' | '\t') || turns
}

/// The text with all letters escaped that would act on the terminal.
pub fn harmless(text: &str) -> String {
    text.chars()
        .map(|letter| if is_unsafe(letter) { letter.escape_unicode().to_string() } else { letter.into() })
        .collect()
}

/// Shortens the longest words of a text, and then the text itself, in the middle. Letters that would act on
/// the terminal are escaped.
pub(super) fn shortened(text: &str) -> String {
    let text = harmless(text);
    let mut out = String::new();
    for part in text.split_inclusive(char::is_whitespace) {
        if part.len() <= MAX_WORD || part.chars().count() <= MAX_WORD {
            out.push_str(part);
            continue;
        }
        let [head, tail] = KEPT_OF_WORD;
        let from_end = part.char_indices().rev().nth(tail - 1).map_or(0, |(index, _)| index);
        out.extend(part.chars().take(head));
        out.push_str(ELLIPSIS);
        out.push_str(&part[from_end..]);
    }
    if out.len() > MAX_MESSAGE {
        let (head, tail) = (
            out.floor_char_boundary(MAX_MESSAGE / 4 * 3),
            out.ceil_char_boundary(out.len() - MAX_MESSAGE / 8),
        );
        out = format!("{}\n{ELLIPSIS}\n{}", &out[..head], &out[tail..]);
    }
    out
}

/// A diagnostic in the form in which it is shown, with the source of its labels.
pub(super) struct Excerpt {
    message: String,
    code: Option<String>,
    severity: Option<Severity>,
    help: Option<String>,
    labels: Vec<LabeledSpan>,
    pieces: SourcePieces,
}

impl Excerpt {
    /// Cuts a diagnostic. Labels outside all files are dropped.
    pub(super) fn new(diagnostic: &dyn Diagnostic, sources: &SourceMap) -> Self {
        let mut placed: Vec<PlacedLabel<'_>> = Vec::new();
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
            placed.push(PlacedLabel {
                file,
                text,
                base,
                start,
                end,
                line: line - 1,
                column: column - 1,
                label,
            });
        }
        placed.sort_by_key(|label| (label.base, label.start, label.end));
        let mut pieces = SourcePieces::default();
        let mut labels = Vec::new();
        let mut rest = &placed[..];
        while let Some(first) = rest.first() {
            let last = |label: &PlacedLabel<'_>| {
                label.line + label.text[label.start..label.end].matches('\n').count()
            };
            let (mut count, mut end) = (1, last(first));
            while let Some(next) =
                rest.get(count).filter(|next| next.base == first.base && next.line <= end + MAX_GAP)
            {
                (count, end) = (count + 1, end.max(last(next)));
            }
            let (together, later) = rest.split_at(count);
            labels.extend(pieces.add(together));
            rest = later;
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

    /// Draws the diagnostic for people, with miette.
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

/// A label and its place: bytes of its file, and line and column from 0. The column counts letters.
struct PlacedLabel<'a> {
    file: &'a str,
    text: &'a str,
    base: u32,
    start: usize,
    end: usize,
    line: usize,
    column: usize,
    label: LabeledSpan,
}

/// The start of the line around an offset.
fn line_start(text: &str, offset: usize) -> usize {
    text[..offset].rfind('\n').map_or(0, |newline| newline + 1)
}

/// The end of the line around an offset, without its line feed.
fn line_end(text: &str, offset: usize) -> usize {
    text[offset..].find('\n').map_or(text.len(), |length| offset + length)
}

/// Pieces of files, one after the other in one space of offsets. No span crosses two of them.
#[derive(Debug, Default)]
struct SourcePieces {
    all: Vec<SourcePiece>,
    /// The offset, line and column of every label. Line and column are those in its file, from 0.
    places: Vec<(usize, usize, usize)>,
}

#[derive(Debug)]
struct SourcePiece {
    file: String,
    /// The first line of the piece in the file, from 0.
    line: usize,
    /// The first offset of the piece.
    base: usize,
    text: String,
}

impl SourcePieces {
    /// Adds the lines around some labels of one file. Returns the labels at their offsets in the piece.
    fn add(&mut self, placed: &[PlacedLabel<'_>]) -> Vec<LabeledSpan> {
        let (text, first) = (placed[0].text, &placed[0]);
        let last = placed.iter().map(|placed| placed.end).max().unwrap_or(first.end);
        let start = line_start(text, first.start);
        // One more line on either side, since miette shows it.
        let begin = if start == 0 { 0 } else { line_start(text, start - 1) };
        let end = line_end(text, last);
        let end = if end == text.len() { end } else { (line_end(text, end + 1) + 1).min(text.len()) };
        let base = self.all.last().map_or(0, |piece| piece.base + piece.text.len() + 1);
        let clipped = Clipped::new(
            &text[begin..end],
            &placed.iter().map(|placed| [placed.start - begin, placed.end - begin]).collect::<Vec<_>>(),
        );
        let labels = placed.iter().map(|placed| {
            let (from, to) =
                (base + clipped.place(placed.start - begin), base + clipped.place(placed.end - begin));
            self.places.push((from, placed.line, placed.column));
            let (text, span) = (placed.label.label().map(shortened), (from, to - from));
            if placed.label.primary() {
                LabeledSpan::new_primary_with_span(text, span)
            } else {
                LabeledSpan::new_with_span(text, span)
            }
        });
        let labels = labels.collect();
        let line = first.line - usize::from(start > 0);
        self.all.push(SourcePiece { file: shortened(first.file), line, base, text: clipped.text });
        labels
    }
}

impl SourceCode for SourcePieces {
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

/// Lines of a file of which the long ones are cut.
struct Clipped {
    text: String,
    /// The parts that stay: first byte, one past the last byte, first byte in `text`.
    kept: Vec<(usize, usize, usize)>,
}

impl Clipped {
    fn new(text: &str, labels: &[[usize; 2]]) -> Self {
        let mut clipped = Clipped { text: String::new(), kept: Vec::new() };
        let mut from = 0;
        for line in text.split_inclusive('\n') {
            let (end, bare) = (from + line.len(), from + line.trim_end_matches(['\n', '\r']).len());
            if line.len() <= MAX_LINE {
                clipped.keep(text, from, end);
                from = end;
                continue;
            }
            let ends = labels.iter().flatten().copied().filter(|offset| (from..=bare).contains(offset));
            let mut windows: Vec<[usize; 2]> = ends
                .map(|offset| {
                    [
                        offset.saturating_sub(KEPT_BESIDE_LABEL).max(from),
                        (offset + KEPT_BESIDE_LABEL).min(bare),
                    ]
                })
                .collect();
            if windows.is_empty() {
                windows.push([from, from + 2 * KEPT_BESIDE_LABEL]);
            }
            windows.sort_unstable();
            let mut upto = from;
            for [low, high] in windows {
                let (low, high) =
                    (text.floor_char_boundary(low).max(upto), text.ceil_char_boundary(high).min(bare));
                if low > upto {
                    clipped.text.push_str(ELLIPSIS);
                }
                if high > low {
                    clipped.keep(text, low, high);
                    upto = high;
                }
            }
            if upto < bare {
                clipped.text.push_str(ELLIPSIS);
            }
            clipped.keep(text, bare, end);
            from = end;
        }
        clipped
    }

    fn keep(&mut self, text: &str, mut from: usize, to: usize) {
        let start = from;
        for (offset, letter) in
            text[start..to].char_indices().map(|(offset, letter)| (start + offset, letter))
        {
            // A carriage return before a line feed belongs to it.
            if is_unsafe(letter) && !text[offset..].starts_with("\r\n") {
                self.keep_plain(text, from, offset);
                self.text.extend(letter.escape_unicode());
                from = offset + letter.len_utf8();
            }
        }
        self.keep_plain(text, from, to);
    }

    fn keep_plain(&mut self, text: &str, from: usize, to: usize) {
        self.kept.push((from, to, self.text.len()));
        self.text.push_str(&text[from..to]);
    }

    /// The new offset of an old one. An omitted offset maps to the position after the ellipsis.
    fn place(&self, offset: usize) -> usize {
        let part = self.kept.iter().find(|(_, to, _)| offset <= *to);
        part.map_or(self.text.len(), |&(from, _, now)| now + offset.saturating_sub(from))
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
            shortened(&lines).len() <= MAX_MESSAGE
                && shortened(&lines).starts_with("a line of a circle\na line")
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
