//! The results that the shards of a build share.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The pieces of a build in its directory: the keys of their results, by name.
pub(crate) fn pieces(directory: &Path) -> BTreeMap<String, String> {
    let queue = std::fs::read(directory.join("queue.json")).unwrap();
    let queue: serde_json::Value = serde_json::from_slice(&queue).unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap().to_owned();
    queue["pieces"].as_array().unwrap().iter().map(|piece| (text(&piece[0]), text(&piece[1]))).collect()
}

/// The file of the result of a piece.
pub(crate) fn kept_path(directory: &Path, piece: &str) -> PathBuf {
    directory.join("kept").join(format!("{}.bin", pieces(directory)[piece]))
}
