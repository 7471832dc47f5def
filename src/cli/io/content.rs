//! Keys of work, as hashes of its inputs.

use crate::io::errors::DriverError;
use crate::io::read;
use fabc_base::limits::SPEC_BYTES;
use fabc_emit::TOOL;
use fabc_pipeline::compile::hash_of_texts;
use fabc_pipeline::library::Loaded;
use std::path::Path;

/// The hash of texts and the version of fabc. The lengths of the texts are hashed as well.
pub(crate) fn content_hash<'a>(texts: impl IntoIterator<Item = &'a str>) -> blake3::Hash {
    hash_of_texts([TOOL].into_iter().chain(texts))
}

/// The key of a run, from its files and its last stage. It is short enough for a directory name.
pub(crate) fn run_key(files: &[(String, String)], stage: &str) -> String {
    let texts = files.iter().flat_map(|(path, text)| [path.as_str(), text.as_str()]);
    content_hash([stage].into_iter().chain(texts)).to_hex()[..32].to_owned()
}

/// The key of a run whose spec and input files are in a folder. `loaded` is the resolved spec, or `None` if
/// it has errors.
///
/// # Errors
/// The errors of reading the spec.
pub(crate) fn folder_key(folder: &Path, loaded: Option<&Loaded>, stage: &str) -> Result<String, DriverError> {
    let spec = read::read_text(&read::display(&folder.join("spec.fab")), SPEC_BYTES as u64)?;
    let inputs = loaded.map_or(Vec::new(), |loaded| fabc_emit::input_copies(&loaded.fabric));
    Ok(run_key(&[vec![("spec.fab".to_owned(), spec)], inputs].concat(), stage))
}
