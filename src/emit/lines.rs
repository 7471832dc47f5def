//! Lines of text for people, as wide as the terminal, with some words in color.

/// Width and color of a text.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Look {
    /// Columns of the widest line, at least 80.
    pub width: usize,
    /// Whether verdicts and worst values have colors.
    pub color: bool,
}

impl Look {
    /// The look of `report.txt`, and of a terminal of unknown width.
    pub const FILE: Look = Look { width: 100, color: false };
}

/// A text that grows line by line.
pub(super) struct Lines {
    pub(super) out: String,
    pub(super) look: Look,
}

#[derive(Clone, Copy)]
pub(super) enum Color {
    Green,
    Red,
    Yellow,
}

impl Lines {
    pub(super) fn new(look: Look) -> Self {
        Self { out: String::new(), look }
    }

    /// Appends an empty line and a heading, followed by `rest`.
    pub(super) fn push_title(&mut self, title: &str, rest: &str) {
        self.out.push('\n');
        self.push_clipped(format!("{title:<16}{rest}"));
    }

    /// Appends `first` and then the words of `text`, wrapped and indented to the end of `first`.
    pub(super) fn push_wrapped(&mut self, first: &str, text: &str) {
        let indent = first.chars().count();
        let mut line = first.to_owned();
        let mut fresh = true;
        for word in text.split(' ') {
            if !fresh && line.chars().count() + 1 + word.chars().count() > self.look.width {
                self.push_clipped(line);
                line = " ".repeat(indent);
                fresh = true;
            }
            if !fresh {
                line.push(' ');
            }
            line.push_str(word);
            fresh = false;
        }
        self.push_clipped(line);
    }

    /// Appends one line, cut to the width.
    pub(super) fn push_clipped(&mut self, line: String) {
        self.push_painted(line, "", None);
    }

    /// Appends one line and colors the first occurrence of `word`.
    pub(super) fn push_painted(&mut self, line: String, word: &str, color: Option<Color>) {
        let line = line.trim_end();
        let cut: String = match line.chars().count() > self.look.width {
            true => line.chars().take(self.look.width - 2).chain("..".chars()).collect(),
            false => line.to_owned(),
        };
        match (color.filter(|_| self.look.color), cut.find(word)) {
            (Some(color), Some(start)) => {
                let (before, after) = (&cut[..start], &cut[start + word.len()..]);
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
