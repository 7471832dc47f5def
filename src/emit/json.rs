//! Writes JSON by hand: fixed key order, one record per line in long lists, no intermediate tree.

use std::fmt::Write;

/// A JSON string literal with its quotes.
pub(super) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// A JSON array of strings: `["a","b"]`.
pub(super) fn strings<S: AsRef<str>>(items: impl IntoIterator<Item = S>) -> String {
    let quoted: Vec<String> = items.into_iter().map(|item| quote(item.as_ref())).collect();
    format!("[{}]", quoted.join(","))
}

/// Appends a JSON array of values that print as JSON: `[1,2]`.
pub(super) fn push_numbers<T: std::fmt::Display>(out: &mut String, items: impl IntoIterator<Item = T>) {
    out.push('[');
    for (index, item) in items.into_iter().enumerate() {
        if index > 0 {
            out.push(',');
        }
        push(out, format_args!("{item}"));
    }
    out.push(']');
}

/// Appends an array with one record per line, `[\n record,\n record\n]`, or `[]`. `record` appends one
/// record.
pub(super) fn push_lines<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut record: impl FnMut(&mut String, T),
) {
    out.push('[');
    let mut any = false;
    for item in items {
        out.push_str(if any { ",\n" } else { "\n" });
        any = true;
        record(out, item);
    }
    out.push_str(if any { "\n]" } else { "]" });
}

/// Appends an object with one member per line: `{\n "key":value,\n ..}`.
pub(super) fn push_object<T>(
    out: &mut String,
    items: impl IntoIterator<Item = T>,
    mut record: impl FnMut(&mut String, T),
) {
    out.push('{');
    let mut any = false;
    for item in items {
        out.push_str(if any { ",\n" } else { "\n" });
        any = true;
        record(out, item);
    }
    out.push_str(if any { "\n}" } else { "}" });
}

/// Appends formatted text. Writing to a `String` cannot fail.
pub(super) fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// Appends an integer. It is several times faster than the formatting machinery, and tables consist of
/// integers.
pub(super) fn push_int(out: &mut String, value: i64) {
    // Most numbers of a table have one digit.
    match value {
        0..=9 => return out.push(char::from(b'0' + value as u8)),
        -1 => return out.push_str("-1"),
        _ => {}
    }
    let mut digits = [0u8; 20];
    let mut start = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        start -= 1;
        digits[start] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push('-');
    }
    out.push_str(std::str::from_utf8(&digits[start..]).unwrap_or_default());
}
