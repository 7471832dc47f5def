//! Builds the error of a text that no production of the grammar fits.
//!
//! In: the place where the grammar stopped, and what it expected there. Out: an error that names what was
//! most likely meant. The text has no comments.

use super::grammar::{Rule, expectation};
use crate::syntax::errors::ParseError;
use crate::syntax::words::{self, ItemForm, STATEMENTS};
use fabc_base::diag::{Span, closest, plain};
use pest::error::ErrorVariant;
use std::collections::BTreeSet;

/// Signs that look like others, and what to write instead.
const LOOKALIKES: [(&str, &str); 18] = [
    ("\u{201c}", "\""),
    ("\u{201d}", "\""),
    ("\u{201e}", "\""),
    ("'", "\""),
    ("\u{2018}", "\""),
    ("\u{2019}", "\""),
    ("\u{2212}", "-"),
    ("\u{2013}", "-"),
    ("\u{2014}", "-"),
    ("\u{a0}", " "),
    ("\u{202f}", " "),
    ("\u{200b}", ""),
    ("\u{feff}", ""),
    ("\u{2026}", ".."),
    ("\u{ff1b}", ";"),
    ("\u{ff0c}", ","),
    ("\u{ff1d}", "="),
    ("\u{d7}", "x"),
];

pub(super) fn unexpected(code: &str, offset: usize, base: u32, variant: &ErrorVariant<Rule>) -> ParseError {
    let line = SpecLine::around(code, offset);
    if let Some((meant, length)) = line.meant_keyword() {
        let (text, start) = (format!("`{}`", &line.text[..length]), base + line.start as u32);
        let help = Some(format!("did you mean `{meant}`? For example `{}`", example(meant).unwrap_or(meant)));
        return ParseError::Unexpected {
            text,
            expected: format!("`{meant}`"),
            help,
            span: Span { start, end: start + length as u32 },
        };
    }
    let rest = &code[offset..];
    let token = match rest.chars().next() {
        None => 0,
        Some(first) if is_word(first) => rest.find(|c: char| !is_word(c)).unwrap_or(rest.len()),
        Some('"') => rest[1..].find('"').map_or(rest.len(), |length| length + 2),
        Some(first) => first.len_utf8(),
    };
    let token = &rest[..token];
    let text = match token.chars().next() {
        None => "the end of the file".to_owned(),
        Some(sign)
            if sign.is_whitespace() || sign.is_control() || sign == '\u{200b}' || sign == '\u{feff}' =>
        {
            format!("`{}`", sign.escape_unicode())
        }
        Some(_) => format!("`{token}`"),
    };
    let help = help(code, offset, token, &line);
    let span = Span { start: base + offset as u32, end: base + (offset + token.len()) as u32 };
    ParseError::Unexpected { text, expected: expected(variant, &line), help, span }
}

/// What the grammar expects if the first word of a line is no keyword.
const NOT_IN_A_LINE: [&str; 4] = ["a comparison", "`{`", "`=`", "a name"];

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Lists what could have stood there, in words.
fn expected(variant: &ErrorVariant<Rule>, line: &SpecLine<'_>) -> String {
    let expected: BTreeSet<&str> = match variant {
        ErrorVariant::ParsingError { positives, .. } => {
            positives.iter().filter_map(|&rule| expectation(rule)).collect()
        }
        ErrorVariant::CustomError { .. } => BTreeSet::new(),
    };
    let mut expected: Vec<&str> = expected.into_iter().collect();
    if expected.contains(&"an item") || expected.contains(&"a setting") {
        // Where a new line of a block may begin, the continuations of the old line are noise.
        expected.retain(|name| matches!(*name, "an item" | "a setting" | "`}`" | "`fabric`"));
    }
    let lines = words::item(line.word).is_some_and(|item| item.form == ItemForm::Line)
        || example(line.word).is_some() && line.nested;
    // Only a require compares.
    let noise = &NOT_IN_A_LINE[usize::from(line.word == "require")..];
    if lines && expected.iter().any(|name| !noise.contains(name)) {
        expected.retain(|name| !noise.contains(name));
    }
    if expected == ["a comparison"] && line.word != "require" {
        expected = vec!["`=`"];
    }
    match expected.split_last() {
        None => "something else".to_owned(),
        Some((last, [])) => (*last).to_owned(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
    }
}

/// Suggests a correction, as far as the sign itself and the words before it tell.
fn help(code: &str, offset: usize, token: &str, line: &SpecLine<'_>) -> Option<String> {
    let (before, rest) = (&code[..offset], &code[offset..]);
    let after = &rest[token.len()..];
    let last = before.chars().next_back();
    let touches_word = last.is_some_and(is_word);
    if let Some((_, wanted)) = LOOKALIKES.iter().find(|(sign, _)| rest.starts_with(sign)) {
        return Some(match *wanted {
            "\"" => "write texts in straight double quotes".to_owned(),
            "" => "remove this invisible character".to_owned(),
            " " => "write a plain space".to_owned(),
            wanted => format!("write `{wanted}`"),
        });
    }
    let digit_before = last.is_some_and(|c| c.is_ascii_digit());
    let quoted = token
        .strip_prefix('"')
        .and_then(|text| text.strip_suffix('"'))
        .filter(|text| text.chars().all(|c| is_word(c) || c == '-'));
    Some(match token {
        "#" => "comments begin with `//`".to_owned(),
        "-" if rest.starts_with("--") => "comments begin with `//`".to_owned(),
        _ if line.word == "fabric" && line.is_second_word() => {
            let name = |c: char| is_word(c) || matches!(c, '-' | '.');
            let from = before.trim_end_matches(name).len();
            let written: String = code[from..].chars().take_while(|c| name(*c)).collect();
            let mended = written.replace(['-', '.'], "_");
            match mended.starts_with(|c: char| c.is_alphabetic() || c == '_') {
                true => format!("a name has letters, digits and `_` only: write `{mended}`"),
                false if quoted.is_some() => format!("write names without quotes: `{}`", quoted.unwrap_or_default()),
                false => "a name begins with a letter, and has letters, digits and `_` only".to_owned(),
            }
        }
        "-" if touches_word && line.is_second_word() => "a name has letters, digits and `_` only".to_owned(),
        _ if line.word == "use" => format!("write paths in quotes: `{}`", example("use").unwrap_or_default()),
        _ if line.word == "rates" && line.text.contains('=') && (token != "." || line.text.contains("..")) => ascending_rates(line.text),
        "." if digit_before || after.starts_with(|c: char| c.is_ascii_digit()) => {
            "a decimal number has digits on both sides of its point".to_owned()
        }
        "." | "/" if touches_word => "write paths in quotes, such as `graph \"lab.graphml\"`".to_owned(),
        "/" => "a unit is written without blanks, such as `GB/s`".to_owned(),
        "<" | ">" if line.word == "require" => "one `require` for each comparison".to_owned(),
        "<" | ">" if !line.nested && line.text.split_whitespace().count() == 1 => {
            format!("what must hold is written `require {} {token}= ..;`", line.text.trim())
        }
        "(" if line.is_second_word() && words::item(line.word).is_some_and(|item| matches!(item.form, ItemForm::Block | ItemForm::ChoiceOrBlock)) => {
            format!("write a block in braces: `{} {{ .. }}`", line.text.trim())
        }
        "{" if before.trim_end().ends_with('+') => {
            "fabc cannot generate this family. Read it from a file: `graph \"lab.graphml\"`, as NetworkX writes it".to_owned()
        }
        ";" | "}" if line.text.chars().all(is_word) && !line.text.is_empty() && example(line.word).is_none() => {
            format!("a setting has a value: `{} = ..;`", line.word)
        }
        "^" | "*" if token == "^" || before.ends_with('*') => {
            "there are no powers: the operators are `+`, `-`, `*`, `/` and `%`".to_owned()
        }
        "," if digit_before && after.starts_with(|c: char| c.is_ascii_digit()) => "digits are grouped with `_`: `1_000`".to_owned(),
        _ if digit_before && token.starts_with(['e', 'E']) && token[1..].chars().all(|c| c.is_ascii_digit()) => {
            "numbers have no exponent: write the digits".to_owned()
        }
        _ if quoted.is_some_and(|text| !text.is_empty()) => {
            format!("write names without quotes: `{}`", quoted.unwrap_or_default().replace('-', "_"))
        }
        _ => match (words::item(line.word), example(line.word)) {
            (Some(item), _) if line.nested && !item.form.is_setting() => {
                format!("`{}` belongs in the fabric, not in another block. Is a `}}` missing before it?", item.name)
            }
            (_, Some(example)) => format!("for example `{example}`"),
            _ => return None,
        },
    })
}

/// Explains how one rate and several rates are written, with the ends of the wrong text if it has any.
fn ascending_rates(text: &str) -> String {
    let number =
        |part: &str| part.trim().parse::<f64>().is_ok_and(f64::is_finite).then(|| part.trim().to_owned());
    let bounds = text.split_once('=').and_then(|(_, bounds)| bounds.split_once(".."));
    let bounds =
        bounds.and_then(|(first, last)| number(first).zip(number(last.trim_start_matches(['.', '=']))));
    let (first, last) = bounds.unwrap_or(("0.1".to_owned(), "1.8".to_owned()));
    format!(
        "write one rate as `rates = 0.5;`, and several as a range with a step: `rates = {first} .. {last} step 0.1;`"
    )
}

/// An example of an item or a statement.
fn example(word: &str) -> Option<&'static str> {
    let statement = || STATEMENTS.iter().find(|(name, _)| *name == word).map(|(_, example)| *example);
    words::item(word).map(|item| item.example).or_else(statement)
}

/// The statement or item that a place lies in, up to that place.
struct SpecLine<'a> {
    text: &'a str,
    /// The offset of its first byte.
    start: usize,
    /// The first word of the text.
    word: &'a str,
    /// Whether it lies in a block that is not the fabric.
    nested: bool,
}

impl<'a> SpecLine<'a> {
    fn around(code: &'a str, offset: usize) -> Self {
        let start = code[..offset].rfind([';', '{', '}']).map_or(0, |stop| stop + 1);
        let text = &code[start..offset];
        let start = start + (text.len() - text.trim_start().len());
        let text = text.trim_start();
        let word = &text[..text.find(|c: char| !is_word(c)).unwrap_or(text.len())];
        let mut depth = 0usize;
        for sign in code[..start].bytes() {
            match sign {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
        }
        SpecLine { text, start, word, nested: depth > 1 }
    }

    /// Whether the place is that of the second word.
    fn is_second_word(&self) -> bool {
        let after = self.text[self.word.len()..].trim_start();
        !after.contains(char::is_whitespace)
    }

    /// Returns the keyword that the first word was meant as, and the length of that word, if what follows it
    /// fits nothing.
    fn meant_keyword(&self) -> Option<(&'static str, usize)> {
        let word = self.word;
        // A keyword that is written with `-` in place of `_`.
        let dashed =
            &self.text[..self.text.find(|c: char| !(is_word(c) || c == '-')).unwrap_or(self.text.len())];
        if let Some((name, _)) = STATEMENTS.iter().find(|(name, _)| dashed != *name && plain(dashed) == *name)
        {
            return Some((name, dashed.len()));
        }
        let known =
            |word: &str| word == "fabric" || words::item(word).is_some() || words::field(word).is_some();
        if word.is_empty() || self.text[word.len()..].split_whitespace().count() > 1 || known(word) {
            return None;
        }
        let lines = words::ITEMS
            .iter()
            .filter(|item| item.form == ItemForm::Line || item.form == ItemForm::Named)
            .map(|item| item.name);
        let known_words = lines.chain(STATEMENTS.iter().map(|(name, _)| *name)).chain(["fabric"]);
        words::fabc_word(word, true).or_else(|| closest(word, known_words)).map(|meant| (meant, word.len()))
    }
}
