//! The files of this repository, for specs that name them.

use fabc::syntax::Loader;

/// The text of a file.
pub(crate) fn read(path: &str) -> Result<String, String> {
    std::fs::read_to_string(path).map_err(|error| error.kind().to_string())
}

/// Loads files of this repository, also those that are no text.
pub(crate) struct Files;

impl Loader for Files {
    fn load(&self, path: &str, max_bytes: u64) -> Result<String, String> {
        read.load(path, max_bytes)
    }

    fn load_bytes(&self, path: &str, _: u64) -> Result<Vec<u8>, String> {
        std::fs::read(path).map_err(|error| error.kind().to_string())
    }
}
