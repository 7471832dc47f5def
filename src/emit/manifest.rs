//! Writes `manifest.json` (`fabc.manifest/1`, and `fabc.change/1` of a repair or a plan): size and hash of
//! every other file. It is the only artifact with fabc's version.

use super::json::{push, push_lines, quote};
use fabc_ir::ContractState;
use std::collections::BTreeMap;

/// The tool and its version, as manifests name it.
pub const TOOL: &str = concat!("fabc ", env!("CARGO_PKG_VERSION"));

/// The entry of one file in the manifest.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct ManifestEntry {
    path: String,
    bytes: usize,
    blake3: String,
}

impl ManifestEntry {
    /// The entry of a file with these contents.
    pub fn for_file(path: &str, bytes: &[u8]) -> Self {
        Self { path: path.to_owned(), bytes: bytes.len(), blake3: blake3::hash(bytes).to_hex().to_string() }
    }
}

/// The text of a manifest. `tool` is normally [`TOOL`], `lines` ascend by path, and `contract` is the state
/// of the spec's requires.
pub fn manifest_json(
    tool: &str,
    fabric: &str,
    spec_text: &str,
    contract: ContractState,
    options: &[(String, String)],
    lines: &[ManifestEntry],
) -> String {
    let mut out = String::from("{\"format\":\"fabc.manifest/1\",");
    push(&mut out, format_args!("\"tool\":{},\"fabric\":{},\n", quote(tool), quote(fabric)));
    push(&mut out, format_args!("\"spec_blake3\":\"{}\",\n", blake3::hash(spec_text.as_bytes()).to_hex()));
    let options: BTreeMap<&str, &str> =
        options.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let options: Vec<String> =
        options.iter().map(|(name, value)| format!("{}:{}", quote(name), quote(value))).collect();
    push(&mut out, format_args!("\"contract\":{},\n", quote(contract.name())));
    push(&mut out, format_args!("\"options\":{{{}}},\n", options.join(",")));
    push_entries(&mut out, lines);
    out
}

/// The text of the manifest of a repair or a plan. `kind` is `repair` or `plan`. `starts` are (part, hash of
/// its manifest) of the directories that it starts from, and `lines` ascend by path.
pub fn change_manifest_json(
    tool: &str,
    kind: &str,
    fabric: &str,
    starts: &[(&str, String)],
    lines: &[ManifestEntry],
) -> String {
    let (tool, kind, fabric) = (quote(tool), quote(kind), quote(fabric));
    let starts: Vec<String> =
        starts.iter().map(|(part, hash)| format!("{}:{}", quote(part), quote(hash))).collect();
    let mut out = format!(
        "{{\"format\":\"fabc.change/1\",\"tool\":{tool},\"kind\":{kind},\"fabric\":{fabric},\n\"starts\":{{{}}},\n",
        starts.join(",")
    );
    push_entries(&mut out, lines);
    out
}

/// Writes the entries of all files, and the end of a manifest.
fn push_entries(out: &mut String, lines: &[ManifestEntry]) {
    out.push_str("\"files\":");
    push_lines(out, lines, |out, ManifestEntry { path, bytes, blake3 }| {
        push(out, format_args!("{{\"path\":{},\"bytes\":{bytes},\"blake3\":\"{blake3}\"}}", quote(path)));
    });
    out.push_str("}\n");
}
