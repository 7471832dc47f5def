//! Words of a command line, written on one line so that errors can point at them.

use fabc_base::diag::Span;
use fabc_estimate::{CommandWord, EstimateError};

/// A command line with its options on one line.
pub(super) struct WrittenLine(String);

impl WrittenLine {
    /// A line that begins with the name of a command.
    pub(super) fn new(command: &str) -> Self {
        Self(command.to_owned())
    }

    /// Adds an option with its value, if it has one.
    pub(super) fn word(&mut self, option: &str, text: Option<&str>) -> Option<CommandWord> {
        text.map(|text| self.given_word(option, text))
    }

    /// Adds an option with its value. Control characters become blanks.
    pub(super) fn given_word(&mut self, option: &str, text: &str) -> CommandWord {
        let text: String = text.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
        let line = &mut self.0;
        *line += option;
        *line += " ";
        let start = line.len() as u32;
        *line += &text;
        CommandWord { text, span: Span { start, end: line.len() as u32 } }
    }

    /// Adds a blank behind the last word. An error about a missing word points at it.
    pub(super) fn end(&mut self) -> Span {
        let end = self.0.len() as u32;
        self.0.push(' ');
        Span { start: end, end: end + 1 }
    }

    /// The error that words of this line cannot be read.
    pub(super) fn unread(self, errors: Vec<EstimateError>) -> UnreadWords {
        UnreadWords { errors, line: self.0 }
    }
}

/// Words of a command line that cannot be read.
#[derive(Debug)]
pub struct UnreadWords {
    /// Everything that is wrong. Never empty. Places are in `line`.
    pub errors: Vec<EstimateError>,
    /// The command line that the places point into.
    pub line: String,
}
