//! The files of a spec, and whether they changed.

use crate::io::read::Disk;
use fabc_lang::syntax::Loader;
use fabc_pipeline::library::load;
use std::cell::RefCell;
use std::collections::BTreeSet;

/// The hash of the content of a file. `None` for a file that cannot be read.
type FileState = Option<blake3::Hash>;

/// The files of a spec with their states.
pub(super) struct WatchedFiles(Vec<(String, FileState)>);

impl WatchedFiles {
    /// The spec and every file that it brings in, as far as it can be read.
    pub(super) fn of_spec(spec: &str, sets: &[String]) -> Self {
        let loader = RecordingLoader { paths: RefCell::new(BTreeSet::from([spec.to_owned()])) };
        // Errors of the spec are shown by the build.
        drop(load(spec, &loader, sets));
        let paths = loader.paths.into_inner().into_iter();
        Self(paths.map(|path| (path.clone(), state(&path))).collect())
    }

    /// Whether a file changed since these states were taken.
    pub(super) fn changed(&self) -> bool {
        self.0.iter().any(|(path, known)| state(path) != *known)
    }
}

fn state(path: &str) -> FileState {
    std::fs::read(path).ok().map(|bytes| blake3::hash(&bytes))
}

/// Loads files of the disk, and remembers their paths.
struct RecordingLoader {
    paths: RefCell<BTreeSet<String>>,
}

impl Loader for RecordingLoader {
    fn load(&self, path: &str, limit: u64) -> Result<String, String> {
        self.paths.borrow_mut().insert(path.to_owned());
        Disk.load(path, limit)
    }

    fn load_bytes(&self, path: &str, limit: u64) -> Result<Vec<u8>, String> {
        self.paths.borrow_mut().insert(path.to_owned());
        Disk.load_bytes(path, limit)
    }

    fn identity(&self, path: &str) -> String {
        Disk.identity(path)
    }
}
