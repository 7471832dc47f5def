//! Words, numbers, texts and signs, wherever they stand and whatever is wrong with them.
//!
//! Comes in: the text of a file, finished or not. Goes out: its tokens in order; blanks are in none of them.
//! What a grammar makes of them is no matter here: while somebody types there is none.

use std::ops::Range;

/// What a token looks like.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Shape {
    Word,
    Number,
    /// In quotes.
    Quoted,
    /// `=`, `<=`, `..`, `{` and the like.
    Sign,
    Comment,
}

/// A token and its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) shape: Shape,
    pub(super) bytes: Range<usize>,
}

/// Signs of several letters, the longer ones first.
const SIGNS: [&str; 6] = ["..=", "..", "<=", ">=", "==", "!="];

/// The tokens of a text.
pub(super) fn tokens(text: &str) -> Vec<Token> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut tokens: Vec<Token> = Vec::new();
    let mut at = 0;
    while let Some(first) = text[at..].chars().next() {
        let rest = &text[at..];
        let until = |stop: &dyn Fn(char) -> bool| rest.find(stop).unwrap_or(rest.len());
        let (shape, length) = match first {
            _ if first.is_whitespace() => {
                at += until(&|letter| !letter.is_whitespace());
                continue;
            }
            '/' if rest.starts_with("//") => (Shape::Comment, until(&|letter| letter == '\n')),
            '/' if rest.starts_with("/*") => {
                (Shape::Comment, rest[2..].find("*/").map_or(rest.len(), |length| length + 4))
            }
            '"' => {
                let end = rest[1..].find(['"', '\n']).map_or(rest.len(), |length| length + 1);
                (Shape::Quoted, end + usize::from(rest[end..].starts_with('"')))
            }
            '0'..='9' => {
                let digits = |from: usize| {
                    rest[from..]
                        .find(|letter: char| !letter.is_ascii_digit() && letter != '_')
                        .map_or(rest.len(), |length| from + length)
                };
                let whole = digits(0);
                let decimal = rest[whole..].starts_with('.')
                    && rest[whole + 1..].starts_with(|letter: char| letter.is_ascii_digit());
                (Shape::Number, if decimal { digits(whole + 1) } else { whole })
            }
            // `4x8` is three tokens.
            'x' if rest[1..].starts_with(|letter: char| letter.is_ascii_digit())
                && tokens.last().is_some_and(|last| last.shape == Shape::Number && last.bytes.end == at) =>
            {
                (Shape::Word, 1)
            }
            _ if is_word(first) => (Shape::Word, until(&|letter| !is_word(letter))),
            _ => (
                Shape::Sign,
                SIGNS
                    .iter()
                    .find(|sign| rest.starts_with(**sign))
                    .map_or(first.len_utf8(), |sign| sign.len()),
            ),
        };
        tokens.push(Token { shape, bytes: at..at + length });
        at += length;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_what_they_look_like() {
        let text = "a_1=4x8 1.5..=2 // c\n\"q\" \"open\n/* x";
        let shown: Vec<&str> = tokens(text).into_iter().map(|token| &text[token.bytes]).collect();
        assert_eq!(shown, ["a_1", "=", "4", "x", "8", "1.5", "..=", "2", "// c", "\"q\"", "\"open", "/* x"]);
    }
}
