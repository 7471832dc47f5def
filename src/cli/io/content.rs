//! Names for work by what it is made of.

use crate::io::errors::DriverError;
use crate::io::read;
use fabc_base::limits::SPEC_BYTES;
use fabc_emit::TOOL;
use fabc_pipeline::library::Loaded;
use std::path::Path;

/// The hash of texts, each apart from the next, and of this version of fabc.
pub(crate) fn key<'a>(texts: impl IntoIterator<Item = &'a str>) -> blake3::Hash {
    let mut hash = blake3::Hasher::new();
    for text in [TOOL].into_iter().chain(texts) {
        hash.update(&(text.len() as u64).to_le_bytes());
        hash.update(text.as_bytes());
    }
    hash.finalize()
}

/// The same of the files of a run and the stage that it ends with, short enough for a name of a directory.
pub(crate) fn of_run(files: &[(String, String)], stage: &str) -> String {
    let texts = files.iter().flat_map(|(path, text)| [path.as_str(), text.as_str()]);
    key([stage].into_iter().chain(texts)).to_hex()[..32].to_owned()
}

/// The same of a folder with the normal form of a spec and its input files, as they stand there; `loaded` is
/// what the spec means, `None` where it means nothing.
///
/// # Errors
/// The spec cannot be read.
pub(crate) fn of_folder(folder: &Path, loaded: Option<&Loaded>, stage: &str) -> Result<String, DriverError> {
    let spec = read::text(&read::display(&folder.join("spec.fab")), SPEC_BYTES as u64)?;
    let inputs = loaded.map_or(Vec::new(), |loaded| fabc_emit::inputs(&loaded.fabric));
    Ok(of_run(&[vec![("spec.fab".to_owned(), spec)], inputs].concat(), stage))
}
