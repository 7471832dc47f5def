//! Names for work by what it is made of.

use crate::emit::TOOL;

/// The hash of texts, each apart from the next, and of this version of fabc.
pub(super) fn key<'a>(texts: impl IntoIterator<Item = &'a str>) -> blake3::Hash {
    let mut hash = blake3::Hasher::new();
    for text in [TOOL].into_iter().chain(texts) {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize()
}

/// The same of the files of a run and the stage that it ends with, short enough for a name of a directory.
pub(super) fn of_run(files: &[(String, String)], stage: &str) -> String {
    let texts = files.iter().flat_map(|(path, text)| [path.as_str(), text.as_str()]);
    key([stage].into_iter().chain(texts)).to_hex()[..32].to_owned()
}
