//! Fixes for findings whose own text says what to write.
//!
//! Input: a finding and the text that it is about. Output: the bytes to replace, and their replacement.
//! Labels and hints of diagnostics are sentences that quote what to write. This module knows those forms, and
//! a test applies the fixes to every spec with such an error.

use super::analysis::Finding;
use std::ops::Range;

/// One change of a text, with its title in the editor's menu.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fix {
    pub(super) title: String,
    pub(super) bytes: Range<usize>,
    pub(super) text: String,
}

/// The fixes of a finding in its file.
pub(super) fn fixes(finding: &Finding, text: &str) -> Vec<Fix> {
    let bytes = finding.spot.bytes.clone();
    let (label, help) =
        (finding.label.as_deref().unwrap_or_default(), finding.help.as_deref().unwrap_or_default());
    let flagged = text.get(bytes.clone()).unwrap_or_default();
    let fix = |title: String, bytes: Range<usize>, text: &str| Fix { title, bytes, text: text.to_owned() };
    let mut fixes = Vec::new();
    if let Some(written) = quoted_after(label, "write `") {
        let title = format!("write `{}`", written.trim());
        fixes.push(match label.rsplit('`').next().unwrap_or_default() {
            " after this" => fix(title, bytes.end..bytes.end, &format!(" {written}")),
            " here" => {
                // Insert behind the last text before the place.
                let insert_at = text[..bytes.start].trim_end().len();
                let insert_at = if flagged.trim().is_empty() { insert_at } else { bytes.end };
                fix(title, insert_at..insert_at, written)
            }
            _ => fix(title, bytes.clone(), written),
        });
    }
    if label == "remove this" {
        fixes.push(fix(format!("remove `{flagged}`"), bytes.clone(), ""));
    }
    // Replace one word by another. Words of several parts must be written in full.
    let plain = |word: &str| {
        !word.is_empty()
            && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./".contains(letter))
    };
    if let Some(meant) = quoted_after(help, "did you mean `").filter(|meant| plain(meant) && plain(flagged)) {
        fixes.push(fix(format!("write `{meant}`"), bytes, meant));
    }
    fixes
}

/// The text between the end of `begin` and the next backquote.
fn quoted_after<'t>(text: &'t str, begin: &str) -> Option<&'t str> {
    let rest = &text[text.find(begin)? + begin.len()..];
    let inside = &rest[..rest.find('`')?];
    // ` weight n` is an example.
    (!inside.contains(" n")).then_some(inside)
}
