//! Splits a text into words, numbers, quoted texts, signs and comments, whatever errors it has.
//!
//! Input: the text of a file, finished or not. Output: its tokens in order, without blanks. The grammar plays
//! no part here, because a text that is being typed follows none.

use std::ops::Range;

/// The lexical class of a token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum TokenShape {
    Word,
    Number,
    /// A text in quotes, to the end of its line if they are not closed.
    Quoted,
    /// `=`, `<=`, `..`, `{` and the like.
    Sign,
    Comment,
}

/// A token and its bytes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub(super) shape: TokenShape,
    pub(super) bytes: Range<usize>,
}

/// Signs of several letters, the longer ones first.
const SIGNS: [&str; 6] = ["..=", "..", "<=", ">=", "==", "!="];

/// The tokens of a text, in order.
pub(super) fn tokenize(text: &str) -> Vec<Token> {
    let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut tokens: Vec<Token> = Vec::new();
    let mut offset = 0;
    while let Some(first) = text[offset..].chars().next() {
        let rest = &text[offset..];
        let until = |stop: &dyn Fn(char) -> bool| rest.find(stop).unwrap_or(rest.len());
        let (shape, length) = match first {
            _ if first.is_whitespace() => {
                offset += until(&|letter| !letter.is_whitespace());
                continue;
            }
            '/' if rest.starts_with("//") => (TokenShape::Comment, until(&|letter| letter == '\n')),
            '/' if rest.starts_with("/*") => {
                (TokenShape::Comment, rest[2..].find("*/").map_or(rest.len(), |length| length + 4))
            }
            '"' => {
                let end = rest[1..].find(['"', '\n']).map_or(rest.len(), |length| length + 1);
                (TokenShape::Quoted, end + usize::from(rest[end..].starts_with('"')))
            }
            '0'..='9' => {
                let digits = |from: usize| {
                    rest[from..]
                        .find(|letter: char| !letter.is_ascii_digit() && letter != '_')
                        .map_or(rest.len(), |length| from + length)
                };
                let integer_end = digits(0);
                let decimal = rest[integer_end..].starts_with('.')
                    && rest[integer_end + 1..].starts_with(|letter: char| letter.is_ascii_digit());
                (TokenShape::Number, if decimal { digits(integer_end + 1) } else { integer_end })
            }
            // `4x8` is three tokens.
            'x' if rest[1..].starts_with(|letter: char| letter.is_ascii_digit())
                && tokens
                    .last()
                    .is_some_and(|last| last.shape == TokenShape::Number && last.bytes.end == offset) =>
            {
                (TokenShape::Word, 1)
            }
            _ if is_word(first) => (TokenShape::Word, until(&|letter| !is_word(letter))),
            _ => (
                TokenShape::Sign,
                SIGNS
                    .iter()
                    .find(|sign| rest.starts_with(**sign))
                    .map_or(first.len_utf8(), |sign| sign.len()),
            ),
        };
        tokens.push(Token { shape, bytes: offset..offset + length });
        offset += length;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_what_they_look_like() {
        let text = "a_1=4x8 1.5..=2 // c\n\"q\" \"open\n/* x";
        let shown: Vec<&str> = tokenize(text).into_iter().map(|token| &text[token.bytes]).collect();
        assert_eq!(shown, ["a_1", "=", "4", "x", "8", "1.5", "..=", "2", "// c", "\"q\"", "\"open", "/* x"]);
    }
}
