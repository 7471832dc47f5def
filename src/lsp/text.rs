//! A text that an editor changes, and places in it.
//!
//! Comes in: changes as the protocol tells them: lines, and in them UTF-16 units. Goes out: offsets in bytes.
//! Invariant: the beginnings of lines are those of the text, whatever was changed.

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

/// A text and where its lines begin.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Text {
    content: String,
    /// `[line]`: its first byte.
    lines: Vec<usize>,
    /// UTF-16 units before every so many bytes ([`STEP`]): lines may be long, and be asked about word by
    /// word.
    units: Vec<usize>,
}

/// Bytes between two places whose units are known.
const STEP: usize = 256;

impl Text {
    pub(super) fn new(content: String) -> Self {
        let (lines, units) = (beginnings(&content), marks(&content));
        Self { content, lines, units }
    }

    pub(super) fn content(&self) -> &str {
        &self.content
    }

    /// The place of a byte; of one within a character, that of the character.
    pub(super) fn position(&self, offset: usize) -> Position {
        let offset = self.content.floor_char_boundary(offset);
        let line = self.lines.partition_point(|&begin| begin <= offset) - 1;
        Position {
            line: line as u32,
            character: (self.units_before(offset) - self.units_before(self.lines[line])) as u32,
        }
    }

    /// UTF-16 units before the beginning of a character.
    fn units_before(&self, offset: usize) -> usize {
        let mark = offset / STEP;
        self.units[mark] + units(&self.content[self.content.floor_char_boundary(mark * STEP)..offset])
    }

    /// The byte of a place; what is behind the end of a line is its end, what is behind the text its end.
    pub(super) fn offset(&self, place: Position) -> usize {
        let Some(&begin) = self.lines.get(place.line as usize) else { return self.content.len() };
        let mut units = 0;
        for (at, letter) in self.content[begin..].char_indices() {
            if units >= place.character as usize || letter == '\n' || letter == '\r' {
                return begin + at;
            }
            units += letter.len_utf16();
        }
        self.content.len()
    }

    pub(super) fn range(&self, bytes: std::ops::Range<usize>) -> Range {
        Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    /// All of it.
    pub(super) fn whole(&self) -> Range {
        self.range(0..self.content.len())
    }

    pub(super) fn change(&mut self, change: TextDocumentContentChangeEvent) {
        match change.range {
            None => self.content = change.text,
            Some(Range { start, end }) => {
                let (start, end) = (self.offset(start), self.offset(end));
                self.content.replace_range(start.min(end)..end.max(start), &change.text);
            }
        }
        (self.lines, self.units) = (beginnings(&self.content), marks(&self.content));
    }
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// UTF-16 units before every [`STEP`]th byte, or the character that it is in.
fn marks(text: &str) -> Vec<usize> {
    let mut marks = vec![0];
    let (mut from, mut before) = (0, 0);
    for to in (STEP..=text.len()).step_by(STEP).map(|at| text.floor_char_boundary(at)) {
        before += units(&text[from..to]);
        marks.push(before);
        from = to;
    }
    marks
}

/// The first byte of every line; a line ends with `\n`, `\r\n` or `\r`.
fn beginnings(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = |at: &usize| bytes[*at] == b'\n' || bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n');
    std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|at| at + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_utf16_units() {
        let text = Text::new("aµ😀b\r\nc\rd\n".to_owned());
        let at = |line, character| text.offset(Position { line, character });
        assert_eq!((at(0, 2), at(0, 4), at(0, 5), at(0, 99)), (3, 7, 8, 8));
        assert_eq!((at(1, 0), at(2, 0), at(3, 0), at(9, 0)), (10, 12, 14, 14));
        for (offset, _) in text.content().char_indices().filter(|(_, letter)| *letter != '\n') {
            assert_eq!(text.offset(text.position(offset)), offset);
        }
    }

    #[test]
    fn places_of_long_lines_are_counted_from_marks() {
        for letter in ["a", "µ", "→", "😀"] {
            let text = Text::new(format!("\n{}\nend", letter.repeat(3 * STEP)));
            for (offset, _) in text.content().char_indices().filter(|(offset, _)| *offset > 0) {
                let begin = text.content()[..offset].rfind('\n').unwrap() + 1;
                assert_eq!(
                    text.position(offset).character as usize,
                    units(&text.content()[begin..offset]),
                    "{letter} {offset}"
                );
            }
        }
    }

    #[test]
    fn changes_are_those_of_the_text() {
        let mut text = Text::new("one\ntwo".to_owned());
        let range = |from: (u32, u32), to: (u32, u32)| {
            Range::new(Position::new(from.0, from.1), Position::new(to.0, to.1))
        };
        let change = |range, new: &str| TextDocumentContentChangeEvent {
            range,
            range_length: None,
            text: new.to_owned(),
        };
        text.change(change(Some(range((0, 1), (1, 1))), "µ\n"));
        assert_eq!(text, Text::new("oµ\nwo".to_owned()));
        text.change(change(None, "new"));
        assert_eq!(text, Text::new("new".to_owned()));
    }
}
