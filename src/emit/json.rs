//! JSON by hand: fixed key order, one record per line in long lists, no intermediate tree.

use std::fmt::Write;

/// A JSON string with its quotes.
pub(super) fn quote(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// `["a","b"]` of strings.
pub(super) fn strings<S: AsRef<str>>(items: impl IntoIterator<Item = S>) -> String {
    let quoted: Vec<String> = items.into_iter().map(|item| quote(item.as_ref())).collect();
    format!("[{}]", quoted.join(","))
}

/// `[1,2]` of anything that prints as JSON, appended to `out`.
pub(super) fn push_numbers<T: std::fmt::Display>(out: &mut String, items: impl IntoIterator<Item = T>) {
    out.push('[');
    for (at, item) in items.into_iter().enumerate() {
        if at > 0 {
            out.push(',');
        }
        push(out, format_args!("{item}"));
    }
    out.push(']');
}

/// `[\n record,\n record\n]` with one record per line, or `[]`; `record` appends one.
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

/// The same for `{\n "key":value,\n ..}`.
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

/// Appends formatted text (a `String` never refuses).
pub(super) fn push(out: &mut String, text: std::fmt::Arguments<'_>) {
    let _ = out.write_fmt(text);
}

/// Appends a small integer; several times faster than the formatting machinery, and tables are made of them.
pub(super) fn push_int(out: &mut String, value: i64) {
    // Most numbers of a table have one digit.
    match value {
        0..=9 => return out.push(char::from(b'0' + value as u8)),
        -1 => return out.push_str("-1"),
        _ => {}
    }
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    let mut rest = value.unsigned_abs();
    loop {
        at -= 1;
        digits[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
        if rest == 0 {
            break;
        }
    }
    if value < 0 {
        out.push('-');
    }
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}
