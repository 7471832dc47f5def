//! Comma-separated values: the one place that writes and reads cells (RFC 4180).
//!
//! In: the text of a cell, or a line. Out: the cell as it stands in a file, or the cells of the line.
//! Spreadsheets run text that begins with `=`, `+`, `-` or `@`. Such text is written in quotes behind an
//! apostrophe (`"'=1+1"`), and readers remove the apostrophe. Numbers are written as they are. Invariant:
//! text without line breaks is read back as it was. Readers go line by line.

use std::borrow::Cow;

/// Characters that begin a formula in spreadsheets.
const FORMULA: [char; 6] = ['=', '+', '-', '@', '\t', '\r'];

/// A cell with text, in quotes where necessary.
pub fn cell(text: &str) -> Cow<'_, str> {
    let is_plain =
        !text.contains([',', '"', '\n', '\r', '#']) && text.trim() == text && ends_before_a_comma(text);
    match (is_harmless(text), is_plain) {
        (true, true) => Cow::Borrowed(text),
        _ => Cow::Owned(quoted(text)),
    }
}

/// Whether a comma behind a text separates cells. It does not while a bracket is open.
fn ends_before_a_comma(text: &str) -> bool {
    plain_cell(&format!("{text},")).1 == ","
}

/// A cell with text, always in quotes.
pub fn quoted(text: &str) -> String {
    let apostrophe = if is_harmless(text) { "" } else { "'" };
    format!("\"{apostrophe}{}\"", text.replace('"', "\"\""))
}

/// A line of cells with text or numbers.
pub fn row<T: AsRef<str>>(cells: impl IntoIterator<Item = T>) -> String {
    let cells: Vec<String> = cells.into_iter().map(|text| cell(text.as_ref()).into_owned()).collect();
    cells.join(",") + "\n"
}

/// Whether no spreadsheet runs a text. Leading apostrophes are skipped, so that the one that is added can be
/// told from others.
fn is_harmless(text: &str) -> bool {
    let is_number =
        text.parse::<f64>().is_ok() && text.ends_with(|last: char| last.is_ascii_digit() || last == '.');
    is_number || !text.trim_start_matches('\'').starts_with(FORMULA)
}

/// The cells of a line, without the spaces around them. A comma separates nothing in quotes, nor in brackets,
/// because names of routers have commas of their own. A `#` outside quotes begins a comment.
///
/// # Errors
/// A quote that is not closed, or text between a closing quote and the next comma.
pub fn cells(line: &str) -> Result<Vec<String>, &'static str> {
    let mut cells = Vec::new();
    let mut rest = line;
    loop {
        rest = rest.trim_start();
        let (cell, after) =
            if let Some(inside) = rest.strip_prefix('"') { quoted_cell(inside)? } else { plain_cell(rest) };
        cells.push(without_apostrophe(cell));
        match after.strip_prefix(',') {
            Some(next) => rest = next,
            None => return Ok(cells),
        }
    }
}

/// A cell behind its first quote, and what comes after it.
fn quoted_cell(inside: &str) -> Result<(String, &str), &'static str> {
    let (mut cell, mut rest) = (String::new(), inside);
    loop {
        let end = rest.find('"').ok_or("a quote is not closed")?;
        cell += &rest[..end];
        rest = &rest[end + 1..];
        match rest.strip_prefix('"') {
            Some(next) => {
                cell.push('"');
                rest = next;
            }
            None => break,
        }
    }
    let after = rest.trim_start();
    if after.is_empty() || after.starts_with('#') {
        return Ok((cell, ""));
    }
    if after.starts_with(',') {
        Ok((cell, after))
    } else {
        Err("something stands between a closing quote and the next comma")
    }
}

/// A cell without quotes, and the rest of the line after it.
fn plain_cell(rest: &str) -> (String, &str) {
    let mut depth = 0_u32;
    for (at, letter) in rest.char_indices() {
        match letter {
            '[' => depth += 1,
            ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return (rest[..at].trim_end().to_owned(), &rest[at..]),
            '#' => return (rest[..at].trim_end().to_owned(), ""),
            _ => {}
        }
    }
    (rest.trim_end().to_owned(), "")
}

/// The text of a cell without the apostrophe that keeps spreadsheets from running it.
fn without_apostrophe(cell: String) -> String {
    match cell.strip_prefix('\'') {
        Some(text) if !is_harmless(text) => text.to_owned(),
        _ => cell,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_as_it_was() {
        let texts = [
            "a",
            "",
            "cube0[0,0,0]",
            "a,b",
            "say \"no\"",
            "=1+1",
            "+x",
            "-x",
            "@sum",
            "'=1",
            "''=1",
            "'quoted'",
            "-5",
            "1e3",
            "-5 ns",
            "#1",
            " space ",
            "[open",
            "nan",
            "-inf",
            "a#b",
        ];
        assert_eq!(cells(row(texts).trim_end()).unwrap(), texts);
        for text in texts {
            assert_eq!(cells(&quoted(text)).unwrap(), [text]);
        }
    }

    #[test]
    fn spreadsheets_are_given_nothing_to_run() {
        let written = [
            ("=HYPERLINK(\"x\")", "\"'=HYPERLINK(\"\"x\"\")\""),
            ("+x", "\"'+x\""),
            ("-5 ns", "\"'-5 ns\""),
            ("@a", "\"'@a\""),
            ("-5", "-5"),
            ("-0.5", "-0.5"),
            ("3=4", "3=4"),
            ("a,b", "\"a,b\""),
        ];
        for (text, expected) in written {
            assert_eq!(cell(text), expected);
        }
    }

    #[test]
    fn cells_are_parted_by_commas_outside_quotes_and_brackets() {
        let read = |line: &str| cells(line).unwrap();
        assert_eq!(
            read("0, cube0[0,0,1] ,\"cube1[3,3,3]\" ,12"),
            ["0", "cube0[0,0,1]", "cube1[3,3,3]", "12"]
        );
        assert_eq!(read("\"a\"\"b\",c"), ["a\"b", "c"]);
        assert_eq!(read("a,b # more, or less"), ["a", "b"]);
        assert_eq!(read("\"a # b\",c"), ["a # b", "c"]);
        assert_eq!(read("a,"), ["a", ""]);
        assert_eq!(read(""), [""]);
        assert_eq!(cells("a,\"b"), Err("a quote is not closed"));
        assert_eq!(cells("\"a\"b,c"), Err("something stands between a closing quote and the next comma"));
    }
}
