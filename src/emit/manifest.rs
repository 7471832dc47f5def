//! Writes `manifest.json` (`fabc.manifest/1`): size and hash of every other file. It is the only artifact
//! with fabc's version.

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
    push(&mut out, format_args!("\"options\":{{{}}},\n\"files\":", options.join(",")));
    push_lines(&mut out, lines, |out, line| {
        push(
            out,
            format_args!(
                "{{\"path\":{},\"bytes\":{},\"blake3\":\"{}\"}}",
                quote(&line.path),
                line.bytes,
                line.blake3
            ),
        );
    });
    out.push_str("}\n");
    out
}
