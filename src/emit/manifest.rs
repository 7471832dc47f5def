//! `manifest.json` (`fabc.manifest/1`): size and hash of every other file, and the one place where fabc's version stands.

use super::Artifact;
use super::json::{push, push_lines, quote};
use std::collections::BTreeMap;

/// What the manifest says about one file.
pub(super) struct Line {
    path: String,
    bytes: usize,
    blake3: String,
}

impl Line {
    /// The line of a file.
    pub(super) fn of(artifact: &Artifact) -> Self {
        Self { path: artifact.path.clone(), bytes: artifact.bytes.len(), blake3: blake3::hash(&artifact.bytes).to_hex().to_string() }
    }
}

/// The file's text; `lines` ascend by path.
pub(super) fn json(fabric: &str, spec_text: &str, options: &[(String, String)], lines: &[Line]) -> String {
    let mut out = String::from("{\"format\":\"fabc.manifest/1\",");
    push(&mut out, format_args!("\"tool\":\"fabc {}\",\"fabric\":{},\n", env!("CARGO_PKG_VERSION"), quote(fabric)));
    push(&mut out, format_args!("\"spec_blake3\":\"{}\",\n", blake3::hash(spec_text.as_bytes()).to_hex()));
    let options: BTreeMap<&str, &str> = options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let options: Vec<String> = options.iter().map(|(name, value)| format!("{}:{}", quote(name), quote(value))).collect();
    push(&mut out, format_args!("\"options\":{{{}}},\n\"files\":", options.join(",")));
    push_lines(&mut out, lines, |out, line| {
        push(out, format_args!("{{\"path\":{},\"bytes\":{},\"blake3\":\"{}\"}}", quote(&line.path), line.bytes, line.blake3));
    });
    out.push_str("}\n");
    out
}
