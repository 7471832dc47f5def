//! A folder in which commands of fabc write, with the shipped specs in it.

use serde_json::Value;
use std::path::{Path, PathBuf};

/// The folder of a benchmark.
pub(crate) struct Workplace {
    pub(crate) folder: PathBuf,
}

impl Workplace {
    /// A folder of this process. `benchmark` is a part of its name.
    pub(crate) fn new(benchmark: &str) -> Self {
        let folder = std::env::temp_dir().join(format!("fabc-{benchmark}-{}", std::process::id()));
        std::fs::create_dir_all(&folder).expect("a folder for what the commands write");
        let specs = Path::new(env!("CARGO_MANIFEST_DIR")).join("specs");
        std::os::unix::fs::symlink(specs, folder.join("specs")).expect("a link to the specs");
        Self { folder }
    }

    /// A file that a command has written, as JSON.
    pub(crate) fn json(&self, path: impl AsRef<Path>) -> Value {
        let path = self.folder.join(path);
        let text =
            std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}
