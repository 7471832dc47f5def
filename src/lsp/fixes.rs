//! What mends a finding, where the finding itself says what to write.
//!
//! Comes in: a finding and the text that it is about. Goes out: the bytes to replace, and with what. The
//! labels and hints of diagnostics are sentences with what is to be written in them; those forms are known
//! here, and a test mends every spec that has such an error.

use super::analysis::Finding;
use std::ops::Range;

/// One change of a text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Fix {
    pub(super) title: String,
    pub(super) bytes: Range<usize>,
    pub(super) text: String,
}

/// What mends a finding in its file.
pub(super) fn fixes(finding: &Finding, text: &str) -> Vec<Fix> {
    let bytes = finding.spot.1.clone();
    let (label, help) =
        (finding.label.as_deref().unwrap_or_default(), finding.help.as_deref().unwrap_or_default());
    let found = text.get(bytes.clone()).unwrap_or_default();
    let fix = |title: String, bytes: Range<usize>, text: &str| Fix { title, bytes, text: text.to_owned() };
    let mut fixes = Vec::new();
    if let Some(written) = quoted(label, "write `") {
        let title = format!("write `{}`", written.trim());
        fixes.push(match label.rsplit('`').next().unwrap_or_default() {
            " after this" => fix(title, bytes.end..bytes.end, &format!(" {written}")),
            " here" => {
                // Behind what stands before it.
                let at = text[..bytes.start].trim_end().len();
                let at = if found.trim().is_empty() { at } else { bytes.end };
                fix(title, at..at, written)
            }
            _ => fix(title, bytes.clone(), written),
        });
    }
    if label == "remove this" {
        fixes.push(fix(format!("remove `{found}`"), bytes.clone(), ""));
    }
    // One word for another; words of several parts are written as they are meant.
    let plain = |word: &str| {
        !word.is_empty()
            && word.chars().all(|letter| letter.is_ascii_alphanumeric() || "_-./".contains(letter))
    };
    if let Some(meant) = quoted(help, "did you mean `").filter(|meant| plain(meant) && plain(found)) {
        fixes.push(fix(format!("write `{meant}`"), bytes, meant));
    }
    fixes
}

/// What stands in quotes behind a beginning.
fn quoted<'t>(text: &'t str, begin: &str) -> Option<&'t str> {
    let rest = &text[text.find(begin)? + begin.len()..];
    let inside = &rest[..rest.find('`')?];
    // ` weight n` is an example.
    (!inside.contains(" n")).then_some(inside)
}
