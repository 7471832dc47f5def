//! Lines of text for people: as wide as a terminal is, some words in color.

/// How a text is laid out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Columns of the widest line, at least 80.
    pub width: usize,
    /// Whether verdicts and worst values are colored.
    pub color: bool,
}

impl Look {
    /// That of `report.txt`, and of a terminal that says nothing of itself.
    pub const FILE: Look = Look { width: 100, color: false };
}

/// A text that grows line by line.
pub(super) struct Lines {
    pub(super) out: String,
    pub(super) look: Look,
}

/// Colors of ANSI terminals.
#[derive(Clone, Copy)]
pub(super) enum Color {
    Green,
    Red,
    Yellow,
}

impl Lines {
    /// None yet.
    pub(super) fn new(look: Look) -> Self {
        Self { out: String::new(), look }
    }

    /// A line of capitals behind an empty one.
    pub(super) fn title(&mut self, title: &str, rest: &str) {
        self.out.push('\n');
        self.clipped(format!("{title:<16}{rest}"));
    }

    /// The words of `text` after `first`, further lines indented as deep.
    pub(super) fn wrapped(&mut self, first: &str, text: &str) {
        let indent = first.chars().count();
        let mut line = first.to_owned();
        let mut fresh = true;
        for word in text.split(' ') {
            if !fresh && line.chars().count() + 1 + word.chars().count() > self.look.width {
                self.clipped(line);
                line = " ".repeat(indent);
                fresh = true;
            }
            if !fresh {
                line.push(' ');
            }
            line.push_str(word);
            fresh = false;
        }
        self.clipped(line);
    }

    /// One line; what a very long name pushes beyond the width is cut.
    pub(super) fn clipped(&mut self, line: String) {
        self.painted(line, "", None);
    }

    /// One line, the first `word` of which has a color.
    pub(super) fn painted(&mut self, line: String, word: &str, color: Option<Color>) {
        let line = line.trim_end();
        let cut: String = match line.chars().count() > self.look.width {
            true => line.chars().take(self.look.width - 2).chain("..".chars()).collect(),
            false => line.to_owned(),
        };
        match (color.filter(|_| self.look.color), cut.find(word)) {
            (Some(color), Some(at)) => {
                let (before, after) = (&cut[..at], &cut[at + word.len()..]);
                self.out += &format!("{before}{}{word}\x1b[0m{after}", color.code());
            }
            _ => self.out += &cut,
        }
        self.out.push('\n');
    }
}

impl Color {
    fn code(self) -> &'static str {
        match self {
            Color::Green => "\x1b[32m",
            Color::Red => "\x1b[1;31m",
            Color::Yellow => "\x1b[33m",
        }
    }
}
