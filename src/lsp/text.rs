//! A text that an editor changes, and positions in it.
//!
//! Input: changes as the protocol sends them, with positions in lines and UTF-16 units. Output: offsets in
//! bytes. Invariant: the line starts and unit marks always belong to the current text.

use lsp_types::{Position, Range, TextDocumentContentChangeEvent};

/// A text with the starts of its lines.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct EditorText {
    content: String,
    /// `[line]`: the first byte of that line.
    lines: Vec<usize>,
    /// `[mark]`: UTF-16 units before byte `mark * MARK_SPACING`. Lines may be long, and semantic tokens ask
    /// for the position of every word.
    units: Vec<usize>,
}

/// The number of bytes between two marks.
const MARK_SPACING: usize = 256;

impl EditorText {
    pub(super) fn new(content: String) -> Self {
        let (lines, units) = (line_starts(&content), unit_marks(&content));
        Self { content, lines, units }
    }

    pub(super) fn content(&self) -> &str {
        &self.content
    }

    /// The position of a byte. A byte within a character has the position of that character.
    pub(super) fn position(&self, offset: usize) -> Position {
        let offset = self.content.floor_char_boundary(offset);
        let line = self.lines.partition_point(|&begin| begin <= offset) - 1;
        Position {
            line: line as u32,
            character: (self.units_before(offset) - self.units_before(self.lines[line])) as u32,
        }
    }

    /// UTF-16 units before a byte, which must begin a character.
    fn units_before(&self, offset: usize) -> usize {
        let mark = offset / MARK_SPACING;
        self.units[mark] + units(&self.content[self.content.floor_char_boundary(mark * MARK_SPACING)..offset])
    }

    /// The byte of a position. A position behind the end of a line is the end of that line. One behind the
    /// text is the end of the text.
    pub(super) fn offset(&self, place: Position) -> usize {
        let Some(&begin) = self.lines.get(place.line as usize) else { return self.content.len() };
        let mut units = 0;
        for (index, letter) in self.content[begin..].char_indices() {
            if units >= place.character as usize || letter == '\n' || letter == '\r' {
                return begin + index;
            }
            units += letter.len_utf16();
        }
        self.content.len()
    }

    pub(super) fn range(&self, bytes: std::ops::Range<usize>) -> Range {
        Range { start: self.position(bytes.start), end: self.position(bytes.end) }
    }

    /// The range of the whole text.
    pub(super) fn full_range(&self) -> Range {
        self.range(0..self.content.len())
    }

    pub(super) fn apply_change(&mut self, change: TextDocumentContentChangeEvent) {
        match change.range {
            None => self.content = change.text,
            Some(Range { start, end }) => {
                let (start, end) = (self.offset(start), self.offset(end));
                self.content.replace_range(start.min(end)..end.max(start), &change.text);
            }
        }
        (self.lines, self.units) = (line_starts(&self.content), unit_marks(&self.content));
    }
}

fn units(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// UTF-16 units before every [`MARK_SPACING`]th byte, or before the character that this byte is in.
fn unit_marks(text: &str) -> Vec<usize> {
    let mut marks = vec![0];
    let (mut from, mut before) = (0, 0);
    for to in (MARK_SPACING..=text.len()).step_by(MARK_SPACING).map(|offset| text.floor_char_boundary(offset))
    {
        before += units(&text[from..to]);
        marks.push(before);
        from = to;
    }
    marks
}

/// The first byte of every line. A line ends with `\n`, `\r\n` or `\r`.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let is_line_end = |offset: &usize| {
        bytes[*offset] == b'\n' || bytes[*offset] == b'\r' && bytes.get(offset + 1) != Some(&b'\n')
    };
    std::iter::once(0).chain((0..bytes.len()).filter(is_line_end).map(|offset| offset + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_utf16_units() {
        let text = EditorText::new("aµ😀b\r\nc\rd\n".to_owned());
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
            let text = EditorText::new(format!("\n{}\nend", letter.repeat(3 * MARK_SPACING)));
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
        let mut text = EditorText::new("one\ntwo".to_owned());
        let range = |from: (u32, u32), to: (u32, u32)| {
            Range::new(Position::new(from.0, from.1), Position::new(to.0, to.1))
        };
        let change = |range, new: &str| TextDocumentContentChangeEvent {
            range,
            range_length: None,
            text: new.to_owned(),
        };
        text.apply_change(change(Some(range((0, 1), (1, 1))), "µ\n"));
        assert_eq!(text, EditorText::new("oµ\nwo".to_owned()));
        text.apply_change(change(None, "new"));
        assert_eq!(text, EditorText::new("new".to_owned()));
    }
}
